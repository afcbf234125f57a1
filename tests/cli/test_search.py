"""`tilewright search`: from a recipe to archives, pictures, files and corpora."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.cli.conftest import Ended, Run
from tests.cli.test_program import run_in_terminal, strip_colors
from tilewright.cli.search import COMMANDS
from tilewright.corpus import Corpus

SMALL = ("--set", "width=20", "--set", "params.height=12")
SEARCH = (
    *("search", "make", "caves", *SMALL, "--vary", "walls=0.3..0.6", "--vary", "steps", "--vary", "outside=wall,floor"),
    *("--vary", "seed", "--measures", "floor_share:0..1:6,regions:1..60:6:log", "--objective", "path_length"),
)
QUICK = ("--evaluations", "64", "--batch", "32", "--seed", "7", "--workers", "0")


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
def styles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small archive of fashion-based automata."""
    folder = tmp_path_factory.mktemp("search") / "styles"
    tw.search.make(
        {"technique": "fashion", "params": {"width": 20, "height": 12}},
        vary=["scores"], measures={"floor_share": (0, 1, 6)}, objective="path_length",
        evaluations=32, batch=32, seed=7, out=folder, workers=0,
    )  # fmt: skip
    return folder


def check_mistake(done: Ended, message: str) -> None:
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert done.err.count("\n") == 1


# -- make and resume ----------------------------------------------------------------------------------------------


def test_make_writes_the_archive_of_the_python_function(tilewright: Run, archive: Path) -> None:
    done = tilewright(*SEARCH, *QUICK, "-o", "a")
    assert (done.code, done.out) == (0, "")
    pattern = (
        r"\d+ elites by caves, seed 7, coverage [\d.]+%, QD score [\d,.]+, best \d+ in cell \d,\d, 64 evaluations in a"
    )
    assert re.match(pattern, done.err)
    assert read_files(Path("a")) == read_files(archive)


def test_resume_extends_an_archive(tilewright: Run) -> None:
    assert tilewright(*SEARCH, *QUICK, "-o", "a").code == 0
    assert tilewright("search", "resume", "a", "--evaluations", "128", "--workers", "0").code == 0
    longer = [word if word != "64" else "128" for word in QUICK]
    assert tilewright(*SEARCH, *longer, "-o", "b").code == 0
    assert read_files(Path("a")) == read_files(Path("b"))


def test_styles_knobs_and_emitters(tilewright: Run) -> None:
    options = ("--vary", "parks", "--repeats", "3", "--measures", "floor_share:4", "--objective", "path_length")
    done = tilewright(
        "search", "make", "city-blocks", *options, "--emitters", "random,cross", "--knob", "parks=1",
        "--evaluations", "8", "--batch", "8", "--seed", "1", "--workers", "0", "-o", "a",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = tw.search.load("a")
    assert found.definition.repeats == 3
    assert found.definition.emitters == ("random", "cross")
    assert list(found.best.values) == ["parks"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "wals"], "vary wals: unknown parameter 'wals'; did you mean 'walls'?"),
        (["--vary", "walls=0.3..2"], "vary walls: caves: walls: must be at most 1.0, got 2"),
        (["--vary", "walls=0.6..0.3"], "vary walls: must go from low to high"),
        (["--vary", "walls", "--vary", "walls=0..1"], "vary: 'walls' occurs twice"),
        (["--vary", "=1"], "vary: must be a parameter such as walls=0.3..0.6"),
        (["--vary", "seed=7"], "seed: must be free"),
        (["--vary", "seed", "--repeats", "5"], "remove seed, or repeats"),
        (["--vary", "walls", "--repeats", "2"], "repeats: must be at least 3"),
        (["--vary", "walls", "--emitters", "lines"], "unknown emitter 'lines'; did you mean 'line'?"),
        (["--vary", "walls", "--batch", "0"], "batch: must be at least 1"),
        (["--vary", "walls", "--evaluations", "0"], "evaluations: must be at least 1"),
        (["--vary", "walls", "--measures", "floor"], "unknown measure 'floor'"),
        (["--vary", "walls", "--measures", "floor_share:0"], "floor_share: must have 1 to 65,536 bins"),
        (["--vary", "walls", "--measures", "floor_share:x"], "floor_share: must be (low, high, bins)"),
        (["--vary", "walls", "--objective", "path"], "objective: unknown measure 'path'"),
        ([], "vary is missing"),
    ],
)
def test_mistakes_of_make_are_one_line(tilewright: Run, arguments: list[str], message: str) -> None:
    usual = {"--measures": "floor_share", "--objective": "path_length", "-o": "a"}
    missing = [word for name, value in usual.items() if name not in arguments for word in (name, value)]
    check_mistake(tilewright("search", "make", "caves", *SMALL, *arguments, *missing, "--workers", "0"), message)
    assert not Path("a").exists()


