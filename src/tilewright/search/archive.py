"""Archives: grids of measures in which each cell holds the best solution that was found for it (MAP-Elites)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, UnknownName, pluralize
from ..core.keywords import with_keywords
from ..core.measure_groups import format_short
from ..core.pipeline import run
from ..core.recipe import Recipe
from ..core.summary import MAX_MAPS, Example, Summarized, Summary
from ..core.tables import make_dataframe
from ..core.tilemap import TileMap
from ..jobs import refuse_without_packages
from ..jobs.cluster import RunParams
from .definition import Definition
from .genome import Units

if TYPE_CHECKING:
    from pandas import DataFrame
    from PIL.Image import Image

    from ..corpus import Corpus
    from ..jobs.progress import OnProgress

EMPTY = -1
OBJECTIVE = "objective"
"""Column of the objective in tables."""
PARTS = ("params", "shaping", "seed")
"""Keys of a recipe in which the maps of a corpus may differ."""


@dataclass(frozen=True)
class Elite:
    """The best solution of a cell of an archive."""

    number: int
    """Number of the evaluation that found it, from 0."""
    cell: tuple[int, ...]
    """Bin along each axis of the archive."""
    objective: float
    measures: dict[str, float]
    """Values of the measures; for a style, the means over its seeds."""
    values: dict[str, Any]
    """Values of the genes."""
    parents: tuple[int, ...]
    """Numbers of the evaluations from whose elites it was made; empty for a random solution."""
    emitter: str
    recipe: Recipe = field(repr=False)
    """Recipe of the map; for a style, of the map with its first seed."""

    @property
    def map(self) -> TileMap:
        """The map, generated from the recipe."""
        return run(self.recipe)


@dataclass(frozen=True)
class Solutions:
    """Evaluated solutions, in the order in which they are added to an archive."""

    first: int
    """Number of the first evaluation."""
    units: Units
    objectives: NDArray[np.float64]
    measures: NDArray[np.float64]
    """Array (solution, measure)."""
    parents: NDArray[np.int64]
    """Array (solution, 2) of the numbers of the parents' evaluations; -1 for none."""
    emitters: NDArray[np.int64]
    """Array (solution,) of the emitter of each solution."""
    cells: Sequence[NDArray[Any]] = ()
    """Cells of the maps, for archives in a folder."""


@dataclass
class _Rows:
    """Arrays of the elites' data in order of their first appearance, with room for more."""

    cell: NDArray[np.int64]
    number: NDArray[np.int64]
    objective: NDArray[np.float64]
    measures: NDArray[np.float64]
    units: Units
    parents: NDArray[np.int64]
    emitter: NDArray[np.int64]

    @classmethod
    def empty(cls, size: int, measures: int, slots: int) -> _Rows:
        return cls(
            np.full(size, EMPTY),
            np.full(size, EMPTY),
            np.zeros(size),
            np.zeros((size, measures)),
            np.zeros((size, slots)),
            np.full((size, 2), EMPTY),
            np.zeros(size, dtype=np.int64),
        )

    def grow(self) -> None:
        """Double the room."""
        for name, array in list(vars(self).items()):
            setattr(self, name, np.concatenate([array, np.zeros_like(array)]))


