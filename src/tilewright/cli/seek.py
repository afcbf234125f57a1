"""`tilewright seek RECIPE --seeds 0..999999`: seeds whose maps meet requirements."""

from __future__ import annotations

from typing import Any

import click

from ..core.errors import pluralize
from ..core.measure_groups import format_measure
from ..core.params import param
from ..core.recipe import Recipe
from ..kernels import start_quickly
from ..seed_search import FoundSeeds
from ..seed_search.definition import SeekDefinition
from ..seed_search.plan import make_seek_plan
from ..seed_search.run import SeekOptions, find_seeds
from . import _outputs
from ._console import AS_JSON, info, print_json, print_table
from ._progress import job_progress
from ._recipe_command import recipe_command

FIELDS = ("seed", "technique", "rank")
OWN_OPTIONS = ("require", "tries", "keep")
"""Options of recipes that have another meaning here, or none."""
MAP_OPTIONS = [option for option in _outputs.OPTIONS if option.name not in ("outputs", "frames", "duration")]


class CommandOptions(SeekOptions):
    """Options of `seek`."""

    maps: tuple[str, ...] = param((), metavar="FILE", repeated=True)
    """Write the map of each seed, such as level_{seed}.tmx or {rank:03}.png."""
    explain: bool = param(False)
    """Whether to print what is computed for which seeds, and stop."""


@recipe_command("seek", CommandOptions, AS_JSON, *MAP_OPTIONS, without=OWN_OPTIONS)
def command(recipe: Recipe, params: CommandOptions, as_json: bool, **options: Any) -> None:
    """Test all seeds of a range, and keep those whose maps meet requirements.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, or a technique. With --require MEASURE=most or
    =least, the best seeds are kept; otherwise the first seeds. If the work is interrupted, repeat the command to
    continue; the result is the same. `tilewright run RECIPE --seed SEED` makes the map of a seed again.

    \b
    tilewright seek open-caves --seeds 0..9999 --require regions=1 --require path_length=most
    tilewright seek caves --seeds 0..999999 --require "floor_share>0.5" --require regions=1 \\
        --require path_length=most --keep 100 -o found --maps "level_{seed}.tmx"
    tilewright seek dungeon.yaml --seeds 0..99999 --require chokepoints=0 --keep 10 --first
    """
    outputs = _outputs.read_outputs(params.maps, fields=FIELDS, **options)
    numbers = range(1, 1 + min(2, params.keep))
    _outputs.refuse_collisions(
        outputs, [{"seed": number, "technique": "technique", "rank": number} for number in numbers], "seed", "rank"
    )
    definition = SeekDefinition.of(recipe, params)
    if params.explain:
        for line in make_seek_plan(definition, params.device).format_lines(definition):
            click.echo(line)
        return
    start_quickly()
    with job_progress("seed", params.out, _count_tested) as report:
        found = find_seeds(definition, params, report)
    technique = definition.recipe.technique
    maps = (
        ({"seed": seed, "technique": technique, "rank": rank}, map)
        for rank, (seed, map) in enumerate(zip(found.seeds.tolist(), found.maps(), strict=True), start=1)
    )
    if written := _outputs.write_maps(outputs, maps, len(found)):
        info(written)
    _print_result(found, params.out, as_json)


def _print_result(found: FoundSeeds, folder: str | None, as_json: bool) -> None:
    """Print the seeds, and on standard error how rare they are."""
    from ..seed_search.report import describe_search

    if as_json:
        print_json(found.to_data())
    elif folder is None:
        rows = [
            [str(row["seed"]), *(format_measure(name, row[name]) for name in found.values), row["digest"][:12]]
            for row in found.rows()
        ]
        columns = ("seed", *found.values, "digest")
        print_table(rows, *columns, numbers=range(len(columns) - 1))
    for requirement, rarity in found.rarity.items():
        if requirement != "all":
            info(f"{requirement}: {rarity.count:,} of {pluralize(rarity.of, 'seed')}, {rarity}")
    failures = sum(found.failures.values())
    failed = f"; {pluralize(failures, 'seed')} cannot be made" if failures else ""
    info(describe_search(found) + failed + (f"; {folder} has {pluralize(len(found), 'seed')}" if folder else ""))


def _count_tested(folder: str) -> int:
    from ..seed_search.folder import count_tested

    return count_tested(folder)
