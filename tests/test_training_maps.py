"""Training maps of the models that ship, made by tools/train_models.py."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis.doorways import passages
from tilewright.analysis.regions import regions, regions_of
from tilewright.autotile.fitting import fit_pieces
from tools import train_models
from tools.train_models import MAP_SETS, find_label_ids

COUNT = 6
NAMES = tuple(MAP_SETS)


@cache
def few_maps(name: str) -> tuple[tw.TileMap, ...]:
    return tuple(train_models.make_maps(name, COUNT))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seeds_make_the_same_maps(name: str) -> None:
    assert list(train_models.make_maps(name, 2)) == list(few_maps(name)[:2])


@pytest.mark.parametrize("name", NAMES)
def test_maps_are_distinct_and_have_only_labeled_tiles(name: str) -> None:
    labels = MAP_SETS[name].labels
    cells = np.stack([find_label_ids(map, labels) for map in few_maps(name)])
    assert len(np.unique(cells.reshape(COUNT, -1), axis=0)) == COUNT
    assert np.unique(cells).tolist() == list(range(len(labels)))


def test_equal_maps_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def make_map(rng: tw.Rng) -> tw.TileMap:
        drawn.append(len(drawn))
        if len(drawn) == 2:
            raise tw.GaveUp("no map")
        return few_maps("dungeon")[len(drawn) // 4]

    dungeon = MAP_SETS["dungeon"]
    given = train_models.MapSet(2, dungeon.labels, make_map, lambda map: True, dungeon.settings)
    monkeypatch.setitem(MAP_SETS, "given", given)
    assert list(train_models.make_maps("given")) == list(few_maps("dungeon")[:2])
    assert len(drawn) == 4


def test_a_dungeon_is_one_region_and_its_doors_are_between_walls() -> None:
    for map in few_maps("dungeon"):
        assert map.shape == (30, 40)
        assert regions(map).count == 1
        doors = map.where("door")
        assert doors.sum() >= 8
        assert passages(map)[doors].all()


def test_dungeons_with_faults_are_refused() -> None:
    map = few_maps("dungeon")[0]
    ids = map.tileset.by_name
    without_doors = map.replace(cells=np.where(map.where("door"), ids["wall"], map.cells))
    assert train_models.is_valid_dungeon(map)
    assert not train_models.is_valid_dungeon(without_doors)
    cells = map.cells.copy()
    room = map.rooms[0]
    cells[room.y, room.x] = ids["door"]
    assert not train_models.is_valid_dungeon(map.replace(cells=cells))


def test_roads_join_the_towns_of_an_overworld() -> None:
    for map in few_maps("overworld"):
        assert map.shape == (48, 48)
        assert regions_of(map.where("town")).count >= train_models.MIN_TOWNS
        assert regions_of(map.where("town", "path", "bridge")).count == 1


def test_rivers_of_an_overworld_reach_the_sea() -> None:
    for map in few_maps("overworld"):
        rivers = regions_of(map.where("river", "bridge"))
        coast = train_models.dilate(map.where("sea"))
        assert np.isin(np.arange(1, rivers.count + 1), rivers.labels[coast]).all()


def test_shallow_sea_is_between_land_and_deep_sea() -> None:
    for map in few_maps("overworld"):
        land = ~map.where("sea", "deep sea")
        assert not (train_models.dilate(land) & map.where("deep sea")).any()


def test_a_war_map_is_fair_for_two_players() -> None:
    for map in few_maps("war"):
        assert map.shape == (24, 24)
        found = tw.measure(map, "player_count", "income_balance", "capturable_reach")
        assert found == {"player_count": 2, "income_balance": 1, "capturable_reach": 1}


def test_pieces_of_war_maps_can_be_chosen_from_the_labels() -> None:
    labels = MAP_SETS["war"].labels
    for map in few_maps("war"):
        ids = find_label_ids(map, labels)
        tiles = np.array([map.tileset.by_name[label] for label in labels])
        fitted = map.replace(cells=fit_pieces(tiles[ids], map.tileset))
        assert (find_label_ids(fitted, labels) == ids).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_file_has_all_that_training_needs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = MAP_SETS[name].labels
    monkeypatch.setattr(train_models, "make_maps", few_maps)
    monkeypatch.setattr("sys.argv", ["train_models.py", "maps", name, "-o", str(tmp_path)])
    train_models.main()
    with np.load(tmp_path / f"{name}.npz", allow_pickle=False) as file:
        cells, info = file["cells"], json.loads(str(file["info"]))
    assert cells.dtype == np.uint8
    assert cells.shape == (COUNT, *few_maps(name)[0].shape)
    assert info["names"] == list(labels)
    tileset = tw.Tileset.of(info["tileset"])
    tiles = [tileset[tileset.by_name[label]] for label in labels]
    assert info["glyphs"] == "".join(tile.glyph for tile in tiles)
    assert info["passable"] == [tile.passable for tile in tiles]
    assert f"{COUNT} maps of" in capsys.readouterr().out
