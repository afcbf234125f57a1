"""Constraints: all that is wanted of a map beside its windows, and which of them cannot be had together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import Fix, GaveUp, InvalidRecipe, Problem, pluralize, problem
from ...core.seeds import Rng
from ...core.site import Site
from ...kernels.global_constraints import COUNTED
from .params import WfcParams
from .pattern_set import PatternSet
from .topology import Topology, get_topology
from .wave import GlobalConstraint, TileConstraint, Wave

LOCKS, GROUND = "locks", "ground"
SUSPECT_RADIUS = 8
"""Locked cells within this many patterns of a contradiction are suspected first."""
MAX_TRIALS = 200
"""Looks at what could be left out, to find who is to blame."""
AXIS_DIRECTIONS = ("from left to right", "from top to bottom", "from level to level")
"""Along each axis, the last of an array first."""
Sources = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Constraints:
    """What the params and the locks of a site want."""

    p: WfcParams
    topology: Topology
    tile_constraints: tuple[TileConstraint, ...]
    global_constraints: tuple[GlobalConstraint, ...]
    grounded: bool

    @classmethod
    def of(cls, p: WfcParams, site: Site) -> Constraints:
        topology = get_topology(p.shape, tuple(p.wrapped), p.size)
        tile_constraints = [*_make_lock_constraints(p, site)]
        if p.border:
            edge = np.flatnonzero((topology.map_neighbors < 0).any(axis=1))
            tile_constraints.append(
                TileConstraint(edge, p.find_tiles(p.border, "border"), f"border: {', '.join(p.border)}")
            )
        tile_constraints += [
            TileConstraint(np.array(constraint.ends), constraint.tiles, constraint.source)
            for constraint in p.global_constraints
            if constraint.ends
        ]
        return cls(p, topology, tuple(tile_constraints), p.global_constraints, p.ground)

    @cached_property
    def sources(self) -> Sources:
        """Who wants something, each once."""
        named = [one.source for one in self.tile_constraints] + [one.source for one in self.global_constraints]
        return tuple(dict.fromkeys([*named, *([GROUND] if self.grounded else [])]))

    @property
    def parameters(self) -> tuple[str, ...]:
        """What they are called in a recipe, each once."""
        return tuple(dict.fromkeys(source.partition(":")[0] for source in self.sources))

    def restrict_to(self, sources: Sequence[str]) -> Constraints:
        return replace(
            self,
            tile_constraints=tuple(one for one in self.tile_constraints if one.source in sources),
            global_constraints=tuple(one for one in self.global_constraints if one.source in sources),
            grounded=self.grounded and GROUND in sources,
        )

    def with_locked_cells(self, cells: NDArray[np.int64]) -> Constraints:
        """The same with no locked cells but these."""
        tile_constraints = (
            constraint
            if constraint.source != LOCKS
            else replace(constraint, cells=constraint.cells[np.isin(constraint.cells, cells)])
            for constraint in self.tile_constraints
        )
        return replace(self, tile_constraints=tuple(tile_constraints))

    @property
    def locked(self) -> NDArray[np.int64]:
        cells = [constraint.cells for constraint in self.tile_constraints if constraint.source == LOCKS]
        return np.sort(np.concatenate(cells)) if cells else np.zeros(0, dtype=np.int64)

    def make_wave(self, rng: Rng | None = None) -> Wave:
        p = self.p
        return Wave(
            *(p.pattern_set, self.topology),
            tile_constraints=self.tile_constraints,
            global_constraints=self.global_constraints,
            grounded=self.grounded,
            heuristic=p.heuristic,
            noise=None if rng is None else rng.child("noise"),
            max_backtracks=p.max_backtracks,
            user_constraints=p.constraints if rng is not None else (),
            labels=p.labels,
        )

    @property
    def is_contradictory(self) -> bool:
        """Whether it can be seen without any choice that they cannot be had."""
        return self.make_wave().contradiction >= 0

    def find_minimal_conflict(self) -> Constraints:
        """As few of them as cannot be had together; none at all where the windows alone are at fault."""
        if self.restrict_to(()).is_contradictory:
            return self.restrict_to(())
        kept = self
        for source in self.sources:
            fewer = kept.restrict_to([other for other in kept.sources if other != source])
            if fewer.is_contradictory:
                kept = fewer
        return kept._minimize_locks() if LOCKS in kept.sources else kept

    def _minimize_locks(self) -> Constraints:
        kept, trials = self, 0
        near = self.locked[_is_near(self.topology, self.locked, kept.make_wave().contradiction)]
        if len(near) < len(self.locked) and self.with_locked_cells(near).is_contradictory:
            kept = self.with_locked_cells(near)
        step = max(1, len(kept.locked) // 2)
        while True:
            first = 0
            while first < len(kept.locked) and len(kept.locked) > 1 and trials < MAX_TRIALS:
                trials += 1
                fewer = kept.with_locked_cells(np.delete(kept.locked, np.s_[first : first + step]))
                if fewer.is_contradictory:
                    kept = fewer
                else:
                    first += step
            if step == 1:
                return kept
            step //= 2

    def _find_contradicting_cells(self) -> NDArray[np.int64]:
        """The constrained cells without a pattern left."""
        cells = np.concatenate([self.locked, *(constraint.cells for constraint in self.tile_constraints)])
        return np.asarray(cells[self.topology.owners[cells] == self.make_wave().contradiction])

    def make_error(self) -> GaveUp:
        """Why these, which contradict each other, cannot be had."""
        p = self.p
        windows = describe_patterns(p)
        if not self.sources:
            help, fixes = suggest_fixes(p)
            return GaveUp(f"{windows} {_describe_extent(p)}; {help}", fixes=fixes)
        cells = self.locked
        named = [source for source in self.sources if source != LOCKS]
        if len(cells):
            names = [
                p.labels[constraint.tiles[0]]
                for constraint in self.tile_constraints
                if constraint.source == LOCKS and len(constraint.cells)
            ]
            what = f"{pluralize(len(cells), 'locked cell')} ({', '.join(map(repr, names))})"
            named.insert(0, f"{LOCKS}: {what}")
        how = "together" if len(named) > 1 or len(cells) > 1 else "at all"
        reason = f"{'; '.join(named)}: cannot be had {how} with {windows}"
        blamed = cells[:8] if len(cells) else self._find_contradicting_cells()[:1]
        places = [np.unravel_index(cell, p.shape) for cell in blamed.tolist()]
        help, fixes = suggest_fixes(p)
        less = f"or ask for less: {', '.join(self.parameters)}"
        return GaveUp(f"{reason}; {help}; {less}", cells=places, fixes=fixes, remove=self.parameters)


def _is_near(topology: Topology, cells: NDArray[np.int64], contradiction: int) -> NDArray[np.bool_]:
    """Which cells of the map are near a cell of the wave."""
    box = topology.box(max(0, contradiction), SUSPECT_RADIUS * topology.size)
    return np.isin(topology.owners[cells], box)


def describe_patterns(p: WfcParams) -> str:
    side = "x".join([str(p.size)] * p.axes)
    if p.rules:
        return "the rules"
    return f"the sample's windows of {side}" if p.size > 1 else "what stands beside what in the sample"


def _describe_extent(p: WfcParams) -> str:
    """How windows that fit together nowhere come to an end: along one axis, whatever the map's size, or over all."""
    for axis, way in zip(reversed(range(p.axes)), AXIS_DIRECTIONS, strict=False):
        longest = _find_longest_row(p.pattern_set, axis, p.shape[axis])
        if longest:
            return f"can go on for {pluralize(longest, 'cell')} at most {way}, whatever the size of the map"
    size = "x".join(map(str, reversed(p.shape)))
    return f"cannot go on over a map of {size}" + ("" if any(p.wrapped) else " or larger")


