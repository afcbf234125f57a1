"""The lines that make exactly this map: typed into a shell, or written in Python, they do."""

from __future__ import annotations

import json
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tilewright.cli import main, make
from tilewright.core.errors import TilewrightError
from tilewright.core.grid import Grid
from tilewright.core.notation import RESERVED_FLAGS
from tilewright.core.recipe import Recipe
from tilewright.core.registry import Entry, Technique, shapers, techniques
from tilewright.core.resolver import Resolver
from tilewright.core.tilemap import TileMap
from tilewright.studio.snippets import command_line, python_code

SIDE = {"width": 18, "height": 12}
SEEDS = (7, "7", "a seed", "it's", "--help", "-5", "1e5", "089", "on", "null", "é", "two\nlines", "$HOME `x` \\")
CASES: dict[str, Mapping[str, Any]] = {
    "plain": {"technique": "caves", "params": {"walls": 0.4, "wrap": True}},
    "rule book at the top": {"names": ["solid", "empty"], "params": SIDE},
    "flag that is taken": {"technique": "rooms", "params": {"plain": 2.5, "turned": False}},
    "tuple": {"technique": "caves", "params": {"offset": [-4, 2]}},
    "none": {"technique": "drunkard", "params": {"coverage": None}},
    "one word": {"technique": "wfc", "params": {"sample": "dungeon", "border": ["wall"]}},
    "rows": {"technique": "fashion", "params": {"start": ["0?1", "210"], "states": 3, "scores": "random"}},
    "text map": {"technique": "fashion", "params": {"start": "010\n210\n", "states": 3, "scores": "random"}},
    "several samples": {"technique": "markov", "params": {"sample": ["dungeon", "dungeon"]}},
    "drawn sample": {"technique": "wfc", "params": {"sample": ["ab1", "1ab", "b1a"], "wrap_sample": "xy"}},
    "tile that reads as a number": {
        "technique": "wfc",
        "params": {"sample": ["12", "21"], "wrap_sample": "xy"},
        "shaping": [{"replace": {"tile": "1", "by": "2"}}, {"border": {"tile": 0}}],
    },
    "words with commas": {
        "technique": "caves",
        "shaping": [{"place": {"markers": ["a,b", "c=d", "e,f=g"], "rule": "random"}}, {"place": {"markers": ["x"]}}],
    },
    "stages": {"technique": "caves", "shaping": ["border", {"connect": None}, {"flip": {"axis": "vertical"}}]},
    "one stage": {"technique": "caves", "shaping": "keep_largest"},
    "overlay": {
        "technique": "rooms",
        "shaping": [{"overlay": {"where": "rooms", "recipe": {"technique": "caves", "params": {"walls": 0.3}}}}],
    },
    "locks": {"technique": "caves", "locks": [[3, 2, "floor"], [4, 2, "wall"]]},
    "locks as a map": {"technique": "caves", "params": {"width": 4, "height": 2}, "locks": ["#??.", "????"]},
    "locks as text": {"technique": "caves", "params": {"width": 4, "height": 2}, "locks": "#??.\n????\n"},
    "locks as data": {
        "technique": "caves",
        "params": SIDE,
        "locks": Grid.of([["wall"] * 9 + ["?"] * 9] * 12).to_data(),
    },
    "requirements": {
        "technique": "caves",
        "require": {"floor_share": ">0.2", "regions": "least"},
        "tries": 4,
    },
    "an attempt": {"technique": "caves", "require": {"floor_share": ">0.2"}, "tries": 9, "attempt": 3},
    "tiles": {"technique": "caves", "tileset": "terrain", "tiles": {"floor": "grass", "wall": "mountain"}},
    "own tileset": {
        "technique": "caves",
        "tileset": {"name": "mine", "tiles": [{"name": "floor", "glyph": "."}, {"name": "wall", "glyph": "#"}]},
    },
    "rules": {
        "technique": "rules",
        "params": {
            "names": ["solid", {"name": "empty", "maximum": 9999}],
            "mapData": {"initial": "empty", "dig": "solid"},
        },
    },
    "scores": {"technique": "fashion", "params": {"states": 2, "scores": [0.1, 1e-05, 0.5, 1.0]}},
}


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sized(data: Mapping[str, Any]) -> dict[str, Any]:
    """Small, unless something in it sets the size."""
    fields = techniques.get(data.get("technique", "rules")).params.model_fields
    params = data.get("params") or {}
    small = {} if "start" in params else {name: side for name, side in SIDE.items() if name in fields}
    return {"seed": 7, **data, "params": {**small, **params}}


