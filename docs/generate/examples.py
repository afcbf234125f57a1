"""Pictures made by the pages' own Python examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL.Image import Image, Resampling, fromarray

import tilewright as tw

from .sheets import arrange_pictures

EXAMPLE = re.compile(r"^```python(?: picture=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TILESET = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def iter_pictures(pages: Iterable[Path]) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file name of each picture, and what draws it: `m` after a block whose fence has picture=NAME."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        blocks = EXAMPLE.findall(text)
        session = Session(page, [content for _, content in blocks], TILESET.findall(text))
        for number, (name, _) in enumerate(blocks):
            if name:
                yield name, _saving(session, number)


def _saving(session: Session, number: int) -> Callable[[Path], object]:
    """Return a function that runs a block of a page and saves what it makes at a path."""
    return lambda path: draw_result(session.run_until(number)).save(path)


class Session:
    """The Python blocks of a page, run once and in order, in a folder with the page's tileset."""

    def __init__(self, page: Path, blocks: list[str], tilesets: list[str]) -> None:
        self.page, self.blocks, self.done = page, blocks, 0
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.folder = TemporaryDirectory()
        if tilesets:
            Path(self.folder.name, "meadow.toml").write_text(tilesets[0])

    def run_until(self, number: int) -> Any:
        """Return `m` after a block."""
        while self.done <= number:
            with chdir(self.folder.name):
                exec(compile(self.blocks[self.done], str(self.page), "exec"), self.names)  # noqa: S102 - our own pages
            self.done += 1
        return self.names["m"]


def draw_result(made: tw.TileMap | tw.Frame | Image | list[tw.TileMap | tw.Frame | Image]) -> Image:
    """Return maps, frames (with their notes) or pictures side by side, in rows that fit a page."""
    pictures = []
    for one in made if isinstance(made, list) else [made]:
        if isinstance(one, Image):
            pictures.append((one, ""))
            continue
        scale = 7 if isinstance(made, list) else 8
        note = "" if isinstance(one, tw.TileMap) else one.note
        if isinstance(one, tw.Frame) and one.colors is not None:
            height, width, _ = one.colors.shape
            pictures.append((fromarray(one.colors).resize((width * scale, height * scale), Resampling.NEAREST), note))
            continue
        map = one if isinstance(one, tw.TileMap) else tw.TileMap(one.cells, one.tileset)
        pictures.append((map.image(scale=scale), note))
    return arrange_pictures(pictures, columns=min(len(pictures), 4 if len(pictures) > 3 else 3))
