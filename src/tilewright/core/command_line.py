"""Recipes as words of the command line, for code snippets, summaries in notebooks and datasheets."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from .. import data as built_in
from .entries import RECIPE_FIELDS
from .errors import TilewrightError
from .fields import Field, fields_by_name
from .notation import (
    RESERVED_FLAGS,
    UnwritableValue,
    flag_of,
    write_json,
    write_pairs,
    write_requirement,
    write_stage,
    write_value,
)
from .params import Params
from .recipe import Recipe
from .recipe_knobs import apply_knobs
from .registry import techniques
from .resolver import Resolver
from .samples import Samples

MAX_LINE = 600
"""Maximum number of characters of a command line."""


def write_command(recipe: Recipe) -> str:
    """Return the command that makes the map of a recipe, or an empty string if no command of one line does.

    >>> write_command(Recipe.of({"technique": "caves", "params": {"width": 40}, "shaping": ["border"], "seed": 7}))
    'tilewright make caves --width 40 --shape border --seed 7'
    """
    seed = [] if recipe.seed is None else ["--seed", recipe.seed]
    try:
        if words := _list_built_in_words(recipe):
            return join_words(["run", *words, *seed])
        return join_words(["make", *list_arguments(_write_difference(recipe)), *seed])
    except UnwritableValue:
        return ""


def write_job_command(command: str, recipe: Recipe, options: Sequence[str]) -> str:
    """Return a command on a recipe, such as `corpus make`, or an empty string if it cannot be written in one line.

    Parameters
    ----------
    command
        Name of the command, such as "corpus make".
    recipe
        The recipe. Its seed is not written.
    options
        Words after the recipe.
    """
    try:
        words = _list_built_in_words(recipe) or [*_list_settings(_write_difference(recipe))]
    except UnwritableValue:
        return ""
    return join_words([*command.split(), *words, *options])


def join_words(words: Sequence[str]) -> str:
    """Return the words of a command as one line of a shell; an empty string if it is too long or not printable."""
    line = shlex.join(["tilewright", *words])
    return line if len(line) <= MAX_LINE and line.isprintable() else ""


def list_arguments(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments of `tilewright make` for a recipe's data. Raise UnwritableValue if there are none."""
    entry = techniques.get(str(data["technique"]))
    fields = fields_by_name(entry.params)
    yield entry.name
    for name, value in (data.get("params") or {}).items():
        field = _find_field(fields, name)
        if name in RESERVED_FLAGS or (field.is_switch and not isinstance(value, bool)):
            yield from ("--set", f"{name}={write_value(value, field)}")
        else:
            yield from _write_option(field, value)
    for word, value in data.items():
        if value is not None and word not in ("technique", "params", "seed"):
            yield from _write_flags(word, value)
    if data.get("seed") is not None:
        yield from ("--seed", str(data["seed"]))


