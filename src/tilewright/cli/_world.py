"""Worlds: a very large map generated in chunks into a folder, for `make` and `run` if the output ends in .zarr."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidRecipe, pluralize, short_repr
from ..core.recipe import Recipe
from ..core.seeds import read_seed
from ..core.tilemap import TileMap
from ..corpus import refuse_without_packages
from ..kernels import start_quickly
from ._console import info
from ._outputs import fill_template, is_world
from ._progress import job_progress

if TYPE_CHECKING:
    from ._produce import ProduceOptions

FLAGS = {"look": "glyphs, blocks, plain", "settings": "option"}
"""Command-line names of options that have other parameter names."""


def produce_world(recipe: Recipe, params: ProduceOptions, *, outputs: Sequence[str], **options: Any) -> None:
    """Generate a world, or resume one."""
    folder = next(name for name in outputs if is_world(name))
    world_seed = recipe.seed if params.seed is None else params.seed
    if "{" in folder:
        world_seed = read_seed(world_seed)
        folder = fill_template(folder, seed=world_seed, technique=recipe.technique, name=recipe.title, index=0)
    if len(outputs) > 1:
        raise InvalidRecipe(
            f"must be the only output; its picture will be {folder.rstrip('/')}/overview.png", at=folder
        )
    if params.count is not None:
        raise InvalidRecipe(f"{folder} stores one map; for many maps use tilewright corpus make", at="count")
    unused = next((name for name, value in options.items() if value), None)
    if unused is not None:
        raise InvalidRecipe(f"does not apply to a world ({folder})", at=FLAGS.get(unused, unused))
    start_quickly()
    refuse_without_packages()
    from ..corpus.world import count_chunks, make_world

    where = {"workers": params.workers, "scheduler": params.scheduler}
    with job_progress("chunk", folder, count_chunks) as job:
        world = make_world(recipe, folder, seed=world_seed, on_progress=job, **where)
    what = f"{recipe.title} {world.width}x{world.height}, seed {world.seed}"
    info(f"{what}, wrote {folder}, {pluralize(world.chunks, 'chunk')}, and its overview.png")


def read_window(name: str) -> TileMap:
    """Read a window of a world, written `world.zarr@X,Y,WIDTH,HEIGHT`."""
    folder, at, numbers = name.partition("@")
    found = re.fullmatch(r"\s*(\d{1,6})\s*,\s*(\d{1,6})\s*,\s*(\d{1,6})\s*,\s*(\d{1,6})\s*", numbers)
    if not found:
        got = f", got {short_repr(numbers)}" if at else ""
        raise InvalidRecipe(f"a window of a world must be written {folder}@X,Y,WIDTH,HEIGHT{got}", at=folder)
    refuse_without_packages()
    from ..corpus.world_reader import World

    return World(folder).window(*map(int, found.groups()))
