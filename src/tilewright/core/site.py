"""The place to build on: its size, its tiles by name, the cells that are taken; and the frames shown on the way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .deprecation import renamed_keywords, renamed_members
from .errors import InvalidRecipe, TilewrightError, UnknownName
from .grid import FREE, Grid
from .tilemap import MapDetails, TileMap, adopt_cells
from .tileset import Tileset

Point = tuple[float, float]
LOOKUP_BLOCK_CELLS = 1 << 20
MAX_DIRECT_LOOKUP = 1 << 12
"""Up to so many, looking all up is quicker than checking first and then copying."""


@renamed_keywords(done="progress")
@renamed_members(done="progress", shown="snapshot")
@dataclass(slots=True)
class Frame:
    """What can be seen at a moment of the work.

    Made with borrowed `cells`, or a function that makes them, which costs nothing when nobody looks; `shown()` is
    a copy that may be kept. Never draws from the rng. Yielding one is also the place to report and to stop.
    """

    cells: Any = None
    """(row, column) in the technique's own words, as `site.map` takes them; or a function that gives them."""
    note: str = ""
    progress: float | None = None
    """How far this stage is, 0..1."""
    numbers: Mapping[str, float] | None = None
    colors: Any = None
    """(row, column, 3) red, green, blue to show instead of the tiles' own; or a function that gives them."""
    lines: Any = ()
    """Lines to draw over the map, each from (x, y) to (x, y) in cells; or a function that gives them."""
    stage: str = ""
    """The technique or shaper at work; filled in by the pipeline."""
    site: Site | None = None
    map: TileMap | None = None
    """The finished map, in the last frame alone."""

    @property
    def tileset(self) -> Tileset:
        assert self.site is not None
        return self.site.tileset

    def snapshot(self) -> Frame:
        """A copy that may be kept: cells are tile ids, and nothing is borrowed any more."""
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
"""What a technique or shaper that can be watched returns: frames on the way, the map at the end."""
A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


def change_frames(work: Generator[A, None, T], change: Callable[[A], B]) -> Generator[B, None, T]:
    """Do the work, and yield what `change` makes of each of its frames."""
    try:
        while True:
            yield change(next(work))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        work.close()


