"""Wave function collapse: every pattern is the sample's, with any constraints, and every mistake is one line."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

import tilewright as tw
from bench.wfc import NET
from tests.cases import read_table
from tests.plain import find_patterns, list_windows
from tests.refusals import refused
from tilewright.analysis.patterns import iter_views, wraps
from tilewright.autotile.grammar import grammar_of
from tilewright.core.errors import GaveUp, TilewrightError
from tilewright.core.samples import Samples
from tilewright.core.tileset import Tileset
from tilewright.generators._wfc import wave
from tilewright.generators._wfc.params import WfcParams
from tilewright.generators._wfc.pattern_set import MAX_PATTERNS, count_patterns, from_pairs
from tilewright.generators._wfc.solver import Solver

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
"""Published samples and the parameters they are usually used with; all samples wrap."""


def make_map(**values: Any) -> tw.TileMap:
    return tw.make("wfc", **{"seed": 1, "width": 24, "height": 18, **values})


def make_views(
    sample: NDArray[Any], wrap: tuple[bool, ...], symmetry: int
) -> list[tuple[NDArray[Any], tuple[bool, ...]]]:
    """Return the views of a sample: all rotations, each also mirrored; the tiles themselves do not change."""
    found = []
    for number in range(symmetry):
        view = np.rot90(sample, number // 2, axes=(-2, -1))
        round_ = (*wrap[:-2], wrap[-1], wrap[-2]) if number // 2 % 2 else wrap
        found.append((view[..., ::-1] if number % 2 else view, round_))
    return found


def check_patterns(m: tw.TileMap) -> None:
    """Assert that every pattern of a map is one of its samples'."""
    assert m.recipe is not None
    p = m.recipe.params
    assert isinstance(p, WfcParams)
    cells = np.array(m.tileset.names)[m.cells]
    known: set[tuple[str, ...]] = set()
    words = np.array(p.sample.labels)
    for tiles in p.sample.maps:
        for view, wrap in make_views(words[tiles], wraps(p.wrap_sample, p.axes), p.symmetry):
            if p.size > 1:
                known |= find_patterns(view, p.size, wrap)
            else:
                known |= find_pairs(view, wrap)
    own = find_patterns(cells, p.size, tuple(p.wrapped)) if p.size > 1 else find_pairs(cells, tuple(p.wrapped))
    assert own <= known


def find_pairs(cells: NDArray[Any], wrap: tuple[bool, ...]) -> set[tuple[Any, ...]]:
    """Return all pairs of neighbors of a map, with their axis."""
    found: set[tuple[Any, ...]] = set()
    for axis, round_ in enumerate(wrap):
        here, there = np.moveaxis(cells, axis, 0), np.roll(np.moveaxis(cells, axis, 0), -1, axis=0)
        last = None if round_ else -1
        found |= {(axis, *pair) for pair in zip(here[:last].ravel(), there[:last].ravel(), strict=True)}
    return found


def count_regions(m: tw.TileMap, tiles: list[str]) -> int:
    """Return the number of regions that these tiles form."""
    from scipy import ndimage

    return int(ndimage.label(np.isin(m.cells, [m.tileset.id(tile) for tile in tiles]))[1])


# -- patterns ---------------------------------------------------------------------------------------------------


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
def test_every_pattern_is_in_the_sample(
    sample: Any, size: int | None, symmetry: int, wrap_sample: str, wrap: str, heuristic: str, sides: Any, seed: int
) -> None:
    reading = {"sample": sample, "pattern_size": size, "symmetry": symmetry, "wrap_sample": wrap_sample}
    try:
        m = make_map(
            **reading, wrap=wrap, heuristic=heuristic, width=sides[0], height=sides[1], seed=seed, max_restarts=0
        )
    except GaveUp:  # there may be no solution, as with walls of 5 cells around a map that is 4 wide
        return
    assert m.shape[-2:] == (sides[1], sides[0])
    check_patterns(m)


