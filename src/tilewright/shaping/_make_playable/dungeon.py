"""Repairs of dungeons: passages through walls."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TypeAlias

from ...play.board import STEPS, Cell
from ...play.games.dungeon import DungeonRules
from .repair import Changes, Mask, choose_role, find_fixed_cells

STEP, DIG, DIG_EDGE = 1, 1 << 16, 1 << 24
"""Costs of a step, of opening a cell, and of opening one at the edge of the map."""
MAX_STATES = 1 << 18
State: TypeAlias = tuple[Cell, frozenset[str]]


def repair_dungeon(rules: DungeonRules, locked: Mask) -> Changes:
    """Return the cheapest passages to the keys that are needed and to an exit; none if there are none."""
    floor = choose_role(rules.board, "floor")
    closed = ~rules.is_open
    fixed = find_fixed_cells(rules.board, locked)
    first: State = rules.start, rules.keys.get(rules.start, frozenset())
    sources: dict[State, State | None] = {first: None}
    costs = {first: 0}
    pending: list[tuple[int, Cell, tuple[str, ...], State]] = [(0, rules.start, (), first)]
    while pending and floor and len(costs) < MAX_STATES:
        cost, cell, _, state = heappop(pending)
        if cost > costs[state]:
            continue
        if cell in rules.exits:
            return {one: floor for one in _list_cells(state, sources) if closed[one]}
        keys = state[1]
        for to in ((cell[0] + down, cell[1] + right) for down, right in STEPS.values()):
            if (
                not rules.board.contains(*to)
                or (closed[to] and fixed[to])
                or not rules.locks.get(to, frozenset()) <= keys
            ):
                continue
            following = to, keys | rules.keys.get(to, frozenset())
            total = cost + STEP + (_find_dig_cost(to, closed) if closed[to] else 0)
            if total < costs.get(following, total + 1):
                costs[following], sources[following] = total, state
                heappush(pending, (total, to, tuple(sorted(following[1])), following))
    return {}


def _find_dig_cost(cell: Cell, closed: Mask) -> int:
    rows, columns = closed.shape
    is_edge = cell[0] in (0, rows - 1) or cell[1] in (0, columns - 1)
    return DIG_EDGE if is_edge else DIG


def _list_cells(state: State, sources: dict[State, State | None]) -> list[Cell]:
    cells: list[Cell] = []
    current: State | None = state
    while current is not None:
        cells.append(current[0])
        current = sources[current]
    return cells
