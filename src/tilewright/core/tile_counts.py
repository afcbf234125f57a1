"""Bounds on the number of cells per tile as a parameter, such as `treasure=3..5`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from .errors import InvalidRecipe
from .params import as_int, hint

MAX_COUNT = 1 << 62


def _read_counts(value: Any) -> Any:
    """Convert a mapping, a list of pairs or the command line's `treasure=3..5` to pairs of a tile and its bounds."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, Mapping):
        value = value.items()
    elif isinstance(value, (list, tuple)) and all(isinstance(pair, str) for pair in value):
        value = [re.split(r"(?=[<>]=)|=", pair, maxsplit=1) for pair in value]
    elif not isinstance(value, (list, tuple)):
        return value
    return tuple(_read_count(pair) for pair in value)


def _read_count(pair: Any) -> tuple[str, str]:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[0], str):
        raise InvalidRecipe("must be a tile and its number of cells, such as treasure: 3..5", got=pair)
    tile, count = pair
    number = as_int(count)
    text = str(count if number is None else number).replace(" ", "")
    minimum, maximum = parse_bounds(text) if not isinstance(count, bool) else (1, 0)
    if minimum > maximum:
        raise InvalidRecipe("must be a number, 3..5, >=2 or <=4", at=tile, got=count)
    return tile.strip(), text


def parse_bounds(text: str) -> tuple[int, int]:
    """Return the minimum and maximum of `3`, `3..5`, `>=2` or `<=4`, and (1, 0) for any other string."""
    if found := re.fullmatch(r"(\d{1,12})(?:\.\.(\d{1,12}))?", text, re.ASCII):
        return int(found[1]), int(found[2] or found[1])
    if found := re.fullmatch(r"([<>])=(\d{1,12})", text, re.ASCII):
        return (int(found[2]), MAX_COUNT) if found[1] == ">" else (0, int(found[2]))
    return 1, 0


TileCount = tuple[Annotated[str, hint(tiles=True)], Annotated[str, hint(initial=">=0")]]
TileCounts = Annotated[tuple[TileCount, ...], BeforeValidator(_read_counts)]
"""Tiles, each with the bounds of its number of cells as a string: `3`, `3..5`, `>=2` or `<=4`."""
