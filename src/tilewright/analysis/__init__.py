"""Analysis of maps: distances, paths, fields of view, regions, chokepoints, rooms, keys.

The functions below are public. They are imported on first use.

>>> import tilewright as tw
>>> cave = tw.make("caves", width=30, height=12, seed=7)
>>> tw.analysis.regions(cave).count == tw.measure(cave, "regions")["regions"]
True
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.entries import measure as measure
    from .chokepoints import chokepoints as chokepoints
    from .doorways import doorways as doorways
    from .doorways import passages as passages
    from .fov import field_of_view as field_of_view
    from .keys import needed_keys as needed_keys
    from .keys import play as play
    from .movement import movement_range as movement_range
    from .paths import distances as distances
    from .paths import flee_map as flee_map
    from .paths import hot_path as hot_path
    from .paths import path as path
    from .regions import regions as regions
    from .rooms import rooms_graph as rooms_graph
    from .survey import Survey as Survey

_NAMES = {
    "chokepoints": ("chokepoints",),
    "doorways": ("doorways", "passages"),
    "fov": ("field_of_view",),
    "keys": ("needed_keys", "play"),
    "measures": ("measure",),
    "movement": ("movement_range",),
    "paths": ("distances", "flee_map", "hot_path", "path"),
    "regions": ("regions",),
    "rooms": ("rooms_graph",),
    "survey": ("Survey",),
}
"""Public names by the module that defines them."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = sorted(_HOMES)


class _Index(ModuleType):
    """Module type that keeps a public function when a submodule of the same name is imported."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(__all__)


sys.modules[__name__].__class__ = _Index
