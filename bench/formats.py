"""Time to write a map, in milliseconds, after the sprite sheet of its tileset was drawn in the process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import tilewright as tw

from .row import Row, best_times


def rows() -> Iterator[Row]:
    map = tw.make("caves", width=40, height=28, seed=1)
    with TemporaryDirectory() as folder:
        write = partial(map.save, Path(folder) / "map.tmx")
        write()
        (seconds,) = best_times(write, rounds=20)
    yield Row(what="tmx 40x28, second write in a process", unit="ms", ours=1000 * seconds, at_most=3)
