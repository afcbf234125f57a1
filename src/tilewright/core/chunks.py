"""Parts of one large map: each made by itself, all together equal to the whole, cell for cell."""

from __future__ import annotations

from dataclasses import replace

from .errors import InvalidRecipe, TilewrightError, TooLarge, problem
from .grid import StartParams
from .pipeline import check_stage_result, run_stage
from .plan import resolve_labels
from .recipe import Recipe
from .registry import Technique, techniques
from .seeds import Rng
from .site import Site, Steps
from .tilemap import format_size


def make_chunk(recipe: Recipe, first: tuple[int, ...], shape: tuple[int, ...]) -> Steps:
    """The work on a rectangle of a map: the same cells as in the whole map, which is never made.

    Only techniques that are local can do that, alone and without locks.
    """
    entry = get_local_technique(recipe)
    recipe = resolve_random_params(recipe)
    assert recipe.seed is not None
    whole = recipe.shape
    sides = zip(first, shape, whole, strict=True) if len(first) == len(shape) == len(whole) else ()
    if not sides or not all(start >= 0 and 1 <= side <= world - start for start, side, world in sides):
        raise InvalidRecipe(f"{shape} cells from {first} on do not lie in a map of shape {whole}", at="part")
    words, ids = resolve_labels(entry, recipe, recipe.tileset)
    site = Site(shape, recipe.tileset, labels=words, ids=ids, chunk=(whole, first))
    if entry.validate is not None:
        entry.validate(recipe.params, site)
    try:
        made = yield from run_stage(entry, recipe.params, site=site, rng=Rng.of(recipe.seed).child(entry.name))
    except MemoryError:
        text = f"a part of {format_size(shape)} does not fit into memory"
        raise TooLarge(text, at="technique", place=entry.name) from None
    check_stage_result(made, site, entry.name)
    if made.shape != shape or made.tileset != recipe.tileset:
        raise TilewrightError(f"{entry.name}: made another size or tileset than asked; this is a bug in it")
    return made


def resolve_random_params(recipe: Recipe) -> Recipe:
    """The recipe with all drawn that its params leave to chance, as the whole map's recipe records it."""
    entry = techniques.get(recipe.technique)
    if entry.resolve_random is None:
        return recipe
    assert recipe.seed is not None
    params = entry.resolve_random(recipe.params, Rng.of(recipe.seed).child(entry.name))
    return recipe if params is recipe.params else replace(recipe, params=params)


def get_local_technique(recipe: Recipe) -> Technique:
    """The technique of a recipe whose map can be made in parts; others are refused."""
    entry = techniques.get(recipe.technique)
    if entry.reach is None:
        able = ", ".join(other.name for other in techniques if other.reach is not None)
        text = f"cannot be made in parts, where any cell may depend on any other; {able} can"
        raise InvalidRecipe(text, at="technique", place=entry.name)
    problems = []
    if recipe.shaping:
        shaper = recipe.shaping[0].shaper
        text = f"{shaper} works on a whole map, and a map that is made in parts never is one"
        problems.append(problem(text, at="shaping"))
    if recipe.locks is not None and len(recipe.locks):
        problems.append(problem("a map that is made in parts takes none", at="locks"))
    if recipe.require:
        problems.append(problem("a map that is made in parts is not measured", at="require"))
    start = recipe.params.start if isinstance(recipe.params, StartParams) else None
    is_given = {"offset": entry.offset_of(recipe.params), "start": start}
    names = [name for name, value in is_given.items() if value is not None]
    problems += [problem("a map that is made in parts takes none", at=("params", name)) for name in names]
    if problems:
        raise InvalidRecipe(*problems)
    return entry
