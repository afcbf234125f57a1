"""Lock and key: close parts of a map with locked doors, and hide the keys so that all of it can be reached.

Locks part the map: a lock is all the doors between what lies behind it and the rest, so that nobody comes in without
its key. Where it can be, that is a single door in a passage one cell wide that nothing leads around; on maps with loops
it is several doors of one colour, the fewest that part two places, also side by side across wider passages. Each lies
on a door or in a doorway, if there is one. Parts are numbered so that each has doors to earlier ones, and a door
between two parts belongs to the lock of the later one. The key of a lock lies in the part before it by number, the
first in the part of the start. So whoever has the keys 1 to n can walk into the parts 1 to n, where key n + 1 lies: by
induction every key, every part and the exit can be reached. A key opens its doors as often as need be, and no way is
ever shut again: what one can reach only grows, and the order of play does not matter. The measure `solvable` plays the
map to prove it.

Locks and keys are markers, `lock red` and `key red`; earlier ones are taken away first. Where the tileset has passable
tiles `red door` and `red key` they are put there as well, or else a `door`. Locked doors count as cells that one can
walk on. Keys lie on plain floor far from their doors, in dead ends and off the way to the exit, if they can. Markers
start and exit that are missing are added, far apart. Locked cells keep their tiles; a key may lie there. If too few
locks fit, it gives up: wide caves and open halls have no place for them.

Source: the fewest doors are a minimum cut: Ford, Fulkerson, "Maximal flow through a network", 1956.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ..analysis.doorways import passages
from ..analysis.keys import KEY, LOCK
from ..analysis.paths import steps_from
from ..analysis.survey import Survey
from ..core.errors import GaveUp, InvalidRecipe, pluralize
from ..core.grid import Label
from ..core.params import MAX_AREA, Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import Marker, TileMap
from ..core.tileset import Tileset
from ._key_areas import AreaGraph
from ._key_cuts import Cell, Gates, LockedAreas, Mask, WalkableMap, find_farthest

COLORS = ("red", "blue", "yellow", "green", "purple", "orange", "cyan", "white")


class LockAndKeyParams(Params):
    renamed: ClassVar = {
        "least": "min_cells",
        "most_doors": "max_doors",
        "widest": "max_width",
        "at_least": "min_count",
    }
    count: int = param(3, ge=1, le=1000, typical=(1, 8))
    """How many locks there are, each of another colour."""
    min_count: int | None = param(None, ge=0, le=1000, typical=(0, 8))
    """Give up only if fewer than this fit; by default all must."""
    colors: tuple[str, ...] = param(COLORS, min_length=1, max_length=1000)
    """Names of the colours, in order; if there are too few, they come again as red 2 and so on."""
    keys: int = param(1, ge=1, le=100, typical=(1, 3))
    """How many keys of each colour lie about; one is enough."""
    exit_behind: bool = param(True)
    """Whether the exit lies behind the last lock."""
    min_cells: int = param(8, ge=1, le=MAX_AREA, typical=(1, 100))
    """Least number of free cells between the start and the first locks, and behind each lock."""
    max_doors: int = param(4, ge=1, le=64, typical=(1, 8))
    """Most doors of one lock; its key opens them all."""
    max_width: int = param(4, ge=1, le=16, typical=(1, 4))
    """Widest passage that a door may close, as several cells side by side, where narrow ones do not do."""
    tile: Label | None = param(None, tiles=True)
    """Passable tile of all locked doors; by default that of their colour, such as red door, or else door."""

    @model_validator(mode="after")
    def _check_colors(self) -> LockAndKeyParams:
        if not all(color.strip() == color != "" for color in self.colors):
            raise InvalidRecipe("each needs a name, without spaces around it", at="colors", rule="missing")
        twice = [name for number, name in enumerate(self.names) if name in self.names[:number]]
        if twice or len(set(self.colors)) < len(self.colors):
            again = f", {twice[0]!r} comes twice" if twice else ""
            raise InvalidRecipe(f"each only once{again}", at="colors", rule="duplicate")
        if self.min_count is not None and self.min_count > self.count:
            text = f"at most count, {self.count}, got {self.min_count}"
            raise InvalidRecipe(text, at="min_count", rule="maximum", instead=self.count)
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """(lock,) their colours."""
        many = len(self.colors)
        return tuple(
            self.colors[number % many] + (f" {number // many + 1}" if number >= many else "")
            for number in range(self.count)
        )


@shaper(LockAndKeyParams, dimensions=(2,), example="rooms --shape lock_and_key,count=3")
def lock_and_key(map: TileMap, p: LockAndKeyParams, site: Site, rng: Rng) -> Steps:
    if p.tile is not None and not map.tileset.passable[site.tile(p.tile)]:
        name = map.tileset[site.tile(p.tile)].name
        raise InvalidRecipe(f"one that can be walked on, {name!r} cannot", at="tile")
    locked = site.locked
    map = _without_locks(map, locked)
    start, exit = _find_ends(map)
    chances = rng.cells(*site.window)
    map, parts = _split_map(map, p, start, exit, locked, chances, rng)
    if len(parts.doors) < (p.count if p.min_count is None else p.min_count):
        raise GaveUp(_explain_too_few(p, len(parts.doors)))
    cells = map.cells.copy()
    survey = Survey(map)
    free = WalkableMap.of(map, start, locked).free
    for number, (doors, color) in enumerate(zip(parts.doors, p.names, strict=False)):
        markers = [Marker(f"{LOCK} {color}", column, row) for row, column in doors]
        for door in doors:
            _put(
                cells, door, site.tile(p.tile) if p.tile is not None else _find_tile(map.tileset, color, "door"), locked
            )
        for place in _choose_key_cells(survey, free & (parts.numbers == number), doors, p.keys, chances):
            markers.append(Marker(f"{KEY} {color}", place[1], place[0]))
            _put(cells, place, _find_tile(map.tileset, color, "key"), locked)
        map = map.replace(markers=[*map.markers, *markers])
        yield Frame(cells, color, (number + 1) / len(parts.doors))
    return map.replace(cells=cells)


# -- what is there ------------------------------------------------------------------------------------------------


def _without_locks(map: TileMap, locked: Mask) -> TileMap:
    """The map without earlier keys and locks: coloured doors become plain ones, keys the most common floor.

    So do doors in wide passages, where nobody else puts one.
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
    """Where the start is, or shall be, and the exit, if it is marked."""
    survey = Survey(map)
    if not survey.regions.count:
        raise GaveUp("lock_and_key: the map has no cell that one can walk on")
    marked = {name: [(row, column) for row, column in survey.find_markers(name).tolist()] for name in ("start", "exit")}
    numbers = [int(survey.regions.labels[cell]) for cell in marked["start"]]
    apart = [cell for cell, number in zip(marked["start"], numbers, strict=True) if number != numbers[0]]
    if apart:
        raise GaveUp("lock_and_key: no way leads from one start to another; connect the map first", cells=apart)
    if marked["start"] and not marked["exit"]:
        return marked["start"][0], None
    if marked["exit"] and not marked["start"]:
        steps = steps_from(survey.passable, np.array(marked["exit"]))
        return find_farthest(steps, np.isfinite(steps)), marked["exit"][0]
    if survey.route is None:
        raise GaveUp("lock_and_key: no way leads from start to exit; connect the map first")
    start, exit = survey.route.start, survey.route.exit
    return (start[0], start[1]), (exit[0], exit[1]) if marked["exit"] else None


