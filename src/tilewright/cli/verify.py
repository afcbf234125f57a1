"""`tilewright verify FILE...`: regenerate stored maps and compare."""

from __future__ import annotations

import click

from ..core.errors import TilewrightError
from ..core.params import Params, param
from ..core.provenance import verify
from ..formats import load_all
from ..formats._resolver import DigestResolver
from . import MISTAKE, error_line
from ._console import make_printable
from ._options import params_command


class VerifyOptions(Params):
    """Options of `verify`."""

    source: str | None = param(None, flags=("--from",), metavar="FORMAT")
    """Input format. [chosen by the file extension]"""
    beside: tuple[str, ...] = param((), flags=("--with",), metavar="FILE", repeated=True)
    """Map or network that a recipe refers to by file name, or folder of such files or tilesets."""


@params_command("verify", VerifyOptions)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.pass_context
def command(context: click.Context, files: tuple[str, ...], params: VerifyOptions) -> None:
    """Regenerate stored maps and check that they are identical.

    The exit code is 0 if the map is identical, 1 if it differs and 2 if it cannot be generated; for several maps, the
    highest. Only files named on the command line are opened.

    \b
    tilewright verify level.png
    tilewright verify updates.txt --from fbca
    """
    resolver = DigestResolver(params.beside)
    context.exit(max(_verify_file(file, params.source, resolver) for file in files))


def _verify_file(file: str, source: str | None, resolver: DigestResolver) -> int:
    """Verify all maps of a file, print the results and return the highest exit code.

    A file that cannot be read is not fatal.
    """
    try:
        found = load_all(file, format=source, recipes=False, folders=resolver.folders)
    except TilewrightError as error:
        return error_line(str(error), MISTAKE)
    codes = []
    for number, one in enumerate(found):
        verdict = verify(one.map, one.provenance, resolver)
        name = file if len(found) == 1 else f"{file}[{number}]"
        click.echo(make_printable(f"{name}: {verdict.message}"))
        codes.append(verdict.code)
    return max(codes)
