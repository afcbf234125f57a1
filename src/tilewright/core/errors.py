"""Errors caused by input. Each carries its problems as data and is rendered as one line.

A problem has the path of the parameter or file, the rule, the value and suggested fixes. The command line prints the
line and exits with 2. No code parses the rendered line. Errors about values are also ValueErrors, so that pydantic
collects them with their location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import islice
from math import isfinite
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypedDict, TypeVar, Unpack

Path = tuple[str | int, ...]
T = TypeVar("T")
MAX_REPORTED = 8
"""Maximum number of mistakes in an error. Further mistakes are only counted."""
MAX_SHOWN_LENGTH = 60
"""Maximum number of characters of a value in a message."""
MAX_TEXT_LENGTH = 1000
MAX_PLACE_LENGTH = 500
"""Maximum number of characters of a problem's text and of its path in messages. Names of others may be longer."""
MAX_COMPARED_LENGTH = 200
MAX_COMPARED_NAMES = 2000
"""Maximum length of a mistyped name, and maximum number of known names, to look for the nearest name."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A suggested change of a recipe's data."""

    action: Literal["set", "remove", "use"]
    """`set` replaces the value at `path`, `remove` deletes the key or stage, and `use` renames the key."""
    path: Path
    """Path in the recipe's data."""
    value: Any = field(default=None, hash=False)
    """New value or name."""

    @property
    def label(self) -> str:
        """Text of a button: `Set wrap_sample to y`, `Remove shaper 'replace'`, `Use 'width'`, `Use grass for floor`."""
        if self.action == "use":
            return f"Use {short_repr(self.value)}"
        place = self.path[1:] if self.path[:1] == ("params",) and len(self.path) > 1 else self.path
        while len(place) > 3 and place[0] == "shaping":
            place = place[3:]
        if self.action == "remove":
            return f"Remove {'shaper ' if 'shaping' in place[-3:-1] else ''}{short_repr(place[-1])}"
        if place == ("seed",) and self.value is None:
            return "Use another seed"
        if place == ("tiles",) and isinstance(self.value, Mapping):
            return shorten("Use " + ", ".join(f"{tile} for {label}" for label, tile in self.value.items()), 80)
        value = self.value if isinstance(self.value, str) else short_repr(self.value)
        return f"Set {'.'.join(map(str, place))} to {value.lower() if isinstance(self.value, bool) else value}"

    def apply(self, data: Any) -> Any:
        """Return a copy of a recipe's data with the change applied.

        >>> Fix("set", ("params", "width"), 20).apply({"technique": "caves"})
        {'technique': 'caves', 'params': {'width': 20}}
        """
        return _apply_fix(data, self.path, self)

    def within(self, *path: str | int) -> Fix:
        """Return the fix with a prefix added to its path."""
        return replace(self, path=(*path, *self.path))

    def as_data(self) -> dict[str, Any]:
        """Return the fix as JSON-compatible data, with its label."""
        return {
            "action": self.action,
            "path": _to_plain(self.path),
            "value": _to_plain(self.value),
            "label": _join_lines(self.label),
        }


