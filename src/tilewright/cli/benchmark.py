"""`tilewright benchmark`: results in public benchmarks; one file per command in `_benchmark`."""

from __future__ import annotations

import click

from . import CommandGroup

COMMANDS = {"pcg": "Make contents of the PCG Benchmark, and have it judge them."}


@click.group(
    "benchmark",
    cls=CommandGroup,
    summaries=COMMANDS,
    folder="_benchmark.",
    kind="benchmark command",
    invoke_without_command=True,
)
@click.pass_context
def command(context: click.Context) -> None:
    """Take public benchmarks.

    \b
    tilewright benchmark pcg --problem zelda --count 100 --seed 1
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
