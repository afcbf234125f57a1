"""Wave function collapse: every window is the sample's, whatever else is wanted, and every mistake in one line."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

import tilewright as tw
from tilewright.analysis.patterns import wraps
from tilewright.autotile.grammar import grammar_of
from tilewright.core.errors import GaveUp, TilewrightError
from tilewright.core.samples import Samples
from tilewright.core.tileset import Tileset
from tilewright.generators._wfc.params import WfcParams
from tilewright.generators._wfc.pattern_set import MAX_PATTERNS, count_patterns
from tilewright.testing import block_size

ROOM = ["######", "#....#", "#..~.#", "#....#", "######"]
WALK = ["floor", "corridor", "door", "treasure"]
REFERENCE = os.environ.get("TILEWRIGHT_REFERENCE")
PUBLISHED: dict[str, dict[str, Any]] = {
    "Flowers": {"pattern_size": 3, "symmetry": 2, "wrap": "xy", "ground": True},
    "RedMaze": {"pattern_size": 2, "symmetry": 8},
    "SimpleMaze": {"pattern_size": 2, "symmetry": 8},
    "Rooms": {"pattern_size": 3, "symmetry": 8, "wrap": "xy"},
    "Knot": {"pattern_size": 3, "symmetry": 8, "wrap": "xy"},
    "Platformer": {"pattern_size": 2, "symmetry": 2, "wrap": "xy", "ground": True},
}
"""Samples and how they are usually read; all wrap."""


def made(**values: Any) -> tw.TileMap:
    return tw.make("wfc", **{"seed": 1, "width": 24, "height": 18, **values})


def windows(cells: NDArray[Any], size: int, wrap: tuple[bool, ...]) -> set[tuple[str, ...]]:
    """All windows of a map of words, as they are."""
    for axis, round_ in enumerate(wrap):
        if round_:
            cells = np.take(cells, np.arange(cells.shape[axis] + size - 1) % cells.shape[axis], axis=axis)
    every = np.lib.stride_tricks.sliding_window_view(cells, (size,) * cells.ndim)
    return set(map(tuple, every.reshape(-1, size**cells.ndim).tolist()))


def views(sample: NDArray[Any], wrap: tuple[bool, ...], symmetry: int) -> list[tuple[NDArray[Any], tuple[bool, ...]]]:
    """Turned by quarters, each also mirrored, in words that do not turn."""
    found = []
    for number in range(symmetry):
        view = np.rot90(sample, number // 2, axes=(-2, -1))
        round_ = (*wrap[:-2], wrap[-1], wrap[-2]) if number // 2 % 2 else wrap
        found.append((view[..., ::-1] if number % 2 else view, round_))
    return found


def check_windows(m: tw.TileMap) -> None:
    """Every window of a map is one of its samples'."""
    assert m.recipe is not None
    p = m.recipe.params
    assert isinstance(p, WfcParams)
    cells = np.array(m.tileset.names)[m.cells]
    known: set[tuple[str, ...]] = set()
    words = np.array(p.sample.labels)
    for tiles in p.sample.maps:
        for view, wrap in views(words[tiles], wraps(p.wrap_sample, p.axes), p.symmetry):
            if p.size > 1:
                known |= windows(view, p.size, wrap)
            else:
                known |= pairs(view, wrap)
    own = windows(cells, p.size, tuple(p.wrapped)) if p.size > 1 else pairs(cells, tuple(p.wrapped))
    assert own <= known


def pairs(cells: NDArray[Any], wrap: tuple[bool, ...]) -> set[tuple[Any, ...]]:
    """All neighbours of a map, with their axis."""
    found: set[tuple[Any, ...]] = set()
    for axis, round_ in enumerate(wrap):
        here, there = np.moveaxis(cells, axis, 0), np.roll(np.moveaxis(cells, axis, 0), -1, axis=0)
        last = None if round_ else -1
        found |= {(axis, *pair) for pair in zip(here[:last].ravel(), there[:last].ravel(), strict=True)}
    return found


