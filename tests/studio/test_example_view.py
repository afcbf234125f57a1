"""By example: recipes, samples, trials, suggestions and the view."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from nicegui import Client, core, ui
from PIL import Image

import tilewright as tw
from tests.cases import read_table
from tests.studio.nowhere import element, trigger
from tests.studio.test_jobs import TestFunction, supply
from tilewright.core.errors import ANOTHER_SEED, GaveUp, InvalidRecipe, TilewrightError, TooLarge, problem
from tilewright.studio import operations
from tilewright.studio.example.card import render_fitness_curve
from tilewright.studio.example.state import (
    SampleState,
    as_sample,
    clear_sample,
    find_most_common,
    flip_sample,
    list_techniques,
    load_built_in,
    paint_sample,
    resize_sample,
    with_tile,
)
from tilewright.studio.example.trial import TrialPreview, TrialResult, draw_picture, list_suggestions, run_trial
from tilewright.studio.example.view import ExampleView
from tilewright.studio.jobs import Cancelled, CancelToken, JobQueue
from tilewright.studio.map.payloads import encode_array
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import State, ViewSettings

TECHNIQUES = list_techniques()
SETTINGS = Settings(workers=2)
QUICK = SampleState(width=16, height=12).with_knob("patterns", "iterations", 10_000)
LARGE = QUICK.replace(width=48, height=32)


def drawing(*rows: str) -> tw.TileMap:
    """Return an uploaded sample."""
    return as_sample(operations.read_upload("\n".join(rows).encode(), "river.txt", SETTINGS))


OWN = drawing("........", ".~~~....", "...~....", "...~~~~.", "......~.", "......~.", "........")


def run(example: SampleState, technique: str, previews: list[TrialPreview] | None = None) -> TrialResult:
    return run_trial(example, technique, CancelToken(SETTINGS), (previews if previews is not None else []).append)


def test_edges_follow_the_samples_declaration() -> None:
    example = QUICK.with_built_in("platforms")
    assert example.sample_edges == ("top", "bottom")
    assert example.build_recipe("wfc")["params"]["sample_edges"] == ["top", "bottom"]
    assert example.build_recipe("patterns")["params"]["sample_edges"] == ["top", "bottom"]
    assert "sample_edges" not in example.build_recipe("markov")["params"]
    assert "sample_edges" not in example.replace(wrap="y").build_recipe("wfc")["params"]
    assert SampleState.from_data(example.to_data()) == example
    assert example.with_built_in("dungeon").sample_edges == ()
    assert example.with_sample(OWN, "own").sample_edges == ()
    framed = tw.shape(tw.make("caves", width=12, height=9, walls=0.0, seed=1), "border")
    assert example.with_sample(framed, "own").sample_edges == ("left", "right", "top", "bottom")
    with pytest.raises(InvalidRecipe, match="sample_edges: must be some of left, right, top, bottom, got 'up'"):
        SampleState.from_data({"sample_edges": "up"})


def test_a_copy_of_the_sample_is_reported_on_the_card() -> None:
    rows = ["".join(chr(0x100 + 10 * row + column) for column in range(10)) for row in range(10)]
    found = run(QUICK.replace(sample=drawing(*rows), width=10, height=10), "wfc")
    assert len(found.warnings) == 1
    assert "nearly a copy of the sample" in found.warnings[0]
    assert run(QUICK, "wfc").warnings == ()


def size_of(picture: str) -> tuple[int, int]:
    head, _, packed = picture.partition(",")
    assert head == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(packed))).size


# -- recipes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("name", ["dungeon", "bricks", "awbw/round-lake"])
def test_a_copy_of_a_built_in_sample_makes_the_same_map(technique: str, name: str) -> None:
    example = QUICK.with_built_in(name).replace(wrap_sample="xy").with_knob("wfc", "pattern_size", 2)
    copied = example.replace(sample=example.sample_map)
    assert tw.run(copied.build_recipe(technique)) == tw.run(example.build_recipe(technique))


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_an_uploaded_sample_keeps_its_tiles(technique: str) -> None:
    own = with_tile(OWN, "lava", "L", "#ff0000", passable=False)
    map = tw.run(QUICK.with_sample(paint_sample(own, {0: 2}), "river.txt").build_recipe(technique))
    assert map.tileset[map.tileset.id("lava")] == own.tileset[2]
    assert map.shape == (12, 16)


def test_only_techniques_that_can_wrap_get_the_setting() -> None:
    example = QUICK.replace(wrap="xy", wrap_sample="x")
    assert example.build_recipe("wfc")["params"].items() >= {"wrap": "xy", "wrap_sample": "x"}.items()
    assert not {"wrap", "wrap_sample"} & example.build_recipe("markov")["params"].keys()
    assert (example.build_similarity("wfc")["wrap"], example.build_similarity("markov")["wrap"]) == ("xy", "none")


def test_parameters_are_set_and_reset() -> None:
    changed = SampleState().with_knob("wfc", "symmetry", 8).with_knob("markov", "gibbs_sweeps", 4)
    assert changed.build_recipe("wfc")["params"]["symmetry"] == 8
    assert "symmetry" not in changed.build_recipe("markov")["params"]
    assert changed.with_knob("wfc", "symmetry", None).with_knob("markov", "gibbs_sweeps", None) == SampleState()
    assert changed.with_default_knobs("wfc").knobs == {"markov": {"gibbs_sweeps": 4}}


def test_techniques_are_listed_with_the_slowest_first() -> None:
    assert TECHNIQUES == ["patterns", "wfc", "markov"]


def test_small_samples_wrap_by_default() -> None:
    assert SampleState().with_built_in("weave").wrap_sample == "xy"
    assert SampleState().with_built_in("weave").with_built_in("village").wrap_sample == "none"
    assert SampleState().with_sample(OWN, "river.txt").wrap_sample == "xy"


# -- samples ------------------------------------------------------------------------------------------------------


def test_painting_ignores_cells_and_tiles_that_do_not_exist() -> None:
    sample = paint_sample(OWN, {0: 1, 9: 0, -1: 1, 10_000: 1, 5: 99})
    assert np.flatnonzero(sample.cells.ravel() != OWN.cells.ravel()).tolist() == [0, 9]
    assert SampleState().with_edited_sample(load_built_in("dungeon")) == SampleState()
    assert SampleState().with_edited_sample(OWN).with_edited_sample(sample).name == "dungeon, changed"


def test_resizing_keeps_the_corner_and_fills_with_the_most_common_tile() -> None:
    larger = resize_sample(OWN, 10, 9)
    assert larger.shape == (9, 10)
    assert (larger.cells[:7, :8] == OWN.cells).all()
    assert (larger.cells[7:] == find_most_common(OWN)).all()
    assert resize_sample(larger, 8, 7) == OWN
    assert resize_sample(load_built_in("keep"), 5, 4).shape == (4, 4, 5)


def test_flipping_exchanges_directional_tiles() -> None:
    for sample in (OWN, load_built_in("awbw/round-lake"), load_built_in("keep")):
        for axis in ("x", "y"):
            assert flip_sample(flip_sample(sample, axis), axis) == sample
    lake = load_built_in("awbw/round-lake")
    assert flip_sample(lake, "x") != tw.TileMap(lake.cells[:, ::-1], lake.tileset)


def test_clearing_leaves_the_most_common_tile() -> None:
    assert set(clear_sample(OWN).cells.ravel().tolist()) == {find_most_common(OWN)}
    assert clear_sample(OWN).tileset == OWN.tileset


def test_new_tiles_get_a_glyph_and_a_color() -> None:
    tile = with_tile(OWN, "lava", "", "", passable=False).tileset[2]
    assert (tile.name, tile.glyph, tile.passable) == ("lava", "l", False)
    assert tile.color not in {one.color for one in OWN.tileset}


@pytest.mark.parametrize(("name", "glyph", "color", "line"), read_table(__file__, "invalid tiles"))
def test_an_invalid_tile_is_refused_in_one_line(name: str, glyph: str, color: str, line: str) -> None:
    with pytest.raises(InvalidRecipe, match="^" + line.replace("?", r"\?")):
        with_tile(OWN, name, glyph, color, passable=True)


def test_samples_that_are_too_large_for_a_link_are_refused() -> None:
    with pytest.raises(TooLarge, match="300x300"):
        as_sample(tw.TileMap(np.zeros((300, 300), dtype=np.uint8), OWN.tileset))


def test_pictures_with_many_colors_are_refused_and_unused_tiles_dropped() -> None:
    many = tw.Tileset.validate({"tiles": [{"name": f"tile {number}"} for number in range(300)]})
    with pytest.raises(TooLarge, match="at most 256 tiles, got 300"):
        as_sample(tw.TileMap(np.arange(300).reshape(15, 20), many))
    few = as_sample(tw.TileMap(np.arange(290, 300).reshape(2, 5), many))
    assert few.tileset.names == many.names[290:]
    assert few.tileset[0].color == many[290].color


# -- trials -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_result_has_pictures_and_the_similarity_to_the_sample(technique: str) -> None:
    found = run(QUICK, technique)
    assert size_of(found.flat) == (16, 12)
    assert size_of(found.sprites) == (16 * 16, 12 * 16)
    map = tw.run(found.recipe)
    numbers = tw.measure(map, "divergence", "sample_distance", like="dungeon")
    assert found.numbers["divergence"] == numbers["divergence"]
    assert found.numbers["sample_distance"] == numbers["sample_distance"]
    low, high = {"wfc": (1.0, 1.0), "patterns": (0.9, 1.0), "markov": (0.0, 0.99)}[technique]
    assert low <= found.numbers["copied_share"] <= high


def test_the_fitness_is_recorded() -> None:
    previews: list[TrialPreview] = []
    found = run(SampleState().replace(width=40, height=30), "patterns", previews)
    done = [progress for progress, _ in found.curve]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0.0, 1.0)
    assert found.curve[0][1] > 4 * found.curve[-1][1]
    assert previews
    assert previews[0].curve == found.curve[: len(previews[0].curve)]
    assert size_of(previews[0].picture) == (40, 30)
    assert run(QUICK, "wfc").curve == ()


def test_a_chart_has_its_first_and_last_value() -> None:
    chart = render_fitness_curve(((0.0, 14.5), (0.5, 2.0), (1.0, 0.0)))
    assert "14.5" in chart
    assert "0.00" in chart
    assert "nan" not in chart
    assert render_fitness_curve(((0.0, 3.0), (1.0, 3.0)))


def test_levels_are_drawn_side_by_side() -> None:
    assert size_of(draw_picture(load_built_in("keep"))) == (4 * 13 + 3, 13)
    assert size_of(draw_picture(tw.make("caves", width=200, height=100), sprites=True)) == (200, 100)


def test_a_cancelled_trial_stops() -> None:
    token = CancelToken(SETTINGS)
    token.cancel()
    with pytest.raises(Cancelled):
        run_trial(SampleState(), "patterns", token, lambda preview: None)


# -- suggestions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("example", "technique"),
    [
        (QUICK.with_built_in("bricks").replace(wrap_sample="none"), "wfc"),
        (LARGE.with_built_in("village").with_knob("wfc", "pattern_size", 4), "wfc"),
        (LARGE.with_built_in("awbw/three-mouths"), "wfc"),
        (QUICK.with_edited_sample(resize_sample(OWN, 1, 3)).replace(wrap_sample="none"), "patterns"),
        (QUICK.with_sample(resize_sample(OWN, 3, 3), "tiny").with_knob("patterns", "pattern_sizes", [4]), "patterns"),
        (QUICK.replace(width=2).with_knob("patterns", "pattern_sizes", [3]), "patterns"),
        (QUICK.with_built_in("keep"), "markov"),
        (QUICK.replace(width=4096, height=4096), "markov"),
    ],
)
def test_a_failed_trial_has_a_suggestion_that_works(example: SampleState, technique: str) -> None:
    with pytest.raises(TilewrightError) as caught:
        run(example, technique)
    suggestions = list_suggestions(example, technique, caught.value.problems)
    assert suggestions
    assert len({name for name, _ in suggestions}) == len(suggestions)

    def works(suggestion: SampleState) -> bool:
        try:
            return bool(run(suggestion, technique))
        except TilewrightError:
            return False

    assert any(works(suggestion) for _, suggestion in suggestions)


def test_a_new_seed_is_suggested() -> None:
    (name, other), *_ = list_suggestions(QUICK, "wfc", [problem("nothing was left", fixes=[ANOTHER_SEED])])
    assert name == "new seed"
    assert other.seed != QUICK.seed


# -- view ---------------------------------------------------------------------------------------------------------


class ExamplePage:
    """The view without a browser."""

    def __init__(self, session: Session, view: ExampleView) -> None:
        self.session, self.view = session, view

    async def wait(self) -> None:
        while any(not job.done() for job in self.view.jobs.values()):
            await asyncio.wait(self.view.jobs.values())

    def states(self) -> dict[str, str]:
        return {technique: card.state.text.split(" in ")[0] for technique, card in self.view.cards.items()}

    def pictures(self) -> list[Any]:
        return [card.picture.props.get("src") for card in self.view.cards.values()]


@asynccontextmanager
async def open_page(example: SampleState) -> AsyncIterator[ExamplePage]:
    queue, core.loop = JobQueue(SETTINGS), asyncio.get_running_loop()
    session = Session(queue, State(view_settings=ViewSettings(tab="example"), example=example))
    with Client(ui.page("/example")) as client:
        view = ExampleView(session, ui.element("div"))
        session.listen("state", view.refresh)
        try:
            yield ExamplePage(session, view)
        finally:
            view.stop()
            client.delete()
            queue.close()
            core.loop = None


def run_in_page(test: Callable[[ExamplePage], Awaitable[None]], example: SampleState = QUICK) -> None:
    async def main() -> None:
        async with open_page(example) as page:
            await page.wait()
            await test(page)

    asyncio.run(asyncio.wait_for(main(), 120))


def in_page(example: SampleState = QUICK) -> Callable[[Callable[..., Awaitable[None]]], TestFunction]:
    """Supply the view to a test when all its maps are made."""
    return lambda test: supply(test, lambda supplied: run_in_page(supplied, example))


@in_page()
async def test_all_three_make_a_map(page: ExamplePage) -> None:
    assert set(page.states().values()) == {"done"}
    assert page.view.cards["wfc"].numbers["patterns"].text == "100 %"
    assert page.view.cards["patterns"].chart.content.count("polyline") == 1
    assert not page.view.cards["markov"].chart.visible


@in_page()
async def test_a_stroke_makes_all_again_and_can_be_undone(page: ExamplePage) -> None:
    before = page.pictures()
    stroke = np.isin(np.arange(load_built_in("dungeon").cells.size), range(300, 420))
    cells = encode_array(np.packbits(stroke, bitorder="little"))
    trigger(page.view.painter.canvas, "paint", {"cells": cells, "tile": 2, "lock": False, "stroke": 1})
    await page.wait()
    assert page.session.state.example.name == "dungeon, changed"
    assert all(new != old for new, old in zip(page.pictures(), before, strict=True))
    page.session.undo()
    await page.wait()
    assert page.session.state.example == QUICK
    assert page.pictures() == before


@in_page()
async def test_only_the_maps_of_the_newest_sample_are_shown(page: ExamplePage) -> None:
    for name in ("village", "caverns", "ruins"):
        page.session.change(replace(page.session.state, example=QUICK.with_built_in(name)))
    await page.wait()
    assert page.pictures()[2] == run(QUICK.with_built_in("ruins"), "markov").sprites


@in_page()
async def test_a_parameter_changes_only_the_map_of_its_technique(page: ExamplePage) -> None:
    jobs = dict(page.view.jobs)
    knob = element("knob-markov-temperature")
    assert isinstance(knob, ui.select)
    knob.set_value("0.3")
    assert page.session.state.example.knobs["markov"] == {"temperature": 0.3}
    assert page.view.jobs["markov"] is not jobs["markov"]
    assert page.view.jobs["wfc"] is jobs["wfc"]
    knob.set_value("1.0")
    assert page.session.state.example == QUICK


@in_page(QUICK.with_built_in("bricks").replace(wrap_sample="none"))
async def test_one_technique_gives_up_and_the_others_continue(page: ExamplePage) -> None:
    assert page.states() == {"patterns": "done", "wfc": "gave up", "markov": "done"}
    card = page.view.cards["wfc"]
    assert card.note.text.startswith("gave up: the sample's 3x3 patterns")
    assert card.note.visible
    assert not card.continue_button.enabled
    buttons = {button.text: button for button in card.suggestions if isinstance(button, ui.button)}
    assert {"wrap the sample", "pattern size 2", "relax"} <= buttons.keys()
    with pytest.raises(GaveUp) as caught:
        run(page.session.state.example, "wfc")
    found = dict(list_suggestions(page.session.state.example, "wfc", caught.value.problems))
    assert found.keys() == buttons.keys()
    trigger(buttons["wrap the sample"], "click")
    await page.wait()
    assert page.states()["wfc"] == "done"
    assert not card.note.visible


@in_page(QUICK.with_sample(paint_sample(load_built_in("dungeon"), {40: 2}), "mine"))
async def test_a_map_is_opened_in_make_with_the_sample_in_its_recipe(page: ExamplePage) -> None:
    shown = page.pictures()[1]
    trigger(page.view.cards["wfc"].continue_button, "click")
    state = page.session.state
    assert (state.view_settings.tab, state.technique, state.seed) == ("make", "wfc", 7)
    assert state.example.sample is not None
    assert draw_picture(tw.run(state.effective), sprites=True) == shown
    assert State.from_link(state.to_link()) == state


@in_page()
async def test_nothing_is_made_while_the_tab_is_closed(page: ExamplePage) -> None:
    page.session.change(
        replace(page.session.state, example=QUICK.with_built_in("village")).with_view_settings(tab="make")
    )
    await page.wait()
    assert page.view.painter.example == QUICK
    page.session.change(page.session.state.with_view_settings(tab="example"))
    await page.wait()
    assert page.view.painter.example == QUICK.with_built_in("village")
    assert set(page.states().values()) == {"done"}


@in_page()
async def test_the_maps_have_the_view_settings_of_the_sample(page: ExamplePage) -> None:
    assert size_of(page.pictures()[0]) == (256, 192)
    trigger(page.view.painter.canvas, "look", {"grid": False, "sprites": False, "overlay": ""})
    assert size_of(page.pictures()[0]) == (16, 12)
    assert not page.session.can_undo


@in_page()
async def test_uploaded_files_become_samples_or_show_an_error(page: ExamplePage) -> None:
    panel = page.view.panel

    async def send(name: str, content: bytes) -> None:
        file = ui.upload.SmallFileUpload(name, "", content)
        await panel.upload.handle_uploads([file])
        while panel.line.text == "" and page.session.state.example == before:
            await asyncio.sleep(0.01)

    before = page.session.state.example
    await send("river.txt", b"..~\n.~.\n~..\n")
    assert page.session.state.example.name == "river.txt"
    tiles = page.session.state.example.sample_map.tileset
    assert [(tile.name, tile.passable) for tile in tiles] == [("floor", True), ("water", False)]
    before = page.session.state.example
    await send("../../etc/passwd.png", b"no picture")
    assert page.session.state.example == before
    assert panel.line.text.startswith("passwd.png: ")
