"""Emitters and the bandit."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.search.emitters import EMITTERS, Bandit, Parents
from tilewright.search.genome import Genome

GENOME = Genome(tw.recipe("caves"), {"walls": (0.3, 0.6), "steps": (0, 8), "outside": None, "seed": "free"})
PARENTS = Parents(tw.Rng.of("parents").randoms(40 * GENOME.slots).reshape(40, GENOME.slots))


@pytest.mark.parametrize("name", EMITTERS)
def test_proposals_are_unit_numbers_that_depend_only_on_the_stream(name: str) -> None:
    first = EMITTERS[name](GENOME, PARENTS, 400, tw.Rng.of(1))
    again = EMITTERS[name](GENOME, PARENTS, 400, tw.Rng.of(1))
    other = EMITTERS[name](GENOME, PARENTS, 400, tw.Rng.of(2))
    np.testing.assert_array_equal(first.units, again.units)
    assert (first.units != other.units).any()
    assert first.units.shape == (400, GENOME.slots)
    assert first.units.min() >= 0
    assert first.units.max() < 1
    assert first.parents.min() >= (0 if name != "random" else -1)
    assert first.parents.max() < len(PARENTS.units)


@pytest.mark.parametrize("name", EMITTERS)
def test_an_emitter_may_have_no_share_of_a_small_batch(name: str) -> None:
    assert EMITTERS[name](GENOME, PARENTS, 0, tw.Rng.of(1)).units.shape == (0, GENOME.slots)


@pytest.mark.parametrize("name", ["line", "cross"])
def test_genes_without_order_are_copied_or_redrawn_but_never_interpolated(name: str) -> None:
    found = EMITTERS[name](GENOME, PARENTS, 4000, tw.Rng.of(1))
    at = GENOME.names.index("seed")
    seeds = found.units[:, at]
    from_parents = (seeds[:, None] == PARENTS.units[found.parents, at]).any(axis=1)
    assert 0.3 < from_parents.mean() < 0.95
    redrawn = seeds[~from_parents]
    assert abs(redrawn.mean() - 0.5) < 0.05  # uniform, so they are not near their parents


def test_the_bandit_prefers_emitters_whose_solutions_become_elites() -> None:
    bandit = Bandit(("random", "line", "cross"))
    assert sum(bandit.divide(512)) == 512
    assert max(bandit.divide(512)) - min(bandit.divide(512)) <= 2
    for _ in range(10):
        counts = bandit.divide(512)
        bandit.learn(counts, [counts[0] // 50, counts[1] // 4, counts[2] // 20])
    counts = bandit.divide(512)
    assert sum(counts) == 512
    assert counts[1] > 400
    assert min(counts) >= 15
