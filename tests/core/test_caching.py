"""Cache of what is learned from samples: its size is bounded."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core import caching
from tilewright.core.caching import SizedCache, cached_by_size, count_bytes


class Growing:
    """A value that becomes larger when it is used."""

    @cached_property
    def table(self) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        return np.zeros(600, dtype=np.uint8)


def test_the_size_of_values_includes_what_they_refer_to() -> None:
    grid = tw.Grid.of(["#." * 50] * 50)
    assert count_bytes(grid) > grid.cells.nbytes
    assert count_bytes({"a": [grid, (grid, "x" * 1000)]}) < 2 * grid.cells.nbytes
    many = [np.zeros(100) for _ in range(10)]
    assert 8000 < count_bytes(many) < 10_000


def test_the_least_recently_used_values_are_dropped() -> None:
    cache = SizedCache(5000)
    for number in range(4):
        cache.get(number, lambda: bytes(1000))
        cache.get(0, lambda: b"")
    assert cache.get(0, lambda: b"other") == bytes(1000)
    assert cache.get(1, lambda: b"new") in (b"new", bytes(1000))
    for number in range(50):
        cache.get(number + 100, lambda: bytes(1000))
    assert cache.count_bytes() <= 5000
    assert cache.get(149, lambda: b"other") == bytes(1000)
    assert cache.get(100, lambda: b"computed again") == b"computed again"


def test_a_value_that_is_too_large_is_not_stored_and_drops_no_other() -> None:
    cache = SizedCache(5000)
    cache.get("small", lambda: b"first")
    assert len(cache.get("large", lambda: bytes(10_000))) == 10_000
    assert cache.get("small", lambda: b"second") == b"first"
    assert cache.get("large", lambda: b"again") == b"again"


def test_values_that_grow_are_counted_again() -> None:
    cache = SizedCache(2000)
    values = [cache.get(number, Growing) for number in range(3)]
    assert [cache.get(number, Growing) for number in range(3)] == values
    for value in values:
        assert value.table.size
    cache.get("next", Growing)
    assert cache.count_bytes() <= 2000


def test_storing_a_value_counts_few_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that uses many samples would otherwise become slower with each of them."""
    counted: list[object] = []

    def count(value: object) -> int:
        counted.append(value)
        return 100

    monkeypatch.setattr(caching, "count_bytes", count)
    cache = SizedCache(50_000)
    for number in range(300):
        cache.get(number, object)
    assert len(counted) <= 300 * (1 + caching.MAX_RECOUNTED)


def test_functions_do_not_share_values() -> None:
    @cached_by_size
    def double(number: int) -> list[int]:
        return [2 * number]

    @cached_by_size
    def triple(number: int) -> list[int]:
        return [3 * number]

    assert double(2) is double(2)
    assert (double(2), triple(2)) == ([4], [6])


@pytest.mark.parametrize("technique", ["wfc", "markov", "patterns"])
def test_many_samples_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch, technique: str) -> None:
    cache = SizedCache(400_000)
    monkeypatch.setattr(caching, "shared_cache", cache)
    rng = np.random.default_rng(1)
    sizes = []
    for _ in range(12):
        rows = ["".join(row) for row in rng.choice(list("#."), (24, 24)).tolist()]
        params: dict[str, Any] = {"width": 6, "height": 6, "sample": rows}
        more = {"iterations": 100} if technique == "patterns" else {}
        tw.run({"technique": technique, "params": {**params, **more}}, seed=1)
        sizes.append(cache.count_bytes())
    # The newest values may grow until the next one is stored. Without a limit, 12 samples take a megabyte.
    assert 0 < max(sizes) <= 700_000
