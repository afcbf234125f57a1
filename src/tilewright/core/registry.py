"""What there is: techniques, shapers, measures, formats, tilesets. A file's name is its name; no table to edit.

Listing looks at file names and entry points; a module is imported when its entry is asked for. Third parties add
theirs through the entry point groups tilewright.generators, .shaping, .measures, .constraints, .formats and .tilesets.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from math import prod
from types import ModuleType
from typing import Any, Generic, TypedDict, TypeVar, Unpack

from .. import data
from . import ports
from .deprecation import renamed_keywords, renamed_members
from .errors import InvalidRecipe, TilewrightError, UnknownName
from .grid import Offset
from .params import Params, Sized
from .samples import Samples, Training
from .seeds import Rng
from .tileset import Tileset

RECIPE_FIELDS = ("technique", "params", "shaping", "tileset", "tiles", "locks", "require", "tries", "attempt", "seed")
"""The keys of a recipe, which are keywords of `tw.make` too. No parameter may be called like one of them."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Something registered: a name, its parameters, and what it is for."""

    name: str
    params: type[Params]
    revision: int = 1
    """Raised when the same recipe and seed make another result; goldens may change only with it."""
    doc: str = ""

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return self.doc.strip().split("\n", 1)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_entry, (type(self).__name__, self.name)


@dataclass(frozen=True, kw_only=True)
class ByExample:
    """What the studio's By-example view shows of a technique that learns from a sample."""

    knobs: Mapping[str, tuple[Any, ...]]
    """Parameters that can be set there, with the values that are offered beside the default."""
    sample: str = "sample"
    """The parameter that holds the sample."""
    shared: tuple[str, ...] = ()
    """Which of the settings for all techniques it has as parameters: wrap, wrap_sample."""
    note: str = ""
    """How its maps relate to the sample, as a clause after its name."""
    objective: str = ""
    """The number in its frames that falls as the map improves, drawn as a curve; empty where there is none."""


