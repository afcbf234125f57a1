"""Breeding: solutions from picked ones."""

from __future__ import annotations

import numpy as np

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.search.breeding import breed
from tilewright.search.genome import Genome


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
