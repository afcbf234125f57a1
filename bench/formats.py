"""Time to write a map, in milliseconds, after the sprite sheet of its tileset was drawn in the process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import tilewright as tw
from tilewright.formats import encode
from tilewright.formats._outline import trace_loops

from .row import Row, best_times


def rows() -> Iterator[Row]:
    map = tw.make("caves", width=40, height=28, seed=1)
    with TemporaryDirectory() as folder:
        write = partial(map.save, Path(folder) / "map.tmx")
        write()
        (seconds,) = best_times(write, rounds=20)
    yield Row(what="tmx 40x28, second write in a process", unit="ms", ours=1000 * seconds, at_most=3)
    yield from _tabletop_rows()


def _tabletop_rows() -> Iterator[Row]:
    """Yield the times to trace walls, and to write them with doors and provenance, but without the picture."""
    cave = tw.make("caves", width=512, height=512, seed=7)
    clear = ~cave.tileset.blocks_sight[cave.cells]
    trace, write = partial(trace_loops, clear), partial(encode, cave, "uvtt", image=False)
    trace()
    seconds = best_times(trace, write, rounds=10)
    for what, time in zip(("uvtt outlines of a cave 512x512", "uvtt 512x512 without picture"), seconds, strict=True):
        yield Row(what=what, unit="ms", ours=1000 * time, at_most=100)
