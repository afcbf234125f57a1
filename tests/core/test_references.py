"""Published sources as BibTeX."""

import re
import unicodedata
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import tilewright as tw
from tilewright.cli import program
from tilewright.core.references import TABLE, find_keys, find_keys_of_recipe, list_references
from tilewright.corpus.datasheet import render_datasheet
from tilewright.search.distances import distance_registry

CITATION = Path(__file__).parents[2] / "CITATION.cff"
SOURCES = re.compile(r"Sources?:(.*?)(?:\n\n|\Z)", re.DOTALL)
ENTRIES = [*tw.list_techniques(), *tw.list_shapers(), *tw.list_measures()]


@pytest.mark.parametrize("technique", tw.list_techniques(), ids=lambda entry: entry.name)
def test_each_technique_has_a_reference(technique: tw.Technique) -> None:
    keys = find_keys(technique.name)
    assert keys
    assert "tilewright" not in keys
    assert tw.cite(technique.name).count("\n}") == len(keys)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_sources_in_descriptions_are_references(entry: tw.Technique) -> None:
    found = SOURCES.search(entry.doc)
    if found is None:
        return
    years = set(re.findall(r'", (\d{4})', entry.doc[found.start() :]))
    cited = tw.cite(entry.name)
    assert years <= set(re.findall(r"year = {(\d{4})}", cited))
    assert all(_plain(author).split()[-1] in _plain(cited) for author in re.findall(r"(\w+), \"", found[1]))


def _plain(text: str) -> str:
    """Return letters without accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def test_references_are_used_complete_and_unique() -> None:
    kinds = {name: TABLE[name] for name in ("techniques", "shapers", "measures", "distances")}
    used = {key for table in kinds.values() for keys in table.values() for key in keys}
    references = list_references()
    assert used | {"tilewright"} == {one.key for one in references}
    for one in references:
        assert {"author", "title"} <= set(one.fields), one.key
        assert {"year", "version", "url"} & set(one.fields), one.key
        assert one.to_bibtex().count("{") == one.to_bibtex().count("}")
    assert all(name in distance_registry for name in kinds["distances"])
    names = {kind: {entry.name for entry in entries} for kind, entries in (
        ("techniques", tw.list_techniques()), ("shapers", tw.list_shapers()), ("measures", tw.list_measures())
    )}  # fmt: skip
    assert all(set(kinds[kind]) <= names[kind] for kind in names)


def test_tilewright_is_cited_as_in_the_citation_file() -> None:
    citation = yaml.safe_load(CITATION.read_text("utf-8"))
    entry = tw.cite()
    assert citation["title"] in entry
    assert f"version = {{{tw.__version__}}}" in entry
    assert str(citation["date-released"])[:4] in entry
    assert tw.cite("tilewright") == entry


def test_entries_without_a_source_are_tilewrights_own() -> None:
    assert tw.cite("border") == tw.cite()
    assert tw.cite("regions") == tw.cite()


def test_unknown_names_and_other_packages() -> None:
    with pytest.raises(tw.UnknownName, match="did you mean 'wfc'"):
        tw.cite("wcf")
    with pytest.raises(tw.UnknownName):
        tw.cite("")


def test_keys_of_recipes_include_inner_recipes_shapers_and_measures() -> None:
    recipe = tw.recipe("caves", shaping=[{"overlay": {"recipe": "islets", "width": 9, "height": 9}}])
    keys = find_keys_of_recipe(recipe, ["tile_entropy", "regions"])
    assert keys[:2] == ["tilewright", "johnson2010cellular"]
    assert {"ashlock2015evolvable", "shannon1948mathematical"} <= set(keys)


def test_the_command_prints_bibtex() -> None:
    result = CliRunner().invoke(program, ["cite", "caves"])
    assert result.output == f"{tw.cite('caves')}\n"
    assert CliRunner().invoke(program, ["cite"]).output == f"{tw.cite()}\n"


def test_datasheets_have_the_command_the_version_the_seed_and_the_keys() -> None:
    corpus = tw.corpus.make(
        tw.recipe("roguelike-dungeon", monsters=12),
        "memory://cite",
        count=2,
        seed=7,
        measures=["tile_entropy"],
        workers=0,
    )
    section = render_datasheet(corpus).partition("## Cite and reproduce")[2]
    command = (
        "tilewright corpus make roguelike-dungeon --monsters 12 --count 2 --seed 7 --measures tile_entropy -o again"
    )
    for text in (command, f"Tilewright {tw.__version__}", "`7`", "`fuchs1980visible`", "`shannon1948mathematical`"):
        assert text in section
    assert tw.cite() in section
