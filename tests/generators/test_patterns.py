"""Tile patterns: every optimizer approaches the sample, edges match, blocks have no seams, mistakes are one line."""

from __future__ import annotations

import os
import pickle
import threading
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.plain import find_patterns
from tilewright.analysis.patterns import Coding, PatternCounts
from tilewright.core.pipeline import iter_steps
from tilewright.core.samples import Samples
from tilewright.generators._patterns import runs
from tilewright.generators._patterns.params import PatternsParams
from tilewright.generators._patterns.runs import STAGES, split_blocks
from tilewright.testing import block_size

ROOM = ["######", "#....#", "#..~.#", "#....#", "######"]
OPTIMISERS = ("annealing", "evolution", "genetic")


def make_map(**values: Any) -> tw.TileMap:
    given: dict[str, Any] = {"sample": ROOM, "width": 12, "height": 9, "pattern_sizes": [2], "iterations": 2000}
    return tw.make("patterns", **{"seed": 1, **given, **values})


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("sample", ["dungeon", ["dungeon", "ruins"], ROOM])
def test_maps_get_closer_to_the_sample(optimiser: str, sample: Any) -> None:
    left = [
        make_map(sample=sample, optimiser=optimiser, iterations=steps, population=2, width=16, height=16)
        for steps in (0, 2_000, 60_000)
    ]
    divergences = [m.numbers["divergence"] for m in left]
    assert divergences[0] > divergences[1] > divergences[2] >= 0
    assert divergences[2] < divergences[0] / 2


