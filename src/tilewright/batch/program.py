"""Programs: recipes in the form that the kernels for bit rows run."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UnknownName
from ..core.params import Params
from ..core.plan import Plan, PlannedShaper, make_plan
from ..core.recipe import Recipe
from ..core.registry import shapers, techniques
from ..core.tilemap import format_size
from ..generators.caves import CavesParams
from ..kernels.bit_rows import MAX_HEIGHT, MAX_WIDTH
from ..kernels.bit_surveys import BORDER, KEEP_LARGEST, STATES
from ..shaping.border import BorderParams
from ..shaping.keep_largest import KeepLargestParams


class NoKernel(Exception):
    """Raised if a recipe or a measure has no kernel; the message is the reason."""


@dataclass(frozen=True)
class BatchProgram:
    """A recipe whose maps consist of up to eight states, one for each label of its technique."""

    recipe: Recipe
    technique: str
    params: Params
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
        if recipe.technique not in techniques.built_in:
            raise NoKernel(f"the technique {recipe.technique}")
        shape, tileset = plan.site.shape, plan.site.tileset
        if len(shape) != 2 or shape[0] > MAX_HEIGHT or shape[1] > MAX_WIDTH:
            raise NoKernel(f"a map of {format_size(shape)}; at most {MAX_WIDTH}x{MAX_HEIGHT:,}")
        ids = plan.site.ids
        if len(ids) > STATES or len(set(ids.tolist())) < len(ids):
            raise NoKernel(f"more than {STATES} tiles, or two labels with the same tile")
        passable = sum(1 << state for state, tile in enumerate(ids.tolist()) if tileset.passable[tile])
        shaping = [_read_shaper(shaper, plan) for shaper in plan.shaping]
        table = np.array(shaping, dtype=np.int64).reshape(-1, 3)
        return cls(recipe, recipe.technique, recipe.params, *shape, ids, passable, table)

    @property
    def cells(self) -> int:
        """Number of cells of a map."""
        return self.height * self.width

    def find_state(self, tile: str) -> int | None:
        """Return the state of a tile, or None if the technique does not use the tile."""
        number = self.recipe.tileset.find(tile)
        return next((state for state, one in enumerate(self.ids.tolist()) if one == number), None)


def _read_shaper(shaper: PlannedShaper, plan: Plan) -> tuple[int, int, int]:
    """Return the row of a shaper in the shaping."""
    params, name = shaper.params, shaper.entry.name
    if name not in shapers.built_in:
        raise NoKernel(f"the shaper {name}")
    if isinstance(params, BorderParams):
        return BORDER, _find_fill(plan, params.tile, name), params.thickness
    if isinstance(params, KeepLargestParams) and params.keep == 1 and params.directions == 4:
        return KEEP_LARGEST, _find_fill(plan, params.tile, name), 0
    raise NoKernel(f"the shaper {name}" + (" with these parameters" if isinstance(params, KeepLargestParams) else ""))


def _find_fill(plan: Plan, label: str | int | None, shaper: str) -> int:
    """Return the state that a shaper fills with."""
    tileset, ids = plan.site.tileset, plan.site.ids.tolist()
    if label is None:
        solid = [state for state, tile in enumerate(ids) if not tileset.passable[tile]]
        # On a map without impassable cells, the first impassable tile of the tileset counts as the most common one.
        first = next(iter(np.flatnonzero(~tileset.passable).tolist()), None)
        if len(solid) != 1 or (shaper == "border" and ids[solid[0]] != first):
            raise NoKernel(f"the shaper {shaper} without a tile, because several tiles are impassable")
        return solid[0]
    try:
        state = plan.site.tile(label)
    except UnknownName:
        raise NoKernel(f"the shaper {shaper} with a tile that the technique does not use") from None
    if shaper == "keep_largest" and tileset.passable[ids[state]]:
        raise NoKernel("the shaper keep_largest with a passable tile")
    return state


@dataclass(frozen=True)
class CavesRule:
    """Parameters of the cave automaton, as kernels take them."""

    limit: int
    steps: int
    birth: int
    survive: int
    outside: int

    @classmethod
    def of(cls, params: CavesParams) -> CavesRule:
        """Return the rule. Raise NoKernel for a torus or a window."""
        if params.wrap or params.offset is not None:
            raise NoKernel("caves with wrap or offset")
        # A random number of 53 bits is below this limit if, as a fraction, it is below `walls`.
        limit = ceil(params.walls * 2**53)
        return cls(limit, params.steps, params.birth, params.survive, int(params.outside == "wall"))
