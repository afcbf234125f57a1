"""Registries of techniques, shapers, measures, constraints and tilesets.

A built-in technique or shaper has the name of its file. Listing names reads file names and entry points; modules are
imported at first use. Other packages add entries through the entry point groups tilewright.generators, .shaping,
.measures, .constraints, .formats, .engines, .distances, .games and .tilesets.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from math import prod
from types import ModuleType
from typing import Any, Generic, TypedDict, TypeVar, Unpack

from .. import data
from . import ports
from .errors import Fix, InvalidRecipe, TilewrightError, UnknownName
from .grid import Offset
from .params import Params, Sized
from .samples import Samples, Training
from .seeds import Rng
from .tileset import Tileset

RECIPE_FIELDS = (
    "technique", "params", "shaping", "tileset", "tiles", "locks", "require", "tries", "attempt", "seed", "knobs",
)  # fmt: skip
"""Keys of a recipe, which are also keywords of `tw.make`. Parameters must not have these names."""

MEASURE_GROUPS = ("walking", "playing", "rooms", "shape", "similarity", "players")
"""Groups of the built-in measures, in the order in which they are shown. Other groups follow."""
MAX_MEASURE_NAME = 200
"""Maximum number of characters of a measure's name with its argument."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Base of registered techniques, shapers, measures, constraints and formats."""

    name: str
    """Name by which users refer to the entry."""
    params: type[Params]
    """Class of the parameters."""
    revision: int = 1
    """Number that is increased when the entry gives another result for the same recipe and seed."""
    doc: str = ""
    """Documentation, from the docstring of the module or function."""

    @property
    def summary(self) -> str:
        """First line of the documentation."""
        return self.doc.strip().split("\n", 1)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_entry, (type(self).__name__, self.name)


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
    objective: str = ""
    """Name of the number in the frames that decreases as the map improves. The studio draws it as a curve. Empty if
    there is no such number."""


@dataclass(frozen=True, kw_only=True)
class Technique(Entry):
    """A map generator. The decorator `technique` makes a technique from a function."""

    body: Callable[..., Any]
    """Function `(params, site, rng)` that yields frames and returns a map."""
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

    def own_tileset(self, params: Params) -> Tileset:
        """Return the default tileset."""
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
            labels = self.labels_of(params) or own.names
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

    def labels_of(self, params: Params) -> tuple[str, ...] | None:
        """Return the labels of the technique's tiles; None for all tiles of its tileset."""
        return tuple(self.tiles(params) if callable(self.tiles) else self.tiles) if self.tiles else None


@dataclass(frozen=True, kw_only=True)
class Shaper(Entry):
    """A post-processing step. The decorators `shaper` and `transform` make a shaper from a function."""

    body: Callable[..., Any]
    """Function `(map, params, site, rng)` that returns a map, or `(params, array)` if it only moves cells."""
    rearranges: bool = False
    """Whether the shaper only moves cells. Then its body rearranges any array of the map's shape."""
    reorients: Callable[[Any], str] | None = None
    """Function of the params that returns the transformation of pieces, in the steps of `Tileset.reorient_tiles`."""
    dimensions: tuple[int, ...] = (2, 3)
    """Numbers of dimensions that maps may have."""
    example: str = ""
    """Arguments of an example call of `tilewright make`. By default, caves shaped with the first parameter."""


@dataclass(frozen=True, kw_only=True)
class Measure(Entry):
    """A number computed from a map."""

    body: Callable[..., float | None]
    """Function of a `Survey` that returns the number, or None if the measure does not apply. If the measure has an
    argument, it is the second argument of the function."""
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
    params: type[Params] = field(default=Params)

    @property
    def usage(self) -> str:
        """Name as users write it, with the argument in upper case: `regions`, `count.TILE`."""
        return f"{self.name}.{self.argument.upper()}" if self.argument and self.value is None else self.name

    def with_argument(self, value: str) -> Measure:
        """Return the measure with the value of its argument."""
        return replace(self, name=f"{self.name}.{value}", value=value)

    def compute(self, survey: Any) -> float | None:
        """Return the number of a `Survey`; None if the measure does not apply."""
        return self.body(survey, self.value) if self.argument else self.body(survey)

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
    """A constraint for the technique wfc, which bans tiles from cells; see docs/techniques/wfc.md."""

    body: Callable[[Any, Any], Iterable[tuple[str, Any]]]
    """Function `(params, view)` that yields pairs of a tile and a mask of cells to ban it from."""

    def __call__(self, **params: Any) -> BoundConstraint:
        """Return the constraint with its params, for `tw.make("wfc", constraints=[...])`."""
        return BoundConstraint(self, self.params.validate(params))


