"""Worlds: very large maps that are generated in blocks of chunks, in parallel or on a cluster.

Only a few blocks are in memory at a time. Each block is generated with the margin that its cells depend on, so the
world equals the map that would be generated at once. Workers return finished chunks, and only this process writes them,
each to a temporary file that is then renamed. If the process is killed, the next run continues with the missing chunks.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.chunks import get_local_technique, make_chunk, resolve_random_params
from ..core.errors import BadFile, InvalidRecipe, TooLarge
from ..core.keywords import take_fields, with_keywords
from ..core.params import SeedValue, param
from ..core.pipeline import drain
from ..core.recipe import Recipe
from ..core.tileset import Tileset
from ..formats._files import encode_image
from ..formats._resolver import FileResolver
from ..jobs import refuse_without_packages
from ..jobs.cluster import SCHEDULER, RunParams, connect_workers
from ..jobs.folder import Folder
from ..jobs.progress import OnProgress, Progress, check_callback
from .world_layout import CELLS, OVERVIEW, PICTURE, ChunkIndex, WorldLayout, chunk_name, compress_chunk, iter_places
from .world_reader import World

MAX_CELLS_PER_TASK = 1 << 23
MAX_LOCAL_CELLS = 1 << 27
"""Maximum number of cells of a world that is generated in this process, because starting workers would take longer."""
TASKS_PER_WORKER = 16
"""Approximate number of tasks per worker."""


class WorldOptions(RunParams):
    """Parameters of `tw.corpus.make_world` besides those of the technique."""

    seed: SeedValue = param(None)
    """Seed of the world. By default, the seed of the recipe, or a random one."""
    chunk: int | None = param(None)
    """Edge length of a chunk in cells, a power of two."""


@with_keywords(WorldOptions)
def make_world(
    given: Recipe | Mapping[str, Any] | str,
    folder: str | os.PathLike[str],
    *,
    on_progress: OnProgress | None = None,
    **keywords: Any,
) -> World:
    """Generate a world in a folder, or resume one.

    Parameters
    ----------
    given : Recipe, mapping or str
        Name of a technique, or a recipe without shapers. The technique must be local: each cell depends only on cells
        within a limited distance.
    folder : str or path-like
        Folder or fsspec URL to write to.
    on_progress : callable, optional
        Function called with a `Progress` after each step.
    **keywords
        Parameters of the technique.

    Returns
    -------
    World

    Raises
    ------
    InvalidRecipe
        If the recipe cannot be generated in chunks.
    BadFile
        If the folder contains other files.

    Examples
    --------
    >>> world = make_world("caves", "memory://world.zarr", width=200, height=100, seed=7, workers=0)
    >>> world.shape
    (100, 200)
    """
    refuse_without_packages("zarr")
    options = WorldOptions.validate(take_fields(WorldOptions, keywords))
    recipe = _read_recipe(given, keywords)
    get_local_technique(recipe)
    store = Folder(os.fspath(folder))
    world_seed = options.seed if options.seed is not None else recipe.seed

    def find_layout() -> tuple[WorldLayout, Recipe]:
        """Return the layout of the folder or, for a new world, the one that is requested; and the recipe of a chunk."""
        found = WorldLayout.from_folder(store)
        complete = resolve_random_params(
            recipe.with_seed(world_seed if world_seed is not None or found is None else found.seed)
        )
        wanted = WorldLayout.of(complete, options.chunk)
        if found is not None:
            found.check_matches(wanted, store)
        choose_block_size(found or wanted, complete)  # Refuses cells that depend on too large a neighborhood.
        return found or wanted, complete

    layout, _ = find_layout()  # Invalid requests are refused before the folder is created.
    with store.lock(CELLS, OVERVIEW, *layout.overviews):
        layout, complete = find_layout()  # Another process may have just created a world here.
        _fill(store, layout, complete, options, check_callback(on_progress))
        if store.read(PICTURE) is None or any(_find_missing(store, layout, array) for array in layout.overviews[1:]):
            _draw_overviews(store, layout)
    return World(store.address)


def count_chunks(folder: str) -> int:
    """Return the number of finished chunks in the folder of a world that may be incomplete."""
    store = Folder(folder)
    layout = WorldLayout.from_folder(store)
    return 0 if layout is None else layout.count - len(_find_missing(store, layout, CELLS))


def _read_recipe(given: Recipe | Mapping[str, Any] | str, params: Mapping[str, Any]) -> Recipe:
    """Return the recipe without making a plan, which would refuse maps that do not fit in memory."""
    if isinstance(given, str):
        return Recipe.of({"technique": given, "params": params}, FileResolver())
    if params:
        raise InvalidRecipe("a recipe has its own params; change the recipe instead", at=min(params), rule="conflict")
    return Recipe.of(given, FileResolver())


def _find_missing(store: Folder, layout: WorldLayout, array: str) -> list[ChunkIndex]:
    """Return the missing chunks of an array."""
    existing = set(store.list_names(array))
    return [place for place in iter_places(layout.chunks_of(array)) if chunk_name(array, place) not in existing]


# -- the chunks -----------------------------------------------------------------------------------------------


def _fill(store: Folder, layout: WorldLayout, recipe: Recipe, options: RunParams, on_progress: OnProgress) -> None:
    """Generate and write the missing chunks. The metadata of a new world are written as soon as there are workers."""
    missing = sorted({*_find_missing(store, layout, CELLS), *_find_missing(store, layout, layout.overviews[0])})
    progress = Progress(layout.count - len(missing), layout.count)
    on_progress(progress)
    is_small = SCHEDULER not in os.environ and len(missing) * layout.chunk**2 <= MAX_LOCAL_CELLS
    with options.connect(0 if is_small else None) if missing else connect_workers(0, None) as team:
        for names, document in layout.build_documents().items():
            if store.read(*names) is None:
                store.write(document, *names)
        if not missing:
            return
        progress = replace(progress, dashboard=team.dashboard)
        on_progress(progress)
        blocks = plan_blocks(layout, recipe, missing)
        if team.threads:
            tasks = ((task, layout, recipe) for task in group_tasks(layout, blocks, team.threads))
            results = team.run_tasks(make_blocks, tasks)
        else:
            results = _make_here(layout, recipe, blocks)
        with closing(results) as finished:
            for chunks in finished:
                _write(store, layout, chunks)
                progress = replace(progress, done=progress.done + len(chunks))
                on_progress(progress)


def _write(store: Folder, layout: WorldLayout, chunks: Iterable[ChunkFiles]) -> None:
    """Write finished chunks. The overview of a chunk is written first, so that every written chunk has an overview."""
    finest = layout.overviews[0]
    try:
        for chunk in chunks:
            store.write(chunk.overview, finest, chunk_name(finest, chunk.place))
            store.write(chunk.cells, CELLS, chunk_name(CELLS, chunk.place))
    except BadFile as error:
        raise BadFile(f"{error}; finished chunks are kept; run again to continue") from None


def _make_here(
    layout: WorldLayout, recipe: Recipe, blocks: Sequence[ChunkBlock]
) -> Generator[list[ChunkFiles], None, None]:
    """Generate one block after the other in this process. While a block is written, the next block is generated."""
    with ThreadPoolExecutor(max_workers=1) as executor:
        pending: deque[Future[list[ChunkFiles]]] = deque()
        for block in blocks:
            pending.append(executor.submit(make_blocks, [block], layout, recipe))
            if len(pending) > 1:
                yield pending.popleft().result()
        yield from (future.result() for future in pending)


def group_tasks(layout: WorldLayout, blocks: Sequence[ChunkBlock], workers: int) -> list[list[ChunkBlock]]:
    """Group blocks into tasks.

    Tasks are large compared with the cost of sending them, and there are enough for all workers.
    """
    largest = max(len(block.missing) for block in blocks) * layout.chunk**2
    blocks_per_task = max(1, min(MAX_CELLS_PER_TASK // largest, len(blocks) // (workers * TASKS_PER_WORKER)))
    return [list(blocks[first : first + blocks_per_task]) for first in range(0, len(blocks), blocks_per_task)]


# -- the overviews --------------------------------------------------------------------------------------------


def _draw_overviews(store: Folder, layout: WorldLayout) -> None:
    """Write the coarser overviews, each computed from the next finer overview, and then the picture."""
    from PIL import Image

    world = World(store.address)
    for finer, array in zip(layout.levels, layout.overviews[1:], strict=False):
        for place in iter_places(layout.chunks_of(array)):
            height, width = layout.overview_shape(finer)
            y, x = (2 * layout.pixels * part for part in place)
            shown = world.overview(finer, x, y, min(2 * layout.pixels, width - x), min(2 * layout.pixels, height - y))
            store.write(compress_chunk(halve(shown), layout.pixels), array, chunk_name(array, place))
    picture = Image.fromarray(np.ascontiguousarray(world.overview(layout.picture_level)))
    store.write(encode_image(picture, compress_level=1), PICTURE)


# -- blocks of chunks -----------------------------------------------------------------------------------------


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
