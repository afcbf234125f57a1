"""Cache of what is learned from samples: its size is bounded."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
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


# -- other caches -------------------------------------------------------------------------------------------------

MAX_VALUES = 4
BOUNDED = read_table(__file__, "caches by what bounds their size")
"""Modules and functions with caches of more values than `MAX_VALUES`, by what bounds their size."""
SOURCE = Path(tw.__file__).parent


def iter_caches() -> Iterator[tuple[Path, str]]:
    """Yield the file and name of all functions that functools caches, except those that hold few values.

    A function without arguments has one value, and a function of a class has one for each class of the package.
    """
    for path in SOURCE.rglob("*.py"):
        module = path.parent.name if path.stem == "__init__" else path.stem
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "cache" in text else ():
            if isinstance(node, ast.FunctionDef) and any(map(is_cache, node.decorator_list)):
                kinds = [ast.unparse(argument.annotation) for argument in node.args.args if argument.annotation]
                if not all(kind.startswith("type[") for kind in kinds) and not any(map(is_small, node.decorator_list)):
                    yield path, f"{module}.{node.name}"
            elif isinstance(node, ast.Assign) and is_cache(node.value):
                yield path, f"{module}.{ast.unparse(node.targets[0])}"


def is_cache(node: ast.expr) -> bool:
    while isinstance(node, ast.Call):
        node = node.func
    return ast.unparse(node).removeprefix("functools.") in ("cache", "lru_cache")


def is_small(node: ast.expr) -> bool:
    return ast.unparse(node) in {f"lru_cache(maxsize={count})" for count in range(1, MAX_VALUES + 1)}


def test_caches_that_are_not_bounded_by_size_hold_little() -> None:
    """Values of any size belong into the cache that is bounded by its size."""
    bounded = {name for names in BOUNDED.values() for name in names}
    caches = [*iter_caches()]
    compiled = {name for path, name in caches if path.parent.name == "gpu"} - bounded
    assert all(name.rpartition(".")[2].startswith(("build_", "port", "unfuse")) for name in compiled)
    assert {name for _, name in caches} - compiled == bounded


def count_held_bytes() -> int:
    """Return the approximate size of everything that caches of functools hold for modules of Tilewright."""
    total = 0
    for one in gc.get_objects():
        if type(one).__name__ == "_lru_cache_wrapper" and one.__module__.startswith("tilewright."):
            total += count_bytes(gc.get_referents(one))
    return total


def test_new_samples_stay_within_the_bound() -> None:
    """Each sample of 120x120 cells makes indexes of several megabytes."""
    rng = np.random.default_rng(1)
    before = None
    for _ in range(5):
        rows = ["".join(row) for row in rng.choice(list("#.~"), (120, 120)).tolist()]
        tw.make("patterns", sample=rows, width=12, height=12, iterations=200, seed=1)
        before = count_held_bytes() if before is None else before
    assert before is not None
    assert count_held_bytes() - before < 1_000_000
    assert caching.shared_cache.count_bytes() < 1.5 * caching.MAX_CACHED_BYTES
