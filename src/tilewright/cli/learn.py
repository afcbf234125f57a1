"""`tilewright learn TECHNIQUE SAMPLE... -o MODEL`: a model learned from samples, as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..core.entries import Technique
from ..core.errors import BadFile, InvalidRecipe, pluralize
from ..core.grid import Grid
from ..core.model import LearningProgress, Model, learn
from ..core.network import Network
from ..core.params import PathString, param
from ..core.pipeline import run
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.resolver import list_built_in_samples
from ..core.samples import Samples, check_sample_count
from ..core.tilemap import TileMap
from ..formats import format_of
from ..formats._files import encode_image, refuse_unwritable, write_files
from ..formats._models import CheckpointFile, check_model_extension, check_network_extension, find_model
from ..formats._resolver import FileResolver
from ..pictures.sheets import draw_comparison_sheet
from . import Terminated
from ._console import info
from ._inputs import WITHOUT_TILES, SampleOptions, format_hint, sample_resolver
from ._options import params_command, read_settings
from ._progress import show_progress

PREVIEW_MAPS = 4
PREVIEW_INTERVAL = 0.1
"""Fraction of a training between two previews."""
MAX_PREVIEW_SIDE = 40


class LearnOptions(SampleOptions):
    """Options of `learn`."""

    output: PathString = param(flags=("-o", "--output"), metavar="MODEL")
    """Output file, .json or .npz."""
    settings: tuple[str, ...] = param((), flags=("--set",), metavar="NAME=VALUE", repeated=True)
    """Learning parameter, such as pattern_sizes=2,3."""
    size: str | None = param(None, metavar="small|normal|large")
    """Size of the network of diffusion; short for --set size=."""


@params_command("learn", LearnOptions)
@click.argument("technique")
@click.argument("samples", metavar="SAMPLE...", nargs=-1, required=True)
def command(technique: str, samples: tuple[str, ...], params: LearnOptions) -> None:
    """Learn a model from samples and save it, so that the samples are not read again.

    A sample is a file, a folder of maps, a quoted glob such as "maps/*.csv", or the name of a built-in sample. A
    model file counts as all of its samples, so that models can be merged.

    The technique diffusion trains a network, which needs the extra neural. A preview of its maps is written beside the
    network. If the training is stopped, the same command continues it.

    \b
    tilewright learn patterns village -o village.json
    tilewright learn patterns a.txt b.txt --set pattern_sizes=2,3 -o mine.json
    tilewright learn patterns maps/*.csv --from awbw -o war.npz
    tilewright learn diffusion maps/ --size small -o dungeon.npz
    tilewright make patterns --model village.json --width 60
    """
    entry = techniques.get(technique)
    output, size = params.output, () if params.size is None else (f"size={params.size}",)
    settings = {} if entry.learn is None else read_settings([*params.settings, *size], entry.learn, "set")
    if entry.learn is not None and entry.learn.trains_network:
        check_network_extension(output)
    else:
        check_model_extension(output)
    refuse_unwritable(output)
    models, grids = _read(samples, params)
    if models and not settings:
        first = models[0].params
        settings = {name: getattr(first, name) for name in first.model_fields_set - {"sample"}}
    if models and models[0].technique != entry.name:
        raise InvalidRecipe(f"must be a model of {entry.name}, got one of {models[0].technique}")
    checkpoint = CheckpointFile(Path(output).with_suffix(".checkpoint.npz"))
    found = _learn(entry, grids, settings, output, checkpoint) if grids else None
    if isinstance(found, Network):
        found.save(output)
        checkpoint.delete()
        learned = _describe_network(found)
    else:
        parts = [*models, *([found] if found is not None else ())]
        model = parts[0].merge(*parts[1:])
        model.save(output)
        learned = _describe_samples(model)
    click.echo(f"{technique} learned from {learned}; wrote {output}", err=True)


def _learn(
    entry: Technique, grids: Sequence[Grid], params: Mapping[str, Any], output: str, checkpoint: CheckpointFile
) -> Model | Network:
    """Learn with a progress bar. The checkpoint stores the state of a training, from which it can be continued."""
    with show_progress() as show:

        def report(progress: LearningProgress) -> None:
            show(progress.fraction, progress.note)
            preview.draw(progress)

        show(None, "learning")
        preview = NetworkPreview(Path(output).with_suffix(".preview.png"), grids)
        try:
            return learn(entry, grids, params, FileResolver(), on_progress=report, checkpoint=checkpoint)
        except (KeyboardInterrupt, Terminated):
            if checkpoint.path.is_file():
                info(f"stopped; the state is in {checkpoint.path}; repeat the command to continue")
            raise


def _describe_samples(model: Model) -> str:
    cells = sum(grid.cells.size for grid in model.samples)
    tilesets = dict.fromkeys((grid.tileset or model.samples.tileset).name for grid in model.samples)
    return f"{pluralize(len(model.samples), 'sample')}, {pluralize(cells, 'cell')} of {', '.join(tilesets)}"


def _describe_network(network: Network) -> str:
    facts = network.manifest
    maps = f"{pluralize(facts['maps'], 'map')}, {pluralize(facts['cells'], 'cell')} of {network.tileset.name}"
    loss, held_out = facts["loss"], facts["held_out_loss"]
    reached = f"a loss of {loss:.3f}" if held_out is None else f"a held-out loss of {held_out:.3f}"
    return f"{maps}, in {facts['steps']:,} steps to {reached}"


class NetworkPreview:
    """Picture of samples, and of maps that a network makes while it is trained."""

    def __init__(self, path: Path, grids: Sequence[Grid]) -> None:
        self.path = path
        samples = Samples.of(list(grids[:PREVIEW_MAPS]))
        self.samples = [TileMap(grid.to_tile_ids(samples.tileset), samples.tileset) for grid in samples]
        self.size = {"width": min(MAX_PREVIEW_SIDE, self.samples[0].width)}
        self.size["height"] = min(MAX_PREVIEW_SIDE, self.samples[0].height)
        self._next = PREVIEW_INTERVAL

    def draw(self, progress: LearningProgress) -> None:
        """Write the picture, a few times per training."""
        if progress.fraction < self._next and progress.fraction < 1:
            return
        self._next = progress.fraction + PREVIEW_INTERVAL
        network = progress.build()
        recipe = Recipe.of({"technique": network.technique, "params": {"model": network, **self.size}})
        maps = [run(recipe.with_seed(str(seed))) for seed in range(1, PREVIEW_MAPS + 1)]
        title = f"network at {progress.fraction:.0%}: {progress.note}"
        sheet = draw_comparison_sheet(self.samples, {title: maps}, columns=PREVIEW_MAPS)
        write_files(self.path, {self.path.name: encode_image(sheet)})


def _read(samples: Sequence[str], options: SampleOptions) -> tuple[list[Model], list[Grid]]:
    """Split the samples into models and maps."""
    resolver = sample_resolver(options)
    models: list[Model] = []
    grids: list[Grid] = []
    names = [(name, name == sample) for sample in samples for name in resolver.expand_reference(sample)]
    check_sample_count(len(names))
    hinted = options.tileset is not None
    with show_progress() as report:
        for number, (name, is_given) in enumerate(names):
            report(number / len(names), f"reading {name}")
            is_built_in = name in list_built_in_samples()
            model = None if is_built_in or options.source else find_model(name)
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
