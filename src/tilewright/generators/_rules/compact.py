"""ProcEngine's compact strings: parsing into fields, and base models for parts of a rulebook written as strings.

The parsers only split strings; the models check names and number ranges. Names are stripped and lowercased.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from pydantic import BeforeValidator, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ...core.errors import InvalidRecipe, short_repr
from ...core.params import Params

Operator: TypeAlias = Literal[">=", "<=", "==", "!=", ">", "<"]
OPERATORS = get_args(Operator)
MAX_TEXT_LENGTH = 100_000
INTEGER = re.compile(r"[+-]?[0-9]{1,10}")
NUMBER = re.compile(r"[+-]?([0-9]++\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
SEPARATORS = re.compile(r"[:,|<>=!]|[\x00-\x1f\x7f]")
"""Separators of compact strings, which names must not contain."""

RULE = "tile,neighbourhood,and|or,conditions,replacements, such as empty,all,or,solid>5,solid:1"
CONDITION = "a condition is written as tile, operator and count, such as solid>5"
WEIGHTED = "a tile with its weight is written as name:weight, such as solid:1"
FIX = "a fix is written as connect:neighbourhood:thickness, such as connect:plus:1, or delete:plus:1, or none"
DIVISION = "a division is written as equal:COLUMNSxROWS:rooms or tree:WIDTHxHEIGHT:rooms, such as equal:4x2:3"
TILES = "the tiles are written as initial:dig, such as solid:empty"
PLACE = "a place is written as map:-1, map:x,y,width,height, room:-1 or room:id,id"


def parse_word(value: Any) -> Any:
    """Return a name in the form used for comparison: stripped and lowercase."""
    if not isinstance(value, str):
        return value
    name = value.strip().lower()
    if not name:
        raise InvalidRecipe("a name is missing", got=value, rule="missing")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidRecipe("must be valid Unicode", got=value) from None
    if found := SEPARATORS.search(name):
        raise InvalidRecipe(
            f"a name must not contain : , | < > = !, got {short_repr(found.group())} in {short_repr(value)}"
        )
    return name


def parse_integer(text: str, what: str) -> int:
    """Parse an integer."""
    if not INTEGER.fullmatch(text.strip()):
        raise InvalidRecipe("must be an integer", at=what, got=text, rule="type")
    return int(text)


def parse_number(text: str, what: str) -> float:
    """Parse a number."""
    if not NUMBER.fullmatch(text.strip()):
        raise InvalidRecipe("must be a number", at=what, got=text, rule="type")
    return float(text)


def split_pieces(text: str, mark: str, counts: Sequence[int], form: str) -> list[str]:
    """Split a string at a mark and strip the pieces. Their number must be one of `counts`."""
    if len(text) > MAX_TEXT_LENGTH:
        raise InvalidRecipe(f"must have at most {MAX_TEXT_LENGTH:,} characters, got {len(text):,}")
    found = [piece.strip() for piece in text.split(mark)]
    if len(found) not in counts:
        raise InvalidRecipe(f"{form}; got {short_repr(text)}", value=text, rule="format")
    return found


def split_bars(value: Any) -> Any:
    """Split weighted tiles or conditions in one string at vertical bars."""
    return [piece.strip() for piece in value.split("|")] if isinstance(value, str) else value


def parse_name(text: str) -> dict[str, Any]:
    """Parse `treasure:3`, or `treasure` for any number."""
    name, *maximum = split_pieces(text, ":", (1, 2), "a name is written as name:maximum, such as treasure:3")
    return {
        "name": parse_word(name),
        **({"maximum": parse_integer(maximum[0], f"maximum of {name}")} if maximum else {}),
    }


def parse_weighted(text: str) -> dict[str, Any]:
    """Parse `solid:1`."""
    tile, weight = split_pieces(text, ":", (2,), WEIGHTED)
    return {"tile": parse_word(tile), "weight": parse_number(weight, f"weight of {tile}")}


def parse_condition(text: str) -> dict[str, Any]:
    """Parse `solid>5`."""
    found = re.fullmatch(r"([^<>=!]*)([<>=!]+)([^<>=!]*)", text)
    if not found:
        raise InvalidRecipe(f"{CONDITION}; got {short_repr(text)}", value=text, rule="format")
    tile, operator, count = (piece.strip() for piece in found.groups())
    if operator not in OPERATORS:
        message = f"{short_repr(text)}: the operator must be one of {' '.join(OPERATORS)}"
        raise InvalidRecipe(f"{message}, got {short_repr(operator)}", value=text, rule="format")
    return {
        "tile": parse_word(tile),
        "operator": operator,
        "count": parse_integer(count, f"count in {short_repr(text)}"),
    }


def parse_rule(text: str) -> dict[str, Any]:
    """Parse `empty,all,or,solid>5|solid<2,solid:1`."""
    quotes = "" if "," in text else " (in YAML, a rule within [ ] needs quotes)"
    form = f"a rule is written as {RULE}{quotes}"
    tile, neighbourhood, combine, conditions, replacements = split_pieces(text, ",", (5,), form)
    return {
        "tile": parse_word(tile),
        "neighbourhood": parse_word(neighbourhood),
        "combine": combine.lower(),
        "conditions": split_bars(conditions),
        "replacements": split_bars(replacements),
    }


def parse_fix(text: str) -> dict[str, Any]:
    """Parse `connect:plus:1`; missing pieces at the end have default values."""
    kind, *rest = split_pieces(text, ":", (1, 2, 3), FIX)
    found: dict[str, Any] = {"kind": kind.lower()}
    if rest:
        found["neighbourhood"] = parse_word(rest[0])
    if len(rest) > 1:
        found["thickness"] = parse_integer(rest[1], "thickness")
    return found


def parse_size(text: str, what: str) -> tuple[int, int]:
    """Parse `15x7`."""
    across, down = split_pieces(text.lower(), "x", (2,), f"{what} is written as two numbers with an x, such as 15x7")
    return parse_integer(across, what), parse_integer(down, what)


def parse_division(text: str) -> dict[str, Any]:
    """Parse `equal:4x2:3` or `tree:5x4:6`."""
    kind, size, rooms = split_pieces(text, ":", (3,), DIVISION)
    fields = {"equal": ("columns", "rows"), "tree": ("width", "height")}.get(kind.lower())
    if fields is None:
        message = f"must be equal or tree, got {short_repr(kind)} in {short_repr(text)}"
        raise InvalidRecipe(message, value=text, rule="format")
    return {
        "kind": kind.lower(),
        **dict(zip(fields, parse_size(size, "the size"), strict=True)),
        "rooms": parse_integer(rooms, "number of rooms"),
    }


def parse_place(text: str) -> dict[str, Any]:
    """Parse `map:-1`, `map:3,2,10,8`, `room:-1` or `room:0,2`."""
    kind, *rest = split_pieces(text, ":", (1, 2), PLACE)
    kind = kind.lower()
    if kind not in ("map", "room"):
        raise InvalidRecipe(
            f"must be map or room, got {short_repr(kind)} in {short_repr(text)}", value=text, rule="format"
        )
    if not rest or re.fullmatch(r"-\s*1", rest[0]):
        return {"kind": kind}
    numbers = [parse_integer(piece, "room" if kind == "room" else "rectangle") for piece in rest[0].split(",")]
    if kind == "room":
        return {"kind": kind, "ids": numbers}
    if len(numbers) != 4:
        message = f"a rectangle of the map is written as map:x,y,width,height; got {short_repr(text)}"
        raise InvalidRecipe(message, value=text, rule="format")
    return {"kind": kind, "rectangle": numbers}


def parse_tiles(text: str) -> tuple[str, str]:
    """Parse `solid:empty`."""
    initial, dig = split_pieces(text, ":", (2,), TILES)
    if not initial or not dig:
        raise InvalidRecipe(TILES, got=text, rule="format")
    return initial, dig


def parse_neighbourhood(text: str) -> dict[str, Any]:
    """Parse `plus:010,101,010`."""
    name, rows = split_pieces(text, ":", (2,), "a neighborhood is written as name:rows, such as plus:010,101,010")
    return {"name": parse_word(name), "matrix": rows}


def parse_matrix(value: Any) -> Any:
    """Parse `010,101,010`, lines or a list of rows into rows of numbers."""
    if isinstance(value, str):
        value = re.split(r",|\n", value.strip()) if len(value) <= MAX_TEXT_LENGTH else [value]
    if not isinstance(value, (list, tuple)):
        quotes = "; in YAML, put it in quotes" if isinstance(value, (int, float)) else ""
        raise InvalidRecipe(f"must be rows of 0 and 1, such as 010,101,010, got {short_repr(value)}{quotes}")
    rows = []
    for at, row in enumerate(value):
        digits = list(row.strip()) if isinstance(row, str) else row
        if not isinstance(digits, (list, tuple)) or not digits:
            raise InvalidRecipe(f"row {at} is empty; must be rows of 0 and 1, such as 010,101,010")
        for digit in digits:
            if isinstance(digit, bool) or digit not in ("0", "1", 0, 1):
                text = f"must contain only 0 and 1, got {short_repr(digit)} in {short_repr(row)}"
                raise InvalidRecipe(text, at=("row", at), place=f"row {at}")
        rows.append(tuple(int(digit) for digit in digits))
    return tuple(rows)


Parser: TypeAlias = Callable[[str], dict[str, Any]]
"""Function that parses a compact string into fields."""
MAX_CACHED_LENGTH = 500
"""Maximum length of strings whose models are cached, since the same short strings often repeat."""


def read_text(text: str, parse: Parser, *models: type[Params]) -> Any:
    """Return the model of a compact string: the only one given, or the one of the kind that the string names."""
    return (_parse_cached if len(text) <= MAX_CACHED_LENGTH else _parse_text)(text, parse, models)


def _parse_text(text: str, parse: Parser, models: tuple[type[Params], ...]) -> Any:
    """Parse a string and validate its fields; errors quote the string."""
    try:
        fields = parse(text)
        model = next(
            model for model in models if len(models) == 1 or fields["kind"] == model.model_fields["kind"].default
        )
        return model.validate(fields)
    except InvalidRecipe as error:
        if any(one.value in (text, short_repr(text)) for one in error.problems):  # These already quote the string.
            raise
        raise error.replace(replace(one.within(place=short_repr(text)), value=text) for one in error.problems) from None


_parse_cached = lru_cache(maxsize=4096)(_parse_text)


@dataclass(frozen=True)
class AlsoAccepts:
    """Annotation that adds accepted JSON types, and keywords for them, to a field's JSON schema."""

    kinds: tuple[str, ...]
    keywords: tuple[tuple[str, Any], ...] = ()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        return widen_schema(found, *self.kinds, **dict(self.keywords)) if handler.mode == "validation" else found


