"""Limits on the number of objects in files from others.

A parser written in C holds the interpreter until it has made all lists, objects or elements of a file, which takes
about a microsecond each. So they are counted before parsing. A program that must remain responsive, such as the studio,
sets a lower limit than the one of the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import TooLarge

VALUES_PER_OBJECT = 32
"""Number of plain values in JSON that take as long as a list or object."""
_limit: ContextVar[int | None] = ContextVar("max_objects", default=None)


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
