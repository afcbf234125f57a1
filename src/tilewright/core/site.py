"""The site of a map (shape, tiles, locks and position in a world), and the frames of its generation.

Block sizes are the amount of work between two frames, usually a few hundredths of a second. They never change a map.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidRecipe, TilewrightError, UnknownName
from .grid import FREE, Grid
from .tilemap import MapDetails, TileMap, adopt_cells
from .tileset import Tileset

Point = tuple[float, float]
LOOKUP_BLOCK_CELLS = 1 << 20
MAX_DIRECT_LOOKUP = 1 << 12
"""Maximum number of cells for which a lookup without a range check beforehand is faster."""
ALL_BLOCKS = ""
"""Name of the limit for all blocks."""
block_limits: dict[str, int] = {}
"""Limits of block sizes by name, which `tilewright.testing.block_size` sets."""


@dataclass(slots=True)
class Frame:
    """The state of a generation at one moment.

    A technique yields frames with arrays that it still uses, or with functions that compute them. The functions are
    only called if the frame is shown. `snapshot()` returns a copy that can be kept; `tw.watch` yields such copies.
    Computing a frame must not draw from the rng. The generation can be canceled at each yield.
    """

    cells: Any = None
    """Array (row, column) of positions in `site.labels`, or a function that returns it. In a snapshot, tile ids."""
    note: str = ""
    """Short description of the step."""
    progress: float | None = None
    """Progress of the stage, 0 to 1; None if unknown."""
    numbers: Mapping[str, float] | None = None
    """Values to show, by name."""
    colors: Any = None
    """Array (row, column, 3) of RGB colors to show instead of the tiles' colors, or a function that returns it."""
    lines: Any = ()
    """Lines to draw over the map, each from (x, y) to (x, y) in cells, or a function that returns them."""
    stage: str = ""
    """Name of the technique or shaper. The pipeline sets it."""
    site: Site | None = None
    """Site of the stage. The pipeline sets it."""
    map: TileMap | None = None
    """The finished map, only in the last frame."""

    @property
    def tileset(self) -> Tileset:
        """Tileset of the map."""
        assert self.site is not None
        return self.site.tileset

    def snapshot(self) -> Frame:
        """Return a copy of the frame that owns its arrays. The cells of the copy are tile ids."""
        assert self.site is not None
        cells = self.cells() if callable(self.cells) else self.cells
        colors = self.colors() if callable(self.colors) else self.colors
        return replace(
            self,
            cells=None if cells is None else self.site.to_tile_ids(cells),
            numbers=dict(self.numbers or {}),
            colors=None if colors is None else np.array(colors, dtype=np.uint8),
            lines=tuple(self.lines() if callable(self.lines) else self.lines),
        )


Steps = Generator[Frame, None, TileMap]
"""Type of techniques and shapers that can be watched: a generator that yields frames and returns the map."""
A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


def change_frames(work: Generator[A, None, T], change: Callable[[A], B]) -> Generator[B, None, T]:
    """Run a generator and yield `change(frame)` for each of its frames. Return its result."""
    try:
        while True:
            yield change(next(work))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        work.close()


def block_size(name: str, size: int) -> int:
    """Return the number of cells, steps or other units in a block of work, unless a test limits it.

    Examples
    --------
    >>> block_size("markov", 1 << 15)
    32768
    """
    return min(size, block_limits.get(name, size), block_limits.get(ALL_BLOCKS, size))


def split_blocks(name: str, size: int, count: int, width: int = 1) -> Iterator[slice]:
    """Split `count` rows of `width` cells into blocks of about `size` cells, and yield the rows of each block.

    Examples
    --------
    >>> list(split_blocks("caves", 40, 5, 20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, block_size(name, size) // max(1, width))
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))


@dataclass(frozen=True)
class PaddedWindow:
    """A window of a world with a margin around it. All tuples are in array order."""

    own: tuple[int, ...]
    """Shape of the window without the margin."""
    first: tuple[int, ...]
    """Position of the window's first cell in the world."""
    before: tuple[int, ...]
    """Number of margin cells before the window on each axis."""
    after: tuple[int, ...]
    """Number of margin cells after the window on each axis."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape including the margin."""
        return tuple(sum(sides) for sides in zip(self.before, self.own, self.after, strict=True))

    @cached_property
    def origin(self) -> tuple[int, ...]:
        """Position of the first margin cell in the world."""
        return tuple(first - before for first, before in zip(self.first, self.before, strict=True))

    @cached_property
    def inner(self) -> tuple[slice, ...]:
        """Slices of the window inside the margin."""
        return tuple(slice(before, before + side) for before, side in zip(self.before, self.own, strict=True))


