"""The colours of a book's tiles: CSS variables by the tiles' numbers, so that one rule sets all chips."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.errors import TilewrightError
from ....core.tileset import Tileset
from ....generators.rules import looks_of
from .rulebook_draft import Book, names_in

NO_COLOR = "transparent"


def variable_of(number: int) -> str:
    return f"--rules-tile-{number}"


def color_of(number: int) -> str:
    """The colour of a tile as CSS knows it."""
    return f"var({variable_of(number)})"


def colors_of(book: Book, drawn: Tileset | None, renamed: Mapping[str, str]) -> list[str]:
    """The colour of every tile: as in the tileset that the map is drawn in, or as the technique gives them."""
    names = names_in(book)
    try:
        looks = {tile.name: tile.color for tile in looks_of(tuple(dict.fromkeys(names)), book["mapData"]["initial"])}
    except TilewrightError:
        looks = {}
    given = {} if drawn is None else {tile.name: tile.color for tile in drawn}
    return [given.get(renamed.get(name, name)) or looks.get(name, NO_COLOR) for name in names]
