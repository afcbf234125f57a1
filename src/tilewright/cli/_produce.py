"""Maps that are made from a validated recipe, or taken from a corpus or an archive, and then drawn or saved."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import click

from ..analysis.map_warnings import find_map_warnings
from ..core import pipeline
from ..core.errors import InvalidRecipe
from ..core.params import Params, param
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.seeds import number_seed, read_seed
from ..core.site import Frame, change_frames
from ..core.tilemap import TileMap
from ..jobs.tries import iter_steps as iter_tries
from ..kernels import start_quickly
from . import _drawing, _outputs, _world
from ._console import info
from ._drawing import DrawMode, describe, draw, read_overlay
from ._outputs import Output
from ._progress import Report, show_progress

FIELDS = ("seed", "technique", "name", "index")

OPTIONS = (*_outputs.OPTIONS, *_drawing.OPTIONS)


class ProduceOptions(Params):
    """Options of `make` and `run` for the maps of a recipe."""

    seed: str | None = param(None, metavar="SEED")
    """Number or string; equal seeds give equal maps. [random, shown with the map]"""
    count: int | None = param(None, ge=1, metavar="N")
    """Number of maps; map k has the seed SEED-k. Use {seed} or {index} in the file name."""
    workers: int | None = param(None, ge=0, metavar="N")
    """Number of worker processes, for a .zarr world [all processors] or the tries of --require [0]; 0 uses only this
    process."""
    scheduler: str | None = param(None, metavar="ADDRESS")
    """Dask cluster for a .zarr world, such as tcp://10.0.0.1:8786."""


Finish = Callable[[TileMap], TileMap]
"""Function that changes the markers of a generated map."""


def _leave_unchanged(map: TileMap) -> TileMap:
    return map


@dataclass
class MapJob:
    """Generation of one map. It runs once, with or without frames, and reports its progress."""

    recipe: Recipe
    report: Report
    finish: Finish
    workers: int = 0
    """Number of processes for the tries of a recipe with requirements."""

    @cached_property
    def map(self) -> TileMap:
        work = iter_tries(self.recipe, self.workers) if self.workers else pipeline.iter_steps(self.recipe)
        return self.finish(pipeline.drain(change_frames(work, lambda frame: self.report(frame.progress, frame.stage))))

    def frames(self) -> Iterator[Frame]:
        """Yield the frames of the generation, for an animation."""
        for frame in pipeline.watch(self.recipe):
            self.report(frame.progress, frame.stage)
            if frame.map is not None:
                self.__dict__["map"] = self.finish(frame.map)  # This sets the cached property.
            yield frame


def produce(
    recipe: Recipe,
    params: ProduceOptions,
    *,
    outputs: Sequence[str],
    look: DrawMode | None,
    finish: Finish = _leave_unchanged,
    **options: Any,
) -> None:
    """Generate the maps of a recipe, and draw them or write the outputs."""
    if any(_outputs.is_world(name) for name in outputs):
        _world.produce_world(recipe, params, outputs=outputs, look=look, **options)
        return
    if params.scheduler is not None:
        text = f"only applies to worlds; name one with -o, such as world{_outputs.WORLD}"
        raise InvalidRecipe(text, at="scheduler")
    seed, count, workers = params.seed, params.count, params.workers
    if workers is not None and not recipe.require:
        text = f"only applies to the tries of --require and to worlds, such as -o world{_outputs.WORLD}"
        raise InvalidRecipe(text, at="workers")
    make_plan(recipe)
    start_quickly()
    base_seed = read_seed(recipe.seed if seed is None else seed)
    # Without a file, the overlay is for the terminal. A technique may have a parameter of that name.
    overlay = None if outputs else read_overlay(options.pop("overlay", None))
    targets = _outputs.read_outputs(outputs, fields=FIELDS, **options)
    first = [_template_fields(recipe, base_seed, count, index) for index in range(min(count or 1, 2))]
    _outputs.refuse_collisions(targets, first, "seed", "index")
    if workers and any(target.is_animation for target in targets):
        raise InvalidRecipe("does not apply to an animation, which shows all tries in order", at="workers")
    if targets:
        _write_all(recipe, base_seed, count, targets, finish, workers or 0)
    else:
        for index in range(count or 1):
            if index:
                click.echo()
            with show_progress() as report:
                map = MapJob(recipe.with_seed(_map_seed(base_seed, count, index)), report, finish, workers or 0).map
            draw(map, describe(map), look=look, overlay=overlay)
            _warn_about_map(map, count)


