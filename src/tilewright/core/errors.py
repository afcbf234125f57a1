"""Errors that are not bugs: one tree; each carries its problems as data and is rendered as one line.

from .deprecation import renamed_members
A problem names the parameter or file, the rule, the value and the suggested fixes. Entry points print the line and
exit with 2. No code reads the rendered line. What a value can be guilty of is a ValueError as well, so that pydantic
collects it with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypedDict, TypeVar, Unpack

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """A suggested change of the recipe's data.

    `set` gives the value at `path` another value, `remove` deletes the key or the stage at `path`, and `use` puts
    another name in place of the key at the end of `path`.
    """

    action: Literal["set", "remove", "use"]
    path: Path
    value: Any = field(default=None, hash=False)

    @property
    def label(self) -> str:
        """What a button says: `Set wrap_sample to y`, `Remove shaper 'replace'`, `Use 'width'`."""
        if self.action == "use":
            return f"Use {short_repr(self.value)}"
        place = self.path[1:] if self.path[:1] == ("params",) and len(self.path) > 1 else self.path
        while len(place) > 3 and place[0] == "shaping":
            place = place[3:]
        if self.action == "remove":
            return f"Remove {'shaper ' if 'shaping' in place[-3:-1] else ''}{short_repr(place[-1])}"
        if place == ("seed",) and self.value is None:
            return "Use another seed"
        value = self.value if isinstance(self.value, str) else short_repr(self.value)
        return f"Set {'.'.join(map(str, place))} to {value.lower() if isinstance(self.value, bool) else value}"

    def apply(self, data: Any) -> Any:
        """Return the recipe's data with the change made; the given data stays as it is.

        >>> Fix("set", ("params", "width"), 20).apply({"technique": "caves"})
        {'technique': 'caves', 'params': {'width': 20}}
        """
        return _apply_fix(data, self.path, self)

    def within(self, *path: str | int) -> Fix:
        return replace(self, path=(*path, *self.path))

    def as_data(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "path": _to_plain(self.path),
            "value": _to_plain(self.value),
            "label": _join_lines(self.label),
        }


def _apply_fix(data: Any, path: Path, fix: Fix) -> Any:
    """`data` with a fix made at a path inside it."""
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
    """One mistake: where it is, which rule it breaks, what was given, a sentence, and suggested fixes.

    >>> str(Problem(("shaping", 1, "connect", "thickness"), "minimum", 0, "must be at least 1, got 0"))
    'shaping 2: connect: thickness: must be at least 1, got 0'
    """

    path: Path
    """Path in the recipe's data, positions counted from 0; a BadFile's starts with the file; () where there is none."""
    rule: str
    """Name of the broken rule: `minimum`, `unknown_name`, `conflict`, `missing`, `type`; `invalid` is any other."""
    value: Any = field(hash=False)
    """What was given, as plain data; None where nothing was."""
    text: str
    """The sentence after the path: `must be at most 1, got 2`."""
    fixes: tuple[Fix, ...] = ()
    place: str | None = None
    """How the line shows the path, where not by its parts alone."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _to_plain(self.value))

    def __str__(self) -> str:
        place = _render_path(self.path) if self.place is None else self.place
        return f"{place}: {self.text}" if place else self.text

    def within(self, *path: str | int, place: str | None = None) -> Problem:
        """The same problem inside `path`, which the line shows as `place`."""
        own = _render_path(self.path) if self.place is None else self.place
        outer = _render_path(path) if place is None else place
        shown = ": ".join(filter(None, (outer, own)))
        fixes = tuple(fix.within(*path) for fix in self.fixes)
        return replace(self, path=(*path, *self.path), fixes=fixes, place=shown)

    def as_data(self) -> dict[str, Any]:
        """The problem as JSON-able data; `line` is the rendered text."""
        return {
            "path": _to_plain(self.path),
            "rule": self.rule,
            "value": self.value,
            "text": _join_lines(self.text),
            "line": _join_lines(str(self)),
            "fixes": [fix.as_data() for fix in self.fixes],
        }


