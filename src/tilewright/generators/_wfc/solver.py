"""The solver: choices, backtracking, reopened regions and restarts, and completion of maps without a solution.

A relaxed map is completed with patterns that no sample contains, which are marked.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding, pad_map
from ...analysis.sample_use import measure_sample_use
from ...core.errors import ANOTHER_SEED, Fix, GaveUp, pluralize
from ...core.seeds import Rng
from ...core.site import Frame, Site, block_size
from ...core.tilemap import Marker, TileMap
from ...kernels.global_constraints import COUNTED, MAY, PATH
from .constraints import LOCKS, Constraints, describe_patterns, suggest_fixes
from .params import MAX_RESTARTS, WfcParams
from .pattern_set import unpack_bits
from .user_constraints import FinishedView
from .wave import DONE, STUCK, GlobalConstraint, Wave

FRAMES = 96
"""Number of frames of a map if every cell needed a choice."""
FIRST_RADIUS, NEARBY, GROWTH = 6, 20, 8
"""Radius of the first reopened region. Contradictions within NEARBY cells of each other enlarge it by GROWTH."""
OUTER_MARGIN = 2
"""Margin around a reopened region, in patterns. Undecided cells in the margin are reopened too."""
REQUIRED_RATIO = 16
"""Tiles with a minimum count are placed first if they need at most one in REQUIRED_RATIO cells."""
PLACE_TRIES, TRIES_PER_TILE = 64, 4


@dataclass
class Solver:
    """Search for a map: choices, repairs and restarts of one wave."""

    p: WfcParams
    constraints: Constraints
    wave: Wave
    rng: Rng
    colors: NDArray[np.uint8]
    """(label, 3) color of each tile."""
    contradictions: Counter[int] = field(default_factory=Counter)
    """Number of contradictions per wave cell."""
    causes: Counter[int] = field(default_factory=Counter)
    """Number of contradictions per constraint; the key -1 is for the patterns themselves."""
    repairs: int = 0
    restarts: int = 0
    surroundings: str = ""
    """Tiles around the last contradiction, as glyphs."""
    coverages: list[float] = field(default_factory=list)
    """Fraction of the patterns that occur in each complete map, if a minimum is set."""

    def run(self) -> Generator[Frame, None, bool]:
        """Solve the wave, with restarts; return whether all cells are decided and enough patterns occur."""
        for attempt in range(self.p.max_restarts + 1):
            self.restarts = attempt
            own = self.rng if attempt == 0 else self.rng.child("restart", attempt)
            self.wave.restart()
            self._place_required(own.child("plant"))
            done = yield from self._attempt(own)
            if done and self._has_coverage():
                return True
        return False

    def _has_coverage(self) -> bool:
        """Return whether enough patterns occur in the complete map."""
        p, pattern_set = self.p, self.wave.pattern_set
        if p.min_coverage == 0:
            return True
        coding = Coding(p.size, p.axes, pattern_set.tiles)
        keys = coding.keys(pad_map(self.wave.to_tiles(), p.size, p.wrapped))
        self.coverages.append(len(np.unique(keys)) / len(pattern_set))
        return self.coverages[-1] >= p.min_coverage

    def _attempt(self, rng: Rng) -> Generator[Frame, None, bool]:
        """Solve the wave without a restart; return False after `max_repairs` repairs without progress.

        A repair reopens the complete map when the repairs since the last such repair reopened more cells than a limit,
        which doubles each time: the time to a solution varies much, so several short searches cost less than a long
        one.
        """
        wave, p = self.wave, self.p
        block = max(1, min(block_size("wfc", 1 << 17) // len(wave.pattern_set), wave.topology.cells // FRAMES))
        fewest = wave.topology.cells + 1
        tried = 0
        """Number of repairs since the last new minimum of undecided cells."""
        near: list[int] = []
        """Cells of the contradictions since that minimum, or since the complete map was reopened."""
        reopened, limit = 0, wave.topology.cells
        while True:
            yield self._make_frame(tried)
            status = wave.collapse(rng, block)
            if status == DONE:
                return True
            if status != STUCK:
                continue
            if wave.undecided < fewest:
                fewest, tried, near = wave.undecided, 0, []
            self.surroundings = self._draw_surroundings(int(wave.state.contradiction))
            opened = False
            while not opened:
                self.contradictions[int(wave.state.contradiction)] += 1
                self.causes[int(wave.state.cause)] += 1
                if tried >= p.max_repairs:
                    return False
                tried += 1
                self.repairs += 1
                if reopened > limit:
                    reopened, limit, near, opened = 0, 2 * limit, [], True
                    wave.restart()
                    self._place_required(rng.child("plant", self.repairs))
                    continue
                cell = int(wave.state.contradiction)
                again = np.isin(near, wave.topology.box(cell, NEARBY)).sum()
                near.append(cell)
                opened = wave.reopen(FIRST_RADIUS + p.size + GROWTH * int(again), OUTER_MARGIN * p.size)
                reopened += wave.reopened

    def _place_required(self, rng: Rng) -> None:
        """Place tiles with a minimum count before the search, because they rarely fit at the end of the search."""
        wave, arrays = self.wave, self.wave.constraints
        if arrays is None:
            return
        for number, constraint in enumerate(wave.global_constraints):
            if not 0 < constraint.minimum <= max(1, wave.topology.map_cells // REQUIRED_RATIO):
                continue
            may = np.flatnonzero(arrays.status[number] == MAY)
            places = np.argsort(rng.child("places", number).randoms(len(may)), kind="stable")
            for place in places[: PLACE_TRIES + TRIES_PER_TILE * constraint.minimum].tolist():
                if arrays.tally[number, 1] >= constraint.minimum:
                    break
                if arrays.status[number, may[place]] == MAY:
                    wave.place_required(int(may[place]), constraint.tiles)

    def _make_frame(self, repairs: int) -> Frame:
        undecided = self.wave.undecided
        note = f"{undecided:,} undecided"
        if repairs:
            note += f", repair {repairs}"
        if self.restarts:
            note += f", start {self.restarts + 1}"
        # Frames of 3D maps show the likeliest tiles.
        colors = partial(self.wave.blend_colors, self.colors) if self.wave.topology.axes == 2 else None
        return Frame(self.wave.to_tiles, note, 1.0 - undecided / self.wave.topology.cells, colors=colors)

    # -- giving up ----------------------------------------------------------------------------------------------

    def make_error(self) -> GaveUp:
        """Return the error for an unsuccessful search."""
        if self.coverages:
            return self._make_coverage_error(max(self.coverages))
        p, wave = self.p, self.wave
        worst = [cell for cell, _ in sorted(self.contradictions.items(), key=lambda pair: (-pair[1], pair[0]))[:4]]
        cause = max(self.causes, key=lambda number: (self.causes[number], -number)) if self.causes else -1
        parameters = (*self.constraints.parameters, *(("constraints",) if wave.user_constraints else ()))
        less = f"ask for less: {', '.join(parameters)}"
        help, fixes = suggest_fixes(p)
        help = f"{help}; or {less}" if parameters else help
        if cause >= 0:
            reason, help, fixes = f"{self._name_constraint(cause)}: could not be satisfied", less, ()
        elif self.surroundings.strip("?/ "):
            reason = f"{describe_patterns(p)} led to a contradiction at {self.surroundings}"
        else:
            reason = f"{describe_patterns(p)} led to a contradiction"
        effort = f"{pluralize(self.repairs, 'repair')}, {pluralize(int(wave.state.backtracked), 'backtrack')}"
        cells = [wave.topology.locate(cell) for cell in worst]
        text, fixes = f"{reason} ({effort}); {help}", (*fixes, ANOTHER_SEED)
        return GaveUp(text, cells=cells, tries=self.restarts + 1, fixes=fixes, remove=parameters)

    def _make_coverage_error(self, best: float) -> GaveUp:
        """Return the error for a search that found maps with too few patterns."""
        p = self.p
        maps = pluralize(len(self.coverages), "map")
        text = (
            f"min_coverage: {best:.0%} of {describe_patterns(p)} occur in the best of {maps}, but {p.min_coverage:.0%} "
            "are required; ask for less, make a larger map, or allow more with max_restarts"
        )
        fixes = (
            Fix("set", ("min_coverage",), int(100 * best) / 100),
            Fix("set", ("max_restarts",), min(MAX_RESTARTS, 4 * p.max_restarts + 4)),
            ANOTHER_SEED,
        )
        return GaveUp(text, tries=self.restarts + 1, fixes=fixes)

    def _name_constraint(self, cause: int) -> str:
        """Return the name of a constraint, for messages."""
        named = [constraint.source for constraint in self.wave.global_constraints]
        named += [f"constraints: {constraint.constraint.name}" for constraint in self.wave.user_constraints]
        return named[cause]

    def _draw_surroundings(self, cell: int) -> str:
        """Return the glyphs of the tiles around a wave cell, with ? for undecided cells."""
        wave, p, topology = self.wave, self.p, self.wave.topology
        *level, row, column = topology.locate(cell)
        rows = np.arange(max(0, row - p.size + 1), min(p.height, row + 2 * p.size - 1))
        columns = np.arange(max(0, column - p.size + 1), min(p.width, column + 2 * p.size - 1))
        places = np.arange(topology.map_cells).reshape(topology.shape)
        cells = places[tuple(level)][rows[:, None], columns]
        owners = topology.owners[cells]
        patterns = unpack_bits(wave.domains[owners], len(wave.pattern_set)).argmax(axis=-1)
        tiles = wave.pattern_set.patterns[patterns, topology.offsets[cells]]
        glyphs = np.array([p.tileset[p.tileset.by_name[label]].glyph for label in p.labels])
        shown = np.where(wave.cells["count"][owners] == 1, glyphs[tiles], "?")
        return " / ".join("".join(line) for line in shown.reshape(len(rows), len(columns)).tolist())


Cells = NDArray[np.int64]
MAX_CONFLICTS = 16
MAX_MARKERS = 1000


def drop_conflicting_locks(constraints: Constraints) -> Constraints:
    """Return the constraints without the locked cells that conflict; their tiles are put on the finished map.

    If the result still has a contradiction, it has no locks left.
    """
    for _ in range(MAX_CONFLICTS):
        if not constraints.is_contradictory:
            return constraints
        culprit = constraints.find_minimal_conflict()
        if LOCKS not in culprit.sources:
            break
        constraints = constraints.with_locked_cells(np.setdiff1d(constraints.locked, culprit.locked))
    return constraints.with_locked_cells(np.zeros(0, dtype=np.int64))


def finish_relaxed(solver: Solver, site: Site, numbers: Mapping[str, float]) -> TileMap:
    """Return the map with every cell filled and a marker at every pattern that no sample contains."""
    wave, topology = solver.wave, solver.wave.topology
    cells = _fill_cells(wave, solver.constraints).reshape(site.shape)
    locked, ids = site.locked_tiles
    cells.reshape(-1)[locked] = site.label_tiles()[ids]
    for constraint in wave.global_constraints:
        if not _is_satisfied(constraint, cells.reshape(-1), topology.map_neighbors):
            raise GaveUp(f"{constraint.source}: could not be satisfied even with relax", tries=solver.restarts + 1)
    _check_user_constraints(solver, cells)
    broken = np.flatnonzero(find_broken_patterns(wave, cells))
    places = [topology.locate(cell) for cell in broken.tolist()]
    if places:
        shown = ", ".join(f"x={place[-1]} y={place[-2]}" for place in places[:4])
        more = f" and {len(places) - 4:,} more" if len(places) > 4 else ""
        text = f"relax: {pluralize(len(places), 'pattern')} not in any sample, at {shown}{more}"
        warnings.warn(text, stacklevel=2)
    required = solver.p.min_coverage
    if solver.coverages and solver.coverages[-1] < required:
        text = f"min_coverage: {solver.coverages[-1]:.0%} of the patterns occur, {required:.0%} are required"
        warnings.warn(text, stacklevel=2)
    tiles = np.maximum(0, cells)
    return site.map(
        tiles,
        numbers={**numbers, "broken": float(len(places)), **measure_sample_use(tiles, solver.p.training)},
        markers=[Marker("broken", place[-1], place[-2], sum(place[:-2])) for place in places[:MAX_MARKERS]],
    )


def _check_user_constraints(solver: Solver, cells: Cells) -> None:
    """Raise GaveUp if a user constraint bans a tile of the map."""
    if not solver.p.constraints:
        return
    view = FinishedView(solver.wave, cells)
    for constraint in solver.p.constraints:
        for tile, banned in constraint.find_bans(view):
            if (banned & (cells == tile)).any():
                name = f"constraints: {constraint.constraint.name}"
                raise GaveUp(f"{name}: could not be satisfied even with relax", tries=solver.restarts + 1)


def find_broken_patterns(wave: Wave, cells: Cells) -> NDArray[np.bool_]:
    """Return (wave cell,) whether the block that starts at the cell is not in the pattern set; -1 is an unknown tile.

    For patterns of one cell, return whether the tile and the next tile along one of the axes may not be neighbors.
    """
    pattern_set, topology = wave.pattern_set, wave.topology
    if pattern_set.size > 1:
        coding = Coding(pattern_set.size, pattern_set.axes, pattern_set.tiles + 1)
        known = (pattern_set.patterns.astype(np.uint64) * coding.multipliers).sum(axis=1, dtype=np.uint64)
        coded = np.where(cells < 0, pattern_set.tiles, cells)
        keys = coding.keys(pad_map(coded, pattern_set.size, topology.wrap))
        return ~np.isin(keys.reshape(-1), known)
    flat = cells.reshape(-1)
    wrong = flat < 0
    for direction in range(pattern_set.axes, 2 * pattern_set.axes):
        other = topology.neighbors[:, direction]
        wrong |= (other >= 0) & ~pattern_set.may_adjoin(flat, flat[other], direction)
    return wrong


def _fill_cells(wave: Wave, constraints: Constraints) -> Cells:
    """Return (map cell,) tiles. An undecided cell gets the tile that fits most of the blocks around it.

    After a contradiction before the first choice, no cell counts as decided, and only the tile constraints apply.
    """
    pattern_set, topology = wave.pattern_set, wave.topology
    tiles = wave.to_tiles().reshape(-1)
    failed = wave.contradiction >= 0
    known = (wave.cells["count"][topology.owners] == 1) & (not failed)
    limited: dict[int, tuple[int, ...]] = {}
    for constraint in constraints.tile_constraints if failed else ():
        limited |= dict.fromkeys(constraint.cells.tolist(), constraint.tiles)
    for cell in np.flatnonzero(~known).tolist():
        fit = np.zeros(pattern_set.tiles)
        for may in _find_fitting_tiles(wave, cell, tiles, known):
            fit[may] += 1.0
        domain = pattern_set.full if failed else wave.base_domains[topology.owners[cell]]
        base = unpack_bits(domain, len(pattern_set)) == 1
        place = pattern_set.patterns[:, topology.offsets[cell]]
        common = np.bincount(place[base], weights=pattern_set.weights[base], minlength=pattern_set.tiles)
        if cell in limited:
            common *= np.isin(np.arange(pattern_set.tiles), limited[cell])
        tiles[cell] = int(np.where(common > 0, fit + common / (common.sum() + 1.0), -1.0).argmax())
        known[cell] = True
    return tiles


def _find_fitting_tiles(wave: Wave, cell: int, tiles: Cells, known: NDArray[np.bool_]) -> Iterator[Cells]:
    """Yield, for every block that contains a cell, the tiles with which its known cells match a pattern."""
    pattern_set, topology = wave.pattern_set, wave.topology
    if pattern_set.size == 1:
        for direction, other in enumerate(topology.neighbors[cell].tolist()):
            if other >= 0 and known[other]:
                opposite = (direction + pattern_set.axes) % (2 * pattern_set.axes)
                yield pattern_set.find_neighbors(int(tiles[other]), opposite).astype(np.int64)
        return
    at = np.array(np.unravel_index(cell, topology.shape))
    steps = np.array(list(np.ndindex(*(pattern_set.size,) * pattern_set.axes)))
    for place, step in enumerate(steps):
        first = at - step
        wraps = np.array(topology.wrap)
        first = np.where(wraps, first % topology.shape, first)
        if (first < 0).any() or (first >= topology.wave_shape).any():
            continue
        block = np.ravel_multi_index(tuple(((first + steps) % topology.shape).T), topology.shape)
        is_known = known[block]
        matches = (pattern_set.patterns[:, is_known] == tiles[block[is_known]]).all(axis=1)
        yield np.unique(pattern_set.patterns[matches, place])


def _is_satisfied(constraint: GlobalConstraint, tiles: Cells, around: NDArray[np.int32]) -> bool:
    """Return whether a finished map satisfies a global constraint."""
    has = np.isin(tiles, constraint.tiles)
    if constraint.kind == COUNTED:
        return constraint.minimum <= int(has.sum()) <= constraint.maximum
    wanted = list(constraint.ends) if constraint.kind == PATH else np.flatnonzero(has).tolist()
    if not wanted:
        return True
    if not has[wanted].all():
        return False
    reached, front = {wanted[0]}, [wanted[0]]
    while front:
        beside = [other for other in around[front.pop()].tolist() if other >= 0 and has[other] and other not in reached]
        reached.update(beside)
        front += beside
    return reached.issuperset(wanted)
