"""Goals of the first screen: each opens a recipe that works, and the dungeon can be played."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from tilewright.studio.start.goals import Goal, first_state, list_goals
from tilewright.studio.state import TABS, State

THUMBNAILS = Path(tw.__file__).parent / "studio" / "thumbnails" / "goals"
GOALS = {goal.name: goal for goal in list_goals()}
PLAYED = {"start", "exit", "treasure", "monster", "potion", "key red", "lock red"}


def test_the_goals_are_those_of_the_first_screen() -> None:
    assert [*GOALS] == [
        "dungeon",
        "cave",
        "overworld",
        "town",
        "war",
        "maze",
        "platformer",
        "puzzle",
        "drawing",
        "empty",
    ]


@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS)
def test_every_goal_opens_a_map(goal: Goal) -> None:
    state = goal.open(State())
    assert state.view_settings.tab == goal.tab
    assert goal.tab in TABS
    assert (THUMBNAILS / f"{goal.name}.png").is_file()
    if goal.recipe is not None:
        assert state.seed == goal.seed
        map = tw.run(state.effective)
        assert map.width <= 80


def test_a_page_without_a_link_shows_the_goals_and_has_the_first_goal_s_map() -> None:
    state = first_state()
    assert state.view_settings.tab == "start"
    assert state.with_view_settings(tab="make") == list_goals()[0].open(State())


@pytest.mark.parametrize(("goal", "game"), [("platformer", "platformer"), ("puzzle", "sokoban")])
def test_levels_of_other_games_can_be_finished(goal: str, game: str) -> None:
    found = tw.solve(tw.run(GOALS[goal].open(State()).effective))
    assert found.solved
    assert found.rules.board.game == game


@pytest.mark.parametrize("recipe", ["roguelike-dungeon", "crystal-cave", "stone-labyrinth"])
def test_levels_ready_to_play_can_be_solved(recipe: str) -> None:
    for seed in range(6):
        map = tw.run(recipe, seed=seed)
        assert tw.measure(map, "solvable") == {"solvable": 1}
        assert map.tileset.name in ("dungeon", "cave")
        if recipe == "roguelike-dungeon":
            assert {marker.name for marker in map.markers} >= PLAYED
