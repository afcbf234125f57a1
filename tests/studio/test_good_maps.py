"""Requirements in the studio: rows, the fraction of seeds that pass, and searches over seeds with their HTTP route."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import tilewright as tw
from tests.studio.servers import application, asking, line_of
from tests.studio.test_jobs import endless, until, with_queue
from tilewright.core.errors import InvalidRecipe, TooLarge
from tilewright.core.locks import Locks
from tilewright.core.recipe import Recipe
from tilewright.seed_search.result import HistogramBars
from tilewright.studio.good_maps.requirements import (
    MAX_ROWS,
    RULES,
    PassShare,
    RequirementRow,
    find_improvement,
    read_rows,
    suggest_row,
    try_seed,
    with_improvement,
    write_rows,
)
from tilewright.studio.good_maps.seek_run import SeekRun, find_seek_key, open_seek
from tilewright.studio.jobs import CancelToken, JobQueue, RateMeter, TooLong
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 20, "height": 12}}


def test_rows_are_read_and_written_as_the_same_requirements() -> None:
    given = {"regions": 1, "path_length": ">=80", "count.floor": "!=9", "floor_share": "<0.5", "openness": "most"}
    given |= {"dead_ends": "3..8", "largest_region": "0.5..0.75"}
    rows = read_rows(given)
    assert write_rows(rows) == given
    assert {row.rule for row in rows} <= set(RULES)
    assert write_rows([]) is None
    assert read_rows("nonsense") == read_rows(None) == []
    assert len(read_rows({str(number): 1 for number in range(10_000)})) == MAX_ROWS
    assert read_rows({"regions": ["x"] * 1000})[0].to_data() == str(["x"] * 1000)[:100]


def test_a_range_stays_a_range_while_its_ends_are_edited() -> None:
    row = RequirementRow("path_length", ">=", 57.0).with_rule("..")
    assert row.to_data() == "57..63"
    assert RequirementRow("floor_share", ">=", 0.25).with_rule("..").to_data() == "0.25..0.35"
    for data in ("70..63", "63..63", "x..63"):
        (edited,) = read_rows({"path_length": data})
        assert edited.is_range
        assert edited.to_data() == data
    assert read_rows({"path_length": "60.."})[0].rule == ">="


def test_truth_values_are_required_as_yes_or_no() -> None:
    given = {"solvable": ">=1", "regions": 1}
    solvable, regions = read_rows(given)
    assert (solvable.is_truth, regions.is_truth) == (True, False)
    assert all(read_rows({"solvable": one})[0].is_yes for one in (1, ">0", "!=0"))
    assert not any(read_rows({"solvable": one})[0].is_yes for one in (0, "<1", "nonsense"))
    assert write_rows([solvable.with_truth(True), regions]) == {"solvable": 1, "regions": 1}
    assert write_rows([solvable.with_truth(False)]) == {"solvable": 0}
    assert suggest_row("solvable", 0.0).to_data() == 1, "no one wants maps that cannot be solved"


def test_a_new_row_is_met_by_the_current_map() -> None:
    for seed in range(20):
        cave = tw.run({**SMALL, "seed": seed})
        for name, number in tw.measure(cave).items():
            row = suggest_row(name, number)
            assert tw.run({**SMALL, "seed": seed, "require": {name: row.to_data()}, "tries": 1}) is not None
    assert suggest_row("count.floor", 12.0) == RequirementRow("count.floor", "==", 12.0)
    assert suggest_row("path_length", float("nan")).to_data() == ">=0"


def test_seeds_pass_if_their_maps_meet_the_requirements() -> None:
    recipe = Recipe.of({**SMALL, "require": {"regions": "<=2", "floor_share": ">0.6", "openness": "most"}})
    found, token = PassShare(), CancelToken(Settings())
    for number in range(30):
        found = found.add(try_seed(recipe, number, token))
    assert found.tried == 30
    assert 0 < found.passed <= min(found.met.values()) < 30
    assert found.met["openness"] == 30
    again = [try_seed(recipe, number, token) for number in range(30)]
    assert sum(all(one.values()) for one in again) == found.passed
    never = Recipe.of({**SMALL, "shaping": [{"place": {"count": 9999}}], "require": {"regions": "<=2"}})
    assert try_seed(never, 0, token) == {"regions": False}


def test_a_change_removes_the_number_of_the_successful_try() -> None:
    state = State.from_recipe({**SMALL, "seed": 7, "require": {"regions": 1}, "tries": 50, "attempt": 3})
    assert state.recipe["attempt"] == 3
    assert "attempt" not in state.with_recipe(seed=8).recipe
    assert "attempt" not in state.with_params(walls=0.4).recipe


def test_improve_has_the_rows_as_targets() -> None:
    state = State.from_recipe({"technique": "caves", "shaping": ["border"], "seed": 7})
    on = with_improvement(state, {"path_length": "60..66"})
    assert on.recipe["shaping"] == ["border", {"improve": {"targets": {"path_length": "60..66"}}}]
    assert find_improvement(on) == 1
    changed = with_improvement(on, {"regions": 1})
    assert changed.recipe["shaping"] == ["border", {"improve": {"targets": {"regions": 1}}}]
    assert with_improvement(changed, None) == state
    assert with_improvement(state, None) == state


def test_improve_before_other_shapers_is_switched_off() -> None:
    shaping = [{"improve": {"targets": {"regions": 1}, "steps": 500}}, "border"]
    state = State.from_recipe({"technique": "caves", "shaping": shaping, "seed": 7})
    off = with_improvement(state, None)
    assert off.off == (0,)
    assert off.recipe["shaping"] == shaping
    assert find_improvement(off) is None
    assert with_improvement(state, {"regions": 2}).stages[0][1] == {"targets": {"regions": 2}, "steps": 500}


SETTINGS = Settings()
CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 24, "height": 14}, "seed": 7}
REQUIRED = {"regions": 1, "path_length": "most"}
COSTLY = {**REQUIRED, "chokepoints": "<30"}


def seek_here(require: dict[str, Any], count: int, recipe: dict[str, Any] = CAVE) -> tw.search.FoundSeeds:
    plain = {word: value for word, value in recipe.items() if word != "seed"}
    return tw.seek(plain, seeds=(0, count - 1), require=require, keep=12)


def open_run(queue: JobQueue, recipe: dict[str, Any], count: int) -> SeekRun:
    return SeekRun(queue, open_seek(recipe, queue.settings, count=count, keep=12), client="client")


# -- seeds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("require", [REQUIRED, COSTLY, {"floor_share": ">0.6"}])
@with_queue()
async def test_jobs_find_the_same_seeds_as_one_search(queue: JobQueue, require: dict[str, Any]) -> None:
    wanted = seek_here(require, 300)
    assert 0 < wanted.passed < 300
    run = open_run(queue, {**CAVE, "require": require, "tries": 9}, 300)
    found = await run.finish()
    assert found.to_data() == wanted.to_data()
    assert found.state.tally == wanted.state.tally
    assert run.rate > 0


@with_queue()
async def test_a_chosen_seed_makes_the_map_that_was_found(queue: JobQueue) -> None:
    found = seek_here(REQUIRED, 200)
    seed, best = int(found.seeds[-1]), [*found.maps()][-1]
    required = {**CAVE, "require": REQUIRED, "tries": 30}
    tried = tw.run({**required, "seed": seed})
    assert not np.array_equal(tried.cells, best.cells), "another try of this seed has a longer path"
    session = Session(queue, State.from_recipe(required))
    session.set_seed(seed, attempt=0)
    assert session.job is not None
    await session.job
    assert session.map is not None
    assert np.array_equal(session.map.cells, best.cells)
    assert session.state.recipe["require"] == REQUIRED
    assert State.from_link(session.state.to_link()).recipe == session.state.recipe
    session.set_seed(5)
    assert "attempt" not in session.state.recipe
    session.undo()
    assert (session.state.seed, session.state.recipe["attempt"]) == (seed, 0)
    session.undo()
    assert session.state.seed == 7
    session.close()


@with_queue()
async def test_a_stopped_search_continues_and_more_seeds_can_be_added(queue: JobQueue) -> None:
    recipe = {**CAVE, "require": REQUIRED}
    run = open_run(queue, recipe, 200)
    testing = asyncio.ensure_future(run.test_missing())
    await until(lambda: run.state.tally.tested > 0 or testing.done())
    testing.cancel()
    with suppress(asyncio.CancelledError):
        await testing
    await run.test_missing()
    assert run.result.state.tally == seek_here(REQUIRED, 200).state.tally
    run.extend(100)
    assert not run.state.is_finished
    assert (await run.finish()).to_data() == seek_here(REQUIRED, 300).to_data()


def test_the_recipe_decides_the_search_and_not_its_seed() -> None:
    state = State.from_recipe({**CAVE, "require": REQUIRED})
    key = find_seek_key(state)
    assert find_seek_key(state.with_recipe(seed=9, tries=4)) == key
    assert find_seek_key(state.with_recipe(seed=9, attempt=0)) == key
    assert find_seek_key(state.with_recipe(require={"regions": 2})) != key
    assert find_seek_key(state.with_params(walls=0.4)) != key
    locked = replace(state, locks=Locks.of([[3, 3, "floor"]]))
    assert find_seek_key(locked)["locks"], "locks that a new seed would keep"
    found = seek_here(REQUIRED, 50, {**CAVE, "locks": [[3, 3, "floor"]]})
    assert open_seek(find_seek_key(locked), SETTINGS, count=50, keep=12).definition == found.definition


# -- limits -------------------------------------------------------------------------------------------------------


@with_queue()
async def test_maps_that_cannot_be_made_are_counted(queue: JobQueue) -> None:
    never = {**CAVE, "shaping": [{"place": {"count": 9999}}], "require": {"regions": "<9"}}
    found = await open_run(queue, never, 20).finish()
    assert (found.tested, found.passed, sum(found.failures.values())) == (20, 0, 20)


@with_queue(iterations=1)
async def test_searches_that_are_too_large_are_refused(queue: JobQueue) -> None:
    small = Settings(cells=100)
    with pytest.raises(TooLarge, match="cells"):
        open_seek({**CAVE, "require": REQUIRED}, small, count=10, keep=12)
    with pytest.raises(InvalidRecipe, match="needs a requirement"):
        open_seek(CAVE, SETTINGS, count=10, keep=12)
    run = open_run(queue, {"technique": "caves", "require": {"regions": 1}}, 10)
    with pytest.raises(TooLong, match="stopped after 1 steps"):
        await run.test_missing()
    assert run.state.tally.tested == 0, "a map that takes too long is no map that cannot be made"


@with_queue()
async def test_closing_a_session_stops_its_search(queue: JobQueue) -> None:
    session = Session(queue)
    state = open_seek({**CAVE, "require": COSTLY}, queue.settings, count=1_000_000, keep=12)
    run = SeekRun(queue, state, client=session)
    testing = asyncio.ensure_future(run.test_missing())
    await until(lambda: run.state.tally.tested > 0)
    session.close()
    await asyncio.wait([testing], timeout=20)
    assert testing.cancelled()
    await until(lambda: queue.job_count == 0)


@with_queue()
async def test_a_full_queue_delays_a_search(queue: JobQueue) -> None:
    others = [asyncio.ensure_future(queue.submit(endless, client=number)) for number in range(6)]
    await until(lambda: queue.waiting_count == 4)
    finishing = asyncio.ensure_future(open_run(queue, {**CAVE, "require": REQUIRED}, 3).finish())
    await asyncio.sleep(0)
    for other in others:
        other.cancel()
    assert (await finishing).tested == 3


# -- display ------------------------------------------------------------------------------------------------------


def test_bars_of_a_histogram_have_all_seeds() -> None:
    found = seek_here({"regions": "<=2", "floor_share": ">0.6"}, 300)
    for one in found.definition.requirements:
        spread = found.histograms[one.measure]
        for max_bars in (1, 4, 60):
            bars = HistogramBars.of(spread, one, max_bars)
            assert len(bars.counts) <= max_bars
            assert bars.counts.sum() == 300
            assert bars.low <= spread.low <= spread.high <= bars.high
        assert bars.counts[bars.meets].sum() >= found.rarity[str(one)].count
        assert not HistogramBars.of(spread, None, 60).meets.any()


def test_a_rate_needs_two_numbers() -> None:
    meter = RateMeter()
    assert meter.rate == 0
    meter.add(3)
    assert meter.rate == 0


# -- route --------------------------------------------------------------------------------------------------------


def post_seek(client: TestClient, **words: Any) -> Any:
    return client.post("/api/seek", json={"recipe": CAVE, "seeds": "0..99", "require": REQUIRED, **words})


def test_the_route_finds_the_seeds_of_tw_seek() -> None:
    with asking(application()) as client:
        answer = post_seek(client, measures=["floor_share"], keep=3)
        wanted = tw.seek(CAVE, seeds="0..99", require=REQUIRED, measures=["floor_share"], keep=3)
        assert (answer.status_code, answer.json()) == (200, wanted.to_data())
        best = answer.json()["seeds"][0]
        made = client.post("/api/make", json={**CAVE, "seed": best["seed"]})
        assert made.headers["tilewright-digest"] == best["digest"]


def test_mistakes_are_one_line() -> None:
    with asking(application()) as client:
        for words, status, text in (
            ({"seeds": "9..2"}, 400, "seeds: the range must not be empty"),
            ({"seeds": "a..b"}, 400, "seeds: must be a range of integers"),
            ({"seeds": "0..1000000"}, 413, "seeds: must be at most 1,000,000 seeds, got 1,000,001"),
            ({"require": {"region": 1}}, 400, "unknown measure 'region'"),
            ({"require": {}}, 400, "needs a requirement"),
            ({"keep": 0}, 400, "keep"),
            ({"recipe": {**CAVE, "params": {"width": 4000}}}, 413, "cells"),
        ):
            answer = post_seek(client, **words)
            assert answer.status_code == status, words
            assert text in line_of(answer)
    with asking(application(seconds=0.5)) as client:
        answer = post_seek(client, seeds="0..999999", require={"path_length": "most", "chokepoints": "<0"})
        assert (answer.status_code, "stopped after 0.5 s" in line_of(answer)) == (504, True)