def joined(m: tw.TileMap, tiles: list[str]) -> int:
    """How many regions these tiles form."""
    from scipy import ndimage

    return int(ndimage.label(np.isin(m.cells, [m.tileset.id(tile) for tile in tiles]))[1])


# -- windows ----------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    sample=some.sampled_from(
        ["dungeon", "caverns", "village", "platforms", "overworld", "keep", ["ruins", "dungeon"], ROOM]
    ),
    size=some.sampled_from([None, 1, 2, 3]),
    symmetry=some.sampled_from([1, 2, 4, 8]),
    wrap_sample=some.sampled_from(["none", "x", "xy"]),
    wrap=some.sampled_from(["none", "y", "xy"]),
    heuristic=some.sampled_from(["entropy", "constrained", "scanline"]),
    sides=some.tuples(some.integers(3, 30), some.integers(3, 30)),
    seed=some.integers(0, 1000),
)
def test_every_window_is_the_samples(
    sample: Any, size: int | None, symmetry: int, wrap_sample: str, wrap: str, heuristic: str, sides: Any, seed: int
) -> None:
    reading = {"sample": sample, "pattern_size": size, "symmetry": symmetry, "wrap_sample": wrap_sample}
    try:
        m = made(**reading, wrap=wrap, heuristic=heuristic, width=sides[0], height=sides[1], seed=seed, max_restarts=0)
    except GaveUp:  # there may be no such map, as with walls of 5 cells around a map that is 4 wide
        return
    assert m.shape[-2:] == (sides[1], sides[0])
    check_windows(m)


@pytest.mark.parametrize(
    "sample", ["dungeon", "caverns", "circuit", "garden", "overworld", "platforms", "ruins", "village"]
)
@pytest.mark.parametrize("symmetry", [1, 8])
def test_our_samples_always_succeed(sample: str, symmetry: int) -> None:
    for seed in range(3):
        m = made(sample=sample, symmetry=symmetry, width=40, height=30, seed=seed)
        if sample != "circuit":  # whose wires turn
            check_windows(m)


@pytest.mark.parametrize("sample", ["bricks", "pavement", "weave"])
def test_samples_that_wrap(sample: str) -> None:
    for seed in range(3):
        check_windows(made(sample=sample, wrap_sample="xy", wrap="xy", width=48, height=40, seed=seed))


def test_pieces_turn_with_the_views() -> None:
    """A wire that runs from west to east runs from north to south where the sample is turned by a quarter."""
    m = made(sample="circuit", symmetry=8, width=40, height=30)
    names = np.array(m.tileset.names)[m.cells]
    opens = {tile.name: tile.joins for tile in m.tileset}
    for one, other in zip(names[:, :-1].ravel(), names[:, 1:].ravel(), strict=True):
        assert ("e" in opens[one] and "wire" in one) <= ("w" in opens[other] or other == "pad" or "pin" in other)


@pytest.mark.skipif(not REFERENCE, reason="TILEWRIGHT_REFERENCE is not set")
@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("side", [48, 128])
def test_published_samples(name: str, side: int) -> None:
    assert REFERENCE is not None
    sample = Path(REFERENCE) / "wfc" / f"{name}.png"
    for seed in range(10 if side == 48 else 3):
        m = made(sample=sample, wrap_sample="xy", width=side, height=side, seed=seed, **PUBLISHED[name])
        check_windows(m)


@pytest.mark.parametrize("wrap", ["none", "xy"])
def test_the_ground_is_the_last_row_and_no_other(wrap: str) -> None:
    for seed in range(5):
        m = made(sample="platforms", wrap_sample="xy", wrap=wrap, pattern_size=2, ground=True, seed=seed)
        check_windows(m)
        names = np.array(m.tileset.names)[m.cells]
        sample = Samples.of("platforms")
        last = np.array(sample.labels)[sample.maps[0]][-1]
        assert set(names[-1]) <= set(last)
        # Sky below the ground is what the sample's last row is followed by, and nowhere but below the map's.
        below = {(one, other) for one, other in zip(names[:-1].ravel(), names[1:].ravel(), strict=True)}
        assert not below & {(one, "sky") for one in set(last)}


