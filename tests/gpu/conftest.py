"""Tests of GPU kernels: `make test-gpu` on a GPU; in all other runs, `tests/batch/test_simulator.py` runs them in
numba-cuda's simulator, with smaller maps and fewer seeds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
IS_SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")
if not IS_SIMULATED and os.environ.get("TILEWRIGHT_GPU") != "1":
    collect_ignore = sorted(path.name for path in Path(__file__).parent.glob("test_*.py"))


@pytest.fixture
def is_simulated() -> bool:
    """Whether the kernels run in the simulator, in which a map takes about a second."""
    return IS_SIMULATED


def choose_cases(small: Sequence[T], large: Sequence[T]) -> list[T]:
    """Return the cases of a test. In the simulator, large ones would take hours."""
    return [*small, *(() if IS_SIMULATED else large)]
