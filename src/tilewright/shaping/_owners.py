"""Whose a tile is: countries by name or initials, and the same tile of another country."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ..analysis.strategy import NEUTRAL
from ..core.errors import InvalidRecipe, UnknownName
from ..core.tileset import Tileset

NEUTRAL_FORM = {"headquarters": "city"}
"""What a kind of building becomes that nobody's cannot be."""


def read_countries(value: Any) -> Any:
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


Countries: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(read_countries)]
"""Countries by name or initials, also in one text: `os,bm`."""


def countries_of(tileset: Tileset) -> tuple[str, ...]:
    """The countries that a tileset knows, in its order, without the neutral one."""
    return tuple(country for country in dict.fromkeys(tile.country for tile in tileset) if country not in ("", NEUTRAL))


def find_countries(words: Iterable[str], tileset: Tileset, name: str) -> list[str]:
    """The countries of these names or initials; `name` is the parameter that holds them."""
    known = {tile.country for tile in tileset} - {""}
    by_initials: dict[str, str] = {}
    for country in countries_of(tileset):
        by_initials.setdefault("".join(part[0] for part in country.split()), country)
    found = []
    for word in words:
        country = word.lower() if word.lower() in known else by_initials.get(word.lower(), word)
        if country not in known:
            unknown = UnknownName("country", word, known, f"tileset {tileset.name!r}")
            raise InvalidRecipe.from_error(unknown, name)
        if country in found:
            raise InvalidRecipe(f"each country once, got {country!r} twice", at=name, rule="duplicate")
        found.append(country)
    return found


def change_owners(tileset: Tileset, owners: Mapping[str, str], used: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
    """(tile,) the same tile after every country was replaced by its heir.

    `used` (tile,) are those that matter: of these, a tile that the heir lacks is told. Headquarters that become neutral
    are cities.
    """
    found: dict[tuple[str, str, str], int] = {}
    for number, tile in enumerate(tileset):
        found.setdefault((tile.country, tile.kind, tile.joins), number)
    table = np.arange(len(tileset))
    for number, tile in enumerate(tileset):
        heir = owners.get(tile.country, tile.country)
        if heir == tile.country:
            continue
        same = found.get((heir, tile.kind, tile.joins))
        if same is None and heir == NEUTRAL and tile.kind in NEUTRAL_FORM:
            same = found.get((heir, NEUTRAL_FORM[tile.kind], tile.joins))
        if same is not None:
            table[number] = same
        elif used[number]:
            raise InvalidRecipe(f"{heir} has no {tile.kind or tile.name!r} in the tileset {tileset.name!r}", at=name)
    return table
