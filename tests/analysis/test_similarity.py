"""Maps compared with samples: matching tiles and copied blocks, against exhaustive searches."""

from __future__ import annotations

import math
import pickle
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.analysis import novelty
from tilewright.analysis.similarity import Similarity
from tilewright.core.samples import Samples
from tilewright.core.tileset import Tileset

TILES = Tileset.from_labels(["a", "b", "c"])
COMPARING = {"divergence", "divergence_new", "divergence_missed", "copied_share", "copied_block", "sample_distance"}


def parse_map(*rows: str, tiles: Tileset = TILES) -> tw.TileMap:
    return tw.TileMap([[tiles.id(glyph) for glyph in row] for row in rows], tiles)


def one(map: tw.TileMap, name: str, like: Any, **options: Any) -> float:
    return tw.measure(map, name, like=like, **options)[name]


def blocks(map: NDArray[Any], side: int, wrap: tuple[bool, ...]) -> set[bytes]:
    ranges = [range(n if round_ else n - side + 1) for n, round_ in zip(map.shape, wrap, strict=True)]
    return {
        map[np.ix_(*(np.arange(at, at + side) % n for at, n in zip(start, map.shape, strict=True)))].tobytes()
        for start in product(*ranges)
    }


def find_side_plainly(
    map: NDArray[Any], wrap: tuple[bool, ...], samples: list[tuple[NDArray[Any], tuple[bool, ...]]]
) -> int:
    largest = 0
    for side in range(1, min(map.shape) + 1):
        common = set().union(*(blocks(map, side, wrap) & blocks(sample, side, own) for sample, own in samples))
        if any(side == 1 or len(np.unique(np.frombuffer(block, map.dtype))) > 1 for block in common):
            largest = side
    return largest


def find_difference_plainly(map: NDArray[Any], sample: NDArray[Any], wrap: tuple[bool, ...]) -> float:
    """Try every offset of the sample against the map; along each axis the shorter is placed on the longer."""
    ranges = []
    for here, there, round_ in zip(map.shape, sample.shape, wrap, strict=True):
        ranges.append(range(there) if round_ else range(min(0, there - here), max(0, there - here) + 1))
    best = 1.0
    for offset in product(*ranges):
        same = total = 0
        for cell in np.ndindex(*map.shape):
            at = [place + more for place, more in zip(cell, offset, strict=True)]
            at = [place % n if round_ else place for place, n, round_ in zip(at, sample.shape, wrap, strict=True)]
            if all(0 <= place < n for place, n in zip(at, sample.shape, strict=True)):
                total += 1
                same += int(map[cell] == sample[tuple(at)])
        best = min(best, (total - same) / total)
    return best


@st.composite
def arrays(draw: st.DrawFn, axes: int, largest: int = 6) -> NDArray[np.int64]:
    shape = draw(st.tuples(*[st.integers(1, largest if axes == 2 else 4)] * axes))
    return np.random.default_rng(draw(st.integers(0, 1 << 30))).integers(0, draw(st.integers(1, 3)), shape)


@settings(max_examples=120, deadline=None)
@given(st.data(), st.sampled_from((2, 2, 3)))
def test_the_largest_copied_block(data: st.DataObject, axes: int) -> None:
    flags = st.tuples(*[st.booleans()] * axes)
    map, wrap = data.draw(arrays(axes, 9)), data.draw(flags)
    samples = [(data.draw(arrays(axes, 9)), data.draw(flags)) for _ in range(data.draw(st.integers(1, 2)))]
    assert novelty.SampleBlocks(samples).find_copied_side(map, wrap) == find_side_plainly(map, wrap, samples)


@pytest.mark.parametrize("side", range(1, 20))
def test_block_of_any_size_is_found(side: int) -> None:
    rng = np.random.default_rng(side)
    sample, map = rng.integers(0, 1000, (23, 29)), rng.integers(1000, 2000, (31, 20))
    map[2 : 2 + side, 1 : 1 + side] = sample[3 : 3 + side, 4 : 4 + side]
    assert novelty.SampleBlocks([(sample, (False, False))]).find_copied_side(map, (False, False)) == side
    rolled = np.roll(sample, (7, 9), (0, 1))
    assert novelty.SampleBlocks([(rolled, (True, True))]).find_copied_side(map, (False, False)) == side


