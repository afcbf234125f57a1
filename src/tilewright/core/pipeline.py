"""From recipe to map: technique, then shapers, each on its own stream. The one place that knows the order."""

from __future__ import annotations

import os
import traceback
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from types import GeneratorType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import GaveUp, InvalidRecipe, TilewrightError, TooLarge, UnknownName, did_you_mean
from .grid import resolve
from .params import Params
from .recipe import Recipe, Stage
from .registry import Shaper, Technique, measures, provider, shapers, techniques
from .seeds import Rng
from .site import Frame, Site, Steps
from .tilemap import TileMap
from .tileset import Tileset

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows from a recipe without its seed: checked once, used for every map."""

    technique: Technique
    site: Site
    shaping: tuple[PlannedShaper, ...]


@dataclass(frozen=True, slots=True)
class PlannedShaper:
    """A shaper, its params, and how many stages of its name come before: that names its stream."""

    entry: Shaper
    params: Params
    number: int


def run(recipe: Recipe, *, root: Rng | None = None) -> TileMap:
    """Make the map. `root` is the stream to grow from in place of the seed, for recipes inside recipes."""
    return exhausted(steps(recipe, root=root))


def watch(recipe: Recipe, *, every: int = 1) -> Iterator[Frame]:
    """The frames of the work, as copies; the last one has the map. `every` thins them, by count."""
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise InvalidRecipe(f"every: must be a whole number of at least 1, got {every!r}")
    recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
    work = steps(recipe)
    number = 0
    try:
        while True:
            frame = next(work)
            if number % every == 0:
                yield frame.shown()
            number += 1
    except StopIteration as end:
        map: TileMap = end.value
        numbers = dict(map.numbers)
        yield Frame(map.cells, "done", 1.0, numbers, stage=recipe.technique, site=Site(map.shape, map.tileset), map=map)
    finally:
        work.close()


def exhausted(work: Generator[Frame, None, T]) -> T:
    """What stands at the end of the work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def steps(recipe: Recipe, *, root: Rng | None = None) -> Steps:
    """The work itself: frames on the way, the map at the end. Making and watching both exhaust this body."""
    if root is None:
        recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
        assert recipe.seed is not None
        root = Rng.of(recipe.seed)
    return _required(recipe, root) if recipe.require else _made(recipe, root)


def _made(recipe: Recipe, root: Rng) -> Steps:
    """One map: the technique, then the shapers."""
    plan = planned(recipe)
    entry, site = plan.technique, plan.site
    rng = root.child(entry.name)
    if entry.settle is not None:
        settled = entry.settle(recipe.params, rng)
        recipe = recipe if settled is recipe.params else replace(recipe, params=settled)
    try:
        map = yield from watched(entry, recipe.params, site=site, rng=rng)
        checked(map, site, entry.name)
        if map.shape != site.shape or map.tileset != site.tileset:
            raise TilewrightError(f"{entry.name}: made another size or tileset than asked; this is a bug in it")
        for shaper in plan.shaping:
            map, site = yield from _shaped(map, site, shaper, root)
    except MemoryError:
        raise TooLarge(f"{entry.name}: a map of {_size(site.shape)} does not fit into memory") from None
    return map.replaced(recipe=recipe)