@dataclass(eq=False, repr=False)
class Archive(Summarized):
    """Elites by cell of a grid of measures.

    `tw.search.make` fills an archive, `tw.search.load` opens one in a folder.

    Examples
    --------
    >>> import tilewright as tw
    >>> archive = tw.search.make(
    ...     "caves", vary={"walls": (0.3, 0.6)}, measures={"floor_share": (0, 1, 5)}, objective="path_length",
    ...     evaluations=64, seed=7,
    ... )
    >>> archive.shape, archive.best.map.shape
    ((5,), (50, 80))
    """

    definition: Definition
    evaluations: int = 0
    """Number of evaluated solutions."""
    out_of_range: int = 0
    """Number of solutions whose measures were outside the ranges of the axes."""
    failures: dict[str, int] = field(default_factory=dict)
    """Number of failed solutions by reason."""
    folder: str | None = None
    """Folder of the archive, if it has one."""

    def __post_init__(self) -> None:
        self.shape = tuple(axis.bins for axis in self.definition.axes)
        """Number of bins along each axis."""
        self.row_of_cell = np.full(int(np.prod(self.shape)), EMPTY)
        self.rows = _Rows.empty(64, len(self.definition.measures), self.definition.genome.slots)
        self.contents: list[NDArray[Any] | None] = []
        """Cells of the elites' maps by row, for archives in a folder."""
        self.count = 0

    def __len__(self) -> int:
        """Return the number of elites."""
        return self.count

    def _summarize(self) -> Summary:
        size, title = "x".join(map(str, self.shape)), self.definition.recipe.title
        elites = f"{pluralize(self.count, 'elite')} ({self.coverage:.0%}) after {self.evaluations:,} evaluations"
        best = f", best {format_short(self.best.objective)}" if self.count else ""
        return Summary(
            f"Archive {size} of {title}: {elites}, seed {self.definition.seed}",
            [
                f"axes {', '.join(axis.write() for axis in self.definition.axes)}",
                f"objective {self.definition.objective}{best}",
            ],
            examples=self._list_examples,
            measures=self._collect_measures,
            command=lambda: self.definition.write_command("archive"),
        )

    def _list_examples(self) -> list[Example]:
        """Return some elites, evenly spaced over the cells."""
        rows = self.sorted_rows.tolist()
        shown = [rows[place * len(rows) // MAX_MAPS] for place in range(MAX_MAPS)] if len(rows) > MAX_MAPS else rows
        elites = [self.elite_at(row) for row in shown]
        return [Example(elite.recipe, f"cell {','.join(map(str, elite.cell))}") for elite in elites]

    def _collect_measures(self) -> dict[str, NDArray[np.float64]]:
        rows = self.sorted_rows
        measures = {name: self.rows.measures[rows, at] for at, name in enumerate(self.definition.measures)}
        return {OBJECTIVE: self.rows.objective[rows], **measures}

    # -- adding ---------------------------------------------------------------------------------------------------

    def add(self, new: Solutions) -> NDArray[np.int64]:
        """Add solutions in order.

        A solution enters an empty cell, or replaces an elite with a lower objective; ties keep the older elite.
        Solutions out of range are counted. Solutions with NaN are ignored.

        Returns
        -------
        ndarray of int64
            For each solution 0 (not added), 1 (replaced an elite) or 2 (entered an empty cell).
        """
        axes = self.definition.axes
        known = ~np.isnan(new.objectives) & ~np.isnan(new.measures[:, : len(axes)]).any(axis=1)
        cells, is_inside = self._find_cells(new.measures)
        inside = known & is_inside
        self.out_of_range += int(np.count_nonzero(known & ~inside))
        status = np.zeros(len(cells), dtype=np.int64)
        rows = self.rows
        for k in np.flatnonzero(inside).tolist():
            cell, objective = int(cells[k]), new.objectives[k]
            row = int(self.row_of_cell[cell])
            if row == EMPTY:
                row, status[k] = self.add_row(cell), 2
            elif objective > rows.objective[row]:
                status[k] = 1
            else:
                continue
            rows.number[row] = new.first + k
            rows.objective[row] = objective
            rows.measures[row] = new.measures[k]
            rows.units[row] = new.units[k]
            rows.parents[row] = new.parents[k]
            rows.emitter[row] = new.emitters[k]
            if len(new.cells):
                self.contents[row] = new.cells[k]
        return status

    def _find_cells(self, measures: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the cell of each solution, and whether it is in range; the cell is 0 if it is not."""
        axes = self.definition.axes
        bins = np.stack([axis.find_bins(measures[:, at]) for at, axis in enumerate(axes)], axis=1)
        inside: NDArray[np.bool_] = np.all(bins >= 0, axis=1)
        cells: Any = np.ravel_multi_index(tuple(np.where(inside[:, None], bins, 0).T), self.shape)
        return cells, inside

    def find_objectives(self, measures: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the objective of the elite in the cell of each solution, NaN if there is none, and whether it is in
        range.
        """
        cells, inside = self._find_cells(measures)
        rows = self.row_of_cell[cells]
        return np.where(inside & (rows != EMPTY), self.rows.objective[np.maximum(rows, 0)], np.nan), inside

    def add_row(self, cell: int) -> int:
        """Return the row for the elite of an empty cell."""
        if self.count == len(self.rows.cell):
            self.rows.grow()
        row = self.count
        self.count += 1
        self.row_of_cell[cell] = row
        self.rows.cell[row] = cell
        self.contents.append(None)
        return row

    # -- reading --------------------------------------------------------------------------------------------------

    @property
    def coverage(self) -> float:
        """Fraction of cells that have an elite."""
        return self.count / self.row_of_cell.size

    @property
    def qd_score(self) -> float:
        """Sum of the objectives of all elites."""
        return fsum(self.rows.objective[: self.count].tolist())

    @property
    def best(self) -> Elite:
        """The elite with the highest objective; of several, the oldest."""
        return self.elite_at(self.best_row)

    @property
    def best_row(self) -> int:
        """Row of the best elite."""
        if not self.count:
            raise InvalidRecipe("the archive is empty", rule="missing")
        objectives, numbers = self.rows.objective[: self.count], self.rows.number[: self.count]
        return int(np.lexsort((numbers, -objectives))[0])

    def __iter__(self) -> Iterator[Elite]:
        """Yield the elites in the order of their cells."""
        for row in self.sorted_rows.tolist():
            yield self.elite_at(row)

    @property
    def sorted_rows(self) -> NDArray[np.int64]:
        """Rows of the elites in the order of their cells."""
        return np.argsort(self.rows.cell[: self.count], kind="stable")

    def cell(self, *bins: int) -> Elite | None:
        """Return the elite of a cell by its bin along each axis, counted from 0, or None for an empty cell."""
        if len(bins) != len(self.shape) or not all(0 <= at < size for at, size in zip(bins, self.shape, strict=True)):
            text = f"must be one bin per axis, below {', '.join(map(str, self.shape))}"
            raise InvalidRecipe(text, at="cell", got=list(bins), rule="range")
        row = int(self.row_of_cell[np.ravel_multi_index(bins, self.shape)])
        return None if row == EMPTY else self.elite_at(row)

    def at(self, **values: float) -> list[Elite]:
        """Return the elites of the cells that contain given values of measures, the best first.

        Examples
        --------
        >>> import tilewright as tw
        >>> archive = tw.search.make(
        ...     "caves", vary={"walls": (0.3, 0.6)}, measures={"floor_share": (0, 1, 5)}, objective="path_length",
        ...     evaluations=64, seed=7,
        ... )
        >>> [elite.cell for elite in archive.at(floor_share=0.5)]
        [(2,)]
        """
        axes = {axis.measure: at for at, axis in enumerate(self.definition.axes)}
        bins = np.stack(np.unravel_index(self.rows.cell[: self.count], self.shape), axis=1)
        wanted = np.ones(self.count, dtype=bool)
        for name, value in values.items():
            if name not in axes:
                raise UnknownName("measure of the archive", name, axes)
            wanted &= bins[:, axes[name]] == self.definition.axes[axes[name]].find_bins(np.array([float(value)]))[0]
        found = np.flatnonzero(wanted)
        order = np.lexsort((self.rows.cell[found], -self.rows.objective[found]))
        return [self.elite_at(row) for row in found[order].tolist()]

    def grid(self) -> NDArray[np.float64]:
        """Return the objective of each cell, NaN for empty cells, in the shape of the archive."""
        found = np.full(self.row_of_cell.size, np.nan)
        found[self.rows.cell[: self.count]] = self.rows.objective[: self.count]
        return found.reshape(self.shape)

    def elite_at(self, row: int) -> Elite:
        """Return the elite of a row."""
        definition, rows = self.definition, self.rows
        values = definition.genome.decode(rows.units[row : row + 1])[0]
        return Elite(
            int(rows.number[row]),
            tuple(int(at) for at in np.unravel_index(int(rows.cell[row]), self.shape)),
            float(rows.objective[row]),
            dict(zip(definition.measures, rows.measures[row].tolist(), strict=True)),
            dict(zip(definition.genome.names, values, strict=True)),
            tuple(number for number in rows.parents[row].tolist() if number >= 0),
            definition.emitters[int(rows.emitter[row])],
            definition.recipes_of(values)[0],
        )

    def to_dataframe(self) -> DataFrame:
        """Return the elites as a DataFrame of pandas, in the order of their cells.

        Its columns are the number of the evaluation, the bin along each axis, the objective, the measures, the values
        of the genes, and the emitter. A gene that has the name of another column gets the suffix `_gene`.

        Examples
        --------
        >>> import tilewright as tw
        >>> archive = tw.search.make(
        ...     "caves", vary={"walls": (0.3, 0.6)}, measures={"floor_share": (0, 1, 5)}, objective="path_length",
        ...     evaluations=64, seed=7,
        ... )
        >>> archive.to_dataframe().columns.tolist()
        ['number', 'bin_floor_share', 'objective', 'floor_share', 'path_length', 'walls', 'emitter']
        """
        rows, definition = self.sorted_rows, self.definition
        bins = np.unravel_index(self.rows.cell[rows], self.shape)
        columns: dict[str, Any] = {"number": self.rows.number[rows]}
        columns |= {f"bin_{axis.measure}": own for axis, own in zip(definition.axes, bins, strict=True)}
        columns |= self._collect_measures()
        values = definition.genome.decode(self.rows.units[rows])
        for at, name in enumerate(definition.genome.names):
            columns[f"{name}_gene" if name in (*columns, "emitter") else name] = [own[at] for own in values]
        emitters = [definition.emitters[at] for at in self.rows.emitter[rows].tolist()]
        return make_dataframe({**columns, "emitter": emitters})

    # -- pictures -------------------------------------------------------------------------------------------------

    def heatmap(
        self,
        *,
        x: str | None = None,
        y: str | None = None,
        values: str | None = None,
        limits: tuple[float, float] | None = None,
        title: str | None = None,
        dpi: int = 192,
    ) -> Image:
        """Draw the objective of each cell as a color; for an archive with one axis, as bars.

        Parameters
        ----------
        x, y
            Measures of the horizontal and the vertical axis. By default, the first two axes of the archive. Of elites
            that differ only in other axes, the best is shown.
        values
            Measure or numeric gene to show instead of the objective.
        limits
            Lowest and highest value of the color scale, such as to compare two archives. By default, those of the
            elites.
        title
            Title of the picture. By default, what is shown.
        dpi
            Resolution: 96 to 192 for screens, 300 for print. The picture is about 17 cm wide.

        Returns
        -------
        PIL.Image.Image

        Examples
        --------
        >>> import tilewright as tw
        >>> archive = tw.search.make(
        ...     "caves", vary={"walls": (0.3, 0.6)}, measures={"floor_share": (0, 1, 5)}, objective="path_length",
        ...     evaluations=64, seed=7,
        ... )
        >>> archive.heatmap(dpi=96).mode
        'RGB'
        """
        from .pictures import draw_heatmap

        return draw_heatmap(self, x=x, y=y, values=values, limits=limits, title=title, dpi=dpi)

    def sheet(
        self, *, x: str | None = None, y: str | None = None, title: str | None = None, width: int = 2200
    ) -> Image:
        """Draw the maps of the elites, arranged by their measures. The frame of a map shows its objective.

        Parameters
        ----------
        x, y
            Measures of the horizontal and the vertical axis, as for `heatmap`. Of more than 24 bins along an axis,
            adjacent bins are merged and the best map is shown.
        title
            Title of the picture. By default, what is shown.
        width
            Approximate width of the picture in pixels.

        Returns
        -------
        PIL.Image.Image
        """
        from .pictures import draw_sheet

        return draw_sheet(self, x=x, y=y, title=title, width=width)

    # -- export ---------------------------------------------------------------------------------------------------

    @with_keywords(RunParams)
    def to_corpus(
        self, folder: str | PathLike[str], /, *, on_progress: OnProgress | None = None, **params: Any
    ) -> Corpus:
        """Write the maps of the elites as a corpus, in the order of their cells; needs the extra `corpus`.

        The corpus has a column for each parameter in which the maps differ, and the measures of the archive. A style
        is written as the map with its first seed.

        Parameters
        ----------
        folder
            Folder or fsspec URL to write to.
        on_progress
            Function called with a `tw.Progress` after each step.

        Returns
        -------
        Corpus

        Raises
        ------
        InvalidRecipe
            If the archive is empty, or its maps differ in more than parameters and seeds.
        BadFile
            If the folder contains other files or cannot be written.

        Examples
        --------
        >>> import tilewright as tw
        >>> archive = tw.search.make(
        ...     "caves", vary={"walls": (0.3, 0.6), "seed": "free"}, measures={"floor_share": (0, 1, 5)},
        ...     objective="path_length", evaluations=64, seed=7,
        ... )
        >>> corpus = archive.to_corpus("memory://elites", workers=0)
        >>> len(corpus) == len(archive), corpus.row(0)["walls"] == next(iter(archive)).values["walls"]
        (True, True)
        """
        options = RunParams.validate(params)
        refuse_without_packages()
        from ..corpus.build import make
        from ..corpus.manifest import OWN_COLUMNS
        from ..corpus.request import Request
        from ..corpus.sweep import Sweep

        if not len(self):
            raise InvalidRecipe("the archive is empty", rule="missing")
        recipes = [elite.recipe for elite in self]
        values = _list_differences([recipe.to_data() for recipe in recipes])
        measures = self.definition.measures
        taken = (*OWN_COLUMNS, *measures)
        swept = {f"params.{path}" if path in taken else path: value for path, value in values.items()}
        sweep = Sweep.of({"seed": [recipe.seed for recipe in recipes], **swept}, listed=True)
        given = {"seed": self.definition.seed, "measures": measures, "sweep": sweep, **dict(options)}
        return make(Request(recipes[0]), folder, on_progress=on_progress, **given)


def _list_differences(recipes: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the values of the parameters in which recipes differ, by path."""
    keys = {key: None for data in recipes for key in data if key not in PARTS}
    other = next((key for key in keys if any(data.get(key) != recipes[0].get(key) for data in recipes)), None)
    stages = [[next(iter(stage)) for stage in data.get("shaping", ())] for data in recipes]
    if other is not None or any(names != stages[0] for names in stages):
        text = f"the maps differ in their {other or 'shaping'}; export them as files instead"
        raise InvalidRecipe(text, at="to_corpus", rule="conflict")
    found: dict[str, list[Any]] = {}
    for prefix, tables in _iter_tables(recipes):
        for name in tables[0]:
            values = [table[name] for table in tables]
            if any(value != values[0] for value in values):
                found[f"{prefix}{name}"] = values
    return found


def _iter_tables(recipes: list[dict[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return the parameters of the technique and of each shaper of all recipes, by the start of their paths."""
    found = [("", [data["params"] for data in recipes])]
    for number in range(len(recipes[0].get("shaping", ()))):
        stages = [data["shaping"][number] for data in recipes]
        found.append((f"shaping.{number}.", [next(iter(stage.values())) for stage in stages]))
    return found
