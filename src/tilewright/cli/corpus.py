"""`tilewright corpus`: large sets of maps; one file per command in `_corpus`."""

from __future__ import annotations

import click

from . import CommandGroup

COMMANDS = {
    "make": "Generate a corpus, or resume one.",
    "info": "Summarize a corpus: sizes, failures, distributions of its measures.",
    "query": "Find maps by a condition, such as path_length > 80 and regions = 1.",
    "take": "Draw maps of a corpus, or write them to files.",
    "best": "Find the maps with the highest values of a measure, optionally a diverse set.",
    "range": "Draw the expressive range: the joint distribution of two measures.",
    "compare": "Compare the distributions and maps of two corpora.",
    "split": "Split a corpus into training, validation and test sets.",
    "export": "Export maps as VGLC text files or as NumPy arrays.",
    "repair": "Check all parts of a corpus and regenerate damaged ones.",
}


@click.group("corpus", cls=CommandGroup, summaries=COMMANDS, folder="_corpus.", kind="corpus command")
def command() -> None:
    """Generate large sets of maps; measure, filter, compare and export them.

    \b
    tilewright corpus make open-caves --count 10000 --seed 7 --measures floor_share,regions,path_length -o caves
    tilewright corpus info caves
    tilewright corpus query caves "path_length > 80 and regions = 1"
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus range caves --x floor_share --y path_length -o range.png
    """
