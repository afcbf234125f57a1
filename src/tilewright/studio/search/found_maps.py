"""Maps that a search has found, as states of the page and as variations to export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.measure_groups import format_measure
from ...search.archive import Archive, Elite
from ..gallery.variations import Variation
from ..state import State
from .heatmap import Box, Cell, describe_measure
from .options import apply_values
from .runs import SearchRun


@dataclass
class FoundMaps:
    """The elites of a search, of which a rectangle of cells may be selected."""

    run: SearchRun | None = None
    box: Box | None = None
    """Selected rectangle; None for all cells."""

    @property
    def archive(self) -> Archive | None:
        return self.run.search.archive if self.run is not None else None

    @property
    def base(self) -> State | None:
        """State whose recipe was searched."""
        return self.run.setup.base if self.run is not None else None

    @property
    def count(self) -> int:
        """Number of selected maps."""
        return len(self._find_rows())

    def find_elite(self, cell: Cell | None) -> Elite | None:
        """Return the elite of a cell, or the best one; None if there is none."""
        archive = self.archive
        if archive is None or not len(archive):
            return None
        return archive.best if cell is None else archive.cell(*cell)

    def find_state(self, elite: Elite) -> State:
        """Return the state with the recipe of an elite."""
        assert self.run is not None
        genes = self.run.search.definition.genome.genes
        return apply_values(self.run.setup.base, {gene.path: elite.values[gene.name] for gene in genes})

    def list_values(self) -> list[dict[str, Any]]:
        """Return the values of the varied parameters by path, of each selected map."""
        archive = self.archive
        if archive is None:
            return []
        genome = archive.definition.genome
        paths = [gene.path for gene in genome.genes]
        rows = genome.decode(archive.rows.units[self._find_rows()])
        return [dict(zip(paths, values, strict=True)) for values in rows]

    def list_variations(self) -> list[Variation]:
        """Return the selected maps, with captions that name their measures."""
        archive = self.archive
        if archive is None or self.run is None:
            return []
        names = [axis.measure for axis in archive.definition.axes]
        found = []
        for row, values in zip(self._find_rows(), self.list_values(), strict=True):
            numbers = zip(names, archive.rows.measures[row], strict=False)
            caption = " · ".join(f"{describe_measure(name)} {format_measure(name, number)}" for name, number in numbers)
            found.append(Variation(apply_values(self.run.setup.base, values), caption))
        return found

    def select_archive(self) -> Archive | None:
        """Return an archive of the selected maps only; None if there is no archive."""
        archive = self.archive
        if archive is None:
            return None
        found = Archive(archive.definition)
        for row in self._find_rows().tolist():
            place = found.add_row(int(archive.rows.cell[row]))
            for name, values in vars(archive.rows).items():
                getattr(found.rows, name)[place] = values[row]
        return found

    def _find_rows(self) -> NDArray[np.int64]:
        """Return the rows of the selected elites, in the order of their cells."""
        archive = self.archive
        if archive is None:
            return np.empty(0, dtype=np.int64)
        rows = archive.row_of_cell.reshape(archive.shape)
        if self.box is not None:
            left, bottom, right, top = self.box
            rows = rows[left : right + 1, bottom : top + 1]
        return rows[rows >= 0]
