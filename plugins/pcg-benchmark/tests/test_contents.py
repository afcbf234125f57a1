"""Contents of the PCG Benchmark: conversions, promises of the makers measured by our own measures, and errors."""

from __future__ import annotations

from difflib import SequenceMatcher
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import tilewright as tw
import tilewright_pcg as pcg
from tilewright import InvalidRecipe, Rng, TilewrightError, UnknownName
from tilewright_pcg.judge import open_benchmark
from tilewright_pcg.runner_levels import draw_runner_level
from tilewright_pcg.sokoban import solve_level

COUNT = 8
MADE_ALONE = ("binary", "zelda", "isaac", "ddave", "mdungeons")
"""Problems whose contents are made without the benchmark, in less than a second."""


@pytest.fixture(scope="module")
def contents() -> dict[str, tuple[list[Any], list[dict[str, int]]]]:
    found = {}
    for name in MADE_ALONE:
        controls = pcg.draw_controls(name, COUNT, 5)
        found[name] = pcg.make_contents(name, COUNT, 5, controls), controls
    return found


@pytest.mark.parametrize("name", MADE_ALONE)
def test_contents_and_maps_are_converted_in_both_directions(name: str, contents: Any) -> None:
    for content in contents[name][0]:
        assert pcg.to_content(name, pcg.to_map(name, content)) == content


@pytest.mark.parametrize("name", MADE_ALONE)
def test_contents_depend_on_the_seed_only(name: str, contents: Any) -> None:
    made, controls = contents[name]
    if name != "mdungeons":  # Its contents take over places of others, so that they depend on all controls.
        assert pcg.make_contents(name, 2, 5, controls[:2]) == made[:2]
    assert pcg.make_contents(name, 2, 5, controls[:2]) == pcg.make_contents(name, 2, 5, controls[:2])
    assert pcg.make_contents(name, 2, 6, controls[:2]) != made[:2]
    assert len({str(content) for content in made}) == COUNT


def test_binary_contents_have_one_region_and_the_path(contents: Any) -> None:
    for content, control in zip(*contents["binary"], strict=True):
        found = tw.measure(pcg.to_map("binary", content), "regions", "path_length")
        assert found["regions"] == 1
        assert max(28, control["path"] - 7) <= found["path_length"] <= control["path"] + 7


def test_zelda_contents_can_be_finished(contents: Any) -> None:
    for content in contents["zelda"][0]:
        map = pcg.to_map("zelda", content)
        assert tw.measure(map, "regions")["regions"] == 1
        assert [np.count_nonzero(map.cells == tile) for tile in (2, 3, 4)] == [1, 1, 1]
        assert 2 <= np.count_nonzero(map.cells == 5) <= 4


def test_ddave_contents_have_start_exit_and_diamonds(contents: Any) -> None:
    for content, control in zip(*contents["ddave"], strict=True):
        cells = np.array(content)
        assert cells[control["sy"], control["sx"]] == 2
        assert cells[control["ey"], control["ex"]] == 3
        assert np.count_nonzero(cells == 4) == control["diamonds"]


def test_mdungeons_contents_are_paths_with_treasures(contents: Any) -> None:
    for content, control in zip(*contents["mdungeons"], strict=True):
        cells = np.array(content)
        assert tw.measure(pcg.to_map("mdungeons", content), "regions")["regions"] == 1
        assert np.count_nonzero(cells >= 6) >= 8
        if control["col_treasures"] <= control["solution_length"] - 4:
            assert abs(np.count_nonzero(cells == 5) - control["col_treasures"]) <= 4
            assert abs(np.count_nonzero(cells) - control["solution_length"]) <= 4


def test_sokoban_contents_can_be_solved_and_differ() -> None:
    controls = pcg.draw_controls("sokoban", 4, 5)
    made = pcg.make_contents("sokoban", 4, 5, controls)
    assert pcg.make_contents("sokoban", 4, 5, controls) == made
    for content, control in zip(made, controls, strict=True):
        assert tw.solve(pcg.to_map("sokoban", content)).solved is True
        assert abs(np.count_nonzero(np.array(content) == 3) - control["crates"]) <= 1
    levels = [solve_level(np.array(content)) for content in made]
    solutions = [level.solution.tobytes() for level in levels if level is not None]
    assert len(solutions) == 4
    assert all(SequenceMatcher(None, one, two).ratio() <= 0.5 for one, two in permutations(solutions, 2))


