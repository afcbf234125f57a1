"""Fitting of pieces as in `autotile`, equally on both sides of a symmetric map."""

from __future__ import annotations

import numpy as np

from ..autotile.fitting import fit_pieces
from ..autotile.grammar import grammar_of
from .battlefield import Battlefield, Mask

ROUNDS = 3
"""Number of times that pieces are chosen after the first half was copied."""


def fit(field: Battlefield, *, keep: Mask | None = None) -> None:
    """Choose pieces that fit, equally on both sides; cells in `keep` do not change.

    Where the halves meet, a piece that fits on one side may not fit on the other. Such a piece is replaced by land, and
    a river that then ends in open land is removed up to its next fork.
    """
    tileset, stays = field.kinds.tileset, field.frozen if keep is None else field.frozen | keep
    for _ in range(ROUNDS):
        before = field.cells.copy()
        field.set_cells(np.where(stays, before, fit_pieces(before, tileset, stays, keep=True)))
        if not _find_misfits(field, stays).any():
            return
    replace_misfits(field, stays)


def replace_misfits(field: Battlefield, stays: Mask) -> None:
    """Replace every misfit by land; the number of pieces falls in each iteration, so the loop ends."""
    while (wrong := _find_misfits(field, stays)).any():
        for row, column in np.argwhere(wrong).tolist():
            field.lay((row, column), field.kinds.ground_tile)


def _find_misfits(field: Battlefield, stays: Mask) -> Mask:
    return grammar_of(field.kinds.tileset).find_misfits(field.cells) & ~stays
