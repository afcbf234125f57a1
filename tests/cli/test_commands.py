"""run, show, convert, measure, verify, list, explain, warmup, version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tilewright.cli._catalogue import KINDS

CAVE = tw.make("caves", width=20, height=8, seed=7)
NAMES = [(kind, name) for kind, shelf in KINDS.items() for name in shelf.names()]


# -- run ----------------------------------------------------------------------------------------------------


def test_a_recipe_that_ships(tilewright: Run) -> None:
    done = tilewright("run", "open-caves", "--seed", "3")
    assert done.code == 0
    assert done.out == f"{tw.run('open-caves', seed=3)}\n"


def test_a_recipe_finds_its_files_beside_itself(tilewright: Run) -> None:
    Path("folder").mkdir()
    Path("folder/kept.txt").write_text("??##\n????\n")
    Path("folder/level.yaml").write_text(
        "technique: caves\nparams: {width: 4, height: 2, walls: 0}\nlocks: kept.txt\nseed: 1\n"
    )
    assert tilewright("run", "folder/level.yaml").out.splitlines()[0].endswith("##")
    assert tilewright("run", "folder/level.yaml", "-o", "level.json", "-o", "level.gif").code == 0
    assert tw.load("level.json") == tw.load("level.gif")


# -- show and convert ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["png", "json", "npz", "tmx", "tmj", "gif"])
def test_shown_is_what_was_made(tilewright: Run, ending: str) -> None:
    CAVE.save(f"cave.{ending}")
    done = tilewright("show", f"cave.{ending}")
    assert done.out == f"{CAVE}\n"
    assert done.err == f"cave.{ending}: caves 20x8, seed 7\n"


def test_converted_and_back(tilewright: Run) -> None:
    CAVE.save("cave.json")
    assert tilewright("convert", "cave.json", "cave.tmx").code == 0
    assert tilewright("convert", "cave.tmx", "-o", "{stem}-again.txt", "-o", "again.png", "--scale", "2").code == 0
    assert tilewright("convert", "cave-again.txt", "--tileset", "cave", "-o", "data", "--format", "json").code == 0
    assert tilewright("show", "data", "--from", "json").out == f"{CAVE}\n"
    assert tw.load("again.png") == CAVE


def test_several_maps_need_names_of_their_own(tilewright: Run) -> None:
    for name in ("a.json", "b.json"):
        CAVE.save(name)
    done = tilewright("convert", "a.json", "b.json", "-o", "out.txt")
    assert done.code == 2
    assert done.err == "tilewright: out.txt: several maps, but one file name; put {stem} or {index} into it\n"
    assert tilewright("convert", "a.json", "b.json", "-o", "{stem}.txt").code == 0
    assert tilewright("convert", "a.json", "b.json", "-o", "{index}.txt").code == 0
    assert {path.name for path in Path().glob("*.txt")} == {"a.txt", "b.txt", "0.txt", "1.txt"}


# -- measure and verify -------------------------------------------------------------------------------------


def test_measures_as_table_and_json(tilewright: Run) -> None:
    CAVE.save("a.json")
    CAVE.save("b.png")
    table = tilewright("measure", "a.json", "b.png", "--measures", "floor_share,regions").out.splitlines()
    assert table[0].split() == ["file", "floor_share", "regions"]
    assert [line.split()[0] for line in table[1:]] == ["a.json", "b.png"]
    (found,) = json.loads(tilewright("measure", "a.json", "--json").out)
    assert found == {"file": "a.json", "measures": tw.measure(CAVE)}
    assert "floor_share" in tilewright("measure", "a.json").out


def test_verdicts_and_their_exit_codes(tilewright: Run) -> None:
    CAVE.save("same.json")
    same = tilewright("verify", "same.json")
    assert (same.code, same.out) == (0, "same.json: the same map (caves, seed 7)\n")
    cells = CAVE.cells.copy()
    cells[0, 0] = 2
    tw.TileMap(cells, CAVE.tileset, recipe=CAVE.recipe).save("edited.json")
    assert tilewright("verify", "edited.json").code == 1
    CAVE.save("bare.txt")
    assert tilewright("verify", "bare.txt").code == 2
    missing = tilewright("verify", "missing.json")
    assert missing.code == 2
    assert missing.err.startswith("tilewright: missing.json: cannot be read")


# -- list, explain, warmup, version -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_listing_names_everything(tilewright: Run, kind: str) -> None:
    lines = tilewright("list", kind).out.splitlines()
    assert [line.split()[0] for line in lines] == list(KINDS[kind].names())
    assert all(len(line.split()) > 1 for line in lines)


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=[f"{kind}-{name}" for kind, name in NAMES])
def test_everything_is_explained(tilewright: Run, kind: str, name: str) -> None:
    done = tilewright("explain", name, "--kind", kind)
    assert done.code == 0
    assert done.out.startswith(f"{name}  {kind.removesuffix('s')}\n")
    assert "Example  tilewright " in done.out
    assert isinstance(json.loads(tilewright("explain", name, "--kind", kind, "--json").out), dict)


def test_explaining_shows_every_parameter(tilewright: Run) -> None:
    done = tilewright("explain", "caves")
    for name, field in next(entry for entry in tw.techniques() if entry.name == "caves").params.model_fields.items():
        (row,) = [line for line in done.out.splitlines() if line.split(" ")[0] == name]
        assert field.description
        assert row.endswith(field.description)


def test_a_name_of_two_kinds_says_so(tilewright: Run) -> None:
    assert "fashion is also a tileset" in tilewright("explain", "fashion").err


def test_warmup_compiles_what_there_is(tilewright: Run) -> None:
    done = tilewright("warmup")
    assert done.code == 0
    assert done.out.endswith("kernels ready\n")
    assert not done.err


def test_versions(tilewright: Run) -> None:
    assert tilewright("version").out.startswith(f"tilewright {tw.__version__}\nPython ")
    assert tilewright("--version").out == f"tilewright {tw.__version__}\n"