@settings(max_examples=120, deadline=None)
@given(st.data(), st.sampled_from((2, 2, 3)), st.booleans())
def test_smallest_difference(data: st.DataObject, axes: int, transformed: bool) -> None:
    map, sample = data.draw(arrays(axes)), data.draw(arrays(axes))
    wrap = data.draw(st.tuples(*[st.booleans()] * axes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(novelty, "LOOP_COST", 1 << 40 if transformed else 0)
        patch.setattr(novelty, "TRANSFORM_COST", 0 if transformed else 1 << 40)
        found = novelty.min_difference(map, sample, wrap)
    assert found == find_difference_plainly(map, sample, wrap)


def test_large_maps_are_compared_by_transforms() -> None:
    rng = np.random.default_rng(4)
    map = rng.integers(0, 5, (300, 200))
    sample = map[40:90, 100:180].copy()
    sample[::5, ::4] = 7
    assert novelty.min_difference(map, sample, (False, False)) == 1 / 20
    assert novelty.min_difference(sample, map, (False, False)) == 1 / 20
    assert novelty.min_difference(np.tile(map, (2, 1))[30:400, 9:70], map, (True, False)) == 0


def test_map_compared_with_itself() -> None:
    cave = tw.make("caves", width=30, height=20, seed=3)
    found = tw.measure(cave, *COMPARING, like=cave)
    assert found == {
        "divergence": 0,
        "divergence_new": 0,
        "divergence_missed": 0,
        "copied_share": 1,
        "copied_block": 20,
        "sample_distance": 0,
    }
    assert found.items() <= tw.measure(cave, like=cave).items()


def test_without_a_sample_nothing_is_compared() -> None:
    cave = tw.make("caves", width=9, height=9, seed=3)
    assert not COMPARING & tw.measure(cave).keys()
    assert {entry.name for entry in tw.list_measures() if entry.compares} == COMPARING


def test_a_part_of_the_sample_by_hand() -> None:
    sample = parse_map("aabb", "aabb", "bbaa", "bbaa")
    map = parse_map("aabc", "aabb", "bbab")
    assert one(map, "copied_share", sample, pattern_size=2) == 4 / 6
    assert one(map, "copied_block", sample) == 3
    assert one(map, "sample_distance", sample) == 2 / 12
    assert one(map, "sample_distance", [sample, parse_map("abbcc", "aabbb", "bbabb")]) == 1 / 12, (
        "the nearest sample counts"
    )
    assert one(parse_map("bbb", "bbb"), "divergence_new", parse_map("aaa", "aab"), pattern_size=1) == pytest.approx(
        np.log(6), 1e-4
    )


def test_wrapping() -> None:
    sample, board = parse_map("ab", "ba"), parse_map("babab", "ababa", "babab")
    for name, number in {"copied_share": 1, "copied_block": 3, "sample_distance": 0}.items():
        assert one(board, name, sample, wrap_sample="xy") == number
    assert one(board, "copied_block", sample, pattern_size=2) == 2
    by_hand = (2 / 3 * np.log(4 / 3) + 1 / 3 * np.log(2 / 3) + 0.5 * np.log(3 / 4) + 0.5 * np.log(3 / 2)) / 2
    assert one(board, "divergence", sample, wrap_sample="xyz") == pytest.approx(by_hand, rel=1e-4)
    even = parse_map("babab" + "a", "ababab")
    assert one(even, "divergence", sample, wrap_sample="xy", wrap="xy") == pytest.approx(0, abs=1e-12)
    assert one(even, "copied_share", sample, wrap_sample="x", wrap="y", pattern_size=2) == 1
    assert math.isnan(one(even, "copied_share", sample, wrap_sample="xy", wrap="x")), "two rows have no 3x3 pattern"


def test_symmetries() -> None:
    sample, mirrored = parse_map("abc", "aac", "cbb"), parse_map("cba", "caa", "bbc")
    turned = tw.TileMap(np.rot90(sample.cells), TILES)
    assert one(mirrored, "copied_share", sample) == one(turned, "copied_share", sample, symmetries=2) == 0
    assert one(mirrored, "copied_share", sample, symmetries=2) == one(turned, "copied_share", sample, symmetries=8) == 1
    assert one(mirrored, "sample_distance", sample, symmetries=2) == 0
    rows, columns = parse_map("aaa", "bbb", "ccc"), parse_map("abcab", "abcab", "abcab")
    assert one(columns, "copied_share", rows, wrap_sample="y", symmetries=8) == 1, "wrapping axes rotate as well"


def test_tiles_match_by_name_then_by_glyph() -> None:
    rich = Tileset.validate(
        {"name": "rich", "tiles": [{"name": "floor", "glyph": "."}, {"name": "wall", "glyph": "#"}]}
    )
    plain = Tileset.from_labels(["#", "."])
    swapped = Tileset.validate(
        {"name": "x", "tiles": [{"name": "wall", "glyph": "."}, {"name": "floor", "glyph": "#"}]}
    )
    rows = ("#..", "##.", "...")
    assert one(parse_map(*rows, tiles=rich), "sample_distance", parse_map(*rows, tiles=plain)) == 0
    assert one(parse_map(*rows, tiles=plain), "sample_distance", parse_map(*rows, tiles=rich)) == 0
    assert one(parse_map(*rows, tiles=rich), "sample_distance", list(rows)) == 0
    assert one(parse_map(*rows, tiles=rich), "sample_distance", parse_map(*rows, tiles=swapped)) == 1, (
        "names take precedence"
    )
    by_number = parse_map(*rows, tiles=rich)
    assert one(by_number, "sample_distance", by_number.cells) == 0
    assert one(by_number, "sample_distance", by_number.cells + 5) == 1
    half = Tileset.validate({"name": "half", "tiles": [{"name": "floor", "glyph": ":"}, {"name": "mud", "glyph": "."}]})
    assert one(parse_map("..:", tiles=half), "copied_share", parse_map(".#.", tiles=rich), pattern_size=1) == 1 / 3, (
        "mud has the glyph of floor, but there is another floor"
    )


def test_tilesets_of_equal_samples_count() -> None:
    """Compare equal grids with different tilesets; the result for one is not cached for the other."""
    level = parse_map("#.#", ".#.", "#.#", tiles=Tileset.from_labels(["#", "."]))
    cells = 1 - level.cells
    for glyphs, distance in ((".#", 0), ("xy", 1)):
        looks = [{"name": "floor", "glyph": glyphs[0]}, {"name": "wall", "glyph": glyphs[1]}]
        sample = tw.TileMap(cells, Tileset.validate({"name": "s", "tiles": looks}))
        assert one(level, "sample_distance", sample) == distance


def test_tiles_that_only_the_map_or_the_sample_has() -> None:
    map = parse_map("abc", "cba", "abc")
    strange = parse_map("xyz", "zyx", "xyz", tiles=Tileset.from_labels("xyz"))
    found = tw.measure(map, *COMPARING, like=strange, pattern_size=2)
    assert (found["copied_share"], found["copied_block"], found["sample_distance"]) == (0, 0, 1)
    assert found["divergence"] > 10
    partly = parse_map("abz", "zba", "abz", tiles=Tileset.from_labels("abz"))
    assert one(map, "sample_distance", partly) == 3 / 9


def test_levels() -> None:
    keep = Samples.of("keep")
    cells = keep.maps[0][:, 2:9, 1:8]
    map = tw.TileMap(cells, Tileset.from_labels(keep.labels))
    assert one(map, "copied_block", "keep") == min(cells.shape)
    assert one(map, "sample_distance", "keep") == 0
    assert one(map, "copied_share", "keep", pattern_size=2) == 1


def test_many_tiles() -> None:
    many = Tileset.from_labels([f"tile {number}" for number in range(400)])
    cells = np.random.default_rng(1).integers(0, 400, (20, 20))
    sample = tw.TileMap(cells, many)
    map = tw.TileMap(np.roll(cells, 5, 1), many)
    assert one(map, "copied_share", sample) == 16 * 18 / 18**2
    assert one(map, "divergence", sample, wrap="xy", wrap_sample="xy") == 0


MISTAKES = read_table(__file__, "mistakes")


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_invalid_arguments(arguments: dict[str, Any], message: str) -> None:
    with refused(message, tw.InvalidRecipe, exact=True):
        tw.measure(parse_map("aba", "bab", "aba"), "divergence", **arguments)


def test_several_comparing_measures_without_a_sample() -> None:
    with pytest.raises(tw.InvalidRecipe, match=r"^divergence and copied_block compare a map with a sample; name one"):
        tw.measure(parse_map("aba"), "divergence", "cells", "copied_block")


def test_samples_from_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("abc\nbca\ncab\n")
    map = parse_map("abc", "bca", "cab")
    map.save(tmp_path / "b.json")
    for like in (tmp_path / "a.txt", str(tmp_path / "b.json"), [tmp_path / "a.txt", tmp_path / "b.json"]):
        assert one(map, "divergence", like) == pytest.approx(0, abs=1e-12)


def test_similarity_is_a_value() -> None:
    similarity = Similarity.validate({"like": ["aba", "bab", "aba"], "wrap_sample": "x"})
    again = pickle.loads(pickle.dumps(similarity))
    assert (again, hash(again)) == (similarity, hash(similarity))
    assert Similarity.validate({"like": ["a"], "wrap_sample": "", "pattern_size": 1}).wrap_sample == "none"
    map = parse_map("aba", "bab", "aba")
    assert again.compare(map).copied_share == similarity.compare(map).copied_share == 1
