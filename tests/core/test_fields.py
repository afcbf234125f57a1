"""Fields read from schemas, and the hints of all parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

import tilewright as tw
from tilewright.core.entries import Entry, Technique
from tilewright.core.errors import TilewrightError
from tilewright.core.fields import UNSET, Field, fields_by_name, fields_of, models_in
from tilewright.core.params import Params, hint, param
from tilewright.core.tilemap import TileMap
from tilewright.formats import Format

KINDS: dict[str, Callable[[], Sequence[Entry]]] = {
    "technique": tw.list_techniques,
    "shaper": tw.list_shapers,
    "format": tw.list_formats,
}
ENTRIES = {(kind, entry.name): entry for kind, registry in KINDS.items() for entry in registry()}


class Inner(Params):
    """A part."""

    kind: Literal["inner"] = param("inner")
    """Always the same."""
    count: int = param(ge=1)
    """How many."""


class Sample(Params):
    number: float | None = param(None, gt=0, le=2, typical=(0.5, 1))
    """A number."""
    pair: tuple[int, str] = param((1, "a"))
    """A pair."""
    place: tuple[int, int] | tuple[int, int, int] = param((0, 0))
    """A place."""
    counts: tuple[tuple[Annotated[str, hint(tiles=True)], Annotated[str, hint(initial=">=0")]], ...] = param(())
    """Tiles and numbers."""
    names: tuple[str, ...] = param((), tiles=True)
    """Tiles."""
    word: str | int | None = param(None)
    """A word or a number."""
    inner: tuple[Inner, ...] = param((), hidden_unless=("number",))
    """Parts."""
    axis: Literal["x", "y"] = param("x")
    """One of two."""


def test_kinds_bounds_and_forms() -> None:
    found = fields_by_name(Sample)
    assert {name: field.kind for name, field in found.items()} == {
        "number": "number",
        "pair": "tuple",
        "place": "tuple",
        "counts": "items",
        "names": "words",
        "word": "text",
        "inner": "items",
        "axis": "choice",
    }
    number = found["number"]
    assert (number.nullable, number.default, number.description) == (True, None, "A number.")
    assert (number.minimum, number.maximum, number.range, number.span) == (0, 2, "> 0, <= 2", (0.5, 1))
    assert (number.describe_violation(0), number.describe_violation(3), number.describe_violation(2)) == (
        "must be more than 0",
        "must be at most 2",
        "",
    )
    assert found["axis"].choices == ["x", "y"]
    assert found["place"].form == "integer,integer|integer,integer,integer"
    assert [part.kind for part in found["counts"].parts] == ["tile", "text"]
    assert found["counts"].item.initial_value == ["", ">=0"]
    assert found["names"].item.kind == "tile"
    assert [part.name for part in found["inner"].parts] == ["count"]
    assert found["inner"].hidden_unless == ("number",)
    assert fields_by_name(Inner)["count"].default is UNSET


# -- hints -------------------------------------------------------------------------------------------------


def iter_string_fields() -> Iterator[tuple[str, str, str]]:
    """Yield all parameters of strings or lists of strings."""
    for (kind, name), entry in ENTRIES.items():
        for field in fields_of(entry.params):
            if field.kind in ("text", "tile", "words") or (field.kind == "items" and has_strings(field.item)):
                yield kind, name, field.name


def has_strings(item: Field) -> bool:
    return item.kind in ("tile", "words") or any(part.kind in ("tile", "text") for part in item.parts)


@cache
def rooms() -> TileMap:
    return tw.make("rooms", width=40, height=30, seed=1)


def accepts(entry: Any, field: Field, word: str) -> bool:
    """Return whether a parameter accepts a string."""
    initial = {one.name: one.initial for one in fields_of(entry.params) if one.initial is not UNSET}
    params = {**initial, field.name: fill_value(entry, field, word)}
    try:
        if isinstance(entry, Technique):
            tw.make(entry.name, **{"width": 20, "height": 16, **params}, seed=1)
        elif isinstance(entry, Format):
            entry.write(rooms(), entry.params.validate(params), Path("map"))
        else:
            tw.shape(rooms(), entry.name, **params)
    except TilewrightError:
        return False
    return True


def fill_value(entry: Any, field: Field, word: str) -> Any:
    """Return a value of a field that has a string in all places and the length of the default."""
    if field.kind in ("text", "tile"):
        return word
    default = fields_by_name(entry.params)[field.instead_of or field.name].default
    item: Any = word
    if field.kind == "items":
        item = [word] if field.item.kind == "words" else word
        if field.item.kind == "tuple":
            item = [word if part.initial is UNSET else part.initial for part in field.item.parts]
        if field.item.kind == "model":
            return [{part.name: word for part in field.item.parts if part.kind in ("tile", "text")}]
    return [item] * max(1, len(default or ()))


def declares_tiles(field: Field) -> bool:
    """Return whether a field is declared as the name of an existing tile. A unique name defines a new one."""
    return bool(field.tiles) or any(part.tiles and not part.unique for part in field.parts)


@pytest.mark.parametrize(("kind", "name", "parameter"), [*iter_string_fields()])
def test_parameters_that_take_tiles_are_declared(kind: str, name: str, parameter: str) -> None:
    """Parameters that accept a tile of the map and no other name must have the hint `tiles`."""
    entry = ENTRIES[kind, name]
    field = fields_by_name(entry.params)[parameter]
    tiles = entry.own_tileset(entry.params.validate()).names if isinstance(entry, Technique) else rooms().tileset.names
    accepts_tiles = not accepts(entry, field, "no such tile") and any(accepts(entry, field, tile) for tile in tiles)
    assert declares_tiles(field) == accepts_tiles


@pytest.mark.parametrize(("kind", "name"), ENTRIES)
def test_hints_name_other_parameters(kind: str, name: str) -> None:
    for model in (ENTRIES[kind, name].params, *models_in(ENTRIES[kind, name].params).values()):
        known = fields_by_name(model)
        for field in known.values():
            recipe = [field.tiles] if isinstance(field.tiles, str) else []
            beside = [*field.sizes, *field.between, *([field.instead_of] if field.instead_of else []), *recipe]
            assert {*beside, *field.hidden_unless[:1]} <= known.keys()
            if field.hidden_unless[1:]:
                assert {*field.hidden_unless[1:]} <= {*known[field.hidden_unless[0]].choices}
