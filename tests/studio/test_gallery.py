"""Variations of the gallery: other seeds and sweeps of a parameter."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tilewright.core.errors import TilewrightError
from tilewright.core.landmarks import LandmarkEdits
from tilewright.core.registry import shapers, techniques
from tilewright.studio.gallery.export import name_file
from tilewright.studio.gallery.state import Gallery
from tilewright.studio.gallery.variations import (
    COUNT,
    SWEPT_MEASURE,
    Knob,
    Variation,
    draw_seeds,
    draw_thumbnail,
    find_swept_knob,
    list_knobs,
    list_variations,
    make_variation,
    sweep_knob,
    vary_seeds,
)
from tilewright.studio.jobs import CancelToken
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"width": 20, "height": 12}
LOCKED = [[3, 4, "floor"], [5, 6, "wall"]]


def find_knob(state: State, key: str) -> Knob:
    return next(one for one in list_knobs(state) if one.key == key)


def make_state(**words: Any) -> State:
    return State.from_recipe({"technique": "caves", "params": SMALL, "seed": 7, **words})


def test_variations_of_the_seed_differ_only_in_the_seed() -> None:
    seeds = draw_seeds(0)
    assert len(set(seeds)) == COUNT
    varied = vary_seeds(make_state(shaping=["border"], locks=LOCKED), seeds)
    assert [one.state.seed for one in varied] == seeds
    assert [one.caption for one in varied] == [f"seed {seed}" for seed in seeds]
    for one in varied:
        assert one.state.effective == {**make_state(shaping=["border"], locks=LOCKED).effective, "seed": one.state.seed}


def test_seeds_are_derived_from_one_number() -> None:
    assert draw_seeds(5) == draw_seeds(5)
    assert not {*draw_seeds(5)} & {*draw_seeds(6)}


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"roll": 123},
        {"what": "knob"},
        {"what": "knob", "knob": "walls", "low": 0.3, "high": 0.6},
        {"what": "knob", "knob": "0.thickness", "low": 1, "high": 3, "same_seed": False, "roll": 9},
        {"what": "knob", "knob": "outside", "same_seed": False},
        {"pinned": (5, 6), "stars": ("seed 5", "seed 6"), "size": 200},
    ],
    ids=str,
)
def test_a_link_reopens_the_same_variations(chosen: dict[str, Any]) -> None:
    now = make_state(shaping=["border"]).with_gallery(**chosen)
    reopened = State.from_link(now.to_link())
    assert reopened.gallery == now.gallery
    assert list_variations(reopened) == list_variations(now)


def test_the_chosen_parameter_is_swept() -> None:
    chosen = make_state().with_gallery(what="knob", knob="walls", low=0.3)
    assert [one.swept_value for one in list_variations(chosen)] == find_knob(chosen, "walls").list_values(0.3, 0.6)
    assert {one.state.seed for one in list_variations(chosen)} == {7}
    assert [one.state.seed for one in list_variations(chosen.with_gallery(same_seed=False))] == draw_seeds(0)


def test_an_unknown_parameter_is_replaced_by_another_with_its_default_range() -> None:
    unknown = State.from_recipe({"technique": "bsp"}).with_gallery(what="knob", knob="walls", low=0.3, high=0.6)
    found = find_swept_knob(unknown)
    assert found is not None
    assert found.key not in ("walls", "width", "height")
    assert found.choose_range(unknown.gallery) == found.span


def test_extreme_ranges_have_variations() -> None:
    for low, high in ((-1e15, 1e15), (5, 5), (0.1, 0.1 + 1e-16)):
        varied = list_variations(make_state().with_gallery(what="knob", knob="walls", low=low, high=high))
        assert 1 <= len(varied) <= COUNT


def test_locks_stay_also_if_the_map_was_not_made_with_them() -> None:
    pending = State(make_state().recipe, locks=make_state(locks=LOCKED).locks)
    for one in vary_seeds(pending, draw_seeds(0, 3)):
        found = tw.run(one.state.effective)
        assert (found.cells[4, 3], found.cells[6, 5]) == (found.tileset.id("floor"), found.tileset.id("wall"))


def test_a_number_is_swept_evenly() -> None:
    walls = find_knob(make_state(), "walls")
    values = walls.list_values(0.3, 0.6)
    assert (values[0], values[-1], len(values)) == (0.3, 0.6, COUNT)
    assert values == sorted(values)
    assert walls.list_values(0.6, 0.3) == values[::-1]
    assert walls.list_values(0.5, 0.5) == [0.5]


def test_integers_are_swept_without_repeats() -> None:
    assert find_knob(make_state(), "steps").list_values(0, 12) == list(range(13))
    wide = find_knob(make_state(), "width").list_values(8, 200)
    assert len(wide) == COUNT
    assert all(isinstance(value, int) for value in wide)


def test_all_choices_and_switches_are_swept() -> None:
    assert find_knob(make_state(), "outside").list_values(0, 0) == ["wall", "floor"]
    assert find_knob(make_state(), "wrap").list_values(0, 0) == [False, True]
    varied = sweep_knob(make_state(), find_knob(make_state(), "wrap"), (0, 0), draw_seeds(0), same_seed=True)
    assert [one.caption for one in varied] == ["wrap off", "wrap on"]
    assert [one.state.params["wrap"] for one in varied] == [False, True]


def test_with_the_same_seed_only_the_parameter_varies() -> None:
    varied = sweep_knob(make_state(), find_knob(make_state(), "walls"), (0.3, 0.6), draw_seeds(0), same_seed=True)
    assert {one.state.seed for one in varied} == {7}
    assert [one.state.params["walls"] for one in varied] == [one.swept_value for one in varied]


def test_with_other_seeds_there_are_24_variations() -> None:
    seeds = draw_seeds(0)
    varied = sweep_knob(make_state(), find_knob(make_state(), "outside"), (0, 0), seeds, same_seed=False)
    assert [one.state.seed for one in varied] == seeds
    captions = ["outside wall"] * 12 + ["outside floor"] * 12
    assert [one.caption for one in varied] == [
        f"{caption} · seed {seed}" for caption, seed in zip(captions, seeds, strict=True)
    ]
    steps = sweep_knob(make_state(), find_knob(make_state(), "steps"), (0, 12), seeds, same_seed=False)
    assert {one.swept_value for one in steps} == set(range(13))


def test_disabled_shapers_have_no_parameters_to_sweep() -> None:
    shaped = make_state(shaping=["border", {"connect": {"thickness": 2}}])
    keys = {one.key for one in list_knobs(shaped)}
    assert {"0.thickness", "1.thickness", "walls"} <= keys
    assert not {key for key in keys if key.endswith(".tile")}
    found = find_knob(shaped, "1.thickness")
    assert (found.label, found.value) == ("connect: thickness", 2)
    assert found.apply(shaped, 4).recipe["shaping"] == ["border", {"connect": {"thickness": 4}}]
    assert find_knob(shaped, "0.thickness").apply(shaped, 3).recipe["shaping"][0] == {"border": {"thickness": 3}}
    off = State(shaped.recipe, off=(0,))
    assert "0.thickness" not in {one.key for one in list_knobs(off)}
    assert find_knob(off, "1.thickness").apply(off, 3).effective["shaping"] == [{"connect": {"thickness": 3}}]


@pytest.mark.parametrize("name", techniques.names())
def test_every_parameter_has_values_in_its_default_range(name: str) -> None:
    shaping: list[dict[str, Any]] = [{shaper: {}} for shaper in shapers.names()]
    for one in list_knobs(State({"technique": name, "shaping": shaping})):
        low, high = one.span if one.is_number else (0, 0)
        values = one.list_values(low, high)
        assert 1 < len(values) <= COUNT, one.key


def test_an_invalid_recipe_has_no_parameters_to_sweep() -> None:
    assert list_knobs(State({"technique": "nonsense", "shaping": ["nonsense", {}]})) == []


def test_a_variation_is_made_measured_and_drawn() -> None:
    (one,) = sweep_knob(make_state(), find_knob(make_state(), "walls"), (0.4, 0.4), draw_seeds(0), same_seed=True)
    found = make_variation(one, CancelToken(Settings()))
    assert found.numbers is not None
    assert found.numbers[SWEPT_MEASURE] == 0.4
    expected = tw.measure(tw.make("caves", **SMALL, walls=0.4, seed=7), "floor_share")
    assert found.numbers["floor_share"] == expected["floor_share"]
    assert found.picture.startswith("data:image/png;base64,")


def test_pictures_and_numbers_have_the_edited_markers() -> None:
    state = make_state(params=SMALL)
    edits = LandmarkEdits.from_data({"markers": [[None, ["boss", 3, 4]]]})
    plain, edited = (
        make_variation(Variation(one, ""), CancelToken(Settings())) for one in (state, replace(state, landmarks=edits))
    )
    assert plain.picture != edited.picture
    assert edited.numbers is not None
    assert edited.numbers["markers.boss"] == 1


def test_a_variation_that_cannot_be_made_raises_an_error() -> None:
    with pytest.raises(TilewrightError, match="walls"):
        make_variation(Variation(make_state(params={**SMALL, "walls": 3}), ""), CancelToken(Settings()))
    with pytest.raises(TilewrightError, match="the limit of this studio"):
        make_variation(
            Variation(make_state(params={"width": 500, "height": 500}), ""), CancelToken(Settings(cells=1000))
        )


@pytest.mark.parametrize("width", [1, 20, 80, 700])
@pytest.mark.parametrize("sprites", [True, False])
def test_pictures_are_small(width: int, sprites: bool) -> None:
    address = draw_thumbnail(tw.make("caves", width=width, height=12, seed=1), sprites=sprites)
    picture = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
    assert max(picture.size) <= 640
    assert picture.width >= min(width, 600)
    if width in (20, 80):
        assert (len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 20) == sprites


def test_favorites_come_before_new_seeds() -> None:
    varied = list_variations(make_state().with_gallery(pinned=(5, 6), roll=3))
    assert [one.state.seed for one in varied] == [5, 6, *draw_seeds(3)]
    assert varied[0].key == "seed 5"


def test_captions_say_what_varies() -> None:
    state = make_state(shaping=["border"]).with_gallery(what="knob", knob="walls")
    assert list_variations(state)[0].caption == "walls 0.3"
    assert list_variations(state)[0].key == "walls 0.3 seed 7"
    first = list_variations(state.with_gallery(knob="0.thickness", same_seed=False))[0]
    assert first.caption == first.key == f"border: thickness 1 · seed {draw_seeds(0)[0]}"


@pytest.mark.parametrize("name", [entry.name for entry in techniques])
def test_the_default_parameter_is_the_main_one_and_never_a_size(name: str) -> None:
    found = find_swept_knob(State.from_recipe({"technique": name}))
    main = techniques.get(name).main_param
    assert found is None if not main else found is not None and found.key == main and found.field.group != "size"


@pytest.mark.parametrize(
    "gallery", [{"stars": 3}, {"stars": [3]}, {"stars": ["a"] * 201}, {"pinned": [-1]}, {"size": 5}, {"size": 1e9}]
)
def test_hostile_settings_are_refused(gallery: dict[str, Any]) -> None:
    with pytest.raises(TilewrightError, match="gallery"):
        Gallery.from_link({"gallery": gallery}, "gallery")


def test_files_of_an_export_have_plain_names() -> None:
    names = [name_file(number, one) for number, one in enumerate(list_variations(make_state()))]
    assert names[0] == f"01-seed-{draw_seeds(0)[0]}"
    odd = Variation(make_state(), "../a b: 0.5 · seed 3")
    assert name_file(9, odd) == "10-a-b-0.5-seed-3"


def test_the_knobs_of_a_recipe_are_swept_first() -> None:
    knobs = {
        "size": {"range": [20, 40], "drives": "params.width"},
        "openness": {"range": [0, 10], "drives": {"params.walls": [0.6, 0.4], "params.steps": [1, 6]}},
    }
    state = make_state(knobs=knobs).with_gallery(what="knob", low=-5.0, knob="knob.openness")
    found = find_swept_knob(make_state(knobs=knobs))
    assert found is not None
    assert (found.key, found.label) == ("knob.openness", "openness")
    varied = list_variations(state)
    assert [one.swept_value for one in varied] == list(range(11))
    assert varied[10].caption == "openness 10"
    assert varied[10].state.params == {**SMALL, "walls": 0.4, "steps": 6}
    assert varied[0].state.recipe["knobs"] == knobs
