"""One very large map, made in pieces into a folder: what `make` and `run` do where the output ends in .zarr."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from ..core.errors import InvalidRecipe, pluralize, short_repr
from ..core.recipe import Recipe
from ..core.seeds import read_seed
from ..core.tilemap import TileMap
from ..corpus import refuse_without_packages
from ..kernels import start_quickly
from ._console import info
from ._outputs import fill_template
from ._progress import job_progress

EXTENSION = ".zarr"
FLAGS = {"look": "glyphs, blocks, plain", "settings": "option"}
"""Options whose flags have other names."""

OPTIONS = (
    click.Option(
        ["--workers"],
        type=click.IntRange(min=0),
        metavar="N",
        help="Processes that make a .zarr world; 0 for none but this one. [all processors]",
    ),
    click.Option(["--scheduler"], metavar="ADDRESS", help="A Dask cluster that makes it, such as tcp://10.0.0.1:8786."),
)


def is_world(outputs: Sequence[str]) -> bool:
    """Whether a world is to be written."""
    return any(name.rstrip("/").endswith(EXTENSION) for name in outputs)


def refuse_workers(**options: Any) -> None:
    """Maps that are drawn or written to files are made here."""
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise InvalidRecipe(
            f"for worlds, which are made in pieces; name one with -o, such as world{EXTENSION}", at=given
        )


def produce_world(
    recipe: Recipe,
    *,
    seed: str | None,
    count: int | None,
    outputs: Sequence[str],
    workers: int | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Make a world, or go on with one that was stopped."""
    folder = next(name for name in outputs if is_world([name]))
    asked = recipe.seed if seed is None else seed
    if "{" in folder:
        asked = read_seed(asked)
        folder = fill_template(folder, seed=asked, technique=recipe.technique, index=0)
    if len(outputs) > 1:
        raise InvalidRecipe(f"is written alone; its picture will be {folder.rstrip('/')}/overview.png", at=folder)
    if count is not None:
        raise InvalidRecipe(f"{folder} holds one map; for many there is tilewright corpus make", at="count")
    unused = next((name for name, value in options.items() if value), None)
    if unused is not None:
        raise InvalidRecipe(
            f"says how to draw or write a map, and {folder} is no such file", at=FLAGS.get(unused, unused)
        )
    start_quickly()
    refuse_without_packages()
    from ..corpus.world import make_world

    with job_progress("chunk", folder) as job:
        world = make_world(recipe, folder, seed=asked, workers=workers, scheduler=scheduler, on_progress=job)
    what = f"{recipe.technique} {world.width}x{world.height}, seed {world.seed}"
    info(f"{what}, wrote {folder}, {pluralize(world.chunks, 'chunk')}, and its overview.png")


def read_window(name: str) -> TileMap:
    """A window of a world: `world.zarr@30000,20000,200,100`."""
    folder, at, numbers = name.partition("@")
    found = re.fullmatch(r"\s*(\d{1,6})\s*,\s*(\d{1,6})\s*,\s*(\d{1,6})\s*,\s*(\d{1,6})\s*", numbers)
    if not found:
        got = f", got {short_repr(numbers)}" if at else ""
        raise InvalidRecipe(f"of a world a window is read, {folder}@X,Y,WIDTH,HEIGHT{got}", at=folder)
    refuse_without_packages()
    from ..corpus.world_reader import World

    return World(folder).window(*map(int, found.groups()))