@pytest.mark.parametrize(
    "sample", ["dungeon", "caverns", "circuit", "garden", "overworld", "platforms", "ruins", "village"]
)
@pytest.mark.parametrize("symmetry", [1, 8])
def test_our_samples_always_succeed(sample: str, symmetry: int) -> None:
    for seed in range(3):
        m = make_map(sample=sample, symmetry=symmetry, width=40, height=30, seed=seed)
        if sample != "circuit":  # its wires rotate with the views
            check_patterns(m)


@pytest.mark.parametrize("sample", ["bricks", "pavement", "weave"])
def test_samples_that_wrap(sample: str) -> None:
    for seed in range(3):
        check_patterns(make_map(sample=sample, wrap_sample="xy", wrap="xy", width=48, height=40, seed=seed))


def test_pieces_turn_with_the_views() -> None:
    """A wire from west to east becomes a wire from north to south in a view rotated by 90 degrees."""
    m = make_map(sample="circuit", symmetry=8, width=40, height=30)
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
        m = make_map(sample=sample, wrap_sample="xy", width=side, height=side, seed=seed, **PUBLISHED[name])
        check_patterns(m)


@pytest.mark.parametrize("wrap", ["none", "xy"])
def test_the_ground_is_only_in_the_last_row(wrap: str) -> None:
    for seed in range(5):
        m = make_map(sample="platforms", wrap_sample="xy", wrap=wrap, pattern_size=2, ground=True, seed=seed)
        check_patterns(m)
        names = np.array(m.tileset.names)[m.cells]
        sample = Samples.of("platforms")
        last = np.array(sample.labels)[sample.maps[0]][-1]
        assert set(names[-1]) <= set(last)
        # In the wrapped sample, sky follows the last row. In the map, sky may follow only the last row.
        below = {(one, other) for one, other in zip(names[:-1].ravel(), names[1:].ravel(), strict=True)}
        assert not below & {(one, "sky") for one in set(last)}


def test_ground_wraps_the_sample() -> None:
    for axes, implied in (("none", "y"), ("x", "xy")):
        given: dict[str, Any] = {"sample": "platforms", "pattern_size": 2, "ground": True}
        found, wanted = (make_map(**given, wrap_sample=one).cells for one in (axes, implied))
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("symmetry", [1, 2, 8])
def test_edges_have_only_patterns_of_the_samples_edges(size: int, symmetry: int) -> None:
    edges = ["top", "bottom", "left", "right"]
    sample = Samples.of("dungeon")
    views = [np.array(sample.labels)[view] for view in iter_views(sample.maps[0], symmetry)]
    for seed in range(3):
        m = make_map(
            sample="dungeon", pattern_size=size, symmetry=symmetry, sample_edges=edges, width=24, height=18, seed=seed
        )
        check_patterns(m)
        names = np.array(m.tileset.names)[m.cells]
        for turns in range(4):  # the top edge of the rotated map and samples
            known = {block for view in views for block in list_windows(np.rot90(view, turns)[:size], size)}
            assert set(list_windows(np.rot90(names, turns)[:size], size)) <= known


def test_a_platformer_has_sky_above_and_ground_below() -> None:
    for seed in range(5):
        m = make_map(sample="platforms", sample_edges=["top", "bottom"], width=60, height=24, seed=seed)
        names = np.array(m.tileset.names)[m.cells]
        assert set(names[0]) == {"sky"}
        assert set(names[-1]) == {"earth"}


def test_levels_have_edges() -> None:
    sample = np.broadcast_to(np.array([0, 1, 1, 2])[:, None, None], (4, 2, 2))
    m = make_map(sample=sample, pattern_size=2, sample_edges=["below", "above"], width=5, height=4, depth=7)
    names = np.array(m.tileset.names)[m.cells]
    assert set(names[0].ravel()) == {"0"}
    assert set(names[-1].ravel()) == {"2"}


SPARSE = ["." * 40] * 39 + ["." * 20 + "#" + "." * 19]
"""A sample of almost only one tile. Many of its maps have no other tile."""


