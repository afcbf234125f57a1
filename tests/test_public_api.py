"""The public interface: names, types for editors, registered measures and formats, and errors in one line."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright import formats
from tilewright.play.games.dungeon import DungeonRules

ROOT = Path(__file__).parents[1]
EXPORTED = {"Verdict", "Technique", "Shaper", "Measure", "Format", "Survey", "Problem", "Fix"}
EXPORTED |= {"register", "file_format", "engine", "analysis"}
ALL: list[str] = vars(tw)["__all__"]
CAVE = tw.make("caves", width=12, height=9, seed=3)


# -- names --------------------------------------------------------------------------------------------------------


def test_all_public_names_exist() -> None:
    assert EXPORTED <= set(dir(tw)) == set(ALL)
    for name in ALL:
        assert getattr(tw, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'mke'"):
        tw.mke  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", ["techniques", "shapers", "measures", "formats", "tilesets"])
def test_listing(name: str) -> None:
    listed = getattr(tw, f"list_{name}")()
    assert [entry.name for entry in listed] == sorted(entry.name for entry in listed)


def test_the_index_of_the_analysis() -> None:
    names = {"distances", "path", "field_of_view", "regions", "chokepoints", "rooms_graph", "Survey"}
    assert names <= set(dir(tw.analysis)) == set(tw.analysis.__all__)
    assert all(callable(getattr(tw.analysis, name)) for name in tw.analysis.__all__)
    assert tw.analysis.regions(CAVE).count == tw.measure(CAVE, "regions")["regions"]
    assert tw.analysis.chokepoints(CAVE).shape == CAVE.shape


def test_the_index_does_not_depend_on_the_order_of_imports() -> None:
    """Some modules have the names of the functions in them; both can be imported, in any order."""
    program = (
        "from tilewright.analysis.chokepoints import Cuts\n"
        "import tilewright.analysis.regions\n"
        "import tilewright as tw\n"
        "assert callable(tw.analysis.chokepoints) and callable(tw.analysis.regions)\n"
        "from tilewright.analysis.doorways import doorways\n"
        "assert tw.analysis.doorways is doorways\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# -- types --------------------------------------------------------------------------------------------------------


def test_the_stub_is_current() -> None:
    done = subprocess.run([sys.executable, "tools/write_stub.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


GOOD = """
import tilewright as tw
from typing import Any

m: tw.TileMap = tw.make("caves", walls=0.4, steps=3, seed="x", shaping=["connect"])
n: tw.TileMap = tw.shape(m, "connect", thickness=2)
frames = [frame.note for frame in tw.watch("caves", walls=0.4)]
r: tw.Recipe = tw.recipe("islets", width=30)
name, params = str(m), dict[str, Any]()
tw.make(name, seed=1, **params)
found: int = tw.analysis.regions(m).count

@tw.register
@tw.analysis.measure(unit="cells")
def walls(survey: tw.Survey) -> float:
    return 1.0
