"""Markov model learned from examples: every cell draws a random tile, given the neighbors that are already drawn.

Learning counts how often each tile of the samples occurs with each combination of neighbors, for every set of
directions. The outside of a map counts as a neighbor too. Generation scans the map by rows from the bottom left, or as
the parameters say. Each cell tries the largest context first and backs off to smaller ones until it finds a context
that occurs in the samples. It then draws a tile with its frequency in that context. The last step, the overall
frequency of the tiles, always succeeds. Near a locked cell that is still ahead of the scan, a lookahead prefers tiles
from which the locked tile can be reached. In the end, cells around locks are drawn again until they fit.

Repair passes draw cells of 2x2 blocks that occur in no sample again, given all eight neighbors. Gibbs sweeps draw every
cell again. Both use the four 2x2 blocks that contain a cell (Gibbs sampling in Kikuchi's approximation) and remove
artifacts of the scan direction.

If the tileset has joined pieces, such as rivers and roads, fitting pieces are chosen in the end. A piece that cannot
fit is replaced by its fallback tile.

A map that one tile has almost filled, although it does not fill the samples, is drawn again, up to eight times.

Limits: the model knows only the neighborhood of a cell. Islands, roads and rivers have the right texture but no
purpose.

Source: Snodgrass and Ontanon, "Experiments in map generation using Markov chains", 2014; the default directions and
backoff order are those of PCG-AdvanceWarsMap; Kikuchi, "A theory of cooperative phenomena", 1951, for the sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import dilate
from ..analysis.sample_use import MIN_VARIETY, find_variety, measure_sample_use
from ..autotile.fitting import fit_pieces
from ..core.entries import ByExample, technique
from ..core.errors import ANOTHER_SEED, Fix, GaveUp
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, block_size, split_blocks
from ..core.tilemap import DeferredNumbers, adopt_cells
from ..kernels.markov import Lookahead, ScanArrays, draw_map, draw_tiles, find_unseen, resample_tiles
from ..kernels.types import Int64_1D, Int64_2D, Uint16_1D
from ._markov.contexts import ContextCounts, Contexts, pad_map
from ._markov.directions import MARGIN, order_places
from ._markov.lookahead import NO_CHANCES, make_lookahead
from ._markov.params import MarkovParams, MarkovTrainingParams

BLOCK = 1 << 15
"""Number of cells between two frames."""
FRAMES = 8
"""Number of frames per block of cells."""
MAX_DRAWS = 8
"""Maximum number of maps drawn to find one that is not absorbed by a tile and has the required tiles."""
LOCK_RADIUS, MAX_LOCK_REPAIRS = 4, 40
"""Distance from locked cells within which misfits are drawn again, and the maximum number of passes."""


@technique(
    MarkovParams,
    tileset=lambda p: p.tileset,
    tiles=lambda p: p.labels,
    allow_unknown_lock_tiles=True,
    revision=2,
    bytes_per_cell=44,
    cost=lambda p: prod(p.shape) * (1 + p.repair_passes + p.gibbs_sweeps),
    training=lambda p: p.training,
    by_example=ByExample(
        knobs={
            "temperature": (0.3, 0.6, 1.0, 1.5, 2.0),
            "gibbs_sweeps": (0, 1, 4, 16, 64),
            "repair_passes": (0, 1, 4, 16),
        },
        note="draws cell by cell, and is the fastest and the least exact",
    ),
    learn=MarkovTrainingParams,
    search_words=("example", "style", "drawing", "platformer", "mario", "level", "war"),
    main_param="temperature",
)
def markov(p: MarkovParams, site: Site, rng: Rng) -> Steps:
    context_counts, steps = p.get_context_counts(site.tileset, site.ids)
    order = order_places(p.turn, (p.height, p.width), serpentine=p.serpentine)
    labels, lost = yield from _draw_until_varied(p, site, context_counts, steps, order, rng)
    numbers = DeferredNumbers(
        partial(_measure, labels, p, context_counts, lost)
    )  # measuring a small map takes as long as drawing it
    if not site.tileset.joints:
        return site.map(labels, numbers=numbers)
    locked = site.locked if site.has_locks else None
    ids = fit_pieces(site.to_tile_ids(labels), site.tileset, locked, keep=p.pieces == "learned")
    return adopt_cells(ids, site.tileset, numbers=numbers)


def _measure(labels: NDArray[np.uint16], p: MarkovParams, context_counts: ContextCounts, lost: int) -> dict[str, float]:
    """Return the numbers of a map."""
    numbers = measure_sample_use(labels, p.training)
    if p.min_coverage > 0:
        numbers["coverage"] = _find_coverage(labels, context_counts)
    if p.unknown == "keep":
        numbers["unknown"] = float(lost)
    return numbers


def _draw_until_varied(
    p: MarkovParams, site: Site, context_counts: ContextCounts, steps: Int64_2D, order: Int64_1D, rng: Rng
) -> Generator[Frame, None, tuple[NDArray[np.uint16], int]]:
    """Draw maps until one has the required tiles and is not absorbed by one tile; return the last or the best map.

    Some samples have a tile, such as the void around rooms, that is almost always surrounded by itself. Once a row has
    only this tile, the following rows rarely leave it. The result also has the number of cells without a known context.
    """
    free = ~site.locked if site.has_locks else None
    best, best_score = None, (-1.0, -1.0)
    for attempt in range(MAX_DRAWS if p.temperature > 0 else 1):
        own = rng if attempt == 0 else rng.child("draw", attempt)
        labels, lost = yield from _draw(p, site, context_counts, steps, order, own)
        variety = find_variety(labels if free is None else labels[free], p.sample)
        coverage = _find_coverage(labels, context_counts) if p.min_coverage > 0 else 0.0
        score = min(coverage, p.min_coverage), min(variety, MIN_VARIETY)
        if score > best_score:
            best, best_score = (labels, lost), score
        if score == (p.min_coverage, MIN_VARIETY):
            break
    assert best is not None
    if best_score[0] < p.min_coverage:
        raise _make_coverage_error(p, best_score[0])
    return best


def _find_coverage(labels: NDArray[np.uint16], context_counts: ContextCounts) -> float:
    """Return the fraction of the samples' tiles that occur in a map."""
    return float(np.isin(context_counts.label_ids, labels).mean())


