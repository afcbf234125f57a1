"""Relaxation: complete an unsolved map with patterns that no sample contains, and mark them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding, pad_map
from ...analysis.sample_use import measure_sample_use
from ...core.errors import GaveUp, pluralize
from ...core.site import Site
from ...core.tilemap import Marker, TileMap
from ...kernels.global_constraints import COUNTED, PATH
from .constraints import LOCKS, Constraints
from .pattern_set import unpack_bits
from .solver import Solver
from .user_constraints import FinishedView
from .wave import GlobalConstraint, Wave

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
    limited = (
        {int(cell): constraint.tiles for constraint in constraints.tile_constraints for cell in constraint.cells}
        if failed
        else {}
    )
    for cell in np.flatnonzero(~known).tolist():
        fit = np.zeros(pattern_set.tiles)
        for may in _find_fitting_tiles(wave, cell, tiles, known):
            fit[may] += 1.0
        base = (
            unpack_bits(pattern_set.full if failed else wave.base_domains[topology.owners[cell]], len(pattern_set)) == 1
        )
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
