"""Pictures of the layouts of skins: the masks of a template, and a map drawn with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL.Image import Image

import tilewright as tw
from tilewright.core.skins import LAYOUTS
from tilewright.formats._skin_pictures import draw_preview, draw_template

MAP: dict[str, Any] = {"width": 32, "height": 16, "steps": 2, "seed": 7}


def iter_pictures() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file name of the picture of each layout, and what draws it."""
    for name in LAYOUTS:
        yield f"skin-{name}.png", _saving(name)


def _saving(name: str) -> Callable[[Path], object]:
    return lambda path: draw_layout(name).save(path)


def draw_layout(name: str) -> Image:
    """Return the masks of a layout and a map that is drawn with it."""
    with TemporaryDirectory() as folder:
        sheet = Path(folder) / "sheet.png"
        draw_template(name).save(sheet)
        tileset = tw.add_skin(Path(folder) / "stone.toml", sheet, tile="wall", layout=name, base="cave")
        skin = next(skin for skin in tileset.skins if not skin.is_drawn)
        return draw_preview(tileset, skin, tw.make("caves", tileset=tileset, **MAP)).quantize(64)
