"""Optimizers: updated counts are correct, locks hold, blocks change nothing, and the best map is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.kernels.counters import check, kinds, make_counter
from tilewright.core.seeds import Rng
from tilewright.generators._patterns.pattern_counter import PatternCounter
from tilewright.kernels.optimizers import MAX_REDRAWS


def run_optimizer(counter: PatternCounter, optimiser: str, seed: int, steps: int, *, noise: float = 0.0) -> None:
    if optimiser == "annealing":
        for reached in counter.anneal(Rng.of(seed), 0, steps, steps):
            assert reached <= steps
    else:
        counter.evolve(Rng.of(seed), 0, steps, noise=noise, crossing=0.4 if optimiser == "genetic" else 0.0)


@pytest.mark.parametrize("optimiser", ["annealing", "evolution", "genetic"])
@settings(max_examples=80)
@given(kind=kinds(), members=some.integers(1, 4), seed=some.integers(0, 1000), noise=some.sampled_from((0.0, 0.05, 5)))
def test_counts_are_updated(optimiser: str, kind: dict[str, Any], members: int, seed: int, noise: float) -> None:
    """Values are exact to 1e-9, with locks, wraps, edges, levels and several sizes; frozen cells do not change."""
    counter = make_counter(**kind | {"members": members})
    before = [counter.tiles(member).copy() for member in range(members)]
    frozen = counter.frozen.reshape(counter.grid.padded_shape)[counter.grid.inner] == 1
    run_optimizer(counter, optimiser, seed, 400, noise=noise)
    check(counter)
    for member in range(members):
        assert np.array_equal(counter.tiles(member)[frozen], before[member][frozen])
        assert not (counter.tiles(member)[~frozen] >= counter.target.tiles).any()


@pytest.mark.parametrize("optimiser", ["annealing", "evolution", "genetic"])
@pytest.mark.parametrize("tiles", [3, 40])
def test_counts_are_updated_over_many_steps(optimiser: str, tiles: int) -> None:
    counter = make_counter(5, tiles=tiles, sizes=(2, 3), side=12, wrap=(True, False), members=2, times=2)
    run_optimizer(counter, optimiser, 1, 200_000 if optimiser == "annealing" else 20_000, noise=0.02)
    check(counter)


@pytest.mark.parametrize(("side", "size", "times"), [(2, 2, 1), (3, 3, 1), (4, 3, 20), (30, 2, 20)])
def test_many_tiles_on_small_maps_do_not_use_up_the_slots(side: int, size: int, times: int) -> None:
    """Slots of patterns that no longer occur are freed before a step could need more than there are."""
    counter = make_counter(1, tiles=60, sizes=(size,), side=side, wrap=(True, True), times=times)
    assert [*counter.anneal(Rng.of(1), 0, 3000, 3000)] == [3000]
    counter.evolve(Rng.of(1), 0, 1000, noise=10.0, crossing=0.0)
    check(counter)


@pytest.mark.parametrize("optimiser", ["annealing", "evolution", "genetic"])
@pytest.mark.parametrize("tiles", [3, 40])
def test_blocks_change_nothing(optimiser: str, tiles: int) -> None:
    one, other = (make_counter(2, tiles=tiles, sizes=(3,), side=9, members=3) for _ in range(2))
    run_optimizer(one, optimiser, 4, 300, noise=0.1)
    rng, first = Rng.of(4), 0
    for last in (1, 2, 63, 64, 65, 200, 300):
        if optimiser == "annealing":
            assert [*other.anneal(rng, first, last, 300)][-1] == last
        else:
            other.evolve(rng, first, last, noise=0.1, crossing=0.4 if optimiser == "genetic" else 0.0)
        first = last
    assert np.array_equal(one.cells, other.cells)
    assert one.values == pytest.approx(other.values, abs=1e-12)


@pytest.mark.parametrize("members", [1, 2, 5])
@pytest.mark.parametrize("crossing", [0.0, 0.5])
def test_without_noise_the_best_never_gets_worse(members: int, crossing: float) -> None:
    counter, rng = make_counter(3, sizes=(2,), side=10, members=members), Rng.of(1)
    best, worst = counter.value, counter.values.max()
    for step in range(400):
        counter.evolve(rng, step, step + 1, noise=0.0, crossing=crossing)
        assert counter.value <= best
        assert counter.values.max() <= worst
        best, worst = counter.value, counter.values.max()


@pytest.mark.parametrize("members", [1, 2, 3])
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_evolution_equals_a_plain_one(members: int, times: int, noise: float) -> None:
    """Rank selection, stamps and survival, with lists and complete recounts, and the same random stream."""
    counter = make_counter(4, tiles=3, sizes=(2,), side=6, members=members, times=times, locked=0.1)
    maps = [counter.tiles(member).copy() for member in range(members)]
    stamps, _ = counter.target.list_stamps(0)
    frozen = counter.frozen.reshape(counter.grid.padded_shape)[counter.grid.inner] == 1
    rng = Rng.of(9)
    counter.evolve(Rng.of(9), 0, 60, noise=noise, crossing=0.0)

    def value(tiles: Any) -> float:
        single = PatternCounter(counter.target, [tiles], wrap=counter.grid.wrap, weight=counter.weight, frozen=frozen)
        return single.value

    for _ in range(60):
        values = [round(value(tiles), 9) for tiles in maps]
        ranked = sorted(range(members), key=lambda member: values[member])
        children, parents = [], []
        for _ in range(members):
            parent = 0
            if members > 1:
                chances = [member for rank, member in enumerate(ranked) for _ in range(members - rank)]
                parent = chances[rng.below(len(chances))]
            child = maps[parent].copy()
            for _ in range(1 + rng.below(times)):
                for _ in range(MAX_REDRAWS):
                    row, column = divmod(rng.below(25), 5)
                    stamp = stamps[rng.below(len(stamps))].reshape(2, 2)
                    here = child[row : row + 2, column : column + 2]
                    new = np.where(frozen[row : row + 2, column : column + 2], here, stamp)
                    if not np.array_equal(here, new):
                        here[...] = new
                        break
            if members == 1:
                allowed = noise * (rng.random() - rng.random()) if noise > 0 else 0.0
                if value(child) - values[0] <= allowed + 1e-9:
                    maps[0] = child
            children.append(child)
            parents.append(parent)
        if members > 1:
            every = [*children, *maps]
            marks = [round(value(tiles), 9) + (noise * rng.random() if noise > 0 else 0.0) for tiles in every]
            order = sorted(range(2 * members), key=lambda one: marks[one])[:members]
            places: dict[int, Any] = {one - members: every[one] for one in order if one >= members}
            left = []
            for one in order:  # the first of equals ranks higher, so places matter
                if one < members and parents[one] not in places:
                    places[parents[one]] = every[one]
                elif one < members:
                    left.append(every[one])
            for tiles in left:
                places[min(set(range(members)) - set(places))] = tiles
            maps = [places[member] for member in range(members)]
    for member in range(members):
        assert np.array_equal(counter.tiles(member), maps[member])


def test_children_win_ties() -> None:
    """A map with many equally good variants keeps changing."""
    counter = make_counter(4, tiles=2, sizes=(2,), side=12)
    run_optimizer(counter, "evolution", 1, 20_000)
    before, value = counter.tiles().copy(), counter.value
    run_optimizer(counter, "evolution", 2, 2_000)
    assert counter.value <= value + 1e-12
    assert not np.array_equal(before, counter.tiles())


@pytest.mark.parametrize("optimiser", ["annealing", "evolution", "genetic"])
def test_maps_get_closer_to_the_samples(optimiser: str) -> None:
    counter = make_counter(6, tiles=3, sizes=(2,), side=20, members=2)
    before = counter.values.copy()
    run_optimizer(counter, optimiser, 1, 40_000 if optimiser == "annealing" else 4_000)
    assert counter.values[0] < before[0] / 3
