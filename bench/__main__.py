"""Measure all subjects, or some, and print the results; for all of them, also write bench/results.json."""

from __future__ import annotations

import ast
import json
import platform
import sys
from dataclasses import fields
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tilewright.core.errors import UnknownName

from .row import Row

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
WIDTH = 140
"""Width in columns without a terminal."""


class Program(click.Command):
    """Command whose help lists the subjects."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Subjects"):
            formatter.write_dl([*_find_subjects().items()])


@click.command(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 140})
@click.argument("subjects", nargs=-1)
@click.option("--rows", is_flag=True, help="Show the rows of the last full run without measuring.")
def main(subjects: tuple[str, ...], rows: bool) -> None:
    """Measure all SUBJECTS, or some, and print the results; for all of them, also write bench/results.json."""
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    known = _find_subjects()
    unknown = [str(UnknownName("subject", name, known)) for name in subjects if name not in known]
    if unknown:
        raise click.ClickException("; ".join(unknown))
    if rows:
        console.print(_build_table([_read_row(row) for row in json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]]))
        return
    measured = []
    for name in subjects or known:
        for row in import_module(f"{__package__}.{name}").rows():
            measured.append(row)
            print(row.what, row.peer_name and f"compared with {row.peer_name}", file=sys.stderr)
    console.print(_build_table(measured))
    if not subjects:
        results = {"machine": _describe_machine(), "rows": [row.record() for row in measured]}
        RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _find_subjects() -> dict[str, str]:
    """Return the modules with a function `rows`, and the first line of their docstrings, without importing them."""
    found = {}
    for module in iter_modules([str(FOLDER)]):
        source = ast.parse((FOLDER / f"{module.name}.py").read_text(encoding="utf-8"))
        if any(isinstance(part, ast.FunctionDef) and part.name == "rows" for part in source.body):
            found[module.name] = (ast.get_docstring(source) or "").partition("\n")[0]
    return found


def _read_row(row: dict[str, Any]) -> Row:
    return Row(**{field.name: row[field.name] for field in fields(Row) if field.name in row})


def _build_table(rows: list[Row]) -> Table:
    table = Table(title="Tilewright and alternatives, one thread")
    for heading in ("what", "ours", "peer", "ratio", "target", "met"):
        table.add_column(heading, justify="left" if heading in ("what", "peer") else "right")
    for row in rows:
        table.add_row(
            row.what,
            _format_amount(row.ours, row.unit),
            f"{row.peer_name}: {_format_amount(row.peer, row.unit)}" if row.peer is not None else "",
            _format_amount(row.ratio, "x"),
            row.wanted,
            {True: "[green]yes", False: "[red]no", None: ""}[row.holds],
        )
    return table


def _format_amount(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{number}{'' if unit == 'x' else ' '}{unit}"


def _describe_machine() -> dict[str, str]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _find_processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("tilewright", "numpy", "numba", "scipy")},
    }


def _find_processor() -> str:
    """Return the name of the processor, which Python does not provide on Linux."""
    facts = Path("/proc/cpuinfo")
    names = [line for line in facts.read_text().splitlines() if line.startswith("model name")] if facts.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.processor()


if __name__ == "__main__":
    main(prog_name="python -m bench")