def test_the_divergence_equals_that_of_a_recount() -> None:
    m = make_map(iterations=300)
    sample = np.array([[".#~".index(glyph) for glyph in row] for row in ROOM])
    cells = np.array([[".#~".index(glyph) for glyph in row] for row in str(m).split()])
    shares = []
    for grid in (cells, sample):
        every = np.lib.stride_tricks.sliding_window_view(grid, (2, 2)).reshape(-1, 4) @ (3 ** np.arange(4))
        counts = np.bincount(every, minlength=81)
        shares.append((counts + 1e-6) / ((counts.sum() + 1e-6) * (1 + 1e-6)))
    p, q = shares
    seen = (p > p.min()) | (q > q.min())
    divergence = 0.5 * ((p - q) * np.log(p / q))[seen].sum()
    assert m.numbers["divergence"] == pytest.approx(divergence, abs=1e-9)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_the_number_of_threads_changes_nothing(optimiser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = []
    for processors in (1, 2, 7, None):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        maps.append(make_map(optimiser=optimiser, islands=3, population=2, iterations=500))
    assert all(m == maps[0] for m in maps)


def test_islands_are_at_least_as_good_as_the_first_of_them() -> None:
    for optimiser in OPTIMISERS:
        one, several = (make_map(optimiser=optimiser, islands=islands) for islands in (1, 4))
        assert several.numbers["divergence"] <= one.numbers["divergence"]


def test_without_steps_the_map_is_random_with_the_samples_frequencies() -> None:
    m = make_map(iterations=0, width=100, height=100, sample=["aaab", "aaac"])
    shares = np.bincount(m.cells.ravel(), minlength=3) / 10_000
    assert shares == pytest.approx([6 / 8, 1 / 8, 1 / 8], abs=0.02)
    assert m.numbers["steps"] == 0


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("more", [{}, {"sample_edges": ["left", "top"]}, {"wrap": "xy"}])
def test_one_tile_only(optimiser: str, more: dict[str, Any]) -> None:
    m = make_map(sample=["xx", "xx"], optimiser=optimiser, population=2, iterations=50, **more)
    assert set(str(m).split()) == {"x" * 12}


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_levels(optimiser: str) -> None:
    m = make_map(sample="keep", optimiser=optimiser, width=6, height=7, depth=4, population=2, iterations=3000)
    assert m.cells.shape == (4, 7, 6)
    assert (
        m.numbers["divergence"]
        < make_map(sample="keep", width=6, height=7, depth=4, iterations=0).numbers["divergence"]
    )
    levels = Samples.of("keep").grids[0].shape[0]
    assert make_map(sample="keep", width=6, height=7, iterations=10).cells.shape == (levels, 7, 6)


def test_several_samples_count_together() -> None:
    m = make_map(sample=["aa\naa", "bbb\nbbb"], iterations=20_000)
    assert {tile.name for tile in m.tileset} == {"a", "b"}
    assert set(np.unique(m.cells)) == {0, 1}


def test_views_of_the_sample() -> None:
    """Stairs rise in one direction as in the sample, in both with mirrored views, and hang with rotated views."""
    rising, mirrored, turned = (1, 0, 1, 1), (0, 1, 1, 1), (1, 1, 1, 0)
    found = []
    for symmetry in (1, 2, 8):
        m = make_map(sample=["a...", "aa..", "aaa.", "aaaa"], symmetry=symmetry, iterations=100_000, seed=2)
        found.append(find_patterns((m.cells != m.tileset.names.index(".")).astype(int), 2, (False, False)))
    assert {rising} == found[0] & {rising, mirrored, turned}
    assert {rising, mirrored} == found[1] & {rising, mirrored, turned}
    assert {rising, mirrored, turned} <= found[2]


def test_edges_are_the_samples() -> None:
    """At all edges, and at one edge alone, with a sample whose edge tiles occur nowhere else in it."""
    sample = ["tttttt", "l....r", "l.~..r", "l....r", "bbbbbb"]
    m = make_map(sample=sample, iterations=200_000, sample_edges=["left", "right", "top", "bottom"])
    rows = str(m).split()
    assert rows[0] == "t" * 12
    assert rows[-1] == "b" * 12
    assert all(row[0] == "l" and row[-1] == "r" for row in rows[1:-1])
    assert not set("".join(row[1:-1] for row in rows[1:-1])) & set("tblr")
    top = str(make_map(sample=sample, iterations=200_000, sample_edges=["top"])).split()
    assert top[0] == "t" * 12


def test_wrapped_maps_have_no_seam() -> None:
    """Patterns across the edges occur in the sample too."""
    sample = ["xxxx", "x...", "x.o.", "x..."]
    m = make_map(sample=sample, wrap_sample="xy", wrap="xy", width=12, height=8, iterations=400_000)
    order = {tile.name: number for number, tile in enumerate(m.tileset)}
    known = find_patterns(np.array([[order[glyph] for glyph in row] for row in sample]), 2, (True, True))
    rolled = np.roll(m.cells, (1, 1), axis=(0, 1))
    flat = (False, False)
    assert find_patterns(rolled[:2], 2, flat) | find_patterns(rolled[:, :2], 2, flat) <= known
    assert find_patterns(m.cells, 2, (True, True)) <= known


def test_frames_show_step_and_divergence() -> None:
    with block_size(500 * 43):
        frames = list(tw.watch("patterns", sample=ROOM, pattern_sizes=[2], width=12, height=9, iterations=2000, seed=1))
    notes = [frame.note for frame in frames if frame.note.startswith("step ")]
    steps = [int(note.removeprefix("step ").partition(", divergence")[0].replace(",", "")) for note in notes]
    assert steps == [0, 500, 1000, 1500, 2000, 2000]
    left = [float(note.rpartition(" ")[2]) for note in notes]
    assert frames[-1].map is not None
    assert left[-1] == pytest.approx(frames[-1].map.numbers["divergence"], abs=1e-4)
    assert left[-1] < left[0]
    assert len(set(left)) > 3  # updated in every frame, not only when divergences are computed again


# -- copies and quality -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    "sample", ["caverns", "circuit", "dungeon", "garden", "overworld", "platforms", "ruins", "village"]
)
def test_copied_squares_are_at_most_three_patterns_long(sample: str, size: int) -> None:
    m = make_map(sample=sample, pattern_sizes=[size], width=30, height=30, iterations=60_000)
    assert m.numbers["copied_block"] <= 3 * size


def test_copied_squares_of_large_maps_are_as_short() -> None:
    for limit in (None, 3, 10):
        m = make_map(sample="platforms", width=64, height=48, block_size=16, iterations=300_000, max_copy=limit)
        assert m.numbers["copied_block"] <= (limit or 6)


