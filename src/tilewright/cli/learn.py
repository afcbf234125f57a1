"""`tilewright learn TECHNIQUE SAMPLE... -o MODEL`: what a technique learns from samples, as a file."""

from __future__ import annotations

from typing import Any

import click

from .. import api
from ..core.errors import InvalidRecipe, counted
from ..core.registry import techniques
from ..formats._files import refuse_unwritable
from ._parameters import assign


@click.command("learn")
@click.argument("technique")
@click.argument("samples", metavar="SAMPLE...", nargs=-1, required=True)
@click.option("output", "-o", "--output", metavar="MODEL", required=True, help="The file to write, .json.")
@click.option(
    "settings", "--set", multiple=True, metavar="NAME=VALUE", help="How samples are read, such as pattern_sizes=2,3."
)
def command(technique: str, samples: tuple[str, ...], output: str, settings: tuple[str, ...]) -> None:
    """Learn from samples, so that they need not be read again.

    \b
    tilewright learn patterns village -o village.json
    tilewright learn patterns a.txt b.txt --set pattern_sizes=2,3 -o mine.json
    tilewright make patterns --model village.json --width 60
    """
    entry = techniques.get(technique)
    params: dict[str, Any] = {}
    if entry.learn is not None:
        try:
            for setting in settings:
                assign(params, setting, entry.learn)
        except InvalidRecipe as error:
            raise error.within("set") from None
    model = api.learn(technique, list(samples) if len(samples) > 1 else samples[0], **params)
    refuse_unwritable(output)
    model.save(output)
    click.echo(f"{technique} learned from {counted(len(samples), 'sample')}, wrote {output}", err=True)
