"""JavaScript event handlers and start-up code of the page, one file each beside the module that uses it."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def read_script(module: str, name: str) -> str:
    """Return the content of a script in the folder of a module, given its `__file__`."""
    return Path(module).with_name(f"{name}.js").read_text("utf-8").strip()


def read_page_script(name: str) -> str:
    """Return the content of a script of the page."""
    return read_script(__file__, name)
