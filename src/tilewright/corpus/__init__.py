"""Many maps: made on all processors or a cluster, measured, stored, and read again.

>>> from tilewright.corpus import Corpus, make  # doctest: +SKIP
>>> corpus = make(tw.recipe("caves", width=64, height=64), "caves", count=1000, seed=7, measures=["regions"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .making import Progress as Progress
    from .making import make as make
    from .making import remake as remake
    from .reader import Batch as Batch
    from .reader import Corpus as Corpus
    from .sweep import Sweep as Sweep

_HOMES = {
    "make": "making",
    "remake": "making",
    "Progress": "making",
    "Corpus": "reader",
    "Batch": "reader",
    "Sweep": "sweep",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilewright.corpus' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
