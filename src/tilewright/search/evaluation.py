"""Evaluation of solutions: their maps are made and measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.similarity import find_similarity
from ..analysis.survey import measure_maps
from ..batch import NoKernel
from ..batch.many import MapBatch, make_batch_by_kernels
from ..core.errors import InvalidRecipe, TilewrightError, describe_failure
from ..core.pipeline import run
from ..core.recipe import Recipe, collect_tiles
from ..core.registry import measures as measure_registry
from ..core.tilemap import TileMap, convert_cells
from ..core.tileset import Tileset
from .definition import Definition
from .genome import ChoiceGene, Units

NO_CELLS: NDArray[Any] = np.empty((0, 0), dtype=np.uint8)
MIN_BATCH = 16
"""Minimum number of maps of a solution that kernels make together."""
MAX_CELLS = 1 << 23
"""Maximum number of cells of maps that are made before they are measured."""


@dataclass(frozen=True)
class Evaluations:
    """Results of some solutions."""

    measures: NDArray[np.float64]
    """Array (solution, measure) of values; NaN where a measure does not apply or no map could be made."""
    reasons: list[str | None]
    """Why no map could be made, or None."""
    cells: list[NDArray[Any]]
    """Cells of the maps if they are kept: tile ids of `Evaluator.tileset`. Those of failed maps are empty."""


class Evaluator:
    """Makes and measures the maps of solutions."""

    def __init__(
        self, definition: Definition, *, keeps_cells: bool = False, make_map: Callable[[Recipe], TileMap] = run
    ) -> None:
        self.definition = definition
        self.keeps_cells = keeps_cells
        self._make_map = make_map
        self._compares = any(measure_registry.get(name).compares for name in definition.measures)
        self.tileset = find_tileset(definition) if keeps_cells else definition.recipe.tileset

    def evaluate(self, units: Units) -> Evaluations:
        """Return the measures of solutions, given their genomes."""
        results = np.full((len(units), len(self.definition.measures)), np.nan)
        reasons: list[str | None] = []
        cells: list[NDArray[Any]] = []
        made: dict[int, list[TileMap]] = {}
        size = 0
        for number, values in enumerate(self.definition.genome.decode(units)):
            reason, content = None, NO_CELLS
            try:
                recipes = self.definition.recipes_of(values)
                batch = self._make_batch(recipes)
                if batch is not None:
                    results[number] = self._average(batch.measures, len(recipes))[0]
                    if self.keeps_cells:
                        content = convert_cells(TileMap(batch.cells[0], batch.recipe.tileset), self.tileset)
                else:
                    maps = [self._make_map(recipe) for recipe in recipes]
                    if self.keeps_cells:
                        content = convert_cells(maps[0], self.tileset, "of this archive")
                    made[number] = maps
                    size += sum(map.cells.size for map in maps)
            except TilewrightError as error:
                reason = describe_failure(error)
            reasons.append(reason)
            cells.append(content)
            if size >= MAX_CELLS:
                self._measure(made, results)
                made, size = {}, 0
        self._measure(made, results)
        return Evaluations(results, reasons, cells if self.keeps_cells else [])

    def _make_batch(self, recipes: Sequence[Recipe]) -> MapBatch | None:
        """Return the maps and measures of a style, made by kernels; None if there are few maps or no kernels."""
        if len(recipes) < MIN_BATCH or self._compares or self._make_map is not run:
            return None
        try:
            return make_batch_by_kernels(recipes[0], [one.seed or "" for one in recipes], self.definition.measures)
        except NoKernel:
            return None

    def _measure(self, made: Mapping[int, Sequence[TileMap]], results: NDArray[np.float64]) -> None:
        """Set the measures of solutions: the means over their maps, summed in order."""
        maps = [map for some in made.values() for map in some]
        if not maps:
            return
        likes = [find_similarity(map.recipe) for map in maps if map.recipe is not None] if self._compares else None
        columns = measure_maps(maps, self.definition.measures, likes)
        results[list(made)] = self._average(columns, len(self.definition.map_seeds))

    def _average(self, columns: Mapping[str, NDArray[np.float64]], repeats: int) -> NDArray[np.float64]:
        """Return the means over the maps of each solution, summed in order."""
        values = np.stack([columns[name] for name in self.definition.measures], axis=1)
        total = np.zeros((len(values) // repeats, values.shape[1]))
        for repeat in range(repeats):
            total += values[repeat::repeats]
        return total / repeats


def evaluate_task(text: str, number: int, units: Units) -> tuple[int, Evaluations]:
    """Evaluate a part of a batch in a worker process, and return its number with the results."""
    return number, _evaluator_of(text).evaluate(units)


@lru_cache(maxsize=4)
def _evaluator_of(text: str) -> Evaluator:
    return Evaluator(Definition.from_text(text), keeps_cells=True)


def find_tileset(definition: Definition) -> Tileset:
    """Return the tiles of all maps: those of the recipe, then additional tiles with other choices."""
    found = collect_tiles(definition.recipe)
    for recipe in _iter_variants(definition):
        found = found.with_tiles(collect_tiles(recipe))
    return found


def _iter_variants(definition: Definition) -> Iterator[Recipe]:
    """Yield the recipe with each choice of each gene, because choices may change the tileset."""
    genome = definition.genome
    middle: list[Any] = list(genome.decode(np.full((1, genome.slots), 0.5))[0])
    for at, gene in enumerate(genome.genes):
        for value in gene.values if isinstance(gene, ChoiceGene) else ():
            with suppress(InvalidRecipe):  # Maps with these values cannot be made.
                yield genome.apply([*middle[:at], value, *middle[at + 1 :]])
