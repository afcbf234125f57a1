"""The gallery: archives of evolved score matrices that ship with Tilewright.

A style is named by its cell in an archive: `archive:12,3`, or `archive:caverns:12,3`. The name is resolved to the plain
matrix, so that recipes do not depend on the archive.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import data
from ...core.errors import Fix, InvalidRecipe, UnknownName

PREFIX = "archive:"
DEFAULT_ARCHIVE = "caverns"
STEPS = 1000
"""Scores are stored as integers, in steps of 1/1000."""
NEAREST = 3
"""Number of cells that are suggested for an empty one."""

Cell = tuple[int, int]


@dataclass(frozen=True, eq=False)
class StyleGallery:
    """The score matrices of an archive by cell."""

    name: str
    shape: Cell
    """Number of bins along both axes."""
    scores: dict[Cell, tuple[float, ...]]
    """Matrices, row by row, in the order of their cells."""


@cache
def load_gallery(name: str = DEFAULT_ARCHIVE) -> StyleGallery:
    """Return a gallery by its name. Raise UnknownName if there is no such gallery.

    >>> gallery = load_gallery("caverns")
    >>> len(gallery.scores[12, 3])
    36
    """
    if name not in data.list_names("archives"):
        raise UnknownName("archive", name, data.list_names("archives"))
    arrays = read_arrays(name)
    cells, scores = arrays["cells"].tolist(), (arrays["scores"] / STEPS).tolist()
    by_cell = {(x, y): tuple(matrix) for (x, y), matrix in zip(cells, scores, strict=True)}
    width, height = arrays["shape"].tolist()
    return StyleGallery(name, (width, height), by_cell)


def read_arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive file of this package."""
    with np.load(io.BytesIO(data.read_bytes("archives", name)), allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def find_scores(reference: str, parameter: str = "scores") -> tuple[float, ...]:
    """Return the scores of a style, such as `archive:12,3`.

    Parameters
    ----------
    reference : str
        `archive:X,Y` or `archive:NAME:X,Y`, where X and Y are the bins of a cell, from 0.
    parameter : str
        Name of the parameter, for messages.

    Raises
    ------
    InvalidRecipe
        If the reference is malformed, or the cell is empty. The nearest cells are suggested.
    UnknownName
        If there is no archive of that name.
    """
    name, colon, place = reference.removeprefix(PREFIX).rpartition(":")
    parts = [part.strip() for part in place.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdecimal() and len(part) < 6 for part in parts):
        text = f"must name a cell, such as {PREFIX}12,3"
        raise InvalidRecipe(text, at=parameter, got=reference, rule="format")
    gallery = load_gallery(name.strip() if colon else DEFAULT_ARCHIVE)
    cell = (int(parts[0]), int(parts[1]))
    found = gallery.scores.get(cell)
    if found is None:
        near = sorted(gallery.scores, key=lambda one: (_square_distance(one, cell), one))[:NEAREST]
        width, height = gallery.shape
        is_inside = cell[0] < width and cell[1] < height
        reason = "is empty" if is_inside else f"is outside the {width}x{height} cells"
        shown = [f"{PREFIX}{name}{colon}{x},{y}" for x, y in near]
        text = f"cell {cell[0]},{cell[1]} of the archive {gallery.name} {reason}; the nearest are {', '.join(shown)}"
        fixes = [Fix("set", (parameter,), one) for one in shown]
        raise InvalidRecipe(text, at=parameter, value=reference, rule="missing", fixes=fixes)
    return found


def _square_distance(one: Cell, other: Cell) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
