"""A corpus to read, and the program inside this process."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Ended, Run
from tilewright.cli import main
from tilewright.corpus import make, manifest

COUNT = 300
MEASURES = ("floor_share", "regions", "path_length")
RECIPE = {
    "technique": "caves",
    "params": {"width": 24, "height": 14},
    "require": {"floor_share": "> 0.35"},
    "tries": 1,
    "sweep": {"walls": [0.4, 0.45, 0.5]},
}
"""Some of its maps miss the requirement and are recorded as failures."""


@pytest.fixture(autouse=True, scope="module")
def small_parts() -> Iterator[None]:
    """Make corpora of several parts, however small their maps are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest, "MIN_CELLS_PER_PART", 1)
        yield


@pytest.fixture(scope="session")
def caves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a complete corpus, which no test changes."""
    folder = tmp_path_factory.mktemp("corpora") / "caves"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest, "MIN_CELLS_PER_PART", 1)
        make(RECIPE, folder, count=COUNT, seed=7, measures=MEASURES, workers=0)
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a temporary working folder, without the settings of the user."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "TILEWRIGHT_DEBUG", "COLUMNS", "LINES", "DASK_SCHEDULER_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def tilewright(here: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command inside this process, from words or from one string."""

    def run(*arguments: str) -> Ended:
        capfd.readouterr()
        code = main(shlex.split(arguments[0]) if len(arguments) == 1 else arguments)
        return Ended(code, *capfd.readouterr())

    return Run(run)