def test_the_solver_restarts_until_enough_patterns_occur() -> None:
    given: dict[str, Any] = {"sample": SPARSE, "width": 30, "height": 30, "seed": 0}
    assert make_map(**given).numbers["tiles_used"] == 1
    m = make_map(**given, min_coverage=0.5, max_restarts=100)
    assert m.numbers["restarts"] > 0
    assert m.numbers["tiles_used"] == 2
    assert m.numbers["coverage"] >= 0.5
    assert make_map(**given, min_coverage=0.1).cells.tolist() == make_map(**given).cells.tolist()


def test_rules_cover_tiles() -> None:
    m = make_map(rules="countryside", min_coverage=0.3, width=30, height=30)
    assert m.numbers["coverage"] == m.numbers["tiles_used"] / len(m.tileset) >= 0.3


def test_too_few_patterns_are_reported() -> None:
    given: dict[str, Any] = {"sample": SPARSE, "width": 10, "height": 10, "max_restarts": 1, "min_coverage": 0.5}
    with pytest.raises(
        GaveUp, match="min_coverage: 25% of the sample's 3x3 patterns occur in the best of 2 maps"
    ) as no:
        make_map(**given)
    assert [fix.label for fix in no.value.problems[0].fixes] == [
        "Set min_coverage to 0.25", "Set max_restarts to 8", "Use another seed",
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="min_coverage: 25% of the patterns occur, 50% are required"):
        tw.make("wfc", **given, relax=True, seed=7)


def test_weights_are_the_samples() -> None:
    rows = ["a" * 30] * 9 + ["b" * 30]
    m = make_map(sample=rows, pattern_size=1, width=100, height=100, wrap_sample="xy")
    assert set(np.unique(m.cells)) <= {0, 1}
    pattern_set = count_patterns([np.array([[0, 0, 1]])], 2, 1, wrap=(True, True), symmetry=1).to_pattern_set(2, 1, 2)
    assert pattern_set.weights.tolist() == [2, 1]


def test_frames_show_what_each_cell_may_be() -> None:
    frames = list(tw.watch("wfc", sample="overworld", width=20, height=15, seed=4))
    first, last = frames[0].colors, frames[-2].colors
    assert first.shape == (15, 20, 3)
    assert np.ptp(first.reshape(-1, 3), axis=0).max() < 20, "hardly any cell is decided at first"
    assert frames[-1].map is not None
    tileset = frames[-1].map.tileset
    known = {tuple(color) for color in tileset.colors.tolist()}
    shown = [tuple(color) in known for color in last.reshape(-1, 3).tolist()]
    assert sum(shown) > 0.9 * len(shown), "nearly all cells are decided in the end"
    left = [frame.progress for frame in frames[:-1]]
    assert left[0] == 0.0
    assert left[-1] is not None
    assert left[-1] > 0.9
    assert "undecided" in frames[0].note


def test_levels() -> None:
    m = make_map(sample="keep", pattern_size=2, width=11, height=9, depth=4)
    assert m.cells.shape == (4, 9, 11)
    check_patterns(m)


# -- constraints ------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(some.integers(0, 1000), some.sampled_from([1, 8]), some.data())
def test_all_constraints_together(seed: int, symmetry: int, data: some.DataObject) -> None:
    constraints = {
        "sample": "dungeon",
        "symmetry": symmetry,
        "border": ["rock"],
        "connected": WALK,
        "counts": {"treasure": "1..6", "pillar": "<=9"},
    }
    other = make_map(**constraints, seed=f"other {seed}")
    row, column = data.draw(some.integers(0, 13)), data.draw(some.integers(0, 19))
    box = np.s_[row : row + 5, column : column + 5]
    m = make_map(**constraints, seed=seed, locks=other.to_locks(box))
    check_patterns(m)
    names = np.array(m.tileset.names)[m.cells]
    assert np.array_equal(m.cells[box], other.cells[box])
    assert {*names[0], *names[-1], *names[:, 0], *names[:, -1]} == {"rock"}
    assert count_regions(m, WALK) <= 1
    assert 1 <= (names == "treasure").sum() <= 6
    assert (names == "pillar").sum() <= 9


