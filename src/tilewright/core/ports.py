"""Ports: protocols for functions that core uses from packages that it must not import.

`tilewright/__init__`, which Python runs before any other module of the package, registers for each port a function that
imports the implementation. A port calls that function at first use, so the order of imports does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from PIL.Image import Image

    from .model import Model
    from .network import Network
    from .recipe import Recipe
    from .tilemap import TileMap
    from .tileset import Tileset

T = TypeVar("T")

import_lock = RLock()
"""Lock for imports by ports and entry points: pydantic reads docstrings of fields with `ast`, which in some versions of
Python fails if two threads use it at once (python/cpython#106905)."""


class Port(Generic[T]):
    """A connection from core to an implementation, which is imported at first use."""

    def __init__(self) -> None:
        self._load: Callable[[], T] | None = None
        self._implementation: list[T] = []

    def register(self, load: Callable[[], T]) -> None:
        """Set the function that imports the implementation."""
        self._load, self._implementation = load, []

    def get(self) -> T:
        """Return the implementation."""
        if not self._implementation:
            assert self._load is not None, "tilewright/__init__ registers every port"
            with import_lock:
                self._implementation = [self._load()]
        return self._implementation[0]


class Files(Protocol):
    """Reading and writing files of maps, models and networks."""

    def save(self, map: TileMap, path: str | PathLike[str], **options: Any) -> object: ...

    def encode(self, map: TileMap, format: str, **options: Any) -> bytes: ...

    def image(self, map: TileMap, **options: Any) -> Image: ...

    def decode_map(self, content: bytes, name: str, format: str) -> TileMap: ...

    def save_model(self, model: Model, path: str | PathLike[str]) -> object: ...

    def save_network(self, network: Network, path: str | PathLike[str]) -> object: ...

    def decode_network(self, content: bytes, name: str) -> Network: ...

    def fit_sheet(self, tileset: Tileset) -> Tileset: ...

    def is_format(self, name: str) -> bool: ...

    def is_map_file(self, name: str) -> bool: ...


class MeasureMap(Protocol):
    """Function that computes measures of a map. `similarity` has the samples to compare the map with."""

    def __call__(self, map: TileMap, names: Sequence[str], similarity: Any, /) -> dict[str, float]: ...


class FindSimilarity(Protocol):
    """Function that returns the samples to compare the maps of a recipe with; None if the recipe has no samples."""

    def __call__(self, recipe: Recipe, /) -> Any: ...


class FindGame(Protocol):
    """Function that returns the game of a map and its params; None if no game suits the map."""

    def __call__(self, map: TileMap, /) -> tuple[str, dict[str, Any]] | None: ...


class DrawSummary(Protocol):
    """Function that returns the summary of a result as HTML. All strings are plain text."""

    def __call__(
        self,
        title: str,
        facts: Sequence[str],
        maps: Sequence[TileMap],
        captions: Sequence[str],
        measures: Mapping[str, Any],
        command: str,
        /,
    ) -> str: ...


class BuiltIn(Protocol):
    """The modules of the package that define techniques, shapers, measures and formats."""

    def find_names(self, package: str) -> frozenset[str]: ...

    def load(self, package: str, name: str) -> ModuleType: ...

    def load_measures(self) -> Sequence[ModuleType]: ...


files: Port[Files] = Port()
measure_map: Port[MeasureMap] = Port()
find_similarity: Port[FindSimilarity] = Port()
find_game: Port[FindGame] = Port()
draw_summary: Port[DrawSummary] = Port()
built_in: Port[BuiltIn] = Port()
more_overlays: Port[ModuleType] = Port()
"""Module that registers overlays of packages that `overlays` must not import."""
available_memory: Port[Callable[[], int]] = Port()
"""Function that returns the number of bytes of available memory, or 0 if it is unknown."""