@pytest.mark.parametrize("crates", [1, 5])
def test_sokoban_contents_of_one_control_are_different_levels(crates: int) -> None:
    made = pcg.make_contents("sokoban", 3, 1, [{"crates": crates}] * 3)
    assert len({str(content) for content in made}) == 3


def test_isaac_contents_have_doors_on_both_sides(contents: Any) -> None:
    for content in contents["isaac"][0]:
        grid = np.array(content["layout"]).reshape(4, 4)
        assert np.array_equal(grid[:, :-1] & 4 > 0, grid[:, 1:] & 1 > 0)
        assert np.array_equal(grid[:-1] & 8 > 0, grid[1:] & 2 > 0)
        assert tw.measure(pcg.to_map("isaac", content), "regions")["regions"] == 1


def test_levels_of_the_runner_can_be_finished() -> None:
    found = [draw_runner_level({"ladder": 60, "rope": 40}, 14, Rng.of(seed)) for seed in range(20)]
    solved = 0
    for level in found:
        if level is not None:
            map = pcg.to_map("loderunnertile", level[:-1])
            assert pcg.to_content("loderunnertile", map) == level[:-1].tolist()
            solved += tw.solve(map).solved is True
            assert abs(np.count_nonzero(level == 5) - 60) <= 14
    assert solved >= 15


def test_controls_are_drawn_independently() -> None:
    drawn = pcg.draw_controls("zelda", 300, 1)
    one, two = (np.array([control[name] for control in drawn]) for name in ("player_key", "key_door"))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.2
    assert set(one) == set(range(11, 19))


def test_wrong_input_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidRecipe, match="zelda: a content must have 7 rows of 11 numbers"):
        pcg.to_map("zelda", [[1, 2], [1, 1]])
    with pytest.raises(InvalidRecipe, match="zelda: a content must have integers from 0 to 5"):
        pcg.to_map("zelda", np.full((7, 11), 6))
    with pytest.raises(InvalidRecipe, match="isaac: a content must have a layout of 16 numbers"):
        pcg.to_map("isaac", {"layout": [1, 2]})
    with pytest.raises(InvalidRecipe, match="zelda: the map must be 11x7, got 14x14"):
        pcg.to_content("zelda", pcg.to_map("binary", np.ones((14, 14), dtype=int)))
    with pytest.raises(InvalidRecipe, match="binary: has no tile"):
        pcg.to_content("binary", tw.make("noise", width=14, height=14, seed=1))
    with pytest.raises(UnknownName, match="unknown problem 'zeldo'; did you mean 'zelda'"):
        pcg.make_contents("zeldo", 1, 1)
    with pytest.raises(InvalidRecipe, match="must be 2 controls, got 1"):
        pcg.make_contents("zelda", 2, 1, [{"player_key": 12, "key_door": 12}])
    wrong: Any
    for wrong in (5, 19, 12.5, "12", None):
        with pytest.raises(InvalidRecipe, match="player_key must be an integer from 11 to 18"):
            pcg.make_contents("zelda", 1, 1, [{"player_key": wrong, "key_door": 12}])
    with pytest.raises(InvalidRecipe, match="a control must have player_key, key_door"):
        pcg.make_contents("zelda", 1, 1, [{"path": 12}])
    with pytest.raises(InvalidRecipe, match="count: must be at least 1, got 0"):
        pcg.draw_controls("zelda", 0, 1)


def test_the_missing_benchmark_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pcg_benchmark", None)
    open_benchmark.cache_clear()
    for use in (
        lambda: pcg.judge("zelda", [], []),
        lambda: pcg.to_map("loderunner", []),
        lambda: pcg.make_contents("loderunnertile", 1, 1),
    ):
        with pytest.raises(TilewrightError, match="needs the package pcg_benchmark; run: pip install git"):
            use()


@pytest.mark.skipif(find_spec("pcg_benchmark") is None, reason="pcg_benchmark is not installed")
@pytest.mark.parametrize("name", MADE_ALONE)
def test_the_benchmark_agrees(name: str, contents: Any) -> None:
    made, controls = contents[name]
    score = pcg.judge(name, made, controls)
    assert score.quality == 1
    assert name == "isaac" or score.diversity == 1
    assert name in ("isaac", "mdungeons") or score.conjunction == 1


def test_the_command_names_the_missing_benchmark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pcg_benchmark", None)
    open_benchmark.cache_clear()
    (point,) = entry_points(group="console_scripts", name="tilewright")
    assert point.load()(["benchmark", "pcg", "--problem", "zelda"]) == 2
    assert capsys.readouterr().err.startswith("tilewright: the benchmark needs the package pcg_benchmark; run: pip")
