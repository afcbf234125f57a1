"""Pictures made by the pages' own commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from tilewright.cli import main

COMMAND = re.compile(r"^```console picture=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"toml": "meadow.toml", "yaml": "recipe.yaml"}
"""The names under which a page's first block of these languages is saved."""
DRAWING = re.compile(r'^Path\("([^"]+)"\)\.write_text\("""\\\n(.*?)"""\)$', re.MULTILINE | re.DOTALL)
"""A block of Python that saves a drawing."""


def iter_pictures(pages: Iterable[Path]) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file name of each picture, and what makes it: the last output of the block above whose fence has it."""
    found: dict[str, str] = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for name, lines in COMMAND.findall(text):
            if found.setdefault(name, lines) != lines:
                raise RuntimeError(f"two pages make {name} with different commands")
            yield name, _saving(lines, text)


def _saving(lines: str, page: str) -> Callable[[Path], object]:
    """Return a function that runs the commands of a block and saves their output at a path."""
    return lambda path: path.write_bytes(_run(lines, page))


def _run(lines: str, page: str) -> bytes:
    """Run the commands of a block in a folder with the page's files, and return the content of the last output."""
    with TemporaryDirectory() as folder, chdir(folder):
        for language, name in FILES.items():
            for content in re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[:1]:
                Path(name).write_text(content, encoding="utf-8")
        for path, content in DRAWING.findall(page):
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).write_text(content, encoding="utf-8")
        for line in lines.splitlines():
            command = shlex.split(line.removeprefix("$ "), comments=True)
            if main(command[1:]):
                raise RuntimeError(f"the docs' command failed: {line}")
        return Path(command[command.index("-o") + 1]).read_bytes()