def _apply_fix(data: Any, path: Path, fix: Fix) -> Any:
    """Return a copy of `data` with a fix applied at a path."""
    key, rest = path[0], path[1:]
    if isinstance(key, int):
        items = list(data) if isinstance(data, (list, tuple)) else [data]
        names = (items[key],) if isinstance(items[key], str) else tuple(items[key]) if rest else ()
        if fix.action == "remove" and rest in ((), names):
            return items[:key] + items[key + 1 :]
        items[key] = _apply_fix(items[key], rest, fix) if rest else fix.value
        return items
    named = {data: None} if isinstance(data, str) else dict(data or {})
    if rest:
        return {**named, key: _apply_fix(named.get(key), rest, fix)}
    if fix.action == "set":
        return {**named, key: fix.value}
    kept = {fix.value if name == key else name: value for name, value in named.items()}
    return kept if fix.action == "use" else {name: value for name, value in named.items() if name != key}


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a recipe or file.

    >>> str(Problem(("shaping", 1, "connect", "thickness"), "minimum", 0, "must be at least 1, got 0"))
    'shaping 2: connect: thickness: must be at least 1, got 0'
    """

    path: Path
    """Path in the recipe's data, with positions starting at 0. For a BadFile, the path starts with the file."""
    rule: str
    """Name of the broken rule, such as `minimum`, `unknown_name`, `conflict`, `missing` or `type`; `invalid` if it has
    no name."""
    value: Any = field(hash=False)
    """Given value as plain data, or None."""
    text: str
    """Message without the path: `must be at most 1, got 2`."""
    fixes: tuple[Fix, ...] = ()
    """Suggested changes."""
    place: str | None = None
    """Path as the rendered line shows it, if different from `path`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _to_plain(self.value))
        object.__setattr__(self, "text", shorten(self.text, MAX_TEXT_LENGTH))
        if self.place is not None:
            object.__setattr__(self, "place", shorten(self.place, MAX_PLACE_LENGTH))

    def __str__(self) -> str:
        place = _render_path(self.path) if self.place is None else self.place
        return f"{place}: {self.text}" if place else self.text

    def within(self, *path: str | int, place: str | None = None) -> Problem:
        """Return the problem with a prefix added to its path. The rendered line shows the prefix as `place`."""
        own = _render_path(self.path) if self.place is None else self.place
        outer = _render_path(path) if place is None else place
        shown = ": ".join(filter(None, (outer, own)))
        fixes = tuple(fix.within(*path) for fix in self.fixes)
        return replace(self, path=(*path, *self.path), fixes=fixes, place=shown)

    def as_data(self) -> dict[str, Any]:
        """Return the problem as JSON-compatible data; `line` is the rendered line."""
        return {
            "path": _to_plain(self.path),
            "rule": self.rule,
            "value": self.value,
            "text": _join_lines(self.text),
            "line": _join_lines(str(self)),
            "fixes": [fix.as_data() for fix in self.fixes],
        }


@dataclass(frozen=True, slots=True)
class FurtherProblems(Problem):
    """Number of further mistakes, which are not reported. Its value is always that number.

    >>> str(FurtherProblems.of(2))
    'and 2 more'
    """

    count: int = 0

    def __post_init__(self) -> None:
        Problem.__post_init__(self)
        object.__setattr__(self, "value", self.count)

    @classmethod
    def of(cls, count: int) -> FurtherProblems:
        """Return the problem that reports a number of further mistakes."""
        return cls((), "more", count, f"and {count:,} more", count=count)


ANOTHER_SEED = Fix("set", ("seed",), None)


class ProblemDetails(TypedDict, total=False):
    """Keywords of `problem` and of all errors."""

    at: object
    """Parameter, file or path."""
    got: Any
    """Given value, to append to the message."""
    value: Any
    """Given value, if the message already contains it."""
    rule: str
    """Name of the broken rule."""
    instead: Any
    """Valid value to suggest."""
    remove: Iterable[str]
    """Parameters that each solve the problem if they are removed."""
    fixes: Iterable[Fix]
    """Other fixes."""
    place: str
    """Path as the rendered line shows it."""


def problem(text: str, **details: Unpack[ProblemDetails]) -> Problem:
    """Return a problem with a message.

    >>> str(problem("must be below 1", at="walls", got=2, instead=0.5))
    'walls: must be below 1, got 2'
    """
    at = details.get("at", ())
    path = at if isinstance(at, tuple) else (str(at),)
    better = (Fix("set", path, details["instead"]),) if "instead" in details else ()
    fixes = (*details.get("fixes", ()), *better, *(Fix("remove", (name,)) for name in details.get("remove", ())))
    message = f"{text}, got {short_repr(details['got'])}" if "got" in details else text
    value = details.get("got", details.get("value"))
    return Problem(path, details.get("rule", "invalid"), value, message, fixes, details.get("place"))


def unknown_key(noun: str, key: object, options: Iterable[str], hint: str = "") -> Problem:
    """Return the problem of an unknown key, with the nearest known key as a fix."""
    names = list(options)
    path = (key if isinstance(key, (str, int)) else short_repr(key),)
    near = find_nearest(key, names)
    fixes = (*((Fix("use", path, near),) if near else ()), Fix("remove", path))
    return Problem(path, "unknown_name", key, _describe_unknown(noun, key, names, hint), fixes, "")


def explain_each(items: Iterable[T], explain: Callable[[T], Problem]) -> list[Problem]:
    """Return the problems of the first `MAX_REPORTED` wrong items, and a problem with the number of further items.

    Only the reported items are explained, because finding the nearest name takes time.

    >>> [str(one) for one in explain_each(range(10), lambda item: problem("must be a name", got=item))][-2:]
    ['must be a name, got 7', 'and 2 more']
    """
    wrong = list(items)
    return [*map(explain, wrong[:MAX_REPORTED]), *count_further(len(wrong) - MAX_REPORTED)]


def count_further(count: int) -> list[Problem]:
    """Return a problem that gives the number of problems that are not reported; nothing if there are none."""
    return [FurtherProblems.of(count)] if count > 0 else []


def _describe_unknown(noun: str, name: object, options: Iterable[str], hint: str, advice: str = "") -> str:
    suggestion = f"; {advice}" if advice else did_you_mean(name, options)
    return f"unknown {noun} {short_repr(name)}{suggestion}{f' ({hint})' if hint else ''}"


def _render_path(path: Path) -> str:
    """Format a path for messages, without `params`: `shaping 2: connect: thickness`, `rules.2.count`, `line 3`."""
    head: list[str] = []
    rest = path[1:] if path[:1] == ("params",) and len(path) > 1 else path
    if rest[:1] == ("sweep",):
        head, rest = ["sweep"], rest[1:]
    elif rest[:1] == ("shaping",) and len(rest) > 1 and isinstance(rest[1], int):
        head, rest = [f"shaping {rest[1] + 1}", *map(str, rest[2:3])], rest[3:]
    elif "line" in rest[:-1]:
        at = rest.index("line")
        head, rest = [*map(str, rest[:at]), f"line {rest[at + 1]}"], rest[at + 2 :]
    return shorten(": ".join([*head, *([".".join(map(str, rest))] if rest else [])]), MAX_PLACE_LENGTH)


def shorten(text: str, max_length: int) -> str:
    """Return a string with at most this number of characters, which ends with ` ...` if it is cut."""
    return text if len(text) <= max_length else f"{text[: max_length - 4]} ..."


def _to_plain(value: Any, depth: int = 4) -> Any:
    """Return a value as short JSON-compatible data. Other types become strings, as in messages."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _join_lines(value) if len(value) <= 200 else short_repr(value)
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) < 1 << 63 else short_repr(value)
    if isinstance(value, Real) and isfinite(value):
        return float(value)
    if isinstance(value, (list, tuple)) and len(value) <= 64 and depth:
        return [_to_plain(part, depth - 1) for part in value]
    if isinstance(value, Mapping) and len(value) <= 64 and depth and all(isinstance(key, str) for key in value):
        return {_join_lines(key): _to_plain(part, depth - 1) for key, part in value.items()}
    return _join_lines(short_repr(value))


