"""`tilewright warmup`: compile all kernels."""

from __future__ import annotations

import click

from .. import kernels
from ..core.errors import TilewrightError, pluralize
from ._progress import compile_kernels


@click.command("warmup")
@click.option("--clear", is_flag=True, help="Also delete the caches of earlier versions.")
def command(clear: bool) -> None:
    """Compile all kernels in advance, so that the first map is fast.

    Compiled kernels are stored in a cache folder of the user; TILEWRIGHT_CACHE sets another folder.
    """
    stale = kernels.clear_stale_caches() if clear else []
    try:
        total = compile_kernels()
    except ChildProcessError as error:
        raise TilewrightError(f"{error.filename}: {error.strerror}") from None
    removed = f", {pluralize(len(stale), 'stale cache')} removed" if clear else ""
    click.echo(f"{pluralize(total, 'kernel')} ready{removed}")