def test_weights_are_the_samples() -> None:
    rows = ["a" * 30] * 9 + ["b" * 30]
    m = made(sample=rows, pattern_size=1, width=100, height=100, wrap_sample="xy")
    assert set(np.unique(m.cells)) <= {0, 1}
    pattern_set = count_patterns([np.array([[0, 0, 1]])], 2, 1, wrap=(True, True), symmetry=1).to_pattern_set(2, 1, 2)
    assert pattern_set.weights.tolist() == [2, 1]


@pytest.mark.parametrize("heuristic", ["entropy", "constrained", "scanline"])
def test_blocks_change_nothing(heuristic: str) -> None:
    whole = made(heuristic=heuristic, sample="ruins")
    for size in (1, 2_000, 4_000):
        with block_size(size):
            assert made(heuristic=heuristic, sample="ruins") == whole


def test_frames_show_what_each_cell_may_be() -> None:
    frames = list(tw.watch("wfc", sample="overworld", width=20, height=15, seed=4))
    first, last = frames[0].colors, frames[-2].colors
    assert first.shape == (15, 20, 3)
    assert np.ptp(first.reshape(-1, 3), axis=0).max() < 20, "hardly anything is known at first"
    assert frames[-1].map is not None
    tileset = frames[-1].map.tileset
    known = {tuple(color) for color in tileset.colors.tolist()}
    shown = [tuple(color) in known for color in last.reshape(-1, 3).tolist()]
    assert sum(shown) > 0.9 * len(shown), "nearly all is decided in the end"
    left = [frame.progress for frame in frames[:-1]]
    assert left[0] == 0.0
    assert left[-1] is not None
    assert left[-1] > 0.9
    assert "undecided" in frames[0].note


def test_levels() -> None:
    m = made(sample="keep", pattern_size=2, width=11, height=9, depth=4)
    assert m.cells.shape == (4, 9, 11)
    check_windows(m)


def test_a_model_makes_the_same_maps(tmp_path: Path) -> None:
    model = tw.learn("wfc", ["dungeon", "ruins"], pattern_size=2, symmetry=2)
    model.save(tmp_path / "model.json")
    m = made(model=str(tmp_path / "model.json"))
    assert m == made(sample=["dungeon", "ruins"], pattern_size=2, symmetry=2)
    assert "patterns" in model.params.facts


# -- what is wanted beside the windows --------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(some.integers(0, 1000), some.sampled_from([1, 8]), some.data())
def test_all_wishes_at_once(seed: int, symmetry: int, data: some.DataObject) -> None:
    constraints = {
        "sample": "dungeon",
        "symmetry": symmetry,
        "border": ["rock"],
        "connected": WALK,
        "counts": {"treasure": "1..6", "pillar": "<=9"},
    }
    other = made(**constraints, seed=f"other {seed}")
    row, column = data.draw(some.integers(0, 13)), data.draw(some.integers(0, 19))
    box = np.s_[row : row + 5, column : column + 5]
    m = made(**constraints, seed=seed, locks=other.to_locks(box))
    check_windows(m)
    names = np.array(m.tileset.names)[m.cells]
    assert np.array_equal(m.cells[box], other.cells[box])
    assert {*names[0], *names[-1], *names[:, 0], *names[:, -1]} == {"rock"}
    assert joined(m, WALK) <= 1
    assert 1 <= (names == "treasure").sum() <= 6
    assert (names == "pillar").sum() <= 9


@pytest.mark.parametrize(
    ("text", "least", "most"), [("0", 0, 0), ("3", 3, 3), ("4..6", 4, 6), (">=30", 30, 9999), ("<=2", 0, 2)]
)
def test_counts(text: str, least: int, most: int) -> None:
    for seed in range(5):
        m = made(sample="dungeon", symmetry=8, counts={"treasure": text}, width=40, height=30, seed=seed)
        assert least <= int((m.cells == m.tileset.id("treasure")).sum()) <= most
        check_windows(m)


