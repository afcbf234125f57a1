"""Tilewright makes tile maps: every technique behind one contract.

>>> import tilewright as tw
>>> m = tw.make("caves", width=30, height=8, seed=7)
>>> m.shape
(8, 30)

Importing this package is cheap: each name below is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "api": ("learn", "load", "make", "measure", "measures", "recipe", "run", "shape", "shapers",
            "techniques", "tilesets", "verify", "watch"),
    "core.errors": ("BadFile", "GaveUp", "InvalidRecipe", "TilewrightError", "TooLarge", "UnknownName"),
    "core.grid": ("Grid",),
    "core.locks": ("Locks",),
    "core.params": ("Params", "Sized", "param"),
    "core.recipe": ("Recipe", "Stage"),
    "core.registry": ("mover", "shaper", "technique"),
    "core.seeds": ("Rng",),
    "core.site": ("Frame", "Site", "Steps"),
    "core.tilemap": ("Marker", "Room", "TileMap"),
    "core.tileset": ("Tile", "Tileset"),
}  # fmt: skip
_MODULES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = ["__version__", "formats", *sorted(_MODULES)]

if TYPE_CHECKING:
    from .api import (
        formats,
        learn,
        load,
        make,
        measure,
        measures,
        recipe,
        run,
        shape,
        shapers,
        techniques,
        tilesets,
        verify,
        watch,
    )
    from .core.errors import BadFile, GaveUp, InvalidRecipe, TilewrightError, TooLarge, UnknownName
    from .core.grid import Grid
    from .core.locks import Locks
    from .core.params import Params, Sized, param
    from .core.recipe import Recipe, Stage
    from .core.registry import mover, shaper, technique
    from .core.seeds import Rng
    from .core.site import Frame, Site, Steps
    from .core.tilemap import Marker, Room, TileMap
    from .core.tileset import Tile, Tileset


def __getattr__(name: str) -> Any:
    if name == "formats":  # a folder that can be called
        return import_module(".formats", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
