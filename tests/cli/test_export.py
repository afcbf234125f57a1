"""export: projects for engines, from the command line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import tilewright as tw
from tests.cli.conftest import Run

CAVES = ("export", "caves", "--set", "params.width=12", "--set", "params.height=8", "--engine", "tiled", "-o", "game")


def test_a_project_is_exported_again_and_shrinks(tilewright: Run) -> None:
    done = tilewright(*CAVES, "--count", "4", "--seed", "7")
    assert (done.code, done.out) == (0, "")
    files = len([*Path("game").iterdir()]) - 1  # without the manifest
    assert done.err == f"4 levels for Tiled, seeds 7-0 to 7-3, wrote {files} files to game\n"
    tilewright.succeed("make", "caves", "--width", "12", "--height", "8", "--count", "4", "--seed", "7")
    assert tw.load("game/level-4.tmx") == tw.make("caves", width=12, height=8, seed="7-3")
    tilewright.succeed("verify", "game/level-1.tmx")
    again = tilewright(*CAVES, "--count", "3", "--seed", "7")
    assert again.err == (
        f"3 levels for Tiled, seeds 7-0 to 7-2, wrote 1 file to game, {files - 2} unchanged, removed level-4.tmx\n"
    )


def test_an_edited_level_is_refused_kept_or_replaced(tilewright: Run) -> None:
    tilewright.succeed(*CAVES, "--count", "2", "--seed", "7")
    Path("game/level-2.tmx").write_text("edited")
    refused = tilewright(*CAVES, "--count", "2", "--seed", "8")
    assert refused.code == 2
    assert refused.err == (
        "tilewright: game: edited since the last export: level-2.tmx; set edited to keep or to replace\n"
    )
    kept = tilewright.succeed(*CAVES, "--count", "2", "--seed", "8", "--edited", "keep")
    assert "kept edited level-2.tmx" in kept.err
    tilewright.succeed(*CAVES, "--count", "2", "--seed", "8", "--edited", "replace")
    assert tw.load("game/level-2.tmx").recipe is not None


def test_a_recipe_may_be_a_name_a_file_or_a_map(tilewright: Run) -> None:
    Path("level.yaml").write_text("technique: caves\nparams: {width: 9, height: 6}\nseed: 3\n")
    tw.run("level.yaml").save("level.png")
    for number, recipe in enumerate(("islets", "level.yaml", "level.png")):
        tilewright.succeed("export", recipe, "--engine", "tiled", "-o", f"game{number}")
    assert tw.load("game1/level-1.tmx") == tw.load("game2/level-1.tmx") == tw.run("level.yaml")


def test_options_of_the_recipe_and_of_the_engine(tilewright: Run) -> None:
    tilewright.succeed(*CAVES, "--seed", "7", "--shape", "border", "--option", "tile_size=8", "--option", "gap=0")
    made = tw.make("caves", width=12, height=8, seed=7, shaping=["border"])
    assert tw.load("game/level-1.tmx") == made
    world = json.loads(Path("game/levels.world").read_text())
    assert [(one["width"], one["height"]) for one in world["maps"]] == [(96, 64)]


def test_engines_are_listed_and_explained(tilewright: Run) -> None:
    assert "tiled" in [line.split()[0] for line in tilewright("list", "engines").out.splitlines()]
    done = tilewright("explain", "tiled")
    assert done.out.startswith("tiled  engine\n")
    assert "tilewright export open-caves --engine tiled" in done.out


def test_a_long_export_shows_a_progress_bar() -> None:
    script = (
        "import sys; from tilewright.cli import _progress, main; _progress.BAR_DELAY = 0; sys.exit(main(sys.argv[1:]))"
    )
    leader, follower = pty.openpty()
    command = [sys.executable, "-c", script, *CAVES, "--count", "30", "--seed", "1"]
    process = subprocess.Popen(command, stderr=follower, env={**os.environ, "COLUMNS": "100", "TERM": "xterm"})
    os.close(follower)
    shown = b""
    try:
        while chunk := os.read(leader, 4096):
            shown += chunk
    except OSError:  # The program has ended.
        pass
    os.close(leader)
    assert process.wait() == 0
    assert b"of 30" in shown
