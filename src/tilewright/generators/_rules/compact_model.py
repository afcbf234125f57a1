"""Pieces of a rule book: models that may come as a compact string."""

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
"""What cuts a compact string into fields."""
MAX_CACHED_LENGTH = 500
"""Letters of strings that are remembered: the same few short ones come again and again."""


def read_text(text: str, parse: Parser, *models: type[Params]) -> Any:
    """The model behind a compact string: the only one, or the one of the kind that it names."""
    return (_parse_cached if len(text) <= MAX_CACHED_LENGTH else _parse_text)(text, parse, models)


def _parse_text(text: str, parse: Parser, models: tuple[type[Params], ...]) -> Any:
    try:
        fields = parse(text)
        model = next(
            model for model in models if len(models) == 1 or fields["kind"] == model.model_fields["kind"].default
        )
        return model.validate(fields)
    except InvalidRecipe as error:
        if any(one.value in (text, short_repr(text)) for one in error.problems):  # these quote the text themselves
            raise
        raise error.replace(replace(one.within(place=short_repr(text)), value=text) for one in error.problems) from None


_parse_cached = lru_cache(maxsize=4096)(_parse_text)


@dataclass(frozen=True)
class AlsoAccepts:
    """Says in a field's JSON schema what it is read from beside what it holds: JSON types, and words about them."""

    kinds: tuple[str, ...]
    keywords: tuple[tuple[str, Any], ...] = ()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        return widen_schema(found, *self.kinds, **dict(self.keywords)) if handler.mode == "validation" else found


def widen_schema(schema: JsonSchemaValue, *kinds: str, **keywords: Any) -> JsonSchemaValue:
    """A JSON schema that allows these types too, with words about them."""
    if "oneOf" in schema:
        return {**schema, "oneOf": [*schema["oneOf"], *({"type": kind, **keywords} for kind in kinds)]}
    return {**keywords, **schema, "type": [schema["type"], *kinds]}


class Section(Params):
    """A part of a rule book that may come in other forms than by its fields."""

    also_accepts: ClassVar[AlsoAccepts]

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        if handler.mode == "validation":
            inner = handler.resolve_ref_schema(found)
            inner.update(widen_schema(inner, *cls.also_accepts.kinds, **dict(cls.also_accepts.keywords)))
        return found


class CompactModel(Section):
    """A part of a rule book, which may come as a compact string."""

    also_accepts = AlsoAccepts(("string",))
    parse_text: ClassVar[Parser]
    """The fields in a compact string."""

    @model_validator(mode="wrap")
    @classmethod
    def _from_text(cls, value: Any, check: Callable[[Any], Self]) -> Self:
        return read_text(value, cls.parse_text, cls) if isinstance(value, str) else check(value)


def parse_one_of(parse: Parser, *models: type[Params]) -> BeforeValidator:
    """Reads a string as one of several models, by its kind."""
    return BeforeValidator(lambda value: read_text(value, parse, *models) if isinstance(value, str) else value)