def made(data: Mapping[str, Any]) -> TileMap:
    return tw.run(Recipe.of(data, Resolver()))


def by_command(data: Mapping[str, Any]) -> TileMap:
    """The map that the command line writes, run inside this process."""
    line = command_line(data, "map.json")
    if file := re.fullmatch(r"cat > recipe.yaml <<'(END\d*)'\n(.*)\1\n(.*)", line, re.DOTALL):
        Path("recipe.yaml").write_text(file[2])
        line = file[3]
    program, *arguments = shlex.split(line)
    assert program == "tilewright"
    assert main(arguments) == 0, line
    return tw.load("map.json")


def by_python(data: Mapping[str, Any], painted: Grid | None = None) -> TileMap:
    names: dict[str, Any] = {}
    exec(python_code(data, painted), names)
    found = names["m"]
    assert isinstance(found, TileMap)
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_lines_make_exactly_this_map(name: str) -> None:
    data = sized(CASES[name])
    assert by_command(data) == made(data)
    assert by_python(data) == made(data)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_seed(seed: int | str) -> None:
    data = sized({"technique": "caves", "seed": seed})
    assert by_command(data) == made(data)
    assert by_python(data) == made(data)


def test_a_line_is_as_a_person_would_type_it() -> None:
    data = {
        "technique": "caves",
        "params": {"width": 40, "walls": 0.4},
        "shaping": [{"connect": {"thickness": 2}}],
        "seed": 7,
    }
    assert (
        command_line(data)
        == "tilewright make caves --width 40 --walls 0.4 --shape connect,thickness=2 --seed 7 -o map.png"
    )
    shaping = '[{"connect": {"thickness": 2}}]'
    assert python_code(data) == (
        f'import tilewright as tw\n\nm = tw.make("caves", width=40, walls=0.4, shaping={shaping}, seed=7)'
    )


def test_what_is_long_comes_as_a_file() -> None:
    data = sized({"technique": "caves", "locks": [[x, y, "floor"] for x in range(9) for y in range(7)]})
    assert command_line(data).startswith("cat > recipe.yaml <<'END'\n")
    assert command_line(data).endswith("\ntilewright run recipe.yaml -o map.png")
    assert by_command(data) == made(data)


def test_the_reserved_flags_are_those_of_the_command_line() -> None:
    """All that every technique has, but for the options of formats, whose place a parameter takes."""
    own = {name: option.name for option in make.OWN_OPTIONS for name in (option.name, *option.opts)}
    formats = {name for entry in tw.formats() for name in entry.params.model_fields}
    reserved = {name.lstrip("-") for name, option in own.items() if option not in formats and not name.startswith("-o")}
    assert reserved | {"help"} == RESERVED_FLAGS


@pytest.mark.parametrize("name", ["plain", "requirements", "locks as text"])
def test_a_real_shell_makes_it(name: str, tmp_path: Path) -> None:
    data = sized({**CASES[name], "seed": "it's \\n $HOME"})
    program = f'tilewright() {{ {shlex.quote(sys.executable)} -m tilewright "$@"; }}\n'
    subprocess.run(
        ["bash", "-e", "-c", program + command_line(data, "map.json")], cwd=tmp_path, check=True, timeout=120
    )
    assert tw.load("map.json") == made(data)


