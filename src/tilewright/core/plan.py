"""The plan: all that follows from a recipe before the work, checked once and used for every map."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import Fix, InvalidRecipe, Path, TilewrightError, TooLarge, UnknownName, did_you_mean, problem, unknown_key
from .grid import resolve_label
from .params import Params
from .ports import available_memory, find_similarity
from .recipe import Recipe
from .registry import RECIPE_FIELDS, Shaper, Technique, measures, shapers, techniques
from .site import Site
from .tilemap import format_size
from .tileset import Tileset


@dataclass(frozen=True, slots=True)
class PlannedShaper:
    """A shaper, its params, and how many stages of its name come before: that names its stream."""

    entry: Shaper
    params: Params
    number: int
    position: int
    """In the recipe's shaping."""

    @contextmanager
    def in_recipe(self) -> Iterator[None]:
        """Let errors say which stage they are about."""
        try:
            yield
        except TilewrightError as error:
            place = self.entry.name if isinstance(error, InvalidRecipe) else ""
            path = ("shaping", self.position, self.entry.name)
            raise _with_recipe_paths(error, type(self.params), path, place) from error

    def rearrange(self, site: Site) -> Site:
        """The site after a shaper that moves cells."""
        with self.in_recipe():
            return site.rearrange(partial(self.entry.body, self.params), self.reorient_tiles(site.tileset))

    def reorient_tiles(self, tileset: Tileset) -> NDArray[np.int64] | None:
        """(tile,) what a shaper that turns the map over makes of every tile; None where it makes nothing of them."""
        if self.entry.reorients is None or not any(tile.joins for tile in tileset):
            return None
        return tileset.reorient_tiles(self.entry.reorients(self.params))


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows from a recipe without its seed."""

    technique: Technique
    site: Site
    shaping: tuple[PlannedShaper, ...]

    @property
    def last_site(self) -> Site:
        """The site as it stands before the last shaper: locks moved along, no map needed."""
        site = self.site
        for shaper in self.shaping[:-1]:
            if shaper.entry.rearranges:
                site = shaper.rearrange(site)
        return site


def make_plan(recipe: Recipe) -> Plan:
    """Check everything that can be checked before the work, once, and keep it with the recipe."""
    if isinstance(recipe.plan, Plan):
        return recipe.plan
    entry = techniques.get(recipe.technique)
    shape = recipe.shape
    check_dimensions(entry, shape)
    _check_size(entry, recipe.params, shape)
    tileset = recipe.tileset
    words, ids = resolve_labels(entry, recipe, tileset)
    at, lock_ids = _build_lock_arrays(recipe, shape, tileset, dict(zip(words, ids.tolist(), strict=True)))
    offset = entry.offset_of(recipe.params)
    site = Site(shape, tileset, labels=words, ids=ids, offset=offset, lock_at=at, lock_ids=lock_ids)
    if entry.validate is not None:
        with technique_in_recipe(recipe.params):
            entry.validate(recipe.params, site)
    similarity_of(recipe)
    seen = {entry.name: 1}
    shaping = []
    for position, stage in enumerate(recipe.shaping):
        number = seen.get(stage.shaper, 0)
        seen[stage.shaper] = number + 1
        shaping.append(PlannedShaper(shapers.get(stage.shaper), stage.params, number, position))
    plan = Plan(entry, site, tuple(shaping))
    object.__setattr__(recipe, "plan", plan)
    return plan


@contextmanager
def technique_in_recipe(params: Params) -> Iterator[None]:
    """Let errors of a technique say that its params are part of a recipe."""
    try:
        yield
    except TilewrightError as error:
        raise _with_recipe_paths(error, type(params), ("params",)) from error


def _with_recipe_paths(error: TilewrightError, model: type[Params], stage: Path, place: str = "") -> TilewrightError:
    """The error with paths from the recipe on: what is none of its keys is a parameter of the stage."""

    def full_path(path: Path) -> Path:
        return path if path and path[0] in RECIPE_FIELDS and path[0] not in model.model_fields else (*stage, *path)

    return error.replace(
        replace(
            one.within(place=place),
            path=full_path(one.path),
            fixes=tuple(replace(fix, path=full_path(fix.path)) for fix in one.fixes),
        )
        for one in error.problems
    )


def find_origins(recipe: Recipe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the finished map's cells come from, and its tiles: what shapers that move cells have moved, undone.

    (row, column) of the finished map: the flat place in the technique's map. (tile,) by the finished map's tile: the
    tile that stood there before the map was turned over.
    """
    plan = make_plan(recipe)
    places = np.arange(np.prod(plan.site.shape), dtype=np.int64).reshape(plan.site.shape)
    tiles = np.arange(len(recipe.tileset), dtype=np.int64)
    for shaper in plan.shaping:
        if shaper.entry.rearranges:
            places = shaper.entry.body(shaper.params, places)
            turned = shaper.reorient_tiles(recipe.tileset)
            tiles = tiles if turned is None else turned[tiles]
    return places, np.argsort(tiles, kind="stable")


