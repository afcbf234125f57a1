"""`tilewright search`: archives of the best and the most different maps; one file per command in `_search`."""

from __future__ import annotations

import click

from . import CommandGroup

COMMANDS = {
    "make": "Search for the best map in each cell of a grid of measures.",
    "resume": "Continue a search, with more evaluations on request.",
    "info": "Summarize an archive, and draw its heatmap or its maps.",
    "take": "Draw maps of an archive, or write them to files.",
    "export": "Export all maps of an archive as a corpus or as files.",
    "pair": "Make a map that changes from one style into another.",
    "variety": "Make a set of maps in which every two differ.",
}


@click.group("search", cls=CommandGroup, summaries=COMMANDS, folder="_search.", kind="search command")
def command() -> None:
    """Search for the best and the most different maps that a recipe can make.

    \b
    tilewright search make caves --vary walls=0.3..0.6 --vary steps --vary seed \\
        --measures floor_share:20,regions:20:log --objective path_length --evaluations 20000 -o archive
    tilewright search info archive -o heatmap.png --sheet maps.png
    tilewright search take archive 12,3 -o map.tmx
    tilewright search export archive -o corpus
    tilewright search variety caves --count 20 --min-distance 0.3 -o "level_{number}.tmx"
    """