@pytest.mark.parametrize("limit", [2, 3, 5, 8, 11])
@pytest.mark.parametrize("sample", ["dungeon", "overworld", "platforms", ["ruins", "village"]])
def test_copied_squares_are_at_most_as_long_as_set(sample: Any, limit: int) -> None:
    for seed in range(3):
        for steps in (8_000, 80_000):  # from a quilt, and from a random start
            m = make_map(sample=sample, max_copy=limit, width=24, height=20, iterations=steps, seed=seed)
            assert m.numbers["copied_block"] <= limit


@pytest.mark.parametrize(("sample", "size"), [("dungeon", 3), ("platforms", 2), ("village", 3)])
def test_without_a_limit_larger_squares_are_copied(sample: str, size: int) -> None:
    maps = [
        [
            make_map(
                sample=sample, max_copy=limit, pattern_sizes=[size], width=24, height=24, seed=seed, iterations=80_000
            )
            for seed in range(3)
        ]
        for limit in (None, 3 * size, 0, 1000)
    ]
    assert maps[0] == maps[1]
    assert maps[2] == maps[3]  # no sample is that large
    limited, unlimited = (np.mean([m.numbers["copied_block"] for m in made]) for made in (maps[0], maps[2]))
    assert unlimited > limited + 1


def test_the_limit_of_copies_is_at_least_a_pattern() -> None:
    text = "max_copy: must be at least the pattern size 3, or 0 for no limit, got 2"
    with pytest.raises(tw.InvalidRecipe, match=text):
        make_map(pattern_sizes=[2, 3], max_copy=2)
    assert make_map(pattern_sizes=[2, 3], max_copy=3, iterations=100).numbers["copied_block"] <= 3


@pytest.mark.parametrize("sample", ["platforms", "dungeon"])
def test_more_iterations_make_better_maps(sample: str) -> None:
    few, many = (
        np.mean(
            [
                make_map(sample=sample, width=24, height=24, iterations=steps, seed=seed).numbers["divergence"]
                for seed in range(3)
            ]
        )
        for steps in (20_000, 80_000)
    )
    assert many < few


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("sample", ["overworld", "caverns", "bricks"])
def test_four_times_the_iterations_never_make_worse_maps(sample: str, size: int) -> None:
    shape = {"width": 16, "height": 12, "pattern_sizes": [size], "wrap_sample": "xy" if sample == "bricks" else "none"}
    for seed in range(4):
        divergences = [
            make_map(sample=sample, iterations=steps, seed=seed, **shape).numbers["divergence"]
            for steps in (40_001, 160_004, 640_016)
        ]
        assert (np.diff(divergences) < 1e-9).all()


def test_more_iterations_start_with_the_same_runs() -> None:
    for steps in (3, 100, 79_999, 80_000, 123_457, 1_000_000):
        few, many = (
            PatternsParams.validate({"width": 10, "height": 10, "iterations": count}) for count in (steps, 4 * steps)
        )
        assert sum(few.split_steps()) == steps
        assert steps < 20_000 or many.split_steps()[: len(few.split_steps())] == few.split_steps()
        assert few.split_steps() == tuple(sorted(few.split_steps()))


def test_small_divergences_are_not_noise_of_the_temperature() -> None:
    divergences = [
        make_map(sample="caverns", pattern_sizes=[2], width=30, height=30, iterations=300_000, seed=seed).numbers[
            "divergence"
        ]
        for seed in range(3)
    ]
    assert np.mean(divergences) < 0.002


def test_quality_sets_the_iterations() -> None:
    steps = [make_map(iterations=None, quality=quality).numbers["steps"] for quality in ("draft", "normal", "best")]
    assert steps[0] < steps[1] < steps[2]
    assert steps[1] == make_map(iterations=None).numbers["steps"]
    assert make_map(iterations=70, quality="best").numbers["steps"] == 70


# -- locks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_locks_hold(optimiser: str) -> None:
    liked = make_map(seed=5)
    locks = liked.to_locks(np.s_[2:6, 3:9])
    m = make_map(seed=7, optimiser=optimiser, population=2, locks=locks)
    assert np.array_equal(m.cells[2:6, 3:9], liked.cells[2:6, 3:9])
    assert not np.array_equal(m.cells, liked.cells)


