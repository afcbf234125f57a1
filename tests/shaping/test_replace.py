"""Replace: one tile in place of another."""

from __future__ import annotations

import numpy as np

import tilewright as tw

BASE = tw.make("caves", width=60, height=40, seed=2)


def test_everywhere() -> None:
    after = tw.shape(BASE, "replace", tile="wall", by="water")
    assert np.array_equal(after.where("water"), BASE.where("wall"))
    assert np.array_equal(after.where("floor"), BASE.where("floor"))


def test_two_tiles_can_be_swapped() -> None:
    swapped = tw.shape(BASE, "replace", pairs=[["wall", "floor"], ["floor", "wall"]])
    assert np.array_equal(swapped.where("wall"), BASE.where("floor"))
    assert tw.shape(BASE, "replace", tile="wall", by="floor", pairs=[["floor", "wall"]]) == swapped


def test_a_fraction_depends_only_on_seed_and_position() -> None:
    few, many = (tw.shape(BASE, "replace", tile="wall", by="ore", share=share).where("ore") for share in (0.2, 0.7))
    walls = BASE.where("wall")
    assert not (few & ~many).any()
    assert 0.15 < few.sum() / walls.sum() < 0.25
    assert 0.65 < many.sum() / walls.sum() < 0.75
    other = tw.make(
        "caves",
        width=30,
        height=40,
        walls=1,
        seed=2,
        shaping=[{"replace": {"tile": "wall", "by": "ore", "share": 0.2}}],
    )
    both = walls[:, :30]
    assert np.array_equal(other.where("ore")[both], few[:, :30][both])
    assert tw.shape(BASE, "replace", tile="wall", by="ore", share=0) == BASE
