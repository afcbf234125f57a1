"""Commands that make recipes again."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tilewright as tw
from tilewright import data
from tilewright.cli import program
from tilewright.core.command_line import MAX_LINE, write_command, write_job_command
from tilewright.core.recipe import Recipe

RECIPES: dict[str, tuple[Recipe, str]] = {
    "technique": (tw.recipe("caves", width=20, seed=7), "tilewright make caves --width 20 --seed 7"),
    "stages": (
        tw.recipe("caves", width=20, height=9, shaping=["border", {"connect": {"thickness": 2}}], seed=1),
        "tilewright make caves --width 20 --height 9 --shape border --shape connect,thickness=2 --seed 1",
    ),
    "requirement": (
        tw.recipe("caves", width=20, height=9, require={"regions": 1, "floor_share": ">0.3"}, seed="a b"),
        "tilewright make caves --width 20 --height 9 --require regions=1 --require 'floor_share>0.3' --seed 'a b'",
    ),
    "sample": (tw.recipe("markov", sample="village", width=9), "tilewright make markov --width 9 --sample village"),
    "built-in": (tw.recipe("islets", seed=3), "tilewright run islets --seed 3"),
    "knob": (tw.recipe("city-blocks", parks=3), "tilewright run city-blocks --parks 3"),
    "built-in and parameter": (tw.recipe("islets", offset=[3, 4]), "tilewright run islets --set offset=3,4"),
}


@pytest.fixture(autouse=True)
def use_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(command: str) -> str:
    """Run a command, and return what it prints."""
    result = CliRunner().invoke(program, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", RECIPES)
def test_command_is_short(name: str) -> None:
    recipe, command = RECIPES[name]
    assert set(shlex.split(write_command(recipe))) == set(shlex.split(command))


@pytest.mark.parametrize("name", RECIPES)
def test_command_makes_the_same_map(name: str) -> None:
    recipe = RECIPES[name][0].with_seed(5)
    run(f"{write_command(recipe)} -o map.json")
    assert tw.load("map.json") == tw.run(recipe)


@pytest.mark.parametrize("name", data.list_names("recipes"))
def test_built_in_recipes_have_a_command(name: str) -> None:
    assert write_command(tw.recipe(name)) == f"tilewright run {name}"


def test_a_recipe_that_only_has_the_name_of_another_is_written_as_its_technique() -> None:
    recipe = Recipe.of({"technique": "caves", "name": "islets"})
    assert write_command(recipe) == "tilewright make caves"


def test_recipes_that_no_line_can_express_have_no_command() -> None:
    grid = [[tw.Rng.of(row).between(0, 1) for row in range(60 * line, 60 * line + 60)] for line in range(60)]
    assert write_command(tw.recipe("markov", sample=grid)) == ""
    assert write_command(tw.recipe("caves", width=8, height=8, seed="a\nb")) == ""
    assert len(write_command(tw.recipe("caves", seed="s" * 500))) <= MAX_LINE


def test_jobs_set_parameters_with_set() -> None:
    recipe = tw.recipe("caves", width=20, shaping=["border"], seed=7)
    words = write_job_command("corpus make", recipe, ["--count", "3"])
    assert words == "tilewright corpus make caves --set width=20 --shape border --count 3"
    assert write_job_command("seek", tw.recipe("islets"), []) == "tilewright seek islets"


@pytest.mark.parametrize("sweep", [{"walls": [0.4, 0.5]}, {"walls": {"from": 0.4, "to": 0.5, "step": 0.02}}, {}])
def test_corpus_command_makes_the_same_corpus(sweep: dict[str, Any]) -> None:
    recipe = tw.recipe("caves", width=12, height=8)
    corpus = tw.corpus.make(recipe, f"memory://{len(str(sweep))}", count=4, seed=7, sweep=sweep, workers=0)
    run(f"{corpus.manifest.write_command('again')} --workers 0")
    assert tw.corpus.Corpus("again").table(["digest"]) == corpus.table(["digest"])


def test_corpus_command_sweeps_knobs() -> None:
    corpus = tw.corpus.make(
        tw.recipe("roguelike-dungeon", keys=1), "memory://knobs", count=4, seed=7, sweep={"monsters": [2, 5]},
        sampled=True, measures=["markers.monster"], workers=0,
    )  # fmt: skip
    run(f"{corpus.manifest.write_command('again')} --workers 0")
    assert tw.corpus.Corpus("again").table() == corpus.table()


def test_search_command_makes_the_same_archive() -> None:
    archive = tw.search.make(
        "caves", vary={"walls": (0.3, 0.6), "outside": ["wall", "floor"], "seed": None}, objective="-path_length",
        measures={"floor_share": (0, 1, 5), "regions": (1, 30, 4, "log")}, evaluations=40, batch=20, seed=7,
    )  # fmt: skip
    run(f"{archive.definition.write_command('archive')} --workers 0")
    assert [elite.recipe for elite in tw.search.load("archive")] == [elite.recipe for elite in archive]


def test_seek_command_finds_the_same_seeds() -> None:
    found = tw.seek("caves", seeds="0..99", require={"regions": "1..2", "path_length": "most"}, keep=5)
    output = run(f"{found.definition.write_command()} --json")
    assert all(str(seed) in output for seed in found.seeds.tolist())
