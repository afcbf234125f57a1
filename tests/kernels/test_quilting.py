"""Quilting: boxes of the samples that match, without copies."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.counters import check, has_copy
from tests.kernels.test_annealing import make_sample_counter
from tilewright.analysis.patterns import Wrap
from tilewright.core.samples import Samples
from tilewright.core.seeds import Rng
from tilewright.generators._patterns.pattern_counter import BOXES_PER_BLOCK, PatternCounter
from tilewright.generators._patterns.sample_index import find_copy_limit
from tilewright.generators._patterns.target import TargetDistribution


def quilt(counter: PatternCounter) -> None:
    for _ in counter.quilt(Rng.of(3), BOXES_PER_BLOCK):
        pass


@pytest.mark.parametrize("wrap", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize(("name", "size"), [("platforms", 2), ("ruins", 2), ("dungeon", 3)])
def test_a_quilt_is_near_the_samples_and_no_copy(name: str, size: int, wrap: Wrap) -> None:
    counter = make_sample_counter(name, size, wrap=wrap, locked=0.02)
    start, before = counter.tiles(0).copy(), counter.value
    quilt(counter)
    check(counter)
    assert counter.value < before / 2
    frozen = Rng.of(2).cells(start.shape) < 0.02
    assert (counter.tiles(0)[frozen] == start[frozen]).all()
    assert not has_copy(counter.tiles(0), wrap, counter.target.views, find_copy_limit(counter.target))


def test_maps_with_levels_are_quilted() -> None:
    counter = make_sample_counter("keep", 2, side=7, wrap=(False, False, False))
    before = counter.value
    quilt(counter)
    check(counter)
    assert counter.value < before / 2


def test_compared_edges_get_the_edges_of_the_sample() -> None:
    """Except where a box was left out, because it would be a copy."""
    sample = Samples.of("platforms")
    sides = ((True, True), (False, False))
    target = TargetDistribution(sample.maps, len(sample.labels), (2,), (1.0,), (False, False), sides)
    start = target.draw_map((16, 40), Rng.of(1))
    free = np.zeros(start.shape, dtype=np.bool_)
    counter = PatternCounter(target, [start], wrap=(False, False), weight=0.5, frozen=free)
    quilt(counter)
    check(counter)
    for row in (0, -1):
        assert np.isin(counter.tiles(0)[row], sample.maps[0][row]).mean() > 0.8
        assert np.isin(start[row], sample.maps[0][row]).mean() < 0.8
