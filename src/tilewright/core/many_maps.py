"""What techniques and shapers declare so that `batch` makes many maps of a recipe at once.

`@technique(many=...)` names a subclass of `ManyMaps`, and `@shaper(many=...)` a function that returns a `Stage`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe, UnknownName

if TYPE_CHECKING:
    from .grid import Label
    from .site import Site

Job: TypeAlias = tuple[int, int, int, int, Any, np.uint64]
"""Height, width, passable states as bits, needs, shaping and first seed."""
Launch: TypeAlias = Callable[[Any, Job, tuple[Any, ...], tuple[Any, Any]], None]
"""Function `(keys, job, tests, out)` that makes, shapes, measures, tests and stores the maps of some keys on a GPU."""
Stage: TypeAlias = tuple[int, int, int]
"""Kind of a shaper in `kernels/bit_surveys.py`, state to fill with, and thickness."""


class NoKernel(Exception):
    """Raised if a recipe or a measure has no kernel; the message is the reason."""

    def refuse_gpu(self, device: str) -> None:
        """Raise InvalidRecipe if the device is `gpu`, which can only make maps by kernels."""
        if device == "gpu":
            text = f"the GPU has no kernel for {self}; use auto or cpu"
            raise InvalidRecipe(text, at="device", place="device gpu", rule="conflict") from None


class ManyMaps:
    """Kernels that make many maps of one technique. A state is the position of a tile in the labels of the technique.

    Parameters
    ----------
    params
        Parameters of the technique.
    site
        Shape and tiles of a map.

    Raises
    ------
    NoKernel
        If there is no kernel for the params.
    """

    runs_on_cpu: ClassVar[bool] = False
    """Whether `fill_rows` makes maps, of two states."""
    has_markers: ClassVar[bool] = False
    """Whether the maps have the markers start and exit, between which `path_length` is measured."""

    def __init__(self, params: Any, site: Site) -> None:
        self.params = params
        self.site = site

    def fill_rows(self, keys: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
        """Write maps (map, row) from the keys (map, word) of their streams. A bit is the state of a cell."""
        raise NotImplementedError

    def open_launch(self) -> Launch:
        """Return the function that makes maps on a GPU. Raise NoKernel if a GPU cannot make them."""
        raise NotImplementedError


def find_fill(site: Site, label: Label | None, shaper: str, *, prefers_first: bool = False) -> int:
    """Return the state that a shaper fills with: that of the label or, without a label, the only impassable one.

    With `prefers_first`, the state must be the first impassable tile of the tileset, which counts as the most common
    one of a map without impassable cells.
    """
    tileset, ids = site.tileset, site.ids.tolist()
    if label is None:
        solid = [state for state, tile in enumerate(ids) if not tileset.passable[tile]]
        first = next(iter(np.flatnonzero(~tileset.passable).tolist()), None)
        if len(solid) != 1 or (prefers_first and ids[solid[0]] != first):
            raise NoKernel(f"the shaper {shaper} without a tile, because several tiles are impassable")
        return solid[0]
    try:
        return site.tile(label)
    except UnknownName:
        raise NoKernel(f"the shaper {shaper} with a tile that the technique does not use") from None
