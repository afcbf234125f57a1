"""A rule book as it is edited: plain data by its fields, whose words may be wrong for a while; and how it is written.

Nothing here changes a book: every function makes another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

from pydantic import model_validator

from ....core.errors import InvalidRecipe
from ....generators._rules.language import ALL, PLUS, RoomData, Weighted
from ....generators._rules.rulebook import RulesParams

Book: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]
"""The way to a piece of a book: `("generationRules", 0, "rules", 2, "tile")`."""
BUILT_IN = {one.name: [list(row) for row in one.matrix] for one in (PLUS, ALL)}
"""The neighbourhoods that are there without being drawn."""
SHORTEST_FIX = {"none:plus:1": "none"}
LINE = 52
"""Letters of a line of JSON: what the panel has room for."""
ASSIGNED = re.compile(r"\A\s*(?:(?:var|let|const)\s+)?[A-Za-z_$][\w$]*\s*=(?=\s*\{)")
"""What programs write before a ProcEngine object."""


class Draft(RulesParams):
    """A rule book whose pieces are right, whether they fit together or not."""

    @model_validator(mode="after")
    def _all_known(self) -> Self:
        return self


def read(params: Mapping[str, Any]) -> Book:
    """The book that params make, sections that are left out included."""
    draft = Draft.checked(params)
    book = draft.model_dump(mode="json", exclude={"data"})
    drawn = [one for one in book["neighbourhoods"] if BUILT_IN.get(one["name"]) != one["matrix"]]
    return {**_whole_numbers(book), "neighbourhoods": drawn}


def params_of(book: Book) -> dict[str, Any]:
    """The book as a recipe's params: in short strings, without what is as usual; in fields where a piece is wrong."""
    try:
        draft = Draft.checked(book)
    except InvalidRecipe:
        return book
    params: dict[str, Any] = {"width": draft.width, "height": draft.height}
    names = [name.compact.removesuffix(":-1") for name in draft.names]
    if names != ["solid", "empty"]:
        params["names"] = names
    if draft.neighbourhoods:
        params["neighbourhoods"] = {one.name: one.rows for one in draft.neighbourhoods}
    if draft.mapData.compact != ["solid:empty"]:
        params["mapData"] = draft.mapData.compact
    if draft.roomData != RoomData(start=(Weighted(tile=draft.mapData.dig),)):
        params["roomData"] = draft.roomData.compact
    params["generationRules"] = [_short(layer.compact) for layer in draft.generationRules]
    return params


def _short(layer: dict[str, list[str]]) -> dict[str, list[str]]:
    *parts, fix = layer["genData"]
    short = {"genData": [*parts, SHORTEST_FIX.get(fix, fix)]}
    return {**short, "rules": layer["rules"]} if layer["rules"] else short


