"""`tilewright verify FILE...`: can these maps be born again?"""

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
    help="A map that a recipe names without holding it; repeatable.",
)
@click.pass_context
def command(context: click.Context, files: tuple[str, ...], beside: tuple[str, ...]) -> None:
    """Make a file's map again, and say whether it is the same.

    The exit code is 0 for the same map, 1 for another one, 2 when it cannot be made; of several files, the worst.
    No file is opened but those named here.
    """
    context.exit(max(_verify_file(file, beside) for file in files))


def _verify_file(file: str, beside: tuple[str, ...]) -> int:
    """Tell about one file; one that cannot be read does not keep the others from being verified."""
    try:
        verdict = api.verify(file, files=beside)
    except TilewrightError as error:
        return error_line(str(error), MISTAKE)
    click.echo(make_printable(f"{file}: {verdict.message}"))
    return verdict.code
