"""Reading and writing of recipes as YAML or JSON, with the plain scalars of YAML 1.2 and without duplicate keys.

PyYAML reads YAML 1.1, in which `on` is true, `12:30` is 750 and dates are objects. Here, only numbers, true, false and
null are special; all other plain scalars are strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import yaml

from .errors import BadFile
from .stored import DuplicateKey, read_object, refuse_constant

MAX_CHARACTERS = 1 << 21
"""Maximum number of characters of a recipe, which may contain a picture of 1 MB."""
MAX_YAML_TOKENS = 1 << 16
"""Maximum number of separators in YAML: line breaks, commas, brackets, braces and colons. PyYAML takes one to two
seconds for this many. JSON has no such limit."""
SEPARATORS = "\n,[{:"
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|\\U0000[dD][89a-fA-F]|[\ud800-\udfff]")
"""Parts of a string that may be half of a surrogate pair. No file can hold one, and no browser can display it."""
SEARCH_WORDS = "Search words: "
"""Start of the comment line with the search words of a recipe."""
MAX_LINE_LENGTH = 1 << 30
"""Line width at which PyYAML never folds lines."""


class _Loader(yaml.SafeLoader):
    """SafeLoader with the core schema of YAML 1.2 that rejects aliases, tags and duplicate keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        # With aliases, ten lines could expand to gigabytes.
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed in recipes")
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if event.tag is not None:
            raise yaml.YAMLError(f"tags (!name) are not allowed in recipes, line {event.start_mark.line + 1}")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, (str, int, float, bool, type(None))):
                raise yaml.YAMLError(f"a key must be a string, line {key_node.start_mark.line + 1}")
            if key in seen:
                raise yaml.YAMLError(f"the key {key!r} occurs twice, line {key_node.start_mark.line + 1}")
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


_Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))


def read_data(text: str, name: str) -> Mapping[str, Any]:
    """Read plain data from YAML or JSON. Raise BadFile with `name` if it is invalid."""
    if len(text) > MAX_CHARACTERS:
        raise BadFile(f"must be at most {MAX_CHARACTERS:,} characters, got {len(text):,}", at=name)
    try:
        found = _read_json(text) if text.lstrip().startswith("{") else None
        found = _read_yaml(text) if found is None else found
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()  # Raises ValueError for half a surrogate pair.
    except BadFile as error:
        raise error.within(name) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        deep = "nested too deeply" if isinstance(error, RecursionError) else ""
        reason = deep or getattr(error, "problem", None) or str(error)
        where = f", line {mark.line + 1}" if mark else ""
        raise BadFile(f"not a recipe in YAML or JSON: {' '.join(str(reason).split())}{where}", at=name) from None
    if not isinstance(found, Mapping):
        raise BadFile("a recipe is a set of named values", at=name)
    return found


def _read_json(text: str) -> Any:
    """Return the data in JSON, which is read much faster than YAML; None if the text is not JSON."""
    try:
        return json.loads(text, object_pairs_hook=read_object, parse_constant=refuse_constant)
    except DuplicateKey:
        raise
    except ValueError:
        return None


def _read_yaml(text: str) -> Any:
    tokens = sum(map(text.count, SEPARATORS))
    if tokens > MAX_YAML_TOKENS:
        raise BadFile(
            f"YAML must have at most {MAX_YAML_TOKENS:,} line breaks, commas, colons and brackets, got {tokens:,}; "
            "write it as JSON",
            rule="size",
        )
    return yaml.load(text, _Loader)


def read_head_comment(text: str) -> str:
    """Return the comment at the start of a recipe on one line, without its search words.

    >>> read_head_comment("# A cave.\\n# And a lake.\\ntechnique: caves")
    'A cave. And a lake.'
    """
    return " ".join(line for line in _list_head_lines(text) if not line.startswith(SEARCH_WORDS))


def read_search_words(text: str) -> tuple[str, ...]:
    """Return the search words in the comment at the start of a recipe.

    >>> read_search_words("# A cave.\\n# Search words: cavern, lake\\ntechnique: caves")
    ('cavern', 'lake')
    """
    lists = [line.removeprefix(SEARCH_WORDS) for line in _list_head_lines(text) if line.startswith(SEARCH_WORDS)]
    return tuple(word.strip() for words in lists for word in words.split(",") if word.strip())


def _list_head_lines(text: str) -> list[str]:
    return [line.lstrip("# ") for line in takewhile(lambda line: line.startswith("#"), text.splitlines())]


def write_data(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return plain data as YAML, with short lists and mappings on one line.

    >>> print(write_data({"technique": "caves", "params": {"width": 20}, "seed": 7}), end="")
    technique: caves
    params: {width: 20}
    seed: 7
    """
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)


def write_line(data: Any) -> str:
    """Return plain data as YAML on one line.

    >>> write_line({"border": {"thickness": 2, "tile": "a wall"}})
    '{border: {thickness: 2, tile: a wall}}'
    """
    written = yaml.dump(
        data, Dumper=_LineDumper, sort_keys=False, allow_unicode=True, default_flow_style=True, width=MAX_LINE_LENGTH
    )
    line = written.removesuffix("...\n").strip()
    return json.dumps(data, default=str) if "\n" in line else line  # JSON escapes line breaks.


class _Dumper(yaml.SafeDumper):
    """SafeDumper without aliases that writes each key of the top level on its own line."""

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
    # Strings that are numbers only in YAML 1.2, such as 1e5 or 089, need quotes too.
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), list("-+.0123456789"))
