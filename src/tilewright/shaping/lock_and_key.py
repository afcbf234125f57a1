"""Lock and key: close areas of a map with locked doors, and place the keys so that every area can be reached.

A lock consists of all doors between the area behind it and the rest of the map. If possible this is a single door in a
passage one cell wide. On maps with loops it is several doors of one color: a minimum cut between two areas, also
several cells side by side across wider passages. Existing doors and doorways are preferred. Areas are numbered so that
every area has a door to an earlier one, and a door between two areas belongs to the lock of the later one. The key of
lock n is in area n - 1, the first key in the area of the start. With keys 1 to n a player can enter areas 1 to n, where
key n + 1 is. By induction every key, every area and the exit can be reached. A key can be used any number of times and
no door closes again, so the order of play does not matter. The measure `solvable` checks this.

Locks and keys are markers, `lock red` and `key red`; existing ones are removed first. If the tileset has passable tiles
`red door` and `red key`, they are placed as well, or else a `door`. Locked doors count as passable. Keys are on plain
floor far from their doors, if possible in dead ends and off the path to the exit. Missing start and exit markers are
added, far apart. Locked cells keep their tiles, but a key marker may be there. If too few locks fit, as in wide caves
and open halls, the shaper gives up.

Source of the minimum cut: Ford, Fulkerson, "Maximal flow through a network", 1956.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..analysis.doorways import passages
from ..analysis.keys import KEY, LOCK
from ..analysis.map_warnings import count_unplaced
from ..analysis.paths import farthest_cell, steps_from
from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.errors import GaveUp, InvalidRecipe, Problem, pluralize, problem
from ..core.grid import Label
from ..core.params import MAX_AREA, Names, Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import Marker, TileMap
from ..core.tileset import Tileset
from ._key_areas import AreaGraph
from ._key_cuts import Cell, Gates, LockedAreas, Mask, Values, WalkableMap

COLORS = ("red", "blue", "yellow", "green", "purple", "orange", "cyan", "white")


class LockAndKeyParams(Params):
    renamed: ClassVar[Mapping[str, str]] = {
        "least": "min_cells",
        "most_doors": "max_doors",
        "widest": "max_width",
        "at_least": "min_count",
    }
    count: int = param(3, ge=1, le=1000, typical=(1, 8))
    """Number of locks, each with its own color."""
    min_count: int | None = param(None, ge=0, le=1000, typical=(0, 8))
    """Minimum number of locks; the shaper gives up if fewer fit. By default all must fit."""
    colors: Names = param(COLORS, min_length=1, max_length=1000)
    """Names of the colors, in order; when they run out, they are numbered: red 2 and so on."""
    keys: int = param(1, ge=1, le=100, typical=(1, 3))
    """Number of keys of each color; one is enough to open its lock."""
    exit_behind: bool = param(True)
    """Whether the exit is behind the last lock."""
    min_cells: int = param(8, ge=1, le=MAX_AREA, typical=(1, 100))
    """Minimum number of free cells between the start and the first locks, and behind each lock."""
    max_doors: int = param(4, ge=1, le=64, typical=(1, 8))
    """Maximum number of doors of one lock; its key opens them all."""
    max_width: int = param(4, ge=1, le=16, typical=(1, 4))
    """Maximum width of a passage to close, in cells; wide doors are used only where narrow ones are not enough."""
    tile: Label | None = param(None, tiles=True)
    """Passable tile of all locked doors; by default that of their color, such as red door, or else door."""

    def find_problems(self) -> Iterator[Problem]:
        twice = [name for number, name in enumerate(self.names) if name in self.names[:number]]
        if not all(color.strip() == color != "" for color in self.colors):
            yield problem("each color needs a name without spaces around it", at="colors", rule="missing")
        elif twice or len(set(self.colors)) < len(self.colors):
            again = f", {twice[0]!r} is there twice" if twice else ""
            yield problem(f"must contain each color once{again}", at="colors", rule="duplicate")
        elif self.min_count is not None and self.min_count > self.count:
            text = f"must be at most count, {self.count}, got {self.min_count}"
            yield problem(text, at="min_count", rule="maximum", instead=self.count)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Color of each lock."""
        many = len(self.colors)
        return tuple(
            self.colors[number % many] + (f" {number // many + 1}" if number >= many else "")
            for number in range(self.count)
        )


