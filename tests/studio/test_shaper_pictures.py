"""The pictures in the list of shapers: each shaper has one, and it shows what the shaper does today."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.tools import ROOT
from tilewright.core.registry import shapers

FOLDER = Path(tw.__file__).parent / "studio" / "thumbnails" / "shapers"


def test_each_shaper_has_a_picture() -> None:
    assert {path.stem for path in FOLDER.glob("*.png")} == shapers.built_in


@pytest.mark.parametrize("name", sorted(shapers.built_in))
def test_pictures_are_current(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    drawn = import_module("generate.shaper_thumbnails").draw_shaper(name).convert("RGBA")
    with Image.open(FOLDER / f"{name}.png") as stored:
        is_same = np.array_equal(np.asarray(stored.convert("RGBA")), np.asarray(drawn))
    assert is_same, f"the picture of {name} is stale; run make refresh"
    half = drawn.width // 2
    before, after = drawn.crop((0, 0, half - 10, drawn.height)), drawn.crop((half + 10, 0, drawn.width, drawn.height))
    assert not np.array_equal(np.asarray(before), np.asarray(after)), f"{name} changes nothing in its picture"