def test_counts_may_be_written_in_any_form() -> None:
    forms: list[Any] = [{"treasure": 3}, [["treasure", "3"]], "treasure=3", ["treasure=3"], {"treasure": "3..3"}]
    maps = [made(counts=form) for form in forms]
    assert all(np.array_equal(m.cells, maps[0].cells) for m in maps)
    recipe = made(counts="treasure>=3,pillar<=4").recipe
    assert recipe is not None
    assert isinstance(recipe.params, WfcParams)
    assert recipe.params.counts == (("treasure", ">=3"), ("pillar", "<=4"))


def test_paths() -> None:
    for seed in range(5):
        m = made(sample="dungeon", paths=[{"start": [1, 1], "end": [22, 16]}], seed=seed)
        check_windows(m)
        from scipy import ndimage

        parts = ndimage.label(m.tileset.passable[m.cells])[0]
        assert parts[1, 1] == parts[16, 22] > 0


def test_locks_hold_and_windows_too() -> None:
    kept = 0
    for seed in range(20):
        other = made(sample="overworld", symmetry=8, seed=f"other {seed}")
        box = np.s_[4:14, seed % 14 : seed % 14 + 10]
        try:
            m = made(sample="overworld", symmetry=8, seed=seed, locks=other.to_locks(box))
        except GaveUp:
            continue
        kept += 1
        assert np.array_equal(m.cells[box], other.cells[box])
        check_windows(m)
    assert kept >= 19


# -- rules ------------------------------------------------------------------------------------------------------

TRACKS = """
name = "tracks"
[[tiles]]
name = "grass"
glyph = "."
weight = 8
[[tiles]]
name = "across"
glyph = "-"
kind = "rail"
joins = "ew"
[[tiles]]
name = "down"
glyph = "|"
kind = "rail"
joins = "ns"
[[beside]]
tile = "grass"
others = ["grass"]
[[beside]]
tile = "across"
sides = "e"
others = ["across"]
symmetry = 8
[[beside]]
tile = "across"
sides = "ns"
others = ["grass"]
symmetry = 8
"""


def test_rules_turn_with_their_pieces() -> None:
    m = made(rules=Tileset.from_toml(TRACKS), seed=3)
    rows = str(m).split()
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for lines, own, other in ((rows, "-", "|"), (columns, "|", "-")):
        for line in lines:
            assert own not in line or set(line) == {own}
            assert other + other not in line
    assert made(rules=Tileset.from_toml(TRACKS), seed=3) == m


def test_rules_as_they_are_do_not_turn() -> None:
    rule = 'sides = "ns"\nothers = ["grass"]\nsymmetry = 8'
    assert rule in TRACKS
    grass, across = 0, 1
    for symmetry in ("\nsymmetry = 1", ""):  # with sides, that is the default
        fits = Tileset.from_toml(TRACKS.replace(rule, f'sides = "n"\nothers = ["grass"]{symmetry}')).neighbours
        assert fits[0, across, grass]
        assert fits[2, grass, across]
        assert not fits[2, across, grass]


def test_the_countryside_goes_on_where_its_pieces_do() -> None:
    m = made(rules="countryside", width=40, height=30)
    assert not grammar_of(m.tileset).find_misfits(m.cells).any()
    assert len(np.unique(m.cells)) > 8
    assert m.recipe is not None
    assert tw.run(m.recipe.to_data()) == m


def test_weights_of_rules_count() -> None:
    text = 'name = "two"\n[[tiles]]\nname = "a"\nweight = 3\n[[tiles]]\nname = "b"\n'
    text += '[[beside]]\ntile = "a"\nothers = ["a", "b"]\n[[beside]]\ntile = "b"\nothers = ["b"]\n'
    m = made(rules=Tileset.from_toml(text), width=200, height=200)
    assert (m.cells == 0).mean() == pytest.approx(0.75, abs=0.02)


# -- relax ------------------------------------------------------------------------------------------------------


