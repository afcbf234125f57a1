"""Entry points of installed packages, which add entries to the registries.

Tilewright adds some of its own entries in this way; those take precedence.

The groups are tilewright.generators, .shaping, .measures, .constraints, .formats, .engines, .distances, .games,
.tilesets and .benchmarks. The group .kernels names packages with kernels, which `tilewright warmup` compiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from types import ModuleType

from .errors import TilewrightError
from .ports import import_lock


@cache
def find_own(folder: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of Tilewright itself for a folder, by name, without reading those of other packages."""
    try:
        points = distribution("tilewright").entry_points
    except PackageNotFoundError:  # It is imported from a folder, and not installed.
        return {}
    return {point.name: point for point in points.select(group=f"tilewright.{folder}")}


@cache
def find_plugins(folder: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of installed packages for a folder, by name."""
    return {point.name: point for point in entry_points(group=f"tilewright.{folder}")}


def load_plugin(folder: str, name: str) -> object:
    """Load an entry point. Raise TilewrightError with its name if that fails."""
    point = find_own(folder).get(name) or find_plugins(folder)[name]
    try:
        with import_lock:
            found = point.load()
    except Exception as error:  # Other packages may raise any exception.
        package = point.dist.name if point.dist else point.value
        raise TilewrightError(f"{name!r} of {package} cannot be loaded: {type(error).__name__}: {error}") from error
    return getattr(found, name, None) if isinstance(found, ModuleType) else found
