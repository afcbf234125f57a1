"""Ways out: what a person can do with one click when a technique cannot use the sample."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from ....core.seeds import read_seed
from ....core.tilemap import TileMap
from ...example import AXES, Example, resized, shown_of

Way = tuple[str, Example]
"""What it is called, and what is asked then."""
USABLE_SIDE = 8


def ways_out(example: Example, technique: str, message: str) -> list[Way]:
    """What may help, read out of the error line: it names what to try."""
    return [(name, other) for name, other in _ways(example, technique, message) if other != example]


def _ways(example: Example, technique: str, message: str) -> Iterator[Way]:
    knobs = shown_of(technique).knobs
    _, _, advice = message.partition("; try ")
    for name, value in re.findall(r"(\w+)=(\w+)", advice):
        if name in knobs and value.isdecimal():
            yield f"{name.replace('_', ' ')} {value}", example.turning(technique, name, json.loads(value))
        elif name == "wrap_sample" and value in AXES:
            yield "let the sample wrap", replace(example, wrap_sample=value)
        elif name == "wrap" and value in AXES:
            yield "maps that do not wrap", replace(example, wrap=value)
    if re.search(r"\brelax\b", advice) and "relax" in knobs:
        yield "relax", example.turning(technique, "relax", True)
    if message.startswith("gave up") and "cannot" not in message:  # what cannot be, no seed makes
        yield "another seed", replace(example, seed=int(read_seed(None)))
    if "smaller than a pattern" in message or "smaller than a window" in message:
        yield "the usual pattern size", example.usual(technique)
        yield "a larger sample", example.drawing(_at_least(example.drawn, USABLE_SIDE))
    if "less than a pattern" in message:
        larger = max(example.width, USABLE_SIDE), max(example.height, USABLE_SIDE)
        yield "larger maps", replace(example, width=larger[0], height=larger[1])
    if "flat maps" in message and example.drawn.cells.ndim == 3:
        yield "its lowest level", example.drawing(TileMap(example.drawn.cells[0], example.drawn.tileset))
    if "which is what one request may take" in message or "this studio takes" in message:
        usual = Example()
        yield "smaller maps", replace(example, width=usual.width, height=usual.height)
        yield "usual knobs", example.usual(technique)


def _at_least(sample: TileMap, side: int) -> TileMap:
    return resized(sample, max(side, sample.shape[-1]), max(side, sample.shape[-2]))
