"""What all parts of the rule editor share: the book, what is folded open, and elements that follow the book.

A change goes into the session's state, and comes back from there to every element: each looks whether its piece of the
book is another one now. Only what has other fields than before is built anew, so that nothing folds shut and no field
loses the focus while somebody types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from nicegui import ui

from ....core.errors import InvalidRecipe
from ....core.locks import Locks
from ....generators._rules.rulebook import RulesParams
from ...session import Session
from ...state import State
from . import rulebook_draft as books
from .rulebook_draft import Book, Path

SCHEMA = RulesParams.model_json_schema()
PLACES = re.compile(r"\b(names|neighbourhoods|mapData|roomData|generationRules)(?:\.(\d+))?(?:\.rules\.(\d+))?")
"""How error lines name pieces of a book."""


def field_of(model: str, name: str) -> dict[str, Any]:
    """What the schema says about a field: description, bounds, choices."""
    fields = SCHEMA["properties"] if not model else SCHEMA["$defs"][model]["properties"]
    found: dict[str, Any] = fields[name]
    return found


@dataclass
class Folds:
    """What is open: sections by name, layers and their rules by position."""

    sections: set[str] = field(default_factory=lambda: {"names", "generationRules"})
    layers: list[bool] = field(default_factory=list)
    rules: list[list[bool]] = field(default_factory=list)

    def fit(self, book: Book) -> None:
        """As many as the book has: what is new is closed, what is gone is forgotten."""
        layers = book["generationRules"]
        self.layers = [*self.layers, *[False] * len(layers)][: len(layers)]
        self.rules = [*self.rules, *([] for _ in layers)][: len(layers)]
        for number, layer in enumerate(layers):
            self.rules[number] = [*self.rules[number], *[False] * len(layer["rules"])][: len(layer["rules"])]


class Follower(Protocol):
    """Shows a piece of the book, and shows it again when it is another one."""

    def follow(self) -> None: ...


class Editor:
    """The book that is edited."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.book: Book = {}
        self.folds = Folds()
        self.blamed: frozenset[Path] = frozenset()
        """Pieces that the last error names."""
        self.root: Follower | None = None
        self._known: Any = None
        """The params that the book was read from, or that were made of it."""
        self.is_following = False

    @property
    def names(self) -> list[str]:
        return books.names_in(self.book)

    def read(self, state: State) -> None:
        """Take the book of a state; what was put there from here is known already."""
        if state.params != self._known or not self.book:
            self.book = books.read(state.params)
            self._known = state.params
        self.folds.fit(self.book)

    def set(self, path: Path, value: Any) -> None:
        """Put another piece at a path. Several in a row at the same path are one step of undo."""
        if not self.is_following and books.at(self.book, path) != value:
            self.put(books.with_at(self.book, path, value), what=".".join(map(str, path)))

    def put(self, book: Book, *, what: str = "", state: State | None = None) -> None:
        """Go on with another book."""
        if self.is_following or book == self.book:
            return
        self.book, self._known = book, books.params_of(book)
        self.folds.fit(book)
        state = state or self.session.state
        self.session.change(state.with_recipe(params=self._known), what=f"rules {what}" if what else "")
        self.follow()

    def rename(self, place: int, new: str) -> None:
        """Another name for a tile: in all rules, and for what is locked and renamed in the recipe."""
        old, state = self.names[place], self.session.state
        if state.locks is not None and old in state.locks.words:
            locks = state.locks
            words = [new if word == old else word for word in locks.words]
            state = replace(state, locks=Locks(locks.places, locks.which, words, locks.frame))
        if old in (state.recipe.get("tiles") or {}):
            tiles = {new if word == old else word: tile for word, tile in state.recipe["tiles"].items()}
            state = replace(state, recipe={**state.recipe, "tiles": tiles})
        self.put(books.renamed(self.book, place, new), state=state)

    def fold_shut(self) -> None:
        """Forget what was open in the book before."""
        self.folds = Folds()

    def unfold(self, do: Callable[[], None]) -> None:
        """Fold something open or shut; the book stays."""
        do()
        self.follow()

    def blame(self, message: str) -> None:
        """Mark the pieces that an error names."""
        found: set[Path] = set()
        for section, number, rule in (match.groups() for match in PLACES.finditer(message)):
            found.add((section,))
            if number is not None:
                found.add((section, int(number)))
            if rule is not None:
                found.add((section, int(number), "rules", int(rule)))
        self.blamed = frozenset(found)
        self.follow()

    def follow(self) -> None:
        """Show the book as it is."""
        if self.root is not None and self.book:
            with self.following():
                self.root.follow()

    @contextmanager
    def following(self) -> Iterator[None]:
        """While elements are set to what the book holds, they are not to change it."""
        before, self.is_following = self.is_following, True
        try:
            yield
        finally:
            self.is_following = before


class Block:
    """Elements that are built anew when their shape is another one, and follow the book otherwise."""

    def __init__(
        self,
        host: Block | Editor,
        build: Callable[[Block], None],
        *,
        shape: Callable[[], Hashable] = tuple,
        classes: str = "",
    ) -> None:
        self.editor: Editor = host if isinstance(host, Editor) else host.editor
        self._build, self._shape = build, shape
        self._built: Hashable = None
        self._followers: list[Follower] = []
        self.element = ui.element("div").classes(classes)
        if isinstance(host, Block):
            host.add(self)
        self.follow()

    def add(self, follower: Follower) -> None:
        self._followers.append(follower)

    def follow(self) -> None:
        shape = (self._shape(),)
        if shape != self._built:
            self._built = shape
            self._followers.clear()
            self.element.clear()
            with self.element:
                self._build(self)
        else:
            for follower in self._followers:
                follower.follow()


class Rows:
    """A list: rows come and go at its end, and each of the others follows whatever stands at its place now."""

    def __init__(
        self,
        host: Block,
        count: Callable[[], int],
        build: Callable[[Block, int], None],
        *,
        shape: Callable[[], Hashable] = tuple,
        classes: str = "rules-list",
    ) -> None:
        self._editor, self._count, self._build, self._shape = host.editor, count, build, shape
        self._rows: list[Block] = []
        self.element = ui.element("div").classes(classes)
        host.add(self)
        self.follow()

    def follow(self) -> None:
        while len(self._rows) > self._count():
            self._rows.pop().element.delete()
        for row in self._rows:
            row.follow()
        with self.element:
            for place in range(len(self._rows), self._count()):
                self._rows.append(Block(self._editor, partial(self._row, place), shape=self._shape))

    def _row(self, place: int, host: Block) -> None:
        self._build(host, place)


class Following:
    """Something that is looked at again whenever the book is another one."""

    def __init__(self, host: Block, show: Callable[[], object]) -> None:
        self._show = show
        host.add(self)
        show()

    def follow(self) -> None:
        self._show()


def check_word(model: str, value: str) -> str:
    """What is wrong with a new name of a tile or neighbourhood; empty when nothing is."""
    fields = {"name": value, **({"matrix": "1"} if model == "Neighbourhood" else {})}
    section = {"NamedTile": "names", "Neighbourhood": "neighbourhoods"}[model]
    rest = [{"name": "solid other"}] if section == "names" else []
    try:
        books.Draft.checked({section: [fields, *rest]})
    except InvalidRecipe as error:
        return error.problems[0].text
    return ""
