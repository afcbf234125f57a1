"""Parameters: a frozen, closed, described type whose schema draws flags, controls, API and reference docs."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import ErrorDetails

from .errors import InvalidRecipe, did_you_mean, quoted
from .reading import Reading

LARGEST_SIDE = 65_536


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
    """Base of all parameters: frozen, hashable, closed; booleans are refused where a number stands."""

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

    @classmethod
    def checked(cls, values: Mapping[str, Any] | None = None, *, reading: Reading | None = None) -> Self:
        """The params with these values, or one error that tells all mistakes."""
        try:
            return cls.model_validate(dict(values or {}), context={"reading": reading or Reading()})
        except ValidationError as error:
            raise InvalidRecipe(*explain(error, cls)) from None

    def changed(self, **values: Any) -> Self:
        """A checked copy with some values replaced."""
        return self.checked({**{name: getattr(self, name) for name in type(self).model_fields}, **values})

    @model_validator(mode="before")
    @classmethod
    def _rename_and_refuse_booleans(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        values = {cls.renamed.get(name, name): value for name, value in values.items()}
        wrong = [
            f"{name}: must be a number, got {quoted(value)}"
            for name, value in values.items()
            if name in cls.model_fields and name not in _boolean_fields(cls) and _holds_boolean(value)
        ]
        if wrong:
            raise ValueError("\n".join(wrong))
        return values

    def __getstate__(self) -> dict[Any, Any]:
        """Cached properties stay out of pickles."""
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


def reading_of(info: ValidationInfo) -> Reading:
    """The reading that the door passed in; one that opens no file when it passed none."""
    context = info.context
    reading = context.get("reading") if isinstance(context, Mapping) else None
    return reading if isinstance(reading, Reading) else Reading()


def explain(error: ValidationError, model: type[BaseModel] | None = None) -> list[str]:
    """pydantic's findings in our words: parameter, rule, value, way out."""
    problems: list[str] = []
    for found in _told_once(error.errors()):
        for line in _sentence(found, model).split("\n"):
            if line not in problems:
                problems.append(line)
    return problems


def _told_once(found: list[ErrorDetails]) -> list[ErrorDetails]:
    """A field of several types fails once for each; a word is judged by the words, anything else by the rest."""
    kept = []
    for one in found:
        rivals = [other for other in found if other["loc"][:1] == one["loc"][:1] and other is not one]
        words = [other for other in rivals if other["type"] == "literal_error" and isinstance(other["input"], str)]
        is_word = one["type"] == "literal_error" and isinstance(one["input"], str)
        if is_word or not (words or (one["type"] == "literal_error" and rivals)):
            kept.append(one)
    return kept


def _sentence(found: ErrorDetails, model: type[BaseModel] | None) -> str:
    kind, given, bounds = found["type"], quoted(found.get("input")), found.get("ctx", {})
    # Branches of a union show up in the location; a person knows only names and positions.
    place = ".".join(str(part) for part in found["loc"] if not _is_branch(part))
    if kind == "value_error":
        cause = bounds.get("error")
        problems = cause.problems if isinstance(cause, InvalidRecipe) else [str(cause)]
        return "\n".join(f"{place}: {problem}" if place else problem for problem in problems)
    if kind == "extra_forbidden":
        *path, name = found["loc"]
        fields = _fields_at(model, path)
        return f"unknown parameter {str(name)!r}{did_you_mean(name, fields)}"
    rule = {
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
    }.get(kind, f"{found['msg'][:1].lower()}{found['msg'][1:]}, got {given}")
    return f"{place}: {rule}" if place else rule


def _is_branch(part: int | str) -> bool:
    return isinstance(part, str) and (not part.isidentifier() or part in {"int", "float", "str", "bool"})


def _fields_at(model: type[BaseModel] | None, path: Sequence[int | str]) -> list[str]:
    """The names a model takes at a place inside it, as far as plain nesting tells."""
    for part in path:
        if model is None or not isinstance(part, str) or part not in model.model_fields:
            continue
        inner = [kind for kind in _kinds(model.model_fields[part].annotation) if _is_model(kind)]
        model = inner[0] if inner else None
    return list(model.model_fields) if model else []


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _kinds(annotation: Any) -> list[Any]:
    """All types that an annotation mentions."""
    arguments = get_args(annotation)
    if get_origin(annotation) in (Union, types.UnionType, tuple, list) or arguments:
        return [kind for argument in arguments for kind in _kinds(argument)]
    return [annotation]


@cache
def _boolean_fields(model: type[BaseModel]) -> frozenset[str]:
    """The fields whose type has room for true and false."""
    return frozenset(name for name, field in model.model_fields.items() if _mentions(field.annotation, (bool, Any)))


def _mentions(annotation: Any, wanted: tuple[Any, ...]) -> bool:
    return any(kind is one for kind in _kinds(annotation) for one in wanted)


def _holds_boolean(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_boolean(part) for part in value)
    return isinstance(value, bool)