@renamed_members(
    refuse="validate",
    settle="resolve_random",
    extends="extends_tileset",
    strange_locks="allow_unknown_lock_tiles",
    sections="recipe_keys",
    holds_reach="margin_in_memory",
    numbered="match_by_position",
    words="labels_of",
)
@dataclass(frozen=True, kw_only=True)
class Technique(Entry):
    """Makes a map from nothing but params, a site and a stream."""

    body: Callable[..., Any]
    tileset: str | Callable[[Any], Tileset]
    """The name of its own tileset, or what makes one of its params (of a sample, say)."""
    tiles: Sequence[str] | Callable[[Any], Sequence[str]] | None = None
    """The technique's words, of which its cells hold positions; by default all tiles of its tileset."""
    match_by_position: bool = False
    """Whether words that a tileset lacks may stand for the tile at the same position."""
    extends_tileset: bool = False
    """Whether words that a tileset lacks are added to it, with the looks that its own tileset gives them."""
    allow_unknown_lock_tiles: bool = False
    """Whether locks may hold tiles that it has no word for; those that the tileset lacks are added to it."""
    recipe_keys: Sequence[str] = ()
    """Keys by which plain data that names no technique is known as its params."""
    dimensions: tuple[int, ...] = (2,)
    bytes_per_cell: int | Callable[[Any], int] = 6
    """Working memory, for refusing maps that cannot fit; or what tells it of params."""
    reach: Callable[[Any], int] | None = None
    """How far a cell sees, for techniques that can be made in chunks."""
    margin_in_memory: bool = True
    """Whether a window keeps all cells within reach in memory while it is made."""
    offset: Callable[[Any], Offset | None] | None = None
    """Where in an endless plane the params ask for a window, x, y; None for techniques that know no such plane."""
    copies: Callable[[Any], int] | None = None
    """Maps that are in memory at once while one is made, such as a population; by default one."""
    cost: Callable[[Any], int] | None = None
    """Cell updates that a map takes, roughly; by default one for each cell."""
    training: Callable[[Any], Training | None] | None = None
    """The training data in the params; by default the first parameter that holds `Samples`."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Params with which tests make a map quickly, where the defaults take long."""
    by_example: ByExample | None = None
    """What the studio's By-example view shows; None for techniques that are not shown there."""
    learn: type[Any] | None = None
    """The params that hold what it learns from samples, a part of its own; see core/model."""
    resolve_random: Callable[[Any, Rng], Params] | None = None
    """Draws what the params leave to chance, such as random scores, so that the recipe can record it."""
    validate: Callable[[Any, Any], None] | None = None
    """Raises InvalidRecipe where params and a site with its locks contradict each other; asked before any work."""

    def own_tileset(self, params: Params) -> Tileset:
        """The tileset of its maps, unless the recipe names another."""
        return tilesets.get(self.tileset) if isinstance(self.tileset, str) else self.tileset(params)

    def tileset_for(
        self, params: Params, given: Tileset | None, renames: Mapping[str, str], locked: Iterable[str | int] = ()
    ) -> Tileset:
        """The tileset of a recipe whose locks hold these words: the one that it names, or the technique's own."""
        own = self.own_tileset(params)
        chosen = given or own
        if given is not None and self.extends_tileset:
            chosen = given.with_tiles(
                tile for tile in own if tile.name not in renames and given.find(tile.name) is None
            )
        if self.allow_unknown_lock_tiles:
            words = self.labels_of(params) or own.names
            strange = [str(word) for word in locked if chosen.find(word) is None and str(word) not in words]
            chosen = chosen.with_tiles(Tileset.from_labels(strange)) if strange else chosen
        return chosen

    def shape_of(self, params: Params) -> tuple[int, ...]:
        """Return the shape of the map; a single cell where the params are not `Sized`."""
        return params.shape if isinstance(params, Sized) else (1, 1)

    def offset_of(self, params: Params) -> Offset | None:
        """Return where in an endless plane the map is; None for a map that is no window."""
        return None if self.offset is None else self.offset(params)

    def margin_of(self, params: Params) -> int:
        """Return how many cells around a window are in memory while it is made."""
        is_needed = self.reach is not None and self.margin_in_memory and self.offset_of(params) is not None
        return self.reach(params) if self.reach is not None and is_needed else 0

    def copies_of(self, params: Params) -> int:
        """Return how many maps are in memory at once."""
        return 1 if self.copies is None else self.copies(params)

    def cells_of(self, params: Params) -> int:
        """Return how many cells are in memory at once: of one map with the margin of a window, or of several maps."""
        margin = self.margin_of(params)
        return prod(side + 2 * margin for side in self.shape_of(params)) * self.copies_of(params)

    def cost_of(self, params: Params) -> int:
        """Return how many cell updates a map takes, roughly."""
        return self.cells_of(params) if self.cost is None else self.cost(params)

    def training_of(self, params: Params) -> Training | None:
        """Return the training data in the params; None where maps are not made from samples."""
        if self.training is not None:
            return self.training(params)
        found = next((value for _, value in params if isinstance(value, Samples)), None)
        return None if found is None else Training(samples=found)

    def memory(self, params: Params, cells: int) -> int:
        """Bytes to work with while so many cells are made."""
        each = self.bytes_per_cell
        return cells * (each(params) if callable(each) else each)

    def labels_of(self, params: Params) -> tuple[str, ...] | None:
        return tuple(self.tiles(params) if callable(self.tiles) else self.tiles) if self.tiles else None


@renamed_members(moves="rearranges", turns="reorients")
@dataclass(frozen=True, kw_only=True)
class Shaper(Entry):
    """Makes a map from a map."""

    body: Callable[..., Any]
    rearranges: bool = False
    """Whether it only moves cells: then its body is (params, array) -> array, of whatever the array holds."""
    reorients: Callable[[Any], str] | None = None
    """How a shaper that moves cells turns the map over, in the steps of `Tileset.turned`: pieces turn along."""
    dimensions: tuple[int, ...] = (2, 3)
    example: str = ""
    """What to try after `tilewright make`; by default caves, shaped with its first parameter."""


