"""Place: put markers such as start, exit, keys, loot or monsters on cells chosen by a rule.

All chosen cells can be reached from the marker `start`; without one, they are in the largest region. Existing markers
with the same names are removed first. `farthest` chooses the cell with the most steps to all other markers; the first
two are the ends of the longest path. `dead_ends` chooses dead ends at random, `off_path` cells away from the paths
between start and exit, `band` cells between `min_steps` and `max_steps` from the marker `origin`, and `random` any
cells. `spread` distributes the markers evenly over the map, and `cells` uses the given cells if they are passable.

`area` and `on_path` restrict the cells of any rule except `cells`. `bands` gives the steps between markers: from a
marker on the map, or between markers of this stage such as start, key and exit, whose cells are then chosen together.
The search for them tries at most 20,000 cells. `per` makes `count` a density. With `rise`, markers are more frequent
far from the origin, and properties with two numbers change with the steps.

If there are too few cells, the shaper gives up. With `required` off, it places as many markers as fit, and the map
reports the number of missing ones: `unplaced goblin`.

Source of the even spread: Cook, "Stochastic sampling in computer graphics", 1986 (Poisson disks).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat
from math import floor
from typing import TypeAlias

import numpy as np

from ..analysis.map_warnings import count_unplaced
from ..analysis.paths import steps_from
from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.errors import ANOTHER_SEED, Fix, GaveUp, InvalidRecipe, pluralize
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import Marker, MarkerValue, TileMap
from ._place.cells import (
    CandidateCells,
    Cell,
    Mask,
    Order,
    Steps,
    choose_farthest,
    clear,
    cover,
    order_cells,
    spread,
    throw_darts,
)
from ._place.params import MarkerProperty, PlaceParams
from ._place.together import MarkerSearch, pair_bands

UNITS = {"100_cells": 100, "1000_cells": 1000}
"""Number of cells of each unit of the count."""
Group: TypeAlias = tuple[Sequence[str], int, Mask]
"""Names of markers, the number of each, and the cells for them."""


@shaper(PlaceParams, dimensions=(2,))
def place(map: TileMap, p: PlaceParams, site: Site, rng: Rng) -> TileMap:
    map = map.replace(markers=[marker for marker in map.markers if marker.name not in p.markers])
    candidates = CandidateCells(Survey(map), p)
    order = order_cells(rng.cells(*site.window), candidates.progress if p.rise else None, p.rise)
    if p.rule == "cells":
        chosen, wanted = _use_cells(candidates)
    elif p.is_joint:
        chosen, wanted = _choose_together(candidates, order)
    else:
        chosen, wanted = _choose_groups(candidates, order)
    missing = wanted - Counter(name for name, _ in chosen)
    if missing and p.required:
        raise _describe_failure(candidates, wanted.total(), len(chosen))
    map = map.replace(markers=[*map.markers, *(Marker(name, x, y) for name, (y, x) in chosen)])
    if p.properties:
        map = map.replace(markers=_with_properties(map, p))
    if p.tile is not None:
        cells = map.cells.copy()
        for _, cell in chosen:
            if not site.locked[cell]:
                cells[cell] = site.tile(p.tile)
        map = map.replace(cells=cells)
    return map if p.required else map.replace(numbers=count_unplaced(map.numbers, p.markers, missing))


def _use_cells(candidates: CandidateCells) -> tuple[list[tuple[str, Cell]], Counter[str]]:
    """Return the given cells with their names, without those that are not passable or have a marker."""
    map, p = candidates.survey.map, candidates.p
    names = p.markers if len(p.markers) > 1 else p.markers * len(p.cells)
    taken = {(marker.y, marker.x) for marker in map.markers}
    chosen: list[tuple[str, Cell]] = []
    for number, (name, (x, y)) in enumerate(zip(names, p.cells, strict=True)):
        if not (0 <= x < map.width and 0 <= y < map.height):
            text = f"x={x} y={y} is outside the map of {map.width}x{map.height}"
            raise InvalidRecipe(text, at=("cells", number), rule="outside")
        if candidates.survey.passable[y, x] and (y, x) not in taken:
            taken.add((y, x))
            chosen.append((name, (y, x)))
    return chosen, Counter(names)


def _choose_together(candidates: CandidateCells, order: Order) -> tuple[list[tuple[str, Cell]], Counter[str]]:
    """Choose the cells of markers whose bands depend on each other."""
    survey, p = candidates.survey, candidates.p
    prefers_far = p.rule == "farthest"
    search = MarkerSearch(survey.passable, pair_bands(p.markers, p.bands), order, prefers_far, p.min_distance)
    domains = [candidates.fit_bands(name) for name in p.markers]
    cells = search.run(domains, _find_nearest_steps(survey) if prefers_far else None)
    return ([] if cells is None else [*zip(p.markers, cells, strict=True)]), Counter(p.markers)


def _find_nearest_steps(survey: Survey) -> Steps | None:
    """Return the steps of each cell from the nearest marker; without markers, from an end of the longest path."""
    sources = _list_sources(survey)
    if not sources and survey.route is not None:
        sources = [(survey.route.exit[0], survey.route.exit[1])]
    return steps_from(survey.passable, np.array(sources)) if sources else None


def _list_sources(survey: Survey) -> list[Cell]:
    """Return the passable cells with markers."""
    return [(marker.y, marker.x) for marker in survey.map.markers if survey.passable[marker.y, marker.x]]


def _choose_groups(candidates: CandidateCells, order: Order) -> tuple[list[tuple[str, Cell]], Counter[str]]:
    """Choose the cells of all groups, one group after the other."""
    survey, p = candidates.survey, candidates.p
    free, sources = candidates.free.copy(), _list_sources(survey)
    chosen: list[tuple[str, Cell]] = []
    wanted = Counter[str]()
    for names, number, mask in _iter_groups(candidates):
        wanted.update(dict.fromkeys(names, 0))
        for name in names:
            wanted[name] += number
        fitting = free & mask
        total = min(number * len(names), int(fitting.sum()))
        if p.rule == "farthest":
            cells = list(islice(choose_farthest(survey, fitting, sources, p.min_distance), total))
        elif p.rule == "spread":
            cells = spread(fitting, order, total, p.min_distance) if total else []
        else:
            cells = list(islice(throw_darts(fitting, order, p.min_distance), total))
        for cell in cells:
            clear(free, cell, p.min_distance)
        chosen += zip(chain.from_iterable(repeat(name, number) for name in names), cells, strict=False)
    return chosen, wanted


def _iter_groups(candidates: CandidateCells) -> Iterator[Group]:
    """Yield markers that share their cells: all, those of one name, or those of one room."""
    p = candidates.p
    number = p.count
    if p.per in UNITS:
        unit = UNITS[p.per]
        number = (2 * p.count * int(candidates.area.sum()) + unit) // (2 * unit)
    named = [(name,) for name in p.markers] if any(band.marker for band in p.bands) else [p.markers]
    for names in named:
        fitting = candidates.fit_bands(names[0])
        if p.per == "room" and candidates.rooms:
            for room in candidates.rooms:
                yield names, number, fitting & cover([room], fitting.shape)
        else:
            yield names, number, np.zeros_like(fitting) if p.per == "room" else fitting


def _with_properties(map: TileMap, p: PlaceParams) -> list[Marker]:
    """Return all markers; those that were placed have their properties."""
    rising = any(one.far is not None for one in p.properties)
    progress = CandidateCells(Survey(map), p).progress if rising else np.zeros(map.shape)

    def with_properties(marker: Marker) -> Marker:
        values = {one.name: _find_value(one, float(progress[marker.y, marker.x])) for one in p.properties}
        return replace(marker, properties=values)

    return [with_properties(marker) if marker.name in p.markers else marker for marker in map.markers]


def _find_value(one: MarkerProperty, progress: float) -> MarkerValue:
    """Return the value of a property at a cell. Between two integers, it is an integer."""
    if one.far is None or isinstance(one.value, str):
        return one.value
    value = one.value + (one.far - one.value) * progress
    return floor(value + 0.5) if isinstance(one.value, int) and one.far.is_integer() else value


def _describe_failure(candidates: CandidateCells, wanted: int, found: int) -> GaveUp:
    """Return the error for markers that cannot be placed, with changes that may help."""
    p = candidates.p
    fixes = [Fix("set", ("required",), False)]
    if p.rule not in ("cells",) and p.min_distance > 1:
        fixes.insert(0, Fix("set", ("min_distance",), p.min_distance // 2))
    if p.per == "map" and not p.is_joint and p.rule != "cells" and 0 < found // len(p.markers) < p.count:
        fixes.insert(0, Fix("set", ("count",), found // len(p.markers)))
    if p.is_joint:
        text = f"no cells were found for {', '.join(p.markers)} with all bands"
    elif p.per == "room" and not candidates.rooms:
        text = f"{pluralize(p.count, 'marker')} wanted in each room, but the map has no rooms of the area {p.area}"
    else:
        text = f"{pluralize(wanted, 'marker')} wanted, the map has {pluralize(found, 'cell')} by the rule {p.rule}"
    return GaveUp(f"place: {text}", at="bands" if p.is_joint else "markers", place="", fixes=[*fixes, ANOTHER_SEED])
