"""Layout of a world's folder: a zarr group with chunks and metadata that any zarr tool can open.

`cells` holds tile ids, `overview/8` holds the mean color of each 8x8 block of cells, `overview/16` that of each 16x16
block, and so on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator, Strict

from .. import __version__
from ..core.errors import BadFile, InvalidRecipe
from ..core.params import MAX_SIDE
from ..core.recipe import Recipe
from ..core.stored import StoredData
from ..core.tileset import Tileset
from ..jobs.definition import StoredJob, find_revisions, list_differences, refuse_other_revisions
from ..jobs.folder import Folder

KIND = "tilewright world"
LAYOUT = 1
"""Version of the file layout, which is increased when the layout changes."""
GROUP, CELLS, OVERVIEW, PICTURE = "zarr.json", "cells", "overview", "overview.png"
DEFAULT_CHUNK_SIZE = 1024
CHUNK_SIZES = tuple(1 << power for power in range(3, 14))
MAX_OVERVIEW_SIDE, COARSEST_OVERVIEW = 8192, 1024
"""Number of pixels along the longer edge: the maximum for the finest overview, and the approximate number for the
coarsest."""
PICTURE_SIDE = 2048
COMPRESSION_LEVEL = 1
"""Compression level of zstd. Files are 2% larger than with the default level 3 and take half the time."""
ORDER = ("kind", "layout", "tilewright", "seed", "revisions", "recipe", "shape", "tileset", "chunk")
"""Keys of a layout in the order of its file."""
ChunkIndex = tuple[int, int]


def _check_chunk(side: int) -> int:
    if side not in CHUNK_SIZES:
        raise ValueError("must be a power of two")
    return side


def _read_tileset(given: Any) -> Tileset:
    return given if isinstance(given, Tileset) else Tileset.validate(given)


Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
StoredTileset = Annotated[Tileset, PlainValidator(_read_tileset), PlainSerializer(Tileset.to_data)]


class StoredAttributes(StoredData):
    """Attributes of the zarr group."""

    tilewright: dict[str, Any]


class StoredGroup(StoredData):
    """The metadata of the zarr group."""

    attributes: StoredAttributes


class WorldLayout(StoredJob):
    """Description of a world: everything that determines the content of its folder.

    It is an attribute of the zarr group. Its recipe has all defaults, but no random parameters and paths.
    """

    own_kind = KIND
    own_layout = LAYOUT
    seed: str
    shape: Annotated[tuple[Side, Side], Strict(False)]
    tileset: StoredTileset
    chunk: Annotated[int, AfterValidator(_check_chunk)]
    """Edge length of a chunk in cells. It is fixed when the world is created."""

    @classmethod
    def of(cls, recipe: Recipe, chunk: int | None = None) -> WorldLayout:
        """Return the layout of a recipe's world.

        Parameters
        ----------
        recipe : Recipe
            Recipe with a seed.
        chunk : int, optional
            Edge length of a chunk in cells, a power of two. By default 1024, or less for small worlds.

        Raises
        ------
        InvalidRecipe
            If the map is 3D or the chunk size is invalid.
        """
        shape = recipe.shape
        if len(shape) != 2:
            text = f"a world must have 2 dimensions, got {len(shape)}"
            raise InvalidRecipe(text, at="technique", place=recipe.technique)
        assert recipe.seed is not None
        side = (
            min(DEFAULT_CHUNK_SIZE, max(CHUNK_SIZES[0], 1 << (max(shape) - 1).bit_length())) if chunk is None else chunk
        )
        if side not in CHUNK_SIZES:
            raise InvalidRecipe(
                f"must be a power of two from {CHUNK_SIZES[0]} to {CHUNK_SIZES[-1]:,}", at="chunk", got=chunk
            )
        data = replace(recipe, name="").to_data()
        data.pop("seed")
        return cls(
            kind=KIND,
            layout=LAYOUT,
            tilewright=__version__,
            seed=recipe.seed,
            revisions=find_revisions(recipe),
            recipe=data,
            shape=shape,
            tileset=recipe.tileset,
            chunk=side,
        )

    # -- chunks -------------------------------------------------------------------------------------------------

    @property
    def chunks(self) -> ChunkIndex:
        """Number of chunks, as (rows, columns)."""
        return self.chunks_of(CELLS)

    def chunks_of(self, array: str) -> ChunkIndex:
        """Return the number of chunks of an array, as (rows, columns)."""
        shape, side = self.shape, self.chunk
        if array != CELLS:
            shape, side = self.overview_shape(int(array.rpartition("/")[2])), self.pixels
        return -(-shape[0] // side), -(-shape[1] // side)

    @property
    def count(self) -> int:
        return self.chunks[0] * self.chunks[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type in the files."""
        return np.dtype(self.tileset.dtype).newbyteorder("<")

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Number of cells per pixel of each overview, along each axis. Each number is twice the previous one."""
        finest = (
            2 if max(self.shape) <= 2 * PICTURE_SIDE else 4
        )  # Colors compress badly: an overview at half size would be larger than the cells.
        while finest < self.chunk and -(-max(self.shape) // finest) > MAX_OVERVIEW_SIDE:
            finest *= 2
        levels = [finest]
        while -(-max(self.shape) // levels[-1]) > COARSEST_OVERVIEW:
            levels.append(levels[-1] * 2)
        return tuple(levels)

    @property
    def overviews(self) -> tuple[str, ...]:
        """Names of the overview arrays, the finest first."""
        return tuple(f"{OVERVIEW}/{level}" for level in self.levels)

    @property
    def pixels(self) -> int:
        """Edge length of an overview chunk in pixels. A chunk of the finest overview covers one chunk of cells."""
        return self.chunk // self.levels[0]

    def overview_shape(self, level: int) -> tuple[int, int]:
        """Return the size of an overview in pixels, as (rows, columns)."""
        height, width = self.shape
        return -(-height // level), -(-width // level)

    @property
    def picture_level(self) -> int:
        """Level of the overview that is also saved as a picture."""
        return next(level for level in self.levels if max(self.overview_shape(level)) <= PICTURE_SIDE)

    # -- as files -----------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Return the data in the order of the file."""
        data = self.model_dump(mode="json")
        return {name: data[name] for name in ORDER}

    def build_documents(self) -> dict[tuple[str, ...], bytes]:
        """Return the metadata files of zarr by path. The file of the group comes first."""
        import zarr
        from zarr.codecs import ZstdCodec

        def create_array(
            name: str, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: Any, axes: list[str]
        ) -> Any:
            array = group.create_array(
                name,
                shape=shape,
                chunks=chunks,
                dtype=dtype,
                compressors=ZstdCodec(level=COMPRESSION_LEVEL),
                fill_value=0,
                dimension_names=axes,
                chunk_key_encoding={"name": "default", "separator": "."},
            )
            return array.attrs

        files: dict[str, Any] = {}
        store = zarr.storage.MemoryStore(files)
        group = zarr.create_group(store, attributes={"tilewright": self.to_data()})
        tiles = {"tiles": list(self.tileset.names)}
        create_array(CELLS, self.shape, (self.chunk, self.chunk), self.dtype, ["y", "x"]).update(tiles)
        for level, name in zip(self.levels, self.overviews, strict=True):
            shape, chunks = (*self.overview_shape(level), 3), (self.pixels, self.pixels, 3)
            create_array(name, shape, chunks, np.dtype("u1"), ["y", "x", "color"]).update({"cells_per_pixel": level})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Consolidated metadata is not part of the zarr 3 specification.
            zarr.consolidate_metadata(store)  # Without it, zarr warns about the picture in the group's folder.
        names = sorted(files, key=lambda name: name != GROUP)
        return {tuple(name.split("/")): files[name].to_bytes() for name in names}

    @classmethod
    def from_json(cls, content: str | bytes) -> Self:
        """Parse a layout from the metadata of a zarr group. Raise a TilewrightError if they are damaged."""
        return cls.from_data(StoredGroup.from_json(content).attributes.tilewright)

    @classmethod
    def from_folder(cls, folder: Folder) -> WorldLayout | None:
        """Read the layout of a world.

        Return None for an empty folder, and raise BadFile for a folder with other content.
        """
        return folder.read_description(GROUP, "world", cls.from_json)

    def refuse_other_revisions(self, recipe: Recipe, folder: Folder | None = None) -> None:
        """Raise BadFile if this version would make other chunks than the version that started the world."""
        refuse_other_revisions("world", self.tilewright, self.revisions, find_revisions(recipe), folder)

    def check_matches(self, wanted: WorldLayout, folder: Folder) -> None:
        """Raise BadFile if the requested world has other cells than this one.

        Another version may continue a world if all revisions are the same. That version may have other names for
        parameters and additional parameters, so both recipes are compared in the form in which this version writes
        them.
        """
        mine, requested = self.to_data(), wanted.to_data()
        recipe = Recipe.of({**self.recipe, "seed": self.seed})
        for layout, data in ((self, mine), (wanted, requested)):
            # How tiles are shown does not change cells.
            own_recipe = Recipe.of({**layout.recipe, "seed": layout.seed})
            data["recipe"] = json.loads(json.dumps(own_recipe.to_data())) | {"tileset": own_recipe.tileset.digest}
            data["recipe"].pop("seed")
            data["tileset"] = layout.tileset.digest
        differ = list_differences(mine, requested, "chunk", "shape", "tilewright", "revisions")
        if differ:
            # All other differences follow from the recipe.
            names = " and ".join(key for key in ("seed", "recipe") if key in differ) or "recipe"
            raise BadFile(f"contains a world with another {names}; name another folder", at=folder)
        self.refuse_other_revisions(recipe, folder)


def iter_places(chunks: ChunkIndex) -> Iterator[ChunkIndex]:
    """Return an iterator over all chunk indices, row by row."""
    return ((row, column) for row in range(chunks[0]) for column in range(chunks[1]))


def chunk_name(array: str, place: ChunkIndex) -> str:
    """Return the file name of a chunk. All chunks of an array are in one folder, so that one listing finds them."""
    return f"c.{place[0]}.{place[1]}" + ("" if array == CELLS else ".0")  # The color axis has one chunk.


def compress_chunk(block: NDArray[Any], side: int) -> bytes:
    """Return the compressed content of a chunk. Cells outside the world are 0."""
    padded = block
    if block.shape[:2] != (side, side):
        padded = np.zeros((side, side, *block.shape[2:]), dtype=block.dtype)
        padded[: block.shape[0], : block.shape[1]] = block
    content: bytes = pa.Codec("zstd", compression_level=COMPRESSION_LEVEL).compress(
        np.ascontiguousarray(padded), asbytes=True
    )
    return content
