"""Scores of contents by the installed benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from tilewright import TilewrightError

from .problem import Content, Control, find_problem

ADDRESS = "https://github.com/amidos2006/pcg_benchmark"


@dataclass(frozen=True)
class Score:
    """Scores of a set of contents, each the fraction of contents that pass."""

    quality: float
    diversity: float
    controlability: float
    conjunction: float
    """Fraction of contents that pass all three."""
    controls: int
    """Number of distinct controls."""


@cache
def open_benchmark(problem: str) -> Any:
    """Return the benchmark's environment of a problem. Raise TilewrightError if the package is not installed."""
    name = find_problem(problem).name
    try:
        return import_module("pcg_benchmark").make(f"{name}-v0")
    except ImportError:
        raise TilewrightError(
            f"the benchmark needs the package pcg_benchmark; run: pip install git+{ADDRESS}"
        ) from None


def check_installed(problem: str) -> None:
    """Raise TilewrightError unless there is such a problem, and the benchmark is installed."""
    open_benchmark(problem)


def judge(problem: str, contents: Sequence[Content], controls: Sequence[Control]) -> Score:
    """Return the scores that the installed benchmark gives to a set of contents.

    Parameters
    ----------
    problem : str
        Name of the problem, such as zelda.
    contents : sequence
        Contents as the benchmark has them.
    controls : sequence of dict
        Control of each content.

    Returns
    -------
    Score
        The scores.

    Raises
    ------
    TilewrightError
        If the package pcg_benchmark is not installed.
    """
    quality, diversity, control, details, _ = open_benchmark(problem).evaluate([*contents], [dict(c) for c in controls])
    passed = np.ones(len(contents), dtype=np.bool_)
    for values in details.values():
        passed &= np.asarray(values) >= 1
    distinct = {tuple(sorted(one.items())) for one in controls}
    return Score(float(quality), float(diversity), float(control), float(passed.mean()), len(distinct))
