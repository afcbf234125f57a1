"""`tilewright measure FILE...`: measures of maps."""

from __future__ import annotations

from typing import Any

import click

from .. import api
from ..analysis.similarity import Similarity
from ..core.errors import InvalidRecipe, UnknownName, errors_within, format_number
from ..core.fields import fields_by_name
from ..core.params import param
from ..core.registry import measures
from ..core.require import MeasureNames
from ..core.samples import Samples
from ..formats._resolver import FileResolver
from ._console import AS_JSON, print_json, print_table
from ._inputs import InputOptions, read_maps
from ._options import make_options, params_command, read_options

FIELDS = fields_by_name(Similarity)


class MeasureOptions(InputOptions):
    """Options of `measure`."""

    measures: MeasureNames = param((), metavar="NAME,...")
    """Measures to compute, listed by `tilewright list measures`. [all that apply]"""


@params_command("measure", MeasureOptions, AS_JSON, *make_options(Similarity))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(files: tuple[str, ...], params: MeasureOptions, as_json: bool, **options: Any) -> None:
    """Compute measures of maps.

    \b
    tilewright measure level.png
    tilewright measure *.json --measures floor_share,regions --json
    tilewright measure level.txt --like sample.txt --wrap-sample xy
    tilewright measure level.csv --from awbw --like awbw:maps
    """
    how = read_options(options, FIELDS)
    if "like" in how:
        how["like"] = _read_samples(how["like"])
    measured = [(given.name, api.measure(given.map, *params.measures, **how)) for given in read_maps(files, params)]
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
