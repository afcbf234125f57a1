"""From recipe to map: technique, then shapers, each on its own stream. The one place that knows the order."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import GaveUp, InvalidRecipe, TilewrightError, TooLarge, UnknownName, did_you_mean
from .grid import resolve
from .params import Params
from .recipe import Recipe, Stage
from .registry import Shaper, Technique, shapers, techniques, tilesets
from .seeds import Rng
from .site import Frame, Site, Steps
from .tilemap import TileMap
from .tileset import Tileset


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows from a recipe without its seed: checked once, used for every map."""

    technique: Technique
    site: Site
    stages: tuple[tuple[Shaper, Params, str, int], ...]
    """Shaper, params, and its stream: name, and how many of that name came before."""


def run(recipe: Recipe, *, root: Rng | None = None) -> TileMap:
    """Make the map. `root` is the stream to grow from in place of the seed, for recipes inside recipes."""
    work = steps(recipe, root=root)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def watch(recipe: Recipe, *, every: int = 1) -> Iterator[Frame]:
    """The frames of the work, as copies; the last one has the map. `every` thins them, by count."""
    recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
    result: list[TileMap] = []

    def frames() -> Generator[Frame, None, None]:
        result.append((yield from steps(recipe)))

    work = frames()
    try:
        for frame in islice(work, 0, None, every):
            yield frame.shown()
    finally:
        work.close()
    map = result[0]
    yield Frame(map.cells, "done", 1.0, map.numbers, stage=recipe.technique, site=_whole_site(map), map=map)


def steps(recipe: Recipe, *, root: Rng | None = None) -> Steps:
    """The work itself: frames on the way, the map at the end. Making and watching both exhaust this body."""
    if root is None:
        recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
        assert recipe.seed is not None
        root = Rng.of(recipe.seed)
    plan = planned(recipe)
    entry, site = plan.technique, plan.site
    rng = root.child(entry.name)
    if entry.settle is not None:
        recipe = replace(recipe, params=entry.settle(recipe.params, rng))
    try:
        map = yield from _watched(entry.body(recipe.params, site, rng), entry.name, site)
        _check(map, site, entry.name)
        for shaper, params, name, count in plan.stages:
            if shaper.moves:
                source = shaper.body(params, map.shape)
                map = map.rearranged(source)
                site = site.rearranged(source, map)
                yield Frame(map.cells, "", 1.0, stage=name, site=site)
            else:
                site = _shaper_site(map, site)
                map = yield from _watched(shaper.body(map, params, site, root.child(name, count)), name, site)
                _check(map, site, name)
    except MemoryError:
        raise TooLarge(f"{entry.name}: a map of {_size(site.shape)} does not fit into memory") from None
    return map.replaced(recipe=recipe) if map.recipe is not recipe else map


def planned(recipe: Recipe) -> Plan:
    """Check everything that can be checked before the work, once, and keep it with the recipe."""
    if isinstance(recipe.plan, Plan):
        return recipe.plan
    entry = techniques.get(recipe.technique)
    shape = tuple(getattr(recipe.params, "shape", (1, 1)))
    if len(shape) not in entry.dimensions:
        wanted = " or ".join(f"{number}D" for number in entry.dimensions)
        raise InvalidRecipe(f"{entry.name} makes {wanted} maps, not {len(shape)}D")
    _refuse_too_large(entry, shape)
    tileset = recipe.tileset
    words, ids = _vocabulary(entry, recipe, tileset)
    at, lock_ids = _lock_arrays(recipe, shape, tileset, dict(zip(words, ids.tolist(), strict=True)))
    offset = getattr(recipe.params, "offset", None)
    site = Site(shape, tileset, words=words, ids=ids, offset=offset, lock_at=at, lock_ids=lock_ids)
    seen = {entry.name: 1}
    stages = []
    for stage in recipe.shaping:
        count = seen.get(stage.shaper, 0)
        seen[stage.shaper] = count + 1
        stages.append((shapers.get(stage.shaper), stage.params, stage.shaper, count))
    plan = Plan(entry, site, tuple(stages))
    object.__setattr__(recipe, "plan", plan)
    return plan


