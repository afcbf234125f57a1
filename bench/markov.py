"""Markov maps compared with plain versions of the same algorithm with dictionaries, like PCG-AdvanceWarsMap.

Both learn the same contexts and back off in the same order. The quality of maps is compared with the order of the
original, with its lookup corrected: the largest known context among west, south west, south and south east. Cells
without a known context get the most common tile.

Without repair, the times for 25x25 are of the same algorithm as the peer's, which does not autotile. With repair, they
are of the default settings. The published time of the original, 4.8 ms per map, was measured on another machine. It is
named in the rows, but not part of their ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.core.caching import shared_cache
from tilewright.core.grid import Grid
from tilewright.core.samples import Samples
from tilewright.core.seeds import Rng
from tilewright.generators._markov.directions import SEED_BACKOFF, SEED_DIRECTIONS, STEPS

from .row import Row, best_times

PLAIN = "a plain version with dictionaries"
ORIGINAL = 4.8
"""Milliseconds of the original for a map of 25x25, measured on another machine."""
REPAIRED = "the original's algorithm, its lookup corrected"
REPAIRED_BACKOFF = ("w+sw+s+se", "w+sw+s", "w+s+se", "w+s", "w*s", "w", "s", "sw", "se")
TILES = 5000
"""Number of tiles to learn from."""
SEEDS = range(50)
"""Seeds over which divergences are averaged."""
EDGE, NOTHING = -1, -2
Rows = list[list[int]]
Subset = tuple[int, ...]
"""Indices of the five directions."""
Key = tuple[Subset, tuple[int, ...]]
Fractions = dict[Key, dict[int, float]]
"""Fraction of each tile, for each context."""
SUBSETS = [subset for size in range(6) for subset in combinations(range(5), size)]
OFFSETS = [STEPS[name] for name in SEED_DIRECTIONS]


def rows() -> Iterator[Row]:
    sample = cut_samples(TILES)
    maps: list[Rows] = [map.tolist() for map in sample.maps]
    cells = sum(map.size for map in sample.maps)
    _check_counts(sample, maps)
    ours, peer = best_times(partial(_learn_ours, sample), partial(learn_plainly, maps), rounds=7)
    yield _compare(f"markov, learning {cells:,} tiles, five directions, 32 contexts per cell", ours, peer, 10)

    bare = Samples([Grid(sample.labels, map) for map in sample.maps])
    _check_maps(bare)
    plain = partial(draw_plainly, learn_plainly(maps), plain_steps(SEED_BACKOFF), 25, 25, random=Random(7).random)
    for what, at_least, params in (
        ("the same algorithm, without autotiling", 20, {"sample": bare, "repair_passes": 0}),
        ("the same algorithm, with autotiling", 20, {"sample": sample, "repair_passes": 0}),
        ("default settings, with repair and autotiling", 10, {"sample": sample}),
    ):
        ours, peer = best_times(_make_twenty(tw.recipe("markov", **params)), partial(_repeat, 20, plain), rounds=7)
        yield _compare(
            f"markov 25x25, tw.run, {what} (original, measured elsewhere: {ORIGINAL} ms)",
            ours / 20,
            peer / 20,
            at_least,
        )

    (time,) = best_times(partial(tw.make, "markov", width=1000, height=1000, seed=7), rounds=3)
    yield Row(what="markov 1000x1000, tw.make", unit="s", ours=time, at_most=1)
    for name in ("awbw", "village"):
        yield from _compare_divergences(name)


def _compare(what: str, ours: float, peer: float, at_least: float) -> Row:
    return Row(what=what, unit="ms", ours=ours * 1e3, peer=peer * 1e3, peer_name=PLAIN, at_least=at_least)


def cut_samples(tiles: int) -> Samples:
    """Return built-in maps with a number of tiles in total, the last one cut."""
    grids = []
    for grid in Samples.of("awbw"):
        rows = min(grid.shape[0], -(-tiles // grid.shape[1]))
        grids.append(Grid(grid.labels, grid.cells[:rows], grid.tileset))
        tiles -= rows * grid.shape[1]
        if tiles <= 0:
            break
    return Samples(grids)


def _learn_ours(sample: Samples) -> Any:
    shared_cache.clear()
    return tw.learn("markov", sample).params.contexts  # type: ignore[attr-defined]


def _make_twenty(recipe: tw.Recipe) -> Callable[[], None]:
    def twenty() -> None:
        for seed in range(20):
            tw.run(recipe, seed=seed)

    return twenty


def _repeat(count: int, work: Callable[[], object]) -> None:
    for _ in range(count):
        work()


def _compare_divergences(name: str) -> Iterator[Row]:
    """Yield the mean divergence of 2x2 patterns over seeds."""
    sample = Samples.of(name)
    peer = float(np.mean([divergence(make_repaired(sample, seed), sample) for seed in SEEDS]))
    for what, params in (("", {}), (" and 4 Gibbs sweeps", {"gibbs_sweeps": 4})):
        recipe = tw.recipe("markov", sample=sample, **params)
        ours = float(np.mean([divergence(tw.run(recipe, seed=seed), sample) for seed in SEEDS]))
        yield Row(
            what=f"{name} 25x25 by markov{what}, divergence of 2x2 patterns",
            unit="nats",
            ours=ours,
            peer=peer,
            peer_name=REPAIRED,
            at_least=1.0,
        )


def divergence(map: tw.TileMap, sample: Samples) -> float:
    return tw.measure(map, "divergence", like=sample, pattern_size=2)["divergence"]


def make_repaired(sample: Samples, seed: int) -> tw.TileMap:
    """Return a map of 25x25 by the original algorithm with corrected lookup, unknown cells filled.

    It uses the same random numbers as ours, so that the comparison does not depend on luck.
    """
    fractions = _learn_in_order(sample)
    random = Rng.of(seed).child("markov").random
    cells = np.array(draw_plainly(fractions, plain_steps(REPAIRED_BACKOFF)[:-1], 25, 25, random=random))
    frequencies = fractions[(), ()]
    cells[cells == NOTHING] = max(frequencies, key=lambda tile: frequencies[tile])
    ids = np.array([sample.tileset.by_name[label] for label in sample.labels])
    return tw.TileMap(ids[cells].astype(sample.tileset.dtype), sample.tileset)


@cache
def _learn_in_order(sample: Samples) -> Fractions:
    """Return what the plain version learns, with the tiles of each context in the order in which ours draws them."""
    fractions = learn_plainly([map.tolist() for map in sample.maps])
    return {key: dict(sorted(seen.items())) for key, seen in fractions.items()}


# -- the peer ---------------------------------------------------------------------------------------------------


def count_plainly(maps: Sequence[Rows]) -> dict[Key, dict[int, int]]:
    """Count each tile by the neighbors in every subset of the five directions."""
    counts: dict[Key, dict[int, int]] = {}
    for map in maps:
        for row, tiles in enumerate(map):
            for column, tile in enumerate(tiles):
                neighbors = _read_neighbors(map, row, column)
                for subset in SUBSETS:
                    key = subset, tuple([neighbors[number] for number in subset])
                    seen = counts.setdefault(key, {})
                    seen[tile] = seen.get(tile, 0) + 1
    return counts


def learn_plainly(maps: Sequence[Rows]) -> Fractions:
    fractions: Fractions = {}
    for key, seen in count_plainly(maps).items():
        total = sum(seen.values())
        fractions[key] = {tile: count / total for tile, count in seen.items()}
    return fractions


def draw_plainly(
    fractions: Fractions,
    steps: Sequence[Sequence[Subset]],
    width: int,
    height: int,
    *,
    random: Callable[[], float],
) -> Rows:
    """Draw a map row by row from the bottom left; each cell uses the first backoff step with a known context."""
    map = [[NOTHING] * width for _ in range(height)]
    for row in range(height - 1, -1, -1):
        for column in range(width):
            neighbors = _read_neighbors(map, row, column)
            for step in steps:
                if seen := _combine_fractions(fractions, neighbors, step):
                    map[row][column] = _draw(seen, random())
                    break
    return map


def plain_steps(backoff: Sequence[str]) -> list[list[Subset]]:
    """Convert a backoff order to indices of the five directions; the last step is the tile frequency."""
    place = {name: number for number, name in enumerate(SEED_DIRECTIONS)}
    steps = [[tuple(sorted(place[name] for name in part.split("+"))) for part in step.split("*")] for step in backoff]
    return [*steps, [()]]


def _read_neighbors(map: Rows, row: int, column: int) -> list[int]:
    rows, columns = len(map), len(map[0])
    neighbors = []
    for down, right in OFFSETS:
        y, x = row + down, column + right
        neighbors.append(map[y][x] if 0 <= y < rows and 0 <= x < columns else EDGE)
    return neighbors


def _combine_fractions(fractions: Fractions, neighbors: Sequence[int], step: Sequence[Subset]) -> dict[int, float]:
    """Return the tile fractions of a step; those of several contexts are multiplied and divided by the frequencies."""
    found = []
    for subset in step:
        seen = fractions.get((subset, tuple([neighbors[number] for number in subset])))
        if seen is None:
            return {}
        found.append(seen)
    if len(found) == 1:
        return found[0]
    first, *others = found
    frequencies, product = fractions[(), ()], {}
    for tile, fraction in first.items():
        for other in others:
            fraction *= other.get(tile, 0.0) / frequencies[tile]
        if fraction > 0:
            product[tile] = fraction
    return product


def _draw(fractions: dict[int, float], threshold: float) -> int:
    threshold *= sum(fractions.values())
    for tile, fraction in fractions.items():
        threshold -= fraction
        if threshold < 0:
            return tile
    return tile


# -- agreement of both ------------------------------------------------------------------------------------------


def _check_counts(sample: Samples, maps: Sequence[Rows]) -> None:
    contexts, counts = _learn_ours(sample), count_plainly(maps)
    label_ids = {label: number for number, label in enumerate((*sample.labels, "edge"))} | {"edge": EDGE}
    place = {name: number for number, name in enumerate(SEED_DIRECTIONS)}
    assert len(contexts) == len(counts)
    for neighbors, seen in contexts:
        found = sorted((place[name], label_ids[label]) for name, label in neighbors.items())
        key = tuple(number for number, _ in found), tuple(tile for _, tile in found)
        assert counts[key] == {label_ids[label]: count for label, count in seen.items()}


def _check_maps(sample: Samples) -> None:
    fractions = _learn_in_order(sample)
    for seed in range(5):
        rng = Rng.of(seed).child("markov")
        expected = draw_plainly(fractions, plain_steps(SEED_BACKOFF), 25, 25, random=rng.random)
        map = tw.make("markov", sample=sample, repair_passes=0, seed=seed)
        own = [[sample.labels.index(map.tileset[tile].name) for tile in row] for row in map.cells.tolist()]
        assert own == expected
