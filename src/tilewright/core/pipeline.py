"""From recipe to map: technique, then shapers, each on its own stream. The one place that knows the order."""

from __future__ import annotations

import os
import traceback
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from types import GeneratorType
from typing import Any, TypeVar

from .errors import ANOTHER_SEED, Fix, GaveUp, TilewrightError, TooLarge
from .params import check_integer
from .plan import PlannedShaper, check_dimensions, make_plan, similarity_of, technique_in_recipe
from .ports import measure_map
from .recipe import Recipe, Stage
from .registry import Shaper, Technique, shapers
from .require import MAX_TRIES
from .seeds import Rng
from .site import Frame, Site, Steps, change_frames
from .tilemap import TileMap, format_size

T = TypeVar("T")


def run(recipe: Recipe, *, root: Rng | None = None) -> TileMap:
    """Make the map. `root` is the stream to grow from in place of the seed, for recipes inside recipes."""
    return drain(iter_steps(recipe, root=root))


def watch(recipe: Recipe, *, every: int = 1) -> Iterator[Frame]:
    """The frames of the work, as copies; the last one has the map. `every` thins them, by count."""
    check_integer("every", every)
    for number, frame in enumerate(iter_frames(recipe)):
        if frame.map is not None:
            yield frame
        elif number % every == 0:
            yield frame.snapshot()


def iter_frames(recipe: Recipe) -> Iterator[Frame]:
    """The frames of the work, borrowed: `shown()` is a copy that may be kept. The last one has the map."""
    work = iter_steps(recipe)
    try:
        while True:
            yield next(work)
    except StopIteration as end:
        map: TileMap = end.value
        site = Site(map.shape, map.tileset)
        yield Frame(map.cells, "done", 1.0, dict(map.numbers), stage=recipe.technique, site=site, map=map)
    finally:
        work.close()


