"""Base models for parts of a rulebook that may be given as compact strings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeAlias

from pydantic import BeforeValidator, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ...core.errors import InvalidRecipe, short_repr
from ...core.params import Params

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
