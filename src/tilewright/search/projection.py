"""Projections of an archive: the best elite for each pair of bins of two axes, which pictures show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, UnknownName
from .axes import MeasureAxis

if TYPE_CHECKING:
    from .archive import Archive

NO_ELITE = -1


@dataclass(frozen=True)
class Projection:
    """Rows of the best elites by bins of one or two axes."""

    x: MeasureAxis
    y: MeasureAxis | None
    """Vertical axis; None for an archive with one axis."""
    rows: NDArray[np.int64]
    """Array (y, x) of rows of the archive, -1 for empty cells. Without a vertical axis, there is one row."""
    merged: tuple[int, int] = (1, 1)
    """Number of adjacent bins along x and y that one entry contains."""

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Array (y, x) of whether there is an elite."""
        return np.not_equal(self.rows, NO_ELITE)

    def take(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of the elites, given those of all rows, as an array (y, x); NaN for empty cells."""
        found = np.full(self.rows.shape, np.nan)
        found[self.filled] = values[self.rows[self.filled]]
        return found


def project(
    archive: Archive, x: str | None = None, y: str | None = None, *, max_bins: tuple[int, int] | None = None
) -> Projection:
    """Return the best elites of an archive by two of its axes.

    Parameters
    ----------
    archive : Archive
        The archive.
    x, y : str, optional
        Measures of the horizontal and the vertical axis. By default, the first axes of the archive. Of several elites
        that differ only in other axes, the best is taken.
    max_bins : (int, int), optional
        Maximum number of entries along x and y. If there are more bins, adjacent bins are merged.

    Returns
    -------
    Projection

    Raises
    ------
    InvalidRecipe
        If both axes are the same, or the archive has one axis only.
    UnknownName
        If the archive has no such axis.
    """
    axes = archive.definition.axes
    names = [axis.measure for axis in axes]
    for name in (x, y):
        if name is not None and name not in names:
            raise UnknownName("axis of the archive", name, names)
    if y is not None and (len(names) < 2 or x == y):
        text = "must be another axis than x" if len(names) > 1 else "must be left out; the archive has one axis"
        raise InvalidRecipe(text, at="y", got=y, rule="conflict")
    first = next(at for at, name in enumerate(names) if name == x or (x is None and name != y))
    second = next((at for at, name in enumerate(names) if name == y or (y is None and at != first)), None)
    horizontal, vertical = axes[first], None if second is None else axes[second]
    limits = max_bins or (horizontal.bins, 1 if vertical is None else vertical.bins)
    merged = (
        -(-horizontal.bins // max(1, limits[0])),
        1 if vertical is None else -(-vertical.bins // max(1, limits[1])),
    )
    bins = np.unravel_index(archive.rows.cell[: len(archive)], archive.shape)
    columns = bins[first] // merged[0]
    lines = np.zeros_like(columns) if second is None else bins[second] // merged[1]
    size = (1 if vertical is None else -(-vertical.bins // merged[1]), -(-horizontal.bins // merged[0]))
    places = lines * size[1] + columns
    order = np.lexsort((archive.rows.number[: len(archive)], -archive.rows.objective[: len(archive)], places))
    filled, best = np.unique(places[order], return_index=True)
    rows = np.full(size[0] * size[1], NO_ELITE)
    rows[filled] = order[best]
    return Projection(horizontal, vertical, rows.reshape(size), merged)


def list_values(archive: Archive, name: str | None = None) -> NDArray[np.float64]:
    """Return a number of each elite by row: its objective, a measure, or a gene that is a number."""
    count = len(archive)
    if name is None:
        return archive.rows.objective[:count]
    measures, genome = archive.definition.measures, archive.definition.genome
    if name in measures:
        return archive.rows.measures[:count, measures.index(name)]
    values = genome.decode(archive.rows.units[:count])
    numeric = [
        at
        for at, gene in enumerate(genome.genes)
        if all(isinstance(value, (int, float)) for value in gene.ends()) and gene.path != "seed"
    ]
    at = next((at for at in numeric if genome.names[at] == name), None)
    if at is None:
        known = [*measures, *(genome.names[at] for at in numeric)]
        raise UnknownName("measure or numeric gene of the archive", name, known)
    return np.array([float(genes[at]) for genes in values])
