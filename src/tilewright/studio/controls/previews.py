"""Small pictures of maps that are parameter values."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np

from ... import data
from ...core.appearance import distinct_color, read_rgb
from ...core.errors import TilewrightError, pluralize
from ...core.grid import FREE, Grid
from ...core.resolver import Resolver
from ...core.tilemap import format_size
from ..map.payloads import data_url
from .control import ControlContext


def read_grid(value: Any) -> Grid | None:
    """Return the map of a value, the first one of a collection, or None if the value is not a map."""
    try:
        if isinstance(value, str) and "\n" not in value:
            value = Resolver().expand_reference(value)[0]
        return Grid.of(value, Resolver())
    except (TilewrightError, LookupError, TypeError, ValueError):
        return None


def draw_preview(grid: Grid, context: ControlContext | None = None) -> str:
    """Return a picture of a map with one pixel per cell, as a data URL."""
    from PIL import Image

    cells = grid.cells if grid.cells.ndim == 2 else grid.cells[0]
    palette = np.zeros((len(grid.labels) + 1, 4), dtype=np.uint8)
    for number, word in enumerate(grid.labels):
        tile = grid.tileset.find(word) if grid.tileset is not None else None
        known = context.find_color(word) if context is not None and tile is None else None
        color = grid.tileset[tile].color if grid.tileset is not None and tile is not None else known
        palette[number] = (*read_rgb(color or distinct_color(number)), 255)
    pixels = palette[np.where(cells == FREE, len(grid.labels), cells)]
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return data_url(file.getvalue())


@lru_cache(maxsize=256)
def draw_built_in(name: str) -> str:
    grid = read_grid(name)
    return draw_preview(grid) if grid is not None else ""


def describe_map(value: Any, context: ControlContext) -> tuple[str, str, str]:
    """Return a map's picture, name and size."""
    if isinstance(value, str) and "\n" not in value:
        grid = read_grid(value)
        count = len(data.list_members(value)) if value in data.list_collections() else 0
        size = pluralize(count, "map") if count else _describe_size(grid)
        return draw_built_in(value) if grid is not None else "", value, size
    grid = read_grid(value)
    return (draw_preview(grid, context) if grid is not None else ""), "own map", _describe_size(grid)


def _describe_size(grid: Grid | None) -> str:
    return format_size(grid.shape) if grid is not None else "unknown"