def test_relaxed_maps_tell_what_is_broken() -> None:
    with pytest.warns(UserWarning, match="relax: .* windows? that no sample has, at x="):
        m = made(relax=True, locks=[[5, 5, "treasure"], [6, 5, "treasure"]])
    assert m.numbers["broken"] == len(m.markers) > 0
    assert all(marker.name == "broken" for marker in m.markers)
    assert all(3 <= marker.x <= 6 and 3 <= marker.y <= 5 for marker in m.markers)
    assert np.array(m.tileset.names)[m.cells][5, 5:7].tolist() == ["treasure", "treasure"]


def test_relaxed_maps_without_trouble_are_the_same() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        relaxed = made(relax=True)
    assert np.array_equal(relaxed.cells, made().cells)
    assert relaxed.numbers["broken"] == 0


@pytest.mark.parametrize("size", [1, 2])
def test_relaxed_where_windows_never_fit(size: int) -> None:
    """Stripes of three on a map that wraps after ten."""
    values = {"sample": ["abc", "abc", "abc"], "wrap_sample": "xy", "wrap": "xy", "width": 10, "height": 6}
    with pytest.raises(GaveUp):
        made(**values, pattern_size=size, max_repairs=3, max_restarts=1)
    with pytest.warns(UserWarning, match="relax"):
        m = made(**values, pattern_size=size, max_repairs=3, max_restarts=1, relax=True)
    assert 0 < m.numbers["broken"] < m.cells.size


# -- mistakes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sample": ["ab", "ba"], "pattern_size": 3}, "sample: the sample of 2x2 cells is smaller than a pattern of 3"),
        ({"pattern_size": 3, "width": 2}, "width: 2 is less than a pattern of 3; see pattern_size"),
        ({"pattern_size": 5}, "pattern_size: must be at most 4, got 5"),
        ({"symmetry": 9}, "symmetry: must be at most 8, got 9"),
        ({"ground": True}, "ground: what lies below the sample's last row must be known, so wrap_sample needs y"),
        ({"rules": "countryside", "sample": ROOM}, "rules: they stand in the place of a sample"),
        ({"rules": "countryside", "pattern_size": 2}, "pattern_size: rules are about single tiles"),
        ({"rules": "countryside", "ground": True}, "ground: rules have no last row"),
        ({"rules": "cave"}, "rules: tileset 'cave' says nothing about what may stand beside what"),
        ({"rules": "countrysid"}, "rules: unknown tileset 'countrysid'; did you mean 'countryside'?"),
        ({"border": ["wal"]}, "border: unknown tile 'wal'; did you mean 'wall'?"),
        ({"connected": ["flor"]}, "connected: unknown tile 'flor'; did you mean 'floor'?"),
        ({"counts": {"tresure": 3}}, "counts: unknown tile 'tresure'; did you mean 'treasure'?"),
        ({"counts": {"treasure": "5..3"}}, "counts: treasure: a number, 3..5, >=2 or <=4, got '5..3'"),
        ({"counts": {"treasure": -1}}, "counts: treasure: a number, 3..5, >=2 or <=4, got -1"),
        ({"counts": {"treasure": True}}, "counts: treasure: a number, 3..5, >=2 or <=4, got True"),
        ({"counts": {"treasure": 9999}}, "counts: treasure 9999: the map has 432 cells"),
        ({"counts": {"treasure": ">=200"}}, "counts: treasure >=200: the sample's windows of 3x3 make at most"),
        ({"paths": [{"start": [1, 1], "end": [50, 1]}]}, "paths.0: x=50 y=1 is not on a map of 24x18"),
        ({"locks": [[3, 2, "tree"]]}, "locks: unknown tile 'tree'"),
        ({"locks": [[0, 0, "floor"]], "border": ["rock"]}, "locks: 'floor' (x=0 y=0) is not what border: rock wants"),
        (
            {"locks": [[1, 1, "treasure"], [9, 9, "treasure"]], "counts": {"treasure": 1}},
            "locks: 2 cells locked, which is more than counts: treasure 1",
        ),
        ({"depth": 2}, "depth: the sample is flat"),
        ({"wrap": "z"}, "wrap: the map is flat, so that it has no z to wrap along; got 'z'"),
        ({"wrap": "yz", "rules": "countryside"}, "wrap: the map is flat, so that it has no z to wrap along; got 'yz'"),
        ({"wrap_sample": "xz"}, "wrap_sample: the sample is flat, so that it has no z to wrap along; got 'xz'"),
    ],
)
def test_mistakes_are_told_in_one_line(change: dict[str, Any], words: str) -> None:
    with pytest.raises(TilewrightError) as error:
        made(**change)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_counts_that_are_too_many_are_told_once() -> None:
    with pytest.raises(TilewrightError, match=r"^wfc: counts: treasure 5000: the map has 432 cells$"):
        made(counts={"treasure": 5000})
    with pytest.raises(TilewrightError, match=r"^wfc: counts: at least 800 in all, but the map has 432 cells$"):
        made(counts={"treasure": 400, "floor": ">=400"})