def test_a_recipe_with_a_sweep_is_refused(tilewright: Run) -> None:
    Path("r.yaml").write_text("technique: caves\nsweep: {walls: [0.4, 0.5]}\n")
    done = tilewright(
        "search", "make", "r.yaml", "--vary", "steps", "--measures", "floor_share", "--objective", "regions", "-o", "a"
    )
    check_mistake(done, "sweep: a search has no sweep; name the parameters with --vary")


def test_another_search_in_the_folder_is_refused(tilewright: Run, archive: Path) -> None:
    before = read_files(archive)
    done = tilewright(*SEARCH, *[word if word != "7" else "8" for word in QUICK], "-o", str(archive))
    check_mistake(done, "contains another search (it differs in seed); name another folder")
    assert read_files(archive) == before


# -- info ---------------------------------------------------------------------------------------------------------


def test_info_summarizes_an_archive(tilewright: Run, archive: Path) -> None:
    done = tilewright("search", "info", str(archive))
    found = tw.search.load(archive)
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == f"archive of maps by caves, seed 7, Tilewright {tw.__version__}"
    assert "axis: regions (log scale), 1 to 60, 6 bins" in lines
    assert "genes: walls, steps, outside, seed (4 numbers)" in lines
    assert f"elites: {len(found)} of 36 cells, coverage {found.coverage:.1%}" in lines
    assert "reproducible: on every machine" in lines
    shades = [line[3:] for line in lines if re.fullmatch(r" *\d* [·░▒▓█]{12}", line)]
    assert len(shades) == 6
    empty = sum(line.count("·") for line in shades) // 2
    assert empty == 36 - len(found)


def test_info_as_json(tilewright: Run, archive: Path) -> None:
    data = json.loads(tilewright("search", "info", str(archive), "--json").out)
    found = tw.search.load(archive)
    assert data["qd_score"] == found.qd_score
    assert data["best"]["cell"] == list(found.best.cell)
    assert sum(data["emitters"].values()) == data["elites"] == len(found)


def test_info_writes_pictures(tilewright: Run, archive: Path) -> None:
    done = tilewright(
        "search", "info", str(archive), "-o", "h.png", "--sheet", "s.png", "--dpi", "96", "--y", "regions"
    )
    assert done.err == "wrote h.png\nwrote s.png\n"
    wanted = tw.search.load(archive).heatmap(dpi=96)
    assert (np.asarray(Image.open("h.png")) == np.asarray(wanted)).all()
    assert Image.open("s.png").width > 1000


def test_the_heatmap_is_colored_in_a_terminal(archive: Path) -> None:
    (shown,) = run_in_terminal(shlex.join(["search", "info", str(archive)]))
    assert "\x1b[48;2;" in shown
    assert "░" not in strip_colors(shown)


# -- take, export and pair ----------------------------------------------------------------------------------------


def test_take_draws_and_writes_maps(tilewright: Run, archive: Path) -> None:
    found = tw.search.load(archive)
    best = ",".join(map(str, found.best.cell))
    done = tilewright("search", "take", str(archive), best)
    assert done.out == f"{found.best.map}\n"
    assert f"cell {best}: objective {found.best.objective:.0f}; floor_share" in done.err
    assert tilewright("search", "take", str(archive), "--best", "-o", "best.tmx").err == "wrote best.tmx\n"
    assert tw.load("best.tmx") == found.best.map
    first, *_, last = found
    cells = [",".join(map(str, elite.cell)) for elite in (first, last)]
    assert tilewright("search", "take", str(archive), *cells, "-o", "{cell}.png").code == 0
    assert {path.name for path in Path().glob("?-?.png")} == {f"{cell.replace(',', '-')}.png" for cell in cells}
    place = f"floor_share={last.measures['floor_share']}"
    wanted = found.at(floor_share=last.measures["floor_share"])[0]
    assert tilewright("search", "take", str(archive), "--at", place).out == f"{wanted.map}\n"


