"""Many maps of a recipe in one call: `tw.make_many`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.similarity import find_similarity
from ..analysis.survey import measure_maps
from ..core.errors import GaveUp, InvalidRecipe, errors_within
from ..core.many_maps import NoKernel
from ..core.pipeline import run
from ..core.recipe import Recipe
from ..core.registry import measures as measure_registry
from ..core.seeds import read_seed
from ..core.tilemap import TileMap
from . import open_engine
from .columns import collect_needs, compute_values, find_column
from .engine import decode_cells, hash_seeds


@dataclass(frozen=True)
class MapBatch:
    """Maps of one recipe as an array, with their measures. An item is a map with its recipe.

    Making an item makes its map again, with markers, rooms and everything else that cells do not show.
    """

    recipe: Recipe
    seeds: tuple[str, ...]
    cells: NDArray[Any]
    """(map, row, column) tile ids, or (map, level, row, column)."""
    measures: dict[str, NDArray[np.float64]]
    """Values of all maps by measure; NaN where a measure does not apply."""
    device: str
    """Where the maps were made: `cpu` or `gpu` by kernels for many maps, `pipeline` one by one."""

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, number: int) -> TileMap:
        return run(self.recipe.with_seed(self.seeds[number]))

    def __iter__(self) -> Iterator[TileMap]:
        return (self[number] for number in range(len(self)))


def make_batch(
    recipe: Recipe, seeds: Iterable[int | str], measures: Sequence[str] = (), device: str = "auto"
) -> MapBatch:
    """Make maps of a recipe from several seeds.

    Parameters
    ----------
    recipe
        The recipe. Its seed is ignored.
    seeds
        The seeds. A range of integers is faster than other seeds.
    measures
        Names of measures to compute.
    device
        `cpu`, `gpu`, or `auto` for the GPU if there is one. A recipe without kernels is made one map at a time.

    Raises
    ------
    InvalidRecipe
        If the GPU is requested and cannot be used, or if the maps differ in size.
    """
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise InvalidRecipe("must be a range or a list of seeds", at="seeds", got=seeds, rule="type")
    if not isinstance(measures, list | tuple):
        raise InvalidRecipe("must be a list of names", at="measures", got=measures, rule="type")
    seeds = seeds if isinstance(seeds, range) else [read_seed(seed) for seed in seeds]
    names = [measure_registry.complete(name).name for name in measures]
    try:
        return make_batch_by_kernels(recipe, seeds, names, device)
    except NoKernel as error:
        error.refuse_gpu(device)
    return _make_one_by_one(recipe, [read_seed(seed) for seed in seeds], names)


def make_batch_by_kernels(
    recipe: Recipe, seeds: Iterable[int | str], measures: Sequence[str], device: str = "auto"
) -> MapBatch:
    """Make maps as `make_batch` does. Raise NoKernel if the recipe or a measure has no kernels."""
    engine = open_engine(recipe, device)
    columns = [find_column(name, engine.program) for name in measures]
    needs = collect_needs(columns)
    if isinstance(seeds, range) and seeds.step == 1 and seeds.start >= 0 and seeds.stop <= 1 << 64:
        names = tuple(map(str, seeds))
        made = engine.make_range(seeds.start, len(seeds), prefix="", needs=needs, keeps=True)
    else:
        names = tuple(read_seed(seed) for seed in seeds)
        made = engine.make_keys(hash_seeds(names, engine.path), needs=needs, keeps=True)
    assert made.planes is not None
    values = compute_values(columns, made.numbers, engine.program.cells)
    return MapBatch(recipe, names, decode_cells(made.planes, engine.program), values, engine.device)


def _make_one_by_one(recipe: Recipe, seeds: Sequence[str], measures: Sequence[str]) -> MapBatch:
    maps = []
    for seed in seeds:
        with errors_within(place=f"seed {seed}", kind=GaveUp):
            maps.append(run(recipe.with_seed(seed)))
    if len({map.shape for map in maps}) > 1:
        raise InvalidRecipe("the maps of this recipe differ in size, so that no array can hold them", at="shaping")
    likes = [find_similarity(recipe)] * len(maps)
    values = measure_maps(maps, measures, likes) if measures and maps else {}
    dtype, shape = recipe.tileset.dtype, maps[0].shape if maps else recipe.shape
    cells = np.stack([map.cells for map in maps]) if maps else np.empty((0, *shape), dtype=dtype)
    return MapBatch(recipe, tuple(seeds), cells, values, "pipeline")
