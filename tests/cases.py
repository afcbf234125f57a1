"""Cases of tests in files: tables in YAML, and texts with one case per paragraph."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml


def read_tables(test: str) -> dict[str, Any]:
    """Return the tables of a module from the YAML file of the same name beside it, such as test_api.yaml."""
    tables: dict[str, Any] = yaml.safe_load(Path(test).with_suffix(".yaml").read_text(encoding="utf-8"))
    return tables


def read_table(test: str, name: str) -> Any:
    """Return a table from the YAML file of a module."""
    return read_tables(test)[name]


def read_cases(path: Path) -> list[Any]:
    """Return each case as its lines: the given ones as a list, and the last one, which is expected.

    A case is named by its first line if that line starts with #. Lines before ## are notes.
    """
    cases = []
    _, *sections = path.read_text(encoding="utf-8").split("\n## ")
    for section in sections:
        _, *paragraphs = section.rstrip("\n").split("\n\n")
        for paragraph in paragraphs:
            *given, expected = paragraph.split("\n")
            name = given.pop(0)[2:] if given[0].startswith("# ") else " ".join(given)
            cases.append(pytest.param(given, expected, id=name))
    return cases


def fits(line: str, expected: str) -> bool:
    """Return whether a line is the expected one, in which ... stands for any text."""
    return re.fullmatch(".*".join(map(re.escape, expected.split("..."))), line) is not None
