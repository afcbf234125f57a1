"""Search: archives of the best and the most different maps that a recipe can make.

>>> import tilewright as tw
>>> archive = tw.search.make(
...     "caves", vary={"walls": (0.3, 0.6), "seed": "free"}, measures={"floor_share": (0, 1, 5)},
...     objective="path_length", evaluations=64, seed=7,
... )
>>> archive.evaluations
64
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .archive import Archive as Archive
    from .archive import Elite as Elite
    from .mapset import Variety as Variety
    from .mapset import compare as compare
    from .pair import pair_styles as pair_styles
    from .run import SearchProgress as SearchProgress
    from .run import load as load
    from .run import make as make
    from .run import resume as resume
    from .select import variety as variety

_HOMES = {
    "Archive": "archive",
    "Elite": "archive",
    "SearchProgress": "run",
    "Variety": "mapset",
    "compare": "mapset",
    "load": "run",
    "make": "run",
    "pair_styles": "pair",
    "resume": "run",
    "variety": "select",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilewright.search' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
