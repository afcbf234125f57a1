"""Pictures of the repository, compared by what they show with what the code draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageSequence

Shown = tuple[tuple[int, int], object, bytes]
"""Size, duration and pixels of a frame."""


def refresh_picture(path: Path, draw: Callable[[Path], object], *, write: bool) -> bool:
    """Return whether a picture is missing or stale, and write it if asked to."""
    with TemporaryDirectory() as folder:
        drawing = Path(folder) / path.name
        draw(drawing)
        if path.exists() and same_pixels(path, drawing):
            return False
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(drawing.read_bytes())
        return True


def same_pixels(first: Path, second: Path) -> bool:
    """Return whether two pictures or animations show the same.

    Other content of the files, such as a provenance with the version that drew them, does not count.
    """
    return all(one == other for one, other in zip_longest(_read_frames(first), _read_frames(second)))


def _read_frames(path: Path) -> Iterator[Shown]:
    with Image.open(path) as picture:
        for frame in ImageSequence.Iterator(picture):
            yield frame.size, frame.info.get("duration"), frame.convert("RGBA").tobytes()
