"""JavaScript that runs in the browser: handlers of events, and what the page does when it opens; one file each."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def script(name: str) -> str:
    """Return the text of one of the files beside this one."""
    return (Path(__file__).parent / f"{name}.js").read_text("utf-8").strip()
