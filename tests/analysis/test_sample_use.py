"""What learned maps report about their samples, and which maps are reported as degenerate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis.map_warnings import find_degeneracy, find_map_warnings
from tilewright.analysis.sample_use import find_common_edges, find_coverage, measure_sample_use
from tilewright.core.samples import Samples, Training

SPARSE = "\n".join("." * 40 for _ in range(39)) + "\n" + "." * 20 + "#" + "." * 19
"""A sample of almost only one tile."""
UNIQUE = np.arange(144).reshape(12, 12) % 61
"""A sample in which every 2x2 block occurs once, so maps of its size copy it."""
QUICK: Mapping[str, dict[str, Any]] = {"wfc": {}, "markov": {}, "patterns": {"iterations": 3000}}


def make(technique: str, **params: Any) -> tw.TileMap:
    return tw.run({"technique": technique, "params": {**params, **QUICK[technique]}}, seed=3)


def rules_of(map: tw.TileMap) -> list[str]:
    return [problem.rule for problem in find_degeneracy(map)]


@pytest.mark.parametrize("technique", QUICK)
def test_learning_techniques_report_their_use_of_the_sample(technique: str) -> None:
    map = make(technique, sample="dungeon", width=20, height=16)
    assert map.numbers["tiles_used"] == len(np.unique(map.cells))
    assert map.numbers["copied_block"] == tw.measure(map, "copied_block", like="dungeon")["copied_block"]


def test_maps_from_rules_report_their_tiles() -> None:
    tileset = {"tiles": [{"name": "a"}, {"name": "b"}], "beside": [{"tile": "a", "others": ["a", "b"]}]}
    map = tw.make("wfc", rules=tileset, width=12, height=12, seed=1)
    assert map.numbers["tiles_used"] == 2
    assert "copied_block" not in map.numbers


def test_squares_of_one_tile_are_no_copies() -> None:
    training = Training(samples=Samples.of(["....", "....", "....", "...#"]))
    cells = np.zeros((6, 6), dtype=np.int64)
    cells[...] = training.samples.labels.index(".")
    assert measure_sample_use(cells, training) == {"tiles_used": 1, "copied_block": 1}
    cells[5, 5] = training.samples.labels.index("#")
    assert measure_sample_use(cells, training) == {"tiles_used": 2, "copied_block": 4}


def test_coverage_is_the_fraction_of_patterns_that_occur() -> None:
    training = Training(samples=Samples.of(["aab", "bba"]), pattern_size=1)
    cells = training.samples.maps[0]
    assert find_coverage(cells, training) == 1
    assert find_coverage(np.zeros_like(cells), training) == 0.5
    pairs = Training(samples=Samples.of(["aab", "bba"]), pattern_size=2)
    assert find_coverage(cells, pairs) == 1
    assert find_coverage(cells[:, :2], pairs) == 0.5


def test_a_map_of_one_tile_is_reported() -> None:
    map = tw.make("wfc", sample=SPARSE, width=12, height=12, seed=2)
    assert map.numbers["tiles_used"] == 1
    (problem,) = find_degeneracy(map)
    assert problem.rule == "one_tile"
    assert "only one of 2 tiles, '.'" in problem.text
    assert [fix.label for fix in problem.fixes] == ["Use another seed"]


def test_a_tile_that_fills_the_map_but_not_the_sample_is_reported() -> None:
    map = tw.make("markov", sample="village", width=20, height=20, seed=1)
    cells = np.zeros_like(map.cells)
    assert rules_of(map) == []
    cells[0, 0] = 1
    assert rules_of(map.replace(cells=cells, recipe=map.recipe)) == ["dominant_tile"]


@pytest.mark.parametrize("size", [12, 10])
def test_a_copy_of_the_sample_is_reported(size: int) -> None:
    map = tw.make("wfc", sample=UNIQUE.tolist(), width=size, height=size, seed=1)
    assert map.numbers["copied_block"] == size
    assert rules_of(map) == ["copy"]


def test_a_long_copy_is_reported_although_no_square_covers_it() -> None:
    long = np.arange(240).reshape(4, 60) % 101
    assert rules_of(tw.make("wfc", sample=long.tolist(), width=60, height=4, seed=1)) == ["copy"]


def test_textures_that_repeat_are_no_copies() -> None:
    map = tw.make("wfc", sample=["ab", "cd"], wrap_sample="xy", pattern_size=2, width=12, height=12, seed=1)
    assert rules_of(map) == []


def test_a_high_divergence_is_reported() -> None:
    map = make("patterns", sample="village", width=30, height=24, iterations=500)
    (problem,) = find_degeneracy(map)
    assert problem.rule == "divergence"
    assert problem.value == map.numbers["divergence"] > 2
    assert f"the divergence of {problem.value:.2f} is high" in str(problem)


@pytest.mark.parametrize("technique", QUICK)
def test_ordinary_and_small_maps_are_not_reported(technique: str) -> None:
    for sample in ("dungeon", "platforms", "village"):
        map = make(technique, sample=sample, width=30, height=24)
        assert {*rules_of(map)} <= ({"divergence"} if technique == "patterns" else set())  # after so few iterations
    assert rules_of(make(technique, sample=SPARSE, width=7, height=7)) == []


def test_other_maps_are_not_reported() -> None:
    assert rules_of(tw.make("caves", walls=0.0, seed=1)) == []


def draw_room(seed: int, wall: str = "#") -> str:
    """Return a room with walls around it, some of which have a gap at the top."""
    rng = np.random.default_rng(seed)
    cells = np.full((11, 16), wall)
    cells[1:-1, 1:-1] = rng.choice([".", ".", ".", "o"], (9, 14))
    if seed % 2:
        cells[0, 7:9] = "."
    return "\n".join("".join(row) for row in cells) + "\n"


ROOMS = [draw_room(seed) for seed in range(12)]
AROUND = ("left", "right", "top", "bottom")


def test_common_edges_are_found_in_all_samples() -> None:
    samples = Samples.of(ROOMS)
    assert {edge: samples.labels[tile] for edge, tile in find_common_edges(samples.maps).items()} == dict.fromkeys(
        AROUND, "#"
    )
    other = [cells.copy() for cells in samples.maps]
    other[3][-1] = other[3][5]  # one room has no wall below
    assert tuple(find_common_edges(other)) == ("left", "right", "top")
    # A tile that is as frequent inside marks no edge.
    assert not find_common_edges([np.zeros((9, 9), dtype=np.int64)] * 3)
    assert not find_common_edges([])


@pytest.mark.parametrize("seed", range(4))
def test_a_map_without_the_common_edges_has_a_warning_that_helps(seed: int) -> None:
    size: dict[str, Any] = {"width": 16, "height": 11, "seed": seed}
    lost = [one for one in find_map_warnings(tw.make("wfc", sample=ROOMS, **size)) if one.rule == "lost_edges"]
    assert [one.text for one in lost] == [
        "all 12 samples have '#' along their edges; sample_edges=left,right,top,bottom keeps it"
    ]
    (fix,) = lost[0].fixes
    assert (fix.action, fix.path, tuple(fix.value)) == ("set", ("params", "sample_edges"), AROUND)
    framed = tw.make("wfc", sample=ROOMS, sample_edges=fix.value, **size)
    assert not [one for one in find_map_warnings(framed) if one.rule == "lost_edges"]
    assert tuple(find_common_edges([framed.cells])) == AROUND


def test_one_sample_or_wrapping_maps_have_no_warning_about_edges() -> None:
    for given in ({"sample": ROOMS[0]}, {"sample": ROOMS, "wrap": "xy"}):
        params: dict[str, Any] = {**given, "width": 16, "height": 11, "iterations": 2000}
        map = tw.make("patterns", seed=1, **params)
        assert not [one for one in find_map_warnings(map) if one.rule == "lost_edges"]


def test_a_map_full_of_walls_keeps_its_edges() -> None:
    dense = np.full((11, 16), "#")
    dense[3:6, 3:9] = "."
    map = tw.make("wfc", sample=ROOMS, width=16, height=11, seed=1)
    full = map.replace(cells=np.where(dense == "#", map.tileset.id("#"), map.tileset.id(".")))
    assert not [one for one in find_map_warnings(full) if one.rule == "lost_edges"]
