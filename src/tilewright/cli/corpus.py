"""`tilewright corpus`: many maps, made and looked at; one file per command in _corpus."""

from __future__ import annotations

import click

from . import Program

COMMANDS = {
    "make": "Make a corpus, or go on with one that was stopped.",
    "info": "Tell what a corpus holds: sizes, failures, how its measures are spread.",
    "query": "Find maps by a condition, such as path_length > 80 and regions = 1.",
    "take": "Take maps out of a corpus, as files or to look at.",
    "best": "Find the maps with the most of a measure, all alike or far apart.",
    "range": "Draw the expressive range: how two measures are spread together.",
    "compare": "Tell how two corpora differ.",
    "split": "Divide a corpus into parts for training and testing.",
    "export": "Write maps for other tools, as text in the manner of VGLC or as numpy arrays.",
    "repair": "Check every part of a corpus, and make damaged ones again.",
}


@click.group(
    "corpus",
    cls=Program,
    summaries=COMMANDS,
    folder="_corpus.",
    kind="corpus command",
    invoke_without_command=True,
)
@click.pass_context
def command(context: click.Context) -> None:
    """Make maps by the million, and measure, filter, compare and export them.

    \b
    tilewright corpus make open-caves --count 10000 --seed 7 --measures floor_share,regions,path_length -o caves
    tilewright corpus info caves
    tilewright corpus query caves "path_length > 80 and regions = 1"
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus range caves --x floor_share --y path_length -o range.png
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
