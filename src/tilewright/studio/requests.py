"""What is asked of the API: the bodies of its requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, StrictBool, WithJsonSchema

from ..core.errors import short_repr
from ..core.params import Params, param
from ..core.registry import techniques
from ..formats import format_registry

TECHNIQUES = {"type": "string", "enum": techniques.names()}
FORMATS = {"type": "string", "enum": format_registry.names()}
KINDS: dict[str, type | tuple[type, ...]] = {"object": dict, "array": (list, tuple), "string": str, "null": type(None)}
KIND_LABELS = {"object": "a set of named values", "array": "a list", "string": "a text", "null": "null"}


def _one_of(*kinds: str, examples: Sequence[Any] = ()) -> tuple[AfterValidator, WithJsonSchema]:
    """What a value may be on the outside; what stands in it, the recipe's own reader checks."""

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
    """What every request that makes a map may hold."""

    noun = "word"

    seed: int | str | None = param(None)
    """A number or any text: the same seed, the same map. Picked and told where it is left out."""
    format: Annotated[str, WithJsonSchema(FORMATS)] = param("json")
    """The format of the answer, as in /api/formats; gif, webp and apng are the animation of the work."""
    options: dict[str, Any] = param({})
    """Options of the format, such as scale."""
    part: str | None = param(None)
    """Of a format of several files, the one to send, by its name or ending; without it they come as a zip."""
    animate: StrictBool = param(True)
    """False: of a format that holds animations, the finished map alone."""


class MakeRequest(MapRequest):
    """A map by a technique: a recipe, spelled out."""

    technique: Annotated[str, WithJsonSchema(TECHNIQUES)] = param()
    """The name of the technique, as in /api/techniques."""
    params: JsonObject = param({})
    """Its parameters by name; those left out have their defaults."""
    shaping: JsonArray = param([])
    """Shapers, each a name or a name with its parameters: [{"connect": {"thickness": 2}}, "border"]."""
    tileset: TilesetValue = param(None)
    """The name of a built-in tileset, or its tiles."""
    tiles: JsonObject = param({})
    """Which of the tileset's tiles stand for the technique's: {"floor": "grass"}."""
    locks: JsonValue = param(None)
    """Cells that must hold a tile: a list of [x, y, tile], or a map in which ? is free."""
    require: JsonObject = param({})
    """What measures of the map must be: {"path_length": ">80"}."""
    tries: JsonValue = param(None)
    """How many maps are made until one is as required."""

    @property
    def recipe(self) -> dict[str, Any]:
        words = ("technique", "params", "shaping", "tileset", "tiles", "locks", "require", "tries", "seed")
        found = {word: getattr(self, word) for word in words}
        return {word: value for word, value in found.items() if value is not None and value != {}}


class RunRequest(MapRequest):
    """A map by a recipe."""

    recipe: RecipeValue = param()
    """A recipe: an object, the name of a built-in one, or its YAML."""


class MeasureRequest(Params):
    """A map to be measured: one that a recipe makes, or one that is sent."""

    noun = "word"

    recipe: Annotated[Any, *_one_of("object", "string", "null", examples=RECIPES)] = param(None)
    """Measure the map of this recipe."""
    seed: int | str | None = param(None)
    """Of the recipe's map."""
    map: JsonValue = param(None)
    """Or this map: lines of glyphs, rows of tiles, what format json gives, or the name of a built-in sample."""
    tileset: TilesetValue = param(None)
    """What its glyphs or words mean; without it every tile but # can be walked on."""
    measures: tuple[str, ...] = param(())
    """Names as in /api/measures; without them, all that apply."""
    like: JsonValue = param(None)
    """What the map is compared with: a sample, or {"like": sample, "pattern_size": 3, ...}."""


BODIES = (MakeRequest, RunRequest, MeasureRequest)