@dataclass(frozen=True)
class BoundConstraint:
    """A constraint with its params."""

    constraint: Constraint
    params: Params


class _TechniqueOptions(TypedDict, total=False):
    """Optional fields of `Technique`. Their descriptions are in `Technique`."""

    tiles: Sequence[str] | Callable[[Any], Sequence[str]]
    match_by_position: bool
    extends_tileset: bool
    allow_unknown_lock_tiles: bool
    recipe_keys: Sequence[str]
    revision: int
    dimensions: tuple[int, ...]
    bytes_per_cell: int | Callable[[Any], int]
    reach: Callable[[Any], int]
    margin_in_memory: bool
    offset: Callable[[Any], Offset | None]
    copies: Callable[[Any], int]
    cost: Callable[[Any], int]
    training: Callable[[Any], Training | None]
    quick: Mapping[str, Any]
    by_example: ByExample
    learn: type[Any]
    resolve_random: Callable[[Any, Rng], Params]
    validate: Callable[[Any, Any], None]
    uses_seed: bool
    search_words: tuple[str, ...]
    main_param: str


def technique(
    params: type[Params], *, tileset: str | Callable[[Any], Tileset], **declared: Unpack[_TechniqueOptions]
) -> Callable[[Callable[..., Any]], Technique]:
    """Declare a function as a technique. The function has the name of the technique.

    Parameters
    ----------
    params
        Class of the technique's parameters.
    tileset
        Name of the default tileset, or a function of the params that returns one.
    **declared
        Other fields of `Technique`, such as `tiles`, `revision` and `dimensions`.

    Returns
    -------
    Callable
        Decorator for a function `(params, site, rng)` that yields `Frame`s and returns a `TileMap`.

    Raises
    ------
    TypeError
        If a parameter has the name of a key of recipes.

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

    def declare(body: Callable[..., Any]) -> Technique:
        own = _check_reserved(params)
        return Technique(name=body.__name__, params=own, body=body, doc=_find_doc(body), tileset=tileset, **declared)

    return declare


def shaper(
    params: type[Params], *, revision: int = 1, dimensions: tuple[int, ...] = (2, 3), example: str = ""
) -> Callable[[Callable[..., Any]], Shaper]:
    """Declare a function as a shaper. The function has the name of the shaper.

    Parameters
    ----------
    params
        Class of the shaper's parameters.
    revision
        Number to increase when the same recipe and seed give another result.
    dimensions
        Numbers of dimensions that maps may have.
    example
        Arguments of an example call of `tilewright make`.

    Returns
    -------
    Callable
        Decorator for a function `(map, params, site, rng)` that returns a `TileMap`, and may yield `Frame`s.
    """
    return lambda body: Shaper(
        name=body.__name__,
        params=params,
        body=body,
        revision=revision,
        dimensions=dimensions,
        doc=_find_doc(body),
        example=example,
    )


def transform(
    params: type[Params], *, reorients: Callable[[Any], str] | None = None, revision: int = 1
) -> Callable[[Callable[..., Any]], Shaper]:
    """Declare a function as a shaper that only moves cells, such as a flip.

    The pipeline applies the function to the cells, layers, rooms, markers and locks of a map.

    Parameters
    ----------
    params
        Class of the shaper's parameters.
    reorients
        Function of the params that returns the transformation of pieces such as rivers and roads, in the steps x, y and
        d of `Tileset.reorient_tiles`. By default, pieces stay as they are.
    revision
        Number to increase when the same recipe and seed give another result.

    Returns
    -------
    Callable
        Decorator for a function `(params, array)` that returns the rearranged array. It must depend only on the shape
        of the array.
    """
    return lambda body: Shaper(
        name=body.__name__,
        params=params,
        body=body,
        revision=revision,
        doc=_find_doc(body),
        rearranges=True,
        reorients=reorients,
    )


def measure(
    *, unit: str = "", compares: bool = False, argument: str = "", group: str = "", reported_as: tuple[str, ...] = ()
) -> Callable[[Callable[..., float | None]], Measure]:
    """Declare a function of a `Survey` as a measure, described by its docstring. See `register_measure`."""
    return lambda body: Measure(
        name=body.__name__,
        body=body,
        unit=unit,
        compares=compares,
        argument=argument,
        group=group,
        reported_as=reported_as,
        doc=inspect.getdoc(body) or "",
    )


def constraint(
    *, params: type[Params] = Params, revision: int = 1
) -> Callable[[Callable[[Any, Any], Iterable[tuple[str, Any]]]], Constraint]:
    """Declare a function as a constraint for the technique wfc.

    Parameters
    ----------
    params
        Class of the constraint's parameters.
    revision
        Number to increase when the same recipe and seed give another result.

    Returns
    -------
    Callable
        Decorator for a function `(params, view)` that yields pairs of a tile and a mask of cells to ban it from.
    """
    return lambda body: Constraint(
        name=body.__name__, params=params, body=body, revision=revision, doc=inspect.getdoc(body) or ""
    )


def _find_doc(body: Callable[..., Any]) -> str:
    """Return the docstring of the function's module, or else of the function."""
    module = sys.modules.get(body.__module__)
    own = inspect.getdoc(body) or ""
    return (module.__doc__ if module and module.__doc__ and module.__name__ != "__main__" else own) or own


