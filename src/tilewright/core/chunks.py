"""Chunks of one large map. Each chunk is made separately; all chunks together equal the complete map."""

from __future__ import annotations

from dataclasses import replace

from .entries import Technique
from .errors import InvalidRecipe, TooLarge, problem
from .grid import StartParams
from .pipeline import run_technique
from .plan import resolve_labels
from .recipe import Recipe
from .registry import techniques
from .seeds import Rng
from .site import Site, Steps
from .tilemap import format_size


def make_chunk(recipe: Recipe, first: tuple[int, ...], shape: tuple[int, ...]) -> Steps:
    """Make a rectangle of a map without making the complete map.

    Parameters
    ----------
    recipe
        Recipe of the complete map, with a local technique and without shapers, locks and requirements.
    first
        Index of the first cell of the chunk in the map.
    shape
        Shape of the chunk.

    Returns
    -------
    Steps
        Generator that yields frames and returns the chunk.

    Raises
    ------
    InvalidRecipe
        If the map cannot be made in chunks, or the chunk is outside the map.
    TooLarge
        If the chunk does not fit in memory.
    """
    entry = get_local_technique(recipe)
    recipe = resolve_random_params(recipe)
    assert recipe.seed is not None
    whole = recipe.shape
    sides = zip(first, shape, whole, strict=True) if len(first) == len(shape) == len(whole) else ()
    if not sides or not all(start >= 0 and 1 <= side <= world - start for start, side, world in sides):
        raise InvalidRecipe(f"{shape} cells from {first} on are not inside a map of shape {whole}", at="part")
    labels, ids = resolve_labels(entry, recipe, recipe.tileset)
    site = Site(shape, recipe.tileset, labels=labels, ids=ids, chunk=(whole, first))
    if entry.validate is not None:
        entry.validate(recipe.params, site)
    try:
        return (yield from run_technique(entry, recipe.params, site, Rng.of(recipe.seed).child(entry.name)))
    except MemoryError:
        text = f"a chunk of {format_size(shape)} does not fit into memory"
        raise TooLarge(text, at="technique", place=entry.name) from None


def resolve_random_params(recipe: Recipe) -> Recipe:
    """Draw the random parameters of a recipe, and return the recipe that the complete map stores."""
    entry = techniques.get(recipe.technique)
    if entry.resolve_random is None:
        return recipe
    assert recipe.seed is not None
    params = entry.resolve_random(recipe.params, Rng.of(recipe.seed).child(entry.name))
    return recipe if params is recipe.params else replace(recipe, params=params)


def get_local_technique(recipe: Recipe) -> Technique:
    """Return the technique of a recipe. Raise InvalidRecipe if the map cannot be made in chunks."""
    entry = techniques.get(recipe.technique)
    if entry.reach is None:
        able = ", ".join(other.name for other in techniques if other.reach is not None)
        text = f"cannot be made in chunks, because any cell may depend on any other; {able} can"
        raise InvalidRecipe(text, at="technique", place=entry.name)
    problems = []
    if recipe.shaping:
        shaper = recipe.shaping[0].shaper
        text = f"{shaper} needs a complete map, so it cannot shape a map made in chunks"
        problems.append(problem(text, at="shaping"))
    if recipe.locks is not None and len(recipe.locks):
        problems.append(problem("a map made in chunks cannot have locks", at="locks"))
    if recipe.require:
        problems.append(problem("a map made in chunks cannot be measured", at="require"))
    start = recipe.params.start if isinstance(recipe.params, StartParams) else None
    is_given = {"offset": entry.offset_of(recipe.params), "start": start}
    names = [name for name, value in is_given.items() if value is not None]
    problems += [problem("cannot be used for a map made in chunks", at=("params", name)) for name in names]
    if problems:
        raise InvalidRecipe(*problems)
    return entry
