"""Measures that the kernels for bit rows compute, and their columns in the numbers of a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.many_maps import NoKernel
from ..core.registry import measures
from ..kernels import bit_surveys as bits
from .program import BatchProgram


@dataclass(frozen=True)
class Column:
    """A measure as a column of the numbers of a map, divided by something."""

    measure: str
    column: int
    divisor: int = bits.PER_ONE
    needs: int = 0


KNOWN = {
    one.measure: one
    for one in (
        Column("floor_share", bits.FLOOR, bits.PER_CELL),
        Column("regions", bits.REGIONS, bits.PER_ONE, bits.NEEDS_REGIONS),
        Column("largest_region", bits.LARGEST, bits.PER_FLOOR, bits.NEEDS_REGIONS),
        Column("path_length", bits.PATH, bits.PER_ONE, bits.NEEDS_REGIONS | bits.NEEDS_PATH),
        Column("dead_ends", bits.DEAD_ENDS, bits.PER_ONE, bits.NEEDS_DEAD_ENDS),
        Column("symmetry_x", bits.SYMMETRIC_X, bits.PER_CELL, bits.NEEDS_SYMMETRY),
        Column("symmetry_y", bits.SYMMETRIC_Y, bits.PER_CELL, bits.NEEDS_SYMMETRY),
        Column("symmetry_turn", bits.SYMMETRIC_TURN, bits.PER_CELL, bits.NEEDS_SYMMETRY),
    )
}


def find_column(measure: str, program: BatchProgram) -> Column:
    """Return the column of a measure. Raise NoKernel if the kernels do not compute it."""
    entry = measures.get(measure)
    if entry.argument == "tile" and measure.partition(".")[0] == "count" and entry.value is not None:
        state = program.find_state(entry.value)
        if state is None:
            raise NoKernel(f"the measure {measure}, whose tile {program.technique} does not use")
        return Column(measure, bits.COLUMNS + state, bits.PER_ONE, bits.NEEDS_COUNTS)
    if measure not in KNOWN or measure not in measures.built_in:
        raise NoKernel(f"the measure {measure}")
    if measure == "path_length" and program.many.has_markers and len(program.shaping):
        raise NoKernel("the path_length of maps with markers after shapers; it leads from start to exit")
    has_images = any(tile.joins or tile.country for tile in program.recipe.tileset)
    if KNOWN[measure].needs & bits.NEEDS_SYMMETRY and has_images:
        raise NoKernel(f"the measure {measure} with directional tiles or owners")
    return KNOWN[measure]


def compute_values(columns: Sequence[Column], numbers: NDArray[np.int64], cells: int) -> dict[str, NDArray[np.float64]]:
    """Return the values of measures by name, given the numbers (map, column); NaN where a measure does not apply."""
    found = {}
    floor = numbers[:, bits.FLOOR]
    for one in columns:
        values = numbers[:, one.column].astype(np.float64)
        if one.divisor == bits.PER_CELL:
            values /= cells
        elif one.divisor == bits.PER_FLOOR:
            values = np.divide(values, floor, out=np.full(len(values), np.nan), where=floor > 0)
        elif one.column == bits.PATH:
            values[values < 0] = np.nan
        found[one.measure] = values
    return found


def collect_needs(columns: Sequence[Column]) -> int:
    """Return the needs of several measures."""
    needs = 0
    for one in columns:
        needs |= one.needs
    return needs
