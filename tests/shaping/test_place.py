"""Place: the cells of markers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis.map_warnings import find_map_warnings
from tilewright.analysis.paths import distances
from tilewright.core.registry import shapers
from tilewright.core.seeds import Rng
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


# -- areas, counts, bands, difficulty and properties -----------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A reachable cell of a map, described in another way than the shaper does."""

    steps: int
    """Steps from the start."""
    rooms: frozenset[int]
    is_on_path: bool
    is_dead_end: bool
    is_taken: bool

    def is_in(self, area: str, start_rooms: frozenset[int]) -> bool:
        return {
            "map": True,
            "rooms": bool(self.rooms),
            "corridors": not self.rooms,
            "same_room": bool(self.rooms & start_rooms),
            "other_rooms": bool(self.rooms - start_rooms),
        }[area]


@cache
def small(seed: int) -> tuple[TileMap, dict[tuple[int, int], Place], frozenset[int]]:
    """Return a small map with rooms, start and exit, its places, and the rooms of the start."""
    size: dict[str, Any] = {"width": 22, "height": 15, "rooms": 4, "room_width": (3, 5), "room_height": (3, 5)}
    base = tw.make("rooms", **size, seed=seed, shaping=["place"])
    steps, hot = distances(base, cells(base, "start")[0]), tw.Survey(base).hot_path
    assert hot is not None
    taken = {(marker.y, marker.x) for marker in base.markers}
    places = {
        (row, column): Place(
            steps=int(steps[row, column]),
            rooms=frozenset(
                number
                for number, room in enumerate(base.rooms)
                if 0 <= column - room.x < room.width and 0 <= row - room.y < room.height
            ),
            is_on_path=bool(hot.cells[row, column]),
            is_dead_end=_around(base.passable, row, column) == 1,
            is_taken=(row, column) in taken,
        )
        for row, column in np.argwhere(np.isfinite(steps)).tolist()
    }
    return base, places, places[cells(base, "start")[0]].rooms


def _draw_params(seed: int) -> dict[str, Any]:
    """Return random parameters."""
    rng = Rng.of(seed)
    return {
        "rule": rng.choice(["random", "dead_ends", "off_path", "spread", "farthest", "band"]),
        "count": rng.between(1, 4),
        "per": rng.choice(["map", "map", "room", "100_cells"]),
        "area": rng.choice(["map", "rooms", "corridors", "same_room", "other_rooms"]),
        "on_path": rng.choice([None, None, True, False]),
        "min_distance": rng.between(1, 4),
        "max_steps": rng.between(5, 40),
        "bands": [{"origin": "start", "min_steps": rng.between(0, 6)}],
        "rise": rng.choice([0.0, 1.0, -2.0]),
        "required": False,
    }


def test_all_rules_hold_and_missing_markers_are_counted() -> None:
    for seed in range(2000):
        params = _draw_params(seed)
        base, places, start_rooms = small(seed % 40)
        found = place(base, markers=["orc", "elf"], **params)
        chosen = [*cells(found, "orc"), *cells(found, "elf")]
        area = {cell: one for cell, one in places.items() if one.is_in(params["area"], start_rooms)}
        fitting = {cell for cell, one in area.items() if _fits(one, params)}
        assert set(chosen) <= fitting, (seed, params)
        missing = {name: found.numbers.get(f"unplaced {name}", 0) for name in ("orc", "elf")}
        wanted = _count_wanted(params, len(base.rooms), len(start_rooms), len(area))
        assert len(cells(found, "orc")) + missing["orc"] == wanted == len(cells(found, "elf")) + missing["elf"]
        assert all(_distance(a, b) >= params["min_distance"] for a in chosen for b in chosen if a != b)
        if sum(missing.values()) and params["per"] != "room":  # No further marker fits.
            assert all(any(_distance(a, b) < params["min_distance"] for b in chosen) for a in fitting)
        assert seed % 20 or found == place(base, markers=["orc", "elf"], **params)


def _fits(one: Place, params: dict[str, Any]) -> bool:
    on_path = False if params["rule"] == "off_path" else params["on_path"]
    return (
        not one.is_taken
        and (on_path is None or one.is_on_path == on_path)
        and (params["rule"] != "dead_ends" or one.is_dead_end)
        and (params["rule"] != "band" or one.steps <= params["max_steps"])
        and one.steps >= params["bands"][0]["min_steps"]
    )


def _count_wanted(params: dict[str, Any], rooms: int, start_rooms: int, area: int) -> int:
    """Return the number of markers of each name. Without rooms, those of one room are missing."""
    used = {"same_room": start_rooms, "other_rooms": rooms - start_rooms, "corridors": 0}.get(params["area"], rooms)
    number = {"map": 1, "room": max(1, used), "100_cells": area / 100}[params["per"]]
    return int(params["count"] * number + 0.5)


def _distance(a: tuple[int, int], b: tuple[int, int]) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


TOGETHER: list[dict[str, Any]] = [
    {"marker": "exit", "origin": "start", "min_steps": 12, "max_steps": 16},
    {"marker": "key", "origin": "start", "min_steps": 6, "max_steps": 9},
    {"marker": "key", "origin": "exit", "min_steps": 14},
]