@dataclass(frozen=True, kw_only=True)
class Measure(Entry):
    """A named number of a map, or None where it does not apply."""

    body: Callable[[Any], float | None]
    unit: str = ""
    compares: bool = False
    """Whether it compares the map with a sample, and applies only where there is one."""
    params: type[Params] = field(default=Params)


@dataclass(frozen=True, kw_only=True)
class Constraint(Entry):
    """Bans tiles from cells while technique wfc decides a map; see docs/techniques/wfc.md."""

    body: Callable[[Any, Any], Iterable[tuple[str, Any]]]

    def __call__(self, **params: Any) -> BoundConstraint:
        """Return the constraint with its params, for `tw.make("wfc", constraints=[...])`."""
        return BoundConstraint(self, self.params.validate(params))


@dataclass(frozen=True)
class BoundConstraint:
    """A constraint and its params."""

    constraint: Constraint
    params: Params


class _TechniqueDeclaration(TypedDict, total=False):
    """What a technique may declare; `Technique` describes each."""

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


@renamed_keywords(
    refuse="validate",
    settle="resolve_random",
    extends="extends_tileset",
    strange_locks="allow_unknown_lock_tiles",
    sections="recipe_keys",
    holds_reach="margin_in_memory",
    numbered="match_by_position",
)
def technique(
    params: type[Params], *, tileset: str | Callable[[Any], Tileset], **declared: Unpack[_TechniqueDeclaration]
) -> Callable[[Callable[..., Any]], Technique]:
    """Declare a technique: a function `(params, site, rng)` that yields Frames and returns a TileMap."""

    def declare(body: Callable[..., Any]) -> Technique:
        own = _check_reserved(params)
        return Technique(name=body.__name__, params=own, body=body, doc=_find_doc(body), tileset=tileset, **declared)

    return declare


def shaper(
    params: type[Params], *, revision: int = 1, dimensions: tuple[int, ...] = (2, 3), example: str = ""
) -> Callable[[Callable[..., Any]], Shaper]:
    """Declare a shaper: a function `(map, params, site, rng)` that may yield Frames and returns a TileMap."""
    return lambda body: Shaper(
        name=body.__name__,
        params=params,
        body=body,
        revision=revision,
        dimensions=dimensions,
        doc=_find_doc(body),
        example=example,
    )


@renamed_keywords(turns="reorients")
def transform(
    params: type[Params], *, reorients: Callable[[Any], str] | None = None, revision: int = 1
) -> Callable[[Callable[..., Any]], Shaper]:
    """Declare a shaper that only moves cells: a function `(params, array) -> array`, such as a flip.

    It looks at the shape alone; the pipeline moves cells, layers, rooms, markers and locks with it. One that turns the
    map over says how, in the steps x, y and d, and the pipeline puts the turned pieces in place of rivers and roads.
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


def measure(*, unit: str = "", compares: bool = False) -> Callable[[Callable[[Any], float | None]], Measure]:
    """Declare a measure: a function of a Survey, described by its docstring."""
    return lambda body: Measure(
        name=body.__name__, body=body, unit=unit, compares=compares, doc=inspect.getdoc(body) or ""
    )


def constraint(
    *, params: type[Params] = Params, revision: int = 1
) -> Callable[[Callable[[Any, Any], Iterable[tuple[str, Any]]]], Constraint]:
    """Declare a constraint: a function `(params, view)` that yields tiles, each with a mask of cells to ban it from."""
    return lambda body: Constraint(
        name=body.__name__, params=params, body=body, revision=revision, doc=inspect.getdoc(body) or ""
    )


def _find_doc(body: Callable[..., Any]) -> str:
    """The file's documentation; a technique is its file."""
    module = sys.modules.get(body.__module__)
    own = inspect.getdoc(body) or ""
    return (module.__doc__ if module and module.__doc__ and module.__name__ != "__main__" else own) or own


