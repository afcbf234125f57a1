"""Parameters of the technique `maze` for GPUs."""

from __future__ import annotations

import numpy as np

from ..generators._maze.maze_grid import GridAxis, list_all_links
from ..generators._maze.methods import find_stride, limit_steps
from ..generators.maze import MazeParams
from ..kernels.maze_tables import BACKTRACKER, DIVISION, KRUSKAL, PRIM, WILSON, MazeTables

METHODS = {"backtracker": BACKTRACKER, "prim": PRIM, "kruskal": KRUSKAL, "wilson": WILSON, "division": DIVISION}


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
