"""The built-in maps for Advance Wars By Web: fair, connected, and together with every piece."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright import data
from tilewright.analysis.regions import regions_of
from tilewright.autotile.grammar import grammar_of
from tilewright.core.tilesets import tilesets

TILES = tilesets.get("awbw")
PLAYERS = ("orange star", "blue moon")
NAVAL = ("broken-isles", "sister-isles", "twin-harbours")
"""Maps with land that infantry can reach only by lander."""
NUMBERS = {tile.code: number for number, tile in enumerate(TILES)}
MAPS = {
    name: np.array(
        [[NUMBERS[int(code)] for code in row.split(",")] for row in data.read_member("awbw", name).splitlines()]
    )
    for name in data.list_members("awbw")
}
FOOT, LANDER = (np.array([mover in dict(tile.costs) for tile in TILES]) for mover in ("foot", "lander"))
OTHER = dict(zip(PLAYERS, reversed(PLAYERS), strict=True))
BY_KIND = {(tile.kind, tile.country, tile.joins): number for number, tile in reversed(list(enumerate(TILES)))}
SWAPPED = np.array(
    [
        BY_KIND[tile.kind, OTHER[tile.country], tile.joins] if tile.country in PLAYERS else number
        for number, tile in enumerate(TILES)
    ]
)
"""(tile,) the same tile of the other player."""
every_map = pytest.mark.parametrize("name", MAPS)


def holdings(cells: NDArray[np.int64], country: str) -> Counter[str]:
    """Count the buildings of a country by kind."""
    return Counter(TILES[tile].kind for tile in cells.ravel().tolist() if TILES[tile].country == country)


def where(cells: NDArray[np.int64], kind: str, country: str) -> NDArray[np.bool_]:
    return np.array([tile.kind == kind and tile.country == country for tile in TILES])[cells]


def apply_move(cells: NDArray[np.int64], move: str) -> NDArray[np.int64]:
    turned = TILES.reorient_tiles(move)[cells]
    return turned[:: -1 if "y" in move else 1, :: -1 if "x" in move else 1]


def test_there_are_at_least_ten_maps() -> None:
    assert len(MAPS) >= 10


def test_together_they_show_every_river_road_shoal_bridge_and_pipe() -> None:
    shown = {int(tile) for cells in MAPS.values() for tile in cells.ravel()}
    kinds = ("river", "road", "shoal", "bridge", "reef", "sea", "pipe", "pipe seam")
    missing = [tile.name for number, tile in enumerate(TILES) if tile.kind in kinds and number not in shown]
    assert missing == []


@every_map
def test_it_has_15_to_25_rows_and_columns(name: str) -> None:
    assert all(15 <= side <= 25 for side in MAPS[name].shape)


@every_map
def test_every_piece_fits(name: str) -> None:
    assert not grammar_of(TILES).find_misfits(MAPS[name]).any()


@every_map
def test_both_players_have_the_same_buildings_and_there_are_enough_neutral_ones(name: str) -> None:
    one, other = (holdings(MAPS[name], country) for country in PLAYERS)
    assert one == other
    assert one["headquarters"] == 1
    assert 1 <= one["base"] <= 3
    assert 8 <= holdings(MAPS[name], "neutral")["city"] <= 20
    assert {TILES[tile].country for tile in MAPS[name].ravel().tolist()} == {"", "neutral", *PLAYERS}


@every_map
def test_one_half_is_the_other_turned_with_the_players_swapped(name: str) -> None:
    cells = MAPS[name]
    assert any(np.array_equal(apply_move(SWAPPED[cells], move), cells) for move in ("x", "y", "xy"))


@every_map
def test_infantry_reach_everything_on_foot_or_by_lander(name: str) -> None:
    cells = MAPS[name]
    land, water = regions_of(FOOT[cells]).labels, regions_of(LANDER[cells]).labels
    homes = [land[where(cells, "headquarters", country)].item() for country in PLAYERS]
    if name not in NAVAL:
        assert land.max() == 1
        return
    for country, home in zip(PLAYERS, homes, strict=True):
        harbours = where(cells, "port", country) & (land == home)
        assert harbours.any()
        landings = FOOT[cells] & np.isin(water, water[harbours])
        assert set(land[landings].tolist()) == set(range(1, land.max() + 1))