def _check_reserved(params: type[Params]) -> type[Params]:
    taken = sorted(set(RECIPE_FIELDS) & set(params.model_fields))
    if taken:
        raise TypeError(f"{params.__name__}: {taken[0]!r} is a key of recipes; rename the parameter")
    return params


E = TypeVar("E", bound=Entry)
T = TypeVar("T")


class Registry(Generic[E]):
    """Entries of one kind by name: built-in modules, entry points of installed packages, and entries added in code."""

    def __init__(self, kind: str, folder: str, entry: type[E], *, package: str | None = None) -> None:
        self.kind = kind
        self.folder = folder
        """Last part of the entry point group."""
        self.entry = entry
        self.package = package or folder
        """Package of the built-in modules."""
        self._added: dict[str, E] = {}
        self._found: dict[str, E] = {}
        """Cache of the built-in entries."""

    def names(self) -> list[str]:
        """Return the sorted names of all entries."""
        return sorted({*self.built_in, *find_plugins(self.folder), *self._added})

    def __iter__(self) -> Iterator[E]:
        """Yield all entries. A plugin that cannot be loaded is skipped with a warning."""
        for name in self.names():
            try:
                yield self.get(name)
            except TilewrightError as error:
                warnings.warn(str(error), stacklevel=2)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in self._added or name in self.built_in or name in find_plugins(self.folder)

    def get(self, name: str) -> E:
        """Return the entry with a name, importing its module if needed. Raise UnknownName if there is no such entry."""
        _check_name(self.kind, name)
        if found := self._added.get(name) or self._found.get(name):
            return found
        if name in self.built_in:
            self._found[name] = self._check_entry(getattr(self._load(name), name, None), name)
            return self._found[name]
        if name in find_plugins(self.folder):
            return self._check_entry(load_plugin(self.folder, name), name)
        raise self._make_unknown(name)

    def add(self, entry: E) -> None:
        """Add an entry in this process. Raise TilewrightError if the name exists."""
        self._check_free(entry.name, self)
        self._added[entry.name] = self._check_entry(entry, entry.name)

    @property
    def added(self) -> frozenset[str]:
        """Names of the entries that were added in this process."""
        return frozenset(self._added)

    def register(self, entry: E) -> E:
        """Add an entry.

        An entry of the same name that was added before is replaced, because cells of a notebook may run twice. So is an
        entry point of the same name, because the module that it names registers its own entries.
        """
        self._check_free(entry.name, self.built_in)
        self._added[entry.name] = self._check_entry(entry, entry.name)
        return entry

    def remove(self, name: str) -> None:
        """Remove an entry that was added in this process."""
        self._added.pop(name, None)

    @property
    def built_in(self) -> frozenset[str]:
        """Names of the built-in entries."""
        return ports.built_in.get().find_names(self.package)

    def _check_free(self, name: str, taken: Container[str]) -> None:
        if name in taken:
            raise TilewrightError(f"there is already a {self.kind} {name!r}; use another name")

    def _import_module(self, name: str) -> ModuleType:
        return ports.built_in.get().load(self.package, name)

    def _make_unknown(self, name: str) -> UnknownName:
        """Return the error for a name that no entry has."""
        return UnknownName(self.kind, name, self.names())

    def _load(self, name: str) -> ModuleType:
        try:
            return self._import_module(name)
        except TilewrightError:
            raise
        except Exception as error:  # for example, a syntax error in a file that is being edited
            raise TilewrightError(f"{self.kind} {name!r} cannot be loaded: {type(error).__name__}: {error}") from error

    def _check_entry(self, found: object, name: str) -> E:
        if not isinstance(found, self.entry) or found.name != name:
            kind = self.entry.__name__.lower()
            raise TilewrightError(f"{self.kind} {name!r}: its module must define a {kind} named {name!r}")
        return found


