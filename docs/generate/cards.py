"""The gallery: a picture of every technique and recipe, made by the command below it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tilewright.cli import main
from tilewright.cli._catalogue import list_summaries

SEED = 7
VERBS = {"techniques": "make", "recipes": "run"}
GALLERY = re.compile(r"^<!-- site: gallery of (\w+) -->$", re.MULTILINE)


def fill_galleries(text: str) -> str:
    """Return a page with its galleries as cards."""
    return GALLERY.sub(lambda match: make_cards(match[1]), text)


def make_cards(kind: str) -> str:
    """Return the things of a kind as cards."""
    lines = [
        f'<div class="gallery" markdown>\n{_card(kind, name, line)}\n</div>' for name, line in list_summaries(kind)
    ]
    return '<div class="goals" markdown>\n' + "\n".join(lines) + "\n</div>"


def _card(kind: str, name: str, line: str) -> str:
    target = f"techniques/{name}.md" if kind == "techniques" else "recipes.md"
    picture = f"[![A map by {name}](pictures/{name_picture(kind, name)})]({target})"
    return f"\n### {name}\n\n{picture}\n\n`{write_command(kind, name)}`\n\n{line}\n"


def name_picture(kind: str, name: str) -> str:
    """Return the file name of a card's picture."""
    return f"{name}.png" if kind == "techniques" else f"recipe-{name}.png"


def write_command(kind: str, name: str) -> str:
    """Return the command of a card, which makes its picture."""
    return f"tilewright {VERBS[kind]} {name} --seed {SEED} -o {name}.png"


def iter_pictures() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file names of the cards' pictures, and what draws each."""
    for kind in VERBS:
        for name, _ in list_summaries(kind):
            yield name_picture(kind, name), partial(_run, write_command(kind, name))


def _run(command: str, path: Path) -> None:
    """Run the command of a card with another output."""
    *arguments, _ = shlex.split(command)[1:]
    if main([*arguments, str(path)]):
        raise RuntimeError(f"the gallery's command failed: {command}")
