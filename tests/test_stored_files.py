"""Check that files made with earlier versions still load, give the same recipe, and verify.

Each folder in `tests/stored` holds files made with one version, and an index of what they hold. Where the revision of a
technique, shaper or measure has been raised since, `verify` must report that revision and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.stored.content import (
    api_client,
    describe,
    digest,
    keeps,
    open_link,
    recipe_data,
    send,
    unpack,
    with_present_names,
    without_look,
)
from tilewright.cli import main

FOLDER = Path(__file__).parent / "stored" / "v0_1_0"
INDEX: dict[str, Any] = json.loads((FOLDER / "index.json").read_text("utf-8"))
LINKS = dict(line.split() for line in (FOLDER / "links.txt").read_text("utf-8").splitlines())
REQUESTS: list[dict[str, Any]] = json.loads((FOLDER / "requests.json").read_text("utf-8"))
CODES = {"same": 0, "edited": 1, "changed": 1, "impossible": 2}
"""Exit codes of `tilewright verify`."""
OLD_NAMES: dict[str, dict[str, Any]] = read_table(__file__, "old names")
"""Parameters of techniques and shapers that have other names today."""
FURTHER_VALUES: dict[str, dict[str, Any]] = read_table(__file__, "further values")
"""Required values of other parameters."""
EXACT_IN_FILES = ("numbers", "layers")
"""Floats that files keep exactly, but that another machine may compute slightly differently."""


@cache
def present_revisions() -> dict[str, int]:
    return {entry.name: entry.revision for entry in (*tw.list_techniques(), *tw.list_shapers(), *tw.list_measures())}


def raised(entry: Mapping[str, Any]) -> set[str]:
    """Return the names whose revision is not the stored one."""
    stored = entry.get("revisions", {})
    return {name for name, revision in stored.items() if present_revisions().get(name) != revision}


def assert_same_recipe(recipe: tw.Recipe | None, stored: Mapping[str, Any] | None) -> None:
    """A recipe has every stored value, and the stored data still reads as that recipe."""
    now = recipe_data(recipe)
    assert keeps(unpack(now), unpack(with_present_names(stored))), f"\n{now}\nis not\n{stored}"
    if stored is not None:
        assert without_look(unpack(recipe_data(tw.recipe(stored)))) == without_look(unpack(now))


def assert_made_again(map: tw.TileMap, entry: Mapping[str, Any]) -> None:
    """A map is the stored one, unless a revision has been raised."""
    if not raised(entry):
        found = {name: value for name, value in describe(map).items() if name not in EXACT_IN_FILES}
        assert found == {name: entry[name] for name in found}


def assert_verdict(outcome: str, message: str, entry: Mapping[str, Any]) -> None:
    """A verdict is the stored one, or reports exactly the raised revisions."""
    if not raised(entry) or outcome != "changed":
        assert outcome == entry["outcome"], message
        return
    words = set(re.findall(r"\w+", message))
    assert words & set(entry["revisions"]) == raised(entry), message


# -- files ------------------------------------------------------------------------------------------------------


def test_no_stored_file_has_changed() -> None:
    paths = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.name != "index.json")
    now = {path.relative_to(FOLDER).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}
    assert now == INDEX["files"]


def test_every_technique_shaper_and_format_of_that_version_is_stored() -> None:
    names = [Path(name) for name in INDEX["maps"]]
    used = {name for entry in INDEX["maps"].values() for name in entry.get("revisions", {})}
    assert {*INDEX["techniques"], *INDEX["shapers"]} <= used
    assert set(INDEX["techniques"]) <= {name.stem for name in names if name.suffix == ".json"}
    assert set(INDEX["formats"]) == {name.suffix[1:] for name in names}


# -- maps -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDEX["maps"])
def test_a_map_loads_with_its_recipe_and_verifies(name: str) -> None:
    entry = INDEX["maps"][name]
    tileset = tw.Tileset.validate(entry["read_with"]) if "read_with" in entry else None
    loaded = tw.load(FOLDER / name, tileset=tileset)
    assert keeps(describe(loaded), {key: entry[key] for key in describe(loaded)})
    assert_same_recipe(loaded.recipe, entry["recipe"])
    verdict = tw.verify(FOLDER / name, files=[FOLDER / beside for beside in entry.get("with", ())])
    assert_verdict(verdict.outcome, verdict.message, entry)


def test_the_command_line_verifies_maps_of_all_formats(capfd: pytest.CaptureFixture[str]) -> None:
    """One map for each outcome and format. The test above verifies all others."""
    entries = {name: entry for name, entry in INDEX["maps"].items() if not raised(entry)}
    expected = {(entry["outcome"], Path(name).suffix): name for name, entry in entries.items()}
    for outcome in ("same", "edited", "impossible"):
        files = [str(FOLDER / name) for (of_file, _), name in expected.items() if of_file == outcome]
        code = main(["verify", *files, "--with", str(FOLDER / "maps/large_sample.npz")])
        assert code == (CODES[outcome] if files else code)
        names = [line.partition(": ")[0] for line in capfd.readouterr().out.splitlines()]
        # A file with several maps has a line per map, such as updates.fbca[1].
        assert list(dict.fromkeys(name.partition("[")[0] for name in names)) == files


def test_a_map_that_only_names_its_sample_needs_that_file() -> None:
    assert tw.verify(FOLDER / "maps/large_sample_named.json").outcome == "impossible"


def test_all_maps_of_a_file_with_several_load() -> None:
    first, second = (tw.load(FOLDER / "maps/updates.fbca", index=index) for index in (0, 1))
    assert first.shape == second.shape == (8, 12)
    assert digest(first) != digest(second)


# -- recipes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDEX["recipes"])
def test_a_recipe_file_reads_as_the_same_recipe_and_makes_the_same_map(name: str) -> None:
    entry = INDEX["recipes"][name]
    recipe = tw.recipe(FOLDER / name)
    assert recipe.name == Path(name).stem  # which version 0.1 did not store
    assert_same_recipe(replace(recipe, name=""), entry["recipe"])
    assert_made_again(tw.run(recipe, seed=1 if recipe.seed is None else None), entry)


# -- models -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OLD_NAMES)
def test_a_recipe_may_have_the_parameter_names_of_that_version(name: str) -> None:
    entry = next(entry for entry in (*tw.list_techniques(), *tw.list_shapers()) if entry.name == name)
    present = {entry.params.renamed[key]: value for key, value in OLD_NAMES[name].items()}

    def read(values: Mapping[str, Any]) -> tw.Recipe:
        values = {**FURTHER_VALUES.get(name, {}), **values}
        if isinstance(entry, tw.Technique):
            return tw.recipe({"technique": name, "params": values})
        return tw.recipe({"technique": "caves", "shaping": [{name: values}]})

    assert read(OLD_NAMES[name]) == read(present)


@pytest.mark.parametrize("name", INDEX["models"])
def test_a_model_loads_and_makes_the_same_map(name: str) -> None:
    entry = INDEX["models"][name]
    model = tw.load_model(FOLDER / name)
    assert model.technique == entry["technique"]
    assert model == tw.load_model((FOLDER / name).with_suffix(".json"))
    made = tw.make(entry["technique"], model=model, width=14, height=12, seed=entry["seed"], **entry["params"])
    assert_same_recipe(made.recipe, entry["recipe"])
    assert_made_again(made, entry)


# -- the studio -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDEX["links"])
def test_a_link_opens_the_same_recipe(name: str) -> None:
    entry = INDEX["links"][name]
    opened = open_link(LINKS[name])
    assert keeps(unpack(opened), unpack(with_present_names(entry["state"])))
    assert_same_recipe(tw.recipe(opened["effective"]), entry["recipe"])
    if not raised(entry):
        assert digest(tw.run(opened["effective"])) == entry["digest"]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with api_client() as client:
        yield client


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_the_api_answers_a_request_with_the_same_map(client: Any, number: int, tmp_path: Path) -> None:
    entry, request = INDEX["requests"][number], REQUESTS[number]
    answer = send(client, request)
    assert answer.status_code == 200, answer.text
    path = tmp_path / f"map.{request['format']}"
    path.write_bytes(answer.content)
    made = tw.load(path)
    assert made.recipe is not None
    recipe = made.recipe
    if isinstance(request.get("body", {}).get("recipe"), str):
        # A built-in recipe may have got requirements since; its maps are tried again until one meets them.
        recipe = replace(recipe, require=(), tries=1, attempt=None)
    assert_same_recipe(recipe, entry["recipe"])
    assert_made_again(made, entry)
    assert answer.headers["Tilewright-Digest"] == digest(made)


# -- corpora and worlds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDEX["corpora"])
def test_a_corpus_opens_with_the_same_rows_and_maps(name: str) -> None:
    entry = INDEX["corpora"][name]
    corpus = tw.corpus.Corpus(FOLDER / name)
    assert corpus.is_complete
    assert len(corpus) == entry["count"]
    assert corpus.columns == entry["columns"]
    assert corpus.table().to_pylist() == entry["rows"]
    made = [row for row in entry["rows"] if row["reason"] is None]
    assert corpus.ids().tolist() == [row["id"] for row in made]
    assert [number for batch in corpus.batches(3) for number in batch.ids.tolist()] == [row["id"] for row in made]
    for row in made:
        assert digest(tw.TileMap(corpus[row["id"]], corpus.tileset)) == row["digest"]


@pytest.mark.parametrize("name", INDEX["corpora"])
def test_the_maps_of_a_corpus_verify(name: str, tmp_path: Path) -> None:
    entry = INDEX["corpora"][name]
    corpus = tw.corpus.Corpus(FOLDER / name)
    for number, stored in enumerate(entry["maps"]):
        if stored is None:
            continue
        try:
            made = corpus.map(number)
        except tw.BadFile:
            assert raised(stored)
            continue
        assert_same_recipe(made.recipe, stored["recipe"])
        assert_made_again(made, stored)
        file = str(tmp_path / f"{number}.json")
        assert main(["corpus", "take", str(FOLDER / name), str(number), "-o", file]) == 0
        assert main(["verify", file]) == 0


@pytest.mark.parametrize("name", INDEX["worlds"])
def test_a_world_opens_with_the_same_cells(name: str) -> None:
    entry = INDEX["worlds"][name]
    world = tw.corpus.World(FOLDER / name)
    assert [list(world.shape), world.seed, list(world.levels)] == [entry["shape"], entry["seed"], entry["levels"]]
    assert digest(world.window(0, 0, world.width, world.height)) == entry["digest"]
    assert digest(world.window(*entry["window"]["place"])) == entry["window"]["digest"]
    assert world.overview(world.levels[0]).shape[2] == 3
    assert_same_recipe(world.recipe, entry["recipe"])
    if not raised(entry):
        assert digest(tw.run(world.recipe)) == entry["digest"]
