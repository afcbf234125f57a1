"""Measures have the values that their summaries describe, and a survey computes each property once."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_tables
from tests.refusals import refused
from tests.tilesets import make_tileset
from tilewright.analysis.paths import distances
from tilewright.analysis.survey import Survey, measure_map
from tilewright.core.entries import measure
from tilewright.core.registry import measures
from tilewright.core.tilemap import Marker, Room, TileMap
from tilewright.core.tileset import Tileset
from tilewright.core.tilesets import tilesets
from tilewright.kernels import surveys

TILES = make_tileset("a; b; # solid; door; red door; trapdoor")


BY_HAND = read_tables(__file__)


def parse_map(*rows: str, **more: Any) -> TileMap:
    return TileMap([["ab#dr_".index(glyph) for glyph in row] for row in rows], TILES, **more)


def measure_one(map: TileMap, name: str) -> float:
    return tw.measure(map, name)[name]


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, cases in BY_HAND.items() for case in cases])
def test_measures_of_maps_by_hand(case: dict[str, Any]) -> None:
    markers = [Marker(name, x, y) for name in ("start", "exit") for x, y in case.get(name, ())]
    wanted = {
        name: float(Fraction(value)) if value != "nan" else math.nan
        for name, value in case.items()
        if name not in ("rows", "start", "exit")
    }
    np.testing.assert_equal(tw.measure(parse_map(*case["rows"], markers=markers), *wanted), wanted)


def test_entropy_is_that_of_the_shares_of_tiles() -> None:
    found = tw.measure(parse_map("aa#a", "bb#b", "###a", "a###"), "tile_entropy")["tile_entropy"]
    assert found == pytest.approx(-sum(n / 16 * math.log2(n / 16) for n in (5, 3, 8)))


def test_measures_that_do_not_apply_are_left_out_or_nan_if_named() -> None:
    walls = parse_map("##", "##")
    assert "largest_region" not in tw.measure(walls)
    assert math.isnan(tw.measure(walls, "largest_region")["largest_region"])
    assert tw.measure(walls, "regions") == {"regions": 0}


def test_regions_connect_levels() -> None:
    solid = np.full((3, 2, 2), 2)
    solid[0, 0, 0] = solid[1, 0, 0] = solid[2, 1, 1] = 0
    assert tw.measure(TileMap(solid, TILES), "regions") == {"regions": 2}


def test_path_length_is_the_diameter_of_a_tree() -> None:
    tree = parse_map("aaa#a", "#a##a", "aaaaa", "a#a##", "a#aaa")
    far = max(
        distances(tree, cell)[tree.passable].max() for cell in [tuple(c) for c in np.argwhere(tree.passable).tolist()]
    )
    assert measure_one(tree, "path_length") == far


def test_rooms_and_their_graph() -> None:
    rooms = [Room(0, 0, 2, 2), Room(3, 0, 2, 2), Room(6, 0, 2, 2), Room(9, 0, 2, 1)]
    house = parse_map("a" * 12, "a" * 12, rooms=rooms, links=[(0, 1), (1, 2), (2, 0), (1, 0), (2, 2)])
    assert tw.measure(house, "room_count", "loops", "branching") == {"room_count": 4, "loops": 1, "branching": 3 / 2}
    areas = [4, 4, 4, 2]
    assert measure_one(house, "room_spread") == pytest.approx(np.std(areas) / np.mean(areas))
    alone = parse_map("aa", rooms=[Room(0, 0, 2, 1)])
    assert tw.measure(alone, "loops", "branching", "room_spread") == {"loops": 0, "branching": 0, "room_spread": 0}
    assert not {"room_count", "loops", "branching", "room_spread"} & tw.measure(parse_map("aa")).keys()


def test_maps_with_levels() -> None:
    solid = np.full((3, 2, 3), 2)
    solid[0, 0] = solid[1, 0, 2] = solid[2, 0] = 0
    tower = TileMap(solid, TILES, markers=[Marker("start", 0, 0, 0), Marker("exit", 0, 0, 2)])
    found = tw.measure(tower)
    assert (found["path_length"], found["dead_ends"], found["chokepoints"], found["linearity"]) == (6, 2, 5, 1)
    assert found["symmetry_y"] == pytest.approx(4 / 18)
    assert not {"openness", "corridor_share", "junctions"} & found.keys()


def test_unknown_name_gives_a_suggestion_in_one_line() -> None:
    with refused("did you mean 'floor_share'", tw.UnknownName):
        tw.measure(parse_map("a"), "floorshare")


@pytest.mark.usefixtures("own_registry")
def test_measures_can_be_added() -> None:
    @measure(unit="cells")
    def corner(survey: object) -> float:
        """Tile in the first corner."""
        return 1.0

    measures.add(corner)
    assert tw.measure(parse_map("a"))["corner"] == 1


def test_a_measure_may_have_an_argument() -> None:
    for seed in range(20):
        cave = tw.make("caves", width=20, height=12, seed=seed, shaping=[{"place": {"markers": ["a", "b c"]}}])
        found = tw.measure(cave, "count.floor", "count.wall", "count.#", "markers.a", "markers.b c", "markers.goblin")
        assert found["count.floor"] + found["count.wall"] == cave.cells.size
        assert found["count.wall"] == found["count.#"] == int(cave.where("wall").sum())
        assert (found["markers.a"], found["markers.b c"], found["markers.goblin"]) == (1, 1, 0)
        assert not any("." in name for name in tw.measure(cave))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("count.flor", "count.flor: unknown tile 'flor'; did you mean 'floor'?"),
        ("count", "'count' needs the name of a tile: count.TILE"),
        ("count.", "unknown measure 'count.'; did you mean 'count.TILE'?"),
        ("cont.floor", "unknown measure 'cont.floor'; did you mean 'count.floor'?"),
        ("regions.floor", "unknown measure 'regions.floor'; did you mean 'regions'?"),
        ("count." + "x" * 300, "unknown measure 'count.xxx"),
    ],
)
def test_mistakes_in_an_argument_are_reported(name: str, message: str) -> None:
    with refused("", start=message):
        tw.measure(tw.make("caves", width=9, height=9, seed=1), name)


@pytest.mark.usefixtures("own_registry")
def test_plugins_add_measures_with_arguments() -> None:
    @tw.register
    @tw.analysis.measure(unit="markers", argument="letter")
    def initials(survey: tw.Survey, letter: str) -> float:
        """Number of markers whose name starts with a letter."""
        return sum(marker.name.startswith(letter) for marker in survey.map.markers)

    maze = tw.make("maze", width=15, height=15, seed=1)
    assert tw.measure(maze, "initials.s") == {"initials.s": 1}
    assert pickle.loads(pickle.dumps(measures.get("initials.s"))).value == "s"
    assert tw.make("maze", width=15, height=15, seed=1, require={"initials.s": 1}).numbers["try"] == 1


def test_tiles_of_overlays_are_known_before_they_occur() -> None:
    lake = {"technique": "noise", "params": {"width": 8, "height": 8}}
    stage = {"overlay": {"recipe": lake, "x": 2, "y": 2}}
    cave = tw.make("caves", width=20, height=14, seed=1, shaping=[stage])
    unused = [tile.name for tile in tw.Tileset.of("terrain") if cave.tileset.find(tile.name) is None]
    assert tw.measure(cave, "count.snow")["count.snow"] == (0 if "snow" in unused else cave.where("snow").sum())


@pytest.mark.parametrize("entry", tw.list_measures(), ids=lambda entry: entry.name)
def test_every_measure_has_a_summary_and_a_finite_value(entry: tw.Measure) -> None:
    assert entry.summary.endswith(".")
    assert entry.unit
    for seed in range(20):
        number = tw.measure(tw.make("caves", width=1 + seed, height=20 - seed, seed=seed)).get(entry.name)
        assert number is None or math.isfinite(number)


# -- surveys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["survey_regions", "survey_routes", "survey_cuts", "survey_neighbors", "count_tiles"])
def test_each_kernel_runs_once_for_all_measures(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(wraps=getattr(surveys, name))
    monkeypatch.setattr(surveys, name, counted)
    measure_map(tw.make("caves", width=20, height=20, seed=1))
    assert counted.call_count == 1


def test_only_requested_properties_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "survey_regions", None)
    assert measure_map(tw.make("caves", width=20, height=20, seed=1), ["floor_share"])["floor_share"] > 0


def test_most_common_tile() -> None:
    tiles = [{"name": "a"}, {"name": "b"}, {"name": "#", "passable": False}, {"name": "=", "passable": False}]
    tileset = Tileset.validate({"name": "some", "tiles": tiles})
    assert Survey(TileMap([[0, 1, 1, 3]], tileset)).most_common_tile(passable=True) == 1
    assert Survey(TileMap([[0, 1, 1, 3]], tileset)).most_common_tile(passable=False) == 3
    assert Survey(TileMap([[2, 3, 2, 3]], tileset)).most_common_tile(passable=True) == 0, (
        "the first tile, if none occurs"
    )
    assert Survey(TileMap([[0]], Tileset.from_labels("a"))).most_common_tile(passable=False) is None


# -- misfits and symmetry of directional tiles -----------------------------------------------------------------------


AWBW = tilesets.get("awbw")


def parse_pieces(*rows: str) -> TileMap:
    return TileMap([[AWBW.id(name.strip()) for name in row.split(",")] for row in rows], AWBW)


def test_misfits_are_counted_where_the_tileset_has_rules() -> None:
    assert tw.measure(parse_pieces("river ew,river ew,sea"), "misfits") == {"misfits": 0}
    assert tw.measure(parse_pieces("river ew,wood,river ns"), "misfits") == {"misfits": 1}
    caves = tw.make("caves", width=5, height=5, seed=1)
    assert np.isnan(tw.measure(caves, "misfits")["misfits"])
    assert "misfits" not in tw.measure(caves)


def test_directional_tiles_are_mirrored_and_owners_are_ignored() -> None:
    mirrored = parse_pieces("road es,orange star city,road ew,blue moon city,road sw")
    assert tw.measure(mirrored, "symmetry_x") == {"symmetry_x": 1}
    assert tw.measure(parse_pieces("road es,plain,road es"), "symmetry_x")["symmetry_x"] == pytest.approx(1 / 3)
    assert tw.measure(parse_pieces("city,plain,blue moon city"), "symmetry_x")["symmetry_x"] == pytest.approx(1 / 3)
    assert tw.measure(parse_pieces("shoal n,road ne", "shoal s,road es"), "symmetry_y") == {"symmetry_y": 1}
    rotated = parse_pieces("road es,orange star lab", "plain,plain", "red fire lab,road nw")
    assert tw.measure(rotated, "symmetry_turn") == {"symmetry_turn": 1}
    assert tw.measure(rotated, "symmetry_x")["symmetry_x"] == pytest.approx(1 / 3)
