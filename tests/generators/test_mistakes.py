"""Mistakes in parameters that depend on each other or have a notation of their own, and maps that cannot be made.

`tests/conformance/test_problems.py` has the other ones: bounds, choices, types and names of all parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.networks import make_network
from tests.refusals import refused
from tilewright.generators._markov.directions import AROUND

ROOM = ["######", "#....#", "#..~.#", "#....#", "######"]
BASE: dict[str, dict[str, Any]] = {
    "diffusion": {"model": make_network(), "width": 8, "height": 6, "steps": 8, "seed": 1},
    "markov": {"width": 12, "height": 9, "seed": 1},
    "patterns": {"sample": ROOM, "width": 12, "height": 9, "pattern_sizes": [2], "iterations": 2000, "seed": 1},
    "wfc": {"width": 24, "height": 18, "seed": 1},
}
"""Parameters that a mistake is added to."""
MISTAKES, GAVE_UP = (read_table(__file__, name) for name in ("mistakes", "gave up"))
"""Cases by the names of techniques."""
MANY = np.arange(256).reshape(16, 16)
"""A sample in which every cell has its own tile."""
OTHERS: list[tuple[str, dict[str, Any], str]] = [
    (
        "diffusion",
        {"locks": [[0, 0, "door"]], "model": make_network(labels=("wall", "floor"))},
        "locks: no map of the model has the tile 'door'; it has wall, floor",
    ),
    (
        "markov",
        {"sample": MANY, "directions": AROUND},
        "directions: 8 directions with 256 tiles make too many contexts",
    ),
    ("rooms", {"layouts": ["o" * 90 + "\n" + "x" * 90]}, "layouts.0: must fit a map of 80x50, got 90x2 cells"),
]
"""Mistakes that only code can make."""
CASES = [(name, *case) for names, cases in MISTAKES.items() for name in names.split() for case in cases]


@pytest.mark.parametrize(("technique", "params", "message"), [*CASES, *OTHERS], ids=lambda value: str(value)[:60])
def test_mistakes_are_reported_in_one_line(technique: str, params: dict[str, Any], message: str) -> None:
    with refused(message, limit=400):
        tw.make(technique, **{**BASE.get(technique, {}), **params})


@pytest.mark.parametrize(
    ("technique", "params", "parts"),
    [(technique, *case) for technique, cases in GAVE_UP.items() for case in cases],
    ids=lambda value: str(value)[:60],
)
def test_giving_up_names_the_reason(technique: str, params: dict[str, Any], parts: list[str]) -> None:
    with refused(parts[0], tw.GaveUp) as error:
        tw.make(technique, **{**BASE.get(technique, {}), **params})
    assert all(part in str(error.value) for part in parts)
    assert error.value.tries == 1
