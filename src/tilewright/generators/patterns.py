"""Evolved tile patterns (ETPKLDiv): a map with the same distribution of N x N patterns as a sample.

The map starts at random, with the tile frequencies of the sample. The patterns, 3x3 cells by default, are counted in
the map and in the sample, and an optimizer changes the map to minimize the Kullback-Leibler divergence between the two
distributions, in both directions: few patterns that are not in the sample, and few patterns of the sample that are
missing. A change takes the same time in a map of any size, because only the patterns around it are counted again.

Annealing, the default, lets structures of the sample grow. It takes a pattern of the map that also occurs in the
sample, and pastes the surroundings of that occurrence around it, or sets a single cell to what is beside it in the
sample. Worse maps are accepted with decreasing probability. A change that would copy a square of the sample longer than
three patterns is rejected; squares of one tile do not count. Evolution stamps patterns of the sample onto the map and
keeps a change if the map is not worse. Genetic also exchanges patches between the maps of a population. Large maps are
annealed in blocks on all processors; the cuts between blocks move at every stage, so no seams remain. Short annealing,
as in drafts, starts from a quilt: boxes of the sample that match where they overlap.

Limits: the result is not guaranteed; the map's numbers contain the remaining divergence. Nothing larger than a pattern
is learned, so rooms may be unconnected and ladders may be dead ends. Around locked tiles that are not in the sample, no
pattern can match.

Source: Lucas and Volz, "Tile pattern KL-divergence for analysing and evolving game levels", 2019; ETPKLDiv 0.5.0 by
Ahmed Khalifa. Quilts: Efros and Freeman, "Image quilting for texture synthesis and transfer", 2001.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from functools import partial
from itertools import product
from math import prod
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.patterns import Tiles
from ..analysis.sample_use import find_coverage, measure_sample_use
from ..core.entries import ByExample, technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ._patterns.params import PatternsParams, PatternsTrainingParams
from ._patterns.pattern_counter import BOXES_PER_BLOCK, PatternCounter, is_short
from ._patterns.runs import STAGES, Block, Run, has_blocks, improve, split_blocks
from ._patterns.sample_index import find_copy_limit, limits_copies
from ._patterns.target import TargetDistribution

Work: TypeAlias = Generator[Frame, None, Tiles]


@technique(
    PatternsParams,
    revision=3,
    tileset=lambda p: p.sample.tileset,
    tiles=lambda p: p.labels,
    extends_tileset=True,
    allow_unknown_lock_tiles=True,
    dimensions=(2, 3),
    bytes_per_cell=120,
    copies=lambda p: p.population * p.islands * len(p.split_steps()),
    cost=lambda p: p.steps * p.population * p.islands,
    quick={"iterations": 3000},
    training=lambda p: p.training,
    by_example=ByExample(
        knobs={"pattern_sizes": ((2,), (3,), (2, 3), (4,)), "iterations": (10_000, 100_000, 1_000_000, 10_000_000)},
        shared=("wrap", "wrap_sample", "sample_edges"),
        objective="divergence",
        note="has the patterns of the sample with similar frequencies",
    ),
    learn=PatternsTrainingParams,
    search_words=("example", "style", "drawing", "platformer", "mario", "level", "village"),
    main_param="quality",
    vary={},
)
def patterns(p: PatternsParams, site: Site, rng: Rng) -> Steps:
    lock_tiles, has_unknown = _read_locks(site)
    training = p.training
    p = p.choose_samples(rng.child("samples"))
    alone = p.islands == p.population == 1 and p.optimiser == "annealing"
    if alone and has_blocks(p.shape, _find_block_size(p)):
        tiles = yield from _optimize_blocks(p, lock_tiles, has_unknown, rng)
    else:
        tiles = yield from _optimize_whole(p, lock_tiles, has_unknown, rng)
    counter = PatternCounter(
        p.make_target(p.sides, has_unknown), [tiles], wrap=p.wrapped, weight=p.inter_weight, frozen=lock_tiles >= 0
    )
    final = {"divergence": counter.value}
    yield Frame(partial(_clip_unknown, p, counter.tiles()), _format_note(p, 1.0, counter.value), 1.0, final)
    labels = _clip_unknown(p, counter.tiles())
    numbers = {"divergence": counter.value, "steps": p.steps, **measure_sample_use(labels, training)}
    if p.min_coverage > 0:
        numbers["coverage"] = coverage = find_coverage(labels, p.training)
        if coverage < p.min_coverage:
            text = f"min_coverage: {coverage:.0%} of the sample's patterns occur, {p.min_coverage:.0%} are required"
            warnings.warn(f"{text}; use more iterations or make a larger map", stacklevel=2)
    return site.map(labels, numbers=numbers)


def _optimize_whole(p: PatternsParams, lock_tiles: NDArray[np.int64], has_unknown: bool, rng: Rng) -> Work:
    """Optimize complete maps, one or several, and return the best."""
    target = p.make_target(p.sides, has_unknown)
    # Annealed maps do not interact, so each is a separate run.
    members = 1 if p.optimiser == "annealing" else p.population
    runs: list[Run] = []
    for island, (part, steps) in product(range(p.islands * p.population // members), enumerate(p.split_steps())):
        own = rng.child("island", island)
        if part:
            own = own.child("run", part)
        starts = [_draw_start(target, lock_tiles, own.child("start", member)) for member in range(members)]
        counter = PatternCounter(
            target, starts, wrap=p.wrapped, weight=p.inter_weight, frozen=lock_tiles >= 0, max_stamps=p.max_stamps
        )
        if p.optimiser == "annealing" and is_short(steps, counter.free.size):
            for _ in counter.quilt(own.child("quilt"), BOXES_PER_BLOCK):
                yield Frame(partial(_clip_unknown, p, counter.tiles()), "start", 0.0)
        runs.append(Run(counter, own, steps, steps, optimiser=p.optimiser, noise=p.noise))
        best = _find_best(runs)
        yield Frame(
            partial(_clip_unknown, p, best.tiles()), _format_note(p, 0.0, best.value), 0.0, {"divergence": best.value}
        )
    # Runs continue while a frame is shown, so frames show copies.
    seen = [(run.counter.value, run.counter.tiles().copy()) for run in runs]
    done = np.zeros(len(runs))
    for number, run in improve(runs):
        seen[number] = run.counter.value, run.counter.tiles().copy()
        done[number] = run.done
        value, tiles = min(seen, key=itemgetter(0))
        share = float(done.sum()) / max(1, sum(run.steps for run in runs))
        yield Frame(partial(_clip_unknown, p, tiles), _format_note(p, share, value), share, {"divergence": value})
    return _find_best(runs).tiles()


def _optimize_blocks(p: PatternsParams, lock_tiles: NDArray[np.int64], has_unknown: bool, rng: Rng) -> Work:
    """Optimize a large map in blocks on all processors, with other blocks at every stage."""
    target = p.make_target(p.sides, has_unknown)
    tiles = _draw_start(target, lock_tiles, rng.child("start"))
    shown, mean = partial(_clip_unknown, p, tiles), np.nan
    size, reach = _find_block_size(p), _find_reach(p)
    yield Frame(shown, "start", 0.0)
    if is_short(p.steps, int(np.count_nonzero(lock_tiles < 0))):
        counter = PatternCounter(target, [tiles], wrap=p.wrapped, weight=p.inter_weight, frozen=lock_tiles >= 0)
        for _ in counter.quilt(rng.child("quilt"), 1):
            yield Frame(partial(_clip_unknown, p, counter.tiles()), "start", 0.0)
        tiles[...] = counter.tiles()
        del counter
    for stage in range(STAGES):
        numbered = list(enumerate(split_blocks(stage, p.shape, size, reach, p.wrapped, p.sides)))
        blocks = [
            (rng.child(f"stage {stage}", number), block) for number, block in numbered if _find_steps(block, p, stage)
        ]
        # No block contains a cell that another one changes, so it does not matter when each run starts.
        runs = (
            _make_run(block, p, stage, tiles=tiles, lock_tiles=lock_tiles, has_unknown=has_unknown, rng=own)
            for own, block in blocks
        )
        values, shares = np.full(len(blocks), mean), np.zeros(len(blocks))
        for number, run in improve(runs):
            blocks[number][1].put(tiles, run.counter.tiles())
            values[number] = run.counter.value
            shares[number] = run.done * STAGES / run.steps - stage
            mean, share = float(np.nanmean(values)), (stage + float(shares.mean())) / STAGES
            yield Frame(shown, _format_note(p, share, mean), share, {"divergence": mean})
    return tiles


def _find_reach(p: PatternsParams) -> int:
    """Return the number of frozen cells between two blocks, so that no pattern and no copied square overlaps both."""
    target = p.make_target(p.sides, has_unknown=False)
    return find_copy_limit(target) - 1 if limits_copies(target) else max(p.sizes) - 1


def _find_block_size(p: PatternsParams) -> int:
    """Return the edge length of blocks, of which at least half can change."""
    return max(p.block_size, 2 * _find_reach(p))


def _make_run(
    block: Block,
    p: PatternsParams,
    stage: int,
    *,
    tiles: Tiles,
    lock_tiles: NDArray[np.int64],
    has_unknown: bool,
    rng: Rng,
) -> Run:
    """Return the run of a block at a stage."""
    frozen = block.frozen | (block.extract(lock_tiles) >= 0)
    target = p.make_target(block.sides, has_unknown)
    counter = PatternCounter(target, [block.extract(tiles)], wrap=block.wrap, weight=p.inter_weight, frozen=frozen)
    steps = _find_steps(block, p, stage)
    return Run(counter, rng, p.steps * block.cells // prod(p.shape), steps.stop, done=steps.start)


def _find_steps(block: Block, p: PatternsParams, stage: int) -> range:
    """Return the range of a block's annealing steps that belong to a stage."""
    steps = p.steps * block.cells // prod(p.shape)
    return range(steps * stage // STAGES, steps * (stage + 1) // STAGES)


def _format_note(p: PatternsParams, share: float, divergence: float) -> str:
    return f"step {int(share * p.steps):,}, divergence {divergence:.4f}"


def _clip_unknown(p: PatternsParams, tiles: Tiles) -> Tiles:
    """Return tiles as label indices, with an arbitrary label for locked tiles that are not in the sample."""
    return tiles.clip(max=len(p.labels) - 1)


def _find_best(runs: list[Run]) -> PatternCounter:
    return min((run.counter for run in runs), key=lambda counter: counter.rank)


def _draw_start(target: TargetDistribution, lock_tiles: NDArray[np.int64], rng: Rng) -> Tiles:
    """Return a random map with the tile frequencies of the samples and the locked tiles."""
    locked = np.where(lock_tiles < target.tiles, lock_tiles, target.unknown_tile)
    return np.where(lock_tiles >= 0, locked, target.draw_map(lock_tiles.shape, rng))


def _read_locks(site: Site) -> tuple[NDArray[np.int64], bool]:
    """Return the label of every locked cell, or -1, and whether any locked tile is not in the sample.

    Locked tiles that are not in the sample get the label after the last one.
    """
    lock_tiles = np.full(site.shape, -1, dtype=np.int64)
    cells, ids = site.locked_tiles
    labels = site.label_tiles(missing=len(site.labels))[ids]
    lock_tiles.reshape(-1)[cells] = labels
    lacking = np.unique(ids[labels == len(site.labels)])
    if len(cells) == lock_tiles.size:
        warnings.warn("locks: every cell is locked, so there is nothing to generate", stacklevel=2)
    if lacking.size:
        names = ", ".join(repr(site.tileset[number].name) for number in lacking.tolist())
        warnings.warn(f"locks: the sample has no {names}, so no pattern around it can match", stacklevel=2)
    return lock_tiles, bool(lacking.size)
