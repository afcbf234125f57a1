"""`tilewright compare SAMPLE...`: techniques that learn from the same samples, as a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..core.errors import BadFile, InvalidRecipe, UnknownName, pluralize
from ..core.notation import read_setting
from ..core.samples import Samples, check_sample_count
from ..formats._files import read_text, refuse_unwritable
from ..formats._resolver import FileResolver
from ._console import info, print_json, print_table
from ._corpus import AS_JSON, split_names
from ._progress import show_progress


@click.command("compare", params=[AS_JSON])
@click.argument("samples", metavar="SAMPLE...", nargs=-1, required=True)
@click.option(
    "--techniques",
    metavar="NAME,...",
    help="Techniques to compare: markov, patterns, wfc, diffusion, gan, elsgan. [all that are installed]",
)
@click.option("--size", metavar="WIDTHxHEIGHT", help="Size of the maps. [that of the samples, at most 48x48]")
@click.option("--count", type=int, default=100, metavar="N", help="Number of maps by each technique. [100]")
@click.option("--seed", metavar="SEED", help="Seed; map k has the seed SEED-k. [random]")
@click.option(
    "settings",
    "--set",
    multiple=True,
    metavar="TECHNIQUE.NAME=VALUE",
    help="Parameter of a technique, such as wfc.pattern_size=2 or gan.steps=500. May be repeated.",
)
@click.option("--game", metavar="NAME", help="Game to play the maps with. [that of the samples, if there is one]")
@click.option(
    "--smallest/--no-smallest", default=True, help="Whether to find the smallest sample that works. [--smallest]"
)
@click.option(
    "output", "-o", "--output", metavar="FOLDER", help="Folder for table.md, table.csv, table.json and sheet.png."
)
@click.option("source", "--from", metavar="FORMAT", help="Format of the samples. [chosen by the file extension]")
@click.option("--tileset", metavar="NAME", help="Tileset of the glyphs or ids in the samples: a name or a .toml file.")
def command(
    samples: tuple[str, ...],
    techniques: str | None,
    size: str | None,
    count: int,
    seed: str | None,
    settings: tuple[str, ...],
    game: str | None,
    smallest: bool,
    output: str | None,
    source: str | None,
    tileset: str | None,
    as_json: bool,
) -> None:
    """Compare techniques that learn from the same samples: speed, failures, similarity, novelty, diversity, memory.

    A sample is a file, a folder of maps, a quoted glob such as "maps/*.csv", or the name of a built-in sample. Each
    technique runs in its own process. gan and elsgan, and the training of diffusion, need the extra neural.

    \b
    tilewright compare dungeon --techniques patterns,wfc,markov --count 20
    tilewright compare "maps/*.txt" --tileset dungeon --size 40x30 -o compared
    tilewright compare village --set wfc.pattern_size=2 --set patterns.quality=draft
    """
    from ..comparison.contestants import list_available, list_contestants
    from ..comparison.run import compare
    from ..comparison.table import COLUMNS, format_problems, format_rows

    names = list_available() if techniques is None else split_names(techniques)
    width, height = (None, None) if size is None else _read_size(size)
    values = _read_settings(settings, names)
    if output is not None:
        refuse_unwritable(Path(output) / "table.md")
    read = _read_samples(samples, source, tileset)
    with show_progress(remaining=False) as report:
        found = compare(
            read,
            techniques=names,
            width=width,
            height=height,
            count=count,
            seed=seed,
            settings=values,
            game=game,
            smallest_input=smallest,
            on_progress=report,
        )
    if output is not None:
        found.save(output)
    if as_json:
        print_json(found.to_data())
    else:
        headings = [column.heading for column in COLUMNS]
        print_table(format_rows(found.rows), *headings, numbers=range(1, len(COLUMNS)))
    for line in format_problems(found.rows):
        info(line)
    if techniques is None and (missing := [name for name in list_contestants() if name not in names]):
        info(f'without {", ".join(missing)}, which need torch: pip install "tilewright[neural]"')
    what = f"{pluralize(found.count, 'map')} of {found.width}x{found.height} cells by each technique, seed {found.seed}"
    info(what if output is None else f"{what}; wrote {output}")


def _read_size(text: str) -> tuple[int, int]:
    """Return the width and height of a size such as 40x30."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts):
        raise InvalidRecipe("must be a width and a height, such as 40x30", at="size", got=text, rule="format")
    return int(parts[0]), int(parts[1])


def _read_settings(texts: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return parameters by technique, given as `wfc.pattern_size=2`."""
    from ..comparison.contestants import list_contestants, read_setting_models

    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, dot, setting = text.partition(".")
        if not dot or "=" in name:
            example = "a setting is written as technique.name=value, such as wfc.pattern_size=2"
            raise InvalidRecipe(example, at="set", got=text, rule="format")
        if name not in names or name not in list_contestants():
            raise UnknownName("technique", name, names, "in --set")
        key = setting.partition("=")[0].partition(".")[0].strip().replace("-", "_")
        models = read_setting_models(name)
        if key not in models:
            raise UnknownName("parameter", key, models, name)
        try:
            read_setting(found.setdefault(name, {}), setting, models[key], read_text)
        except InvalidRecipe as error:
            raise error.within("set") from None
    return found


def _read_samples(names: Sequence[str], source: str | None, tileset: str | None) -> Samples:
    """Return the samples of files, folders, globs and built-in names."""
    chosen = None if tileset is None else FileResolver().read_tileset(tileset)
    resolver = FileResolver(format=source, map_tileset=chosen)
    grids = [grid for name in names for grid in resolver.read_samples(name)]
    if not grids:
        raise BadFile("none of the files contains a map", at=", ".join(names))
    check_sample_count(len(grids))
    return Samples.of(grids)
