"""Blocks of a world: rectangles of chunks that are generated together.

The margin of a block is also generated for its neighbors. Blocks are therefore larger for techniques with a large
margin, within the limits of memory.
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
"""Maximum memory of a block in bytes, in addition to Python and its libraries."""
TARGET_WASTE = 1.2
"""Maximum ratio of generated cells, including margins, to cells of the world. Blocks grow until the ratio is met."""
MAX_WASTE = 9.0


@dataclass(frozen=True)
class ChunkBlock:
    """A rectangle of chunks, and the missing chunks in it."""

    first: ChunkIndex
    """Index of the first chunk of the block."""
    chunks: ChunkIndex
    """Number of chunks, as (rows, columns)."""
    missing: tuple[ChunkIndex, ...]


@dataclass(frozen=True)
class ChunkFiles:
    """Files of a finished chunk: cells and overview."""

    place: ChunkIndex
    cells: bytes
    overview: bytes


def make_blocks(blocks: Sequence[ChunkBlock], layout: WorldLayout, recipe: Recipe) -> list[ChunkFiles]:
    """Generate the chunks of some blocks. This is the work of one task."""
    layout.refuse_other_revisions(recipe)
    return [files for block in blocks for files in _make_block(layout, block, recipe)]


def _make_block(layout: WorldLayout, block: ChunkBlock, recipe: Recipe) -> Iterable[ChunkFiles]:
    side, finest = layout.chunk, layout.levels[0]
    first = (block.first[0] * side, block.first[1] * side)
    sides = zip(first, block.chunks, layout.shape, strict=True)
    shape = tuple(min(count * side, whole - start) for start, count, whole in sides)
    map = drain(make_chunk(recipe, first, shape))
    for row, column in block.missing:
        top, left = row * side - first[0], column * side - first[1]
        cells = map.cells[top : top + side, left : left + side]
        colors = average_colors(cells, layout.tileset, finest)
        yield ChunkFiles(
            (row, column),
            compress_chunk(cells.astype(layout.dtype, copy=False), side),
            compress_chunk(colors, layout.pixels),
        )


def plan_blocks(layout: WorldLayout, recipe: Recipe, missing: Iterable[ChunkIndex]) -> list[ChunkBlock]:
    """Return blocks that cover all missing chunks. No block is larger than necessary."""
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
    """Return the edge length of a block in chunks: the smallest with an acceptable margin ratio that fits in memory."""
    entry = get_local_technique(recipe)
    assert entry.reach is not None
    reach, world_size = entry.reach(recipe.params), max(layout.chunks)
    best: tuple[float, int] | None = None
    for count in range(1, world_size + 1):
        sides = [min(count * layout.chunk, side) for side in layout.shape]
        margin = 0 if count == world_size else reach  # The complete world has no margin.
        block_cells, with_margin = prod(sides), prod(side + 2 * margin for side in sides)
        if entry.memory(recipe.params, with_margin if entry.margin_in_memory else block_cells) <= MAX_MEMORY:
            waste = with_margin / block_cells
            best = min(best or (waste, count), (waste, count))
            if waste <= TARGET_WASTE:
                break
    if best is not None and (best[0] <= MAX_WASTE or not entry.margin_in_memory):
        return best[1]
    side = layout.chunk * (best[1] if best else 1)
    seen = side + 2 * reach
    raise TooLarge(
        f"each cell depends on all cells within {reach:,} cells, so a block of {side:,}x{side:,} needs "
        f"{seen:,}x{seen:,} ({entry.memory(recipe.params, seen**2) / 2**30:.1f} GB); reduce the "
        "distance, for example with fewer steps or generations",
        at="technique",
        place=entry.name,
    )


# -- colors ---------------------------------------------------------------------------------------------------


def average_colors(cells: NDArray[np.uint8] | NDArray[np.uint16], tileset: Tileset, side: int) -> NDArray[np.uint8]:
    """Return the mean color of each square of cells as an array (row, column, 3).

    Squares at the edge may have fewer cells.
    """
    # Red, green and blue are packed in one integer and summed together; 32 bits are enough for small squares.
    bits = 8 + 2 * (side.bit_length() - 1)
    kind: Any = np.uint32 if 3 * bits <= 32 else np.uint64
    colors = tileset.colors.astype(kind)
    table = colors[:, 0] | colors[:, 1] << kind(bits) | colors[:, 2] << kind(2 * bits)
    sums = _sum_blocks(table[cells], side)
    channels = ((sums >> kind(number * bits)) & kind((1 << bits) - 1) for number in range(3))
    return _divide_sums(channels, cells.shape, side)


def halve(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an overview at half the size."""
    channels = (_sum_blocks(pixels[..., number].astype(np.uint32), 2) for number in range(3))
    return _divide_sums(channels, pixels.shape, 2)


def _sum_blocks(numbers: NDArray[Any], side: int) -> NDArray[Any]:
    """Return the sums over squares."""
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
    """Return the sums divided by the number of cells of each square and rounded, as an array (row, column, 3)."""
    height, width = shape[:2]
    counts: Any = side * side
    if height % side or width % side:
        rows, columns = (
            np.minimum(side, length - np.arange(0, length, side)).astype(np.uint32) for length in (height, width)
        )
        counts = rows[:, None] * columns
    return np.stack([(sums + counts // 2) // counts for sums in channels], axis=-1, dtype=np.uint8, casting="unsafe")