def _whole_numbers(value: Any) -> Any:
    """Weights that are whole are written whole."""
    if isinstance(value, dict):
        return {key: _whole_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


# -- JSON ---------------------------------------------------------------------------------------------------------


def text_of(book: Book) -> str:
    """The book as a ProcEngine object in JSON, every section written."""
    try:
        draft = Draft.checked(book)
    except InvalidRecipe:
        return json.dumps(book, indent=2, ensure_ascii=False)
    data = {**draft.compact, "neighbourhoods": {one.name: one.rows for one in draft.known.values()}}
    return _written(data, 0)


def _written(value: Any, indent: int, taken: int = 0) -> str:
    """JSON in which whatever fits on a line stands on one; `taken` letters of the first line are there already."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (indent and len(line) + indent + taken <= LINE):
        return line
    inner = indent + 2
    if isinstance(value, list):
        lines, ends = _filled([_written(part, inner) for part in value], LINE - inner), "[]"
    else:
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        lines = [key + _written(part, inner, len(key)) for key, part in zip(keys, value.values(), strict=True)]
        ends = "{}"
    inside = ",\n".join(" " * inner + line for line in lines)
    return f"{ends[0]}\n{inside}\n{' ' * indent}{ends[1]}"


def _filled(parts: Sequence[str], most: int) -> list[str]:
    """Short parts side by side, as many as a line holds."""
    lines: list[str] = []
    for part in parts:
        if lines and "\n" not in part and "\n" not in lines[-1] and len(lines[-1]) + len(part) + 2 <= most:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines


def read_text(text: str) -> Book:
    """The book in a text: a ProcEngine object in JSON, as it stands in a file or a program; all of it must fit."""
    if found := ASSIGNED.match(text):
        # Blanks in its place keep the numbers of lines.
        text = re.sub(r"[^\n]", " ", found.group()) + text[found.end() :].rstrip().removesuffix(";")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidRecipe(f"not JSON: {error.msg}", at=("line", error.lineno)) from None
    except (ValueError, RecursionError):
        raise InvalidRecipe("not JSON: nested too deeply, or a number too long", rule="format") from None
    if not isinstance(data, dict):
        raise InvalidRecipe('a rule book is an object, such as {"mapData": ["15x7", "solid:empty"]}')
    params = {"data": data} if "technique" in data or "params" in data else {"generationRules": [], **data}
    RulesParams.checked(params)
    return read(params)


def line_of(text: str, message: str) -> int | None:
    """The line of a text that a message speaks of, from 1 on."""
    if found := re.match(r"line (\d+):", message):
        return int(found.group(1))
    pieces = [piece for pair in re.findall(r"'([^']+)'|\"([^\"]+)\"", message) for piece in pair if piece]
    section = re.match(r"(\w+)", message)
    wanted = [*pieces, f'"{section.group(1)}"'] if section else pieces
    places = [text.find(piece) for piece in sorted(pieces, key=len, reverse=True)] + [text.find(wanted[-1])]
    return next((text.count("\n", 0, place) + 1 for place in places if place >= 0), None)


# -- pieces -------------------------------------------------------------------------------------------------------


def at(book: Any, path: Path) -> Any:
    """The piece at a path."""
    for step in path:
        book = book[step]
    return book


def with_at(book: Any, path: Path, value: Any) -> Any:
    """A copy of the book with the piece at a path replaced."""
    if not path:
        return value
    step, *rest = path
    if isinstance(book, list):
        return [with_at(part, tuple(rest), value) if number == step else part for number, part in enumerate(book)]
    return {**book, step: with_at(book[step], tuple(rest), value)}


def moved(parts: Sequence[Any], place: int, by: int) -> list[Any]:
    """With one part moved up or down; at an end it stays."""
    target = min(max(place + by, 0), len(parts) - 1)
    rest = [*parts[:place], *parts[place + 1 :]]
    return [*rest[:target], parts[place], *rest[target:]]


def doubled(parts: Sequence[Any], place: int) -> list[Any]:
    """With a copy of one part behind it."""
    return [*parts[: place + 1], parts[place], *parts[place + 1 :]]


def without(parts: Sequence[Any], place: int) -> list[Any]:
    return [*parts[:place], *parts[place + 1 :]]


# -- words --------------------------------------------------------------------------------------------------------

TILE_KEYS = frozenset(("tile", "initial", "dig"))


def names_in(book: Book) -> list[str]:
    return [name["name"] for name in book["names"]]


def neighbourhoods_in(book: Book) -> dict[str, list[list[int]]]:
    """The drawings of all neighbourhoods, the built-in ones first."""
    return {**BUILT_IN, **{one["name"]: one["matrix"] for one in book["neighbourhoods"]}}


def renamed(book: Book, place: int, new: str) -> Book:
    """With another name for a tile, wherever it is used."""
    old = book["names"][place]["name"]
    book = with_at(book, ("names", place, "name"), new)
    return book if old in names_in(book) else _replaced(book, TILE_KEYS, old, new)


def renamed_neighbourhood(book: Book, place: int, new: str) -> Book:
    """With another name for a neighbourhood, wherever it is used."""
    old = book["neighbourhoods"][place]["name"]
    book = with_at(book, ("neighbourhoods", place, "name"), new)
    return book if old in neighbourhoods_in(book) else _replaced(book, frozenset(("neighbourhood",)), old, new)


def _replaced(value: Any, keys: frozenset[str], old: str, new: str) -> Any:
    if isinstance(value, list):
        return [_replaced(part, keys, old, new) for part in value]
    if not isinstance(value, dict):
        return value
    return {key: new if key in keys and part == old else _replaced(part, keys, old, new) for key, part in value.items()}


def new_word(taken: Sequence[str], wishes: Sequence[str], stem: str) -> str:
    """A name that is not taken yet: one of the wishes, or a numbered one."""
    numbered = (f"{stem} {number}" for number in range(1, len(taken) + 2))
    return next(word for word in (*wishes, *numbered) if word not in taken)


def resized(matrix: Sequence[Sequence[int]], width: int, height: int) -> list[list[int]]:
    """A drawing with more or fewer cells around the same centre."""
    down, right = len(matrix) // 2 - height // 2, len(matrix[0]) // 2 - width // 2
    return [
        [
            matrix[row + down][column + right]
            if 0 <= row + down < len(matrix) and 0 <= column + right < len(matrix[0])
            else 0
            for column in range(width)
        ]
        for row in range(height)
    ]