@pytest.mark.parametrize("shape", [(7, 11), (2, 3, 4)])
def test_painted_cells_are_put_there(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    size = {"width": shape[-1], "height": shape[-2]} | ({"depth": shape[0]} if len(shape) == 3 else {})
    cube = Grid.of([[["a", "b"], ["b", "a"]], [["b", "b"], ["a", "a"]]])
    sample = {} if len(shape) == 2 else {"sample": cube.to_data()}
    data = {"technique": "patterns" if sample else "caves", "params": {**size, **sample}, "seed": 7}
    map = made(data)
    over = rng.integers(-1, len(map.tileset), shape)
    painted = Grid(map.tileset.names, over)
    expected = map.replaced(cells=np.where(over < 0, map.cells, over).astype(map.cells.dtype))
    assert by_python(data, painted) == expected
    assert by_python(data, Grid(map.tileset.names, np.full(shape, -1))) == map


# -- any recipe ---------------------------------------------------------------------------------------------


def values_for(schema: Mapping[str, Any], inner: Mapping[str, Any], dice: random.Random) -> Any:
    """Some value that a schema allows, roughly."""
    if "$ref" in schema:
        schema = inner[schema["$ref"].rpartition("/")[2]]
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return values_for({**schema, "anyOf": None, "oneOf": None, **dice.choice(branches)}, inner, dice)
    if "const" in schema or "enum" in schema:
        return dice.choice(schema.get("enum") or [schema["const"]])
    kind = schema.get("type")
    low, high = schema.get("typical") or (schema.get("minimum", 0), min(schema.get("maximum", 9), 9))
    if kind == "integer":
        return dice.randint(int(low), max(int(low), min(int(high), 40)))
    if kind == "number":
        return dice.choice([low, high, round(dice.uniform(low, high), 3), dice.uniform(low, high)])
    if kind == "boolean":
        return dice.random() < 0.5
    if kind == "string":
        return dice.choice(["floor", "wall", "grass", "start", "left to right", "#", "1"])
    if kind == "array":
        slots = schema.get("prefixItems")
        length = len(slots) if slots else dice.randint(schema.get("minItems", 0), 4)
        return [values_for(slots[at] if slots else schema["items"], inner, dice) for at in range(length)]
    return None


def some_params(entry: Entry, dice: random.Random) -> dict[str, Any]:
    schema = entry.params.model_json_schema()
    inner, fields = schema.get("$defs", {}), schema.get("properties", {})
    required = schema.get("required", ())
    chosen = [name for name in fields if name in required or dice.random() < 0.3]
    found = {name: values_for(fields[name], inner, dice) for name in chosen}
    small = {name: dice.randint(9, 24) for name in ("width", "height") if name in fields}
    return {**found, **(small if isinstance(entry, Technique) else {})}


def some_recipe(number: int) -> dict[str, Any]:
    dice = random.Random(number)
    entry = techniques.get(dice.choice(techniques.names()))
    params = some_params(entry, dice)
    for expensive in ("depth", "iterations", "population", "islands"):
        params.pop(expensive, None)
    data: dict[str, Any] = {"technique": entry.name, "params": params}
    if dice.random() < 0.7:
        kinds = [shapers.get(dice.choice(shapers.names())) for _ in range(dice.randint(1, 2))]
        data["shaping"] = [{kind.name: some_params(kind, dice)} for kind in kinds]
    if dice.random() < 0.3:
        data["locks"] = [[dice.randint(0, 8), dice.randint(0, 8), "floor"]]
    return {**data, "seed": dice.choice([dice.randint(0, 999), "text"])}


def possible(numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    """Of the recipes by these numbers, those that make a map."""
    for number in numbers:
        data = json.loads(json.dumps(some_recipe(number)))
        try:
            made(data)
        except TilewrightError:
            continue
        yield data


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_any_recipe(number: int) -> None:
    data = next(possible(iter(range(number, number + 200))))
    expected = made(data)
    assert by_command(data) == expected
    assert by_python(data) == expected