class TechniqueRegistry(Registry[Technique]):
    """The registry of techniques, which also suggests techniques and recipes by their search words."""

    def _make_unknown(self, name: str) -> UnknownName:
        from .search_words import has_namesake, suggest_entries

        names = self.names()
        return UnknownName(self.kind, name, names, advice="" if has_namesake(names, name) else suggest_entries(name))


class MeasureRegistry(Registry[Measure]):
    """The registry of measures. Built-in measures are in the modules that `ports.built_in` lists.

    The name of a measure may have an argument, as in `count.treasure`. `names()` has the names without arguments.
    """

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._find_base(name) is not None)

    def get(self, name: str) -> Measure:
        if isinstance(name, str) and (found := self._added.get(name) or self._found.get(name)):
            return found
        base = None if super().__contains__(name) or not isinstance(name, str) else self._find_base(name)
        return super().get(name) if base is None else base.with_argument(name[len(base.name) + 1 :])

    def complete(self, name: str) -> Measure:
        """Return the measure with a name that can be computed: one without an argument, or with its argument.

        Raise InvalidRecipe if the argument is missing.
        """
        found = self.get(name)
        if found.argument and found.value is None:
            text = f"{name!r} needs the name of a {found.argument}: {found.usage}"
            raise InvalidRecipe(text, at=name, place="", rule="missing")
        return found

    def list_options(self, name: str) -> list[str]:
        """Return the names to compare a mistyped name with. If it has an argument, some of them have it too."""
        value = name.partition(".")[2].strip()
        return [one.with_argument(value).name if value and one.argument else one.usage for one in self]

    def _find_base(self, name: str) -> Measure | None:
        """Return the measure of a name with an argument, or None."""
        base, dot, value = name.partition(".")
        if not dot or not value.strip() or len(name) > MAX_MEASURE_NAME or not super().__contains__(base):
            return None
        found = super().get(base)
        return found if found.argument else None

    def _make_unknown(self, name: str) -> UnknownName:
        return UnknownName(self.kind, name, self.list_options(name))

    @cached_property
    def built_in(self) -> frozenset[str]:  # cached, because every name is looked up in it
        return frozenset(self._homes)

    @cached_property
    def _homes(self) -> dict[str, ModuleType]:
        """Modules of the built-in measures, by name."""
        modules = ports.built_in.get().load_measures()
        return {one.name: module for module in modules for one in vars(module).values() if isinstance(one, Measure)}

    def _import_module(self, name: str) -> ModuleType:
        return self._homes[name]


class ConstraintRegistry(Registry[Constraint]):
    """The registry of constraints, which come from entry points and user code. There are no built-in constraints."""

    @property
    def built_in(self) -> frozenset[str]:
        return frozenset()


class TilesetRegistry:
    """The registry of built-in tilesets and tilesets from entry points."""

    def names(self) -> list[str]:
        """Return the sorted names of all tilesets."""
        return sorted({*data.list_names("tilesets"), *find_plugins("tilesets")})

    def __iter__(self) -> Iterator[Tileset]:
        for name in self.names():
            try:
                yield self.get(name)
            except TilewrightError as error:
                warnings.warn(str(error), stacklevel=2)

    def get(self, name: str) -> Tileset:
        """Return the tileset with a name. Raise UnknownName if there is no such tileset."""
        _check_name("tileset", name)
        if name in data.list_names("tilesets"):
            return _load_built_in_tileset(name)
        if name not in find_plugins("tilesets"):
            raise UnknownName("tileset", name, self.names(), "tileset files end in .toml")
        found = load_plugin("tilesets", name)
        if not isinstance(found, Tileset):
            raise TilewrightError(f"tileset {name!r}: its entry point must be a Tileset")
        return found

    def write(self, tileset: Tileset) -> str | dict[str, Any]:
        """Return a tileset as recipes store it: the name of a registered tileset, or the data of any other."""
        known = self.complete(tileset)
        is_known = known.name in self.names() and self.get(known.name).look_digest == known.look_digest
        return known.name if is_known else tileset.to_data()

    def complete(self, tileset: Tileset) -> Tileset:
        """Return a tileset from a file with the skins of the registered tileset that equals it.

        A tileset that says itself how tiles are shown is returned unchanged. Files of versions before 0.3 do not.
        """
        if tileset.has_look or tileset.name not in self.names():
            return tileset
        known = self.get(tileset.name)
        return known if known == tileset else tileset