def test_all_axes_are_those_that_there_are() -> None:
    assert made(wrap=True, wrap_sample="xyz") == made(wrap="xyz", wrap_sample=True)


def test_contradicting_locks_are_named() -> None:
    other = made(seed=9)
    scattered = np.random.default_rng(1).random(other.shape) < 0.05
    scattered[4:8, 4:8] = False
    names = np.array(other.tileset.names)[other.cells]
    locks = [[int(x), int(y), str(names[y, x])] for y, x in zip(*np.nonzero(scattered), strict=True)]
    with pytest.raises(GaveUp, match=r"locks: 2 locked cells \('treasure'\): cannot be had together") as error:
        made(locks=[*locks, [5, 5, "treasure"], [6, 5, "treasure"]])
    assert error.value.cells == ((5, 5), (5, 6))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"border": ["treasure"]},
            "border: treasure: cannot be had at all with the sample's windows of 3x3; "
            "try symmetry=8, wrap_sample=xy, pattern_size=2 or relax; or ask for less: border (at x=23 y=15)",
        ),
        (
            {"sample": "platforms", "wrap_sample": "xy", "ground": True, "border": ["sky"]},
            "border: sky; ground: cannot be had together with the sample's windows of 3x3; "
            "try symmetry=8, pattern_size=2 or relax; or ask for less: border, ground (at x=",
        ),
        (
            {"locks": [[10, 10, "door"], [12, 10, "treasure"]]},
            "try symmetry=8, wrap_sample=xy, pattern_size=2 or relax; or ask for less: locks (at x=10 y=10, x=12 y=10)",
        ),
        (
            {"sample": "pavement"},
            "the sample's windows of 3x3 can go on for 15 cells at most from top to bottom, whatever the size of the "
            "map; try symmetry=8, wrap_sample=xy, pattern_size=2 or relax",
        ),
        (
            {"border": ["rock"], "paths": [{"start": [0, 0], "end": [9, 9]}]},
            "border: rock; paths: x=0 y=0 to x=9 y=9: cannot be had together",
        ),
    ],
)
def test_what_cannot_be_is_said_before_the_search(change: dict[str, Any], words: str) -> None:
    with pytest.raises(GaveUp) as error:
        made(**change)
    assert words in str(error.value)
    assert error.value.tries == 1


def test_giving_up_tells_where_how_often_and_what_would_help() -> None:
    """Stripes of three colours do not close on a map that wraps after ten."""
    stripes = {"sample": ["abc", "abc", "abc"], "wrap_sample": "xy", "wrap": "xy", "width": 10, "height": 5}
    with pytest.raises(GaveUp) as error:
        made(**stripes, pattern_size=2, max_restarts=2, max_repairs=4)
    text = str(error.value)
    assert text.startswith("gave up after 3 tries: none of the sample's windows of 2x2 was left")
    assert "repairs" in text
    assert "try symmetry=8, pattern_size=1, wrap=none, sides that are multiples of the sample's or relax" in text
    assert "at x=" in text
    assert error.value.cells


