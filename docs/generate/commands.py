"""Pictures made by the pages' own commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from tilewright.cli import main

COMMAND = re.compile(r"^```console picture=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pictures(docs: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file name of each picture, and what makes it: the last output of the block above whose fence has it."""
    for page in sorted(docs.rglob("*.md")):
        for name, lines in COMMAND.findall(page.read_text(encoding="utf-8")):
            yield name, _saving(lines)


def _saving(lines: str) -> Callable[[Path], object]:
    """Return a function that runs the commands of a block and saves their output at a path."""
    return lambda path: path.write_bytes(_run(lines))


def _run(lines: str) -> bytes:
    """Run the commands of a block in an empty folder, and return the content of the last output."""
    with TemporaryDirectory() as folder, chdir(folder):
        for line in lines.splitlines():
            command = shlex.split(line.removeprefix("$ "), comments=True)
            if main(command[1:]):
                raise RuntimeError(f"the docs' command failed: {line}")
        return Path(command[command.index("-o") + 1]).read_bytes()
