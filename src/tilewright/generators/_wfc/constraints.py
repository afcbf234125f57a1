"""Constraints on a map, and the search for a minimal set of them that conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import Fix, GaveUp, InvalidRecipe, Problem, pluralize, problem
from ...core.seeds import Rng
from ...core.site import Site
from ...core.tilemap import format_size
from ...kernels.global_constraints import COUNTED
from .params import WfcParams
from .pattern_set import PatternSet
from .topology import Topology, get_topology
from .wave import GlobalConstraint, TileConstraint, Wave

LOCKS, GROUND, EDGES = "locks", "ground", "sample_edges"
SUSPECT_RADIUS = 8
"""Locked cells within this many patterns of a contradiction are suspected first."""
MAX_TRIALS = 200
"""Maximum number of propagations to find the locks that conflict."""
AXIS_DIRECTIONS = ("from left to right", "from top to bottom", "from level to level")
"""Name of the direction of each axis, the last axis of an array first."""
SIDE_NAMES = ("width", "height", "depth")
"""Parameter of the length of each axis, the last axis of an array first."""
MAX_SIDE_CHANGE = 64
"""Maximum difference between a size that cannot wrap and the suggested size."""
Sources = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constraints of the parameters and of the locks of a site."""

    p: WfcParams
    topology: Topology
    tile_constraints: tuple[TileConstraint, ...]
    global_constraints: tuple[GlobalConstraint, ...]
    grounded: bool
    edges: tuple[str, ...] = ()
    """Edges whose patterns are those of the sample's edge."""

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
        return cls(p, topology, tuple(tile_constraints), p.global_constraints, p.ground, p.sample_edges)

    @cached_property
    def sources(self) -> Sources:
        """Names of the constraints, without duplicates."""
        named = [one.source for one in self.tile_constraints] + [one.source for one in self.global_constraints]
        return tuple(dict.fromkeys([*named, *([GROUND] if self.grounded else []), *([EDGES] if self.edges else [])]))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the recipe's parameters that set constraints, without duplicates."""
        return tuple(dict.fromkeys(source.partition(":")[0] for source in self.sources))

    def restrict_to(self, sources: Sequence[str]) -> Constraints:
        """Return only the constraints of some sources."""
        return replace(
            self,
            tile_constraints=tuple(one for one in self.tile_constraints if one.source in sources),
            global_constraints=tuple(one for one in self.global_constraints if one.source in sources),
            grounded=self.grounded and GROUND in sources,
            edges=self.edges if EDGES in sources else (),
        )

    def with_locked_cells(self, cells: NDArray[np.int64]) -> Constraints:
        """Return the constraints with only these locked cells."""
        tile_constraints = (
            constraint
            if constraint.source != LOCKS
            else replace(constraint, cells=constraint.cells[np.isin(constraint.cells, cells)])
            for constraint in self.tile_constraints
        )
        return replace(self, tile_constraints=tuple(tile_constraints))

    @property
    def locked(self) -> NDArray[np.int64]:
        """Sorted flat indices of the locked cells."""
        cells = [constraint.cells for constraint in self.tile_constraints if constraint.source == LOCKS]
        return np.sort(np.concatenate(cells)) if cells else np.zeros(0, dtype=np.int64)

    def make_wave(self, rng: Rng | None = None) -> Wave:
        """Return a wave with these constraints; without an `rng`, the wave only serves to detect contradictions."""
        p = self.p
        return Wave(
            *(p.pattern_set, self.topology),
            tile_constraints=self.tile_constraints,
            global_constraints=self.global_constraints,
            grounded=self.grounded,
            edge_patterns={edge: p.edge_patterns[edge] for edge in self.edges},
            heuristic=p.heuristic,
            noise=None if rng is None else rng.child("noise"),
            max_backtracks=p.max_backtracks,
            user_constraints=p.constraints if rng is not None else (),
            labels=p.labels,
        )

    @property
    def is_contradictory(self) -> bool:
        """Whether propagation finds a contradiction before the first choice."""
        return self.make_wave().contradiction >= 0

    def find_minimal_conflict(self) -> Constraints:
        """Return a minimal set of constraints that still conflicts; an empty set if the patterns alone conflict."""
        if self.restrict_to(()).is_contradictory:
            return self.restrict_to(())
        kept = self
        for source in self.sources:
            fewer = kept.restrict_to([other for other in kept.sources if other != source])
            if fewer.is_contradictory:
                kept = fewer
        return kept._minimize_locks() if LOCKS in kept.sources else kept

    def _minimize_locks(self) -> Constraints:
        """Drop locked cells, in blocks of decreasing length, as long as the rest still conflicts."""
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
        """Return the constrained cells that have no pattern left."""
        cells = np.concatenate([self.locked, *(constraint.cells for constraint in self.tile_constraints)])
        return np.asarray(cells[self.topology.owners[cells] == self.make_wave().contradiction])

    @property
    def _is_wrap_to_blame(self) -> bool:
        """Whether these constraints conflict only because the map wraps."""
        p = self.p
        if p.pattern_set.find_wrappable(p.shape, p.wrapped).all():
            return False
        flat = get_topology(p.shape, (False,) * p.axes, p.size) if min(p.shape) >= p.size else self.topology
        return flat is self.topology or not replace(self, topology=flat).is_contradictory

    def make_error(self) -> GaveUp:
        """Return the error for these constraints, which conflict."""
        p = self.p
        patterns = describe_patterns(p)
        if not self.sources and self._is_wrap_to_blame:
            return _make_wrap_error(p)
        if not self.sources:
            help, fixes = suggest_fixes(p)
            return GaveUp(f"{patterns} {_describe_extent(p)}; {help}", fixes=fixes)
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
        how = "together with" if len(named) > 1 or len(cells) > 1 else "with"
        reason = f"{'; '.join(named)}: cannot be satisfied {how} {patterns}"
        blamed = cells[:8] if len(cells) else self._find_contradicting_cells()[:1]
        places = [np.unravel_index(cell, p.shape) for cell in blamed.tolist()]
        help, fixes = suggest_fixes(p)
        less = f"or ask for less: {', '.join(self.parameters)}"
        return GaveUp(f"{reason}; {help}; {less}", cells=places, fixes=fixes, remove=self.parameters)


