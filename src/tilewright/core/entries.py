"""Entries of registries: techniques, shapers, measures, constraints and benchmarks, and their decorators.

An entry is declared by a decorator of a function, which gives the entry its name and its documentation. Games,
distances, formats and engines are declared in the same way, in the packages of their own.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

from .errors import Fix, InvalidRecipe, TilewrightError, UnknownName
from .grid import Offset
from .many_maps import ManyMaps, Stage
from .params import Params, Sized
from .samples import Samples, Training
from .seeds import Rng
from .tileset import Tileset

if TYPE_CHECKING:
    from .registry import Bound

E = TypeVar("E", bound="Entry")
P = ParamSpec("P")

RECIPE_FIELDS = (
    "technique", "params", "shaping", "tileset", "tiles", "locks", "require", "tries", "attempt", "seed", "knobs",
    "name",
)  # fmt: skip
"""Keys of a recipe, which are also keywords of `tw.make`. Parameters must not have these names."""


def _refuse_call(*_: object) -> NoReturn:
    raise TilewrightError("the entry has no function; use its class as a decorator, such as technique(...)")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Base of registered techniques, shapers, measures, constraints, games, distances, formats and engines.

    `declare` makes the decorator of a kind of entries. The decorator sets `name`, `doc` and `body`.
    """

    params: type[Params] = Params
    """Class of the parameters."""
    revision: int = 1
    """Number that is increased when the entry gives another result for the same recipe and seed."""
    name: str = ""
    """Name by which users refer to the entry, which is the name of the declared function."""
    doc: str = ""
    """Documentation, from the docstring of the module or function."""
    body: Callable[..., Any] = _refuse_call
    """The declared function."""

    def __post_init__(self) -> None:
        if not isinstance(self.params, type) or not issubclass(self.params, Params):
            raise InvalidRecipe("must be a class of parameters", at="params", got=self.params, rule="type")

    @property
    def summary(self) -> str:
        """First line of the documentation."""
        return self.doc.strip().split("\n", 1)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        from .registry import find_entry

        return find_entry, (type(self), self.name)


@dataclass(frozen=True, kw_only=True)
class ByExample:
    """Settings of the studio's By-example view for a technique that learns from a sample."""

    knobs: Mapping[str, tuple[Any, ...]]
    """Parameters to show, each with the values to offer in addition to the default."""
    sample: str = "sample"
    """Name of the parameter for the sample."""
    shared: tuple[str, ...] = ()
    """Common settings that are also parameters of the technique, such as wrap, wrap_sample and
    sample_edges."""
    note: str = ""
    """Relation of the technique's maps to the sample, as a clause that follows the technique's name."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that have another default in this view."""
    objective: str = ""
    """Name of the number in the frames that decreases as the map improves. The studio draws it as a curve. Empty if
    there is no such number."""


