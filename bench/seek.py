"""Seeds tested per second: caves made and measured by kernels for many maps, compared with one map at a time.

On a machine with a GPU, also the rates of its kernels, from decimal seeds, with compiled kernels. These are absolute.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter, process_time
from typing import Any

import tilewright as tw
from tilewright.batch import ScanBound, has_gpu, open_scanner
from tilewright.core.require import read_requirements

from .row import Row

RECIPE = tw.recipe("caves", width=64, height=64)
MEASURES = ("floor_share", "regions", "largest_region")
SINGLE, MANY = 500, 50_000
COUNT, BILLION = 1 << 22, 1_000_000_000


def rows() -> Iterator[Row]:
    scanner = open_scanner(RECIPE, (), MEASURES, "cpu")
    scanner.scan(0, 100, None)
    tw.measure_many([tw.run(RECIPE, seed=0)], *MEASURES)
    start = process_time()
    scanner.scan(0, MANY, None)
    middle = process_time()
    tw.measure_many([tw.run(RECIPE, seed=seed) for seed in range(SINGLE)], *MEASURES)
    end = process_time()
    yield Row(
        what="seek: caves 64x64 with floor, regions and largest region, one core",
        unit="maps/s",
        ours=MANY / (middle - start),
        peer=SINGLE / (end - middle),
        peer_name="tw.run and tw.measure_many",
        at_least=5,
    )
    if has_gpu():
        yield from _measure_gpu()


def _measure_gpu() -> Iterator[Row]:
    from tilewright.batch.columns import collect_needs, find_column
    from tilewright.batch.gpu import NO_NEEDS, GpuEngine
    from tilewright.batch.program import BatchProgram

    engine = GpuEngine(BatchProgram.of(RECIPE))
    for names, at_least in (((), 110), (MEASURES, 55), ((*MEASURES, "path_length"), 33)):
        columns = [find_column(name, engine.program) for name in names]
        needs = collect_needs(columns) if columns else NO_NEEDS
        yield Row(
            what=f"GPU: caves 64x64 from decimal seeds, {', '.join(names) or 'made only'}",
            unit="M maps/s",
            ours=COUNT / engine.time_launch(COUNT, needs) / 1e6,
            at_least=at_least,
        )
    settings: dict[str, Any] = {"regions": 1, "floor_share": ">0.5", "path_length": "most"}
    scanner = open_scanner(RECIPE, read_requirements(settings), (*MEASURES, "path_length"), "gpu")
    scanner.scan(0, 1000, None)
    start, step = perf_counter(), 1 << 23
    for first in range(0, BILLION, step):
        scanner.scan(first, min(step, BILLION - first), ScanBound(250.0, 0))
    yield Row(
        what="GPU: a billion seeds of caves 64x64 scanned with four measures and histograms",
        unit="s",
        ours=perf_counter() - start,
        at_most=32,
    )