def _required(recipe: Recipe, root: Rng) -> Steps:
    """Maps, each from a stream of its own, until one is as required; or of all tries the best."""
    if recipe.attempt is not None:
        made = yield from _made(recipe, _root_of_try(root, recipe.attempt))
        return _found(made, recipe.attempt)
    measured = provider("analysis", "survey").measured
    like = _likeness(recipe)
    names = [one.measure for one in recipe.require]
    extreme = next((one for one in recipe.require if one.is_extreme), None)
    failed: dict[str, int] = {}
    best: tuple[float, TileMap] | None = None
    for attempt in range(recipe.tries):
        try:
            made = yield from _numbered(_made(recipe, _root_of_try(root, attempt)), attempt, recipe.tries)
        except GaveUp as error:
            failed[error.reason] = failed.get(error.reason, 0) + 1
            continue
        numbers = measured(made, names, like)
        wrong = [one for one in recipe.require if not one.holds(numbers[one.measure])]
        for one in wrong:
            failed[str(one)] = failed.get(str(one), 0) + 1
        if wrong:
            continue
        made = _found(made, attempt)
        if extreme is None:
            return made
        score = numbers[extreme.measure] * (1 if extreme.rule == "most" else -1)
        if best is None or score > best[0]:
            best = score, made
    if best is not None:
        return best[1]
    reasons = ", ".join(f"{reason} ({count} of {recipe.tries})" for reason, count in failed.items())
    raise GaveUp(f"no map was as required; what failed: {reasons}", tries=recipe.tries)


def _likeness(recipe: Recipe) -> Any:
    """What its maps are compared with, if anything is required that compares: the sample that they are made from."""
    comparing = [one.measure for one in recipe.require if measures.get(one.measure).compares]
    if not comparing:
        return None
    like = provider("analysis", "likeness").likeness_in(recipe.params, dict(recipe.tiles))
    if like is None:
        raise InvalidRecipe(f"require: {comparing[0]} compares a map with a sample, and {recipe.technique} has none")
    return like


def _root_of_try(root: Rng, attempt: int) -> Rng:
    """The first try is the map that would be made without requirements."""
    return root.child("try", attempt) if attempt else root


def _found(map: TileMap, attempt: int) -> TileMap:
    """A map that knows which try it was."""
    assert map.recipe is not None
    recipe = replace(map.recipe, attempt=attempt)
    return map.replaced(numbers={**map.numbers, "try": attempt + 1}, recipe=recipe)


def _numbered(work: Steps, attempt: int, tries: int) -> Steps:
    """The frames of one try, which tell its number."""
    try:
        while True:
            frame = next(work)
            frame.note = f"try {attempt + 1}: {frame.note}".rstrip(": ")
            frame.done = (attempt + (frame.done or 0.0)) / tries
            yield frame
    except StopIteration as end:
        made: TileMap = end.value
        return made
    finally:
        work.close()


def shape_map(map: TileMap, stage: Stage, seed: str = "0") -> TileMap:
    """One more shaper on a finished map: the same as if its recipe had held it, locks included."""
    recipe = map.recipe.then(stage) if map.recipe is not None and map.recipe.seed is not None else None
    if recipe is None or recipe.seed is None:
        shaper = PlannedShaper(shapers.get(stage.shaper), stage.params, 0)
        work = _shaped(map, Site(map.shape, map.tileset), shaper, Rng.of(seed))
    else:
        plan = planned(recipe)
        root = _root_of_try(Rng.of(recipe.seed), recipe.attempt or 0)
        work = _shaped(map, _site_after(plan), plan.shaping[-1], root)
    shaped, _ = exhausted(work)
    return shaped.replaced(recipe=recipe)


def planned(recipe: Recipe) -> Plan:
    """Check everything that can be checked before the work, once, and keep it with the recipe."""
    if isinstance(recipe.plan, Plan):
        return recipe.plan
    entry = techniques.get(recipe.technique)
    shape = tuple(getattr(recipe.params, "shape", (1, 1)))
    _refuse_dimensions(entry, shape)
    _refuse_too_large(entry, recipe.params, shape)
    tileset = recipe.tileset
    words, ids = vocabulary(entry, recipe, tileset)
    at, lock_ids = _lock_arrays(recipe, shape, tileset, dict(zip(words, ids.tolist(), strict=True)))
    offset = getattr(recipe.params, "offset", None)
    site = Site(shape, tileset, words=words, ids=ids, offset=offset, lock_at=at, lock_ids=lock_ids)
    if entry.refuse is not None:
        entry.refuse(recipe.params, site)
    _likeness(recipe)
    seen = {entry.name: 1}
    shaping = []
    for stage in recipe.shaping:
        number = seen.get(stage.shaper, 0)
        seen[stage.shaper] = number + 1
        shaping.append(PlannedShaper(shapers.get(stage.shaper), stage.params, number))
    plan = Plan(entry, site, tuple(shaping))
    object.__setattr__(recipe, "plan", plan)
    return plan


