"""`tilewright corpus repair FOLDER`: find and regenerate damaged parts."""

from __future__ import annotations

import click

from ...core.errors import pluralize
from ...kernels import start_quickly
from .._console import info, make_printable
from .._progress import show_progress
from . import open_corpus

DAMAGED = 1
"""Exit code if damaged parts were found and not regenerated."""


@click.command("repair")
@click.argument("folder")
@click.option("remake", "--remake", is_flag=True, help="Regenerate damaged parts, with identical content.")
def command(folder: str, remake: bool) -> int:
    """Check all bytes of each part of a corpus and regenerate damaged parts.

    The exit code is 1 if parts are damaged and --remake is not given. Missing parts are left to `corpus make`.

    \b
    tilewright corpus repair caves
    tilewright corpus repair caves --remake
    """
    corpus = open_corpus(folder)
    from ...corpus import build

    with show_progress() as report:
        report(None, f"reading {pluralize(len(corpus.parts), 'part')}")
        found = build.find_damaged(corpus)
        if found and remake:
            start_quickly()
            report(None, f"regenerating {pluralize(len(found), 'part')}")
            build.remake(corpus, sorted(found))
    for wrong in found.values():
        click.echo(make_printable(wrong))
    missing = corpus.manifest.parts - len(corpus.parts)
    left = f"; {pluralize(missing, 'part')} not generated yet" if missing else ""
    if not found:
        info(f"{pluralize(len(corpus.parts), 'part')} read, none damaged{left}")
        return 0
    info(f"{pluralize(len(found), 'part')} {'regenerated' if remake else 'damaged; --remake regenerates them'}{left}")
    return 0 if remake else DAMAGED
