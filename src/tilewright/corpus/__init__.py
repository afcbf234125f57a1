"""Corpora: large sets of maps, generated in parallel or on a cluster, measured, stored and read.

>>> import tilewright as tw
>>> recipe = tw.recipe("caves", width=12, height=8)
>>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
>>> corpus.table(["id", "regions"]).num_rows
8
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..jobs import refuse_without_packages as refuse_without_packages

if TYPE_CHECKING:
    from .build import make as make
    from .build import remake as remake
    from .reader import Batch as Batch
    from .reader import Corpus as Corpus
    from .sweep import Sweep as Sweep
    from .world import make_world as make_world
    from .world_reader import World as World

_HOMES = {
    "make": "build",
    "remake": "build",
    "Corpus": "reader",
    "Batch": "reader",
    "Sweep": "sweep",
    "World": "world_reader",
    "make_world": "world",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilewright.corpus' has no attribute {name!r}")
    refuse_without_packages()
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
