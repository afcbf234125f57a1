"""Emitters and the bandit, and breeding of solutions from picked ones."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.search.emitters import EMITTERS, Bandit, breed
from tilewright.search.genome import Genome

GENOME = Genome(tw.recipe("caves"), {"walls": (0.3, 0.6), "steps": (0, 8), "outside": None, "seed": "free"})
PARENTS = tw.Rng.of("parents").randoms(40 * GENOME.slots).reshape(40, GENOME.slots)


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
    assert first.parents.max() < len(PARENTS)


@pytest.mark.parametrize("name", EMITTERS)
def test_an_emitter_may_have_no_share_of_a_small_batch(name: str) -> None:
    assert EMITTERS[name](GENOME, PARENTS, 0, tw.Rng.of(1)).units.shape == (0, GENOME.slots)


@pytest.mark.parametrize("name", ["line", "cross"])
def test_genes_without_order_are_copied_or_redrawn_but_never_interpolated(name: str) -> None:
    found = EMITTERS[name](GENOME, PARENTS, 4000, tw.Rng.of(1))
    at = GENOME.names.index("seed")
    seeds = found.units[:, at]
    from_parents = (seeds[:, None] == PARENTS[found.parents, at]).any(axis=1)
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


def make_genome() -> Genome:
    vary = {"walls": (0.3, 0.6), "steps": (0, 12), "outside": ["wall", "floor"], "seed": None}
    return Genome(tw.recipe("caves", width=12, height=8), vary)


def test_the_same_picks_and_stream_breed_the_same_solutions() -> None:
    genome = make_genome()
    picked = Rng.of(3).randoms(2 * genome.slots).reshape(2, -1)
    first = breed(genome, picked, 12, Rng.of(7).child("generation", 1))
    assert (first == breed(genome, picked, 12, Rng.of(7).child("generation", 1))).all()
    assert not (first == breed(genome, picked, 12, Rng.of(7).child("generation", 2))).all()


def test_children_differ_from_their_parents_and_from_each_other() -> None:
    genome = make_genome()
    for count in (1, 2, 5):
        picked = Rng.of(count).randoms(count * genome.slots).reshape(count, -1)
        children = breed(genome, picked, 12, Rng.of(7))
        assert children.shape == (12, genome.slots)
        values = [*genome.decode(picked), *genome.decode(children)]
        assert len(set(values)) == 12 + count


def test_children_inherit_most_genes() -> None:
    genome = make_genome()
    picked = np.array([[0.1, 0.1, 0.1, 0.1], [0.9, 0.9, 0.9, 0.9]])
    children = breed(genome, picked, 200, Rng.of(7))
    inherited = ((children == 0.1) | (children == 0.9)).mean()
    assert 0.5 < inherited < 0.8
    assert {0.1, 0.9} <= set(np.unique(children[:, 0])), "genes of both parents"
    assert (children >= 0).all()
    assert (children < 1).all()


def test_without_picks_solutions_are_random() -> None:
    genome = make_genome()
    children = breed(genome, np.empty((0, genome.slots)), 12, Rng.of(7))
    assert len(np.unique(children)) == children.size


def test_genes_with_few_values_repeat_them() -> None:
    genome = Genome(tw.recipe("caves", width=12, height=8), {"outside": ["wall", "floor"]})
    children = breed(genome, np.array([[0.1]]), 12, Rng.of(7))
    assert {values[0] for values in genome.decode(children)} == {"wall", "floor"}
