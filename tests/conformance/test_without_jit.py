"""With NUMBA_DISABLE_JIT=1, kernels are plain Python for debuggers, and make the same maps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import tilewright as tw
from tilewright.core import registry

SMALL: dict[str, dict[str, Any]] = {
    "aggregation": {"width": 14, "height": 10},
    "diffusion": {"width": 3, "height": 2, "steps": 2, "refine": 0},
    "markov": {"width": 7, "height": 6, "sample": "village"},
    "patterns": {"width": 7, "height": 6, "sample": "village", "iterations": 20},
    "wfc": {"width": 7, "height": 6, "sample": "village"},
}
"""Params of maps that plain Python makes in a second or two. All other techniques have the size of the first."""
PROGRAM = """
import json, sys
import tilewright as tw
for name, params in json.load(sys.stdin).items():
    print(json.dumps(tw.make(name, seed=3, **params).cells.tolist()))
"""


def test_every_technique_makes_the_same_map_without_compilation() -> None:
    params_by_name = {name: _choose_params(name) for name in registry.techniques.names()}
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input=json.dumps(params_by_name),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    plain = dict(zip(params_by_name, map(json.loads, done.stdout.splitlines()), strict=True))
    for name, params in params_by_name.items():
        assert plain[name] == tw.make(name, seed=3, **params).cells.tolist(), name


def _choose_params(name: str) -> dict[str, Any]:
    fields = registry.techniques.get(name).params.model_fields
    return SMALL.get(name) or {key: value for key, value in SMALL["aggregation"].items() if key in fields}
