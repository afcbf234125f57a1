"""Maximum flows and minimum cuts against SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csgraph, csr_matrix

from tilewright.kernels.flow import saturate


def test_flow_and_cut_equal_those_of_scipy() -> None:
    for seed in range(1500):
        random = np.random.default_rng(seed)
        nodes = int(random.integers(2, 14))
        capacities = random.integers(1, 1 << int(random.integers(1, 25)), (nodes, nodes))
        capacities *= random.random((nodes, nodes)) < random.random()
        np.fill_diagonal(capacities, 0)
        source, sink = random.permutation(nodes)[:2].tolist()
        tails, heads = (places.copy() for places in np.nonzero(capacities + capacities.T))
        starts = np.searchsorted(tails, np.arange(nodes + 1))
        opposites = np.searchsorted(tails * nodes + heads, heads * nodes + tails)
        rest, depths = capacities[tails, heads], np.empty(nodes, dtype=np.int64)
        amount = saturate(starts, heads, opposites, rest, source, sink, depths)
        expected = csgraph.maximum_flow(csr_matrix(capacities.astype(np.int32)), source, sink)
        assert amount == expected.flow_value, seed
        behind = depths < 0
        left = capacities - expected.flow.toarray()
        reached = csgraph.breadth_first_order(csr_matrix(np.maximum(left, 0)), source, return_predecessors=False)
        assert {*np.flatnonzero(~behind).tolist()} == {*reached.tolist()}, seed
        assert capacities[np.ix_(~behind, behind)].sum() == amount, seed
        assert (rest >= 0).all()
        flow = np.zeros((nodes, nodes), dtype=np.int64)
        flow[tails, heads] = capacities[tails, heads] - rest
        inner = [node for node in range(nodes) if node not in (source, sink)]
        assert not flow.sum(axis=1)[inner].any()
