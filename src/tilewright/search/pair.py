"""Pairs of styles: maps that change from the automaton of one elite into that of another."""

from __future__ import annotations

from typing import Any

from ..core.errors import InvalidRecipe
from ..core.recipe import Recipe
from .archive import Elite

TECHNIQUE = "fashion"


def pair_styles(first: Elite, second: Elite, /, **changes: Any) -> Recipe:
    """Return a recipe whose maps change from the style of one elite into the style of another.

    The scores of the first elite become `scores`, those of the second become `morph`. Everything else is taken from the
    recipe of the first elite.

    Parameters
    ----------
    first
        Elite of a search over the technique `fashion`.
    second
        Another elite, with the same number of states and the same neighborhood.
    **changes
        Other parameters of the map, such as `width=120` or `blend="radial"`, and `seed`.

    Returns
    -------
    Recipe

    Raises
    ------
    InvalidRecipe
        If the technique is not `fashion`, if the two automata cannot be blended, or if a parameter is invalid.

    Examples
    --------
    >>> import tilewright as tw
    >>> archive = tw.search.make(
    ...     "fashion", vary=["scores"], measures={"floor_share": (0, 1, 4)}, objective="regions", evaluations=32,
    ...     seed=7,
    ... )
    >>> elites = list(archive)
    >>> tw.search.pair_styles(elites[0], elites[-1], width=90).params.width
    90
    """
    for elite in (first, second):
        if elite.recipe.technique != TECHNIQUE:
            text = f"pairs need elites of the technique {TECHNIQUE}"
            raise InvalidRecipe(text, at="technique", got=elite.recipe.technique, rule="conflict")
    mine, other = _read_params(first), _read_params(second)
    for name in ("states", "neighbourhood"):
        if mine[name] != other[name] and name not in changes:
            raise InvalidRecipe("must be the same for both elites", at=name, got=[mine[name], other[name]])
    data = first.recipe.to_data()
    seed = changes.pop("seed", first.recipe.seed)
    params = {**data["params"], "scores": mine["scores"], "morph": other["scores"], **changes}
    return Recipe.of({**data, "params": params}).with_seed(seed)


def _read_params(elite: Elite) -> dict[str, Any]:
    params = elite.recipe.params
    found = {name: getattr(params, name) for name in ("states", "neighbourhood", "scores")}
    if isinstance(found["scores"], str):
        raise InvalidRecipe("must be numbers; let the search vary scores", at="scores", got=found["scores"])
    return found
