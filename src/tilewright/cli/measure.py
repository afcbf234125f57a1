"""`tilewright measure FILE...`: measures of maps."""

from __future__ import annotations

from typing import Any

import click

from .. import api
from ..analysis.similarity import Similarity
from ..core.errors import InvalidRecipe, UnknownName, errors_within, format_number
from ..core.fields import fields_by_name
from ..core.registry import measures
from ..core.samples import Samples
from ..formats._resolver import FileResolver
from ._console import print_json, print_table
from ._inputs import OPTIONS, read_maps
from ._options import make_field_option, read_options

FIELDS = fields_by_name(Similarity)
PARAMS = [*(make_field_option(field, name) for name, field in FIELDS.items()), *OPTIONS]


@click.command("measure", params=PARAMS)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "wanted",
    "--measures",
    metavar="NAME,...",
    help="Measures to compute, listed by `tilewright list measures`. [all that apply]",
)
@click.option("as_json", "--json", is_flag=True, help="Print JSON: a list of {file, measures}.")
def command(files: tuple[str, ...], wanted: str | None, as_json: bool, **options: Any) -> None:
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
    how = read_options({name: options.pop(name) for name in FIELDS}, FIELDS)
    if "like" in how:
        how["like"] = _read_samples(how["like"])
    measured = [(given.name, api.measure(given.map, *names, **how)) for given in read_maps(files, **options)]
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


def _read_samples(names: Any) -> Samples:
    """Read samples once for all maps."""
    with errors_within("like", kind=(InvalidRecipe, UnknownName), into=InvalidRecipe):
        return Samples.of(names, FileResolver())
