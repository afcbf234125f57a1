"""`tilewright learn TECHNIQUE SAMPLE... -o MODEL`: a model learned from samples, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..core.errors import BadFile, InvalidRecipe, pluralize
from ..core.grid import Grid
from ..core.model import Model, learn
from ..core.notation import read_setting
from ..core.registry import techniques
from ..core.resolver import list_built_in_samples
from ..core.samples import check_sample_count
from ..formats import format_of
from ..formats._files import read_text, refuse_unwritable
from ..formats._models import check_model_extension, find_model
from ..formats._resolver import FileResolver
from ._console import info
from ._inputs import WITHOUT_TILES, format_hint
from ._progress import show_progress


@click.command("learn")
@click.argument("technique")
@click.argument("samples", metavar="SAMPLE...", nargs=-1, required=True)
@click.option("output", "-o", "--output", metavar="MODEL", required=True, help="Output file, .json or .npz.")
@click.option("source", "--from", metavar="FORMAT", help="Format of the samples. [chosen by the file extension]")
@click.option("--tileset", metavar="NAME", help="Tileset of the glyphs or ids in the samples: a name or a .toml file.")
@click.option(
    "settings",
    "--set",
    multiple=True,
    metavar="NAME=VALUE",
    help="Learning parameter, such as pattern_sizes=2,3. May be repeated.",
)
def command(
    technique: str,
    samples: tuple[str, ...],
    output: str,
    source: str | None,
    tileset: str | None,
    settings: tuple[str, ...],
) -> None:
    """Learn a model from samples and save it, so that the samples are not read again.

    A sample is a file, a folder of maps, a quoted glob such as "maps/*.csv", or the name of a built-in sample. A
    model file counts as all of its samples, so that models can be merged.

    \b
    tilewright learn patterns village -o village.json
    tilewright learn patterns a.txt b.txt --set pattern_sizes=2,3 -o mine.json
    tilewright learn patterns maps/*.csv --from awbw -o war.npz
    tilewright make patterns --model village.json --width 60
    """
    entry = techniques.get(technique)
    params: dict[str, Any] = {}
    if entry.learn is not None:
        try:
            for setting in settings:
                read_setting(params, setting, entry.learn, read_text)
        except InvalidRecipe as error:
            raise error.within("set") from None
    check_model_extension(output)
    refuse_unwritable(output)
    models, grids = _read(samples, source, tileset)
    if models and not params:
        first = models[0].params
        params = {name: getattr(first, name) for name in first.model_fields_set - {"sample"}}
    if models and models[0].technique != entry.name:
        raise InvalidRecipe(f"must be a model of {entry.name}, got one of {models[0].technique}")
    parts = [*models, *([learn(entry, grids, params, FileResolver())] if grids else ())]
    model = parts[0].merge(*parts[1:])
    model.save(output)
    cells = sum(grid.cells.size for grid in model.samples)
    tilesets = dict.fromkeys((grid.tileset or model.samples.tileset).name for grid in model.samples)
    learned = f"{pluralize(len(model.samples), 'sample')}, {pluralize(cells, 'cell')} of {', '.join(tilesets)}"
    click.echo(f"{technique} learned from {learned}; wrote {output}", err=True)


def _read(samples: Sequence[str], source: str | None, tileset: str | None) -> tuple[list[Model], list[Grid]]:
    """Split the samples into models and maps."""
    chosen = None if tileset is None else FileResolver().read_tileset(tileset)
    resolver = FileResolver(format=source, map_tileset=chosen)
    models: list[Model] = []
    grids: list[Grid] = []
    names = [(name, name == sample) for sample in samples for name in resolver.expand_reference(sample)]
    check_sample_count(len(names))
    hinted = chosen is not None
    with show_progress() as report:
        for number, (name, is_given) in enumerate(names):
            report(number / len(names), f"reading {name}")
            is_built_in = name in list_built_in_samples()
            model = None if is_built_in or source else find_model(name)
            if model is not None:
                models.append(model)
                continue
            found = resolver.read_samples(name) if is_built_in or is_given else resolver.read_listed_samples(name)
            grids += found
            if found and not hinted and not is_built_in and (bare := _find_bare_format(name, resolver)):
                info(format_hint(bare))
                hinted = True
    if not models and not grids:
        raise BadFile("none of the files contains a map", at=", ".join(samples))
    return models, grids


def _find_bare_format(name: str, resolver: FileResolver) -> str:
    """Return the format of a sample if it is one that stores no tileset, else an empty string."""
    format, path = resolver.split_reference(name)
    found = format_of(path, format).name
    return found if found in WITHOUT_TILES else ""
