"""Console output: results on standard output, messages about them on standard error."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from io import StringIO
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

AS_JSON = click.Option(["as_json", "--json"], is_flag=True, help="Print JSON.")
DEFAULT_WIDTH = 100
MAX_WIDTH = 10_000
"""Width in columns of a table that is not shown in a terminal, so that nothing is wrapped or cut."""


def stdout_console() -> Console:
    """Return the console for results.

    Output to a pipe is plain. Rich respects NO_COLOR, TERM and the color support of the terminal.
    """
    return Console(highlight=False, markup=False, emoji=False)


def stderr_console() -> Console:
    """Return the console for messages: seeds, written files, progress."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def output_width() -> int:
    """Return the width of the terminal in columns, or `DEFAULT_WIDTH` without a terminal."""
    console = stdout_console()
    return console.width if console.is_terminal else DEFAULT_WIDTH


def info(text: str) -> None:
    """Print a dim line on standard error."""
    stderr_console().print(Text(make_printable(text), "dim"), soft_wrap=True)


def make_printable(text: str) -> str:
    """Replace control characters by spaces, so that text from a file cannot move the cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def print_table(
    rows: Iterable[Iterable[Text | str]],
    *columns: str,
    title: str = "",
    numbers: Container[int] = (),
    header: bool = True,
    style: str = "cyan",
) -> None:
    """Print rows as a table without lines.

    The table is fitted to the width of a terminal. In a pipe it is complete and without trailing spaces.

    Parameters
    ----------
    rows : iterable of iterable of (rich.text.Text or str)
        Cells of the table.
    *columns : str
        Column headings.
    title : str
        Line above the table.
    numbers : container of int
        Indices of the columns to align right.
    header : bool
        Whether to print the headings.
    style : str
        Style of the first column.
    """
    table = Table(title=title or None, title_justify="left", title_style="bold", header_style="dim", show_header=header)
    table.box, table.pad_edge, table.padding = None, False, (0, 2, 0, 0)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place in numbers else "left", overflow="fold")
    table.columns[0].style, table.columns[0].no_wrap, table.columns[0].overflow = style, True, "ellipsis"
    for row in rows:
        table.add_row(*row)
    console = stdout_console()
    if console.is_terminal:
        console.print(table)
        return
    wide = Console(file=StringIO(), width=MAX_WIDTH, color_system=None)
    with wide.capture() as captured:
        wide.print(table)
    click.echo("\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")))


def print_json(data: Any) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