def test_locks_of_tiles_that_are_not_in_the_sample_warn() -> None:
    with pytest.warns(UserWarning, match="locks: the sample has no 'water', so no pattern around it can match"):
        m = make_map(locks=[[3, 2, "water"]])
    assert m.tileset[m.cells[2, 3]].name == "water"
    assert (m.cells == m.cells[2, 3]).sum() == 1


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_fully_locked_map_is_unchanged(optimiser: str) -> None:
    liked = make_map(seed=5)
    with pytest.warns(UserWarning, match="every cell is locked"):
        m = make_map(seed=6, optimiser=optimiser, locks=liked.to_locks(np.s_[:, :]))
    assert np.array_equal(m.cells, liked.cells)
    assert m.numbers["divergence"] == pytest.approx(liked.numbers["divergence"], abs=1e-9)


# -- mistakes ---------------------------------------------------------------------------------------------------


def test_valid_parameters_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_map(pattern_sizes=[2, 3], size_weights=[1, 3], symmetry=8, sample_edges=["left", "right", "top", "bottom"])


@pytest.mark.parametrize("form", [lambda rows: rows, "\n".join, lambda rows: [list(row) for row in rows]])
def test_samples_in_any_form_are_the_same(form: Callable[[list[str]], Any]) -> None:
    assert Samples.of(form(ROOM)).maps[0].tolist() == Samples.of(ROOM).maps[0].tolist()


# -- large maps -------------------------------------------------------------------------------------------------


def test_blocks_of_a_large_map_leave_no_seam() -> None:
    """Patterns across the cuts of the first and last stage are as often correct as all others."""
    sample = Samples.of("caverns")
    coding = Coding(3, 2, len(sample.labels))
    known = PatternCounts.of(coding, sample.maps)
    near, far = [0, 0], [0, 0]
    for seed in range(3):
        m = tw.make("patterns", sample="caverns", width=96, height=96, block_size=32, iterations=2_500_000, seed=seed)
        tiles = np.array([sample.labels.index(name) for name in m.tileset.names])[m.cells]
        keys = coding.keys(tiles)
        wrong = (known.count(keys.reshape(-1)) == 0).reshape(keys.shape)
        for stage in (0, STAGES - 1):
            across = np.zeros(wrong.shape, dtype=bool)
            for block in split_blocks(stage, m.shape, 32, 2, (False, False), ((False, False), (False, False))):
                edge = int(block.places[1][0])
                across[:, max(0, edge - 2) : edge + 3] |= edge > 0
            near[0] += int(wrong[across].sum())
            near[1] += int(across.sum())
            far[0] += int(wrong[~across].sum())
            far[1] += int((~across).sum())
    assert near[0] / near[1] <= 1.3 * far[0] / far[1]


def make_recipe(**values: Any) -> tw.Recipe:
    given: dict[str, Any] = {"sample": ROOM, "width": 60, "height": 60, "block_size": 10, "iterations": 50_000}
    return tw.recipe("patterns", **{"seed": 1, "pattern_sizes": [2], **given, **values})


@pytest.mark.parametrize("wrap", ["none", "xy"])
def test_between_two_frames_at_most_one_block_of_a_large_map_changes(wrap: str) -> None:
    """So large maps can be watched and canceled like small ones."""
    shown = [frame.snapshot().cells for frame in iter_steps(make_recipe(wrap=wrap))]
    assert len(shown) > STAGES * 36
    for before, after in pairwise(shown):
        rows, columns = np.nonzero(before != after)
        for places in (rows, columns):
            around = np.ptp(places) if places.size else 0
            assert around < 10 or np.ptp((places + 30) % 60) < 10


def test_the_number_of_threads_changes_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    for recipe in (
        make_recipe(block_size=20),
        make_recipe(islands=3),
        make_recipe(islands=2, optimiser="evolution", iterations=30_000),
    ):
        seen = []
        for processors in (1, 7):
            monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
            seen.append(
                [(frame.note, frame.progress, frame.snapshot().cells.tobytes()) for frame in iter_steps(recipe)]
            )
        assert seen[0] == seen[1]
        done = [done for _, done, _ in seen[0] if done is not None]
        assert len(done) == len(seen[0])
        assert done == sorted(done)