def test_export_writes_a_corpus_or_files(tilewright: Run, archive: Path) -> None:
    found = tw.search.load(archive)
    done = tilewright("search", "export", str(archive), "-o", "corpus", "--workers", "0")
    assert done.err == f"wrote a corpus of {len(found)} maps to corpus\n"
    assert [Corpus("corpus").map(number) == elite.map for number, elite in enumerate(found)] == [True] * len(found)
    assert tilewright("corpus", "info", "corpus").code == 0
    shown = tilewright("corpus", "query", "corpus", "path_length > 0", "--limit", "3")
    assert "walls" in shown.out
    assert tilewright("corpus", "take", "corpus", "0", "-o", "{seed}.txt").code == 0
    assert Path(f"{next(iter(found)).recipe.seed}.txt").exists()
    assert tilewright("search", "export", str(archive), "--maps", "e_{cell}.tmj").code == 0
    assert len([*Path().glob("e_*.tmj")]) == len(found)


def test_pair_makes_a_map_of_two_styles(tilewright: Run, styles: Path) -> None:
    found = tw.search.load(styles)
    first, *_, second = found
    cells = [str(elite.cell[0]) for elite in (first, second)]
    wanted = tw.run(tw.search.pair_styles(first, second, width=30, blend="radial", seed=5))
    options = ("--set", "width=30", "--set", "blend=radial", "--seed", "5")
    done = tilewright("search", "pair", str(styles), *cells, *options)
    assert done.out == f"{wanted}\n"
    assert tilewright("search", "pair", str(styles), *cells, *options, "-o", "morph.tmj").err == "wrote morph.tmj\n"
    assert tw.load("morph.tmj") == wanted


def test_mistakes_are_one_line(tilewright: Run, archive: Path, styles: Path) -> None:
    found = tw.search.load(archive)
    empty = next(place for place in np.ndindex(6, 6) if found.cell(*place) is None)
    text = ",".join(map(str, empty))
    for arguments, message in (
        (["take", str(archive)], "cell: is missing: name a cell such as 12,3, or use --at or --best"),
        (["take", str(archive), text], f"cell {text}: is empty; the nearest elite is at "),
        (["take", str(archive), "1"], "cell: must be one bin per axis, below 6, 6, got [1]"),
        (["take", str(archive), "9,9"], "cell: must be one bin per axis, below 6, 6"),
        (["take", str(archive), "a,b"], "cell: must be the bins of a cell, such as 3,3, got 'a,b'"),
        (["take", str(archive), "--at", "floor=1"], "unknown measure of the archive 'floor'"),
        (["take", str(archive), "--at", "floor_share"], "at: must be values such as floor_share=0.4,regions=1"),
        (["take", str(archive), "--at", "floor_share=5"], "at: there is no elite at floor_share=5"),
        (["take", str(archive), "--best", "-o", "{cel}.png"], "unknown placeholder '{cel}'"),
        (["info", str(archive), "--x", "walls"], "unknown axis of the archive 'walls'"),
        (["info", str(archive), "-o", "h.gif"], "h.gif: must end in .png"),
        (["info", "nowhere"], "nowhere: contains no archive"),
        (["resume", "nowhere"], "nowhere: contains no archive"),
        (["export", str(archive)], "must be either a corpus (-o FOLDER) or files (--maps)"),
        (["export", str(archive), "-o", "c", "--scale", "8"], "scale: only applies to files; name them with --maps"),
        (["export", str(archive), "--maps", "e.png"], "the same file name for several maps; add {cell} or {index}"),
        (["pair", str(archive), *[",".join(map(str, found.best.cell))] * 2], "pairs need elites of the technique"),
        (["pair", str(styles), "99", "0"], "cell: must be one bin per axis"),
        (["pair", str(styles), "0", "0", "--set", "blendd=1"], "unknown parameter 'blendd'"),
        (["mak"], "unknown search command 'mak'; did you mean 'make'?"),
    ):
        done = tilewright("search", *arguments)
        assert done.code == 2, arguments
        assert message in done.err, arguments
        assert done.err.count("\n") == 1, arguments


def test_help_of_all_commands(tilewright: Run) -> None:
    assert all(name in tilewright("search").out for name in COMMANDS)
    for name in COMMANDS:
        assert f"tilewright search {name}" in tilewright("search", name, "--help").out
