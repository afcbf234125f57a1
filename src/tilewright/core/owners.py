"""Owners of tiles, the countries that tilesets declare: find them by name or initials, change them, ignore them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from .errors import InvalidRecipe, UnknownName
from .tileset import Tileset

NEUTRAL = "neutral"
"""Country of properties without an owner."""
NEUTRAL_FORM = {"headquarters": "city"}
"""Kinds of buildings that cannot be neutral, and the neutral kind that replaces them."""


def read_countries(value: Any) -> Any:
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


Countries: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(read_countries)]
"""Countries by name or initials, also as a comma-separated string: `os,bm`."""


def countries_of(tileset: Tileset) -> tuple[str, ...]:
    """Return the countries of a tileset in its order, without neutral."""
    return tuple(country for country in dict.fromkeys(tile.country for tile in tileset) if country not in ("", NEUTRAL))


def find_countries(given: Iterable[str], tileset: Tileset, name: str) -> list[str]:
    """Return the countries with these names or initials; `name` is the parameter, for errors."""
    known = {tile.country for tile in tileset} - {""}
    by_initials: dict[str, str] = {}
    for country in countries_of(tileset):
        by_initials.setdefault("".join(part[0] for part in country.split()), country)
    found = []
    for word in given:
        country = word.lower() if word.lower() in known else by_initials.get(word.lower(), word)
        if country not in known:
            unknown = UnknownName("country", word, known, f"tileset {tileset.name!r}")
            raise InvalidRecipe.from_error(unknown, name)
        if country in found:
            raise InvalidRecipe(f"must contain each country once, got {country!r} twice", at=name, rule="duplicate")
        found.append(country)
    return found


def change_owners(tileset: Tileset, owners: Mapping[str, str], used: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
    """Return (tile,) the id of the tile that replaces each tile when `owners` replaces the countries.

    Raise InvalidRecipe if a `used` tile (tile,) has no equivalent in its new country. A headquarters that becomes
    neutral is a city.
    """
    found: dict[tuple[str, str, str], int] = {}
    for number, tile in enumerate(tileset):
        found.setdefault((tile.country, tile.kind, tile.joins), number)
    table = np.arange(len(tileset))
    for number, tile in enumerate(tileset):
        new_owner = owners.get(tile.country, tile.country)
        if new_owner == tile.country:
            continue
        same = found.get((new_owner, tile.kind, tile.joins))
        if same is None and new_owner == NEUTRAL and tile.kind in NEUTRAL_FORM:
            same = found.get((new_owner, NEUTRAL_FORM[tile.kind], tile.joins))
        if same is not None:
            table[number] = same
        elif used[number]:
            raise InvalidRecipe(f"{new_owner} has no {tile.kind or tile.name!r} in tileset {tileset.name!r}", at=name)
    return table


def merge_owners(tileset: Tileset) -> NDArray[np.uint16]:
    """Return (tile,) the first tile that equals each tile except for its owner; neutral tiles keep their number."""
    first: dict[tuple[str, str], int] = {}
    return np.array(
        [
            first.setdefault((tile.kind, tile.joins), number) if tile.country not in ("", NEUTRAL) else number
            for number, tile in enumerate(tileset)
        ],
        dtype=np.uint16,
    )
