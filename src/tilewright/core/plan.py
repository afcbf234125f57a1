"""Plans: validated recipes with all data that does not depend on the seed. All maps of a recipe share the plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .entries import RECIPE_FIELDS, Shaper, Technique
from .errors import (
    Fix,
    InvalidRecipe,
    Path,
    ProblemList,
    TilewrightError,
    TooLarge,
    UnknownName,
    did_you_mean,
    errors_within,
    problem,
    unknown_key,
)
from .grid import resolve_label
from .params import Params
from .ports import available_memory, find_similarity
from .recipe import Recipe
from .registry import measures, shapers, techniques
from .site import Site
from .tile_matching import suggest_matches
from .tilemap import format_size
from .tileset import Tileset

SMALL_BYTES = 1 << 26
"""Memory that is not compared with the available memory."""


@dataclass(frozen=True, slots=True)
class PlannedShaper:
    """A shaper of a plan."""

    entry: Shaper
    params: Params
    number: int
    """Number of earlier stages with the same name. It is part of the name of the random stream."""
    position: int
    """Position in the recipe's shaping."""

    @contextmanager
    def in_recipe(self) -> Iterator[None]:
        """Add the path of the stage to errors."""
        try:
            yield
        except TilewrightError as error:
            place = self.entry.name if isinstance(error, InvalidRecipe) else ""
            path = ("shaping", self.position, self.entry.name)
            raise _with_recipe_paths(error, type(self.params), path, place) from error

    def rearrange(self, site: Site) -> Site:
        """Return the site after a shaper that moves cells."""
        with self.in_recipe():
            return site.rearrange(partial(self.entry.body, self.params), self.reorient_tiles(site.tileset))

    def reorient_tiles(self, tileset: Tileset) -> NDArray[np.int64] | None:
        """Return an array (tile,) of the tile that replaces each tile, or None if no tile is replaced."""
        if self.entry.reorients is None or not any(tile.joins for tile in tileset):
            return None
        return tileset.reorient_tiles(self.entry.reorients(self.params))


@dataclass(frozen=True, slots=True)
class Plan:
    """The entries, params and site of a recipe."""

    technique: Technique
    site: Site
    shaping: tuple[PlannedShaper, ...]

    @property
    def last_site(self) -> Site:
        """Site of the last shaper, with rearranged locks."""
        site = self.site
        for shaper in self.shaping[:-1]:
            if shaper.entry.rearranges:
                site = shaper.rearrange(site)
        return site


def make_plan(recipe: Recipe) -> Plan:
    """Validate a recipe before the generation and return its plan, which is cached in the recipe."""
    if isinstance(recipe.plan, Plan):
        return recipe.plan
    entry = techniques.get(recipe.technique)
    shape = recipe.shape
    check_dimensions(entry, shape)
    _check_size(entry, recipe.params, shape)
    tileset = recipe.tileset
    labels, ids = resolve_labels(entry, recipe, tileset)
    at, lock_ids = _build_lock_arrays(recipe, shape, tileset, dict(zip(labels, ids.tolist(), strict=True)))
    offset = entry.offset_of(recipe.params)
    site = Site(shape, tileset, labels=labels, ids=ids, offset=offset, lock_at=at, lock_ids=lock_ids)
    if entry.validate is not None:
        with technique_in_recipe(recipe.params):
            entry.validate(recipe.params, site)
    similarity_of(recipe)
    _check_required_tiles(recipe)
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
    """Add the path `params` to errors of a technique."""
    try:
        yield
    except TilewrightError as error:
        raise _with_recipe_paths(error, type(params), ("params",)) from error


def _with_recipe_paths(error: TilewrightError, model: type[Params], stage: Path, place: str = "") -> TilewrightError:
    """Return the error with complete paths.

    The path of the stage is added to paths that do not start with a recipe key.
    """

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
    """Return the origins of the finished map's cells and tiles in the technique's map, before shapers moved them.

    Returns
    -------
    cells : ndarray of int64, shape of the finished map
        Flat index in the technique's map of each cell.
    tiles : ndarray of int64, shape (tile,)
        Tile of the technique's map for each tile of the finished map.
    """
    plan = make_plan(recipe)
    places = np.arange(np.prod(plan.site.shape), dtype=np.int64).reshape(plan.site.shape)
    tiles = np.arange(len(recipe.tileset), dtype=np.int64)
    for shaper in plan.shaping:
        if shaper.entry.rearranges:
            places = shaper.entry.body(shaper.params, places)
            images = shaper.reorient_tiles(recipe.tileset)
            tiles = tiles if images is None else images[tiles]
    return places, np.argsort(tiles, kind="stable")


