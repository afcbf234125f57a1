"""Pieces of Markdown."""

from __future__ import annotations


def table(*rows: tuple[str, ...]) -> str:
    """Return a table whose first row is its head."""
    head, *body = [f"| {' | '.join(_cell(part) for part in row)} |" for row in rows]
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *body]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
