"""Playthroughs: the result of solving a map with a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.tilemap import TileMap
from .board import Cell
from .game_rules import GameRules


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in a playthrough, such as a push or a jump."""

    move: int
    """Number of the move, counted from 0."""
    kind: str
    """Kind of event, such as push, jump, key or gold."""
    cell: Cell
    """(row, column) where it happens."""


@dataclass(frozen=True, eq=False)
class Playthrough:
    """What the solver of a game found out about a map."""

    solved: bool | None
    """Whether the map can be finished; None if it is unknown because the search reached its limit."""
    moves: tuple[str, ...]
    """Moves of the solution; empty if none was found."""
    visited: NDArray[np.bool_] = field(repr=False)
    """Mask of the cells that the search reached. It is complete if the search ended without a solution; a search that
    stops at its solution, or leaves out what cannot be won any more, may leave out cells."""
    explored: int
    """Number of states that the search examined."""
    game: str
    """Name of the game with its parameters, such as `platformer,jump_height=4`."""
    rules: GameRules[Any, Any] = field(repr=False)
    """Rules on the map. They replay the moves when the states, the path or the events are read."""

    @cached_property
    def states(self) -> tuple[Any, ...]:
        """State before the first move and after each move."""
        states = [self.rules.begin()]
        for number, move in enumerate(self.moves):
            state = self.rules.step(states[-1], move)
            assert state is not None, f"{self.game}: the rules refuse move {number} of the solver, {move}"
            states.append(state)
        return tuple(states)

    @cached_property
    def path(self) -> tuple[Cell, ...]:
        """(row, column) of the player before the first move and after each move."""
        return tuple(self.rules.find_player(state) for state in self.states)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Events of the solution, in order."""
        events: list[Event] = []
        pickups = dict(self.rules.list_pickups())
        pickups.pop(self.path[0], None)
        for number, move in enumerate(self.moves):
            before, after = self.states[number : number + 2]
            events += [Event(number, kind, cell) for kind, cell in self.rules.list_events(before, move, after)]
            cell = self.path[number + 1]
            if cell in pickups:
                events.append(Event(number, pickups.pop(cell), cell))
        return tuple(events)

    def draw(self) -> Iterator[TileMap]:
        """Yield the map before the first move and after each move, with the marker `player`: frames of an animation."""
        pickups = self.rules.list_pickups()
        taken: list[Cell] = []
        for state, cell in zip(self.states, self.path, strict=True):
            if cell in pickups:
                taken.append(cell)
            yield self.rules.draw(state, taken)

    def count(self, kind: str) -> int:
        """Return the number of events of a kind."""
        return sum(event.kind == kind for event in self.events)

    @property
    def verdict(self) -> str:
        """`yes`, `no` or `unknown`."""
        return {True: "yes", False: "no", None: "unknown"}[self.solved]
