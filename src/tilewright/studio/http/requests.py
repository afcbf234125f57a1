"""Requests of the HTTP API: bodies, and recipes in the query of a URL.

`width=40&walls=0.4&shape=connect,thickness=2&format=png&scale=4`: a key is a parameter of the technique, or else an
option of the format. Values are written as on the command line. For a recipe, a key is one of its knobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, StrictBool, WithJsonSchema

from ... import data
from ...core.errors import InvalidRecipe, Problem, TooLarge, explain_each, problem, short_repr, unknown_key
from ...core.fields import Field, fields_by_name
from ...core.notation import read_value
from ...core.params import Params, param
from ...core.recipe import Recipe
from ...core.registry import techniques
from ...core.require import MeasureNames
from ...core.stored import parse_stored_json
from ...formats import Format, format_registry
from ...seed_search.definition import Seeds, SeekDefinition, SeekParams
from ..good_maps.seek_run import MAX_SEEDS

TECHNIQUES = {"type": "string", "enum": techniques.names()}
RECIPE_NAMES = {"type": "string", "enum": list(data.list_names("recipes"))}
FORMATS = {"type": "string", "enum": format_registry.names()}
MAX_MEASURES = 1000
"""Maximum number of measures of a request."""
MAX_KEEP = 1000
"""Maximum number of seeds in a response."""
KINDS: dict[str, type | tuple[type, ...]] = {"object": dict, "array": (list, tuple), "string": str, "null": type(None)}
KIND_LABELS = {"object": "a set of named values", "array": "a list", "string": "a string", "null": "null"}


def _one_of(*kinds: str, examples: Sequence[Any] = ()) -> tuple[AfterValidator, WithJsonSchema]:
    """Return annotations that check the JSON type of a value. The content is checked when the recipe is read."""

    def check(value: Any) -> Any:
        if not any(isinstance(value, KINDS[kind]) for kind in kinds):
            raise ValueError(f"must be {' or '.join(KIND_LABELS[kind] for kind in kinds)}, got {short_repr(value)}")
        return value

    schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else list(kinds)}
    return AfterValidator(check), WithJsonSchema(schema | ({"examples": list(examples)} if examples else {}))


RECIPES = ("open-caves", {"technique": "maze", "params": {"width": 21, "height": 15}, "shaping": ["border"]})
JsonObject = Annotated[Any, *_one_of("object")]
JsonArray = Annotated[Any, *_one_of("array")]
RecipeValue = Annotated[Any, *_one_of("object", "string", examples=RECIPES)]
TilesetValue = Annotated[Any, *_one_of("string", "object", "null")]
JsonValue = Annotated[Any, WithJsonSchema({})]


class MapRequest(Params):
    """Fields of every request that makes a map."""

    noun = "word"

    seed: int | str | None = param(None)
    """Number or string; the same seed makes the same map. A random one is chosen and returned if it is left out."""
    format: Annotated[str, WithJsonSchema(FORMATS)] = param("json")
    """Format of the response, as in /api/formats; gif, webp and apng are animations of the generation."""
    options: dict[str, Any] = param({})
    """Options of the format, for example scale."""
    part: str | None = param(None)
    """Name or extension of the file to return if the format has several; without it they are returned as a zip."""
    animate: StrictBool = param(True)
    """Whether to return an animation, if the format can hold one, instead of only the finished map."""


class MakeRequest(MapRequest):
    """A map of a technique; the fields of a recipe."""

    technique: Annotated[str, WithJsonSchema(TECHNIQUES)] = param()
    """Name of the technique, as in /api/techniques."""
    params: JsonObject = param({})
    """Parameters of the technique by name; the others have their defaults."""
    shaping: JsonArray = param([])
    """Shapers, each a name or a name with its parameters: [{"connect": {"thickness": 2}}, "border"]."""
    tileset: TilesetValue = param(None)
    """Name of a built-in tileset, or its tiles."""
    tiles: JsonObject = param({})
    """Tiles of the tileset to use for the technique's tiles: {"floor": "grass"}."""
    locks: JsonValue = param(None)
    """Locked cells: a list of [x, y, tile], or a map in which ? is free."""
    require: JsonObject = param({})
    """Required values of measures: {"path_length": ">80"}."""
    tries: JsonValue = param(None)
    """Maximum number of maps to make until one meets the requirements."""

    @property
    def recipe(self) -> dict[str, Any]:
        words = ("technique", "params", "shaping", "tileset", "tiles", "locks", "require", "tries", "seed")
        found = {word: getattr(self, word) for word in words}
        return {word: value for word, value in found.items() if value is not None and value != {}}


class RunRequest(MapRequest):
    """A map of a recipe."""

    recipe: RecipeValue = param()
    """Recipe: an object, the name of a built-in one, or YAML."""
    knobs: JsonObject = param({})
    """Values of the recipe's knobs by name: {"parks": 3}. /api/recipes/NAME lists the knobs."""


