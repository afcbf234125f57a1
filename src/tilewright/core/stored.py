"""JSON in files and folders: parsed with limits, and validated by models.

Files may come from others or be damaged. `parse_json` therefore refuses everything that breaks code that reads the
data later, and `StoredData` gives each value its type.

A parser written in C holds the interpreter until it has made all lists, objects or elements of a file, which takes
about a microsecond each. So they are counted before parsing. A program that must remain responsive, such as the studio,
sets a lower limit than the one of the format.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from math import isfinite
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from .errors import BadFile, InvalidRecipe, TooLarge, short_repr
from .params import explain

MAX_VALUES = 1 << 23
"""Maximum number of values in JSON. A parsed value takes up to a hundred bytes, so larger maps are packed."""
MAX_CONTAINERS = 1 << 20
MAX_DEPTH = 64
MAX_DIGITS = 300
"""Maximum number of digits of an integer. Each such integer can be converted to a float."""
UNUSUAL_NUMBER = re.compile(rf"(?<!\d)\d{{{MAX_DIGITS}}}|[eE]\+?\d{{3}}")
"""Digits that may belong to a number that is too large. Other numbers are parsed without a function call for each."""
VERSION = re.compile(r"[\w.+!-]{1,32}", re.ASCII)
VALUES_PER_OBJECT = 32
"""Number of plain values in JSON that take as long as a list or object."""
_limit: ContextVar[int | None] = ContextVar("max_objects", default=None)


def parse_json(content: str | bytes, message: str = "not JSON") -> dict[str, Any]:
    """Parse an untrusted JSON object.

    Parameters
    ----------
    content
        JSON as a string, or its bytes in UTF-8.
    message
        Start of the error message for invalid JSON.

    Raises
    ------
    TooLarge
        If there are too many values.
    InvalidRecipe
        If it is not a JSON object, is nested too deeply, or has a key twice, or a number that is not finite or has
        too many digits.

    Examples
    --------
    >>> parse_json('{"seed": 7, "tiles": ["floor", "wall"]}')
    {'seed': 7, 'tiles': ['floor', 'wall']}
    """
    try:
        text = content if isinstance(content, str) else content.decode()
        value = _parse(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, TooLarge):
            raise
        reason = "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise InvalidRecipe(f"{message}: {reason}", rule="format") from None
    if not isinstance(value, dict):
        raise InvalidRecipe(f"must be a JSON object, got {type(value).__name__}")
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inner = chain.from_iterable(one.values() if isinstance(one, dict) else one for one in level)
        level = [one for one in inner if isinstance(one, (dict, list))]
        if not level:
            return value
    raise InvalidRecipe("nested too deeply", rule="format")


def parse_stored_json(content: str | bytes, message: str = "not JSON") -> dict[str, Any]:
    """Parse a JSON object that is written again as UTF-8. Raise InvalidRecipe also for half a surrogate pair."""
    data = parse_json(content, message)
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidRecipe(f"{message}: contains half a surrogate pair", rule="format") from None
    return data


class StoredData(BaseModel):
    """Base class of data that files store as JSON. Unknown keys are ignored, because later versions may add some."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)

    @classmethod
    def from_json(cls, content: str | bytes) -> Self:
        """Parse JSON. Raise InvalidRecipe or TooLarge if it is damaged."""
        return cls.from_data(parse_stored_json(content))

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Validate data from JSON. Raise InvalidRecipe if a value is missing or has another type."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidRecipe(*explain(error, cls)) from None


class StoredHead(StoredData):
    """Base class of the data that describe a folder. They begin with their kind and the version of their layout."""

    own_kind: ClassVar[str]
    own_layout: ClassVar[int]
    kind: str
    layout: int
    tilewright: str
    """Version of Tilewright that wrote the data."""

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Validate data from JSON. Raise BadFile if another version of Tilewright wrote it in another layout."""
        if data.get("kind") != cls.own_kind:
            raise InvalidRecipe(f"must be {cls.own_kind!r}", at="kind", got=data.get("kind"))
        if data.get("layout") != cls.own_layout:
            version = data.get("tilewright")
            shown = version if isinstance(version, str) and VERSION.fullmatch(version) else short_repr(version)
            raise BadFile(f"written by Tilewright {shown} in another file layout")
        return super().from_data(data)


class DuplicateKey(ValueError):
    """A key of an object in JSON occurs twice."""


def _check_recipe(data: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(data.get("technique"), str) or not isinstance(data.get("params") or {}, dict):
        raise ValueError("must have a technique and params")
    return data


StoredRecipe = Annotated[dict[str, Any], AfterValidator(_check_recipe)]
"""Data of a recipe with all defaults. The recipe itself is read when it is needed."""


def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys and values. Raise DuplicateKey if a key occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise DuplicateKey(f"the key {short_repr(twice)} occurs twice")
    return found


def refuse_constant(name: str) -> None:
    """Raise ValueError for NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is not a number in JSON")


def _parse(text: str) -> Any:
    """Return the value of JSON. Raise TooLarge or another ValueError."""
    check_json(text, MAX_CONTAINERS, MAX_VALUES, "; pack large maps")
    numbers: dict[str, Any] = {"parse_int": _read_integer, "parse_float": _read_float}
    return json.loads(
        text,
        object_pairs_hook=read_object,
        parse_constant=refuse_constant,
        **(numbers if UNUSUAL_NUMBER.search(text) else {}),
    )


def _read_integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has {len(text):,} digits; at most {MAX_DIGITS} are allowed")
    return int(text)


def _read_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {short_repr(text)} is too large")
    return number


# -- limits -----------------------------------------------------------------------------------------------------


@contextmanager
def limit_objects(most: int) -> Iterator[None]:
    """Lower the limit of all parsers that run inside the context to this number of objects per file."""
    token = _limit.set(most)
    try:
        yield
    finally:
        _limit.reset(token)


def check_objects(count: int, most: int, noun: str = "lists and objects", hint: str = "", *, weight: int = 1) -> None:
    """Raise TooLarge if a file has more objects than its format allows, or than the context allows.

    Parameters
    ----------
    count
        Number of objects.
    most
        Maximum number in the format.
    noun
        What is counted, for the message.
    hint
        End of the message.
    weight
        Number of these objects that count as one for the context.

    Examples
    --------
    >>> with limit_objects(10):
    ...     check_objects(11, 1000)
    Traceback (most recent call last):
        ...
    tilewright.core.errors.TooLarge: must have at most 10 lists and objects, got 11
    """
    limit = _limit.get()
    allowed = most if limit is None else min(most, limit * weight)
    if count > allowed:
        raise TooLarge(f"must have at most {allowed:,} {noun}, got {count:,}{hint}")


def check_json(text: str | bytes, max_containers: int, max_values: int, hint: str = "", *, weight: int = 1) -> None:
    """Raise TooLarge if JSON has too many lists and objects, or too many values. Marks in strings count too."""
    if isinstance(text, str):
        containers, commas = text.count("[") + text.count("{"), text.count(",")
    else:
        containers, commas = text.count(b"[") + text.count(b"{"), text.count(b",")
    check_objects(containers, max_containers, hint=hint, weight=weight)
    check_objects(commas, max_values, "values", hint, weight=VALUES_PER_OBJECT * weight)