@dataclass(frozen=True)
class PaddedWindow:
    """A window, and what lies around it."""

    own: tuple[int, ...]
    first: tuple[int, ...]
    before: tuple[int, ...]
    """Cells above and left of it (and below, of levels)."""
    after: tuple[int, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(sum(sides) for sides in zip(self.before, self.own, self.after, strict=True))

    @cached_property
    def origin(self) -> tuple[int, ...]:
        """Where its first cell lies in the world."""
        return tuple(first - before for first, before in zip(self.first, self.before, strict=True))

    @cached_property
    def inner(self) -> tuple[slice, ...]:
        """The window's own cells in it."""
        return tuple(slice(before, before + side) for before, side in zip(self.before, self.own, strict=True))


@renamed_members(
    hold="apply_locks",
    held="locked_counts",
    painted="to_tile_ids",
    broken="violated_locks",
    around="padded_window",
    moved="rearrange",
    words="labels",
    is_whole="is_whole_map",
)
class Site:
    """Where a technique or shaper works.

    A technique speaks its own words ("floor", "wall"): its cells hold positions in `words`, and `map()` turns
    them into tiles of whatever tileset the recipe names. A shaper's words are all tiles of the map it is given.
    """

    __slots__ = (
        "_lock_at",
        "_lock_ids",
        "_lock_labels",
        "_padded_windows",
        "_table",
        "first",
        "ids",
        "labels",
        "offset",
        "shape",
        "tileset",
        "world",
    )  # fmt: skip

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
        """The map's shape in array order: (row, column) or (level, row, column)."""
        self.tileset = tileset
        self.labels = tuple(labels) if labels is not None else tileset.names
        self.ids = ids if ids is not None else np.arange(len(tileset))
        """(word,) the tile id of every word."""
        self._table = self.ids.astype(tileset.dtype)
        self.offset = tuple(offset) if offset is not None else None
        """(x, y) of a window in an endless world; None for a map that stands alone."""
        # (x, y) or (x, y, level) of the offset, turned into array order
        self.first = tuple(reversed(self.offset)) if self.offset is not None else (0,) * len(shape)
        """Where the first cell lies in the world, in array order."""
        self.world = None if self.offset is not None else shape
        """The shape of the whole map, of which this may be a part; None for an endless world."""
        if chunk is not None:
            self.world, self.first = chunk
        self._lock_at = lock_at if lock_at is not None and len(lock_at) else None
        self._lock_ids = lock_ids
        self._lock_labels: NDArray[np.int64] | None = None
        self._padded_windows: dict[tuple[int, bool, int], PaddedWindow] = {}

    def tile(self, label: str | int) -> int:
        """The position of a word among this site's words, as cells hold it."""
        if isinstance(label, str) and label in self.labels:
            return self.labels.index(label)
        number = self.tileset.find(label)
        for position, tile in enumerate(self.ids.tolist()):
            if tile == number:
                return position
        raise UnknownName("tile", label, self.labels)

    # -- where ----------------------------------------------------------------------------------------------

    @property
    def window(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape and the first cell, in array order: what `rng.cells` takes."""
        return self.shape, self.first

    @property
    def is_whole_map(self) -> bool:
        """Whether this is a map with edges of its own, and no part or window of a larger one."""
        return self.world == self.shape

    def padded_window(self, reach: int, *, wrap: bool = False, border: int = 0) -> PaddedWindow:
        """The window with what a technique that looks so far around has to make beside it.

        A whole map has nothing beside it. A part of a map has its neighbours, up to the edges of the map where these
        do not join; a window of an endless world has them on all sides. A border adds so many cells more on every side,
        whatever lies there.
        """
        known = self._padded_windows.get((reach, wrap, border))
        if known is not None:  # the site is that of all maps of a recipe
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
        return self._lock_at is not None

    @property
    def locked(self) -> NDArray[np.bool_]:
        """The cells that are taken."""
        mask = np.zeros(self.shape, dtype=np.bool_)
        if self._lock_at is not None:
            mask.reshape(-1)[self._lock_at] = True
        return mask

    def locked_counts(self) -> NDArray[np.int64]:
        """(word,) how many locked cells hold its tile."""
        counts = np.bincount(self._lock_ids if self._lock_ids is not None else [], minlength=len(self.tileset))
        held: NDArray[np.int64] = counts[self.ids]
        return held

    def read(self, grid: Grid, name: str) -> NDArray[np.int32]:
        """A given map, the parameter `name`, in this site's words; -1 where it is free."""
        ids = grid.to_tile_ids(self.tileset, dict(zip(self.labels, self.ids.tolist(), strict=True)))
        table = np.full(len(self.tileset) + 1, FREE, dtype=np.int32)
        table[self.ids[::-1]] = np.arange(len(self.ids))[::-1]  # the first word wins where two share a tile
        words: NDArray[np.int32] = table[ids]
        strange = (words == FREE) & (ids != FREE)
        if strange.any():
            tile = self.tileset[int(ids[strange][0])].name
            raise InvalidRecipe(f"{tile!r} is not one of the {len(self.labels)} tiles in use", at=name)
        return words

    def apply_locks(self, cells: Any, inner: tuple[slice, ...] = ()) -> Any:
        """Put the locked cells back, in place, as the site's words; of wider `cells`, `inner` are the site's own.

        A locked tile that the technique has no word for counts as its first word of the same passability.
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
        """The locked cells that do not hold their tile."""
        if self._lock_at is None or self._lock_ids is None:
            return []
        wrong = self._lock_at[map.cells.reshape(-1)[self._lock_at] != self._lock_ids]
        return [tuple(int(part) for part in np.unravel_index(at, self.shape)) for at in wrong]

    def for_shaper(self, map: TileMap) -> Site:
        """The same place for a shaper: its words are all tiles of the map it is given."""
        return Site(map.shape, map.tileset, offset=self.offset, lock_at=self._lock_at, lock_ids=self._lock_ids)

    def rearrange(
        self, move: Callable[[NDArray[Any]], NDArray[Any]], reoriented: NDArray[np.int64] | None = None
    ) -> Site:
        """The place after its cells moved; locks move along, those cut away are gone, and so is the offset.

        `turned` (tile,) is what each locked tile becomes, where the move turns pieces.
        """
        if self._lock_at is None or self._lock_ids is None:
            # An array of one number that pretends to be large tells the new shape for nothing.
            return Site(move(np.broadcast_to(np.uint8(0), self.shape)).shape, self.tileset)
        held = np.full(self.shape, -1, dtype=np.int64)
        held.reshape(-1)[self._lock_at] = self._lock_ids
        held = np.ascontiguousarray(move(held))
        at = np.flatnonzero(held >= 0)
        ids = held.reshape(-1)[at]
        return Site(held.shape, self.tileset, lock_at=at, lock_ids=ids if reoriented is None else reoriented[ids])

    # -- results --------------------------------------------------------------------------------------------

    def to_tile_ids(self, cells: ArrayLike) -> NDArray[Any]:
        """Tile ids for cells that hold words, with every locked cell as it must be."""
        painted = self._look_up_ids(np.asarray(cells))
        if self._lock_at is not None:
            painted.reshape(-1)[self._lock_at] = self._lock_ids
        return painted

    def _look_up_ids(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Tile ids in a new array, in C order."""
        if labels.size <= MAX_DIRECT_LOOKUP and labels.dtype.char in "?BHI":  # unsigned: no number counts from the end
            try:
                return self._table.take(labels)
            except IndexError:
                pass  # told below
        if labels.size and not 0 <= int(labels.min()) <= int(labels.max()) < len(self.ids):
            wrong = int(labels.min()) if labels.min() < 0 else int(labels.max())
            raise TilewrightError(f"cells: there are {len(self.ids)} tiles, 0..{len(self.ids) - 1}, got {wrong}")
        if np.array_equal(self.ids, np.arange(len(self.ids))):
            return labels.astype(self.tileset.dtype, order="C")
        painted = np.empty(labels.shape, dtype=self.tileset.dtype)
        # In blocks, because numpy makes eight-byte numbers of all that it looks up at once.
        rows = max(1, LOOKUP_BLOCK_CELLS * labels.shape[0] // max(1, labels.size))
        for first in range(0, labels.shape[0], rows):
            painted[first : first + rows] = self._table[labels[first : first + rows].astype(np.intp)]
        return painted

    def map(self, cells: ArrayLike, **details: Unpack[MapDetails]) -> TileMap:
        """The finished map of cells that hold words."""
        return adopt_cells(self.to_tile_ids(cells), self.tileset, **details)
