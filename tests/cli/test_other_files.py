"""Files of other people at the shell: folders with other files beside the maps, and maps with question marks."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from tests.cli.conftest import Run

LEVELS = {"a.txt": "-----\n--?--\n-----\nXXXXX\n", "b.txt": "-----\n-Q?Q-\n-----\nXXXXX\n"}
SMALL = ("--width", "6", "--height", "4", "--seed", "3")


@pytest.fixture(autouse=True)
def levels() -> None:
    """Make a folder of levels with a README."""
    Path("levels").mkdir()
    for name, text in LEVELS.items():
        Path("levels", name).write_text(text)
    Path("levels/README.txt").write_text("Levels of my game.\nHave fun!\n")


@pytest.mark.parametrize("sample", ["levels", "levels/*.txt", "txt:levels"])
def test_every_learner_skips_the_readme(sample: str, tilewright: Run) -> None:
    skipped = "levels/README.txt: skipped, because of its name; give the file itself if it is a map"
    for arguments in (
        ("make", "markov", "--sample", sample, *SMALL, "-o", "made.txt"),
        ("learn", "markov", sample, "-o", "model.json"),
        ("measure", "levels/a.txt", "--like", sample),
    ):
        done = tilewright(*arguments)
        assert done.code == 0, done.err
        assert done.err.count(skipped) == 1
        assert done.err.count("README") == 1
    assert len(tw.load_model("model.json").samples) == 2
    assert tw.load_model("model.json").samples.labels == ("-", "Q", "X", "question mark")
    assert set(Path("made.txt").read_text()) <= set("-Q?X\n")


def test_samples_to_compare_with_may_be_a_list(tilewright: Run) -> None:
    both = ("levels/a.txt,levels/b.txt", "txt:levels/a.txt,levels/b.txt", "levels/[ab].txt", '["levels/[ab].txt"]')
    for like in both:
        done = tilewright("measure", "levels/a.txt", "--like", like, "--measures", "copied_share,divergence", "--json")
        assert done.code == 0, done.err
        assert '"copied_share": 1.0' in done.out


def test_errors_name_the_file_of_the_folder(tilewright: Run) -> None:
    Path("levels/c.txt").write_text("--\nXX\n")
    done = tilewright("measure", "levels/a.txt", "--like", "levels")
    assert done.code == 2
    assert "tilewright: like: levels/c.txt of 2x2 cells is smaller than a pattern of 3 cells; see" in done.err
    done = tilewright("make", "patterns", "--sample", "levels/README.txt")
    assert done.err == "tilewright: patterns: sample: levels/README.txt: row 2 has 9 glyphs, the first has 18\n"


def test_question_marks_are_free_in_locks_and_tiles_in_maps(tilewright: Run) -> None:
    assert tilewright("convert", "levels/a.txt", "again.txt").code == 0
    assert Path("again.txt").read_text() == LEVELS["a.txt"]
    Path("locks.txt").write_text("??????\n??????\n??????\nXXXXX?\n")
    sample = ("--sample", "levels/[ab].txt")
    done = tilewright("make", "markov", *sample, *SMALL, "--locks", "locks.txt", "-o", "made.json")
    assert done.code == 0, done.err
    recipe = tw.load("made.json").recipe
    assert recipe is not None
    assert recipe.locks is not None
    assert len(recipe.locks) == 5
    assert tilewright("verify", "made.json").code == 0
