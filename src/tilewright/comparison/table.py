"""Tables of a comparison: the columns, Markdown and CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO

from .rows import PATTERN_SIZES, ComparisonRow

NONE = "-"
"""Cell of a measure that does not apply."""


@dataclass(frozen=True)
class TableColumn:
    """A column of the table."""

    heading: str
    name: str
    """Name in CSV files."""
    value: Callable[[ComparisonRow], float | str | None]
    format: Callable[[float], str] = "{:.2f}".format

    def show(self, row: ComparisonRow) -> str:
        """Return the cell of a row."""
        value = self.value(row)
        return NONE if value is None else value if isinstance(value, str) else self.format(value)


def format_seconds(seconds: float) -> str:
    """Return a time with its unit.

    >>> [format_seconds(seconds) for seconds in (0.00123, 0.25, 12.3, 125)]
    ['1.2 ms', '250 ms', '12 s', '2 min 5 s']
    """
    if seconds < 1:
        return f"{1000 * seconds:.2g} ms" if seconds < 0.01 else f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _format_failures(row: ComparisonRow) -> str | None:
    return None if row.failures is None else f"{row.failures} of {row.count}"


def _make_divergence_columns(size: int) -> tuple[TableColumn, TableColumn]:
    return (
        TableColumn(f"new {size}", f"divergence_new_{size}", lambda row: row.divergences_new.get(size)),
        TableColumn(f"missed {size}", f"divergence_missed_{size}", lambda row: row.divergences_missed.get(size)),
    )


COLUMNS: tuple[TableColumn, ...] = (
    TableColumn("technique", "technique", lambda row: row.technique),
    TableColumn("training", "training_time", lambda row: row.training_time, format_seconds),
    TableColumn("per map", "map_time", lambda row: row.map_time, format_seconds),
    TableColumn("failures", "failures", _format_failures),
    *(column for size in PATTERN_SIZES for column in _make_divergence_columns(size)),
    TableColumn("copied block", "copied_block", lambda row: row.copied_block, "{:.1f}".format),
    TableColumn("copied share", "copied_share", lambda row: row.copied_share, "{:.0%}".format),
    TableColumn("diversity", "diversity", lambda row: row.diversity),
    TableColumn("playable", "playable_share", lambda row: row.playable_share, "{:.0%}".format),
    TableColumn("memory", "memory", lambda row: row.memory, lambda size: f"{size / 1e6:.0f} MB"),
    TableColumn(
        "smallest input", "smallest_input", lambda row: row.smallest_input, lambda side: f"{side:.0f}x{side:.0f}"
    ),
)
"""Columns of the table. Their order is that of questions: how fast, how reliable, how similar, how new, how varied."""


def format_rows(rows: Sequence[ComparisonRow]) -> list[list[str]]:
    """Return the cells of a table."""
    return [[column.show(row) for column in COLUMNS] for row in rows]


def format_problems(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return a line for each technique that made no maps."""
    return [f"{row.technique}: {row.problem}" for row in rows if row.problem]


def format_markdown(rows: Sequence[ComparisonRow]) -> str:
    """Return the table in Markdown, and below it the problems of techniques that made no maps."""
    align = [":---", *["---:"] * (len(COLUMNS) - 1)]
    lines = [[column.heading for column in COLUMNS], align, *format_rows(rows)]
    problems = [f"\n{line}\n" for line in format_problems(rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "".join(problems)


def format_csv(rows: Sequence[ComparisonRow]) -> str:
    """Return the table as CSV with unrounded numbers; times in seconds, memory in bytes."""
    content = StringIO()
    writer = csv.writer(content, lineterminator="\n")
    failures = [column.name for column in COLUMNS].index("failures")
    writer.writerow([*(column.name for column in COLUMNS), "count", "problem"])
    for row in rows:
        cells = ["" if (value := column.value(row)) is None else value for column in COLUMNS]
        cells[failures] = "" if row.failures is None else row.failures
        writer.writerow([*cells, row.count, row.problem])
    return content.getvalue()
