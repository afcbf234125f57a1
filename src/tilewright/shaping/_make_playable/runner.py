"""Repairs of ladder-and-gold levels: ladders, also through walls and in place of enemies."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import TypeAlias

from ...play.board import Cell
from ...play.games.runner import RunnerRules
from .repair import Changes, Mask, choose_role, find_fixed_cells

STEP, LADDER = 1, 1 << 16
"""Costs of a step and of a new ladder."""
State: TypeAlias = tuple[Cell, bool]
"""A cell, and whether it gets a ladder."""


def repair_runner(rules: RunnerRules, locked: Mask) -> Changes:
    """Return ladders with which all gold and an exit can be reached, one after the other; none if there are none."""
    ladder = choose_role(rules.board, "ladder")
    if not ladder:
        return {}
    terrain = Terrain(rules, locked)
    cell, left = rules.start, set(rules.gold - {rules.start})
    while left:
        walk = terrain.find_walk(cell, left)
        if not walk:
            return {}
        cell = walk[-1]
        left.difference_update(walk)
    if rules.exits and cell not in rules.exits and not terrain.find_walk(cell, set(rules.exits)):
        return {}
    return dict.fromkeys(terrain.added, ladder)


class Terrain:
    """A level to which ladders are added. Walks over it never dig.

    Parameters
    ----------
    rules : RunnerRules
        Rules on the level.
    locked : ndarray of bool
        Cells that must not change.
    """

    def __init__(self, rules: RunnerRules, locked: Mask) -> None:
        self.solid = rules.walls | rules.bricks
        self.ladders, self.ropes = rules.ladders.copy(), rules.ropes
        self.closed = self.solid | rules.enemies
        self.fixed = find_fixed_cells(rules.board, locked) | rules.board.mask("coin")
        self.enter_ladders = rules.params.enter_ladders
        self.added: list[Cell] = []

    def find_walk(self, start: Cell, goals: set[Cell]) -> list[Cell]:
        """Return the cells of the cheapest walk to one of the goals, and add its ladders; empty if there is none."""
        first: State = start, False
        costs, sources = {first: 0}, dict[State, State]()
        pending = [(0, first)]
        while pending:
            cost, state = heappop(pending)
            if cost > costs[state]:
                continue
            if state[0] in goals:
                walk = [state]
                while walk[-1] in sources:
                    walk.append(sources[walk[-1]])
                for cell, gets_ladder in reversed(walk):
                    if gets_ladder and not self.ladders[cell]:
                        self._add_ladder(cell)
                return [cell for cell, _ in reversed(walk)]
            for following, price in self._list_steps(*state):
                if cost + price < costs.get(following, cost + price + 1):
                    costs[following], sources[following] = cost + price, state
                    heappush(pending, (cost + price, following))
        return []

    def _add_ladder(self, cell: Cell) -> None:
        self.ladders[cell], self.solid[cell], self.closed[cell] = True, False, False
        self.added.append(cell)

    def _list_steps(self, cell: Cell, gets_ladder: bool) -> Iterator[tuple[State, int]]:
        row, column = cell
        rows, columns = self.solid.shape
        climbs = gets_ladder or self.ladders[cell]
        below = (row + 1, column)
        has_below = row + 1 < rows
        if not climbs and not self.fixed[cell]:
            yield (cell, True), LADDER
        is_carried = climbs or self.ropes[cell] or not has_below or self.solid[below] or self.ladders[below]
        if not is_carried:
            yield from self._enter(below)
            return
        for side in (-1, 1):
            if 0 <= column + side < columns:
                yield from self._enter((row, column + side))
        if climbs and row:
            yield from self._enter((row - 1, column))
        steps_onto = self.enter_ladders and has_below and (self.solid[below] or self.ladders[below])
        if has_below and (climbs or self.ropes[cell] or steps_onto):
            yield from self._enter(below)

    def _enter(self, cell: Cell) -> Iterator[tuple[State, int]]:
        if not self.closed[cell]:
            yield (cell, False), STEP
        elif not self.fixed[cell]:
            yield (cell, True), STEP + LADDER