def widen_schema(schema: JsonSchemaValue, *kinds: str, **keywords: Any) -> JsonSchemaValue:
    """Return a JSON schema that also allows the given types, with keywords."""
    if "oneOf" in schema:
        return {**schema, "oneOf": [*schema["oneOf"], *({"type": kind, **keywords} for kind in kinds)]}
    return {**keywords, **schema, "type": [schema["type"], *kinds]}


class Section(Params):
    """Part of a rulebook that accepts other forms besides its fields."""

    also_accepts: ClassVar[AlsoAccepts]

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        if handler.mode == "validation":
            inner = handler.resolve_ref_schema(found)
            inner.update(widen_schema(inner, *cls.also_accepts.kinds, **dict(cls.also_accepts.keywords)))
        return found


class CompactModel(Section):
    """Part of a rulebook that may be given as a compact string."""

    also_accepts = AlsoAccepts(("string",))
    parse_text: ClassVar[Parser]
    """Parser of the compact string."""

    @model_validator(mode="wrap")
    @classmethod
    def _from_text(cls, value: Any, check: Callable[[Any], Self]) -> Self:
        return read_text(value, cls.parse_text, cls) if isinstance(value, str) else check(value)


def parse_one_of(parse: Parser, *models: type[Params]) -> BeforeValidator:
    """Return a validator that reads a string as one of several models, by its kind."""
    return BeforeValidator(lambda value: read_text(value, parse, *models) if isinstance(value, str) else value)
