"""Processes that start in one folder at the same time: one wins, the others say so, nothing is mixed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tests.jobs.programs import read_files
from tilewright.corpus import Corpus, World
from tilewright.corpus.build import find_damaged
from tilewright.formats._files import LOCK
from tilewright.jobs.folder import Folder

PROCESSES, RACES = 3, 30
COUNT, SIDE = 6, 40
RACER = f"""
import sys
import tilewright as tw
for line in sys.stdin:
    kind, folder, seed = line.split()
    try:
        if kind == "corpus":
            recipe = tw.recipe("caves", width=9, height=7)
            tw.corpus.make(recipe, folder, count={COUNT}, seed=seed, measures=["regions"], workers=0)
        elif kind == "export":
            tw.export_project(tw.recipe("caves", width=9, height=7), folder, engine="tiled", count=2, seed=seed)
        elif kind == "learn":
            tw.learn("markov", seed).save(folder)
        else:
            tw.corpus.make_world("caves", folder, width={SIDE}, height={SIDE}, chunk=16, seed=seed, workers=0)
        print("made", flush=True)
    except tw.BadFile as error:
        print(error, flush=True)
"""
"""Program that reads the races from its standard input, and prints one line about each."""


class Racers:
    """Processes that are started once and run in many races, because importing takes longer than a race."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def race(self, kind: str, folder: Path, seeds: list[str]) -> list[str]:
        """Let each process write to one folder with its own seed, or a model of its own sample, and return what they
        print."""
        for process, seed in zip(self._processes, seeds, strict=True):
            assert process.stdin is not None
            process.stdin.write(f"{kind} {folder} {seed}\n")
            process.stdin.flush()
        return [process.stdout.readline().strip() for process in self._processes if process.stdout is not None]


@contextmanager
def start_racers() -> Iterator[Racers]:
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", RACER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            for _ in range(PROCESSES)
        ]
        yield Racers(processes)


def check_lines(lines: list[str], *, same: bool) -> None:
    """Check that one process has won and that the others have finished the same work or say why not."""
    assert "made" in lines
    assert same or lines.count("made") == 1
    others = [line for line in lines if line != "made"]
    assert all(
        "another process is writing to it" in line or "another" in line.partition("contains")[2] for line in others
    )
    assert not same or not any("contains" in line for line in others)


@pytest.mark.parametrize("same", [True, False], ids=["same seed", "different seeds"])
def test_corpora_started_together_are_not_mixed(tmp_path: Path, same: bool) -> None:
    refused = 0
    with start_racers() as racers:
        for race in range(RACES):
            folder = tmp_path / str(race)
            seeds = [f"seed-{0 if same else number}" for number in range(PROCESSES)]
            lines = racers.race("corpus", folder, seeds)
            check_lines(lines, same=same)
            refused += lines.count("made") < PROCESSES
            corpus = Corpus(folder)
            winner = seeds[lines.index("made")]
            assert corpus.manifest.seed == winner
            assert corpus.table(["seed"])["seed"].to_pylist() == [f"{winner}-{number}" for number in range(COUNT)]
            assert corpus.is_complete
            assert find_damaged(corpus) == {}
            assert not list(folder.rglob(".*"))
    assert refused > RACES // 3, "the processes did not run at the same time"


def test_worlds_started_together_are_not_mixed(tmp_path: Path) -> None:
    seeds = [f"seed-{number}" for number in range(PROCESSES)]
    expected = {seed: tw.make("caves", width=SIDE, height=SIDE, seed=seed) for seed in seeds}
    with start_racers() as racers:
        for race in range(RACES // 3):
            folder = tmp_path / f"{race}.zarr"
            lines = racers.race("world", folder, seeds)
            check_lines(lines, same=False)
            found = World(folder).window(0, 0, SIDE, SIDE)
            np.testing.assert_array_equal(found.cells, expected[seeds[lines.index("made")]].cells)
            assert not list(folder.rglob(".*"))


def test_exports_and_models_written_together_are_not_mixed(tmp_path: Path) -> None:
    samples = ["dungeon", "village", "caverns"]
    expected: list[dict[str, bytes]] = []
    for seed in samples:
        tw.export_project(tw.recipe("caves", width=9, height=7), tmp_path / seed, engine="tiled", count=2, seed=seed)
        tw.learn("markov", seed).save(tmp_path / f"{seed}.json")
        expected.append(read_files(tmp_path / seed))
    models = [(tmp_path / f"{seed}.json").read_bytes() for seed in samples]
    with start_racers() as racers:
        for race in range(RACES // 3):
            lines = racers.race("export", tmp_path / str(race), samples)
            assert all(line == "made" or "another process is writing to it" in line for line in lines)
            assert read_files(tmp_path / str(race)) in expected
            model = tmp_path / f"{race}.json"
            assert racers.race("learn", model, samples) == ["made"] * PROCESSES
            assert model.read_bytes() in models
    assert not list(tmp_path.rglob(".*"))


def test_lock_on_a_removed_file_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the lock file after it is opened and before it is locked, as a process that ends does."""
    import fcntl

    opened: list[int] = []

    def flock(file: object, flags: int) -> None:
        if not opened:
            os.unlink(tmp_path / "c" / LOCK)
        opened.append(flags)

    monkeypatch.setattr(fcntl, "flock", flock)
    with Folder(str(tmp_path / "c")).lock():
        assert len(opened) == 2
        assert (tmp_path / "c" / LOCK).exists()