@shaper(LockAndKeyParams, revision=2, dimensions=(2,), example="rooms --shape lock_and_key,count=3")
def lock_and_key(map: TileMap, p: LockAndKeyParams, site: Site, rng: Rng) -> Steps:
    if p.tile is not None and not map.tileset.passable[site.tile(p.tile)]:
        name = map.tileset[site.tile(p.tile)].name
        raise InvalidRecipe(f"must be passable, {name!r} is not", at="tile")
    locked = site.locked
    map = _without_locks(map, locked)
    start, exit = _find_ends(map)
    random_values = rng.cells(*site.window)
    map, parts = _split_map(map, p, start, exit, locked, random_values, rng)
    if len(parts.doors) < (p.count if p.min_count is None else p.min_count):
        raise GaveUp(_explain_too_few(p, len(parts.doors)))
    cells = map.cells.copy()
    survey = Survey(map)
    free = WalkableMap.of(map, start, locked).free
    for number, (doors, color) in enumerate(zip(parts.doors, p.names, strict=False)):
        markers = [Marker(f"{LOCK} {color}", column, row) for row, column in doors]
        tile = _find_tile(map.tileset, color, "door") if p.tile is None else site.tile(p.tile)
        for door in doors:
            _put(cells, door, tile, locked)
        for place in _choose_key_cells(survey, free & (parts.numbers == number), doors, p.keys, random_values):
            markers.append(Marker(f"{KEY} {color}", place[1], place[0]))
            _put(cells, place, _find_tile(map.tileset, color, "key"), locked)
        map = map.replace(markers=[*map.markers, *markers])
        yield Frame(cells, color, (number + 1) / len(parts.doors))
    missing = p.count - len(parts.doors)
    return map.replace(cells=cells, numbers=count_unplaced(map.numbers, [LOCK], {LOCK: missing} if missing else {}))


# -- existing markers and tiles -----------------------------------------------------------------------------------


def _without_locks(map: TileMap, locked: Mask) -> TileMap:
    """Remove earlier keys and locks: colored doors become plain doors, and keys become the most common floor.

    Doors in wide passages become floor as well, because only this shaper places doors there.
    """
    cells, tiles, narrow = map.cells.copy(), map.tileset, passages(map.passable)
    floor = Survey(map).most_common_tile(passable=True)
    kept = []
    for marker in map.markers:
        kind, _, color = marker.name.partition(" ")
        if kind not in (KEY, LOCK):
            kept.append(marker)
            continue
        noun = "door" if kind == LOCK else "key"
        if cells[marker.y, marker.x] == tiles.by_name.get(f"{color} {noun}", -1):
            is_door = kind == LOCK and narrow[marker.y, marker.x]
            _put(cells, (marker.y, marker.x), tiles.by_name.get("door", floor) if is_door else floor, locked)
    return map.replace(cells=cells, markers=kept)


def _find_ends(map: TileMap) -> tuple[Cell, Cell | None]:
    """Return the cell of the marker start, or a new cell for it, and the cell of the marker exit, or None."""
    survey = Survey(map)
    if not survey.regions.count:
        raise GaveUp("lock_and_key: the map has no passable cell")
    marked = {name: [(row, column) for row, column in survey.find_markers(name).tolist()] for name in ("start", "exit")}
    numbers = [int(survey.regions.labels[cell]) for cell in marked["start"]]
    apart = [cell for cell, number in zip(marked["start"], numbers, strict=True) if number != numbers[0]]
    if apart:
        raise GaveUp("lock_and_key: no path leads from one start to another; connect the map first", cells=apart)
    if marked["start"] and not marked["exit"]:
        return marked["start"][0], None
    if marked["exit"] and not marked["start"]:
        steps = steps_from(survey.passable, np.array(marked["exit"]))
        return farthest_cell(steps), marked["exit"][0]
    if survey.route is None:
        raise GaveUp("lock_and_key: no path leads from start to exit; connect the map first")
    return survey.route.start, survey.route.exit if marked["exit"] else None


def _with_markers(map: TileMap, start: Cell, exit: Cell | None = None) -> TileMap:
    """Add the markers start and exit at these cells, unless the map has such markers on passable cells."""
    markers = list(map.markers)
    for name, cell in (("start", start), ("exit", exit)):
        if cell is not None and not any(marker.name == name and map.passable[marker.y, marker.x] for marker in markers):
            markers = [marker for marker in markers if marker.name != name] + [Marker(name, cell[1], cell[0])]
    return map.replace(markers=markers)


