"""Settings of all tests. Slow tests run first. With TILEWRIGHT_STRICT=1, a skipped test fails unless it is in
allowed_skips.toml."""

from __future__ import annotations

import os
import signal
import sys
import tomllib
from collections.abc import Generator, Iterator
from importlib.metadata import distribution
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tilewright import formats
from tilewright.core import registry
from tilewright.play import game_registry
from tilewright.search.distances import distance_registry

if sys.platform == "win32":
    # They use pseudo-terminals, file locks or signals of POSIX.
    collect_ignore = [
        "cli/test_program.py",
        "corpus/test_bad_input.py",
        "corpus/test_cli.py",
        "corpus/test_interrupted.py",
        "corpus/test_world.py",
        "jobs/test_every_job.py",
        "kernels/test_workers.py",
    ]

SLOW = (
    "tests/test_wheel.py::test_the_oldest_allowed_versions",
    "tests/batch/test_simulator.py",
    "tests/test_kills.py",
    "tests/studio/test_browser_access.py",
    "tests/test_wheel.py",
    "tests/studio/test_load.py",
    "tests/test_site.py",
    "tests/test_skeletons.py",
    "tests/test_docs.py",
)
"""Tests that take longest, by the beginning of their ids, the slowest first."""
ALLOWED = tomllib.loads((Path(__file__).parent / "allowed_skips.toml").read_text())["skips"]

# No deadlines: the first example compiles kernels, and test machines may be slow.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("house")

# A shell starts background jobs with Ctrl-C ignored, and nohup ignores SIGHUP; programs that tests start inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_sessionstart() -> None:
    """End at once if pyproject.toml has other entry points than the installed package, as after `git pull`."""
    groups = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["entry-points"]
    declared = {(group, name, value) for group, points in groups.items() for name, value in points.items()}
    installed = {(point.group, point.name, point.value) for point in distribution("tilewright").entry_points}
    if not declared <= installed:
        command = "pip install --no-build-isolation --no-deps -e ."
        pytest.exit(f"pyproject.toml has new entry points; run make, or .venv/bin/{command}", 4)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each process of the test run the same number of tests, slow ones first.

    pytest-xdist divides the tests in this order, and a process without tests takes some from the end of another's.
    """
    ranks = {
        item: next((rank for rank, name in enumerate(SLOW) if item.nodeid.startswith(name)), None) for item in items
    }
    processes: list[list[pytest.Item]] = [[] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))]
    for rank in range(len(SLOW)):
        processes[rank % len(processes)] += [item for item in items if ranks[item] == rank]
    fast = iter([item for item in items if ranks[item] is None])
    for tests in processes:
        tests += islice(fast, max(0, len(items) // len(processes) - len(tests)))
    items[:] = [*chain.from_iterable(processes), *fast]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    strict = os.environ.get("TILEWRIGHT_STRICT") == "1"
    if strict and report.skipped and not any(item.nodeid.startswith(name) for name in ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"skipped, which .ci/run does not allow: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def reference() -> Path:
    """Return the folder of published data to compare with; skip the test without it."""
    folder = os.environ.get("TILEWRIGHT_REFERENCE")
    if not folder:
        pytest.skip("TILEWRIGHT_REFERENCE is not set")
    return Path(folder)


@pytest.fixture
def own_registry() -> Iterator[None]:
    """Remove the techniques, measures, constraints, distances, formats and games that a test registers."""
    registries: tuple[registry.Registry[Any], ...] = (
        *(registry.techniques, registry.measures, registry.constraints),
        *(distance_registry, formats.format_registry, game_registry),
    )
    before = [one.added for one in registries]
    yield
    for one, names in zip(registries, before, strict=True):
        for name in one.added - names:
            one.remove(name)
