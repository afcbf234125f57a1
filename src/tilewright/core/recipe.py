"""The recipe: everything that makes a map again. A value, checked once, used many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel

from .deprecation import renamed_members
from .errors import InvalidRecipe, Problem, TilewrightError, problem, unknown_key
from .locks import Locks
from .params import AtomicValue, Params, kinds_in
from .registry import RECIPE_FIELDS, Technique, shapers, techniques, tilesets
from .require import DEFAULT_TRIES, Requirement, read_requirements, read_tries
from .resolver import Resolver
from .seeds import Seed, read_seed
from .tileset import Tileset

T = TypeVar("T")
MAX_DEPTH = 8
"""So many recipes may lie inside one another; a file that names itself would never end."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A shaper at work: its name and its params."""

    shaper: str
    params: Params


@renamed_members(then="with_stage")
@dataclass(frozen=True)
class Recipe(AtomicValue):
    """A technique with its params, the shapers after it, the tiles it is drawn in, what is locked, and a seed.

    >>> Recipe.of({"technique": "caves", "params": {"width": 20}, "seed": 7}).params.width
    20
    """

    json_schema: ClassVar = {"title": "Recipe", "type": ["object", "string"], "control": "recipe"}

    technique: str
    params: Params
    tileset: Tileset
    """The technique's own, unless another was given."""
    shaping: tuple[Stage, ...] = ()
    tiles: tuple[tuple[str, str], ...] = ()
    """Renamings: (technique's word, tileset's word)."""
    locks: Locks | None = None
    require: tuple[Requirement, ...] = ()
    """What the finished map's measures must be; without it the first try is good enough."""
    tries: int = 1
    """How many maps are made until one is good enough."""
    attempt: int | None = None
    """Which try made a finished map, counted from 0: then only that one is made."""
    seed: Seed | None = None
    """None until it is run, or, in a recipe inside another, drawn from the outer one's stream."""
    plan: Any = field(default=None, init=False, compare=False, repr=False)
    """What the pipeline worked out from all but the seed; kept so that many maps are checked once."""

    @classmethod
    def of(cls, given: Recipe | Mapping[str, Any] | str, resolver: Resolver | None = None) -> Recipe:
        """A recipe from plain data (or, in readings that open files, from a path); tells all mistakes at once."""
        if isinstance(given, Recipe):
            return given
        resolver = resolver or Resolver()
        if isinstance(given, str):
            given, resolver = resolver.read_recipe(given)
        if not isinstance(given, Mapping):
            raise InvalidRecipe("a recipe is a set of named values", got=given, rule="type")
        if resolver.depth > MAX_DEPTH:
            raise InvalidRecipe(f"recipes lie at most {MAX_DEPTH} deep inside one another", rule="depth")
        resolver = resolver.for_inner_recipe()
        given = as_recipe_data(given)
        known = RECIPE_FIELDS if "technique" in given else (*RECIPE_FIELDS, *_list_recipe_keys())
        problems = [unknown_key("recipe key", key, known) for key in given if key not in RECIPE_FIELDS]
        name = given.get("technique")
        if not isinstance(name, str):
            sections = f" or has sections such as {_list_recipe_keys()[0]}" if name is None else ""
            missing = problem(f"a recipe names its technique{sections}", at="technique", got=name, rule="missing")
            raise InvalidRecipe(*problems, missing)

        def read_key(read: Callable[[], T], key: str, default: T, place: str | None = None) -> T:
            try:
                return read()
            except TilewrightError as error:
                problems.extend((error.within(key, place=place) if key else error).problems)
            return default

        entry: Technique | None = read_key(lambda: techniques.get(name), "technique", None, place="")
        params = read_key(lambda: _read_params(entry, given.get("params"), resolver), "", None) if entry else None
        none: tuple[Any, ...] = ()
        shaping = read_key(lambda: _read_shaping(given.get("shaping"), resolver), "", none)
        chosen = given.get("tileset")
        tileset = None if chosen is None else read_key(lambda: Tileset.of(chosen, resolver), "tileset", None)
        tiles = read_key(lambda: _read_tiles(given.get("tiles")), "tiles", none)
        locks = read_key(lambda: _read_locks(given.get("locks"), resolver), "locks", None)
        require = read_key(lambda: read_requirements(given.get("require") or {}), "require", none)
        tries = read_key(lambda: _read_tries(given.get("tries"), bool(require or problems)), "tries", 1)
        attempt = read_key(lambda: _read_attempt(given.get("attempt"), tries), "attempt", None)
        seed = read_key(lambda: None if given.get("seed") is None else read_seed(given["seed"]), "", None)
        if problems or entry is None or params is None:
            raise InvalidRecipe(*problems)
        tileset = entry.tileset_for(params, tileset, dict(tiles), locks.labels if locks is not None else ())
        return cls(name, params, tileset, shaping, tiles, locks, require, tries, attempt, seed)

    def __post_init__(self) -> None:
        if self.depth > MAX_DEPTH:
            raise InvalidRecipe(f"recipes lie at most {MAX_DEPTH} deep inside one another", rule="depth")

    def with_seed(self, seed: int | str | None) -> Recipe:
        """The same recipe with another seed; None picks one."""
        # Not by `replace`: all but the seed was checked already, and the plan stays the same.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, seed=read_seed(seed))
        if other.seed != self.seed:
            other.__dict__["attempt"] = None
        return other

    def with_stage(self, stage: Stage) -> Recipe:
        """With one more shaper."""
        return replace(self, shaping=(*self.shaping, stage))

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Plain data with every default written and no paths; large maps by digest, or all with inline=False."""
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
        if self.seed is not None:
            data["seed"] = int(self.seed) if _is_plain_number(self.seed) else self.seed
        return data

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the technique's map."""
        return techniques.get(self.technique).shape_of(self.params)

    @property
    def inner(self) -> list[Recipe]:
        """The recipes that stand inside this one, as parameters of its technique and shapers."""
        return [
            found
            for params in (self.params, *(stage.params for stage in self.shaping))
            for found in _find_recipes(params)
        ]

    @property
    def depth(self) -> int:
        """How many recipes lie inside one another in this one."""
        return max((1 + recipe.depth for recipe in self.inner), default=0)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "plan": None}


