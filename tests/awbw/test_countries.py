"""Countries: change the owners of buildings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.core.tilemap import TileMap
from tilewright.core.tilesets import tilesets

AWBW = tilesets.get("awbw")


def towns(*names: str) -> TileMap:
    return TileMap([[AWBW.id(name) for name in names]], AWBW)


def names(map: TileMap) -> list[str]:
    return [AWBW[int(one)].name for one in map.cells.reshape(-1)]


OLD = ("green earth city", "jade sun headquarters", "plain", "city", "green earth base", "jade sun port")


def test_by_default_all_become_orange_star_and_blue_moon_in_random_order() -> None:
    seen = set()
    for seed in range(20):
        after = names(tw.shape(towns(*OLD), "countries", seed=seed))
        one = after[0].removesuffix(" city")
        other = {"orange star": "blue moon", "blue moon": "orange star"}[one]
        assert after[1:] == [f"{other} headquarters", "plain", "city", f"{one} base", f"{other} port"]
        seen.add(one)
    assert seen == {"orange star", "blue moon"}


def test_more_countries_are_assigned_evenly() -> None:
    four = ["green earth city", "jade sun city", "red fire city", "black hole city"]
    after = names(tw.shape(towns(*four), "countries"))
    assert sorted(after) == ["blue moon city"] * 2 + ["orange star city"] * 2


def test_an_explicit_mapping_also_to_and_from_neutral() -> None:
    after = tw.shape(towns(*OLD), "countries", of="ge,js", to=("rf", "Neutral"), shuffle=False)
    assert names(after) == ["red fire city", "city", "plain", "city", "red fire base", "port"]
    assert names(tw.shape(towns("city", "lab"), "countries", of=["neutral"], to=["os"])) == [
        "orange star city",
        "orange star lab",
    ]
    swapped = tw.shape(towns("orange star city", "blue moon lab"), "countries", of="os,bm", to="bm,os", shuffle=False)
    assert names(swapped) == ["blue moon city", "orange star lab"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"to": ["blue mon"]}, "countries: to: unknown country 'blue mon'; did you mean 'blue moon'"),
        ({"of": ["zz"]}, "countries: of: unknown country 'zz'"),
        ({"of": ["os", "orange star"]}, "countries: of: must contain each country once, got 'orange star' twice"),
        ({"to": []}, "countries: to: must have at least 1 values"),
    ],
)
def test_bad_params_are_refused_in_one_line(params: dict[str, Any], message: str) -> None:
    with refused(message):
        tw.shape(towns(*OLD), "countries", **params)


def test_a_building_that_the_other_country_lacks_is_refused() -> None:
    few = tw.core.tileset.Tileset.validate(
        {
            "name": "few",
            "tiles": [
                {"name": "a", "kind": "city", "country": "red"},
                {"name": "b", "kind": "fort", "country": "red"},
                {"name": "c", "kind": "city", "country": "blue"},
            ],
        }
    )
    cities = TileMap([[0, 2, 0]], few)
    assert tw.shape(cities, "countries", of="red", to="blue").cells.tolist() == [[2, 2, 2]]
    with pytest.raises(tw.InvalidRecipe, match="countries: to: blue has no 'fort' in tileset 'few'"):
        tw.shape(TileMap([[1]], few), "countries", of="red", to="blue")


def test_a_tileset_without_countries_is_not_changed_unless_some_are_given() -> None:
    caves = tw.make("caves", width=5, height=5, seed=1)
    assert np.array_equal(tw.shape(caves, "countries").cells, caves.cells)
    with pytest.raises(tw.InvalidRecipe, match="countries: of: tileset 'cave' has no countries"):
        tw.shape(caves, "countries", of=["os"])
