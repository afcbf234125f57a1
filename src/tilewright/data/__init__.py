"""What ships with Tilewright: tilesets (TOML), recipes (YAML), samples (text, each with a tileset), all made by us."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

ENDINGS = {"tilesets": ".toml", "recipes": ".yaml", "samples": ".txt"}


@cache
def names(shelf: str) -> tuple[str, ...]:
    """The names on a shelf ("tilesets", "recipes", "samples"), sorted."""
    ending = ENDINGS[shelf]
    folder = files(__name__) / shelf
    found = (entry.name for entry in folder.iterdir()) if folder.is_dir() else iter(())
    return tuple(sorted(name.removesuffix(ending) for name in found if name.endswith(ending)))


def text(shelf: str, name: str) -> str:
    """The text of one of them."""
    return (files(__name__) / shelf / f"{name}{ENDINGS[shelf]}").read_text("utf-8")


def looks(sample: str) -> str:
    """The text of a sample's tileset, which stands beside it."""
    return (files(__name__) / "samples" / f"{sample}.toml").read_text("utf-8")
