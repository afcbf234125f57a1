"""Controls built from schemas: one for every field of every entry."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect
from pydantic import ConfigDict

import tilewright as tw
from tests.browser import chromium, complaints
from tests.studio.nowhere import element, nowhere, trigger
from tilewright.core.errors import problem
from tilewright.core.fields import fields_by_name, fields_of
from tilewright.core.params import Params, param
from tilewright.core.registry import shapers, techniques
from tilewright.core.tilesets import tilesets
from tilewright.studio.controls import UNSET, Controls
from tilewright.studio.controls.grids import count_states, resize_scores
from tilewright.studio.controls.numbers import fit_borders, read_number
from tilewright.studio.page.widgets import InvalidInput
from tilewright.studio.shape.view import build_initial_params

ENTRIES: dict[str, Any] = {
    f"{kind}-{entry.name}": entry
    for kind, entries in (("technique", tw.list_techniques), ("shaper", tw.list_shapers), ("format", tw.list_formats))
    for entry in entries()
}
TILES = tuple(tilesets.get("terrain"))


def fail_on_change(name: str, value: Any) -> None:
    raise AssertionError(f"{name} was changed to {value!r} without user input")


# -- fields -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENTRIES)
def test_every_field_has_a_control_of_its_own(name: str) -> None:
    kinds = {field.name: field.kind for field in fields_of(ENTRIES[name].params)}
    assert set(kinds) == set(ENTRIES[name].params.model_fields)
    assert [field for field, kind in kinds.items() if kind == "json"] == []


def test_kinds_follow_from_the_schema() -> None:
    def kinds(name: str) -> dict[str, str]:
        return {field.name: field.kind for field in fields_of(ENTRIES[name].params)}

    assert kinds("technique-fashion") == {
        "width": "number",
        "height": "number",
        "start": "map",
        "states": "number",
        "scores": "scores",
        "neighbourhood": "offsets",
        "generations": "number",
        "wrap": "switch",
        "offset": "tuple",
        "morph": "scores",
        "blend": "choice",
        "device": "choice",
    }
    assert kinds("technique-wfc")["sample"] == "maps"
    assert kinds("technique-wfc")["paths"] == "items"
    assert kinds("technique-patterns")["sample_edges"] == "choices"
    assert kinds("shaper-overlay")["recipe"] == "recipe"
    assert kinds("shaper-replace")["tile"] == "tile"


def test_sliders_cover_the_usual_range() -> None:
    for entry in ENTRIES.values():
        for field in fields_of(entry.params):
            if field.kind == "number" and field.span is not None:
                low, high = field.span
                assert high - low <= 1000 or field.typical, (entry.name, field.name)
                assert 0 < field.step <= high - low


class Odd(Params):
    """Unusual types that a plugin may have."""

    anything: Any = param(None)
    either: int | tuple[str, ...] | bool = param(3)
    table: dict[str, int] = param({})
    deep: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...] = param(())
    narrow: int = param(5, ge=5, le=5)
    named: tuple[dict[str, int], ...] = param(())


class Shapeless(Params):
    """A type that pydantic cannot describe."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    what: complex | type | Callable[[], int] = param(1)


def test_unusual_schemas_are_edited_as_json() -> None:
    with nowhere():
        Controls(Odd, {"anything": [1, {"a": None}], "either": True, "deep": "nonsense"}, fail_on_change)
        Controls(Shapeless, {}, fail_on_change)


# -- building and updating --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENTRIES)
def test_controls_of_every_entry_build_and_update_without_reporting_changes(name: str) -> None:
    model = ENTRIES[name].params
    defaults = {field.name: field.default for field in fields_of(model) if field.default is not UNSET}
    with nowhere():
        controls = Controls(model, {}, fail_on_change, tiles=lambda: TILES)
        controls.update(defaults)
        values: list[Any] = [None, "?", -1, 1.5, [], ["a", 1], {}, {"a": {}}, [[1], "b"], True]
        for invalid in values:
            controls.update(dict.fromkeys(model.model_fields, invalid))
        controls.update({})
        controls.mark([problem("is wrong", at=("params", field)) for field in model.model_fields], "params")
        controls.mark([])


def test_controls_are_marked_by_problems() -> None:
    with nowhere():
        params = ENTRIES["technique-caves"].params
        controls = Controls(params, {}, fail_on_change)
        rows = {name: next(element(f"param-{name}-reset").ancestors()) for name in params.model_fields}
        problems = [
            problem("must be at most 1", at=("params", "walls"), got=7),
            problem("must be an integer", at=("params", "offset", 1), got="x"),
            problem("must be more", at=("shaping", 0, "connect", "steps")),
            problem("is odd", at="params"),
        ]
        controls.mark(problems, "params")
        errors = {name: row.props.get("data-error") for name, row in rows.items()}
        marked = {name: error for name, error in errors.items() if error}
        assert marked == {"walls": "must be at most 1, got 7", "offset": "must be an integer, got 'x'"}
        controls.mark([])
        assert not any(row.props.get("data-error") for row in rows.values())


