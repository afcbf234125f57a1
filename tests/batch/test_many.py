"""`tw.make_many`: arrays of maps and measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.search import evaluation

CAVES: dict[str, Any] = {"width": 30, "height": 20}


@pytest.mark.parametrize(
    ("technique", "settings", "seeds", "device"),
    [
        ("caves", CAVES, range(5, 60), "cpu"),
        ("caves", CAVES, ["sea", 7, "007", 2**64], "cpu"),
        ("caves", CAVES, range(0), "cpu"),
        ("caves", {**CAVES, "shaping": ["connect"]}, range(6), "pipeline"),
        ("bsp", {"width": 40, "height": 30}, range(6), "pipeline"),
    ],
    ids=str,
)
def test_many_maps_are_single_maps(technique: str, settings: dict[str, Any], seeds: Any, device: str) -> None:
    many = tw.make_many(technique, seeds, measures=["regions", "floor_share"], **settings)
    assert many.device == device
    maps = [tw.make(technique, seed=seed, **settings) for seed in seeds]
    assert len(many) == len(maps)
    assert many.cells.shape == (len(maps), settings["height"], settings["width"])
    assert all((cells == map.cells).all() for cells, map in zip(many.cells, maps, strict=True))
    assert [*many] == maps
    for number, map in enumerate(maps):
        assert {name: values[number] for name, values in many.measures.items()} == tw.measure(map, *many.measures)


def test_mistakes() -> None:
    with pytest.raises(tw.InvalidRecipe, match="device: must be one of auto, cpu, gpu"):
        tw.make_many("caves", range(3), device="tpu", **CAVES)
    with pytest.raises(tw.InvalidRecipe, match="there is no NVIDIA driver on this machine"):
        tw.make_many("caves", range(3), device="gpu", **CAVES)
    with pytest.raises(tw.UnknownName, match="did you mean 'regions'"):
        tw.make_many("caves", range(3), measures=["region"], **CAVES)
    with pytest.raises(tw.InvalidRecipe, match="seed: must not be empty"):
        tw.make_many("caves", ["a", ""], **CAVES)


def test_styles_are_evaluated_by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    search: dict[str, Any] = {
        "vary": {"walls": (0.3, 0.6), "steps": (0, 8)},
        "measures": {"floor_share": (0, 1, 5), "regions": (1, 60, 5)},
        "objective": "path_length",
        "evaluations": 16,
        "batch": 8,
        "seed": 3,
        "repeats": 20,
    }
    recipe = tw.recipe("caves", **CAVES)
    archive = tw.search.make(recipe, **search)
    monkeypatch.setattr(evaluation, "MIN_BATCH", 1000)
    other = tw.search.make(recipe, **search)
    assert len(archive) == len(other) > 0
    assert np.array_equal(archive.rows.measures, other.rows.measures, equal_nan=True)
    assert np.array_equal(archive.rows.units, other.rows.units)
