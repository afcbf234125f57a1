"""Base classes of parameters. The command line, studio, HTTP API and docs are generated from the schemas."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from operator import index
from os import PathLike, fspath
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypedDict, Unpack, get_args, get_origin

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from .. import data
from .errors import (
    MAX_REPORTED,
    Fix,
    FurtherProblems,
    InvalidRecipe,
    Path,
    Problem,
    TilewrightError,
    count_further,
    explain_each,
    find_nearest,
    problem,
    unknown_key,
)
from .resolver import Resolver
from .seeds import read_seed

RULES: Mapping[str, tuple[str, str]] = tomllib.loads(data.read_text("tables", "rules"))
"""Name and message of a rule by the kind of an error of pydantic."""
MAX_SIDE = 65_536
MAX_AREA = MAX_SIDE**2
MAX_FINDINGS = 200
NUMBERS = {float, int}
MAX_ITEMS = 1 << 17
"""Maximum number of items of a parameter, with the items of nested lists. pydantic reports every invalid item."""


class Hints(TypedDict, total=False):
    """Hints for the control of a parameter, in addition to its type. `core.fields` reads them."""

    typical: tuple[float, float]
    """Range of the slider, if smaller than the bounds."""
    control: str
    """Control ("matrix", "strip", "offsets", "file", "network"), if the type does not determine it."""
    tiles: bool | str
    """Whether the strings of the value are names of tiles. If the hint is a string, it names the parameter whose recipe
    has the tiles."""
    group: str
    """Group of adjacent parameters to show side by side; "size" is for the edge lengths of a map."""
    hidden_unless: tuple[Any, ...]
    """Another parameter, and its values for which this parameter has an effect. Without values, any except None, 0 and
    empty."""
    sizes: tuple[str, ...]
    """Names of the matrices whose edge length is this number. The first matrix that is set determines the number."""
    between: tuple[str, ...]
    """Names of lists. The first list that is set has one item for each band between these thresholds."""
    instead_of: str
    """Name of the list that this list replaces item by item."""
    initial: Any
    """Initial value of the control, if there is no default; for a tile, its position in the tileset."""
    label: str
    """Label of the control, if not derived from the name."""
    noun: str
    """Noun for an item of this model, if not derived from the class name."""
    unique: bool
    """Whether this field is the unique name of the items of a list."""
    names_of: str
    """Parameter with the list whose item names are valid values."""
    suggestions: str
    """Tileset whose names are suggested."""
    labels: Mapping[str, str]
    """Labels of choices, or of the models of a union; `null` is for no value."""
    share: bool
    """Whether tables show each item as a percentage of the column's sum."""
    peek: bool
    """Whether lists show this field for collapsed items too."""
    means: Mapping[str, Any]
    """Values by name, for parameters that accept names."""
    prefix: str
    """Prefix of strings that stand for a list, such as `archive:`. They may contain commas."""
    reading: bool
    """Whether this option of a format applies only to reading files."""
    transient: bool
    """Whether recipes do not store the value, because no result depends on it."""
    flags: tuple[str, ...]
    """Options of the command line, such as `-o` and `--output`, if not derived from the name."""
    metavar: str
    """Form of the value in the help of the command line, if not derived from the type."""
    repeated: bool
    """Whether the option of the command line may be repeated. Its value is then a list of strings."""


class Bounds(TypedDict, total=False):
    """Bounds that pydantic validates."""

    ge: float
    gt: float
    le: float
    lt: float
    min_length: int
    max_length: int


class _ParamOptions(Bounds, Hints):
    pass


def param(default: Any = ..., **declared: Unpack[_ParamOptions]) -> Any:
    """Declare a field of a `Params` class. The string below the field is its description.

    Parameters
    ----------
    default
        Default value. Without one, the parameter is required.
    **declared
        Bounds (`ge`, `gt`, `le`, `lt`, `min_length`, `max_length`) and hints for controls, such as `typical`, the range
        of a slider, and `tiles`, for names of tiles.

    Returns
    -------
    FieldInfo
        A pydantic field.

    Examples
    --------
    >>> class BlobParams(Sized):
    ...     blobs: int = param(5, ge=1, le=100)
    ...     \"\"\"Number of blobs.\"\"\"
    >>> BlobParams.validate({"blobs": 0})
    Traceback (most recent call last):
    ...
    tilewright.core.errors.InvalidRecipe: blobs: must be at least 1, got 0
    """
    hints: dict[str, Any] = {**declared}
    bounds = {key: hints.pop(key) for key in Bounds.__annotations__ if key in hints}
    return Field(default, json_schema_extra=hints, exclude=hints.get("transient"), **bounds)


