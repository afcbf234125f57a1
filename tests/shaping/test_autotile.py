"""Autotile: every piece fits afterwards, and pieces that fit can be kept."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.cases import read_table
from tilewright.autotile.fitting import fit_pieces, tables_of
from tilewright.autotile.grammar import grammar_of
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset
from tilewright.core.tilesets import tilesets
from tilewright.kernels import autotile as kernels

AWBW = tilesets.get("awbw")
KINDS: dict[str, list[int]] = {}
for number, tile in enumerate(AWBW):
    KINDS.setdefault(tile.kind, []).append(number)
WORDS = {
    ".": "plain", "w": "wood", "~": "sea", "r": "river", "o": "road", "B": "bridge", "s": "shoal", "c": "city",
    "b": "base", "p": "pipe", "S": "pipe seam", "R": "pipe rubble",
}  # fmt: skip
MOVES = ["x", "y", "d", "dx", "xy", "dy", "dxy"]
every_keep = pytest.mark.parametrize("keep", [False, True])


def of_kinds(*lines: str) -> NDArray[np.uint8]:
    """Return a map of the first piece of every kind."""
    return np.array([[KINDS[WORDS[letter]][0] for letter in line] for line in lines], dtype=AWBW.dtype)


def to_rows(cells: NDArray[np.uint8]) -> list[str]:
    return str(TileMap(cells, AWBW)).split("\n")


def soup(seed: int) -> NDArray[np.uint8]:
    """Return random kinds with a random tile of the kind in each cell."""
    random = np.random.default_rng(seed)
    height, width = random.integers(1, 13, 2).tolist()
    some = random.choice(list(KINDS), size=random.integers(1, 9))
    which = random.choice(len(some), size=(height, width), p=random.dirichlet(np.ones(len(some))))
    return np.array([[random.choice(KINDS[some[one]]) for one in row] for row in which], dtype=AWBW.dtype)


def reorient(cells: NDArray[np.uint8], move: str) -> NDArray[np.uint8]:
    images = AWBW.reorient_tiles(move).astype(cells.dtype)[cells]
    for step in move:
        images = images.T if step == "d" else np.flip(images, 1 if step == "x" else 0)
    return images


@pytest.fixture(scope="module")
def maps(reference: Path) -> list[NDArray[np.uint8]]:
    """Return the published maps of the game."""
    codes = {tile.code: number for number, tile in enumerate(AWBW)}
    found = []
    for path in sorted((reference / "awbw").glob("*.csv")):
        with path.open() as lines:
            rows = [[codes[int(field or 195)] for field in row] for row in csv.reader(lines)]
        found.append(np.array(rows, dtype=AWBW.dtype))
    assert len(found) >= 6
    return found


@every_keep
def test_everything_fits_afterwards_and_a_second_run_changes_nothing(keep: bool) -> None:
    for seed in range(800):
        before = soup(seed)
        after = fit_pieces(before, AWBW, keep=keep)
        assert not grammar_of(AWBW).find_misfits(after).any(), seed
        assert np.array_equal(fit_pieces(after, AWBW, keep=keep), after), seed
        if keep and not grammar_of(AWBW).find_misfits(before).any():
            assert np.array_equal(before, after), seed
        assert after.dtype == AWBW.dtype


@every_keep
def test_frozen_cells_stay_and_the_rest_fits_them(keep: bool) -> None:
    for seed in range(400):
        before = soup(seed)
        frozen = np.random.default_rng(seed).random(before.shape) < 0.25
        after = fit_pieces(before, AWBW, frozen, keep=keep)
        assert np.array_equal(after[frozen], before[frozen])
        assert not (grammar_of(AWBW).find_misfits(after) & ~frozen).any(), seed


@every_keep
def test_other_tiles_change_only_where_a_river_is_extended(keep: bool) -> None:
    for seed in range(300):
        before = soup(seed)
        after = fit_pieces(before, AWBW, keep=keep)
        fixed = ~grammar_of(AWBW).pieces[before] & (before != after)
        kinds = [(AWBW[int(a)].kind, AWBW[int(b)].kind) for a, b in zip(before[fixed], after[fixed], strict=True)]
        assert {old for old, _ in kinds} <= {"plain", "wood", "mountain"}
        assert {new for _, new in kinds} <= {"river", "plain", "wood", "mountain"}


@pytest.mark.parametrize(("before", "after"), read_table(__file__, "typical shapes"), ids=lambda lines: "/".join(lines))
def test_typical_shapes(before: list[str], after: list[str]) -> None:
    found = fit_pieces(of_kinds(*before), AWBW)
    assert to_rows(found) == after


def test_a_river_is_extended_to_water_nearby_and_an_isolated_cell_is_removed() -> None:
    field = ["......."] * 3
    assert to_rows(fit_pieces(of_kinds(*field, "rrrr..~", *field), AWBW)) == [*field, "──────~", *field]
    assert to_rows(fit_pieces(of_kinds(".....", "..r..", "....."), AWBW)) == ["....."] * 3
    around = of_kinds("........", "rrrr.c.~", "........")
    assert to_rows(fit_pieces(around, AWBW)) == ["........", "───┐.c.~", "...│...."], "never over buildings"
    walled = of_kinds("ccccccc", "crrrccc", "ccccccc")
    assert (fit_pieces(walled, AWBW)[1, 1:4] == AWBW.id("plain")).all()


def test_misfits_are_replaced_by_the_most_common_ground_around() -> None:
    assert to_rows(fit_pieces(of_kinds("wwwww", "wwwww", "wwrww", "ww.ww", "wwwww"), AWBW))[2] == "&&&&&"
    assert to_rows(fit_pieces(of_kinds("~~~", "~s~", "~~~"), AWBW))[1] == "~~~"
    assert to_rows(fit_pieces(of_kinds(".~.", "~B~", ".~."), AWBW))[1] == "~~~"


def test_keeping_pieces_leaves_parallel_roads_separate() -> None:
    road, curve = AWBW.id("road ew"), AWBW.id("road ns")
    cells = np.full((2, 6), road, dtype=AWBW.dtype)
    assert np.array_equal(fit_pieces(cells, AWBW, keep=True), cells)
    cells[0, 2] = curve
    fitted = fit_pieces(cells, AWBW, keep=True)
    assert not grammar_of(AWBW).find_misfits(fitted).any()
    assert np.argwhere(fitted != cells).tolist() in ([[0, 2], [1, 2]], [[0, 2]])


def test_published_maps_that_fit_stay_in_every_orientation(maps: list[NDArray[np.uint8]]) -> None:
    for cells in maps:
        wrong = grammar_of(AWBW).find_misfits(cells)
        for move in ["", *MOVES]:
            image = reorient(cells, move)
            after = fit_pieces(image, AWBW, keep=True)
            assert not grammar_of(AWBW).find_misfits(after).any()
            assert np.count_nonzero(after != image) <= 4 * np.count_nonzero(wrong)
            assert np.array_equal(grammar_of(AWBW).find_misfits(image), reorient_mask(wrong, move))


def reorient_mask(mask: NDArray[np.bool_], move: str) -> NDArray[np.bool_]:
    for step in move:
        mask = mask.T if step == "d" else np.flip(mask, 1 if step == "x" else 0)
    return mask


def test_most_pieces_of_published_maps_are_recovered_from_their_kinds(maps: list[NDArray[np.uint8]]) -> None:
    first = np.array([KINDS[tile.kind][0] if tile.joins else number for number, tile in enumerate(AWBW)])
    pieces = same = 0
    for cells in maps:
        there = grammar_of(AWBW).pieces[cells]
        after = fit_pieces(first.astype(AWBW.dtype)[cells], AWBW)
        pieces += int(np.count_nonzero(there))
        same += int(np.count_nonzero((after == cells) & there))
    assert same >= 0.93 * pieces


def test_as_a_shaper_with_locks_and_levels() -> None:
    flat = TileMap(of_kinds("rrr.", "..r.", "..r."), AWBW)
    after = tw.shape(flat, "autotile")
    assert tw.measure(after, "misfits") == {"misfits": 0}
    assert str(after).split("\n") == ["──┐.", "..│.", "..│."]
    assert tw.shape(after, "autotile", keep="pieces") == after
    tower = TileMap(np.stack([flat.cells, flat.cells[::-1]]), AWBW)
    assert np.array_equal(tw.shape(tower, "autotile").cells[0], after.cells)
    caves = tw.make("caves", width=9, height=9, seed=1)
    assert np.array_equal(tw.shape(caves, "autotile").cells, caves.cells), "a tileset without joints"


def test_an_own_tileset_with_other_rules() -> None:
    wall = [{"name": f"wall {sides}", "kind": "wall", "joins": sides} for sides in ("ns", "ew", "ne", "es", "sw", "nw")]
    tiles = Tileset.validate(
        {
            "name": "walls",
            "tiles": [{"name": "grass", "kind": "grass"}, {"name": "stump", "kind": "wall"}, *wall],
            "joints": [{"kind": "wall", "joins": ["wall"], "edge": False, "gives_way": ["grass"]}],
        }
    )
    for seed in range(200):
        cells = np.random.default_rng(seed).integers(0, len(tiles), (6, 6)).astype(tiles.dtype)
        after = fit_pieces(cells, tiles)
        assert not grammar_of(tiles).find_misfits(after).any()
        assert np.array_equal(fit_pieces(after, tiles), after)
    ring = fit_pieces(np.full((2, 2), 1, dtype=tiles.dtype), tiles)
    assert [tiles[int(one)].joins for one in ring.reshape(-1)] == ["es", "sw", "ne", "nw"]


def test_clearing_equals_a_simple_loop() -> None:
    tables = tables_of(AWBW)
    for seed in range(150):
        cells = soup(seed)
        wide = np.pad(cells.astype(np.int64), 1, constant_values=len(AWBW))
        held = np.zeros(wide.shape, dtype=np.uint8)
        arrays = kernels.new_fit(wide.reshape(-1), held.reshape(-1), wide.shape[1], keep=False)
        kernels.replace_misfits(arrays, tables)
        assert np.array_equal(wide[1:-1, 1:-1], clear_simply(cells)), seed


def clear_simply(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    joints = {joint.kind: joint for joint in AWBW.joints}
    cells = cells.copy()
    changed = True
    while changed:
        changed = False
        for row, column in np.ndindex(cells.shape):
            if not grammar_of(AWBW).find_misfits(cells)[row, column]:
                continue
            beside = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
            around = [
                AWBW[int(cells[at])].kind
                for at in beside
                if 0 <= at[0] < cells.shape[0] and 0 <= at[1] < cells.shape[1]
            ]
            options = [kind for kind in joints[AWBW[int(cells[row, column])].kind].fallback if kind not in joints]
            cells[row, column] = KINDS[max(options, key=around.count)][0]
            changed = True
    return cells
