"""Built-in techniques, shapers, measures and formats, found by the file names of their modules."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from types import ModuleType

from .core.ports import import_lock


@cache
def find_names(package: str) -> frozenset[str]:
    """Return the names of the public modules in a package. Each module defines the entry with the module's name."""
    found = (module.name for module in pkgutil.iter_modules(_import(package).__path__))
    return frozenset(name for name in found if not name.startswith("_"))


def load(package: str, name: str) -> ModuleType:
    """Import a module of a package."""
    return _import(f"{package}.{name}")


def load_measures() -> list[ModuleType]:
    """Import the modules that define measures."""
    return [load("analysis", "measures"), load("play", "measures")]


def _import(name: str) -> ModuleType:
    with import_lock:
        return import_module(f".{name}", __package__)
