"""Parts of one large map: each made by itself, all together equal to the whole, cell for cell."""

from __future__ import annotations

from .errors import InvalidRecipe
from .pipeline import checked, vocabulary, watched
from .recipe import Recipe
from .registry import Technique, techniques
from .seeds import Rng
from .site import Site, Steps


def part(recipe: Recipe, first: tuple[int, ...], shape: tuple[int, ...]) -> Steps:
    """The work on a rectangle of a map: the same cells as in the whole map, which is never made.

    Only techniques that are local can do that, alone and without locks.
    """
    assert recipe.seed is not None
    entry = local(recipe)
    words, ids = vocabulary(entry, recipe, recipe.tileset)
    whole = tuple(getattr(recipe.params, "shape", ()))
    site = Site(shape, recipe.tileset, words=words, ids=ids, part=(whole, first))
    rng = Rng.of(recipe.seed).child(entry.name)
    params = recipe.params if entry.settle is None else entry.settle(recipe.params, rng)
    made = yield from watched(entry, params, site=site, rng=rng)
    checked(made, site, entry.name)
    return made


def local(recipe: Recipe) -> Technique:
    """The technique of a recipe whose map can be made in parts; others are refused."""
    entry = techniques.get(recipe.technique)
    if entry.reach is None:
        able = ", ".join(other.name for other in techniques if other.reach is not None)
        raise InvalidRecipe(
            f"{entry.name}: cannot be made in parts, where any cell may depend on any other; {able} can"
        )
    problems = []
    if recipe.shaping:
        shaper = recipe.shaping[0].shaper
        problems.append(f"shaping: {shaper} works on a whole map, and a map that is made in parts never is one")
    if recipe.locks is not None and len(recipe.locks):
        problems.append("locks: a map that is made in parts takes none")
    if recipe.require:
        problems.append("require: a map that is made in parts is not measured")
    given = (name for name in ("offset", "start") if getattr(recipe.params, name, None) is not None)
    problems += [f"{name}: a map that is made in parts takes none" for name in given]
    if problems:
        raise InvalidRecipe(*problems)
    return entry
