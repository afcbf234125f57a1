"""Improve: targets are reached or reported, and what must stay stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.provenance import collect_revisions
from tilewright.core.tilemap import Marker
from tilewright.testing import block_size

CAVE = tw.make("caves", width=8, height=8, seed=1).tileset
WALL, FLOOR, MOSS, CRYSTAL = (CAVE.names.index(name) for name in ("wall", "floor", "moss", "crystal"))


def make_noise(seed: int, size: int = 14) -> tw.TileMap:
    random = np.random.default_rng(seed)
    return tw.TileMap(np.where(random.random((size, size)) < 0.5, WALL, FLOOR), CAVE)


def test_one_region_and_a_path_of_given_length() -> None:
    for seed in range(150):
        low = 28 + seed % 50
        found = tw.improve(make_noise(seed), {"regions": 1, "path_length": f"{low}..{low + 6}"}, seed=seed)
        numbers = tw.measure(found, "regions", "path_length")
        assert numbers["regions"] == 1
        assert low <= numbers["path_length"] <= low + 6


@pytest.mark.parametrize("targets", read_table(__file__, "targets are reached or reported"))
@pytest.mark.parametrize("method", ["climb", "anneal"])
def test_targets_are_reached_or_reported(targets: dict[str, Any], method: Any) -> None:
    reached = 0
    for seed in range(12):
        cave = tw.make("caves", width=30, height=20, seed=seed)
        try:
            found = tw.improve(cave, targets, method=method)
        except tw.GaveUp:
            continue
        reached += 1
        recipe = tw.recipe("caves", require=targets)
        assert all(one.holds(tw.measure(found, one.measure)[one.measure]) for one in recipe.require)
        assert found.recipe is not None
        assert tw.run(found.recipe) == found
    assert reached >= 10


def test_most_and_least_try_all_steps() -> None:
    for seed in range(10):
        cave = tw.make("caves", width=24, height=16, seed=seed, shaping=["connect"])
        before = tw.measure(cave, "path_length", "dead_ends")
        long = tw.measure(tw.improve(cave, {"path_length": "most", "floor_share": "0.4..0.7"}, steps=5000))
        assert long["path_length"] > 1.3 * before["path_length"]
        assert 0.4 <= long["floor_share"] <= 0.7
        assert long["regions"] == 1
        short = tw.improve(cave, {"dead_ends": "least", "path_length": "least"}, steps=5000)
        assert tw.measure(short, "path_length")["path_length"] <= before["path_length"]


@pytest.mark.parametrize("method", ["climb", "anneal"])
def test_other_measures_are_reached_too(method: Any) -> None:
    for seed in range(3):
        cave = tw.make("caves", width=16, height=12, seed=seed)
        targets = {"symmetry_x": ">=0.75", "floor_share": "0.4..0.7", "tile_entropy": "<1"}
        found = tw.improve(cave, targets, steps=4000, method=method)
        numbers = tw.measure(found, *targets)
        assert numbers["symmetry_x"] >= 0.75
        assert 0.4 <= numbers["floor_share"] <= 0.7
        assert numbers["tile_entropy"] < 1


def test_a_level_whose_exit_cannot_be_reached_is_repaired() -> None:
    for seed in range(20):
        map = make_noise(seed)
        cells = map.cells.copy()
        cells[:, 7] = WALL
        cells[[1, 12], [1, 12]] = FLOOR
        broken = tw.TileMap(cells, CAVE, markers=[Marker("start", 1, 1), Marker("exit", 12, 12)])
        assert tw.measure(broken, "solvable") == {"solvable": 0}
        assert tw.measure(tw.improve(broken, {"solvable": 1}, seed=seed), "solvable") == {"solvable": 1}
        walked = tw.improve(broken, {"path_length": "24..30"}, seed=seed)
        assert 24 <= tw.measure(walked, "path_length")["path_length"] <= 30
        assert walked.markers == broken.markers


def test_what_must_stay_stays() -> None:
    """Locks, markers, kept counts, rare tiles, a closed border, and the number of regions."""
    for seed in range(100):
        random = np.random.default_rng(seed)
        cave = tw.make("caves", width=24, height=18, seed=seed, shaping=["connect", "border"])
        cells = cave.cells.copy()
        spots = np.argwhere(cave.passable)
        for y, x in spots[random.choice(len(spots), 20, replace=False)]:
            cells[y, x] = MOSS
        y, x = spots[random.integers(len(spots))]
        cells[y, x] = CRYSTAL
        mark = spots[random.integers(len(spots))]
        base = cave.replace(cells=cells, markers=[Marker("start", int(mark[1]), int(mark[0]))], recipe=None)
        low = tw.measure(base, "path_length")["path_length"] + 6
        found = tw.improve(base, {"path_length": f"{low:g}..{low + 8:g}"}, seed=seed, keep=["moss"])
        assert tw.measure(found, "regions")["regions"] <= tw.measure(base, "regions")["regions"]
        assert tw.measure(found, "count.moss") == tw.measure(base, "count.moss")
        assert found.cells[y, x] == CRYSTAL
        assert found.cells[mark[0], mark[1]] == base.cells[mark[0], mark[1]]
        ring = np.ones(base.shape, dtype=np.bool_)
        ring[1:-1, 1:-1] = False
        assert np.array_equal(found.cells[ring], base.cells[ring])


def test_locked_cells_stay() -> None:
    for seed in range(100):
        base = tw.make("caves", width=20, height=15, seed=seed)
        locked = np.random.default_rng(seed).random(base.shape) < 0.2
        given: dict[str, Any] = {"width": 20, "height": 15, "locks": base.to_locks(locked)}
        stage = {"improve": {"targets": {"floor_share": "0.62..0.68", "regions": "..9"}}}
        found = tw.make("caves", seed=seed + 1, shaping=[stage], **given)
        assert np.array_equal(found.cells[locked], base.cells[locked])
        assert 0.62 <= tw.measure(found, "floor_share")["floor_share"] <= 0.68


def test_only_the_given_tiles_are_used() -> None:
    base = tw.make("noise", width=24, height=20, seed=4)
    found = tw.improve(base, {"floor_share": "most"}, tiles=["forest", "water"], steps=3000)
    changed = found.cells != base.cells
    names = np.array(base.tileset.names)
    assert changed.any()
    assert set(names[base.cells[changed]]) | set(names[found.cells[changed]]) <= {"forest", "water"}


def test_a_measure_may_have_two_targets() -> None:
    cave = tw.make("caves", width=30, height=20, seed=5)
    found = tw.improve(cave, [["path_length", ">=60"], ["path_length", "<=64"]])  # type: ignore[arg-type]
    assert 60 <= tw.measure(found, "path_length")["path_length"] <= 64


def test_a_map_that_reaches_the_targets_is_not_changed() -> None:
    cave = tw.make("caves", width=20, height=15, seed=4)
    numbers = tw.measure(cave, "path_length", "regions")
    assert np.array_equal(tw.improve(cave, numbers).cells, cave.cells)


def test_changes_that_are_not_needed_are_undone() -> None:
    """A path that is longer by 6 steps takes few changes, and no speck that the cave does not have."""
    changed = []
    for seed in range(40):
        cave = tw.make("caves", width=30, height=20, seed=seed, shaping=["connect"])
        low = tw.measure(cave, "path_length")["path_length"] + 6
        found = tw.improve(cave, {"path_length": f"{low:g}..{low + 6:g}"})
        changed.append(np.count_nonzero(found.cells != cave.cells))
        assert count_specks(found) <= count_specks(cave) + 2
    assert np.median(changed) <= 20


def count_specks(map: tw.TileMap) -> int:
    """Count cells whose eight neighbors are all of the other kind."""
    padded = np.pad(map.passable.astype(int), 1, mode="edge")
    around = sum(
        padded[1 + dy : 1 + dy + map.height, 1 + dx : 1 + dx + map.width] for dy in (-1, 0, 1) for dx in (-1, 0, 1)
    )
    return int(np.count_nonzero(np.where(map.passable, around == 1, around == 8)))


@pytest.mark.parametrize("targets", [{"path_length": "most"}, {"regions": 1, "symmetry_y": ">=0.7"}])
def test_frames_and_block_sizes_do_not_change_the_result(targets: dict[str, Any]) -> None:
    cave = tw.make("caves", width=20, height=14, seed=5)
    settings: dict[str, Any] = {"targets": targets, "steps": 700, "method": "anneal"}
    found = tw.shape(cave, "improve", **settings)
    with block_size(20 * 14 * 100, "improve"):
        *frames, last = tw.watch_shaping(cave, "improve", **settings)
    assert last.map == found
    assert len(frames) >= 7
    assert found.recipe is not None
    *_, end = tw.watch(found.recipe)
    assert end.map == found


def test_an_improved_map_is_verified(tmp_path: Path) -> None:
    cave = tw.make("caves", width=20, height=14, seed=5)
    tw.improve(cave, {"path_length": "40.."}).save(tmp_path / "cave.json")
    assert tw.verify(tmp_path / "cave.json").outcome == "same"
    recipe = tw.load(tmp_path / "cave.json").recipe
    assert recipe is not None
    assert collect_revisions(recipe) == {"caves": 1, "improve": 1, "path_length": 1}


def test_giving_up_names_the_target_and_the_nearest_value() -> None:
    cave = tw.make("caves", width=20, height=14, seed=5)
    with pytest.raises(tw.GaveUp) as caught:
        tw.improve(cave, {"path_length": ">=500", "floor_share": "0.4..0.7"}, steps=1000)
    text = str(caught.value)
    assert text.startswith("gave up: path_length >= 500 was not reached, the nearest value is ")
    assert text.endswith("(1,000 moves)")
    assert "floor_share" not in text
    steps, another, weaker = caught.value.problems[0].fixes
    assert (steps.label, another.label) == ("Set steps to 4000", "Use another seed")
    assert steps.path == ("shaping", 0, "improve", "steps")
    assert weaker.path == ("shaping", 0, "improve", "targets")
    (_, path_length), (_, floor_share) = weaker.value
    assert floor_share == "0.4..0.7"
    assert f"is {path_length.removeprefix('>=')} (" in text


def test_giving_up_without_free_cells() -> None:
    solid = tw.TileMap(np.full((9, 9), WALL), CAVE)
    locked = tw.make(
        "caves", width=9, height=9, walls=1.0, seed=1, locks=solid.to_locks(np.ones((9, 9), dtype=np.bool_))
    )
    with pytest.raises(tw.GaveUp, match="locked cells stay as they are"):
        tw.improve(locked, {"floor_share": ">0.5"})