def _list_settings(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words that name a recipe for commands whose options are not the parameters of the technique."""
    yield str(data["technique"])
    yield from _write_settings(data["technique"], data["params"])
    for word, value in data.items():
        if word not in ("technique", "params"):
            yield from _write_flags(word, value)


def _write_settings(technique: str, params: Mapping[str, Any]) -> Iterator[str]:
    """Yield `--set walls=0.4` for each parameter."""
    fields = fields_by_name(techniques.get(technique).params)
    for name, value in params.items():
        path = f"params.{name}" if name in RECIPE_FIELDS else name
        yield from ("--set", f"{path}={write_value(value, _find_field(fields, name))}")


def _write_option(field: Field, value: Any) -> Iterator[str]:
    if field.is_switch:
        yield flag_of(field) if value else f"--no-{flag_of(field)[2:]}"
    else:
        yield from (flag_of(field), write_value(value, field))


def _find_field(fields: Mapping[str, Field], name: str) -> Field:
    if name not in fields:
        raise UnwritableValue(name)
    return fields[name]


def _write_flags(word: str, value: Any) -> Iterator[str]:
    """Yield the flags for a key of a recipe other than params."""
    match word, value:
        case ("tileset", str()) | ("tries", int()):
            yield from (f"--{word}", str(value))
        case "tiles", dict():
            yield from ("--tiles", write_pairs(value))
        case "locks", list() | tuple() | dict():
            yield from ("--locks", write_json(value))
        case "shaping", _:
            for stage in [value] if isinstance(value, (str, dict)) else value:
                (name, params), *_ = stage.items() if isinstance(stage, Mapping) else [(stage, None)]
                yield from ("--shape", write_stage(name, params or {}))
        case "require", dict():
            for measure, wanted in value.items():
                yield from ("--require", write_requirement(measure, wanted))
        case _:
            raise UnwritableValue(word)


# -- recipes --------------------------------------------------------------------------------------------------


def _list_built_in_words(recipe: Recipe) -> list[str]:
    """Return the name of a built-in recipe, its knobs and other parameters; nothing if the recipe is not like one."""
    if recipe.name not in built_in.list_names("recipes"):
        return []
    wanted = _read_content(recipe)
    try:
        data, resolver = Resolver().read_recipe(recipe.name)
        own = {knob.name: knob.value for knob in recipe.knobs if knob.value is not None}
        knobs = [one for one in Recipe.of(data, resolver).knobs if own.get(one.name, one.value) != one.value]
        turned = Recipe.of(apply_knobs(data, {knob.name: own[knob.name] for knob in knobs}), resolver)
    except TilewrightError:
        return []
    found = _read_content(turned)
    others = _list_different(wanted["params"], found["params"])
    if wanted != {**found, "params": {**found["params"], **others}}:
        return []
    words = [word for knob in knobs for word in _write_option(knob.field, own[knob.name])]
    return [recipe.name, *words, *_write_settings(recipe.technique, others)]


def _write_difference(recipe: Recipe) -> dict[str, Any]:
    """Return the data of a recipe without its seed and without what its technique and its shapers do by default.

    Raise UnwritableValue if no data of this kind makes the same recipe.
    """
    wanted = _read_content(recipe)
    data: dict[str, Any] = {**wanted, "params": _list_changes(recipe.params, wanted["params"])}
    if recipe.shaping:
        written = [stage[one.shaper] for one, stage in zip(recipe.shaping, wanted["shaping"], strict=True)]
        stages = zip(recipe.shaping, written, strict=True)
        data["shaping"] = [{stage.shaper: _list_changes(stage.params, params)} for stage, params in stages]
    if recipe.require:
        data["require"] = {one.measure: _shorten_rule(one.to_data()) for one in recipe.require}
    bare = {key: value for key, value in data.items() if key not in ("tileset", "tries")}
    for candidate in (bare, {**bare, "tileset": data["tileset"]}, data):
        try:
            if _read_content(Recipe.of(candidate)) == wanted:
                return candidate
        except TilewrightError:
            continue
    raise UnwritableValue(recipe.title)


def _list_changes(params: Params, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that differ from their defaults, with built-in samples by name."""
    defaults = {field.name: field.default for field in fields_by_name(type(params)).values()}
    changes = _list_different({name: written[name] for name in written if name in params.model_fields_set}, defaults)
    return {name: _find_sample_name(getattr(params, name)) or value for name, value in changes.items()}


def _find_sample_name(value: Any) -> str | None:
    """Return the name of the built-in sample that a value is; None if it is not one."""
    if not isinstance(value, Samples) or len(value) != 1:
        return None
    return next((name for name in built_in.list_names("samples") if _read_sample(name) == value), None)


@cache
def _read_sample(name: str) -> Samples:
    return Samples.of(name)


def _shorten_rule(rule: Any) -> Any:
    return int(rule) if isinstance(rule, float) and rule.is_integer() else rule


def _list_different(params: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in others or value != others[name]}


def _read_content(recipe: Recipe) -> dict[str, Any]:
    """Return the data of a recipe that determines its maps, without the seed."""
    return {key: value for key, value in recipe.to_data().items() if key not in ("name", "seed", "attempt")}
