"""Functions shared by the corpus commands. The corpus package is imported when a command runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidRecipe, format_number
from ...corpus import refuse_without_packages
from ...formats._files import encode_image, refuse_unwritable, write_files
from .._console import info as print_info
from .._console import print_table

if TYPE_CHECKING:
    from ...corpus.reader import Corpus

PICTURE = click.Option(["picture", "-o", "--output"], metavar="FILE", help="Write a picture to a .png file.")
AS_JSON = click.Option(["as_json", "--json"], is_flag=True, help="Print JSON.")


def open_corpus(folder: str) -> Corpus:
    """Open the corpus in a folder; raise an error if a package for corpora is missing."""
    refuse_without_packages()
    from ...corpus.reader import Corpus

    return Corpus(folder)


def check_picture_path(path: str | None) -> None:
    """Check that a picture can be written to a path."""
    if path is not None and Path(path).suffix.lower() != ".png":
        raise InvalidRecipe("must end in .png", at=path)
    if path is not None:
        refuse_unwritable(path)


def write_picture(image: Any, path: str) -> None:
    write_files(path, {Path(path).name: encode_image(image)})
    print_info(f"wrote {path}")


def split_names(text: str | None) -> list[str]:
    """Split comma-separated names."""
    names = [name.strip() for name in (text or "").split(",")]
    return [name for name in names if name]


def format_value(value: Any) -> str:
    """Return a table value as a string."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return format_number(value) if isfinite(value) else "-"


def format_bytes(size: float) -> str:
    """Return a size in bytes with its unit."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}" if unit != "bytes" else f"{size} bytes"
        size /= 1000
    return f"{size:.3g} TB"


def print_rows(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Print maps as a table."""
    shown = (
        [str(row[name]) if name in ("id", "seed") else format_value(row[name]) for name in columns] for row in rows
    )
    numbers = [
        place
        for place, name in enumerate(columns)
        if name != "seed" and any(isinstance(row[name], int | float) for row in rows)
    ]
    print_table(shown, *columns, numbers=numbers)
