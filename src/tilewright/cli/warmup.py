"""`tilewright warmup`: compile everything ahead."""

from __future__ import annotations

import click

from .. import kernels
from ..core.errors import TilewrightError, pluralize
from ._progress import show_progress


@click.command("warmup")
@click.option("--clear", is_flag=True, help="Also delete what earlier versions compiled.")
def command(clear: bool) -> None:
    """Compile everything ahead, so that the first map comes at once.

    What is compiled is kept for you in a cache folder; TILEWRIGHT_CACHE names another one.
    """
    stale = kernels.clear_stale_caches() if clear else []
    total = len(kernels.list_entries())
    with show_progress() as report:
        report(0.0, "compiling")
        try:
            for number, name in enumerate(kernels.warmup(), 1):
                report(number / total, name)
        except ChildProcessError as error:
            raise TilewrightError(f"{error.filename}: {error.strerror}") from None
    removed = f", {pluralize(len(stale), 'stale cache')} removed" if clear else ""
    click.echo(f"{pluralize(total, 'kernel')} ready{removed}")