def test_the_number_of_unfinished_runs_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tw.run(make_recipe())
    monkeypatch.setattr(runs, "INITIAL_RUNS", 1)
    monkeypatch.setattr(runs, "MAX_RUNS", 2)
    assert tw.run(make_recipe()) == whole


def test_larger_patterns_have_more_frames() -> None:
    """Because a step reads more cells."""
    counts = [
        sum(1 for _ in iter_steps(make_recipe(block_size=64, pattern_sizes=sizes))) for sizes in ([2], [4], [4, 5])
    ]
    assert counts[0] < counts[1] < counts[2]


def test_a_closed_generator_leaves_no_thread() -> None:
    work = iter_steps(make_recipe(iterations=10_000_000))
    before = threading.active_count()
    for _ in range(5):
        next(work)
    work.close()
    assert threading.active_count() == before


def test_edges_have_an_earlier_name() -> None:
    assert PatternsParams.validate({"borders": ["top"]}) == PatternsParams.validate({"sample_edges": ["top"]})


def test_missing_patterns_cause_a_warning() -> None:
    with pytest.warns(UserWarning, match="min_coverage: .*% of the sample's patterns occur, 100% are required"):
        m = make_map(sample="dungeon", iterations=1000, min_coverage=1)
    assert 0 < m.numbers["coverage"] < 1
    assert "coverage" not in make_map(sample="dungeon", iterations=1000).numbers


# -- samples per map ----------------------------------------------------------------------------------------------


SPARSE, DENSE = (
    str(tw.make("caves", width=16, height=12, walls=walls, steps=0, seed=1)) + "\n" for walls in (0.1, 0.8)
)


def find_fractions(seeds: range, **params: Any) -> NDArray[np.float64]:
    """Return the fraction of walls of each map learned from a sparse and a dense sample."""
    made = [
        tw.make("patterns", sample=[SPARSE, DENSE], width=14, height=10, seed=seed, iterations=20_000, **params)
        for seed in seeds
    ]
    return np.array([(map.cells == map.tileset.id("#")).mean() for map in made])


def test_each_map_imitates_its_own_samples() -> None:
    together, apart = find_fractions(range(12)), find_fractions(range(12), samples_per_map=1)
    assert apart.std() > 1.4 * together.std()
    assert ((together > 0.2) & (together < 0.7)).sum() > 4  # mixtures of both
    assert ((abs(apart - 0.1) < 0.1) | (abs(apart - 0.8) < 0.1)).all()
    assert 2 <= (apart > 0.5).sum() <= 10  # both samples occur
    # As many samples as there are, or more, are all samples.
    assert np.array_equal(find_fractions(range(2), samples_per_map=2), together[:2])
    assert np.array_equal(find_fractions(range(2), samples_per_map=9), together[:2])


def test_maps_of_one_sample_have_the_tiles_of_all() -> None:
    rare = SPARSE.replace("#", "o", 1)
    map = tw.make("patterns", sample=[rare, DENSE], samples_per_map=1, width=14, height=10, seed=2, iterations=2000)
    assert {"o", "#", "."} <= set(map.tileset.names)
    locked = tw.make(
        "patterns", sample=[rare, DENSE], samples_per_map=1, width=14, height=10, seed=2, iterations=2000,
        locks=[[3, 3, "o"]],
    )  # fmt: skip
    assert locked.tileset[int(locked.cells[3, 3])].name == "o"


def test_maps_do_not_depend_on_maps_that_were_made_before() -> None:
    """Parts of samples, which have the labels of all, are not mistaken for samples of their own in a cache."""
    first, second = ("xy" * 6 + "\n") * 10, ("0x" * 6 + "\n") * 10
    params: dict[str, Any] = {"width": 10, "height": 8, "iterations": 2000, "min_coverage": 0.01}
    for seed in range(6):
        tw.make("patterns", sample=[first, second], samples_per_map=1, seed=seed, **params)
    assert tw.make("patterns", sample=[first], seed=1, **params).numbers["coverage"] == 1
    whole = Samples.of([first, second])
    part = whole.choose([0])
    assert part != Samples.of([first])
    assert pickle.loads(pickle.dumps(part)) == part
    assert part.labels == whole.labels
