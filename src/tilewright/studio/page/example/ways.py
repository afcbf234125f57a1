"""Ways out: what a person can do with one click when a technique cannot use the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....core.errors import ANOTHER_SEED, Problem
from ....core.seeds import read_seed
from ....core.tilemap import TileMap
from ...example import Example, resized, shown_of

Way = tuple[str, Example]
"""What it is called, and what is asked then."""
USABLE_SIDE = 8


def ways_out(example: Example, technique: str, problems: Sequence[Problem]) -> list[Way]:
    """What may help: the fixes that By example can make, and other samples and sizes."""
    ways = [way for one in problems for way in _ways(example, technique, one)]
    return [(name, other) for name, other in dict(ways).items() if other != example]


def _ways(example: Example, technique: str, problem: Problem) -> Iterator[Way]:
    knobs = shown_of(technique).knobs
    for fix in problem.fixes:
        name, value = str(fix.path[-1]), fix.value
        if fix == ANOTHER_SEED:
            yield "another seed", replace(example, seed=int(read_seed(None)))
        elif fix.action == "remove" and name in knobs:
            yield "the usual pattern size", example.usual(technique)
        elif fix.action == "set" and name in ("width", "height"):
            larger = max(example.width, USABLE_SIDE), max(example.height, USABLE_SIDE)
            yield "larger maps", replace(example, width=larger[0], height=larger[1])
        elif fix.action == "set" and name == "wrap_sample":
            yield "let the sample wrap", replace(example, wrap_sample=value)
        elif fix.action == "set" and name == "wrap":
            yield "maps that do not wrap", replace(example, wrap=value)
        elif fix.action == "set" and name in knobs:
            label = name if value is True else f"{name.replace('_', ' ')} {value}"
            yield label, example.turning(technique, name, value)
    if problem.rule == "sample_size":
        yield "a larger sample", example.drawing(_at_least(example.drawn, USABLE_SIDE))
    if problem.rule == "flat_sample" and example.drawn.cells.ndim == 3:
        yield "its lowest level", example.drawing(TileMap(example.drawn.cells[0], example.drawn.tileset))
    if problem.rule == "size":
        usual = Example()
        yield "smaller maps", replace(example, width=usual.width, height=usual.height)
        yield "usual knobs", example.usual(technique)


def _at_least(sample: TileMap, side: int) -> TileMap:
    return resized(sample, max(side, sample.shape[-1]), max(side, sample.shape[-2]))
