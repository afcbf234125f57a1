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

from ..core.chunks import local, settled
from ..core.errors import BadFile, InvalidRecipe
from ..core.recipe import Recipe
from ..formats._resolver import FileResolver
from .cluster import SCHEDULER, Progress, Tell, check_workers, each_result
from .store import Folder
from .world_chunks import ChunkBlock, Made, blocks_of, chunks_together, halved, make_blocks
from .world_layout import CELLS, GROUP, PICTURE, Layout, Place, name_of, packed, places_of
from .world_reader import World

CELLS_IN_A_TASK = 1 << 23
FEW_CELLS = 1 << 27
"""So many are made here before other processes have started."""
TASKS_EACH = 16
"""Tasks for a worker, about, where there are pieces enough."""


def make_world(
    given: Recipe | Mapping[str, Any] | str,
    folder: str | os.PathLike[str],
    *,
    seed: int | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    chunk: int | None = None,
    tell: Tell | None = None,
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
    local(recipe)
    store = Folder(os.fspath(folder))
    found = Layout.in_folder(store)
    asked = seed if seed is not None else recipe.seed
    recipe = settled(recipe.with_seed(asked if asked is not None or found is None else found.seed))
    wanted = Layout.of(recipe, chunk)
    if found is not None:
        found.refuse_other(wanted, store)
    layout = found or wanted
    chunks_together(layout, recipe)  # refuses what looks too far around
    for names, document in layout.documents().items():
        if store.read(*names) is None:
            store.write(document, *names)
    with store.held(GROUP):
        store.sweep(CELLS, *layout.overviews)
        _fill(store, layout, recipe, workers, scheduler, tell or (lambda progress: None))
        if store.read(PICTURE) is None or any(_missing(store, layout, array) for array in layout.overviews[1:]):
            _draw(store, layout)
    return World(store.address)


def _read_recipe(given: Recipe | Mapping[str, Any] | str, params: Mapping[str, Any]) -> Recipe:
    """A recipe that was not planned: planning refuses maps that do not fit into memory."""
    if isinstance(given, str):
        return Recipe.of({"technique": given, "params": params}, FileResolver())
    if params:
        raise InvalidRecipe("a recipe brings its own params; change it instead", at=min(params), rule="conflict")
    return Recipe.of(given, FileResolver())


def _missing(store: Folder, layout: Layout, array: str) -> list[Place]:
    """The chunks of an array that are not there."""
    there = set(store.names(array))
    return [place for place in places_of(layout.chunks_of(array)) if name_of(array, place) not in there]


# -- the chunks -----------------------------------------------------------------------------------------------


def _fill(
    store: Folder, layout: Layout, recipe: Recipe, workers: int | None, scheduler: str | None, tell: Tell
) -> None:
    """Make and write the chunks that are missing."""
    missing = sorted({*_missing(store, layout, CELLS), *_missing(store, layout, layout.overviews[0])})
    progress = Progress(layout.count, layout.count - len(missing))
    tell(progress)
    if not missing:
        return
    blocks = blocks_of(layout, recipe, missing)
    alone = workers is None and scheduler is None and SCHEDULER not in os.environ
    if alone and len(missing) * layout.chunk**2 <= FEW_CELLS:
        workers = 0
    work = each_result(
        make_blocks,
        lambda threads: ((task, layout, recipe) for task in grouped(layout, blocks, threads)),
        lambda: _make_here(layout, recipe, blocks),
        workers=workers,
        scheduler=scheduler,
        progress=progress,
        tell=tell,
    )
    with closing(work) as finished:
        for chunks in finished:
            _write(store, layout, chunks)
            progress.done += len(chunks)
            progress.made += len(chunks)
            tell(progress)


def _write(store: Folder, layout: Layout, chunks: Iterable[Made]) -> None:
    """The overview over a chunk is written first, so that no chunk is without."""
    finest = layout.overviews[0]
    try:
        for made in chunks:
            store.write(made.overview, finest, name_of(finest, made.place))
            store.write(made.cells, CELLS, name_of(CELLS, made.place))
    except BadFile as error:
        raise BadFile(f"{error}; what was made until now stays, run again to go on") from None


def _make_here(layout: Layout, recipe: Recipe, blocks: Sequence[ChunkBlock]) -> Generator[list[Made], None, None]:
    """One after the other; while one is written, the next is made."""
    with ThreadPoolExecutor(max_workers=1) as other:
        following: deque[Future[list[Made]]] = deque()
        for block in blocks:
            following.append(other.submit(make_blocks, [block], layout, recipe))
            if len(following) > 1:
                yield following.popleft().result()
        yield from (made.result() for made in following)


def grouped(layout: Layout, blocks: Sequence[ChunkBlock], workers: int) -> list[list[ChunkBlock]]:
    """Pieces in tasks: large enough to be worth sending, and enough of them for all workers."""
    largest = max(len(block.wanted) for block in blocks) * layout.chunk**2
    together = max(1, min(CELLS_IN_A_TASK // largest, len(blocks) // (workers * TASKS_EACH)))
    return [list(blocks[first : first + together]) for first in range(0, len(blocks), together)]


# -- the overviews --------------------------------------------------------------------------------------------


def _draw(store: Folder, layout: Layout) -> None:
    """The overviews above the finest, each from the one before, and the picture, which is written last."""
    from PIL import Image

    world = World(store.address)
    for finer, array in zip(layout.levels, layout.overviews[1:], strict=False):
        for place in places_of(layout.chunks_of(array)):
            height, width = layout.overview_shape(finer)
            y, x = (2 * layout.pixels * part for part in place)
            shown = world.overview(finer, x, y, min(2 * layout.pixels, width - x), min(2 * layout.pixels, height - y))
            store.write(packed(halved(shown), layout.pixels), array, name_of(array, place))
    picture = BytesIO()
    Image.fromarray(np.ascontiguousarray(world.overview(layout.picture_level))).save(picture, "png", compress_level=1)
    store.write(picture.getvalue(), PICTURE)
