"""Labels of regions against SciPy's, which have the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from tilewright.analysis.regions import Directions, regions_of


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("directions", [4, 8])
def test_equal_those_of_scipy(axes: int, directions: Directions) -> None:
    structure = ndimage.generate_binary_structure(axes, 1 if directions == 4 else axes)
    for seed in range(1000):
        random = np.random.default_rng(seed)
        mask = random.random(random.integers(1, 16 if axes == 2 else 8, axes)) < random.random()
        expected, count = ndimage.label(mask, structure)
        found = regions_of(mask, directions)
        assert found.labels.dtype == np.int32
        assert np.array_equal(found.labels, expected), seed
        assert found.sizes.tolist() == [0, *np.bincount(expected.reshape(-1), minlength=count + 1)[1:]], seed


def test_spirals_and_combs_merge_many_labels() -> None:
    comb = np.zeros((400, 401), dtype=np.bool_)
    comb[:, ::2] = True
    assert regions_of(comb).count == 201
    comb[-1] = True
    assert regions_of(comb).sizes.tolist() == [0, int(comb.sum())]
    assert regions_of(comb[::-1].T.copy()).count == 1


def test_views_and_read_only_masks() -> None:
    mask = np.random.default_rng(1).random((40, 60)) < 0.5
    expected = regions_of(mask[::2, ::-3].copy())
    mask.flags.writeable = False
    found = regions_of(mask[::2, ::-3])
    assert np.array_equal(found.labels, expected.labels)
    assert regions_of(mask).count == ndimage.label(mask)[1]
