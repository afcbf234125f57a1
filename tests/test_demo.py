"""`make demo` draws two maps in the terminal and writes the picture of nine recipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from runpy import run_path

from PIL import Image

import tilewright as tw

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"
COMPILED = """
import json, sys
from runpy import run_path
from tilewright import kernels
demo = run_path(sys.argv[1])
demo["draw_sheet"](demo["make_best_maps"]())
print(json.dumps([entry.name for entry in kernels.list_entries() if entry.is_compiled]))
"""
"""Prints the names of the kernels that the maps of the demo need."""


def test_the_demo_draws_maps_and_writes_a_picture(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(DEMO)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    demo = run_path(str(DEMO))
    name, seed = next(iter(demo["BEST"].items()))
    assert str(tw.make("caves", width=64, height=40, seed=7)) in done.stdout
    assert str(tw.run(name, seed=seed)) in done.stdout
    assert "maps by 9 recipes" in done.stdout
    with Image.open(tmp_path / "out" / "gallery.png") as sheet:
        assert sheet.width > 1000
        assert len(sheet.getcolors(1 << 20) or []) > 1000


def test_the_demo_compiles_the_kernels_that_its_maps_need() -> None:
    done = subprocess.run([sys.executable, "-c", COMPILED, str(DEMO)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == run_path(str(DEMO))["KERNELS"]
