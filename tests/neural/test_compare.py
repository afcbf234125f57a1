"""`tw.compare` with networks."""

from __future__ import annotations

import tilewright as tw

QUICK = {"steps": 3, "features": 8, "device": "cpu"}


def test_networks_take_part() -> None:
    settings = {"gan": QUICK, "elsgan": {**QUICK, "generations": 2, "offspring": 4}}
    first, second = (
        tw.compare("dungeon", techniques=["gan", "elsgan"], width=12, height=10, count=2, seed=1, settings=settings)
        for _ in range(2)
    )
    for name in ("gan", "elsgan"):
        row = first[name]
        assert (row.failures, row.smallest_input, row.problem) == (0, 8, "")
        assert row.divergences_new == second[name].divergences_new
        assert [map.cells.shape for map in first.maps[name]] == [(10, 12)] * 2


def test_too_small_samples_have_a_row_with_the_reason() -> None:
    found = tw.compare("weave", techniques=["markov", "gan"], count=1, seed=1, settings={"gan": QUICK})
    assert (
        found["gan"].problem == "sample: weave of 4x4 cells is too small; the GAN learns patches of 8x8 cells or more"
    )
    assert not found["markov"].problem
