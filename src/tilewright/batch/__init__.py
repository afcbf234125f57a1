"""Many maps of one recipe at once: kernels make and measure thousands of small maps in one call.

A `Scanner` tests a range of seeds against requirements. `open_scanner` returns one for recipes that have kernels on the
chosen device. The maps and measures are those of `tw.run` and `tw.measure`, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.recipe import Recipe
from ..core.require import Requirement
from .scanner import Bound, Scanner, ScanResult, bin_width, find_bins

__all__ = ["Bound", "ScanResult", "Scanner", "bin_width", "find_bins", "open_scanner"]


def open_scanner(
    recipe: Recipe, requirements: Sequence[Requirement], measures: Sequence[str], device: str
) -> Scanner | None:
    """Return a scanner that makes and measures the maps of a recipe with kernels; None if there are no such kernels.

    Parameters
    ----------
    recipe
        The recipe.
    requirements
        Requirements that seeds must meet.
    measures
        Measures to record, including those of the requirements.
    device
        `cpu`, `gpu`, or `auto` for the fastest device of this machine.

    Returns
    -------
    Scanner or None
    """
    return None
