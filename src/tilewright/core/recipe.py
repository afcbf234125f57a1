"""Recipes: everything that is needed to regenerate a map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel

from .entries import RECIPE_FIELDS, Technique
from .errors import (
    Fix,
    InvalidRecipe,
    ProblemList,
    check_limit,
    errors_within,
    explain_each,
    pluralize,
    problem,
    unknown_key,
)
from .knobs import RecipeKnob
from .locks import Locks
from .params import AtomicValue, Params, kinds_in, limit_problems
from .recipe_knobs import read_knobs
from .registry import shapers, techniques
from .require import DEFAULT_TRIES, Requirement, read_requirements, read_tries
from .resolver import Resolver
from .seeds import Seed, read_seed
from .summary import Example, Summarized, Summary
from .tileset import Tileset
from .tilesets import tilesets

T = TypeVar("T")
MAX_DEPTH = 8
"""Maximum nesting depth of recipes. The limit stops files that include themselves."""
MAX_STAGES = 256
"""Maximum number of shapers of a recipe."""
MAX_NAME = 100
EXAMPLES = 6
"""Number of maps that notebooks show of a recipe without a seed."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A shaper with its parameters, as a step of a recipe."""

    shaper: str
    """Name of the shaper."""
    params: Params
    """Parameters of the shaper."""


