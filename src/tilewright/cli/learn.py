"""`tilewright learn TECHNIQUE SAMPLE... -o MODEL`: what a technique learns from samples, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..core.errors import InvalidRecipe, counted
from ..core.grid import Grid
from ..core.model import Model, learn
from ..core.notation import read_setting
from ..core.registry import techniques
from ..core.resolver import built_in_samples
from ..core.samples import refuse_too_many
from ..formats import format_of
from ..formats._files import read_text, refuse_unwritable
from ..formats._models import find_model, refuse_ending
from ..formats._resolver import FileResolver
from ._console import note
from ._inputs import WITHOUT_TILES, hint
from ._progress import progress


@click.command("learn")
@click.argument("technique")
@click.argument("samples", metavar="SAMPLE...", nargs=-1, required=True)
@click.option("output", "-o", "--output", metavar="MODEL", required=True, help="The file to write, .json or .npz.")
@click.option("source", "--from", metavar="FORMAT", help="Read samples as this format, whatever their endings say.")
@click.option("--tileset", metavar="NAME", help="Read glyphs and ids as this tileset's: a name or a .toml file.")
@click.option(
    "settings", "--set", multiple=True, metavar="NAME=VALUE", help="How samples are read, such as pattern_sizes=2,3."
)
def command(
    technique: str,
    samples: tuple[str, ...],
    output: str,
    source: str | None,
    tileset: str | None,
    settings: tuple[str, ...],
) -> None:
    """Learn from samples, so that they need not be read again.

    A sample is a file, a folder of maps, a quoted pattern such as "maps/*.csv", or the name of a built-in one. A model
    that was learned before counts with all its samples, so that models can be merged.

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
    refuse_ending(output)
    refuse_unwritable(output)
    models, grids = _read(samples, source, tileset)
    if models and not params:
        first = models[0].learned
        params = {name: getattr(first, name) for name in first.model_fields_set - {"sample"}}
    if models and models[0].technique != entry.name:
        raise InvalidRecipe(f"a model of {models[0].technique} is no sample for {entry.name}")
    parts = [*models, *([learn(entry, grids, params, FileResolver())] if grids else ())]
    model = parts[0].merged(*parts[1:])
    model.save(output)
    cells = sum(grid.cells.size for grid in model.samples)
    tilesets = dict.fromkeys((grid.tileset or model.samples.tileset).name for grid in model.samples)
    learned = f"{counted(len(model.samples), 'sample')}, {counted(cells, 'cell')} of {', '.join(tilesets)}"
    click.echo(f"{technique} learned from {learned}; wrote {output}", err=True)


def _read(samples: Sequence[str], source: str | None, tileset: str | None) -> tuple[list[Model], list[Grid]]:
    """The models among the samples, and the maps."""
    chosen = None if tileset is None else FileResolver().tileset(tileset)
    resolver = FileResolver(format=source, maps_in=chosen)
    models, grids = [], []
    names = [name for sample in samples for name in resolver.references(sample)]
    refuse_too_many(len(names))
    told = chosen is not None
    with progress() as report:
        for number, name in enumerate(names):
            report(number / len(names), f"reading {name}")
            model = None if name in built_in_samples() or source else find_model(name)
            if model is not None:
                models.append(model)
                continue
            grids.append(resolver.grid(name))
            if not told and name not in built_in_samples() and (bare := _without_tiles(name, resolver)):
                note(hint(bare))
                told = True
    return models, grids


def _without_tiles(name: str, resolver: FileResolver) -> str:
    """The format of a sample, if it is one that says nothing about tiles."""
    format, path = resolver.parted(name)
    found = format_of(path, format).name
    return found if found in WITHOUT_TILES else ""
