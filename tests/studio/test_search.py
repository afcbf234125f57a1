"""The view Search without the page: settings, what varies, definitions, running searches and generations."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tests.studio.test_jobs import TestFunction, supply
from tilewright.core.errors import BadFile, InvalidRecipe, TooLarge
from tilewright.core.fields import fields_of
from tilewright.core.recipe import Recipe
from tilewright.core.registry import techniques
from tilewright.core.resolver import Resolver
from tilewright.data import list_names
from tilewright.studio.gallery.state import Gallery
from tilewright.studio.gallery.variations import list_variations
from tilewright.studio.jobs import Busy, CancelToken, JobQueue
from tilewright.studio.search.found_maps import FoundMaps, write_corpus_zip
from tilewright.studio.search.options import (
    apply_values,
    build_recipe_data,
    choose_vary,
    find_owner,
    find_search,
    list_options,
)
from tilewright.studio.search.runs import SearchRun, SearchRuns
from tilewright.studio.search.setup import (
    breed_candidates,
    build_definition,
    build_genome,
    check_search_size,
    choose_shown,
    find_key,
    probe_measures,
    suggest_measures,
)
from tilewright.studio.search.state import MAX_CANDIDATES, AxisState, SearchViewState
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

SETTINGS = Settings()
VARY = {"params.walls": {"from": 0.3, "to": 0.6}, "params.steps": {"from": 0, "to": 8}, "seed": {}}
SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 16, "height": 10}, "seed": 7}


def make_state(recipe: dict[str, Any] = SMALL, **settings: Any) -> State:
    state = State.from_recipe(recipe)
    chosen = {
        "x": AxisState(measure="floor_share", bins=5, low=0.0, high=1.0),
        "y": AxisState(measure="regions", bins=5),
        "objective": "path_length",
        "evaluations": 128,
        "vary": VARY,
        **settings,
    }
    return replace(state, search=SearchViewState(owner=find_owner(state), **chosen))


def open_built_in(name: str) -> State:
    return State().open_recipe(Resolver().read_recipe(name)[0], name)


def with_runs(test: Callable[..., Awaitable[None]]) -> TestFunction:
    """Supply the searches of a studio to a test, in an event loop."""

    async def run(supplied: Callable[..., Awaitable[None]]) -> None:
        await supplied(SearchRuns(JobQueue(SETTINGS)))

    return supply(test, lambda supplied: asyncio.run(run(supplied)))


def start(runs: SearchRuns, state: State) -> SearchRun:
    return runs.start("tab", build_definition(state, SETTINGS))


# -- settings ---------------------------------------------------------------------------------------------------


def test_a_link_keeps_all_settings() -> None:
    state = make_state(is_least=True, second="dead_ends", weight=-0.5, seed=3, picks=((1, 4), ()), generation=1)
    assert State.from_link(state.to_link()).search == state.search
    assert "search" not in str(State().to_link())
    assert State.from_link(State().to_link()).search == SearchViewState()


@pytest.mark.parametrize(
    "search",
    [
        *read_table(__file__, "invalid settings are refused"),
        {"vary": {str(number): {} for number in range(65)}},
        {"picks": [[MAX_CANDIDATES]]},
        {"picks": [[0]] * 201},
        {"objective": "x" * 201},
    ],
)
def test_invalid_settings_are_refused(search: Any) -> None:
    with pytest.raises(InvalidRecipe):
        SearchViewState.from_data(search)


def test_a_link_with_invalid_settings_is_refused() -> None:
    state = replace(make_state(), search=make_state().search.model_copy(update={"evaluations": -1}))
    with pytest.raises(BadFile, match="evaluations"):
        State.from_link(state.to_link())


def test_settings_belong_to_their_recipe() -> None:
    state = make_state()
    assert find_search(state).vary == VARY
    other = state.open_recipe({"technique": "rooms"})
    assert find_search(other) == SearchViewState()
    assert "params.rooms" in choose_vary(other)


def test_later_generations_are_removed_by_another_pick() -> None:
    search = SearchViewState().toggle_pick(3).toggle_pick(1).breed_next().toggle_pick(5).breed_next()
    assert search.picks == ((1, 3), (5,), ())
    back = search.replace(generation=0)
    assert back.breed_next() == search.replace(generation=1)
    assert back.toggle_pick(3).picks == ((1,),)
    assert search.start_over(9) == SearchViewState(seed=9)


# -- what varies ------------------------------------------------------------------------------------------------


def test_suggested_parameters_exist() -> None:
    for entry in techniques:
        known = {field.name for field in fields_of(entry.params)}
        assert (entry.vary or {}).keys() <= known, entry.name


@pytest.mark.parametrize("name", [entry.name for entry in techniques])
def test_every_technique_can_be_searched(name: str) -> None:
    state = State.from_recipe({"technique": name, "seed": 7})
    assert build_genome(state, SETTINGS).has_seed


@pytest.mark.parametrize("name", list_names("recipes"))
def test_knobs_of_every_recipe_can_be_searched(name: str) -> None:
    state = open_built_in(name)
    vary = choose_vary(state)
    assert any(path.startswith("knobs.") for path in vary)
    assert "knobs.size" not in vary
    genome = build_genome(state, SETTINGS)
    values = genome.decode(np.full((1, genome.slots), 0.4))[0]
    opened = apply_values(state, {gene.path: value for gene, value in zip(genome.genes, values, strict=True)})
    assert Recipe.of(opened.effective).to_data() == genome.apply(values).to_data()


def test_disabled_shapers_are_left_out() -> None:
    shaping = [{"border": {"thickness": 2}}, {"connect": {"thickness": 1}}]
    state = replace(State.from_recipe({**SMALL, "shaping": shaping}), off=(0,))
    paths = [option.path for option in list_options(state)]
    assert "shaping.0.connect.thickness" in paths
    assert not any("border" in path for path in paths)
    changed = apply_values(state, {"shaping.0.connect.thickness": 3, "seed": 5})
    assert changed.recipe["shaping"] == [shaping[0], {"connect": {"thickness": 3}}]
    assert changed.seed == 5
    assert "border" not in str(build_recipe_data(state))


def test_opening_a_found_map_keeps_the_search() -> None:
    state = make_state()
    opened = apply_values(state, {"params.walls": 0.31, "params.steps": 2, "seed": 99})
    assert opened.effective != state.effective
    assert find_key(opened) == find_key(state)
    assert find_key(state.with_params(width=17)) != find_key(state)
    assert find_key(replace(state, search=state.search.replace(seed=1))) != find_key(state)
    assert find_key(replace(state, search=state.search.replace(evaluations=1))) == find_key(state)


def test_found_maps_are_variations_of_the_gallery() -> None:
    state = make_state()
    found = ({"params.walls": 0.31, "params.steps": 2, "seed": 99}, {"params.walls": 0.4, "params.gone": 2})
    state = state.with_gallery(what="found", found=found, found_owner=find_owner(state))
    assert [one.caption for one in list_variations(state)] == ["walls 0.31 · steps 2 · seed 99"]
    assert list_variations(State.from_link(state.to_link())) == list_variations(state)
    other = state.open_recipe({"technique": "maze"})
    assert len(list_variations(other)) == 24
    with pytest.raises(InvalidRecipe, match="found"):
        Gallery.from_data({"found": [{"params.walls": {"a": 1}}]})


# -- definitions ------------------------------------------------------------------------------------------------


def test_definition_of_the_settings() -> None:
    definition = build_definition(make_state(is_least=True, second="dead_ends", weight=-2.0), SETTINGS).definition
    assert str(definition.objective) == "-path_length-2*dead_ends"
    assert [axis.measure for axis in definition.axes] == ["floor_share", "regions"]
    assert definition.evaluations == 128


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"vary": {"params.walls": {"from": 0.3, "to": 2.0}}}, ("vary", "params.walls")),
        ({"vary": {"params.steps": {"from": 8, "to": 2}}}, ("vary", "params.steps")),
        ({"vary": {"params.outside": {"values": ["nothing"]}}}, ("vary", "params.outside")),
        ({"vary": {}}, ("vary",)),
        ({"y": AxisState(measure="floor_share")}, ("measures",)),
        ({"y": AxisState(measure="regions", is_log=True, low=0.0, high=9.0)}, ("measures", "regions")),
        ({"objective": "divergence"}, ()),
        ({"evaluations": 100_000, "vary": {"params.width": {"from": 10, "to": 10_000}}}, ("evaluations",)),
        ({"vary": {"params.width": {"from": 10, "to": 60_000}, "params.height": {"from": 9, "to": 60_000}}}, ("vary",)),
    ],
)
def test_invalid_definitions_name_the_setting(settings: dict[str, Any], path: tuple[str, ...]) -> None:
    with refused("") as caught:
        build_definition(make_state(**settings), SETTINGS)
    assert caught.value.problems[0].path[: len(path)] == path


def test_too_many_maps_offer_a_number_that_works() -> None:
    genome = build_genome(make_state(vary={"params.width": {"from": 10, "to": 10_000}}), SETTINGS)
    with pytest.raises(TooLarge) as caught:
        check_search_size(genome, 100_000, SETTINGS)
    (fix,) = caught.value.problems[0].fixes
    assert fix.path == ("evaluations",)
    check_search_size(genome, fix.value, SETTINGS)


def test_measures_are_suggested_that_differ_between_maps() -> None:
    found = probe_measures(make_state(), CancelToken(SETTINGS))
    assert found.x.measure == "floor_share"
    assert found.objective == "path_length"
    assert found == probe_measures(make_state(), CancelToken(SETTINGS)), "deterministic"
    filled = found.fill(SearchViewState(y=AxisState(measure="dead_ends")))
    assert (filled.x, filled.y.measure, filled.objective) == (found.x, "dead_ends", "path_length")
    same = suggest_measures(
        [{"regions": 1.0, "floor_share": 0.4, "dead_ends": float(n), "cells": 9.0} for n in range(9)]
    )
    assert same.objective == "dead_ends"
    assert len({same.x.measure, same.y.measure, same.objective}) == 3


def test_bins_of_suggested_counts_are_integers() -> None:
    samples = [{"path_length": 9.0 + n, "floor_share": n / 16, "dead_ends": 3.0 + n % 5} for n in range(16)]
    found = suggest_measures(samples)
    assert found.y == AxisState(measure="dead_ends", bins=9, low=1.0, high=10.0)
    assert (found.x.low, found.x.high) == (0.0, 1.0)
    wide = suggest_measures([{**sample, "dead_ends": 40.0 * n} for n, sample in enumerate(samples)])
    assert wide.y.is_log
    middle = suggest_measures([{**sample, "dead_ends": 100.0 + 7 * n} for n, sample in enumerate(samples)])
    assert middle.y.low is not None
    assert middle.y.high is not None
    assert (middle.y.high - middle.y.low) % middle.y.bins == 0


# -- runs -------------------------------------------------------------------------------------------------------


def ignore() -> None:
    """A listener of a page."""


async def finish(run: SearchRun) -> None:
    while run.status == "running":
        await asyncio.sleep(0.01)


def make_archive(state: State, evaluations: int = 128) -> Any:
    definition = build_definition(state, SETTINGS).definition
    return tw.search.make(
        definition.recipe,
        vary=definition.vary,
        measures={axis.measure: axis.to_data() for axis in definition.axes},
        objective=str(definition.objective),
        evaluations=evaluations,
        seed=definition.seed,
        batch=definition.batch,
    )


def list_found(archive: Any) -> list[tuple[Any, ...]]:
    return [(one.number, one.cell, one.objective, one.values) for one in archive]


@with_runs
async def test_a_search_finds_the_same_archive_as_python(runs: SearchRuns) -> None:
    run = start(runs, make_state())
    assert run.status == "running"
    await finish(run)
    assert run.status == "finished", run.error
    assert run.evaluations == 128
    assert list_found(run.search.archive) == list_found(make_archive(make_state()))


@with_runs
async def test_pausing_and_continuing_change_nothing(runs: SearchRuns) -> None:
    run = start(runs, make_state())
    while run.status == "running":
        done = run.evaluations
        while run.evaluations == done and run.status == "running":
            await asyncio.sleep(0)
        run.pause()
        await asyncio.sleep(0)
        assert run.status in ("paused", "finished")
        run.resume()
    run.extend(192)
    assert run.status == "paused"
    run.resume()
    await finish(run)
    assert run.evaluations == 192
    assert list_found(run.search.archive) == list_found(make_archive(make_state(), 192))


@with_runs
async def test_a_search_outlives_its_page_and_ends_with_another(runs: SearchRuns) -> None:
    setup = build_definition(make_state(), SETTINGS)
    run = runs.start("tab", setup)
    called: list[int] = []

    def listener() -> None:
        called.append(run.evaluations)

    runs.attach(run, listener)
    runs.detach(run, listener)  # The page is reloaded.
    assert run.status == "running"
    assert runs.find("tab") is run
    assert runs.find("another tab") is None
    runs.attach(run, listener)
    await finish(run)
    assert called[-1] == 128
    other = runs.start("tab", setup)
    assert runs.find("tab") is other
    assert run.listeners == []
    runs.remove("tab")
    assert other.status == "paused"
    assert runs.find("tab") is None


@with_runs
async def test_abandoned_searches_are_paused_and_removed(runs: SearchRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.studio.search.runs.ABANDON_SECONDS", -1.0)
    run = start(runs, make_state(evaluations=100_000))
    runs.attach(run, ignore)
    runs.detach(run, ignore)
    await asyncio.sleep(0.05)
    assert run.status == "paused"
    assert runs.find("tab") is run
    monkeypatch.setattr("tilewright.studio.search.runs.KEEP_SECONDS", -1.0)
    assert runs.find("tab") is None


@with_runs
async def test_the_number_of_searches_is_limited(runs: SearchRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.studio.search.runs.MAX_RUNS", 2)
    setup = build_definition(make_state(), SETTINGS)
    first = runs.start("a", setup)
    runs.attach(first, ignore)
    runs.start("b", setup)
    second = runs.start("c", setup)  # It takes the place of b, which has no page.
    assert runs.find("b") is None
    runs.attach(second, ignore)
    with pytest.raises(Busy, match="2 searches"):
        runs.start("d", setup)
    for tab in "ac":
        runs.remove(tab)


@with_runs
async def test_a_search_that_cannot_make_maps_reports_the_reason(runs: SearchRuns) -> None:
    params = {"width": 20, "height": 20, "min_rooms": 50, "rooms": 50}
    run = start(runs, make_state({"technique": "rooms", "params": params, "seed": 7}, vary={"seed": {}}))
    await finish(run)
    assert run.status == "failed"
    assert "none of the first" in str(run.error)


@with_runs
async def test_a_closed_queue_stops_a_search(runs: SearchRuns) -> None:
    run = start(runs, make_state(evaluations=100_000))
    await asyncio.sleep(0.05)
    run.queue.close()
    await finish(run)
    assert run.status in ("failed", "paused")


@with_runs
async def test_selected_maps_are_written_as_a_corpus(runs: SearchRuns, tmp_path: Path) -> None:
    run = start(runs, make_state())
    await finish(run)
    maps = FoundMaps(run, (0, 0, 4, 1))
    chosen = [one for one in make_archive(make_state()) if one.cell[1] <= 1]
    assert maps.count == len(chosen) > 2
    assert next(one.caption for one in maps.list_variations()).startswith("floor share 0.")
    assert [one["seed"] for one in maps.list_values()] == [one.values["seed"] for one in chosen]
    archive = maps.select_archive()
    assert archive is not None
    assert list_found(archive) == list_found(chosen)
    with zipfile.ZipFile(io.BytesIO(write_corpus_zip(archive, CancelToken(SETTINGS)))) as files:
        files.extractall(tmp_path)
    corpus = tw.corpus.Corpus(tmp_path)
    assert len(corpus) == len(chosen)
    assert corpus.row(0)["walls"] == chosen[0].values["walls"]


# -- generations ------------------------------------------------------------------------------------------------


def test_generations_follow_from_the_seed_and_the_picks() -> None:
    genome = build_genome(make_state(), SETTINGS)
    search = SearchViewState(seed=4).toggle_pick(2).toggle_pick(7)
    first = breed_candidates(genome, search)
    assert first.shape == (MAX_CANDIDATES, genome.slots)
    second = breed_candidates(genome, search.breed_next())
    assert (second == breed_candidates(genome, search.breed_next())).all()
    assert (second[:2] == first[[2, 7]]).all(), "picked maps are kept"
    without = breed_candidates(genome, search.replace(keeps_picked=False).breed_next())
    assert not any((row == first[2]).all() for row in without)
    other = breed_candidates(genome, search.toggle_pick(2).breed_next())
    assert not (other == second).all()


def test_maps_that_fail_or_repeat_are_not_shown() -> None:
    digests: dict[int, str | None] = {0: "a", 1: "a", 2: None, 3: "b"}
    assert choose_shown(digests) == [0, 3]
    assert choose_shown({0: "a", 2: "b"}) == [0], "in order"
    assert choose_shown(digests, count=4) == [0, 3, 1, 2], "all are known"
    assert choose_shown({number: str(number) for number in range(20)}) == list(range(12))


@pytest.mark.parametrize(("technique", "coverage"), [("caves", 0.4), ("rooms", 0.3)])
def test_the_suggested_search_fills_its_grid(technique: str, coverage: float) -> None:
    state = State.from_recipe({"technique": technique})
    suggestion = probe_measures(state, CancelToken(SETTINGS))
    settings = suggestion.fill(SearchViewState(owner=find_owner(state), evaluations=4096))
    definition = build_definition(replace(state, search=settings), SETTINGS).definition
    archive = tw.search.make(
        definition.recipe, vary=definition.vary, measures={one.measure: one.to_data() for one in definition.axes},
        objective=dict(definition.objective.weights), evaluations=4096, batch=definition.batch, seed=definition.seed,
    )  # fmt: skip
    assert archive.coverage > coverage


def test_a_measure_that_is_chosen_without_a_range_gets_one_from_the_first_maps() -> None:
    state = make_state(
        {"technique": "rooms"}, x=AxisState(measure="floor_share"), vary={"params.rooms": {}, "seed": {}}
    )
    definition = build_definition(state, SETTINGS).definition
    assert definition.axes[0].low is None
    archive = tw.search.make(
        definition.recipe, vary=definition.vary, measures={one.measure: one.to_data() for one in definition.axes},
        objective="path_length", evaluations=128, batch=64, seed=0,
    )  # fmt: skip
    assert archive.definition.axes[0].high < 0.8  # type: ignore[operator]
