"""Conversion of values to and from strings, for the command line, HTTP queries, snippets and sweeps.

Simple values are written plainly (`0.4`, `none`, `3,8`, `floor`), and structured values as JSON. A stage is written as
`connect,thickness=2`, pairs as `floor=grass,wall=mountain`, a part of a value as `scores.0=0.5`, and a sweep as
`walls=0.4..0.5:0.02`.

>>> from tilewright.core.fields import fields_by_name
>>> from tilewright.core.registry import techniques
>>> offset = fields_by_name(techniques.get("caves").params)["offset"]
>>> read_value("3,-4", offset), write_value([3, -4], offset), read_value("none", offset)
([3, -4], '3,-4', None)
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from .entries import Entry
from .errors import Fix, InvalidRecipe, Path, TilewrightError, UnknownName, errors_within, short_repr
from .fields import UNSET, Field, fields_by_name, present_name
from .params import Params
from .registry import Registry, shapers

E = TypeVar("E", bound=Entry)
FileText = Callable[[str], str]
"""Function that returns the text of a file for `@file`. Without such a function, `@` has no special meaning."""
MAX_DEFAULT_LENGTH = 28
"""Maximum length of a default in a table."""
RESERVED_FLAGS = frozenset({
    "blocks", "count", "flat", "format", "glyphs", "help", "improve", "keep", "locks", "look", "option",
    "output", "outputs", "plain", "require", "scheduler", "seed", "set", "settings", "settings_inside", "shape",
    "shaping", "tiles", "tileset", "tries", "workers",
})  # fmt: skip
"""Options of `tilewright make` for all techniques. A parameter with such a name is set with `--set NAME=VALUE`."""
DIGITS = r"(?:\d++(?:\.(?!\.)\d*+)?+|\.\d++)"
RANGE = re.compile(rf"(?P<low>-?{DIGITS})\.\.(?P<high>-?{DIGITS})(?::(?P<step>{DIGITS}))?")
REQUIREMENT = re.compile(r"\s*(\w+(?:\.[^<>=!]*[^<>=!\s])?)\s*(>=|<=|==|!=|=|>|<)\s*(\S+)\s*")


class UnwritableValue(ValueError):
    """A value that cannot be written as a string."""


# -- values -------------------------------------------------------------------------------------------------


def read_value(text: str, field: Field, files: FileText | None = None) -> Any:
    """Parse a string as a value of a field. The value is not validated."""
    with errors_within(field.name):
        return read_json(text, files) if is_json(text, files) else _read_plain(text, field)


def write_value(value: Any, field: Field) -> str:
    """Return a string that `read_value` reads as exactly this value.

    Raise UnwritableValue if there is no such string.
    """
    for text in _iter_texts(value):
        if _reads_as(value, read_value, text, field, _reject_file):
            return text
    raise UnwritableValue(f"{field.name}: {short_repr(value)}")


def is_json(text: str, files: FileText | None = None) -> bool:
    """Return whether a string is JSON or a `@file`. A single character is a glyph."""
    return len(text) > 1 and text.startswith(("[", "{", "@") if files else ("[", "{"))


def read_json(text: str, files: FileText | None = None) -> Any:
    """Read JSON, or a JSON file given as `@file`."""
    if files is not None and text.startswith("@"):
        text = files(text[1:])
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecipe(f"not JSON ({error}): {short_repr(text)}") from None


def write_json(value: Any) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_part(text: str) -> Any:
    """Read a part of a structured value as JSON, or else as a string."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_number(text: str) -> int | float | str:
    """Return a string as a number, or unchanged if it is not a number."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def short_default(field: Field) -> str:
    """Return the default as a string, shortened for a table; an empty string if there is no default."""
    value = field.short_default
    if value is None or value is UNSET or value == {}:
        return ""
    text = next(_iter_texts(value))
    return text if len(text) <= MAX_DEFAULT_LENGTH else text[: MAX_DEFAULT_LENGTH - 4] + " ..."


def flag_of(field: Field) -> str:
    """Return the option of `tilewright make` that sets a parameter."""
    return f"--{field.name.replace('_', '-')}"


def _read_plain(text: str, field: Field) -> Any:
    for choice in field.choices:
        if text == str(choice):
            return choice
    if field.prefix and text.startswith(field.prefix):
        return text
    types = field.types
    if field.nullable and text in ("none", "null"):
        return None
    if "boolean" in types and text in ("true", "false"):
        return text == "true"
    if "array" in types and ("," in text or types == {"array"}):
        return _read_list(text, next(one for one in field.alternatives if one.type == "array"))
    return read_number(text) if types & {"integer", "number"} else text


def _read_list(text: str, field: Field) -> list[Any]:
    if ";" in text and "," not in text:
        right = ",".join(piece.strip() for piece in text.split(";") if piece.strip())
        raise InvalidRecipe(f"the parts of a list are separated by commas; write {right}", got=text, rule="format")
    pieces = [piece.strip() for piece in text.split(",")] if text else []
    if "array" in field.item.types:  # The model splits a flat list into rows.
        return [read_number(piece) for piece in pieces]
    slots = field.slots
    return [_read_plain(piece, slots[at] if at < len(slots) else field.item) for at, piece in enumerate(pieces)]


def _iter_texts(value: Any) -> Iterator[str]:
    """Yield candidate strings for a value, the shortest first."""
    is_list = isinstance(value, (list, tuple))
    if value is None:
        yield "none"
    elif isinstance(value, str):
        yield value
    elif not isinstance(value, Mapping) and not (
        is_list and any(isinstance(one, (list, tuple, dict)) for one in value)
    ):
        yield ",".join(next(_iter_texts(one)) for one in value) if is_list else json.dumps(value)
    if is_list or isinstance(value, Mapping):
        yield write_json(value)


def _reads_as(value: Any, read: Callable[..., Any], *arguments: Any) -> bool:
    """Return whether reading the string gives exactly this value. The values 1, 1.0 and true are different."""
    try:
        return json.dumps(read(*arguments)) == json.dumps(value)
    except TilewrightError:
        return False


def _reject_file(path: str) -> str:
    raise InvalidRecipe("not a value", at=path)


# -- settings, stages and pairs -----------------------------------------------------------------------------


def read_setting(values: dict[str, Any], setting: str, model: type[BaseModel], files: FileText | None = None) -> None:
    """Set a value in `values` from `name=value`, or a part of it from `name.0.inner=value`."""
    path, equals, text = setting.partition("=")
    if not equals:
        raise InvalidRecipe(f"{short_repr(setting)}: a setting is written as name=value")
    known = fields_by_name(model)
    name, *inner = path.strip().replace("-", "_").split(".")
    name = present_name(model, name)
    if name not in known:
        raise UnknownName("parameter", name, known)
    if not inner:
        values[name] = read_value(text, known[name], files)
        return
    default = known[name].default
    whole = values.get(name, None if default is UNSET else default)
    values[name] = with_part(whole, inner, read_part(text), path)


def with_part(data: Any, path: Sequence[str], value: Any, place: str) -> Any:
    """Return a copy of structured data with the part at a path replaced."""
    if not path:
        return value
    step, *rest = path
    if isinstance(data, (list, tuple)):
        number = read_position(data, step, place)
        return [with_part(part, rest, value, place) if at == number else part for at, part in enumerate(data)]
    if data is not None and not isinstance(data, Mapping):
        raise InvalidRecipe(f"{short_repr(data)} has no parts", at=_parse_path(place), place=place)
    return {**(data or {}), step: with_part((data or {}).get(step), rest, value, place)}


def read_position(parts: Sequence[Any], step: str, place: str) -> int:
    """Return a step of a path as a position in a list. Raise InvalidRecipe if it is not a position."""
    if not step.isdecimal() or len(step) > 9 or int(step) >= len(parts):
        text = f"{short_repr(step)} is not a position in a list of {len(parts)}"
        raise InvalidRecipe(text, at=_parse_path(place), place=place)
    return int(step)


def _parse_path(path: str) -> Path:
    return tuple(int(step) if step.isdecimal() else step for step in path.split("."))


def read_stage(text: str, files: FileText | None = None) -> tuple[str, dict[str, Any]]:
    """Read a shaper's name and settings: `connect,thickness=2`, or JSON."""
    if is_json(text, files):
        stage = read_json(text, files)
        if isinstance(stage, dict) and len(stage) == 1:
            ((name, given),) = stage.items()
            if given is None or isinstance(given, dict):
                return str(name), given or {}
        example = '{"connect": {"thickness": 2}}'
        raise InvalidRecipe(f"must be JSON of one shaper, such as {example}", at="shaping", got=text, place="shape")
    name, *settings = split_settings(text)
    first, _, rest = name.partition(" ")
    if rest and first in shapers.names() and "=" in rest:
        better = ",".join([first, *rest.split(), *settings])
        text = f"settings follow the name after a comma: {better}"
        raise InvalidRecipe(text, at="shaping", got=name, place="shape", fixes=[Fix("use", ("shaping",), better)])
    if "," in name:
        raise InvalidRecipe("settings are written as name=value", at="shaping", got=text, place="shape")
    values: dict[str, Any] = {}
    try:
        for setting in settings:
            read_setting(values, setting, shapers.get(name).params, files)
    except (InvalidRecipe, UnknownName) as error:
        raise InvalidRecipe(*error.within(name).problems) from None
    return name, values


