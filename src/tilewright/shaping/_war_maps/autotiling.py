"""Fitting of pieces as in `autotile`, equally on both sides of a symmetric map."""

from __future__ import annotations

import numpy as np

from ...autotile.fitting import fit_pieces
from ...autotile.grammar import grammar_of
from ...core.pieces import STEPS
from .battlefield import RIVER, Battlefield, Mask

ROUNDS = 3
"""Number of times that pieces are chosen after the first half was copied."""


def fit(field: Battlefield, *, keep: Mask | None = None) -> None:
    """Choose pieces that fit, equally on both sides; cells in `keep` do not change.

    Where the halves meet, a piece that fits on one side may not fit on the other. In this case, a river that ends gets
    a pond, and a piece that fits nowhere is replaced by land.
    """
    tileset, stays = field.kinds.tileset, field.frozen if keep is None else field.frozen | keep
    for _ in range(ROUNDS):
        before = field.cells.copy()
        field.set_cells(np.where(stays, before, fit_pieces(before, tileset, stays, keep=True)))
        if not _find_misfits(field, stays).any():
            return
    _add_ponds(field, stays)
    replace_misfits(field, stays)


def replace_misfits(field: Battlefield, stays: Mask) -> None:
    """Replace every misfit by land; the number of pieces falls in each iteration, so the loop ends."""
    while (wrong := _find_misfits(field, stays)).any():
        for row, column in np.argwhere(wrong).tolist():
            field.lay((row, column), field.kinds.ground_tile)


def _find_misfits(field: Battlefield, stays: Mask) -> Mask:
    return grammar_of(field.kinds.tileset).find_misfits(field.cells) & ~stays


def _add_ponds(field: Battlefield, stays: Mask) -> None:
    """Put water where a river ends in open land."""
    seas = np.flatnonzero(field.kinds.kinds == "sea")
    grammar = grammar_of(field.kinds.tileset)
    if not seas.size:
        return
    for row, column in np.argwhere(_find_misfits(field, stays) & field.find_kinds(RIVER)).tolist():
        for side, (down, right) in enumerate(STEPS):
            near = row + down, column + right
            inside = 0 <= near[0] < field.shape[0] and 0 <= near[1] < field.shape[1]
            tile, other = field.cells[row, column], field.cells[near] if inside else 0
            if inside and not grammar.fits[side, tile, other] and field.kinds.is_land[other] and not stays[near]:
                field.lay(near, int(seas[0]))
