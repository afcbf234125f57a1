"""Overlays: each works on any map, agrees with the analysis, and refuses invalid settings in one line."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.analysis.chokepoints import chokepoints
from tilewright.analysis.fov import field_of_view
from tilewright.analysis.paths import distances, hot_path, shortest_path
from tilewright.overlays.kinds import GOAL, HOT, ORIGIN, ROUTE, OverlayRequest, overlay_kinds
from tilewright.overlays.overlay import Overlay

WORDS = [{"name": "floor", "glyph": "."}, {"name": "wall", "glyph": "#", "passable": False}]
TILES = tw.Tileset.validate({"name": "plain", "tiles": WORDS})
CAVE = tw.make("caves", width=40, height=24, seed=7, shaping=["connect"])


def make_map(*lines: str, **fields: object) -> tw.TileMap:
    return tw.TileMap([[".#".index(glyph) for glyph in line] for line in lines], TILES, **fields)  # type: ignore[arg-type]


def cells_of_color(overlay: Overlay, color: tuple[int, int, int]) -> list[tuple[int, ...]]:
    """Return the cells (row, column) with a tint of this color."""
    return [tuple(cell) for cell in np.argwhere((overlay.tint[..., :3] == color).all(axis=-1)).tolist()]


@pytest.mark.parametrize("technique", [entry.name for entry in tw.list_techniques()])
def test_each_works_on_every_techniques_default_map(technique: str) -> None:
    map = tw.make(technique, seed=3)
    for name in overlay_kinds():
        found = tw.overlay(map, name)
        assert found.tint.shape == (*map.shape, 4)
        assert found.text == name
        assert 0 < len(found.legend) < 150
        assert "\n" not in found.legend


@pytest.mark.parametrize("name", overlay_kinds())
@pytest.mark.parametrize("lines", [("#",), (".",), ("###", "###"), (".#.", "###", ".#.")], ids=str)
def test_each_works_where_there_is_little_to_walk_on(name: str, lines: tuple[str, ...]) -> None:
    assert tw.overlay(make_map(*lines), name).legend


def test_every_overlay_is_described() -> None:
    names = "distance flee path hot-path regions rooms chokepoints sight playthrough"
    assert list(overlay_kinds()) == names.split()
    for kind in overlay_kinds().values():
        assert kind.summary.endswith(".")
        assert all(field.description for field in kind.params.model_fields.values())


def test_reachable_cells_are_tinted_by_their_distance() -> None:
    map = make_map("..#.", "...#")
    found = tw.overlay(map, "distance", origin=(0, 0))
    steps = distances(map, (0, 0))
    assert np.array_equal(found.tint[..., 3] > 0, np.isfinite(steps))
    assert np.array_equal(found.tint[0, 1], found.tint[1, 0])
    brightness = found.tint[..., :3].astype(int).sum(axis=-1)
    assert brightness[0, 0] > brightness[0, 1] > brightness[1, 1] > brightness[1, 2]
    assert found.legend == "distance from x=0 y=0: 0..3 steps, 5 of 6 cells reached"


def test_several_origins_and_markers() -> None:
    map = make_map(".....", markers=[tw.Marker("den", 0, 0), tw.Marker("den", 4, 0)])
    both = tw.overlay(map, "distance", origin=((0, 0), (4, 0)))
    assert both.legend == "distance from 2 cells: 0..2 steps"
    assert np.array_equal(both.tint, tw.overlay(map, "distance", origin="den").tint)
    assert np.array_equal(both.tint, tw.overlay(map, "distance", origin=[0, 0, 4, 0]).tint)
    assert np.array_equal(both.tint, tw.overlay(map, "distance", origin=np.array([[0, 0], [4, 0]])).tint)


def test_paths_lead_between_the_markers() -> None:
    map = make_map(".....", ".....", markers=[tw.Marker("start", 1, 1), tw.Marker("exit", 3, 1)])
    found = tw.overlay(map, "path")
    assert found.legend == "path from x=1 y=1 to x=3 y=1: 2 steps"
    assert (cells_of_color(found, ORIGIN), cells_of_color(found, ROUTE), cells_of_color(found, GOAL)) == (
        [(1, 1)],
        [(1, 2)],
        [(1, 3)],
    )
    assert tw.overlay(map, "path", goal=(0, 0)).legend == "path from x=1 y=1 to x=0 y=0: 2 steps"
    assert tw.overlay(make_map("....."), "path", origin=(1, 0)).legend == "path from x=1 y=0 to x=4 y=0: 3 steps"
    assert tw.overlay(make_map("....."), "path", goal=(1, 0)).legend == "path from x=4 y=0 to x=1 y=0: 3 steps"


def test_a_missing_path_is_reported_in_the_legend() -> None:
    map = make_map(".#.", markers=[tw.Marker("start", 0, 0), tw.Marker("exit", 2, 0)])
    assert tw.overlay(map, "path").legend == "path from x=0 y=0 to x=2 y=0: there is none"
    assert tw.overlay(map, "hot-path").legend == "hot path from x=0 y=0 to x=2 y=0: there is none"
    assert tw.overlay(make_map("##"), "distance").legend == "distance: the map has no passable cell"
    assert tw.overlay(map, "rooms").legend == "rooms: the map has none"


def test_the_hot_path_is_that_of_the_analysis() -> None:
    cells = np.argwhere(CAVE.passable)
    start, exit = cells[0].tolist(), cells[-1].tolist()
    found = tw.overlay(CAVE, "hot_path", origin=start[::-1], goal=exit[::-1], slack=6)
    hot = hot_path(CAVE, start, exit, slack=6)
    path = {tuple(cell) for cell in shortest_path(CAVE, start, exit).tolist()}
    assert set(cells_of_color(found, HOT)) == {tuple(cell) for cell in np.argwhere(hot.cells).tolist()} - path
    assert set(cells_of_color(found, ROUTE)) == path - {tuple(start), tuple(exit)}
    assert f"{int(hot.length)} steps and 6 more, {hot.cells.sum():,} cells, {hot.optional.sum():,} opt" in found.legend


def test_chokepoints_sight_and_regions() -> None:
    assert np.array_equal(tw.overlay(CAVE, "chokepoints").tint[..., 3] > 0, chokepoints(CAVE))
    eight = tw.overlay(CAVE, "chokepoints", directions=8)
    assert np.array_equal(eight.tint[..., 3] > 0, chokepoints(CAVE, directions=8))
    viewer = np.argwhere(CAVE.passable)[50].tolist()
    seen = field_of_view(CAVE, viewer, radius=5)
    dark = tw.overlay(CAVE, "sight", origin=viewer[::-1], radius=5).tint
    assert np.array_equal((dark[..., :3] == (10, 9, 18)).all(axis=-1), ~seen)
    apart = tw.overlay(make_map("..#", "##."), "regions")
    assert apart.legend == "2 regions, the largest of 2 cells"
    assert apart.tint[0, 0].tolist() == apart.tint[0, 1].tolist() != apart.tint[1, 2].tolist()
    assert tw.overlay(make_map("..#", "##."), "regions", directions=8).legend == "1 region, of 3 cells"


def test_rooms_are_joined_by_lines_between_their_centers() -> None:
    rooms = [tw.Room(0, 0, 3, 3), tw.Room(5, 0, 2, 1), tw.Room(7, 2, 1, 1)]
    map = make_map("........", "........", "........", rooms=rooms, links=[(1, 0), (0, 1), (2, 2)])
    found = tw.overlay(map, "rooms")
    assert found.lines == (((1, 1), (5.5, 0)),)
    assert found.legend == "3 rooms, 1 link in 2 components"
    assert found.tint[..., 3].astype(bool).sum() == 12
    assert len({tuple(found.tint[cell]) for cell in ((0, 0), (0, 5), (2, 7))}) == 3


def test_levels_have_distances_but_no_sight() -> None:
    map = tw.TileMap(np.zeros((2, 3, 4), np.uint8), TILES)
    found = tw.overlay(map, "distance", origin=(3, 2, 1))
    assert found.legend == "distance from x=3 y=2 level=1: 0..6 steps"
    for name in ("sight", "rooms"):
        with pytest.raises(tw.InvalidRecipe, match=f"^overlay {name}: needs a map of one level, got 2; use one"):
            tw.overlay(map, name)
    with pytest.raises(tw.InvalidRecipe, match=r"^overlay distance: origin: must be x,y,level of each cell, got 3,2$"):
        tw.overlay(map, "distance", origin=(3, 2))


@pytest.mark.parametrize(("name", "settings", "text"), read_table(__file__, "mistakes"))
def test_mistakes_are_one_clear_line(name: str, settings: dict[str, object], text: str) -> None:
    map = make_map(".#.", markers=[tw.Marker("start", 0, 0)])
    with refused("", start=text):
        tw.overlay(map, name, **settings)


def test_an_unknown_overlay_is_an_unknown_name() -> None:
    with pytest.raises(tw.UnknownName):
        tw.overlay(CAVE, "distence")
    with pytest.raises(tw.InvalidRecipe, match="must be a TileMap"):
        tw.overlay("cave.png", "distance")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["distance", "hot-path,origin=3,4,goal=exit,slack=8", "sight,origin=1,2,3,4,radius=9", "path,directions=8"],
)
def test_strings_are_parsed_and_formatted(text: str) -> None:
    wanted = OverlayRequest.parse(text)
    assert str(wanted) == text
    assert hash(wanted) == hash(OverlayRequest.parse(text))
    assert wanted == OverlayRequest.parse(text)


def test_invalid_strings_are_refused() -> None:
    for text in ("distance,3,4", "=3", "distance,origin"):
        with pytest.raises(tw.InvalidRecipe, match="write settings as name=value"):
            OverlayRequest.parse(text)
    with pytest.raises(tw.UnknownName):
        OverlayRequest.parse("")


def test_an_overlay_made_by_the_user() -> None:
    tint = np.zeros((24, 40, 4), np.uint8)
    tint[3, 4] = 255, 0, 0, 255
    own = tw.Overlay(tint, legend="here")
    tint[:] = 0
    assert own.blend(np.zeros((24, 40, 3), np.uint8))[3, 4].tolist() == [255, 0, 0]
    for one in (own, pickle.loads(pickle.dumps(own))):
        assert np.array_equal(one.tint, own.tint)
        with pytest.raises(ValueError, match="read-only"):
            one.tint[0] = 1
    with pytest.raises(tw.InvalidRecipe, match=r"must have shape \(row, column, 4\)"):
        tw.Overlay(np.zeros((3, 4)))  # type: ignore[arg-type]
    with pytest.raises(tw.InvalidRecipe, match="is for a map of 40x24, this one has 3x1"):
        make_map("...").image(overlay=own)