def similarity_of(recipe: Recipe) -> Any:
    """Return the samples to compare maps with if a required measure compares maps with samples; otherwise None."""
    comparing = [one.measure for one in recipe.require if measures.get(one.measure).compares]
    if not comparing:
        return None
    like = find_similarity.get()(recipe)
    if like is None:
        text = f"{comparing[0]} needs a sample to compare with, but {recipe.technique} has none"
        raise InvalidRecipe(text, at="require", fixes=[Fix("remove", ("require", comparing[0]))])
    return like


def _check_required_tiles(recipe: Recipe) -> None:
    """Raise InvalidRecipe if a requirement names a tile that no tileset has. Shapers of plugins may add any tile."""
    if not all(stage.shaper in shapers.built_in for stage in recipe.shaping):
        return
    problems = ProblemList()
    for one in recipe.require:
        with problems.collect("require", kind=UnknownName):
            measures.get(one.measure).check_argument(recipe.tilesets)
    problems.raise_all()


def check_dimensions(entry: Technique | Shaper, shape: tuple[int, ...]) -> None:
    """Raise InvalidRecipe if a stage does not support the number of dimensions."""
    if len(shape) not in entry.dimensions:
        supported = " or ".join(f"{number}D" for number in entry.dimensions)
        raise InvalidRecipe(f"{entry.name} needs a {supported} map, got {len(shape)}D", rule="dimensions")


def resolve_labels(entry: Technique, recipe: Recipe, tileset: Tileset) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the technique's labels and their tile ids, after the recipe's `tiles`."""
    renames = dict(recipe.tiles)
    found = entry.match_labels(recipe.params, tileset, renames)
    problems = [
        replace(
            unknown_key("tile", label, found), text=f"{entry.name} has no tile {label!r}{did_you_mean(label, found)}"
        ).within("tiles")
        for label in renames
        if label not in found
    ]
    for label, name in renames.items():
        if label in found and found[label] is None:
            unknown = UnknownName("tile", name, tileset.names, f"tileset {tileset.name!r}")
            problems.extend(unknown.within("tiles", label, place="tiles").problems)
    missing = [label for label, number in found.items() if number is None and label not in renames]
    if missing:
        lacks = ", ".join(repr(label) for label in missing[:4]) + (" ..." if len(missing) > 4 else "")
        chosen = suggest_matches(entry, recipe.params, tileset, renames)
        shown = ",".join(f"{label}={name}" for label, name in [*chosen.items()][:4]) or f"{missing[0]}=TILE"
        problems.append(
            problem(
                f"tileset {tileset.name!r} has no {lacks}, which {entry.name} needs; "
                f"choose substitutes with tiles, such as {shown}",
                fixes=[Fix("set", ("tiles",), {**renames, **chosen})] if len(chosen) == len(missing) else [],
                at="tiles",
                rule="missing",
                place="",
            )
        )
    if problems:
        raise InvalidRecipe(*problems[:6])
    labels = entry.labels_of(recipe.params)
    return labels, np.array([found[label] for label in labels], dtype=np.int64)


def _build_lock_arrays(
    recipe: Recipe, shape: tuple[int, ...], tileset: Tileset, label_ids: dict[str, int]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Return the flat indices and tile ids of the locked cells."""
    if recipe.locks is None:
        return None, None
    locks = recipe.locks.fit_to(shape)
    with errors_within("locks", kind=UnknownName, into=InvalidRecipe):
        table = np.array([resolve_label(label, tileset, label_ids) for label in locks.labels], dtype=np.int64)
    return np.ravel_multi_index(tuple(locks.places.T), shape), table[locks.label_indices]


def _check_size(entry: Technique, params: Params, shape: tuple[int, ...]) -> None:
    """Raise TooLarge if a map with the margin of a window does not fit in memory."""
    margin = entry.margin_of(params)
    cells = prod(side + 2 * margin for side in shape)
    needed = entry.memory(params, cells)
    if needed < SMALL_BYTES:
        return
    available = available_memory.get()()
    if available and needed > available:
        more = f" and {margin:,} cells around it" if margin else ""
        windows = ", or in windows with offset" if entry.offset is not None else ""
        raise TooLarge(
            f"a map of {format_size(shape)}{more} needs about {needed / 2**30:,.1f} GB of memory, "
            f"{available / 2**30:,.1f} GB are available; make it smaller{windows}",
            at="technique",
            place=entry.name,
        )
