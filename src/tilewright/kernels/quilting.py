"""Quilting: a map is filled with boxes of samples that match where they overlap.

Each place gets the box with the fewest mismatches in the cells that are already filled. A box that would copy a large
block of a sample is left out.

Source: Efros and Freeman, "Image quilting for texture synthesis and transfer", 2001.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel, part
from .annealing import CopyArrays, SampleArrays, makes_copy, wrap_cell, wrap_sample
from .optimizers import Edits
from .patterns import CounterArrays, Geometry, write
from .random import below
from .types import Int64_1D, Int64_2D, Uint8_1D, Uint64_1D


@inline
def _find_span(
    geometry: Geometry, edges: Int64_2D, shape: Int64_1D, box: Int64_1D, corner: Int64_1D, axis: int
) -> tuple[int, int]:
    """Return the first position of boxes along an axis of a view, and the number of positions.

    At a map edge that is compared, the box is at the same edge of the view.
    """
    last = shape[1 + axis] - box[axis]
    if edges[axis, 0] and corner[axis] == 0:
        return 0, 1
    if edges[axis, 1] and corner[axis] + box[axis] == geometry.sides[axis]:
        return int(last), 1
    return 0, int(shape[1 + axis] if shape[4 + axis] else last + 1)


@part
def _count_boxes(geometry: Geometry, edges: Int64_2D, shape: Int64_1D, box: Int64_1D, corner: Int64_1D) -> int:
    """Return the number of boxes of a view."""
    count = 1
    for axis in range(3):
        count *= _find_span(geometry, edges, shape, box, corner, axis)[1]
    return count


@part
def _find_origin(
    geometry: Geometry,
    sample: SampleArrays,
    edges: Int64_2D,
    box: Int64_1D,
    corner: Int64_1D,
    number: int,
    origin: Int64_1D,
) -> None:
    """Write the view and the first cell of a box, by its number, to `origin`."""
    view = 0
    count = _count_boxes(geometry, edges, sample.views[0], box, corner)
    while number >= count:
        number -= count
        view += 1
        count = _count_boxes(geometry, edges, sample.views[view], box, corner)
    origin[0] = view
    for axis in range(2, -1, -1):
        first, length = _find_span(geometry, edges, sample.views[view], box, corner, axis)
        origin[1 + axis] = first + number % length
        number //= length


@part
def _list_filled(
    counter: CounterArrays, geometry: Geometry, box: Int64_1D, corner: Int64_1D, filled: Uint8_1D, compared: Int64_2D
) -> int:
    """Write the level, row, column and tile of each filled cell of a box to `compared`, and return their number."""
    count = 0
    for z in range(box[0]):
        for y in range(box[1]):
            line = geometry.first + wrap_cell(geometry, 0, corner[0] + z) * geometry.strides[0]
            line += wrap_cell(geometry, 1, corner[1] + y) * geometry.strides[1]
            for x in range(box[2]):
                at = line + wrap_cell(geometry, 2, corner[2] + x)
                if filled[at]:
                    compared[count, 0], compared[count, 1], compared[count, 2] = z, y, x
                    compared[count, 3] = counter.cells[at]
                    count += 1
    return count


@part
def _count_mismatches(sample: SampleArrays, compared: Int64_2D, count: int, origin: Int64_1D, limit: int) -> int:
    """Return the number of the first `count` compared cells that differ from a box of the samples, or `limit`."""
    shape, mismatches = sample.views[origin[0]], 0
    for number in range(count):
        source = shape[0] + wrap_sample(shape, 0, origin[1] + compared[number, 0]) * shape[2] * shape[3]
        source += wrap_sample(shape, 1, origin[2] + compared[number, 1]) * shape[3]
        source += wrap_sample(shape, 2, origin[3] + compared[number, 2])
        if compared[number, 3] != sample.cells[source]:
            mismatches += 1
            if mismatches >= limit:
                break
    return mismatches


@part
def _paste_box(
    counter: CounterArrays,
    geometry: Geometry,
    sample: SampleArrays,
    copies: CopyArrays,
    box: Int64_1D,
    corner: Int64_1D,
    frozen: Uint8_1D,
    filled: Uint8_1D,
    origin: Int64_1D,
    edits: Edits,
) -> None:
    """Write a box of the samples to the cells that are not frozen, unless this makes a copy."""
    shape, count = sample.views[origin[0]], 0
    for z in range(box[0]):
        for y in range(box[1]):
            line = geometry.first + wrap_cell(geometry, 0, corner[0] + z) * geometry.strides[0]
            line += wrap_cell(geometry, 1, corner[1] + y) * geometry.strides[1]
            source = shape[0] + wrap_sample(shape, 0, origin[1] + z) * shape[2] * shape[3]
            source += wrap_sample(shape, 1, origin[2] + y) * shape[3]
            for x in range(box[2]):
                at = line + wrap_cell(geometry, 2, corner[2] + x)
                if not frozen[at]:
                    edit = edits[count]
                    edit["place"], edit["before"] = at, counter.cells[at]
                    edit["after"] = sample.cells[source + wrap_sample(shape, 2, origin[3] + x)]
                    count += 1
    start, extent = (int(corner[0]), int(corner[1]), int(corner[2])), (int(box[0]), int(box[1]), int(box[2]))
    if makes_copy(copies, geometry, len(counter.layout), edits, count, start, extent):
        return
    for number in range(count):
        edit = edits[number]
        place = int(np.int64(edit["place"]))
        write(counter, place, int(np.int64(edit["after"])))
        filled[place] = 1


@kernel(allocates=False)
def quilt(
    counter: CounterArrays,
    geometry: Geometry,
    sample: SampleArrays,
    copies: CopyArrays,
    edges: Int64_2D,
    box: Int64_1D,
    corners: Int64_2D,
    frozen: Uint8_1D,
    filled: Uint8_1D,
    stream: Uint64_1D,
    edits: Edits,
    compared: Int64_2D,
    origins: Int64_2D,
    draws: int,
    first: int,
    last: int,
) -> None:
    """Fill boxes first..last-1 of a map, without counting patterns.

    `edges` is (axis, 2) whether edges are compared, `box` the shape of boxes and `corners` their first cells. At most
    `draws` boxes of the samples are compared. `filled` marks the cells that are compared and is updated. `edits`,
    `compared`, with a row of four numbers per cell of a box, and `origins`, with two rows, are work space.
    """
    for number in range(first, last):
        corner = corners[number]
        boxes = 0
        for view in range(len(sample.views)):
            boxes += _count_boxes(geometry, edges, sample.views[view], box, corner)
        shift, fewest = below(stream, boxes), edits.size + 1
        cells = _list_filled(counter, geometry, box, corner, filled, compared)
        for draw in range(min(draws, boxes)):
            chosen = (shift + draw) % boxes if boxes <= draws else below(stream, boxes)
            _find_origin(geometry, sample, edges, box, corner, chosen, origins[1])
            count = _count_mismatches(sample, compared, cells, origins[1], fewest)
            if count < fewest:
                fewest = count
                for part in range(4):
                    origins[0, part] = origins[1, part]
        _paste_box(counter, geometry, sample, copies, box, corner, frozen, filled, origins[0], edits)
