"""Tilewright makes tile maps: every technique behind one contract.

>>> import tilewright as tw
>>> m = tw.make("caves", width=30, height=8, seed=7)
>>> m.shape
(8, 30)

Importing this package is cheap: each name below is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .core import ports

__version__ = "0.1.0"

_HOMES = {
    "api": ("learn", "load", "load_model", "make", "measure", "measures", "overlay", "recipe", "run", "shape",
            "shapers", "techniques", "tilesets", "verify", "watch"),
    "overlays.overlay": ("Overlay",),
    "core.errors": ("BadFile", "GaveUp", "InvalidRecipe", "TilewrightError", "TooLarge", "UnknownName"),
    "core.grid": ("Grid",),
    "core.locks": ("Locks",),
    "core.model": ("Model",),
    "core.params": ("Params", "Sized", "param"),
    "core.recipe": ("Recipe", "Stage"),
    "core.registry": ("ByExample", "mover", "shaper", "technique"),
    "core.samples": ("Samples", "Training"),
    "core.seeds": ("Rng",),
    "core.site": ("Frame", "Site", "Steps"),
    "core.tilemap": ("Marker", "Room", "TileMap"),
    "core.tileset": ("Tile", "Tileset"),
}  # fmt: skip
_MODULES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = ["__version__", "corpus", "formats", *sorted(_MODULES)]

if TYPE_CHECKING:
    from . import corpus as corpus
    from .api import formats as formats
    from .api import learn as learn
    from .api import load as load
    from .api import load_model as load_model
    from .api import make as make
    from .api import measure as measure
    from .api import measures as measures
    from .api import overlay as overlay
    from .api import recipe as recipe
    from .api import run as run
    from .api import shape as shape
    from .api import shapers as shapers
    from .api import techniques as techniques
    from .api import tilesets as tilesets
    from .api import verify as verify
    from .api import watch as watch
    from .core.errors import BadFile as BadFile
    from .core.errors import GaveUp as GaveUp
    from .core.errors import InvalidRecipe as InvalidRecipe
    from .core.errors import TilewrightError as TilewrightError
    from .core.errors import TooLarge as TooLarge
    from .core.errors import UnknownName as UnknownName
    from .core.grid import Grid as Grid
    from .core.locks import Locks as Locks
    from .core.model import Model as Model
    from .core.params import Params as Params
    from .core.params import Sized as Sized
    from .core.params import param as param
    from .core.recipe import Recipe as Recipe
    from .core.recipe import Stage as Stage
    from .core.registry import ByExample as ByExample
    from .core.registry import mover as mover
    from .core.registry import shaper as shaper
    from .core.registry import technique as technique
    from .core.samples import Samples as Samples
    from .core.samples import Training as Training
    from .core.seeds import Rng as Rng
    from .core.site import Frame as Frame
    from .core.site import Site as Site
    from .core.site import Steps as Steps
    from .core.tilemap import Marker as Marker
    from .core.tilemap import Room as Room
    from .core.tilemap import TileMap as TileMap
    from .core.tileset import Tile as Tile
    from .core.tileset import Tileset as Tileset
    from .overlays.overlay import Overlay as Overlay


def _register_ports() -> None:
    """Connect core to what it may not import; each implementation is imported at its first use."""

    def files() -> ports.Files:
        from . import formats

        return formats

    def measure_map() -> ports.MeasureMap:
        from .analysis.survey import measured

        return measured

    def find_similarity() -> ports.FindSimilarity:
        from .analysis.similarity import similarity_in

        return similarity_in

    def built_in() -> ports.BuiltIn:
        from . import _built_in

        return _built_in

    def available_memory() -> Callable[[], int]:
        from ._machine import available_memory

        return available_memory

    ports.files.register(files)
    ports.measure_map.register(measure_map)
    ports.find_similarity.register(find_similarity)
    ports.built_in.register(built_in)
    ports.available_memory.register(available_memory)


_register_ports()


def __getattr__(name: str) -> Any:
    if name in ("corpus", "formats"):  # folders; that of formats can be called
        return import_module(f".{name}", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
