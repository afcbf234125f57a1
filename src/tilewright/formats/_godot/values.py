"""Values and sections of Godot's text files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite, isinf

from ...core.errors import InvalidRecipe, TooLarge

MAX_SECTIONS = 1 << 20
UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that a text file of Godot cannot contain, not even escaped."""
CONTROL = re.compile("[\x01-\x1f\x7f]")
NODE_CHARACTERS = re.compile(r'[.:@/"%\x00-\x1f\x7f\ud800-\udfff]')
"""Characters that the name of a node cannot contain."""
IDENTIFIER_CHARACTERS = re.compile(r"[^A-Za-z0-9_]")
STRING = r'"(?:[^"\\]++|\\.?)*+"?'
"""A string; one without an end takes the rest of the text, so that the work remains linear."""
TOKEN = re.compile(rf"{STRING}|[\[\](){{}}\n]", re.DOTALL)
"""Strings, brackets and ends of lines."""
ATTRIBUTE = re.compile(rf'(?<!\w)(\w++)=({STRING}|[^\s"\[\]]++|\[[^\]]*+\]?)', re.DOTALL)
"""Name and value of an attribute; a list without an end takes the rest of the text."""
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{6}|.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}

Value = bool | int | float | str


# -- writing --------------------------------------------------------------------------------------------------


def quote(text: str) -> str:
    r"""Return a string literal. Characters that Godot cannot store become U+FFFD.

    >>> print(quote('a "b"\n'))
    "a \"b\"\u000a"
    """
    escaped = UNWRITABLE.sub("\ufffd", text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped) + '"'


def format_value(value: Value) -> str:
    """Return the literal of a value. Integers beyond 64 bits become floats.

    >>> [format_value(value) for value in (True, 3, 0.5, 2.0, "key")]
    ['true', '3', '0.5', '2.0', '"key"']
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return str(value)
    number = float(value)
    if isfinite(number):
        return repr(number)
    return ("-inf" if number < 0 else "inf") if isinf(number) else "nan"


def format_number(value: float) -> str:
    """Return a coordinate without needless digits."""
    return f"{value:g}" if abs(value) < 1e5 else repr(float(value)).removesuffix(".0")


def format_vector(kind: str, values: Iterable[float]) -> str:
    """Return a constructor such as `Vector2(1, 2.5)`."""
    return f"{kind}({', '.join(map(format_number, values))})"


def format_section(head: str, properties: Mapping[str, str]) -> str:
    """Return a section: a head in brackets and lines of properties, followed by an empty line."""
    lines = "".join(f"{name} = {value}\n" for name, value in properties.items())
    return f"[{head}]\n{lines}\n"


class UniqueNames:
    """Names that are unique and contain no forbidden characters."""

    def __init__(self, *taken: str, forbidden: re.Pattern[str] = NODE_CHARACTERS) -> None:
        self._forbidden = forbidden
        self._counts = dict.fromkeys(taken, 1)
        """Numbers to start from, by reserved name."""

    def add(self, wanted: str, fallback: str) -> str:
        """Return a name like the wanted one that is still free, and reserve it."""
        name = self._forbidden.sub("_", wanted).strip() or fallback
        if self._forbidden is IDENTIFIER_CHARACTERS and name[0].isdigit():
            name = f"_{name}"
        free = name
        while free in self._counts:
            self._counts[name] += 1
            free = f"{name}_{self._counts[name]}"
        self._counts[free] = 1
        return free


# -- reading --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a text file. Values are the raw text."""

    tag: str
    attributes: Mapping[str, str]
    properties: dict[str, str] = field(default_factory=dict)


def parse_sections(text: str) -> list[TextSection]:
    """Return the sections of a text file."""
    sections: list[TextSection] = []
    for statement in _iter_statements(text):
        if statement.startswith("["):
            if len(sections) >= MAX_SECTIONS:
                raise TooLarge(f"must have at most {MAX_SECTIONS:,} sections")
            tag, _, rest = statement[1:-1].partition(" ")
            sections.append(TextSection(tag, dict(ATTRIBUTE.findall(rest))))
        elif sections:
            name, equals, value = statement.partition(" = ")
            if equals:
                sections[-1].properties[name] = value
    return sections


def _iter_statements(text: str) -> Iterator[str]:
    """Yield the lines of a text file; a line ends where no bracket and no string is open."""
    start = depth = 0
    for token in TOKEN.finditer(text):
        character = token[0][0]
        if character in "[({":
            depth += 1
        elif character in "])}":
            depth = max(0, depth - 1)
        elif character == "\n" and depth == 0:
            if statement := text[start : token.start()].strip():
                yield statement
            start = token.end()
    if statement := text[start:].strip():
        yield statement


def read_string(literal: str) -> str:
    """Return the text of a string literal."""
    if len(literal) < 2 or literal[0] != '"' or literal[-1] != '"':
        raise InvalidRecipe("must be a string", got=literal, rule="type")
    return ESCAPE.sub(_unescape, literal[1:-1])


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "uU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    return ESCAPED.get(code, code)
