"""`tilewright search`: from a recipe to archives, pictures, files and corpora."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
from PIL import Image

import tilewright as tw
from tests.cli.conftest import Run
from tests.cli.test_program import run_in_terminal, strip_colors
from tilewright.cli.search import command
from tilewright.corpus import Corpus

SMALL = ("--set", "width=20", "--set", "params.height=12")
SEARCH = (
    *("search", "make", "caves", *SMALL, "--vary", "walls=0.3..0.6", "--vary", "steps", "--vary", "outside=wall,floor"),
    *("--vary", "seed", "--measures", "floor_share:0..1:6,regions:1..60:6:log", "--objective", "path_length"),
)
QUICK = ("--evaluations", "64", "--batch", "32", "--seed", "7", "--workers", "0")


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_make_writes_the_archive_of_the_python_function(tilewright: Run, archive: Path) -> None:
    done = tilewright(*SEARCH, *QUICK, "-o", "a")
    assert (done.code, done.out) == (0, "")
    pattern = (
        r"\d+ elites by caves, seed 7, coverage [\d.]+%, QD score [\d,.]+, best \d+ in cell \d,\d, 64 evaluations in a"
    )
    assert re.match(pattern, done.err)
    assert read_files(Path("a")) == read_files(archive)


def test_resume_extends_an_archive(tilewright: Run) -> None:
    tilewright.succeed(*SEARCH, *QUICK, "-o", "a")
    tilewright.succeed("search", "resume", "a", "--evaluations", "128", "--workers", "0")
    longer = [word if word != "64" else "128" for word in QUICK]
    tilewright.succeed(*SEARCH, *longer, "-o", "b")
    assert read_files(Path("a")) == read_files(Path("b"))


def test_styles_knobs_and_emitters(tilewright: Run) -> None:
    options = ("--vary", "parks", "--repeats", "3", "--measures", "floor_share:4", "--objective", "path_length")
    tilewright.succeed(
        "search", "make", "city-blocks", *options, "--emitters", "random,cross", "--knob", "parks=1",
        "--evaluations", "8", "--batch", "8", "--seed", "1", "--workers", "0", "-o", "a",
    )  # fmt: skip
    found = tw.search.load("a")
    assert found.definition.repeats == 3
    assert found.definition.emitters == ("random", "cross")
    assert list(found.best.values) == ["parks"]


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
    tilewright.succeed("search", "take", str(archive), *cells, "-o", "{cell}.png")
    assert {path.name for path in Path().glob("?-?.png")} == {f"{cell.replace(',', '-')}.png" for cell in cells}
    place = f"floor_share={last.measures['floor_share']}"
    wanted = found.at(floor_share=last.measures["floor_share"])[0]
    assert tilewright("search", "take", str(archive), "--at", place).out == f"{wanted.map}\n"


def test_export_writes_a_corpus_or_files(tilewright: Run, archive: Path) -> None:
    found = tw.search.load(archive)
    done = tilewright("search", "export", str(archive), "-o", "corpus", "--workers", "0")
    assert done.err == f"wrote a corpus of {len(found)} maps to corpus\n"
    assert [Corpus("corpus").map(number) == elite.map for number, elite in enumerate(found)] == [True] * len(found)
    tilewright.succeed("corpus", "info", "corpus")
    shown = tilewright("corpus", "query", "corpus", "path_length > 0", "--limit", "3")
    assert "walls" in shown.out
    tilewright.succeed("corpus", "take", "corpus", "0", "-o", "{seed}.txt")
    assert Path(f"{next(iter(found)).recipe.seed}.txt").exists()
    tilewright.succeed("search", "export", str(archive), "--maps", "e_{cell}.tmj")
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


def test_cells_and_axes_that_an_archive_lacks_are_refused(tilewright: Run, archive: Path) -> None:
    found = tw.search.load(archive)
    empty = ",".join(map(str, next(place for place in np.ndindex(6, 6) if found.cell(*place) is None)))
    best = ",".join(map(str, found.best.cell))
    for arguments, message in (
        (["take", str(archive), empty], f"cell {empty}: is empty; the nearest elite is at "),
        (["pair", str(archive), best, best], "pairs need elites of the technique"),
        (["info", str(archive), "--x", "walls"], "unknown axis of the archive 'walls'"),
    ):
        done = tilewright("search", *arguments)
        assert done.code == 2
        assert message in done.err
        assert done.err.count("\n") == 1


def test_help_of_all_commands(tilewright: Run) -> None:
    assert all(name in tilewright("search").out for name in command.commands)
    for name in command.commands:
        assert f"tilewright search {name}" in tilewright("search", name, "--help").out
