"""Scanners: tests of many seeds of a recipe against requirements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures

FINE_UNITS = ("fraction", "bits", "nats", "yes or no")
"""Units of measures whose histograms have bins of 0.01; all others have bins of 1."""


@dataclass(frozen=True, slots=True)
class ScanBound:
    """The worst kept seed. Only seeds that are better are of interest: more extreme, or equal and smaller.

    Without a measure to maximize or minimize, all values are 0, so that the first seeds are the best.
    """

    value: float
    """Value of the measure to maximize or minimize."""
    seed: int


@dataclass(frozen=True)
class ScanResult:
    """Seeds of a range that meet all requirements, and the distribution of the measures."""

    first: int
    count: int
    """Number of tested seeds."""
    seeds: NDArray[np.uint64]
    """Seeds that meet all requirements and are better than the bound, in ascending order."""
    values: Mapping[str, NDArray[np.float64]]
    """Values of these seeds by measure; NaN where a measure does not apply."""
    passed: int
    """Number of seeds that meet all requirements, whether or not they are better than the bound."""
    met: Mapping[str, int]
    """Number of seeds that meet each requirement, by measure."""
    histograms: Mapping[str, Mapping[int, int]]
    """Number of seeds by measure and bin. Bin i contains the values from i * width to (i + 1) * width; see `bin_width`
    and `find_bins`."""
    without: Mapping[str, int]
    """Number of seeds to which a measure does not apply, by measure."""
    failures: Mapping[str, int]
    """Number of seeds that cannot be made, by reason."""


class Scanner(Protocol):
    """Test of seeds of one recipe against requirements, for some measures."""

    device: str
    """Device that makes and measures the maps: `cpu` or `gpu`."""

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        """Test the decimal seeds `first` to `first + count - 1`."""
        ...


def bin_width(measure: str) -> float:
    """Return the width of the bins of a measure's histogram.

    >>> bin_width("floor_share"), bin_width("regions")
    (0.01, 1.0)
    """
    return 0.01 if measures.get(measure).unit in FINE_UNITS else 1.0


def find_bins(measure: str, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bins of finite values of a measure. The bin of a fraction c / n with bins of 0.01 is 100 * c // n.

    >>> find_bins("floor_share", np.array([0.29, 0.3, 0.999])).tolist()
    [29, 30, 99]
    """
    bins_per_unit = round(1 / bin_width(measure))
    found = np.floor(values * bins_per_unit).astype(np.int64)
    # The product may be rounded across the edge of a bin. The quotients are rounded like the values themselves.
    found += (found + 1) / bins_per_unit <= values
    found -= found / bins_per_unit > values
    return found
