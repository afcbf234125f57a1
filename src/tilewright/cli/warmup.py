"""`tilewright warmup`: compile everything ahead."""

from __future__ import annotations

import click

from .. import kernels
from ..core.errors import TilewrightError, counted
from ._progress import progress


@click.command("warmup")
@click.option("--clear", is_flag=True, help="Also delete what earlier versions compiled.")
def command(clear: bool) -> None:
    """Compile everything ahead, so that the first map comes at once.

    What is compiled is kept for you in a cache folder; TILEWRIGHT_CACHE names another one.
    """
    stale = kernels.clear_stale_caches() if clear else []
    total = len(kernels.entries())
    with progress() as report:
        report(0.0, "compiling")
        try:
            for number, name in enumerate(kernels.warmup(), 1):
                report(number / total, name)
        except ChildProcessError as error:
            raise TilewrightError(f"{error.filename}: {error.strerror}") from None
    removed = f", {counted(len(stale), 'stale cache')} removed" if clear else ""
    click.echo(f"{counted(total, 'kernel')} ready{removed}")
