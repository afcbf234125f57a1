"""Place: the cells of markers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis.paths import distances
from tilewright.core.tilemap import Marker, TileMap


def cave(seed: int, *stages: Any, **words: Any) -> TileMap:
    return tw.make("caves", width=40, height=26, seed=seed, shaping=[*stages], **words)


def cells(map: TileMap, name: str) -> list[tuple[int, int]]:
    return [(marker.y, marker.x) for marker in map.markers if marker.name == name]


def place(map: TileMap, **params: Any) -> TileMap:
    return tw.shape(map, "place", **params)


def test_every_place_can_be_reached_and_none_is_taken_twice() -> None:
    for seed in range(40):
        found = place(cave(seed), markers=["start", "exit", "key"])
        for rule, count in (("spread", 9), ("random", 9), ("farthest", 3), ("off_path", 3), ("band", 4)):
            try:
                found = place(found, markers=[rule], rule=rule, count=count)
            except tw.GaveUp:
                assert rule == "off_path"
                continue
            assert len(cells(found, rule)) == count
        steps = distances(found, cells(found, "start")[0])
        places = [(marker.y, marker.x) for marker in found.markers]
        assert all(np.isfinite(steps[place]) for place in places)
        assert len(set(places)) == len(places)


def test_start_and_exit_are_the_ends_of_the_longest_path() -> None:
    for seed in range(30):
        found = place(cave(seed))
        plain = tw.measure(cave(seed), "path_length")["path_length"]
        assert tw.measure(found, "path_length")["path_length"] == plain
        more = place(found, markers=["key"])
        from_both = np.minimum(*(distances(found, cells(found, name)[0]) for name in ("start", "exit")))
        assert from_both[cells(more, "key")[0]] == from_both[np.isfinite(from_both)].max()


def test_cells_follow_the_rules() -> None:
    for seed in range(20):
        base = place(cave(seed, "connect"))
        steps = distances(base, cells(base, "start")[0])
        band = place(base, markers=["loot"], rule="band", min_steps=5, max_steps=12, count=4)
        assert all(5 <= steps[cell] <= 12 for cell in cells(band, "loot"))
        open_ = base.passable
        ends = [tuple(cell) for cell in np.argwhere(open_).tolist() if _around(open_, *cell) == 1]
        free = [cell for cell in ends if cell not in [(marker.y, marker.x) for marker in base.markers]]
        if free:
            found = place(base, markers=["loot"], rule="dead_ends", count=len(free))
            assert sorted(cells(found, "loot")) == free


def _around(open_: Any, row: int, column: int) -> int:
    wide = np.pad(open_, 1)
    return sum(bool(wide[row + 1 + y, column + 1 + x]) for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0)))


def test_spread_places_keep_their_distance() -> None:
    for seed in range(20):
        even = cells(place(cave(seed, "connect"), markers=["tree"], rule="spread", count=12), "tree")
        loose = cells(place(cave(seed, "connect"), markers=["tree"], rule="random", count=12), "tree")
        assert _closest(even) > 3
        assert _closest(even) >= _closest(loose)
        wide = cells(place(cave(seed, "connect"), markers=["tree"], rule="random", count=5, min_distance=6), "tree")
        assert _closest(wide) >= 6


def _closest(places: list[tuple[int, int]]) -> float:
    return min(float(np.hypot(a[0] - b[0], a[1] - b[1])) for a in places for b in places if a != b)


def test_placing_again_moves_and_other_markers_stay() -> None:
    base = cave(3, "connect").replace(markers=[Marker("start", 1, 1), Marker("shop", 2, 2)])
    found = place(base, markers=["start"], rule="random")
    assert [marker.name for marker in found.markers] == ["shop", "start"]


def test_a_tile_is_placed_except_on_locked_cells() -> None:
    stage = {"place": {"markers": ["gem"], "rule": "random", "count": 20, "tile": "crystal"}}
    found = cave(3, stage)
    assert sorted(map(tuple, np.argwhere(found.where("crystal")).tolist())) == sorted(cells(found, "gem"))
    locked = found.where("floor")
    again = cave(3, stage, locks=cave(3).to_locks(locked))
    assert not (again.where("crystal") & locked).any()


def test_too_few_places_are_reported() -> None:
    with pytest.raises(tw.GaveUp, match="place: 1 marker wanted, the map has 0 cells by the rule dead_ends"):
        place(tw.make("caves", walls=0, width=9, height=9, seed=1), markers=["a"], rule="dead_ends")
    with pytest.raises(tw.GaveUp, match="place: the map has no passable cell"):
        place(tw.make("caves", walls=1, width=9, height=9, seed=1))
    with pytest.raises(tw.GaveUp, match="place: there is no marker 'shop' on a passable cell"):
        place(cave(1), markers=["a"], rule="band", origin="shop")
    with pytest.raises(tw.InvalidRecipe, match="place: max_steps: must be at least min_steps, 9, got 3"):
        place(cave(1), rule="band", min_steps=9, max_steps=3)


def test_one_name_is_a_list_of_one() -> None:
    level = tw.make("rooms", width=40, height=20, seed=1)
    assert [marker.name for marker in tw.shape(level, "place", markers="boss").markers] == ["boss"]
    assert tw.shape(level, "place", markers="boss") == tw.shape(level, "place", markers=["boss"])
    for text in ("goblin;orc", "goblin, orc"):
        with pytest.raises(
            tw.InvalidRecipe, match=r"one name or a list of names, such as \['goblin', 'orc'\]"
        ) as caught:
            tw.shape(level, "place", markers=text)
        assert caught.value.problems[0].fixes[0].value == ["goblin", "orc"]
    names = {marker.name for marker in tw.shape(level, "lock_and_key", colors="red", count=1).markers}
    assert {"lock red", "key red"} <= names
