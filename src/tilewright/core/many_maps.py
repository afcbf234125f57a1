"""What techniques and shapers declare so that `batch` makes many maps of a recipe at once.

`@technique(many=...)` names a subclass of `ManyMaps`, and `@shaper(many=...)` a function that returns a `Stage`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .site import Site

Job: TypeAlias = tuple[int, int, int, int, Any, np.uint64]
"""Height, width, passable states as bits, needs, shaping and first seed."""
Launch: TypeAlias = Callable[[Any, Job, tuple[Any, ...], tuple[Any, Any]], None]
"""Function `(keys, job, tests, out)` that makes, shapes, measures, tests and stores the maps of some keys on a GPU."""
Stage: TypeAlias = tuple[int, int, int]
"""Kind of a shaper in `kernels/bit_surveys.py`, state to fill with, and thickness."""


class NoKernel(Exception):
    """Raised if a recipe or a measure has no kernel; the message is the reason."""


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