def _is_near(topology: Topology, cells: NDArray[np.int64], contradiction: int) -> NDArray[np.bool_]:
    """Return whether each of some map cells is near a wave cell."""
    box = topology.box(max(0, contradiction), SUSPECT_RADIUS * topology.size)
    return np.isin(topology.owners[cells], box)


def describe_patterns(p: WfcParams) -> str:
    """Return a name for the patterns, for messages."""
    size = "x".join([str(p.size)] * p.axes)
    if p.rules:
        return "the rules"
    return f"the sample's {size} patterns" if p.size > 1 else "the sample's pairs of neighbors"


def _make_wrap_error(p: WfcParams) -> GaveUp:
    """Return the error for patterns that cannot fill a map that wraps, with the nearest sizes that they can fill."""
    reasons, values = [], dict[str, Any]()
    for axis, direction in zip(reversed(range(p.axes)), AXIS_DIRECTIONS, strict=False):
        if not p.wrapped[axis] or _can_wrap(p, axis, p.shape[axis]):
            continue
        period = int(np.gcd.reduce(p.pattern_set.periods[axis]))
        reasons.append(f"repeat every {period} cells {direction}" if period > 1 else f"never repeat {direction}")
        sides = sorted(range(p.size, p.shape[axis] + MAX_SIDE_CHANGE), key=lambda side: abs(side - p.shape[axis]))
        near = (side for side in sides if abs(side - p.shape[axis]) <= MAX_SIDE_CHANGE and _can_wrap(p, axis, side))
        if (side := next(near, None)) is not None:
            values[SIDE_NAMES[p.axes - 1 - axis]] = side
    values["wrap"] = "none"
    why = f": they {' and '.join(reasons)}" if reasons else ""
    help = ", ".join(f"{name}={value}" for name, value in values.items())
    fixes = [*(Fix("set", (name,), value) for name, value in values.items()), Fix("set", ("relax",), True)]
    text = f"{describe_patterns(p)} cannot fill a map of {format_size(p.shape)} that wraps{why}; try {help} or relax"
    return GaveUp(text, fixes=fixes)


def _can_wrap(p: WfcParams, axis: int, side: int) -> bool:
    """Return whether the patterns can fill a map that has this length along an axis, and wraps along this axis only."""
    shape = [side if other == axis else own for other, own in enumerate(p.shape)]
    return bool(p.pattern_set.find_wrappable(shape, [other == axis for other in range(p.axes)]).any())


def _describe_extent(p: WfcParams) -> str:
    """Return a message: how far patterns without a solution extend along an axis, or that they cannot fill the map."""
    for axis, direction in zip(reversed(range(p.axes)), AXIS_DIRECTIONS, strict=False):
        longest = _find_longest_row(p.pattern_set, axis, p.shape[axis])
        if longest:
            return f"cannot extend beyond {pluralize(longest, 'cell')} {direction}, whatever the map size"
    return f"cannot fill a map of {format_size(p.shape)}" + ("" if any(p.wrapped) else " or larger")


def _find_longest_row(pattern_set: PatternSet, axis: int, side: int) -> int:
    """Return the length in cells of the longest row of patterns along an axis; 0 if it fills the map or is endless."""
    left = np.ones(len(pattern_set), dtype=np.bool_)
    for length in range(1, min(side - pattern_set.size, len(pattern_set)) + 1):
        left = left & pattern_set.find_compatible(left, axis + pattern_set.axes)
        if not left.any():
            return length + pattern_set.size - 1
    return 0


