"""The `@kernel` decorator: lazy, cached on disk, safe with threads and processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright import kernels
from tilewright.kernels import Kernel, bind, kernel, part
from tilewright.kernels.types import Float64_1D, Float64_2D, Int32_1D, Int64_1D, Record, Uint8_1D

PARTS = """
from tilewright.kernels import part

@part
def twice(number):
    return 2 * number
"""
ENTRIES = """
from parts import twice
from tilewright.kernels import kernel, part
from tilewright.kernels.types import Int64_1D

@part
def add(left, right):
    return left + twice(right)

@kernel
def total(numbers: Int64_1D) -> int:
    result = 0
    for number in numbers:
        result = add(result, number)
    return result
"""
RUN = """
import sys
import numpy as np
import numba
from entries import total
before = numba.config.CACHE_DIR
print(total(np.arange(5)), sum(total.compile().stats.cache_hits.values()), numba.config.CACHE_DIR == before)
"""

Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that starts Python in another process with two kernel modules and its own cache."""
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "entries.py").write_text(ENTRIES)

    def start(code: str, *, cache: Path | str = tmp_path / "cache") -> subprocess.Popen[str]:
        path = os.pathsep.join([str(tmp_path), str(Path(kernels.__file__).parents[2])])
        environment = os.environ | {"PYTHONPATH": path, "TILEWRIGHT_CACHE": str(cache)}
        return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)

    return start


