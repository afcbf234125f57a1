"""The methods by which a maze links its places. Each works on a Ground and gives the share done between blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import gcd

import numpy as np

from ...core.seeds import Rng
from ...kernels.maze import (
    DONE,
    FRESH,
    INSIDE,
    LEFT,
    PHASE,
    PLACE,
    SIZE,
    START,
    WALK,
    Bytes,
    Places,
    State,
    backtrack,
    divide,
    gather,
    kruskal,
    list_edges,
    prim,
    shuffle,
    wilson,
)
from .maze_grid import Ground

FRAMES = 80
"""About as many pictures of a growing maze, however large it is."""
BLOCK = 1 << 19
"""Steps between two yields at most: a few hundredths of a second."""
STEPS_PER_PLACE = 64
"""Wilson's walks may take so many steps for each place, times the digits of their number in binary."""

Method = Callable[[Ground, Rng], Iterator[float]]


def in_blocks(go_on: Callable[[int], bool], state: State, steps: int, whole: int) -> Iterator[float]:
    """Go on by a kernel until it is done; between two blocks, the share of the whole that state[DONE] is."""
    block = max(1, min(BLOCK, -(-steps // FRAMES)))
    while go_on(block):
        yield min(1.0, float(state[DONE]) / max(1, whole))


def _state() -> State:
    return np.zeros(LEFT + 1, dtype=np.int64)


def _grown(kernel: Callable[..., bool], ground: Ground, rng: Rng, steps_per_place: int) -> Iterator[float]:
    """By a kernel that grows a maze from any place, and from another one where it cannot go on."""
    seen = _closed(ground)
    stack: Places = np.empty(ground.count, dtype=np.int32)
    state = _state()
    start = rng.below(ground.count)
    if seen[start] == FRESH:
        state[SIZE], stack[0], seen[start] = 1, start, INSIDE
    go_on = partial(
        kernel, ground.possible, ground.links, seen, ground.above, stack, rng.state, state, ground.columns
    )  # fmt: skip
    yield from in_blocks(go_on, state, steps_per_place * ground.count, ground.count)


def _backtracker(ground: Ground, rng: Rng) -> Iterator[float]:
    return _grown(backtrack, ground, rng, 2)


def _prim(ground: Ground, rng: Rng) -> Iterator[float]:
    return _grown(prim, ground, rng, 1)


def _kruskal(ground: Ground, rng: Rng) -> Iterator[float]:
    return _spanned(ground, rng, first=None)


def _wilson(ground: Ground, rng: Rng) -> Iterator[float]:
    """Loop-erased random walks; what they have not reached when their steps are spent is linked as by Kruskal."""
    seen = _closed(ground)
    if ground.has_locks:  # the maze may be in parts, and a walk ends only where something is inside
        parts: Places = np.empty(ground.count, dtype=np.int32)
        gather(ground.possible, parts, ground.columns)
        seen[parts == np.arange(ground.count)] = INSIDE
    else:
        seen[(ground.rows // 2) * ground.columns + ground.columns // 2] = INSIDE
    way = np.zeros(ground.count, dtype=np.uint8)
    state = _state()
    state[LEFT] = STEPS_PER_PLACE * ground.count * ground.count.bit_length()
    go_on = partial(
        wilson, ground.possible, ground.links, seen, ground.above, way, rng.state, state,
        _stride(ground.count), ground.columns,
    )  # fmt: skip
    ground.sketch = partial(_walked, ground, way, state)
    yield from in_blocks(go_on, state, 12 * ground.count, ground.count)
    ground.sketch = None
    if not seen.all():
        yield from _spanned(ground, rng, first=None)


def _walked(ground: Ground, way: Bytes, state: State) -> Bytes:
    """The links so far, and with them the present walk without its loops; for those who watch."""
    links = ground.links.copy()
    place = int(state[START])
    for _ in range(ground.count if state[PHASE] == WALK else 0):
        if place == state[PLACE]:
            break
        direction = int(way[place])
        links[place] |= 1 << direction
        place += (-ground.columns, 1, ground.columns, -1)[direction]
        links[place] |= 1 << (direction ^ 2)
    return links


def _division(ground: Ground, rng: Rng) -> Iterator[float]:
    """Cut the ground. Around locks a cut may leave no link or one too many: then what is left is only preferred."""
    given, ground.links = ground.links, ground.possible.copy()
    stack = np.empty((ground.rows + ground.columns + 1, 4), dtype=np.int32)
    stack[0] = 0, 0, ground.rows, ground.columns
    state = _state()
    state[SIZE] = 1
    edges = 2 * ground.count
    go_on = partial(divide, ground.links, stack, rng.state, state, ground.columns)
    yield from in_blocks(go_on, state, edges, edges)
    if ground.has_locks:
        preferred, ground.links = ground.links, given
        yield from _spanned(ground, rng, first=preferred)


def _spanned(ground: Ground, rng: Rng, *, first: Bytes | None) -> Iterator[float]:
    """Take all possible links in random order, those of `first` first, and leave out what would close a loop."""
    edges: Places = np.empty(2 * ground.count, dtype=np.int32)
    edges = edges[: list_edges(ground.possible, edges)]
    order = _state()
    for _ in in_blocks(partial(shuffle, edges, rng.state, order), order, FRAMES * BLOCK, edges.size):
        yield 0.0
    if first is not None:
        liked = (first[edges >> 1] >> (1 + (edges & 1)).astype(np.uint8)) & 1
        edges = np.concatenate([edges[liked == 1], edges[liked == 0]])
    above: Places = np.empty(ground.count, dtype=np.int32)
    gather(ground.links, above, ground.columns)
    state = _state()
    go_on = partial(kruskal, ground.links, above, edges, state, ground.columns)
    yield from in_blocks(go_on, state, edges.size, edges.size)


def _closed(ground: Ground) -> Bytes:
    """FRESH for every place that the maze has to reach."""
    return np.where(ground.open, np.uint8(FRESH), np.uint8(INSIDE))


def _stride(count: int) -> int:
    """A step that scatters and comes to every place: near the golden ratio, without a factor in common."""
    stride = max(1, count * 618 // 1000)
    while gcd(stride, count) > 1:  # at most down to 1
        stride -= 1
    return stride


METHODS: dict[str, Method] = {
    "backtracker": _backtracker,
    "prim": _prim,
    "kruskal": _kruskal,
    "wilson": _wilson,
    "division": _division,
}
