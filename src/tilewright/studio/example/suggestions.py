"""Suggested changes if a technique cannot use the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.errors import ANOTHER_SEED, Problem
from ...core.seeds import read_seed
from ...core.tilemap import TileMap
from .state import SampleState, find_by_example, resize_sample

Suggestion = tuple[str, SampleState]
"""Label of a suggestion and the changed example."""
MIN_USABLE_SIDE = 8


def list_suggestions(example: SampleState, technique: str, problems: Sequence[Problem]) -> list[Suggestion]:
    """Return the fixes of problems that are possible in By example, and other samples and sizes."""
    suggestions = [suggestion for one in problems for suggestion in _suggest(example, technique, one)]
    return [(name, other) for name, other in dict(suggestions).items() if other != example]


def _suggest(example: SampleState, technique: str, problem: Problem) -> Iterator[Suggestion]:
    knobs = find_by_example(technique).knobs
    for fix in problem.fixes:
        name, value = str(fix.path[-1]), fix.value
        if fix == ANOTHER_SEED:
            yield "new seed", example.replace(seed=int(read_seed(None)))
        elif fix.action == "remove" and name == "sample_edges":
            yield "no edges of the sample", example.replace(sample_edges=())
        elif fix.action == "remove" and name in knobs:
            yield "default pattern size", example.with_default_knobs(technique)
        elif fix.action == "set" and name in ("width", "height"):
            larger = max(example.width, MIN_USABLE_SIDE), max(example.height, MIN_USABLE_SIDE)
            yield "larger maps", example.replace(width=larger[0], height=larger[1])
        elif fix.action == "set" and name == "wrap_sample":
            yield "wrap the sample", example.replace(wrap_sample=value)
        elif fix.action == "set" and name == "wrap":
            yield "do not wrap the maps", example.replace(wrap=value)
        elif fix.action == "set" and name in knobs:
            label = name if value is True else f"{name.replace('_', ' ')} {value}"
            yield label, example.with_knob(technique, name, value)
    if problem.rule == "sample_size":
        yield "larger sample", example.with_edited_sample(_enlarge(example.sample_map, MIN_USABLE_SIDE))
    if problem.rule == "flat_sample" and example.sample_map.cells.ndim == 3:
        yield (
            "lowest level only",
            example.with_edited_sample(TileMap(example.sample_map.cells[0], example.sample_map.tileset)),
        )
    if problem.rule == "size":
        default = SampleState()
        yield "smaller maps", example.replace(width=default.width, height=default.height)
        yield "default parameters", example.with_default_knobs(technique)


def _enlarge(sample: TileMap, side: int) -> TileMap:
    return resize_sample(sample, max(side, sample.shape[-1]), max(side, sample.shape[-2]))
