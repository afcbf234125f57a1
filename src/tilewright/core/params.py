"""Parameters: a frozen, closed, described type whose schema draws flags, controls, API and reference docs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypedDict, Unpack, get_args, get_origin

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from .deprecation import renamed_members, warn_renamed
from .errors import Fix, InvalidRecipe, Path, Problem, TilewrightError, find_nearest, problem, unknown_key
from .resolver import Resolver

MAX_SIDE = 65_536
MAX_AREA = MAX_SIDE**2
MAX_FINDINGS = 200
MAX_REPORTED = 8
"""More mistakes than this are only counted: nobody reads them all at once."""


class Hints(TypedDict, total=False):
    """What a control must know about a parameter beside its type; `core.fields` reads it."""

    typical: tuple[float, float]
    """The range that a slider should cover, where the bounds are wider."""
    control: str
    """The control that suits it ("matrix", "strip", "offsets", "file"), where the type alone does not decide."""
    tiles: bool | str
    """Whether its strings name tiles: of the map, or of the recipe in the parameter that is named here."""
    group: str
    """Neighboring parameters of one group are shown side by side; "size" is for the edge lengths of a map."""
    hidden_unless: tuple[Any, ...]
    """A parameter and the values of it with which this one has an effect; without values, any but none, 0 or empty."""
    sizes: tuple[str, ...]
    """Matrices whose edge length this number is; the first one decides it."""
    between: tuple[str, ...]
    """Lists: the first one that is given has an item on each side of these thresholds."""
    instead_of: str
    """The list that this one replaces, item by item."""
    initial: Any
    """A value to start with, where there is no default; of a tile, its position in the tileset."""
    label: str
    """The label of its control, where its name in words does not suit."""
    noun: str
    """What a control calls an item of this model, where its name in words does not suit."""
    unique: bool
    """Whether it is the name by which the items of a list are known; each has another one."""
    names_of: str
    """The parameter with the list whose items can be named here."""
    suggestions: str
    """A tileset whose names are suggested while a name is typed, and to new items."""
    labels: Mapping[str, str]
    """What the control calls choices, or the models of a union; `null` is for no value."""
    share: bool
    """Whether tables show which percentage of the column's sum each item has."""
    peek: bool
    """Whether it is shown in a list also while the item is closed."""
    means: Mapping[str, Any]
    """Values that names stand for."""
    reading: bool
    """Whether this option of a format only matters for reading files."""


class Bounds(TypedDict, total=False):
    """Rules that pydantic checks."""

    ge: float
    gt: float
    le: float
    lt: float
    min_length: int
    max_length: int


class _Declaration(Bounds, Hints):
    pass


def param(default: Any = ..., **declared: Unpack[_Declaration]) -> Any:
    """Declare a field of a Params class. Its description is the string below it."""
    hints: dict[str, Any] = {**declared}
    bounds = {key: hints.pop(key) for key in Bounds.__annotations__ if key in hints}
    return Field(default, json_schema_extra=hints, **bounds)


def size_param(default: int, *, ge: int = 1, typical: tuple[float, float] = (8, 200)) -> Any:
    """Declare an edge length of the map."""
    return param(default, ge=ge, le=MAX_SIDE, typical=typical, group="size")


def hint(**hints: Unpack[Hints]) -> Any:
    """Declare hints for a part of a value, as in `tuple[Annotated[str, hint(tiles=True)], int]`."""
    extra: dict[str, Any] = {**hints}
    return Field(json_schema_extra=extra)


