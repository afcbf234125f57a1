"""Parameters: a frozen, closed, described type whose schema draws flags, controls, API and reference docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from .errors import InvalidRecipe, did_you_mean, quoted
from .reading import Reading

LARGEST_SIDE = 65_536
LARGEST_AREA = LARGEST_SIDE**2
MOST_FINDINGS = 200
MOST_TOLD = 8
"""More mistakes than this are only counted: nobody reads them all at once."""


def param(
    default: Any = ...,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    typical: tuple[float, float] | None = None,
    control: str | None = None,
) -> Any:
    """A field of a Params class. Its description is the string that stands below it.

    `typical` is the range that a slider should cover, where the bounds are wider; `control` names the control
    that suits it ("matrix", "offsets", "grid"), where the type alone does not tell.
    """
    hints: dict[str, Any] = {"typical": list(typical) if typical else None, "control": control}
    bounds: dict[str, Any] = {
        "ge": ge,
        "gt": gt,
        "le": le,
        "lt": lt,
        "min_length": min_length,
        "max_length": max_length,
    }
    extra: dict[str, Any] = {key: value for key, value in hints.items() if value is not None}
    given: dict[str, Any] = {key: value for key, value in bounds.items() if value is not None}
    return Field(default, json_schema_extra=extra, **given)


class Params(BaseModel):
    """Base of all parameters: frozen, hashable, closed; booleans are refused where a number stands.

    Two are equal when their fields are. What follows from fields alone may be a cached_property: it stays out of
    equality, copies and pickles.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        validate_default=True,
        use_attribute_docstrings=True,
        protected_namespaces=(),
    )
    renamed: ClassVar[Mapping[str, str]] = {}
    """Old names of parameters, so that recipes written with them still read."""
    also: ClassVar[tuple[str, ...]] = ()
    """Keys beside the fields that are read, for whoever mistypes one."""
    noun: ClassVar[str] = "parameter"
    """What errors call a field."""

    @classmethod
    def checked(cls, values: Mapping[str, Any] | None = None, *, reading: Reading | None = None) -> Self:
        """The params with these values, or one error that tells all mistakes."""
        try:
            return cls.model_validate(dict(values or {}), context={"reading": reading or Reading()})
        except ValidationError as error:
            raise InvalidRecipe(*explain(error, cls)) from None

    def changed(self, **values: Any) -> Self:
        """A checked copy with some values replaced; what was left to its default follows anew."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.checked({**given, **values})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy

    @model_validator(mode="before")
    @classmethod
    def _rename_and_refuse(cls, values: Any) -> Any:
        """Old names are read; booleans where numbers stand, and sets, which have no order, are not."""
        if not isinstance(values, Mapping):
            return values
        if cls.renamed:
            values = {cls.renamed.get(name, name): value for name, value in values.items()}
        wrong = []
        for name, value in values.items():
            if isinstance(value, (set, frozenset)):
                wrong.append(f"{name}: must be a list, a set has no order")
            elif name in _number_fields(cls) and _holds_boolean(value):
                wrong.append(f"{name}: must be a number, got {quoted(value)}")
        if wrong:
            raise InvalidRecipe(*wrong)
        return values

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).model_fields)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and self._values() == other._values())

    def __hash__(self) -> int:
        # Kept: params are looked up by value more often than they are made.
        found = self.__dict__.get("_hash")
        if found is None:
            found = self.__dict__["_hash"] = hash((type(self), self._values()))
        return int(found)

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        state["__dict__"] = {name: getattr(self, name) for name in type(self).model_fields}
        return state


class Sized(Params):
    """Params of anything that makes a map of a given size."""

    width: int = param(80, ge=1, le=LARGEST_SIDE, typical=(8, 200))
    """Columns of the map."""
    height: int = param(50, ge=1, le=LARGEST_SIDE, typical=(8, 200))
    """Rows of the map."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The map's shape in array order: (row, column)."""
        return (self.height, self.width)


def whole_value(read: Callable[[Any, Reading], Any], write: Callable[[Any], Any]) -> CoreSchema:
    """The schema of a value that a field holds as a whole, such as a map: how it is read, and written as JSON."""

    def check(value: Any, info: ValidationInfo) -> Any:
        context = info.context
        reading = context.get("reading") if isinstance(context, Mapping) else None
        return read(value, reading if isinstance(reading, Reading) else Reading())

    serialization = core_schema.plain_serializer_function_ser_schema(write, when_used="json")
    return core_schema.with_info_plain_validator_function(check, serialization=serialization)


