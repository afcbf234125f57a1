"""Rules for the whole set: what takes long comes first, and under TILEWRIGHT_STRICT a skipped test fails, unless
allowed_skips.toml names it."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tilewright import formats
from tilewright.core import registry

if sys.platform == "win32":
    # They use pseudo-terminals, file locks or signals of POSIX.
    collect_ignore = [
        "cli/test_program.py",
        "corpus/test_bad_input.py",
        "corpus/test_cli.py",
        "corpus/test_interrupted.py",
        "corpus/test_world.py",
        "kernels/test_workers.py",
    ]

ALLOWED = tomllib.loads((Path(__file__).parent / "allowed_skips.toml").read_text())["skips"]

# No deadlines: the first example compiles kernels, and these machines are noisy.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Wheels and the oldest versions take minutes, in which others can go on beside them."""
    items.sort(key=lambda item: item.path.name != "test_wheel.py")


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
    """The folder of published data to compare with, on the machines that have it."""
    folder = os.environ.get("TILEWRIGHT_REFERENCE")
    if not folder:
        pytest.skip("TILEWRIGHT_REFERENCE is not set")
    return Path(folder)


@pytest.fixture
def own_registry() -> Iterator[None]:
    """Removes the measures and formats that a test registers."""
    shelves: tuple[registry.Registry[Any], ...] = (registry.measures, formats.format_registry)
    before = [shelf.added for shelf in shelves]
    yield
    for shelf, names in zip(shelves, before, strict=True):
        for name in shelf.added - names:
            shelf.remove(name)
