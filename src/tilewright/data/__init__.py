"""Built-in data files: tilesets, recipes, rulebooks, samples, drawings, archives, models, studio goals, tables of names
and messages, templates of file formats.

Samples of a game are in a folder that has the name of the format of its maps, such as `awbw`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

ENDINGS = {"tilesets": ".toml", "recipes": ".yaml", "rulebooks": ".yaml", "samples": ".txt"}
ENDINGS |= {"drawings": ".txt", "goals": ".yaml", "archives": ".npz", "models": ".npz", "templates": ""}
ENDINGS["tables"] = ".toml"
"""File extensions by kind. Names of templates have their own."""
MEMBER = ".csv"
"""File extension of the samples in folders."""


@cache
def list_names(kind: str) -> tuple[str, ...]:
    """Return the sorted names of the data files of a kind, such as "tilesets", "recipes", "rulebooks" or "samples"."""
    return _list_names(files(__name__) / kind, ENDINGS[kind])


def list_members(collection: str) -> tuple[str, ...]:
    """Return the sorted names of the samples in a folder; empty if there is no such folder."""
    return _list_collections().get(collection, ())


def list_collections() -> tuple[str, ...]:
    """Return the sorted names of the folders of samples."""
    return tuple(_list_collections())


@cache
def _list_collections() -> dict[str, tuple[str, ...]]:
    """Return the names of the samples by folder, both sorted."""
    folders = sorted(entry.name for entry in (files(__name__) / "samples").iterdir() if entry.is_dir())
    members = {name: _list_names(files(__name__) / "samples" / name, MEMBER) for name in folders}
    return {name: found for name, found in members.items() if found}


def _list_names(folder: Traversable, ending: str) -> tuple[str, ...]:
    return tuple(sorted(one.name.removesuffix(ending) for one in folder.iterdir() if one.name.endswith(ending)))


def read_member(collection: str, name: str) -> str:
    """Return the text of a sample in a folder."""
    return (files(__name__) / "samples" / collection / f"{name}{MEMBER}").read_text("utf-8")


def read_text(kind: str, name: str) -> str:
    """Return the text of a data file of a kind."""
    return (files(__name__) / kind / f"{name}{ENDINGS[kind]}").read_text("utf-8")


def read_bytes(kind: str, name: str) -> bytes:
    """Return the content of a binary data file of a kind."""
    return (files(__name__) / kind / f"{name}{ENDINGS[kind]}").read_bytes()


def read_sample_tileset(sample: str) -> str:
    """Return the text of a sample's tileset and edges, a TOML file of the same name."""
    return (files(__name__) / "samples" / f"{sample}.toml").read_text("utf-8")
