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
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.chunks import get_local_technique, resolve_random_params
from ..core.errors import BadFile, InvalidRecipe
from ..core.keywords import take_fields, with_keywords
from ..core.params import SeedValue, param
from ..core.recipe import Recipe
from ..formats._files import encode_image
from ..formats._resolver import FileResolver
from ..jobs import refuse_without_packages
from ..jobs.cluster import SCHEDULER, RunParams, connect_workers
from ..jobs.folder import Folder
from ..jobs.progress import OnProgress, Progress, check_callback
from .world_chunks import ChunkBlock, ChunkFiles, choose_block_size, halve, make_blocks, plan_blocks
from .world_layout import CELLS, PICTURE, ChunkIndex, WorldLayout, chunk_name, compress_chunk, iter_places
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
    with store.lock(CELLS, *layout.overviews):
        layout, complete = find_layout()  # Another process may have just created a world here.
        _fill(store, layout, complete, options, check_callback(on_progress))
        if store.read(PICTURE) is None or any(_find_missing(store, layout, array) for array in layout.overviews[1:]):
            _draw_overviews(store, layout)
    return World(store.address)


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
