"""Rules over rooms: divide a map, fill its rooms by chance, let layers of rules shape them, and connect what is apart.

A rule book has five sections. `names` are the tiles, with the most that may be placed. `neighbourhoods` are drawn as
0/1 matrices. `mapData` is what fills the map and what it is dug with. `roomData` divides the map into rooms and fills
them. `generationRules` are layers: cellular automata over the map or its rooms, each with a fix for unconnected parts.
With none of them given, the rule book is a cave; with some, the others are as in ProcEngine: solid and empty, the
neighbourhoods plus and all, 15x7 cells, one empty room, no rules.

Source: the documentation of ProcEngine 1.1.1 by Ahmed Khalifa, whose data objects are valid params as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from ..core.errors import GaveUp, InvalidRecipe
from ..core.registry import technique, tilesets
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import Room
from ..core.tileset import Tileset
from ..kernels.rooms import divide_equally, divide_tree
from ._rules.board import Areas, Board
from ._rules.connectivity import Fixer
from ._rules.language import ConnectivityFix, Equal, Rooms, WholeMap
from ._rules.rulebook import FORMER_SECTIONS, SECTIONS, RulesParams

TRIES = 20
"""How often rooms are divided and filled anew where locks leave no way."""


@lru_cache(maxsize=256)
def make_tileset(names: tuple[str, ...], initial: str) -> Tileset:
    """A tileset of the names: known words look as in the tileset `palette`, others get looks of their own."""
    palette = tilesets.get("palette")
    known = {name: palette[palette.by_name[name]] for name in names if name in palette.by_name}
    taken = {tile.glyph for tile in known.values()}
    tiles: list[Any] = []
    for name in names:
        glyph = name if len(name) == 1 and name not in taken else ""
        tiles.append(known.get(name) or {"name": name, "glyph": glyph, "passable": name != initial})
    return Tileset.validate({"name": "rules", "tiles": tiles})


def validate_locks(p: RulesParams, site: Site) -> None:
    """Locks alone must not hold more of a tile than there may be."""
    if not p.compiled.maxima.size:
        return
    allowed: dict[int, float] = {}
    for tile, maximum in zip(site.ids.tolist(), p.compiled.maxima.tolist(), strict=True):
        allowed[tile] = allowed.get(tile, 0) + (maximum if maximum >= 0 else inf)
    for tile, held in zip(site.ids.tolist(), site.locked_counts().tolist(), strict=True):
        if held > allowed[tile]:
            name, most = site.tileset[tile].name, int(allowed[tile])
            text = f"hold {held} of {name!r}, of which {most} may be placed; raise it in names"
            raise InvalidRecipe(text, at="locks")


@technique(
    RulesParams,
    tileset=lambda p: make_tileset(p.labels, p.mapData.initial),
    tiles=lambda p: p.labels,
    extends_tileset=True,
    recipe_keys=(*SECTIONS, *FORMER_SECTIONS),
    bytes_per_cell=30,
    validate=validate_locks,
)
def rules(p: RulesParams, site: Site, rng: Rng) -> Steps:
    return _generate_with_retries(p, site, rng) if site.has_locks else _generate(p, site, rng)


def _generate_with_retries(p: RulesParams, site: Site, rng: Rng) -> Steps:
    """Walls between rooms and locked cells can leave no way: then divide and fill anew."""
    for number in range(TRIES):
        try:
            return (yield from _generate(p, site, rng if number == 0 else rng.child("try", number)))
        except GaveUp as error:
            given_up = error
    raise GaveUp(*given_up.problems, cells=given_up.cells, tries=TRIES)


def _generate(p: RulesParams, site: Site, rng: Rng) -> Steps:
    compiled = p.compiled
    rooms = _divide_rooms(p, rng)
    board = Board(site, rng, initial=compiled.initial, maxima=compiled.maxima, margin=compiled.margin)
    fixer = Fixer(board, rooms, initial=compiled.initial, dig=compiled.dig)
    done = 0

    def make_frame(note: str, share: float = 0.0) -> Frame:
        return Frame(board.cells, note, min(1.0, (done + share) / p.steps))

    def repair_areas(areas: Areas, fix: ConnectivityFix, note: str, *, links: bool) -> Iterator[Frame]:
        for number, area in enumerate(areas):
            for share in fixer.repair(
                area, fix, p.neighbourhoods_by_name[fix.neighbourhood].offsets, record_links=links
            ):
                yield make_frame(note, (number + share) / len(areas))
            if fix.kind != "none":
                yield make_frame(f"{note} {number}" if len(areas) > 1 else note, (number + 1) / len(areas))

    yield make_frame("map")
    key = rng.level_key()
    for number, room in enumerate(rooms):
        board.fill(room, key, compiled.start)
        done += 1
        yield make_frame(f"room {number}")
    board.place_limited()
    if board.limited:
        yield make_frame("start")
    if p.roomData.fix is not None:
        yield from repair_areas(rooms, p.roomData.fix, p.roomData.fix.kind, links=False)
    for number, (layer, program) in enumerate(zip(p.generationRules, compiled.programs, strict=True)):
        areas = _select_areas(layer.where, rooms, p.map_area)
        for simulation in range(layer.simulations):
            note = f"layer {number}, simulation {simulation + 1}"
            if program is not None:
                for share in board.simulate(areas, program):
                    yield make_frame(note, share)
            done += 1
            yield make_frame(note)
        links = layer.where.kind == "map"
        yield from repair_areas(areas, layer.fix, f"layer {number}, {layer.fix.kind}", links=links)
        done += 1
    if p.mapData.fix is not None:
        yield from repair_areas(p.map_area, p.mapData.fix, p.mapData.fix.kind, links=True)
    return site.map(board.cells, rooms=[Room(*room) for room in rooms.tolist()], links=fixer.list_links())


def _divide_rooms(p: RulesParams, rng: Rng) -> Areas:
    """(room, 4) x, y, width, height, in the order of their ids."""
    division = p.roomData.division
    rooms = np.empty((division.rooms, 4), dtype=np.int64)
    if isinstance(division, Equal):
        divide_equally(p.width, p.height, division.columns, division.rows, rng.state, rooms)
    else:
        divide_tree(p.width, p.height, division.width + 2, division.height + 2, rng.state, rooms)
    return rooms


def _select_areas(where: WholeMap | Rooms, rooms: Areas, map_area: Areas) -> Areas:
    if where.kind == "room":
        return rooms if where.ids is None else rooms[list(where.ids)]
    return map_area if where.rectangle is None else np.array([where.rectangle], dtype=np.int64)
