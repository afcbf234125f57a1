"""`tilewright convert IN... -o OUT`: maps of files in another format."""

from __future__ import annotations

from typing import Any

import click

from .. import api
from ..core.notation import read_stage
from ..formats._files import read_text
from . import _outputs
from ._console import info
from ._inputs import InputOptions, read_maps
from ._options import params_command
from ._progress import show_progress
from ._recipe import SHAPING

WRITING = [option for option in _outputs.OPTIONS if option.name not in ("frames", "duration")]


@params_command("convert", InputOptions, SHAPING, *WRITING)
@click.argument("files", metavar="IN... [OUT]", nargs=-1, required=True)
def command(
    files: tuple[str, ...], params: InputOptions, shaping: tuple[str, ...], outputs: tuple[str, ...], **options: Any
) -> None:
    """Convert maps to another format; post-process them on request.

    Without -o, the last name is the output. For several maps, the name of the output needs {stem} (the input's name
    without extension) or {index}. IN may also be a folder of maps or a quoted pattern such as "maps/*.csv". All maps
    are read and prepared before the first file is written: if one is invalid, no file is written.

    \b
    tilewright convert level.json level.tmx
    tilewright convert *.txt --tileset cave -o {stem}.png --scale 8
    tilewright convert maps/*.csv --from awbw -o "out/{stem}.png"
    tilewright convert level.tmx --shape connect -o joined.tmx
    tilewright convert world.zarr@30000,20000,200,100 -o window.tmx
    """
    if not outputs:
        if len(files) < 2:
            raise click.UsageError(f"{files[0]}: name a file to write", click.get_current_context())
        *inputs, last = files
        files, outputs = tuple(inputs), (last,)
    stages = [read_stage(text, read_text) for text in shaping]
    targets = _outputs.read_outputs(outputs, fields=("stem", "index"), **options)
    given = []
    with show_progress() as report:
        for one in read_maps(files, params):
            report(None, f"reading {one.stem}")
            given.append(one)
    fields: list[dict[str, str | int]] = [{"stem": one.stem, "index": number} for number, one in enumerate(given)]
    _outputs.refuse_collisions(targets, fields, "stem", "index")
    prepared = []
    with show_progress() as report:
        for number, (one, filled) in enumerate(zip(given, fields, strict=True)):
            report(number / len(given), f"{number + 1} of {len(given)}")
            map = one.map
            for name, values in stages:
                map = api.shape(map, name, **values)
            prepared.append(
                [target.prepare(target.format_path(**filled), map, alone=len(given) == 1) for target in targets]
            )
    for files_of_one in prepared:
        _outputs.refuse_clashes(files_of_one)
    for number, files_of_one in enumerate(prepared):
        for file in files_of_one:
            file.write(first=number == 0)
    if written := _outputs.describe_written(targets, fields[-1], len(given)):
        hint = " (one frame; make and run write animations)" if any(target.is_animation for target in targets) else ""
        info(written + hint)
