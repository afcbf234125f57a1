"""Snippets: the shell command and the Python code of a recipe make the same map."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.field_values import values_of
from tilewright.cli import main, make, run
from tilewright.cli._produce import ProduceOptions
from tilewright.core.entries import RECIPE_FIELDS, Entry, technique
from tilewright.core.errors import TilewrightError
from tilewright.core.fields import UNSET, fields_of
from tilewright.core.grid import Grid
from tilewright.core.notation import RESERVED_FLAGS
from tilewright.core.params import Sized, param
from tilewright.core.recipe import Recipe
from tilewright.core.registry import shapers, techniques
from tilewright.core.resolver import Resolver
from tilewright.core.seeds import Rng
from tilewright.core.site import Site, Steps
from tilewright.core.tilemap import TileMap
from tilewright.studio.export.snippets import command_line, python_code

SIDE = {"width": 18, "height": 12}
SEEDS = (7, "7", "a seed", "it's", "--help", "-5", "1e5", "089", "on", "null", "é", "two\nlines", "$HOME `x` \\")
GRID = Grid.of([["wall"] * 9 + ["?"] * 9] * 12)
CASES: dict[str, Mapping[str, Any]] = {
    **read_table(__file__, "recipes"),
    "locks as data": {"technique": "caves", "params": SIDE, "locks": GRID.to_data()},
}


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def with_size(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe with a small size, unless it has one."""
    fields = techniques.get(data.get("technique", "rules")).params.model_fields
    params = data.get("params") or {}
    small = {} if "start" in params else {name: side for name, side in SIDE.items() if name in fields}
    return {"seed": 7, **data, "params": {**small, **params}}


def make_map(data: Mapping[str, Any]) -> TileMap:
    return tw.run(Recipe.of(data, Resolver()))


def by_command(data: Mapping[str, Any]) -> TileMap:
    """Return the map that the command line writes, run in this process."""
    run_line(command_line(data, "map.json"))
    return tw.load("map.json")


def run_line(line: str) -> None:
    """Run a shell snippet in this process."""
    if file := re.fullmatch(r"cat > recipe.yaml <<'(END\d*)'\n(.*)\1\n(.*)", line, re.DOTALL):
        Path("recipe.yaml").write_text(file[2])
        line = file[3]
    program, *arguments = shlex.split(line)
    assert program == "tilewright"
    assert main(arguments) == 0, line


def by_python(data: Mapping[str, Any], painted: Grid | None = None) -> TileMap:
    names: dict[str, Any] = {}
    exec(python_code(data, painted), names)
    found = names["m"]
    assert isinstance(found, TileMap)
    return found


@pytest.mark.parametrize("name", CASES)
def test_snippets_make_the_same_map(name: str) -> None:
    data = with_size(CASES[name])
    assert by_command(data) == make_map(data)
    assert by_python(data) == make_map(data)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_seed(seed: int | str) -> None:
    data = with_size({"technique": "caves", "seed": seed})
    assert by_command(data) == make_map(data)
    assert by_python(data) == make_map(data)


def test_snippets_are_short() -> None:
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


def test_long_commands_use_a_recipe_file() -> None:
    data = with_size({"technique": "caves", "locks": [[x, y, "floor"] for x in range(9) for y in range(7)]})
    assert command_line(data).startswith("cat > recipe.yaml <<'END'\n")
    assert command_line(data).endswith("\ntilewright run recipe.yaml -o map.png")
    assert by_command(data) == make_map(data)


def test_the_reserved_flags_are_those_of_the_command_line() -> None:
    """Reserved are all flags of every technique except the options of formats, which a parameter may replace."""
    own = {name: option.name for option in make.OWN_OPTIONS for name in (option.name, *option.opts)}
    formats = {name for entry in tw.list_formats() for name in entry.params.model_fields}
    reserved = {name.lstrip("-") for name, option in own.items() if option not in formats and not name.startswith("-o")}
    assert reserved | {"help"} == RESERVED_FLAGS


@pytest.mark.parametrize("name", ["plain", "requirements", "locks as text"])
def test_a_real_shell_makes_it(name: str, tmp_path: Path) -> None:
    data = with_size({**CASES[name], "seed": "it's \\n $HOME"})
    program = f'tilewright() {{ {shlex.quote(sys.executable)} -m tilewright "$@"; }}\n'
    subprocess.run(
        ["bash", "-e", "-c", program + command_line(data, "map.json")], cwd=tmp_path, check=True, timeout=120
    )
    assert tw.load("map.json") == make_map(data)


