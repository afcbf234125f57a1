"""Measures all subjects, or those named, prints the table and, for all of them, writes bench/results.json."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules

from rich.console import Console
from rich.table import Table

from .row import Row

FOLDER = Path(__file__).parent
WIDTH = 140
"""Columns where the output is no terminal, whose own width would cut the table."""


def main() -> None:
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    rows = []
    for row in _rows(sys.argv[1:]):
        rows.append(row)
        print(row.what, row.peer_name and f"beside {row.peer_name}", file=sys.stderr)
    console.print(_table(rows))
    if not sys.argv[1:]:
        results = {"machine": _machine(), "rows": [row.record() for row in rows]}
        (FOLDER / "results.json").write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _rows(names: list[str]) -> Iterator[Row]:
    for name in names or sorted(module.name for module in iter_modules([str(FOLDER)])):
        if hasattr(subject := import_module(f"{__package__}.{name}"), "rows"):
            yield from subject.rows()


def _table(rows: list[Row]) -> Table:
    table = Table(title="Tilewright beside others, one thread")
    for heading in ("what", "ours", "peer", "ratio", "wanted", "holds?"):
        table.add_column(heading, justify="left" if heading in ("what", "peer") else "right")
    for row in rows:
        table.add_row(
            row.what,
            _amount(row.ours, row.unit),
            f"{row.peer_name}: {_amount(row.peer, row.unit)}" if row.peer is not None else "",
            _amount(row.ratio, "x"),
            row.wanted,
            {True: "[green]yes", False: "[red]no", None: ""}[row.holds],
        )
    return table


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{number}{'' if unit == 'x' else ' '}{unit}"


def _machine() -> dict[str, str]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("tilewright", "numpy", "numba", "scipy")},
    }


def _processor() -> str:
    """The processor's name, which Python does not tell on Linux."""
    facts = Path("/proc/cpuinfo")
    names = [line for line in facts.read_text().splitlines() if line.startswith("model name")] if facts.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.processor()


if __name__ == "__main__":
    main()
