"""Voronoi regions compared with a nearest-neighbor query of SciPy's k-d tree for the same points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.generators._voronoi.diagram import Diagram

from .row import Row, best_times

SIZE = 1000
SPACING = 16


def rows() -> Iterator[Row]:
    diagram = Diagram(((SIZE, SIZE), (0, 0)), Rng.of(7).level_key(), spacing=SPACING, metric=0, jitter=1.0, margin=2)
    list(diagram.scatter_points())
    points = diagram.locate_points()
    ours, peer = diagram.find_owners(0, SIZE), query_tree(points)
    assert (ours == peer).mean() > 0.999, "peers must agree, except for equally near points"
    make = partial(tw.make, "voronoi", width=SIZE, height=SIZE, spacing=SPACING, seed=7)
    work = (partial(diagram.find_owners, 0, SIZE), partial(make, relax=0), make, partial(make, mode="walls"))
    kernel, plain, relaxed, walls, other = best_times(*work, partial(query_tree, points), rounds=5)
    what = f"voronoi {SIZE}x{SIZE}, spacing {SPACING}"
    common = {"unit": "ms", "peer": other * 1e3, "peer_name": "scipy's cKDTree.query"}
    yield Row(what=f"{what}, nearest point", ours=kernel * 1e3, at_least=5, **common)  # type: ignore[arg-type]
    yield Row(what=f"{what}, tw.make without relaxation", ours=plain * 1e3, **common)  # type: ignore[arg-type]
    yield Row(what=f"{what}, tw.make", ours=relaxed * 1e3, **common)  # type: ignore[arg-type]
    yield Row(what=f"{what}, tw.make with walls", ours=walls * 1e3, **common)  # type: ignore[arg-type]


def query_tree(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the nearest point of each cell, in one query."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] + 0.5
    nearest: NDArray[np.intp] = cKDTree(points).query(np.stack([x, y], axis=-1).reshape(-1, 2))[1].reshape(SIZE, SIZE)
    return nearest
