"""`tilewright search make RECIPE`: an archive of the maps of a recipe, in a folder."""

from __future__ import annotations

from ...core.errors import InvalidRecipe
from ...corpus.request import Request
from ...kernels import start_quickly
from ...search.run import SearchOptions, make_archive
from .._progress import job_progress
from .._recipe_command import read_request, recipe_command
from . import count_stored, print_result


@recipe_command("make", SearchOptions, read=read_request, required=["out"])
def command(recipe: Request, params: SearchOptions) -> None:
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
    if recipe.sweep.axes:
        raise InvalidRecipe("a search has no sweep; name the parameters with --vary", at="sweep", rule="conflict")
    assert params.out is not None
    start_quickly()
    with job_progress("evaluation", params.out, count_stored) as report:
        archive = make_archive(recipe.recipe, params, report)
    print_result(archive, params.out)
