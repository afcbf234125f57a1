"""Markov maps: every cell draws its tile by what samples have beside the tiles that stand around it already.

Learning counts, for every cell of the samples and every set of the directions in which a cell looks, which tile stands
there beside which; what lies beyond the edge of a map is a neighbour too. Making goes over the map by rows from the
bottom left, or as told. Each cell asks the largest context first, then smaller ones, in the order of backing off, and
the first that the samples know answers: it draws a tile as often as it was seen there. At last its share anywhere
answers, so that no cell stays unknown. A locked cell that is yet to come is foreseen: tiles are preferred that it was
seen beside, and around it cells are drawn again at the end.

Sweeps draw every cell once more, given all eight neighbours, by the four squares of two by two that it is part of
(Gibbs sampling in Kikuchi's approximation): they remove what going one way over the map leaves behind.

Where the tileset's tiles are pieces that must go on, such as rivers and roads, pieces are chosen at the end so that all
of them fit; what cannot fit gives way to the ground.

Limits: it knows nothing beyond a cell's neighbourhood: islands, roads and rivers have the right texture, not a purpose.

Source: Snodgrass and Ontanon, "Experiments in map generation using Markov chains", 2014; the directions and the order
of backing off are those of PCG-AdvanceWarsMap; Kikuchi, "A theory of cooperative phenomena", 1951, for the sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..kernels.markov import Digits, Numbers, draw_tiles, resample_tiles
from ..shaping._fitting import fitted
from ._markov.contexts import MARGIN, spread
from ._markov.lesson import Lesson
from ._markov.params import MarkovLearned, MarkovParams
from ._markov.scan import places_in_order

BLOCKS = 8
BLOCK_CELLS = 1 << 15
"""Between two frames: an eighth of a small map, and of a large one a few hundredths of a second."""
NEAR_LOCKS, SWEEPS_NEAR_LOCKS = 2, 4
"""How far from locked cells, and how often, cells are drawn again."""


@technique(
    MarkovParams,
    tileset=lambda p: p.tileset,
    tiles=lambda p: p.words,
    strange_locks=True,
    bytes_per_cell=40,
    learn=MarkovLearned,
)
def markov(p: MarkovParams, site: Site, rng: Rng) -> Steps:
    lesson = p.lesson(site.tileset, site.ids)
    cells, ahead = _begun(lesson, site)
    shown = partial(_words, lesson, cells, p)
    order = places_in_order(p.turn, (p.height, p.width))
    contexts, lost = lesson.contexts, 0
    shifts = contexts.shifts(p.width)
    for share, block in _blocks(order):
        yield Frame(shown, p.scan, share)
        lost += draw_tiles(
            *(contexts.found, cells, ahead, block, shifts, contexts.weights, p.steps),
            *(p.smoothing, p.temperature, rng.state, lesson.room),
        )
    for number, again in enumerate(_sweeps(p, site, order, rng)):
        contexts, squares = lesson.squares
        shifts = contexts.shifts(p.width)
        for _, block in _blocks(again[cells[again] != 0]):
            yield Frame(shown, f"sweep {number + 1}", 1.0)
            resample_tiles(
                *(contexts.found, cells, block, shifts, contexts.weights, squares),
                *(p.temperature, rng.state, lesson.room),
            )
    map = site.map(shown(), numbers={"unknown": lost} if p.unknown == "keep" else None)
    if not site.tileset.joints:
        return map
    locked = site.locked if site.has_locks else None
    return map.replaced(cells=fitted(map.cells, site.tileset, locked, keep=p.pieces == "learned"))


def _begun(lesson: Lesson, site: Site) -> tuple[Digits, NDArray[np.uint8]]:
    """The locked cells as digits of learned words, flat within their margin, and where they are.

    A locked tile that the samples lack tells its neighbours nothing.
    """
    held = np.full(site.shape, -1, dtype=np.int64)
    ahead = np.zeros(site.shape, dtype=np.uint8)
    if site.has_locks:
        ahead[:] = site.locked
        words = np.full(len(site.tileset), -1, dtype=np.int64)
        own = site.ids[: len(lesson.learned)]
        words[own[::-1]] = lesson.learned[::-1]  # the first word wins where two share a tile
        held[site.locked] = words[site.painted(np.zeros(site.shape, dtype=np.uint8))[site.locked]]
    return spread(held, len(lesson.words)), np.pad(ahead, MARGIN).reshape(-1)


def _words(lesson: Lesson, cells: Digits, p: MarkovParams) -> NDArray[np.uint16]:
    """The cells as words; those without a tile as unknown, or on the way as what is most common."""
    digits = cells.reshape(-1, p.width + 2 * MARGIN)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    nothing = len(lesson.learned) if p.unknown == "keep" else lesson.commonest
    table = np.array([nothing, *lesson.words.tolist()], dtype=np.uint16)
    return table[digits]


def _blocks(order: Numbers) -> Iterator[tuple[float, Numbers]]:
    """The places in parts, and the share of them that is done before each."""
    size = max(1, min(BLOCK_CELLS, -(-len(order) // BLOCKS)))
    for first in range(0, len(order), size):
        yield first / len(order), order[first : first + size]


def _sweeps(p: MarkovParams, site: Site, order: Numbers, rng: Rng) -> Iterator[Numbers]:
    """The places of every sweep in an order by chance, none of them locked; at last those near locked cells."""
    near, free = [order] * p.sweeps, order
    if site.has_locks:
        locked = site.locked
        free = order[~np.pad(locked, MARGIN).reshape(-1)[order]]
        around = _grown(locked, NEAR_LOCKS)
        near = [free] * p.sweeps + [free[np.pad(around, MARGIN).reshape(-1)[free]]] * SWEEPS_NEAR_LOCKS
    for number, places in enumerate(near):
        yield places[np.argsort(rng.child("sweep", number).randoms(len(places)), kind="stable")]


def _grown(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """The cells of a mask and all that are near it."""
    wide = np.pad(mask, reach)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(windows.any(axis=(-1, -2)))
