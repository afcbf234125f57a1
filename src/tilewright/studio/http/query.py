"""Recipes in the query of a URL: parameters, shapers and format options.

`width=40&walls=0.4&shape=connect,thickness=2&format=png&scale=4`: a key is a parameter of the technique, or else an
option of the format. Values are written as on the command line. For a recipe, a key is one of its knobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...core.errors import InvalidRecipe, Problem, explain_each, problem, unknown_key
from ...core.fields import Field, fields_by_name
from ...core.notation import read_value
from ...formats import Format

MAP_KEYS = ("format", "seed", "part", "animate")
"""Keys of every request that makes a map."""
KEYS = (*MAP_KEYS, "shape", "tileset", "tiles")
"""Keys that are not parameters of a technique."""
REPEATABLE = ("shape",)
"""Keys that may be given several times."""


def read_parameters(
    fields: Mapping[str, Field],
    format: Format,
    pairs: Iterable[tuple[str, str]],
    *,
    owner: str,
    keys: Sequence[str] = KEYS,
    noun: str = "parameter",
    renamed: Mapping[str, str] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return values of fields and options of a format from the keys of a query. Other keys must occur only once.

    Parameters
    ----------
    fields
        Parameters of a technique or knobs of a recipe, by name.
    format
        Format whose options are the other keys.
    pairs
        Keys and texts of the query.
    owner
        Name of the technique or recipe, for messages.
    keys
        Keys that are neither fields nor options.
    noun
        Noun for a field in messages.
    renamed
        Present names by old name.

    Returns
    -------
    tuple of dict
        The values and the options.
    """
    known = {**fields_by_name(format.params), **fields}
    found: dict[str, Any] = {}
    seen: set[str] = set()
    problems: list[Problem] = []
    unknown: list[str] = []
    for key, text in pairs:
        name = key if key in keys else (renamed or {}).get(key, key)
        if name in seen and name not in REPEATABLE:
            problems = problems or [problem("is given twice", at=name)]
        elif name not in keys and name in known:
            found[name] = read_value(text, known[name])
        elif name not in keys:
            unknown.append(name)
            continue
        seen.add(name)
    names = [*fields, *format.params.model_fields, *keys]
    problems += explain_each(unknown, lambda name: unknown_key(noun, name, names, f"of {owner} or {format.name}"))
    if problems:
        raise InvalidRecipe(*problems)
    values = {name: value for name, value in found.items() if name in fields}
    return values, {name: value for name, value in found.items() if name not in fields}


def check_names(given: Iterable[str], names: Sequence[str], noun: str) -> None:
    """Raise InvalidRecipe if a name is unknown or given twice."""
    counts = Counter(given)
    unknown = [name for name in counts if name not in names]
    problems = explain_each(unknown, lambda name: unknown_key(noun, name, names))
    problems += [problem("is given twice", at=name) for name in names if counts[name] > 1]
    if problems:
        raise InvalidRecipe(*problems)
