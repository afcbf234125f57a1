"""Where words go: results to standard output, notes about them to standard error."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from io import StringIO
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

DEFAULT_WIDTH = 100
MAX_WIDTH = 10_000
"""Columns of a table that is not for a terminal: nothing is wrapped or cut."""


def stdout_console() -> Console:
    """What was asked for. Plain in a pipe; rich itself heeds NO_COLOR, TERM and the terminal's colours."""
    return Console(highlight=False, markup=False, emoji=False)


def stderr_console() -> Console:
    """What is said beside it: seeds, written files, progress."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def output_width() -> int:
    """Columns of the terminal, or as many as are easily read where there is none."""
    console = stdout_console()
    return console.width if console.is_terminal else DEFAULT_WIDTH


def info(text: str) -> None:
    """One dim line beside the result."""
    stderr_console().print(Text(make_printable(text), "dim"), soft_wrap=True)


def make_printable(text: str) -> str:
    """Text from a file cannot move the cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def print_table(
    rows: Iterable[Iterable[Text | str]],
    *columns: str,
    title: str = "",
    numbers: Container[int] = (),
    header: bool = True,
    style: str = "cyan",
) -> None:
    """Print rows as a table without lines, whose first column has a style; `numbers` are the columns to align right.

    It is fitted to a terminal; in a pipe it is whole, without padding at the line's end.
    """
    made = Table(title=title or None, title_justify="left", title_style="bold", header_style="dim", show_header=header)
    made.box, made.pad_edge, made.padding = None, False, (0, 2, 0, 0)
    for place, column in enumerate(columns):
        made.add_column(column, justify="right" if place in numbers else "left", overflow="fold")
    made.columns[0].style, made.columns[0].no_wrap, made.columns[0].overflow = style, True, "ellipsis"
    for row in rows:
        made.add_row(*row)
    console = stdout_console()
    if console.is_terminal:
        console.print(made)
        return
    wide = Console(file=StringIO(), width=MAX_WIDTH, color_system=None)
    with wide.capture() as caught:
        wide.print(made)
    click.echo("\n".join(line.rstrip() for line in caught.get().rstrip("\n").split("\n")))


def print_json(data: Any) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