@dataclass(frozen=True, repr=False)
class Recipe(Summarized, AtomicValue):
    """A technique with its parameters, shapers, tileset, locks and seed.

    `tw.recipe` and `Recipe.of` make and validate recipes; `tw.run` makes maps from them. Recipes are frozen.

    Examples
    --------
    >>> Recipe.of({"technique": "caves", "params": {"width": 20}, "seed": 7}).params.width
    20
    """

    json_schema: ClassVar = {"title": "Recipe", "type": ["object", "string"], "control": "recipe"}

    technique: str
    """Name of the technique."""
    params: Params
    """Parameters of the technique."""
    tileset: Tileset
    """Tileset of the map; by default, the technique's own."""
    shaping: tuple[Stage, ...] = ()
    """Shapers to apply, in order."""
    tiles: tuple[tuple[str, str], ...] = ()
    """Pairs of a label of the technique and the tile of the tileset to use for it."""
    locks: Locks | None = None
    """Cells with a required tile."""
    require: tuple[Requirement, ...] = ()
    """Requirements for measures of the finished map."""
    tries: int = 1
    """Maximum number of maps to make until one meets all requirements."""
    attempt: int | None = None
    """Number of the try that made a finished map, starting at 0. If set, only this try is made."""
    seed: Seed | None = None
    """Seed, or None for a random seed. For an inner recipe, None means a seed from the outer recipe's stream."""
    knobs: tuple[RecipeKnob, ...] = field(default=(), compare=False, repr=False)
    """Knobs, each with the value that the parameters correspond to. Files of maps do not store them."""
    name: str = field(default="", compare=False)
    """Name for messages and titles; empty for a technique. By default, that of the built-in recipe or of the file."""
    plan: Any = field(default=None, init=False, compare=False, repr=False)
    """Cached plan of the pipeline. The plan does not depend on the seed."""

    @classmethod
    def of(cls, given: Recipe | Mapping[str, Any] | str, resolver: Resolver | None = None) -> Recipe:
        """Read and validate a recipe.

        Parameters
        ----------
        given
            A recipe, plain data, or a name or path that the resolver knows.
        resolver
            Object that opens files. By default, only built-in names are known.

        Returns
        -------
        Recipe
            The recipe.

        Raises
        ------
        InvalidRecipe
            If the recipe has mistakes. `.problems` lists all of them.
        """
        if isinstance(given, Recipe):
            return given
        resolver = resolver or Resolver()
        is_inner = resolver.depth > 0
        if isinstance(given, str):
            given, resolver = resolver.read_recipe(given)
        if not isinstance(given, Mapping):
            raise InvalidRecipe("a recipe is a set of named values", got=given, rule="type")
        if resolver.depth > MAX_DEPTH:
            raise InvalidRecipe(f"recipes must be nested at most {MAX_DEPTH} deep", rule="depth")
        resolver = resolver.for_inner_recipe()
        given = as_recipe_data(given)
        known = RECIPE_FIELDS if "technique" in given else (*RECIPE_FIELDS, *_list_recipe_keys())
        unknown = (key for key in given if key not in RECIPE_FIELDS)
        problems = ProblemList(explain_each(unknown, lambda key: unknown_key("recipe key", key, known)))
        name = given.get("technique")
        if not isinstance(name, str):
            keys = f", or have keys such as {_list_recipe_keys()[0]}" if name is None else ""
            missing = problem(f"a recipe must name its technique{keys}", at="technique", got=name, rule="missing")
            raise InvalidRecipe(*problems, missing)

        def read_key(key: str, read: Callable[[Any], T], default: T, *path: str, place: str | None = None) -> T:
            if given.get(key) is None:
                return default
            with problems.collect(*path, place=place):
                return read(given[key])
            return default

        entry: Technique | None = read_key("technique", techniques.get, None, "technique", place="")
        params: Params | None = None
        if entry is not None:
            with problems.collect():
                params = _read_params(entry, given.get("params"), resolver)
        none: tuple[Any, ...] = ()
        shaping = read_key("shaping", lambda value: _read_shaping(value, resolver), none)
        tileset = read_key("tileset", lambda value: Tileset.of(value, resolver), None, "tileset")
        tiles = read_key("tiles", _read_tiles, none, "tiles")
        locks = read_key("locks", lambda value: Locks.of(value, resolver) or None, None, "locks")
        require = read_key("require", lambda value: read_requirements(value or {}), none, "require")
        tries = 1
        with problems.collect("tries"):
            tries = _read_tries(given.get("tries"), bool(require or problems))
        attempt = read_key("attempt", lambda value: _read_attempt(value, tries), None, "attempt")
        seed = read_key("seed", read_seed, None)
        knobs = () if problems else read_key("knobs", lambda value: read_knobs(value, given, params), none, "knobs")
        if problems or entry is None or params is None:
            raise InvalidRecipe(*problems)
        tileset = entry.tileset_for(params, tileset, dict(tiles), locks.labels if locks is not None else ())
        title = "" if is_inner else read_key("name", _read_name, "", "name")
        problems.raise_all()
        return cls(name, params, tileset, shaping, tiles, locks, require, tries, attempt, seed, knobs, title)

    def __post_init__(self) -> None:
        if self.depth > MAX_DEPTH:
            raise InvalidRecipe(f"recipes must be nested at most {MAX_DEPTH} deep", rule="depth")

    def with_seed(self, seed: int | str | None) -> Recipe:
        """Return the recipe with another seed. None chooses a random seed."""
        # `replace` would validate the recipe again and drop the plan.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, seed=read_seed(seed))
        if other.seed != self.seed:
            other.__dict__["attempt"] = None
        return other

    def with_params(self, values: Mapping[str, Any]) -> Recipe:
        """Return the recipe with other parameters of the technique and without knobs. Other parts are not read again.

        Raise InvalidRecipe if a value breaks its rule.
        """
        entry = techniques.get(self.technique)
        params = _read_params(entry, values, Resolver().for_inner_recipe())
        labels = self.locks.labels if self.locks is not None else ()
        tileset = entry.tileset_for(params, self.tileset, dict(self.tiles), labels)
        return replace(self, params=params, tileset=tileset, knobs=())

    def with_stage(self, stage: Stage) -> Recipe:
        """Return the recipe with one more shaper."""
        return replace(self, shaping=(*self.shaping, stage))

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Return plain data that `of` reads, with all defaults and without paths.

        Maps of more than 65,536 cells are stored as digests. With `inline=False`, all maps are stored as digests.
        """
        data: dict[str, Any] = {"technique": self.technique, "params": _to_plain(self.params, inline)}
        if self.shaping:
            data["shaping"] = [{stage.shaper: _to_plain(stage.params, inline)} for stage in self.shaping]
        data["tileset"] = tilesets.write(self.tileset)
        if self.tiles:
            data["tiles"] = dict(self.tiles)
        if self.locks is not None and len(self.locks):
            data["locks"] = self.locks.to_data(inline=inline)
        if self.require:
            data["require"] = {one.measure: one.to_data() for one in self.require}
            data["tries"] = self.tries
            if self.attempt is not None:
                data["attempt"] = self.attempt
        if self.name:
            data["name"] = self.name
        if self.seed is not None:
            data["seed"] = int(self.seed) if _is_plain_number(self.seed) else self.seed
        return data

    @property
    def title(self) -> str:
        """Name of the recipe or, if it has none, of its technique."""
        return self.name or self.technique

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the technique's map."""
        return techniques.get(self.technique).shape_of(self.params)

    @property
    def inner(self) -> list[Recipe]:
        """Recipes in the parameters of the technique and the shapers."""
        return [
            found
            for params in (self.params, *(stage.params for stage in self.shaping))
            for found in _find_recipes(params)
        ]

    @property
    def tilesets(self) -> list[Tileset]:
        """Tilesets of the recipe and of its nested recipes."""
        return [self.tileset, *(tileset for recipe in self.inner for tileset in recipe.tilesets)]

    @property
    def depth(self) -> int:
        """Nesting depth of the inner recipes; 0 without inner recipes."""
        return max((1 + recipe.depth for recipe in self.inner), default=0)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "plan": None}

    def _summarize(self) -> Summary:
        named = f"{self.name}: {self.technique}" if self.name else self.technique
        stages = [f"{pluralize(len(self.shaping), 'shaper')}"] if self.shaping else []
        seeds = [] if self.seed is None else [f"seed {self.seed}"]
        size = "x".join(map(str, reversed(self.shape)))
        knobs = [f"{knob.name}={'?' if knob.value is None else knob.value}" for knob in self.knobs]
        return Summary(
            f"Recipe {', '.join([f'{named} {size}', *stages, *seeds])}",
            [f"knobs: {', '.join(knobs)}"] if knobs else [],
            examples=self._list_examples,
            command=self._write_command,
        )

    def _list_examples(self) -> list[Example]:
        """Return the recipe itself or, if it has no seed, with a few seeds."""
        recipes = [self] if self.seed is not None else [self.with_seed(seed) for seed in range(EXAMPLES)]
        return [Example(recipe, f"seed {recipe.seed}") for recipe in recipes]

    def _write_command(self) -> str:
        from .command_line import write_command

        return write_command(self)


