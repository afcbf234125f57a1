"""Commands on the elites of an archive: take, export and pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import InvalidRecipe, format_number, pluralize
from ..core.notation import read_number
from ..core.params import Params, PathText, param
from ..core.pipeline import run
from ..core.registry import techniques
from ..corpus import refuse_without_packages
from ..jobs.cluster import RunParams
from ..kernels import start_quickly
from . import _outputs
from ._console import info
from ._drawing import describe
from ._options import params_command, read_integers, read_settings
from ._produce import OPTIONS, take_maps
from ._progress import job_progress

if TYPE_CHECKING:
    from ..search import Archive, Elite

MAP_OPTIONS = [option for option in _outputs.OPTIONS if option.name != "outputs"]


def open_archive(folder: str) -> Archive:
    """Open the archive in a folder, or `archive:caverns`; raise an error if a package for folders is missing."""
    from ..generators._fashion.gallery import PREFIX
    from ..search import load

    if not folder.startswith(PREFIX):
        refuse_without_packages()
    return load(folder)


class TakeOptions(Params):
    """Options of `search take`."""

    at: tuple[str, ...] = param((), metavar="MEASURE=VALUE,...", repeated=True)
    """The best elite whose cells contain these values, such as floor_share=0.4,regions=1."""
    best: bool = param(False)
    """Whether to take the elite with the highest objective."""


@params_command("take", TakeOptions, *OPTIONS)
@click.argument("folder")
@click.argument("cells", metavar="[CELL...]", nargs=-1)
def take(folder: str, cells: tuple[str, ...], params: TakeOptions, outputs: tuple[str, ...], **options: Any) -> None:
    """Draw maps of an archive, or write them to files.

    A cell is given by its bin along each axis, counted from 0, as the heatmap shows them.

    \b
    tilewright search take archive 12,3
    tilewright search take archive 12,3 4,7 -o "map_{cell}.tmx"
    tilewright search take archive --at floor_share=0.4,regions=1 -o map.png
    tilewright search take archive --best
    """
    start_quickly()
    archive = open_archive(folder)
    elites = [_read_cell(text, archive) for text in cells]
    elites += [_find_at(text, archive) for text in params.at]
    elites += [archive.best] if params.best else []
    if not elites:
        raise InvalidRecipe("is missing: name a cell such as 12,3, or use --at or --best", at="cell", rule="missing")
    _take_elites(elites, outputs, **options)


class ArchiveExportOptions(RunParams):
    """Options of `search export`."""

    output: PathText = param(None, flags=("-o", "--output"), metavar="FOLDER")
    """Folder of the corpus to write, or an fsspec URL."""
    maps: tuple[str, ...] = param((), metavar="FILE", repeated=True)
    """File for each map, such as "elite_{cell}.tmx", instead of a corpus."""


@params_command("export", ArchiveExportOptions, *MAP_OPTIONS)
@click.argument("folder")
def export(folder: str, params: ArchiveExportOptions, **options: Any) -> None:
    """Export all maps of an archive as a corpus, which `tilewright corpus` reads, or as files.

    \b
    tilewright search export archive -o corpus
    tilewright search export archive --maps "elite_{cell}.tmx"
    """
    if (params.output is None) == (not params.maps):
        raise InvalidRecipe("must be either a corpus (-o FOLDER) or files (--maps)", at="output", rule="conflict")
    start_quickly()
    archive = open_archive(folder)
    if params.output is None:
        _take_elites(list(archive), params.maps, **options)
        return
    given = next((name for name, value in options.items() if value), None)
    if given is not None:
        raise InvalidRecipe("only applies to files; name them with --maps", at=given, rule="conflict")
    with job_progress("map", params.output) as job:
        corpus = archive.to_corpus(params.output, workers=params.workers, scheduler=params.scheduler, on_progress=job)
    info(f"wrote a corpus of {pluralize(len(corpus), 'map')} to {params.output}")


class PairOptions(Params):
    """Options of `search pair`."""

    seed: str | None = param(None, metavar="SEED")
    """Seed of the map. [that of the first elite]"""
    changes: tuple[str, ...] = param((), flags=("--set",), metavar="NAME=VALUE", repeated=True)
    """Change a parameter of the map, such as width=120 or blend=radial."""


@params_command("pair", PairOptions, *OPTIONS)
@click.argument("folder")
@click.argument("first", metavar="CELL")
@click.argument("second", metavar="CELL")
def pair(folder: str, first: str, second: str, params: PairOptions, outputs: tuple[str, ...], **options: Any) -> None:
    """Make a map of a fashion-based automaton that changes from the style of one elite into that of another.

    \b
    tilewright search pair archive 12,3 4,7
    tilewright search pair archive 12,3 4,7 --set width=160 --set blend=radial -o morph.png
    """
    start_quickly()
    archive = open_archive(folder)
    from ..search.pair import TECHNIQUE, pair_styles

    settings = [setting.removeprefix("params.") for setting in params.changes]
    changes = read_settings(settings, techniques.get(TECHNIQUE).params, "set")
    if params.seed is not None:
        changes["seed"] = params.seed
    recipe = pair_styles(_read_cell(first, archive), _read_cell(second, archive), **changes)
    take_maps(
        [{"seed": str(recipe.seed), "technique": recipe.technique}],
        lambda index: run(recipe),
        lambda index, map: f"{describe(map)}; from cell {first} to cell {second}",
        outputs,
        names=("seed", "technique"),
        **options,
    )


def _take_elites(elites: Sequence[Elite], outputs: Sequence[str], **options: Any) -> None:
    """Generate the maps of elites, and draw or write them."""
    take_maps(
        [
            {
                "cell": format_cell(elite.cell, "-"),
                "seed": str(elite.recipe.seed),
                "technique": elite.recipe.technique,
                "index": index,
            }
            for index, elite in enumerate(elites)
        ],
        lambda index: elites[index].map,
        lambda index, map: f"{describe(map)}; {describe_elite(elites[index])}",
        outputs,
        names=("cell", "seed", "technique", "index"),
        remedies=("cell", "index"),
        **options,
    )


def _read_cell(text: str, archive: Archive) -> Elite:
    """Return the elite of a cell, given as `12,3`."""
    bins = tuple(read_integers(text))
    if not bins:
        example = ",".join(str(size // 2) for size in archive.shape)
        raise InvalidRecipe(f"must be the bins of a cell, such as {example}", at="cell", got=text, rule="format")
    elite = archive.cell(*bins)
    if elite is None:
        raise InvalidRecipe(f"is empty{_suggest_cell(archive, bins)}", at=("cell", text), place=f"cell {text}")
    return elite


def _suggest_cell(archive: Archive, wanted: tuple[int, ...]) -> str:
    """Return the nearest cell with an elite, as a part of a message."""
    cells = [elite.cell for elite in archive]
    if not cells:
        return ""
    nearest = min(cells, key=lambda cell: sum(abs(one - other) for one, other in zip(cell, wanted, strict=True)))
    return f"; the nearest elite is at {format_cell(nearest)}"


def _find_at(text: str, archive: Archive) -> Elite:
    """Return the best elite at values given as `floor_share=0.4,regions=1`."""
    values: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        value = read_number(number) if equals else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidRecipe("must be values such as floor_share=0.4,regions=1", at="at", got=text, rule="format")
        values[name] = float(value)
    found = archive.at(**values)
    if not found:
        raise InvalidRecipe(f"there is no elite at {text}", at="at", rule="missing")
    return found[0]


def format_cell(cell: tuple[int, ...], separator: str = ",") -> str:
    return separator.join(map(str, cell))


def describe_elite(elite: Elite) -> str:
    """Return a line about an elite: its cell, objective and measures."""
    measures = ", ".join(f"{name} {format_number(value)}" for name, value in elite.measures.items())
    return f"cell {format_cell(elite.cell)}: objective {format_number(elite.objective)}; {measures}"
