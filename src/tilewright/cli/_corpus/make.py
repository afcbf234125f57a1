"""`tilewright corpus make RECIPE`: many maps of a recipe, in a folder."""

from __future__ import annotations

from ...core.errors import pluralize
from ...corpus.request import CorpusOptions, Request
from ...kernels import start_quickly
from .._console import info
from .._progress import job_progress
from .._recipe_command import read_request, recipe_command
from . import format_bytes


@recipe_command("make", CorpusOptions, read=read_request)
def command(recipe: Request, params: CorpusOptions) -> None:
    """Generate a corpus, or resume one.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, a technique, or a corpus to generate again. A
    file may also have the keys `sweep`, `sampled` and `listed`. If the work is interrupted, repeat the command to
    continue; the result is the same. Without --scheduler, DASK_SCHEDULER_ADDRESS is used if it is set.

    \b
    tilewright corpus make open-caves --count 10000 --seed 7 --measures floor_share,regions -o caves
    tilewright corpus make caves --set width=64 --set height=64 --sweep walls=0.4..0.5:0.02 --count 600 -o swept
    tilewright corpus make level.yaml --count 100000 -o s3://bucket/levels --scheduler tcp://10.0.0.1:8786
    """
    from ...corpus.build import build_corpus

    start_quickly()
    with job_progress("map", params.folder) as job:
        corpus = build_corpus(recipe, params, job)
    failures = job.state.failures if job.state else 0
    what = f"{pluralize(len(corpus), 'map')} by {corpus.manifest.recipe['technique']}, seed {corpus.manifest.seed}"
    failed = f"; {pluralize(failures, 'map')} failed" if failures else ""
    info(f"{what}, in {params.folder}: {pluralize(corpus.manifest.parts, 'part')}, {format_bytes(corpus.size)}{failed}")
