"""Autotiling: choosing the pieces of rivers, roads and the like that fit their neighbors.

Sides are numbered clockwise from north, and sets of sides are bits. Maps are flat, with a margin of one cell that holds
the edge tile, whose index follows the last tile.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .directions import count_directions, shift_of
from .types import Int64_1D, Int64_2D, Record, Uint8_1D

MAX_ROUNDS = 24
"""Maximum number of rounds; usually two or three are enough."""
EXTENDING_ROUNDS = 4
"""Number of rounds, from the first on, that extend dead ends."""
JOINS, PASSES_UNDER, MEETS, MAY_STOP_AT, EDGE = 1, 2, 4, 8, 16
INFINITE_COST = 1 << 30
BROKEN_LINK_COST = 1000
"""Cost of a link that a piece breaks; all other costs are much smaller."""
MAX_EXTENSION = 60
"""Maximum number of cells by which a dead end is extended."""
MAX_VISITS = 64
"""Maximum mean number of visits per cell in a round."""
MAX_ATTEMPTS = 6
"""Maximum number of attempts per round to fit a misfit; then a tile that is no piece replaces it."""
TILE = np.dtype([("kind", np.int64), ("sides", np.int64), ("group", np.int64)])
"""A tile: its kind, the sides where it continues, and its group (kind and country), or -1 if it is no piece."""
GROUP = np.dtype([("limited", np.int64), ("extends", np.int64), ("min_sides", np.int64)])
"""A group of pieces: whether some sets of two or more sides are missing, whether its dead ends may be extended, and the
minimum number of sides."""


class PieceTables(NamedTuple):
    """Tiles of a tileset and the relations of their kinds."""

    tiles: Annotated[NDArray[np.void], TILE]
    groups: Annotated[NDArray[np.void], GROUP]
    pieces: Int64_2D
    """(group, sides) the tile that continues at this set of sides, or -1."""
    relation: Int64_2D
    """(kind, kind) relation of the first to the second: JOINS, PASSES_UNDER, MEETS, MAY_STOP_AT and EDGE as bits."""
    fallbacks: Int64_2D
    """(kind, number) kinds that can replace each kind, padded with -1."""
    kind_tiles: Int64_1D
    """(kind,) a tile of this kind."""


class FitState(Record):
    """Positions of the queue, and the last stamp of a search."""

    first: int
    end: int
    """Start and end of the queue, a ring buffer."""
    stamp: int
    """Stamp of the last extended dead end."""


class FitArrays(NamedTuple):
    """Map whose pieces are chosen, and the state of the rounds."""

    cells: Int64_1D
    previous: Int64_1D
    """The cells at the start of the round."""
    frozen: Uint8_1D
    links: Int64_1D
    """(cell,) sides at which a piece and its neighbor continue toward each other."""
    queue: Int64_1D
    """Cells to visit; one longer than the map."""
    queued: Uint8_1D
    """(cell,) whether the cell is in the queue."""
    failures: Uint8_1D
    """(cell,) number of visits at which no piece fitted."""
    seen: Int64_1D
    """(cell,) stamp of the last extension search that reached the cell."""
    origin: Int64_1D
    """(cell,) previous cell of the extension search."""
    search_queue: Int64_1D
    """Queue of the extension search."""
    costs: Int64_2D
    """(2, side) costs of an open and of a closed side, for `choose_sides`."""
    state: FitState
    width: int
    keep: bool
    """Whether pieces that fit are kept."""


@inline
def opposite(side: int) -> int:
    """Return the opposite side."""
    return side + 2 & 3


@inline
def tile_at(fit: FitArrays, tables: PieceTables, cell: int) -> np.void:
    """Return the TILE entry of a cell."""
    tile: np.void = tables.tiles[fit.cells[cell]]
    return tile


@inline
def is_free(fit: FitArrays, tables: PieceTables, cell: int) -> bool:
    """Return whether a cell holds a piece that may be changed."""
    return bool(not fit.frozen[cell] and tile_at(fit, tables, cell)["group"] >= 0)


@inline
def link(fit: FitArrays, cell: int, side: int) -> None:
    """Link a cell and its neighbor at a side."""
    fit.links[cell] |= 1 << side
    fit.links[cell + shift_of(side, fit.width)] |= 1 << opposite(side)


@part
def can_continue(relation: int, back: int) -> bool:
    """Return whether a piece may continue toward a neighbor; `back` is whether the neighbor continues toward it."""
    if relation & (MEETS | MAY_STOP_AT | EDGE):
        return True
    return relation & JOINS != 0 if back else relation & PASSES_UNDER != 0


@part
def open_side_cost(relation: int, back: int) -> int:
    """Return the cost of a side open toward a neighbor that is not linked."""
    if relation & PASSES_UNDER and not back:
        return -5
    if relation & MEETS:
        return 15
    if relation & EDGE:
        return 30
    return 35 if relation & MAY_STOP_AT else INFINITE_COST


@part
def fits_neighbors(fit: FitArrays, tables: PieceTables, cell: int) -> bool:
    """Return whether a piece fits every neighbor at which it continues."""
    own = tile_at(fit, tables, cell)
    for side in range(4):
        if own["sides"] >> side & 1:
            its = tile_at(fit, tables, cell + shift_of(side, fit.width))
            if not can_continue(tables.relation[own["kind"], its["kind"]], its["sides"] >> opposite(side) & 1):
                return False
    return True


@part
def should_link(fit: FitArrays, tables: PieceTables, cell: int, side: int) -> bool:
    """Return whether a free piece and its neighbor should be linked."""
    other = cell + shift_of(side, fit.width)
    own, its = tile_at(fit, tables, cell), tile_at(fit, tables, other)
    here, back_here = tables.relation[own["kind"], its["kind"]], tables.relation[its["kind"], own["kind"]]
    if not here & JOINS:
        return False
    there, back = own["sides"] >> side & 1, its["sides"] >> opposite(side) & 1
    if not is_free(fit, tables, other):
        return bool(back)
    if not back_here & JOINS:
        return False
    if not fit.keep or (there and back):
        return True
    if there:
        return not can_continue(here, back)
    return back != 0 and not can_continue(back_here, there)


@part
def set_costs(fit: FitArrays, tables: PieceTables, cell: int) -> tuple[int, int]:
    """Set the cost of each side, open and closed.

    For pieces of limited groups, return the sides of neighbors at which the piece could continue, and the sides of
    neighbors of its own kind.
    """
    own = tile_at(fit, tables, cell)
    kind, wanted, limited = own["kind"], fit.links[cell], tables.groups[own["group"]]["limited"]
    reachable, alike = 0, 0
    for side in range(4):
        other = cell + shift_of(side, fit.width)
        its = tile_at(fit, tables, other)
        relation = tables.relation[kind, its["kind"]]
        is_open = own["sides"] >> side & 1
        open_cost, cost = 0, 0
        if wanted >> side & 1:
            cost = BROKEN_LINK_COST + (30 if fit.keep else 3) * is_open
            if is_free(fit, tables, other):
                group = tables.groups[its["group"]]
                needed = count_directions(fit.links[other]) <= group["min_sides"]
                cost += 20 * needed + 15 * (1 - group["limited"])
            else:
                cost += 4 * BROKEN_LINK_COST
        else:
            open_cost = open_side_cost(relation, its["sides"] >> opposite(side) & 1)
            if fit.keep and is_open:
                open_cost = 0 if open_cost < INFINITE_COST else open_cost
                cost = 25
            elif limited:
                # Prefer closed sides at neighbors where the piece cannot continue, or that pass under it.
                if relation & (JOINS | MEETS | MAY_STOP_AT):
                    cost += 6
                    reachable |= 1 << side
                if tables.relation[its["kind"], kind] & PASSES_UNDER:
                    cost -= 6
                alike |= (its["kind"] == kind) << side
        fit.costs[0, side], fit.costs[1, side] = open_cost, cost
    return reachable, alike


@part
def choose_sides(fit: FitArrays, tables: PieceTables, cell: int) -> int:
    """Return the best set of sides for a free piece, or -1 if none fits."""
    own = tile_at(fit, tables, cell)
    now, group = own["sides"], own["group"]
    if fit.keep and fit.links[cell] & ~now == 0 and fits_neighbors(fit, tables, cell):
        return int(now)
    reachable, alike = set_costs(fit, tables, cell)
    limited = tables.groups[group]["limited"]
    best, lowest = -1, INFINITE_COST // 2  # some costs are negative
    for sides in range(16):
        if tables.pieces[group, sides] < 0:
            continue
        cost = -1 if sides == now else 0
        for side in range(4):
            cost += fit.costs[0 if sides >> side & 1 else 1, side]
        if sides in (5, 10):
            cost -= 10
        elif limited and count_directions(sides) == 1:
            # A beach faces water, and has other beaches beside it.
            across = (sides << 2 | sides >> 2) & 15
            cost += 6 * (reachable & across != 0) - 2 * (sides & 10 != 0)
            cost -= 3 * count_directions(alike & ~(sides | across))
        if cost < lowest:
            best, lowest = sides, cost
    return best


@inline
def push(fit: FitArrays, cell: int) -> None:
    """Add a cell to the queue, unless it is already there."""
    if not fit.queued[cell]:
        fit.queued[cell] = 1
        fit.queue[fit.state.end] = cell
        fit.state.end = (fit.state.end + 1) % fit.queue.size


@part
def push_neighbors(fit: FitArrays, cell: int) -> None:
    """Add the neighbors of a cell to the queue."""
    for side in range(4):
        push(fit, cell + shift_of(side, fit.width))


@part
def find_replacement(fit: FitArrays, tables: PieceTables, cell: int, plain: bool) -> int:
    """Return the fallback tile of a cell: of the most common kind around the cell, else the first; -1 if none.

    If `plain`, the tile must not be a piece.
    """
    kind = tile_at(fit, tables, cell)["kind"]
    best, most = -1, -1
    for number in range(tables.fallbacks.shape[1]):
        other = tables.fallbacks[kind, number]
        if other < 0:
            break
        tile, votes = tables.kind_tiles[other], 0
        if plain and tables.tiles[tile]["group"] >= 0:
            continue
        for side in range(4):
            near = cell + shift_of(side, fit.width)
            its = tile_at(fit, tables, near)
            if its["kind"] == other:
                votes += 1
                if its["group"] < 0:
                    tile = fit.cells[near]
        if votes > most:
            best, most = tile, votes
    return best


@part
def add_link(fit: FitArrays, tables: PieceTables, cell: int) -> bool:
    """Link a misfit to one more neighbor that allows it, straight if possible; return whether a link was added."""
    kind = tile_at(fit, tables, cell)["kind"]
    best, most = -1, -1
    for side in range(4):
        other = cell + shift_of(side, fit.width)
        its = tile_at(fit, tables, other)
        if fit.links[cell] >> side & 1 or not is_free(fit, tables, other) or tables.groups[its["group"]]["limited"]:
            continue
        if tables.relation[kind, its["kind"]] & JOINS and tables.relation[its["kind"], kind] & JOINS:
            straight = fit.links[cell] >> opposite(side) & 1
            if straight > most:
                best, most = side, straight
    if best < 0:
        return False
    link(fit, cell, best)
    return True


@part
def measure_branch(fit: FitArrays, tables: PieceTables, cell: int, stamp: int) -> int:
    """Return the number of cells of a dead end up to the next fork, and mark them as seen."""
    length, here = 0, cell
    while True:
        fit.seen[here] = stamp
        length += 1
        onward = -1
        for side in range(4):
            other = here + shift_of(side, fit.width)
            if fit.links[here] >> side & 1 and fit.seen[other] != stamp:
                onward = other
        if onward < 0 or not is_free(fit, tables, onward) or count_directions(fit.links[onward]) > 2:
            return length
        here = onward


@part
def can_extend_over(fit: FitArrays, tables: PieceTables, cell: int, before: int, kind: int, stamp: int) -> bool:
    """Return whether a dead end of a kind may be extended over `cell` from the cell `before`."""
    own = tile_at(fit, tables, cell)
    if fit.frozen[cell] or own["group"] >= 0 or fit.seen[cell] >= stamp:
        return False
    is_fallback = False
    for number in range(tables.fallbacks.shape[1]):
        is_fallback = is_fallback or (tables.fallbacks[kind, number] == own["kind"] and own["kind"] >= 0)
    if not is_fallback:
        return False
    for side in range(4):
        other = cell + shift_of(side, fit.width)
        its = tile_at(fit, tables, other)
        if other == before:
            continue
        if fit.seen[other] == stamp:
            return False  # the extension would touch its own branch
        if its["sides"] >> opposite(side) & 1 and not tables.relation[its["kind"], kind] & (
            JOINS | MEETS | MAY_STOP_AT
        ):
            return False  # the neighbor would not fit any more
    return True


@part
def find_exit(fit: FitArrays, tables: PieceTables, cell: int, before: int, kind: int) -> int:
    """Return the best side at which a piece of this kind could continue from a cell; -1 if there is none."""
    best, lowest = -1, INFINITE_COST
    for side in range(4):
        other = cell + shift_of(side, fit.width)
        if other == before:
            continue
        its = tile_at(fit, tables, other)
        back = its["sides"] >> opposite(side) & 1
        relation = tables.relation[kind, its["kind"]]
        cost = open_side_cost(relation, back)
        if relation & JOINS and (its["kind"] == kind if is_free(fit, tables, other) else back != 0):
            cost = -10
        if cost < lowest:
            best, lowest = side, cost
    return best


@part
def lay_extension(fit: FitArrays, tables: PieceTables, cell: int, end: int, kind: int) -> None:
    """Extend a dead end from its cell to the end that a search has found."""
    there = end
    while there != cell:
        fit.cells[there] = tables.kind_tiles[kind]
        before = fit.origin[there]
        for side in range(4):
            if there + shift_of(side, fit.width) == before:
                link(fit, there, side)
        push(fit, there)
        push_neighbors(fit, there)
        there = before
    push(fit, cell)


@part
def extend_dead_end(fit: FitArrays, tables: PieceTables, cell: int) -> bool:
    """Extend a dead end to the nearest exit, if the extension is not much longer than the dead end itself.

    Return whether it was extended.
    """
    kind = tile_at(fit, tables, cell)["kind"]
    fit.state.stamp += 2
    stamp, queue = fit.state.stamp, fit.search_queue
    if not fit.links[cell] and find_exit(fit, tables, cell, -1, kind) < 0:
        return False  # a pond, not a river that ends
    limit = min(MAX_EXTENSION, (3 * measure_branch(fit, tables, cell, stamp) + 2) // 2)
    ahead = 0
    for side in range(4):
        if fit.links[cell] >> side & 1:
            ahead = opposite(side)
    queue[0] = cell
    head, tail, level, level_end = 0, 1, 0, 1
    while head < tail:
        if head == level_end:
            level, level_end = level + 1, tail
        if level == limit:
            return False
        here = queue[head]
        head += 1
        for turn in range(4):
            there = here + shift_of(ahead + turn & 3, fit.width)
            if not can_extend_over(fit, tables, there, here, kind, stamp):
                continue
            fit.seen[there] = stamp + 1
            fit.origin[there] = here
            queue[tail] = there
            tail += 1
            side = find_exit(fit, tables, there, here, kind)
            if side < 0:
                continue
            other = there + shift_of(side, fit.width)
            if tables.relation[kind, tile_at(fit, tables, other)["kind"]] & JOINS:
                link(fit, there, side)
                push(fit, other)
            lay_extension(fit, tables, cell, there, kind)
            return True
    return False


@part
def replace_piece(fit: FitArrays, tables: PieceTables, cell: int, plain: bool) -> None:
    """Replace a misfit by a fallback tile; if `plain`, by one that is no piece."""
    tile = find_replacement(fit, tables, cell, plain)
    if tile < 0:
        return
    fit.cells[cell] = tile
    for side in range(4):
        fit.links[cell + shift_of(side, fit.width)] &= ~(1 << opposite(side))
    fit.links[cell] = 0
    if tables.tiles[tile]["group"] >= 0:
        for side in range(4):
            if should_link(fit, tables, cell, side):
                link(fit, cell, side)
        push(fit, cell)
    push_neighbors(fit, cell)


@kernel(allocates=False)
def fit_pieces(fit: FitArrays, tables: PieceTables, extend: bool) -> bool:
    """Run one round: link pieces that join, choose every piece, replace misfits; return whether any cell changed.

    Pieces of limited groups are chosen first, because they may have to break links. A cell is visited again when a
    neighbor changes; misfits are visited after all other cells.
    """
    cells, links, failures, width, state = fit.cells, fit.links, fit.failures, fit.width, fit.state
    state.first, state.end = 0, 0
    for cell in range(cells.size):
        fit.previous[cell] = cells[cell]
        links[cell], failures[cell], fit.queued[cell] = 0, 0, 0
    for limited in (1, 0):
        for cell in range(width, cells.size - width):
            if not is_free(fit, tables, cell):
                continue
            group = tile_at(fit, tables, cell)["group"]
            if tables.groups[group]["limited"] == limited:
                for side in range(4):
                    if should_link(fit, tables, cell, side):
                        links[cell] |= 1 << side
                push(fit, cell)
    visits = MAX_VISITS * cells.size
    while state.first != state.end and visits:
        visits -= 1
        cell = fit.queue[state.first]
        state.first = (state.first + 1) % fit.queue.size
        fit.queued[cell] = 0
        if not is_free(fit, tables, cell):
            continue
        group = tile_at(fit, tables, cell)["group"]
        sides = choose_sides(fit, tables, cell)
        if sides < 0:
            failures[cell] += 1
            if failures[cell] == 1:
                push(fit, cell)
                continue
            if failures[cell] <= MAX_ATTEMPTS and add_link(fit, tables, cell):
                push(fit, cell)
                push_neighbors(fit, cell)
                continue
            may_extend = extend and tables.groups[group]["extends"] != 0 and failures[cell] <= MAX_ATTEMPTS
            if may_extend and extend_dead_end(fit, tables, cell):
                continue
            replace_piece(fit, tables, cell, failures[cell] > MAX_ATTEMPTS)
            continue
        lost = links[cell] & ~sides
        for side in range(4):
            if lost >> side & 1:
                other = cell + shift_of(side, width)
                links[other] &= ~(1 << opposite(side))
                push(fit, other)
        links[cell] &= sides
        if sides != tile_at(fit, tables, cell)["sides"]:
            cells[cell] = tables.pieces[group, sides]
            push_neighbors(fit, cell)
    changed = False
    for cell in range(cells.size):
        changed |= cells[cell] != fit.previous[cell]
    return bool(changed)


@kernel(allocates=False)
def replace_misfits(fit: FitArrays, tables: PieceTables) -> None:
    """Replace misfits by fallback tiles that are no pieces, until no misfit can be replaced."""
    changed = True
    while changed:
        changed = False
        for cell in range(fit.width, fit.cells.size - fit.width):
            if not is_free(fit, tables, cell) or fits_neighbors(fit, tables, cell):
                continue
            tile = find_replacement(fit, tables, cell, True)
            if tile >= 0:
                fit.cells[cell] = tile
                changed = True


@kernel(allocates=False)
def fit_all_pieces(fit: FitArrays, tables: PieceTables) -> None:
    """Run rounds until no cell changes, then replace misfits."""
    for number in range(MAX_ROUNDS):
        if not fit_pieces(fit, tables, number < EXTENDING_ROUNDS):
            break
    replace_misfits(fit, tables)


def new_fit(cells: NDArray[np.int64], frozen: NDArray[np.uint8], width: int, *, keep: bool) -> FitArrays:
    """Return the arrays of `fit_pieces` for a padded flat map."""
    size = cells.size
    return FitArrays(
        cells=cells,
        previous=np.empty(size, dtype=np.int64),
        frozen=frozen,
        links=np.empty(size, dtype=np.int64),
        queue=np.empty(size + 1, dtype=np.int64),
        queued=np.empty(size, dtype=np.uint8),
        failures=np.empty(size, dtype=np.uint8),
        seen=np.zeros(size, dtype=np.int64),
        origin=np.empty(size, dtype=np.int64),
        search_queue=np.empty(size, dtype=np.int64),
        costs=np.empty((2, 4), dtype=np.int64),
        state=FitState.new(),
        width=width,
        keep=keep,
    )
