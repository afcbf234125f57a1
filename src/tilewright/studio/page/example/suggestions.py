"""Ways out: what a person can do with one click when a technique cannot use the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....core.errors import ANOTHER_SEED, Problem
from ....core.seeds import read_seed
from ....core.tilemap import TileMap
from ...sample_state import SampleState, find_by_example, resize_sample

Suggestion = tuple[str, SampleState]
"""What it is called, and what is asked then."""
MIN_USABLE_SIDE = 8


def list_suggestions(example: SampleState, technique: str, problems: Sequence[Problem]) -> list[Suggestion]:
    """What may help: the fixes that By example can make, and other samples and sizes."""
    ways = [way for one in problems for way in _suggest(example, technique, one)]
    return [(name, other) for name, other in dict(ways).items() if other != example]


def _suggest(example: SampleState, technique: str, problem: Problem) -> Iterator[Suggestion]:
    knobs = find_by_example(technique).knobs
    for fix in problem.fixes:
        name, value = str(fix.path[-1]), fix.value
        if fix == ANOTHER_SEED:
            yield "another seed", replace(example, seed=int(read_seed(None)))
        elif fix.action == "remove" and name in knobs:
            yield "the usual pattern size", example.with_default_knobs(technique)
        elif fix.action == "set" and name in ("width", "height"):
            larger = max(example.width, MIN_USABLE_SIDE), max(example.height, MIN_USABLE_SIDE)
            yield "larger maps", replace(example, width=larger[0], height=larger[1])
        elif fix.action == "set" and name == "wrap_sample":
            yield "let the sample wrap", replace(example, wrap_sample=value)
        elif fix.action == "set" and name == "wrap":
            yield "maps that do not wrap", replace(example, wrap=value)
        elif fix.action == "set" and name in knobs:
            label = name if value is True else f"{name.replace('_', ' ')} {value}"
            yield label, example.with_knob(technique, name, value)
    if problem.rule == "sample_size":
        yield "a larger sample", example.with_edited_sample(_enlarge(example.sample_map, MIN_USABLE_SIDE))
    if problem.rule == "flat_sample" and example.sample_map.cells.ndim == 3:
        yield (
            "its lowest level",
            example.with_edited_sample(TileMap(example.sample_map.cells[0], example.sample_map.tileset)),
        )
    if problem.rule == "size":
        usual = SampleState()
        yield "smaller maps", replace(example, width=usual.width, height=usual.height)
        yield "usual knobs", example.with_default_knobs(technique)


def _enlarge(sample: TileMap, side: int) -> TileMap:
    return resize_sample(sample, max(side, sample.shape[-1]), max(side, sample.shape[-2]))