def shape_map(map: TileMap, stage: Stage, seed: str = "0") -> TileMap:
    """One more shaper on a finished map: the same as if its recipe had held it, locks included."""
    if map.recipe is None or map.recipe.seed is None:  # a file may tell how, but not from which seed
        site, root, count = _whole_site(map), Rng.of(seed), 0
    else:
        site = _site_after(map.recipe)
        root = Rng.of(map.recipe.seed)
        count = sum(stage.shaper == other.shaper for other in map.recipe.shaping)
        count += map.recipe.technique == stage.shaper
    if site.shape != map.shape:
        site = _whole_site(map)
    entry = shapers.get(stage.shaper)
    if entry.moves:
        shaped = map.rearranged(entry.body(stage.params, map.shape))
    else:
        site = _shaper_site(map, site)
        work = _watched(entry.body(map, stage.params, site, root.child(entry.name, count)), entry.name, site)
        shaped = _exhausted(work)
        _check(shaped, site, entry.name)
    recipe = map.recipe.then(stage) if map.recipe else None
    return shaped.replaced(recipe=recipe)


# -- the small steps ------------------------------------------------------------------------------------------


def _watched(work: Any, stage: str, site: Site) -> Generator[Frame, None, TileMap]:
    """Run a body that may or may not yield, putting the stage's name on its frames."""
    if not isinstance(work, GeneratorType):
        return work  # type: ignore[no-any-return]
    try:
        while True:
            frame = next(work)
            frame.stage = frame.stage or stage
            frame.site = frame.site or site
            yield frame
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        work.close()


def _exhausted(work: Generator[Frame, None, TileMap]) -> TileMap:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def _check(map: object, site: Site, name: str) -> None:
    """No stage writes a locked cell, and every stage returns a map."""
    if not isinstance(map, TileMap):
        raise TilewrightError(f"{name}: returned {type(map).__name__} instead of a TileMap; this is a bug in {name}")
    if site.has_locks:
        if map.shape != site.shape:
            raise TilewrightError(f"{name}: changed the map's shape without moving its locks; this is a bug in {name}")
        broken = site.broken(map)
        if broken:
            raise GaveUp(f"{name} did not keep the locked cells; this is a bug in {name}", cells=broken)


def _whole_site(map: TileMap) -> Site:
    return Site(map.shape, map.tileset)


def _shaper_site(map: TileMap, site: Site) -> Site:
    """A shaper's words are all tiles of the map it is given; the locks stay."""
    return Site(map.shape, map.tileset, offset=site.offset, lock_at=site._lock_at, lock_ids=site._lock_ids)


def _site_after(recipe: Recipe) -> Site:
    """The site as it stands after all of a recipe's shapers: locks moved along, no map needed."""
    plan = planned(recipe)
    site = plan.site
    for shaper, params, _, _ in plan.stages:
        if shaper.moves:
            source = shaper.body(params, site.shape)
            site = site.rearranged(source, TileMap(np.zeros(source.shape, dtype=np.uint8), site.tileset))
    return site


def _vocabulary(entry: Technique, recipe: Recipe, tileset: Tileset) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The technique's words and their tile ids, after the recipe's renamings."""
    words = entry.words(recipe.params) or tilesets.get(entry.tileset).names
    renamed = dict(recipe.tiles)
    problems = [
        f"tiles: {entry.name} has no tile {word!r}{did_you_mean(word, words)}" for word in renamed if word not in words
    ]
    ids = []
    for position, word in enumerate(words):
        number = tileset.find(renamed.get(word, word))
        if number is None and entry.numbered and word not in renamed and position < len(tileset):
            number = position
        if number is None:
            if word in renamed:
                problems.append(str(UnknownName("tile", renamed[word], tileset.names, f"tileset {tileset.name!r}")))
            else:
                problems.append(
                    f"tileset {tileset.name!r} has no tile {word!r}, which {entry.name} needs; "
                    f"name one with tiles, such as {word}={tileset.names[0]}"
                )
        ids.append(number or 0)
    if problems:
        raise InvalidRecipe(*problems[:6])
    return words, np.array(ids, dtype=np.int64)


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


def _refuse_too_large(entry: Technique, shape: tuple[int, ...]) -> None:
    cells = 1
    for side in shape:
        cells *= side
    if cells < 1 << 24:
        return
    needed, there = cells * entry.bytes_per_cell, _memory()
    if there and needed > there:
        raise TooLarge(
            f"{entry.name}: a map of {_size(shape)} needs about {needed / 2**30:,.1f} GB of memory, "
            f"{there / 2**30:,.1f} GB are there; make it smaller, or in windows with offset"
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
