"""A GPU with too little memory: launches are halved, then the CPU takes over."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tilewright.batch import gpu, open_scanner
from tilewright.batch.gpu import MAX_MAPS_PER_LAUNCH, MIN_MAPS_PER_LAUNCH, GpuEngine, run_in_launches
from tilewright.core.require import read_requirements


def test_launches_are_halved_until_they_fit() -> None:
    launches: list[tuple[int, int]] = []

    def work(start: int, size: int) -> int:
        if size > MAX_MAPS_PER_LAUNCH // 4:
            raise MemoryError
        launches.append((start, size))
        return size

    count = MAX_MAPS_PER_LAUNCH + 5
    assert sum(run_in_launches(work, count)) == count
    assert [start for start, _ in launches] == list(range(0, count, MAX_MAPS_PER_LAUNCH // 4))


def test_too_little_memory_for_the_smallest_launch() -> None:
    def work(start: int, size: int) -> None:
        raise RuntimeError("CUDA_ERROR_OUT_OF_MEMORY")

    with pytest.raises(tw.TooLarge, match="the memory of the GPU is too small for these maps; use the device cpu"):
        run_in_launches(work, MIN_MAPS_PER_LAUNCH)


def test_other_errors_are_not_hidden() -> None:
    def work(start: int, size: int) -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        run_in_launches(work, 1)


def test_the_cpu_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def launch(*arguments: Any) -> None:
        raise MemoryError

    recipe = tw.recipe("caves", width=12, height=9)
    requirements, measures = read_requirements({"regions": "<3"}), ["regions", "path_length"]
    scanner = open_scanner(recipe, requirements, measures, "gpu")
    monkeypatch.setattr(GpuEngine, "launch", launch)
    monkeypatch.setattr(gpu, "MAX_MAPS_PER_LAUNCH", MIN_MAPS_PER_LAUNCH)
    found = scanner.scan(7, 5, None)
    expected = open_scanner(recipe, requirements, measures, "cpu").scan(7, 5, None)
    assert found.seeds.tolist() == expected.seeds.tolist()
    assert found.histograms == expected.histograms
