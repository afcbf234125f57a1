"""With NUMBA_DISABLE_JIT=1, kernels are plain Python that a debugger can step through, and make the same maps."""

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
    "markov": {"width": 7, "height": 6, "sample": "village"},
    "patterns": {"width": 7, "height": 6, "sample": "village", "iterations": 20},
    "wfc": {"width": 7, "height": 6, "sample": "village"},
}
"""Maps that take plain Python a second or two; all others are as large as the first."""
PROGRAM = """
import json, sys
import tilewright as tw
for name, params in json.load(sys.stdin).items():
    print(json.dumps(tw.make(name, seed=3, **params).cells.tolist()))
"""


def test_every_technique_makes_the_same_map_without_compilation() -> None:
    wanted = {name: _size(name) for name in registry.techniques.names()}
    ran = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    plain = dict(zip(wanted, map(json.loads, ran.stdout.splitlines()), strict=True))
    for name, params in wanted.items():
        assert plain[name] == tw.make(name, seed=3, **params).cells.tolist(), name


def _size(name: str) -> dict[str, Any]:
    fields = registry.techniques.get(name).params.model_fields
    return SMALL.get(name) or {key: value for key, value in SMALL["aggregation"].items() if key in fields}
