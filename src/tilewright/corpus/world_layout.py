"""How a world lies in its folder: a zarr group that any tool can open, its chunks, and what it tells about itself.

`cells` holds tile ids, `overview/8` the mean colour of every 8x8 cells, `overview/16` of every 16x16, and so on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from platform import node
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import __version__
from ..core.errors import BadFile, InvalidRecipe
from ..core.provenance import collect_revisions, raised_revisions
from ..core.recipe import Recipe
from ..core.tileset import Tileset
from .store import Folder

KIND = "tilewright world"
LAYOUT = 1
"""Raised when the folders of worlds look otherwise."""
GROUP, CELLS, OVERVIEW, PICTURE = "zarr.json", "cells", "overview", "overview.png"
DEFAULT_CHUNK_SIZE = 1024
CHUNK_SIZES = tuple(1 << power for power in range(3, 14))
MAX_OVERVIEW_SIDE, COARSEST_OVERVIEW = 8192, 1024
"""Pixels along the longer side: of the first overview at most, and of the last about."""
PICTURE_SIDE = 2048
COMPRESSION_LEVEL = 1
"""Of zstd: 2% larger than the usual 3, in half the time."""
ChunkIndex = tuple[int, int]


@dataclass(frozen=True)
class WorldLayout:
    """All that decides what lies in a world's folder."""

    recipe: Mapping[str, Any]
    """With every default written, nothing left to chance, and no paths."""
    seed: str
    shape: tuple[int, int]
    tileset: Tileset
    chunk: int
    """The side of a chunk; fixed at the first start."""
    version: str
    revisions: Mapping[str, int]

    @classmethod
    def of(cls, recipe: Recipe, chunk: int | None = None) -> WorldLayout:
        """The layout of a recipe's world; `chunk` is for whoever wants other chunks than 1024x1024."""
        shape = recipe.shape
        if len(shape) != 2:
            text = f"a world is flat, and this map has {len(shape)} dimensions"
            raise InvalidRecipe(text, at="technique", place=recipe.technique)
        assert recipe.seed is not None
        side = (
            min(DEFAULT_CHUNK_SIZE, max(CHUNK_SIZES[0], 1 << (max(shape) - 1).bit_length())) if chunk is None else chunk
        )
        if side not in CHUNK_SIZES:
            raise InvalidRecipe(
                f"must be a power of two from {CHUNK_SIZES[0]} to {CHUNK_SIZES[-1]:,}", at="chunk", got=chunk
            )
        data = recipe.to_data()
        data.pop("seed")
        return cls(data, recipe.seed, shape, recipe.tileset, side, __version__, collect_revisions(recipe))

    # -- chunks -------------------------------------------------------------------------------------------------

    @property
    def chunks(self) -> ChunkIndex:
        """How many there are, down and across."""
        return self.chunks_of(CELLS)

    def chunks_of(self, array: str) -> ChunkIndex:
        """How many an array has."""
        shape, side = self.shape, self.chunk
        if array != CELLS:
            shape, side = self.overview_shape(int(array.rpartition("/")[2])), self.pixels
        return -(-shape[0] // side), -(-shape[1] // side)

    @property
    def count(self) -> int:
        return self.chunks[0] * self.chunks[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """As the file has it."""
        return np.dtype(self.tileset.dtype).newbyteorder("<")

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The overviews, by how many cells their pixels are wide: each half as large as the one before."""
        finest = 2 if max(self.shape) <= 2 * PICTURE_SIDE else 4  # colours pack badly: halves would outweigh the cells
        while finest < self.chunk and -(-max(self.shape) // finest) > MAX_OVERVIEW_SIDE:
            finest *= 2
        levels = [finest]
        while -(-max(self.shape) // levels[-1]) > COARSEST_OVERVIEW:
            levels.append(levels[-1] * 2)
        return tuple(levels)

    @property
    def overviews(self) -> tuple[str, ...]:
        """The arrays of the overviews, the finest first."""
        return tuple(f"{OVERVIEW}/{level}" for level in self.levels)

    @property
    def pixels(self) -> int:
        """The side of a chunk of any overview: one of the finest shows one chunk of cells."""
        return self.chunk // self.levels[0]

    def overview_shape(self, level: int) -> tuple[int, int]:
        """Pixels of an overview, down and across."""
        height, width = self.shape
        return -(-height // level), -(-width // level)

    @property
    def picture_level(self) -> int:
        """The overview that is a picture too."""
        return next(level for level in self.levels if max(self.overview_shape(level)) <= PICTURE_SIDE)

    # -- as files -----------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": KIND,
            "layout": LAYOUT,
            "tilewright": self.version,
            "seed": self.seed,
            "revisions": dict(self.revisions),
            "recipe": self.recipe,
            "shape": list(self.shape),
            "tileset": self.tileset.to_data(),
            "chunk": self.chunk,
        }

    def build_documents(self) -> dict[tuple[str, ...], bytes]:
        """The files that tell zarr what lies where, as zarr itself writes them; the group's own comes first."""
        import zarr
        from zarr.codecs import ZstdCodec

        def create_array(
            name: str, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: Any, axes: list[str]
        ) -> Any:
            made = group.create_array(
                name,
                shape=shape,
                chunks=chunks,
                dtype=dtype,
                compressors=ZstdCodec(level=COMPRESSION_LEVEL),
                fill_value=0,
                dimension_names=axes,
                chunk_key_encoding={"name": "default", "separator": "."},
            )
            return made.attrs

        files: dict[str, Any] = {}
        store = zarr.storage.MemoryStore(files)
        group = zarr.create_group(store, attributes={"tilewright": self.to_data()})
        tiles = {"tiles": list(self.tileset.names)}
        create_array(CELLS, self.shape, (self.chunk, self.chunk), self.dtype, ["y", "x"]).update(tiles)
        for level, name in zip(self.levels, self.overviews, strict=True):
            shape, chunks = (*self.overview_shape(level), 3), (self.pixels, self.pixels, 3)
            create_array(name, shape, chunks, np.dtype("u1"), ["y", "x", "color"]).update({"cells_per_pixel": level})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not all tools know of consolidated metadata
            zarr.consolidate_metadata(store)  # with it zarr does not wonder about the picture in the group's folder
        names = sorted(files, key=lambda name: name != GROUP)
        return {tuple(name.split("/")): files[name].to_bytes() for name in names}

    @classmethod
    def from_data(cls, data: Any) -> WorldLayout:
        """The layout that a group's attributes tell."""
        if data["kind"] != KIND:
            raise ValueError("not a world")
        if data["layout"] != LAYOUT:
            raise BadFile(f"made by Tilewright {data.get('tilewright')}, whose worlds are laid out otherwise")
        height, width = map(int, data["shape"])
        chunk = int(data["chunk"])
        if min(height, width) < 1 or chunk not in CHUNK_SIZES:
            raise ValueError("no world is so large")
        tileset = Tileset.validate(data["tileset"])
        return cls(
            dict(data["recipe"]),
            str(data["seed"]),
            (height, width),
            tileset,
            chunk,
            str(data["tilewright"]),
            dict(data["revisions"]),
        )

    @classmethod
    def from_folder(cls, folder: Folder) -> WorldLayout | None:
        """The layout of a world; None where the folder is empty. A folder that holds something else is refused."""
        return folder.read_description(
            GROUP, "world", lambda content: cls.from_data(json.loads(content)["attributes"]["tilewright"])
        )

    def refuse_other_revisions(self, recipe: Recipe, folder: Folder | None = None) -> None:
        """Refuse to add chunks that the version which started the world would make differently."""
        raised = raised_revisions(self.revisions, collect_revisions(recipe))
        if raised:
            raise BadFile(
                f"the world was started by Tilewright {self.version}; {', '.join(raised)} in Tilewright {__version__} "
                f"on {node()} gives other results; use Tilewright {self.version}, or name another folder",
                at=folder,
            )

    def check_matches(self, wanted: WorldLayout, folder: Folder) -> None:
        """Refuse to continue a world with chunks of another one.

        Another version may continue it, if all revisions are the same. It may know parameters by other names and have
        more of them, so recipes are compared as this version writes them.
        """
        mine, asked = self.to_data(), json.loads(json.dumps(wanted.to_data()))
        recipe = Recipe.of({**self.recipe, "seed": self.seed})
        mine["recipe"] = json.loads(json.dumps(recipe.to_data()))
        mine["recipe"].pop("seed")
        own = ("chunk", "shape", "tilewright", "revisions")
        differ = [word for word in mine if word not in own and mine[word] != asked[word]]
        if differ:
            # A difference in anything else follows from one in the recipe.
            words = " and ".join(word for word in ("seed", "recipe") if word in differ) or "recipe"
            raise BadFile(f"holds a world of another {words}; name another folder", at=folder)
        self.refuse_other_revisions(recipe, folder)


def iter_places(chunks: ChunkIndex) -> Iterator[ChunkIndex]:
    """All chunks, row by row."""
    return ((row, column) for row in range(chunks[0]) for column in range(chunks[1]))


def chunk_name(array: str, place: ChunkIndex) -> str:
    """The file of a chunk in its array's folder; one folder holds them all, so that it is listed at once."""
    return f"c.{place[0]}.{place[1]}" + ("" if array == CELLS else ".0")  # colours are an axis of their own


def compress_chunk(block: NDArray[Any], side: int) -> bytes:
    """A chunk's file; beyond the edge of the world lies nothing, which is 0."""
    full = block
    if block.shape[:2] != (side, side):
        full = np.zeros((side, side, *block.shape[2:]), dtype=block.dtype)
        full[: block.shape[0], : block.shape[1]] = block
    content: bytes = pa.Codec("zstd", compression_level=COMPRESSION_LEVEL).compress(
        np.ascontiguousarray(full), asbytes=True
    )
    return content
