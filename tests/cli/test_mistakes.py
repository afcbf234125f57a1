"""Invalid input: one helpful line, exit code 2, no traceback, no partial files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import tilewright as tw
from tests.cases import fits, read_cases, read_table
from tests.cli.conftest import Run
from tests.cli.test_knobs import RECIPE as KNOBS
from tests.cli.test_play import CLOSED, PUZZLE
from tests.cli.test_rule_books import BOOK
from tests.formats.skin_sheets import draw_sheet
from tilewright.core import ports

HERE = Path(__file__).parent
WORDS = dict(re.findall(r"^([A-Z]+) = (.*)$", (HERE / "mistakes.txt").read_text(), re.MULTILINE))
"""Words with which several commands start."""
FILES = {**read_table(__file__, "files"), "knobs.yaml": KNOBS, "book.json": json.dumps(BOOK)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, archive: Path, styles: Path) -> Path:
    """Files that the commands name."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name in ("sub", "empty", "notes", "maps"):
        (folder / name).mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    cave = tw.make("caves", width=20, height=8, seed=7)
    for name in ("whole.json", "broken.json", "broken.png"):
        cave.save(folder / name)
    for name in ("broken.json", "broken.png"):
        (folder / name).write_bytes((folder / name).read_bytes()[:200])
    newer = {**tw.learn("patterns", "dungeon").to_data(), "version": 9}
    (folder / "model9.json").write_text(json.dumps(newer))
    PUZZLE.save(folder / "puzzle.json")
    CLOSED.save(folder / "closed.json")
    draw_sheet("blob47").save(folder / "sheet.png")
    for made in (archive, styles):
        shutil.copytree(made, folder / made.name)
    return folder


def list_files() -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns if path.is_file() else 0 for path in Path().rglob("*")}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *read_cases(HERE / "mistakes.txt"),
        pytest.param(["$ make caves --width " + "9" * 5000], "caves: width: ...", id="endless digits"),
    ],
)
def test_one_line_that_helps(
    given: list[str], expected: str, folder: Path, tilewright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = list_files()
    first, *words = given[0].removeprefix("$ ").split(" ")
    done = tilewright(*WORDS.get(first, first).split(" "), *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert fits(done.err, f"tilewright: {expected}\n"), done.err
    assert list_files() == before


def test_no_file_is_written_if_one_cannot_be_encoded(tilewright: Run) -> None:
    wide = ("--width", "9000", "--height", "1", "--seed", "1")
    done = tilewright("make", "caves", *wide, "-o", "a.json", "-o", "a.txt", "-o", "b.gif", "--scale", "16")
    assert done.code == 2
    assert "a gif must be at most" in done.err
    assert not list(Path().iterdir())
    tw.make("caves", width=9000, height=1, seed=1).save("wide.json")
    tw.make("caves", width=9, height=1, seed=1).save("small.json")
    done = tilewright("convert", "small.json", "wide.json", "-o", "{stem}.txt", "-o", "{stem}.gif", "--scale", "16")
    assert done.code == 2
    assert {path.name for path in Path().iterdir()} == {"wide.json", "small.json"}


def test_map_larger_than_memory(tilewright: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports.available_memory, "get", lambda: lambda: 1 << 30)
    done = tilewright("make", "caves", "--width", "60000", "--height", "60000")
    assert done.code == 2
    assert "a map of 60000x60000 needs about" in done.err


@pytest.mark.parametrize("arguments", [["make", "caves", "--width", "0"], ["show", "nowhere.png"], ["lits"]])
def test_errors_are_the_same_in_a_process(process: Run, arguments: list[str]) -> None:
    done = process(*arguments)
    assert done.code == 2
    assert not done.out
    assert done.err.startswith("tilewright: ")
    assert done.err.count("\n") == 1
