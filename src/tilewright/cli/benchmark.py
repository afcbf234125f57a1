"""`tilewright benchmark NAME`: results in a benchmark, whose options are its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from ..core.entries import Benchmark
from ..core.errors import TilewrightError
from ..core.fields import Field, fields_of
from ..core.notation import flag_of, read_value
from ..core.registry import benchmarks
from ..kernels import start_quickly
from ._console import print_json, print_table
from ._corpus import AS_JSON
from ._options import make_field_option
from ._progress import show_progress

PLUGINS = {"pcg": "tilewright-pcg-benchmark, the folder plugins/pcg-benchmark in the repository of Tilewright"}
"""Packages of benchmarks that belong to Tilewright, by the name of the benchmark."""


class BenchmarkGroup(click.Group):
    """Benchmarks as commands."""

    def list_commands(self, context: click.Context) -> list[str]:
        return benchmarks.names()

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in benchmarks:
            if context.resilient_parsing:
                return None
            if name in PLUGINS:
                raise TilewrightError(f"the benchmark {name} needs the package {PLUGINS[name]}; install it with pip")
        return _make_command(benchmarks.get(name))


@click.group("benchmark", cls=BenchmarkGroup, invoke_without_command=True, subcommand_metavar="BENCHMARK [OPTIONS]")
@click.pass_context
def command(context: click.Context) -> None:
    """Take public benchmarks, which plugins add.

    \b
    tilewright benchmark pcg --problem zelda --count 100 --seed 1
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _make_command(entry: Benchmark) -> click.Command:
    fields = {field.name: field for field in fields_of(entry.params)}
    options = [make_field_option(field, name, flag_of(field)) for name, field in fields.items()]
    return click.Command(
        entry.name,
        params=[*options, AS_JSON],
        callback=partial(_run, entry, fields),
        help=entry.doc,
        short_help=entry.summary,
    )


def _run(entry: Benchmark, fields: Mapping[str, Field], /, *, as_json: bool, **values: Any) -> None:
    texts = {name: value for name, value in values.items() if value is not None}
    read = {name: read_value(text, fields[name]) if isinstance(text, str) else text for name, text in texts.items()}
    params = entry.params.validate(read)
    start_quickly()
    with show_progress() as report:
        rows = [*entry.body(params, report)]
    if as_json:
        print_json(rows)
    elif rows:
        columns = [*rows[0]]
        numbers = [place for place, name in enumerate(columns) if not isinstance(rows[0][name], str)]
        print_table([[_format(row[name]) for name in columns] for row in rows], *columns, numbers=numbers)


def _format(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