@dataclass(frozen=True, kw_only=True)
class Technique(Entry):
    """A map generator.

    The decorator `technique` declares a function `(params, site, rng)` as a technique. The function yields `Frame`s and
    returns a `TileMap`.

    Examples
    --------
    >>> import numpy as np
    >>> import tilewright as tw
    >>> @tw.technique(tw.Sized, tileset="cave")
    ... def blank(params, site, rng):
    ...     \"\"\"Blank map: every cell is the first tile.\"\"\"
    ...     yield tw.Frame(note="done")
    ...     return site.map(np.zeros(site.shape, dtype=np.uint8))
    >>> blank.name
    'blank'
    """

    params: type[Params] = field(kw_only=False)
    tileset: str | Callable[[Any], Tileset]
    """Name of the default tileset, or a function of the params that returns a tileset."""
    tiles: Sequence[str] | Callable[[Any], Sequence[str]] | None = None
    """Labels of the technique's tiles. The technique's cells hold positions in this list. By default, all tiles of the
    tileset."""
    match_by_position: bool = False
    """Whether a label that the tileset lacks refers to the tile at the same position."""
    extends_tileset: bool = False
    """Whether labels that the tileset lacks are added to the tileset, with the appearance from the default tileset."""
    allow_unknown_lock_tiles: bool = False
    """Whether locks may use tiles that are not among the labels. Tiles that the tileset lacks are added to the
    tileset."""
    recipe_keys: Sequence[str] = ()
    """Keys by which plain data without a technique is recognized as parameters of this technique."""
    dimensions: tuple[int, ...] = (2,)
    """Numbers of dimensions that the technique's maps may have."""
    bytes_per_cell: int | Callable[[Any], int] = 6
    """Working memory per cell, or a function of the params. Maps that do not fit in memory are refused."""
    reach: Callable[[Any], int] | None = None
    """Function of the params that returns the distance over which cells depend on each other, for maps made in
    chunks."""
    margin_in_memory: bool = True
    """Whether the margin of a window is in memory while the window is made."""
    offset: Callable[[Any], Offset | None] | None = None
    """Function of the params that returns the position x, y of the window in an endless world. None for techniques
    without endless worlds."""
    copies: Callable[[Any], int] | None = None
    """Function of the params that returns the number of maps in memory at once, such as a population. The default is
    1."""
    cost: Callable[[Any], int] | None = None
    """Function of the params that returns the approximate number of cell updates for a map. The default is one per
    cell."""
    training: Callable[[Any], Training | None] | None = None
    """Function of the params that returns the training data. By default, the first parameter that holds `Samples`."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Parameters for tests that make small maps quickly, if the defaults are slow."""
    by_example: ByExample | None = None
    """Settings of the studio's By-example view; None for techniques that the view does not show."""
    learn: type[Any] | None = None
    """Class of the parameters that the technique's models store, a subclass of `TrainingParams`."""
    resolve_random: Callable[[Any, Rng], Params] | None = None
    """Function of the params and rng that draws random parameters, such as scores, so that the recipe stores them."""
    validate: Callable[[Any, Any], None] | None = None
    """Function of the params and site that raises InvalidRecipe if they are inconsistent. Called before the body."""
    uses_seed: bool = True
    """Whether the map depends on the seed."""
    search_words: tuple[str, ...] = ()
    """Further words by which users look for the technique, in the singular, such as dungeon."""
    main_param: str = ""
    """Parameter that changes the look of the maps most, for sweeps. By default, the first that is not a size."""
    vary: Mapping[str, Mapping[str, Any]] | None = None
    """Parameters that a search of the studio varies by default, with their ranges; an empty range is the usual one. By
    default, `main_param`."""
    many: type[ManyMaps] | None = None
    """Class of the kernels that make many maps at once."""

    def __post_init__(self) -> None:
        super().__post_init__()
        taken = sorted(set(RECIPE_FIELDS) & set(self.params.model_fields))
        if taken:
            raise TypeError(f"{self.params.__name__}: {taken[0]!r} is a key of recipes; rename the parameter")

    def own_tileset(self, params: Params) -> Tileset:
        """Return the default tileset."""
        from .tilesets import tilesets

        return tilesets.get(self.tileset) if isinstance(self.tileset, str) else self.tileset(params)

    def tileset_for(
        self, params: Params, given: Tileset | None, renames: Mapping[str, str], locked: Iterable[str | int] = ()
    ) -> Tileset:
        """Return the tileset of a recipe.

        Parameters
        ----------
        params
            Parameters of the technique.
        given
            Tileset that the recipe names, if any.
        renames
            Tiles of the tileset by label of the technique.
        locked
            Labels of the locked tiles.

        Returns
        -------
        Tileset
            The given or the default tileset, extended as the technique declares.
        """
        own = self.own_tileset(params)
        chosen = given or own
        if given is not None and self.extends_tileset:
            chosen = given.with_tiles(
                tile for tile in own if tile.name not in renames and given.find(tile.name) is None
            )
        if self.allow_unknown_lock_tiles:
            labels = self.labels_of(params)
            unknown = [str(label) for label in locked if chosen.find(label) is None and str(label) not in labels]
            chosen = chosen.with_tiles(Tileset.from_labels(unknown)) if unknown else chosen
        return chosen

    def shape_of(self, params: Params) -> tuple[int, ...]:
        """Return the shape of the map; (1, 1) if the params are not `Sized`."""
        return params.shape if isinstance(params, Sized) else (1, 1)

    def offset_of(self, params: Params) -> Offset | None:
        """Return the position x, y of the map in an endless world; None for a map with edges."""
        return None if self.offset is None else self.offset(params)

    def margin_of(self, params: Params) -> int:
        """Return the width of the margin that is in memory while a window is made."""
        is_needed = self.reach is not None and self.margin_in_memory and self.offset_of(params) is not None
        return self.reach(params) if self.reach is not None and is_needed else 0

    def copies_of(self, params: Params) -> int:
        """Return the number of maps in memory at once."""
        return 1 if self.copies is None else self.copies(params)

    def cells_of(self, params: Params) -> int:
        """Return the number of cells in memory at once, including margins and copies."""
        margin = self.margin_of(params)
        return prod(side + 2 * margin for side in self.shape_of(params)) * self.copies_of(params)

    def cost_of(self, params: Params) -> int:
        """Return the approximate number of cell updates for a map."""
        return self.cells_of(params) if self.cost is None else self.cost(params)

    def training_of(self, params: Params) -> Training | None:
        """Return the training data in the params; None if the technique does not learn from samples."""
        if self.training is not None:
            return self.training(params)
        found = next((value for _, value in params if isinstance(value, Samples)), None)
        return None if found is None else Training(samples=found)

    def memory(self, params: Params, cells: int) -> int:
        """Return the working memory in bytes for a number of cells."""
        each = self.bytes_per_cell
        return cells * (each(params) if callable(each) else each)

    def labels_of(self, params: Params) -> tuple[str, ...]:
        """Return the labels of the technique's tiles. The technique's cells hold positions in this list."""
        labels = self.tiles(params) if callable(self.tiles) else self.tiles
        return tuple(labels or self.own_tileset(params).names)

    def match_labels(self, params: Params, tileset: Tileset, renames: Mapping[str, str]) -> dict[str, int | None]:
        """Return the id of the tile for each label of the technique; None if the tileset has no such tile.

        Parameters
        ----------
        params
            Parameters of the technique.
        tileset
            Tileset of the map, from `tileset_for`.
        renames
            Tiles of the tileset by label, as in the recipe's `tiles`.

        Returns
        -------
        dict
            Tile ids by label, in the order of the labels.
        """
        found: dict[str, int | None] = {}
        for position, label in enumerate(self.labels_of(params)):
            number = tileset.find(renames.get(label, label))
            if number is None and self.match_by_position and label not in renames and position < len(tileset):
                number = position
            found.setdefault(label, number)
        return found