def _check_reserved(params: type[Params]) -> type[Params]:
    taken = sorted(set(RECIPE_FIELDS) & set(params.model_fields))
    if taken:
        raise TypeError(f"{params.__name__}: {taken[0]!r} is a word of recipes; call the parameter otherwise")
    return params


E = TypeVar("E", bound=Entry)
T = TypeVar("T")


class Registry(Generic[E]):
    """The things of one kind, by name: the modules of a folder, what entry points add, and what is added by hand."""

    def __init__(self, kind: str, folder: str, entry: type[E]) -> None:
        self.kind = kind
        self.folder = folder
        self.entry = entry
        self._added: dict[str, E] = {}
        self._found: dict[str, E] = {}
        """Built-in ones that have been asked for."""

    def names(self) -> list[str]:
        return sorted({*self.built_in, *find_plugins(self.folder), *self._added})

    def __iter__(self) -> Iterator[E]:
        """All of them; a plugin that cannot be loaded is left out with a warning, and breaks nothing else."""
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
        """The entry of this name; its module is imported now."""
        _check_name(self.kind, name)
        if found := self._added.get(name) or self._found.get(name):
            return found
        if name in self.built_in:
            self._found[name] = self._check_entry(getattr(self._load(name), name, None), name)
            return self._found[name]
        if name in find_plugins(self.folder):
            return self._check_entry(load_plugin(self.folder, name), name)
        raise UnknownName(self.kind, name, self.names())

    def add(self, entry: E) -> None:
        """Register one by hand, for a notebook or a test."""
        if entry.name in self:
            raise TilewrightError(f"there is already a {self.kind} {entry.name!r}; call yours otherwise")
        self._added[entry.name] = self._check_entry(entry, entry.name)

    @property
    def added(self) -> frozenset[str]:
        """The names that `add` registered."""
        return frozenset(self._added)

    def register(self, entry: E) -> E:
        """Add an entry, in place of one that was added before under its name: a notebook runs cells twice."""
        self.remove(entry.name)
        self.add(entry)
        return entry

    def remove(self, name: str) -> None:
        """Take back what `add` registered."""
        self._added.pop(name, None)

    @property
    def built_in(self) -> frozenset[str]:
        """The names that come with the package."""
        return ports.built_in.get().find_names(self.folder)

    def _import_module(self, name: str) -> ModuleType:
        return ports.built_in.get().load(self.folder, name)

    def _load(self, name: str) -> ModuleType:
        try:
            return self._import_module(name)
        except TilewrightError:
            raise
        except Exception as error:  # a file that somebody is still writing
            raise TilewrightError(f"{self.kind} {name!r} cannot be loaded: {type(error).__name__}: {error}") from error

    def _check_entry(self, found: object, name: str) -> E:
        if not isinstance(found, self.entry) or found.name != name:
            kind = self.entry.__name__.lower()
            raise TilewrightError(f"{self.kind} {name!r}: its module must hold a {kind} called {name!r}")
        return found


class MeasureRegistry(Registry[Measure]):
    """Measures are small: the built-in ones share one module."""

    @property
    def built_in(self) -> frozenset[str]:
        return frozenset(entry.name for entry in vars(self._import_module("")).values() if isinstance(entry, Measure))

    def _import_module(self, name: str) -> ModuleType:
        return ports.built_in.get().load("analysis", "measures")


class ConstraintRegistry(Registry[Constraint]):
    """None is built in: entry points and users add theirs."""

    @property
    def built_in(self) -> frozenset[str]:
        return frozenset()


