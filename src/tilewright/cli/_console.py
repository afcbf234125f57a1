"""Where words go: results to standard output, notes about them to standard error."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDEST = 10_000
"""Columns of a table that is not for a terminal: nothing is wrapped or cut."""


def results() -> Console:
    """What was asked for. Plain in a pipe; rich itself heeds NO_COLOR, TERM and the terminal's colours."""
    return Console(highlight=False, markup=False, emoji=False)


def notes() -> Console:
    """What is said beside it: seeds, written files, progress."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def note(text: str) -> None:
    """One dim line beside the result."""
    notes().print(Text(printable(text), "dim"), soft_wrap=True)


def printable(text: str) -> str:
    """Text from a file cannot move the cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def table(title: str, *columns: str) -> Table:
    """A table without lines; the first column stands out."""
    made = Table(*columns, title=title or None, title_justify="left", title_style="bold", box=None, header_style="dim")
    made.pad_edge = False
    made.padding = (0, 2, 0, 0)
    made.columns[0].style = "cyan"
    made.columns[0].no_wrap = True
    for column in made.columns[1:]:
        column.overflow = "fold"
    return made


def print_table(made: Table) -> None:
    """Fitted to a terminal; whole, without padding at the line's end, in a pipe."""
    console = results()
    if console.is_terminal:
        console.print(made)
        return
    wide = Console(file=StringIO(), width=WIDEST, color_system=None)
    with wide.capture() as caught:
        wide.print(made)
    click.echo("\n".join(line.rstrip() for line in caught.get().rstrip("\n").split("\n")))


def print_json(data: Any) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
