"""Registries and plugins: entries of other packages work like built-in ones, and broken ones are skipped."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import tilewright as tw
from tilewright import Sized, TilewrightError, _wiring, technique
from tilewright.core import registry

PACKAGE = {
    "mine/__init__.py": "",
    "mine/stripes.py": '''
"""Stripes: floor and wall in turn."""
import numpy as np
from tilewright import Sized, technique

@technique(Sized, tileset="cave", tiles=("floor", "wall"), uses_seed=False)
def stripes(p, site, rng):
    return site.map(site.apply_locks(np.indices(site.shape)[1] % 2))
''',
    "mine/bare.py": '''
import numpy as np
import tilewright as tw

class Tile(tw.Params):
    tile: str = tw.param("treasure")
    """The tile that is banned."""

@tw.constraint(params=Tile)
def bare(p, view):
    """Bans a tile from the whole map."""
    yield p.tile, np.ones(view.shape, dtype=bool)
''',
    "mine/broken.py": "raise RuntimeError('out of order')\n",
    "mine-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n",
    "mine-1.0.dist-info/entry_points.txt": """
[tilewright.generators]
stripes = mine.stripes:stripes
broken = mine.broken:broken
[tilewright.formats]
awbw = mine.broken
broken = mine.broken
[tilewright.tilesets]
wrong = mine.stripes:stripes
[tilewright.constraints]
bare = mine.bare:bare
broken = mine.broken:broken
wrong = mine.stripes:stripes
""",
}


@pytest.fixture
def environment_with_plugin(tmp_path: Path) -> dict[str, str]:
    for name, content in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def run(program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


def test_a_plugin_technique_passes_the_conformance_set(environment_with_plugin: dict[str, str]) -> None:
    done = run(
        "import tilewright as tw; from tilewright.testing import check_technique;"
        "check_technique('stripes', seeds=3); print(tw.make('stripes', width=4, height=1))",
        environment_with_plugin,
    )
    assert done.stdout.strip() == ".#.#", done.stderr


def test_a_plugin_constraint_works_like_a_registered_one(
    environment_with_plugin: dict[str, str], tmp_path: Path
) -> None:
    done = run(
        "import warnings; warnings.simplefilter('ignore'); import tilewright as tw\n"
        "free, banned = (tw.make('wfc', seed=7, constraints=names) for names in ([], ['bare']))\n"
        "print(free.where('treasure').any(), banned.where('treasure').any())\n"
        f"banned.save({str(tmp_path / 'banned.json')!r})\n"
        f"print(tw.verify({str(tmp_path / 'banned.json')!r}).outcome)\n"
        "for name in ('broken', 'wrong', 'bear'):\n"
        "    try: tw.make('wfc', constraints=[name])\n"
        "    except tw.TilewrightError as error: print(error)",
        environment_with_plugin,
    )
    made, verified, *errors = done.stdout.splitlines()
    assert made == "True False", done.stderr
    assert verified == "same"
    broken, wrong, unknown = errors
    assert "'broken' of mine cannot be loaded: RuntimeError: out of order" in broken
    assert "constraint 'wrong': its module must define a constraint named 'wrong'" in wrong
    assert "unknown constraint 'bear'; did you mean 'bare'?" in unknown


def test_a_broken_plugin_breaks_nothing_else(environment_with_plugin: dict[str, str]) -> None:
    done = run(
        "import warnings; warnings.simplefilter('ignore'); import tilewright as tw\n"
        "names = [entry.name for entry in tw.list_techniques()]\n"
        "print(names, len(tw.list_tilesets()) >= 4, len(tw.list_formats()) >= 10)\n"
        "tw.formats.encode(tw.make('caves'), 'png')\n"
        "print(tw.formats.format_of('map.awbw').name)\n"
        "try: tw.make('broken')\n"
        "except tw.TilewrightError as error: print(error)",
        environment_with_plugin,
    )
    first, format, _ = done.stdout.splitlines()
    names, _, able = first.partition("] ")
    assert "'caves'" in names
    assert "'stripes'" in names
    assert "'broken'" not in names
    assert able == "True True", done.stderr
    assert format == "awbw", "an entry point of Tilewright itself takes precedence"
    assert "'broken' of mine cannot be loaded: RuntimeError: out of order" in done.stdout


def test_entries_pickle_by_name() -> None:
    for entry in [*tw.list_techniques(), *tw.list_shapers(), *tw.list_measures(), *tw.list_formats()]:
        assert pickle.loads(pickle.dumps(entry)) is entry


def test_a_name_can_be_added_once() -> None:
    @technique(Sized, tileset="cave")
    def caves(p, site, rng):  # type: ignore[no-untyped-def]
        """Not the caves."""

    with pytest.raises(TilewrightError, match="already a technique 'caves'"):
        registry.techniques.add(caves)
    with pytest.raises(TilewrightError, match="already a format 'awbw'"):

        @tw.register
        @tw.file_format()
        def awbw(map, options, path):  # type: ignore[no-untyped-def]
            """Not the format of Advance Wars By Web."""


def test_modules_are_imported_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """pydantic reads docstrings with `ast`, which in some versions of Python is not thread-safe."""
    at_once: list[int] = []
    inside: list[str] = []

    def import_slowly(name: str, package: str) -> ModuleType:
        inside.append(name)
        time.sleep(0.02)
        at_once.append(len(inside))
        inside.remove(name)
        return import_module(name, package)

    monkeypatch.setattr(_wiring, "import_module", import_slowly)
    with ThreadPoolExecutor(4) as threads:
        modules = threads.map(lambda name: _wiring.load("generators", name), ("caves", "maze", "bsp", "rooms"))
    assert all(isinstance(module, ModuleType) for module in modules)
    assert at_once == [1, 1, 1, 1]