@renamed_members(checked="validate", changed="replace")
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
    file_keys: ClassVar[Mapping[str, str]] = {}
    """Keys in files whose fields have another name."""
    extra_keys: ClassVar[tuple[str, ...]] = ()
    """Keys beside the fields that are read, for whoever mistypes one."""
    noun: ClassVar[str] = "parameter"
    """What errors call a field."""

    @classmethod
    def validate(cls, values: Mapping[str, Any] | None = None, *, resolver: Resolver | None = None) -> Self:
        """The params with these values, or one error that tells all mistakes."""
        try:
            return cls.model_validate(dict(values or {}), context={"resolver": resolver or Resolver()})
        except ValidationError as error:
            raise InvalidRecipe(*explain(error, cls)) from None

    def replace(self, **values: Any) -> Self:
        """A checked copy with some values replaced; what was left to its default follows anew."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.validate({**given, **values})

    @property
    def compact(self) -> Any:
        """The short form in which it can be written as well; None where there is none."""
        return None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of a parameter by its old name."""
            new = type(self).renamed.get(name)
            if new is None:
                return super().__getattr__(name)
            warn_renamed(f"parameter {name!r}", repr(new))
            return getattr(self, new)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy

    @model_validator(mode="before")
    @classmethod
    def _normalize_input(cls, values: Any) -> Any:
        """Old names are read; booleans where numbers stand, and sets, which have no order, are not."""
        if not isinstance(values, Mapping):
            return values
        present = {**cls.renamed, **cls.file_keys}
        values = {present.get(name, name): value for name, value in values.items()}
        wrong = []
        for name, value in values.items():
            if isinstance(value, (set, frozenset)):
                wrong.append(problem("must be a list, a set has no order", at=name, rule="type"))
            elif name in _number_fields(cls) and _has_boolean(value):
                wrong.append(problem("must be a number", at=name, got=value, rule="type"))
        if wrong:
            raise InvalidRecipe(*wrong)
        return values

    def find_problems(self) -> Iterable[Problem]:
        """Return what does not fit together, where every value by itself is right. Subclasses override it."""
        return ()

    @model_validator(mode="after")
    def _raise_problems(self) -> Self:
        problems = list(self.find_problems())
        if problems:
            raise InvalidRecipe(*problems)
        return self

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

    width: int = size_param(80)
    """Columns of the map."""
    height: int = size_param(50)
    """Rows of the map."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The map's shape in array order: (row, column)."""
        return (self.height, self.width)


def check_integer(name: str, value: object, minimum: int = 1, maximum: int | None = None) -> None:
    """Refuse what a function got for an argument, unless it is an integer within these bounds."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if number is None or number < minimum or (maximum is not None and number > maximum):
        upwards = "on" if maximum is None else f"to {maximum:,}"
        raise InvalidRecipe(f"must be a whole number from {minimum} {upwards}", at=name, got=value, rule="range")


class AtomicValue:
    """A value that a field holds as a whole, such as a map: `of` reads it, and `to_data` writes it as JSON."""

    __slots__ = ()
    json_schema: ClassVar[Mapping[str, Any]]
    of: ClassVar[Callable[..., Any]]
    to_data: ClassVar[Callable[..., Any]]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(value: Any, info: ValidationInfo) -> Any:
            return cls.of(value, get_resolver(info))

        serialization = core_schema.plain_serializer_function_ser_schema(cls.to_data, when_used="json")
        return core_schema.with_info_plain_validator_function(check, serialization=serialization)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return deepcopy(dict(cls.json_schema))


def get_resolver(info: ValidationInfo) -> Resolver:
    """Return the resolver that `Params.checked` was called with."""
    resolver = info.context.get("resolver") if isinstance(info.context, Mapping) else None
    return resolver if isinstance(resolver, Resolver) else Resolver()


def explain(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """pydantic's findings as problems: the first few, and how many more."""
    by_path: dict[Path, list[Finding]] = {}
    for details in error.errors(include_url=False)[:MAX_FINDINGS]:
        found = Finding(details, *_locate(details["loc"], model))
        by_path.setdefault(found.path, []).append(found)
    return limit_problems(
        one
        for path, findings in by_path.items()
        for found in _select_findings(
            findings, any(other != path and other[: len(path)] == path for other in by_path if path)
        )
        for one in found.to_problems()
    )


