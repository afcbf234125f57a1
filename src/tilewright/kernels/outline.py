"""Outlines of the open cells of a mask, as closed loops of corners."""

from __future__ import annotations

from . import kernel
from .types import Int32_2D, Int64_1D, Uint8_2D


@kernel
def trace(edges: Uint8_2D, corners: Int32_2D, ends: Int64_1D) -> int:
    """Follow all loops, write their corners one loop after another, and return the number of loops.

    `edges` is (row, column) of the corners of cells; bits 0 to 3 are the unit edges that lead east, south, west and
    north from there, with the open cell on the right. They are cleared. `corners` is (corner, 2) of x and y, and `ends`
    gets the number of corners up to and including each loop.

    The first corner of a loop in reading order is never inside a straight line, because the loop has nothing above it
    and nothing to the left of it. Where two loops touch, both turn right, around the same open cell as before.
    """
    height, width = edges.shape
    count, loops = 0, 0
    for row in range(height):
        for column in range(width):
            if edges[row, column]:
                y, x = row, column
                heading = -1
                while True:
                    left = int(edges[y, x])
                    # Of two edges that leave a corner, the one to the right of the heading; else the only one.
                    turn = (heading + 1) % 4 if heading >= 0 else 0
                    while not left >> turn & 1:
                        turn = (turn + 1) % 4
                    edges[y, x] = left & ~(1 << turn)
                    if turn != heading:
                        corners[count, 0], corners[count, 1] = x, y
                        count += 1
                        heading = turn
                    x += int(turn == 0) - int(turn == 2)
                    y += int(turn == 1) - int(turn == 3)
                    if y == row and x == column:
                        break
                ends[loops] = count
                loops += 1
    return loops
