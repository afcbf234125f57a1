"""`tilewright corpus make RECIPE`: many maps of a recipe, in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ...core.errors import pluralize
from ...core.notation import read_sweep
from ...corpus import refuse_without_packages
from ...kernels import start_quickly
from .. import _recipe
from .._console import info
from .._progress import job_progress
from .._recipe_command import KNOBS, RecipeCommand, with_knobs
from . import format_bytes, split_names


@click.command("make", cls=RecipeCommand, params=[KNOBS, _recipe.SETTINGS, *_recipe.OPTIONS])
@click.argument("recipe", metavar="RECIPE")
@click.option("output", "-o", "--output", metavar="FOLDER", required=True, help="Output folder, or an fsspec URL.")
@click.option("--count", type=int, metavar="N", help="Number of maps.")
@click.option("--seed", metavar="SEED", help="Seed of the corpus; map k has the seed SEED-k. [the recipe's, or random]")
@click.option(
    "--measures", metavar="NAME,...", help="Measures to compute for each map, listed by `tilewright list measures`."
)
@click.option(
    "sweeps",
    "--sweep",
    multiple=True,
    metavar="NAME=VALUES",
    help="Vary a parameter from map to map, such as walls=0.4..0.5:0.02 or steps=3,5. May be repeated.",
)
@click.option(
    "--sampled", is_flag=True, help="Sample the swept values at random instead of using all combinations in turn."
)
@click.option(
    "--workers", type=int, metavar="N", help="Number of worker processes; 0 uses only this process. [one per processor]"
)
@click.option("--scheduler", metavar="ADDRESS", help="Dask cluster to use instead, such as tcp://10.0.0.1:8786.")
@click.option("--device", default="auto", metavar="auto|cpu|gpu", help="Where to make maps that have kernels. [auto]")
def command(
    recipe: str,
    output: str,
    count: int | None,
    seed: str | None,
    measures: str | None,
    sweeps: tuple[str, ...],
    sampled: bool,
    workers: int | None,
    scheduler: str | None,
    device: str,
    settings_inside: tuple[str, ...],
    **recipe_options: Any,
) -> None:
    """Generate a corpus, or resume one.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, a technique, or a corpus to generate again. A
    file may also have the keys `sweep`, `sampled` and `listed`. If the work is interrupted, repeat the command to
    continue; the result is the same. Without --scheduler, DASK_SCHEDULER_ADDRESS is used if it is set.

    \b
    tilewright corpus make open-caves --count 10000 --seed 7 --measures floor_share,regions -o caves
    tilewright corpus make caves --set width=64 --set height=64 --sweep walls=0.4..0.5:0.02 --count 600 -o swept
    tilewright corpus make level.yaml --count 100000 -o s3://bucket/levels --scheduler tcp://10.0.0.1:8786
    """
    recipe_fields = _recipe.read_recipe_fields(recipe_options)
    settings = [_recipe.qualify_setting(setting) for setting in settings_inside]

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        turned = with_knobs(data, {**recipe_options})
        return _recipe.with_recipe_fields(_recipe.with_settings(turned, settings), recipe_fields)

    refuse_without_packages()
    from ...corpus import build, sweep
    from ...corpus.request import Request

    request = Request.of(recipe, change)
    varied = {**request.sweep.to_data(), **dict(read_sweep(text) for text in sweeps)}
    start_quickly()
    with job_progress("map", output) as job:
        corpus = build.make(
            request,
            output,
            count=count,
            seed=seed,
            measures=None if measures is None else split_names(measures),
            sweep=sweep.Sweep.of(varied, sampled=sampled or request.sweep.sampled, listed=request.sweep.listed),
            workers=workers,
            scheduler=scheduler,
            device=device,
            on_progress=job,
        )
    failures = job.state.failures if job.state else 0
    what = f"{pluralize(len(corpus), 'map')} by {corpus.manifest.recipe['technique']}, seed {corpus.manifest.seed}"
    failed = f"; {pluralize(failures, 'map')} failed" if failures else ""
    info(f"{what}, in {output}: {pluralize(corpus.manifest.parts, 'part')}, {format_bytes(corpus.size)}{failed}")