def _with_markers(map: TileMap, start: Cell, exit: Cell | None = None) -> TileMap:
    """The map with these two as its only start and exit that one can stand on."""
    markers = list(map.markers)
    for name, cell in (("start", start), ("exit", exit)):
        if cell is not None and not any(marker.name == name and map.passable[marker.y, marker.x] for marker in markers):
            markers = [marker for marker in markers if marker.name != name] + [Marker(name, cell[1], cell[0])]
    return map.replace(markers=markers)


def _find_tile(tiles: Tileset, color: str, noun: str) -> int | None:
    """The tile of a coloured door or key; for a door a plain one does, too."""
    named = [tiles.by_name.get(name) for name in (f"{color} {noun}", *(["door"] if noun == "door" else []))]
    return next((tile for tile in named if tile is not None and tiles.passable[tile]), None)


def _put(cells: NDArray[np.integer], cell: Cell, tile: int | None, locked: Mask) -> None:
    if tile is not None and not locked[cell]:
        cells[cell] = tile


# -- what is put there --------------------------------------------------------------------------------------------


def _split_map(
    map: TileMap,
    p: LockAndKeyParams,
    start: Cell,
    exit: Cell | None,
    locked: Mask,
    chances: NDArray[np.float64],
    rng: Rng,
) -> tuple[TileMap, LockedAreas]:
    """The map with its start and exit, and the parts that locks make of it: with a door each, or else with several."""
    least = max(p.min_cells, p.keys)
    gates = Gates.of(WalkableMap.of(map, start, locked), start, chances)
    marked = _with_markers(map, start, exit or gates.find_far_end(least, behind=p.exit_behind))
    ground = WalkableMap.of(marked, start, locked)
    gates = Gates.of(ground, start, chances)
    chosen = gates.choose(p.count, least, gates.find_markers("exit") if p.exit_behind else None)
    single = gates.build_areas(_order_gates(gates, chosen, rng, last=chosen[0] if chosen and p.exit_behind else None))
    if len(chosen) == p.count or p.max_doors == p.max_width == 1:
        return marked, single
    starts = ground.find_markers("start")
    exits: list[Cell] | None = ground.find_markers("exit") if p.exit_behind else []
    if exit is None and p.exit_behind:
        ground, exits = WalkableMap.of(_with_markers(map, start), start, locked), None
    several = AreaGraph.of(ground, p.max_width, chances).split(p.count, least, starts, exits, p.max_doors, rng)
    if len(several.doors) <= len(chosen):
        return marked, single
    if exits is None:
        behind = ground.free & (several.numbers == len(several.doors))
        marked = _with_markers(map, start, find_farthest(ground.from_start, behind))
    return marked, several


