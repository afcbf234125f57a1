"""`tilewright corpus repair FOLDER`: damaged parts, found and made again."""

from __future__ import annotations

import click

from ...core.errors import pluralize
from ...kernels import start_quickly
from .._console import info, make_printable
from .._progress import show_progress
from . import open_corpus

DAMAGED = 1
"""The exit code where something is wrong and was left so."""


@click.command("repair")
@click.argument("folder")
@click.option("again", "--remake", is_flag=True, help="Make damaged parts again: the same bytes as they were.")
def command(folder: str, again: bool) -> int:
    """Check every part of a corpus to its last byte, and make damaged ones again.

    Ends with 1 where parts are damaged and were not made again. Parts that were never made are left to `corpus make`.

    \b
    tilewright corpus repair caves
    tilewright corpus repair caves --remake
    """
    corpus = open_corpus(folder)
    from ...corpus import build

    with show_progress() as report:
        report(None, f"reading {pluralize(len(corpus.parts), 'part')}")
        found = build.find_damaged(corpus)
        if found and again:
            start_quickly()
            report(None, f"making {pluralize(len(found), 'part')}")
            build.remake(corpus, sorted(found))
    for wrong in found.values():
        click.echo(make_printable(wrong))
    missing = corpus.manifest.parts - len(corpus.parts)
    left = f"; {pluralize(missing, 'part')} not made yet" if missing else ""
    if not found:
        info(f"{pluralize(len(corpus.parts), 'part')} read, all whole{left}")
        return 0
    info(f"{pluralize(len(found), 'part')} {'made again' if again else 'damaged; --remake makes them again'}{left}")
    return 0 if again else DAMAGED