@dataclass(frozen=True, kw_only=True)
class Shaper(Entry):
    """A post-processing step.

    The decorator `shaper` declares a function `(map, params, site, rng)` that returns a `TileMap`, and may yield
    `Frame`s. `transform` declares one that only moves cells.
    """

    params: type[Params] = field(kw_only=False)
    rearranges: bool = False
    """Whether the shaper only moves cells. Then its function takes `(params, array)` and rearranges any array of the
    map's shape."""
    reorients: Callable[[Any], str] | None = None
    """Function of the params that returns the transformation of pieces, in the steps of `Tileset.reorient_tiles`."""
    dimensions: tuple[int, ...] = (2, 3)
    """Numbers of dimensions that maps may have."""
    example: str = ""
    """Arguments of an example call of `tilewright make`. By default, caves shaped with the first parameter."""
    many: Callable[[Any, Any], Stage] | None = None
    """Function of the params and site that returns the shaper as kernels for many maps run it, or raises NoKernel."""


@dataclass(frozen=True, kw_only=True)
class Measure(Entry):
    """A number computed from a map.

    The decorator `tw.analysis.measure` declares a function of a `Survey` that returns the number, or None if the
    measure does not apply. Its docstring describes the measure.

    Examples
    --------
    >>> import tilewright as tw
    >>> @tw.register
    ... @tw.analysis.measure(unit="cells")
    ... def walls(survey: tw.Survey) -> float:
    ...     \"\"\"Number of cells that hold a wall.\"\"\"
    ...     return int(survey.map.where("wall").sum())
    >>> tw.measure(tw.make("caves", width=9, height=7, walls=1.0, seed=1), "walls")
    {'walls': 63.0}
    >>> from tilewright.core.registry import measures
    >>> measures.remove("walls")
    """

    unit: str = ""
    """Unit of the number, such as "cells"."""
    compares: bool = False
    """Whether the measure compares the map with a sample. Then it applies only if a sample is given."""
    group: str = ""
    """Group under which the measure is shown, such as "rooms"; see `MEASURE_GROUPS`."""
    reported_as: tuple[str, ...] = ()
    """Numbers in `map.numbers` that repeat the measure. They are not shown beside a measure with the same value."""
    argument: str = ""
    """What the argument of the measure is, as one word, such as "tile" in `count.TILE`. The name of a measure with its
    argument is `count.treasure`. An argument "tile" must be a tile of the map's tileset. Empty for measures without an
    argument."""
    value: str | None = None
    """Value of the argument, if it is given."""

    @property
    def usage(self) -> str:
        """Name as users write it, with the argument in upper case: `regions`, `count.TILE`."""
        return f"{self.name}.{self.argument.upper()}" if self.argument and self.value is None else self.name

    def with_argument(self, value: str) -> Measure:
        """Return the measure with the value of its argument."""
        return replace(self, name=f"{self.name}.{value}", value=value)

    def compute(self, survey: Any) -> float | None:
        """Return the number of a `Survey`; None if the measure does not apply."""
        found: float | None = self.body(survey, self.value) if self.argument else self.body(survey)
        return found

    def check_argument(self, known: Sequence[Tileset]) -> None:
        """Raise UnknownName if the argument is a tile that all known tilesets lack."""
        value = self.value
        if self.argument != "tile" or value is None or any(tileset.find(value) is not None for tileset in known):
            return
        base, path = self.name.removesuffix(f".{value}"), (self.name,)
        error = UnknownName("tile", value, (name for tileset in known for name in tileset.names))
        (found,) = error.problems
        near = [Fix("use", path, f"{base}.{fix.value}") for fix in found.fixes]
        raise error.replace([replace(found, path=path, fixes=(*near, Fix("remove", path)))])


