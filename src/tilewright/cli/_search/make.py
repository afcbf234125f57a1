"""`tilewright search make RECIPE`: an archive of the maps of a recipe, in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ...core.errors import InvalidRecipe
from ...corpus import refuse_without_packages
from ...kernels import start_quickly
from .. import _recipe
from .._progress import job_progress
from .._recipe_command import KNOBS, RecipeCommand, with_knobs
from . import SCHEDULER, WORKERS, count_stored, print_result


@click.command("make", cls=RecipeCommand, params=[KNOBS, _recipe.SETTINGS, *_recipe.OPTIONS, WORKERS, SCHEDULER])
@click.argument("recipe", metavar="RECIPE")
@click.option("output", "-o", "--output", metavar="FOLDER", required=True, help="Output folder, or an fsspec URL.")
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="NAME[=RANGE]",
    help="Parameter to vary, such as walls=0.3..0.6, outside=wall,floor or steps; or a knob, or seed. May be repeated.",
)
@click.option(
    "--measures",
    metavar="NAME[:LOW..HIGH][:BINS][:log],...",
    required=True,
    help="Axes of the archive, such as floor_share:20,regions:1..300:20:log. The first maps determine a missing range.",
)
@click.option(
    "--objective", metavar="MEASURE", required=True, help="Measure to maximize; -NAME to minimize; or a sum of both."
)
@click.option("--evaluations", type=int, default=10_000, metavar="N", help="Number of solutions to evaluate. [10,000]")
@click.option("--seed", metavar="SEED", help="Seed of the search. [the recipe's, or random]")
@click.option(
    "--repeats", type=int, metavar="N", help="Search for styles: settings, measured as means over N seeds, at least 3."
)
@click.option("--batch", type=int, metavar="N", help="Number of solutions per round; it affects the result. [512]")
@click.option("--emitters", metavar="NAME,...", help="Emitters that propose solutions. [random,line,cross]")
def command(
    recipe: str,
    output: str,
    vary: tuple[str, ...],
    measures: str,
    objective: str,
    evaluations: int,
    seed: str | None,
    repeats: int | None,
    batch: int | None,
    emitters: str | None,
    workers: int | None,
    scheduler: str | None,
    settings_inside: tuple[str, ...],
    **recipe_options: Any,
) -> None:
    """Search for the best maps of a recipe in each cell of a grid of measures (MAP-Elites), or continue.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, or a technique. If the work is interrupted,
    repeat the command or use `tilewright search resume`; the result is the same.

    \b
    tilewright search make caves --vary walls=0.3..0.6 --vary steps --vary seed \\
        --measures floor_share:20,regions:20:log --objective path_length --evaluations 20000 -o archive
    tilewright search make fashion --vary scores --repeats 5 --measures floor_share,regions:1..300:20:log \\
        --objective path_length -o styles
    tilewright search make dungeon.yaml --vary seed --vary rooms --measures rooms --objective path_length-2*dead_ends \\
        -o dungeons
    """
    recipe_fields = _recipe.read_recipe_fields(recipe_options)
    settings = [_recipe.qualify_setting(setting) for setting in settings_inside]

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        turned = with_knobs(data, {**recipe_options})
        return _recipe.with_recipe_fields(_recipe.with_settings(turned, settings), recipe_fields)

    refuse_without_packages()
    from ...corpus.request import Request
    from ...search import make

    request = Request.of(recipe, change)
    if request.sweep.axes:
        raise InvalidRecipe("a search has no sweep; name the parameters with --vary", at="sweep", rule="conflict")
    start_quickly()
    options: dict[str, Any] = {"repeats": repeats, "workers": workers, "scheduler": scheduler}
    options |= {} if batch is None else {"batch": batch}
    options |= {} if emitters is None else {"emitters": [name.strip() for name in emitters.split(",")]}
    with job_progress("evaluation", output, count_stored) as report:
        archive = make(
            request.recipe,
            vary=read_vary(vary),
            measures=measures,
            objective=objective,
            evaluations=evaluations,
            seed=seed,
            out=output,
            on_progress=report,
            **options,
        )
    print_result(archive, output)


def read_vary(texts: tuple[str, ...]) -> dict[str, str | None]:
    """Return ranges or choices by parameter, given as `walls=0.3..0.6` or `steps`."""
    found: dict[str, str | None] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if name in found:
            raise InvalidRecipe(f"{name!r} occurs twice", at="vary", rule="duplicate")
        if not name:
            raise InvalidRecipe("must be a parameter such as walls=0.3..0.6", at="vary", got=text, rule="format")
        found[name] = values if equals else None
    return found