def similarity_of(recipe: Recipe) -> Any:
    """What its maps are compared with, if anything is required that compares: the sample that they are made from."""
    comparing = [one.measure for one in recipe.require if measures.get(one.measure).compares]
    if not comparing:
        return None
    like = find_similarity.get()(recipe)
    if like is None:
        text = f"{comparing[0]} compares a map with a sample, and {recipe.technique} has none"
        raise InvalidRecipe(text, at="require")
    return like


def check_dimensions(entry: Technique | Shaper, shape: tuple[int, ...]) -> None:
    if len(shape) not in entry.dimensions:
        wanted = " or ".join(f"{number}D" for number in entry.dimensions)
        raise InvalidRecipe(f"{entry.name} works on {wanted} maps, not on {len(shape)}D ones", rule="dimensions")


def resolve_labels(entry: Technique, recipe: Recipe, tileset: Tileset) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The technique's words and their tile ids, after the recipe's renamings."""
    words = entry.labels_of(recipe.params) or entry.own_tileset(recipe.params).names
    renamed = dict(recipe.tiles)
    problems = [
        replace(
            unknown_key("tile", word, words), text=f"{entry.name} has no tile {word!r}{did_you_mean(word, words)}"
        ).within("tiles")
        for word in renamed
        if word not in words
    ]
    ids: list[int] = []
    missing: list[str] = []
    for position, word in enumerate(words):
        number = tileset.find(renamed.get(word, word))
        if number is None and entry.match_by_position and word not in renamed and position < len(tileset):
            number = position
        if number is None and word in renamed:
            unknown = UnknownName("tile", renamed[word], tileset.names, f"tileset {tileset.name!r}")
            problems.extend(unknown.within("tiles", word, place="tiles").problems)
        elif number is None:
            missing.append(word)
        ids.append(number or 0)
    if missing:
        lacks = ", ".join(repr(word) for word in missing[:4]) + (" ..." if len(missing) > 4 else "")
        chosen = _suggest_tiles(entry, recipe, missing)
        shown = ",".join(f"{word}={name}" for word, name in [*chosen.items()][:4])
        problems.append(
            problem(
                f"tileset {tileset.name!r} has no {lacks}, which {entry.name} needs; "
                f"say what stands for it with tiles, such as {shown}",
                fixes=[Fix("set", ("tiles",), {**renamed, **chosen})],
                at="tiles",
                rule="missing",
                place="",
            )
        )
    if problems:
        raise InvalidRecipe(*problems[:6])
    return words, np.array(ids, dtype=np.int64)


def _suggest_tiles(entry: Technique, recipe: Recipe, labels: list[str]) -> dict[str, str]:
    """For each word a tile that is walked on alike."""
    own, found = entry.own_tileset(recipe.params), {}
    for word in labels:
        number = own.find(word)
        passable = number is None or own[number].passable
        alike = [tile.name for tile in recipe.tileset if tile.passable == passable]
        found[word] = (alike or list(recipe.tileset.names))[-1]
    return found


def _build_lock_arrays(
    recipe: Recipe, shape: tuple[int, ...], tileset: Tileset, label_ids: dict[str, int]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """The locked cells as flat places and tile ids."""
    if recipe.locks is None:
        return None, None
    locks = recipe.locks.fit_to(shape)
    try:
        table = np.array([resolve_label(word, tileset, label_ids) for word in locks.labels], dtype=np.int64)
    except UnknownName as error:
        raise InvalidRecipe.from_error(error, "locks") from None
    return np.ravel_multi_index(tuple(locks.places.T), shape), table[locks.label_indices]


def _check_size(entry: Technique, params: Params, shape: tuple[int, ...]) -> None:
    """Before the work, and with what a window must look at around itself."""
    margin = entry.margin_of(params)
    cells = prod(side + 2 * margin for side in shape)
    if cells < 1 << 24:
        return
    needed, there = entry.memory(params, cells), available_memory.get()()
    if there and needed > there:
        more = f" and {margin:,} cells around it" if margin else ""
        windows = ", or in windows with offset" if entry.offset is not None else ""
        raise TooLarge(
            f"a map of {format_size(shape)}{more} needs about {needed / 2**30:,.1f} GB of memory, {there / 2**30:,.1f} "
            f"GB are there; make it smaller{windows}",
            at="technique",
            place=entry.name,
        )