def write_stage(name: str, params: Mapping[str, Any]) -> str:
    """Return a string that `read_stage` reads as this shaper."""
    known = fields_by_name(shapers.get(name).params)
    try:
        text = ",".join([name, *(f"{key}={write_value(value, known[key])}" for key, value in params.items())])
    except (UnwritableValue, KeyError):
        return write_json({name: params})
    return text if _reads_as([name, params], read_stage, text, _reject_file) else write_json({name: params})


def split_settings(text: str) -> list[str]:
    """Split `name,a=1,b=2,3` at commas that are followed by `name=`, because values may contain commas."""
    return re.split(r",(?=\s*[\w.-]+=)", text)


def read_named_values(text: str) -> tuple[str, dict[str, int | float | str]]:
    """Read a name with values, such as `platformer,jump_height=4`."""
    name, *settings = split_settings(text)
    pairs = (setting.partition("=") for setting in settings)
    return name.strip(), {word.strip(): read_number(value.strip()) for word, _, value in pairs}


def read_entry(given: Any, registry: Registry[E], example: str) -> tuple[E, Params]:
    """Read an entry and its params: `platformer,jump_height=4`, or a mapping `{"platformer": {"jump_height": 4}}`."""
    kind = registry.kind
    if isinstance(given, registry.entry):
        return given, given.params.validate()
    values: Any
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, values),) = given.items()
    elif isinstance(given, str):
        name, values = read_named_values(given)
    else:
        raise InvalidRecipe(f"must be the name of a {kind}, such as {example}", at=kind, got=given, rule="type")
    if not isinstance(values, Mapping | None):
        raise InvalidRecipe("must be a set of named values", at=(kind, str(name)), got=values, rule="type")
    found = registry.get(name)
    with errors_within(kind, name, place=f"{kind} {name}"):
        return found, found.params.validate(values)


