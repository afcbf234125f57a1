"""Tidying of maps: pieces that fit as in `autotile`, single roads and rivers, and no short roads that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..analysis.doorways import find_blocks
from ..autotile.fitting import fit_pieces
from ..autotile.grammar import grammar_of
from ..core.pieces import SIDES, STEPS
from .battlefield import BRIDGE, RIVER, ROAD, WATER, Battlefield, Cell, Mask, count_within, opposite_side

ROUNDS = 3
"""Number of times that pieces are chosen after the first half was copied."""
MIN_ROAD = 6
"""Minimum number of cells of a road that ends in open land."""
REACH = 2
"""Radius of the square in which the neighbors of a removed cell must stay connected, and in which pieces are joined."""
SHOAL, OUTSIDE = "shoal", "outside"
"""Kind of beaches, and of the cells outside of the map."""


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


def tidy_roads(field: Battlefield) -> None:
    """Replace bridges over land, and remove double roads, short roads that lead nowhere, and open sides to land."""
    _replace_dry_bridges(field)
    _thin(field, ROAD, BRIDGE)
    _remove_stumps(field)
    _close_sides(field)


def tidy_rivers(field: Battlefield) -> None:
    """Remove cells that make a river two cells wide."""
    _thin(field, RIVER)


def _thin(field: Battlefield, kind: str, *spans: str) -> None:
    """Remove cells of 2x2 blocks of a kind, in reading order, where the pieces around them stay connected.

    Pieces of the kind may be joined at all sides, pieces of the kinds in `spans` only at their open sides. Blocks of
    3x3 cells are areas, not lines, and stay.
    """
    opened = grammar_of(field.kinds.tileset).open[field.cells].transpose(2, 0, 1)
    sides = np.where(field.find_kinds(kind), True, opened & field.find_kinds(*spans))
    paved: Mask = np.logical_or.reduce(sides)
    wide = count_within(count_within(paved, 1) == 9, 1) > 0  # cells in 3x3 blocks, which are no double lines
    candidates = find_blocks(paved) & ~wide & ~field.frozen
    removed: Mask = np.zeros(field.shape, dtype=np.bool_)
    for row, column in np.argwhere(candidates).tolist():
        pair = [(row, column), field.image_of((row, column))]
        if all(_is_in_block(sides, cell) and not _is_end(field, cell, kind, *spans) for cell in pair):
            before = [sides[:, cell[0], cell[1]].copy() for cell in pair]
            for cell in pair:
                sides[:, cell[0], cell[1]] = False
            if all(_are_connected(sides, cell, own) for cell, own in zip(pair, before, strict=True)):
                removed[pair[0]] = removed[pair[1]] = True
            else:
                for cell, own in zip(pair, before, strict=True):
                    sides[:, cell[0], cell[1]] = own
    for row, column in np.argwhere(removed).tolist():
        field.lay((row, column), _find_ground(field, (row, column)))
    if removed.any():
        _join(field, kind, sides, count_within(removed, REACH) > 0)


def _is_in_block(sides: NDArray[np.bool_], cell: Cell) -> bool:
    row, column = cell
    top, left = max(row - 1, 0), max(column - 1, 0)
    around: Mask = np.logical_or.reduce(sides[:, top : row + 2, left : column + 2])
    return bool(find_blocks(around)[row - top, column - left])


def _is_end(field: Battlefield, cell: Cell, *kinds: str) -> bool:
    """Return whether a piece leads to a cell of another kind on the map."""
    return any(kind not in (*kinds, OUTSIDE) for _, kind in _list_links(field, cell))


def _list_links(field: Battlefield, cell: Cell) -> list[tuple[int, str]]:
    """Return the sides at which a piece leads to another cell than land, and the kinds of these cells."""
    grammar = grammar_of(field.kinds.tileset)
    tile = int(field.cells[cell])
    links = []
    for side, (down, right) in enumerate(STEPS):
        row, column = cell[0] + down, cell[1] + right
        if not (0 <= row < field.shape[0] and 0 <= column < field.shape[1]):
            near, kind = len(field.kinds.tileset), OUTSIDE
        else:
            near = int(field.cells[row, column])
            kind = "" if field.kinds.is_land[near] else str(field.kinds.kinds[near])
        if kind and grammar.open[tile, side] and grammar.fits[side, tile, near]:
            links.append((side, kind))
    return links


def _are_connected(sides: NDArray[np.bool_], cell: Cell, own: NDArray[np.bool_]) -> bool:
    """Return whether the neighbors that a removed cell joined are still connected near it."""
    rows, columns = sides.shape[1:]
    (row, column), beside = cell, set[Cell]()
    for side in np.flatnonzero(own).tolist():
        near = row + STEPS[side][0], column + STEPS[side][1]
        if 0 <= near[0] < rows and 0 <= near[1] < columns and sides[opposite_side(side), near[0], near[1]]:
            beside.add(near)
    reached = set(sorted(beside)[:1])
    queue = list(reached)
    while queue:
        here = queue.pop()
        for side, (down, right) in enumerate(STEPS):
            near = here[0] + down, here[1] + right
            if max(abs(near[0] - row), abs(near[1] - column)) > REACH or near in reached:
                continue
            if not (0 <= near[0] < rows and 0 <= near[1] < columns and sides[side, here[0], here[1]]):
                continue
            if sides[opposite_side(side), near[0], near[1]]:
                reached.add(near)
                queue.append(near)
    return bool(beside) and beside <= reached


def _find_ground(field: Battlefield, cell: Cell) -> int:
    """Return the tile below a piece: for a bridge the water that it crosses, otherwise land."""
    kinds = field.kinds
    below = _find_water_below(field, cell) if field.kinds.kinds[field.cells[cell]] == BRIDGE else ""
    if below == RIVER:
        joins = kinds.tileset[int(field.cells[cell])].joins
        piece = kinds.find_piece(RIVER, [side for side in SIDES if side not in joins])
        return kinds.ground_tile if piece is None else piece
    return int(np.flatnonzero(kinds.kinds == below)[0]) if below else kinds.ground_tile


def _find_water_below(field: Battlefield, cell: Cell) -> str:
    """Return the kind of the water at the closed sides of a bridge: sea before river, or nothing."""
    joins = field.kinds.tileset[int(field.cells[cell])].joins
    found = set()
    for side, (down, right) in zip(SIDES, STEPS, strict=True):
        row, column = cell[0] + down, cell[1] + right
        if side not in joins and 0 <= row < field.shape[0] and 0 <= column < field.shape[1]:
            found.add(str(field.kinds.kinds[field.cells[row, column]]))
    return WATER[0] if found & {*WATER, SHOAL} else RIVER if found & {RIVER, BRIDGE} else ""


def _replace_dry_bridges(field: Battlefield) -> None:
    """Replace bridges without water at their closed sides by roads."""
    for row, column in np.argwhere(field.find_kinds(BRIDGE) & ~field.frozen).tolist():
        if not _find_water_below(field, (row, column)):
            joins = field.kinds.tileset[int(field.cells[row, column])].joins
            _lay_pieces(field, ROAD, {(row, column): {SIDES.index(side) for side in joins}})


def _join(field: Battlefield, kind: str, sides: NDArray[np.bool_], mask: Mask) -> None:
    """Join the pieces of a kind in a mask to all neighbors that may be joined, and to the cells that they lead to."""
    wide = np.pad(sides, ((0, 0), (1, 1), (1, 1)))
    joined = {}
    for row, column in np.argwhere(mask & field.find_kinds(kind) & sides.any(axis=0)).tolist():
        near = [
            wide[opposite_side(side), row + 1 + down, column + 1 + right] for side, (down, right) in enumerate(STEPS)
        ]
        joined[row, column] = {side for side in range(4) if near[side]} | {
            side for side, other in _list_links(field, (row, column)) if other != kind
        }
    _lay_pieces(field, kind, joined)


def _lay_pieces(field: Battlefield, kind: str, joined: dict[Cell, set[int]]) -> None:
    """Lay the piece of a kind that is open at the given sides on each cell."""
    for cell, sides in joined.items():
        piece = field.kinds.find_piece(kind, [SIDES[side] for side in sorted(sides)])
        if piece is not None:
            field.lay(cell, piece)


def _remove_stumps(field: Battlefield) -> None:
    """Remove roads of fewer than MIN_ROAD cells that end in open land; the number of roads falls in each iteration."""
    while ground := {cell: _find_ground(field, cell) for stump in _iter_stumps(field) for cell in stump}:
        for cell, tile in ground.items():
            field.lay(cell, tile)


def _close_sides(field: Battlefield) -> None:
    """Close the sides at which roads with two other open sides lead to land."""
    links = {
        (row, column): {side for side, _ in _list_links(field, (row, column))}
        for row, column in np.argwhere(field.find_kinds(ROAD)).tolist()
    }
    opened = grammar_of(field.kinds.tileset).open[field.cells].sum(axis=-1)
    _lay_pieces(field, ROAD, {cell: sides for cell, sides in links.items() if 2 <= len(sides) < opened[cell]})


def _iter_stumps(field: Battlefield) -> Iterator[list[Cell]]:
    """Yield the cells of each short road from open land to a junction, a building, the edge or open land."""
    for row, column in np.argwhere(field.find_kinds(ROAD) & ~field.frozen).tolist():
        here = row, column
        path, links = [here], _list_links(field, here)
        if len(links) > 1:
            continue
        while len(path) < MIN_ROAD and len(links) == 1 and links[0][1] in (ROAD, BRIDGE):
            side = links[0][0]
            here = here[0] + STEPS[side][0], here[1] + STEPS[side][1]
            if field.frozen[here]:
                break
            links = [link for link in _list_links(field, here) if link[0] != opposite_side(side)]
            if len(links) < 2:
                path.append(here)
        spans = [cell for cell in path if field.kinds.kinds[field.cells[cell]] == BRIDGE]
        # Bridges over the sea may be the only path of infantry.
        if len(path) < MIN_ROAD and all(_find_water_below(field, cell) == RIVER for cell in spans):
            yield path
