"""`tilewright search resume FOLDER`: continue a search."""

from __future__ import annotations

import click

from ...corpus import refuse_without_packages
from ...kernels import start_quickly
from .._progress import job_progress
from . import SCHEDULER, WORKERS, count_stored, print_result


@click.command("resume", params=[WORKERS, SCHEDULER])
@click.argument("folder")
@click.option("--evaluations", type=int, metavar="N", help="Total number of solutions. [as the search was started]")
def command(folder: str, evaluations: int | None, workers: int | None, scheduler: str | None) -> None:
    """Continue a search that was interrupted, or extend a finished one.

    \b
    tilewright search resume archive
    tilewright search resume archive --evaluations 40000
    """
    refuse_without_packages()
    from ...search import resume

    start_quickly()
    with job_progress("evaluation", folder, count_stored) as report:
        archive = resume(folder, evaluations=evaluations, workers=workers, scheduler=scheduler, on_progress=report)
    print_result(archive, folder)
