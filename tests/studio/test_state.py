"""State: changes return new states, and links and the page's URL store all of it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from nicegui import ui

from tests.cases import read_table
from tests.refusals import refused
from tests.studio.nowhere import nowhere
from tilewright.core.errors import ANOTHER_SEED, BadFile, Fix, InvalidRecipe, TilewrightError, TooLarge
from tilewright.core.grid import FREE, Grid
from tilewright.core.locks import Locks
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset
from tilewright.studio.example.state import SampleState
from tilewright.studio.gallery.state import Gallery
from tilewright.studio.jobs import JobQueue
from tilewright.studio.page.url_state import UrlState
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import MAX_LINK_LENGTH, MAX_STATE_BYTES, State, ViewSettings

RECIPE = {"technique": "caves", "seed": 7, "params": {"width": 30, "height": 12}, "shaping": [{"flip": {}}, "connect"]}
TILES = Tileset.validate({"name": "own", "tiles": [{"name": "ice"}, {"name": "lava", "passable": False}]})
SAMPLE = TileMap(np.eye(5, dtype=np.uint8), TILES)
LOCKS = Locks.of([[3, 1, "wall"], [4, 1, "floor"]])
OWN_EXAMPLE = SampleState(
    name="mine", sample=SAMPLE, width=20, height=10, seed="any text", wrap="x", wrap_sample="xy",
    knobs={"wfc": {"symmetry": 8}},
)  # fmt: skip
SWEEP = Gallery(
    what="knob", knob="1.thickness", low=-0.5, high=3, same_seed=False, roll=10**9 - 1, x="the knob", y="cells",
    sort="regions", most_first=False,
)  # fmt: skip
PAINTED = Grid(["floor", "wall"], np.where(np.eye(12, 30, dtype=bool), 1, FREE))


def encode(data: Any) -> str:
    plain = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(zlib.compress(plain)).decode().rstrip("=")


# -- links ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        State(),
        State.from_recipe(RECIPE),
        State.from_recipe({**RECIPE, "seed": "a village at night"}),
        replace(State.from_recipe(RECIPE), locks=LOCKS),
        replace(State.from_recipe(RECIPE), locks=LOCKS).with_recipe(),
        replace(State.from_recipe(RECIPE).with_recipe(locks=LOCKS.to_data()), locks=None),
        replace(State.from_recipe(RECIPE), painted=PAINTED),
        replace(State.from_recipe(RECIPE), off=(0,)),
        State(view_settings=ViewSettings(tab="gallery", sprites=False, grid=True, overlay="hot-path,slack=8")),
        State(example=SampleState().with_built_in("bricks")),
        State(example=SampleState().with_built_in("awbw/round-lake")),
        State(example=OWN_EXAMPLE),
        State(gallery=Gallery(roll=123)),
        State(gallery=SWEEP),
        State(example=SampleState().with_knob("patterns", "pattern_sizes", [2, 3]).with_knob("wfc", "relax", True)),
    ],
    ids=lambda state: state.to_link()[-12:],
)
def test_a_link_reopens_the_state(state: State) -> None:
    link = state.to_link()
    assert State.from_link(link) == state
    assert set(link) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert State.from_link(link).to_link() == link


def test_a_link_keeps_the_tileset_of_a_sample() -> None:
    found = State.from_link(State(example=SampleState().with_sample(SAMPLE, "mine")).to_link()).example.sample
    assert found is not None
    assert found.tileset == TILES
    assert not found.tileset[1].passable


def test_a_default_state_has_a_short_link() -> None:
    assert len(State().to_link()) < 80
    assert len(State(gallery=Gallery(roll=123_456_789)).to_link()) < 110


def test_a_state_that_is_too_large_for_a_link_is_refused() -> None:
    noise = np.random.default_rng(1).integers(0, 200, (1000, 1000))
    painted = Grid([f"tile {number}" for number in range(200)], noise)
    with pytest.raises(TooLarge, match=r"^a link must have at most 1,048,576 characters, got 1,\d{3},\d{3}"):
        replace(State.from_recipe(RECIPE), painted=painted).to_link()


@pytest.mark.parametrize("cut", [1, 5, 20, 60])
def test_an_incomplete_link_is_refused(cut: int) -> None:
    check_refusal(State.from_recipe(RECIPE).to_link()[:-cut], "incomplete")


@pytest.mark.parametrize(
    "text",
    ["", "not a link", "AAAA", "é" * 8, "====", "A" * (MAX_LINK_LENGTH + 1), encode(b"not json"), encode(b"\xff\xfe")],
    ids=["empty", "words", "letters", "accents", "padding", "long", "no json", "no text"],
)
def test_invalid_links_are_refused(text: str) -> None:
    check_refusal(text, "not a link of this studio")


def test_a_link_that_unpacks_to_too_much_is_refused() -> None:
    check_refusal(encode(b'{"v":1,"recipe":{}}' + b" " * MAX_STATE_BYTES), "incomplete")
    check_refusal(encode(b"[" * 30_000), "not a link of this studio")
    check_refusal(encode(b"[" * 200_000), "at most 32,768 lists and objects")


@pytest.mark.parametrize("version", [0, 2, "1", None, [1], 1.5])
def test_another_version_is_named(version: Any) -> None:
    check_refusal(encode({"v": version, "recipe": RECIPE}), "another version")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        *read_table(__file__, "a hostile link gives one line"),
        ({"v": 1, "recipe": {}, "locks": [[10**30, 1, "wall"]]}, ""),
        ({"v": 1, "recipe": {}, "gallery": {"knob": "x" * 1000}}, "knob"),
        ({"v": 1, "recipe": {}, "gallery": {"high": 10**400}}, "401 digits"),
        ({"v": 1, "recipe": {}, "example": {"name": "x" * 1000}}, "name"),
        ({"v": 1, "recipe": {}, "example": {"sample": {**Grid.of(["ab"]).to_data(), "tileset": "cave"}}}, "unknown"),
        (
            {"v": 1, "recipe": {}, "example": {"sample": {**Grid.of(["#?"]).to_data(), "tileset": "cave"}}},
            "no free cells",
        ),
    ],
)
def test_a_hostile_link_gives_one_line(data: Any, line: str) -> None:
    check_refusal(encode(data), line)


@pytest.mark.parametrize(
    "parts",
    [
        {"recipe": {"technique": "caves", "seed": "\ud800"}},
        {"recipe": {"technique": "caves", "params": {"\udfff": 1}}},
        {"look": {"overlay": "\ud800x"}},
        {"recipe": {"technique": "caves", "shaping": ["\ud83d\ud83d"]}},
    ],
)
def test_half_a_surrogate_pair_in_a_link_is_refused(parts: Any) -> None:
    check_refusal(encode({"v": 1, "recipe": RECIPE, **parts}), "not a link of this studio")
    complete = {"v": 1, "recipe": {**RECIPE, "seed": "\U0001f5fa"}}
    assert State.from_link(encode(complete)).seed == "\U0001f5fa"


@pytest.mark.parametrize(
    "part", [b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xc0\x80", b"\xff", b"\xf5\x80\x80\x80"]
)
def test_bytes_in_a_link_must_be_utf8(part: bytes) -> None:
    """`json.loads` accepts half a surrogate pair in bytes, which no file, link or page can hold."""
    plain = b'{"v":1,"recipe":{"technique":"caves","seed":"%s"}}'
    assert State.from_link(encode(plain % b"a")).seed == "a"
    check_refusal(encode(plain % part), "not a link of this studio")
    check_refusal(encode((plain % b"a").decode().encode("utf-16")), "not a link of this studio")


def test_a_link_has_a_limited_number_of_shapers() -> None:
    check_refusal(encode({"v": 1, "recipe": {"technique": "caves", "shaping": ["flip"] * 300}}), "at most 256 shapers")


@pytest.mark.parametrize("look", [3, [], {"tab": "admin"}, {"tab": 3}, {"grid": "yes"}, {"strange": 1}])
def test_invalid_view_settings_are_ignored(look: Any) -> None:
    assert State.from_link(encode({"v": 1, "recipe": RECIPE, "look": look})).view_settings == ViewSettings()


def test_unknown_settings_of_the_gallery_are_ignored() -> None:
    found = State.from_link(encode({"v": 1, "recipe": RECIPE, "gallery": {"roll": 3, "tab": "admin", "": []}}))
    assert found.gallery == Gallery(roll=3)


def test_unknown_parameters_of_by_example_are_ignored() -> None:
    knobs = {"wfc": {"symmetry": 8, "rules": "/etc/passwd"}, "rooms": {"rooms": 3}}
    found = State.from_link(encode({"v": 1, "recipe": RECIPE, "example": {"knobs": knobs}}))
    assert found.example.knobs == {"wfc": {"symmetry": 8}}


def check_refusal(link: str, line: str) -> None:
    """Assert that a link is refused with one line that contains `line`."""
    with refused(line, BadFile, start="the link cannot be opened: ", limit=600):
        State.from_link(link)


# -- changes ----------------------------------------------------------------------------------------------------


def test_a_changed_recipe_gets_the_locks_and_drops_painted_cells() -> None:
    pending = replace(State.from_recipe(RECIPE), locks=LOCKS, painted=PAINTED)
    assert pending.is_pending
    changed = pending.with_recipe(seed=8)
    assert not changed.is_pending
    assert changed.painted is None
    assert changed.locks == LOCKS
    assert Locks.of(changed.recipe["locks"]) == LOCKS
    assert changed.seed == 8
    assert "locks" not in pending.recipe


def test_removed_locks_leave_the_recipe_when_the_map_is_made_again() -> None:
    locked = replace(State.from_recipe(RECIPE), locks=LOCKS).with_recipe()
    unlocked = replace(locked, locks=None)
    assert unlocked.is_pending
    assert "locks" not in unlocked.with_recipe().recipe


def test_a_key_that_is_none_is_removed() -> None:
    assert "shaping" not in State.from_recipe(RECIPE).with_recipe(shaping=None).recipe
    assert State.from_recipe(RECIPE).recipe == RECIPE


def test_params_are_changed_one_by_one() -> None:
    assert State.from_recipe(RECIPE).with_params(walls=0.4).params == {"width": 30, "height": 12, "walls": 0.4}


def test_disabled_shapers_are_not_part_of_the_effective_recipe() -> None:
    assert replace(State.from_recipe(RECIPE), off=(0,)).effective["shaping"] == ["connect"]
    assert "shaping" not in replace(State.from_recipe(RECIPE), off=(0, 1)).effective


def test_a_fix_finds_its_shaper_among_disabled_ones() -> None:
    recipe = {"technique": "caves", "shaping": ["border", {"replace": {}}, "doors", {"connect": {"thickness": 0}}]}
    state = replace(State.from_recipe(recipe), off=(0, 2))
    assert state.apply_fix(Fix("set", ("shaping", 1, "connect", "thickness"), 2)).effective["shaping"][1] == {
        "connect": {"thickness": 2}
    }
    fewer = state.apply_fix(Fix("remove", ("shaping", 0, "replace")))
    assert fewer.recipe["shaping"] == ["border", "doors", {"connect": {"thickness": 0}}]
    assert fewer.off == (0, 1)


@pytest.mark.parametrize(
    ("fix", "params"),
    [
        (Fix("set", ("params", "walls"), 1), {"walls": 1, "widht": 9}),
        (Fix("use", ("params", "widht"), "width"), {"walls": 3, "width": 9}),
        (Fix("remove", ("params", "widht")), {"walls": 3}),
    ],
)
def test_a_fix_changes_the_params(fix: Fix, params: Any) -> None:
    state = State.from_recipe({"technique": "caves", "params": {"walls": 3, "widht": 9}})
    assert state.apply_fix(fix).params == params


def test_fixes_of_seed_and_locks() -> None:
    state = State.from_recipe({"technique": "caves", "seed": 7, "locks": [[1, 1, "wall"]]})
    assert state.apply_fix(ANOTHER_SEED).seed != 7
    assert "locks" not in state.apply_fix(Fix("remove", ("locks",))).effective


def test_a_recipe_opens_with_its_locks() -> None:
    state = State.from_recipe({**RECIPE, "locks": [[3, 1, "wall"]]})
    assert state.locks == Locks.of([[3, 1, "wall"]])
    assert not state.is_pending


def test_renamed_parameters_have_their_present_names() -> None:
    recipe = {
        "technique": "noise",
        "params": {"feature": 20},
        "shaping": [{"lock_and_key": {"at_least": 2}}, "connect"],
    }
    present = State.from_recipe(recipe)
    assert present.params == {"feature_size": 20}
    assert present.recipe["shaping"] == [{"lock_and_key": {"min_count": 2}}, "connect"]
    assert State.from_link(encode({"v": 1, "recipe": recipe})).recipe == present.recipe
    knobs = {"markov": {"sweeps": 4}}
    found = State.from_link(encode({"v": 1, "recipe": RECIPE, "example": {"knobs": knobs}}))
    assert found.example.knobs == {"markov": {"gibbs_sweeps": 4}}


@pytest.mark.parametrize("shaping", ["connect", {"connect": {}}])
def test_a_single_shaper_needs_no_list(shaping: Any) -> None:
    assert State.from_recipe({"technique": "caves", "shaping": shaping}).effective["shaping"] == [shaping]


def test_bad_locks_are_refused_when_a_recipe_is_opened() -> None:
    with pytest.raises(InvalidRecipe):
        State.from_recipe({**RECIPE, "locks": 3})


def test_opening_another_recipe_keeps_the_view_settings_the_example_and_the_gallery() -> None:
    before = State(
        view_settings=ViewSettings(tab="shape", grid=True),
        example=SampleState().with_built_in("weave"),
        gallery=Gallery(roll=5),
    )
    assert before.open_recipe(RECIPE) == replace(before, recipe=RECIPE)
    seedless = {word: value for word, value in RECIPE.items() if word != "seed"}
    assert before.open_recipe(seedless).seed == before.seed
    assert isinstance(State(seedless).open_recipe(seedless).seed, int)  # chosen at random and stored


NOISE = np.random.default_rng(1).integers(0, 200, (1000, 1000))
HEAVY = replace(State(), painted=Grid([f"tile {number}" for number in range(200)], NOISE))


@pytest.fixture
def session() -> Iterator[Session]:
    queue = JobQueue(Settings())
    yield Session(queue)
    queue.close()


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the scripts that are run in the browser."""
    recorded: list[str] = []
    monkeypatch.setattr(ui, "run_javascript", recorded.append)
    return recorded


