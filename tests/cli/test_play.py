"""`tilewright play`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from tests.play.levels import level
from tilewright.cli.play import command

PUZZLE = level("#######", "#@.$.o#", "#..$.o#", "#######")
CLOSED = level("@.#E")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return the paths of a puzzle and of a level that cannot be finished."""
    PUZZLE.save(tmp_path / "puzzle.json")
    CLOSED.save(tmp_path / "closed.json")
    return str(tmp_path / "puzzle.json"), str(tmp_path / "closed.json")


def test_verdicts_and_exit_codes(files: tuple[str, str]) -> None:
    puzzle, closed = files
    found = CliRunner().invoke(command, [puzzle])
    assert (found.exit_code, found.output) == (0, "sokoban: can be finished in 8 moves: push x4\n")
    found = CliRunner().invoke(command, [puzzle, closed])
    assert found.exit_code == 1
    assert found.output.splitlines()[1].endswith("closed.json: dungeon: cannot be finished (2 states)")
    found = CliRunner().invoke(command, [puzzle, "--limit", "2"])
    assert (found.exit_code, found.output) == (0, "sokoban: unknown: the search reached its limit (1 states)\n")


def test_json(files: tuple[str, str]) -> None:
    (found,) = json.loads(CliRunner().invoke(command, [files[0], "--json"]).output)
    assert (found["game"], found["solved"], len(found["moves"])) == ("sokoban", True, 8)
    assert {"move": 1, "kind": "push", "cell": [4, 1]} in found["events"]


def test_animations_and_pictures(files: tuple[str, str], tmp_path: Path) -> None:
    for name, frames in (("run.gif", 9), ("run.png", 1)):
        assert CliRunner().invoke(command, [files[0], "-o", str(tmp_path / name)]).exit_code == 0
        with Image.open(tmp_path / name) as picture:
            assert getattr(picture, "n_frames", 1) == frames
