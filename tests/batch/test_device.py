"""Requests for a GPU on a machine without one."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw


@pytest.mark.parametrize(
    ("technique", "device", "message"),
    [
        ("fashion", "gpu", "device: there is no NVIDIA driver on this machine"),
        ("caves", "gpu", "device: single maps of caves are made on the CPU"),
        ("fashion", "tpu", "device: must be cpu or gpu, got 'tpu'"),
    ],
)
def test_single_maps(technique: str, device: Any, message: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.make(technique, device=device, width=9, height=9)
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.run(tw.recipe(technique, width=9, height=9), device=device)


@pytest.mark.parametrize(("device", "message"), [("gpu", "there is no NVIDIA driver"), ("tpu", "must be one of auto")])
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
