"""Recipes in the query of a URL: parameters, shapers and format options.

`width=40&walls=0.4&shape=connect,thickness=2&format=png&scale=4`: a key is a parameter of the technique, or else an
option of the format. Values are written as on the command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.errors import InvalidRecipe, Problem, explain_each, problem, unknown_key
from ..core.fields import fields_by_name, present_name
from ..core.notation import read_value
from ..core.registry import Technique
from ..formats import Format

KEYS = ("format", "seed", "shape", "tileset", "tiles", "part", "animate")
"""Keys that are not parameters."""


def read_parameters(
    entry: Technique, format: Format, pairs: Iterable[tuple[str, str]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the technique's params and the format's options from the keys of a query that are not in KEYS."""
    params: dict[str, Any] = {}
    options: dict[str, Any] = {}
    problems: list[Problem] = []
    unknown: list[str] = []
    for key, text in pairs:
        name = present_name(entry.params, key)
        owner, values = (entry.params, params) if name in entry.params.model_fields else (format.params, options)
        if name in params or name in options:
            problems = problems or [problem("is given twice", at=name)]
        elif name in owner.model_fields:
            values[name] = read_value(text, fields_by_name(owner)[name])
        else:
            unknown.append(name)
    known, hint = [*entry.params.model_fields, *format.params.model_fields, *KEYS], f"of {entry.name} or {format.name}"
    problems += explain_each(unknown, lambda name: unknown_key("parameter", name, known, hint))
    if problems:
        raise InvalidRecipe(*problems)
    return params, options
