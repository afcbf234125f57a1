"""Maps of Advance Wars By Web on the command line: convert folders, learn, explain models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tilewright as tw
from tests.cli.conftest import Run

MAPS = {
    "bay": "1,1,3,28,28\n34,15,15,26,28\n42,1,2,29,28\n1,1,3,28,33\n1,1,1,28,28\n",
    "hill": "1,2,2,1,1\n2,2,2,1,34\n1,2,47,1,1\n1,1,1,3,3\n1,1,1,3,3\n",
}


@pytest.fixture(autouse=True)
def maps() -> Path:
    folder = Path("maps")
    folder.mkdir()
    for name, text in MAPS.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


@pytest.mark.parametrize("given", [["maps/bay.csv", "maps/hill.csv"], ["maps"], ["maps/*.csv"]])
def test_a_whole_folder_is_converted_at_once(given: list[str], tilewright: Run) -> None:
    tilewright.succeed("convert", *given, "--from", "awbw", "-o", "out/{stem}.png", "-o", "out/{stem}.json")
    assert sorted(path.name for path in Path("out").iterdir()) == ["bay.json", "bay.png", "hill.json", "hill.png"]
    assert tw.load("out/bay.png") == tw.load("out/bay.json") == tw.load("maps/bay.csv", format="awbw")


def test_conversion_round_trip(tilewright: Run) -> None:
    tilewright.succeed("convert", "maps/bay.csv", "bay.png", "--from", "awbw")
    tilewright.succeed("convert", "bay.png", "bay.awbw")
    tilewright.succeed("convert", "bay.awbw", "-o", "bay.csv", "--format", "awbw")
    assert Path("bay.csv").read_text() == Path("bay.awbw").read_text() == MAPS["bay"]
    tilewright.succeed("convert", "bay.awbw", "-o", "old.txt", "--format", "awbw", "--option", "old=true")
    assert Path("old.txt").read_text().startswith("..@,,\na--[,\n")
    tilewright.succeed("convert", "old.txt", "again.awbw", "--from", "awbw")
    assert Path("again.awbw").read_text() == MAPS["bay"]


def test_one_bad_file_among_many_is_named_and_nothing_is_written(maps: Path, tilewright: Run) -> None:
    (maps / "cliff.csv").write_text("1,2\n3\n")
    Path("bay.png").write_text("mine")
    done = tilewright("convert", "maps", "--from", "awbw", "-o", "{stem}.png")
    assert done.code == 2
    assert done.err == "tilewright: cliff.csv: row 2 has 1 cell, the first has 2\n"
    assert Path("bay.png").read_text() == "mine"
    assert not Path("hill.png").exists()


def test_unknown_ids_are_reported_once_per_file(maps: Path, tilewright: Run) -> None:
    (maps / "odd.csv").write_text("58,58,1,1,1\n" * 5)
    done = tilewright.succeed("convert", "maps", "--from", "awbw", "-o", "out/{stem}.awbw")
    assert done.err.count("unknown ids") == 1
    assert "odd.csv: unknown ids, kept as tiles 'unknown N': 58 (10 cells)" in done.err
    assert Path("out/odd.awbw").read_text() == (maps / "odd.csv").read_text()
    Path("mine.toml").write_text('extends = "awbw"\n[[tiles]]\nname = "volcano"\ncode = 58\n')
    done = tilewright("convert", "maps/odd.csv", "odd.json", "--from", "awbw", "--tileset", "mine.toml")
    assert "unknown" not in done.err
    assert tw.load("odd.json").tileset.name == "mine"


def test_map_refused_by_the_site_is_written_with_a_warning(tilewright: Run) -> None:
    Path("wide.csv").write_text(",".join(["1"] * 60) + "\n")
    done = tilewright.succeed("convert", "wide.csv", "wide.awbw", "--from", "awbw")
    assert "accepts maps of 5 to 50 cells per side, got 60x1" in done.err


@pytest.mark.parametrize("given", [["maps"], ["maps/*.csv"], ["maps/bay.csv", "maps/hill.csv"]])
@pytest.mark.parametrize("output", ["war.json", "war.npz"])
def test_learning_from_a_folder(given: list[str], output: str, tilewright: Run) -> None:
    done = tilewright.succeed("learn", "patterns", *given, "--from", "awbw", "-o", output, "--set", "pattern_sizes=2")
    assert done.err == f"patterns learned from 2 samples, 50 cells of awbw; wrote {output}\n"
    assert tw.load_model(output) == tw.learn("patterns", "awbw:maps", pattern_sizes=(2,))
    done = tilewright.succeed(
        *("make", "patterns", "--model", output, "--width", "6", "--height", "6", "--iterations", "50"),
        *("--seed", "1", "-o", "new.awbw"),
    )
    assert tw.load("new.awbw").tileset.name == "awbw"


def test_all_tilesets_of_the_samples_are_reported(tilewright: Run) -> None:
    done = tilewright("learn", "wfc", "village", "dungeon", "village", "-o", "a.json")
    assert "learned from 3 samples, " in done.err
    assert " cells of village, dungeon; wrote a.json" in done.err


def test_models_are_merged(tilewright: Run) -> None:
    tilewright.succeed("learn", "patterns", "awbw:maps/bay.csv", "-o", "a.json")
    tilewright.succeed("learn", "patterns", "awbw:maps/hill.csv", "-o", "b.npz")
    tilewright.succeed("learn", "patterns", "a.json", "b.npz", "-o", "both.json")
    assert tw.load_model("both.json") == tw.learn("patterns", "awbw:maps")
    done = tilewright("learn", "patterns", "a.json", "awbw:maps/hill.csv", "--set", "pattern_sizes=2", "-o", "c.json")
    assert done.code == 2
    assert "pattern_sizes: is None in one model and (2,) in another" in done.err
    assert not Path("c.json").exists()


def test_samples_without_a_tileset_give_a_hint(tilewright: Run) -> None:
    done = tilewright.succeed("learn", "patterns", "maps", "-o", "a.json")
    assert done.err.count("no tileset given") == 1
    assert "AWBW maps are read with --from awbw" in done.err
    Path("a.txt").write_text("##.\n#..\n...\n")
    done = tilewright("learn", "patterns", "a.txt", "-o", "a.json")
    assert "no tileset given" in done.err
    assert "AWBW" not in done.err
    assert "no tileset" not in tilewright("learn", "patterns", "dungeon", "-o", "a.json").err
    done = tilewright("learn", "patterns", "a.txt", "--tileset", "cave", "-o", "a.json")
    assert "no tileset" not in done.err
    assert tw.load_model("a.json").samples.tileset.name == "cave"


def test_models_are_explained(tilewright: Run) -> None:
    for output in ("a.json", "a.npz"):
        tilewright.succeed("learn", "patterns", "maps", "--from", "awbw", "-o", output)
        done = tilewright.succeed("explain", output)
        assert "What patterns learned from 2 samples." in done.out
        assert "2 of 5x5" in done.out
        assert "awbw (196 tiles)" in done.out
        assert [line.split() for line in done.out.splitlines() if line.startswith("plain")] == [
            ["plain", "21", "42.0%"]
        ]
        assert f"tilewright make patterns --model {output}" in done.out
    assert json.loads(tilewright("explain", "a.json", "--json").out)["technique"] == "patterns"