def _find_tile(tiles: Tileset, color: str, noun: str) -> int | None:
    """Return the tile of a colored door or key; for a door, fall back to a plain door."""
    named = [tiles.by_name.get(name) for name in (f"{color} {noun}", *(["door"] if noun == "door" else []))]
    return next((tile for tile in named if tile is not None and tiles.passable[tile]), None)


def _put(cells: NDArray[np.integer], cell: Cell, tile: int | None, locked: Mask) -> None:
    if tile is not None and not locked[cell]:
        cells[cell] = tile


# -- new locks and keys -------------------------------------------------------------------------------------------


def _split_map(
    map: TileMap, p: LockAndKeyParams, start: Cell, exit: Cell | None, locked: Mask, random_values: Values, rng: Rng
) -> tuple[TileMap, LockedAreas]:
    """Add start and exit, and divide the map with single doors or, if too few fit, with locks of several doors."""
    min_cells = max(p.min_cells, p.keys)
    gates = Gates.of(WalkableMap.of(map, start, locked), start, random_values)
    marked = _with_markers(map, start, exit or gates.find_far_end(min_cells, behind=p.exit_behind))
    ground = WalkableMap.of(marked, start, locked)
    gates = Gates.of(ground, start, random_values)
    chosen = gates.choose(p.count, min_cells, gates.find_markers("exit") if p.exit_behind else None)
    single = gates.build_areas(_order_gates(gates, chosen, rng, last=chosen[0] if chosen and p.exit_behind else None))
    if len(chosen) == p.count or p.max_doors == p.max_width == 1:
        return marked, single
    starts = ground.find_markers("start")
    exits: list[Cell] | None = ground.find_markers("exit") if p.exit_behind else []
    if exit is None and p.exit_behind:
        ground, exits = WalkableMap.of(_with_markers(map, start), start, locked), None
    several = AreaGraph.of(ground, p.max_width, random_values).split(
        p.count, min_cells, starts, exits, p.max_doors, rng
    )
    if len(several.doors) <= len(chosen):
        return marked, single
    if exits is None:
        behind = ground.free & (several.numbers == len(several.doors))
        marked = _with_markers(map, start, farthest_cell(ground.from_start, behind))
    return marked, several


def _order_gates(gates: Gates, chosen: list[int], rng: Rng, *, last: int | None) -> list[int]:
    """Return the gates in a random order in which outer gates precede inner ones; `last` is at the end."""
    left = sorted((gate for gate in chosen if gate != last), key=lambda gate: int(gates.first[gate]))
    order: list[int] = []
    while left:
        ready = [gate for gate in left if not gates.find_gates_before(int(gates.first[gate]))[left].any()]
        order.append(ready[rng.below(len(ready))])
        left.remove(order[-1])
    return order if last is None else [*order, last]


def _choose_key_cells(survey: Survey, pool: Mask, doors: list[Cell], count: int, random_values: Values) -> list[Cell]:
    """Choose cells for keys: in the half of the area far from the doors, preferably dead ends off the main path."""
    steps = steps_from(survey.passable, np.array(doors))
    ends, hot = survey.neighbor_counts == 1, survey.hot_path
    off = hot.optional if hot is not None else np.zeros_like(pool)
    far = pool & (steps * 2 >= np.max(steps, where=pool, initial=0.0))
    places: list[Cell] = []
    for wanted in (far & ends & off, far & ends, far & off, far, pool):
        order = np.argsort(random_values[wanted], kind="stable")[:count]
        places += [(row, column) for row, column in np.argwhere(wanted)[order].tolist() if (row, column) not in places]
    return places[:count]


def _explain_too_few(p: LockAndKeyParams, fitted: int) -> str:
    wanted = f"lock_and_key: {pluralize(p.count, 'lock')} wanted"
    if p.exit_behind and not fitted:
        return (
            f"{wanted}, but {pluralize(p.max_doors, 'door')} up to {pluralize(p.max_width, 'cell')} wide cannot "
            "separate the exit from the start; raise max_width or max_doors, lower min_cells, or set exit_behind: false"
        )
    return (
        f"{wanted}, {fitted} fit: each has at most {pluralize(p.max_doors, 'door')} up to "
        f"{pluralize(p.max_width, 'cell')} wide and {pluralize(p.min_cells, 'free cell')} or more behind; use "
        "fewer locks, raise max_width or max_doors, lower min_cells, or set min_count"
    )