def suggest_fixes(p: WfcParams) -> tuple[str, tuple[Fix, ...]]:
    """Return suggestions after a contradiction: as text, and as fixes for those that set a parameter."""
    suggestions: list[str] = []
    values: dict[str, Any] = {}
    if p.rules:
        suggestions.append("rules that allow more neighbors")
    else:
        if p.symmetry < 8:
            values["symmetry"] = 8
        if p.sample_axes == "none" and not p.sample_edges:
            values["wrap_sample"] = "xy"
        if p.size > 1:
            values["pattern_size"] = p.size - 1
    if any(p.wrapped):
        values["wrap"] = "none"
    suggestions += [f"{name}={value}" for name, value in values.items()]
    if any(p.wrapped) and not p.rules and not any(_fits_period(p, grid.shape) for grid in p.sample):
        suggestions.append("a map size that is a multiple of the sample's")
    if not p.relax:
        suggestions.append("relax")
        values["relax"] = True
    *others, last = suggestions or ["a larger sample"]
    fixes = tuple(Fix("set", (name,), value) for name, value in values.items())
    return f"try {', '.join(others)} or {last}" if others else f"try {last}", fixes


def _fits_period(p: WfcParams, period: Sequence[int]) -> bool:
    """Return whether the map's size is a multiple of a period along every axis that wraps."""
    return not any(wraps and side % own for side, own, wraps in zip(p.shape, period, p.wrapped, strict=True))


def _make_lock_constraints(p: WfcParams, site: Site) -> Iterator[TileConstraint]:
    """Yield one constraint per locked tile; where labels share a tile, any of these labels satisfies it."""
    locked, ids = site.locked_tiles
    for number in np.unique(ids).tolist():
        labels = np.flatnonzero(site.ids == number)
        if len(labels):
            yield TileConstraint(locked[ids == number], tuple(labels.tolist()), LOCKS)


def validate(p: WfcParams, site: Site) -> None:
    """Raise InvalidRecipe for counts and locks that are impossible whatever the patterns are."""
    problems = [*_find_count_problems(p), *_find_coverage_problems(p)]
    if site.has_locks:
        problems = [*problems, *_find_lock_problems(p, site)][:4]
    if problems:
        raise InvalidRecipe(*problems)


def _find_lock_problems(p: WfcParams, site: Site) -> Iterator[Problem]:
    locked, ids = site.locked_tiles
    unknown = ~np.isin(ids, site.ids)
    source = "rules have" if p.rules else "sample has"
    if unknown.any() and not p.relax:
        at = _format_cell(p, int(locked[unknown][0]))
        yield problem(f"the {source} no {site.tileset[int(ids[unknown][0])].name!r} ({at})", at="locks")
    counts = site.locked_counts()
    for limit in p.global_constraints:
        count = int(counts[list(limit.tiles)].sum())
        if count > limit.maximum:
            yield problem(f"{pluralize(count, 'cell')} locked, more than {limit.source} allows", at="locks")
    tiles = {
        cell: constraint.tiles for constraint in _make_lock_constraints(p, site) for cell in constraint.cells.tolist()
    }
    for constraint in Constraints.of(p, site).tile_constraints:
        cells, required = constraint.cells.tolist(), set(constraint.tiles)
        conflicts = [cell for cell in cells if cell in tiles and required.isdisjoint(tiles[cell])]
        if conflicts:
            name = p.labels[tiles[conflicts[0]][0]]
            text = f"{name!r} ({_format_cell(p, conflicts[0])}) contradicts {constraint.source}"
            yield problem(text, at="locks")


def _find_count_problems(p: WfcParams) -> Iterator[Problem]:
    """Yield a problem for every count that no map can have, by the patterns with the most and the fewest such tiles."""
    max_blocks = prod(-(-side // p.size) for side in p.shape)
    min_blocks = prod(side // p.size for side in p.shape)
    for constraint in p.global_constraints:
        if constraint.kind != COUNTED:
            continue
        per_pattern = np.isin(p.pattern_set.patterns, constraint.tiles).sum(axis=1)
        maximum, minimum = max_blocks * int(per_pattern.max()), min_blocks * int(per_pattern.min())
        name = constraint.source.partition(":")[0]
        if constraint.minimum > maximum:
            text = f"{describe_patterns(p)} allow at most {maximum:,} on this map"
            yield problem(text, at=name, place=constraint.source, rule="maximum")
        elif constraint.maximum < minimum:
            text = f"{describe_patterns(p)} require at least {minimum:,} on this map"
            yield problem(text, at=name, place=constraint.source, rule="minimum")


def _find_coverage_problems(p: WfcParams) -> Iterator[Problem]:
    """Yield a problem if the map has fewer blocks than patterns that must occur."""
    if p.min_coverage == 0:
        return
    blocks = get_topology(p.shape, tuple(p.wrapped), p.size).cells
    required = ceil(p.min_coverage * len(p.pattern_set))
    if required > blocks:
        text = f"requires {required:,} different patterns, but the map has {pluralize(blocks, 'block')} of that size"
        yield problem(text, at="min_coverage", rule="maximum", instead=blocks * 100 // len(p.pattern_set) / 100)


def _format_cell(p: WfcParams, cell: int) -> str:
    *_, row, column = np.unravel_index(cell, p.shape)
    return f"x={column} y={row}"
