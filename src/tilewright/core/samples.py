"""Samples: one or several example maps as a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from os import PathLike, fsdecode
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe, pluralize
from .grid import FREE, Grid, sort_labels
from .params import AtomicValue
from .ports import files
from .resolver import Resolver, list_built_in_samples
from .tilemap import TileMap
from .tileset import Tile, Tileset

DEFAULT_PATTERN_SIZE = 3
"""Edge length of the patterns that maps and samples are compared by."""
MAX_SAMPLES = 10_000
Counts = Mapping[str, NDArray[np.int64]]
"""Counts learned from samples, as flat arrays by name."""
FILE = re.compile(r".+\.\w[\w+-]*")
"""Regular expression for strings that may be file names or globs, but not rows of glyphs."""


class Samples(AtomicValue):
    """One or several example maps, either all 2D or all 3D.

    `Samples.of` reads the forms in which samples are given.

    Parameters
    ----------
    grids
        The maps.
    counts
        Counts that a technique made from the maps, as arrays by name.
    whole
        Samples of which these are a part: they share the labels and the tileset. By default, these themselves.

    Examples
    --------
    >>> Samples.of(["##.", ".#."])
    Samples(1 map: '#', '.')
    >>> len(Samples.of(["dungeon", "village"]))
    2
    """

    __slots__ = ("__dict__", "counts", "grids", "whole")
    json_schema: ClassVar = {
        "title": "Samples",
        "control": "samples",
        "anyOf": [Grid.json_schema, {"type": "array", "items": Grid.json_schema}],
    }

    def __init__(self, grids: Sequence[Grid], counts: Counts | None = None, whole: Samples | None = None) -> None:
        self.grids = tuple(grids)
        self.whole = whole
        self.counts = counts or {}
        """Counts that a technique made from the maps. Comparisons ignore them."""

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Samples:
        """Read samples.

        Parameters
        ----------
        value
            Samples, a map in any form that `Grid.of` accepts, or a list of maps. A list of rows of glyphs is one map. A
            name may refer to several maps: a file with several maps, a folder, a glob such as `maps/*.csv`, or the
            built-in maps of a game. Files in a folder that contain no map are skipped with a warning. A prefix names
            the format: `awbw:maps/*.csv`. In rows and lines of glyphs, `?` is the tile `question mark`.
        resolver
            Object that opens files. By default, only built-in names are known.

        Returns
        -------
        Samples
            The samples.

        Raises
        ------
        InvalidRecipe
            If a map cannot be read or has undecided cells, or if 2D and 3D maps are mixed.
        """
        if isinstance(value, Samples):
            return value
        if isinstance(value, (str, list, tuple)) and not (value.strip() if isinstance(value, str) else value):
            raise InvalidRecipe("a map has at least one cell")
        resolver = resolver or Resolver()
        given = list(value) if isinstance(value, (list, tuple)) and _are_maps(value, resolver) else [value]
        check_sample_count(len(given))
        grids = [grid for item in given for grid in _read_grids(item, resolver)]
        check_sample_count(len(grids))
        for number, grid in enumerate(grids):
            if grid.cells.ndim != grids[0].cells.ndim:
                levels = {2: "is flat", 3: "has levels"}
                both = [f"{_name_sample(grids, at)} {levels[grids[at].cells.ndim]}" for at in (0, number)]
                raise InvalidRecipe(f"all samples must have the same number of dimensions; {' but '.join(both)}")
            if (grid.cells == FREE).any():
                which = f"{_name_sample(grids, number)}: " if len(grids) > 1 else ""
                raise InvalidRecipe(f"{which}a sample has no free cells")
        return cls(grids)

    def describe(self, number: int) -> str:
        """Return the name of a sample for messages: its file, or else `sample 2` or `the sample`."""
        return _name_sample(self.grids, number)

    def to_data(self, *, inline: bool = True) -> Any:
        """Return plain data that `of` reads."""
        written = [grid.to_data(inline=inline) for grid in self.grids]
        return written[0] if len(written) == 1 else written

    def choose(self, numbers: Iterable[int]) -> Samples:
        """Return some of the samples, with the labels and the tileset of all of them."""
        return Samples([self.grids[number] for number in numbers], whole=self.whole or self)

    @property
    def axes(self) -> int:
        """Number of dimensions of the maps."""
        return self.grids[0].cells.ndim

    @cached_property
    def counts_digest(self) -> str:
        """Digest of the counts, for cache keys. Counts from a file may differ from counts made by this version."""
        named = blake2b(digest_size=16)
        for name, array in self.counts.items():
            named.update(f"{name} {array.size} ".encode() + array.tobytes())
        return named.hexdigest() if self.counts else ""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the tiles in use, sorted."""
        if self.whole is not None:
            return self.whole.labels
        return tuple(str(label) for label in sort_labels(label for grid in self.grids for label in grid.labels))

    @cached_property
    def maps(self) -> tuple[NDArray[np.int64], ...]:
        """Each map as an array of positions in `labels`."""
        rank = {label: number for number, label in enumerate(self.labels)}
        tables = (np.array([rank[str(label)] for label in grid.labels], dtype=np.int64) for grid in self.grids)
        return tuple(table[grid.cells] for table, grid in zip(tables, self.grids, strict=True))

    @cached_property
    def tile_counts(self) -> NDArray[np.int64]:
        """Array (label,) of the number of cells with each tile in all maps."""
        return np.bincount(np.concatenate([map.reshape(-1) for map in self.maps]), minlength=len(self.labels))

    @cached_property
    def tileset(self) -> Tileset:
        """Tileset of the maps.

        If all maps share a tileset, possibly with tiles appended, the result is that tileset. Otherwise, the result has
        only the tiles in use, in the order of the tilesets of the maps. Tiles without a tileset get a generated
        appearance.
        """
        if self.whole is not None:
            return self.whole.tileset
        given = [grid.tileset for grid in self.grids if grid.tileset is not None]
        shared = _find_shared_tileset(given) if len(given) == len(self.grids) else None
        if shared is not None and set(self.labels) <= set(shared.names):
            return shared
        known = {tile.name: tile for tileset in reversed(given) for tile in tileset}
        order = {name: place for place, name in enumerate(dict.fromkeys(tile.name for one in given for tile in one))}
        names = sorted(self.labels, key=lambda name: order.get(name, len(order)))
        bare = Tileset.from_labels(names, given[0].name if given else "sample")
        if not given:
            return bare
        tiles = [
            known[name].model_dump(exclude={"sprite"}) if name in known else tile.model_dump()
            for name, tile in zip(names, bare, strict=True)
        ]
        taken: set[str] = set()
        for tile in tiles:  # Two samples may use one glyph for two tiles: the second tile gets a new glyph.
            if tile["glyph"] in taken:
                tile["glyph"] = ""
            taken.add(tile["glyph"])
        return Tileset.validate({"name": bare.name, "tiles": tiles})

    def with_tileset(self, tileset: Tileset) -> Samples:
        """Return the samples with the tiles of another tileset that has the same names."""
        return Samples([Grid(grid.labels, grid.cells, tileset, grid.name) for grid in self.grids], self.counts)

    def with_counts(self, counts: Counts) -> Samples:
        """Return the samples with counts of a technique."""
        return Samples(self.grids, counts)

    def __iter__(self) -> Iterator[Grid]:
        return iter(self.grids)

    def __len__(self) -> int:
        return len(self.grids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Samples):
            return NotImplemented
        return self.grids == other.grids and self.labels == other.labels

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Cached, because samples are often used as keys.
        return hash(self.grids)

    def __reduce__(self) -> tuple[Any, ...]:
        return Samples, (self.grids, self.counts, self.whole)

    def __repr__(self) -> str:
        labels = ", ".join(repr(tile.name) for tile in list(self.tileset)[:6]) + (
            ", ..." if len(self.tileset) > 6 else ""
        )
        return f"Samples({pluralize(len(self), 'map')}: {labels})"


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training data in a technique's parameters, and how its maps are compared with the data."""

    samples: Samples
    """Samples that the technique learns from."""
    pattern_size: int = DEFAULT_PATTERN_SIZE
    """Edge length of the compared patterns."""
    wrap_sample: str = "none"
    """Axes along which the samples wrap around, such as x or xy, or none."""
    wrap: str = "none"
    """Axes along which the map wraps around."""
    symmetries: int = 1
    """Views of the samples to include: 1 (as they are), 2 (also mirrored) or 8 (also rotated)."""