@dataclass(frozen=True, kw_only=True)
class Constraint(Entry):
    """A constraint for the technique wfc, which bans tiles from cells; see docs/techniques/wfc.md.

    The decorator `constraint` declares a function `(params, view)` that yields pairs of a tile and a mask of cells to
    ban it from.
    """

    def __call__(self, **params: Any) -> Bound[Constraint]:
        """Return the constraint with its params, for `tw.make("wfc", constraints=[...])`."""
        from .registry import Bound

        return Bound(self, self.params.validate(params))


@dataclass(frozen=True, kw_only=True)
class Benchmark(Entry):
    """A benchmark of generators, which `tilewright benchmark NAME` runs.

    The decorator `benchmark` declares a function `(params, report)` that yields a row of results for each problem: a
    mapping with the same keys in all rows. `report` takes the completed fraction, from 0 to 1 or None if unknown, and a
    word for the current step. The parameters are the options of the command.

    Examples
    --------
    >>> import tilewright as tw
    >>> class ConnectedParams(tw.Params):
    ...     count: int = tw.param(10, ge=1, le=1000)
    ...     \"\"\"Number of maps.\"\"\"
    >>> @tw.benchmark(ConnectedParams)
    ... def connected(params, report):
    ...     \"\"\"Fraction of caves with one region.\"\"\"
    ...     regions = tw.make_many("caves", range(params.count), width=20, measures=["regions"]).measures["regions"]
    ...     yield {"technique": "caves", "connected": float((regions == 1).mean())}
    """

    params: type[Params] = field(kw_only=False)


def declare(kind: Callable[P, E], **fixed: Any) -> Callable[P, Callable[[Callable[..., Any]], E]]:
    """Return the decorator that declares functions as entries of a kind.

    The arguments of the decorator are the fields of the kind. The function gives the entry its name, and its
    documentation: its docstring, or else that of its module.
    """

    @wraps(kind, assigned=("__doc__", "__module__"), updated=())
    def decorate(*arguments: P.args, **fields: P.kwargs) -> Callable[[Callable[..., Any]], E]:
        entry = kind(*arguments, **fields)

        def declare_function(body: Callable[..., Any]) -> E:
            if not callable(body) or not hasattr(body, "__name__"):
                raise InvalidRecipe("must be a function with a name", got=body, rule="type")
            return replace(entry, name=body.__name__, body=body, doc=_find_doc(body), **fixed)

        return declare_function

    return decorate


def _find_doc(body: Callable[..., Any]) -> str:
    """Return the docstring of a function, or else of its module."""
    module = sys.modules.get(body.__module__)
    return inspect.getdoc(body) or (module and module.__name__ != "__main__" and module.__doc__) or ""


technique = declare(Technique)
"""Declare a function `(params, site, rng)` as a technique, with the fields of `Technique`."""
shaper = declare(Shaper)
"""Declare a function `(map, params, site, rng)` as a shaper, with the fields of `Shaper`."""
transform = declare(Shaper, rearranges=True)
"""Declare a function `(params, array)` as a shaper that only moves cells, such as a flip.

The pipeline applies the function to the cells, layers, rooms, markers and locks of a map. The function returns the
rearranged array, which must depend only on the shape of the array."""
measure = declare(Measure)
"""Declare a function of a `Survey` as a measure, with the fields of `Measure`."""
constraint = declare(Constraint)
"""Declare a function `(params, view)` as a constraint for the technique wfc, with the fields of `Constraint`."""
benchmark = declare(Benchmark)
"""Declare a function `(params, report)` as a benchmark, with the fields of `Benchmark`."""
