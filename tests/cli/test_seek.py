"""`tilewright seek`: a table of seeds, a folder, maps, and mistakes in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tilewright.cli._progress import ProgressDisplay

CAVES = ("seek", "caves", "--set", "width=20", "--set", "height=14", "--workers", "0")
BEST = (*CAVES, "--seeds", "0..299", "--require", "regions<4", "--require", "path_length=most", "--keep", "4")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    recipe = tw.recipe("caves", width=20, height=14)
    return tw.seek(recipe, seeds="0..299", require={"regions": "<4", "path_length": "most"}, keep=4).rows()


def test_a_table_of_seeds(tilewright: Run, rows: list[dict[str, object]]) -> None:
    done = tilewright.succeed(*BEST)
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["seed", "regions", "path_length", "digest"]
    assert [line[0] for line in lines[1:]] == [str(row["seed"]) for row in rows]
    assert re.search(r"^regions < 4: \d+ of 300 seeds, \d+%$", done.err, re.MULTILINE)
    assert re.search(r"^300 seeds of caves tested: \d+ meet the requirements \(\d+%\)$", done.err, re.MULTILINE)


def test_json(tilewright: Run, rows: list[dict[str, object]]) -> None:
    data = json.loads(tilewright(*BEST, "--json").out)
    assert data["seeds"] == rows
    assert data["tested"] == 300
    assert data["rarity"]["all"]["count"] == data["passed"]


def test_a_folder_and_maps(tilewright: Run, rows: list[dict[str, object]]) -> None:
    done = tilewright(*BEST, "-o", "found", "--maps", "level_{seed}.json", "--maps", "{rank:02}.png", "--scale", "4")
    assert (done.code, done.out) == (0, "")
    assert "wrote 4 maps up to" in done.err
    assert "; found has 4 seeds" in done.err
    assert Path("found/seeds.csv").read_text().count("\n") == 5
    names = sorted(path.name for path in Path().glob("level_*.json"))
    assert names == sorted(f"level_{row['seed']}.json" for row in rows)
    assert [path.name for path in sorted(Path().glob("*.png"))] == ["01.png", "02.png", "03.png", "04.png"]
    verified = tilewright.succeed("verify", *names)
    assert verified.out.count("the same map") == 4
    best = tw.load(names[0])
    assert tw.measure(best, "path_length")["path_length"] in {row["path_length"] for row in rows}
    tilewright.succeed(*BEST, "-o", "found")


def test_a_recipe_of_a_found_map_has_just_the_seed(tilewright: Run) -> None:
    tilewright(*CAVES, "--seeds", "0..50", "--require", "regions=1", "--keep", "1", "--first", "--maps", "map.json")
    recipe = tw.load("map.json").recipe
    assert recipe is not None
    assert recipe.require == ()
    assert recipe.seed == str(
        tw.seek(tw.recipe("caves", width=20, height=14), seeds="0..50", require={"regions": 1}).seeds[0]
    )


def test_nothing_found(tilewright: Run) -> None:
    done = tilewright.succeed(
        *CAVES, "--seeds", "0..59", "--require", "regions>900", "-o", "found", "--maps", "{seed}.png"
    )
    assert "60 seeds of caves tested: 0 meet the requirements (none; at most 1 in 20)" in done.err
    assert not list(Path().glob("*.png"))
    assert "No seed meets the requirements." in Path("found/README.md").read_text()


def test_explain_prints_the_plan(tilewright: Run) -> None:
    done = tilewright(*BEST, "--require", "chokepoints<9", "--explain", "-o", "found")
    assert done.out.splitlines() == [
        "caves 20x14, seeds 0 to 299",
        "stage 1: kernels on the CPU, 300 seeds",
        "  measures: regions, path_length",
        "  requires: regions < 4, path_length: most",
        "stage 2: the pipeline on the CPU, the seeds that pass stage 1",
        "  measures: chokepoints",
        "  requires: chokepoints < 9",
        "result: the 4 seeds with the most path_length; of equal ones, the smaller seed",
    ]
    assert not Path("found").exists()


def test_progress() -> None:
    lines: list[str] = []
    progress = ProgressDisplay("seed")
    progress.report = lambda done, line: lines.append(line)
    for tested in (0, 500, 2000):
        values = {"found": tested // 100} | ({"best": 41.0} if tested else {})
        progress(tw.Progress(tested, 1_000_000, tested // 1000, values=values))
    assert lines[0] == "0 of 1,000,000 seeds, found 0"
    rate = r"[\d,]+ per second, \d+:\d\d:\d\d left"
    assert re.fullmatch(rf"500 of 1,000,000 seeds, {rate}, found 5, best 41", lines[1])
    assert re.fullmatch(rf"2,000 of 1,000,000 seeds, {rate}, found 20, best 41, 2 failed", lines[2])


def test_knobs_and_shapers(tilewright: Run) -> None:
    city = ("seek", "city-blocks", "--parks", "3", "--seeds", "0..1", "--workers", "0")
    tilewright.succeed(*city, "--measures", "floor_share")
    done = tilewright(*CAVES, "--shape", "keep_largest", "--seeds", "0..9", "--require", "regions=1")
    assert "10 meet the requirements (all)" in done.err


def test_a_folder_with_another_search(tilewright: Run) -> None:
    tilewright.succeed(*BEST, "-o", "found")
    done = tilewright(*BEST, "--measures", "openness", "-o", "found")
    assert (done.code, done.out) == (2, "")
    assert "found: contains another search (it differs in measures)" in done.err