def check_sample_count(samples: int) -> None:
    """Raise InvalidRecipe if there are more than `MAX_SAMPLES` samples."""
    if samples > MAX_SAMPLES:
        raise InvalidRecipe(f"must be at most {MAX_SAMPLES:,} samples, got {samples:,}")


def _find_shared_tileset(tilesets: Sequence[Tileset]) -> Tileset | None:
    """Return the common tileset with all appended tiles; None if a tileset does not start with the common tiles."""
    shortest = min(tilesets, key=len)
    appended: dict[str, Tile] = {}
    for tileset in tilesets:
        if tileset is shortest:
            continue
        if tileset.name != shortest.name or tileset.tiles[: len(shortest)] != shortest.tiles:
            return None
        appended.update({tile.name: tile for tile in tileset.tiles[len(shortest) :]})
    return shortest.with_tiles(appended.values())


def _read_grids(item: Any, resolver: Resolver) -> tuple[Grid, ...]:
    """Return the maps that an item refers to."""
    if isinstance(item, PathLike) or (isinstance(item, str) and "\n" not in item):
        return resolver.read_samples(fsdecode(item))
    return (Grid.of(item, resolver, free_glyph=False),)


def _name_sample(grids: Sequence[Grid], number: int) -> str:
    return grids[number].name or (f"sample {number + 1}" if len(grids) > 1 else "the sample")


