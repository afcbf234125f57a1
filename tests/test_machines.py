"""Maps do not depend on the machine: no library whose results differ between processors decides anything.

The functions of the C library, BLAS, LAPACK and SciPy may differ in the last bit between processors, systems and
versions. The goldens hold on each machine only because nothing compares such numbers.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw

SOURCE = Path(tw.__file__).parent
INEXACT = {
    *("hypot", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arcsin", "arccos", "arctan", "arctan2", "atan2", "dist"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "power", "float_power", "cbrt", "logaddexp"),
    *("linalg", "einsum", "tensordot", "vdot", "float16", "float32", "single", "half"),
}
ALLOWED = {
    ("corpus/dataset.py", "float32"): "arrays for neural networks",
    ("generators/_fashion/behaviour.py", "log"): "size of blocks of work",
    ("analysis/map_group.py", "log2"): "entropy, exact for powers of two, where limits are usual",
    ("core/fields.py", "log10"): "step of a slider",
    ("pictures/charts.py", "log"): "position on an axis",
    ("pictures/charts.py", "log10"): "labels of an axis",
    ("neural/gan.py", "float32"): "networks that are compared only",
    ("neural/learning.py", "float32"): "weights of trained networks, before they become integers",
    ("neural/training.py", "float32"): "training",
    ("search/axes.py", "exp"): "edges of bins, rounded to nine digits",
    ("search/axes.py", "log"): "edges of bins, rounded to nine digits",
    ("search/axes.py", "log10"): "number of digits",
    ("search/genome.py", "log10"): "number of digits",
    ("seed_search/pictures.py", "log1p"): "height of a bar",
    ("seed_search/result.py", "log10"): "number of digits",
    ("studio/jobs.py", "log"): "order of waiting jobs",
    ("studio/controls/numbers.py", "log"): "position of a slider",
    ("studio/example/card.py", "log10"): "height of a curve",
    ("studio/good_maps/found_seeds.py", "log1p"): "height of a bar",
    ("studio/gallery/variations.py", "log10"): "digits of a label",
}
"""Files and names that decide nothing in a map, and what they are for."""


def find_inexact(source: str) -> set[str]:
    """Return the names of inexact functions and types of numpy and math that a module uses, and of scipy."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "math"):
            found |= {node.attr} & INEXACT
        elif isinstance(node, ast.ImportFrom) and node.module in ("math", "numpy"):
            found |= {alias.name for alias in node.names} & INEXACT
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module.partition(".")[0]} & {"scipy"}
        elif isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names} & {"scipy"}
    return found


def test_nothing_inexact_is_used() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), name)
        for path in SOURCE.rglob("*.py")
        for name in find_inexact(path.read_text())
    }
    assert found == {*ALLOWED}


@pytest.mark.parametrize(
    "source",
    ["np.hypot(a, b)", "from math import log", "x.astype(np.float32)", "import scipy.spatial", "from scipy import fft"],
)
def test_inexact_functions_are_found(source: str) -> None:
    assert find_inexact(source)


WITHOUT_SCIPY = """
import importlib, pkgutil, sys
from importlib.abc import MetaPathFinder

class Blocker(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocker())
import tilewright as tw
packages = "core kernels autotile analysis overlays dungeon shaping generators formats cli"
for package in packages.split():
    whole = importlib.import_module(f"tilewright.{package}")
    for module in pkgutil.walk_packages(whole.__path__, f"{whole.__name__}."):
        importlib.import_module(module.name)
for technique in tw.list_techniques():
    map = tw.make(technique.name, seed=3)
    tw.measure(map, like=map if map.cells.ndim == 2 else None)
tw.measure(tw.make("caves", width=200, height=200, seed=3), like=tw.make("caves", width=90, height=90, seed=4))
tw.make("rooms", seed=5, shaping=["connect", "keep_largest", {"lock_and_key": {"min_count": 0}}])
assert not [name for name in sys.modules if name.partition(".")[0] == "scipy"]
print("done")
"""


def test_every_technique_and_measure_works_without_scipy() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_SCIPY], capture_output=True, text=True, env=dict(os.environ))
    assert done.stdout == "done\n", done.stderr[-2000:]


def test_undecided_cells_of_wfc_are_weighed_with_integers() -> None:
    """The sums that choose a tile are integers that a float64 holds exactly, whatever the order of the sum."""
    from tilewright.generators._wfc.pattern_set import MAX_WEIGHT

    assert 255 * MAX_WEIGHT < 2**53
    weights = np.random.default_rng(1).integers(1, 1 << 12, 256)
    shuffled = np.random.default_rng(2).permutation(weights)
    assert np.ones(256) @ weights.astype(np.float64) == np.ones(256) @ shuffled.astype(np.float64) == weights.sum()
