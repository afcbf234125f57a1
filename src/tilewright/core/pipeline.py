"""The pipeline that makes a map from a recipe: the technique, then the shapers, each with its own random stream."""

from __future__ import annotations

import os
import traceback
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from types import GeneratorType
from typing import Any, TypeVar

from .attempts import Attempts, Outcome
from .entries import Shaper, Technique
from .errors import GaveUp, TilewrightError, TooLarge, errors_within
from .params import Params, check_integer
from .plan import PlannedShaper, check_dimensions, make_plan, similarity_of, technique_in_recipe
from .ports import measure_map
from .recipe import Recipe, Stage
from .registry import shapers
from .seeds import Rng
from .site import Frame, Site, Steps, change_frames
from .tilemap import TileMap, format_size

T = TypeVar("T")


def run(recipe: Recipe, *, root: Rng | None = None) -> TileMap:
    """Make the map of a recipe. For inner recipes, `root` is the stream to use instead of the seed."""
    return drain(iter_steps(recipe, root=root, is_watched=False))


def watch(recipe: Recipe, *, every: int = 1) -> Iterator[Frame]:
    """Yield every n-th frame of a generation as a snapshot, and a last frame with the map."""
    check_integer("every", every)
    return _take_every(iter_frames(recipe), every)


def iter_frames(recipe: Recipe) -> Iterator[Frame]:
    """Yield the frames of a generation, and a last frame with the map.

    A frame is valid until the next frame is yielded.
    """
    return _end_with_map(iter_steps(recipe), recipe.technique)


def _take_every(frames: Iterator[Frame], every: int) -> Iterator[Frame]:
    """Yield every n-th frame as a snapshot, and the last frame."""
    for number, frame in enumerate(frames):
        if frame.map is not None:
            yield frame
        elif number % every == 0:
            yield frame.snapshot()


def _end_with_map(work: Steps, stage: str) -> Iterator[Frame]:
    """Yield the frames of a generation, and a last frame with the map."""
    try:
        while True:
            yield next(work)
    except StopIteration as end:
        map: TileMap = end.value
        site = Site(map.shape, map.tileset)
        yield Frame(map.cells, "done", 1.0, dict(map.numbers), stage=stage, site=site, map=map)
    finally:
        work.close()


def drain(work: Generator[Any, None, T]) -> T:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def iter_steps(recipe: Recipe, *, root: Rng | None = None, is_watched: bool = True) -> Steps:
    """Return the generator that makes the map: it yields frames and returns the map. See `Site.is_watched`."""
    if root is None:
        recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
        assert recipe.seed is not None
        root = Rng.of(recipe.seed)
    return _make_until_met(recipe, root) if recipe.require else _make_map(recipe, root, is_watched=is_watched)


def _make_map(recipe: Recipe, root: Rng, *, is_watched: bool = True) -> Steps:
    """Make one map: run the technique, then the shapers."""
    plan = make_plan(recipe)
    entry, site = plan.technique, plan.site if is_watched else plan.site.without_frames()
    rng = root.child(entry.name)
    if entry.resolve_random is not None:
        resolved = entry.resolve_random(recipe.params, rng)
        recipe = recipe if resolved is recipe.params else replace(recipe, params=resolved)
    try:
        map = yield from run_technique(entry, recipe.params, site, rng)
        for shaper in plan.shaping:
            map, site = yield from _run_shaper(map, site, shaper, root)
    except MemoryError:
        text = f"a map of {format_size(site.shape)} does not fit into memory"
        raise TooLarge(text, at="technique", place=entry.name) from None
    return map.replace(recipe=recipe)


def _make_until_met(recipe: Recipe, root: Rng) -> Steps:
    """Make maps from different streams until a map meets the requirements.

    With `most` or `least`, return the best map.
    """
    if recipe.attempt is not None:
        map = yield from _make_map(recipe, _root_of_try(root, recipe.attempt))
        return _with_attempt(map, recipe.attempt)
    attempts = Attempts(recipe)
    like = similarity_of(recipe)
    for attempt in range(recipe.tries):
        work = iter_attempt(recipe, root, attempt, like)
        if attempts.add((yield from _number_frames(work, attempt, recipe.tries))):
            break
    return choose_map(attempts)


def iter_attempt(recipe: Recipe, root: Rng, attempt: int, like: Any) -> Generator[Frame, None, Outcome]:
    """Make the map of one try and measure it. Yield the frames of the generation.

    Parameters
    ----------
    recipe
        A recipe with requirements.
    root
        Stream of the seed.
    attempt
        Number of the try, starting at 0.
    like
        Samples to compare the map with; see `similarity_of`.
    """
    try:
        map = yield from _make_map(recipe, _root_of_try(root, attempt))
    except GaveUp as error:
        return Outcome(attempt, reason=error.reason)
    return Outcome(attempt, map, measure_map.get()(map, [one.measure for one in recipe.require], like))


def choose_map(attempts: Attempts) -> TileMap:
    """Return the map of the best try, with the number of the try. Raise GaveUp if there is none."""
    best = attempts.choose()
    assert best.map is not None
    return _with_attempt(best.map, best.attempt)


