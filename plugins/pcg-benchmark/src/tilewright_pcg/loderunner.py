"""Lode Runner by patterns: as loderunnertile, but a content has numbers of the benchmark's 2x2 patterns.

Patterns are read from the installed benchmark, which converting contents therefore needs too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright import InvalidRecipe, TileMap

from .judge import open_benchmark
from .loderunnertile import RunnerTileProblem
from .problem import Content
from .runner_levels import BLOCK_COLUMNS, BLOCK_ROWS, COLUMNS, ROWS, read_patterns


class RunnerProblem(RunnerTileProblem):
    name = "loderunner"
    shape = (ROWS, COLUMNS)
    ranges = (("ladder", 0, 139), ("rope", 0, 139))

    def encode(self, level: NDArray[np.uint8]) -> Content:
        patterns = read_patterns(open_benchmark(self.name))
        blocks = level.reshape(BLOCK_ROWS, 2, BLOCK_COLUMNS, 2).swapaxes(1, 2).reshape(BLOCK_ROWS * BLOCK_COLUMNS, 4)
        numbers = {tuple(pattern): number for number, pattern in enumerate(patterns.tolist())}
        rows = [tuple(block) for block in blocks.tolist()]
        for row in rows:
            if row not in numbers:
                text = "".join(map(str, row))
                raise InvalidRecipe(f"loderunner: the benchmark has no pattern {text}", at="map", rule="pattern")
        return np.array([numbers[row] for row in rows]).reshape(BLOCK_ROWS, BLOCK_COLUMNS).tolist()

    def to_map(self, content: Content) -> TileMap:
        patterns = read_patterns(open_benchmark(self.name))
        grid = np.asarray(content)
        if grid.shape != (BLOCK_ROWS, BLOCK_COLUMNS) or grid.min() < 0 or grid.max() >= len(patterns):
            text = f"{BLOCK_ROWS} rows of {BLOCK_COLUMNS} numbers from 0 to {len(patterns) - 1}"
            raise InvalidRecipe(f"loderunner: a content must have {text}", at="content", rule="shape")
        blocks = patterns[grid].reshape(BLOCK_ROWS, BLOCK_COLUMNS, 2, 2)
        cells = blocks.swapaxes(1, 2).reshape(self.shape)
        cells[-1] = 0
        return TileMap(cells, self.tileset)

    def to_content(self, map: TileMap) -> Content:
        return self.encode(self.number_tiles(map).astype(np.uint8))


PROBLEM = RunnerProblem()
