"""Reading a world: rectangular windows as maps, and overviews."""

from __future__ import annotations

import os
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TooLarge
from ..core.recipe import Recipe
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..jobs.folder import Folder
from .parts import decompress_cells
from .world_layout import CELLS, OVERVIEW, WorldLayout, chunk_name

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_CELLS_AT_ONCE = 1 << 28
"""Maximum number of cells or pixels read at once."""


class World:
    """A world in a folder. Rectangular windows are read on request.

    Parameters
    ----------
    folder : str or path-like
        Folder or fsspec URL of the world.

    Examples
    --------
    >>> import tilewright as tw
    >>> world = tw.corpus.make_world("caves", "memory://world.zarr", width=200, height=100, seed=7, workers=0)
    >>> World("memory://world.zarr").window(30, 20, 60, 40).shape
    (40, 60)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Folder(os.fspath(folder))
        found = WorldLayout.from_folder(self.folder)
        if found is None:
            raise BadFile("contains no world", at=self.folder)
        self._layout = found

    def __repr__(self) -> str:
        return f"<World {self.width}x{self.height} of {self.tileset.name}, seed {self.seed}, in {self.folder}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Size in cells, as (rows, columns)."""
        return self._layout.shape

    @property
    def width(self) -> int:
        return self.shape[1]

    @property
    def height(self) -> int:
        return self.shape[0]

    @property
    def tileset(self) -> Tileset:
        return self._layout.tileset

    @property
    def seed(self) -> str:
        return self._layout.seed

    @property
    def chunks(self) -> int:
        """Total number of chunks when the world is complete."""
        return self._layout.count

    @property
    def recipe(self) -> Recipe:
        """Recipe of the world. The complete map may not fit in memory."""
        return Recipe.of({**self._layout.recipe, "seed": self.seed})

    @property
    def levels(self) -> tuple[int, ...]:
        """Cells per pixel of each overview, along each axis."""
        return self._layout.levels

    def window(self, x: int, y: int, width: int, height: int) -> TileMap:
        """Return a rectangle of the world as a map.

        Parameters
        ----------
        x, y : int
            Column and row of the top left cell.
        width, height : int
            Size in cells.

        Returns
        -------
        TileMap

        Raises
        ------
        InvalidRecipe
            If the rectangle exceeds the world.
        BadFile
            If a chunk is missing or damaged.
        """
        self._refuse_outside(self.shape, x, y, width, height)
        dtype, side = self._layout.dtype, self._layout.chunk
        cells = self._read(CELLS, np.empty((height, width), dtype=dtype), x, y, side)
        if int(cells.max()) >= len(self.tileset):
            raise BadFile(
                f"damaged: tile id {int(cells.max())}, but there are {len(self.tileset)} tiles", at=self.folder
            )
        return TileMap(cells, self.tileset)

    def overview(
        self, level: int, x: int = 0, y: int = 0, width: int | None = None, height: int | None = None
    ) -> NDArray[np.uint8]:
        """Return the (row, column, 3) mean colors of a rectangle of an overview.

        Parameters
        ----------
        level : int
            Cells per pixel along each axis, one of `levels`.
        x, y, width, height : int
            Rectangle in pixels; the complete overview by default.

        Returns
        -------
        ndarray of uint8, (row, column, 3)
        """
        if level not in self.levels:
            raise InvalidRecipe(f"must be one of {', '.join(map(str, self.levels))}", at="level", got=level)
        shape = self._layout.overview_shape(level)
        size = shape[1] - x if width is None else width, shape[0] - y if height is None else height
        self._refuse_outside(shape, x, y, *size)
        out = np.empty((size[1], size[0], 3), dtype=np.uint8)
        return self._read(f"{OVERVIEW}/{level}", out, x, y, self._layout.pixels)

    def image(self) -> Image:
        """Return a small picture of the complete world, at most 2,048 pixels wide and high."""
        from PIL import Image

        return Image.fromarray(self.overview(self._layout.picture_level))

    def _read(self, array: str, out: NDArray[Any], x: int, y: int, side: int) -> NDArray[Any]:
        """Fill `out` from the chunks of an array, starting at x, y."""
        height, width = out.shape[:2]
        for row in range(y // side, (y + height - 1) // side + 1):
            for column in range(x // side, (x + width - 1) // side + 1):
                name = chunk_name(array, (row, column))
                content = self.folder.read(array, name)
                if content is None:
                    raise BadFile(
                        "not generated yet; run make_world again to continue", at=f"{self.folder}/{array}/{name}"
                    )
                try:
                    chunk = decompress_cells(content, (side, side, *out.shape[2:]), out.dtype)
                except OSError:
                    raise BadFile(
                        f"{self.folder}/{array}/{name}: damaged; delete the file and run make_world again"
                    ) from None
                top, left = max(y, row * side), max(x, column * side)
                bottom, right = min(y + height, (row + 1) * side), min(x + width, (column + 1) * side)
                inside = chunk[top - row * side : bottom - row * side, left - column * side : right - column * side]
                out[top - y : bottom - y, left - x : right - x] = inside
        return out

    def _refuse_outside(self, shape: tuple[int, int], x: int, y: int, width: int, height: int) -> None:
        numbers = (x, y, width, height)
        if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
            raise InvalidRecipe(f"x, y, width and height must be integers, got {numbers}", at="window", rule="type")
        if x < 0 or y < 0 or width < 1 or height < 1 or x + width > shape[1] or y + height > shape[0]:
            rectangle = f"{width}x{height} at {x}, {y}"
            raise InvalidRecipe(f"{rectangle} exceeds the size of {shape[1]}x{shape[0]}", at="window")
        if prod((width, height)) > MAX_CELLS_AT_ONCE:
            text = f"must have at most {MAX_CELLS_AT_ONCE:,} cells, got {width}x{height}"
            raise TooLarge(text, at="window")
