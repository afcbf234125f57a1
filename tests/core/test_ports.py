"""Ports: core can use files, measures and techniques in any process, in any order of imports."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright import _wiring, formats
from tilewright._machine import available_memory
from tilewright.analysis.similarity import find_similarity
from tilewright.analysis.survey import measure_map
from tilewright.core import pipeline, ports
from tilewright.core.ports import Port
from tilewright.formats import format_registry
from tilewright.play import overlays
from tilewright.play.game import find_game

MODULES = ("core.tilemap", "core.registry", "core.pipeline", "core.params", "kernels.random", "analysis.measures")
WORK = """
import pickle, sys
from importlib import import_module
content, *modules = sys.stdin.buffer.read(), *sys.argv[1:]
for first in modules:
    for name in [name for name in sys.modules if name.partition(".")[0] == "tilewright"]:
        del sys.modules[name]
    import_module(f"tilewright.{first}")
    recipe, folder = pickle.loads(content)
    from tilewright.core import pipeline
    made = pipeline.run(recipe)
    made.save(folder / f"{first}.png")
    assert made.image(scale=2).size == (2 * made.width, 2 * made.height)
    print(made)
"""
"""Program that imports the package again for each module, and uses its ports."""


def test_ports_have_their_implementations() -> None:
    """mypy checks that the implementations have the types of the ports, which import them by name."""
    files: ports.Files = formats
    measure: ports.MeasureMap = measure_map
    similarity: ports.FindSimilarity = find_similarity
    game: ports.FindGame = find_game
    built_in: ports.BuiltIn = _wiring
    assert ports.files.get() is files
    assert ports.measure_map.get() is measure
    assert ports.find_similarity.get() is similarity
    assert ports.find_game.get() is game
    assert ports.built_in.get() is built_in
    assert ports.more_overlays.get() is overlays
    assert ports.available_memory.get() is available_memory


def test_a_new_process_has_all_ports_from_any_module(tmp_path: Path) -> None:
    """The recipe uses measures (require) and shapers; the map is drawn and written."""
    recipe = tw.recipe("caves", width=20, height=12, seed=3, require={"regions": ">= 1"}, shaping=["border"])
    command = [sys.executable, "-c", WORK, *MODULES]
    done = subprocess.run(command, input=pickle.dumps((recipe, tmp_path)), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == f"{tw.run(recipe)}\n" * len(MODULES)
    assert [tw.verify(tmp_path / f"{module}.png").outcome for module in MODULES] == ["same"] * len(MODULES)


def test_a_new_dask_worker_has_all_ports(tmp_path: Path) -> None:
    """A worker makes a map, compares it with its sample and writes it."""
    distributed = pytest.importorskip("distributed")
    sample = ["##..##", "#....#", "..##..", "#....#"]
    recipe = tw.recipe(
        "wfc", sample=sample, pattern_size=2, width=12, height=9, seed=5, require={"divergence": "<= 99"}, tries=2
    )
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        made = client.submit(pipeline.run, recipe).result()
        client.submit(tw.TileMap.save, made, tmp_path / "map.npz").result()
        entry = client.submit(pickle.dumps, format_registry.get("npz")).result()
    assert np.array_equal(made.cells, tw.run(recipe).cells)
    assert tw.load(tmp_path / "map.npz") == made
    assert pickle.loads(entry) is format_registry.get("npz")


def test_an_implementation_is_imported_once_at_first_use() -> None:
    calls = []

    def load() -> str:
        calls.append("loaded")
        return "implementation"

    port: Port[str] = Port()
    port.register(load)
    assert not calls
    assert (port.get(), port.get()) == ("implementation", "implementation")
    assert calls == ["loaded"]
    port.register(lambda: "another")
    assert port.get() == "another"


IMPORTS = """
import sys, tilewright as tw
heavy = {"numba", "scipy", "PIL", "dask", "distributed", "nicegui", "fastapi", "click", "rich"}
light = {"numpy", "pydantic", "yaml"}
dir(tw.analysis)
assert not (heavy | light) & set(sys.modules), "import"
[entry.summary for entry in (*tw.list_techniques(), *tw.list_shapers())]
tw.list_measures()
assert not heavy & set(sys.modules), "lists"
"""


def test_importing_the_package_and_listing_entries_load_nothing_slow() -> None:
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)
    assert ports.files.get().is_format("png")
