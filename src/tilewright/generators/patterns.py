"""Tile patterns: a map whose windows are distributed as those of a sample, however it is put together.

The map starts at random, its tiles as common as in the sample. All windows of 3x3 cells, or other sizes, are counted in
the map and in the sample, and the map is changed until the two counts diverge as little as can be, in both directions:
no window that the sample lacks, none of the sample's missing, each about as often. A change costs the same time in a
map of any size, because only the windows around it are counted again.

Annealing, the default, gives any cell any tile, now and then puts a whole window of the sample somewhere or moves a box
by a cell, and allows worse maps the less the longer it goes on. At last, blocks that stand in the sample as they are,
over three windows long, get something else into their midst. Evolution puts windows of the sample anywhere and keeps
what is no worse; genetic lets maps of a population exchange patches as well. Large maps are made in parts, on all
processors, and cut otherwise at every stage, so that no seam is left.

Limits: it promises to try, not to succeed; the divergence that is left is among the map's numbers. Nothing larger than
a window is learned: rooms may stay apart, and ladders lead nowhere. Locked tiles that the sample lacks make windows
that can never be right.

Source: Lucas and Volz, "Tile pattern KL-divergence for analysing and evolving game levels", 2019; ETPKLDiv 0.5.0 by
Ahmed Khalifa, whose missing features these are.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from functools import partial
from itertools import chain
from math import prod
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.patterns import Tiles
from ..core.registry import ByExample, technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ._patterns.blocks import STAGES, Block, has_blocks, split_blocks
from ._patterns.novelty import break_copies
from ._patterns.params import PatternsParams, PatternsTrainingParams
from ._patterns.pattern_counter import PatternCounter
from ._patterns.runs import Run, improve
from ._patterns.target import TargetDistribution

Work: TypeAlias = Generator[Frame, None, Tiles]


@technique(
    PatternsParams,
    tileset=lambda p: p.sample.tileset,
    tiles=lambda p: p.labels,
    extends_tileset=True,
    allow_unknown_lock_tiles=True,
    dimensions=(2, 3),
    bytes_per_cell=120,
    copies=lambda p: p.population * p.islands,
    cost=lambda p: p.steps * p.population * p.islands,
    quick={"iterations": 3000},
    training=lambda p: p.training,
    by_example=ByExample(
        knobs={"pattern_sizes": ((2,), (3,), (2, 3), (4,)), "iterations": (10_000, 100_000, 1_000_000, 10_000_000)},
        shared=("wrap", "wrap_sample"),
        objective="divergence",
        note="has the windows of the sample, each about as often",
    ),
    learn=PatternsTrainingParams,
)
def patterns(p: PatternsParams, site: Site, rng: Rng) -> Steps:
    lock_tiles, has_unknown = _read_locks(site)
    alone = p.islands == p.population == 1 and p.optimiser == "annealing"
    if alone and has_blocks(p.shape, p.block_size):
        tiles = yield from _optimize_blocks(p, lock_tiles, has_unknown, rng)
    else:
        tiles = yield from _optimize_whole(p, lock_tiles, has_unknown, rng)
    counter = PatternCounter(
        p.make_target(p.sides, has_unknown), [tiles], wrap=p.wrapped, weight=p.inter_weight, frozen=lock_tiles >= 0
    )
    more = p.optimiser == "annealing" and p.wrap_sample == "none"
    for _ in chain([0.0], break_copies(counter, p.steps, rng.child("novelty")) if more else ()):
        note = _format_note(p, 1.0, counter.value) + (", novelty" if more else "")
        yield Frame(partial(_clip_unknown, p, counter.tiles()), note, 1.0, {"divergence": counter.value})
    return site.map(_clip_unknown(p, counter.tiles()), numbers={"divergence": counter.divergence(0), "steps": p.steps})


def _optimize_whole(p: PatternsParams, lock_tiles: NDArray[np.int64], has_unknown: bool, rng: Rng) -> Work:
    """All cells at once; several maps side by side, if there are to be several."""
    target = p.make_target(p.sides, has_unknown)
    # Annealing has no use for maps that know each other: each is a run of its own.
    members = 1 if p.optimiser == "annealing" else p.population
    runs: list[Run] = []
    for number in range(p.islands * p.population // members):
        own = rng.child("island", number)
        starts = [_draw_start(target, lock_tiles, own.child("start", member)) for member in range(members)]
        counter = PatternCounter(
            target, starts, wrap=p.wrapped, weight=p.inter_weight, frozen=lock_tiles >= 0, max_stamps=p.max_stamps
        )
        runs.append(Run(counter, own, p.steps, p.steps, optimiser=p.optimiser, noise=p.noise))
        best = _find_best(runs)
        yield Frame(
            partial(_clip_unknown, p, best.tiles()), _format_note(p, 0.0, best.value), 0.0, {"divergence": best.value}
        )
    # Other runs go on while a frame is looked at: it shows what was copied when each of them had its turn.
    seen = [(run.counter.value, run.counter.tiles().copy()) for run in runs]
    done = np.zeros(len(runs))
    for number, run in improve(runs):
        seen[number] = run.counter.value, run.counter.tiles().copy()
        done[number] = run.done
        value, tiles = min(seen, key=itemgetter(0))
        share = float(done.mean()) / max(1, p.steps)
        yield Frame(partial(_clip_unknown, p, tiles), _format_note(p, share, value), share, {"divergence": value})
    return _find_best(runs).tiles()


def _optimize_blocks(p: PatternsParams, lock_tiles: NDArray[np.int64], has_unknown: bool, rng: Rng) -> Work:
    """The parts of a large map, on all processors, at every stage other ones."""
    tiles = _draw_start(p.make_target(p.sides, has_unknown), lock_tiles, rng.child("start"))
    shown, reach, mean = partial(_clip_unknown, p, tiles), max(p.sizes) - 1, np.nan
    yield Frame(shown, "start", 0.0)
    for stage in range(STAGES):
        numbered = list(enumerate(split_blocks(stage, p.shape, p.block_size, reach, p.wrapped, p.sides)))
        parts = [
            (rng.child(f"stage {stage}", number), part) for number, part in numbered if _find_steps(part, p, stage)
        ]
        # A part sees nothing of another that changes, so that it may begin when others have ended.
        runs = (
            _make_run(part, p, stage, tiles=tiles, lock_tiles=lock_tiles, has_unknown=has_unknown, rng=own)
            for own, part in parts
        )
        values, shares = np.full(len(parts), mean), np.zeros(len(parts))
        for number, run in improve(runs):
            parts[number][1].put(tiles, run.counter.tiles())
            values[number] = run.counter.value
            shares[number] = run.done * STAGES / run.steps - stage
            mean, share = float(np.nanmean(values)), (stage + float(shares.mean())) / STAGES
            yield Frame(shown, _format_note(p, share, mean), share, {"divergence": mean})
    return tiles


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
    """What a part does at a stage."""
    frozen = block.frozen | (block.extract(lock_tiles) >= 0)
    target = p.make_target(block.sides, has_unknown)
    counter = PatternCounter(target, [block.extract(tiles)], wrap=block.wrap, weight=p.inter_weight, frozen=frozen)
    steps = _find_steps(block, p, stage)
    return Run(counter, rng, p.steps * block.cells // prod(p.shape), steps.stop, done=steps.start)


def _find_steps(block: Block, p: PatternsParams, stage: int) -> range:
    """Those of a part at a stage, of all that it would have."""
    steps = p.steps * block.cells // prod(p.shape)
    return range(steps * stage // STAGES, steps * (stage + 1) // STAGES)


def _format_note(p: PatternsParams, share: float, divergence: float) -> str:
    return f"step {int(share * p.steps):,}, divergence {divergence:.4f}"


def _clip_unknown(p: PatternsParams, tiles: Tiles) -> Tiles:
    """Tiles as words; locked ones that the sample lacks as any."""
    return tiles.clip(max=len(p.labels) - 1)


def _find_best(runs: list[Run]) -> PatternCounter:
    return min((run.counter for run in runs), key=lambda counter: counter.value)


def _draw_start(target: TargetDistribution, lock_tiles: NDArray[np.int64], rng: Rng) -> Tiles:
    """Every cell by chance, tiles as common as in the samples; locked cells as they must be."""
    locked = np.where(lock_tiles < target.tiles, lock_tiles, target.unknown_tile)
    return np.where(lock_tiles >= 0, locked, target.draw_map(lock_tiles.shape, rng))


def _read_locks(site: Site) -> tuple[NDArray[np.int64], bool]:
    """The locked cells as words, those of tiles that the sample lacks as one word more, -1 where a cell is free."""
    lock_tiles = np.full(site.shape, -1, dtype=np.int64)
    if not site.has_locks:
        return lock_tiles, False
    ids = site.to_tile_ids(np.zeros(site.shape, dtype=np.uint8))
    table = np.full(len(site.tileset), len(site.labels), dtype=np.int64)
    table[site.ids[::-1]] = np.arange(len(site.ids))[::-1]  # the first word wins where two share a tile
    locked = site.locked
    lock_tiles[locked] = table[ids[locked]]
    lacking = np.unique(ids[locked & (lock_tiles == len(site.labels))])
    if locked.all():
        warnings.warn("locks: every cell is locked, so that there is nothing to make", stacklevel=2)
    if lacking.size:
        names = ", ".join(repr(site.tileset[number].name) for number in lacking.tolist())
        warnings.warn(f"locks: the sample has no {names}, so that no window around it can be right", stacklevel=2)
    return lock_tiles, bool(lacking.size)
