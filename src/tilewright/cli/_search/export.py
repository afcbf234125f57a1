"""`tilewright search export FOLDER`: all maps of an archive, as a corpus or as files."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidRecipe, pluralize
from ...jobs.cluster import RunParams
from ...kernels import start_quickly
from .. import _outputs
from .._console import info
from .._options import params_command
from .._progress import job_progress
from . import open_archive
from .take import take

OPTIONS = [option for option in _outputs.OPTIONS if option.name != "outputs"]


@params_command("export", RunParams, *OPTIONS)
@click.argument("folder")
@click.option("output", "-o", "--output", metavar="FOLDER", help="Folder of the corpus to write, or an fsspec URL.")
@click.option(
    "maps",
    "--maps",
    multiple=True,
    metavar="FILE",
    help='File for each map, such as "elite_{cell}.tmx", instead of a corpus. May be repeated.',
)
def command(folder: str, params: RunParams, output: str | None, maps: tuple[str, ...], **options: Any) -> None:
    """Export all maps of an archive as a corpus, which `tilewright corpus` reads, or as files.

    \b
    tilewright search export archive -o corpus
    tilewright search export archive --maps "elite_{cell}.tmx"
    """
    if (output is None) == (not maps):
        raise InvalidRecipe("must be either a corpus (-o FOLDER) or files (--maps)", at="output", rule="conflict")
    start_quickly()
    archive = open_archive(folder)
    if maps:
        take(list(archive), maps, **options)
        return
    assert output is not None
    given = next((name for name, value in options.items() if value), None)
    if given is not None:
        raise InvalidRecipe("only applies to files; name them with --maps", at=given, rule="conflict")
    with job_progress("map", output) as job:
        corpus = archive.to_corpus(output, workers=params.workers, scheduler=params.scheduler, on_progress=job)
    info(f"wrote a corpus of {pluralize(len(corpus), 'map')} to {output}")
