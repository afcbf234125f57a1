"""What ships with Tilewright, all made by us: tilesets, recipes, rulebooks, samples, and drawings of sprites.

Samples of a game come in folders: each is called like the format that reads its maps, such as `awbw`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

ENDINGS = {"tilesets": ".toml", "recipes": ".yaml", "rulebooks": ".yaml", "samples": ".txt", "drawings": ".txt"}
MEMBER = ".csv"
"""Ending of the samples in folders."""


@cache
def names(shelf: str) -> tuple[str, ...]:
    """The names on a shelf ("tilesets", "recipes", "rulebooks", "samples"), sorted."""
    ending = ENDINGS[shelf]
    folder = files(__name__) / shelf
    found = (entry.name for entry in folder.iterdir()) if folder.is_dir() else iter(())
    return tuple(sorted(name.removesuffix(ending) for name in found if name.endswith(ending)))


@cache
def members(collection: str) -> tuple[str, ...]:
    """The names of the samples in a folder of them, sorted; none where there is no such folder."""
    folder = files(__name__) / "samples" / collection
    if collection not in collections():
        return ()
    return tuple(sorted(entry.name.removesuffix(MEMBER) for entry in folder.iterdir() if entry.name.endswith(MEMBER)))


@cache
def collections() -> tuple[str, ...]:
    """The folders of samples, sorted."""
    folder = files(__name__) / "samples"
    inner = [entry for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
    return tuple(sorted(entry.name for entry in inner if any(one.name.endswith(MEMBER) for one in entry.iterdir())))


def member(collection: str, name: str) -> str:
    """The text of a sample in a folder of them."""
    return (files(__name__) / "samples" / collection / f"{name}{MEMBER}").read_text("utf-8")


def text(shelf: str, name: str) -> str:
    """The text of one of them."""
    return (files(__name__) / shelf / f"{name}{ENDINGS[shelf]}").read_text("utf-8")


def looks(sample: str) -> str:
    """The text of a sample's tileset, which stands beside it."""
    return (files(__name__) / "samples" / f"{sample}.toml").read_text("utf-8")
