"""Bars of the histogram of a measure, as pictures and the studio draw them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ..batch import bin_width
from ..core.require import Requirement
from ..corpus.distributions import Distribution


@dataclass(frozen=True)
class HistogramBars:
    """Bars of equal width. A bar covers one or several bins of a distribution."""

    low: float
    """Left edge of the first bar."""
    width: float
    """Width of a bar, in units of the measure."""
    counts: NDArray[np.int64]
    """Array (bar,) of the number of seeds."""
    meets: NDArray[np.bool_]
    """Array (bar,) of whether some values of a bar meet the requirement."""

    @classmethod
    def of(cls, spread: Distribution, one: Requirement | None, max_bars: int) -> HistogramBars:
        """Return the bars of a distribution that has values.

        Parameters
        ----------
        spread
            Distribution of a measure.
        one
            Requirement for the measure. No bar meets `most` and `least`.
        max_bars
            Maximum number of bars.

        Returns
        -------
        HistogramBars
        """
        width = bin_width(spread.name)
        bins = np.round(spread.values / width).astype(np.int64)
        bins_per_bar = ceil((int(bins[-1] - bins[0]) + 1) / max_bars)
        bars = (bins - bins[0]) // bins_per_bar
        count = int(bars[-1]) + 1
        counts, meets = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
        np.add.at(counts, bars, spread.counts)
        np.logical_or.at(meets, bars, _find_bins_that_meet(spread, one))
        # An integer is in the middle of its bin, and a fraction is at least the lower end.
        low = float(bins[0]) * width - (0.5 if width == 1 else 0.0)
        return cls(low, bins_per_bar * width, counts, meets)

    @property
    def high(self) -> float:
        """Right edge of the last bar."""
        return self.low + len(self.counts) * self.width


def _find_bins_that_meet(spread: Distribution, one: Requirement | None) -> NDArray[np.bool_]:
    """Return which bins of a distribution have values that meet a requirement, unless it is `most` or `least`."""
    if one is None or one.is_extreme:
        return np.zeros(len(spread.values), dtype=np.bool_)
    width = bin_width(spread.name)
    lows = spread.values
    highs = lows if width == 1 else np.nextafter(lows + width, lows)
    # A bin of fractions may meet the requirement only in part, or only at one value within it.
    ends = [one.holds(low) or one.holds(high) for low, high in zip(lows.tolist(), highs.tolist(), strict=True)]
    within = (lows <= one.value) & (one.value <= highs) & one.holds(one.value)
    return np.array(ends, dtype=np.bool_) | within
