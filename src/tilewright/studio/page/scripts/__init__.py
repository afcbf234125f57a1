"""JavaScript event handlers and start-up code of the page, one file each."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def script(name: str) -> str:
    """Return the content of a script file."""
    return (Path(__file__).parent / f"{name}.js").read_text("utf-8").strip()
