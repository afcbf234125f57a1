"""Requirements in the studio: rows, and the fraction of seeds that pass."""

from __future__ import annotations

from typing import Any

import tilewright as tw
from tilewright.core.recipe import Recipe
from tilewright.studio.good_maps.pass_share import PassShare, try_seed
from tilewright.studio.good_maps.requirements import (
    MAX_ROWS,
    RULES,
    RequirementRow,
    find_improvement,
    read_rows,
    suggest_row,
    with_improvement,
    write_rows,
)
from tilewright.studio.jobs import CancelToken
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
