"""Registration of the packages that implement the ports of core, and of the built-in entries.

Each package is imported at its first use. Built-in techniques, shapers, measures and formats are found by the file
names of their modules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType

from .core import ports


def load_files() -> ports.Files:
    from . import formats

    return formats


def load_measure_map() -> ports.MeasureMap:
    from .analysis.survey import measure_map

    return measure_map


def load_find_similarity() -> ports.FindSimilarity:
    from .analysis.similarity import find_similarity

    return find_similarity


def load_find_game() -> ports.FindGame:
    from .play.game import find_game

    return find_game


def load_built_in() -> ports.BuiltIn:
    from . import _wiring

    return _wiring


def load_more_overlays() -> ModuleType:
    from .play import overlays

    return overlays


def load_available_memory() -> Callable[[], int]:
    from ._machine import available_memory

    return available_memory


@cache
def find_names(package: str) -> frozenset[str]:
    """Return the names of the public modules in a package. Each module defines the entry with the module's name."""
    import pkgutil

    found = (module.name for module in pkgutil.iter_modules(_import(package).__path__))
    return frozenset(name for name in found if not name.startswith("_"))


def load(package: str, name: str) -> ModuleType:
    """Import a module of a package."""
    return _import(f"{package}.{name}")


def load_measures() -> list[ModuleType]:
    """Import the modules that define measures."""
    return [load("analysis", "measures"), load("play", "measures")]


def _import(name: str) -> ModuleType:
    with ports.import_lock:
        return import_module(f".{name}", __package__)


ports.files.register(load_files)
ports.measure_map.register(load_measure_map)
ports.find_similarity.register(load_find_similarity)
ports.find_game.register(load_find_game)
ports.built_in.register(load_built_in)
ports.more_overlays.register(load_more_overlays)
ports.available_memory.register(load_available_memory)
