"""Registration of the packages that implement the ports of core, and of the built-in entries.

Each package is imported at its first use. Built-in techniques, shapers, measures and formats are found by the file
names of their modules.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from .core import ports


@cache
def find_names(package: str) -> frozenset[str]:
    """Return the names of the public modules in a package. Each module defines the entry with the module's name."""
    import pkgutil

    found = (module.name for module in pkgutil.iter_modules(_import(package).__path__))
    return frozenset(name for name in found if not name.startswith("_"))


def load(package: str, name: str) -> ModuleType:
    """Import a module of a package."""
    module: ModuleType = _import(f"{package}.{name}")
    return module


def load_measures() -> list[ModuleType]:
    """Import the modules that define measures."""
    return [load("analysis", "measures"), load("play", "measures")]


def _import(name: str) -> Any:
    with ports.import_lock:
        return import_module(f".{name}", __package__)


ports.files.register(lambda: _import("formats"))
ports.measure_map.register(lambda: _import("analysis.survey").measure_map)
ports.find_similarity.register(lambda: _import("analysis.similarity").find_similarity)
ports.find_game.register(lambda: _import("play.game").find_game)
ports.draw_summary.register(lambda: _import("pictures.summary").render_summary)
ports.built_in.register(lambda: _import("_wiring"))
ports.more_overlays.register(lambda: _import("play.overlays"))
ports.available_memory.register(lambda: _import("_machine").available_memory)