def _are_maps(items: Sequence[Any], resolver: Resolver) -> bool:
    """Return whether the items of a list are maps and not rows of one map.

    Of a longer list than allowed, only the first items are checked.
    """
    items = items[: MAX_SAMPLES + 1]
    if not all(_is_map(item, resolver) for item in items):
        # Strings of different lengths are not rows, so an unknown one beside a known one is a mistyped name.
        strings = [item for item in items if isinstance(item, str)]
        differ = len(strings) == len(items) and len({len(item) for item in strings}) > 1
        return differ and any(_is_known(item, resolver) for item in strings)
    named = [item for item in items if isinstance(item, str) and not _is_known(item, resolver)]
    return all(files.get().is_map_file(item) for item in named)  # Last: may import all formats.


def _is_known(item: str, resolver: Resolver) -> bool:
    return "\n" in item or item in list_built_in_samples() or _has_format(item) or resolver.has_folder(item)


def _is_map(item: Any, resolver: Resolver) -> bool:
    """Return whether an item is a map or may be the file of a map."""
    if isinstance(item, str):
        return _is_known(item, resolver) or FILE.fullmatch(item) is not None
    if isinstance(item, np.ndarray):
        return item.ndim > 1
    nested = isinstance(item, (list, tuple)) and len(item) > 0 and isinstance(item[0], (list, tuple))
    return nested or isinstance(item, (Grid, TileMap, PathLike, dict))


def _has_format(item: str) -> bool:
    """Return whether a string starts with the name of a format, as in awbw:maps/first.csv."""
    name, colon, rest = item.partition(":")
    return bool(colon and rest and re.fullmatch(r"\w+", name)) and files.get().is_format(name)
