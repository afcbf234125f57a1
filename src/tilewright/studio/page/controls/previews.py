"""Small pictures of maps that are values."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np

from .... import data
from ....core.appearance import distinct_color, read_rgb
from ....core.errors import TilewrightError, counted
from ....core.grid import FREE, Grid
from ....core.resolver import Resolver
from ....core.tilemap import format_size
from ...scene import data_url
from .control import Around


def grid_of(value: Any) -> Grid | None:
    """The map that a value stands for, the first of many; None for what is none."""
    try:
        if isinstance(value, str) and "\n" not in value:
            value = Resolver().references(value)[0]
        return Grid.of(value, Resolver())
    except (TilewrightError, LookupError, TypeError, ValueError):
        return None


def picture_of(grid: Grid, around: Around | None = None) -> str:
    """A map as an address of a picture, a pixel a cell."""
    from PIL import Image

    cells = grid.cells if grid.cells.ndim == 2 else grid.cells[0]
    palette = np.zeros((len(grid.words) + 1, 4), dtype=np.uint8)
    for number, word in enumerate(grid.words):
        place = grid.tileset.find(word) if grid.tileset is not None else None
        known = around.color(word) if around is not None and place is None else None
        color = grid.tileset[place].color if grid.tileset is not None and place is not None else known
        palette[number] = (*read_rgb(color or distinct_color(number)), 255)
    shown = palette[np.where(cells == FREE, len(grid.words), cells)]
    file = io.BytesIO()
    Image.fromarray(shown).save(file, "PNG")
    return data_url(file.getvalue())


@lru_cache(maxsize=256)
def built_in_picture(name: str) -> str:
    grid = grid_of(name)
    return picture_of(grid) if grid is not None else ""


def shown_map(value: Any, around: Around) -> tuple[str, str, str]:
    """A map's picture, what it is called and how large it is."""
    if isinstance(value, str) and "\n" not in value:
        grid = grid_of(value)
        many = len(data.members(value)) if value in data.collections() else 0
        size = counted(many, "map") if many else _size(grid)
        return built_in_picture(value) if grid is not None else "", value, size
    grid = grid_of(value)
    return (picture_of(grid, around) if grid is not None else ""), "own map", _size(grid)


def _size(grid: Grid | None) -> str:
    return format_size(grid.shape) if grid is not None else "unknown"