class MeasureRequest(Params):
    """A map to measure: made by a recipe, or given."""

    noun = "word"

    recipe: Annotated[Any, *_one_of("object", "string", "null", examples=RECIPES)] = param(None)
    """Recipe of the map to measure."""
    knobs: JsonObject = param({})
    """Values of the recipe's knobs by name."""
    seed: int | str | None = param(None)
    """Seed of the recipe's map."""
    map: JsonValue = param(None)
    """Map to measure, instead of a recipe: lines of glyphs, rows of tiles, format json, or a built-in sample's name."""
    tileset: TilesetValue = param(None)
    """Tileset of the map's glyphs or names; without it every tile except # is passable."""
    measures: tuple[str, ...] = param((), max_length=MAX_MEASURES)
    """Names of measures, as in /api/measures; without them, all that apply."""
    like: JsonValue = param(None)
    """Sample to compare the map with, or {"like": sample, "pattern_size": 3, ...}."""

    def find_problems(self) -> Iterator[Problem]:
        if (self.recipe is None) == (self.map is None):
            yield problem("must have either a recipe or a map", rule="conflict")
        elif self.map is None and self.tileset is not None:
            text = "is for a given map; write the tileset of a recipe into the recipe"
            yield problem(text, at="tileset", rule="conflict", remove=["tileset"])
        elif self.map is not None:
            for name, value in (("knobs", self.knobs or None), ("seed", self.seed)):
                if value is not None:
                    yield problem("is for a recipe, not for a given map", at=name, rule="conflict", remove=[name])


class SeekRequest(SeekParams):
    """Seeds of a recipe to test."""

    noun = "word"

    recipe: RecipeValue = param()
    """Recipe: an object, the name of a built-in one, or YAML. Its seed is ignored."""
    knobs: JsonObject = param({})
    """Values of the recipe's knobs by name."""
    seeds: Seeds = param("0..999")
    """First and last seed to test, at most 1,000,000 seeds."""
    measures: MeasureNames = param((), max_length=MAX_MEASURES)
    """Further measures to record."""
    keep: int = param(12, ge=1, le=MAX_KEEP)
    """Maximum number of seeds to return."""

    def define_search(self, recipe: Recipe) -> SeekDefinition:
        """Return the search over the seeds of a recipe. Raise TooLarge if there are too many seeds."""
        found = SeekDefinition.of(recipe, self)
        if found.count > MAX_SEEDS:
            raise TooLarge(f"must be at most {MAX_SEEDS:,} seeds, got {found.count:,}", at="seeds")
        return found


B = TypeVar("B", MakeRequest, RunRequest, MeasureRequest, SeekRequest)


def parse_body(content: bytes, content_type: str, model: type[B]) -> B:
    """Read the JSON body of a request. Raise InvalidRecipe if it is not JSON, or a value breaks its rule."""
    if "json" not in content_type.lower():
        raise InvalidRecipe("the request must be a JSON object with Content-Type: application/json", rule="type")
    return model.validate(parse_stored_json(content, "the request is not JSON"))


MAP_KEYS = ("format", "seed", "part", "animate")
"""Keys of every request that makes a map."""
KEYS = (*MAP_KEYS, "shape", "tileset", "tiles")
"""Keys that are not parameters of a technique."""
REPEATABLE = ("shape",)
"""Keys that may be given several times."""


def read_parameters(
    fields: Mapping[str, Field],
    format: Format,
    pairs: Iterable[tuple[str, str]],
    *,
    owner: str,
    keys: Sequence[str] = KEYS,
    noun: str = "parameter",
    renamed: Mapping[str, str] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return values of fields and options of a format from the keys of a query. Other keys must occur only once.

    Parameters
    ----------
    fields
        Parameters of a technique or knobs of a recipe, by name.
    format
        Format whose options are the other keys.
    pairs
        Keys and texts of the query.
    owner
        Name of the technique or recipe, for messages.
    keys
        Keys that are neither fields nor options.
    noun
        Noun for a field in messages.
    renamed
        Present names by old name.

    Returns
    -------
    tuple of dict
        The values and the options.
    """
    known = {**fields_by_name(format.params), **fields}
    found: dict[str, Any] = {}
    seen: set[str] = set()
    problems: list[Problem] = []
    unknown: list[str] = []
    for key, text in pairs:
        name = key if key in keys else (renamed or {}).get(key, key)
        if name in seen and name not in REPEATABLE:
            problems = problems or [problem("is given twice", at=name)]
        elif name not in keys and name in known:
            found[name] = read_value(text, known[name])
        elif name not in keys:
            unknown.append(name)
            continue
        seen.add(name)
    names = [*fields, *format.params.model_fields, *keys]
    problems += explain_each(unknown, lambda name: unknown_key(noun, name, names, f"of {owner} or {format.name}"))
    if problems:
        raise InvalidRecipe(*problems)
    values = {name: value for name, value in found.items() if name in fields}
    return values, {name: value for name, value in found.items() if name not in fields}


def check_names(given: Iterable[str], names: Sequence[str], noun: str) -> None:
    """Raise InvalidRecipe if a name is unknown or given twice."""
    counts = Counter(given)
    unknown = [name for name in counts if name not in names]
    problems = explain_each(unknown, lambda name: unknown_key(noun, name, names))
    problems += [problem("is given twice", at=name) for name in names if counts[name] > 1]
    if problems:
        raise InvalidRecipe(*problems)