def size_param(default: int, *, ge: int = 1, typical: tuple[float, float] = (8, 200)) -> Any:
    """Declare a field for an edge length of the map."""
    return param(default, ge=ge, le=MAX_SIDE, typical=typical, group="size")


def hint(**hints: Unpack[Hints]) -> Any:
    """Declare hints for a part of a type, as in `tuple[Annotated[str, hint(tiles=True)], int]`."""
    extra: dict[str, Any] = {**hints}
    return Field(json_schema_extra=extra)


class Params(BaseModel):
    """Base class of parameters: frozen and hashable. Unknown names, and booleans for numbers, are rejected.

    Instances are compared by their fields. Cached properties are not copied, compared or pickled.
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
    """New names of parameters by old name. Recipes with old names still load."""
    file_keys: ClassVar[Mapping[str, str]] = {}
    """Names of fields by key, for keys of files that differ from the name of the field."""
    extra_keys: ClassVar[tuple[str, ...]] = ()
    """Further valid keys, to suggest for mistyped ones."""
    noun: ClassVar[str] = "parameter"
    """Noun for a field in error messages."""

    @classmethod
    def validate(cls, values: Mapping[str, Any] | None = None, *, resolver: Resolver | None = None) -> Self:
        """Return params with the given values, and the defaults of all other parameters.

        Parameters
        ----------
        values
            Values by name.
        resolver
            Object that opens files. By default, only built-in names are known.

        Returns
        -------
        Params
            The params.

        Raises
        ------
        InvalidRecipe
            If values break their rules. `.problems` lists all mistakes.

        Examples
        --------
        >>> Sized.validate({"width": 20}).shape
        (50, 20)
        """
        if values is not None and not isinstance(values, Mapping):
            raise InvalidRecipe("must be a table of names and values", got=values, rule="type")
        try:
            return cls.model_validate(dict(values or {}), context={"resolver": resolver or Resolver()})
        except ValidationError as error:
            raise InvalidRecipe(*explain(error, cls)) from None

    def replace(self, **values: Any) -> Self:
        """Return a validated copy with some values replaced. Values that were not set are computed again."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.validate({**given, **values})

    @property
    def compact(self) -> Any:
        """Compact form of the value, or None if there is no such form."""
        return None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy

    @model_validator(mode="before")
    @classmethod
    def _normalize_input(cls, values: Any) -> Any:
        """Replace old names. Reject booleans for numbers, and reject sets, because they have no order."""
        if not isinstance(values, Mapping):
            return values
        cls._refuse_many_unknown(values)
        present = {**cls.renamed, **cls.file_keys}
        values = {present.get(name, name): value for name, value in values.items()}
        wrong = []
        for name, value in values.items():
            if isinstance(value, (set, frozenset)):
                wrong.append(problem("must be a list, a set has no order", at=name, rule="type"))
            elif isinstance(value, (list, tuple)) and (limit := _exceeded_limit(cls, name, value)):
                text = f"must have at most {limit} values"
                wrong.append(problem(text, at=name, got=value, rule="maximum_length"))
            elif name in _number_fields(cls) and _has_boolean(value):
                wrong.append(problem("must be a number", at=name, got=value, rule="type"))
        if wrong:
            raise InvalidRecipe(*wrong)
        return values

    @classmethod
    def _refuse_many_unknown(cls, values: Mapping[Any, Any]) -> None:
        """Raise InvalidRecipe if there are many unknown names, before pydantic reports each of them."""
        known = {*cls.model_fields, *cls.renamed, *cls.file_keys}
        if len(values) > len(known) + MAX_REPORTED:
            names = [*cls.model_fields, *cls.extra_keys]
            unknown = (name for name in values if name not in known)
            raise InvalidRecipe(*explain_each(unknown, lambda name: unknown_key(cls.noun, name, names)))

    @classmethod
    def expand_shorthand(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return values with shorthand forms in full, as controls show them. Subclasses override it."""
        return values

    def list_measures(self) -> Iterable[str]:
        """Return the names of measures that the result depends on. Subclasses override it."""
        return ()

    def find_problems(self) -> Iterable[Problem]:
        """Return problems of valid values that do not fit together. Subclasses override it."""
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
        # Cached, because params are often used as keys.
        found = self.__dict__.get("_hash")
        if found is None:
            found = self.__dict__["_hash"] = hash((type(self), self._values()))
        return int(found)

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        state["__dict__"] = {name: getattr(self, name) for name in type(self).model_fields}
        return state


class Sized(Params):
    """Base class of parameters with the size of a map."""

    width: int = size_param(80)
    """Width of the map in cells."""
    height: int = size_param(50)
    """Height of the map in cells."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the map: (row, column)."""
        return (self.height, self.width)


def as_int(value: Any) -> int | None:
    """Return an integer of any type as an int; None for other values, including booleans."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def check_integer(name: str, value: object, minimum: int = 1, maximum: int | None = None) -> int:
    """Return an argument that is an integer within bounds. Raise InvalidRecipe for others."""
    number = as_int(value)
    if number is None or number < minimum or (maximum is not None and number > maximum):
        bounds = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum:,}"
        raise InvalidRecipe(f"must be an integer {bounds}", at=name, got=value, rule="range")
    return number


def _read_names(value: Any) -> Any:
    """Return one name as a list. Raise InvalidRecipe if a string seems to list several names."""
    if not isinstance(value, str):
        return value
    pieces = [piece.strip() for piece in re.split("[,;]", value) if piece.strip()]
    if len(pieces) > 1:
        raise InvalidRecipe(
            f"must be one name or a list of names, such as {pieces}", got=value, rule="type", instead=pieces
        )
    return (value,)


Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_read_names)]
"""Names, or a single name."""


def _read_path(value: Any) -> Any:
    return fspath(value) if isinstance(value, PathLike) else value


PathString: TypeAlias = Annotated[str, BeforeValidator(_read_path)]
"""The path of a file or folder as a string."""
PathText: TypeAlias = Annotated[str | None, BeforeValidator(_read_path)]
"""The path of a file or folder as a string, or None."""


SeedValue: TypeAlias = Annotated[
    str | None,
    PlainValidator(lambda value: None if value is None else read_seed(value)),
    WithJsonSchema({"type": ["string", "integer", "null"]}),
]
"""A seed, an integer or a string, or None."""


class AtomicValue:
    """Base of values with their own data format, such as maps. `of` reads the data, and `to_data` writes it."""

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
    """Return the resolver that `Params.validate` was called with."""
    resolver = info.context.get("resolver") if isinstance(info.context, Mapping) else None
    return resolver if isinstance(resolver, Resolver) else Resolver()


def explain(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Convert an error of pydantic to problems: the first few problems, and the number of further problems."""
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
    """Return the first `MAX_REPORTED` distinct problems, and a problem with the number of further ones."""
    distinct = list({str(one): one for one in problems}.values())
    shown = [one for one in distinct if not isinstance(one, FurtherProblems)]
    counted = sum(one.count for one in distinct if isinstance(one, FurtherProblems))
    return [*shown[:MAX_REPORTED], *count_further(max(0, len(shown) - MAX_REPORTED) + counted)]


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake found by pydantic."""

    details: ErrorDetails
    path: Path
    """Names and positions, such as `("rules", 2, "count")`."""
    models: tuple[type[BaseModel], ...]
    """Models that are valid at the path."""
    choices: tuple[Any, ...] = ()
    """Values of a Literal type at the path."""

    @property
    def kind(self) -> str:
        return self.details["type"]

    @property
    def given(self) -> Any:
        return self.details.get("input")

    @property
    def is_consequence(self) -> bool:
        """Whether a list is too short only because its items are invalid."""
        bounds = self.details.get("ctx", {})
        return self.kind == "too_short" and len(self.given) >= bounds.get("min_length", 0)

    def to_problems(self) -> list[Problem]:
        bounds, path = self.details.get("ctx", {}), self.path
        if self.kind == "value_error":
            cause = bounds.get("error")
            found = cause.problems if isinstance(cause, TilewrightError) else (problem(str(cause), value=self.given),)
            # A validator may already name its field.
            return [one if path and one.path[: len(path)] == path else one.within(*path) for one in found]
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
        """Return valid values near the given one."""
        if self.kind in ("greater_than_equal", "less_than_equal"):
            return [bounds.get("ge", bounds.get("le"))]
        if self.kind == "int_from_float" and isinstance(self.given, float):
            return [round(self.given)]
        if self.kind != "literal_error":
            return []
        near = find_nearest(self.given, [choice for choice in self.choices if isinstance(choice, str)])
        return [near] if near else list(self.choices[:MAX_REPORTED])


def _select_findings(findings: list[Finding], has_inner: bool) -> list[Finding]:
    """Return the useful findings at one path.

    A value of a union type has a finding for each type. For a string, only the findings of Literal types are useful;
    for other values, only the findings of other types. If a part of the value is invalid, findings about the type of
    the value are dropped.
    """
    literals = [found for found in findings if found.kind == "literal_error"]
    if literals and isinstance(literals[0].given, str):
        return literals
    others = [found for found in findings if found.kind != "literal_error"] or literals
    if has_inner:
        others = [found for found in others if found.kind == "value_error"]
    return [found for found in others if not found.is_consequence]


def _describe_rule(kind: str, bounds: Mapping[str, Any], message: str) -> tuple[str, str]:
    """Return the name of a rule and its message. The caller appends the given value to the message."""
    rule, text = RULES.get(kind, (kind, ""))
    return rule, text.format_map(bounds) if text else f"{message[:1].lower()}{message[1:]}"


def _locate(
    location: tuple[int | str, ...], model: type[BaseModel]
) -> tuple[Path, tuple[type[BaseModel], ...], tuple[Any, ...]]:
    """Return the path of a pydantic location without branches of unions, and the models and choices valid there."""
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
            kept.append(part)  # The type of the field is not a model.
    return tuple(kept), models, choices


def _list_choices(annotation: Any) -> tuple[Any, ...]:
    """Return the values of the Literal types in an annotation."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return arguments
    return tuple(choice for argument in arguments for choice in _list_choices(argument))


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def kinds_in(annotation: Any) -> list[Any]:
    """Return all types in an annotation."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [str]
    if get_origin(annotation) is Annotated:
        return kinds_in(arguments[0])
    return [kind for argument in arguments for kind in kinds_in(argument)] if arguments else [annotation]


@cache
def _number_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the fields of numbers and strings only, for which pydantic would convert booleans to numbers."""
    plain, numbers = {int, float, str, type(None), ...}, {int, float}
    kinds = {name: set(kinds_in(field.annotation)) for name, field in model.model_fields.items()}
    return frozenset(name for name, found in kinds.items() if found <= plain and found & numbers)


@cache
def _list_limits(model: type[BaseModel]) -> dict[str, int]:
    """Return the maximum length of each field of lists whose items pydantic validates."""
    limits = {}
    for name, field in model.model_fields.items():
        kinds = kinds_in(field.annotation)
        if _holds_list(field.annotation) and not any(
            kind is Any or (isinstance(kind, type) and issubclass(kind, AtomicValue)) for kind in kinds
        ):
            declared = [bound.max_length for bound in field.metadata if hasattr(bound, "max_length")]
            limits[name] = min([MAX_ITEMS, *declared])
    return limits


def _holds_list(annotation: Any) -> bool:
    return get_origin(annotation) in (tuple, list) or any(map(_holds_list, get_args(annotation)))


def _exceeded_limit(model: type[BaseModel], name: str, value: Sequence[Any]) -> int | None:
    """Return the limit that a list exceeds, by its own length or with the items of nested lists."""
    limit = _list_limits(model).get(name)
    if limit is None:
        return None
    if len(value) > limit:
        return limit
    lists, count = [value], 0
    while lists and count <= MAX_ITEMS:
        items = lists.pop()
        count += len(items)
        if not {*map(type, items)} <= NUMBERS:  # Long lists of numbers are common.
            lists += [item for item in items if isinstance(item, (list, tuple))]
    return MAX_ITEMS if count > MAX_ITEMS else None


def _has_boolean(value: Any, depth: int = 8) -> bool:
    """Return whether a value contains a boolean, up to a nesting depth."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return not {*map(type, value)} <= NUMBERS and any(_has_boolean(part, depth - 1) for part in value)
    return isinstance(value, (bool, np.bool_))
