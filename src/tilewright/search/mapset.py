"""Sets of maps that differ from each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe
from ..core.tilemap import TileMap, convert_cells
from ..core.tileset import Tileset
from .distances import BoundDistance, read_distance
from .gate import Descriptions

if TYPE_CHECKING:
    from PIL.Image import Image

NUMBER = "{number}"


@dataclass(frozen=True, eq=False)
class Variety:
    """Maps of which every two differ by a minimum distance; `tw.search.variety` makes them.

    Examples
    --------
    >>> import tilewright as tw
    >>> found = tw.search.variety({"technique": "caves", "params": {"width": 24, "height": 16}}, count=3, seed=7)
    >>> len(found), found.distances.shape, found.min_distance >= 0.2
    (3, (3, 3), True)
    """

    maps: tuple[TileMap, ...]
    distance: str
    """The distance, with its settings."""
    distances: NDArray[np.float64] = field(repr=False)
    """Array (map, map) of distances."""
    targets: tuple[str, ...]
    """Target of each map; empty strings without targets."""
    measures: tuple[Mapping[str, float], ...] = field(repr=False)
    """Values of the measures of all targets, for each map."""
    candidates: int
    """Number of candidates that were made."""
    failures: Mapping[str, int]
    """Number of candidates that could not be made or compared, by reason."""

    def __len__(self) -> int:
        return len(self.maps)

    def __iter__(self) -> Iterator[TileMap]:
        return iter(self.maps)

    def __getitem__(self, number: int) -> TileMap:
        return self.maps[number]

    @property
    def min_distance(self) -> float:
        """Distance of the two most similar maps; 1 for a single map."""
        count = len(self.maps)
        return float(self.distances[~np.eye(count, dtype=bool)].min(initial=1.0))

    def sheet(self, *, columns: int | None = None, width: int = 1200) -> Image:
        """Draw all maps, each with its number.

        Parameters
        ----------
        columns
            Number of maps per row. By default, a number that makes the picture about square.
        width
            Maximum width of the picture in pixels.

        Returns
        -------
        PIL.Image.Image
        """
        from ..pictures.sheets import draw_contact_sheet

        captions = [str(number) for number in range(1, 1 + len(self))]
        return draw_contact_sheet(self.maps, captions, columns=columns, width=width)

    def save(self, path: str | PathLike[str], **options: Any) -> list[str]:
        """Save each map in its own file.

        Parameters
        ----------
        path
            Path with the placeholder `{number}`, such as `level_{number}.tmx`. Maps are numbered from 1.
        **options
            Options of the format.

        Returns
        -------
        list of str
            The paths of the files.

        Raises
        ------
        InvalidRecipe
            If the path has no placeholder, or an option breaks its rule.
        BadFile
            If a file cannot be written.
        """
        template = fspath(path)
        if NUMBER not in template and len(self) > 1:
            raise InvalidRecipe("must contain {number}, so that each map has its own file", at="path", got=template)
        paths = [template.replace(NUMBER, str(number)) for number in range(1, 1 + len(self))]
        for map, one in zip(self.maps, paths, strict=True):
            map.save(one, **options)
        return paths


def compare(maps: Sequence[TileMap], distance: Any = "hamming", /) -> NDArray[np.float64]:
    """Return the distances between all maps.

    Parameters
    ----------
    maps
        The maps. Tiles of different tilesets are equal if they have the same name.
    distance
        Name of a distance, `patterns,pattern_size=2`, or a mapping from the name to its parameters.

    Returns
    -------
    ndarray of float64
        Array (map, map) of numbers from 0 to 1.

    Raises
    ------
    InvalidRecipe
        If the distance does not apply to a map, or maps that must have the same size differ in it.

    Examples
    --------
    >>> import tilewright as tw
    >>> caves = [tw.make("caves", width=20, height=12, seed=seed) for seed in (1, 1, 2)]
    >>> compare(caves)[0].round(2)
    array([0.  , 0.  , 0.43])
    """
    maps = list(maps)
    if not all(isinstance(map, TileMap) for map in maps):
        raise InvalidRecipe("must be a list of maps", at="maps", rule="type")
    chosen = read_distance(distance)
    found = np.zeros((len(maps), len(maps)))
    descriptions = Descriptions()
    for number, map in enumerate(share_tiles(maps)):
        description = chosen.describe(map)
        if description is None:
            text = f"does not apply to map {number + 1}{describe_need(chosen)}"
            raise InvalidRecipe(text, at="distance", place=f"distance {chosen}", rule="missing")
        row = chosen.compare(description, descriptions.view(description))
        found[number, :number] = found[:number, number] = row
        descriptions.add(description)
    return found


def describe_need(distance: BoundDistance) -> str:
    """Return what maps need for a distance, as the end of a message."""
    return f"; it needs {distance.entry.needs}" if distance.entry.needs else ""


def share_tiles(maps: Sequence[TileMap]) -> list[TileMap]:
    """Return the maps with one tileset that has all their tiles."""
    tileset = maps[0].tileset if maps else None
    for map in maps:
        tileset = map.tileset if tileset is None else tileset.with_tiles(map.tileset)
    return [with_tileset(map, tileset) for map in maps if tileset is not None]


def with_tileset(map: TileMap, tileset: Tileset) -> TileMap:
    """Return the map with the ids of another tileset, which has all its tiles."""
    if map.tileset.names == tileset.names:
        return map
    return map.replace(cells=convert_cells(map, tileset), tileset=tileset)
