"""The gallery's variations: other seeds, a knob swept, and what is shown of each."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

import tilewright as tw
from tilewright.core.errors import TilewrightError
from tilewright.core.registry import shapers, techniques
from tilewright.studio.desk import Ticket
from tilewright.studio.page.variations import (
    COUNT,
    SWEPT,
    Knob,
    Variation,
    knobs_of,
    made,
    of_knob,
    of_seeds,
    picture_of,
    seeds,
    swept_knob,
    variations_of,
)
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"width": 20, "height": 12}
LOCKED = [[3, 4, "floor"], [5, 6, "wall"]]


def knob(state: State, key: str) -> Knob:
    return next(one for one in knobs_of(state) if one.key == key)


def state(**words: Any) -> State:
    return State.of({"technique": "caves", "params": SMALL, "seed": 7, **words})


def test_other_seeds_vary_nothing_but_the_seed() -> None:
    rolled = seeds(0)
    assert len(set(rolled)) == COUNT
    varied = of_seeds(state(shaping=["border"], locks=LOCKED), rolled)
    assert [one.state.seed for one in varied] == rolled
    assert [one.caption for one in varied] == [str(seed) for seed in rolled]
    for one in varied:
        assert one.state.effective == {**state(shaping=["border"], locks=LOCKED).effective, "seed": one.state.seed}


def test_seeds_are_drawn_from_one_number() -> None:
    assert seeds(5) == seeds(5)
    assert not {*seeds(5)} & {*seeds(6)}


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"roll": 123},
        {"what": "knob"},
        {"what": "knob", "knob": "walls", "low": 0.3, "high": 0.6},
        {"what": "knob", "knob": "0.thickness", "low": 1, "high": 3, "same_seed": False, "roll": 9},
        {"what": "knob", "knob": "outside", "same_seed": False},
    ],
    ids=str,
)
def test_a_link_brings_the_same_variations_back(chosen: dict[str, Any]) -> None:
    now = state(shaping=["border"]).varying(**chosen)
    assert variations_of(State.from_link(now.to_link())) == variations_of(now)


def test_what_is_swept_is_what_was_chosen() -> None:
    chosen = state().varying(what="knob", knob="walls", low=0.3)
    assert [one.swept for one in variations_of(chosen)] == knob(chosen, "walls").values(0.3, 0.6)
    assert {one.state.seed for one in variations_of(chosen)} == {7}
    assert [one.state.seed for one in variations_of(chosen.varying(same_seed=False))] == seeds(0)


def test_a_knob_that_is_not_there_is_another_one_with_its_own_ends() -> None:
    strange = State.of({"technique": "bsp"}).varying(what="knob", knob="walls", low=0.3, high=0.6)
    found = swept_knob(strange)
    assert found is not None
    assert found.key not in ("walls", "width", "height")
    assert found.swept(strange.gallery) == found.span


def test_a_strange_span_fails_where_it_is_made_and_nowhere_else() -> None:
    for low, high in ((-1e15, 1e15), (5, 5), (0.1, 0.1 + 1e-16)):
        varied = variations_of(state().varying(what="knob", knob="walls", low=low, high=high))
        assert 1 <= len(varied) <= COUNT


def test_locks_stay_also_those_that_are_not_yet_built_in() -> None:
    pending = State(state().recipe, locks=state(locks=LOCKED).locks)
    for one in of_seeds(pending, seeds(0, 3)):
        found = tw.run(one.state.effective)
        assert (found.cells[4, 3], found.cells[6, 5]) == (found.tileset.id("floor"), found.tileset.id("wall"))


def test_a_number_is_swept_evenly() -> None:
    walls = knob(state(), "walls")
    values = walls.values(0.3, 0.6)
    assert (values[0], values[-1], len(values)) == (0.3, 0.6, COUNT)
    assert values == sorted(values)
    assert walls.values(0.6, 0.3) == values[::-1]
    assert walls.values(0.5, 0.5) == [0.5]


def test_whole_numbers_stay_whole_and_come_once() -> None:
    assert knob(state(), "steps").values(0, 12) == list(range(13))
    wide = knob(state(), "width").values(8, 200)
    assert len(wide) == COUNT
    assert all(isinstance(value, int) for value in wide)


def test_words_and_switches_are_all_tried() -> None:
    assert knob(state(), "outside").values(0, 0) == ["wall", "floor"]
    assert knob(state(), "wrap").values(0, 0) == [False, True]
    varied = of_knob(state(), knob(state(), "wrap"), (0, 0), seeds(0), same_seed=True)
    assert [one.caption for one in varied] == ["off", "on"]
    assert [one.state.params["wrap"] for one in varied] == [False, True]


def test_with_the_same_seed_only_the_knob_varies() -> None:
    varied = of_knob(state(), knob(state(), "walls"), (0.3, 0.6), seeds(0), same_seed=True)
    assert {one.state.seed for one in varied} == {7}
    assert [one.state.params["walls"] for one in varied] == [one.swept for one in varied]


def test_with_other_seeds_the_page_is_full() -> None:
    rolled = seeds(0)
    varied = of_knob(state(), knob(state(), "outside"), (0, 0), rolled, same_seed=False)
    assert [one.state.seed for one in varied] == rolled
    assert [one.caption for one in varied] == ["wall"] * 12 + ["floor"] * 12
    steps = of_knob(state(), knob(state(), "steps"), (0, 12), rolled, same_seed=False)
    assert {one.swept for one in steps} == set(range(13))


def test_shapers_have_knobs_unless_they_are_off() -> None:
    shaped = state(shaping=["border", {"connect": {"thickness": 2}}])
    keys = {one.key for one in knobs_of(shaped)}
    assert {"0.thickness", "1.thickness", "walls"} <= keys
    assert not {key for key in keys if key.endswith(".tile")}
    found = knob(shaped, "1.thickness")
    assert (found.label, found.value) == ("connect: thickness", 2)
    assert found.set(shaped, 4).recipe["shaping"] == ["border", {"connect": {"thickness": 4}}]
    assert knob(shaped, "0.thickness").set(shaped, 3).recipe["shaping"][0] == {"border": {"thickness": 3}}
    off = State(shaped.recipe, off=(0,))
    assert "0.thickness" not in {one.key for one in knobs_of(off)}
    assert knob(off, "1.thickness").set(off, 3).effective["shaping"] == [{"connect": {"thickness": 3}}]


@pytest.mark.parametrize("name", techniques.names())
def test_every_knob_has_values_from_where_it_begins(name: str) -> None:
    shaping: list[dict[str, Any]] = [{shaper: {}} for shaper in shapers.names()]
    for one in knobs_of(State({"technique": name, "shaping": shaping})):
        low, high = one.span if one.is_number else (0, 0)
        values = one.values(low, high)
        assert 1 < len(values) <= COUNT, one.key


def test_a_broken_recipe_has_no_knobs_and_no_trace() -> None:
    assert knobs_of(State({"technique": "nonsense", "shaping": ["nonsense", {}]})) == []


def test_a_variation_is_made_measured_and_drawn() -> None:
    (one,) = of_knob(state(), knob(state(), "walls"), (0.4, 0.4), seeds(0), same_seed=True)
    found = made(one, Ticket(Settings()))
    assert found.numbers is not None
    assert found.numbers[SWEPT] == 0.4
    expected = tw.measure(tw.make("caves", **SMALL, walls=0.4, seed=7), "floor_share")
    assert found.numbers["floor_share"] == expected["floor_share"]
    assert found.picture.startswith("data:image/png;base64,")


def test_what_cannot_be_made_says_so_in_one_line() -> None:
    with pytest.raises(TilewrightError, match="walls"):
        made(Variation(state(params={**SMALL, "walls": 3}), ""), Ticket(Settings()))
    with pytest.raises(TilewrightError, match="this studio takes"):
        made(Variation(state(params={"width": 500, "height": 500}), ""), Ticket(Settings(cells=1000)))


@pytest.mark.parametrize("width", [1, 20, 80, 700])
@pytest.mark.parametrize("sprites", [True, False])
def test_pictures_are_small(width: int, sprites: bool) -> None:
    address = picture_of(tw.make("caves", width=width, height=12, seed=1), sprites=sprites)
    picture = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
    assert max(picture.size) <= 320
    assert picture.width >= min(width, 300)
