"""Pieces of a rule book: models that may come as a compact string."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeAlias

from pydantic import BeforeValidator, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ...core.errors import InvalidRecipe, quoted
from ...core.params import Params

Cut: TypeAlias = Callable[[str], dict[str, Any]]
"""What cuts a compact string into fields."""
LONGEST_KEPT = 500
"""Letters of strings that are remembered: the same few short ones come again and again."""


def read_text(text: str, cut: Cut, *models: type[Params]) -> Any:
    """The model behind a compact string: the only one, or the one of the kind that it names."""
    return (_kept if len(text) <= LONGEST_KEPT else _read)(text, cut, models)


def _read(text: str, cut: Cut, models: tuple[type[Params], ...]) -> Any:
    try:
        fields = cut(text)
        model = next(
            model for model in models if len(models) == 1 or fields["kind"] == model.model_fields["kind"].default
        )
        return model.checked(fields)
    except InvalidRecipe as error:
        if any(one.value in (text, quoted(text)) for one in error.problems):  # these quote the text themselves
            raise
        raise error.replace(replace(one.within(place=quoted(text)), value=text) for one in error.problems) from None


_kept = lru_cache(maxsize=4096)(_read)


@dataclass(frozen=True)
class AlsoFrom:
    """Says in a field's JSON schema what it is read from beside what it holds: JSON types, and words about them."""

    kinds: tuple[str, ...]
    words: tuple[tuple[str, Any], ...] = ()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        return widened(found, *self.kinds, **dict(self.words)) if handler.mode == "validation" else found


def widened(schema: JsonSchemaValue, *kinds: str, **words: Any) -> JsonSchemaValue:
    """A JSON schema that allows these types too, with words about them."""
    if "oneOf" in schema:
        return {**schema, "oneOf": [*schema["oneOf"], *({"type": kind, **words} for kind in kinds)]}
    return {**words, **schema, "type": [schema["type"], *kinds]}


class Sectioned(Params):
    """A part of a rule book that may come in other forms than by its fields."""

    also_from: ClassVar[AlsoFrom]

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        if handler.mode == "validation":
            inner = handler.resolve_ref_schema(found)
            inner.update(widened(inner, *cls.also_from.kinds, **dict(cls.also_from.words)))
        return found


class CompactModel(Sectioned):
    """A part of a rule book, which may come as a compact string."""

    also_from = AlsoFrom(("string",))
    cut: ClassVar[Cut]
    """The fields in a compact string."""

    @model_validator(mode="wrap")
    @classmethod
    def _from_text(cls, value: Any, check: Callable[[Any], Self]) -> Self:
        return read_text(value, cls.cut, cls) if isinstance(value, str) else check(value)


def one_of(cut: Cut, *models: type[Params]) -> BeforeValidator:
    """Reads a string as one of several models, by its kind."""
    return BeforeValidator(lambda value: read_text(value, cut, *models) if isinstance(value, str) else value)