def _order_gates(gates: Gates, chosen: list[int], rng: Rng, *, last: int | None) -> list[int]:
    """The gates in an order by chance in which none comes before one that it lies behind; a given one is the last."""
    left = sorted((gate for gate in chosen if gate != last), key=lambda gate: int(gates.first[gate]))
    order: list[int] = []
    while left:
        ready = [gate for gate in left if not gates.find_gates_before(int(gates.first[gate]))[left].any()]
        order.append(ready[rng.below(len(ready))])
        left.remove(order[-1])
    return order if last is None else [*order, last]


def _choose_key_cells(
    survey: Survey, pool: Mask, doors: list[Cell], count: int, chances: NDArray[np.float64]
) -> list[Cell]:
    """Places for the keys of some doors: in the farther half of a part, there in dead ends and off the way, if any."""
    steps = steps_from(survey.passable, np.array(doors))
    ends, hot = survey.neighbor_counts == 1, survey.hot_path
    off = hot.optional if hot is not None else np.zeros_like(pool)
    far = pool & (steps * 2 >= np.max(steps, where=pool, initial=0.0))
    places: list[Cell] = []
    for wanted in (far & ends & off, far & ends, far & off, far, pool):
        order = np.argsort(chances[wanted], kind="stable")[:count]
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
        f"{pluralize(p.max_width, 'cell')} wide and {pluralize(p.min_cells, 'free cell')} or more behind; ask for "
        "fewer, raise max_width or max_doors, lower min_cells, or set min_count"
    )
