"""`tilewright benchmark NAME`: results in a benchmark, whose options are its parameters."""

from __future__ import annotations

from typing import Any

import click

from ..core.entries import Benchmark
from ..core.errors import TilewrightError
from ..core.params import Params
from ..core.registry import benchmarks
from ..kernels import start_quickly
from . import HelpGroup
from ._console import AS_JSON, print_json, print_table
from ._options import params_command
from ._progress import show_progress

PLUGINS = {"pcg": "tilewright-pcg-benchmark, the folder plugins/pcg-benchmark in the repository of Tilewright"}
"""Packages of benchmarks that belong to Tilewright, by the name of the benchmark."""


class BenchmarkGroup(HelpGroup):
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


@click.group("benchmark", cls=BenchmarkGroup, subcommand_metavar="BENCHMARK [OPTIONS]")
def command() -> None:
    """Take public benchmarks, which plugins add.

    \b
    tilewright benchmark pcg --problem zelda --count 100 --seed 1
    """


def _make_command(entry: Benchmark) -> click.Command:
    def run(params: Params, as_json: bool) -> None:
        start_quickly()
        with show_progress() as report:
            rows = [*entry.body(params, report)]
        if as_json:
            print_json(rows)
        elif rows:
            columns = [*rows[0]]
            numbers = [place for place, name in enumerate(columns) if not isinstance(rows[0][name], str)]
            print_table([[_format(row[name]) for name in columns] for row in rows], *columns, numbers=numbers)

    run.__doc__ = entry.doc
    return params_command(entry.name, entry.params, AS_JSON)(run)


def _format(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
