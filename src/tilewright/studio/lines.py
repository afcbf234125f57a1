"""A recipe as the lines that make exactly its map elsewhere: in a shell, and in Python.

The command line is another door, whose insides this one does not know: what its flags can hold is told by the params'
schema, and whatever could be read there as something else goes into a recipe's file instead.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import Any

import numpy as np

from ..core.grid import FREE, Grid
from ..core.params import Params
from ..core.recipe import recipe_data
from ..core.registry import shapers, techniques
from ..core.yaml import write_data

Schema = Sequence[Mapping[str, Any]]
"""What may stand at a place: its alternatives, none of them a choice of others."""
LONGEST = 600
"""Letters of a command line; a longer one comes as a file, which can be read."""
WIDTH = 100
"""Letters of a line of Python."""
TAKEN = frozenset(
    {
        *(
            "blocks",
            "count",
            "format",
            "glyphs",
            "help",
            "keep",
            "locks",
            "look",
            "option",
            "output",
            "outputs",
            "plain",
        ),
        *("require", "scheduler", "seed", "set", "settings", "settings_inside", "shape", "shaping", "tiles", "tileset"),
        *("plain", "tries", "workers"),
    }
)
"""Names of flags that all techniques have: a parameter of the same name is reached with --set."""
WORD = re.compile(r"\w[\w .:/-]*(?<! )")
"""What stands between commas without a doubt."""
COMPARISON = re.compile(r"(?:>=|<=|!=|==|=|>|<)[^<>=!\s]+")


class Unsayable(Exception):
    """No flag says it."""


def command_line(data: Mapping[str, Any], output: str = "map.png") -> str:
    """What to type in a shell: one line, or the recipe as a file and a line that runs it.

    >>> print(command_line({"technique": "caves", "params": {"width": 40}, "shaping": ["border"], "seed": 7}))
    tilewright make caves --width 40 --shape border --seed 7 -o map.png
    """
    data = recipe_data(data)
    try:
        words = ["tilewright", "make", *_make_words(data), "-o", output]
    except Unsayable:
        words = []
    line = shlex.join(words)
    if words and len(line) <= LONGEST and all(word.isprintable() for word in words):
        return line
    text = write_data(data)
    end = next(mark for mark in ("END", *(f"END{number}" for number in range(len(text)))) if mark not in text)
    run = shlex.join(["tilewright", "run", "recipe.yaml", "-o", output])
    return f"cat > recipe.yaml <<'{end}'\n{text}{end}\n{run}"


def python_lines(data: Mapping[str, Any], painted: Grid | None = None) -> str:
    """What to write in Python, with what was painted by hand since.

    >>> print(python_lines({"technique": "caves", "params": {"width": 40}, "seed": 7}))
    import tilewright as tw
    <BLANKLINE>
    m = tw.make("caves", width=40, seed=7)
    """
    data = recipe_data(data)
    params = data.get("params") or {}
    words = {word: value for word, value in data.items() if word not in ("technique", "params") and value is not None}
    if all(isinstance(name, str) and name.isidentifier() and not iskeyword(name) for name in params):
        keywords = [(f"{name}=", value) for name, value in {**params, **words}.items()]
        call = _broken("tw.make(", [("", data["technique"]), *keywords], ")", WIDTH - 4)
    else:
        call = _broken("tw.run(", [("", dict(data))], ")", WIDTH - 4)
    lines = ["import tilewright as tw", "", f"m = {call}"]
    return "\n".join([*lines, *(_painting(painted) if painted is not None else ())])


# -- the shell ----------------------------------------------------------------------------------------------


def _make_words(data: Mapping[str, Any]) -> Iterator[str]:
    """A recipe as what follows `tilewright make`."""
    entry = techniques.get(str(data["technique"]))
    schemas = _schemas(entry.params)
    yield entry.name
    for name, value in (data.get("params") or {}).items():
        if name not in schemas:
            raise Unsayable(name)
        if name in TAKEN:
            yield from ("--set", f"{name}={_value(value, schemas[name])}")
        else:
            yield from _flag(name.replace("_", "-"), value, schemas[name])
    for word, value in data.items():
        if value is not None and word not in ("technique", "params", "seed"):
            yield from _recipe_word(word, value)
    if data.get("seed") is not None:
        yield from ("--seed", str(data["seed"]))


def _flag(flag: str, value: Any, schema: Schema) -> tuple[str, ...]:
    if _kinds(schema) - {"null"} != {"boolean"}:
        return f"--{flag}", _value(value, schema)
    if not isinstance(value, bool):
        raise Unsayable(flag)
    return (f"--{flag}" if value else f"--no-{flag}",)


def _recipe_word(word: str, value: Any) -> Iterator[str]:
    """What a recipe holds beside its params, as flags."""
    match word, value:
        case ("tileset", str()) | ("tries", int()):
            yield from (f"--{word}", str(value))
        case "tiles", dict():
            if not all(_is_plain(part) for pair in value.items() for part in pair):
                raise Unsayable(word)
            yield from ("--tiles", ",".join(f"{name}={tile}" for name, tile in value.items()))
        case "locks", list() | tuple() | dict():
            yield from ("--locks", _json(value))
        case "shaping", _:
            for stage in [value] if isinstance(value, (str, dict)) else value:
                yield from ("--shape", _stage(stage))
        case "require", dict():
            for measure, wanted in value.items():
                yield from ("--require", _requirement(measure, wanted))
        case _:
            raise Unsayable(word)


def _stage(stage: str | Mapping[str, Any]) -> str:
    """A shaper as one types it, or as JSON where that could be read otherwise."""
    if isinstance(stage, str):
        return stage
    ((name, params),) = stage.items()
    schemas = _schemas(shapers.get(name).params)
    try:
        typed = [f"{key}={_typed(value, schemas[key])}" for key, value in (params or {}).items()]
    except (Unsayable, KeyError):
        typed = ["{"]
    if any(re.search(r"[{\[]|,[\w.-]+=", setting) for setting in typed):
        return _json(stage)
    return ",".join([name, *typed])


def _requirement(measure: str, wanted: Any) -> str:
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        return f"{measure}={wanted}"
    if wanted in ("most", "least"):
        return f"{measure}={wanted}"
    if isinstance(wanted, str) and COMPARISON.fullmatch(wanted):
        return f"{measure}{wanted}"
    raise Unsayable(measure)


def _value(value: Any, schema: Schema) -> str:
    """A value as it is typed behind its flag: lists and sets of values may also be JSON."""
    try:
        return _typed(value, schema)
    except Unsayable:
        if isinstance(value, (list, tuple, dict)):
            return _json(value)
        raise


def _typed(value: Any, schema: Schema) -> str:
    """A value as a person types it; refused where it would be read as something else."""
    kinds, choices = _kinds(schema), {str(choice) for branch in schema for choice in _choices(branch)}
    if isinstance(value, (list, tuple)):
        return _listed(value, schema)
    if "model" in kinds:
        raise Unsayable("a set of named values")
    if isinstance(value, str):
        if value in choices:
            return value
        misread = {"none", "null"} if "null" in kinds else set()
        misread |= {"true", "false"} if "boolean" in kinds else set()
        is_list = "array" in kinds and ("," in value or kinds <= {"array", "null"})
        is_number = kinds & {"integer", "number"} and _reads_as_number(value)
        is_json = value.startswith(("[", "{", "@")) and len(value) > 1
        if value in misread or is_list or is_number or is_json:
            raise Unsayable(value)
        return value
    if isinstance(value, bool):
        sayable = "boolean" in kinds
    elif isinstance(value, (int, float)):
        sayable = bool(kinds & {"integer", "number"})
    else:
        sayable = value is None and "null" in kinds and not choices & {"none", "null"}
    if not sayable:
        raise Unsayable(str(value))
    return "none" if value is None else json.dumps(value)


def _listed(values: Sequence[Any], schema: Schema) -> str:
    """A list as words or numbers with commas between them."""
    branch = next((branch for branch in schema if _kind(branch) == "array"), None)
    if branch is None or len(values) < (1 if _kinds(schema) <= {"array", "null"} else 2):
        raise Unsayable("a list")
    slots, rest = branch["prefixItems"], branch["items"]
    if "array" in _kinds(rest):
        raise Unsayable("a list of lists")
    pieces = [_typed(value, slots[at] if at < len(slots) else rest) for at, value in enumerate(values)]
    text = ",".join(pieces)
    if text in ("none", "null", "true", "false") or not all(WORD.fullmatch(piece.lstrip("-")) for piece in pieces):
        raise Unsayable("a list")
    return text


def _schemas(model: type[Params]) -> dict[str, Schema]:
    """What may stand for every parameter."""
    schema = model.model_json_schema()
    return {name: _alternatives(field) for name, field in schema.get("properties", {}).items()}


def _alternatives(schema: Mapping[str, Any]) -> Schema:
    if "anyOf" in schema or "oneOf" in schema:
        return [found for branch in schema.get("anyOf") or schema["oneOf"] for found in _alternatives(branch)]
    slots = [_alternatives(slot) for slot in schema.get("prefixItems", ())]
    items = schema.get("items")
    return [{**schema, "prefixItems": slots, "items": _alternatives(items) if isinstance(items, Mapping) else [{}]}]


def _kinds(schema: Schema) -> set[str]:
    return {_kind(branch) for branch in schema}


def _kind(branch: Mapping[str, Any]) -> str:
    """A JSON type; `model` for a set of named values, `whole` for a map or a recipe, which has a name or is JSON."""
    if "$ref" in branch:
        return "model"
    kind = branch.get("type", "object")
    return kind if isinstance(kind, str) else "whole"


def _choices(branch: Mapping[str, Any]) -> Sequence[Any]:
    return [branch["const"]] if "const" in branch else branch.get("enum", ())


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_plain(word: Any) -> bool:
    return isinstance(word, str) and bool(WORD.fullmatch(word))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -- Python -------------------------------------------------------------------------------------------------


def _literal(value: Any, room: int = WIDTH) -> str:
    """A value as Python reads it, on several lines where one has no room for it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
    if isinstance(value, (list, tuple)):
        opening, closing = ("[", "]") if isinstance(value, list) else ("(", ",)" if len(value) == 1 else ")")
        return _broken(opening, [("", part) for part in value], closing, room)
    if isinstance(value, Mapping):
        return _broken("{", [(f"{_literal(name)}: ", part) for name, part in value.items()], "}", room)
    return repr(value)


