"""Data that ships with Tilewright: tilesets, recipes, rulebooks, samples, drawings, and names of games.

Samples of a game are in a folder named like the format that reads its maps, such as `awbw`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

ENDINGS = {"tilesets": ".toml", "recipes": ".yaml", "rulebooks": ".yaml", "samples": ".txt"}
ENDINGS |= {"drawings": ".txt", "games": ".toml"}
MEMBER = ".csv"
"""Extension of the samples in folders."""


@cache
def list_names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind ("tilesets", "recipes", "rulebooks", "samples"), sorted."""
    return _list_names(files(__name__) / kind, ENDINGS[kind])


@cache
def list_members(collection: str) -> tuple[str, ...]:
    """Return the names of the samples in a folder, sorted; empty if there is no such folder."""
    return _list_names(files(__name__) / "samples" / collection, MEMBER) if collection in list_collections() else ()


@cache
def list_collections() -> tuple[str, ...]:
    """Return the names of the folders of samples, sorted."""
    folders = (entry for entry in (files(__name__) / "samples").iterdir() if entry.is_dir())
    return tuple(sorted(folder.name for folder in folders if _list_names(folder, MEMBER)))


def _list_names(folder: Traversable, ending: str) -> tuple[str, ...]:
    return tuple(sorted(one.name.removesuffix(ending) for one in folder.iterdir() if one.name.endswith(ending)))


def read_member(collection: str, name: str) -> str:
    """Return the text of a sample in a folder."""
    return (files(__name__) / "samples" / collection / f"{name}{MEMBER}").read_text("utf-8")


def read_text(kind: str, name: str) -> str:
    """Return the text of a file by kind and name."""
    return (files(__name__) / kind / f"{name}{ENDINGS[kind]}").read_text("utf-8")


def read_sample_tileset(sample: str) -> str:
    """Return the text of the tileset of a sample, which is in a file beside it."""
    return (files(__name__) / "samples" / f"{sample}.toml").read_text("utf-8")
