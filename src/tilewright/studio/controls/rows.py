"""Initial values of new list items, chosen such that the recipe stays valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from ...core.errors import TilewrightError
from ...core.fields import Field
from ...core.plan import make_plan
from ...core.recipe import Recipe
from ...core.tilesets import tilesets
from ..resolver import StudioResolver
from .control import ControlContext


def append_item(field: Field, items: Sequence[Any], context: ControlContext) -> list[Any]:
    """Return the list with a new item: a copy of the last item with an unused tile."""
    replaced = context.value_of(field.instead_of) if field.instead_of else None
    if not items and isinstance(replaced, (list, tuple)):
        return [[one] for one in replaced]  # The new list is equivalent to the list that it replaces.
    item = field.item
    like = items[-1] if items else item.initial_value
    tiles = [tile.name for tile in context.tiles()]
    match item.kind:
        case "tuple" if isinstance(like, (list, tuple)) and len(like) == len(item.parts):
            parts, values = item.parts, list(like)
        case "model" if isinstance(like, dict):
            parts, values = item.parts, [like.get(part.name) for part in item.parts]
        case "words" if item.tiles:
            return [*items, list(like) or tiles[:1]]
        case _:
            return [*items, like]
    used = {*_list_column(items, item, 0), *(value for value in context.siblings().values() if isinstance(value, str))}
    for number, (part, value) in enumerate(zip(parts, values, strict=True)):
        if part.kind == "tile" and number == 0:
            values[0] = _choose_tile(_list_tiles(part, context, tiles), used, value)
        elif part.unique:
            values[number] = _choose_name(part, str(value), _list_column(items, item, number))
        else:
            values[number] = _fill_tiles(part, value, [tile for tile in tiles if tile != values[0]] or tiles)
    if item.kind == "tuple":
        return [*items, values]
    given = {part.name: value for part, value in zip(parts, values, strict=True) if value is not None}
    return [*items, {**like, **given}]


def _choose_name(field: Field, like: str, taken: Sequence[str]) -> str:
    """Return an unused name: a suggested one, or the last name with a number."""
    suggested = tilesets.get(field.suggestions).names if field.suggestions else ()
    if free := [name for name in suggested if name not in taken]:
        return free[0]
    stem = like.rstrip("0123456789 ") or "new"
    return next(name for number in count(2) if (name := f"{stem} {number}") not in taken)


def _fill_tiles(field: Field, value: Any, tiles: Sequence[str]) -> Any:
    """Return a value with tile names in place of empty ones."""
    match field.kind, value:
        case "tile", "":
            return next(iter(tiles), "")
        case "items", list():
            return [_fill_tiles(field.item, one, tiles) for one in value]
        case "model", dict():
            return {part.name: _fill_tiles(part, value[part.name], tiles) for part in field.parts if part.name in value}
    return value


def _list_column(items: Iterable[Any], item: Field, number: int) -> list[Any]:
    """Return the strings in a column of the rows."""
    name = item.parts[number].name
    found = [row.get(name) if isinstance(row, dict) else row[number] if row else None for row in items]
    return [value for value in found if isinstance(value, str)]


def _choose_tile(tiles: Sequence[str], used: set[Any], value: Any) -> Any:
    """Return an unused tile, or `value` or any tile if all are used."""
    return next((tile for tile in tiles if tile not in used), value or next(iter(tiles), ""))


def _list_tiles(field: Field, context: ControlContext, tiles: Sequence[str]) -> Sequence[str]:
    """Return the tiles to choose from: those of the map, or of a nested recipe in the same form."""
    inner = context.siblings().get(field.tiles) if isinstance(field.tiles, str) else None
    if inner is None:
        return tiles
    try:
        return make_plan(Recipe.of(inner, StudioResolver())).site.tileset.names
    except TilewrightError:
        return tiles
