"""Samples: one map or several that show a style, as a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from os import PathLike, fsdecode
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .deprecation import renamed_members
from .errors import InvalidRecipe, pluralize
from .grid import FREE, Grid, sort_labels
from .params import AtomicValue
from .ports import files
from .resolver import Resolver, list_built_in_samples
from .tilemap import TileMap
from .tileset import Tile, Tileset

DEFAULT_PATTERN_SIZE = 3
"""Side of the patterns by which maps are compared with samples."""
MAX_SAMPLES = 1000
Counts = Mapping[str, NDArray[np.int64]]
"""What is learned from samples, as flat arrays by name."""
FILE = re.compile(r".+\.\w[\w+-]*")
"""What may be a file, or several, in a list of strings, and no row of glyphs."""


@renamed_members(words="labels", looking_like="with_tileset")
class Samples(AtomicValue):
    """Maps made of words, at least one, all flat or all with levels.

    >>> Samples.of(["##.", ".#."])
    Samples(1 map: '#', '.')
    >>> len(Samples.of(["dungeon", "village"]))
    2
    """

    __slots__ = ("__dict__", "counts", "grids")
    json_schema: ClassVar = {
        "title": "Samples",
        "control": "samples",
        "anyOf": [Grid.json_schema, {"type": "array", "items": Grid.json_schema}],
    }

    def __init__(self, grids: Sequence[Grid], counts: Counts | None = None) -> None:
        self.grids = tuple(grids)
        self.counts = counts or {}
        """What a model keeps of them, counted by its technique; not part of their content."""

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Samples:
        """Samples from what makes a Grid, or from a list of that; rows of glyphs are one map, names several.

        A name may stand for many maps: a folder, a pattern such as maps/*.csv, or the built-in maps of a game. A format
        may stand before it: awbw:maps/*.csv.
        """
        if isinstance(value, Samples):
            return value
        if isinstance(value, (str, list, tuple)) and not (value.strip() if isinstance(value, str) else value):
            raise InvalidRecipe("a map has at least one cell")
        given = list(value) if isinstance(value, (list, tuple)) and _are_maps(value) else [value]
        check_sample_count(len(given))
        grids = [grid for item in given for grid in _read_grids(item, resolver or Resolver())]
        check_sample_count(len(grids))
        for number, grid in enumerate(grids):
            if grid.cells.ndim != grids[0].cells.ndim:
                raise InvalidRecipe("all samples are flat, or all have levels")
            if (grid.cells == FREE).any():
                which = f"sample {number + 1}: " if len(grids) > 1 else ""
                raise InvalidRecipe(f"{which}a sample has no free cells (?)")
        return cls(grids)

    def to_data(self, *, inline: bool = True) -> Any:
        """Plain data that makes them again."""
        written = [grid.to_data(inline=inline) for grid in self.grids]
        return written[0] if len(written) == 1 else written

    @property
    def axes(self) -> int:
        return self.grids[0].cells.ndim

    @cached_property
    def counts_digest(self) -> str:
        """Names the counts, so that caches keep what came with a file apart from what was counted here."""
        named = blake2b(digest_size=16)
        for name, array in self.counts.items():
            named.update(f"{name} {array.size} ".encode() + array.tobytes())
        return named.hexdigest() if self.counts else ""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The tiles in use, by name, in an order that depends on the names alone."""
        return tuple(str(word) for word in sort_labels(word for grid in self.grids for word in grid.labels))

    @cached_property
    def maps(self) -> tuple[NDArray[np.int64], ...]:
        """Every sample as positions in the words."""
        rank = {word: number for number, word in enumerate(self.labels)}
        tables = (np.array([rank[str(word)] for word in grid.labels], dtype=np.int64) for grid in self.grids)
        return tuple(table[grid.cells] for table, grid in zip(tables, self.grids, strict=True))

    @cached_property
    def tileset(self) -> Tileset:
        """The tileset that all samples came with, be it with tiles of their own behind it, whole.

        Otherwise the tiles in use, with the looks that they came with, in their order; bare words get looks of their
        own.
        """
        given = [grid.tileset for grid in self.grids if grid.tileset is not None]
        if (
            len(given) == len(self.grids)
            and (shared := _find_shared_tileset(given))
            and set(self.labels) <= set(shared.names)
        ):
            return shared
        known = {tile.name: tile for tileset in reversed(given) for tile in tileset}
        order = {name: place for place, name in enumerate(dict.fromkeys(tile.name for one in given for tile in one))}
        names = sorted(self.labels, key=lambda word: order.get(word, len(order)))
        bare = Tileset.from_labels(names, given[0].name if given else "sample")
        if not given:
            return bare
        tiles = [
            known[name].model_dump(exclude={"sprite"}) if name in known else tile.model_dump()
            for name, tile in zip(names, bare, strict=True)
        ]
        taken: set[str] = set()
        for looks in tiles:  # two samples may draw two tiles alike: the first keeps its glyph, the other gets a new one
            if looks["glyph"] in taken:
                looks["glyph"] = ""
            taken.add(looks["glyph"])
        return Tileset.validate({"name": bare.name, "tiles": tiles})

    def with_tileset(self, tileset: Tileset) -> Samples:
        """The same samples with the looks of another tileset's tiles of the same names."""
        return Samples([Grid(grid.labels, grid.cells, tileset) for grid in self.grids], self.counts)

    def with_counts(self, counts: Counts) -> Samples:
        """The same samples with what a technique counted in them."""
        return Samples(self.grids, counts)

    def __iter__(self) -> Iterator[Grid]:
        return iter(self.grids)

    def __len__(self) -> int:
        return len(self.grids)

    def __eq__(self, other: object) -> bool:
        return self.grids == other.grids if isinstance(other, Samples) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.grids)

    def __reduce__(self) -> tuple[Any, ...]:
        return Samples, (self.grids, self.counts)

    def __repr__(self) -> str:
        words = ", ".join(repr(tile.name) for tile in list(self.tileset)[:6]) + (
            ", ..." if len(self.tileset) > 6 else ""
        )
        return f"Samples({pluralize(len(self), 'map')}: {words})"


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training data in a technique's params, and how maps made from it are compared with it."""

    samples: Samples
    pattern_size: int = DEFAULT_PATTERN_SIZE
    """Side of the patterns that are compared."""
    wrap_sample: str = "none"
    """Axes along which the samples wrap."""
    wrap: str = "none"
    """Axes along which the map wraps."""
    symmetries: int = 1
    """Views of the samples that count: 1, 2 or 8."""


def check_sample_count(samples: int) -> None:
    if samples > MAX_SAMPLES:
        raise InvalidRecipe(f"at most {MAX_SAMPLES:,} samples, got {samples:,}")


def _find_shared_tileset(tilesets: Sequence[Tileset]) -> Tileset | None:
    """The tileset that others only append to, with all that is appended; None where there is none."""
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
    """The maps that an item stands for."""
    if isinstance(item, PathLike) or (isinstance(item, str) and "\n" not in item):
        names = resolver.expand_reference(fsdecode(item))
        check_sample_count(len(names))
        return tuple(resolver.read_grid(name) for name in names)
    return (Grid.of(item, resolver),)


def _are_maps(items: Sequence[Any]) -> bool:
    """Whether the items of a list are maps by themselves, and no rows of one."""
    if not all(_is_map(item) for item in items):
        return False
    named = [item for item in items if isinstance(item, str) and not _is_known(item)]
    return all(files.get().is_map_file(item) for item in named)  # asked last: it may import all formats


def _is_known(item: str) -> bool:
    return "\n" in item or item in list_built_in_samples() or _has_format(item)


def _is_map(item: Any) -> bool:
    """Whether an item is a map by itself, or may be the file of one."""
    if isinstance(item, str):
        return _is_known(item) or FILE.fullmatch(item) is not None
    if isinstance(item, np.ndarray):
        return item.ndim > 1
    nested = isinstance(item, (list, tuple)) and len(item) > 0 and isinstance(item[0], (list, tuple))
    return nested or isinstance(item, (Grid, TileMap, PathLike, dict))


def _has_format(item: str) -> bool:
    """Whether the name of a format stands before it, as in awbw:maps/first.csv."""
    name, colon, rest = item.partition(":")
    return bool(colon and rest and re.fullmatch(r"\w+", name)) and files.get().is_format(name)