def _join_lines(text: str) -> str:
    # Names of files and tiles may contain line breaks and unpaired surrogates.
    return " ".join(text.splitlines()).encode(errors="backslashreplace").decode()


class TilewrightError(Exception):
    """Base of all errors caused by input. `str(error)` is one line.

    Parameters
    ----------
    *problems
        Problems or messages.
    **details
        Path, value, rule and fixes of the messages; see `Problem`.
    """

    rule: ClassVar[str] = "invalid"
    """Name of the rule for problems that name no rule."""

    def __init__(self, *problems: Problem | str, **details: Unpack[ProblemDetails]) -> None:
        named: ProblemDetails = {"rule": self.rule, **details}
        self.problems = tuple(one if isinstance(one, Problem) else problem(one, **named) for one in problems)
        """The problems as objects."""
        super().__init__(*self.problems)

    def __str__(self) -> str:
        return _join_lines("; ".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Constructors of subclasses have other arguments.
        return _rebuild, (type(self), self.__dict__)

    def within(self, *path: str | int, place: str | None = None) -> Self:
        """Return the error with a prefix added to the paths of its problems.

        The rendered line shows the prefix as `place`.
        """
        return self.replace(found.within(*path, place=place) for found in self.problems)

    @classmethod
    def from_error(cls, error: TilewrightError, at: object, place: str | None = None) -> Self:
        """Return an error with the problems of another error.

        The path `at` is their prefix; the rendered line shows it once.
        """
        path = at if isinstance(at, tuple) else (str(at),)
        first, *more = error.problems
        return cls(first.within(*path, place=place), *(one.within(*path, place="") for one in more))

    def replace(self, problems: Iterable[Problem]) -> Self:
        """Return the error with other problems."""
        return _rebuild(type(self), {**self.__dict__, "problems": tuple(problems)})


E = TypeVar("E", bound=TilewrightError)


def _rebuild(kind: type[E], fields: dict[str, Any]) -> E:
    error = kind.__new__(kind)
    error.args = fields["problems"]
    error.__dict__.update(fields)
    return error


class InvalidRecipe(TilewrightError, ValueError):
    """A parameter, tileset, lock or recipe key breaks its rule. `problems` has all mistakes."""


class UnknownName(TilewrightError, ValueError):
    """A technique, shaper, tile or other name does not exist. The message suggests the nearest name.

    Parameters
    ----------
    kind
        Kind of the name, such as "technique".
    name
        The unknown name.
    options
        Known names.
    hint
        Text to append in parentheses.
    advice
        Clause that replaces the suggestion of the nearest name.
    """

    def __init__(self, kind: str, name: object, options: Iterable[str], hint: str = "", *, advice: str = "") -> None:
        names = list(options)
        near = find_nearest(name, names)
        fixes = (Fix("set", (), near),) if near else ()
        text = _describe_unknown(kind, name, names, hint, advice)
        super().__init__(Problem((), "unknown_name", name, text, fixes))
        self.kind = kind
        self.name = name


class TooLarge(TilewrightError, ValueError):
    """A map or file is larger than memory or a limit allows. The message gives the size."""

    rule = "size"


class GaveUp(TilewrightError):
    """No map meets all constraints, or no such map was found within the limits.

    Parameters
    ----------
    *problems
        Problems or messages.
    cells
        Indices of the cells that cannot be solved.
    tries
        Number of tries.
    **details
        Path, value, rule and fixes of the messages; see `Problem`.
    """

    rule = "unsolved"

    def __init__(
        self,
        *problems: Problem | str,
        cells: Iterable[Iterable[int]] = (),
        tries: int = 1,
        **details: Unpack[ProblemDetails],
    ) -> None:
        super().__init__(*problems, **details)
        self.cells = tuple(tuple(int(part) for part in cell) for cell in cells)
        """Indices of the cells that cannot be solved."""
        self.tries = tries
        """Number of tries."""

    @property
    def reason(self) -> str:
        """The message without the cells and the number of tries."""
        return super().__str__()

    def __str__(self) -> str:
        shown = ", ".join(f"x={cell[-1]} y={cell[-2]}" for cell in self.cells[:4])
        more = f" and {len(self.cells) - 4} more" if len(self.cells) > 4 else ""
        place = f" (at {shown}{more})" if shown else ""
        after = f" after {self.tries} tries" if self.tries > 1 else ""
        return f"gave up{after}: {self.reason}{place}"


class BadFile(TilewrightError, ValueError):
    """A file cannot be opened, read or written, or has invalid content. Paths of problems start with the file."""

    rule = "file"


class ProblemList(list[Problem]):
    """Problems of several parts of an input, which one error reports."""

    @contextmanager
    def collect(
        self, *path: str | int, place: str | None = None, kind: type[TilewrightError] = TilewrightError
    ) -> Iterator[None]:
        """Add the problems of an error of a kind, with their paths below a path as in `errors_within`."""
        try:
            yield
        except kind as error:
            self.extend((error.within(*path, place=place) if path else error).problems)

    def raise_all(self) -> None:
        """Raise the problems, if there are any."""
        if self:
            raise InvalidRecipe(*self)


def check_limit(
    noun: str, count: int, most: int, *, of: str = "", advice: str = "", **details: Unpack[ProblemDetails]
) -> None:
    """Raise TooLarge if there are more than `most` of something.

    >>> check_limit("cells", 12, 10, of="a page", advice="crop the map")
    Traceback (most recent call last):
        ...
    tilewright.core.errors.TooLarge: a page must have at most 10 cells, got 12; crop the map
    """
    if count > most:
        text = f"must have at most {most:,} {noun}, got {count:,}"
        raise TooLarge("".join([of and f"{of} ", text, advice and f"; {advice}"]), **details)


@contextmanager
def errors_within(
    *path: str | int,
    place: str | None = None,
    kind: type[TilewrightError] | tuple[type[TilewrightError], ...] = InvalidRecipe,
    into: type[TilewrightError] | None = None,
) -> Iterator[None]:
    """Add a prefix to the paths of errors of a kind that are raised inside the context. See `TilewrightError.within`.

    If another kind is given in `into`, they become errors of that kind. See `TilewrightError.from_error`.

    >>> with errors_within("shaping", 0):
    ...     raise InvalidRecipe("must be at least 1")
    Traceback (most recent call last):
        ...
    tilewright.core.errors.InvalidRecipe: shaping 1: must be at least 1
    """
    try:
        yield
    except kind as error:
        raise (error.within(*path, place=place) if into is None else into.from_error(error, path, place)) from None


def describe_failure(error: TilewrightError) -> str:
    """Return why a map could not be made. Raise TooLarge again, because other machines may have enough memory."""
    if isinstance(error, TooLarge):
        raise error
    return error.reason if isinstance(error, GaveUp) else str(error)


def short_repr(value: object) -> str:
    """Return the repr of a value for messages, shortened and on one line."""
    try:
        text = repr(_truncate(value, iter(range(MAX_SHOWN_LENGTH))))
    except RecursionError:
        return "a value nested too deeply"
    except ValueError:  # Python limits the number of digits that it converts.
        return "a number with too many digits"
    text = " ".join(text.splitlines())  # The repr of an array has several lines.
    return shorten(text, MAX_SHOWN_LENGTH)


def _truncate(value: object, budget: Iterator[int]) -> object:
    """Return the parts of a value at the start of its repr. Each part takes one of the budget.

    The repr of a value of a megabyte would otherwise take longer than reading the value.
    """
    if isinstance(value, (str, bytes)) and type(value) in (str, bytes):
        return value[: MAX_SHOWN_LENGTH + 1]
    if type(value) in (list, tuple):
        parts = [_truncate(part, budget) for part, _ in zip(value, budget, strict=False)]  # type: ignore[call-overload]
        return parts if isinstance(value, list) else tuple(parts)
    if type(value) is dict:
        return {
            _truncate(key, budget): _truncate(part, budget)
            for (key, part), _ in zip(value.items(), budget, strict=False)
        }
    return value


def find_nearest(name: object, options: Iterable[str]) -> str | None:
    """Return the option most similar to a mistyped name, or None."""
    text = name if isinstance(name, str) else short_repr(name)
    if len(text) > MAX_COMPARED_LENGTH:
        return None
    names = islice(sorted(option for option in set(options) if option), MAX_COMPARED_NAMES)
    near = get_close_matches(text, names, n=1, cutoff=0.6)
    return near[0] if near else None


def did_you_mean(name: object, options: Iterable[str]) -> str:
    """Return `; did you mean 'width'?`, or else the options if there are few, or else an empty string."""
    names = sorted(option for option in set(options) if option)
    near = find_nearest(name, names)
    if near:
        return f"; did you mean {near!r}?"
    return f"; there are {', '.join(names)}" if 0 < len(names) <= 12 else ""


def pluralize(number: int, noun: str) -> str:
    """Return a number with a noun: `1 cell`, `3 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_number(number: float) -> str:
    """Format an integer with all digits, and any other number with four significant digits: `1,234`, `0.5012`."""
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e15 else f"{number:.4g}"
