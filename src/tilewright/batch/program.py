"""Programs: recipes in the form that the kernels for bit rows run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.many_maps import ManyMaps, NoKernel, Stage
from ..core.plan import PlannedShaper, make_plan
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.site import Site
from ..core.tilemap import format_size
from ..kernels.bit_rows import MAX_HEIGHT, MAX_WIDTH
from ..kernels.bit_surveys import STATES


@dataclass(frozen=True)
class BatchProgram:
    """A recipe whose maps consist of up to eight states, one for each label of its technique."""

    recipe: Recipe
    many: ManyMaps
    """Kernels of the technique."""
    height: int
    width: int
    ids: NDArray[np.int64]
    """(state,) tile of each state."""
    passable: int
    """Bit s is set if state s is passable."""
    shaping: NDArray[np.int64]
    """(stage, 3) kind of each shaper, state to fill with, and thickness."""

    @classmethod
    def of(cls, recipe: Recipe) -> BatchProgram:
        """Return the program of a recipe. Raise NoKernel if a part of the recipe has no kernel."""
        if recipe.require or recipe.attempt is not None:
            raise NoKernel("the recipe has requirements of its own")
        if recipe.locks is not None:
            raise NoKernel("locks")
        plan = make_plan(recipe)
        many = techniques.get(recipe.technique).many
        if many is None:
            raise NoKernel(f"the technique {recipe.technique}")
        shape, tileset = plan.site.shape, plan.site.tileset
        if len(shape) != 2 or shape[0] > MAX_HEIGHT or shape[1] > MAX_WIDTH:
            raise NoKernel(f"a map of {format_size(shape)}; at most {MAX_WIDTH}x{MAX_HEIGHT:,}")
        ids = plan.site.ids
        if len(ids) > STATES or len(set(ids.tolist())) < len(ids):
            raise NoKernel(f"more than {STATES} tiles, or two labels with the same tile")
        passable = sum(1 << state for state, tile in enumerate(ids.tolist()) if tileset.passable[tile])
        shaping = [_read_shaper(shaper, plan.site) for shaper in plan.shaping]
        table = np.array(shaping, dtype=np.int64).reshape(-1, 3)
        return cls(recipe, many(recipe.params, plan.site), *shape, ids, passable, table)

    @property
    def technique(self) -> str:
        """Name of the technique."""
        return self.recipe.technique

    @property
    def cells(self) -> int:
        """Number of cells of a map."""
        return self.height * self.width

    def find_state(self, tile: str) -> int | None:
        """Return the state of a tile, or None if the technique does not use the tile."""
        number = self.recipe.tileset.find(tile)
        return next((state for state, one in enumerate(self.ids.tolist()) if one == number), None)


def _read_shaper(shaper: PlannedShaper, site: Site) -> Stage:
    if shaper.entry.many is None:
        raise NoKernel(f"the shaper {shaper.entry.name}")
    return shaper.entry.many(shaper.params, site)
