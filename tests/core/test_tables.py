"""Results as tables of pandas and datasets of xarray."""

import sys
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.core.test_summary import make_archive, make_comparison, make_corpus
from tilewright.core.tables import make_dataframe, make_dataset


def test_batch_as_table_and_dataset() -> None:
    many = tw.make_many("caves", range(5), width=12, height=8, measures=["regions", "floor_share"])
    table = many.to_dataframe()
    assert table.columns.tolist() == ["seed", "regions", "floor_share"]
    assert table["regions"].tolist() == many.measures["regions"].tolist()
    data = many.to_xarray()
    assert data["tile"].dims == ("map", "y", "x")
    assert np.array_equal(data["tile"].values, many.cells)
    assert data.attrs["tiles"] == list(many.tileset.names)
    assert data["floor_share"].dims == ("map",)
    assert data.sel(map=data["regions"] == 1).sizes["map"] == (many.measures["regions"] == 1).sum()


def test_batch_of_maps_with_levels() -> None:
    recipe = {"technique": "wfc", "params": {"sample": "keep", "width": 6, "height": 6, "pattern_size": 1}}
    data = tw.make_many(recipe, range(2)).to_xarray()
    assert data["tile"].dims == ("map", "level", "y", "x")


def test_ids_of_batches_with_inner_recipes_are_those_of_the_tileset() -> None:
    recipe = {"technique": "caves", "params": {"width": 30, "height": 20},
              "shaping": [{"overlay": {"recipe": "islets", "x": 2, "y": 2, "width": 20, "height": 12}}]}  # fmt: skip
    many = tw.make_many(recipe, range(2))
    names = np.array(many.tileset.names)
    for number, map in enumerate(many):
        assert np.array_equal(names[many.cells[number]], np.array(map.tileset.names)[map.cells])


def test_corpus_as_table_and_dataset() -> None:
    corpus = make_corpus()
    table = corpus.to_dataframe()
    assert table["walls"].tolist() == [0.4, 0.5] * 15
    assert "cells" not in table.columns
    assert corpus.to_dataframe(["id"]).shape == (30, 1)
    data = corpus.to_xarray()
    assert all(np.array_equal(data["tile"].values[number], corpus[number]) for number in (0, 7, 29))
    assert {"walls", "regions", "seed"} <= set(data.variables)
    assert data.attrs["seed"] == "7"
    some = corpus.to_xarray(ids=[5, 2], columns=["regions"])
    assert some["id"].values.tolist() == [5, 2]
    assert set(some.variables) == {"tile", "id", "regions"}


def test_corpus_of_different_sizes_has_no_dataset() -> None:
    recipe = tw.recipe("caves", height=8)
    corpus = tw.corpus.make(recipe, "memory://sizes", count=4, seed=7, sweep={"params.width": [9, 12]}, workers=0)
    with pytest.raises(tw.InvalidRecipe, match="differ in size"):
        corpus.to_xarray()
    assert corpus.to_xarray(ids=[0, 2])["params_width"].values.tolist() == [9, 9]
    with pytest.raises(tw.InvalidRecipe, match="no maps"):
        corpus.to_xarray(ids=[])


def test_archive_as_table() -> None:
    archive = make_archive()
    table = archive.to_dataframe()
    assert len(table) == len(archive)
    assert table["objective"].max() == archive.best.objective
    first = next(iter(archive))
    assert (table["bin_floor_share"][0], table["bin_regions"][0]) == first.cell
    assert table["walls"][0] == first.values["walls"]


def test_seeds_as_table() -> None:
    found = tw.seek(tw.recipe("caves", width=16, height=12), seeds="0..99", require={"path_length": "most"}, keep=4)
    table = found.to_dataframe()
    assert table["seed"].tolist() == found.seeds.tolist()
    assert table["digest"].tolist() == list(found.digests)


def test_comparison_as_table() -> None:
    table = make_comparison().to_dataframe()
    assert table["technique"].tolist() == ["markov", "wfc"]
    assert table["training_time"][0] == 0.1
    assert np.isnan(table["training_time"][1])
    assert table["failures"][0] == 0


def test_columns_keep_their_types() -> None:
    table = make_dataframe({"a": [1, None], "b": ["x", "y"], "c": [True, False], "d": [[1, 2], None], "e": [1, 2]})
    assert table["a"].dtype == float
    assert table["c"].dtype == bool
    assert table["d"][0] == [1, 2]
    assert table["e"].dtype.kind == "i"


def test_names_of_dimensions_get_a_suffix() -> None:
    cave = tw.make("caves", width=9, height=8, seed=1)
    data = make_dataset(cave.cells[None], cave.tileset, {"x": [1], "tile": ["a"], "regions": [2]}, {})
    assert {"tile", "x_value", "tile_value", "regions"} == set(data.variables)


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_dataframe"), ("xarray", "to_xarray")])
def test_a_missing_package_is_named(package: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    many: Any = tw.make_many("caves", range(2), width=9, height=8)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(tw.TilewrightError, match=f"pip install {package}"):
        getattr(many, method)()
