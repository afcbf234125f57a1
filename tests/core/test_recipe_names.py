"""Names of recipes in messages and titles, and knobs wherever parameters are accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tilewright.cli import main
from tilewright.core.recipe import Recipe
from tilewright.formats import load_all

YAML = "technique: caves\nparams: {width: 12, height: 8}\n"


def title(map: tw.TileMap) -> str:
    assert map.recipe is not None
    return map.recipe.title


def test_a_recipe_is_named_by_its_built_in_name_its_file_or_its_own_key(tmp_path: Path) -> None:
    (tmp_path / "deep halls.yaml").write_text(YAML)
    (tmp_path / "other.yaml").write_text(f"{YAML}name: My halls\n")
    assert tw.recipe("open-caves").title == title(tw.run("open-caves", seed=1)) == "open-caves"
    assert tw.recipe(tmp_path / "deep halls.yaml").title == "deep halls"
    assert tw.recipe(tmp_path / "other.yaml").title == "My halls"
    assert tw.recipe("caves").title == title(tw.make("caves", seed=1)) == "caves"
    assert tw.recipe(tw.recipe("open-caves"), seed=3).title == "open-caves"
    assert repr(tw.run("open-caves", seed=3)) == "<TileMap 80x50 of cave by open-caves, seed 3>"


def test_a_name_changes_no_map_and_is_stored(tmp_path: Path) -> None:
    named = tw.recipe("caves", width=12, height=8, name="<b>Deep\x07 halls</b>" + "x" * 200, seed=7)
    plain = tw.recipe("caves", width=12, height=8, seed=7)
    assert named == plain
    assert tw.run(named) == tw.run(plain)
    assert named.name == "<b>Deep halls</b>" + "x" * 82  # no control characters, and not longer than a line
    assert Recipe.of(named.to_data()).name == named.name
    assert "name" not in plain.to_data()
    path = tmp_path / "map.html"
    tw.run(named).save(path)
    assert "<b>Deep" not in path.read_text()
    assert title(load_all(path)[0].map) == named.name


def test_messages_name_the_recipe(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "{name}-{seed}.json"
    assert main(["run", "open-caves", "--seed", "3", "-o", str(path)]) == 0
    made = tmp_path / "open-caves-3.json"
    assert capfd.readouterr().err == f"open-caves 80x50, seed 3, wrote {made}\n"
    assert main(["verify", str(made)]) == 0
    assert "the same map (open-caves, seed 3)" in "".join(capfd.readouterr())


def test_knobs_are_keywords_of_every_function_that_takes_a_recipe() -> None:
    knobs: dict[str, Any] = {"monsters": 12, "treasures": 2}
    made = tw.run("roguelike-dungeon", seed=7, **knobs)
    assert tw.measure(made, "markers.monster", "markers.treasure") == {"markers.monster": 12, "markers.treasure": 2}
    assert made == tw.run("roguelike-dungeon", seed=7, knobs=knobs)
    assert made == [*tw.watch("roguelike-dungeon", seed=7, **knobs)][-1].map
    assert made == tw.make_many("roguelike-dungeon", [7], **knobs)[0]
    assert made == tw.run(tw.recipe("roguelike-dungeon", monsters=12), seed=7, treasures=2)
    # The parameter `loops` exceeds the range of the knob `loops`: parameters precede knobs.
    assert tw.recipe("locked-dungeon", loops=0.9).params.model_dump()["loops"] == 0.9


@pytest.mark.parametrize(
    ("keywords", "line"),
    [
        ({"monster": 3}, "unknown parameter or knob 'monster'; did you mean 'monsters'?"),
        ({"monsters": 99}, "knob: monsters: must be at most 20, got 99"),
        ({"monsters": "many"}, "knob: monsters: must be a number, got 'many'"),
        ({"monsters": 3, "knobs": {"monsters": 5}}, "monsters: is given twice, as a keyword and in knobs"),
        ({"name": {"a": 1}}, "name: must be a string, got {'a': 1}"),
        ({"monsters": 3, "knobs": 5}, "knob: must be values by the name of the knob, got 5"),
    ],
)
def test_wrong_knobs_are_explained(keywords: dict[str, object], line: str) -> None:
    with pytest.raises(tw.InvalidRecipe) as error:
        tw.run("roguelike-dungeon", seed=7, **keywords)  # type: ignore[arg-type]
    assert str(error.value) == line


def test_an_unknown_parameter_of_a_technique_is_explained_as_before() -> None:
    with pytest.raises(tw.InvalidRecipe, match="caves: unknown parameter 'monsters'"):
        tw.run("caves", monsters=3)


def test_settings_of_a_shaper_follow_a_comma(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "caves", "--shape", "connect thickness=2"]) == 2
    assert "settings follow the name after a comma: connect,thickness=2" in capfd.readouterr().err


def test_the_format_of_samples_comes_first(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "markov", "--sample", f"{tmp_path}:awbw"]) == 2
    assert f"the format comes first: write awbw:{tmp_path}" in capfd.readouterr().err


def test_samples_are_listed_and_explained(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "samples"]) == 0
    assert "village" in capfd.readouterr().out
    assert main(["explain", "village"]) == 0
    shown = capfd.readouterr().out
    assert "fence post" in shown
    assert "tilewright make wfc --sample village --seed 7" in shown


def test_a_recipe_is_explained_by_its_knobs_and_its_yaml_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "city-blocks"]) == 0
    shown = capfd.readouterr().out
    assert "parks" in shown
    assert "technique: rules" not in shown
    assert main(["explain", "city-blocks", "--yaml"]) == 0
    assert "technique: rules" in capfd.readouterr().out
    assert main(["explain", "caves", "--yaml"]) == 2
    assert "must be a recipe, caves is a technique" in capfd.readouterr().err