def _broken(opening: str, parts: Sequence[tuple[str, Any]], closing: str, room: int) -> str:
    """Parts, each with what stands before it, between brackets: on one line, or each on its own."""
    line = opening + ", ".join(before + _literal(part, 1 << 30) for before, part in parts) + closing
    if len(line) <= room:
        return line
    inside = [before + _literal(part, room - 5 - len(before)) for before, part in parts]
    return "\n    ".join([opening, *(f"{part},".replace("\n", "\n    ") for part in inside)]) + "\n" + closing[-1:]


def _painting(painted: Grid) -> list[str]:
    """Lines that put painted cells on the map `m`, a run of equal ones at a time."""
    runs = list(_runs(painted))
    if not runs:
        return []
    level = "level, " if painted.cells.ndim == 3 else ""
    return [
        "",
        "cells = m.cells.copy()",
        f"for {level}y, x, length, tile in {_literal(runs, WIDTH - 40)}:",
        f"    cells[{level}y, x : x + length] = m.tileset.id(tile)",
        "m = m.replaced(cells=cells)",
    ]


def _runs(painted: Grid) -> Iterator[tuple[Any, ...]]:
    """Where painted cells begin in their row, how many follow each other, and their word."""
    for place in np.ndindex(painted.shape[:-1]):
        row = painted.cells[place]
        edges = np.flatnonzero(np.diff(row, prepend=FREE, append=FREE))
        ends = [*edges[1:].tolist(), len(row)]
        for begin, end in zip(edges.tolist(), ends, strict=False):
            if begin < len(row) and row[begin] != FREE:
                yield (*place, begin, end - begin, painted.words[row[begin]])
