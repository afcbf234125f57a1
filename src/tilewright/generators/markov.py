"""Markov maps: every cell draws its tile by what samples have beside the tiles that stand around it already.

Learning counts, for every cell of the samples and every set of the directions in which a cell looks, which tile stands
there beside which; what lies beyond the edge of a map is a neighbour too. Making goes over the map by rows from the
bottom left, or as told. Each cell asks the largest context first, then smaller ones, in the order of backing off, and
the first that the samples know answers: it draws a tile as often as it was seen there. At last its share anywhere
answers, so that no cell stays unknown. A locked cell that is yet to come is foreseen: tiles are preferred from which a
way leads to it, going by what was seen beside what, and around it cells are drawn again at the end until they fit.

Mends draw cells once more, given all eight neighbours, where a square of two by two is none of the samples; sweeps draw
every cell once more. Either goes by the four squares that a cell is part of (Gibbs sampling in Kikuchi's
approximation), and removes what going one way over the map leaves behind.

Where the tileset's tiles are pieces that must go on, such as rivers and roads, pieces are chosen at the end so that all
of them fit; what cannot fit gives way to the ground.

Limits: it knows nothing beyond a cell's neighbourhood: islands, roads and rivers have the right texture, not a purpose.

Source: Snodgrass and Ontanon, "Experiments in map generation using Markov chains", 2014; the directions and the order
of backing off are those of PCG-AdvanceWarsMap; Kikuchi, "A theory of cooperative phenomena", 1951, for the sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..autotile.fitting import fit_pieces
from ..core.registry import ByExample, technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..kernels.blocks import block_size
from ..kernels.markov import Digits, Lookahead, Numbers, draw_smoothed, draw_tiles, find_unseen, resample_tiles
from ._markov.context_counts import ContextCounts
from ._markov.contexts import MARGIN, pad_map
from ._markov.lookahead import NO_CHANCES, make_lookahead
from ._markov.params import MarkovParams, MarkovTrainingParams
from ._markov.scan import order_places

FRAMES = 8
"""Shown of each block: what is drawn in order can be shown in parts afterwards."""
LOCK_RADIUS, MAX_LOCK_REPAIRS = 4, 40
"""How far from locked cells, and how often at most, cells are drawn again that do not fit."""


@technique(
    MarkovParams,
    tileset=lambda p: p.tileset,
    tiles=lambda p: p.labels,
    allow_unknown_lock_tiles=True,
    bytes_per_cell=40,
    cost=lambda p: prod(p.shape) * (1 + p.repair_passes + p.gibbs_sweeps),
    by_example=ByExample(
        knobs={
            "temperature": (0.3, 0.6, 1.0, 1.5, 2.0),
            "gibbs_sweeps": (0, 1, 4, 16, 64),
            "repair_passes": (0, 1, 4, 16),
        },
        note="grows cell by cell, the quickest and the freest",
    ),
    learn=MarkovTrainingParams,
)
def markov(p: MarkovParams, site: Site, rng: Rng) -> Steps:
    context_counts, steps = p.get_context_counts(site.tileset, site.ids)
    order = order_places(p.turn, (p.height, p.width))
    cells, held, lookahead = _make_start(context_counts, site, order)
    shown = partial(_to_labels, context_counts, cells, p)
    contexts, lost = context_counts.contexts, 0
    shifts = contexts.flat_offsets(p.width)
    for first, block in _split_blocks(order):
        given = contexts.arrays, cells, held, block, shifts, steps, lookahead
        if p.smoothing > 0:
            lost += draw_smoothed(*given, p.smoothing, p.temperature, rng.state, context_counts.scratch)
        else:
            lost += draw_tiles(*given, p.temperature, rng.state, context_counts.scratch)
        for done in range(first, first + len(block), max(1, len(block) // FRAMES)):
            yield Frame(partial(shown, order[done:]), p.scan, done / len(order))
    if p.gibbs_sweeps or p.repair_passes or site.has_locks:
        yield from _resample(p, site, context_counts, cells, held, order, rng)
    map = site.map(shown(), numbers={"unknown": lost} if p.unknown == "keep" else None)
    if not site.tileset.joints:
        return map
    locked = site.locked if site.has_locks else None
    return map.replace(cells=fit_pieces(map.cells, site.tileset, locked, keep=p.pieces == "learned"))


def _make_start(
    context_counts: ContextCounts, site: Site, order: Numbers
) -> tuple[Digits, NDArray[np.uint8], Lookahead]:
    """Return the locked cells as digits of learned words, flat within a margin; where they are; and the lookahead.

    A locked tile that the samples lack is no context of its neighbors.
    """
    rows, columns = site.shape
    words = np.full((rows, columns), -1, dtype=np.int64)
    size = (rows + 2 * MARGIN) * (columns + 2 * MARGIN)
    if not site.has_locks:
        nothing = Lookahead(np.full(size, -1, dtype=np.int32), NO_CHANCES)
        return pad_map(words, len(context_counts.label_ids)), np.zeros(size, dtype=np.uint8), nothing
    learned = np.full(len(site.tileset), -1, dtype=np.int64)
    own = site.ids[: len(context_counts.learned_ids)]
    learned[own[::-1]] = context_counts.learned_ids[::-1]  # the first word wins where two share a tile
    locked = site.locked
    words[locked] = learned[site.to_tile_ids(np.zeros(site.shape, dtype=np.uint8))[locked]]
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(len(order))
    inner = rank.reshape(rows + 2 * MARGIN, -1)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    held = np.pad(locked, MARGIN).view(np.uint8).reshape(-1)
    return pad_map(words, len(context_counts.label_ids)), held, make_lookahead(context_counts, words, inner)


def _to_labels(
    context_counts: ContextCounts, cells: Digits, p: MarkovParams, to_come: Numbers | None = None
) -> NDArray[np.uint16]:
    """The cells as words; those without a tile as unknown, or, like those yet to come, as what is most common."""
    table = context_counts.digit_labels
    if p.unknown == "keep":
        table = np.concatenate([[len(context_counts.learned_ids)], table[1:]]).astype(np.uint16)
    if to_come is not None:
        cells = cells.copy()
        cells[to_come] = 0
    return table[cells.reshape(-1, p.width + 2 * MARGIN)[MARGIN:-MARGIN, MARGIN:-MARGIN]]


def _split_blocks(order: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The places in parts, each with how many come before it."""
    size = block_size("markov")
    for first in range(0, len(order), size):
        yield first, order[first : first + size]