def test_rules_without_a_solution_at_any_size() -> None:
    text = 'name = "one way"\n[[tiles]]\nname = "a"\n[[tiles]]\nname = "b"\n[[beside]]\ntile = "a"\nsides = "e"\n'
    text += 'others = ["b"]\nsymmetry = 1\n'
    told = "the rules can go on for 2 cells at most from left to right, whatever the size of the map; try rules that "
    with pytest.raises(GaveUp, match=f"{told}let more tiles stand beside each other or relax$"):
        made(rules=Tileset.from_toml(text))


@pytest.mark.parametrize(
    "change",
    [
        {"border": ["treasure"]},
        {"sample": "pavement"},
        {"sample": "aab\nbba\naba", "symmetry": 4, "wrap_sample": "y", "pattern_size": 3},
    ],
)
def test_what_contradicts_itself_can_be_had_with_broken_windows(change: dict[str, Any]) -> None:
    """Nothing of it holds without, and what cells are limited to holds with them."""
    with pytest.raises(GaveUp):
        made(**change)
    with pytest.warns(UserWarning, match="windows that no sample has"):
        m = made(**change, relax=True)
    assert m.numbers["broken"] == len([marker for marker in m.markers if marker.name == "broken"]) > 0
    if "border" in change:
        edge = np.pad(np.zeros((m.height - 2, m.width - 2), dtype=bool), 1, constant_values=True)
        assert {m.tileset.names[tile] for tile in m.cells[edge].tolist()} == {"treasure"}


def test_windows_without_a_solution_at_some_size() -> None:
    """Rows are of a and columns of b: both go on along one axis, and neither along the other."""
    text = 'name = "knot"\n[[tiles]]\nname = "a"\n[[tiles]]\nname = "b"\n[[beside]]\ntile = "a"\nsides = "e"\n'
    text += 'others = ["a"]\n[[beside]]\ntile = "b"\nsides = "s"\nothers = ["b"]\n'
    with pytest.raises(GaveUp, match="the rules cannot go on over a map of 24x18 or larger; try rules that let"):
        made(rules=Tileset.from_toml(text))
    with pytest.raises(GaveUp, match=r"the rules cannot go on over a map of 24x18; try .* wrap=none or relax$"):
        made(rules=Tileset.from_toml(text), wrap="xy")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('others = ["across"]', 'others = ["acros"]', "beside: across: no tile and no kind is called 'acros'"),
        ('others = ["across"]', 'others = ["x"]', "is called 'x'; there are across, down, grass, rail"),
        ('sides = "ns"', 'sides = "nx"', "sides are of n, e, s and w"),
        ("weight = 8", "weight = 0", "weight"),
    ],
)
def test_rules_that_are_wrong(old: str, new: str, words: str) -> None:
    with pytest.raises(TilewrightError) as error:
        Tileset.from_toml(TRACKS.replace(old, new), "tracks")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_more_patterns_than_fit() -> None:
    many = np.random.default_rng(3).integers(0, 200, (100, 100))
    with pytest.raises(TilewrightError, match=f"more than the {MAX_PATTERNS:,} that fit; take a smaller pattern_size"):
        made(sample=many)
    with pytest.raises(TilewrightError, match=r"take a smaller pattern_size, less symmetry or fewer samples$"):
        made(sample=[many, many], symmetry=2)
    tiles = np.arange(100 * 100).reshape(100, 100)
    with pytest.raises(TilewrightError, match=r"10,000 tiles are more .*; take a sample of fewer tiles or colours$"):
        made(sample=tiles, pattern_size=1)
    with pytest.raises(TilewrightError, match=r"take fewer samples$"):
        made(sample=[tiles[:50], tiles[50:]], pattern_size=1)


def test_rules_travel_with_the_tileset() -> None:
    tracks = Tileset.from_toml(TRACKS)
    assert Tileset.validate(tracks.to_data()) == tracks
    longer = tracks.with_tiles(["mud"])
    assert longer.beside == tracks.beside
    assert longer[0].weight == 8
