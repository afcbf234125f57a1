"""Single large maps on a GPU: `tw.make(..., device="gpu")`."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tests.gpu.conftest import choose_cases

SMALL: list[dict[str, Any]] = [
    {"width": 12, "height": 10, "generations": 2},
    {"width": 70, "height": 6, "generations": 1, "scores": [0.1, 0.5, 0.9, 0.3]},
    {"width": 12, "height": 9, "generations": 1, "wrap": False},
]
LARGE: list[dict[str, Any]] = [
    {"width": 2048, "height": 1024, "generations": 40},
    {"width": 1000, "height": 777, "generations": 40, "scores": [0.1, 0.5, 0.9, 0.3]},
    {"width": 300, "height": 200, "generations": 5, "offset": (-7, 1000)},
]


@pytest.mark.parametrize("settings", choose_cases(SMALL, LARGE), ids=str)
def test_maps_are_those_of_the_cpu(settings: dict[str, Any]) -> None:
    made = tw.make("fashion", seed=7, device="gpu", **settings)
    assert made == tw.make("fashion", seed=7, **settings)
    assert made.recipe is not None
    assert "device" not in made.recipe.to_data()["params"]


def test_watching_does_not_change_the_map() -> None:
    settings: dict[str, Any] = {"width": 8, "height": 6, "generations": 2}
    frames = [*tw.watch("fashion", seed=7, device="gpu", **settings)]
    assert frames[-1].map == tw.make("fashion", seed=7, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"states": 9}, "a GPU has no kernel for 9 states"),
        ({"morph": "random"}, "locks and morph are made on the CPU"),
        ({"locks": [{"x": 1, "y": 1, "tile": "state2"}]}, "locks and morph are made on the CPU"),
    ],
    ids=str,
)
def test_recipes_without_a_kernel(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.make("fashion", seed=7, device="gpu", width=9, height=9, **settings)