def drain(work: Generator[Any, None, T]) -> T:
    """What stands at the end of the work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def iter_steps(recipe: Recipe, *, root: Rng | None = None) -> Steps:
    """The work itself: frames on the way, the map at the end. Making and watching both exhaust this body."""
    if root is None:
        recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
        assert recipe.seed is not None
        root = Rng.of(recipe.seed)
    return _make_until_met(recipe, root) if recipe.require else _make_map(recipe, root)


def _make_map(recipe: Recipe, root: Rng) -> Steps:
    """One map: the technique, then the shapers."""
    plan = make_plan(recipe)
    entry, site = plan.technique, plan.site
    rng = root.child(entry.name)
    if entry.resolve_random is not None:
        settled = entry.resolve_random(recipe.params, rng)
        recipe = recipe if settled is recipe.params else replace(recipe, params=settled)
    try:
        with technique_in_recipe(recipe.params):
            map = yield from run_stage(entry, recipe.params, site=site, rng=rng)
        check_stage_result(map, site, entry.name)
        if map.shape != site.shape or map.tileset != site.tileset:
            raise TilewrightError(f"{entry.name}: made another size or tileset than asked; this is a bug in it")
        for shaper in plan.shaping:
            map, site = yield from _run_shaper(map, site, shaper, root)
    except MemoryError:
        text = f"a map of {format_size(site.shape)} does not fit into memory"
        raise TooLarge(text, at="technique", place=entry.name) from None
    return map.replace(recipe=recipe)


def _make_until_met(recipe: Recipe, root: Rng) -> Steps:
    """Maps, each from a stream of its own, until one is as required; or of all tries the best."""
    if recipe.attempt is not None:
        made = yield from _make_map(recipe, _root_of_try(root, recipe.attempt))
        return _with_attempt(made, recipe.attempt)
    measured = measure_map.get()
    like = similarity_of(recipe)
    names = [one.measure for one in recipe.require]
    extreme = next((one for one in recipe.require if one.is_extreme), None)
    failed: dict[str, int] = {}
    best: tuple[float, TileMap] | None = None
    for attempt in range(recipe.tries):
        try:
            made = yield from _number_frames(_make_map(recipe, _root_of_try(root, attempt)), attempt, recipe.tries)
        except GaveUp as error:
            failed[error.reason] = failed.get(error.reason, 0) + 1
            continue
        numbers = measured(made, names, like)
        wrong = [one for one in recipe.require if not one.holds(numbers[one.measure])]
        for one in wrong:
            failed[str(one)] = failed.get(str(one), 0) + 1
        if wrong:
            continue
        made = _with_attempt(made, attempt)
        if extreme is None:
            return made
        score = numbers[extreme.measure] * (1 if extreme.rule == "most" else -1)
        if best is None or score > best[0]:
            best = score, made
    if best is not None:
        return best[1]
    reasons = ", ".join(f"{reason} ({count} of {recipe.tries})" for reason, count in failed.items())
    fixes = [Fix("set", ("tries",), min(MAX_TRIES, 4 * recipe.tries)), ANOTHER_SEED]
    raise GaveUp(
        f"no map was as required; what failed: {reasons}", tries=recipe.tries, at="require", place="", fixes=fixes
    )


def _root_of_try(root: Rng, attempt: int) -> Rng:
    """The first try is the map that would be made without requirements."""
    return root.child("try", attempt) if attempt else root


def _with_attempt(map: TileMap, attempt: int) -> TileMap:
    """A map that knows which try it was."""
    assert map.recipe is not None
    recipe = replace(map.recipe, attempt=attempt)
    return map.replace(numbers={**map.numbers, "try": attempt + 1}, recipe=recipe)


def _number_frames(work: Steps, attempt: int, tries: int) -> Steps:
    """The frames of one try, which tell its number."""

    def number(frame: Frame) -> Frame:
        frame.note = f"try {attempt + 1}: {frame.note}".rstrip(": ")
        frame.progress = (attempt + (frame.progress or 0.0)) / tries
        return frame

    return change_frames(work, number)


def shape_map(map: TileMap, stage: Stage, seed: str = "0") -> TileMap:
    """One more shaper on a finished map: the same as if its recipe had held it, locks included."""
    recipe = map.recipe.with_stage(stage) if map.recipe is not None and map.recipe.seed is not None else None
    if recipe is None or recipe.seed is None:
        shaper = PlannedShaper(shapers.get(stage.shaper), stage.params, 0, 0)
        work = _run_shaper(map, Site(map.shape, map.tileset), shaper, Rng.of(seed))
    else:
        plan = make_plan(recipe)
        root = _root_of_try(Rng.of(recipe.seed), recipe.attempt or 0)
        work = _run_shaper(map, plan.last_site, plan.shaping[-1], root)
    shaped, _ = drain(work)
    return shaped.replace(recipe=recipe)


# -- the small steps ------------------------------------------------------------------------------------------


def _run_shaper(
    map: TileMap, site: Site, shaper: PlannedShaper, root: Rng
) -> Generator[Frame, None, tuple[TileMap, Site]]:
    """One shaper's work, and the map and its site after it."""
    entry, params = shaper.entry, shaper.params
    check_dimensions(entry, map.shape)
    if entry.rearranges:
        turned = shaper.reorient_tiles(map.tileset)
        site = shaper.rearrange(site)
        with shaper.in_recipe():
            map = map.rearrange(partial(entry.body, params))
        map = map if turned is None else map.replace(cells=turned.astype(map.cells.dtype)[map.cells])
    else:
        site = site.for_shaper(map)
        rng = root.child(entry.name, shaper.number)
        with shaper.in_recipe():
            map = yield from run_stage(entry, map, params, site=site, rng=rng)
        check_stage_result(map, site, entry.name)
    yield Frame(map.cells, "", 1.0, stage=entry.name, site=Site(map.shape, map.tileset))
    return map, site


def run_stage(entry: Technique | Shaper, *inputs: Any, site: Site, rng: Rng) -> Generator[Frame, None, TileMap]:
    """Run a body that may or may not yield, putting the stage's name on its frames.

    What goes wrong inside is told with the name and the line, for whoever writes it.
    """
    try:
        work = entry.body(*inputs, site, rng)
        if not isinstance(work, GeneratorType):
            return work  # type: ignore[no-any-return]
        try:
            while True:  # as change_frames does, without a call for every frame
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
        raise TilewrightError(f"{entry.name} broke: {type(error).__name__}: {error} ({place})") from error


def check_stage_result(map: object, site: Site, name: str) -> None:
    """No stage writes a locked cell, and every stage returns a map."""
    if not isinstance(map, TileMap):
        raise TilewrightError(f"{name}: returned {type(map).__name__} instead of a TileMap; this is a bug in {name}")
    if site.has_locks:
        if map.shape != site.shape:
            raise TilewrightError(f"{name}: changed the map's shape without moving its locks; this is a bug in {name}")
        broken = site.violated_locks(map)
        if broken:
            raise GaveUp(f"{name} did not keep the locked cells; this is a bug in {name}", cells=broken)
