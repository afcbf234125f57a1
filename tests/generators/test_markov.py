"""Markov maps: neighbors occur in the samples, whatever the scan; locks fit; tiles are unknown only on request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import tilewright as tw
from bench.markov import divergence, make_repaired
from tests.generators.landscapes import BEACHES, ISLES, RIVER, STRIPES, naive_counts
from tests.plain import list_windows
from tilewright.core.errors import GaveUp, TilewrightError
from tilewright.core.provenance import digest
from tilewright.core.samples import Samples
from tilewright.generators._markov.contexts import Contexts
from tilewright.generators._markov.directions import AROUND, MARGIN, order_places
from tilewright.generators._markov.params import Corner, MarkovParams
from tilewright.testing import block_size

SCANS: list[tuple[Literal["rows", "columns", "spiral"], Corner]] = [
    ("rows", corner) for corner in ("bottom left", "bottom right", "top left", "top right")
]
SCANS += [("columns", corner) for _, corner in SCANS] + [("spiral", "bottom left")]
SEEDS = 20
"""Number of seeds per lock; the promise is 95 of 100."""
MANY = np.arange(256).reshape(16, 16)
"""A sample in which every cell has its own tile."""


def make_map(**values: Any) -> tw.TileMap:
    return tw.make("markov", **{"sample": RIVER, "width": 12, "height": 9, "seed": 1, **values})


def to_rows(map: tw.TileMap) -> list[str]:
    return str(map).split("\n")


def find_squares(rows: Sequence[str]) -> set[tuple[str, str]]:
    """Return the set of all 2x2 blocks."""
    return {
        (upper[column : column + 2], lower[column : column + 2])
        for upper, lower in pairwise(rows)
        for column in range(len(upper) - 1)
    }


def crop_around(rows: Sequence[str], x: int, y: int) -> list[str]:
    return [row[max(0, x - 2) : x + 3] for row in rows[max(0, y - 2) : y + 3]]


# -- out of the box ---------------------------------------------------------------------------------------------


def test_it_works_out_of_the_box() -> None:
    m = tw.make("markov", seed=1)
    assert m.shape == (25, 25)
    assert m.tileset.name == "awbw"
    assert len(np.unique(m.cells)) > 10
    assert m == tw.make("markov", seed=1, sample="awbw")
    assert m != tw.make("markov", seed=2)


@pytest.mark.parametrize(("scan", "corner"), SCANS)
def test_every_scan_resembles_the_sample(scan: str, corner: str) -> None:
    """Maps have only tiles of the sample, and nearly all 2x2 blocks occur in it."""
    known, seen, wrong = find_squares(RIVER.split()), 0, 0
    for seed in range(10):
        m = make_map(scan=scan, corner=corner, width=16, height=16, seed=seed)
        rows = to_rows(m)
        every = [(upper[x : x + 2], lower[x : x + 2]) for upper, lower in pairwise(rows) for x in range(15)]
        seen, wrong = seen + len(every), wrong + sum(square not in known for square in every)
        assert set("".join(rows)) <= {"g", "~"}
    assert wrong <= 0.02 * seen


@pytest.mark.parametrize(("scan", "corner"), SCANS[:8])
def test_scans_are_the_same_on_turned_samples(scan: str, corner: str) -> None:
    """A transformed sample, scanned from the transformed corner, gives the transformed map."""
    plain = np.array([list(row) for row in ISLES.split()])
    columns, across, upside = scan == "columns", "right" in corner, "top" in corner
    turned = plain[:: -1 if upside else 1, :: -1 if across else 1]
    if columns:  # reflect at the diagonal through the bottom left corner
        turned = plain[::-1, ::-1].T[:: -1 if upside else 1, :: -1 if across else 1]
    home = np.array([list(row) for row in to_rows(make_map(sample=ISLES, width=12, height=9))])
    size = {"width": 9, "height": 12} if columns else {}
    there = make_map(sample=["".join(row) for row in turned], scan=scan, corner=corner, **size)
    back = np.array([list(row) for row in to_rows(there)])[:: -1 if upside else 1, :: -1 if across else 1]
    assert np.array_equal(back[::-1, ::-1].T if columns else back, home)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (40, 33)])
@pytest.mark.parametrize("scan", ["rows", "columns", "spiral"])
def test_any_shape(shape: tuple[int, int], scan: str) -> None:
    m = make_map(width=shape[1], height=shape[0], scan=scan, gibbs_sweeps=1)
    assert m.shape == shape


@pytest.mark.parametrize("scan", ["rows", "columns", "spiral"])
def test_frames_show_the_map_grow(scan: str) -> None:
    """Each frame adds at most one cell of the final map, although cells are drawn in blocks."""
    recipe = tw.recipe("markov", sample=ISLES, width=12, height=9, scan=scan, repair_passes=0, seed=1)
    with block_size(8):  # a frame for each cell of a block
        *frames, done = (frame.cells for frame in tw.watch(recipe))
    assert len(frames) == 12 * 9
    assert len(np.unique(frames[0])) == 1
    for before, after in pairwise([*frames, done]):
        changed = before != after
        assert changed.sum() <= 1
        assert (after[changed] == done[changed]).all()
    assert np.array_equal(done, tw.run(recipe).cells)


# -- learning ---------------------------------------------------------------------------------------------------


def test_every_subset_of_directions_is_a_context() -> None:
    maps = [ISLES.split(), ["s~g", "gg~"]]
    model = tw.learn("markov", [ISLES, "s~g\ngg~\n"])
    contexts = model.params.contexts  # type: ignore[attr-defined]
    names = ("e", "w", "sw", "s", "se")
    assert contexts.directions == names
    for size in range(6):
        for subset in combinations(names, size):
            for word in ("~", "s", "edge"):
                neighbours = dict.fromkeys(subset, word)
                assert contexts.counts(**neighbours) == naive_counts(maps, **neighbours)
    assert contexts.counts(w="s", s="~") == naive_counts(maps, w="s", s="~")
    assert contexts.counts(w="edge", s="edge", e="~") == naive_counts(maps, w="edge", s="edge", e="~")
    subsets = {tuple(neighbours) for neighbours, _ in contexts}
    assert len(subsets) == 32


@pytest.mark.parametrize(
    "directions",
    [("w",), ("n2",), ("s", "w2"), ("w", "sw", "s", "se", "w2", "s2"), ("nw2", "ne2", "e"), AROUND],
)
def test_any_directions(directions: Sequence[str]) -> None:
    contexts = tw.learn("markov", ISLES, directions=directions).params.contexts  # type: ignore[attr-defined]
    for subset in ([], directions[:1], directions[-1:], directions):
        for word in ("~", "s", "edge"):
            neighbours = dict.fromkeys(subset, word)
            assert contexts.counts(**neighbours) == naive_counts([ISLES.split()], **neighbours)
    for scan in ("rows", "columns", "spiral"):
        m = make_map(sample=ISLES, directions=directions, scan=scan)
        assert set("".join(to_rows(m))) <= {"~", "s", "g"}
        assert m == make_map(sample=ISLES, directions=[name.upper() for name in directions], scan=scan)


def test_directions_two_cells_away_see_that_far() -> None:
    """In stripes of two columns, the tile two columns to the west determines a tile."""
    sample = ["aabbaabbaabb", "bbaabbaabbaa"]
    rows = to_rows(make_map(sample=sample, directions=["w2"], repair_passes=0, width=24, height=1, seed=3))
    assert all(one != other for one, other in zip(rows[0], rows[0][2:], strict=False))


def test_with_more_than_six_directions_only_the_backoff_order_is_counted() -> None:
    directions = ["w", "sw", "s", "se", "e", "w2", "s2"]
    contexts = tw.learn("markov", ISLES, directions=directions).params.contexts  # type: ignore[attr-defined]
    subsets = {frozenset(neighbours) for neighbours, _ in contexts}
    assert frozenset(directions) in subsets
    assert frozenset({"w", "s"}) in subsets
    assert frozenset({"e", "w"}) not in subsets
    assert len(subsets) < 128
    six = tw.learn("markov", ISLES, directions=directions[:6]).params.contexts  # type: ignore[attr-defined]
    assert len({frozenset(neighbours) for neighbours, _ in six}) == 64


def test_merged_models_count_together() -> None:
    one, other = (tw.learn("markov", sample) for sample in (RIVER, ISLES))
    both = one.merge(other).params.contexts  # type: ignore[attr-defined]
    assert both.counts(w="g") == naive_counts([RIVER.split(), ISLES.split()], w="g")
    assert tw.make("markov", model=one.merge(other), seed=1) == tw.make("markov", sample=[RIVER, ISLES], seed=1)


def test_contexts_are_described_by_names() -> None:
    contexts = tw.learn("markov", RIVER).params.contexts  # type: ignore[attr-defined]
    assert isinstance(contexts, Contexts)
    assert repr(contexts) == f"Contexts({len(contexts):,} contexts of e, w, sw, s, se)"
    assert contexts.counts(w="edge", e="edge") == {}
    with pytest.raises(TilewrightError, match="unknown direction 'n'"):
        contexts.counts(n="g")
    with pytest.raises(TilewrightError, match="unknown tile 'x'"):
        contexts.counts(w="x")


def test_pieces_are_learned_each_or_by_kind() -> None:
    each, kinds = (
        tw.learn("markov", "awbw", pieces=pieces).params.contexts.labels  # type: ignore[attr-defined]
        for pieces in ("learned", "chosen")
    )
    roads = [word for word in each if word.startswith("road")]
    assert len(roads) > 5
    assert len([word for word in kinds if word.startswith("road")]) == 1
    assert set(kinds) < set(each)


# -- drawing ----------------------------------------------------------------------------------------------------


def test_unknown_tiles_are_kept_where_no_context_is_known() -> None:
    """No tile follows b in the sample, and the context of an unknown tile is unknown."""
    given: dict[str, Any] = {"sample": ["ab"], "directions": ["w"], "backoff": ["w"], "width": 4, "height": 2}
    given["mends"] = 0
    m = make_map(unknown="keep", **given)
    names = [[m.tileset[tile].name for tile in row] for row in m.cells.tolist()]
    assert names == [["a", "b", "unknown", "unknown"]] * 2
    assert m.numbers["unknown"] == 4
    for seed in range(20):
        complete = make_map(seed=seed, **given)
        assert all(row[:2] == "ab" for row in to_rows(complete))
        assert "unknown" not in complete.tileset.by_name
        assert set("".join(to_rows(complete))) == {"a", "b"}


@pytest.mark.parametrize("scan", ["rows", "columns", "spiral"])
def test_unknown_tiles_are_never_made_otherwise(scan: str) -> None:
    """With any parameters, and samples in which most contexts are unknown."""
    sample = Samples.of(MANY[:6, :6])
    for more in (
        {},
        {"smoothing": 2},
        {"temperature": 3},
        {"directions": ["n2", "e"]},
        {"gibbs_sweeps": 2, "repair_passes": 3},
    ):
        recipe = tw.recipe("markov", sample=sample, scan=scan, **more)
        for seed in range(30):
            m = tw.run(recipe, seed=seed)
            assert "unknown" not in m.tileset.by_name
            assert {m.tileset[tile].name for tile in np.unique(m.cells)} <= set(sample.labels)


def test_no_tile_is_unknown_if_all_contexts_are_known() -> None:
    for seed in range(20):
        kept = make_map(sample=["ab", "ba"] * 5, directions=["w"], unknown="keep", width=2, seed=seed)
        assert kept.numbers["unknown"] == 0
        assert set("".join(to_rows(kept))) == {"a", "b"}


@pytest.mark.parametrize("more", [{}, {"smoothing": 3}, {"scan": "spiral"}])
def test_at_temperature_zero_all_seeds_make_one_map(more: dict[str, Any]) -> None:
    maps = [make_map(sample="village", temperature=0, seed=seed, **more) for seed in range(5)]
    assert all(np.array_equal(m.cells, maps[0].cells) for m in maps)


def test_temperature_levels_out_what_is_common() -> None:
    """In random samples, low temperatures favor the common tile, 1 keeps the fractions, and high ones equalize them."""
    sample = ["".join("aaab"[place] for place in row) for row in np.random.default_rng(1).integers(0, 4, (60, 60))]
    shares = []
    for temperature in (0.2, 1, 1000):
        m = make_map(sample=sample, directions=["w"], temperature=temperature, width=100, height=100)
        shares.append("".join(to_rows(m)).count("a") / 10_000)
    assert shares[0] > 0.95
    assert shares[1] == pytest.approx(0.75, abs=0.03)
    assert shares[2] == pytest.approx(0.5, abs=0.03)


def test_the_smallest_temperature_equals_zero() -> None:
    """Although its reciprocal overflows."""
    given: dict[str, Any] = {"sample": "village"}
    assert np.array_equal(make_map(temperature=5e-324, **given).cells, make_map(temperature=0, **given).cells)


def test_smoothing_mixes_smaller_contexts_in() -> None:
    """The tile above a is always b; with much smoothing, it is b as often as any tile."""
    sample = ["bc" * 20, "ab" * 20, "ca" * 20]
    followed = []
    for smoothing in (0, 1e6):
        rows = to_rows(
            make_map(sample=sample, backoff=["s"], smoothing=smoothing, repair_passes=0, width=60, height=60)
        )
        above = [upper[x] for upper, lower in pairwise(rows) for x in range(60) if lower[x] == "a"]
        followed.append(above.count("b") / len(above))
    assert followed[0] > 0.9
    assert followed[1] == pytest.approx(1 / 3, abs=0.05)


def test_smoothing_uses_products_of_contexts() -> None:
    """On a checkerboard, west and south determine the tile, also as independent contexts."""
    rows = to_rows(make_map(sample=["abab", "baba"] * 6, backoff=["w*s"], smoothing=1e-6, repair_passes=0, seed=4))
    alike = [one == other for row in rows for one, other in pairwise(row)]
    assert np.mean(alike) < 0.1


def test_the_backoff_order_decides() -> None:
    """The south determines alternating rows; the west determines alternating columns."""
    board = ["abab", "baba"] * 3
    by_south = to_rows(make_map(sample=["aaaa", "bbbb"] * 3, backoff=["s"], repair_passes=0))
    assert all(upper[0] != lower[0] for upper, lower in pairwise(by_south))
    by_west = to_rows(make_map(sample=board, backoff=["w"], repair_passes=0))
    assert all(one != other for row in by_west for one, other in pairwise(row))
    both = to_rows(make_map(sample=[*board, *[row[::-1] for row in board]], backoff=["w*s", "w"], repair_passes=0))
    assert all(one != other for row in both for one, other in pairwise(row))


# -- reproducibility --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"gibbs_sweeps": 2, "smoothing": 1, "temperature": 1.3}, {"scan": "spiral"}])
def test_the_hash_seed_does_not_matter(more: dict[str, Any]) -> None:
    program = (
        "import sys, json, tilewright as tw; from tilewright.core.provenance import digest;"
        "print(digest(tw.run(json.loads(sys.argv[1]))))"
    )
    data = {"technique": "markov", "params": {"sample": "awbw", **more}, "seed": "elsewhere"}
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    command = [sys.executable, "-c", program, json.dumps(data)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == digest(tw.run(data))


@pytest.mark.parametrize(
    "more", [{}, {"pieces": "chosen", "gibbs_sweeps": 1}, {"unknown": "keep", "directions": ["nw2"]}]
)
def test_maps_are_reproduced_from_their_recipes(more: dict[str, Any], tmp_path: Path) -> None:
    """Samples in a recipe have no tileset, but the recipe has: pieces are known and fit."""
    m = tw.make("markov", seed=3, **more)
    assert m.recipe is not None
    again = tw.run(json.loads(json.dumps(m.recipe.to_data())))
    assert again == m
    assert tw.measure(again, "misfits") == tw.measure(m, "misfits")
    m.save(tmp_path / "map.png")
    assert tw.verify(tmp_path / "map.png").outcome == "same"


# -- locks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scan", "corner"), SCANS)
def test_locks_hold_and_other_cells_change_with_the_seed(
    scan: Literal["rows", "columns", "spiral"], corner: Corner
) -> None:
    liked = tw.make("markov", seed=5)
    locks = liked.to_locks(np.s_[8:18, 5:15])
    maps = [tw.make("markov", seed=seed, scan=scan, corner=corner, locks=locks) for seed in (6, 7)]
    for m in maps:
        assert np.array_equal(m.cells[8:18, 5:15], liked.cells[8:18, 5:15])
    assert maps[0] != maps[1]


@pytest.mark.parametrize("tile", ["g", "~"])
@pytest.mark.parametrize("place", [(5, 5), (7, 2), (10, 0), (0, 0), (11, 9)])
def test_a_lock_ahead_fits_a_river(tile: str, place: tuple[int, int]) -> None:
    """All 2x2 blocks around it occur in the sample, although the scan reaches it late."""
    known, right = find_squares(RIVER.split()), 0
    for seed in range(40):
        rows = to_rows(make_map(height=10, seed=seed, locks=[[*place, tile]]))
        assert rows[place[1]][place[0]] == tile
        right += find_squares(crop_around(rows, *place)) <= known
    assert right >= 38


@pytest.mark.parametrize("place", [(7, 7), (4, 10), (11, 3), (3, 3), (12, 12)])
@pytest.mark.parametrize("tile", [".", ",", "~"])
@pytest.mark.parametrize(
    ("sample", "scan"), [(BEACHES, "rows"), (BEACHES, "columns"), (BEACHES, "spiral"), (STRIPES, "rows")]
)
def test_a_lock_inside_the_map_fits(sample: str, scan: str, tile: str, place: tuple[int, int]) -> None:
    """All 2x2 blocks within two cells of it occur in the sample: the tiles between it and the sea are in place."""
    assert count_fits(sample, place, tile, scan=scan) >= 0.95 * SEEDS


@pytest.mark.parametrize(
    ("sample", "tile", "place"),
    [
        *((BEACHES, "~", place) for place in ((7, 0), (0, 0), (7, 14), (14, 7))),
        *((STRIPES, tile, place) for tile in ".~" for place in ((7, 0), (7, 14))),
    ],
)
def test_a_lock_at_the_edge_fits_if_the_sample_has_its_tile_there(
    sample: str, tile: str, place: tuple[int, int]
) -> None:
    assert count_fits(sample, place, tile) >= 0.95 * SEEDS


def count_fits(sample: str, place: tuple[int, int], tile: str, **more: Any) -> int:
    """Return for how many of SEEDS seeds all 2x2 blocks around a locked cell occur in the sample."""
    known, count = find_squares(sample.split()), 0
    for seed in range(SEEDS):
        rows = to_rows(make_map(sample=sample, width=15, height=15, seed=seed, locks=[[*place, tile]], **more))
        assert rows[place[1]][place[0]] == tile
        count += find_squares(crop_around(rows, *place)) <= known
    return count


def test_a_lock_ahead_fits_better_than_one_painted_over() -> None:
    """The hardest case: a tile that occurs only inside sand, on islands so small that few 2x2 blocks are known."""
    known, right, painted, seen = find_squares(ISLES.split()), 0, 0, 0
    for seed in range(60):
        for x, y in ((5, 5), (7, 3)):
            rows = to_rows(make_map(sample=ISLES, height=10, seed=seed, locks=[[x, y, "g"]]))
            assert rows[y][x] == "g"
            right += find_squares(crop_around(rows, x, y)) <= known
            rows = to_rows(make_map(sample=ISLES, height=10, seed=seed))
            rows[y] = f"{rows[y][:x]}g{rows[y][x + 1 :]}"
            painted += find_squares(crop_around(rows, x, y)) <= known
            seen += 1
    assert right >= 0.75 * seen
    assert painted <= 0.2 * seen


def test_locks_of_tiles_that_are_not_in_the_samples() -> None:
    """They are kept and give no context to their neighbors."""
    for seed in range(10):
        m = make_map(sample="village", seed=seed, locks=[[3, 2, "water"], [4, 2, "water"]])
        assert [m.tileset[m.cells[2, x]].name for x in (3, 4)] == ["water", "water"]
        assert (m.cells == m.cells[2, 3]).sum() == 2


def test_locks_among_very_many_tiles() -> None:
    """Eight directions would make too many contexts, but the default directions do not."""
    m = make_map(sample=MANY, locks=[[3, 2, "17"]])
    assert m.tileset[m.cells[2, 3]].name == "17"


def test_a_fully_locked_map_is_unchanged() -> None:
    liked = tw.make("markov", seed=5)
    assert np.array_equal(
        tw.make("markov", seed=6, gibbs_sweeps=2, locks=liked.to_locks(np.s_[:, :])).cells, liked.cells
    )


def test_very_many_tiles_are_drawn_again() -> None:
    for more in ({"gibbs_sweeps": 2}, {"repair_passes": 3}, {"locks": [[3, 2, "17"]], "gibbs_sweeps": 1}):
        assert set(list_names(make_map(sample=MANY, **more))) <= set(map(str, range(256)))


def list_names(map: tw.TileMap) -> list[str]:
    return [map.tileset[tile].name for tile in np.unique(map.cells).tolist()]


# -- quality ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", ["learned", "chosen"])
def test_pieces_of_generated_maps_fit(pieces: str) -> None:
    recipe = tw.recipe("markov", pieces=pieces)
    for seed in range(100):
        assert tw.measure(tw.run(recipe, seed=seed), "misfits") == {"misfits": 0}


@pytest.mark.parametrize("pieces", ["learned", "chosen"])
def test_pieces_of_maps_like_published_ones_fit(pieces: str, reference: Path) -> None:
    """100 maps of 25x25 have no misfit and no unknown tile."""
    files = [f"awbw:{file}" for file in sorted((reference / "awbw").glob("*.csv"))]
    recipe = tw.recipe("markov", sample=files, pieces=pieces)
    assert isinstance(recipe.params, MarkovParams)
    unknown = [number for number, tile in enumerate(Samples.of(recipe.params.sample).tileset) if "unknown" in tile.name]
    for seed in range(100):
        m = tw.run(recipe, seed=seed)
        assert m.shape == (25, 25)
        assert tw.measure(m, "misfits") == {"misfits": 0}
        assert not np.isin(m.cells, unknown).any()


@pytest.mark.parametrize("name", ["awbw", "village"])
def test_maps_are_closer_to_the_samples_than_the_original_and_repairs_and_sweeps_help(name: str) -> None:
    """Compare means over the same seeds."""
    sample, seeds = Samples.of(name), range(40)
    original = np.mean([divergence(make_repaired(sample, seed), sample) for seed in seeds])
    variants: list[dict[str, Any]] = [{"repair_passes": 0}, {}, {"repair_passes": 4}, {"gibbs_sweeps": 4}]
    unrepaired, default, repaired_often, swept = (
        np.mean([divergence(tw.make("markov", sample=sample, seed=seed, **more), sample) for seed in seeds])
        for more in variants
    )
    assert default <= original
    assert swept < repaired_often < default < unrepaired


@pytest.mark.parametrize("name", ["awbw", "village"])
def test_repair_passes_reduce_unseen_squares(name: str) -> None:
    sample = Samples.of(name)
    known = {square for map in sample.maps for square in list_windows(np.array(sample.labels)[map], 2)}
    missing = []
    for passes in (0, 1, 4):
        maps = [
            tw.make("markov", sample=sample, repair_passes=passes, pieces="learned", seed=seed) for seed in range(10)
        ]
        names = [np.array([tile.name for tile in m.tileset])[m.cells] for m in maps]
        missing.append(sum(square not in known for map in names for square in list_windows(map, 2)))
    assert missing[2] < missing[1] < missing[0]


def test_known_squares_are_not_repaired() -> None:
    """The contexts of a checkerboard make no mistake, so repair passes do not change the map."""
    board = ["ab" * 6, "ba" * 6] * 4
    for seed in range(5):
        maps = [make_map(sample=board, repair_passes=passes, seed=seed) for passes in (0, 1, 5)]
        assert all(np.array_equal(m.cells, maps[0].cells) for m in maps)


# -- mistakes ---------------------------------------------------------------------------------------------------


def test_too_many_contexts_are_refused_before_the_work() -> None:
    with pytest.raises(TilewrightError, match="directions: 8 directions with 256 tiles"):
        tw.learn("markov", MANY, directions=AROUND)
    with pytest.raises(TilewrightError, match="directions: 8 directions with 256 tiles"):
        tw.recipe("markov", sample=MANY, directions=AROUND)


def test_models_that_do_not_fit_are_refused() -> None:
    model, other = tw.learn("markov", "village"), tw.learn("patterns", "village")
    with pytest.raises(TilewrightError, match="model: learned by patterns, not by markov"):
        tw.make("markov", model=other)
    with pytest.raises(TilewrightError, match="directions: is part of the model, so leave it out"):
        tw.make("markov", model=model, directions=["w"])


@pytest.mark.parametrize("members", [(1,), (7,), (12,), (0, 1, 2)])
def test_a_serpentine_scan_has_no_diagonal_stripes(members: tuple[int, ...]) -> None:
    """Coasts of maps learned from a few maps and their mirror images run along both diagonals equally often."""
    grids = [list(Samples.of("awbw"))[member] for member in members]
    maps = [tw.TileMap(grid.to_tile_ids(grid.tileset), grid.tileset) for grid in grids if grid.tileset]
    sample = [*maps, *(tw.shape(map, "flip") for map in maps)]
    size: dict[str, Any] = {"sample": sample, "width": 40, "height": 40}
    by_rows, serpentine = (
        np.mean([measure_slant(tw.make("markov", seed=seed, **size, **more)) for seed in range(20)])
        for more in (dict[str, Any](), {"serpentine": True})
    )
    assert by_rows > 0.015, "the scan slants coasts"
    assert abs(serpentine) < 0.008 < by_rows / 2


def measure_slant(map: tw.TileMap) -> float:
    """Return how much more often two cells both are sea, or both are not, along / than along \\."""
    sea = np.isin([tile.kind for tile in map.tileset], ("sea", "reef"))[map.cells]
    rising = [(sea[step:, :-step] == sea[:-step, step:]).mean() for step in range(1, 5)]
    falling = [(sea[step:, step:] == sea[:-step, :-step]).mean() for step in range(1, 5)]
    return float(np.mean(rising) - np.mean(falling))


@pytest.mark.parametrize("scan", ["rows", "columns"])
@pytest.mark.parametrize("corner", ["bottom left", "top right"])
def test_a_serpentine_scan_turns_after_every_line(scan: Any, corner: Any) -> None:
    p = MarkovParams(sample="village", scan=scan, corner=corner, serpentine=True, width=5, height=4)
    straight = order_places(p.turn, (4, 5))
    lines = straight.reshape(4, 5) if scan == "rows" else straight.reshape(5, 4)
    expected = np.concatenate([line if number % 2 == 0 else line[::-1] for number, line in enumerate(lines)])
    assert order_places(p.turn, (4, 5), serpentine=True).tolist() == expected.tolist()
    assert (np.abs(np.diff(expected)) <= 5 + 2 * MARGIN).all()
    # Every step of the straight scan's order is used, and so is its image for lines in the other direction.
    plain = MarkovParams(sample="village", scan=scan, corner=corner)
    assert set(plain.backoff_masks) < set(p.backoff_masks)
    assert len(set(p.backoff_masks)) == len(p.backoff_masks) == 18


def draw_rooms_in_a_void() -> list[str]:
    """Return a sample of rooms in a void, which absorbs rows that have no room."""
    cells = np.full((40, 60), "-")
    for x, y, width, height in ((4, 4, 12, 9), (24, 6, 14, 8), (42, 3, 10, 10), (6, 22, 13, 10), (28, 20, 12, 12)):
        cells[y : y + height, x : x + width] = "W"
        cells[y + 1 : y + height - 1, x + 1 : x + width - 1] = "F"
        cells[y + height // 2, x + width // 2] = "B"
    return ["".join(row) for row in cells]


def test_maps_are_not_absorbed_by_one_tile() -> None:
    sample = draw_rooms_in_a_void()
    void = np.mean([[glyph == "-" for glyph in row] for row in sample])
    for seed in range(12):
        map = tw.make("markov", sample=sample, width=30, height=30, seed=seed)
        rest = np.mean(np.array(map.tileset.names)[map.cells] != "-")
        assert rest >= 0.2 * (1 - void), seed


def test_maps_are_drawn_again_until_the_required_tiles_occur() -> None:
    sample, size = draw_rooms_in_a_void(), 26
    seeds = [
        seed
        for seed in range(10)
        if tw.make("markov", sample=sample, width=size, height=size, seed=seed).numbers["tiles_used"] < 4
    ]
    assert len(seeds) > 1
    for seed in seeds:
        map = tw.make("markov", sample=sample, width=size, height=size, min_coverage=0.75, seed=seed)
        assert map.numbers["coverage"] == map.numbers["tiles_used"] / 4 >= 0.75
    with pytest.raises(GaveUp, match=r"min_coverage: .* of the samples' tiles occur in the best map, but 100% are"):
        tw.make("markov", sample=sample, width=2, height=1, min_coverage=1, seed=1)
