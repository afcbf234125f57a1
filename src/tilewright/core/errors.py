"""Everything that can go wrong and is not a bug: one tree, one line each.

A message names the parameter or file, the rule, the value and the way out. Doors print it and exit with 2.
What a value can be guilty of is a ValueError as well, so that pydantic collects it with its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self


class TilewrightError(Exception):
    """Base of all errors that a person can cause and mend. `str(error)` is one line."""

    def __str__(self) -> str:
        # Names of files and tiles may hold anything: line ends, and halves of characters that nothing can print.
        text = " ".join(super().__str__().splitlines())
        return text.encode(errors="backslashreplace").decode()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[TilewrightError], args: tuple[Any, ...], fields: dict[str, Any]) -> TilewrightError:
    """Errors cross process borders whole, whatever their constructors ask for."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(fields)
    return error


class InvalidRecipe(TilewrightError, ValueError):
    """A parameter, tileset, lock or recipe key that breaks its rule. Holds every mistake found."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems

    def within(self, place: str) -> Self:
        """The same problems, each told with the place it stands in."""
        return type(self)(*(f"{place}: {problem}" for problem in self.problems))


class UnknownName(TilewrightError, ValueError):
    """A name that nothing answers to, with the nearest one that something does."""

    def __init__(self, kind: str, name: object, options: Iterable[str], hint: str = "") -> None:
        remark = f" ({hint})" if hint else ""
        super().__init__(f"unknown {kind} {quoted(name)}{did_you_mean(name, options)}{remark}")
        self.kind = kind
        self.name = name


class TooLarge(TilewrightError, ValueError):
    """More than memory, a tile id or a decision procedure can hold. Says how large."""


class GaveUp(TilewrightError):
    """What was asked for could not be made; `cells` are the (row, column) to blame, `tries` how often it was tried."""

    def __init__(self, reason: str, *, cells: Iterable[Iterable[int]] = (), tries: int = 1) -> None:
        self.reason = reason
        self.cells = tuple(tuple(int(part) for part in cell) for cell in cells)
        self.tries = tries
        shown = ", ".join(f"x={cell[-1]} y={cell[-2]}" for cell in self.cells[:4])
        more = f" and {len(self.cells) - 4} more" if len(self.cells) > 4 else ""
        place = f" (at {shown}{more})" if shown else ""
        after = f" after {tries} tries" if tries > 1 else ""
        super().__init__(f"gave up{after}: {reason}{place}")


class BadFile(TilewrightError, ValueError):
    """A file that cannot be read as what it claims to be, or cannot be opened or written."""


def quoted(value: object) -> str:
    """A value as it appears in a message: short, on one line."""
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deep"
    except ValueError:  # Python writes no numbers of more than some thousand digits
        return "a number too long to write"
    text = " ".join(text.splitlines())  # arrays have several
    return text if len(text) <= 60 else text[:56] + " ..."


def did_you_mean(name: object, options: Iterable[str]) -> str:
    """`; did you mean 'width'?`, or the choices when they are few, or nothing."""
    names = sorted(option for option in set(options) if option)
    near = get_close_matches(name if isinstance(name, str) else quoted(name), names, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]!r}?"
    if 0 < len(names) <= 12:
        return f"; there are {', '.join(names)}"
    return ""


def counted(number: int, noun: str) -> str:
    """`1 cell`, `3 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
