"""Blocks of a world: rectangles of chunks that are made at once.

What a block must see around itself is made for its neighbours too. So blocks of a technique that looks far around are
larger; memory bounds how large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.chunks import get_local_technique, make_chunk
from ..core.errors import TooLarge
from ..core.pipeline import drain
from ..core.recipe import Recipe
from ..core.tileset import Tileset
from .world_layout import ChunkIndex, WorldLayout, compress_chunk

MAX_MEMORY = 1 << 28
"""Bytes to work with for a block, beside what Python and its libraries take anyway."""
TARGET_WASTE = 1.2
"""Cells made for each cell of the world: blocks grow until it is no more than this."""
MAX_WASTE = 9.0


@dataclass(frozen=True)
class ChunkBlock:
    """A rectangle of chunks, and those of them that are wanted."""

    first: ChunkIndex
    """Its first chunk."""
    chunks: ChunkIndex
    """Down and across."""
    missing: tuple[ChunkIndex, ...]


@dataclass(frozen=True)
class ChunkFiles:
    """A finished chunk: its file and that of the overview over it."""

    place: ChunkIndex
    cells: bytes
    overview: bytes


def make_blocks(blocks: Sequence[ChunkBlock], layout: WorldLayout, recipe: Recipe) -> list[ChunkFiles]:
    """The work of one task, wherever it is done."""
    layout.refuse_other_revisions(recipe)
    return [made for block in blocks for made in _make_block(layout, block, recipe)]


def _make_block(layout: WorldLayout, block: ChunkBlock, recipe: Recipe) -> Iterable[ChunkFiles]:
    side, finest = layout.chunk, layout.levels[0]
    first = (block.first[0] * side, block.first[1] * side)
    sides = zip(first, block.chunks, layout.shape, strict=True)
    shape = tuple(min(count * side, whole - start) for start, count, whole in sides)
    map = drain(make_chunk(recipe, first, shape))
    for row, column in block.missing:
        top, left = row * side - first[0], column * side - first[1]
        cells = map.cells[top : top + side, left : left + side]
        seen = average_colors(cells, layout.tileset, finest)
        yield ChunkFiles(
            (row, column),
            compress_chunk(cells.astype(layout.dtype, copy=False), side),
            compress_chunk(seen, layout.pixels),
        )


def plan_blocks(layout: WorldLayout, recipe: Recipe, missing: Iterable[ChunkIndex]) -> list[ChunkBlock]:
    """The blocks that hold all missing chunks, each no larger than these need."""
    side = choose_block_size(layout, recipe)
    found: dict[ChunkIndex, list[ChunkIndex]] = {}
    for row, column in sorted(missing):
        found.setdefault((row // side, column // side), []).append((row, column))
    blocks = []
    for places in found.values():
        rows, columns = [row for row, _ in places], [column for _, column in places]
        first = (min(rows), min(columns))
        blocks.append(ChunkBlock(first, (max(rows) - first[0] + 1, max(columns) - first[1] + 1), tuple(places)))
    return blocks


def choose_block_size(layout: WorldLayout, recipe: Recipe) -> int:
    """How many chunks wide a block is: few, but so many that not too much is made twice, and never too many to hold."""
    entry = get_local_technique(recipe)
    assert entry.reach is not None
    reach, whole = entry.reach(recipe.params), max(layout.chunks)
    best: tuple[float, int] | None = None
    for count in range(1, whole + 1):
        sides = [min(count * layout.chunk, side) for side in layout.shape]
        around = 0 if count == whole else reach  # the whole world has nothing around it
        own, seen = prod(sides), prod(side + 2 * around for side in sides)
        if entry.memory(recipe.params, seen if entry.margin_in_memory else own) <= MAX_MEMORY:
            waste = seen / own
            best = min(best or (waste, count), (waste, count))
            if waste <= TARGET_WASTE:
                break
    if best is not None and (best[0] <= MAX_WASTE or not entry.margin_in_memory):
        return best[1]
    side = layout.chunk * (best[1] if best else 1)
    seen = side + 2 * reach
    raise TooLarge(
        f"every cell depends on all within {reach:,} cells, so that a piece of {side:,}x{side:,} would take "
        f"{seen:,}x{seen:,} ({entry.memory(recipe.params, seen**2) / 2**30:.1f} GB) to make; let it look less far "
        "around, with fewer steps or generations",
        at="technique",
        place=entry.name,
    )


# -- colours --------------------------------------------------------------------------------------------------


def average_colors(cells: NDArray[np.uint8] | NDArray[np.uint16], tileset: Tileset, side: int) -> NDArray[np.uint8]:
    """(row, column, 3) the mean colour of every square of cells; squares at the edge have fewer."""
    # Red, green and blue lie in one number and are summed up at once; for the smallest squares 32 bits are enough.
    bits = 8 + 2 * (side.bit_length() - 1)
    kind: Any = np.uint32 if 3 * bits <= 32 else np.uint64
    colors = tileset.colors.astype(kind)
    table = colors[:, 0] | colors[:, 1] << kind(bits) | colors[:, 2] << kind(2 * bits)
    sums = _sum_blocks(table[cells], side)
    channels = ((sums >> kind(number * bits)) & kind((1 << bits) - 1) for number in range(3))
    return _divide_sums(channels, cells.shape, side)


def halve(seen: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """An overview's pixels at half the size."""
    channels = (_sum_blocks(seen[..., number].astype(np.uint32), 2) for number in range(3))
    return _divide_sums(channels, seen.shape, 2)


def _sum_blocks(numbers: NDArray[Any], side: int) -> NDArray[Any]:
    """The sums over squares."""
    height, width = numbers.shape
    if height % side or width % side:
        numbers = np.pad(numbers, ((0, -height % side), (0, -width % side)))
    rows = numbers[::side].copy()
    for number in range(1, side):
        rows += numbers[number::side]
    sums = rows[:, ::side].copy()
    for number in range(1, side):
        sums += rows[:, number::side]
    return sums


def _divide_sums(channels: Iterable[NDArray[Any]], shape: tuple[int, ...], side: int) -> NDArray[np.uint8]:
    """(row, column, 3) sums divided by how many cells of an array of this shape each square has, rounded."""
    height, width = shape[:2]
    counts: Any = side * side
    if height % side or width % side:
        rows, columns = (
            np.minimum(side, whole - np.arange(0, whole, side)).astype(np.uint32) for whole in (height, width)
        )
        counts = rows[:, None] * columns
    return np.stack([(sums + counts // 2) // counts for sums in channels], axis=-1, dtype=np.uint8, casting="unsafe")
