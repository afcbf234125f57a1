"""Markov maps beside plain versions of the same algorithm, with dictionaries, as the original (PCG-AdvanceWarsMap) is.

Both learn the same contexts and back off in the same order. How good maps are is compared with the original's own
order, its lookup mended: the largest context that is known among west, south west, south and south east. Its unknown
cells are filled up with what is most common, which is no answer: a map of plains alone is far from its samples.

Times of 25x25 without mends are of the same algorithm as the peer's, which leaves pieces as they come; with them, of
what one gets without asking. For the original itself 4.8 ms a map is on record, from a machine that is not this one; it
is named beside the rows, and takes no part in their ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.core.grid import Grid
from tilewright.core.samples import Samples
from tilewright.core.seeds import Rng
from tilewright.generators._markov.context_counts import find_contexts
from tilewright.generators._markov.directions import SEED_BACKOFF, SEED_DIRECTIONS, STEPS

from .row import Row, best_times

PLAIN = "a plain version with dictionaries"
ORIGINAL = 4.8
"""Milliseconds for a map of 25x25 that are on record for the original itself, from another machine."""
REPAIRED = "the original's algorithm, its lookup mended"
REPAIRED_BACKOFF = ("w+sw+s+se", "w+sw+s", "w+s+se", "w+s", "w*s", "w", "s", "sw", "se")
TILES = 5000
"""To learn from."""
SEEDS = range(50)
"""Over which divergences are taken together."""
EDGE, NOTHING = -1, -2
Rows = list[list[int]]
Subset = tuple[int, ...]
"""Positions in the five directions."""
Key = tuple[Subset, tuple[int, ...]]
Shares = dict[Key, dict[int, float]]
"""For every context the share of each tile."""
SUBSETS = [subset for size in range(6) for subset in combinations(range(5), size)]
AROUND = [STEPS[name] for name in SEED_DIRECTIONS]


def rows() -> Iterator[Row]:
    sample = cut_samples(TILES)
    maps: list[Rows] = [map.tolist() for map in sample.maps]
    cells = sum(map.size for map in sample.maps)
    _check_counts(sample, maps)
    ours, peer = best_times(partial(_learn_ours, sample), partial(learn_plainly, maps), rounds=7)
    yield _compare(f"markov, learning {cells:,} tiles, five directions, 32 contexts a cell", ours, peer, 10)

    bare = Samples([Grid(sample.labels, map) for map in sample.maps])
    _check_maps(bare)
    plain = partial(draw_plainly, learn_plainly(maps), plain_steps(SEED_BACKOFF), 25, 25, random=Random(7).random)
    for what, at_least, params in (
        ("the same algorithm, tiles without joints", 20, {"sample": bare, "repair_passes": 0}),
        ("the same algorithm, then pieces fitted", 20, {"sample": sample, "repair_passes": 0}),
        ("as it is by default, mended, then pieces fitted", 20, {"sample": sample}),
    ):
        ours, peer = best_times(_make_twenty(tw.recipe("markov", **params)), partial(_repeat, 20, plain), rounds=7)
        yield _compare(
            f"markov 25x25, tw.run, {what} (the original, on record: {ORIGINAL} ms)", ours / 20, peer / 20, at_least
        )

    (time,) = best_times(partial(tw.make, "markov", width=1000, height=1000, seed=7), rounds=3)
    yield Row(what="markov 1000x1000, tw.make", unit="s", ours=time, at_most=1)
    for name in ("awbw", "village"):
        yield from _compare_divergences(name)


def _compare(what: str, ours: float, peer: float, at_least: float) -> Row:
    return Row(what=what, unit="ms", ours=ours * 1e3, peer=peer * 1e3, peer_name=PLAIN, at_least=at_least)


def cut_samples(tiles: int) -> Samples:
    """Built-in maps, as many of them as have so many tiles, the last one cut."""
    grids = []
    for grid in Samples.of("awbw"):
        rows = min(grid.shape[0], -(-tiles // grid.shape[1]))
        grids.append(Grid(grid.labels, grid.cells[:rows], grid.tileset))
        tiles -= rows * grid.shape[1]
        if tiles <= 0:
            break
    return Samples(grids)


def _learn_ours(sample: Samples) -> Any:
    find_contexts.cache_clear()
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
    """Of 2x2 windows, means over seeds."""
    sample = Samples.of(name)
    peer = float(np.mean([divergence(make_repaired(sample, seed), sample) for seed in SEEDS]))
    for what, params in (("", {}), (" and 4 sweeps", {"gibbs_sweeps": 4})):
        recipe = tw.recipe("markov", sample=sample, **params)
        ours = float(np.mean([divergence(tw.run(recipe, seed=seed), sample) for seed in SEEDS]))
        yield Row(
            what=f"{name} 25x25 by markov{what}, divergence of 2x2 windows",
            unit="nats",
            ours=ours,
            peer=peer,
            peer_name=REPAIRED,
            at_least=1.0,
        )


def divergence(map: tw.TileMap, sample: Samples) -> float:
    return tw.measure(map, "divergence", like=sample, pattern_size=2)["divergence"]


def make_repaired(sample: Samples, seed: int) -> tw.TileMap:
    """A map of 25x25 by the original's algorithm, its lookup mended, and unknown cells filled up.

    It draws the random numbers that ours draws, so that luck does not decide which of both is better.
    """
    shares = _learn_in_order(sample)
    random = Rng.of(seed).child("markov").random
    drawn = np.array(draw_plainly(shares, plain_steps(REPAIRED_BACKOFF)[:-1], 25, 25, random=random))
    common = shares[(), ()]
    drawn[drawn == NOTHING] = max(common, key=lambda tile: common[tile])
    ids = np.array([sample.tileset.by_name[word] for word in sample.labels])
    return tw.TileMap(ids[drawn].astype(sample.tileset.dtype), sample.tileset)


@cache
def _learn_in_order(sample: Samples) -> Shares:
    """What the plain version learns, with the tiles of every context in the order in which ours draws from them."""
    shares = learn_plainly([map.tolist() for map in sample.maps])
    return {key: dict(sorted(seen.items())) for key, seen in shares.items()}


# -- the peer ---------------------------------------------------------------------------------------------------


def count_plainly(maps: Sequence[Rows]) -> dict[Key, dict[int, int]]:
    """How often each tile stands where which neighbours stand, in every set of the five directions."""
    counts: dict[Key, dict[int, int]] = {}
    for map in maps:
        for row, tiles in enumerate(map):
            for column, tile in enumerate(tiles):
                around = _neighbours(map, row, column)
                for subset in SUBSETS:
                    key = subset, tuple([around[number] for number in subset])
                    seen = counts.setdefault(key, {})
                    seen[tile] = seen.get(tile, 0) + 1
    return counts


def learn_plainly(maps: Sequence[Rows]) -> Shares:
    shares: Shares = {}
    for key, seen in count_plainly(maps).items():
        total = sum(seen.values())
        shares[key] = {tile: count / total for tile, count in seen.items()}
    return shares


def draw_plainly(
    shares: Shares,
    steps: Sequence[Sequence[Subset]],
    width: int,
    height: int,
    *,
    random: Callable[[], float],
) -> Rows:
    """A map by rows from the bottom left; each cell asks one step after the other until one knows an answer."""
    map = [[NOTHING] * width for _ in range(height)]
    for row in range(height - 1, -1, -1):
        for column in range(width):
            around = _neighbours(map, row, column)
            for step in steps:
                if seen := _combine_shares(shares, around, step):
                    map[row][column] = _draw(seen, random())
                    break
    return map


def plain_steps(backoff: Sequence[str]) -> list[list[Subset]]:
    """An order of backing off as positions in the five directions; at last how common tiles are anywhere."""
    place = {name: number for number, name in enumerate(SEED_DIRECTIONS)}
    steps = [[tuple(sorted(place[name] for name in part.split("+"))) for part in step.split("*")] for step in backoff]
    return [*steps, [()]]


def _neighbours(map: Rows, row: int, column: int) -> list[int]:
    rows, columns = len(map), len(map[0])
    around = []
    for down, right in AROUND:
        there, beside = row + down, column + right
        around.append(map[there][beside] if 0 <= there < rows and 0 <= beside < columns else EDGE)
    return around


def _combine_shares(shares: Shares, around: Sequence[int], step: Sequence[Subset]) -> dict[int, float]:
    """What a step knows; several contexts are multiplied, and divided by how common the tiles are anywhere."""
    found = []
    for subset in step:
        seen = shares.get((subset, tuple([around[number] for number in subset])))
        if seen is None:
            return {}
        found.append(seen)
    if len(found) == 1:
        return found[0]
    first, *others = found
    anywhere, product = shares[(), ()], {}
    for tile, share in first.items():
        for other in others:
            share *= other.get(tile, 0.0) / anywhere[tile]
        if share > 0:
            product[tile] = share
    return product


def _draw(shares: dict[int, float], mark: float) -> int:
    mark *= sum(shares.values())
    for tile, share in shares.items():
        mark -= share
        if mark < 0:
            return tile
    return tile


# -- both do the same -------------------------------------------------------------------------------------------


def _check_counts(sample: Samples, maps: Sequence[Rows]) -> None:
    contexts, counts = _learn_ours(sample), count_plainly(maps)
    words = {word: number for number, word in enumerate((*sample.labels, "edge"))} | {"edge": EDGE}
    place = {name: number for number, name in enumerate(SEED_DIRECTIONS)}
    assert len(contexts) == len(counts)
    for neighbours, seen in contexts:
        found = sorted((place[name], words[word]) for name, word in neighbours.items())
        key = tuple(number for number, _ in found), tuple(tile for _, tile in found)
        assert counts[key] == {words[word]: count for word, count in seen.items()}


def _check_maps(sample: Samples) -> None:
    shares = _learn_in_order(sample)
    for seed in range(5):
        rng = Rng.of(seed).child("markov")
        drawn = draw_plainly(shares, plain_steps(SEED_BACKOFF), 25, 25, random=rng.random)
        map = tw.make("markov", sample=sample, repair_passes=0, seed=seed)
        own = [[sample.labels.index(map.tileset[tile].name) for tile in row] for row in map.cells.tolist()]
        assert own == drawn
