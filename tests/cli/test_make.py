"""`tilewright make`: options for parameters, drawing, writing, several maps."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.cli.conftest import Run

SMALL = ("--width", "20", "--height", "8")


def test_without_a_file_the_map_is_drawn_with_its_seed(tilewright: Run) -> None:
    done = tilewright.succeed("make", "caves", *SMALL, "--seed", "7")
    assert done.out == f"{tw.make('caves', width=20, height=8, seed=7)}\n"
    assert done.err == "caves 20x8, seed 7\n"


def test_random_seed_is_shown_and_regenerates_the_map(tilewright: Run) -> None:
    done = tilewright("make", "caves", *SMALL)
    seed = done.err.split("seed ")[1].strip()
    assert tilewright("make", "caves", *SMALL, "--seed", seed).out == done.out


def test_a_pipe_gets_glyphs_and_nothing_else(process: Run) -> None:
    done = process.succeed("make", "caves", "--width", "300", "--height", "4", "--count", "2", "--seed", "1")
    assert set(done.out) <= set("#.\n")
    assert [len(line) for line in done.out.split("\n")] == [300] * 4 + [0] + [300] * 4 + [0]
    assert done.err == "caves 300x4, seed 1-0\ncaves 300x4, seed 1-1\n"


def test_every_kind_of_parameter(tilewright: Run) -> None:
    done = tilewright(
        "make", "caves", *SMALL, "--walls", "0.5", "--outside", "floor", "--offset", "-4,2", "--no-wrap", "--seed", "3"
    )
    wanted = tw.make("caves", width=20, height=8, walls=0.5, outside="floor", offset=(-4, 2), wrap=False, seed=3)
    assert done.out == f"{wanted}\n"
    assert tilewright("make", "caves", *SMALL, "--wrap", "--seed", "3").out == (
        f"{tw.make('caves', width=20, height=8, wrap=True, seed=3)}\n"
    )


def test_structured_parameters_as_lists_json_files_and_parts(tilewright: Run) -> None:
    Path("scores.json").write_text("[[1, 2], [3, 4]]")
    wanted = f"{tw.make('fashion', width=20, height=8, scores=[1, 2, 3, 4], seed=1)}\n"
    for given in ("1,2,3,4", "[[1, 2], [3, 4]]", "@scores.json"):
        assert tilewright("make", "fashion", *SMALL, "--seed", "1", "--scores", given).out == wanted
    parts = tilewright("make", "fashion", *SMALL, "--seed", "1", "--scores", "1,2,3,9", "--set", "scores.3=4")
    assert parts.out == wanted


def test_shaping_tiles_tileset_and_locks(tilewright: Run) -> None:
    Path("kept.txt").write_text("?" * 20 + "\n" + "\n".join(["??.." + "?" * 16] * 7) + "\n")
    tilewright.succeed(
        *("make", "caves", *SMALL, "--seed", "5", "--tileset", "terrain", "--tiles", "floor=grass,wall=mountain"),
        *("--locks", '[[2, 2, "grass"]]', "--shape", "connect,thickness=2", "--shape", "border", "-o", "map.json"),
    )
    recipe = json.loads(Path("map.json").read_text())["provenance"]["recipe"]
    assert [*recipe["shaping"][0], *recipe["shaping"][1]] == ["connect", "border"]
    assert recipe["shaping"][0]["connect"]["thickness"] == 2
    assert recipe["tiles"] == {"floor": "grass", "wall": "mountain"}
    assert recipe["locks"] == [[2, 2, "grass"]]
    kept = tilewright("make", "caves", *SMALL, "--locks", "kept.txt")
    assert all(line[2:4] == ".." for line in kept.out.splitlines()[1:])


def test_locked_cells_are_kept_and_the_rest_is_regenerated(tilewright: Run) -> None:
    liked = tw.make("caves", width=20, height=8, seed=7)
    liked.save("liked.json")
    keep = ("--locks", "liked.json", "--keep", "2,1,6,5", "--keep", "15,6,5,2")
    tilewright.succeed("make", "caves", *SMALL, "--seed", "8", *keep, "-o", "again.json")
    again = tw.load("again.json")
    for kept in (np.s_[1:6, 2:8], np.s_[6:8, 15:20]):
        assert (again.cells[kept] == liked.cells[kept]).all()
    mask = np.zeros(liked.shape, dtype=bool)
    mask[1:6, 2:8] = mask[6:8, 15:20] = True
    assert again == tw.make("caves", width=20, height=8, seed=8, locks=liked.to_locks(mask))
    assert again != liked
    done = tilewright("make", "caves", *SMALL, "--locks", '[[1, 1, "floor"], [9, 1, "floor"]]', "--keep", "9,0,1,8")
    assert done.out.splitlines()[1][9] == "."


def test_several_files_of_one_map(tilewright: Run) -> None:
    done = tilewright.succeed(
        "make", "caves", *SMALL, "--seed", "7", "--scale", "4", "-o", "a.png", "-o", "a.txt", "-o", "b/a.tmx"
    )
    assert not done.out
    assert done.err == "caves 20x8, seed 7, wrote a.png, a.txt, b/a.tmx\n"
    with Image.open("a.png") as picture:
        assert picture.size == (80, 32)
    assert Path("a.txt").read_text() == f"{tw.load('a.png')}\n" == f"{tw.load('b/a.tmx')}\n"


@pytest.mark.parametrize("name", ["work.gif", "work.webp", "work.apng"])
def test_an_animation_shows_the_work(tilewright: Run, name: str) -> None:
    tilewright.succeed("make", "caves", *SMALL, "--seed", "7", "--frames", "4", "--duration", "60", "-o", name)
    with Image.open(name) as film:
        assert 1 < getattr(film, "n_frames", 1) <= 4
    assert tw.load(name) == tw.make("caves", width=20, height=8, seed=7)


def test_many_maps_each_with_its_seed_and_file(tilewright: Run) -> None:
    done = tilewright.succeed(
        "make", "caves", *SMALL, "--seed", "a/b", "--count", "3", "-o", "{technique}_{index:02}_{seed}.json"
    )
    assert sorted(path.name for path in Path().iterdir()) == [f"caves_0{k}_a_b-{k}.json" for k in range(3)]
    assert tw.load("caves_01_a_b-1.json") == tw.make("caves", width=20, height=8, seed="a/b-1")
    assert "seeds a/b-0 to a/b-2" in done.err


def test_standard_output_takes_any_format(process: Run) -> None:
    done = process("make", "caves", *SMALL, "--seed", "7", "--format", "json", "-o", "-")
    assert json.loads(done.out)["provenance"]["seed"] == "7"


def test_standard_output_takes_many(process: Run) -> None:
    done = process("make", "caves", *SMALL, "--seed", "7", "--count", "2", "--format", "txt", "-o", "-")
    first, second = (tw.make("caves", width=20, height=8, seed=f"7-{number}") for number in range(2))
    assert done.out == f"{first}\n\n{second}\n"
    assert done.err == "caves 20x8, seeds 7-0 to 7-1\n"


def test_standard_output_refuses_an_animation() -> None:
    script = "make caves --width 20 --height 8 --seed 7 --format gif --frames 4 -o -"
    film = subprocess.run([sys.executable, "-m", "tilewright", *script.split()], capture_output=True, check=True).stdout
    with Image.open(io.BytesIO(film)) as picture:
        assert getattr(picture, "n_frames", 1) > 1
    assert not list(Path().iterdir())


def test_help_shows_description_range_and_default(tilewright: Run) -> None:
    text = " ".join(tilewright("make", "caves", "--help").out.split())
    assert "--walls NUMBER Fraction of cells that start as wall. [0..1, default 0.45]" in text
    assert "--outside wall|floor" in text
    assert "--wrap / --no-wrap" in text
    assert "--offset INTEGER,INTEGER" in text


def test_underscores_are_fine_in_options(tilewright: Run) -> None:
    tilewright.succeed("make", "caves", *SMALL, "--shape", "keep_largest", "--seed", "1")
    tilewright.succeed("explain", "keep_largest")


def test_a_map_of_one_tile_causes_a_warning(tilewright: Run, tmp_path: Path) -> None:
    sample = tmp_path / "sparse.txt"
    sample.write_text("\n".join(["." * 40] * 39 + ["." * 20 + "#" + "." * 19]))
    arguments = ["make", "wfc", "--sample", str(sample), "--width", "12", "--height", "12", "--seed", "2"]
    assert "tilewright: the map has only one of 2 tiles" in tilewright(*arguments).err
    several = tilewright(*arguments, "--count", "1", "-o", str(tmp_path / "map.json"))
    assert "tilewright: seed 2-0: the map has only one of 2 tiles" in several.err


def test_the_last_line_shows_the_divergence(tilewright: Run) -> None:
    arguments = ("make", "patterns", "--sample", "dungeon", "--width", "20", "--height", "20", "--seed", "2")
    rough, fine = (tilewright(*arguments, "--iterations", steps).err for steps in ("0", "200000"))
    assert re.search(r"^patterns 20x20, seed 2, divergence \d+\.\d\d$", rough, re.MULTILINE)
    assert re.search(r"^tilewright: the divergence of \d+\.\d\d is high", rough, re.MULTILINE)
    assert re.search(r"^patterns 20x20, seed 2, divergence [01]\.\d\d$", fine, re.MULTILINE)
    assert "is high" not in fine