def _resample(
    p: MarkovParams,
    site: Site,
    context_counts: ContextCounts,
    cells: Digits,
    held: NDArray[np.uint8],
    order: Numbers,
    rng: Rng,
) -> Iterator[Frame]:
    """Sweeps over all cells, then over those in squares that the samples lack, at last over those near locks."""
    contexts, squares = context_counts.squares
    shifts, found = contexts.flat_offsets(p.width), np.empty_like(order)
    shown = partial(_to_labels, context_counts, cells, p)
    free = order[(held[order] == 0) & (cells[order] != 0)] if held.any() or p.unknown == "keep" else order

    def list_unseen(places: Numbers) -> Numbers:
        return found[: find_unseen(contexts.arrays, cells, places, shifts, squares, found)].copy()

    rounds = [("sweep", free)] * p.gibbs_sweeps + [("mend", free)] * p.repair_passes
    if site.has_locks:
        near = np.pad(_dilate(site.locked, LOCK_RADIUS), MARGIN).reshape(-1)
        rounds += [("near locks", free[near[free]])] * MAX_LOCK_REPAIRS
    for number, (what, places) in enumerate(rounds):
        if what != "sweep":
            places = list_unseen(places)
        if what == "near locks":
            places = _add_neighbors(places, free, cells.size, p.width + 2 * MARGIN)
        if not places.size:
            continue
        places = places[np.argsort(rng.child("again", number).randoms(len(places)), kind="stable")]
        for _, block in _split_blocks(places):
            yield Frame(shown, what, 1.0)
            resample_tiles(
                contexts.arrays, cells, block, shifts, squares, p.temperature, rng.state, context_counts.scratch
            )


def _add_neighbors(places: Numbers, free: Numbers, size: int, width: int) -> Numbers:
    """Some places of a flat map with all that lie around them and are free."""
    marks = np.zeros(size, dtype=np.bool_)
    for shift in (-width - 1, -width, -width + 1, -1, 0, 1, width - 1, width, width + 1):
        marks[places + shift] = True
    return free[marks[free]]


def _dilate(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """The cells of a mask and all that are near it."""
    wide = np.pad(mask, reach)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(windows.any(axis=(-1, -2)))