class Site:
    """The shape, tiles and locks of the map that a technique or shaper makes.

    A technique's cells hold positions in `labels`, such as 0 for "floor" and 1 for "wall". `map()` converts them to ids
    of the tileset that the recipe names. A shaper's labels are all tiles of its map. The pipeline makes sites.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        tileset: Tileset,
        *,
        labels: Sequence[str] | None = None,
        ids: NDArray[np.int64] | None = None,
        offset: Sequence[int] | None = None,
        chunk: tuple[tuple[int, ...], tuple[int, ...]] | None = None,
        lock_at: NDArray[np.int64] | None = None,
        lock_ids: NDArray[np.int64] | None = None,
    ) -> None:
        self.shape = shape
        """Shape of the map: (row, column) or (level, row, column)."""
        self.tileset = tileset
        """Tileset of the map."""
        self.labels = tuple(labels) if labels is not None else tileset.names
        """Names of the technique's tiles, or of all tiles for a shaper."""
        self.ids = ids if ids is not None else np.arange(len(tileset))
        """Array (label,) of tile ids."""
        self._table = self.ids.astype(tileset.dtype)
        self.offset = tuple(offset) if offset is not None else None
        """Position (x, y) of a window in an endless world; None for a map with edges."""
        self.first = tuple(reversed(self.offset)) if self.offset is not None else (0,) * len(shape)
        """Position of the first cell in the world, in array order."""
        self.world = None if self.offset is not None else shape
        """Shape of the complete map, of which the site may be a chunk; None for an endless world."""
        if chunk is not None:
            self.world, self.first = chunk
        self._lock_at = lock_at if lock_at is not None and len(lock_at) else None
        self._lock_ids = lock_ids
        self._lock_labels: NDArray[np.int64] | None = None
        self._padded_windows: dict[tuple[int, bool, int], PaddedWindow] = {}
        self.is_watched = True
        """Whether frames may be shown. Otherwise, a technique may take several steps between two frames; the map is the
        same."""

    def without_frames(self) -> Site:
        """Return the site for a map whose frames are not shown."""
        other = object.__new__(Site)
        other.__dict__.update(self.__dict__, is_watched=False)
        return other

    def tile(self, label: str | int) -> int:
        """Return the position of a tile in `labels`. Raise UnknownName if it is not among them."""
        if isinstance(label, str) and label in self.labels:
            return self.labels.index(label)
        number = self.tileset.find(label)
        for position, tile in enumerate(self.ids.tolist()):
            if tile == number:
                return position
        raise UnknownName("tile", label, self.labels)

    # -- position -------------------------------------------------------------------------------------------

    @property
    def window(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shape and position of the first cell, the arguments of `rng.cells`."""
        return self.shape, self.first

    @property
    def is_whole_map(self) -> bool:
        """Whether this is a complete map and not a chunk or window of a larger one."""
        return self.world == self.shape

    def padded_window(self, reach: int, *, wrap: bool = False, border: int = 0) -> PaddedWindow:
        """Return the window with the margin that a technique needs to compute it.

        A complete map has no margin. The margin of a chunk ends at the edges of the map unless the map wraps around. A
        window of an endless world has a margin on all sides.

        Parameters
        ----------
        reach
            Width of the margin: the distance over which cells depend on each other.
        wrap
            Whether the map wraps around.
        border
            Number of cells to add on all sides, including those without a margin.

        Returns
        -------
        PaddedWindow
            The window and its margin.
        """
        known = self._padded_windows.get((reach, wrap, border))
        if known is not None:  # All maps of a recipe share the site.
            return known
        before: tuple[int, ...] = (reach,) * len(self.shape)
        after = before
        if self.is_whole_map:
            before = after = (0,) * len(self.shape)
        elif self.world is not None and not wrap:
            sides = tuple(zip(self.world, self.first, self.shape, strict=True))
            before = tuple(min(reach, first) for _, first, _ in sides)
            after = tuple(min(reach, world - first - side) for world, first, side in sides)
        before, after = (tuple(cells + border for cells in side) for side in (before, after))
        found = self._padded_windows[reach, wrap, border] = PaddedWindow(self.shape, self.first, before, after)
        return found

    # -- locks ----------------------------------------------------------------------------------------------

    @property
    def has_locks(self) -> bool:
        """Whether any cell is locked."""
        return self._lock_at is not None

    @property
    def locked(self) -> NDArray[np.bool_]:
        """Mask of the locked cells."""
        mask = np.zeros(self.shape, dtype=np.bool_)
        if self._lock_at is not None:
            mask.reshape(-1)[self._lock_at] = True
        return mask

    @property
    def locked_tiles(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Flat indices of the locked cells in ascending order, and the ids of their tiles."""
        none = np.zeros(0, dtype=np.int64)
        return (none, none) if self._lock_at is None or self._lock_ids is None else (self._lock_at, self._lock_ids)

    def label_tiles(self, missing: int = FREE) -> NDArray[np.int64]:
        """Return an array (tile,) of the position of each tile in `labels`, or `missing` for tiles without a label.

        Of several labels for one tile, the first is used.
        """
        positions = np.full(len(self.tileset), missing, dtype=np.int64)
        positions[self.ids[::-1]] = np.arange(len(self.ids))[::-1]
        return positions

    def locked_counts(self) -> NDArray[np.int64]:
        """Return an array (label,) with the number of cells locked to that tile."""
        counts = np.bincount(self._lock_ids if self._lock_ids is not None else [], minlength=len(self.tileset))
        by_label: NDArray[np.int64] = counts[self.ids]
        return by_label

    def read(self, grid: Grid, name: str) -> NDArray[np.int32]:
        """Convert a map parameter to positions in `labels`.

        Parameters
        ----------
        grid
            The map.
        name
            Name of the parameter, for error messages.

        Returns
        -------
        ndarray of int32
            Positions in `labels`; -1 for undecided cells.

        Raises
        ------
        InvalidRecipe
            If the map has a tile that is not among the labels.
        """
        ids = grid.to_tile_ids(self.tileset, dict(zip(self.labels, self.ids.tolist(), strict=True)))
        positions: NDArray[np.int32] = np.append(self.label_tiles(), FREE).astype(np.int32)[ids]
        is_unknown = (positions == FREE) & (ids != FREE)
        if is_unknown.any():
            tile = self.tileset[int(ids[is_unknown][0])].name
            raise InvalidRecipe(f"{tile!r} is not one of the {len(self.labels)} tiles in use", at=name)
        return positions

    def apply_locks(self, cells: Any, inner: tuple[slice, ...] = ()) -> Any:
        """Set the locked cells in an array of positions in `labels`, in place.

        A locked tile that is not among the labels is replaced by the first label of the same passability.

        Parameters
        ----------
        cells
            Array of the site's shape, or larger.
        inner
            Slices of the site's cells in a larger array; see `PaddedWindow.inner`.

        Returns
        -------
        ndarray
            `cells`.
        """
        if self._lock_at is not None:
            cells[inner][np.unravel_index(self._lock_at, self.shape)] = self._find_lock_labels()
        return cells

    def _find_lock_labels(self) -> NDArray[np.int64]:
        if self._lock_labels is None:
            assert self._lock_ids is not None
            passable = self.tileset.passable
            table = np.zeros(len(self.tileset), dtype=np.int64)
            for number in np.unique(self._lock_ids).tolist():
                same = np.flatnonzero(self.ids == number)
                alike = np.flatnonzero(passable[self.ids] == passable[number])
                table[number] = same[0] if len(same) else alike[0] if len(alike) else 0
            self._lock_labels = table[self._lock_ids]
        return self._lock_labels

    def violated_locks(self, map: TileMap) -> list[tuple[int, ...]]:
        """Return the indices of locked cells where a map has another tile."""
        if self._lock_at is None or self._lock_ids is None:
            return []
        wrong = self._lock_at[map.cells.reshape(-1)[self._lock_at] != self._lock_ids]
        return [tuple(int(part) for part in np.unravel_index(at, self.shape)) for at in wrong]

    def for_shaper(self, map: TileMap) -> Site:
        """Return the site for a shaper of a map, with the same locks."""
        return Site(map.shape, map.tileset, offset=self.offset, lock_at=self._lock_at, lock_ids=self._lock_ids)

    def rearrange(
        self, move: Callable[[NDArray[Any]], NDArray[Any]], reoriented: NDArray[np.int64] | None = None
    ) -> Site:
        """Return the site with rearranged locks and without an offset. Locks that are cut off are dropped.

        Parameters
        ----------
        move
            Function that rearranges an array of the site's shape.
        reoriented
            Array (tile,) of the tile that replaces each locked tile; see `Tileset.reorient_tiles`.

        Returns
        -------
        Site
            The site after the move.
        """
        if self._lock_at is None or self._lock_ids is None:
            # A broadcast array gives the new shape without allocating memory.
            return Site(move(np.broadcast_to(np.uint8(0), self.shape)).shape, self.tileset)
        locked = np.full(self.shape, -1, dtype=np.int64)
        locked.reshape(-1)[self._lock_at] = self._lock_ids
        locked = np.ascontiguousarray(move(locked))
        at = np.flatnonzero(locked >= 0)
        ids = locked.reshape(-1)[at]
        return Site(locked.shape, self.tileset, lock_at=at, lock_ids=ids if reoriented is None else reoriented[ids])

    # -- results --------------------------------------------------------------------------------------------

    def to_tile_ids(self, cells: ArrayLike) -> NDArray[Any]:
        """Convert positions in `labels` to tile ids, and set the locked cells."""
        ids = self._look_up_ids(np.asarray(cells))
        if self._lock_at is not None:
            ids.reshape(-1)[self._lock_at] = self._lock_ids
        return ids

    def _look_up_ids(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Return tile ids in a new array, in C order."""
        # Unsigned, because take() accepts negative indices.
        if labels.size <= MAX_DIRECT_LOOKUP and labels.dtype.char in "?BHI":
            try:
                return self._table.take(labels)
            except IndexError:
                pass  # The error is reported below.
        if labels.size and not 0 <= int(labels.min()) <= int(labels.max()) < len(self.ids):
            wrong = int(labels.min()) if labels.min() < 0 else int(labels.max())
            raise TilewrightError(f"cells: must be in 0..{len(self.ids) - 1}, positions in site.labels, got {wrong}")
        if np.array_equal(self.ids, np.arange(len(self.ids))):
            return labels.astype(self.tileset.dtype, order="C")
        ids = np.empty(labels.shape, dtype=self.tileset.dtype)
        # The lookup works in blocks, because NumPy converts the indices to eight-byte integers.
        rows = max(1, LOOKUP_BLOCK_CELLS * labels.shape[0] // max(1, labels.size))
        for first in range(0, labels.shape[0], rows):
            ids[first : first + rows] = self._table[labels[first : first + rows].astype(np.intp)]
        return ids

    def map(self, cells: ArrayLike, **details: Unpack[MapDetails]) -> TileMap:
        """Return the finished map.

        Parameters
        ----------
        cells
            Positions in `labels`. Locked cells get their tile.
        **details
            Other fields of the map: `rooms`, `links`, `markers`, `layers` and `numbers`.

        Returns
        -------
        TileMap
            The map.
        """
        return adopt_cells(self.to_tile_ids(cells), self.tileset, **details)