def _root_of_try(root: Rng, attempt: int) -> Rng:
    """Return the stream of a try. The first try makes the same map as the recipe without requirements."""
    return root.child("try", attempt) if attempt else root


def _with_attempt(map: TileMap, attempt: int) -> TileMap:
    """Return the map with the number of its try."""
    assert map.recipe is not None
    recipe = replace(map.recipe, attempt=attempt)
    return map.replace(numbers={**map.numbers, "try": attempt + 1}, recipe=recipe)


def _number_frames(work: Generator[Frame, None, T], attempt: int, tries: int) -> Generator[Frame, None, T]:
    """Run a try and put its number into the notes and progress of its frames."""

    def number(frame: Frame) -> Frame:
        frame.note = f"try {attempt + 1}: {frame.note}".rstrip(": ")
        frame.progress = (attempt + (frame.progress or 0.0)) / tries
        return frame

    return change_frames(work, number)


def shape_map(map: TileMap, stage: Stage, seed: str = "0") -> TileMap:
    """Apply a shaper to a finished map.

    The result is the same as if the map's recipe had the shaper, including locks.
    """
    return drain(_iter_shaping(map, stage, seed))


def watch_shaping(map: TileMap, stage: Stage, seed: str = "0", *, every: int = 1) -> Iterator[Frame]:
    """Apply a shaper to a finished map. Yield every n-th frame as a snapshot, and a last frame with the map."""
    check_integer("every", every)
    return _take_every(_end_with_map(_iter_shaping(map, stage, seed), stage.shaper), every)


def _iter_shaping(map: TileMap, stage: Stage, seed: str) -> Steps:
    recipe = map.recipe.with_stage(stage) if map.recipe is not None and map.recipe.seed is not None else None
    if recipe is None or recipe.seed is None:
        shaper = PlannedShaper(shapers.get(stage.shaper), stage.params, 0, 0)
        work = _run_shaper(map, Site(map.shape, map.tileset), shaper, Rng.of(seed))
    else:
        plan = make_plan(recipe)
        root = _root_of_try(Rng.of(recipe.seed), recipe.attempt or 0)
        work = _run_shaper(map, plan.last_site, plan.shaping[-1], root)
    shaped, _ = yield from work
    return shaped.replace(recipe=recipe)


# -- stages ---------------------------------------------------------------------------------------------------


def _run_shaper(
    map: TileMap, site: Site, shaper: PlannedShaper, root: Rng
) -> Generator[Frame, None, tuple[TileMap, Site]]:
    """Run a shaper. Yield its frames, and return the new map and its site."""
    entry, params = shaper.entry, shaper.params
    with errors_within("shaping", shaper.position, entry.name, place=""):
        check_dimensions(entry, map.shape)
    if entry.rearranges:
        images = shaper.reorient_tiles(map.tileset)
        site = shaper.rearrange(site)
        with shaper.in_recipe():
            map = map.rearrange(partial(entry.body, params))
        map = map if images is None else map.replace(cells=images.astype(map.cells.dtype)[map.cells])
    else:
        site = site.for_shaper(map)
        rng = root.child(entry.name, shaper.number)
        with shaper.in_recipe():
            map = yield from run_stage(entry, map, params, site=site, rng=rng)
        check_stage_result(map, site, entry.name)
    yield Frame(map.cells, "", 1.0, stage=entry.name, site=Site(map.shape, map.tileset))
    return map, site


def run_technique(entry: Technique, params: Params, site: Site, rng: Rng) -> Steps:
    """Run a technique and check its map."""
    with technique_in_recipe(params):
        map = yield from run_stage(entry, params, site=site, rng=rng)
    check_stage_result(map, site, entry.name)
    if map.shape != site.shape or map.tileset != site.tileset:
        raise TilewrightError(f"{entry.name}: returned another size or tileset than requested; this is a bug in it")
    return map


def run_stage(entry: Technique | Shaper, *inputs: Any, site: Site, rng: Rng) -> Generator[Frame, None, TileMap]:
    """Run the body of a technique or shaper, and set the stage and site of its frames.

    An exception in the body is raised as a TilewrightError with the name of the stage and the line of code.
    """
    try:
        work = entry.body(*inputs, site, rng)
        if not isinstance(work, GeneratorType):
            return work  # type: ignore[no-any-return]
        try:
            while True:  # This is `change_frames` without a function call for each frame.
                frame = next(work)
                frame.stage = frame.stage or entry.name
                frame.site = frame.site or site
                yield frame
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            work.close()
    except (TilewrightError, MemoryError):
        raise
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(at.filename)}, line {at.lineno}"
        raise TilewrightError(f"{entry.name} failed: {type(error).__name__}: {error} ({place})") from error


def check_stage_result(map: object, site: Site, name: str) -> None:
    """Raise an error if a stage returned no map or changed a locked cell."""
    if not isinstance(map, TileMap):
        raise TilewrightError(f"{name}: returned {type(map).__name__} instead of a TileMap; this is a bug in {name}")
    if site.has_locks:
        if map.shape != site.shape:
            raise TilewrightError(f"{name}: changed the map's shape without moving its locks; this is a bug in {name}")
        broken = site.violated_locks(map)
        if broken:
            raise GaveUp(f"{name} did not keep the locked cells; this is a bug in {name}", cells=broken)
