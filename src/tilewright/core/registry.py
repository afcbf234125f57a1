"""Registries of entries, and entries with their params.

A built-in technique or shaper has the name of its file. Listing names reads file names and entry points; modules are
imported at first use. Other packages, and packages of Tilewright for one game, add entries through entry points; see
`plugins`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from . import plugins, ports
from .entries import Benchmark, Constraint, Entry, Measure, Shaper, Technique
from .errors import InvalidRecipe, TilewrightError, UnknownName
from .params import Params


class Named(Protocol):
    """An object of a registry."""

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)
E = TypeVar("E", bound=Entry)
MAX_MEASURE_NAME = 200
"""Maximum number of characters of a measure's name with its argument."""


class Registry(Generic[N]):
    """Entries of one kind by name: built-in entries, entry points of installed packages, and entries added in code."""

    by_type: ClassVar[dict[type, Registry[Any]]] = {}
    """All registries by the type of their entries."""

    def __init__(self, kind: str, folder: str, entry: type[N], *, package: str | None = None) -> None:
        self.kind = kind
        self.folder = folder
        """Last part of the entry point group."""
        self.entry = entry
        self.package = folder if package is None else package
        """Package of the built-in modules; empty if there are no built-in entries."""
        self._added: dict[str, N] = {}
        self._found: dict[str, N] = {}
        """Cache of the built-in entries."""
        self.by_type[entry] = self

    def names(self) -> list[str]:
        """Return the sorted names of all entries."""
        return sorted({*self.built_in, *plugins.find_plugins(self.folder), *self._added})

    def __iter__(self) -> Iterator[N]:
        """Yield all entries. A plugin that cannot be loaded is skipped with a warning."""
        for name in self.names():
            try:
                yield self.get(name)
            except TilewrightError as error:
                warnings.warn(str(error), stacklevel=2)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in self._added or name in self.built_in or name in plugins.find_plugins(self.folder)

    def get(self, name: str) -> N:
        """Return the entry with a name, importing its module if needed. Raise UnknownName if there is no such entry."""
        if not isinstance(name, str):
            raise InvalidRecipe(f"must be the name of a {self.kind}, a string", got=name, rule="type")
        if found := self._added.get(name) or self._found.get(name):
            return found
        if name in self.built_in:
            is_plugin = name in plugins.find_own(self.folder)
            loaded = plugins.load_plugin(self.folder, name) if is_plugin else self._load(name)
            self._found[name] = self._check_entry(loaded, name)
            return self._found[name]
        if name in plugins.find_plugins(self.folder):
            return self._check_entry(plugins.load_plugin(self.folder, name), name)
        raise self._make_unknown(name)

    @property
    def added(self) -> frozenset[str]:
        """Names of the entries that were added in this process."""
        return frozenset(self._added)

    def add(self, entry: N) -> None:
        """Add an entry in this process, or replace one that was added before or comes from an entry point.

        Raise TilewrightError if a built-in entry has the name.
        """
        if entry.name in self.built_in:
            raise TilewrightError(f"there is already a {self.kind} {entry.name!r}; use another name")
        self._added[entry.name] = self._check_entry(entry, entry.name)

    def remove(self, name: str) -> None:
        """Remove an entry that was added in this process."""
        self._added.pop(name, None)

    @cached_property
    def built_in(self) -> frozenset[str]:
        """Names of the built-in entries: those of files, and entry points of Tilewright itself."""
        return frozenset({*self._find_names(), *plugins.find_own(self.folder)})

    def _find_names(self) -> Iterable[str]:
        """Return the names of the entries that are files of the package."""
        return ports.built_in.get().find_names(self.package) if self.package else ()

    def _import_module(self, name: str) -> ModuleType:
        return ports.built_in.get().load(self.package, name)

    def _make_unknown(self, name: str) -> UnknownName:
        """Return the error for a name that no entry has."""
        return UnknownName(self.kind, name, self.names())

    def _load(self, name: str) -> object:
        """Return the entry with a name from its file."""
        try:
            return getattr(self._import_module(name), name, None)
        except TilewrightError:
            raise
        except Exception as error:  # for example, a syntax error in a file that is being edited
            raise TilewrightError(f"{self.kind} {name!r} cannot be loaded: {type(error).__name__}: {error}") from error

    def _check_entry(self, found: object, name: str) -> N:
        if not isinstance(found, self.entry) or found.name != name:
            raise TilewrightError(f"{self.kind} {name!r}: its module must define a {self.kind} named {name!r}")
        return found


class TechniqueRegistry(Registry[Technique]):
    """The registry of techniques, which also suggests techniques and recipes by their search words."""

    def _make_unknown(self, name: str) -> UnknownName:
        from .search import has_namesake, suggest_entries

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

    def _find_names(self) -> Iterable[str]:
        return self._homes

    @cached_property
    def _homes(self) -> dict[str, ModuleType]:
        """Modules of the built-in measures, by name."""
        modules = ports.built_in.get().load_measures()
        return {one.name: module for module in modules for one in vars(module).values() if isinstance(one, Measure)}

    def _import_module(self, name: str) -> ModuleType:
        return self._homes[name]


techniques: Registry[Technique] = TechniqueRegistry("technique", "generators", Technique)
shapers: Registry[Shaper] = Registry("shaper", "shaping", Shaper)
measures = MeasureRegistry("measure", "measures", Measure)
constraints: Registry[Constraint] = Registry("constraint", "constraints", Constraint, package="")
benchmarks: Registry[Benchmark] = Registry("benchmark", "benchmarks", Benchmark, package="")


def register(entry: N) -> N:
    """Register an entry in this process, so that its name can be used. Return the entry.

    Use it above the decorator that declares the entry. Registering a name again replaces the entry. Installed packages
    add entries through entry points instead, which also work in worker processes.

    Parameters
    ----------
    entry
        A technique, shaper, measure, constraint, game, distance, format, engine, tileset or benchmark.

    Returns
    -------
    object
        The entry.

    Raises
    ------
    InvalidRecipe
        If the object is not an entry.
    TilewrightError
        If a built-in entry has the name.

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
    >>> measures.remove("walls")
    """
    registry = Registry.by_type.get(type(entry))
    if registry is None:
        raise InvalidRecipe("must be an entry, such as a function with the decorator technique", got=entry, rule="type")
    registry.add(entry)
    return entry


def find_entry(kind: type[E], name: str) -> E:
    """Return the entry of a kind with a name. Entries are pickled as their names."""
    found: E = Registry.by_type[kind].get(name)
    return found


@dataclass(frozen=True)
class Bound(Generic[E]):
    """An entry with its params."""

    entry: E
    params: Params

    def __str__(self) -> str:
        """Return the name with the params that are not defaults, as `read_entry` reads it."""
        fields = type(self.params).model_fields
        given = {name: value for name, value in self.params if value != fields[name].default}
        texts = (str(value).lower() if isinstance(value, bool) else str(value) for value in given.values())
        return ",".join([self.entry.name, *map("=".join, zip(given, texts, strict=True))])
