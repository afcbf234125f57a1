"""Editor of a rulebook: connects the session's state and the controls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core.errors import InvalidRecipe, Problem
from ...core.locks import Locks
from ...core.tileset import Tile
from ...generators._rules.rulebook import RulesParams
from ...generators.rules import make_tileset
from ..session import Session
from ..state import State
from . import rulebook_draft as books
from .rulebook_draft import Rulebook


class Editor:
    """The rulebook that is edited."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rulebook: Rulebook = {}
        self._known_params: Any = None
        """Params from which the rulebook was read, or to which it was written."""

    def read(self, state: State) -> None:
        """Read the rulebook of a state, unless it was written by this editor."""
        if state.params != self._known_params or not self.rulebook:
            self.rulebook = books.read(state.params)
            self._known_params = state.params

    def set_section(self, section: str, value: Any) -> None:
        """Replace a section. The locks and the recipe's tiles of a renamed tile are renamed too."""
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
        """Replace the rulebook. Consecutive changes of one value are one undo step."""
        if rulebook == self.rulebook:
            return
        path = books.find_difference(self.rulebook, rulebook)
        changed: Any = rulebook
        for key in path:
            changed = changed[key]
        # Items that are moved, added or removed are steps of their own.
        group = f"rules {'.'.join(map(str, path))}" if path and not isinstance(changed, (list, dict)) else ""
        self.rulebook, self._known_params = rulebook, books.to_params(rulebook)
        state = state or self.session.state
        self.session.change(state.with_recipe(params=self._known_params), undo_group=group)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the rulebook."""
        try:
            RulesParams.validate(self._known_params)
        except InvalidRecipe as error:
            return error.problems
        return ()

    @property
    def tiles(self) -> list[Tile]:
        """Tiles of the rulebook, with the colors of the map's tileset if the recipe has one."""
        recipe, map = self.session.state.recipe, self.session.map
        names = tuple(dict.fromkeys(books.list_names(self.rulebook)))
        try:
            own = make_tileset(names, self.rulebook["mapData"]["initial"])
        except InvalidRecipe:
            return []
        map_tiles = map.tileset.by_name if map is not None and recipe.get("tileset") is not None else {}
        renamed = recipe.get("tiles") or {}
        found = [(tile, map_tiles.get(renamed.get(tile.name, tile.name))) for tile in own]
        return [
            tile if number is None or map is None else tile.model_copy(update={"color": map.tileset[number].color})
            for tile, number in found
        ]
