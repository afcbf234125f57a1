"""Options for the recipe fields other than params, shared by `make`, `run` and `convert`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np

from ..core.entries import RECIPE_FIELDS
from ..core.errors import InvalidRecipe, TilewrightError, errors_within, short_repr
from ..core.locks import Locks
from ..core.notation import (
    is_json,
    read_json,
    read_pairs,
    read_part,
    read_requirement,
    read_stage,
    read_value,
    with_part,
)
from ..core.params import Params, param
from ..core.recipe import Stage
from ..core.recipe_paths import find_owner, list_stages, with_part_at
from ..core.registry import shapers
from ..formats._files import read_text
from ..formats._resolver import FileResolver
from ._options import make_options, read_integers


class FieldOptions(Params):
    """Options for fields of a recipe."""

    tileset: str | None = param(None, metavar="NAME")
    """Tileset of the map: a name or a .toml file."""
    tiles: str | None = param(None, metavar="LABEL=TILE,...")
    """Tile for each label of the technique, such as floor=grass."""
    locks: str | None = param(None, metavar="MAP")
    """Map whose cells are kept, with ? for free cells; or JSON: [[x, y, tile]]."""
    keep: tuple[str, ...] = param((), metavar="X,Y,WIDTH,HEIGHT", repeated=True)
    """Rectangle of the --locks map to keep; all of it by default."""
    shaping: tuple[str, ...] = param((), flags=("--shape",), metavar="SHAPER[,NAME=VALUE]...", repeated=True)
    """Post-process the map with a shaper, such as connect,thickness=2; shapers are applied in order."""
    require: tuple[str, ...] = param((), metavar="MEASURE>NUMBER", repeated=True)
    """Retry until a measure meets a condition, such as regions=1 or path_length=60..66, or keep the best map:
    path_length=most."""
    improve: tuple[str, ...] = param((), metavar="MEASURE=RANGE", repeated=True)
    """Change the map until a measure reaches a target, such as path_length=60..66; the last shaper, improve."""


class ChangeOptions(Params):
    """Options for other changes of a recipe."""

    knobs: tuple[str, ...] = param((), flags=("--knob",), metavar="NAME=VALUE", repeated=True)
    """Turn a knob of the recipe, such as parks=3; `tilewright explain RECIPE` lists them. --parks 3 does the same."""
    settings_inside: tuple[str, ...] = param((), flags=("--set",), metavar="PATH=VALUE", repeated=True)
    """Change a field of the recipe, such as params.walls=0.5 or shaping.0.connect.thickness=2."""


TRIES = click.Option(
    ["--tries"], type=click.IntRange(min=1), metavar="N", help="Maximum number of tries for --require. [default 20]"
)
OPTIONS = (*make_options(FieldOptions), TRIES)
SHAPING = next(option for option in OPTIONS if option.name == "shaping")


def read_recipe_fields(values: dict[str, Any]) -> dict[str, Any]:
    """Remove the recipe options from `values`, and return the given ones as recipe fields.

    A command may lack some of the options.
    """
    typed = {str(option.name): values.pop(str(option.name), () if option.multiple else None) for option in OPTIONS}
    locks, keep, tiles, targets = typed["locks"], typed.pop("keep"), typed["tiles"], typed.pop("improve")
    if keep and locks is None:
        raise InvalidRecipe("only applies to a map of locks; name one with --locks", at="keep", rule="missing")
    given = read_json(locks, read_text) if locks is not None and is_json(locks, read_text) else locks
    fields = {
        **typed,
        "tiles": read_pairs(tiles, "tiles") if tiles is not None else None,
        "locks": _keep_inside(given, keep) if keep else given,
        "shaping": [*(dict([read_stage(text, read_text)]) for text in typed["shaping"]), *_read_improvement(targets)]
        or None,
        "require": dict(read_requirement(text) for text in typed["require"]) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _read_improvement(targets: Sequence[str]) -> list[dict[str, Any]]:
    """Return the stage of the shaper improve for targets such as `path_length=60..66`; nothing without targets."""
    return [{"improve": {"targets": dict(read_requirement(text, "improve") for text in targets)}}] if targets else []


def with_recipe_fields(data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe's data with other fields.

    Files in these fields are relative to the working directory, not to the recipe.
    """
    here = FileResolver()
    changed = {**data, **fields}
    if "tileset" in fields:
        changed["tileset"] = here.read_tileset(fields["tileset"])
    if "locks" in fields:
        changed["locks"] = _read_locks(fields["locks"])
    if "shaping" in fields:
        added = [_make_stage(name, values, here) for stage in fields["shaping"] for name, values in stage.items()]
        changed["shaping"] = [*list_stages(data), *added]
    return changed


