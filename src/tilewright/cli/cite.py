"""`tilewright cite NAME`: published sources as BibTeX."""

from __future__ import annotations

import click

from ..core.references import cite


@click.command("cite")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the published sources of a technique, shaper, measure or distance as BibTeX.

    Without NAME, print the entry of Tilewright itself.

    \b
    tilewright cite wfc
    tilewright cite >> references.bib
    """
    click.echo(cite(name))