def as_recipe_data(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Plain data as a recipe's: sections of a technique, by which it is known, become its params.

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


def _list_recipe_keys() -> list[str]:
    """The keys by which a technique's params are known as a recipe."""
    return [section for entry in techniques for section in entry.recipe_keys]


def _find_recipes(value: Any) -> list[Recipe]:
    """The recipes that a value holds, not those inside them."""
    if isinstance(value, Recipe):
        return [value]
    if isinstance(value, Params):
        value = tuple(getattr(value, name) for name in _find_recipe_fields(type(value)))
    return [found for part in value for found in _find_recipes(part)] if isinstance(value, tuple) else []


@cache
def _find_recipe_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that can hold a recipe, themselves or in what they hold."""
    return tuple(name for name, field in model.model_fields.items() if _mentions_recipe(field.annotation, set()))


def _mentions_recipe(annotation: Any, seen: set[Any]) -> bool:
    """Whether a type can hold a recipe; models that have been looked at say nothing new."""
    for kind in kinds_in(annotation):
        if kind in (Recipe, Any):
            return True
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in seen:
            seen.add(kind)
            if any(_mentions_recipe(field.annotation, seen) for field in kind.model_fields.values()):
                return True
    return False


def _to_plain(value: Any, inline: bool) -> Any:
    """Params as plain data: models become mappings, maps and recipes their own data."""
    if isinstance(value, Params):
        return {name: _to_plain(getattr(value, name), inline) for name in type(value).model_fields}
    if hasattr(value, "to_data"):
        return value.to_data(inline=inline)
    if isinstance(value, tuple):
        return [_to_plain(part, inline) for part in value]
    return value


def _is_plain_number(seed: Seed) -> bool:
    digits = seed.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 15 and str(int(seed)) == seed


def _read_params(entry: Technique, values: Any, resolver: Resolver) -> Params:
    if values is not None and not isinstance(values, Mapping):
        raise InvalidRecipe("must be a set of named values", at="params", got=values, rule="type")
    try:
        return entry.params.validate(values, resolver=resolver)
    except InvalidRecipe as error:
        raise error.within("params", place=entry.name) from None


def _read_shaping(values: Any, resolver: Resolver) -> tuple[Stage, ...]:
    if values is None:
        return ()
    if isinstance(values, (str, Mapping, Stage)):
        values = [values]
    if not isinstance(values, (list, tuple)):
        raise InvalidRecipe("must be a list of shapers", at="shaping", got=values, rule="type")
    stages: list[Stage] = []
    problems: list[Problem] = []
    for number, value in enumerate(values):
        try:
            stages.append(_read_stage(value, resolver))
        except TilewrightError as error:
            problems.extend(error.within("shaping", number).problems)
    if problems:
        raise InvalidRecipe(*problems)
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
        raise InvalidRecipe("a shaper goes by its name", got=name, rule="type")
    if name not in shapers:
        raise InvalidRecipe(unknown_key("shaper", name, shapers.names()))
    entry = shapers.get(name)
    if params is not None and not isinstance(params, Mapping):
        raise InvalidRecipe("must be a set of named values", at=name, got=params, rule="type")
    try:
        return Stage(entry.name, entry.params.validate(params, resolver=resolver))
    except InvalidRecipe as error:
        raise error.within(entry.name) from None


def _read_tiles(value: Any) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, (list, tuple)) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs
    ):
        text = "must be names of the technique's tiles with names of the tileset's"
        raise InvalidRecipe(text, got=value, rule="type")
    for pair in pairs:
        if not all(isinstance(word, str) for word in pair):
            raise InvalidRecipe("tiles go by their names", got=pair, rule="type")
    return tuple((word, name) for word, name in pairs)


def _read_tries(value: Any, required: bool) -> int:
    if value is None:
        return DEFAULT_TRIES if required else 1
    tries = read_tries(value)
    if not required and tries > 1:
        raise InvalidRecipe("says how often to try what require asks for; add require", rule="conflict")
    return tries


def _read_attempt(value: Any, tries: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < tries:
        raise InvalidRecipe(f"must be one of the {tries} tries, counted from 0", got=value, rule="range")
    return value


def _read_locks(value: Any, resolver: Resolver) -> Locks | None:
    locks = None if value is None else Locks.of(value, resolver)
    return locks if locks is not None and len(locks) else None