def read_pairs(text: str, place: str) -> dict[str, str]:
    """Read `floor=grass,wall=mountain`."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name and equals and value for name, equals, value in pairs):
        raise InvalidRecipe("must be written as floor=grass,wall=mountain", at=place, got=text)
    return {name.strip(): value.strip() for name, _, value in pairs}


def write_pairs(pairs: Mapping[str, str]) -> str:
    """Return a string that `read_pairs` reads as these pairs. Raise UnwritableValue if there is no such string."""
    text = ",".join(f"{name}={value}" for name, value in pairs.items())
    if not _reads_as(dict(pairs), read_pairs, text, ""):
        raise UnwritableValue(text)
    return text


def read_requirement(text: str, place: str | Path = "require") -> tuple[str, str]:
    """Read `path_length>80`, `path_length=60..66`, `regions=1` or `openness=most`; `place` is the option."""
    found = REQUIREMENT.fullmatch(text)
    if not found:
        forms = "path_length>80, path_length=60..66, regions=1 or openness=most"
        raise InvalidRecipe(f"must be written as {forms}", at=place, got=text)
    name, sign, value = found.groups()
    return name, value if sign in ("=", "==") else f"{sign}{value}"


def write_requirement(measure: str, rule: Any) -> str:
    """Return a string that `read_requirement` reads as this rule. Raise UnwritableValue if there is no such string."""
    for text in (f"{measure}{rule}", f"{measure}={rule}"):
        if _reads_as([measure, str(rule)], read_requirement, text):
            return text
    raise UnwritableValue(f"{measure}: {short_repr(rule)}")


def read_sweep(text: str) -> tuple[str, Any]:
    """Read the path of a parameter and its values in a sweep: `walls=0.4..0.5:0.02`, `steps=3,5,7`."""
    place, equals, given = (part.strip() for part in text.partition("="))
    if not equals or not place or not given:
        raise InvalidRecipe("must be written as walls=0.4..0.5:0.02 or steps=3,5,7", at="sweep", got=text)
    if found := RANGE.fullmatch(given):
        ends = {"from": read_number(found["low"]), "to": read_number(found["high"])}
        return place, {**ends, "step": read_number(found["step"])} if found["step"] else ends
    words = {"true": True, "false": False}
    return place, [words.get(part.strip(), read_number(part.strip())) for part in given.split(",")]
