"""The rule book that is edited, between the session's state and the controls that show it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....core.errors import InvalidRecipe, Problem
from ....core.locks import Locks
from ....core.tileset import Tile
from ....generators._rules.rulebook import RulesParams
from ....generators.rules import looks_of
from ...session import Session
from ...state import State
from . import rulebook_draft as books
from .rulebook_draft import Book


class Editor:
    """The book that is edited."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.book: Book = {}
        self._known: Any = None
        """The params that the book was read from, or that were made of it."""

    def read(self, state: State) -> None:
        """Take the book of a state; what was put there from here is known already."""
        if state.params != self._known or not self.book:
            self.book = books.read(state.params)
            self._known = state.params

    def set(self, section: str, value: Any) -> None:
        """Put another section; a tile that has another name keeps its locks and what the recipe calls it."""
        before = books.names_in(self.book)
        book = books.replaced(self.book, section, value)
        state = self.session.state
        pairs = {} if section != "names" else dict(zip(before, books.names_in(book), strict=False))
        if len(before) == len(book["names"]) and any(old != new for old, new in pairs.items()):
            if state.locks is not None:
                locks = state.locks
                words = [pairs.get(str(word), word) for word in locks.words]
                state = replace(state, locks=Locks(locks.places, locks.which, words, locks.frame))
            if tiles := state.recipe.get("tiles"):
                renamed = {pairs.get(word, word): tile for word, tile in tiles.items()}
                state = replace(state, recipe={**state.recipe, "tiles": renamed})
        self.put(book, state)

    def put(self, book: Book, state: State | None = None) -> None:
        """Continue with another book. Several changes in a row of one value are one step of undo."""
        if book == self.book:
            return
        what = ".".join(map(str, books.difference(self.book, book)))
        self.book, self._known = book, books.params_of(book)
        state = state or self.session.state
        self.session.change(state.with_recipe(params=self._known), what=f"rules {what}" if what else "")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the book."""
        try:
            RulesParams.checked(self._known)
        except InvalidRecipe as error:
            return error.problems
        return ()

    @property
    def tiles(self) -> list[Tile]:
        """The tiles of the book as the map draws them, or as the technique gives them."""
        recipe, map = self.session.state.recipe, self.session.map
        names = tuple(dict.fromkeys(books.names_in(self.book)))
        try:
            own = looks_of(names, self.book["mapData"]["initial"])
        except InvalidRecipe:
            return []
        drawn = map.tileset.by_name if map is not None and recipe.get("tileset") is not None else {}
        renamed = recipe.get("tiles") or {}
        found = [(tile, drawn.get(renamed.get(tile.name, tile.name))) for tile in own]
        return [
            tile if number is None or map is None else tile.model_copy(update={"color": map.tileset[number].color})
            for tile, number in found
        ]
