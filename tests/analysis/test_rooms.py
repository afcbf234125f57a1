"""Room graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

import tilewright as tw
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
