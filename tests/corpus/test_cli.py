"""`tilewright corpus`: from a recipe to files, tables and pictures."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.cli.conftest import Run
from tests.cli.test_program import imported_by
from tests.corpus.conftest import COUNT
from tests.jobs.programs import read_files
from tilewright import jobs
from tilewright.cli.corpus import command as corpus_command
from tilewright.corpus import Corpus, Sweep, make

SMALL = "corpus make caves --set width=16 --set params.height=10 --workers 0"
HEAVY = {"dask", "distributed", "pyarrow", "duckdb", "zarr", "fsspec"}


# -- make ---------------------------------------------------------------------------------------------------


def test_make_from_a_technique_prints_a_summary(tilewright: Run, here: Path) -> None:
    done = tilewright(f"{SMALL} --count 20 --seed 3 --measures regions -o a")
    assert (done.code, done.out) == (0, "")
    assert re.fullmatch(r"20 maps by caves, seed 3, in a: 20 parts, \d+\.?\d* kB\n", done.err)
    corpus = Corpus("a")
    assert corpus.map(4) == tw.make("caves", width=16, height=10, seed="3-4")
    assert corpus.row(4)["regions"] == tw.measure(corpus.map(4), "regions")["regions"]
    assert {path.name for path in here.joinpath("a").iterdir()} == {"manifest.json", "README.md", "parts"}


def test_same_command_resumes_and_repeats_no_work(tilewright: Run, here: Path) -> None:
    command = f"{SMALL} --count 20 --seed 3 -o a"
    tilewright.succeed(command)
    before = read_files(here / "a")
    here.joinpath("a/parts/part-000007.parquet").unlink()
    here.joinpath("a/parts/.tilewright-0123456789abcdef.part").write_bytes(b"half")
    here.joinpath("a/README.md").unlink()
    old = here.joinpath("a/parts/part-000003.parquet").stat().st_mtime_ns
    tilewright.succeed(command)
    assert read_files(here / "a") == before
    assert here.joinpath("a/parts/part-000003.parquet").stat().st_mtime_ns == old


def test_random_seed_is_kept(tilewright: Run, here: Path) -> None:
    command = f"{SMALL} --count 5 -o a"
    tilewright.succeed(command)
    seed = json.loads(here.joinpath("a/manifest.json").read_text())["seed"]
    here.joinpath("a/parts/part-000002.parquet").unlink()
    assert f"seed {seed}," in tilewright(command).err


def test_sweep_in_a_recipe_file_with_options(tilewright: Run, here: Path) -> None:
    here.joinpath("level.yaml").write_text(
        "technique: caves\nparams: {width: 12, height: 8}\nseed: 5\nsampled: true\nsweep: {walls: 0.4..0.5:0.05}\n"
    )
    words = "--sweep steps=3,5 --shape border --set width=13 --workers 0"
    tilewright.succeed(f"corpus make level.yaml --count 12 -o a {words}")
    corpus = Corpus("a")
    assert (corpus.manifest.seed, corpus.manifest.sweep.sampled) == ("5", True)
    rows = corpus.table(["id", "walls", "steps", "width"]).to_pylist()
    assert {row["steps"] for row in rows} == {3, 5}
    assert all(0.4 <= row["walls"] <= 0.5 and row["width"] == 13 for row in rows)
    one = rows[7]
    recipe = tw.recipe("caves", width=13, height=8, walls=one["walls"], steps=one["steps"], shaping=["border"])
    assert corpus.map(7) == tw.run(recipe, seed="5-7")


def test_corpus_is_regenerated_from_its_manifest(tilewright: Run, here: Path, caves: Path) -> None:
    for given in (caves, caves / "manifest.json"):
        tilewright.succeed("corpus", "make", str(given), "-o", f"again{given.suffix}", "--workers", "0")
        assert read_files(here / f"again{given.suffix}") == read_files(caves)


def test_python_and_the_command_line_make_the_same(tilewright: Run, here: Path) -> None:
    sweep = Sweep.of({"walls": [0.4, 0.5]})
    tw.corpus.make(
        tw.recipe("caves", width=9, height=7), "p", count=8, seed=2, sweep=sweep, measures=["regions"], workers=0
    )
    words = "--set width=9 --set height=7 --sweep walls=0.4,0.5 --measures regions --count 8 --seed 2"
    tilewright.succeed(f"corpus make caves {words} -o c --workers 0")
    assert read_files(here / "p") == read_files(here / "c")


def test_remote_folder(here: Path) -> None:
    made = make("caves", "memory://corpora/far", count=3, seed=1, workers=0)
    assert Corpus("memory://corpora/far").map(2) == made.map(2)
    assert make("caves", "memory://corpora/far", count=3, seed=1, workers=0).is_complete


def test_address_of_the_dashboard_is_shown(tilewright: Run, here: Path) -> None:
    words = ("--set", "width=16", "--set", "height=10", "--workers", "1", "--count", "6", "--seed", "3")
    done = tilewright.succeed("corpus", "make", "caves", *words, "-o", "a")
    dashboard, end = done.err.splitlines()
    assert re.fullmatch(r"Dask dashboard: http://127\.0\.0\.1:\d+/status", dashboard)
    assert end.startswith("6 maps by caves")


def test_the_dashboard_answers(here: Path) -> None:
    pages: list[str] = []

    def open_dashboard(state: tw.Progress) -> None:
        if state.dashboard and not pages:
            with urlopen(state.dashboard, timeout=60) as page:
                pages.append(page.read().decode())

    make("caves", "watched", count=3, seed=1, workers=1, on_progress=open_dashboard)
    assert "bokeh.min.js" in pages[0]


def test_datasheet_is_complete_and_its_examples_run(caves: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = caves.joinpath("README.md").read_text()
    corpus = Corpus(caves)
    failures = corpus.table(["reason"])["reason"]
    assert text.startswith(f"# {COUNT} maps by caves\n")
    assert f"failed maps: {COUNT - failures.null_count}\n" in text
    assert "- `walls`: 0.4, 0.45, 0.5\n" in text
    assert "require:\n  floor_share: '>0.35'" in text.replace("> 0", ">0")
    values = np.array(corpus.table(["path_length"])["path_length"].drop_null().to_pylist())
    assert f"| path_length | {values.min():,.0f} | {values.mean():.4g} | {values.max():,.0f} | {len(values)} |" in text
    assert str(caves.parent) not in text
    monkeypatch.chdir(caves)
    with_us, without = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(with_us, names)
    assert np.array_equal(names["cells"], corpus[0])  # type: ignore[arg-type]
    names = {}
    exec(without, names)
    assert np.array_equal(names["cells"][0], corpus[0])  # type: ignore[index]


# -- looking ------------------------------------------------------------------------------------------------


def test_info(tilewright: Run, caves: Path, here: Path) -> None:
    done = tilewright.succeed("corpus", "info", str(caves), "-o", "report.png")
    assert done.out.startswith(f"{COUNT} maps by caves, seed 7, Tilewright {tw.__version__}\n")
    assert "failed:\n" in done.out
    assert re.search(r"^path_length +\S.* min .* mean .* max ", done.out, re.MULTILINE)
    assert done.err == "wrote report.png\n"
    assert Image.open("report.png").width > 100
    data = json.loads(tilewright("corpus", "info", str(caves), "--json").out)
    assert (data["count"], data["complete"], data["sweep"]) == (COUNT, True, {"walls": [0.4, 0.45, 0.5]})
    assert data["measures"]["regions"]["count"] == COUNT - data["failures"] > 0
    assert sum(data["reasons"].values()) == data["failures"] > 0


def test_take_writes_and_draws(tilewright: Run, caves: Path) -> None:
    corpus = Corpus(caves)
    first, second = corpus.ids()[:2].tolist()
    assert tilewright("corpus", "take", str(caves), str(first)).out == f"{corpus.map(first)}\n"
    tilewright.succeed("corpus", "take", str(caves), str(first), "-o", "map.tmx")
    assert tw.load("map.tmx") == corpus.map(first)
    tilewright.succeed("verify", "map.tmx")
    several = ("corpus", "take", str(caves), str(first), str(second))
    tilewright.succeed(*several, "-o", "{id}_{seed}.json", "-o", "{id}.png", "--scale", "4")
    assert tw.load(f"{second}_7-{second}.json") == corpus.map(second) == tw.load(f"{second}.png")


def test_best(tilewright: Run, caves: Path, here: Path) -> None:
    done = tilewright("corpus", "best", str(caves), "--by", "path_length", "--count", "3", "--json")
    rows = json.loads(done.out)
    longest = sorted(Corpus(caves).table(["path_length"])["path_length"].drop_null().to_pylist())[::-1]
    assert rows[0]["path_length"] == longest[0]
    assert len(rows) == 3
    table = tilewright(f"corpus best {caves} --by path_length --count 3 --smallest --diverse regions")
    assert table.out.split()[:4] == ["id", "seed", "path_length", "regions"]
    done = tilewright.succeed(
        "corpus", "best", str(caves), "--by", "path_length", "--count", "2", "-o", "best_{id}.png"
    )
    assert {path.name for path in here.iterdir()} == {f"best_{row['id']}.png" for row in rows[:2]}


def test_range_compare_and_split(tilewright: Run, caves: Path, here: Path) -> None:
    axes = ("--x", "floor_share", "--y", "path_length")
    assert "floor_share" in tilewright("corpus", "range", str(caves), *axes).out
    assert tilewright("corpus", "range", str(caves), *axes, "-o", "range.png").err == "wrote range.png\n"
    make("caves", "other", count=20, seed=1, measures=["path_length"], workers=0)
    done = tilewright("corpus", "compare", str(caves), "other", "-o", "compare.png")
    head = "measure mean caves mean other median caves median other apart moved"
    assert done.out.splitlines()[0].split() == head.split()
    assert {"range.png", "compare.png"} <= {path.name for path in here.iterdir()}
    data = json.loads(tilewright("corpus", "compare", str(caves), "other", "--json").out)
    assert [one["name"] for one in data["measures"]] == ["path_length"]
    done = tilewright(f"corpus split {caves} --train 0.7 --validation 0.1 --test 0.2 -o s.json")
    assert done.out.split()[::3] == ["set", "train", "validation", "test"]
    sides = json.loads(here.joinpath("s.json").read_text())
    assert sorted(number for ids in sides.values() for number in ids) == Corpus(caves).ids().tolist()


def test_export_of_selected_maps(tilewright: Run, caves: Path, here: Path) -> None:
    tilewright.succeed("corpus", "split", str(caves), "-o", "s.json")
    train = json.loads(here.joinpath("s.json").read_text())["train"]
    tilewright.succeed("corpus", "export", str(caves), "-o", "a.npz", "--split", "train", "--unique")
    with np.load("a.npz") as arrays:
        assert set(arrays["ids"].tolist()) <= set(train)
        assert np.array_equal(arrays["cells"][0], Corpus(caves)[int(arrays["ids"][0])])
    tilewright.succeed(f"corpus export {caves} -o text --where 'regions = 1' --splits s.json --split test")
    files = sorted(here.joinpath("text").glob("*.txt"))
    number = int(files[0].stem.rpartition("-")[2])
    assert number not in train
    assert files[0].read_text() == f"{Corpus(caves).map(number)}\n"


def test_repair_reports_and_regenerates_parts(tilewright: Run, caves: Path, here: Path) -> None:
    shutil.copytree(caves, "mine")
    parts = sorted(here.joinpath("mine/parts").iterdir())
    parts[2].write_bytes(parts[2].read_bytes()[:300])
    damaged = bytearray(parts[5].read_bytes())
    damaged[len(damaged) // 3] ^= 1
    parts[5].write_bytes(damaged)
    shutil.copy(parts[8], parts[9])
    done = tilewright("corpus", "repair", "mine")
    assert done.code == 1
    assert [
        line.partition(" is ")[0].partition(" contains ")[0].rpartition("/")[2] for line in done.out.splitlines()
    ] == [path.name for path in (parts[2], parts[5], parts[9])]
    assert done.err == "3 parts damaged; --remake regenerates them\n"
    tilewright.succeed("corpus", "repair", "mine", "--remake")
    assert read_files(here / "mine") == read_files(caves)
    assert tilewright("corpus", "repair", "mine").err == f"{len(parts)} parts read, none damaged\n"


# -- the program --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", *corpus_command.commands])
def test_help(tilewright: Run, command: str) -> None:
    done = tilewright("corpus", *command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Usage: tilewright corpus {command}".strip() in done.out


def test_help_imports_nothing_heavy() -> None:
    assert not imported_by("corpus", "make", "--help") & {*HEAVY, "numba"}
    assert not imported_by("list") & HEAVY


@pytest.mark.parametrize("command", ["corpus info x", "make caves -o w.zarr"])
def test_error_without_the_extra_shows_how_to_install_it(
    command: str, tilewright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PACKAGES", ("pyarrow_that_is_not_there",))
    done = tilewright(command)
    assert done.code == 2
    assert done.err.endswith('install it with: pip install "tilewright[corpus]"\n')