"""
BAD = """
import tilewright as tw
tw.make("caves", wals=0.4)
tw.make("caves", walls="many")
tw.make("maze", method="brim")
tw.shape(tw.make("caves"), "connect", thicknes=2)
"""


def test_type_checkers_know_the_parameters(tmp_path: Path) -> None:
    for name, source in (("good.py", GOOD), ("bad.py", BAD)):
        (tmp_path / name).write_text(source)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache")]
    done = subprocess.run(
        [*command, tmp_path / "good.py", tmp_path / "bad.py"], cwd=ROOT, capture_output=True, text=True
    )
    wrong = {line.partition(": error")[0] for line in done.stdout.splitlines() if ": error" in line}
    assert {Path(one).name for one in wrong} == {f"bad.py:{number}" for number in (3, 4, 5, 6)}, done.stdout


# -- registered measures and formats -------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_registry")
def test_a_registered_measure() -> None:
    for unit in ("cells", "walls"):  # twice, like a cell in a notebook

        @tw.register
        @tw.analysis.measure(unit=unit)
        def wall_cells(survey: tw.Survey) -> float:
            """Number of wall cells."""
            return int(survey.map.where("wall").sum())

    assert wall_cells.unit == "walls"
    assert wall_cells in tw.list_measures()
    assert tw.measure(CAVE, "wall_cells") == {"wall_cells": float(CAVE.where("wall").sum())}
    assert "wall_cells" in tw.measure(CAVE)
    made = tw.make("caves", width=12, height=9, seed=3, require={"wall_cells": ">= 1"})
    assert np.array_equal(made.cells, CAVE.cells)
    with refused("already a measure 'cells'"):

        @tw.register
        @tw.analysis.measure()
        def cells(survey: tw.Survey) -> float:
            return 0.0


@pytest.mark.usefixtures("own_registry")
def test_a_registered_format(tmp_path: Path) -> None:
    class RowsParams(tw.Params):
        gap: str = tw.param(" ")
        """Separator of the tiles in a row."""

    def read(source: formats.Source, options: RowsParams) -> tw.TileMap:
        rows = [[int(tile) for tile in line.split(options.gap)] for line in source.content.decode().splitlines()]
        return tw.TileMap(rows, CAVE.tileset)

    @tw.register
    @tw.file_format(RowsParams, read=read)
    def rows(map: tw.TileMap, options: RowsParams, path: Path) -> str:
        """Tile ids, a line per row."""
        return "\n".join(options.gap.join(str(tile) for tile in row) for row in map.cells.tolist())

    assert rows in tw.list_formats()
    CAVE.save(tmp_path / "cave.rows")
    assert np.array_equal(tw.load(tmp_path / "cave.rows").cells, CAVE.cells)
    CAVE.save(tmp_path / "cave.dat", format="rows", gap=",")
    assert np.array_equal(tw.load(tmp_path / "cave.dat", format="rows", gap=",").cells, CAVE.cells)
    with pytest.raises(tw.TilewrightError, match=r"\.png is already an extension of png"):
        tw.register(tw.file_format(extensions=[".png"])(lambda map, options, path: b""))
    with pytest.raises(tw.TilewrightError, match="extensions"):
        tw.file_format(extensions=[".a", "b"])


# -- wrong types --------------------------------------------------------------------------------------------------

BASE: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "cite": (("caves",), {}),
    "make": (("caves",), {"seed": 1, "width": 6, "height": 5}),
    "watch": (("caves",), {"seed": 1}),
    "recipe": (("caves",), {}),
    "run": (({"technique": "caves", "params": {"width": 6, "height": 5}},), {"seed": 1}),
    "seek": (({"technique": "caves", "params": {"width": 6}},), {"seeds": "0..3", "require": {"regions": ">0"}}),
    "shape": ((CAVE, "border"), {"seed": 1}),
    "watch_shaping": ((CAVE, "border"), {"seed": 1}),
    "improve": ((CAVE, {"floor_share": ">0"}), {"seed": 1}),
    "measure": ((CAVE, "cells"), {}),
    "make_many": (("caves", range(2)), {"width": 6, "height": 5, "measures": ["regions"]}),
    "measure_many": (([CAVE], "cells"), {}),
    "overlay": ((CAVE, "regions"), {}),
    "solve": ((CAVE, "dungeon"), {}),
    "load": (("no-such-file.png",), {}),
    "load_model": (("no-such-file.json",), {}),
    "load_network": (("no-such-file.npz",), {}),
    "verify": (("no-such-file.png",), {}),
    "find_edits": (("no-such-file.png",), {}),
    "add_skin": (("mine.toml", ROOT / "docs" / "pictures" / "skin-blob47.png"), {"tile": "wall", "tile_size": 16}),
    "export_project": (({"technique": "caves", "params": {"width": 6}}, "game"), {"engine": "tiled", "seed": 1}),
    "learn": (("markov", ["#.", ".#"]), {}),
    "compare": (("no-such-file.png",), {"techniques": ["markov"], "count": 1, "smallest_input": False}),
    "technique": ((tw.Sized,), {"tileset": "cave"}),
    "shaper": ((tw.Params,), {}),
    "transform": ((tw.Params,), {}),
    "constraint": ((), {"params": tw.Params}),
    "benchmark": ((tw.Params,), {}),
    "distance": ((len,), {"params": tw.Params}),
    "game": ((DungeonRules,), {"params": tw.Params, "roles": ("player",)}),
    "register": ((tw.distance(lambda survey, params: 1)(min),), {}),
    "file_format": ((), {"extensions": [".x"]}),
    "engine": ((tw.Params,), {"program": "Plain text", "format": "txt"}),
}
"""Valid arguments of functions. All others have no arguments, or declare parameters."""
WRONG: list[Any] = [None, 5, -1.5, True, b"caves", [], ["cells"], [[1]], {}, {"a": 1}, {1: 2}, object(), CAVE, len]


def public_functions() -> list[str]:
    names = [name for name in ALL if inspect.isfunction(getattr(tw, name))]
    return [name for name in names if inspect.signature(getattr(tw, name)).parameters and name != "param"]


def iter_wrong_calls(name: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield arguments of a function, each in turn replaced by values of wrong types, and unknown keywords."""
    arguments, keywords = BASE[name]
    known = inspect.signature(getattr(tw, name)).parameters.values()
    names = [one.name for one in known if one.kind is one.KEYWORD_ONLY]
    takes_more = any(one.kind is one.VAR_KEYWORD for one in known)
    for wrong in WRONG:
        for place in range(len(arguments)):
            yield (*arguments[:place], wrong, *arguments[place + 1 :]), keywords
        names = [one for one in names if one != "on_progress" or not callable(wrong)]  # It may raise its own errors.
        for keyword in (*names, *(("walls", "tileset", "locks", "shaping", "nonsense") if takes_more else ())):
            yield arguments, {**keywords, keyword: wrong}


@pytest.mark.parametrize("name", public_functions())
def test_wrong_types_are_refused_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    function: Callable[..., Any] = getattr(tw, name)
    refused: list[tw.TilewrightError] = []
    for arguments, keywords in iter_wrong_calls(name):
        try:
            result = function(*arguments, **keywords)
            if name.startswith("watch"):
                next(result)
        except tw.TilewrightError as error:
            refused.append(error)
        except Exception as error:
            pytest.fail(f"{name}(*{arguments!r}, **{keywords!r}): {type(error).__name__}: {error}")
    assert refused
    assert all(error.problems and "\n" not in str(error) for error in refused)


def test_names_of_measures_are_strings() -> None:
    with pytest.raises(tw.TilewrightError, match=r"must be the name of a measure, a string, got \['cells'\]"):
        tw.measure(CAVE, ["cells"])  # type: ignore[arg-type]


def test_decorators_accept_only_functions() -> None:
    distance = tw.distance(lambda survey, params: None)
    decorators: list[Any] = [tw.analysis.measure(), distance, tw.file_format()]
    for decorator in decorators:
        with pytest.raises(tw.TilewrightError, match="function"):
            decorator(5)


def _positional_parameters(name: str) -> list[inspect.Parameter]:
    parameters = inspect.signature(getattr(tw, name)).parameters.values()
    return [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]


def test_missing_arguments_are_type_errors() -> None:
    for name in public_functions():
        if any(one.default is one.empty for one in _positional_parameters(name)):
            with pytest.raises(TypeError, match="missing"):
                getattr(tw, name)()
