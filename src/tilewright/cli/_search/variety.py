"""`tilewright search variety RECIPE`: a set of maps that differ from each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from ...core.errors import format_number, pluralize
from ...core.recipe import Recipe
from ...kernels import start_quickly
from ...search import Variety
from ...search.select import VarietyOptions, make_variety
from .. import _outputs
from .._console import info, print_json, print_table
from .._corpus import AS_JSON, check_picture_path, write_picture
from .._progress import job_progress
from .._recipe_command import recipe_command

FIELDS = ("number", "seed", "technique")


@recipe_command("variety", VarietyOptions, AS_JSON, *_outputs.OPTIONS)
@click.option("--sheet", metavar="FILE", help="Write all maps to one .png file.")
def command(
    recipe: Recipe,
    params: VarietyOptions,
    sheet: str | None,
    as_json: bool,
    outputs: tuple[str, ...],
    **options: Any,
) -> None:
    """Make a set of maps in which every two differ by a minimum distance, and map k meets target k.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, or a technique.

    \b
    tilewright search variety open-caves --min-distance 0.3 -o "level_{number}.tmx" --sheet levels.png
    tilewright search variety caves --count 6 --target path_length=40..60 --target path_length=80..100
    tilewright search variety caves --count 6 --target path_length=150..160 --reach-targets
    tilewright search variety rooms --distance rooms --min-distance 0.5 --vary rooms=5..20 -o "level_{number}.tmx"
    """
    files = _outputs.read_outputs(outputs, fields=FIELDS, still=True, **options)
    _outputs.refuse_collisions(files, [_template_fields(number, "seed", "technique") for number in (1, 2)], "number")
    check_picture_path(sheet)
    start_quickly()
    with job_progress("map", None) as report:
        found = make_variety(recipe, params, report)
    _write_maps(found, files)
    if sheet is not None:
        write_picture(found.sheet(), sheet)
    if as_json:
        print_json(_to_data(found))
    else:
        _print_maps(found)
    what = f"{pluralize(len(found), 'map')} by {recipe.technique} that differ by at least {found.min_distance:.3f}"
    info(f"{what} ({found.distance}), of {pluralize(found.candidates, 'candidate')}")


def _write_maps(found: Variety, files: Sequence[_outputs.Output]) -> None:
    """Write the outputs of each map."""
    filled: dict[str, str | int] = {}
    for number, map in enumerate(found, 1):
        seed = str(map.recipe.seed) if map.recipe is not None else ""
        filled = _template_fields(number, seed, map.recipe.technique if map.recipe is not None else "")
        _outputs.write_map(files, map, filled, alone=len(found) == 1, first=number == 1)
    if written := _outputs.describe_written(files, filled, len(found)):
        info(written)


def _print_maps(found: Variety) -> None:
    """Print a table of the maps: number, seed, distance to the nearest other map, and measures."""
    nearest = found.distances + 2 * np.eye(len(found))
    rows = [
        (
            str(number + 1),
            str(map.recipe.seed) if map.recipe is not None else "",
            f"{nearest[number].min():.3f}" if len(found) > 1 else "",
            ", ".join(f"{name} {format_number(value)}" for name, value in found.measures[number].items()),
        )
        for number, map in enumerate(found)
    ]
    print_table(rows, "map", "seed", "nearest", "measures")


def _to_data(found: Variety) -> dict[str, Any]:
    return {
        "distance": found.distance,
        "min_distance": found.min_distance,
        "candidates": found.candidates,
        "maps": [
            {
                "number": number,
                "seed": map.recipe.seed if map.recipe is not None else None,
                "target": target,
                "measures": dict(measures),
            }
            for number, (map, target, measures) in enumerate(zip(found, found.targets, found.measures, strict=True), 1)
        ],
        "distances": found.distances.tolist(),
    }


def _template_fields(number: int, seed: str, technique: str) -> dict[str, str | int]:
    return {"number": number, "seed": seed, "technique": technique}
