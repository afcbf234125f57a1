"""Shared functions of the text formats."""

from __future__ import annotations

from ..core.errors import BadFile, TooLarge
from ..core.grid import MAX_CELLS
from . import Source

MAX_LINES = 1 << 20


def read_text(source: Source) -> str:
    """Decode UTF-8 with or without a byte order mark, and normalize line ends."""
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"not UTF-8 text (byte {error.start})", at=source.name) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_text_size(content: bytes) -> None:
    """Raise TooLarge for more bytes or lines than a map of text may have."""
    if len(content) > MAX_CELLS or content.count(b"\n") > MAX_LINES:
        raise TooLarge(f"must have at most {MAX_CELLS:,} bytes and {MAX_LINES:,} lines; use npz for larger maps")


def check_row_lengths(rows: list[str], name: str) -> list[str]:
    """Return the rows. Raise BadFile if the rows differ in length."""
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]) or not row:
            raise BadFile(
                f"row {number} has {len(row)} cells, the first has {len(rows[0])}", at=(name, "row", number), place=name
            )
    return rows