@pytest.mark.parametrize(
    ("text", "least", "most"), [("0", 0, 0), ("3", 3, 3), ("4..6", 4, 6), (">=30", 30, 9999), ("<=2", 0, 2)]
)
def test_counts(text: str, least: int, most: int) -> None:
    for seed in range(5):
        m = make_map(sample="dungeon", symmetry=8, counts={"treasure": text}, width=40, height=30, seed=seed)
        assert least <= int((m.cells == m.tileset.id("treasure")).sum()) <= most
        check_patterns(m)


def test_counts_may_be_written_in_any_form() -> None:
    forms: list[Any] = [{"treasure": 3}, [["treasure", "3"]], "treasure=3", ["treasure=3"], {"treasure": "3..3"}]
    maps = [make_map(counts=form) for form in forms]
    assert all(np.array_equal(m.cells, maps[0].cells) for m in maps)
    recipe = make_map(counts="treasure>=3,pillar<=4").recipe
    assert recipe is not None
    assert isinstance(recipe.params, WfcParams)
    assert recipe.params.counts == (("treasure", ">=3"), ("pillar", "<=4"))


def test_paths() -> None:
    for seed in range(5):
        m = make_map(sample="dungeon", paths=[{"start": [1, 1], "end": [22, 16]}], seed=seed)
        check_patterns(m)
        from scipy import ndimage

        parts = ndimage.label(m.tileset.passable[m.cells])[0]
        assert parts[1, 1] == parts[16, 22] > 0


def test_maps_with_locks_have_only_patterns_of_the_sample() -> None:
    kept = 0
    for seed in range(20):
        other = make_map(sample="overworld", symmetry=8, seed=f"other {seed}")
        box = np.s_[4:14, seed % 14 : seed % 14 + 10]
        try:
            m = make_map(sample="overworld", symmetry=8, seed=seed, locks=other.to_locks(box))
        except GaveUp:
            continue
        kept += 1
        assert np.array_equal(m.cells[box], other.cells[box])
        check_patterns(m)
    assert kept >= 19


# -- rules ------------------------------------------------------------------------------------------------------

TRACKS = Path(__file__).with_name("tracks.toml").read_text(encoding="utf-8")


def test_rules_turn_with_their_pieces() -> None:
    m = make_map(rules=Tileset.from_toml(TRACKS), seed=3)
    rows = str(m).split()
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for lines, own, other in ((rows, "-", "|"), (columns, "|", "-")):
        for line in lines:
            assert own not in line or set(line) == {own}
            assert other + other not in line
    assert make_map(rules=Tileset.from_toml(TRACKS), seed=3) == m


def test_rules_without_symmetry_do_not_turn() -> None:
    rule = 'sides = "ns"\nothers = ["grass"]\nsymmetry = 8'
    assert rule in TRACKS
    grass, across = 0, 1
    for symmetry in ("\nsymmetry = 1", ""):  # 1 is the default with sides
        fits = Tileset.from_toml(TRACKS.replace(rule, f'sides = "n"\nothers = ["grass"]{symmetry}')).neighbours
        assert fits[0, across, grass]
        assert fits[2, grass, across]
        assert not fits[2, across, grass]


def test_the_countryside_has_no_misfits() -> None:
    m = make_map(rules="countryside", width=40, height=30)
    assert not grammar_of(m.tileset).find_misfits(m.cells).any()
    assert len(np.unique(m.cells)) > 8
    assert m.recipe is not None
    assert tw.run(m.recipe.to_data()) == m


def test_weights_of_rules_count() -> None:
    text = 'name = "two"\n[[tiles]]\nname = "a"\nweight = 3\n[[tiles]]\nname = "b"\n'
    text += '[[beside]]\ntile = "a"\nothers = ["a", "b"]\n[[beside]]\ntile = "b"\nothers = ["b"]\n'
    m = make_map(rules=Tileset.from_toml(text), width=200, height=200)
    assert (m.cells == 0).mean() == pytest.approx(0.75, abs=0.02)


