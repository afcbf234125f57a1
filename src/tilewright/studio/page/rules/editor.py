"""The rule book that is edited, between the session's state and the controls that show it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....core.errors import InvalidRecipe, Problem
from ....core.locks import Locks
from ....core.tileset import Tile
from ....generators._rules.rulebook import RulesParams
from ....generators.rules import make_tileset
from ...session import Session
from ...state import State
from . import rulebook_draft as books
from .rulebook_draft import Rulebook


class Editor:
    """The book that is edited."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rulebook: Rulebook = {}
        self._known_params: Any = None
        """The params that the book was read from, or that were made of it."""

    def read(self, state: State) -> None:
        """Take the book of a state; what was put there from here is known already."""
        if state.params != self._known_params or not self.rulebook:
            self.rulebook = books.read(state.params)
            self._known_params = state.params

    def set_section(self, section: str, value: Any) -> None:
        """Put another section; a tile that has another name keeps its locks and what the recipe calls it."""
        before = books.list_names(self.rulebook)
        book = books.replace_section(self.rulebook, section, value)
        state = self.session.state
        pairs = {} if section != "names" else dict(zip(before, books.list_names(book), strict=False))
        if len(before) == len(book["names"]) and any(old != new for old, new in pairs.items()):
            if state.locks is not None:
                locks = state.locks
                words = [pairs.get(str(word), word) for word in locks.labels]
                state = replace(state, locks=Locks(locks.places, locks.label_indices, words, locks.map_shape))
            if tiles := state.recipe.get("tiles"):
                renamed = {pairs.get(word, word): tile for word, tile in tiles.items()}
                state = replace(state, recipe={**state.recipe, "tiles": renamed})
        self.replace_rulebook(book, state)

    def replace_rulebook(self, rulebook: Rulebook, state: State | None = None) -> None:
        """Continue with another book. Several changes in a row of one value are one step of undo."""
        if rulebook == self.rulebook:
            return
        what = ".".join(map(str, books.find_difference(self.rulebook, rulebook)))
        self.rulebook, self._known_params = rulebook, books.to_params(rulebook)
        state = state or self.session.state
        self.session.change(state.with_recipe(params=self._known_params), undo_group=f"rules {what}" if what else "")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the book."""
        try:
            RulesParams.validate(self._known_params)
        except InvalidRecipe as error:
            return error.problems
        return ()

    @property
    def tiles(self) -> list[Tile]:
        """The tiles of the book as the map draws them, or as the technique gives them."""
        recipe, map = self.session.state.recipe, self.session.map
        names = tuple(dict.fromkeys(books.list_names(self.rulebook)))
        try:
            own = make_tileset(names, self.rulebook["mapData"]["initial"])
        except InvalidRecipe:
            return []
        drawn = map.tileset.by_name if map is not None and recipe.get("tileset") is not None else {}
        renamed = recipe.get("tiles") or {}
        found = [(tile, drawn.get(renamed.get(tile.name, tile.name))) for tile in own]
        return [
            tile if number is None or map is None else tile.model_copy(update={"color": map.tileset[number].color})
            for tile, number in found
        ]