def _write_all(
    recipe: Recipe, seed: str, count: int | None, targets: Sequence[Output], finish: Finish, workers: int
) -> None:
    """Generate and write each map; prepare all files of a map before writing any."""
    total = count or 1
    with show_progress() as report:
        for index in range(total):

            def report_all(done: float | None, stage: str, index: int = index) -> None:
                if total == 1:
                    report(done, stage)
                else:
                    report((index + (done or 0.0)) / total, f"{index + 1} of {total}")

            fields = _template_fields(recipe, seed, count, index)
            job = MapJob(recipe.with_seed(_map_seed(seed, count, index)), report_all, finish, workers)
            prepared = []
            for target in sorted(targets, key=lambda target: not target.is_animation):  # animations end with the map
                path = target.format_path(**fields)
                if target.is_animation:
                    prepared.append(target.prepare(path, frames=job.frames(), alone=total == 1))
                else:
                    map = job.map
                    report_all(None, f"writing {path}")
                    prepared.append(target.prepare(path, map, alone=total == 1))
            _outputs.refuse_clashes(prepared)
            for file in prepared:
                file.write(first=index == 0)
            _warn_about_map(job.map, count)
    what = describe(job.map)
    if total > 1:
        what = f"{what.partition(', seed')[0]}, seeds {seed}-0 to {seed}-{total - 1}"
    info(", ".join(filter(None, [what, _outputs.describe_written(targets, fields, total)])))


def _warn_about_map(map: TileMap, count: int | None) -> None:
    """Warn about missing markers, a learned map of one tile, or one that is nearly a copy of a sample."""
    for problem in find_map_warnings(map):
        seed = f"seed {map.recipe.seed}: " if count is not None and map.recipe is not None else ""
        warnings.warn(f"{seed}{problem}", stacklevel=2)


def _map_seed(seed: str, count: int | None, index: int) -> str:
    return seed if count is None else number_seed(seed, index)


def _template_fields(recipe: Recipe, seed: str, count: int | None, index: int) -> dict[str, str | int]:
    """Return the values of the placeholders in a file name."""
    names = {"technique": recipe.technique, "name": recipe.title}
    return {"seed": _map_seed(seed, count, index), **names, "index": index}


# -- maps of corpora and archives --------------------------------------------------------------------------------


def take_maps(
    fields: Sequence[Mapping[str, str | int]],
    make: Callable[[int], TileMap],
    describe: Callable[[int, TileMap], str],
    outputs: Sequence[str],
    *,
    names: Sequence[str],
    remedies: Sequence[str] = (),
    look: DrawMode | None = None,
    **options: Any,
) -> None:
    """Draw maps, or write them to files.

    Parameters
    ----------
    fields : sequence of mapping
        Values of the placeholders in file names, for each map.
    make : callable
        Function that returns a map by its index.
    describe : callable
        Function (index, map) that returns the caption of a drawn map.
    outputs : sequence of str
        File names with placeholders. Without any, the maps are drawn.
    names : sequence of str
        Names of the placeholders.
    remedies : sequence of str
        Placeholders that an error about equal file names suggests.
    look : str, optional
        How to draw the maps.
    **options
        Further values of the options of outputs.
    """
    overlay = None if outputs else read_overlay(options.pop("overlay", None))
    targets = _outputs.read_outputs(outputs, fields=names, **options)
    _outputs.refuse_collisions(targets, fields, *remedies)
    if not targets:
        for index in range(len(fields)):
            if index:
                click.echo()
            map = make(index)
            draw(map, describe(index, map), look=look, overlay=overlay)
        return

    def iter_maps() -> Iterator[tuple[Mapping[str, str | int], TileMap]]:
        for index, filled in enumerate(fields):
            report(index / len(fields), f"{index + 1} of {len(fields)}")
            yield filled, make(index)

    with show_progress() as report:
        written = _outputs.write_maps(targets, iter_maps(), len(fields))
    if written:
        info(written)