class TilesetRegistry:
    """Tilesets by name: built-in ones, and those that entry points give."""

    def names(self) -> list[str]:
        return sorted({*data.list_names("tilesets"), *find_plugins("tilesets")})

    def __iter__(self) -> Iterator[Tileset]:
        for name in self.names():
            try:
                yield self.get(name)
            except TilewrightError as error:
                warnings.warn(str(error), stacklevel=2)

    def get(self, name: str) -> Tileset:
        _check_name("tileset", name)
        if name in data.list_names("tilesets"):
            return _load_built_in_tileset(name)
        if name not in find_plugins("tilesets"):
            raise UnknownName("tileset", name, self.names(), "a file of your own ends in .toml")
        found = load_plugin("tilesets", name)
        if not isinstance(found, Tileset):
            raise TilewrightError(f"tileset {name!r}: its entry point must name a Tileset")
        return found

    def write(self, tileset: Tileset) -> str | dict[str, Any]:
        """Return what recipes hold of a tileset: its name where it is found by that, else all its data."""
        is_known = tileset.name in self.names() and self.get(tileset.name) == tileset
        return tileset.name if is_known else tileset.to_data()


def _check_name(kind: str, name: object) -> None:
    if not isinstance(name, str):
        raise InvalidRecipe(f"a {kind} is given by its name, one string", got=name, rule="type")


@cache
def _load_built_in_tileset(name: str) -> Tileset:
    return Tileset.from_toml(data.read_text("tilesets", name), name)


@cache
def find_plugins(folder: str) -> Mapping[str, EntryPoint]:
    """What installed packages add to a folder, by name."""
    return {point.name: point for point in entry_points(group=f"tilewright.{folder}")}


def load_plugin(folder: str, name: str) -> object:
    """What a package adds under this name; whatever goes wrong in it is told with its name."""
    point = find_plugins(folder)[name]
    try:
        with ports.import_lock:
            found = point.load()
    except Exception as error:  # anything may happen in another's package
        maker = point.dist.name if point.dist else point.value
        raise TilewrightError(f"{name!r} of {maker} cannot be loaded: {type(error).__name__}: {error}") from error
    return getattr(found, name, None) if isinstance(found, ModuleType) else found


def _restore_entry(kind: str, name: str) -> Entry:
    shelves: dict[str, Registry[Any]] = {
        "Technique": techniques,
        "Shaper": shapers,
        "Measure": measures,
        "Constraint": constraints,
    }
    return shelves[kind].get(name)  # type: ignore[no-any-return]


techniques: Registry[Technique] = Registry("technique", "generators", Technique)
shapers: Registry[Shaper] = Registry("shaper", "shaping", Shaper)
measures = MeasureRegistry("measure", "measures", Measure)
constraints = ConstraintRegistry("constraint", "constraints", Constraint)
tilesets = TilesetRegistry()


def register_measure(*, unit: str = "", compares: bool = False) -> Callable[[Callable[[Any], float | None]], Measure]:
    """Declare a measure and add it to those of this process: a function of a Survey, described by its docstring.

    Running it again replaces the measure. Installed packages add theirs through the entry point tilewright.measures.

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
    declare = measure(unit=unit, compares=compares)

    def register(body: Callable[[Any], float | None]) -> Measure:
        return measures.register(declare(_check_function(body)))

    return register


def register_constraint(
    *, params: type[Params] = Params, revision: int = 1
) -> Callable[[Callable[[Any, Any], Iterable[tuple[str, Any]]]], Constraint]:
    """Declare a constraint and add it to those of this process; running it again replaces the constraint.

    Installed packages add theirs through the entry point tilewright.constraints.
    """
    if not isinstance(params, type) or not issubclass(params, Params):
        raise InvalidRecipe("must be a class of parameters", at="params", got=params, rule="type")
    declare = constraint(params=params, revision=revision)
    return lambda body: constraints.register(declare(_check_function(body)))


def _check_function(body: T) -> T:
    if not callable(body) or not hasattr(body, "__name__"):
        raise InvalidRecipe("declares a function with a name", got=body, rule="type")
    return body
