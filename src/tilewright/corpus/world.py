"""One very large map: made in pieces, here, on all processors or on a cluster, and never whole in memory.

Each piece comes with the surroundings that its cells depend on, so that the world is the map that would be made in one
piece, cell for cell. Workers send finished chunks back and we alone write them, each under a temporary name that is
then changed. Killed at any moment, the next start finds what is there and makes the rest.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from io import BytesIO
from typing import Any

import numpy as np

from ..core.chunks import get_local_technique, resolve_random_params
from ..core.deprecation import renamed_keywords
from ..core.errors import BadFile, InvalidRecipe
from ..core.recipe import Recipe
from ..formats._resolver import FileResolver
from .cluster import SCHEDULER, Progress, ProgressCallback, check_workers, iter_results
from .store import Folder
from .world_chunks import ChunkBlock, ChunkFiles, choose_block_size, halve, make_blocks, plan_blocks
from .world_layout import CELLS, GROUP, PICTURE, ChunkIndex, WorldLayout, chunk_name, compress_chunk, iter_places
from .world_reader import World

MAX_CELLS_PER_TASK = 1 << 23
MAX_LOCAL_CELLS = 1 << 27
"""So many are made here before other processes have started."""
TASKS_PER_WORKER = 16
"""Tasks for a worker, about, where there are pieces enough."""


@renamed_keywords(tell="on_progress")
def make_world(
    given: Recipe | Mapping[str, Any] | str,
    folder: str | os.PathLike[str],
    *,
    seed: int | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    chunk: int | None = None,
    on_progress: ProgressCallback | None = None,
    **params: Any,
) -> World:
    """Make a world in a folder, or go on with one that was stopped.

    `given` is a technique with its params as keywords, or a recipe: of one that looks only so far around, without
    shapers. `workers`: processes of this machine (by default all processors, or none for what is soon made), 0 for
    none but this one. `scheduler` is the address of a Dask cluster to use instead, as is the environment's
    DASK_SCHEDULER_ADDRESS.
    """
    recipe = _read_recipe(given, params)
    check_workers(workers, scheduler)
    get_local_technique(recipe)
    store = Folder(os.fspath(folder))
    found = WorldLayout.from_folder(store)
    asked = seed if seed is not None else recipe.seed
    recipe = resolve_random_params(recipe.with_seed(asked if asked is not None or found is None else found.seed))
    wanted = WorldLayout.of(recipe, chunk)
    if found is not None:
        found.check_matches(wanted, store)
    layout = found or wanted
    choose_block_size(layout, recipe)  # refuses what looks too far around
    for names, document in layout.build_documents().items():
        if store.read(*names) is None:
            store.write(document, *names)
    with store.lock(GROUP):
        store.remove_temporary(CELLS, *layout.overviews)
        _fill(store, layout, recipe, workers, scheduler, on_progress or (lambda progress: None))
        if store.read(PICTURE) is None or any(_find_missing(store, layout, array) for array in layout.overviews[1:]):
            _draw_overviews(store, layout)
    return World(store.address)


def _read_recipe(given: Recipe | Mapping[str, Any] | str, params: Mapping[str, Any]) -> Recipe:
    """A recipe that was not planned: planning refuses maps that do not fit into memory."""
    if isinstance(given, str):
        return Recipe.of({"technique": given, "params": params}, FileResolver())
    if params:
        raise InvalidRecipe("a recipe brings its own params; change it instead", at=min(params), rule="conflict")
    return Recipe.of(given, FileResolver())


def _find_missing(store: Folder, layout: WorldLayout, array: str) -> list[ChunkIndex]:
    """The chunks of an array that are not there."""
    there = set(store.list_names(array))
    return [place for place in iter_places(layout.chunks_of(array)) if chunk_name(array, place) not in there]


# -- the chunks -----------------------------------------------------------------------------------------------


def _fill(
    store: Folder,
    layout: WorldLayout,
    recipe: Recipe,
    workers: int | None,
    scheduler: str | None,
    on_progress: ProgressCallback,
) -> None:
    """Make and write the chunks that are missing."""
    missing = sorted({*_find_missing(store, layout, CELLS), *_find_missing(store, layout, layout.overviews[0])})
    progress = Progress(layout.count, layout.count - len(missing))
    on_progress(progress)
    if not missing:
        return
    blocks = plan_blocks(layout, recipe, missing)
    alone = workers is None and scheduler is None and SCHEDULER not in os.environ
    if alone and len(missing) * layout.chunk**2 <= MAX_LOCAL_CELLS:
        workers = 0
    work = iter_results(
        make_blocks,
        lambda threads: ((task, layout, recipe) for task in group_tasks(layout, blocks, threads)),
        lambda: _make_here(layout, recipe, blocks),
        workers=workers,
        scheduler=scheduler,
        progress=progress,
        on_progress=on_progress,
    )
    with closing(work) as finished:
        for chunks in finished:
            _write(store, layout, chunks)
            progress.done += len(chunks)
            progress.made += len(chunks)
            on_progress(progress)


def _write(store: Folder, layout: WorldLayout, chunks: Iterable[ChunkFiles]) -> None:
    """The overview over a chunk is written first, so that no chunk is without."""
    finest = layout.overviews[0]
    try:
        for made in chunks:
            store.write(made.overview, finest, chunk_name(finest, made.place))
            store.write(made.cells, CELLS, chunk_name(CELLS, made.place))
    except BadFile as error:
        raise BadFile(f"{error}; what was made until now stays, run again to go on") from None


def _make_here(
    layout: WorldLayout, recipe: Recipe, blocks: Sequence[ChunkBlock]
) -> Generator[list[ChunkFiles], None, None]:
    """One after the other; while one is written, the next is made."""
    with ThreadPoolExecutor(max_workers=1) as other:
        following: deque[Future[list[ChunkFiles]]] = deque()
        for block in blocks:
            following.append(other.submit(make_blocks, [block], layout, recipe))
            if len(following) > 1:
                yield following.popleft().result()
        yield from (made.result() for made in following)


def group_tasks(layout: WorldLayout, blocks: Sequence[ChunkBlock], workers: int) -> list[list[ChunkBlock]]:
    """Pieces in tasks: large enough to be worth sending, and enough of them for all workers."""
    largest = max(len(block.missing) for block in blocks) * layout.chunk**2
    together = max(1, min(MAX_CELLS_PER_TASK // largest, len(blocks) // (workers * TASKS_PER_WORKER)))
    return [list(blocks[first : first + together]) for first in range(0, len(blocks), together)]


# -- the overviews --------------------------------------------------------------------------------------------


def _draw_overviews(store: Folder, layout: WorldLayout) -> None:
    """The overviews above the finest, each from the one before, and the picture, which is written last."""
    from PIL import Image

    world = World(store.address)
    for finer, array in zip(layout.levels, layout.overviews[1:], strict=False):
        for place in iter_places(layout.chunks_of(array)):
            height, width = layout.overview_shape(finer)
            y, x = (2 * layout.pixels * part for part in place)
            shown = world.overview(finer, x, y, min(2 * layout.pixels, width - x), min(2 * layout.pixels, height - y))
            store.write(compress_chunk(halve(shown), layout.pixels), array, chunk_name(array, place))
    picture = BytesIO()
    Image.fromarray(np.ascontiguousarray(world.overview(layout.picture_level))).save(picture, "png", compress_level=1)
    store.write(picture.getvalue(), PICTURE)