def with_settings(data: Mapping[str, Any], settings: Sequence[str]) -> Mapping[str, Any]:
    """Return a recipe's data with several settings applied in order."""
    with errors_within("set", kind=TilewrightError, into=InvalidRecipe):
        for setting in settings:
            data = with_setting(data, setting)
    return data


def with_setting(data: Mapping[str, Any], setting: str) -> dict[str, Any]:
    """Return a recipe's data with one field set: `seed=3`, `params.walls=0.5`, `shaping.0.connect.thickness=2`.

    Names that are not fields of recipes are names of parameters: `walls=0.5`. Parameters are parsed as in `make`. Other
    values are parsed as JSON or, if that fails, taken as strings.
    """
    path, equals, text = setting.partition("=")
    steps = path.strip().split(".")
    if steps[0] not in RECIPE_FIELDS:
        steps = ["params", *steps]
    if not equals:
        raise InvalidRecipe(f"{short_repr(setting)}: a setting is written as name=value, such as params.width=40")
    if steps[0] in ("params", "shaping") and len(steps) > 1:
        with errors_within(steps[0]):
            owner = find_owner(data, ".".join(steps).replace("-", "_"))
        assert owner is not None
        value = read_part(text) if owner.inner else read_value(text, owner.field, read_text)
        return with_part_at(data, owner.path, value)
    value = read_json(text, read_text) if is_json(text, read_text) else read_part(text)
    return dict(with_part(data, steps, value, path))


def _make_stage(name: str, values: Mapping[str, Any], resolver: FileResolver) -> Stage:
    entry = shapers.get(name)
    with errors_within(name):
        return Stage(entry.name, entry.params.validate(values, resolver=resolver))


def _read_locks(given: Any) -> Locks:
    with errors_within("locks"):
        return Locks.of(given, FileResolver())


def _keep_inside(given: Any, rectangles: Sequence[str]) -> Locks:
    """Return the locks inside the rectangles."""
    locks = _read_locks(given)
    y, x = locks.places.T[-2:]
    kept = np.zeros(len(locks), dtype=np.bool_)
    for text in rectangles:
        left, top, width, height = _parse_rectangle(text)
        if locks.map_shape is not None and (left + width > locks.map_shape[-1] or top + height > locks.map_shape[-2]):
            raise InvalidRecipe(
                f"{text} exceeds the map of {locks.map_shape[-1]}x{locks.map_shape[-2]} cells", at="keep"
            )
        kept |= (left <= x) & (x < left + width) & (top <= y) & (y < top + height)
    return Locks(locks.places[kept], locks.label_indices[kept], locks.labels, locks.map_shape)


def _parse_rectangle(text: str) -> tuple[int, int, int, int]:
    numbers = read_integers(text)
    if len(numbers) != 4:
        raise InvalidRecipe("must be written X,Y,WIDTH,HEIGHT, such as 10,5,8,4", at="keep", got=text, rule="format")
    left, top, width, height = numbers
    if not width or not height:
        raise InvalidRecipe(f"width and height must be at least 1, got {text}", at="keep", rule="minimum")
    return left, top, width, height
