"""Fixtures that run the command line: inside this process, which is fast, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import tilewright as tw
from tilewright.cli import main


@dataclass(frozen=True)
class Ended:
    """Result of a run of the program."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Run:
    """The program as a function of its arguments."""

    call: Callable[..., Ended]

    def __call__(self, *arguments: str, **environment: str) -> Ended:
        return self.call(*arguments, **environment)

    def succeed(self, *arguments: str) -> Ended:
        """Run a command without a mistake."""
        done = self(*arguments)
        assert done.code == 0, done.err
        return done


@pytest.fixture(autouse=True)
def use_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in its own folder, without the terminal settings of the user."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "TILEWRIGHT_DEBUG", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tilewright(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command inside this process."""

    def run(*arguments: str) -> Ended:
        capfd.readouterr()
        code = main(arguments)
        return Ended(code, *capfd.readouterr())

    return Run(run)


@pytest.fixture
def process() -> Run:
    """Run a command as a process."""

    def run(*arguments: str, **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "tilewright", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=120,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return Run(run)


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small archive of caves."""
    folder = tmp_path_factory.mktemp("search") / "archive"
    tw.search.make(
        {"technique": "caves", "params": {"width": 20, "height": 12}},
        vary={"walls": (0.3, 0.6), "steps": None, "outside": ["wall", "floor"], "seed": "free"},
        measures={"floor_share": (0, 1, 6), "regions": (1, 60, 6, "log")}, objective="path_length",
        evaluations=64, batch=32, seed=7, out=folder, workers=0,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="session")
def styles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small archive of fashion-based automata."""
    folder = tmp_path_factory.mktemp("search") / "styles"
    tw.search.make(
        {"technique": "fashion", "params": {"width": 20, "height": 12}},
        vary=["scores"], measures={"floor_share": (0, 1, 6)}, objective="path_length",
        evaluations=32, batch=32, seed=7, out=folder, workers=0,
    )  # fmt: skip
    return folder