# -- values -----------------------------------------------------------------------------------------------------


class Numbers(Params):
    small: int = param(5, ge=1, le=10)
    share: float = param(0.5)


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1e400", "1.5", "0", "11", "1e30"])
def test_invalid_numbers_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_number(text, fields_by_name(Numbers)["small"])


def test_numbers_are_read() -> None:
    known = fields_by_name(Numbers)
    assert read_number("7", known["small"]) == 7
    assert read_number("0,25", known["share"]) == 0.25


def test_a_resized_matrix_keeps_what_fits() -> None:
    scores = [0.1, 0.2, 0.3, 0.4]
    larger = resize_scores(scores, 3)
    assert count_states(larger) == 3
    assert [larger[0], larger[1], larger[3], larger[4]] == scores
    assert resize_scores(larger, 2) == scores


def test_borders_follow_the_bands() -> None:
    assert fit_borders([0.2, 0.6], "abc", "ac") == [0.2]
    assert fit_borders([0.2, 0.6], "abc", "bc") == [0.6]
    assert fit_borders([0.2, 0.6], "abc", "abcd") == [0.2, 0.6, 0.8]
    assert fit_borders([0.2], "ab", "a") == []


# -- in a browser -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    script = Path(__file__).with_name("controls_page.py")
    # NiceGUI behaves differently if it detects pytest.
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    command = [sys.executable, str(script), str(port)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert server.poll() is None, server.stderr and server.stderr.read()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        errors = server.communicate()[1]
    assert "Traceback" not in errors, errors


@pytest.fixture(scope="module")
def open_page(address: str) -> Iterator[Callable[[str, str], Page]]:
    with chromium() as browser:
        shown = browser.new_page(viewport={"width": 900, "height": 1400})
        found = complaints(shown)

        def go(kind: str, name: str) -> Page:
            shown.goto(f"{address}/?kind={kind}&name={name}")
            shown.wait_for_selector(".tc-form")
            shown.wait_for_function("window.did_handshake")
            return shown

        yield go
        assert found == []


OpenPage = Callable[[str, str], Page]


def wait_for_values(shown: Page, values: dict[str, Any]) -> None:
    """Wait until the values are equal to these."""
    expect(shown.get_by_test_id("values")).to_have_text(json.dumps(values))


def wait_until(shown: Page, check: Callable[[dict[str, Any]], bool], seconds: float = 60) -> None:
    """Wait until the values pass a check."""
    values = shown.get_by_test_id("values")
    end = time.monotonic() + seconds
    while not check(json.loads(values.inner_text())):
        assert time.monotonic() < end, values.inner_text()
        shown.wait_for_timeout(20)


def type_text(shown: Page, test: str, text: str) -> None:
    shown.get_by_test_id(test).fill(text)
    shown.get_by_test_id(test).press("Enter")


def test_typed_text_stays_until_it_is_committed(open_page: OpenPage) -> None:
    shown = open_page("technique", "caves")
    type_text(shown, "param-width", "500")
    wait_for_values(shown, {"width": 500})
    width = shown.get_by_test_id("param-width")
    width.fill("70")
    shown.get_by_test_id("clear").dispatch_event("click")  # a new value arrives while the field has the focus
    wait_for_values(shown, {})
    expect(width).to_have_value("70")
    width.press("Enter")
    wait_for_values(shown, {"width": 70})
    width.fill("90")
    width.press("Escape")
    expect(width).to_have_value("70")
    width.fill("60")
    width.blur()
    wait_for_values(shown, {"width": 60})
    width.press("Control+a")
    width.press_sequentially("1e")  # an invalid number must not restore the default
    width.press("Enter")
    expect(width).to_have_value("60")
    wait_for_values(shown, {"width": 60})


def test_numbers_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("technique", "caves")
    width = shown.get_by_test_id("param-width")
    type_text(shown, "param-width", "500")
    wait_for_values(shown, {"width": 500})
    type_text(shown, "param-width", "999999")
    expect(shown.locator(".tc-wrong")).to_have_attribute("data-error", "must be at most 65536, got 999999")
    wait_for_values(shown, {"width": 500})
    width.press("Escape")
    expect(width).to_have_value("500")
    expect(shown.locator(".tc-wrong")).to_have_count(0)
    type_text(shown, "param-width", "999999")
    expect(shown.locator(".tc-wrong")).to_have_count(1)
    type_text(shown, "param-width", "60")
    expect(shown.locator(".tc-wrong")).to_have_count(0)
    shown.get_by_test_id("param-width-reset").click()
    wait_for_values(shown, {})
    expect(width).to_have_value("80")

    slider = shown.locator(".tc-row:has([data-testid=param-walls]) .q-slider")
    slider.locator(".q-slider__track-container").click(position={"x": 1, "y": 5})
    expect(shown.get_by_test_id("param-walls")).to_have_value(re.compile(r"0\.3\d?"))
    wait_for_values(shown, {"walls": float(shown.get_by_test_id("param-walls").input_value())})
    shown.get_by_test_id("clear").click()
    expect(shown.get_by_test_id("param-walls")).to_have_value("0.45")
    wait_for_values(shown, {})

    type_text(shown, "param-offset", "5")
    expect(shown.locator(".tc-wrong")).to_have_count(0)
    type_text(shown, "param-offset-1", "9")
    wait_for_values(shown, {"offset": [5, 9]})
    type_text(shown, "param-offset", "")
    expect(shown.locator(".tc-wrong")).to_have_attribute("data-error", "must have all values or none")
    shown.get_by_test_id("param-offset").press("Escape")
    expect(shown.get_by_test_id("param-offset")).to_have_value("5")
    expect(shown.locator(".tc-wrong")).to_have_count(0)
    wait_for_values(shown, {"offset": [5, 9]})


def test_words_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("technique", "caves")
    shown.get_by_test_id("param-outside").get_by_text("floor").click()
    wait_for_values(shown, {"outside": "floor"})
    shown.get_by_test_id("param-wrap").click()
    wait_for_values(shown, {"outside": "floor", "wrap": True})
    shown.get_by_test_id("param-offset").fill("3")
    second = shown.get_by_test_id("param-offset-1")
    second.fill("-4")
    second.press("Enter")
    wait_for_values(shown, {"outside": "floor", "wrap": True, "offset": [3, -4]})
    expect(shown.locator(".tc-row:has([data-testid=param-wrap])")).to_have_class("tc-row tc-set tc-wrong")


def test_a_matrix_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("technique", "fashion")
    board = shown.get_by_test_id("param-scores")
    board.locator("> i").nth(1).click()
    cell = shown.get_by_test_id("param-scores-cell")
    expect(cell).to_have_value("0.12")
    cell.fill("0.5")
    cell.press("Enter")
    expect(board.locator("> i").nth(1)).to_have_text("0.5")
    states = shown.get_by_test_id("param-states")
    states.fill("4")
    states.press("Enter")
    expect(board.locator("> i")).to_have_count(16)
    wait_until(
        shown, lambda values: {**values, "scores": values.get("scores", [])[:4]} == {"scores": [0.95, 0.5, 0.41, 0.81]}
    )

    around = shown.get_by_test_id("param-neighbourhood")
    around.get_by_label("2 up, 2 left").click()
    expect(around.locator("[data-on='1']")).to_have_count(5)
    wait_until(shown, lambda values: values.get("neighbourhood", [[]])[-1] == [-2, -2])


def test_a_table_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("technique", "voronoi")
    type_text(shown, "param-kinds-0-weight", "8")
    wait_until(shown, lambda values: "kinds" in values and values["kinds"][0]["weight"] == 8)
    shown.get_by_test_id("param-kinds-1-tile").click()
    shown.locator(".tc-words button", has_text="snow").click()
    expect(shown.get_by_test_id("param-kinds-1-tile")).to_have_text("snow")
    shown.get_by_test_id("param-kinds").get_by_label("remove").nth(2).click()
    expect(shown.get_by_test_id("param-kinds-4-tile")).to_have_count(0)
    wanted = [("grass", 8), ("snow", 4), ("sand", 2), ("water", 2)]
    wait_until(shown, lambda values: [(kind["tile"], kind["weight"]) for kind in values["kinds"]] == wanted)


def test_bands_and_their_borders_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("technique", "noise")
    shown.get_by_test_id("param-more").click()
    shown.get_by_test_id("param-bands").locator("[data-remove]").first.click()
    expect(shown.get_by_test_id("param-thresholds")).to_have_value("0.32, 0.37, 0.58, 0.78, 0.89, 0.965")
    expect(shown.locator(".tc-wrong")).to_have_count(0)
    wait_until(shown, lambda values: values.get("bands", [""])[0] == "water")


def test_a_sample_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("technique", "wfc")
    shown.get_by_test_id("param-sample-choose").click()
    shown.locator(".tc-samples button", has_text="village").click()
    wait_for_values(shown, {"sample": "village"})
    row = shown.locator(".tc-row:has([data-testid=param-sample])")

    def send(name: str, content: bytes) -> None:
        with shown.expect_file_chooser() as chooser:
            row.get_by_role("button", name="Upload").click()
        chooser.value.set_files(FilePayload(name=name, mimeType="text/plain", buffer=content))

    send("bad.txt", b"##\n#")
    expect(row).to_have_attribute("data-error", "bad.txt: row 2 has 1 cells, the first has 2")
    wait_for_values(shown, {"sample": "village"})
    send("good.txt", b"##..\n#..#\n####")
    expect(row).to_contain_text("4x3")
    expect(row).to_have_attribute("data-error", "")
    wait_until(shown, lambda values: isinstance(values["sample"], dict) and values["sample"]["shape"] == [3, 4])


def test_a_recipe_in_the_browser(open_page: OpenPage) -> None:
    shown = open_page("shaper", "overlay")
    text = shown.get_by_test_id("param-recipe-text")
    text.fill("technique: maze\nparams: {braid: 0.5}")
    text.blur()
    wait_for_values(shown, {"recipe": {"technique": "maze", "params": {"braid": 0.5}}})
    text.fill("technique: [")
    text.blur()
    expect(shown.locator(".tc-wrong")).to_have_count(1)
    wait_until(shown, lambda values: values["recipe"]["technique"] == "maze")


# -- new rows ---------------------------------------------------------------------------------------------------


def tables() -> Iterator[tuple[str, str, str]]:
    """Yield every list with an add button: the kind of the entry, its name, and the field."""
    for kind, entries in (("technique", techniques), ("shaper", shapers)):
        for entry in entries:
            skipped = (*getattr(entry, "recipe_keys", ()), "constraints")  # defined by users: there are none at first
            for field in fields_of(entry.params):
                if field.kind == "items" and field.name not in skipped:
                    yield kind, entry.name, field.name


@pytest.mark.parametrize(("kind", "name", "field"), [*tables()])
def test_a_new_row_keeps_the_params_valid(kind: str, name: str, field: str) -> None:
    """Add three rows to the default list and to an empty one."""
    small: dict[str, Any] = {"width": 40, "height": 30}
    for is_emptied in (False, True):
        map = tw.make(name, **small, seed=1) if kind == "technique" else tw.make("caves", **small, seed=1)
        values: dict[str, Any] = {} if kind == "technique" else build_initial_params(name, tuple(map.tileset))

        def change(param: str, value: Any, values: dict[str, Any] = values) -> None:
            values.pop(param, None)
            if value is not UNSET:
                values[param] = value

        params = ENTRIES[f"{kind}-{name}"].params
        with nowhere():
            tiles = tuple(map.tileset)
            controls = Controls(params, values, change, tiles=partial(tuple, tiles))
            if is_emptied:
                controls.update({**values, field: []})
            for count in range(1, 4):
                trigger(element(f"param-{field}-add"), "click")
                params.validate(values)
                assert len(values[field]) >= count
                if kind == "technique":
                    tw.make(name, seed=1, **{**small, **values})
                else:
                    tw.shape(map, name, seed=1, **values)


def test_tables_show_fractions_of_weights() -> None:
    values: dict[str, Any] = {}
    with nowhere():
        controls = Controls(ENTRIES["technique-voronoi"].params, values, values.__setitem__, tiles=lambda: TILES)
        kinds = [{"tile": "grass", "weight": 1}, {"tile": "sand"}, {"tile": "snow", "weight": 298}]
        controls.update({"kinds": kinds})
        rows = [row for row in element("param-kinds") if "tc-item" in row.classes]
        assert [row.props["data-share"] for row in rows] == ["<1%", "<1%", "99%"]


def test_a_table_of_biomes_starts_with_the_bands_and_moves_the_borders() -> None:
    values: dict[str, Any] = {"bands": ["water", "grass"], "thresholds": [0.3]}
    with nowhere():
        Controls(ENTRIES["technique-noise"].params, values, values.__setitem__, tiles=lambda: TILES)
        trigger(element("param-biomes-add"), "click")
        assert (values["biomes"], values["thresholds"]) == ([["water"], ["grass"]], [0.3])
        trigger(element("param-biomes-add"), "click")
        assert (values["biomes"], values["thresholds"]) == ([["water"], ["grass"], ["grass"]], [0.3, 0.65])
        for _ in range(3):
            trigger(element("param-biomes-0-remove"), "click", "remove")
        assert (values["biomes"], values["thresholds"]) == (UNSET, [0.5])


def test_a_new_row_has_an_unused_tile() -> None:
    values: dict[str, Any] = {"tile": "deep", "by": "water"}
    with nowhere():
        Controls(ENTRIES["shaper-replace"].params, values, values.__setitem__, tiles=lambda: TILES)
        for _ in range(2):
            trigger(element("param-pairs-add"), "click")
        assert values["pairs"] == [["sand", "deep"], ["grass", "deep"]]