def limit_problems(problems: Iterable[Problem]) -> list[Problem]:
    """The first few different problems, and how many more there are."""
    shown = list({str(one): one for one in problems}.values())
    more = len(shown) - MAX_REPORTED
    return [*shown[:MAX_REPORTED], *([problem(f"and {more} more", rule="more")] if more > 0 else [])]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that pydantic found wrong, and where."""

    details: ErrorDetails
    path: Path
    """Names and positions alone: `("rules", 2, "count")`."""
    models: tuple[type[BaseModel], ...]
    """What could stand there."""
    choices: tuple[Any, ...] = ()
    """The words and numbers that could stand there, where they are listed."""

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

    def to_problems(self) -> list[Problem]:
        bounds, path = self.details.get("ctx", {}), self.path
        if self.kind == "value_error":
            cause = bounds.get("error")
            found = cause.problems if isinstance(cause, TilewrightError) else (problem(str(cause), value=self.given),)
            return [one.within(*path) for one in found]
        if self.kind == "missing" and isinstance(self.details["loc"][-1], int):
            return [problem("has too few values", at=path[:-1], rule="minimum_length")]
        if self.kind == "extra_forbidden":
            fields = [
                field for model in self.models for field in (*model.model_fields, *getattr(model, "extra_keys", ()))
            ]
            noun = getattr(self.models[0], "noun", "parameter") if self.models else "parameter"
            return [unknown_key(noun, str(self.details["loc"][-1]), fields).within(*path)]
        rule, text = _describe_rule(self.kind, bounds, self.details["msg"])
        if rule == "missing":
            return [problem(text, at=path, rule=rule)]
        fixes = [Fix("set", path, value) for value in self._suggest_values(bounds)]
        return [problem(text, at=path, got=self.given, rule=rule, fixes=fixes)]

    def _suggest_values(self, bounds: Mapping[str, Any]) -> list[Any]:
        """Values that the rule allows and that are near to what was given."""
        if self.kind in ("greater_than_equal", "less_than_equal"):
            return [bounds.get("ge", bounds.get("le"))]
        if self.kind == "int_from_float" and isinstance(self.given, float):
            return [round(self.given)]
        if self.kind != "literal_error":
            return []
        near = find_nearest(self.given, [choice for choice in self.choices if isinstance(choice, str)])
        return [near] if near else list(self.choices[:MAX_REPORTED])


def _select_findings(findings: list[Finding], has_inner: bool) -> list[Finding]:
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


def _describe_rule(kind: str, bounds: Mapping[str, Any], message: str) -> tuple[str, str]:
    """The rule's name and its sentence, to which the given value is added."""
    rules = {
        "missing": ("missing", "is required"),
        "greater_than_equal": ("minimum", f"must be at least {bounds.get('ge')}"),
        "greater_than": ("minimum", f"must be more than {bounds.get('gt')}"),
        "less_than_equal": ("maximum", f"must be at most {bounds.get('le')}"),
        "less_than": ("maximum", f"must be less than {bounds.get('lt')}"),
        "finite_number": ("finite", "must be a finite number"),
        "literal_error": ("choice", f"must be {bounds.get('expected')}"),
        "int_from_float": ("type", "must be a whole number"),
        "int_parsing": ("type", "must be a whole number"),
        "int_type": ("type", "must be a whole number"),
        "float_parsing": ("type", "must be a number"),
        "float_type": ("type", "must be a number"),
        "bool_parsing": ("type", "must be true or false"),
        "bool_type": ("type", "must be true or false"),
        "string_type": ("type", "must be a text"),
        "tuple_type": ("type", "must be a list"),
        "model_type": ("type", "must be a set of named values"),
        "string_too_short": ("minimum_length", f"must have at least {bounds.get('min_length')} characters"),
        "string_too_long": ("maximum_length", f"must have at most {bounds.get('max_length')} characters"),
        "too_short": ("minimum_length", f"must have at least {bounds.get('min_length')} values"),
        "too_long": ("maximum_length", f"must have at most {bounds.get('max_length')} values"),
    }
    return rules.get(kind, (kind, f"{message[:1].lower()}{message[1:]}"))


def _locate(
    location: tuple[int | str, ...], model: type[BaseModel]
) -> tuple[Path, tuple[type[BaseModel], ...], tuple[Any, ...]]:
    """Names and positions of a location, without the branches of unions, the models and choices that could be there."""
    models: tuple[type[BaseModel], ...] = (model,)
    choices: tuple[Any, ...] = ()
    kept: list[str | int] = []
    for part in location:
        owner = next((one for one in models if part in one.model_fields), None)
        if isinstance(part, int):
            kept.append(part)
        elif owner is not None:
            kept.append(part)
            annotation = owner.model_fields[part].annotation
            models = tuple(kind for kind in kinds_in(annotation) if _is_model(kind))
            choices = _list_choices(annotation)
        elif models:
            models = tuple(one for one in models if one.__name__ == part) or models
        elif part.isidentifier() and part not in {"int", "float", "str", "bool", "none"}:
            kept.append(part)  # a field of something that is no model
    return tuple(kept), models, choices


def _list_choices(annotation: Any) -> tuple[Any, ...]:
    """The values that an annotation lists."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return arguments
    return tuple(choice for argument in arguments for choice in _list_choices(argument))


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


def _has_boolean(value: Any, depth: int = 8) -> bool:
    """Whether true or false stands in a value, as deep as any field has room for."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return any(_has_boolean(part, depth - 1) for part in value)
    return isinstance(value, (bool, np.bool_))
