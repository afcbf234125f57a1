"""Short reprs and HTML summaries of results."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from IPython.core.formatters import HTMLFormatter

import tilewright as tw
from tilewright.core.recipe import Recipe
from tilewright.core.summary import MAX_LINE, MAX_MAPS, Example, Summary
from tilewright.pictures import summary as html

SCRIPT = "<script>alert(1)</script>"


def make_corpus() -> Any:
    recipe = {"technique": "caves", "params": {"width": 12, "height": 8}, "name": SCRIPT}
    return tw.corpus.make(
        recipe, "memory://summary", count=30, seed=7, measures=["regions"], sweep={"walls": [0.4, 0.5]}, workers=0
    )


def make_archive() -> Any:
    return tw.search.make(
        tw.recipe("caves", width=16, height=12), vary=["walls", "seed"], measures=["floor_share", "regions"],
        objective="path_length", evaluations=64, seed=7,
    )  # fmt: skip


def make_comparison() -> tw.TechniqueComparison:
    maps = tuple(tw.make("markov", width=9, height=8, seed=seed) for seed in range(3))
    rows = (tw.ComparisonRow("markov", 3, 0, 0.1, 0.02), tw.ComparisonRow("wfc", 3, problem=SCRIPT))
    return tw.TechniqueComparison(rows, maps[:1], {"markov": maps, "wfc": ()}, 9, 8, 3, "1", {}, "")


def show(result: Any) -> str:
    """Return what a notebook shows of a result."""
    return str(HTMLFormatter()(result))


RESULTS: dict[str, Callable[[], Any]] = {
    "recipe": lambda: tw.recipe("roguelike-dungeon", seed=7),
    "technique": lambda: tw.recipe("caves"),
    "batch": lambda: tw.make_many("caves", range(1000), width=64, height=64, measures=["regions"]),
    "corpus": make_corpus,
    "archive": make_archive,
    "seeds": lambda: tw.seek(tw.recipe("caves", width=16, height=12), seeds="0..99", require={"regions": 1}),
    "comparison": make_comparison,
}


@pytest.mark.parametrize("name", RESULTS)
def test_repr_has_at_most_three_lines(name: str) -> None:
    result = RESULTS[name]()
    lines = repr(result).splitlines()
    assert len(lines) <= 3
    assert all(len(line) <= MAX_LINE + 2 for line in lines)
    assert repr(result).startswith(f"<{type(result).__name__} ")


def test_recipe_repr_names_the_recipe_its_technique_size_shapers_seed_and_knobs() -> None:
    first, second = repr(tw.recipe("roguelike-dungeon", seed=7, monsters=12)).splitlines()
    assert re.fullmatch(r"<Recipe roguelike-dungeon: bsp 44x28, \d+ shapers, seed 7", first)
    assert "monsters=12" in second
    assert repr(tw.recipe("caves", width=20, height=10)) == "<Recipe caves 20x10>"


def test_batch_repr_describes_measures() -> None:
    many = tw.make_many("caves", range(8), width=16, height=12, measures=["regions", "solvable"])
    assert repr(many).splitlines()[1:] == [
        " seeds 0, 1, 2, 3, 4, ..., 7",
        f" regions {_spread(many)}; solvable for no map>",
    ]


def _spread(many: tw.MapBatch) -> str:
    values = many.measures["regions"]
    return (
        f"{values.min():.0f} to {values.max():.0f}, mean {values.mean():.3g}" if np.ptp(values) else f"{values[0]:.0f}"
    )


@pytest.mark.parametrize("name", RESULTS)
def test_html_has_a_picture_and_no_markup_of_texts(name: str) -> None:
    content = show(RESULTS[name]())
    assert SCRIPT not in content
    assert "<script" not in content
    assert content.count('<img src="data:image/png;base64,') == 1
    assert ' alt="' in content
    assert content.count("<svg") == content.count("</svg>")
    assert len(content) < 1 << 21


def test_html_of_recipes_and_corpora_has_their_command() -> None:
    assert "<pre>tilewright run islets --seed 3</pre>" in show(tw.recipe("islets", seed=3))
    assert "<pre>tilewright corpus make caves --set width=12" in show(make_corpus())


@pytest.mark.parametrize("part", ["title", "fact", "caption", "measure", "command"])
def test_every_text_is_escaped(part: str) -> None:
    text = f"\"{SCRIPT}'>&"
    parts = {name: text if name == part else "x" for name in ("title", "fact", "caption", "measure", "command")}
    cave = tw.make("caves", width=9, height=8, seed=1, shaping=[{"place": {"markers": [SCRIPT]}}])
    content = html.render_summary(
        parts["title"], [parts["fact"]], [cave], [parts["caption"]], {parts["measure"]: np.arange(3)}, parts["command"]
    )
    assert "<script" not in content
    assert "'>&" not in content
    assert "&lt;script&gt;" in content


def test_a_name_of_a_file_is_text(tmp_path: Any) -> None:
    path = tmp_path / "<img src=x onerror=alert(1)>.yaml"
    path.write_text("technique: caves\nparams: {width: 9, height: 8}\n")
    content = show(tw.recipe(path))
    assert "<img src=x" not in content
    assert "&lt;img src=x" in content


def test_control_characters_are_not_printed() -> None:
    summary = Summary("a\n\x1b[31mb", ["c\r\n"] * 5)
    assert summary.to_text() == "<a  [31mb\n c  \n c  >"


def test_large_maps_and_maps_that_cannot_be_made_are_left_out() -> None:
    assert "<img" not in show(tw.recipe("caves", width=1000, height=1000))
    impossible = Recipe.of({"technique": "caves", "require": {"regions": 500}, "tries": 2})
    assert "<img" not in show(impossible)


def test_results_without_maps_are_shown() -> None:
    recipe = {"technique": "caves", "require": {"regions": 500}, "tries": 1}
    corpus = tw.corpus.make(recipe, "memory://failed", count=3, seed=1, measures=["regions"], workers=0)
    assert corpus.rows([], ["id", "seed"]).num_rows == 0
    found = tw.seek("caves", seeds="0..9", require={"regions": 500})
    for result in (corpus, found, tw.make_many("caves", [], measures=["regions"])):
        assert len(repr(result).splitlines()) <= 3
        assert "<img" not in show(result)
        assert len(result.to_dataframe()) == (3 if result is corpus else 0)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 30_000), (30_000, 2), (1, 65_536)])
def test_maps_of_any_shape_are_shown_or_left_out(width: int, height: int) -> None:
    long = tw.TileMap(np.zeros((height, width), dtype=np.uint8), tw.make("caves", width=8, height=8, seed=1).tileset)
    content = html.render_summary("title", [], [long] * MAX_MAPS, ["x"] * MAX_MAPS, {}, "")
    assert content.startswith("<div")
    assert len(content) < 1 << 23


def test_at_most_twelve_maps_are_made() -> None:
    recipe, seen = tw.recipe("caves", width=9, height=8), []

    def list_examples() -> Any:
        for seed in range(1000):
            seen.append(seed)
            yield Example(recipe.with_seed(seed), f"seed {seed}")

    assert "seed 11" in Summary("caves", examples=list_examples).to_html()
    assert len(seen) == MAX_MAPS


@pytest.mark.parametrize("values", [[], [np.nan], [1.0], [1.0, 2.0, np.inf], [0.25, 0.5], [-3.0, 1e9], [5.0] * 9])
def test_charts_of_any_values(values: list[float]) -> None:
    content = html.render_summary("title", [], [], [], {"m": np.array(values)}, "")
    assert ("<svg" in content) == bool(np.isfinite(values).any())
    assert "nan" not in content


@pytest.mark.parametrize(
    "values", [(0.5, 0.5 + 2**-52), (-1.7e308, 1.7e308), (1e17, 1e17), (3.0, 5.0), (1e17, 1e17 + 64)]
)
def test_a_chart_of_any_two_numbers_has_all_of_them(values: tuple[float, float]) -> None:
    chart = html.render_chart("numbers", np.array(values))
    assert 1 <= chart.count("<rect") <= 2
