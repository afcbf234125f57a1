"""`tilewright verify FILE...`: regenerate stored maps and compare."""

from __future__ import annotations

import click

from .. import api
from ..core.errors import TilewrightError
from . import MISTAKE, error_line
from ._console import make_printable


@click.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "beside",
    "--with",
    multiple=True,
    metavar="FILE",
    help="Map that a recipe refers to by file name. May be repeated.",
)
@click.pass_context
def command(context: click.Context, files: tuple[str, ...], beside: tuple[str, ...]) -> None:
    """Regenerate stored maps and check that they are identical.

    The exit code is 0 if the map is identical, 1 if it differs and 2 if it cannot be generated; for several files, the
    highest. Only files named on the command line are opened.
    """
    context.exit(max(_verify_file(file, beside) for file in files))


def _verify_file(file: str, beside: tuple[str, ...]) -> int:
    """Verify one file, print the result and return the exit code; a file that cannot be read is not fatal."""
    try:
        verdict = api.verify(file, files=beside)
    except TilewrightError as error:
        return error_line(str(error), MISTAKE)
    click.echo(make_printable(f"{file}: {verdict.message}"))
    return verdict.code
