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
from ._rules.language import Equal, Fix, Rooms, WholeMap
from ._rules.rulebook import FORMER_SECTIONS, SECTIONS, RulesParams

TRIES = 20
"""How often rooms are divided and filled anew where locks leave no way."""


@lru_cache(maxsize=256)
def looks_of(names: tuple[str, ...], initial: str) -> Tileset:
    """A tileset of the names: known words look as in the tileset `palette`, others get looks of their own."""
    palette = tilesets.get("palette")
    known = {name: palette[palette.by_name[name]] for name in names if name in palette.by_name}
    taken = {tile.glyph for tile in known.values()}
    tiles: list[Any] = []
    for name in names:
        glyph = name if len(name) == 1 and name not in taken else ""
        tiles.append(known.get(name) or {"name": name, "glyph": glyph, "passable": name != initial})
    return Tileset.checked({"name": "rules", "tiles": tiles})


def refuse_locks(p: RulesParams, site: Site) -> None:
    """Locks alone must not hold more of a tile than there may be."""
    if not p.workings.maxima.size:
        return
    allowed: dict[int, float] = {}
    for tile, maximum in zip(site.ids.tolist(), p.workings.maxima.tolist(), strict=True):
        allowed[tile] = allowed.get(tile, 0) + (maximum if maximum >= 0 else inf)
    for tile, held in zip(site.ids.tolist(), site.held().tolist(), strict=True):
        if held > allowed[tile]:
            name, most = site.tileset[tile].name, int(allowed[tile])
            text = f"hold {held} of {name!r}, of which {most} may be placed; raise it in names"
            raise InvalidRecipe(text, at="locks")


@technique(
    RulesParams,
    tileset=lambda p: looks_of(p.words, p.mapData.initial),
    tiles=lambda p: p.words,
    extends=True,
    sections=(*SECTIONS, *FORMER_SECTIONS),
    bytes_per_cell=30,
    refuse=refuse_locks,
)
def rules(p: RulesParams, site: Site, rng: Rng) -> Steps:
    return _tried(p, site, rng) if site.has_locks else _made(p, site, rng)


def _tried(p: RulesParams, site: Site, rng: Rng) -> Steps:
    """Walls between rooms and locked cells can leave no way: then divide and fill anew."""
    for number in range(TRIES):
        try:
            return (yield from _made(p, site, rng if number == 0 else rng.child("try", number)))
        except GaveUp as error:
            given_up = error
    raise GaveUp(*given_up.problems, cells=given_up.cells, tries=TRIES)


def _made(p: RulesParams, site: Site, rng: Rng) -> Steps:
    book = p.workings
    rooms = _divided(p, rng)
    board = Board(site, rng, initial=book.initial, maxima=book.maxima, margin=book.margin)
    fixer = Fixer(board, rooms, initial=book.initial, dig=book.dig)
    done = 0

    def shown(note: str, share: float = 0.0) -> Frame:
        return Frame(board.cells, note, min(1.0, (done + share) / p.steps))

    def mended(areas: Areas, fix: Fix, note: str, *, links: bool) -> Iterator[Frame]:
        for number, area in enumerate(areas):
            for share in fixer.mend(area, fix, p.known[fix.neighbourhood].offsets, links=links):
                yield shown(note, (number + share) / len(areas))
            if fix.kind != "none":
                yield shown(f"{note} {number}" if len(areas) > 1 else note, (number + 1) / len(areas))

    yield shown("map")
    key = rng.level_key()
    for number, room in enumerate(rooms):
        board.fill(room, key, book.start)
        done += 1
        yield shown(f"room {number}")
    board.settle()
    if board.limited:
        yield shown("start")
    if p.roomData.fix is not None:
        yield from mended(rooms, p.roomData.fix, p.roomData.fix.kind, links=False)
    for number, (layer, program) in enumerate(zip(p.generationRules, book.programs, strict=True)):
        areas = _areas(layer.where, rooms, p.whole)
        for simulation in range(layer.simulations):
            note = f"layer {number}, simulation {simulation + 1}"
            if program is not None:
                for share in board.simulate(areas, program):
                    yield shown(note, share)
            done += 1
            yield shown(note)
        links = layer.where.kind == "map"
        yield from mended(areas, layer.fix, f"layer {number}, {layer.fix.kind}", links=links)
        done += 1
    if p.mapData.fix is not None:
        yield from mended(p.whole, p.mapData.fix, p.mapData.fix.kind, links=True)
    return site.map(board.cells, rooms=[Room(*room) for room in rooms.tolist()], links=fixer.links())


def _divided(p: RulesParams, rng: Rng) -> Areas:
    """(room, 4) x, y, width, height, in the order of their ids."""
    division = p.roomData.division
    rooms = np.empty((division.rooms, 4), dtype=np.int64)
    if isinstance(division, Equal):
        divide_equally(p.width, p.height, division.columns, division.rows, rng.state, rooms)
    else:
        divide_tree(p.width, p.height, division.width + 2, division.height + 2, rng.state, rooms)
    return rooms


def _areas(where: WholeMap | Rooms, rooms: Areas, whole: Areas) -> Areas:
    if where.kind == "room":
        return rooms if where.ids is None else rooms[list(where.ids)]
    return whole if where.rectangle is None else np.array([where.rectangle], dtype=np.int64)
