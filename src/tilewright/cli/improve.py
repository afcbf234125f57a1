"""`tilewright improve FILE TARGET...`: a map changed until its measures reach targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import numpy as np

from .. import api
from ..core.errors import InvalidRecipe, format_number, pluralize
from ..core.fields import fields_of
from ..core.notation import read_requirement
from ..core.registry import shapers
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..kernels import start_quickly
from . import _drawing, _inputs, _outputs
from ._console import info
from ._drawing import DrawMode, describe, draw, read_overlay
from ._options import make_field_option, params_command, read_options
from ._progress import Report, show_progress

FIELDS = {field.name: field for field in fields_of(shapers.get("improve").params) if field.name != "targets"}
SEED = click.Option(["--seed"], metavar="SEED", help="Seed for a map without a recipe. [0]")
PARAMS = [
    *(make_field_option(field, name) for name, field in FIELDS.items()),
    SEED,
    *_outputs.OPTIONS,
    *_drawing.OPTIONS,
]


@params_command("improve", _inputs.InputOptions, *PARAMS)
@click.argument("file", metavar="FILE")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
def command(
    file: str,
    targets: tuple[str, ...],
    params: _inputs.InputOptions,
    seed: str | None,
    outputs: tuple[str, ...],
    look: DrawMode | None,
    **values: Any,
) -> None:
    """Change a map until its measures reach targets.

    TARGET is a measure with a value, a range, a comparison, most or least; `tilewright list measures` lists the
    measures. Locked cells, cells with markers, rare tiles and a closed border stay as they are, and so do the patterns
    of the map as far as possible. If a target is not reached, the error says how near the map came.

    \b
    tilewright improve level.tmx path_length=60..66 -o better.tmx
    tilewright improve level.json regions=1 dead_ends=0 --keep door -o better.json
    tilewright improve level.json solvable=1 --steps 100000 -o better.gif
    """
    wanted = dict(read_requirement(text, "TARGET") for text in targets)
    settings = read_options({name: values.pop(name) for name in FIELDS}, FIELDS)
    overlay = None if outputs else read_overlay(values.pop("overlay"))
    written = _outputs.read_outputs(outputs, fields=("stem",), **values)
    maps = [*_inputs.read_maps([file], params)]
    if len(maps) != 1:
        raise InvalidRecipe(f"{file} has {len(maps)} maps; choose one with --index", at="FILE")
    one = maps[0]
    if seed is not None and one.map.recipe is not None:
        raise InvalidRecipe(f"{file} has a recipe, whose seed {one.map.recipe.seed} is used", at="seed")
    start_quickly()
    with show_progress() as report:
        frames = [*_watch(one.map, report, is_kept=any(target.is_animation for target in written),
                          seed=seed or "0", targets=wanted, **settings)]  # fmt: skip
        map = frames[-1].map
        assert map is not None
        files = [
            target.prepare(target.format_path(stem=one.stem), None if target.is_animation else map, frames)
            for target in written
        ]
    _outputs.refuse_clashes(files)
    for prepared in files:
        prepared.write()
    what = _describe_changes(one.map, map, [*wanted])
    if written:
        info(", ".join([what, _outputs.describe_written(written, {"stem": one.stem}, 1)]))
    else:
        draw(map, f"{describe(map)}, {what}", look=look, overlay=overlay)


def _watch(map: TileMap, report: Report, *, is_kept: bool, **settings: Any) -> Iterator[Frame]:
    """Run the shaper and report its progress. Yield all frames if they are kept, otherwise only the last."""
    for frame in api.watch_shaping(map, "improve", **settings):
        report(frame.progress, frame.note)
        if is_kept or frame.map is not None:
            yield frame


def _describe_changes(before: TileMap, after: TileMap, names: list[str]) -> str:
    """Return the measures before and after, and the number of changed cells."""
    old, new = api.measure(before, *names), api.measure(after, *names)
    shown = [f"{name} {_format(old[name])} -> {_format(new[name])}" for name in old]
    changed = int(np.count_nonzero(before.cells != after.cells))
    return ", ".join([*shown, f"{pluralize(changed, 'cell')} changed"])


def _format(number: float) -> str:
    return format_number(number) if number == number else "none"