def _find_longest_row(pattern_set: PatternSet, axis: int, side: int) -> int:
    """Cells of the longest row of patterns along an axis; 0 where it is as long as a side, or endless."""
    left = np.ones(len(pattern_set), dtype=np.bool_)
    for length in range(1, min(side - pattern_set.size, len(pattern_set)) + 1):
        left = left & pattern_set.find_compatible(left, axis + pattern_set.axes)
        if not left.any():
            return length + pattern_set.size - 1
    return 0


def suggest_fixes(p: WfcParams) -> tuple[str, tuple[Fix, ...]]:
    """What would help, where windows do not fit together: in words, and what of it are parameters."""
    suggestions: list[str] = []
    values: dict[str, Any] = {}
    if p.rules:
        suggestions.append("rules that let more tiles stand beside each other")
    else:
        if p.symmetry < 8:
            values["symmetry"] = 8
        if p.wrap_sample == "none":
            values["wrap_sample"] = "xy"
        if p.size > 1:
            values["pattern_size"] = p.size - 1
    if any(p.wrapped):
        values["wrap"] = "none"
    suggestions += [f"{name}={value}" for name, value in values.items()]
    if any(p.wrapped) and not p.rules and not any(_fits_period(p, grid.shape) for grid in p.sample):
        suggestions.append("sides that are multiples of the sample's")
    if not p.relax:
        suggestions.append("relax")
        values["relax"] = True
    suggestions = suggestions or ["a larger sample"]
    fixes = tuple(Fix("set", (name,), value) for name, value in values.items())
    return (
        f"try {' or '.join([', '.join(suggestions[:-1]), suggestions[-1]] if len(suggestions) > 1 else suggestions)}",
        fixes,
    )


