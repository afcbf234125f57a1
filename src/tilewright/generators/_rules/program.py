"""Rules compiled to numeric tables for the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size
from ...kernels.rules import CONDITION, COUNTER, RULE, RuleTables
from .language import Condition, NamedTile, Neighbourhood, Rule, WeightedTile

MAX_COUNT = 0xFFFF
"""No counter counts further."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Weighted tiles: label numbers, and cumulative limits for 53 random bits. Tiles of weight 0 are omitted."""

    tiles: NDArray[np.uint8]
    limits: NDArray[np.uint64]

    @classmethod
    def of(cls, tiles: Sequence[WeightedTile], numbers: Mapping[str, int]) -> Draw:
        """Compile weighted tiles; `numbers` maps names to label numbers."""
        weighted = [one for one in tiles if one.weight]
        shares = list(accumulate(one.weight for one in weighted))
        limits = [int(share / shares[-1] * 2**53) for share in shares]
        return cls(np.array([numbers[one.tile] for one in weighted], dtype=np.uint8), np.array(limits, dtype=np.uint64))


@dataclass(frozen=True, eq=False)
class Program:
    """Rules of a layer."""

    tables: RuleTables
    reach: tuple[int, int]
    """Maximum distance (row, column) of counted cells."""
    is_random: bool
    """Whether any replacement is random."""
    effort: int
    """Approximate number of operations per cell."""

    @classmethod
    def of(
        cls, rules: Sequence[Rule], numbers: Mapping[str, int], neighbourhoods: Mapping[str, Neighbourhood]
    ) -> Program:
        """Compile the rules of a layer; `numbers` maps names to label numbers."""
        offsets: list[tuple[int, int]] = []
        spans: dict[str, tuple[int, int]] = {}
        counters: dict[tuple[int, int, int], int] = {}
        conditions: list[tuple[int, int, int, int]] = []
        table: list[tuple[int, int, int, int, int, int]] = []
        draws: list[Draw] = []
        for rule in rules:
            if rule.neighbourhood not in spans:
                around = neighbourhoods[rule.neighbourhood].offsets
                spans[rule.neighbourhood] = len(offsets), len(offsets) + len(around)
                offsets.extend(around)
            first = len(conditions)
            for condition in rule.conditions:
                counter = numbers[condition.tile], *spans[rule.neighbourhood]
                conditions.append((counters.setdefault(counter, len(counters)), *_find_range(condition)))
            replacements, before = Draw.of(rule.replacements, numbers), sum(len(draw.tiles) for draw in draws)
            draws.append(replacements)
            ends = before, before + len(replacements.tiles)
            table.append((numbers[rule.tile], first, len(conditions), rule.combine == "or", *ends))
        tables = RuleTables(
            np.array(offsets, dtype=np.int64).reshape(-1, 2),
            np.array(list(counters), dtype=COUNTER),
            np.array(conditions, dtype=CONDITION),
            np.array(table, dtype=RULE),
            np.concatenate([draw.tiles for draw in draws] or [np.empty(0, dtype=np.uint8)]),
            np.concatenate([draw.limits for draw in draws] or [np.empty(0, dtype=np.uint64)]),
        )
        return cls(
            tables,
            reach=(
                max(abs(row) for row, _ in (*offsets, (0, 0))),
                max(abs(column) for _, column in (*offsets, (0, 0))),
            ),
            is_random=any(len(draw.tiles) > 1 for draw in draws),
            effort=1 + sum(end - first for _, first, end in counters) + 2 * len(rules) + len(conditions),
        )


def _find_range(condition: Condition) -> tuple[int, int, int]:
    """Return the counts that a condition allows, as (first, number of further counts, whether the range is negated)."""
    count = condition.count
    low, high, negated = {
        ">": (count + 1, MAX_COUNT, 0),
        ">=": (count, MAX_COUNT, 0),
        "<": (0, count - 1, 0),
        "<=": (0, count, 0),
        "==": (count, count, 0),
        "!=": (count, count, 1),
    }[condition.operator]
    low, high = max(low, 0), min(high, MAX_COUNT)
    return (low, high - low, negated) if low <= high else (0, MAX_COUNT, 1 - negated)


@dataclass(frozen=True, eq=False)
class CompiledRulebook:
    """Rulebook compiled to numbers: everything needed to generate a map, except its size."""

    labels: tuple[str, ...]
    initial: int
    dig: int
    maxima: NDArray[np.int64]
    """Maximum number per label, -1 for no limit and for the fill and dig tiles; empty if no label has a limit."""
    margin: NDArray[np.int64]
    """Maximum distance (row, column) of cells that any rule counts."""
    start: Draw
    programs: tuple[Program | None, ...]
    """Rules of every layer; None for a layer without rules."""

    @staticmethod
    @cached_by_size
    def of(
        names: tuple[NamedTile, ...],
        neighbourhoods: tuple[Neighbourhood, ...],
        initial: str,
        dig: str,
        start: tuple[WeightedTile, ...],
        layers: tuple[tuple[Rule, ...], ...],
    ) -> CompiledRulebook:
        """Compile the sections of a rulebook. The result is cached, read-only and shared by equal rulebooks."""
        numbers = {name.name: number for number, name in enumerate(names)}
        known = {one.name: one for one in neighbourhoods}
        maxima = np.array([-1 if name.name in (initial, dig) else name.maximum for name in names], dtype=np.int64)
        programs = tuple(Program.of(rules, numbers, known) if rules else None for rules in layers)
        reaches = [(0, 0), *(program.reach for program in programs if program is not None)]
        return CompiledRulebook(
            labels=tuple(numbers),
            initial=numbers[initial],
            dig=numbers[dig],
            maxima=maxima if maxima.max() >= 0 else maxima[:0],
            margin=np.array([max(sides) for sides in zip(*reaches, strict=True)], dtype=np.int64),
            start=Draw.of(start, numbers),
            programs=programs,
        )
