"""Quilting: a map is filled with boxes of samples that match where they overlap.

Each place gets the box with the fewest mismatches in the cells that are already filled. A box that would copy a large
block of a sample is left out.

Source: Efros and Freeman, "Image quilting for texture synthesis and transfer", 2001.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .annealing import PasteArrays, SampleArrays, find_line, find_sample_line, makes_copy, wrap_cell, wrap_sample
from .patterns import Geometry, write
from .random import below
from .types import Int64_1D, Int64_2D, Uint8_1D


class QuiltBox(NamedTuple):
    """Box of the map to fill."""

    shape: Int64_1D
    corner: Int64_1D
    """First cell."""
    edges: Int64_2D
    """(axis, 2) whether edges of the map are compared."""


@inline
def _find_span(geometry: Geometry, shape: Int64_1D, box: QuiltBox, axis: int) -> tuple[int, int]:
    """Return the first position of boxes along an axis of a view, and the number of positions.

    At a map edge that is compared, the box is at the same edge of the view.
    """
    last = shape[1 + axis] - box.shape[axis]
    if box.edges[axis, 0] and box.corner[axis] == 0:
        return 0, 1
    if box.edges[axis, 1] and box.corner[axis] + box.shape[axis] == geometry.sides[axis]:
        return int(last), 1
    return 0, int(shape[1 + axis] if shape[4 + axis] else last + 1)


@part
def _count_boxes(geometry: Geometry, shape: Int64_1D, box: QuiltBox) -> int:
    """Return the number of boxes of a view."""
    count = 1
    for axis in range(3):
        count *= _find_span(geometry, shape, box, axis)[1]
    return count


@part
def _find_origin(geometry: Geometry, views: Int64_2D, box: QuiltBox, number: int, origin: Int64_1D) -> None:
    """Write the view and the first cell of a box of the samples, by its number, to `origin`."""
    view = 0
    count = _count_boxes(geometry, views[0], box)
    while number >= count:
        number -= count
        view += 1
        count = _count_boxes(geometry, views[view], box)
    origin[0] = view
    for axis in range(2, -1, -1):
        first, length = _find_span(geometry, views[view], box, axis)
        origin[1 + axis] = first + number % length
        number //= length


@part
def _list_filled(paste: PasteArrays, box: QuiltBox, filled: Uint8_1D, compared: Int64_2D) -> int:
    """Write the level, row, column and tile of each filled cell of a box to `compared`, and return their number."""
    geometry, corner, count = paste.geometry, box.corner, 0
    for z in range(box.shape[0]):
        for y in range(box.shape[1]):
            line = find_line(geometry, corner[0] + z, corner[1] + y)
            for x in range(box.shape[2]):
                at = line + wrap_cell(geometry, 2, corner[2] + x)
                if filled[at]:
                    compared[count, 0], compared[count, 1], compared[count, 2] = z, y, x
                    compared[count, 3] = paste.counter.cells[at]
                    count += 1
    return count


@part
def _count_mismatches(sample: SampleArrays, compared: Int64_2D, count: int, origin: Int64_1D, limit: int) -> int:
    """Return the number of the first `count` compared cells that differ from a box of the samples, or `limit`."""
    shape, mismatches = sample.views[origin[0]], 0
    for number in range(count):
        source = find_sample_line(shape, origin[1] + compared[number, 0], origin[2] + compared[number, 1])
        source += wrap_sample(shape, 2, origin[3] + compared[number, 2])
        if compared[number, 3] != sample.cells[source]:
            mismatches += 1
            if mismatches >= limit:
                break
    return mismatches


@part
def _paste_box(paste: PasteArrays, box: QuiltBox, filled: Uint8_1D, origin: Int64_1D) -> None:
    """Write a box of the samples to the cells that are not frozen, unless this makes a copy."""
    counter, geometry, sample, edits = paste.counter, paste.geometry, paste.sample, paste.edits
    shape, corner, extent, count = sample.views[origin[0]], box.corner, box.shape, 0
    for z in range(extent[0]):
        for y in range(extent[1]):
            line = find_line(geometry, corner[0] + z, corner[1] + y)
            source = find_sample_line(shape, origin[1] + z, origin[2] + y)
            for x in range(extent[2]):
                at = line + wrap_cell(geometry, 2, corner[2] + x)
                if not paste.frozen[at]:
                    edit = edits[count]
                    edit["place"], edit["before"] = at, counter.cells[at]
                    edit["after"] = sample.cells[source + wrap_sample(shape, 2, origin[3] + x)]
                    count += 1
    start = int(corner[0]), int(corner[1]), int(corner[2])
    if makes_copy(paste.copies, geometry, edits, count, start, (int(extent[0]), int(extent[1]), int(extent[2]))):
        return
    for number in range(count):
        edit = edits[number]
        place = int(np.int64(edit["place"]))
        write(counter, place, int(np.int64(edit["after"])))
        filled[place] = 1


@kernel(allocates=False)
def quilt(
    paste: PasteArrays, edges: Int64_2D, shape: Int64_1D, corners: Int64_2D, filled: Uint8_1D, compared: Int64_2D,
    origins: Int64_2D, draws: int, first: int, last: int,
) -> None:  # fmt: skip
    """Fill boxes first..last-1 of a map, without counting patterns.

    `edges` is (axis, 2) whether edges are compared, `shape` that of the boxes and `corners` their first cells. At most
    `draws` boxes of the samples are compared. `filled` marks the cells that are compared and is updated. `compared`,
    with a row of four numbers per cell of a box, and `origins`, with two rows, are work space.
    """
    sample, stream = paste.sample, paste.stream
    for number in range(first, last):
        box = QuiltBox(shape, corners[number], edges)
        boxes = 0
        for view in range(len(sample.views)):
            boxes += _count_boxes(paste.geometry, sample.views[view], box)
        shift, fewest = below(stream, boxes), paste.edits.size + 1
        cells = _list_filled(paste, box, filled, compared)
        for draw in range(min(draws, boxes)):
            chosen = (shift + draw) % boxes if boxes <= draws else below(stream, boxes)
            _find_origin(paste.geometry, sample.views, box, chosen, origins[1])
            count = _count_mismatches(sample, compared, cells, origins[1], fewest)
            if count < fewest:
                fewest = count
                for part in range(4):
                    origins[0, part] = origins[1, part]
        _paste_box(paste, box, filled, origins[0])