@pytest.mark.parametrize("rule", ["random", "farthest"])
def test_bands_between_markers_hold_together_if_they_can(rule: str) -> None:
    failures = 0
    for seed in range(120):
        base = tw.make("caves", width=13, height=10, seed=seed, shaping=["connect"])
        places, steps = _count_all_steps(base.passable)
        try:
            found = place(base, markers=["start", "key", "exit"], rule=rule, bands=TOGETHER)
        except tw.GaveUp:
            failures += 1
            assert not _has_solution(steps), seed
            continue
        for band in TOGETHER:
            length = steps[places[cells(found, band["marker"])[0]], places[cells(found, band["origin"])[0]]]
            assert band["min_steps"] <= length <= band.get("max_steps", np.inf)
    assert 0 < failures < 120


def _count_all_steps(passable: Any) -> tuple[dict[Any, int], Any]:
    """Return the number of each passable cell, and the steps between all pairs of cells."""
    found = np.argwhere(passable)
    beside = np.abs(found[:, None] - found[None]).sum(axis=2) == 1
    steps = np.where(np.eye(len(found), dtype=bool), 0.0, np.inf)
    for step in range(1, len(found)):
        reached = (np.isfinite(steps).astype(np.int32) @ beside > 0) & ~np.isfinite(steps)
        if not reached.any():
            break
        steps[reached] = step
    return {(row, column): number for number, (row, column) in enumerate(found.tolist())}, steps


def _has_solution(steps: Any) -> bool:
    key, exit_ = (steps >= 6) & (steps <= 9), (steps >= 12) & (steps <= 16)
    return any((steps[np.ix_(key[start], exit_[start])] >= 14).any() for start in range(len(steps)))


def test_exact_cells() -> None:
    base = tw.make("caves", width=12, height=8, walls=0.0, seed=1)
    found = place(base, markers=["start", "exit"], rule="cells", cells=[[1, 1], [10, 6]])
    assert [(marker.name, marker.x, marker.y) for marker in found.markers] == [("start", 1, 1), ("exit", 10, 6)]
    coins = place(found, markers="coin", rule="cells", cells=[[2, 1], [1, 1], [3, 1], [3, 1], [0, 0]], required=False)
    assert cells(coins, "coin") == [(1, 2), (1, 3)]
    assert coins.numbers["unplaced coin"] == 3
    again = place(coins, markers="coin", rule="cells", cells=[[5, 5]], required=False)
    assert "unplaced coin" not in again.numbers


def test_markers_rise_with_the_steps_from_the_start() -> None:
    means = []
    for rise in (-2.0, 0.0, 1.0, 4.0):
        far: list[float] = []
        for seed in range(25):
            base = place(cave(seed, "connect"))
            steps = distances(base, cells(base, "start")[0])
            found = place(base, markers=["orc"], rule="random", count=6, rise=rise)
            far += [float(steps[cell] / steps[np.isfinite(steps)].max()) for cell in cells(found, "orc")]
        means.append(np.mean(far))
    assert means == sorted(means)
    assert means[0] < 0.3 < means[1] < 0.62 < means[3]


def test_properties_are_plain_or_rise_with_the_steps() -> None:
    base = place(cave(4, "connect"))
    steps = distances(base, cells(base, "start")[0])
    most = steps[np.isfinite(steps)].max()
    given = {"gold": 5, "boss": True, "title": "captain", "level": [1, 9], "speed": [2.0, 1.0]}
    found = place(base, markers=["orc"], rule="random", count=30, properties=given)
    for marker in found.markers:
        if marker.name == "orc":
            fraction = steps[marker.y, marker.x] / most
            assert marker.properties["level"] == int(np.floor(1 + 8 * fraction + 0.5))
            assert marker.properties["speed"] == pytest.approx(2 - fraction)
            assert (marker.properties["gold"], marker.properties["boss"]) == (5, True)
            assert type(marker.properties["level"]) is int
        else:
            assert not marker.properties
    levels = {marker.properties["level"] for marker in found.markers if marker.name == "orc"}
    assert len(levels) > 4
    assert found.recipe is not None
    assert tw.run(tw.Recipe.of(found.recipe.to_data())) == found
    start = place(cave(4, "connect"), properties={"depth": [0, 10]})
    assert [marker.properties["depth"] for marker in start.markers] == [0, 10]


def test_controls_show_shorthand_forms_in_full() -> None:
    given = {"markers": "orc", "properties": {"gold": 5, "level": [1, 9]}, "count": 3}
    model = shapers.get("place").params
    full = model.expand_shorthand(given)
    level = {"name": "level", "value": 1, "far": 9}
    assert full == {"markers": ["orc"], "properties": [{"name": "gold", "value": 5}, level], "count": 3}
    assert model.validate(full) == model.validate(given)


def test_what_cannot_be_placed_is_reported_with_fixes() -> None:
    recipe: dict[str, Any] = {"markers": ["orc"], "rule": "random", "count": 50, "min_distance": 8}
    with pytest.raises(tw.GaveUp) as caught:
        cave(1, "connect", {"place": recipe})
    (problem,) = caught.value.problems
    assert problem.path == ("shaping", 1, "place", "markers")
    labels = [fix.label for fix in problem.fixes]
    assert labels[1:] == ["Set min_distance to 4", "Set required to false", "Use another seed"]
    data: Any = {"shaping": ["connect", {"place": recipe}]}
    stages = problem.fixes[0].apply(data)["shaping"]
    assert len(cells(cave(1, *stages), "orc")) == stages[1]["place"]["count"]
    found = cave(1, *problem.fixes[2].apply(data)["shaping"])
    placed = len(cells(found, "orc"))
    assert found.numbers["unplaced orc"] == 50 - placed > 0
    (warning,) = find_map_warnings(found)
    assert str(warning).startswith(f"{50 - placed} markers 'orc' could not be placed")