def _make_coverage_error(p: MarkovParams, best: float) -> GaveUp:
    """Return the error for maps with too few of the samples' tiles."""
    text = (
        f"min_coverage: {best:.0%} of the samples' tiles occur in the best map, but {p.min_coverage:.0%} are required"
    )
    fixes = Fix("set", ("min_coverage",), int(100 * best) / 100), ANOTHER_SEED
    return GaveUp(f"{text}; ask for less, or make a larger map", tries=MAX_DRAWS, fixes=fixes)


def _draw(
    p: MarkovParams, site: Site, context_counts: ContextCounts, steps: Int64_2D, order: Int64_1D, rng: Rng
) -> Generator[Frame, None, tuple[NDArray[np.uint16], int]]:
    """Draw a map; return its labels and the number of cells without a known context."""
    rounds = p.gibbs_sweeps + p.repair_passes
    is_plain = not site.has_locks and p.smoothing == 0 and p.unknown == "never"
    if is_plain and len(order) * (1 + rounds) <= block_size("markov", BLOCK):
        cells = yield from _draw_at_once(p, site, context_counts, steps, order, rng)
        lost = 0
    else:
        cells, lost = yield from _draw_in_blocks(p, site, context_counts, steps, order, rng)
    return _to_labels(context_counts, cells, p), lost


def _draw_at_once(
    p: MarkovParams, site: Site, context_counts: ContextCounts, steps: Int64_2D, order: Int64_1D, rng: Rng
) -> Generator[Frame, None, Uint16_1D]:
    """Draw a small map without locks by one kernel; return the padded flat map."""
    contexts = context_counts.contexts
    kinds = ["sweep"] * p.gibbs_sweeps + ["repair"] * p.repair_passes
    rounds = np.empty((1 + len(kinds), (p.width + 2 * MARGIN) * (p.height + 2 * MARGIN)), dtype=np.uint16)
    squares, parts = context_counts.squares if kinds else (contexts, steps)
    streams = np.empty((len(kinds), 2), dtype=np.uint64)
    for number in range(len(kinds)):
        streams[number] = rng.child("again", number).state
    scan, again = _new_scan(contexts, rounds[0], p, steps), _new_scan(squares, rounds[0], p, parts)
    draw_map(scan, again, rounds, order, p.temperature, rng.state, streams, p.gibbs_sweeps)
    if site.is_watched:
        yield from _show_scan(partial(_to_labels, context_counts, rounds[0], p), order, slice(0, len(order)), p)
        for number, kind in enumerate(kinds):
            yield Frame(partial(_to_labels, context_counts, rounds[number], p), kind, 1.0)
    last: Uint16_1D = rounds[-1]
    return last


def _draw_in_blocks(
    p: MarkovParams, site: Site, context_counts: ContextCounts, steps: Int64_2D, order: Int64_1D, rng: Rng
) -> Generator[Frame, None, tuple[Uint16_1D, int]]:
    """Draw a map in blocks of cells; return the padded flat map and the number of cells without a known context."""
    cells, locked_mask, lookahead = _make_start(context_counts, site, order)
    shown = partial(_to_labels, context_counts, cells, p)
    scan, lost = _new_scan(context_counts.contexts, cells, p, steps), 0
    for block in split_blocks("markov", BLOCK, len(order)):
        lost += draw_tiles(scan, locked_mask, order[block], lookahead, p.smoothing, p.temperature, rng.state)
        yield from _show_scan(shown, order, block, p)
    if p.gibbs_sweeps or p.repair_passes or site.has_locks:
        yield from _resample(p, site, context_counts, cells, locked_mask, order, rng)
    return cells, lost