ANOTHER_SEED = Fix("set", ("seed",), None)


class ProblemDetails(TypedDict, total=False):
    """What a sentence is about; the same keywords for `problem` and for every error."""

    at: object
    """The parameter, the file, or a path."""
    got: Any
    """What was given; completes the sentence."""
    value: Any
    """What was given, where the sentence says so already."""
    rule: str
    instead: Any
    """A value that would do."""
    remove: Iterable[str]
    """Parameters of which one could be left out."""
    fixes: Iterable[Fix]
    place: str


def problem(text: str, **details: Unpack[ProblemDetails]) -> Problem:
    """A problem from its sentence.

    >>> str(problem("must be below 1", at="walls", got=2, instead=0.5))
    'walls: must be below 1, got 2'
    """
    at = details.get("at", ())
    path = at if isinstance(at, tuple) else (str(at),)
    better = (Fix("set", path, details["instead"]),) if "instead" in details else ()
    fixes = (*details.get("fixes", ()), *better, *(Fix("remove", (name,)) for name in details.get("remove", ())))
    sentence = f"{text}, got {short_repr(details['got'])}" if "got" in details else text
    value = details.get("got", details.get("value"))
    return Problem(path, details.get("rule", "invalid"), value, sentence, fixes, details.get("place"))


def unknown_key(noun: str, key: object, options: Iterable[str], hint: str = "") -> Problem:
    """A key that nothing reads, with the nearest one that something does."""
    names = list(options)
    path = (key if isinstance(key, (str, int)) else short_repr(key),)
    near = find_nearest(key, names)
    fixes = (*((Fix("use", path, near),) if near else ()), Fix("remove", path))
    return Problem(path, "unknown_name", key, _describe_unknown(noun, key, names, hint), fixes, "")


def _describe_unknown(noun: str, name: object, options: Iterable[str], hint: str) -> str:
    return f"unknown {noun} {short_repr(name)}{did_you_mean(name, options)}{f' ({hint})' if hint else ''}"


def _render_path(path: Path) -> str:
    """A path as lines show it: `shaping 2: connect: thickness`, `rules.2.count`, `line 3`; `params` is understood."""
    head: list[str] = []
    rest = path[1:] if path[:1] == ("params",) and len(path) > 1 else path
    if rest[:1] == ("sweep",):
        head, rest = ["sweep"], rest[1:]
    elif rest[:1] == ("shaping",) and len(rest) > 1 and isinstance(rest[1], int):
        head, rest = [f"shaping {rest[1] + 1}", *map(str, rest[2:3])], rest[3:]
    elif "line" in rest[:-1]:
        at = rest.index("line")
        head, rest = [*map(str, rest[:at]), f"line {rest[at + 1]}"], rest[at + 2 :]
    return ": ".join([*head, *([".".join(map(str, rest))] if rest else [])])


def _to_plain(value: Any, depth: int = 4) -> Any:
    """A value as short JSON-able data; what is none is shown as in messages."""
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
    # Names of files and tiles may hold anything: line ends, and halves of characters that nothing can print.
    return " ".join(text.splitlines()).encode(errors="backslashreplace").decode()


