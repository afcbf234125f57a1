"""`tilewright benchmark`: commands of benchmarks that plugins or programs add."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

import pytest

import tilewright as tw
from tilewright.core import plugins
from tilewright.core.registry import benchmarks

from .conftest import Run


class SeedsParams(tw.Params):
    count: int = tw.param(2, ge=1, le=10)
    """Number of seeds."""
    plain: bool = tw.param(False)
    """Whether to use the defaults."""


@tw.benchmark(SeedsParams)
def seeds(p: SeedsParams, report: Callable[[float | None, str], None]) -> Iterator[Mapping[str, str | float]]:
    """Square seeds."""
    for seed in range(p.count):
        report(seed / p.count, f"seed {seed}")
        yield {"seed": str(seed), "square": seed * seed, "half": seed / 2}


@pytest.fixture
def with_seeds() -> Iterator[None]:
    tw.register(seeds)
    yield
    benchmarks.remove("seeds")


@pytest.mark.usefixtures("with_seeds")
def test_a_benchmark_is_a_command_with_its_parameters_as_options(tilewright: Run) -> None:
    shown = tilewright("benchmark", "seeds", "--help").out
    assert "Square seeds." in shown
    assert "--count INTEGER" in shown
    assert "Number of seeds. [1..10, default 2]" in shown
    assert "--plain / --no-plain" in shown
    assert tilewright("benchmark", "seeds", "--count", "3").out.splitlines() == [
        "seed  square  half",
        "0          0  0.00",
        "1          1  0.50",
        "2          4  1.00",
    ]
    assert json.loads(tilewright("benchmark", "seeds", "--json").out)[1] == {"seed": "1", "square": 1, "half": 0.5}
    assert "seeds  Square seeds." in tilewright("benchmark").out


@pytest.mark.usefixtures("with_seeds")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("seeds", "--count", "11"), "tilewright: count: must be at most 10, got 11\n"),
        (("seed",), "tilewright: unknown benchmark 'seed'; did you mean 'seeds'?\n"),
    ],
)
def test_mistakes_are_one_line(tilewright: Run, arguments: tuple[str, ...], message: str) -> None:
    done = tilewright("benchmark", *arguments)
    assert (done.code, done.err) == (2, message)


def test_a_missing_plugin_is_named(tilewright: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "find_plugins", lambda folder: {})
    done = tilewright("benchmark", "pcg", "--problem", "zelda")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "tilewright: the benchmark pcg needs the package tilewright-pcg-benchmark, the folder plugins/pcg-benchmark in "
        "the repository of Tilewright; install it with pip\n"
    )
