"""`tilewright run RECIPE`: maps from a recipe, built-in or in a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.edits import Edits, find_edits
from ..core.errors import BadFile, InvalidRecipe, errors_within
from ..core.params import param
from ..core.recipe import Recipe
from ..formats import is_map_file, load_all
from ..formats._resolver import DigestResolver
from . import _produce
from ._console import info
from ._options import params_command
from ._produce import ProduceOptions, produce
from ._recipe_command import OPTIONS, RECIPE, RecipeCommand, read_recipe


class RunOptions(ProduceOptions):
    """Options of `run`."""

    keep_edits: bool = param(False)
    """Whether to keep the cells and markers that were edited in RECIPE, the file of a map, since it was made."""
    beside: tuple[str, ...] = param((), flags=("--with",), metavar="FILE", repeated=True)
    """Network, or map for the recipe in the file of a map, that RECIPE refers to; or folder of such files."""


@params_command("run", RunOptions, RECIPE, *OPTIONS, *_produce.OPTIONS, cls=RecipeCommand)
def command(recipe: str, params: RunOptions, **values: Any) -> None:
    """Generate maps from a recipe and draw or save them.

    RECIPE is a YAML or JSON file, the file of a map, a name from `tilewright list recipes`, or a technique. A rulebook
    of technique rules, such as a ProcEngine object, is a valid recipe. Files that the recipe names are relative to the
    recipe; files named on the command line are relative to the working directory. The knobs of a recipe are options,
    too; `tilewright run RECIPE --help` lists them. --set changes the recipe after its knobs, and each --shape runs
    after its shaping.

    \b
    tilewright run open-caves
    tilewright run city-blocks --parks 3 --knob block_count=24
    tilewright run open-caves --set params.walls=0.5 --shape border
    tilewright run level.yaml --seed 8 -o level.png -o level.gif
    tilewright run edited.tmx --keep-edits --seed 8 -o level.tmx
    tilewright run level.png --with dungeon.npz -o again.png
    """
    files = DigestResolver(params.beside)
    edits = _find_edits(recipe, files) if params.keep_edits else None
    checked = _with_picture(read_recipe(recipe, values, files), recipe)
    if edits is None:
        produce(checked, params, **values)
    else:
        info(f"{recipe}: keeps {edits}")
        produce(edits.to_recipe(checked), params, finish=edits.keep_markers, **values)


def _with_picture(recipe: Recipe, path: str) -> Recipe:
    """Return a recipe with the picture of its tileset's sprites, if it was read from the file of a map that has it. The
    recipe in a file stores only the description of the picture."""
    sheet = recipe.tileset.sheet
    if sheet is None or sheet.picture or not is_map_file(path):
        return recipe
    found = load_all(path, recipes=False)[0].map.tileset.sheet
    return recipe if found != sheet else replace(recipe, tileset=recipe.tileset.model_copy(update={"sheet": found}))


def _find_edits(path: str, files: DigestResolver) -> Edits:
    """Return what was edited in the file of a map."""
    if not is_map_file(path):
        raise InvalidRecipe("RECIPE must be the file of a map", at="keep_edits", got=path)
    one = load_all(path, recipes=False)[0]
    with errors_within(path, into=BadFile):
        return find_edits(one.map, one.provenance, files)
