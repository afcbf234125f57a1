"""Invalid input: one helpful line, exit code 2, no traceback, no partial files."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tilewright.core import ports

MISTAKES = {
    "command": ("mkae caves", "unknown command 'mkae'; did you mean 'make'?"),
    "option": ("list --jsn", "unknown option '--jsn'; did you mean '--json'?"),
    "argument": ("explain", "NAME is missing; see tilewright explain --help"),
    "kind": ("list tecniques", "unknown kind 'tecniques'; did you mean 'techniques'?"),
    "kind in the singular": ("list tileset", "unknown kind 'tileset'; did you mean 'tilesets'?"),
    "name": ("explain cavs", "unknown name 'cavs'; did you mean 'caves'?"),
    "name of nothing": ("explain xyzzy", "unknown name 'xyzzy' (`tilewright list` shows all)"),
    "explain's file": ("explain nowhere.toml", "nowhere.toml: cannot be read"),
    "explain a map": ("explain whole.json", "whole.json: is not a recipe"),
    "no technique": ("make", "TECHNIQUE is missing; choose one of"),
    "technique": ("make cavs", "unknown technique 'cavs'; did you mean 'caves'?"),
    "order": ("make --width 5 caves", "--width: the technique must come before its options"),
    "parameter": ("make caves --widht 5", "unknown option '--widht'; did you mean '--width'?"),
    "set": ("make caves --set wals=1", "unknown parameter 'wals'; did you mean 'walls'?"),
    "set inside": ("make caves --set walls.0=1", "walls.0: 0.45 has no parts"),
    "set nothing": ("make caves --set walls", "a setting is written as name=value"),
    "zero": ("make caves --width 0", "caves: width: must be at least 1, got 0"),
    "negative": ("make caves --height -5", "caves: height: must be at least 1, got -5"),
    "huge": ("make caves --width 999999999", "width: must be at most 65536"),
    "endless digits": ("make caves --width " + "9" * 5000, "caves: width: "),
    "word": ("make caves --width wide", "caves: width: must be an integer, got 'wide'"),
    "fraction": ("make caves --width 1.5", "width: must be an integer, got 1.5"),
    "nan": ("make caves --walls nan", "walls: must be a finite number"),
    "infinite": ("make caves --walls inf", "walls: must be a finite number"),
    "choice": ("make caves --outside sky", "outside: must be 'wall' or 'floor', got 'sky'"),
    "all at once": (
        "make caves --width 0 --walls 2",
        "width: must be at least 1, got 0; caves: walls: must be at most",
    ),
    "bad json": ("make fashion --scores [1,2", "scores: not JSON"),
    "shape of scores": ("make fashion --states 3 --scores 1,2", "scores: "),
    "tile": ("make caves --tiles floor=gras --tileset terrain", "unknown tile 'gras'; did you mean 'grass'?"),
    "tiles": ("make caves --tiles floor", "tiles: must be written as floor=grass,wall=mountain"),
    "tileset": ("make caves --tileset cav", "unknown tileset 'cav'; did you mean 'cave'?"),
    "locks": ("make caves --locks nowhere.txt", "nowhere.txt: cannot be read"),
    "keep of nothing": ("make caves --keep 1,1,2,2", "keep: only applies to a map of locks; name one with --locks"),
    "keep outside": ("make caves --locks whole.json --keep 15,0,6,2", "keep: 15,0,6,2 exceeds the map of 20x8 cells"),
    "keep's form": ("make caves --locks whole.json --keep 1,2,3", "keep: must be written X,Y,WIDTH,HEIGHT"),
    "keep's sign": ("make caves --locks whole.json --keep -1,2,3,4", "keep: must be written X,Y,WIDTH,HEIGHT"),
    "keep no cell": (
        "make caves --locks whole.json --keep 1,2,0,4",
        "keep: width and height must be at least 1, got 1,2,0,4",
    ),
    "shaper": ("make caves --shape conect", "unknown shaper 'conect'; did you mean 'connect'?"),
    "shaper's parameter": (
        "make caves --shape connect,thicknes=2",
        "connect: unknown parameter 'thicknes'; did you mean",
    ),
    "shaper as JSON": ('make caves --shape {"connect":2}', "shape: must be JSON of one shaper, such as"),
    "shaper's value": ("make caves --shape connect,thickness=0", "connect: thickness: must be at least 1, got 0"),
    "count": ("make caves --count 0", "--count: 0 is not in the range"),
    "ending": ("make caves -o x.pgn", "unknown file extension '.pgn'; pictures: .png; animations: .apng"),
    "format": (
        "make caves -o x --format pgn",
        "unknown format 'pgn'; pictures: png; animations: apng, gif, webp; game",
    ),
    "format without file": ("make caves --format png", "format: only applies to output files"),
    "format's option": ("make caves -o x.png --option scal=2", "png has no option 'scal'; did you mean 'scale'?"),
    "another format's option": ("make caves -o x.txt --scale 4", "txt has no option 'scale'"),
    "no format's option": ("make caves -o x.txt -o x.csv --scale 4", "txt, csv have no option 'scale'"),
    "format's value": ("make caves -o x.png --scale 0", "scale: must be at least 1, got 0"),
    "option without file": ("make caves --scale 4", "scale: only applies to output files; name one with -o"),
    "folder": ("make caves -o folder", "unknown file extension 'folder'"),
    "folder that is there": ("make caves -o sub", "sub: is a folder"),
    "folder as file": ("make caves -o .. --format png", "..: is a folder"),
    "unwritable": ("make caves -o broken.png/x.png", "broken.png/x.png: cannot be written"),
    "later unwritable": ("make caves -o fine.png -o broken.png/x.png", "broken.png/x.png: cannot be written"),
    "one name for many": ("make caves --count 2 -o x.png", "add {seed} or {index} to it"),
    "same name twice": ("make caves -o x.png -o x.png", "x.png: is the path of two outputs"),
    "placeholder": ("make caves -o {sed}.png", "unknown placeholder '{sed}'; did you mean '{seed}'?"),
    "inside placeholder": ("make caves -o {seed.__class__}.png", "unknown placeholder"),
    "brace": ("make caves -o {.png", "write a literal brace twice"),
    "recipe": ("run opencaves", "unknown technique or recipe 'opencaves'; did you mean 'open-caves'?"),
    "recipe's file": ("run nowhere.yaml", "nowhere.yaml: cannot be read"),
    "recipe's key": ("run key.yaml", "unknown recipe key 'parms'; did you mean 'params'?"),
    "recipe's text": ("run twice.yaml", "the key 'seed' occurs twice"),
    "recipe's option": (
        "run open-caves --width 40",
        "--width: run sets parameters with --set, such as --set params.w",
    ),
    "option of nothing": ("run open-caves --sed 4", "unknown option '--sed'; did you mean '--seed'?"),
    "set a recipe's parameter": ("run open-caves --set wals=1", "unknown parameter 'wals'; did you mean 'walls'?"),
    "set a recipe's typo": ("run open-caves --set params.wals=1", "unknown parameter 'wals'; did you mean 'walls'?"),
    "set a recipe's value": ("run open-caves --set params.walls=2", "caves: walls: must be at most 1"),
    "set a missing stage": ("run open-caves --set shaping.3.border.tile=x", "'3' is not a position in a list of 1"),
    "set another stage": ("run open-caves --set shaping.0.border.tile=x", "stage 0 is 'keep_largest'"),
    "set a recipe's nothing": ("run open-caves --set params.walls", "a setting is written as name=value"),
    "set inside a number": ("run odd.yaml --set params.walls=1", "params: must be a set of named values, got 5"),
    "set inside a list": ("run odd.yaml --set shaping.0.border.tile=x", "shaping: must be a set of named values"),
    "run's keep": ("run open-caves --keep 1,1,2,2", "keep: only applies to a map of locks"),
    "run's locks": ("run open-caves --locks nowhere.txt", "nowhere.txt: cannot be read"),
    "run's shaper": ("run open-caves --shape connect,thickness=0", "connect: thickness: must be at least 1, got 0"),
    "no file": ("show nowhere.png", "nowhere.png: cannot be read (No such file or directory)"),
    "truncated": ("show broken.png", "broken.png: "),
    "truncated json": ("convert broken.json x.txt", "broken.json: "),
    "overlay": ("show whole.json --overlay distence", "unknown overlay 'distence'; did you mean 'distance'?"),
    "overlay's setting": (
        "make caves --overlay sight,radus=3",
        "sight: unknown setting 'radus'; did you mean 'radius'?",
    ),
    "overlay's form": ("make caves --overlay distance,3,4", "overlay: write settings as name=value"),
    "overlay's place": ("show whole.json --overlay path,goal=99,0", "path: goal: x=99 y=0 is outside the map of"),
    "overlay's marker": ("show whole.json --overlay path,goal=exit", "goal: unknown marker 'exit'; the map has no"),
    "overlay of text": ("make caves -o x.txt --overlay distance", "txt has no option 'overlay'"),
    "overlay of a picture": ("make caves -o x.png --overlay distence", "overlay: unknown overlay 'distence'; did you"),
    "layer": ("make noise -o x.png --layer hight", "unknown layer 'hight'; did you mean 'height'?"),
    "layer of none": ("make caves -o x.png --layer height", "layer: the map has no layers, got 'height'"),
    "layer and more": (
        "make noise -o x.png --layer height --overlay path",
        "layer: a picture of a layer shows nothing",
    ),
    "layer of the terminal": ("make noise --layer height", "layer: only applies to output files; name one with -o"),
    "index": ("show whole.json --index 1", "has 1 map, no map 1"),
    "where to": ("convert whole.json", "whole.json: name a file to write"),
    "convert's shaper": ("convert whole.json x.png --shape conect", "unknown shaper 'conect'; did you mean 'connect'?"),
    "convert's shaping": (
        "convert whole.json x.png --shape connect,thickness=0",
        "connect: thickness: must be at least",
    ),
    "pictures in one": (
        "make caves --count 2 -o - --format png",
        "several png maps cannot be written to standard output",
    ),
    "measure": (
        "measure whole.json --measures floor_shar",
        "unknown measure 'floor_shar'; did you mean 'floor_share'?",
    ),
    "measure without a sample": (
        "measure whole.json --measures divergence",
        "divergence compares a map with a sample; name one with like",
    ),
    "how to compare": ("measure whole.json --wrap-sample x", "wrap_sample: needs a sample to compare with, in like"),
    "samples": ("measure whole.json --like dungeon,vilage", "like: unknown map 'vilage'; did you mean 'village'?"),
    "sample's file": ("measure whole.json --like nowhere.txt", "nowhere.txt: cannot be read"),
    "sample's size": ("measure whole.json --like bricks --pattern-size 9", "like: bricks of 8x8 cells is smaller"),
    "sample's levels": ("measure whole.json --like keep", "like: the map is flat but the sample has levels"),
    "samples of two kinds": (
        "measure whole.json --like keep,dungeon",
        "like: all samples must have the same number of dimensions",
    ),
    "no recipe inside": ("verify broken.json", "broken.json: "),
}


@pytest.mark.parametrize(("command", "message"), MISTAKES.values(), ids=MISTAKES)
def test_one_line_that_helps(tilewright: Run, command: str, message: str) -> None:
    cave = tw.make("caves", width=20, height=8, seed=7)
    cave.save("whole.json")
    cave.save("broken.png")
    Path("broken.png").write_bytes(Path("broken.png").read_bytes()[:200])
    Path("broken.json").write_bytes(Path("whole.json").read_bytes()[:200])
    Path("key.yaml").write_text("technique: caves\nparms: {width: 9}\n")
    Path("odd.yaml").write_text("technique: caves\nparams: 5\nshaping: [[1]]\n")
    Path("twice.yaml").write_text("technique: caves\nseed: 1\nseed: 2\n")
    Path("sub").mkdir()
    before = sorted(Path().iterdir())
    done = tilewright(*command.split(" "))
    assert done.code == 2
    assert not done.out
    assert done.err.startswith("tilewright: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert sorted(Path().iterdir()) == before


def test_no_file_is_written_if_one_cannot_be_encoded(tilewright: Run) -> None:
    wide = ("--width", "9000", "--height", "1", "--seed", "1")
    done = tilewright("make", "caves", *wide, "-o", "a.json", "-o", "a.txt", "-o", "b.gif", "--scale", "16")
    assert done.code == 2
    assert "a gif must be at most" in done.err
    assert not list(Path().iterdir())
    tw.make("caves", width=9000, height=1, seed=1).save("wide.json")
    tw.make("caves", width=9, height=1, seed=1).save("small.json")
    done = tilewright("convert", "small.json", "wide.json", "-o", "{stem}.txt", "-o", "{stem}.gif", "--scale", "16")
    assert done.code == 2
    assert {path.name for path in Path().iterdir()} == {"wide.json", "small.json"}


def test_map_larger_than_memory(tilewright: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports.available_memory, "get", lambda: lambda: 1 << 30)
    done = tilewright("make", "caves", "--width", "60000", "--height", "60000")
    assert done.code == 2
    assert "a map of 60000x60000 needs about" in done.err


@pytest.mark.parametrize("arguments", [["make", "caves", "--width", "0"], ["show", "nowhere.png"], ["lits"]])
def test_errors_are_the_same_in_a_process(process: Run, arguments: list[str]) -> None:
    done = process(*arguments)
    assert done.code == 2
    assert not done.out
    assert done.err.startswith("tilewright: ")
    assert done.err.count("\n") == 1