def _new_scan(contexts: Contexts, cells: Uint16_1D, p: MarkovParams, steps: Int64_2D) -> ScanArrays:
    """Return the arrays of a padded flat map for the kernels."""
    scratch = np.empty((3, contexts.arrays.digits - 2))
    return ScanArrays(contexts.arrays, cells, contexts.flat_offsets(p.width), steps, scratch)


def _show_scan(
    shown: Callable[[Int64_1D], NDArray[np.uint16]], order: Int64_1D, block: slice, p: MarkovParams
) -> Iterator[Frame]:
    """Yield frames that show a block of the scan; the cells after it are shown as cells without a tile."""
    for done in range(block.start, block.stop, max(1, (block.stop - block.start) // FRAMES)):
        yield Frame(partial(shown, order[done:]), p.scan, done / len(order))


def _make_start(
    context_counts: ContextCounts, site: Site, order: Int64_1D
) -> tuple[Uint16_1D, NDArray[np.uint8], Lookahead]:
    """Return the padded flat map with only the locked cells, the mask of these cells, and the lookahead.

    A locked tile that is not in the samples gives no context to its neighbors.
    """
    rows, columns = site.shape
    labels = np.full((rows, columns), -1, dtype=np.int64)
    size = (rows + 2 * MARGIN) * (columns + 2 * MARGIN)
    if not site.has_locks:
        nothing = Lookahead(np.full(size, -1, dtype=np.int32), NO_CHANCES)
        return pad_map(labels, len(context_counts.label_ids)), np.zeros(size, dtype=np.uint8), nothing
    learned = np.full(len(site.tileset), -1, dtype=np.int64)
    own = site.ids[: len(context_counts.learned_ids)]
    learned[own[::-1]] = context_counts.learned_ids[::-1]  # the first label wins where two share a tile
    cells, ids = site.locked_tiles
    labels.reshape(-1)[cells] = learned[ids]
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(len(order))
    inner = rank.reshape(rows + 2 * MARGIN, -1)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    locked_mask = np.pad(site.locked, MARGIN).view(np.uint8).reshape(-1)
    lookahead = make_lookahead(context_counts, labels, inner)
    return pad_map(labels, len(context_counts.label_ids)), locked_mask, lookahead


def _to_labels(
    context_counts: ContextCounts, cells: Uint16_1D, p: MarkovParams, pending: Int64_1D | None = None
) -> NDArray[np.uint16]:
    """Return the cells as labels. Cells without a tile get `unknown` if it is kept, else the most common label.

    `pending` are cells still to be drawn, which count as cells without a tile.
    """
    table = context_counts.digit_labels
    if p.unknown == "keep":
        table = np.concatenate([[len(context_counts.learned_ids)], table[1:]]).astype(np.uint16)
    if pending is not None:
        cells = cells.copy()
        cells[pending] = 0
    return table[cells.reshape(-1, p.width + 2 * MARGIN)[MARGIN:-MARGIN, MARGIN:-MARGIN]]


def _resample(
    p: MarkovParams,
    site: Site,
    context_counts: ContextCounts,
    cells: Uint16_1D,
    locked_mask: NDArray[np.uint8],
    order: Int64_1D,
    rng: Rng,
) -> Iterator[Frame]:
    """Draw all cells again (sweeps), then those in 2x2 blocks that occur in no sample, then those near locks."""
    contexts, squares = context_counts.squares
    scan, found = _new_scan(contexts, cells, p, squares), np.empty_like(order)
    shown = partial(_to_labels, context_counts, cells, p)
    free = order[(locked_mask[order] == 0) & (cells[order] != 0)] if locked_mask.any() or p.unknown == "keep" else order
    rounds = [("sweep", free)] * p.gibbs_sweeps + [("repair", free)] * p.repair_passes
    if site.has_locks:
        near = np.pad(dilate(site.locked, LOCK_RADIUS), MARGIN).reshape(-1)
        rounds += [("near locks", free[near[free]])] * MAX_LOCK_REPAIRS
    for number, (stage, places) in enumerate(rounds):
        if stage != "sweep":
            places = found[: find_unseen(scan, places, found)].copy()
        if stage == "near locks":
            places = _add_neighbors(places, free, cells.size, p.width + 2 * MARGIN)
        if not places.size:
            continue
        places = places[np.argsort(rng.child("again", number).randoms(len(places)), kind="stable")]
        for block in split_blocks("markov", BLOCK, len(places)):
            yield Frame(shown, stage, 1.0)
            resample_tiles(scan, places[block], p.temperature, rng.state)


def _add_neighbors(places: Int64_1D, free: Int64_1D, size: int, width: int) -> Int64_1D:
    """Return places of a flat map and their eight neighbors, restricted to `free`."""
    marks = np.zeros(size, dtype=np.bool_)
    for shift in (-width - 1, -width, -width + 1, -1, 0, 1, width - 1, width, width + 1):
        marks[places + shift] = True
    return free[marks[free]]
