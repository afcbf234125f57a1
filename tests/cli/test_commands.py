"""run, show, convert, measure, verify, list, explain, warmup, version."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tilewright import data, kernels
from tilewright.cli import _progress
from tilewright.cli._catalogue import KINDS
from tilewright.core import plugins, registry
from tilewright.core.recipe import Recipe

CAVE = tw.make("caves", width=20, height=8, seed=7)
NAMES = [(kind, name) for kind, shelf in KINDS.items() for name in shelf.names()]


# -- run ----------------------------------------------------------------------------------------------------


def test_built_in_recipe(tilewright: Run) -> None:
    done = tilewright.succeed("run", "open-caves", "--seed", "3")
    assert done.out == f"{tw.run('open-caves', seed=3)}\n"


def test_a_recipe_finds_its_files_beside_itself(tilewright: Run) -> None:
    Path("folder").mkdir()
    Path("folder/kept.txt").write_text("??##\n????\n")
    Path("folder/level.yaml").write_text(
        "technique: caves\nparams: {width: 4, height: 2, walls: 0}\nlocks: kept.txt\nseed: 1\n"
    )
    assert tilewright("run", "folder/level.yaml").out.splitlines()[0].endswith("##")
    tilewright.succeed("run", "folder/level.yaml", "-o", "level.json", "-o", "level.gif")
    assert tw.load("level.json") == tw.load("level.gif")


def test_a_recipe_can_be_varied(tilewright: Run) -> None:
    tilewright.succeed(
        *("run", "flooded-cavern", "--seed", "3", "--set", "params.width=30", "--set", "params.height=9"),
        *("--set", "shaping.1.connect.thickness=1", "--set", "params.offset=-4,2", "--shape", "flip", "-o", "map.json"),
    )
    shipped = Recipe.of("flooded-cavern").to_data()
    params = {**shipped["params"], "width": 30, "height": 9, "offset": [-4, 2]}
    border, _, *others = shipped["shaping"]
    shaping = [border, {"connect": {"thickness": 1}}, *others, "flip"]
    assert tw.load("map.json") == tw.run({**shipped, "params": params, "shaping": shaping, "seed": 3})


def test_files_of_options_are_relative_to_the_working_directory_and_files_of_the_recipe_to_it(tilewright: Run) -> None:
    Path("folder").mkdir()
    Path("folder/kept.txt").write_text("####\n####\n")
    Path("folder/level.yaml").write_text("technique: caves\nparams: {width: 4, height: 2}\nlocks: kept.txt\n")
    Path("kept.txt").write_text("....\n....\n")
    assert tilewright("run", "folder/level.yaml").out == "####\n####\n"
    assert tilewright("run", "folder/level.yaml", "--locks", "kept.txt").out == "....\n....\n"
    done = tilewright("run", "folder/level.yaml", "--locks", "kept.txt", "--keep", "0,0,1,2", "--set", "params.walls=1")
    assert done.out == ".###\n.###\n"
    drawn = tilewright("run", "folder/level.yaml", "--tileset", "terrain", "--tiles", "floor=grass,wall=mountain")
    assert drawn.code == 2  # its own locks are drawn with the walls of a cave
    Path("mine.toml").write_text(data.read_text("tilesets", "cave").replace('"#"', '"X"'))
    tilewright.succeed("run", "folder/level.yaml", "--tileset", "mine.toml", "--set", "locks=null")


# -- show and convert ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["png", "json", "npz", "tmx", "tmj", "gif"])
def test_show_draws_the_saved_map(tilewright: Run, ending: str) -> None:
    CAVE.save(f"cave.{ending}")
    done = tilewright("show", f"cave.{ending}")
    assert done.out == f"{CAVE}\n"
    assert done.err == f"cave.{ending}: caves 20x8, seed 7\n"


def test_an_overlay_has_a_legend(tilewright: Run) -> None:
    CAVE.save("cave.json")
    done = tilewright("show", "cave.json", "--overlay", "path")
    legend = tw.overlay(CAVE, "path").legend
    assert done.out == f"{CAVE}\n"
    message = f"{legend}; an overlay needs a terminal with colors, or a .png file"
    assert done.err == f"cave.json: caves 20x8, seed 7\n{message}\n"
    done = tilewright("make", "caves", "--width", "20", "--height", "8", "--seed", "7", "--overlay", "path")
    assert message in done.err


def test_overlays_and_layers_are_written(tilewright: Run) -> None:
    CAVE.save("cave.json")
    tilewright.succeed("convert", "cave.json", "-o", "far.png", "--overlay", "distance", "--scale", "2")
    assert tw.load("far.png") == CAVE
    x, y = next((x, y) for y in range(8) for x in range(20) if CAVE.passable[y, x])
    sight = f"sight,origin={x},{y},radius=3"
    tilewright.succeed("make", "caves", "--seed", "7", "-o", "a.png", "-o", "a.txt", "--overlay", "flee")
    tilewright.succeed("run", "open-caves", "--seed", "7", "-o", "b.gif", "--overlay", "hot-path,slack=2")
    tilewright.succeed("convert", "cave.json", "seen.png", "--overlay", sight)
    assert tw.load("seen.png").recipe == CAVE.recipe
    tilewright.succeed("make", "noise", "--seed", "7", "-o", "heights.png", "--layer", "height")
    assert tw.load("heights.png") == tw.make("noise", seed=7)
    tilewright.succeed("verify", "heights.png", "seen.png", "far.png")


def test_conversion_round_trip(tilewright: Run) -> None:
    CAVE.save("cave.json")
    tilewright.succeed("convert", "cave.json", "cave.tmx")
    tilewright.succeed("convert", "cave.tmx", "-o", "{stem}-again.txt", "-o", "again.png", "--scale", "2")
    tilewright.succeed("convert", "cave-again.txt", "--tileset", "cave", "-o", "data", "--format", "json")
    assert tilewright("show", "data", "--from", "json").out == f"{CAVE}\n"
    assert tw.load("again.png") == CAVE


def test_a_saved_map_is_shaped(tilewright: Run) -> None:
    CAVE.save("cave.tmx")
    tilewright.succeed("convert", "cave.tmx", "--shape", "connect,thickness=2", "--shape", "flip", "-o", "b.tmx")
    assert tw.load("b.tmx") == tw.shape(tw.shape(CAVE, "connect", thickness=2), "flip")
    tilewright.succeed("verify", "b.tmx")


def test_maps_without_a_tileset_give_one_hint(tilewright: Run) -> None:
    message = "no tileset given: every tile except # is taken as passable; choose a tileset with --tileset\n"
    for name in ("a.txt", "b.csv", "c.json"):
        CAVE.save(name)
    for command in (["show"], ["measure"], ["convert", "-o", "{stem}.png"]):
        assert tilewright(*command, "a.txt", "b.csv").err.count(message) == 1
        assert message not in tilewright(*command, "c.json").err
        assert message not in tilewright(*command, "a.txt", "--tileset", "cave").err


def test_converted_map_is_an_animation_of_one_frame(tilewright: Run) -> None:
    CAVE.save("cave.json")
    done = tilewright("convert", "cave.json", "cave.gif")
    assert done.err == "wrote cave.gif (one frame; make and run write animations)\n"


def test_several_maps_need_names_of_their_own(tilewright: Run) -> None:
    for name in ("a.json", "b.json"):
        CAVE.save(name)
    done = tilewright("convert", "a.json", "b.json", "-o", "out.txt")
    assert done.code == 2
    assert done.err == "tilewright: out.txt: the same file name for several maps; add {stem} or {index} to it\n"
    tilewright.succeed("convert", "a.json", "b.json", "-o", "{stem}.txt")
    tilewright.succeed("convert", "a.json", "b.json", "-o", "{index}.txt")
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
    (found,) = json.loads(tilewright("measure", "a.json", "--measures", "count.wall,markers.goblin", "--json").out)
    assert found["measures"] == {"count.wall": int(CAVE.where("wall").sum()), "markers.goblin": 0}
    assert "count.TILE" in tilewright("explain", "count").out
    assert tilewright("measure", "a.json", "--measures", "count.wal").code == 2


def test_markers_that_cannot_be_placed_are_a_warning(tilewright: Run) -> None:
    stage = "place,markers=orc,rule=random,count=99,min_distance=5,required=false"
    done = tilewright.succeed("make", "caves", "--width", "20", "--height", "20", "--seed", "7", "--shape", stage)
    assert "markers 'orc' could not be placed: the map has too few cells that fit" in done.err
    assert tilewright("make", "caves", "--width", "20", "--seed", "7", "--shape", stage[:-15]).code == 2


def test_a_map_compared_with_samples(tilewright: Run) -> None:
    Path("sample.txt").write_text("#..#\n.##.\n#..#\n.##.\n")
    Path("level.txt").write_text("#..#\n.##.\n#..#\n")
    table = tilewright("measure", "level.txt", "--like", "sample.txt").out
    assert [line.split()[:3] for line in table.splitlines() if "copied" in line] == [
        ["copied_block", "3", "cells"],
        ["copied_share", "1", "fraction"],
    ]
    assert "divergence" not in tilewright("measure", "level.txt").out
    wanted = ("--measures", "divergence,sample_distance", "--json")
    how = ("--pattern-size", "2", "--wrap-sample", "xy", "--wrap", "x", "--symmetries", "2")
    (found,) = json.loads(tilewright("measure", "level.txt", "--like", "sample.txt,dungeon", *how, *wanted).out)
    settings: dict[str, Any] = {"pattern_size": 2, "wrap_sample": "xy", "wrap": "x", "symmetries": 2}
    like = [Path("sample.txt"), "dungeon"]
    expected = tw.measure(tw.load("level.txt"), "divergence", "sample_distance", like=like, **settings)
    assert found["measures"] == expected
    assert found["measures"]["sample_distance"] == 0
    assert "a sample to compare with (--like)" in tilewright("explain", "copied_block").out


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
    several = tilewright("verify", "missing.json", "same.json", "edited.json")
    assert several.code == 2
    assert several.err == missing.err
    assert [line.split(": ")[0] for line in several.out.splitlines()] == ["same.json", "edited.json"]
    assert tilewright("verify", "edited.json", "same.json").code == 1


# -- list, explain, warmup, version -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_list_shows_all_names(tilewright: Run, kind: str) -> None:
    lines = tilewright("list", kind).out.splitlines()
    assert [line.split()[0] for line in lines] == list(KINDS[kind].names())
    assert all(len(line.split()) > 1 for line in lines)


def test_formats_are_listed_with_the_engines_that_open_them(tilewright: Run) -> None:
    lines = {line.split()[0]: line for line in tilewright("list", "formats").out.splitlines()}
    for entry in tw.list_formats():
        assert all(engine in lines[entry.name] for engine in entry.engines)
    assert "Unity (SuperTiled2Unity)" in lines["tmx"]
    listed = json.loads(tilewright("list", "formats", "--json").out)["formats"]
    assert [tuple(row["engines"]) for row in listed] == [one.engines for one in tw.list_formats()]
    found = tilewright("list", "formats", "--search", "unity").out.splitlines()
    assert "tmx" in [line.split()[0] for line in found]
    assert "opens in" in tilewright("explain", "tmx").out


@pytest.mark.parametrize("options", [("-o", "level.unity"), ("-o", "level", "--format", "Unity")])
def test_the_name_of_an_engine_is_answered_with_its_formats(tilewright: Run, options: tuple[str, ...]) -> None:
    done = tilewright("make", "caves", *options)
    assert done.code == 2
    assert "Unity opens" in done.err
    assert "tmx" in done.err


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=[f"{kind}-{name}" for kind, name in NAMES])
def test_everything_is_explained(tilewright: Run, kind: str, name: str) -> None:
    done = tilewright.succeed("explain", name, "--kind", kind)
    assert done.out.startswith(f"{name}  {kind.removesuffix('s')}\n")
    assert "Example  tilewright " in done.out
    assert isinstance(json.loads(tilewright("explain", name, "--kind", kind, "--json").out), dict)


@pytest.mark.parametrize("name", registry.shapers.names())
def test_the_example_of_every_shaper_runs(tilewright: Run, name: str) -> None:
    (line,) = [line for line in tilewright("explain", name).out.splitlines() if line.startswith("Example")]
    program, *words = line.split()[1:]
    assert program == "tilewright"
    assert any(word.split(",")[0] == name for word in words)
    for seed in ("1", "2", "3"):
        tilewright.succeed(*words, "--seed", seed)


def test_explaining_shows_every_parameter(tilewright: Run) -> None:
    done = tilewright("explain", "caves")
    for name, field in next(
        entry for entry in tw.list_techniques() if entry.name == "caves"
    ).params.model_fields.items():
        assert field.description
        rows = [line for line in done.out.splitlines() if line.split(" ")[0] == name]
        assert sum(row.endswith(field.description) for row in rows) == 1


def test_a_name_of_two_kinds_says_so(tilewright: Run) -> None:
    assert "fashion is also a tileset" in tilewright("explain", "fashion").err


def test_files_of_the_user_are_explained(tilewright: Run) -> None:
    Path("mine.toml").write_text('[[tiles]]\nname = "lava"\nglyph = "%"\ncolor = "#ff4000"\n')
    Path("level.yaml").write_text("# A small cave.\ntechnique: caves\nparams: {width: 9}\n")
    tileset = tilewright("explain", "mine.toml")
    assert tileset.out.startswith("mine.toml  tileset\n")
    assert "lava" in tileset.out
    recipe = tilewright("explain", "level.yaml")
    assert recipe.out.startswith("level.yaml  recipe\n\nA small cave.\n\n  technique: caves\n")
    assert "tilewright run level.yaml --seed 7" in recipe.out
    assert json.loads(tilewright("explain", "level.yaml", "--json").out)["params"] == {"width": 9}


@pytest.mark.parametrize("command", [("list",), ("make", "--help")])
def test_a_plugin_that_breaks_is_one_line(tilewright: Run, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    point = EntryPoint("broken", "no_such_module", "tilewright.generators")
    found = plugins.find_plugins
    monkeypatch.setattr(
        plugins, "find_plugins", lambda folder: {"broken": point} if folder == "generators" else found(folder)
    )
    done = tilewright.succeed(*command)
    assert "caves" in done.out
    assert done.err.startswith("tilewright: 'broken' of no_such_module cannot be loaded: ModuleNotFoundError")
    assert done.err.count("\n") == 1


def test_warmup_compiles_all_kernels(tilewright: Run) -> None:
    done = tilewright.succeed("warmup")
    assert done.out.endswith("kernels ready\n")
    assert not done.err


def test_the_bar_moves_while_a_kernel_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    fractions: list[float] = []

    @contextmanager
    def collect() -> Iterator[Callable[[float, str], None]]:
        yield lambda done, what: fractions.append(done)

    def warm_up(names: Collection[str]) -> Iterator[str]:
        while len(fractions) < 4:
            time.sleep(0.05)
        yield from names

    monkeypatch.setattr(_progress, "show_progress", collect)
    monkeypatch.setattr(kernels, "warmup", warm_up)
    assert _progress.compile_kernels({"caves.smooth", "random.fill_chance"}) == 2
    assert fractions == sorted(set(fractions))
    assert fractions[-1] < 1


def test_versions(tilewright: Run) -> None:
    assert tilewright("version").out.startswith(f"tilewright {tw.__version__}\nPython ")
    assert tilewright("--version").out == f"tilewright {tw.__version__}\n"
