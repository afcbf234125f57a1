"""Many mazes at once, on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.many_maps import Job, Launch, ManyMaps
from ...kernels.bit_surveys import NEEDS_PATH
from ...kernels.maze import BACKTRACKER, DIVISION, KRUSKAL, PRIM, WILSON, MazeTables
from .maze_grid import GridAxis, list_all_links
from .methods import find_stride, limit_steps

if TYPE_CHECKING:
    from ..maze import MazeParams

METHODS = {"backtracker": BACKTRACKER, "prim": PRIM, "kruskal": KRUSKAL, "wilson": WILSON, "division": DIVISION}


class MazeMany(ManyMaps):
    """Kernels for mazes."""

    has_markers = True

    def open_launch(self) -> Launch:
        from numba import cuda

        from ...kernels.gpu import maps
        from ...kernels.gpu.maze import MazeMaker

        maker, counts_steps = MazeMaker(make_tables(self.params)), needs_markers(self.params)

        def launch(keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
            planes = cuda.device_array((len(keys), 1, job[0]), dtype=np.uint64)
            height, width, passable, needs, shaping, first = job
            counts = counts_steps and needs > 0 and bool(needs & NEEDS_PATH)
            lengths = cuda.device_array(len(keys) if counts else 0, dtype=np.int32)
            maker.fill(keys, planes, lengths)
            needs = needs & ~NEEDS_PATH if counts else needs
            maps.finish_planes(planes, lengths, (height, width, passable, needs, shaping, first), tests, out)

        return launch


def needs_markers(p: MazeParams) -> bool:
    """Return whether the path from start to exit may be shorter than that between two distant cells.

    In a maze without loops, both are the longest path. Passages wider than a cell have loops.
    """
    return p.braid > 0 or p.passage > 1


def make_tables(p: MazeParams) -> MazeTables:
    """Return the parameters for a GPU."""
    down, along = (GridAxis(side, p.passage, p.wall) for side in (p.height, p.width))
    layout = down.count, along.count, down.first, along.first, down.width, along.width, p.wall
    count = down.count * along.count
    return MazeTables(
        method=METHODS[p.method],
        braid=p.braid,
        possible=list_all_links(down.count, along.count).reshape(-1),
        layout=np.array(layout, dtype=np.int64),
        stride=find_stride(count),
        steps=limit_steps(count),
        height=p.height,
        width=p.width,
    )