def read_output(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output.strip()


def test_importing_kernels_imports_no_numba(run: Run) -> None:
    assert read_output(run("import sys, tilewright.kernels.fashion; print('numba' in sys.modules)")) == "False"


def test_second_process_reads_the_cache(run: Run, tmp_path: Path) -> None:
    assert read_output(run(RUN)) == "20 0 True"
    assert read_output(run(RUN)) == "20 1 True"
    (folder,) = (tmp_path / "cache").iterdir()
    assert (folder / "CACHEDIR.TAG").read_text() == kernels.TAG
    assert not list((tmp_path / "__pycache__").glob("*.nbi"))


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_cache_is_ignored_and_rewritten(kind: str, run: Run, tmp_path: Path) -> None:
    read_output(run(RUN))
    (file,) = (tmp_path / "cache").glob(f"*/*/*.{kind}")
    file.write_bytes(b"")  # as after a power failure
    assert [read_output(run(RUN)) for _ in range(3)] == ["20 0 True", "20 0 True", "20 1 True"]


def test_nothing_is_cached_in_folders_that_are_not_writable(run: Run, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    for cache in ("/proc/nowhere", tmp_path / "parts.py" / "below a file"):
        assert read_output(run(RUN, cache=cache)) == "20 0 True"
    assert {path.name for path in set(tmp_path.iterdir()) - before} <= {"__pycache__"}
    assert not list(tmp_path.rglob("*.nbi"))


def test_processes_may_compile_at_the_same_time(run: Run) -> None:
    for process in [run(RUN) for _ in range(4)]:
        assert read_output(process).startswith("20 ")
    assert read_output(run(RUN)) == "20 1 True"


@part
def one_more(number: int) -> int:
    return number + 1


@kernel
def count(numbers: Uint8_1D) -> int:
    """Return the number of elements."""
    result = 0
    for _ in numbers:
        result = one_more(result)
    return result


def test_entry_accepts_only_its_types() -> None:
    assert count(np.zeros(3, dtype=np.uint8)) == 3
    with pytest.raises(TypeError):
        count(np.zeros(3, dtype=np.int64))
    with pytest.raises(TypeError):
        count(np.zeros(6, dtype=np.uint8)[::2])


def test_annotations_that_are_no_types_of_arguments_are_named() -> None:
    def misses_a_type(cells: Uint8_1D, count) -> None:  # type: ignore[no-untyped-def]
        cells[0] = count

    def has_no_dimensions(cells: NDArray[np.uint8]) -> None: ...

    def returns_a_list(count: int) -> list[int]: ...  # type: ignore[empty-body]

    def takes_a_word(word: str) -> None: ...

    for function, parameter, annotation in (
        (misses_a_type, "count", "no annotation"),
        (has_no_dimensions, "cells", "numpy.ndarray"),
        (returns_a_list, "return", "list[int]"),
        (takes_a_word, "word", "str"),
    ):
        with pytest.raises(TypeError, match=f"{function.__name__}, {parameter}: .*{re.escape(annotation)}"):
            Kernel(function).compile()


def test_part_may_be_called_too() -> None:
    assert one_more(1) == 2


ITEM = np.dtype([("place", np.int32), ("key", np.float64)])


class Pair(NamedTuple):
    left: Int64_1D
    right: Int64_1D


class StackState(Record):
    top: int
    largest: float


class Stack(NamedTuple):
    items: Annotated[NDArray[np.void], ITEM]
    state: StackState
    pair: Pair
    limit: int


@part
def push(stack: Stack, place: int, key: float) -> None:
    item = stack.items[stack.state.top]
    item["place"], item["key"] = place, key
    stack.state.top += 1
    stack.state.largest = max(stack.state.largest, key)


@kernel(allocates=False)
def push_all(stack: Stack, sums: Pair, keys: Float64_2D) -> int:
    for row in range(len(keys)):
        for place in range(stack.limit):
            push(stack, place, keys[row, place])
            sums.left[0] += place
            sums.right[0] += row
    return int(stack.state.top)


def test_arguments_may_be_named_tuples_and_records() -> None:
    keys = np.arange(6.0).reshape(2, 3)
    results = []
    functions: tuple[Callable[[Stack, Pair, NDArray[np.float64]], int], ...] = (push_all, push_all.__wrapped__)
    for function in functions:
        pair = Pair(np.zeros(1, np.int64), np.zeros(1, np.int64))
        stack = Stack(np.zeros(6, ITEM), StackState.new(), pair, 3)
        results.append(
            (
                function(stack, pair, keys),
                stack.items.tolist(),
                (stack.state.top, stack.state.largest),
                pair.left.tolist(),
            )
        )
    assert results[0] == results[1] == (6, [(n % 3, float(n)) for n in range(6)], (6, 5.0), [6])
    with pytest.raises(TypeError):
        push_all(stack._replace(limit=0.5), pair, keys)  # type: ignore[arg-type]


@kernel(allocates=False)
def move(pair: Pair, state: StackState, step: int) -> int:
    pair.left[0] += step
    state.top += step
    return int(pair.left[0])


def test_bound_entry_checks_its_first_arguments_once() -> None:
    pair, state = Pair(np.zeros(1, np.int64), np.zeros(1, np.int64)), StackState.new()
    state.top = 5
    work = bind(partial(move, pair, state))
    assert [work(1), work(2), state.top] == [1, 3, 8]
    with pytest.raises(TypeError):
        work(None)
    doubles = pair._replace(left=np.zeros(1))  # type: ignore[arg-type]
    for wrong in (doubles, pair._replace(right=np.zeros(4, np.int64)[::2])):
        with pytest.raises(TypeError):
            bind(partial(move, wrong, state))(1)
    keys = np.zeros((0, 3))
    stack = Stack(np.zeros(0, ITEM), state, pair, 3)
    assert bind(partial(push_all, stack))(pair, keys) == 8  # arrays follow, so types are checked at each call
    with pytest.raises(TypeError):
        bind(partial(push_all, stack))(pair, np.ones((4, 6))[::2, ::2])


@part
def double(number: int) -> int:
    return 2 * number


@kernel(allocates=False)
def add_doubles(small: Int32_1D, large: Int64_1D) -> int:
    return int(double(small[0]) + double(large[0]) + double(3) + double(-4))


def test_part_is_compiled_once_for_integers_of_all_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    maximum = np.iinfo(np.int32).max
    uncached = Kernel(add_doubles.__wrapped__, allocates=False)
    assert uncached(np.array([maximum], np.int32), np.array([1])) == 2 * maximum
    assert len(double.part_signatures) == 1


def test_entry_without_allocation_cannot_allocate() -> None:
    def allocate(number: int) -> int:
        return int(np.zeros(number).size)

    with pytest.raises(Exception, match="array"):
        Kernel(allocate, allocates=False)(3)


@part
def same(table: Float64_1D) -> Float64_1D:
    return table


@kernel(allocates=False)
def first_of(numbers: Float64_1D) -> float:
    return float(same(numbers)[0])


@kernel
def ones(length: int) -> Float64_1D:
    return same(np.ones(length))


def test_part_may_be_shared_by_entries_that_allocate_and_others() -> None:
    assert first_of(np.ones(2)) == 1.0
    rows = [ones(3) for _ in range(100)]
    assert all(row.tolist() == [1.0, 1.0, 1.0] for row in rows)


def test_kernel_looks_like_its_function() -> None:
    assert count.__doc__ == "Return the number of elements."
    assert repr(count) == "<kernel test_kernel.count>"


def test_threads_compile_once_and_together() -> None:
    @kernel
    def unchanged(number: int) -> int:
        return one_more(number) - 1

    barrier = Barrier(8)

    def call(number: int) -> tuple[int, object]:
        barrier.wait()
        return unchanged(number), unchanged.compile()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(call, range(8)))
    assert [result for result, _ in results] == list(range(8))
    assert len({id(compiled) for _, compiled in results}) == 1


def test_mistakes_in_a_kernel_are_shown() -> None:
    def wrong(number: int) -> int:
        return number.no_such_thing  # type: ignore[attr-defined,no-any-return]

    with pytest.raises(Exception, match="no_such_thing"):
        Kernel(wrong)(1)


def test_warmup_yields_the_names_of_all_entries() -> None:
    names = list(kernels.warmup())
    assert "bridges.spread_waves" in names
    assert len(names) == len(kernels.list_entries())


def test_only_our_stale_caches_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    assert not kernels.is_ready()
    (current,) = tmp_path.iterdir()
    stale, foreign, other = (tmp_path / f"kernels-{name}" for name in ("0" * 16, "1" * 16, "of-mine"))
    for folder in (stale, foreign, other):
        folder.mkdir()
    for folder in (stale, other):
        (folder / "CACHEDIR.TAG").write_text(kernels.TAG)
    assert kernels.clear_stale_caches() == [stale]
    assert set(tmp_path.iterdir()) == {current, foreign, other}


def test_caches_depend_on_a_module_and_what_it_imports() -> None:
    names = {source.stem for source in kernels.find_sources("tilewright.kernels.annealing")}
    assert {"__init__", "annealing", "patterns", "types"} <= names
    assert "caves" not in names
    assert len(kernels.find_sources("tests.kernels.other")) > 40


def test_kernels_of_plugins_are_compiled_and_depend_on_their_modules(run: Run, tmp_path: Path) -> None:
    for name, content in {
        "mine/__init__.py": "from . import totals",
        "mine/parts.py": PARTS,
        "mine/totals.py": ENTRIES.replace("from parts", "from .parts"),
        "mine-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n",
        "mine-1.0.dist-info/entry_points.txt": "[tilewright.kernels]\nmine = mine\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    code = (
        "from tilewright import kernels\n"
        "print(*kernels.warmup({'totals.total'}, processes=2), kernels.clear_stale_caches())\n"
        "print(*(path.name for path in kernels.find_sources('mine.totals') if path.parent.name == 'mine'))"
    )
    assert read_output(run(code)) == "totals.total []\nparts.py totals.py"


def test_no_cache_folder_no_stale_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "none"))
    assert kernels.clear_stale_caches() == []


def test_compilation_time_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def njit(**options: bool) -> Callable[[Callable[[], int]], Callable[[], int]]:
        time.sleep(0.01)
        seen.append(kernels.compilation_seconds())
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    one = Kernel(lambda: 1, is_part=True)
    assert kernels.compilation_seconds() == 0
    assert one() == 1
    assert seen[0] >= 0.01
    assert kernels.compilation_seconds() == 0