class TilewrightError(Exception):
    """Base of all errors that a person can cause and mend. `str(error)` is one line, `problems` its data."""

    rule: ClassVar[str] = "invalid"
    """The rule of problems that name none."""

    def __init__(self, *problems: Problem | str, **details: Unpack[ProblemDetails]) -> None:
        named: ProblemDetails = {"rule": self.rule, **details}
        self.problems = tuple(one if isinstance(one, Problem) else problem(one, **named) for one in problems)
        super().__init__(*self.problems)

    def __str__(self) -> str:
        return _join_lines("; ".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross process borders whole, whatever their constructors ask for.
        return _rebuild, (type(self), self.__dict__)

    def within(self, *path: str | int, place: str | None = None) -> Self:
        """The same problems inside `path`, which the line shows as `place`."""
        return self.replace(found.within(*path, place=place) for found in self.problems)

    @classmethod
    def from_error(cls, error: TilewrightError, at: object, place: str | None = None) -> Self:
        """The problems of another error, inside `at`, which the line shows once."""
        path = at if isinstance(at, tuple) else (str(at),)
        first, *more = error.problems
        return cls(first.within(*path, place=place), *(one.within(*path, place="") for one in more))

    def replace(self, problems: Iterable[Problem]) -> Self:
        """The same error with other problems."""
        return _rebuild(type(self), {**self.__dict__, "problems": tuple(problems)})


E = TypeVar("E", bound=TilewrightError)


def _rebuild(kind: type[E], fields: dict[str, Any]) -> E:
    error = kind.__new__(kind)
    error.args = fields["problems"]
    error.__dict__.update(fields)
    return error


class InvalidRecipe(TilewrightError, ValueError):
    """A parameter, tileset, lock or recipe key that breaks its rule. Holds every mistake found."""


class UnknownName(TilewrightError, ValueError):
    """A name that nothing answers to, with the nearest one that something does."""

    def __init__(self, kind: str, name: object, options: Iterable[str], hint: str = "") -> None:
        names = list(options)
        near = find_nearest(name, names)
        fixes = (Fix("set", (), near),) if near else ()
        super().__init__(Problem((), "unknown_name", name, _describe_unknown(kind, name, names, hint), fixes))
        self.kind = kind
        self.name = name


class TooLarge(TilewrightError, ValueError):
    """More than memory, a tile id or a decision procedure can hold. Says how large."""

    rule = "size"


class GaveUp(TilewrightError):
    """What was asked for could not be made; `cells` are the (row, column) to blame, `tries` how often it was tried."""

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
        self.tries = tries

    @property
    def reason(self) -> str:
        """The problems as one line, without the cells and the number of tries."""
        return super().__str__()

    def __str__(self) -> str:
        shown = ", ".join(f"x={cell[-1]} y={cell[-2]}" for cell in self.cells[:4])
        more = f" and {len(self.cells) - 4} more" if len(self.cells) > 4 else ""
        place = f" (at {shown}{more})" if shown else ""
        after = f" after {self.tries} tries" if self.tries > 1 else ""
        return f"gave up{after}: {self.reason}{place}"


class BadFile(TilewrightError, ValueError):
    """A file that cannot be read as what it claims to be, or cannot be opened or written; paths start with the file."""

    rule = "file"


def short_repr(value: object) -> str:
    """A value as it appears in a message: short, on one line."""
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deep"
    except ValueError:  # Python writes no numbers of more than some thousand digits
        return "a number too long to write"
    text = " ".join(text.splitlines())  # arrays have several
    return text if len(text) <= 60 else text[:56] + " ..."


def find_nearest(name: object, options: Iterable[str]) -> str | None:
    """The option that a mistyped name is most like, if any is."""
    names = sorted(option for option in set(options) if option)
    near = get_close_matches(name if isinstance(name, str) else short_repr(name), names, n=1, cutoff=0.6)
    return near[0] if near else None


def did_you_mean(name: object, options: Iterable[str]) -> str:
    """`; did you mean 'width'?`, or the choices when they are few, or nothing."""
    names = sorted(option for option in set(options) if option)
    near = find_nearest(name, names)
    if near:
        return f"; did you mean {near!r}?"
    return f"; there are {', '.join(names)}" if 0 < len(names) <= 12 else ""


def pluralize(number: int, noun: str) -> str:
    """`1 cell`, `3 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_number(number: float) -> str:
    """Write an integer with all its digits, and any other number with four: `1,234`, `0.5012`."""
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e15 else f"{number:.4g}"
