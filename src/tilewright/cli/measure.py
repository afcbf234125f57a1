"""`tilewright measure FILE...`: measures of maps."""

from __future__ import annotations

from functools import partial

import click

from .. import api
from ..analysis.similarity import Similarity
from ..core.errors import InvalidRecipe, UnknownName, format_number
from ..core.fields import fields_by_name
from ..core.notation import read_value
from ..core.registry import measures
from ..core.samples import Samples
from ..formats._files import read_text
from ..formats._resolver import FileResolver
from ._console import print_json, print_table
from ._inputs import OPTIONS, read_maps


@click.command("measure", params=list(OPTIONS))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "wanted",
    "--measures",
    metavar="NAME,...",
    help="Measures to compute, listed by `tilewright list measures`. [all that apply]",
)
@click.option(
    "like",
    "--like",
    metavar="SAMPLE,...",
    help='Samples to compare with: files, folders, quoted globs such as "maps/*.csv" or names of built-in samples; '
    "with a format as in awbw:maps.",
)
@click.option("--pattern-size", type=int, metavar="N", help="Edge length of the compared patterns in cells. [3]")
@click.option("--wrap-sample", metavar="AXES", help="Axes along which the samples wrap around, such as xy.")
@click.option("--wrap", metavar="AXES", help="Axes along which the maps wrap around, such as xy.")
@click.option(
    "--symmetries",
    type=int,
    metavar="1|2|8",
    help="Symmetries of the samples to include: 1 none, 2 mirror images, 8 also rotations. [1]",
)
@click.option("as_json", "--json", is_flag=True, help="Print JSON: a list of {file, measures}.")
def command(
    files: tuple[str, ...],
    wanted: str | None,
    like: str | None,
    pattern_size: int | None,
    wrap_sample: str | None,
    wrap: str | None,
    symmetries: int | None,
    as_json: bool,
    source: str | None,
    tileset: str | None,
    index: int | None,
    folders: tuple[str, ...],
    reading: tuple[str, ...],
) -> None:
    """Compute measures of maps.

    \b
    tilewright measure level.png
    tilewright measure *.json --measures floor_share,regions --json
    tilewright measure level.txt --like sample.txt --wrap-sample xy
    tilewright measure level.csv --from awbw --like awbw:maps
    """
    names = [name.strip() for name in wanted.split(",")] if wanted is not None else []
    for name in names:
        measures.complete(name)
    samples = None if like is None else _read_samples(like)
    compared = partial(
        api.measure,
        like=samples,
        pattern_size=pattern_size,
        wrap_sample=wrap_sample,
        wrap=wrap,
        symmetries=symmetries,
    )
    measured = [
        (given.name, compared(given.map, *names))
        for given in read_maps(files, source=source, tileset=tileset, index=index, folders=folders, reading=reading)
    ]
    if as_json:
        print_json([{"file": name, "measures": numbers} for name, numbers in measured])
    elif len(measured) == 1:
        ((name, numbers),) = measured
        entries = [(measures.get(measure), number) for measure, number in numbers.items()]
        rows = [(one.name, f"{format_number(number)} {one.unit}".rstrip(), one.summary) for one, number in entries]
        print_table(rows, "measure", "value", "description", title=name, numbers=[1])
    else:
        columns = list(dict.fromkeys(measure for _, numbers in measured for measure in numbers))
        lines = (
            (name, *(format_number(numbers[measure]) if measure in numbers else "" for measure in columns))
            for name, numbers in measured
        )
        print_table(lines, "file", *columns, numbers=range(1, len(columns) + 1))


def _read_samples(names: str) -> Samples:
    """Read samples as the parameter `sample` of `tilewright make` does."""
    try:
        return Samples.of(read_value(names, fields_by_name(Similarity)["like"], read_text), FileResolver())
    except (InvalidRecipe, UnknownName) as error:
        raise InvalidRecipe.from_error(error, "like") from None