def explain(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """pydantic's findings in our words: parameter, rule, value, way out. Tells the first few, and how many more."""
    by_place: dict[str, list[Finding]] = {}
    for details in error.errors(include_url=False)[:MOST_FINDINGS]:
        found = Finding(details, *_place(details["loc"], model))
        by_place.setdefault(found.place, []).append(found)
    told = dict.fromkeys(
        line
        for place, findings in by_place.items()
        for found in _told(findings, any(other.startswith(f"{place}.") for other in by_place))
        for line in found.lines()
    )
    more = len(told) - MOST_TOLD
    return [*list(told)[:MOST_TOLD], *([f"and {more} more"] if more > 0 else [])]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that pydantic found wrong, and where."""

    details: ErrorDetails
    place: str
    """The way to it, by names and positions alone: `rules.2.count`."""
    models: tuple[type[BaseModel], ...]
    """What could stand there."""

    @property
    def kind(self) -> str:
        return self.details["type"]

    @property
    def given(self) -> Any:
        return self.details.get("input")

    @property
    def is_consequence(self) -> bool:
        """Whether a list is too short only because what it holds is wrong."""
        bounds = self.details.get("ctx", {})
        return self.kind == "too_short" and len(self.given) >= bounds.get("min_length", 0)

    def lines(self) -> list[str]:
        bounds = self.details.get("ctx", {})
        if self.kind == "value_error":
            cause = bounds.get("error")
            problems = cause.problems if isinstance(cause, InvalidRecipe) else [str(cause)]
        elif self.kind == "missing" and isinstance(self.details["loc"][-1], int):
            return [f"{self.place.rpartition('.')[0]}: has too few values"]
        elif self.kind == "extra_forbidden":
            name = str(self.details["loc"][-1])
            fields = [field for model in self.models for field in (*model.model_fields, *getattr(model, "also", ()))]
            noun = getattr(self.models[0], "noun", "parameter") if self.models else "parameter"
            problems = [f"unknown {noun} {quoted(name)}{did_you_mean(name, fields)}"]
        else:
            problems = [_rule(self.kind, quoted(self.given), bounds, self.details["msg"])]
        return [f"{self.place}: {problem}" if self.place else problem for problem in problems]


def _told(findings: list[Finding], has_inner: bool) -> list[Finding]:
    """Of all that is wrong at one place, what a person wants to know.

    A value of several types fails once for each: a word is judged by the words that are known, anything else by the
    rest; and where something inside is wrong, that it is not another type altogether says nothing.
    """
    words = [found for found in findings if found.kind == "literal_error"]
    if words and isinstance(words[0].given, str):
        return words
    others = [found for found in findings if found.kind != "literal_error"] or words
    if has_inner:
        others = [found for found in others if found.kind == "value_error"]
    return [found for found in others if not found.is_consequence]


def _rule(kind: str, given: str, bounds: Mapping[str, Any], message: str) -> str:
    rules = {
        "missing": "is required",
        "greater_than_equal": f"must be at least {bounds.get('ge')}, got {given}",
        "greater_than": f"must be more than {bounds.get('gt')}, got {given}",
        "less_than_equal": f"must be at most {bounds.get('le')}, got {given}",
        "less_than": f"must be less than {bounds.get('lt')}, got {given}",
        "finite_number": f"must be a finite number, got {given}",
        "literal_error": f"must be {bounds.get('expected')}, got {given}",
        "int_from_float": f"must be a whole number, got {given}",
        "int_parsing": f"must be a whole number, got {given}",
        "int_type": f"must be a whole number, got {given}",
        "float_parsing": f"must be a number, got {given}",
        "float_type": f"must be a number, got {given}",
        "bool_parsing": f"must be true or false, got {given}",
        "bool_type": f"must be true or false, got {given}",
        "string_type": f"must be a text, got {given}",
        "tuple_type": f"must be a list, got {given}",
        "model_type": f"must be a set of named values, got {given}",
        "string_too_short": f"must have at least {bounds.get('min_length')} characters, got {given}",
        "string_too_long": f"must have at most {bounds.get('max_length')} characters, got {given}",
        "too_short": f"must have at least {bounds.get('min_length')} values, got {given}",
        "too_long": f"must have at most {bounds.get('max_length')} values, got {given}",
    }
    return rules.get(kind, f"{message[:1].lower()}{message[1:]}, got {given}")


def _place(location: tuple[int | str, ...], model: type[BaseModel]) -> tuple[str, tuple[type[BaseModel], ...]]:
    """Names and positions of a location, without the branches of unions, and the models that could stand there."""
    models: tuple[type[BaseModel], ...] = (model,)
    kept: list[str] = []
    for part in location:
        owner = next((one for one in models if part in one.model_fields), None)
        if isinstance(part, int):
            kept.append(str(part))
        elif owner is not None:
            kept.append(part)
            models = tuple(kind for kind in kinds_in(owner.model_fields[part].annotation) if _is_model(kind))
        elif models:
            models = tuple(one for one in models if one.__name__ == part) or models
        elif part.isidentifier() and part not in {"int", "float", "str", "bool", "none"}:
            kept.append(part)  # a field of something that is no model
    return ".".join(kept), models


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def kinds_in(annotation: Any) -> list[Any]:
    """All types that an annotation mentions."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [str]
    if get_origin(annotation) is Annotated:
        return kinds_in(arguments[0])
    return [kind for argument in arguments for kind in kinds_in(argument)] if arguments else [annotation]


@cache
def _number_fields(model: type[BaseModel]) -> frozenset[str]:
    """The fields in which neither true nor false may stand, and whose types do not look after that themselves."""
    plain, numbers = {int, float, str, type(None), ...}, {int, float}
    kinds = {name: set(kinds_in(field.annotation)) for name, field in model.model_fields.items()}
    return frozenset(name for name, found in kinds.items() if found <= plain and found & numbers)


def _holds_boolean(value: Any, depth: int = 8) -> bool:
    """Whether true or false stands in a value, as deep as any field has room for."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return any(_holds_boolean(part, depth - 1) for part in value)
    return isinstance(value, (bool, np.bool_))
