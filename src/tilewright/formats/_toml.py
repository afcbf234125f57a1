"""TOML as text: Python reads TOML but does not write it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

MAX_INLINE = 4
"""Maximum number of entries of a table that is written in one line."""
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_toml(data: Mapping[str, Any]) -> str:
    """Return plain data as TOML: the values first, then the tables, then the lists of tables.

    >>> print(format_toml({"name": "mine", "tiles": [{"name": "floor", "costs": {"foot": 1}}]}))
    name = "mine"
    <BLANKLINE>
    [[tiles]]
    name = "floor"
    costs = {foot = 1}
    <BLANKLINE>
    """
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    lists = {key: value for key, value in data.items() if _is_list_of_tables(value)}
    lines = [f"{_format_key(key)} = {_format_value(data[key])}" for key in data if key not in {**tables, **lists}]
    for key, value in tables.items():
        lines += ["", f"[{_format_key(key)}]", *_format_table(key, value)]
    for key, values in lists.items():
        for value in values:
            lines += ["", f"[[{_format_key(key)}]]", *_format_table(key, value)]
    return "\n".join(lines).lstrip("\n") + "\n"


def edit_toml(text: str, data: Mapping[str, Any]) -> str:
    """Return TOML with other data. Tables that do not change keep their text and comments.

    >>> print(edit_toml("a = 1 # one\\n[[b]]\\nc = 2 # two\\n", {"a": 1, "b": [{"c": 2}, {"c": 3}]}))
    a = 1 # one
    <BLANKLINE>
    [[b]]
    c = 2 # two
    <BLANKLINE>
    [[b]]
    c = 3
    <BLANKLINE>
    """
    before, data = tomllib.loads(text), tomllib.loads(format_toml(data))  # with lists instead of tuples
    head, *blocks = re.split(r"^(?=\[\[?[\w-]+\]\]?[ \t]*(?:#.*)?$)", text, flags=re.MULTILINE)
    found: dict[str, list[str]] = {}
    for block in blocks:
        found.setdefault(block.split("]")[0].strip("["), []).append(block)
    edited = head
    for key, value in data.items():
        if not isinstance(value, Mapping) and not _is_list_of_tables(value):
            continue
        old, new = (given if isinstance(given, (list, tuple)) else [given] for given in (before.get(key, []), value))
        texts = [(one, block) for one, block in zip(old, found.get(key, []), strict=False)]
        for one in new:
            same = next((block for known, block in texts if known == one), "")
            new_text = same or format_toml({key: one if isinstance(value, Mapping) else [one]})
            edited = edited.rstrip("\n") + ("\n\n" if edited.strip() else "") + new_text
    edited = edited.rstrip("\n") + "\n"
    try:
        is_same = tomllib.loads(edited) == data
    except tomllib.TOMLDecodeError:
        is_same = False
    return edited if is_same else format_toml(data)


def _format_table(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table. Long tables in it get a heading of their own, after all other values."""
    long = {key: value for key, value in table.items() if isinstance(value, Mapping) and len(value) > MAX_INLINE}
    for key, value in table.items():
        if key not in long:
            yield f"{_format_key(key)} = {_format_value(value)}"
    for key, value in long.items():
        yield f"[{_format_key(name)}.{_format_key(key)}]"
        for inner, one in value.items():
            yield f"{_format_key(inner)} = {_format_value(one)}"


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _format_key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else _format_string(key)


def _format_string(text: str) -> str:
    # JSON strings are TOML strings, except that TOML escapes one more control character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return _format_string(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_format_key(key)} = {_format_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_format_value, value)) + "]"
    return repr(value)
