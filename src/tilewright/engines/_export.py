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
from ..core.keywords import take_fields, with_keywords
from ..core.params import Params, PathString, SeedValue, param
from ..core.plan import make_plan
from ..core.recipe import Recipe, collect_tiles
from ..core.seeds import number_seed, read_seed
from ..core.site import Frame, change_frames
from ..core.tilemap import TileMap, convert_cells
from ..core.tileset import Tileset
from ..formats._resolver import RecipeLike, read_recipe
from . import Engine, ExportedProject, Level, engine_registry
from ._folder import VERSION, EditedPolicy, ExportManifest, ProjectFolder

MAX_LEVELS = 1000
MAX_CELLS = 1 << 24
"""Maximum number of cells of all levels together, because all files are in memory before the first is written."""
LEVEL = re.compile(r"(?:.*/)?level-(\d+)\.[a-z]+")
"""Path of the file of a level."""

Report = Callable[[float | None, str], None]
"""Function (fraction that is done or None, description) that shows progress."""


class ExportParams(Params):
    """Parameters of `tw.export_project` and `tilewright export`."""

    engine: str | None = param(None, metavar="NAME")
    """Name of the engine, one of `tilewright list engines`. Required."""
    folder: PathString = param(flags=("-o", "--output"), metavar="FOLDER")
    """Folder of the project. It may contain other files."""
    seed: SeedValue = param(None, metavar="SEED")
    """Seed that replaces the seed of the recipe. If neither has a seed, a random one is chosen."""
    count: int | None = param(None, ge=1, le=MAX_LEVELS, metavar="N")
    """Number of levels; level k has the seed SEED-(k-1), as with `tilewright make --count`. By default there is one
    level, with the seed itself."""
    edited: EditedPolicy = param("refuse")
    """What happens to files that were edited since the last export: `refuse` raises an error, `keep` leaves them as
    they are, and `replace` replaces them. `replace` also replaces files that were not exported."""

    def find_engine(self) -> Engine:
        """Return the engine. Raise UnknownName if no engine has this name."""
        if self.engine is None:
            names = ", ".join(engine_registry.names())
            raise InvalidRecipe(f"is missing; choose one of {names}", at="engine", rule="missing")
        return engine_registry.get(self.engine)


@with_keywords(ExportParams)
def export_project(
    given: RecipeLike,
    folder: str | os.PathLike[str],
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    **options: Any,
) -> ExportedProject:
    """Export a project of several levels with one tileset, for a game engine or a level editor.

    Exporting to the same folder again replaces only what was exported before. A manifest in the folder records it.

    Parameters
    ----------
    given
        A recipe, as for `run`, or the name of a technique.
    folder
        Folder of the project. It may contain other files.
    knobs
        Values of the recipe's knobs by name.
    **options
        Options of the engine.

    Returns
    -------
    ExportedProject
        The files that were written, left unchanged, removed and kept.

    Raises
    ------
    UnknownName
        If no engine has that name.
    InvalidRecipe
        If an option, parameter, lock or tileset breaks its rule.
    BadFile
        If a file was edited or was not exported, or cannot be written. Nothing is written then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     done = export_project("islets", folder, engine="tiled", count=2, seed=7)
    >>> done.written
    ('levels.world', 'level-1.tmx', 'level-2.tmx', 'tiles.tsx', 'tiles.png')
    """
    params = ExportParams.validate({**take_fields(ExportParams, options), "folder": folder})
    return write_project(read_recipe(given, knobs), params, options)


def write_project(
    recipe: Recipe,
    params: ExportParams,
    options: Mapping[str, Any],
    report: Report = lambda done, what: None,
) -> ExportedProject:
    """Make the levels of a project and write it. Everything is validated and built before the first file is written."""
    engine, folder, count = params.find_engine(), params.folder, params.count
    settings = engine.params.validate(options)
    _check_size(recipe, count or 1)
    base = read_seed(recipe.seed if params.seed is None else params.seed)
    seeds = {
        f"level-{number + 1}": base if count is None else number_seed(base, number) for number in range(count or 1)
    }
    target = ProjectFolder(folder)
    with target.lock():
        before = target.read_manifest(engine.name)
        if params.edited == "refuse":  # before the maps are made, which may take long
            target.refuse_edited(before, [name for name in before.names if _is_exported(name, len(seeds))])
        project = engine.build(_make_levels(recipe, seeds, report), settings, target.path)
        report(None, f"writing {folder}")
        changes = target.plan_changes(project, before, params.edited)
        about = {
            "tilewright": __version__,
            "technique": recipe.technique,
            "options": settings.model_dump(mode="json", exclude_unset=True),
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


def _check_size(recipe: Recipe, count: int) -> None:
    """Raise TooLarge if the levels have too many cells together."""
    make_plan(recipe)
    cells = prod(recipe.shape) * count
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