def _fits_period(p: WfcParams, period: Sequence[int]) -> bool:
    """Whether a map that wraps has room for so many cells again and again, along every axis along which it does."""
    return not any(round_ and side % own for side, own, round_ in zip(p.shape, period, p.wrapped, strict=True))


def _make_lock_constraints(p: WfcParams, site: Site) -> Iterator[TileConstraint]:
    """The locked cells, by tile; where several words share a tile, any of them will do."""
    if not site.has_locks:
        return
    locked = np.flatnonzero(site.locked)
    ids = site.to_tile_ids(np.zeros(site.shape, dtype=np.uint8)).reshape(-1)[locked]
    for number in np.unique(ids).tolist():
        words = np.flatnonzero(site.ids == number)
        if len(words):
            yield TileConstraint(locked[ids == number], tuple(words.tolist()), LOCKS)


def validate(p: WfcParams, site: Site) -> None:
    """Counts that no windows add up to, and locks that cannot hold whatever the windows are."""
    wrong = [*_find_count_problems(p)]
    if site.has_locks:
        wrong = [*wrong, *_find_lock_problems(p, site)][:4]
    if wrong:
        raise InvalidRecipe(*wrong)


def _find_lock_problems(p: WfcParams, site: Site) -> Iterator[Problem]:
    locked = np.flatnonzero(site.locked)
    ids = site.to_tile_ids(np.zeros(site.shape, dtype=np.uint8)).reshape(-1)[locked]
    unknown = ~np.isin(ids, site.ids)
    source = "rules have" if p.rules else "sample has"
    if unknown.any() and not p.relax:
        at = _format_cell(p, int(locked[unknown][0]))
        yield problem(f"the {source} no {site.tileset[int(ids[unknown][0])].name!r} ({at})", at="locks")
    held = site.locked_counts()
    for wide in p.global_constraints:
        count = int(held[list(wide.tiles)].sum())
        if count > wide.maximum:
            yield problem(f"{pluralize(count, 'cell')} locked, which is more than {wide.source}", at="locks")
    tiles = {
        cell: constraint.tiles for constraint in _make_lock_constraints(p, site) for cell in constraint.cells.tolist()
    }
    for constraint in Constraints.of(p, site).tile_constraints:
        cells, wanted = constraint.cells.tolist(), set(constraint.tiles)
        against = [cell for cell in cells if cell in tiles and wanted.isdisjoint(tiles[cell])]
        if against:
            name = p.labels[tiles[against[0]][0]]
            text = f"{name!r} ({_format_cell(p, against[0])}) is not what {constraint.source} wants there"
            yield problem(text, at="locks")


def _find_count_problems(p: WfcParams) -> Iterator[Problem]:
    """What even a map of the windows with the most, or the fewest, of a tile would not have."""
    most_windows = prod(-(-side // p.size) for side in p.shape)
    least_windows = prod(side // p.size for side in p.shape)
    for constraint in p.global_constraints:
        if constraint.kind != COUNTED:
            continue
        held = np.isin(p.pattern_set.patterns, constraint.tiles).sum(axis=1)
        most, least = most_windows * int(held.max()), least_windows * int(held.min())
        name = constraint.source.partition(":")[0]
        if constraint.minimum > most:
            text = f"{describe_patterns(p)} make at most {most:,} on this map"
            yield problem(text, at=name, place=constraint.source, rule="maximum")
        elif constraint.maximum < least:
            text = f"{describe_patterns(p)} make at least {least:,} on this map"
            yield problem(text, at=name, place=constraint.source, rule="minimum")


def _format_cell(p: WfcParams, cell: int) -> str:
    *_, row, column = np.unravel_index(cell, p.shape)
    return f"x={column} y={row}"