# -- the small steps ------------------------------------------------------------------------------------------


def _shaped(map: TileMap, site: Site, shaper: PlannedShaper, root: Rng) -> Generator[Frame, None, tuple[TileMap, Site]]:
    """One shaper's work, and the map and its site after it."""
    entry, params = shaper.entry, shaper.params
    _refuse_dimensions(entry, map.shape)
    if entry.moves:
        turned = _turned(entry, params, map.tileset)
        site = _moved(site, shaper)
        map = map.moved(partial(entry.body, params))
        map = map if turned is None else map.replaced(cells=turned.astype(map.cells.dtype)[map.cells])
    else:
        site = site.for_shaper(map)
        rng = root.child(entry.name, shaper.number)
        map = yield from watched(entry, map, params, site=site, rng=rng)
        checked(map, site, entry.name)
    yield Frame(map.cells, "", 1.0, stage=entry.name, site=Site(map.shape, map.tileset))
    return map, site


def watched(entry: Technique | Shaper, *given: Any, site: Site, rng: Rng) -> Generator[Frame, None, TileMap]:
    """Run a body that may or may not yield, putting the stage's name on its frames.

    What goes wrong inside is told with the name and the line, for whoever writes it.
    """
    try:
        work = entry.body(*given, site, rng)
        if not isinstance(work, GeneratorType):
            return work  # type: ignore[no-any-return]
        try:
            while True:
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


def checked(map: object, site: Site, name: str) -> None:
    """No stage writes a locked cell, and every stage returns a map."""
    if not isinstance(map, TileMap):
        raise TilewrightError(f"{name}: returned {type(map).__name__} instead of a TileMap; this is a bug in {name}")
    if site.has_locks:
        if map.shape != site.shape:
            raise TilewrightError(f"{name}: changed the map's shape without moving its locks; this is a bug in {name}")
        broken = site.broken(map)
        if broken:
            raise GaveUp(f"{name} did not keep the locked cells; this is a bug in {name}", cells=broken)


def _site_after(plan: Plan) -> Site:
    """The site as it stands before a plan's last shaper: locks moved along, no map needed."""
    site = plan.site
    for shaper in plan.shaping[:-1]:
        if shaper.entry.moves:
            site = _moved(site, shaper)
    return site


def _moved(site: Site, shaper: PlannedShaper) -> Site:
    """The site after a shaper that moves cells."""
    entry, params = shaper.entry, shaper.params
    return site.moved(partial(entry.body, params), _turned(entry, params, site.tileset))


