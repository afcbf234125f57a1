"""`tilewright search resume FOLDER`: continue a search."""

from __future__ import annotations

import click

from ...corpus import refuse_without_packages
from ...kernels import start_quickly
from ...search.run import ResumeOptions, continue_search
from .._options import params_command
from .._progress import job_progress
from . import count_stored, print_result


@params_command("resume", ResumeOptions)
@click.argument("folder")
def command(folder: str, params: ResumeOptions) -> None:
    """Continue a search that was interrupted, or extend a finished one.

    \b
    tilewright search resume archive
    tilewright search resume archive --evaluations 40000
    """
    refuse_without_packages()
    start_quickly()
    with job_progress("evaluation", folder, count_stored) as report:
        archive = continue_search(folder, params, report)
    print_result(archive, folder)
