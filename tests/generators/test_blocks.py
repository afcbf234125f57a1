"""The size of the blocks of work between two yields changes no map."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tests.generators.landscapes import ISLES
from tests.generators.test_patterns import ROOM
from tilewright.core.registry import techniques
from tilewright.testing import block_size

BIOMES: dict[str, Any] = {"thresholds": [0.4], "biomes": [["deep"], ["sand", "grass"]], "warp": 0.5, "island": 0.4}
MAZE_LOCKS = [[20, 13, "floor"], [21, 13, "wall"], [4, 4, "floor"], [9, 9, "wall"]]
MARKOV: dict[str, Any] = {"sample": ISLES, "width": 19, "height": 14}
PATTERNS: dict[str, Any] = {"sample": ROOM, "width": 12, "height": 9, "pattern_sizes": [2], "population": 2}


def list_choices(technique: str, name: str) -> list[Any]:
    """Return the choices of a parameter."""
    schema = techniques.get(technique).params.model_json_schema()
    return list(schema["properties"][name]["enum"])


CASES: list[tuple[str, tuple[int, ...], list[dict[str, Any]]]] = [
    ("aggregation", (3, 101), [{"mode": mode, "symmetry": "vertical"} for mode in list_choices("aggregation", "mode")]),
    ("caves", (100,), [{}]),
    ("drunkard", (3, 13), [{"coverage": 0.4}, {"coverage": None}]),
    (
        "markov",
        (1, 7, 100, 300),
        [
            {**MARKOV, "scan": "columns", "corner": "bottom right", "gibbs_sweeps": 2},
            {**MARKOV, "gibbs_sweeps": 2, "locks": [[3, 2, "~"], [8, 6, "g"]]},
            {**MARKOV, "scan": "spiral", "gibbs_sweeps": 2, "locks": [[3, 2, "~"], [8, 6, "g"]]},
            {**MARKOV, "repair_passes": 0},
            {**MARKOV, "repair_passes": 3},
            {**MARKOV, "gibbs_sweeps": 2, "repair_passes": 2, "temperature": 0.7},
            {**MARKOV, "scan": "spiral"},
            {**MARKOV, "serpentine": True, "sample": "awbw"},
        ],
    ),
    (
        "maze",
        (3,),
        [
            {"width": 40, "height": 27, "method": method, "braid": 0.4, "locks": locks}
            for method in list_choices("maze", "method")
            for locks in ([], MAZE_LOCKS)
        ],
    ),
    ("noise", (1, 300), [{"kind": kind, **more} for kind in list_choices("noise", "kind") for more in ({}, BIOMES)]),
    ("patterns", (1000,), [{**PATTERNS, "optimiser": name} for name in list_choices("patterns", "optimiser")]),
    ("snake", (7,), [{"width": 20, "height": 14}]),
    ("voronoi", (50,), [{"mode": mode, "relax": 2, "gap": 3, "thickness": 2} for mode in ("regions", "walls")]),
    (
        "wfc",
        (1, 2_000, 4_000),
        [
            {"sample": "ruins", "width": 24, "height": 18, "heuristic": name}
            for name in list_choices("wfc", "heuristic")
        ],
    ),
]


@pytest.mark.parametrize(
    ("technique", "sizes", "params"),
    [(technique, sizes, params) for technique, sizes, variants in CASES for params in variants],
    ids=lambda value: str(value)[:60],
)
def test_the_block_size_changes_nothing(technique: str, sizes: tuple[int, ...], params: dict[str, Any]) -> None:
    for seed in range(2):
        whole = tw.make(technique, seed=seed, **params)
        for size in sizes:
            with block_size(size):
                assert tw.make(technique, seed=seed, **params) == whole
