"""Tables of results that the pages quote: runs of techniques, measured when the documentation is built."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Any

import tilewright as tw
from tilewright.comparison.rows import format_markdown

from .markdown import table

DIVERGENCES = ("divergence", "divergence_new", "divergence_missed")
COMPARISONS = Path(__file__).parents[1] / "compare"
"""Results of `python docs/comparisons.py`, which takes too long to run with every build."""
TINY = ["..~~", ".##~", ".#..", "...~"]
"""A sample with few cells."""


def compare_repairs(name: str) -> str:
    """Return the divergence of 2x2 patterns from the sample with different repairs: the mean of eight seeds."""
    repairs = {
        "neither": (0, 0),
        "1 repair pass": (1, 0),
        "4 repair passes": (4, 0),
        "4 Gibbs sweeps": (0, 4),
        "16 Gibbs sweeps": (0, 16),
    }

    def row(sample: str) -> tuple[str, ...]:
        parts = []
        for passes, sweeps in repairs.values():
            recipe = tw.recipe(name, sample=sample, repair_passes=passes, gibbs_sweeps=sweeps, width=40, height=40)
            maps = [tw.run(recipe, seed=seed) for seed in range(8)]
            found = [tw.measure(map, *DIVERGENCES, like=sample, pattern_size=2) for map in maps]
            all, new, missed = (sum(one[part] for one in found) / len(found) for part in DIVERGENCES)
            parts.append(f"{all:.2f} ({new:.2f}, {missed:.2f})")
        return f"`{sample}`", *parts

    return table(("sample", *repairs), *(row(sample) for sample in ("awbw", "overworld", "village", "dungeon")))


def compare_techniques(name: str) -> str:
    """Return measures of 32x24 maps by all techniques that learn from samples."""
    samples: dict[str, tuple[Any, dict[str, Any]]] = {
        "`dungeon`": ("dungeon", {}),
        "`caverns`": ("caverns", {}),
        "`village`": ("village", {}),
        "`bricks`": ("bricks", {"wrap_sample": "xy"}),
        "4x4 cells": (TINY, {"wrap_sample": "xy"}),
    }
    small: dict[str, dict[str, Any]] = {"patterns": {"pattern_sizes": (2,)}, name: {"pattern_size": 2}}
    names = ("copied_share", "divergence", "copied_block", "sample_distance")

    def row(title: str, technique: str) -> tuple[str, ...]:
        sample, wraps = samples[title]
        params = {} if technique == "markov" else {**wraps, **(small[technique] if sample is TINY else {})}
        recipe = tw.recipe(technique, sample=sample, width=32, height=24, **params)
        seeds, found = 3 if technique == "patterns" else 20, []
        for seed in range(seeds):
            try:
                map = tw.run(recipe, seed=seed)
            except tw.GaveUp:
                continue
            found.append([tw.measure(map, *names, like=sample, pattern_size=size, **wraps) for size in (2, 3)])
        two, three = ({part: mean(one[size][part] for one in found) for part in names} for size in (0, 1))
        return (
            title if technique == "patterns" else "",
            f"`{technique}`",
            f"{seeds - len(found)} of {seeds}",
            f"{100 * (two if sample is TINY else three)['copied_share']:.0f} %",
            f"{two['divergence']:.2f}",
            f"{three['divergence']:.2f}",
            f"{three['copied_block']:.1f}",
            f"{three['sample_distance']:.2f}",
        )

    head = (
        "sample",
        "technique",
        "failures",
        "patterns in the sample",
        "divergence 2",
        "divergence 3",
        "copied",
        "distance",
    )
    return table(head, *(row(title, technique) for title in samples for technique in ("patterns", name, "markov")))


def count_successes(name: str) -> str:
    """Return how many of ten 36x36 maps succeed with more and more help after contradictions."""
    none = {"max_backtracks": 0, "max_repairs": 0, "max_restarts": 0}
    helps = {
        "none of them": none,
        "`max_backtracks`": {**none, "max_backtracks": 20},
        "also `max_repairs`": {**none, "max_backtracks": 20, "max_repairs": 100},
        "also `max_restarts`": {},
    }

    def row(params: dict[str, str]) -> tuple[str, ...]:
        made = []
        for own in helps.values():
            recipe = tw.recipe(name, width=36, height=36, **params, **own)
            done = 0
            for seed in range(10):
                try:
                    tw.run(recipe, seed=seed)
                except tw.GaveUp:
                    continue
                done += 1
            made.append(f"{done}")
        return f"`{format_call(params)}`", *made

    cases = ({"sample": "ruins"}, {"sample": "village", "wrap": "xy"}, {"sample": "circuit", "wrap": "xy"})
    return table(("", *helps), *(row(case) for case in cases))


def list_errors(name: str) -> str:
    """Return calls that fail, with their errors."""
    cases: list[dict[str, Any]] = [
        {"sample": "circuit", "wrap": "xy", "max_backtracks": 0, "max_repairs": 0, "max_restarts": 0, "seed": 3},
        {"locks": [[10, 10, "door"], [12, 10, "treasure"]], "seed": 7},
        {"border": ["treasure"], "seed": 7},
        {"sample": "weave", "wrap_sample": "xy", "wrap": "xy", "width": 30, "height": 16, "seed": 7},
        {"counts": {"pillar": ">=900"}, "seed": 7},
        {"sample": "village", "pattern_size": 4, "seed": 7},
        {"sample": "platforms", "sample_edges": ["top"], "wrap": "xy", "seed": 7},
    ]
    lines = []
    for params in cases:
        try:
            tw.make(name, **params)
        except tw.TilewrightError as error:
            lines.append(f'tw.make("{name}", {format_call(params)})\n    {error}\n')
    assert len(lines) == len(cases), "all calls fail"
    return "```text\n" + "".join(lines) + "```\n"


def show_comparison(name: str) -> str:
    """Return the stored comparison of techniques on a sample: what was measured, and the table."""
    data = json.loads((COMPARISONS / f"{name}.json").read_text(encoding="utf-8"))
    own = "; ".join(f"{technique}: {format_call(params)}" for technique, params in data["settings"].items())
    what = f"{data['count']} maps of {data['width']}x{data['height']} cells by each technique"
    rows = [tw.ComparisonRow.from_data(row) for row in data["rows"]]
    return f"{what}{f' ({own})' if own else ''}:\n\n{format_markdown(rows)}"


def format_call(params: dict[str, Any]) -> str:
    """Return parameters as the arguments of a call."""
    return ", ".join(f"{name}={value!r}" for name, value in params.items()).replace("'", '"')