# -- relax ------------------------------------------------------------------------------------------------------


def test_relaxed_maps_mark_broken_patterns() -> None:
    with pytest.warns(UserWarning, match="relax: .* patterns? not in any sample, at x="):
        m = make_map(relax=True, locks=[[5, 5, "treasure"], [6, 5, "treasure"]])
    assert m.numbers["broken"] == len(m.markers) > 0
    assert all(marker.name == "broken" for marker in m.markers)
    assert all(3 <= marker.x <= 6 and 3 <= marker.y <= 5 for marker in m.markers)
    assert np.array(m.tileset.names)[m.cells][5, 5:7].tolist() == ["treasure", "treasure"]


def test_relax_changes_no_map_that_has_a_solution() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        relaxed = make_map(relax=True)
    assert np.array_equal(relaxed.cells, make_map().cells)
    assert relaxed.numbers["broken"] == 0


@pytest.mark.parametrize("size", [1, 2])
def test_relaxed_map_without_a_solution(size: int) -> None:
    """Stripes with a period of three on a map that wraps after ten."""
    values = {"sample": ["abc", "abc", "abc"], "wrap_sample": "xy", "wrap": "xy", "width": 10, "height": 6}
    with pytest.raises(GaveUp):
        make_map(**values, pattern_size=size, max_repairs=3, max_restarts=1)
    with pytest.warns(UserWarning, match="relax"):
        m = make_map(**values, pattern_size=size, max_repairs=3, max_restarts=1, relax=True)
    assert 0 < m.numbers["broken"] < m.cells.size


# -- mistakes ---------------------------------------------------------------------------------------------------


def test_too_large_counts_are_reported_once() -> None:
    with pytest.raises(TilewrightError, match=r"^wfc: counts: treasure 5000: the map has 432 cells$"):
        make_map(counts={"treasure": 5000})
    with pytest.raises(TilewrightError, match=r"^wfc: counts: require at least 800 cells, but the map has 432 cells$"):
        make_map(counts={"treasure": 400, "floor": ">=400"})


def test_missing_axes_are_ignored_when_all_axes_wrap() -> None:
    assert make_map(wrap=True, wrap_sample="xyz") == make_map(wrap="xyz", wrap_sample=True)


def test_contradicting_locks_are_named() -> None:
    other = make_map(seed=9)
    scattered = np.random.default_rng(1).random(other.shape) < 0.05
    scattered[4:8, 4:8] = False
    names = np.array(other.tileset.names)[other.cells]
    locks = [[int(x), int(y), str(names[y, x])] for y, x in zip(*np.nonzero(scattered), strict=True)]
    with pytest.raises(GaveUp, match=r"locks: 2 locked cells \('treasure'\): cannot be satisfied together") as error:
        make_map(locks=[*locks, [5, 5, "treasure"], [6, 5, "treasure"]])
    assert error.value.cells == ((5, 5), (5, 6))


def test_the_error_names_place_effort_and_fixes() -> None:
    """Stripes that repeat after four or six columns have no solution on a map that wraps after two."""
    stripes = {"sample": ["abcdabcdef"] * 3, "wrap_sample": "xy", "wrap": "xy", "width": 2, "height": 5}
    with pytest.raises(GaveUp) as error:
        make_map(**stripes, pattern_size=2, max_restarts=2, max_repairs=4)
    text = str(error.value)
    assert text.startswith("gave up after 3 tries: the sample's 2x2 patterns led to a contradiction")
    assert "repairs" in text
    assert "try symmetry=8, pattern_size=1, wrap=none, a map size that is a multiple of the sample's or relax" in text
    assert "at x=" in text
    assert error.value.cells


