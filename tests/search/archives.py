"""Small searches of caves for tests of archives."""

from __future__ import annotations

from typing import Any

import tilewright as tw
from tilewright.search import Archive
from tilewright.search.definition import Definition

OPTIONS: dict[str, Any] = {
    "vary": {"walls": (0.3, 0.6), "seed": "free"},
    "measures": {"floor_share": (0, 1, 6)},
    "objective": "path_length",
    "seed": 7,
}


def make_cave_archive(width: int = 20, height: int = 12, **changes: Any) -> Archive:
    """Search with `OPTIONS` and changes of them."""
    return tw.search.make(tw.recipe("caves", width=width, height=height), **{**OPTIONS, **changes})


def define_search(width: int = 20, height: int = 12, **changes: Any) -> Definition:
    """Return the definition of such a search."""
    options = {**OPTIONS, "vary": {"walls": (0.3, 0.6), "steps": (0, 8)}, **changes, "seed": "7"}
    return Definition.of(tw.recipe("caves", width=width, height=height), **options)
