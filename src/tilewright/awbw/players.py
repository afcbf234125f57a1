"""Players: make a two-player war map with equal numbers of headquarters, bases and cities.

The first half of the map is copied onto the second, with reoriented pieces. Existing owned buildings are removed, and
neutral ones unless their sites are reused. Every new building also appears at its mirrored cell, for the opponent.
Headquarters are far apart, buildings owned from the start are near them, and neutral buildings are spread evenly. All
buildings can be reached on foot: causeways cross obstacles. Without a symmetry, the second player gets sites at
distances similar to those of the first. Locked cells stay and count; if they break the symmetry or leave too little
room, the shaper gives up. Rooms and markers are removed where the map is copied.

Roads and rivers that are two cells wide become one cell wide, where they stay connected. Roads of fewer than six cells
that end in open land are removed, and bridges over land become roads.

The tileset needs countries, tiles of the kinds plain and headquarters, and tiles of all requested buildings. Pieces are
chosen so that rivers, roads and coasts join, as by `autotile` with `keep: pieces`, but equally on both sides.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..autotile.grammar import grammar_of
from ..core.entries import shaper
from ..core.errors import GaveUp, InvalidRecipe
from ..core.owners import NEUTRAL
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ..shaping.mirror import MOVES, find_images
from .battlefield import BRIDGE, WATER, Battlefield, Cell, TileKinds, find_adjacent
from .measures import HEADQUARTERS
from .roads import Roads, join, mask_of
from .sites import Distances, Sites, assign_kinds
from .tidying import fit, replace_misfits, tidy_rivers, tidy_roads

MIN_SIDE = 8
"""Minimum width and height of a map for two players."""
ROUNDS = 3
"""Number of times that causeways are laid again after pieces were fitted."""
TRIES = 16
"""Maximum number of headquarters sites to try."""


class PlayersParams(Params):
    symmetry: Literal["half_turn", "horizontal", "vertical", "diagonal", "antidiagonal", "none"] = param("half_turn")
    """Symmetry between the two players: half turn, mirrored left to right, top to bottom or at a diagonal, or none."""
    countries: tuple[str, str] = param(("orange star", "blue moon"))
    """Countries that play, by name or initials; the first gets the first half, left or top."""
    bases: int = param(2, ge=0, le=50, typical=(1, 4))
    """Number of bases that each player owns from the start."""
    cities: int = param(2, ge=0, le=200, typical=(0, 8))
    """Number of cities that each player owns from the start."""
    neutral_cities: int = param(6, ge=0, le=1000, typical=(0, 20))
    """Number of neutral cities on each side."""
    neutral_bases: int = param(1, ge=0, le=200, typical=(0, 4))
    """Number of neutral bases on each side."""
    airports: int = param(1, ge=0, le=200, typical=(0, 3))
    """Number of neutral airports on each side."""
    ports: int = param(0, ge=0, le=200, typical=(0, 3))
    """Number of neutral ports on each side, at the shore."""
    com_towers: int = param(0, ge=0, le=200, typical=(0, 2))
    """Number of neutral com towers on each side."""
    labs: int = param(0, ge=0, le=200, typical=(0, 2))
    """Number of neutral labs on each side."""
    roads: bool = param(True)
    """Whether roads lead from the headquarters to the bases and to the opponent."""
    join_all: bool = param(False)
    """Whether land without buildings is also joined to the rest."""

    @property
    def owned(self) -> dict[str, int]:
        """Number of buildings of each kind that a player owns, besides the headquarters."""
        return {"base": self.bases, "city": self.cities}

    @property
    def neutral(self) -> dict[str, int]:
        """Number of neutral buildings of each kind on each side."""
        return {
            "port": self.ports,
            "base": self.neutral_bases,
            "airport": self.airports,
            "lab": self.labs,
            "com tower": self.com_towers,
            "city": self.neutral_cities,
        }


@shaper(
    PlayersParams,
    revision=2,
    dimensions=(2,),
    example="caves --tileset awbw --tiles floor=plain,wall=sea --shape players",
)
def players(map: TileMap, p: PlayersParams, site: Site, rng: Rng) -> Steps:
    if min(map.shape) < MIN_SIDE:
        text = f"two players need at least {MIN_SIDE}x{MIN_SIDE} cells, got {map.width}x{map.height}; use a larger map"
        raise InvalidRecipe(text)
    move = "" if p.symmetry == "none" else MOVES[p.symmetry][0]
    kinds = TileKinds(map.tileset, p.countries, move)
    image = None if p.symmetry == "none" else find_images(map.shape, p.symmetry, "symmetry")[1]
    field = Battlefield(map.cells, kinds, image, site.locked)
    yield Frame(lambda: field.cells, "copy the first half", progress=0)
    old = field.clear_buildings()
    _check_locked_buildings(field, p)
    fit(field)
    tidy_rivers(field)
    yield Frame(lambda: field.cells, "remove buildings", progress=0.1)
    homes = yield from _place_buildings(field, p, Sites(field, site, rng, old))
    yield from _join_land(field, p)
    if p.roads:
        _lay_roads(field, homes)
        yield Frame(lambda: field.cells, "roads", progress=0.8)
    tidy_roads(field)
    yield from _join_land(field, p)
    flat = field.source.reshape(-1)
    layers = {name: layer.reshape(-1)[flat].reshape(map.shape) for name, layer in map.layers.items()}
    if image is None:
        return map.replace(cells=field.cells)
    return map.replace(cells=field.cells, layers=layers, rooms=(), links=(), markers=())


def _join_land(field: Battlefield, p: PlayersParams) -> Generator[Frame, None, None]:
    """Lay causeways and fit the pieces, repeatedly because fitting may remove a path; then replace misfits by land."""
    for _ in range(ROUNDS):
        for left in join(field, everything=p.join_all):
            yield Frame(lambda: field.cells, "causeways", progress=0.6, numbers={"parts": left})
        bridges = field.find_kinds(BRIDGE) & ~grammar_of(field.kinds.tileset).find_misfits(field.cells)
        fit(field, keep=bridges | field.buildings)
    for left in join(field, everything=p.join_all):
        yield Frame(lambda: field.cells, "causeways", progress=0.9, numbers={"parts": left})
    replace_misfits(field, field.frozen)


def _check_locked_buildings(field: Battlefield, p: PlayersParams) -> None:
    """Raise GaveUp if more buildings are locked than requested, or if a locked building belongs to a third country."""
    kinds = field.kinds
    foreign = field.buildings & ~np.isin(kinds.countries, (NEUTRAL, *kinds.players))[field.cells]
    if foreign.any():
        text = "players: locked buildings belong to a country that does not play"
        raise GaveUp(text, cells=np.argwhere(foreign & field.locked))
    wanted = {(HEADQUARTERS, side): 1 for side in kinds.players}
    wanted |= {(kind, side): count for side in kinds.players for kind, count in p.owned.items()}
    wanted |= {(kind, NEUTRAL): 2 * count for kind, count in p.neutral.items()}
    for kind, country in dict.fromkeys(zip(kinds.kinds.tolist(), kinds.countries.tolist(), strict=True)):
        there = field.find_buildings(kind, country) if country else np.zeros(0, dtype=np.bool_)
        max_count = wanted.get((kind, country), 0)
        if np.count_nonzero(there) > max_count:
            reason = f"players: {there.sum()} locked of the kind {kind!r} for {country}, at most {max_count} wanted"
            raise GaveUp(reason, cells=np.argwhere(there & field.locked))


def _place_buildings(field: Battlefield, p: PlayersParams, sites: Sites) -> Generator[Frame, None, tuple[Cell, Cell]]:
    """Place all buildings, with the headquarters at the best sites at which all other buildings fit.

    Return the cells of the headquarters.
    """
    locked = [np.argwhere(field.find_buildings(HEADQUARTERS, side)).tolist() for side in field.kinds.players]
    one, other = ((cells[0][0], cells[0][1]) if cells else None for cells in locked)
    options = (
        [(one, other)] if one and other else sites.propose_headquarters(1 + sum(p.owned.values()), TRIES, (one, other))
    )
    bare, failure = field.cells.copy(), None
    best: tuple[float, tuple[Cell, Cell], NDArray[np.int64]] | None = None
    for number, pair in enumerate(options):
        field.cells[...] = bare
        trial = sites.clone()
        try:
            _build(field, p, trial, pair)
        except GaveUp as error:
            failure = failure or error
            continue
        yield Frame(lambda: field.cells, "buildings", progress=0.5, numbers={"tries": number + 1})
        if field.image is not None:
            return pair
        fairness = trial.fairness(*pair)
        if best is None or fairness > best[0]:
            best = fairness, pair, field.cells.copy()
    if best is None:
        if not field.kinds.is_land[bare].any():
            raise GaveUp("players: the map has no land to build on; use one that has")
        raise failure or GaveUp("players: no room for two headquarters apart from each other; use fewer buildings")
    field.cells[...] = best[2]
    return best[1]


def _build(field: Battlefield, p: PlayersParams, sites: Sites, homes: tuple[Cell, Cell]) -> None:
    one, other = field.kinds.players
    mirrored = field.image is not None
    for home, country in zip(homes, (one, other), strict=True):
        if not field.find_buildings(HEADQUARTERS, country).any():
            sites.put(home, HEADQUARTERS, country)
    own, far = sites.distances_from(homes[0]), sites.distances_from(homes[1])
    for kind, count in p.owned.items():
        sites.place_near(kind, one, count - _count(field, kind, one), own, far)
        if not mirrored:
            missing = count - _count(field, kind, other)
            there = field.find_buildings(kind, one)
            models = sorted(zip(own[there].tolist(), far[there].tolist(), strict=True))
            sites.place_like(kind, other, models[len(models) - missing :], far, own)
    _build_neutral(field, p, sites, own, far)


def _build_neutral(field: Battlefield, p: PlayersParams, sites: Sites, own: Distances, far: Distances) -> None:
    mirrored = field.image is not None
    # Locked buildings are counted; a locked building on the axis counts for both sides.
    missing = {kind: (2 * count - _count(field, kind, NEUTRAL)) // 2 for kind, count in p.neutral.items()}
    shore = find_adjacent(field.find_kinds(*WATER))
    ports = sites.choose_ports(missing.pop("port"), own, far)
    for cell in ports:
        sites.put(cell, "port", NEUTRAL)
    chosen = assign_kinds(sites.spread(sum(missing.values()), own, far), missing, shore)
    for cell, kind in chosen:
        sites.put(cell, kind, NEUTRAL)
    if not mirrored:
        at_sea = np.where(find_adjacent(field.find_kinds("sea")), far, np.inf)
        sites.place_like("port", NEUTRAL, [(own[cell], far[cell]) for cell in ports], at_sea, own)
        for cell, kind in chosen:
            sites.place_like(kind, NEUTRAL, [(own[cell], far[cell])], far, own)


def _count(field: Battlefield, kind: str, country: str) -> int:
    return int(field.find_buildings(kind, country).sum())


def _lay_roads(field: Battlefield, homes: tuple[Cell, Cell]) -> None:
    """Lay roads from each headquarters to its bases and to the opponent."""
    roads = Roads(field)
    mirrored = field.image is not None
    path = roads.find_path(*homes)
    path = roads.cut_halfway(path) if mirrored else path
    roads.add_path(path)
    for home, country in list(zip(homes, field.kinds.players, strict=True))[: 1 if mirrored else 2]:
        reached = mask_of([home, *path], field.shape)
        for base in np.argwhere(field.find_buildings("base", country)).tolist():
            built = roads.build(reached, mask_of([(base[0], base[1])], field.shape))
            reached |= mask_of(built, field.shape)
    roads.lay()