def test_rules_without_a_solution_at_any_size() -> None:
    text = 'name = "one way"\n[[tiles]]\nname = "a"\n[[tiles]]\nname = "b"\n[[beside]]\ntile = "a"\nsides = "e"\n'
    text += 'others = ["b"]\nsymmetry = 1\n'
    message = "the rules cannot extend beyond 2 cells from left to right, whatever the map size; try rules that "
    with pytest.raises(GaveUp, match=f"{message}allow more neighbors or relax$"):
        make_map(rules=Tileset.from_toml(text))


@pytest.mark.parametrize(
    "change",
    [
        {"border": ["treasure"]},
        {"sample": "pavement"},
        {"sample": "aab\nbba\naba", "symmetry": 4, "wrap_sample": "y", "pattern_size": 3},
    ],
)
def test_relax_makes_maps_of_contradicting_constraints(change: dict[str, Any]) -> None:
    """Without relax there is no map; with it, the tile constraints still hold."""
    with pytest.raises(GaveUp):
        make_map(**change)
    with pytest.warns(UserWarning, match="patterns not in any sample"):
        m = make_map(**change, relax=True)
    assert m.numbers["broken"] == len([marker for marker in m.markers if marker.name == "broken"]) > 0
    if "border" in change:
        edge = np.pad(np.zeros((m.height - 2, m.width - 2), dtype=bool), 1, constant_values=True)
        assert {m.tileset.names[tile] for tile in m.cells[edge].tolist()} == {"treasure"}


def test_rules_without_a_solution_at_some_size() -> None:
    """Rows consist of a and columns of b: each extends along one axis only."""
    text = 'name = "knot"\n[[tiles]]\nname = "a"\n[[tiles]]\nname = "b"\n[[beside]]\ntile = "a"\nsides = "e"\n'
    text += 'others = ["a"]\n[[beside]]\ntile = "b"\nsides = "s"\nothers = ["b"]\n'
    with pytest.raises(GaveUp, match="the rules cannot fill a map of 24x18 or larger; try rules that allow"):
        make_map(rules=Tileset.from_toml(text))
    with pytest.raises(GaveUp, match=r"the rules cannot fill a map of 24x18; try .* wrap=none or relax$"):
        make_map(rules=Tileset.from_toml(text), wrap="xy")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('others = ["across"]', 'others = ["acros"]', "beside: across: no tile and no kind is called 'acros'"),
        ('others = ["across"]', 'others = ["x"]', "is called 'x'; there are across, down, grass, rail"),
        ('sides = "ns"', 'sides = "nx"', "must be sides n, e, s and w"),
        ("weight = 8", "weight = 0", "weight"),
    ],
)
def test_mistakes_in_rules(old: str, new: str, words: str) -> None:
    with refused(words):
        Tileset.from_toml(TRACKS.replace(old, new), "tracks")