def test_the_state_is_written_to_the_url_and_copied(session: Session, scripts: list[str]) -> None:
    lines: list[TilewrightError] = []
    with nowhere():
        url_state = UrlState(session, lines.append)
        url_state.write()
        url_state.write()
        url_state.copy_link()
    link = session.state.to_link()
    assert scripts[0] == f"twWriteState(0, 0, '#{link}')"
    assert len(scripts) == 2
    assert f"'#{link}'" in scripts[1]
    assert lines == []


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (HEAVY, "a link must have at most "),
        (State().with_recipe(seed="\ud83d"), "a link can only contain valid Unicode"),
        (State().with_params(walls=float("nan")), "a link can only contain valid Unicode and finite numbers"),
    ],
    ids=["too large", "half a surrogate pair", "not a number"],
)
def test_a_state_that_no_link_can_hold_is_reported_when_it_is_copied(
    session: Session, scripts: list[str], state: State, line: str
) -> None:
    lines: list[TilewrightError] = []
    with nowhere():
        url_state = UrlState(session, lines.append)
        url_state.write()
        session.state = state
        url_state.write()
        assert len(scripts) == 1
        assert lines == []
        url_state.copy_link()
        assert len(scripts) == 1
        assert len(lines) == 1
        assert str(lines[0]).startswith(line)
        session.state = State.from_recipe({"technique": "maze", "seed": 3})
        url_state.write()
    assert scripts[1:] == [f"twWriteState(0, 0, '#{session.state.to_link()}')"]
