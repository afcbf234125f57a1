"""Many maps of a recipe in one call: `tw.make_many`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.similarity import find_similarity
from ..analysis.survey import measure_maps
from ..core.command_line import write_command
from ..core.errors import GaveUp, InvalidRecipe, errors_within, pluralize
from ..core.many_maps import NoKernel
from ..core.pipeline import run
from ..core.recipe import Recipe
from ..core.registry import measures as measure_registry
from ..core.seeds import read_seed
from ..core.summary import MAX_MAPS, Example, Summarized, Summary, describe_values, list_few
from ..core.tables import make_dataframe, make_dataset
from ..core.tilemap import TileMap, convert_cells, format_size
from ..core.tileset import Tileset
from . import open_engine
from .columns import collect_needs, compute_values, find_column
from .engine import decode_cells, hash_seeds

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset


@dataclass(frozen=True, repr=False)
class MapBatch(Summarized):
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
    tileset: Tileset
    """Tileset of all maps, which defines the ids in `cells`."""

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, number: int) -> TileMap:
        return run(self.recipe.with_seed(self.seeds[number]))

    def __iter__(self) -> Iterator[TileMap]:
        return (self[number] for number in range(len(self)))

    def to_dataframe(self) -> DataFrame:
        """Return the seeds and the measures as a DataFrame of pandas, with a row per map.

        Examples
        --------
        >>> import tilewright as tw
        >>> many = tw.make_many("caves", range(3), width=12, height=8, measures=["regions"])
        >>> many.to_dataframe().columns.tolist()
        ['seed', 'regions']
        """
        return make_dataframe({"seed": self.seeds, **self.measures})

    def to_xarray(self) -> Dataset:
        """Return the maps as a Dataset of xarray: tile ids by map, row and column, and the measures of each map.

        The attribute `tiles` has the names of the tiles.

        Examples
        --------
        >>> import tilewright as tw
        >>> maps = tw.make_many("caves", range(3), width=12, height=8, measures=["regions"]).to_xarray()
        >>> dict(maps.sizes), maps.attrs["tiles"][:2]
        ({'map': 3, 'y': 8, 'x': 12}, ['floor', 'wall'])
        """
        columns = {"seed": self.seeds, **self.measures}
        return make_dataset(self.cells, self.tileset, columns, {"recipe": self.recipe.title})

    def _summarize(self) -> Summary:
        size = format_size(self.cells.shape[1:])
        seeds = [f"seeds {list_few(self.seeds)}"] if self.seeds else []
        return Summary(
            f"MapBatch of {pluralize(len(self), 'map')} {size} by {self.recipe.title}, made by {self.device}",
            [*seeds, describe_values(self.measures)],
            examples=self._list_examples,
            measures=lambda: self.measures,
            command=lambda: write_command(self.recipe.with_seed(self.seeds[0])) if self.seeds else "",
        )

    def _list_examples(self) -> list[Example]:
        shown = zip(self.cells[:MAX_MAPS], self.seeds, strict=False)
        return [Example(TileMap(cells, self.tileset), f"seed {seed}") for cells, seed in shown]


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
    cells = decode_cells(made.planes, engine.program)
    return MapBatch(recipe, names, cells, values, engine.device, recipe.tileset)


def _make_one_by_one(recipe: Recipe, seeds: Sequence[str], measures: Sequence[str]) -> MapBatch:
    maps = []
    for seed in seeds:
        with errors_within(place=f"seed {seed}", kind=GaveUp):
            maps.append(run(recipe.with_seed(seed)))
    if len({map.shape for map in maps}) > 1:
        raise InvalidRecipe("the maps of this recipe differ in size, so that no array can hold them", at="shaping")
    likes = [find_similarity(recipe)] * len(maps)
    values = measure_maps(maps, measures, likes) if measures and maps else {}
    tileset = recipe.tileset
    for map in maps:  # Inner recipes and shapers may add tiles.
        tileset = tileset.with_tiles(map.tileset)
    shape = maps[0].shape if maps else recipe.shape
    cells = np.array([convert_cells(map, tileset) for map in maps], dtype=tileset.dtype).reshape(len(maps), *shape)
    return MapBatch(recipe, tuple(seeds), cells, values, "pipeline", tileset)