def collect_tiles(recipe: Recipe) -> Tileset:
    """Return the tiles that the maps of a recipe can have: its own, then those of its nested recipes.

    In the maps converted by `convert_cells` to this tileset, an id is the same tile in every map.
    """
    found, *others = recipe.tilesets
    for tileset in others:
        found = found.with_tiles(tileset)
    return found


def as_recipe_data(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return plain data in the form of a recipe.

    Data without a technique is recognized by its keys (`Technique.recipe_keys`). The keys become parameters.

    >>> as_recipe_data({"names": ["empty", "solid"], "seed": 7})
    {'technique': 'rules', 'seed': 7, 'params': {'names': ['empty', 'solid']}}
    """
    name = given.get("technique")
    named = [techniques.get(name)] if isinstance(name, str) and name in techniques else []
    for entry in techniques if name is None else named:
        if any(key in given for key in entry.recipe_keys):
            own = {key: value for key, value in given.items() if key in RECIPE_FIELDS and key != "params"}
            more = given.get("params")
            params = {key: value for key, value in given.items() if key not in RECIPE_FIELDS}
            if more is not None and not isinstance(more, Mapping):
                raise InvalidRecipe("must be a set of named values", at="params", got=more, rule="type")
            return {"technique": entry.name, **own, "params": {**(more or {}), **params}}
    return given


def _read_name(name: Any) -> str:
    """Return a name in one line, without control characters."""
    if not isinstance(name, str):
        raise InvalidRecipe("must be a string", got=name, rule="type")
    return "".join(letter for letter in name[:MAX_NAME] if letter.isprintable())


def _list_recipe_keys() -> list[str]:
    """Return the keys by which parameters of a technique are recognized as a recipe."""
    return [key for entry in techniques for key in entry.recipe_keys]


def _find_recipes(value: Any) -> list[Recipe]:
    """Return the recipes in a value, without the recipes that are nested in other recipes."""
    if isinstance(value, Recipe):
        return [value]
    if isinstance(value, Params):
        value = tuple(getattr(value, name) for name in _find_recipe_fields(type(value)))
    return [found for part in value for found in _find_recipes(part)] if isinstance(value, tuple) else []


@cache
def _find_recipe_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a model that can contain a recipe at any depth."""
    return tuple(name for name, field in model.model_fields.items() if _mentions_recipe(field.annotation, set()))


def _mentions_recipe(annotation: Any, seen: set[Any]) -> bool:
    """Return whether a type can contain a recipe. Models in `seen` are skipped."""
    for kind in kinds_in(annotation):
        if kind in (Recipe, Any):
            return True
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in seen:
            seen.add(kind)
            if any(_mentions_recipe(field.annotation, seen) for field in kind.model_fields.values()):
                return True
    return False


def _to_plain(value: Any, inline: bool) -> Any:
    """Return params as plain data."""
    if isinstance(value, Params):
        fields = type(value).model_fields
        return {name: _to_plain(getattr(value, name), inline) for name in fields if not fields[name].exclude}
    if hasattr(value, "to_data"):
        return value.to_data(inline=inline)
    if isinstance(value, tuple):
        return [_to_plain(part, inline) for part in value]
    return value


def _is_plain_number(seed: Seed) -> bool:
    digits = seed.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 15 and str(int(seed)) == seed


def _read_params(entry: Technique, values: Any, resolver: Resolver) -> Params:
    if type(values) is entry.params:
        return values
    if values is not None and not isinstance(values, Mapping):
        raise InvalidRecipe("must be a set of named values", at="params", got=values, rule="type")
    with errors_within("params", place=entry.name):
        return entry.params.validate(values, resolver=resolver)


def _read_shaping(values: Any, resolver: Resolver) -> tuple[Stage, ...]:
    if isinstance(values, (str, Mapping, Stage)):
        values = [values]
    if not isinstance(values, (list, tuple)):
        raise InvalidRecipe("must be a list of shapers", at="shaping", got=values, rule="type")
    check_limit("shapers", len(values), MAX_STAGES, at="shaping")
    stages: list[Stage] = []
    problems = ProblemList()
    for number, value in enumerate(values):
        with problems.collect("shaping", number):
            stages.append(_read_stage(value, resolver))
    if problems:
        raise InvalidRecipe(*limit_problems(problems))
    return tuple(stages)


def _read_stage(value: Any, resolver: Resolver) -> Stage:
    if isinstance(value, Stage):
        return value
    if isinstance(value, str):
        value = {value: None}
    if not isinstance(value, Mapping) or len(value) != 1:
        text = "one shaper with its parameters, such as {connect: {thickness: 2}}"
        raise InvalidRecipe(text, got=value, rule="type")
    ((name, params),) = value.items()
    if not isinstance(name, str):
        raise InvalidRecipe("must be the name of a shaper", got=name, rule="type")
    if name not in shapers:
        raise InvalidRecipe(unknown_key("shaper", name, shapers.names()))
    entry = shapers.get(name)
    if params is not None and not isinstance(params, Mapping):
        raise InvalidRecipe("must be a set of named values", at=name, got=params, rule="type")
    with errors_within(entry.name):
        return Stage(entry.name, entry.params.validate(params, resolver=resolver))


def _read_tiles(value: Any) -> tuple[tuple[str, str], ...]:
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, (list, tuple)) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs
    ):
        text = "must map names of the technique's tiles to names of the tileset's"
        raise InvalidRecipe(text, got=value, rule="type")
    for pair in pairs:
        if not all(isinstance(name, str) for name in pair):
            raise InvalidRecipe("must be names of tiles", got=pair, rule="type")
    return tuple((label, name) for label, name in pairs)


def _read_tries(value: Any, required: bool) -> int:
    if value is None:
        return DEFAULT_TRIES if required else 1
    tries = read_tries(value)
    if not required and tries > 1:
        text = "needs require; without it, one try is enough"
        raise InvalidRecipe(text, rule="conflict", fixes=[Fix("remove", ())])
    return tries


def _read_attempt(value: Any, tries: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < tries:
        raise InvalidRecipe(f"must be one of the {tries} tries, counted from 0", got=value, rule="range")
    return value
