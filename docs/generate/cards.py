"""The gallery: a picture of every technique, recipe and shaper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import tilewright as tw
from tilewright import data
from tilewright.cli._catalogue import list_summaries

SEED = 7


def make_cards(kind: str) -> str:
    """Return the things of a kind as cards."""
    lines = [
        f'<div class="gallery" markdown>\n{_card(kind, name, line)}\n</div>' for name, line in list_summaries(kind)
    ]
    return '<div class="goals" markdown>\n' + "\n".join(lines) + "\n</div>"


def _card(kind: str, name: str, line: str) -> str:
    if kind == "techniques":
        target, command = f"techniques/{name}.md", f"tilewright make {name} --seed {SEED}"
        picture = f"pictures/{name}.png"
    else:
        target, command, picture = "recipes.md", f"tilewright run {name} --seed {SEED}", f"pictures/recipe-{name}.png"
    return f"\n### {name}\n\n[![A map by {name}]({picture})]({target})\n\n`{command}`\n\n{line}\n"


def iter_pictures() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file names of the recipes' pictures, and what draws each."""
    for name in data.list_names("recipes"):
        yield f"recipe-{name}.png", _drawing(name)


def _drawing(name: str) -> Callable[[Path], object]:
    """Return a function that draws a map by a recipe."""
    return lambda path: _draw(tw.run(name, seed=SEED), path)


def _draw(map: tw.TileMap, path: Path) -> None:
    """Draw a map with sprites and markers, about 960 pixels wide."""
    map.save(path, scale=max(8, min(32, 960 // map.width // 8 * 8)), sprites=True, markers=True)
