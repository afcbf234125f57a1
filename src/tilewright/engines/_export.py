"""The path of an export: make the maps of a recipe, build the project, and write its files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

from .. import __version__
from ..core import pipeline
from ..core.errors import InvalidRecipe, TooLarge, pluralize
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.seeds import number_seed, read_seed
from ..core.shared_tiles import collect_tiles, convert_cells
from ..core.site import Frame, change_frames
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import Engine, ExportedProject, Level
from ._folder import VERSION, ExportManifest, ProjectFolder, check_edited

MAX_LEVELS = 1000
MAX_CELLS = 1 << 24
"""Maximum number of cells of all levels together, because all files are in memory before the first is written."""
LEVEL = re.compile(r"(?:.*/)?level-(\d+)\.[a-z]+")
"""Path of the file of a level."""

Report = Callable[[float | None, str], None]
"""Function (fraction that is done or None, description) that shows progress."""


def export_project(
    recipe: Recipe,
    engine: Engine,
    folder: str | os.PathLike[str],
    *,
    seed: int | str | None = None,
    count: int | None = None,
    edited: str = "refuse",
    options: Mapping[str, Any],
    report: Report = lambda done, what: None,
) -> ExportedProject:
    """Make the levels of a project and write it. Everything is validated and built before the first file is written.

    Without a count, the project has one level with the seed itself. With a count, level k has the seed SEED-(k-1), as
    the maps of `tilewright make --count`.
    """
    policy = check_edited(edited)
    params = engine.params.validate(options)
    _check_count(recipe, count)
    base = read_seed(recipe.seed if seed is None else seed)
    seeds = {
        f"level-{number + 1}": base if count is None else number_seed(base, number) for number in range(count or 1)
    }
    target = ProjectFolder(folder)
    with target.lock():
        before = target.read_manifest(engine.name)
        if policy == "refuse":  # before the maps are made, which may take long
            target.refuse_edited(before, [name for name in before.names if _is_exported(name, len(seeds))])
        project = engine.build(_make_levels(recipe, seeds, report), params, target.path)
        report(None, f"writing {os.fspath(folder)}")
        changes = target.plan_changes(project, before, policy)
        about = {
            "tilewright": __version__,
            "technique": recipe.technique,
            "options": params.model_dump(mode="json", exclude_unset=True),
            "seeds": seeds,
        }
        after = ExportManifest(version=VERSION, engine=engine.name, about=about, files=dict(changes.files))
        target.apply(changes, before, after)
    return ExportedProject(
        Path(folder),
        engine.name,
        seeds,
        tuple(changes.written),
        changes.unchanged,
        changes.removed,
        changes.kept,
    )


def _check_count(recipe: Recipe, count: int | None) -> None:
    if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
        raise InvalidRecipe("must be an integer", at="count", got=count, rule="type")
    if count is not None and not 1 <= count <= MAX_LEVELS:
        raise InvalidRecipe(f"must be between 1 and {MAX_LEVELS:,}", at="count", got=count, rule="range")
    make_plan(recipe)
    cells = prod(recipe.shape) * (count or 1)
    if cells > MAX_CELLS:
        raise TooLarge(
            f"the levels of a project must have at most {MAX_CELLS:,} cells together, got {pluralize(cells, 'cell')}"
        )


def _is_exported(name: str, count: int) -> bool:
    """Return whether an export of this many levels may write a file that a previous export wrote."""
    level = LEVEL.fullmatch(name)
    return level is None or int(level[1]) <= count


def _make_levels(recipe: Recipe, seeds: Mapping[str, str], report: Report) -> list[Level]:
    """Make the maps of all levels, with one tileset."""
    maps: list[TileMap] = []
    for number, (name, seed) in enumerate(seeds.items()):

        def show(frame: Frame | None, number: int = number, name: str = name) -> None:
            done = number + (frame.progress if frame and frame.progress else 0.0)
            report(done / len(seeds), f"{name} of {len(seeds)}")

        show(None)
        maps.append(pipeline.drain(change_frames(pipeline.iter_steps(recipe.with_seed(seed)), show)))
    tileset = collect_tiles(recipe)
    for map in maps:
        tileset = tileset.with_tiles(map.tileset)
    return [Level(name, _with_tileset(map, tileset)) for name, map in zip(seeds, maps, strict=True)]


def _with_tileset(map: TileMap, tileset: Tileset) -> TileMap:
    """Return the same map with the ids of a tileset that has all of its tiles."""
    if map.tileset.look_digest == tileset.look_digest:
        return map
    return map.replace(cells=convert_cells(map, tileset), tileset=tileset, recipe=map.recipe)
