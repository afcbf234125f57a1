"""The CPU as an engine: kernels for bit rows make and measure maps, 64 cells at a time."""

from __future__ import annotations

import numpy as np

from ..core.many_maps import NoKernel
from ..kernels.bit_surveys import BORDER, COLUMNS, FLOOR, NUMBERS, keep_largest_region, survey_bit_rows
from ..kernels.streams import fill_stream_keys, pack_names
from .engine import Keys, Made, Planes, encode_prefix
from .program import BatchProgram

FLOOR_FIRST, FLOOR_SECOND = 0b01, 0b10
"""Which of two states is passable."""


class CpuEngine:
    """Engine for maps of two states on this processor.

    Parameters
    ----------
    program : BatchProgram
        The program to run.

    Raises
    ------
    NoKernel
        If the technique has no kernel for CPUs, or not one passable tile of two.
    """

    device = "cpu"

    def __init__(self, program: BatchProgram) -> None:
        if not program.many.runs_on_cpu:
            raise NoKernel(f"the technique {program.technique} on the CPU")
        if program.passable not in (FLOOR_FIRST, FLOOR_SECOND):
            raise NoKernel(f"{program.technique} whose tiles are both passable or both impassable, on the CPU")
        self.program = program
        self.path: tuple[str, ...] = (program.technique,)
        self._names = pack_names(self.path)

    def make_range(self, first: int, count: int, *, prefix: str, needs: int, keeps: bool) -> Made:
        keys = np.empty((count, 2), dtype=np.uint64)
        fill_stream_keys(first, encode_prefix(prefix), *self._names, keys)
        return self.make_keys(keys, needs=needs, keeps=keeps)

    def make_keys(self, keys: Keys, *, needs: int, keeps: bool) -> Made:
        program = self.program
        walls = np.empty((len(keys), program.height), dtype=np.uint64)
        program.many.fill_rows(keys, walls)
        for kind, state, thickness in program.shaping.tolist():
            if kind == BORDER:
                self._draw_border(walls, state, thickness)
            else:
                opened = self._find_open(walls)
                kept = opened.copy()
                keep_largest_region(kept, program.width)
                _fill(walls, opened & ~kept, state)
        opened = self._find_open(walls)
        numbers = np.zeros((len(keys), NUMBERS), dtype=np.int64)
        found = np.empty((len(keys), COLUMNS), dtype=np.int64)
        survey_bit_rows(opened, program.width, needs, found)
        numbers[:, :COLUMNS] = found
        floor_state = 0 if program.passable == FLOOR_FIRST else 1
        numbers[:, COLUMNS + floor_state] = found[:, FLOOR]
        numbers[:, COLUMNS + 1 - floor_state] = program.cells - found[:, FLOOR]
        return Made(numbers, walls[:, None, :] if keeps else None)

    def _find_open(self, walls: Planes) -> Planes:
        """Return the passable cells."""
        inside = np.uint64((1 << self.program.width) - 1)
        return (~walls if self.program.passable == FLOOR_FIRST else walls) & inside

    def _draw_border(self, walls: Planes, state: int, thickness: int) -> None:
        height, width = self.program.height, self.program.width
        frame = np.full(height, (1 << width) - 1, dtype=np.uint64)
        if 2 * thickness < width:
            inner = ((1 << (width - 2 * thickness)) - 1) << thickness
            frame[thickness : height - thickness] &= np.uint64(~inner & ((1 << 64) - 1))
        _fill(walls, frame, state)


def _fill(walls: Planes, cells: Planes, state: int) -> None:
    """Set cells to a state."""
    if state:
        walls |= cells
    else:
        walls &= ~cells
