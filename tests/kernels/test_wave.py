"""Waves: propagation equals a plain arc-consistency solver, and no constraint bans tiles of a valid map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.core.tile_counts import MAX_COUNT
from tilewright.generators._wfc import wave as wave_module
from tilewright.generators._wfc.pattern_set import PatternSet, from_pairs, pack_bits, unpack_bits
from tilewright.generators._wfc.topology import Topology
from tilewright.generators._wfc.wave import DONE, STUCK, GlobalConstraint, TileConstraint, Wave
from tilewright.kernels.global_constraints import COUNTED, PATH, REGION

Domains = list[set[int]]


# -- plain versions ---------------------------------------------------------------------------------------------


def plain_fixpoint(domains: Domains, fits: NDArray[np.bool_], topology: Topology) -> bool:
    """Remove tiles without support until all have support; return whether every cell has a tile left."""
    axes, changed = topology.axes, True
    while changed:
        changed = False
        for cell, around in enumerate(topology.neighbors.tolist()):
            for direction, other in enumerate(around):
                if other < 0:
                    continue
                along = fits[direction % axes]
                lacking = {
                    tile
                    for tile in domains[cell]
                    if not any(
                        along[there, tile] if direction < axes else along[tile, there] for there in domains[other]
                    )
                }
                if lacking:
                    domains[cell] -= lacking
                    changed = True
    return all(domains)


def fits_everywhere(tiles: Sequence[int], fits: NDArray[np.bool_], topology: Topology) -> bool:
    return all(
        other < 0 or fits[direction, tiles[cell], tiles[other]]
        for cell, around in enumerate(topology.neighbors[:, topology.axes :].tolist())
        for direction, other in enumerate(around)
    )


def is_satisfied(tiles: Sequence[int], constraint: GlobalConstraint, topology: Topology) -> bool:
    has = {cell for cell, tile in enumerate(tiles) if tile in constraint.tiles}
    if constraint.kind == COUNTED:
        return constraint.minimum <= len(has) <= constraint.maximum
    wanted = set(constraint.ends) if constraint.kind == PATH else has
    if not wanted <= has:
        return False
    reached = {min(wanted)} if wanted else set()
    while True:
        more = {other for cell in reached for other in topology.map_neighbors[cell].tolist() if other in has} - reached
        if not more:
            return wanted <= reached
        reached |= more


def iter_valid_maps(
    fits: NDArray[np.bool_], global_constraints: Sequence[GlobalConstraint], topology: Topology
) -> Iterator[tuple[int, ...]]:
    for tiles in product(range(fits.shape[1]), repeat=topology.cells):
        if fits_everywhere(tiles, fits, topology) and all(
            is_satisfied(tiles, constraint, topology) for constraint in global_constraints
        ):
            yield tiles


# -- helpers ----------------------------------------------------------------------------------------------------


def read_domains(wave: Wave) -> Domains:
    return [set(np.flatnonzero(row).tolist()) for row in unpack_bits(wave.domains, len(wave.pattern_set))]


def random_pattern_set(
    source: np.random.Generator, tiles: int, share: float, axes: int = 2
) -> tuple[PatternSet, NDArray[np.bool_]]:
    fits = source.random((axes, tiles, tiles)) < share
    return from_pairs(fits, source.integers(1, 9, tiles)), fits


def check_cells(wave: Wave) -> None:
    """Assert that counts and weights match the domains, and that the heap holds all undecided cells in order."""
    bits, cells = unpack_bits(wave.domains, len(wave.pattern_set)).astype(np.int64), wave.cells
    assert cells["count"].tolist() == bits.sum(axis=1).tolist()
    assert cells["weight"].tolist() == (bits @ wave.pattern_set.weights).tolist()
    assert cells["sum_w_log_w"].tolist() == (bits @ wave.pattern_set.w_log_w).tolist()
    heap = wave.arrays.heap[: wave.undecided]
    assert sorted(heap["cell"].tolist()) == np.flatnonzero(bits.sum(axis=1) > 1).tolist()
    assert all(heap["key"][(place - 1) // 2] <= heap["key"][place] for place in range(1, len(heap)))
    assert cells["heap_place"][heap["cell"]].tolist() == list(range(len(heap)))
    assert not wave.arrays.removed.any()
    assert not cells["removed_count"].any()
    assert not cells["pending"].any()


def test_sets_are_packed_and_unpacked() -> None:
    sets = np.random.default_rng(1).random((3, 5, 130)) < 0.5
    assert np.array_equal(unpack_bits(pack_bits(sets), 130).astype(bool), sets)


# -- propagation ------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    some.integers(0, 1 << 30),
    some.sampled_from([2, 3, 7, 63, 64, 65, 130]),
    some.sampled_from([(1, 1), (1, 5), (4, 1), (2, 2), (3, 4), (5, 5), (2, 2, 3)]),
    some.tuples(some.booleans(), some.booleans(), some.booleans()),
    some.sampled_from(["bits", "lists"]),
)
def test_propagation_equals_the_plain_solver(
    seed: int, tiles: int, shape: tuple[int, ...], wrap: tuple[bool, ...], neighbors: str
) -> None:
    """After every constraint; a constraint that leads to a contradiction is undone."""
    source = np.random.default_rng(seed)
    pattern_set, fits = random_pattern_set(source, tiles, source.uniform(1.5, 5.0) / tiles, len(shape))
    topology = Topology(shape, wrap[: len(shape)], 1)
    with patch.object(wave_module, "MAX_BIT_WORDS", 0 if neighbors == "lists" else 99):
        wave = Wave(pattern_set, topology)
    assert (len(wave.rules.lists) > 0) == (neighbors == "lists")
    wrappable = np.flatnonzero(pattern_set.find_wrappable(topology.shape, topology.wrap)).tolist()
    domains: Domains = [set(wrappable) for _ in range(topology.cells)]
    possible = plain_fixpoint(domains, fits, topology)
    assert (wave.contradiction < 0) == possible
    if not possible:
        return
    assert read_domains(wave) == domains
    wave.restart()
    for _ in range(6):
        cell, tile = int(source.integers(topology.cells)), sorted(domains[0])[0]
        tile = int(source.choice(sorted(domains[cell])))
        keep = {tile, int(source.integers(tiles))}
        narrowed = [own & keep if number == cell else set(own) for number, own in enumerate(domains)]
        possible = plain_fixpoint(narrowed, fits, topology)
        assert wave.place_required(cell, sorted(keep)) == possible
        domains = narrowed if possible else domains
        assert read_domains(wave) == domains
        check_cells(wave)


@settings(max_examples=40, deadline=None)
@given(some.integers(0, 1 << 30), some.sampled_from(["entropy", "constrained", "scanline"]), some.booleans())
def test_decided_cells_fit_and_blocks_change_nothing(seed: int, heuristic: str, wrap: bool) -> None:
    source = np.random.default_rng(seed)
    pattern_set, fits = random_pattern_set(source, 9, 0.55)
    topology = Topology((7, 6), (wrap, wrap), 1)
    results = []
    for block in (1, 5, 1000):
        wave = Wave(pattern_set, topology, heuristic=heuristic, noise=Rng.of(seed).child("noise"), max_backtracks=30)
        if wave.contradiction >= 0:
            return
        wave.restart()
        rng, status = Rng.of(seed), None
        while status not in (DONE, STUCK):
            status = wave.collapse(rng, block)
            check_cells(wave)
        results.append((status, wave.to_tiles().tolist()))
        if status == DONE:
            assert fits_everywhere(wave.to_tiles().reshape(-1).tolist(), fits, topology)
        domains = read_domains(wave)
        assert plain_fixpoint(domains, fits, topology)
        assert read_domains(wave) == domains, "propagation is incomplete"
    assert all(result == results[0] for result in results)


@settings(max_examples=40, deadline=None)
@given(some.integers(0, 1 << 30), some.integers(0, 3))
def test_a_reopened_region_fits_its_surroundings(seed: int, radius: int) -> None:
    source = np.random.default_rng(seed)
    pattern_set, fits = random_pattern_set(source, 8, 0.6)
    topology = Topology((8, 8), (False, True), 1)
    wave = Wave(pattern_set, topology, noise=Rng.of(seed), max_backtracks=5)
    if wave.contradiction >= 0:
        return
    wave.restart()
    wave.collapse(Rng.of(seed), 20)
    cell = int(source.integers(topology.cells))
    domains = read_domains(wave)
    base = [set(np.flatnonzero(row).tolist()) for row in unpack_bits(wave.base_domains, len(pattern_set))]
    inner, outer = set(topology.box(cell, radius).tolist()), set(topology.box(cell, radius + 2).tolist())
    for number in outer:
        if number in inner or len(domains[number]) != 1:
            domains[number] = base[number]
    wave.state.contradiction = cell
    possible = plain_fixpoint(domains, fits, topology)
    assert wave.reopen(radius, 2) == possible
    if possible:
        assert read_domains(wave) == domains
        check_cells(wave)


def test_a_map_with_more_changes_than_the_trail_holds() -> None:
    """The map is valid although the trail was overwritten."""
    chain = np.zeros((2, 40, 40), dtype=bool)
    chain[:, range(39), range(1, 40)] = True
    chain[:, 39, 39] = chain[:, 0, 0] = True
    wave = Wave(from_pairs(chain, np.ones(40, dtype=np.int64)), Topology((30, 30), (False, False), 1), max_backtracks=0)
    wave.restart()
    while wave.collapse(Rng.of(1), 1) not in (DONE, STUCK):
        pass
    tiles = wave.to_tiles()
    if wave.undecided == 0:
        assert fits_everywhere(tiles.reshape(-1).tolist(), chain, wave.topology)


# -- constraints ------------------------------------------------------------------------------------------------


def random_constraints(source: np.random.Generator, tiles: int, cells: int) -> list[GlobalConstraint]:
    global_constraints = []
    for kind in source.permutation([COUNTED, REGION, PATH])[: source.integers(1, 3)].tolist():
        own = tuple(source.permutation(tiles)[: source.integers(1, tiles)].tolist())
        if kind == COUNTED:
            minimum = int(source.integers(0, cells))
            maximum = int(source.choice([minimum, minimum + 1, MAX_COUNT]))
            global_constraints.append(GlobalConstraint(kind, own, "counts", minimum, maximum))
        elif kind == REGION:
            global_constraints.append(GlobalConstraint(kind, own, "connected"))
        else:
            global_constraints.append(
                GlobalConstraint(kind, own, "paths", ends=tuple(source.choice(cells, 2).tolist()))
            )
    return global_constraints


@settings(max_examples=80, deadline=None)
@given(some.integers(0, 1 << 30), some.sampled_from([(2, 3), (3, 3), (1, 6), (4, 2)]), some.booleans())
def test_constraints_ban_no_tile_of_a_valid_map(seed: int, shape: tuple[int, int], wrap: bool) -> None:
    """Compare with all valid maps: none of their tiles is banned before the first choice, and one of them is made."""
    source = np.random.default_rng(seed)
    pattern_set, fits = random_pattern_set(source, 3 if shape != (3, 3) else 2, 0.85)
    topology = Topology(shape, (wrap, False), 1)
    global_constraints = random_constraints(source, pattern_set.tiles, topology.cells)
    tile_constraints = [
        TileConstraint(np.array(constraint.ends), constraint.tiles, "paths")
        for constraint in global_constraints
        if constraint.ends
    ]
    every = set(iter_valid_maps(fits, global_constraints, topology))
    wave = Wave(
        pattern_set,
        topology,
        global_constraints=global_constraints,
        tile_constraints=tile_constraints,
        max_backtracks=1000,
        noise=Rng.of(seed),
    )
    if wave.contradiction >= 0:
        assert not every
        return
    possible = read_domains(wave)
    for tiles in every:
        assert all(tile in possible[cell] for cell, tile in enumerate(tiles))
    wave.restart()
    status, rng = None, Rng.of(seed)
    while status not in (DONE, STUCK):
        status = wave.collapse(rng, 1)
    assert (status == DONE) == bool(every), "a complete solver of a tiny map finds a map if there is one"
    if status == DONE:
        assert tuple(wave.to_tiles().reshape(-1).tolist()) in every


@settings(max_examples=80, deadline=None)
@given(some.integers(0, 1 << 30), some.sampled_from([COUNTED, REGION, PATH]), some.booleans())
def test_a_single_constraint_bans_all_impossible_tiles(seed: int, kind: int, wrap: bool) -> None:
    """If all tiles may be neighbors, the domain of a cell is the set of its tiles in all valid maps."""
    source = np.random.default_rng(seed)
    fits = np.ones((2, 2, 2), dtype=bool)
    topology = Topology((3, 4), (wrap, False), 1)
    if kind == COUNTED:
        minimum = int(source.integers(0, 12))
        constraint = GlobalConstraint(kind, (1,), "counts", minimum, int(source.integers(minimum, 13)))
    else:
        ends = tuple(source.choice(12, 2).tolist()) if kind == PATH else ()
        constraint = GlobalConstraint(kind, (1,), "connected", ends=ends)
    given_tiles = source.choice([-1, 0, 1], 12, p=[0.6, 0.25, 0.15])
    tile_constraints = [TileConstraint(np.flatnonzero(given_tiles == tile), (tile,), "locks") for tile in (0, 1)]
    tile_constraints.append(TileConstraint(np.array(constraint.ends, dtype=np.int64), constraint.tiles, "paths"))
    left: Domains = [set() for _ in range(12)]
    for tiles in product((0, 1), repeat=12):
        locks_hold = all(own in (-1, tile) for own, tile in zip(given_tiles.tolist(), tiles, strict=True))
        if locks_hold and is_satisfied(tiles, constraint, topology):
            for cell, tile in enumerate(tiles):
                left[cell].add(tile)
    wave = Wave(
        from_pairs(fits, np.ones(2, dtype=np.int64)),
        topology,
        global_constraints=[constraint],
        tile_constraints=tile_constraints,
    )
    assert (wave.contradiction < 0) == all(left)
    if wave.contradiction < 0:
        assert read_domains(wave) == left


def test_counts_and_regions_of_large_maps() -> None:
    """Connectivity is not checked after every choice, but at the end."""
    fits = np.ones((2, 2, 2), dtype=bool)
    topology = Topology((70, 70), (False, False), 1)
    global_constraints: list[Any] = [
        GlobalConstraint(REGION, (1,), "connected"),
        GlobalConstraint(COUNTED, (1,), "counts", 900, 1000),
    ]
    wave = Wave(
        from_pairs(fits, np.array([3, 1])),
        topology,
        global_constraints=global_constraints,
        max_backtracks=2000,
        noise=Rng.of(5),
    )
    wave.restart()
    assert wave.check_interval > 1
    while (status := wave.collapse(Rng.of(3), 100)) not in (DONE, STUCK):
        pass
    if status == DONE:
        tiles = wave.to_tiles().reshape(-1).tolist()
        assert all(is_satisfied(tiles, constraint, topology) for constraint in global_constraints)
