"""`tilewright verify FILE`: can this map be born again?"""

from __future__ import annotations

import click

from .. import api
from ._console import printable


@click.command("verify")
@click.argument("file")
@click.option(
    "files", "--with", multiple=True, metavar="FILE", help="A map that the recipe names without holding it; repeatable."
)
@click.pass_context
def command(context: click.Context, file: str, files: tuple[str, ...]) -> None:
    """Make a file's map again, and say whether it is the same.

    The exit code is 0 for the same map, 1 for another one, 2 when it cannot be made. No file is opened but those
    named here.
    """
    verdict = api.verify(file, files=files)
    click.echo(printable(f"{file}: {verdict.message}"))
    context.exit(verdict.code)
