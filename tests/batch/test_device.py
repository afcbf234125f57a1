"""Requests for a GPU on a machine without one."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.kernels.gpu import find_problem

ROOT = Path(__file__).parents[2]


def test_single_maps() -> None:
    with pytest.raises(tw.InvalidRecipe, match="there is no NVIDIA driver on this machine") as caught:
        tw.make("fashion", device="gpu", width=9, height=9)
    assert [fix.value for fix in caught.value.problems[0].fixes] == ["cpu"]


def test_recipes_do_not_store_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.generators.fashion.find_problem", lambda: "")
    recipe = tw.recipe("fashion", device="gpu", width=9, height=9)
    assert "device" not in recipe.to_data()["params"]
    assert tw.Recipe.of(recipe.to_data()) == tw.recipe("fashion", width=9, height=9)


@pytest.mark.parametrize(
    ("device", "message"), [("gpu", "there is no NVIDIA driver"), ("tpu", "must be 'auto', 'cpu' or 'gpu'")]
)
def test_corpora(device: str, message: str, tmp_path: Any) -> None:
    recipe = tw.recipe("caves", width=9, height=9)
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.corpus.make(recipe, tmp_path / "corpus", count=3, device=device, workers=0)
    assert not list(tmp_path.iterdir())


def test_corpora_do_not_depend_on_kernels(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.corpus import parts

    recipe = tw.recipe("caves", width=30, height=20, shaping=["keep_largest"])
    request: dict[str, Any] = {"count": 50, "seed": "7", "measures": ["regions", "path_length"], "workers": 0}
    tw.corpus.make(recipe, tmp_path / "kernels", **request)
    monkeypatch.setattr(parts, "open_part_maker", lambda manifest, device: None)
    tw.corpus.make(recipe, tmp_path / "single", **request)
    names = sorted(path.relative_to(tmp_path / "kernels") for path in (tmp_path / "kernels").rglob("*.parquet"))
    assert names
    for name in names:
        assert (tmp_path / "kernels" / name).read_bytes() == (tmp_path / "single" / name).read_bytes()


@pytest.mark.parametrize("version", ["2.5.0", "2.6.1"])
def test_a_numpy_with_which_numba_cuda_cannot_be_imported_is_named(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(np, "__version__", version)
    assert find_problem.__wrapped__().startswith(f"numba-cuda needs numpy before 2.5, and {version} is installed")


@pytest.mark.parametrize("extra", ["gpu", "dev"])
def test_extras_with_numba_cuda_exclude_such_a_numpy(extra: str) -> None:
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][extra]
    assert any(one.startswith("numba-cuda") for one in requirements)
    assert "numpy<2.5" in requirements
    pinned = re.search(r"^numpy==(.*)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert pinned
    assert np.lib.NumpyVersion(pinned[1]) < "2.5.0"


def test_small_launches_do_not_warn() -> None:
    """numba-cuda warns of every launch with less than 128 blocks, unless it is configured not to.

    numba reads its configuration again when a test changes the environment, so another process is asked.
    """
    code = (
        "from tilewright.kernels.gpu import device_code; from numba.cuda.core import config; "
        "print(len(device_code.INSTRUCTIONS) > 0, config.CUDA_LOW_OCCUPANCY_WARNINGS)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "0"], done.stderr
