"""Room graphs, and passages and doorways between rooms."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

import tilewright as tw
from tests.tilesets import TWO
from tilewright.analysis.doorways import doorways, passages
from tilewright.analysis.rooms import rooms_graph
from tilewright.core.tilemap import Marker, Room, TileMap
from tilewright.core.tileset import Tileset

TILES = Tileset.from_labels(["."])


def make_rooms(count: int, links: list[tuple[int, int]], *, start: int = 0, exit: int = 0) -> TileMap:
    """Return a map of one-cell rooms in a row."""
    rooms = [Room(x, 0, 1, 1) for x in range(count)]
    markers = [Marker("start", start, 0), Marker("exit", exit, 0)]
    return TileMap([[0] * max(1, count)], TILES, rooms=rooms, links=links, markers=markers)


def test_small_graph_by_hand() -> None:
    graph = rooms_graph(make_rooms(6, [(0, 1), (2, 1), (1, 2), (3, 2), (0, 3), (4, 4)], start=1, exit=3))
    assert graph.links == ((0, 1), (0, 3), (1, 2), (2, 3))
    assert graph.neighbours == ((1, 3), (0, 2), (1, 3), (0, 2), (), ())
    assert graph.components == (0, 0, 0, 0, 1, 2)
    assert (graph.component_count, graph.loops) == (3, 1)
    assert graph.route == (1, 0, 3)
    assert graph.route_links == ((0, 1), (0, 3))


def test_no_route_and_no_rooms() -> None:
    assert rooms_graph(make_rooms(3, [(0, 1)], start=0, exit=2)).route == ()
    assert rooms_graph(make_rooms(3, [(0, 1)], start=1, exit=1)).route == (1,)
    empty = rooms_graph(make_rooms(0, []))
    assert (empty.route, empty.components, empty.loops, empty.start) == ((), (), 0, None)


pairs = some.lists(some.tuples(some.integers(0, 7), some.integers(0, 7)), max_size=14)


@given(pairs)
def test_loops_are_links_beyond_a_tree(links: list[tuple[int, int]]) -> None:
    graph = rooms_graph(make_rooms(8, links, exit=7))
    part = list(range(8))
    tree = 0
    for one, other in graph.links:
        if part[one] != part[other]:
            tree += 1
            part = [part[one] if number == part[other] else number for number in part]
    assert graph.loops == len(graph.links) - tree == tw.measure(make_rooms(8, links), "loops")["loops"]
    assert graph.component_count == len(set(part))
    assert all((graph.components[a] == graph.components[b]) == (part[a] == part[b]) for a in range(8) for b in range(8))
    assert bool(graph.route) == (part[0] == part[7])
    assert set(graph.route_links) <= set(graph.links)
    assert len(graph.route_links) == max(0, len(graph.route) - 1)


# -- passages and doorways -------------------------------------------------------------------------------------------


HALL = (
    "#########",
    "#..#...##",
    "#.......#",
    "#..#...##",
    "#########",
)


def parse_map(*rows: str, rooms: tuple[Room, ...] = ()) -> TileMap:
    return TileMap([[int(glyph == "#") for glyph in row] for row in rows], TWO, rooms=rooms)


def list_cells(mask: NDArray[np.bool_]) -> list[list[int]]:
    found: list[list[int]] = np.argwhere(mask).tolist()
    return found


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=7)))
def test_passage_has_walls_on_two_sides_and_is_open_on_the_others(mask: NDArray[np.bool_]) -> None:
    found = passages(mask)
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            inner = 0 < row < mask.shape[0] - 1 and 0 < column < mask.shape[1] - 1
            fits = False
            if inner and mask[row, column]:
                upright = (mask[row - 1, column], mask[row + 1, column])
                level = (mask[row, column - 1], mask[row, column + 1])
                fits = (all(upright) and not any(level)) or (all(level) and not any(upright))
            assert found[row, column] == fits


def test_openings_are_blocks_of_two_by_two() -> None:
    assert list_cells(doorways(parse_map(*HALL))) == [[2, 3]]
    assert list_cells(doorways(parse_map(*HALL), min_cells=9)) == [[2, 3]]
    assert list_cells(doorways(parse_map(*HALL), min_cells=10)) == []
    corridor = ("######", "#..#.#", "#....#", "######")
    assert list_cells(doorways(parse_map(*corridor))) == [[2, 3]]


def test_rooms_of_the_map_take_precedence() -> None:
    small = Room(1, 1, 2, 3)
    assert list_cells(doorways(parse_map(*HALL, rooms=(small,)), min_cells=6)) == [[2, 3]]
    assert list_cells(doorways(parse_map(*HALL, rooms=(small,)), min_cells=7)) == []
    assert list_cells(doorways(parse_map(*HALL, rooms=(small,)), of="openings", min_cells=7)) == [[2, 3]]
    walled = Room(0, 0, 4, 5)
    assert list_cells(doorways(parse_map(*HALL, rooms=(walled,)))) == [[2, 3]], "a room may include its walls"
    closet = ("#####", "#...#", "##.##", "##.##", "#####")
    assert list_cells(doorways(parse_map(*closet, rooms=(Room(1, 1, 3, 1),)))) == [[2, 2]]


@given(some.integers(1, 3), some.integers(1, 3))
def test_the_smallest_maps(height: int, width: int) -> None:
    empty = TileMap(np.zeros((height, width), dtype=int), TWO)
    assert not doorways(empty).any()