def origins(recipe: Recipe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the finished map's cells come from, and its tiles: what shapers that move cells have moved, undone.

    (row, column) of the finished map: the flat place in the technique's map. (tile,) by the finished map's tile: the
    tile that stood there before the map was turned over.
    """
    plan = planned(recipe)
    places = np.arange(np.prod(plan.site.shape), dtype=np.int64).reshape(plan.site.shape)
    tiles = np.arange(len(recipe.tileset), dtype=np.int64)
    for shaper in plan.shaping:
        if shaper.entry.moves:
            places = shaper.entry.body(shaper.params, places)
            turned = _turned(shaper.entry, shaper.params, recipe.tileset)
            tiles = tiles if turned is None else turned[tiles]
    return places, np.argsort(tiles, kind="stable")


def _turned(entry: Shaper, params: Params, tileset: Tileset) -> NDArray[np.int64] | None:
    """(tile,) what a shaper that turns the map over makes of every tile; None where it makes nothing of them."""
    if entry.turns is None or not any(tile.joins for tile in tileset):
        return None
    return tileset.turned(entry.turns(params))


def _refuse_dimensions(entry: Technique | Shaper, shape: tuple[int, ...]) -> None:
    if len(shape) not in entry.dimensions:
        wanted = " or ".join(f"{number}D" for number in entry.dimensions)
        raise InvalidRecipe(f"{entry.name} works on {wanted} maps, not on {len(shape)}D ones")


def vocabulary(entry: Technique, recipe: Recipe, tileset: Tileset) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The technique's words and their tile ids, after the recipe's renamings."""
    words = entry.words(recipe.params) or entry.own_tileset(recipe.params).names
    renamed = dict(recipe.tiles)
    problems = [
        f"tiles: {entry.name} has no tile {word!r}{did_you_mean(word, words)}" for word in renamed if word not in words
    ]
    ids: list[int] = []
    missing: list[str] = []
    for position, word in enumerate(words):
        number = tileset.find(renamed.get(word, word))
        if number is None and entry.numbered and word not in renamed and position < len(tileset):
            number = position
        if number is None and word in renamed:
            problems.append(f"tiles: {UnknownName('tile', renamed[word], tileset.names, f'tileset {tileset.name!r}')}")
        elif number is None:
            missing.append(word)
        ids.append(number or 0)
    if missing:
        lacks = ", ".join(repr(word) for word in missing[:4]) + (" ..." if len(missing) > 4 else "")
        problems.append(
            f"tileset {tileset.name!r} has no {lacks}, which {entry.name} needs; "
            f"say what stands for it with tiles, such as {_stand_ins(entry, recipe, missing[:4])}"
        )
    if problems:
        raise InvalidRecipe(*problems[:6])
    return words, np.array(ids, dtype=np.int64)


def _stand_ins(entry: Technique, recipe: Recipe, words: list[str]) -> str:
    """`floor=grass,wall=mountain`: for each word a tile that is walked on alike."""
    own, pairs = entry.own_tileset(recipe.params), []
    for word in words:
        number = own.find(word)
        passable = number is None or own[number].passable
        alike = [tile.name for tile in recipe.tileset if tile.passable == passable]
        pairs.append(f"{word}={(alike or recipe.tileset.names)[-1]}")
    return ",".join(pairs)


def _lock_arrays(
    recipe: Recipe, shape: tuple[int, ...], tileset: Tileset, vocabulary: dict[str, int]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """The locked cells as flat places and tile ids."""
    if recipe.locks is None:
        return None, None
    locks = recipe.locks.fitted(shape)
    try:
        table = np.array([resolve(word, tileset, vocabulary) for word in locks.words], dtype=np.int64)
    except UnknownName as error:
        raise InvalidRecipe(f"locks: {error}") from None
    return np.ravel_multi_index(tuple(locks.places.T), shape), table[locks.which]


def _refuse_too_large(entry: Technique, params: Params, shape: tuple[int, ...]) -> None:
    """Before the work, and with what a window must look at around itself."""
    around = entry.reach is not None and entry.holds_reach and getattr(params, "offset", None) is not None
    margin = entry.reach(params) if entry.reach and around else 0
    cells = 1
    for side in shape:
        cells *= side + 2 * margin
    if cells < 1 << 24:
        return
    needed, there = entry.memory(params, cells), _memory()
    if there and needed > there:
        more = f" and {margin:,} cells around it" if margin else ""
        windows = ", or in windows with offset" if "offset" in type(params).model_fields else ""
        raise TooLarge(
            f"{entry.name}: a map of {_size(shape)}{more} needs about {needed / 2**30:,.1f} GB of memory, "
            f"{there / 2**30:,.1f} GB are there; make it smaller{windows}"
        )


def _memory() -> int:
    """Bytes of memory that this machine has to spare; 0 where it does not tell."""
    try:
        with open("/proc/meminfo") as report:  # only Linux tells how much could be freed
            found = next(line for line in report if line.startswith("MemAvailable"))
        return int(found.split()[1]) * 1024
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def _size(shape: tuple[int, ...]) -> str:
    return "x".join(str(side) for side in reversed(shape))
