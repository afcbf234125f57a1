"""Rule-based generator (ProcEngine): random rooms, shaped by layers of cellular-automaton rules and connected.

A rulebook has five sections. `names` lists the tiles, each with the maximum number to place. `neighbourhoods` are drawn
as 0/1 matrices. `mapData` sets the tile that fills the map and the tile that tunnels are dug with. `roomData` divides
the map into rooms and fills them. `generationRules` are layers: cellular automata over the map or its rooms, each with
a fix for unconnected regions. Without any section, the rulebook is a cave. If some are given, the others have
ProcEngine's defaults: solid and empty, the neighborhoods plus and all, 15x7 cells, one empty room, no rules.

Source: the documentation of ProcEngine 1.1.1 by Ahmed Khalifa, whose data objects are valid parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from ..core.caching import cached_by_size
from ..core.entries import technique
from ..core.errors import GaveUp, InvalidRecipe
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import Room
from ..core.tileset import Tileset
from ..core.tilesets import tilesets
from ..kernels.rooms import divide_equally, divide_tree
from ._rules.board import Areas, Board
from ._rules.connectivity import Fixer
from ._rules.language import ConnectivityFix, Equal, Rooms, WholeMap
from ._rules.rulebook import FORMER_SECTIONS, SECTIONS, RulesParams

TRIES = 20
"""Maximum number of attempts to divide and fill rooms if locks prevent a connection."""


@cached_by_size
def make_tileset(names: tuple[str, ...], initial: str) -> Tileset:
    """Return a tileset of the names: known names look as in the tileset `palette`, others get generated looks."""
    palette = tilesets.get("palette")
    known = {name: palette[palette.by_name[name]] for name in names if name in palette.by_name}
    taken = {tile.glyph for tile in known.values()}
    tiles: list[Any] = []
    for name in names:
        glyph = name if len(name) == 1 and name not in taken else ""
        tiles.append(known.get(name) or {"name": name, "glyph": glyph, "passable": name != initial})
    return Tileset.validate({"name": "rules", "tiles": tiles})


def validate_locks(p: RulesParams, site: Site) -> None:
    """Raise InvalidRecipe if the locks alone contain more of a tile than its maximum."""
    if not p.compiled.maxima.size:
        return
    allowed: dict[int, float] = {}
    for tile, maximum in zip(site.ids.tolist(), p.compiled.maxima.tolist(), strict=True):
        allowed[tile] = allowed.get(tile, 0) + (maximum if maximum >= 0 else inf)
    for tile, locked in zip(site.ids.tolist(), site.locked_counts().tolist(), strict=True):
        if locked > allowed[tile]:
            name, maximum = site.tileset[tile].name, int(allowed[tile])
            text = f"must contain at most {maximum} of {name!r}, got {locked}; raise the maximum in names"
            raise InvalidRecipe(text, at="locks")


@technique(
    RulesParams,
    tileset=lambda p: make_tileset(p.labels, p.mapData.initial),
    tiles=lambda p: p.labels,
    extends_tileset=True,
    recipe_keys=(*SECTIONS, *FORMER_SECTIONS),
    bytes_per_cell=30,
    validate=validate_locks,
    search_words=("city", "town", "village", "garden", "automaton"),
    vary={},
)
def rules(p: RulesParams, site: Site, rng: Rng) -> Steps:
    return _generate_with_retries(p, site, rng) if site.has_locks else _generate(p, site, rng)


def _generate_with_retries(p: RulesParams, site: Site, rng: Rng) -> Steps:
    """Generate again with other rooms if room walls and locked cells prevent a connection."""
    for number in range(TRIES):
        try:
            return (yield from _generate(p, site, rng if number == 0 else rng.child("try", number)))
        except GaveUp as error:
            given_up = error
    raise GaveUp(*given_up.problems, cells=given_up.cells, tries=TRIES)


def _generate(p: RulesParams, site: Site, rng: Rng) -> Steps:
    """Divide and fill rooms, apply all layers, and yield a frame after each step."""
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
    """Return the rooms as (room, 4) x, y, width, height, in the order of their ids."""
    division = p.roomData.division
    rooms = np.empty((division.rooms, 4), dtype=np.int64)
    if isinstance(division, Equal):
        divide_equally(p.width, p.height, division.columns, division.rows, rng.state, rooms)
    else:
        divide_tree(p.width, p.height, division.width + 2, division.height + 2, rng.state, rooms)
    return rooms


def _select_areas(where: WholeMap | Rooms, rooms: Areas, map_area: Areas) -> Areas:
    """Return the areas that a layer changes, as (area, 4)."""
    if where.kind == "room":
        return rooms if where.ids is None else rooms[list(where.ids)]
    return map_area if where.rectangle is None else np.array([where.rectangle], dtype=np.int64)