@pytest.mark.parametrize("shape", [(7, 11), (2, 3, 4)])
def test_painted_cells_are_set(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    size = {"width": shape[-1], "height": shape[-2]} | ({"depth": shape[0]} if len(shape) == 3 else {})
    cube = Grid.of([[["a", "b"], ["b", "a"]], [["b", "b"], ["a", "a"]]])
    sample = {} if len(shape) == 2 else {"sample": cube.to_data()}
    data = {"technique": "patterns" if sample else "caves", "params": {**size, **sample}, "seed": 7}
    map = make_map(data)
    over = rng.integers(-1, len(map.tileset), shape)
    painted = Grid(map.tileset.names, over)
    expected = map.replace(cells=np.where(over < 0, map.cells, over).astype(map.cells.dtype))
    assert by_python(data, painted) == expected
    assert by_python(data, Grid(map.tileset.names, np.full(shape, -1))) == map


# -- any recipe ---------------------------------------------------------------------------------------------


def read_command(data: Mapping[str, Any]) -> Recipe:
    """Return the recipe that the command line reads, with its seed, without making the map."""
    found: list[Recipe] = []

    def keep(recipe: Recipe, params: ProduceOptions, **options: Any) -> None:
        found.append(recipe.with_seed(recipe.seed if params.seed is None else params.seed))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(make, "produce", keep)
        patched.setattr(run, "produce", keep)
        run_line(command_line(data))
    return found[0]


def read_keywords(technique: str, **words: Any) -> Recipe:
    """Return the recipe of a call of `tw.make`."""
    params = {name: value for name, value in words.items() if name not in RECIPE_FIELDS}
    own = {name: value for name, value in words.items() if name in RECIPE_FIELDS}
    return Recipe.of({"technique": technique, "params": params, **own}, Resolver())


@st.composite
def recipes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw recipes of any technique and shapers with valid params."""

    def params_of(entry: Entry) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field in fields_of(entry.params):
            if field.default is UNSET or draw(st.booleans()):
                changed = {**values, field.name: draw(values_of(field))}
                with contextlib.suppress(TilewrightError):
                    entry.params.validate(changed)
                    values = changed
        return values

    entry = techniques.get(draw(st.sampled_from(techniques.names())))
    stages = [shapers.get(name) for name in draw(st.lists(st.sampled_from(shapers.names()), max_size=2))]
    data: dict[str, Any] = {
        "technique": entry.name,
        "params": params_of(entry),
        "shaping": [{stage.name: params_of(stage)} for stage in stages],
        "seed": draw(st.integers(0, 999) | st.sampled_from(SEEDS)),
    }
    return data if draw(st.booleans()) else {**data, "locks": [[draw(st.integers(0, 8)), 3, "floor"]]}


@settings(max_examples=200)
@given(recipes())
def test_any_recipe(data: dict[str, Any]) -> None:
    """The command line and the Python code read the same recipe."""
    try:
        expected = Recipe.of(data, Resolver())
    except TilewrightError:
        reject()
    assert read_command(data) == expected
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tw, "make", read_keywords)
        patched.setattr(tw, "run", lambda given: Recipe.of(given, Resolver()))
        names: dict[str, Any] = {}
        exec(python_code(data), names)
    assert names["m"] == expected


class Flagged(Sized):
    """Parameters with the names of flags of the command line."""

    scale: int = param(3)
    set: str = param("")
    look: bool | None = param(None)
    format: bool = param(False)
    plain: tuple[str, ...] = param(())


def test_parameters_with_the_names_of_flags() -> None:
    @technique(Flagged, tileset="cave", tiles=("floor", "wall"))
    def flagged(params: Flagged, site: Site, rng: Rng) -> Steps:
        """A technique with such parameters."""
        yield from ()
        return site.map(np.zeros(site.shape, dtype=np.uint8))

    techniques.add(flagged)
    try:
        params = {"scale": 5, "set": "a=b", "look": None, "format": True, "plain": ["x", "y"]}
        data = {"technique": "flagged", "params": params, "seed": 7}
        assert command_line(data) == (
            "tilewright make flagged --scale 5 --set set=a=b --set look=none --set format=true --set plain=x,y "
            "--seed 7 -o map.png"
        )
        assert read_command(data) == Recipe.of(data, Resolver())
    finally:
        techniques.remove("flagged")