@pytest.mark.parametrize(
    "settings",
    [
        *read_table(__file__, "lists of neighbors make the same maps as bits"),
        {"sample": "dungeon", "counts": {"treasure": 4}, "connected": WALK, "border": ["rock", "wall"]},
        {"rules": Tileset.of("awbw")},
    ],
    ids=lambda settings: " ".join(map(str, settings.values()))[:40],
)
def test_lists_of_neighbors_make_the_same_maps_as_bits(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = []
    for words in (0, 99):
        monkeypatch.setattr(wave, "MAX_BIT_WORDS", words)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            maps = [make_map(**settings, seed=seed) for seed in range(3)]
        results.append([(m.cells.tolist(), m.numbers) for m in maps])
    assert results[0] == results[1]


def test_many_patterns() -> None:
    many = np.random.default_rng(3).integers(0, 150, (160, 160))
    assert 15_000 < len(WfcParams(sample=many, pattern_size=3).pattern_set) < MAX_PATTERNS
    m = make_map(sample=many, pattern_size=3, width=12, height=3, wrap_sample="xy")
    check_patterns(m)
    tiles = np.arange(160 * 160).reshape(160, 160)
    check_patterns(make_map(sample=tiles, pattern_size=1, width=5, height=5))


@pytest.mark.parametrize("size", [4, 5])
def test_large_patterns(size: int) -> None:
    m = make_map(sample="platforms", pattern_size=size, symmetry=2, wrap_sample="x")
    check_patterns(m)


def test_nets_that_must_close_around_the_map_take_few_choices() -> None:
    """No line may end, so all lines of a map that wraps must meet."""
    net = {"sample": NET, "wrap_sample": "xy", "wrap": "xy", "width": 64, "height": 64}
    choices = [make_map(**net, seed=seed).numbers["choices"] for seed in range(8)]
    assert max(choices) <= 20 * sorted(choices)[4]
    assert sum(choices) <= 10_000


WEAVE = {"sample": "weave", "wrap_sample": "xy", "pattern_size": 3}


@pytest.mark.parametrize(
    ("change", "text", "fixes"),
    [
        *read_table(__file__, "impossible wraps"),
        (
            {"sample": np.arange(36).reshape(6, 6), "wrap_sample": "y", "wrap": "x", "width": 6, "height": 3},
            "of 6x3 that wraps: they never repeat from left to right; try wrap=none or relax",
            {"wrap": "none", "relax": True},
        ),
    ],
)
def test_impossible_wraps_are_found_before_the_search(change: dict[str, Any], text: str, fixes: dict[str, Any]) -> None:
    with patch.object(Solver, "run", side_effect=AssertionError), pytest.raises(GaveUp) as error:
        make_map(**{**WEAVE, **change})
    assert text in str(error.value)
    assert {fix.path[-1]: fix.value for fix in error.value.problems[0].fixes} == fixes
    sizes = {name: value for name, value in fixes.items() if name in ("width", "height")}
    if sizes:
        check_patterns(make_map(**{**WEAVE, **change, **sizes}))


@settings(max_examples=40, deadline=None)
@given(some.integers(0, 1 << 30), some.integers(2, 9), some.sampled_from([1, 2, 3, 4, 6, 12]))
def test_only_patterns_of_closed_rows_wrap(seed: int, tiles: int, side: int) -> None:
    """Every pattern on a closed row of this length is kept, and no pattern that is on none."""
    source = np.random.default_rng(seed)
    follows = source.random((tiles, tiles)) < source.uniform(0.8, 2.5) / tiles
    pattern_set = from_pairs(np.stack([np.ones_like(follows), follows]), np.ones(tiles, dtype=np.int64))
    reached, on_rows, periods = np.eye(tiles, dtype=bool), [], np.zeros(tiles, dtype=np.int64)
    for length in range(1, 2 * tiles * tiles + 12):
        reached = reached @ follows
        on_rows.append(reached.diagonal())
        periods = np.gcd(periods, np.where(reached.diagonal(), length, 0))
    assert pattern_set.periods[1].tolist() == periods.tolist()
    found = pattern_set.find_wrappable((5, side), (False, True))
    assert not (on_rows[side - 1] & ~found).any()
    assert not (found & (periods == 0)).any()


def test_too_many_patterns() -> None:
    many = np.random.default_rng(3).integers(0, 200, (190, 190))
    with pytest.raises(
        TilewrightError, match=f"at most {MAX_PATTERNS:,} patterns of 3, got .*; use a smaller pattern_size"
    ):
        make_map(sample=many)
    with pytest.raises(TilewrightError, match=r"use a smaller pattern_size, less symmetry or fewer samples$"):
        make_map(sample=[many, many], symmetry=2)
    tiles = np.arange(190 * 190).reshape(190, 190)
    with pytest.raises(TilewrightError, match=r"tiles, got 36,100; use a sample with fewer tiles or colors$"):
        make_map(sample=tiles, pattern_size=1)
    with pytest.raises(TilewrightError, match=r"use fewer samples$"):
        make_map(sample=[tiles[:50], tiles[50:]], pattern_size=1)


def test_rules_are_part_of_the_tilesets_data() -> None:
    tracks = Tileset.from_toml(TRACKS)
    assert Tileset.validate(tracks.to_data()) == tracks
    longer = tracks.with_tiles(["mud"])
    assert longer.beside == tracks.beside
    assert longer[0].weight == 8