def _check_name(kind: str, name: object) -> None:
    if not isinstance(name, str):
        raise InvalidRecipe(f"must be the name of a {kind}, a string", got=name, rule="type")


@cache
def _load_built_in_tileset(name: str) -> Tileset:
    return Tileset.from_toml(data.read_text("tilesets", name), name)


@cache
def find_plugins(folder: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of installed packages for a folder, by name."""
    return {point.name: point for point in entry_points(group=f"tilewright.{folder}")}


def load_plugin(folder: str, name: str) -> object:
    """Load an entry point. Raise TilewrightError with its name if that fails."""
    point = find_plugins(folder)[name]
    try:
        with ports.import_lock:
            found = point.load()
    except Exception as error:  # Other packages may raise any exception.
        package = point.dist.name if point.dist else point.value
        raise TilewrightError(f"{name!r} of {package} cannot be loaded: {type(error).__name__}: {error}") from error
    return getattr(found, name, None) if isinstance(found, ModuleType) else found


def _restore_entry(kind: str, name: str) -> Entry:
    registries: dict[str, Registry[Any]] = {
        "Technique": techniques,
        "Shaper": shapers,
        "Measure": measures,
        "Constraint": constraints,
    }
    return registries[kind].get(name)  # type: ignore[no-any-return]


techniques: Registry[Technique] = TechniqueRegistry("technique", "generators", Technique)
shapers: Registry[Shaper] = Registry("shaper", "shaping", Shaper)
measures = MeasureRegistry("measure", "measures", Measure)
constraints = ConstraintRegistry("constraint", "constraints", Constraint)
tilesets = TilesetRegistry()


def register_measure(
    *, unit: str = "", compares: bool = False, argument: str = "", group: str = "", reported_as: tuple[str, ...] = ()
) -> Callable[[Callable[..., float | None]], Measure]:
    """Declare a function as a measure and register it in this process.

    Registering the same name again replaces the measure. Packages register measures through the entry point group
    tilewright.measures.

    Parameters
    ----------
    unit
        Unit of the number.
    compares
        Whether the measure compares the map with a sample.
    argument
        What the argument of the measure is, as one word, such as "tile" or "marker". The name with an argument is
        written as `name.argument`, and the function gets the argument after the survey.
    group
        Group under which the measure is shown, such as "walking", "rooms", "shape" or a name of your own.
    reported_as
        Names of numbers in `map.numbers` that repeat the measure.

    Returns
    -------
    Callable
        Decorator for a function of a `Survey` that returns a number, or None if the measure does not apply. Its
        docstring describes the measure.

    Examples
    --------
    >>> import tilewright as tw
    >>> @tw.register_measure(unit="cells")
    ... def walls(survey: tw.Survey) -> float:
    ...     \"\"\"Number of cells that hold a wall.\"\"\"
    ...     return int(survey.map.where("wall").sum())
    >>> tw.measure(tw.make("caves", width=9, height=7, walls=1.0, seed=1), "walls")
    {'walls': 63.0}
    >>> tw.list_measures()[-1].name
    'walls'
    >>> measures.remove("walls")
    """
    declare = measure(unit=unit, compares=compares, argument=argument, group=group, reported_as=reported_as)

    def register(body: Callable[..., float | None]) -> Measure:
        return measures.register(declare(check_function(body)))

    return register


def register_constraint(
    *, params: type[Params] = Params, revision: int = 1
) -> Callable[[Callable[[Any, Any], Iterable[tuple[str, Any]]]], Constraint]:
    """Declare a function as a constraint and register it in this process.

    Registering the same name again replaces the constraint. Packages register constraints through the entry point group
    tilewright.constraints.

    Parameters
    ----------
    params
        Class of the constraint's parameters.
    revision
        Number to increase when the same recipe and seed give another result.

    Returns
    -------
    Callable
        Decorator; see `constraint`.

    Raises
    ------
    InvalidRecipe
        If `params` is not a class of parameters.
    """
    check_params_class(params)
    declare = constraint(params=params, revision=revision)
    return lambda body: constraints.register(declare(check_function(body)))


def check_params_class(params: object) -> None:
    """Raise InvalidRecipe if an object is not a class of parameters."""
    if not isinstance(params, type) or not issubclass(params, Params):
        raise InvalidRecipe("must be a class of parameters", at="params", got=params, rule="type")


def check_function(body: T) -> T:
    """Return a function. Raise InvalidRecipe if it is not a function with a name."""
    if not callable(body) or not hasattr(body, "__name__"):
        raise InvalidRecipe("must be a function with a name", got=body, rule="type")
    return body
