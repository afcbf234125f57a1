"""Named numbers of a map. Each is a function of a Survey, and None where it does not apply."""

from __future__ import annotations

import numpy as np

from ..core.registry import measure
from .survey import Survey


@measure(unit="cells")
def cells(survey: Survey) -> float:
    """How many cells the map has."""
    return survey.map.cells.size


@measure(unit="share")
def floor_share(survey: Survey) -> float:
    """The share of cells that one can walk on."""
    return int(survey.passable.sum()) / survey.passable.size


@measure(unit="regions")
def regions(survey: Survey) -> float:
    """How many separate parts the passable cells make, without diagonal steps; 1 is a connected map."""
    return survey.regions.count


@measure(unit="share")
def largest_region(survey: Survey) -> float | None:
    """The share of passable cells that belong to the largest separate part; 1 is a connected map."""
    sizes = survey.regions.sizes
    return int(sizes.max()) / int(sizes.sum()) if survey.regions.count else None


@measure(unit="tiles")
def tiles_used(survey: Survey) -> float:
    """How many different tiles the map holds."""
    return int(np.count_nonzero(survey.counts))


@measure(unit="bits")
def tile_entropy(survey: Survey) -> float:
    """How evenly the tiles are used, as Shannon's entropy: 0 for a single tile, log2(n) for n equally common ones.

    Source: Shannon, "A mathematical theory of communication", 1948.
    """
    shares = survey.counts[survey.counts > 0] / survey.map.cells.size
    return float(np.sum(shares * -np.log2(shares)))
