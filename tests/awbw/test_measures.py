"""Measures of maps for war games."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.tilemap import TileMap
from tilewright.core.tilesets import tilesets

WAR = tilesets.get("awbw")
NAMES = (
    ". plain, ^ mountain, ~ sea, * teleport, H orange star headquarters, B orange star base, C orange star city, "
    "T orange star com tower, h blue moon headquarters, b blue moon base, g green earth headquarters, c city"
)
TILES = dict(pair.split(" ", 1) for pair in NAMES.split(", "))
ALL = ("player_count", "income_balance", "distance_balance", "first_contact", "capturable_reach")


def parse_map(*rows: str) -> TileMap:
    return TileMap([[WAR.id(TILES[glyph]) for glyph in row] for row in rows], WAR)


def measure_one(map: TileMap, name: str) -> float:
    return tw.measure(map, name)[name]


def test_measures_do_not_apply_without_countries() -> None:
    assert not set(ALL) & tw.measure(tw.make("caves", width=12, height=12, seed=1)).keys()


def test_players_have_headquarters() -> None:
    assert measure_one(parse_map("H.h"), "player_count") == 2
    assert measure_one(parse_map("HCg.h"), "player_count") == 3
    assert measure_one(parse_map("B.b"), "player_count") == 0
    assert {name for name in ALL if math.isnan(measure_one(parse_map("B.b"), name))} == set(ALL) - {"player_count"}
    applicable = {name for name in ALL if not math.isnan(measure_one(parse_map("H..c"), name))}
    assert applicable == {"player_count", "capturable_reach"}


def test_income_counts_properties_with_income() -> None:
    assert measure_one(parse_map("HB.bh"), "income_balance") == 1
    assert measure_one(parse_map("HBC.h"), "income_balance") == pytest.approx(1 / 3)
    assert measure_one(parse_map("HT.h"), "income_balance") == 1, "com towers have no income"


def test_distances_are_compared_in_ascending_order() -> None:
    assert measure_one(parse_map("H.c...c.h"), "distance_balance") == 1
    assert measure_one(parse_map("Hc...h"), "distance_balance") == pytest.approx(1 / 4)
    assert measure_one(parse_map("Hc.^h"), "distance_balance") == pytest.approx(1 / 4), "a mountain costs two"
    # 1 and 3 steps for one player, 2 and 4 for the other
    assert measure_one(parse_map("Hc.c.h"), "distance_balance") == pytest.approx((1 / 2 + 3 / 4) / 2)
    assert measure_one(parse_map("Hc~.ch"), "distance_balance") == pytest.approx(1), (
        "each player has one reachable property"
    )
    assert measure_one(parse_map("Hc~..h"), "distance_balance") == 0
    assert measure_one(parse_map("Hc.ch~c"), "distance_balance") == pytest.approx(1), "no player can walk to the island"
    assert math.isnan(measure_one(parse_map("H.h~c"), "distance_balance"))


def test_first_contact_is_at_half_the_distance() -> None:
    assert measure_one(parse_map("H.....h"), "first_contact") == 1
    assert measure_one(parse_map("H..B...h"), "first_contact") == pytest.approx(4 / 6), "from the nearest base"
    assert measure_one(parse_map("H.^..h"), "first_contact") == 1
    assert measure_one(parse_map("H*****h"), "first_contact") == pytest.approx(1 / 6), "teleports cost nothing"
    assert math.isnan(measure_one(parse_map("H..~..h"), "first_contact"))


def test_reach_on_foot() -> None:
    assert measure_one(parse_map("H.c~c.h"), "capturable_reach") == 1
    assert measure_one(parse_map("H.c~c~h"), "capturable_reach") == 3 / 4


@pytest.mark.parametrize("seed", range(10))
def test_measures_are_equal_for_the_mirrored_map(seed: int) -> None:
    random = np.random.default_rng(seed)
    glyphs = random.choice(list("....^~cc*"), (9, 9))
    glyphs[0, 0], glyphs[8, 7], glyphs[4, 4] = "H", "h", "b"
    map = parse_map(*("".join(row) for row in glyphs.tolist()))
    swapped = dict(zip("HhBb", "hHbB", strict=True))
    turned = parse_map(*("".join(swapped.get(glyph, glyph) for glyph in row) for row in glyphs[::-1].tolist()))
    found: dict[str, Any] = tw.measure(map, *ALL)
    assert tw.measure(turned, *ALL) == pytest.approx(found, nan_ok=True)
