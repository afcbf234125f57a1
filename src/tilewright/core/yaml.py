"""Recipes as YAML or JSON: YAML 1.2's plain scalars, no duplicate keys, no surprises.

PyYAML reads YAML 1.1, in which `on` is true, `12:30` is 750 and dates are objects; this reads numbers, true, false
and null, and leaves every other plain word a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import yaml

from .errors import BadFile

MAX_CHARACTERS = 1 << 20
MAX_LINE_LENGTH = 1 << 30
"""Lines that are never folded."""


class _Loader(yaml.SafeLoader):
    """SafeLoader with the resolvers of YAML 1.2's core schema, closed to aliases, tags and duplicate keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        # Aliases let ten lines unfold to gigabytes; recipes have no use for them.
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not used in recipes")
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if event.tag is not None:
            raise yaml.YAMLError(f"tags (!name) are not used in recipes, line {event.start_mark.line + 1}")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, (str, int, float, bool, type(None))):
                raise yaml.YAMLError(f"a key must be a word, line {key_node.start_mark.line + 1}")
            if key in seen:
                raise yaml.YAMLError(f"the key {key!r} stands twice, line {key_node.start_mark.line + 1}")
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


_Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), list(first))


def _construct_integer(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(str(loader.construct_scalar(node)))


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_integer)


def read_data(text: str, name: str) -> Mapping[str, Any]:
    """Plain data from YAML (of which JSON is a part)."""
    if len(text) > MAX_CHARACTERS:
        raise BadFile(f"{len(text):,} characters are more than the {MAX_CHARACTERS:,} that are read", at=name)
    try:
        found = yaml.load(text, _Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        deep = "nested too deeply" if isinstance(error, RecursionError) else ""
        reason = deep or getattr(error, "problem", None) or str(error)
        where = f", line {mark.line + 1}" if mark else ""
        raise BadFile(f"not a recipe in YAML or JSON: {' '.join(str(reason).split())}{where}", at=name) from None
    if not isinstance(found, Mapping):
        raise BadFile("a recipe is a set of named values", at=name)
    return found


def read_head_comment(text: str) -> str:
    """The comment at the head of a recipe, on one line: what it makes.

    >>> read_head_comment("# A cave.\\n# And a lake.\\ntechnique: caves")
    'A cave. And a lake.'
    """
    head = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.lstrip("# ") for line in head)


def write_data(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Plain data as YAML that `read_data` reads again: short lists and small sets of values on one line.

    >>> print(write_data({"technique": "caves", "params": {"width": 20}, "seed": 7}), end="")
    technique: caves
    params: {width: 20}
    seed: 7
    """
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)


def write_line(data: Any) -> str:
    """Plain data on one line, as `read_data` reads it inside of brackets.

    >>> write_line({"border": {"thickness": 2, "tile": "a wall"}})
    '{border: {thickness: 2, tile: a wall}}'
    """
    written = yaml.dump(
        data, Dumper=_LineDumper, sort_keys=False, allow_unicode=True, default_flow_style=True, width=MAX_LINE_LENGTH
    )
    line = written.removesuffix("...\n").strip()
    return json.dumps(data, default=str) if "\n" in line else line  # a text of several lines


class _Dumper(yaml.SafeDumper):
    """SafeDumper that writes everything out: what stands twice is written twice, and every word has its own line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def serialize(self, node: Any) -> None:
        node.flow_style = False
        super().serialize(node)


class _LineDumper(_Dumper):
    def serialize(self, node: Any) -> None:
        yaml.SafeDumper.serialize(self, node)


_Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_list(value))
for tag, pattern in (("int", r"[-+]?[0-9]+"), ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")):
    # Texts that only YAML 1.2 takes for numbers, such as 1e5 or 089, need their quotes as well.
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), list("-+.0123456789"))
