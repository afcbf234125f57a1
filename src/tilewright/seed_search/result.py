"""The result of a search over seeds: the seeds, histograms of their measures, and how rare they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, isfinite, log10
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..batch import bin_width
from ..core.params import check_integer
from ..core.pipeline import run
from ..core.require import Requirement
from ..core.summary import MAX_MAPS, Example, Summarized, Summary, list_few
from ..core.tables import make_dataframe
from ..core.tilemap import TileMap
from ..corpus.distributions import Distribution
from .definition import SeekDefinition
from .state import Floats, Seeds, SeekState

if TYPE_CHECKING:
    from pandas import DataFrame
    from PIL.Image import Image


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


CONFIDENCE = 3
"""If none of n seeds has a property, it is 95% certain that at most 3 of n other seeds have it (rule of three)."""
UNITS = ((10**9, "billion"), (10**6, "million"))


@dataclass(frozen=True)
class Rarity:
    """Number of seeds that have a property, among a number of seeds.

    >>> str(Rarity(25, 1_000_000_000)), str(Rarity(3, 10)), str(Rarity(0, 3_000_000)), str(Rarity(1990, 2000))
    ('1 in 40 million', '30%', 'none; at most 1 in 1 million', 'all but 1 in 200')
    """

    count: int
    of: int

    @property
    def fraction(self) -> float:
        """Fraction of the seeds that have the property."""
        return self.count / self.of if self.of else 0.0

    def __str__(self) -> str:
        if not self.count:
            bound = f"; at most 1 in {format_round(self.of / CONFIDENCE)}" if self.of > CONFIDENCE else ""
            return f"none{bound}"
        if self.count == self.of:
            return "all"
        if self.fraction > 0.99:
            return f"all but 1 in {format_round(self.of / (self.of - self.count))}"
        if self.fraction >= 0.1:
            return f"{round(100 * self.fraction)}%"
        return f"1 in {format_round(self.of / self.count)}"


def format_round(number: float) -> str:
    """Return a number rounded to two digits: `17`, `2,300`, `40 million`.

    >>> format_round(17.3), format_round(2345), format_round(39_999_999), format_round(1.21e9)
    ('17', '2,300', '40 million', '1.2 billion')
    """
    power = max(0, floor(log10(max(number, 1))) - 1)
    rounded = round(number / 10**power) * 10**power
    for size, name in UNITS:
        if rounded >= size:
            amount = rounded / size
            return f"{amount:.1f} {name}" if amount < 10 and rounded % size else f"{amount:.0f} {name}"
    return f"{rounded:,}"


@dataclass(frozen=True, repr=False)
class FoundSeeds(Summarized):
    """Seeds that meet all requirements of a search, best first, and the distribution of the measures.

    `len(found)` is the number of seeds, `found.seeds` has them, and `found.maps()` makes their maps.
    """

    state: SeekState
    digests: tuple[str, ...]
    """Digest of the map of each seed."""

    def __len__(self) -> int:
        return len(self.seeds)

    def _summarize(self) -> Summary:
        counts = f"{len(self)} of {self.passed:,} that pass, {self.tested:,} tested"
        rules = [str(one) for one in self.definition.requirements]
        required = {one.measure for one in self.definition.requirements}
        others = [name for name in self.definition.measures if name not in required]
        return Summary(
            f"FoundSeeds of {self.definition.recipe.title}: {counts}",
            [f"seeds {list_few(self.seeds.tolist())}" if len(self) else "no seeds", ", ".join([*rules, *others])],
            examples=self._list_examples,
            measures=lambda: self.values,
            command=self.definition.write_command,
        )

    def _list_examples(self) -> list[Example]:
        seeds = self.seeds[:MAX_MAPS].tolist()
        return [Example(self.definition.recipe_of(seed), f"seed {seed}") for seed in seeds]

    @property
    def definition(self) -> SeekDefinition:
        """The search."""
        return self.state.definition

    @property
    def seeds(self) -> Seeds:
        """Kept seeds, best first."""
        return self.state.kept.seeds

    @property
    def values(self) -> Mapping[str, Floats]:
        """Values of the kept seeds by measure; NaN where a measure does not apply."""
        return self.state.kept.values

    @property
    def tested(self) -> int:
        """Number of tested seeds."""
        return self.state.tally.tested

    @property
    def passed(self) -> int:
        """Number of seeds that meet all requirements."""
        return self.state.tally.passed

    @property
    def failures(self) -> dict[str, int]:
        """Number of seeds that cannot be made, by reason, by descending number."""
        return dict(sorted(self.state.tally.failures.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def histograms(self) -> dict[str, Distribution]:
        """Distribution of each measure over the seeds for which it was computed; see `SeekPlan`.

        Fractions are counted in bins of 0.01, other values in bins of 1. A value is the lower end of its bin.
        """
        return {name: self._make_distribution(name) for name in self.definition.measures}

    def _make_distribution(self, name: str) -> Distribution:
        counts = self.state.tally.histograms[name]
        bins = sorted(counts)
        values = np.array(bins, dtype=np.float64) / round(1 / bin_width(name))
        numbers = np.array([counts[one] for one in bins], dtype=np.int64)
        return Distribution(name, values, numbers, self.state.tally.without[name])

    @cached_property
    def rarity(self) -> dict[str, Rarity]:
        """How rare the seeds are that meet each requirement, by requirement, and at last all of them (`all`).

        A requirement of a later stage is counted among the seeds that pass the earlier stages.
        """
        tally = self.state.tally
        found: dict[str, Rarity] = {}
        for number, stage in enumerate(self.state.plan.stages):
            for one in (one for one in stage.requirements if not one.is_extreme):
                of = tally.tested if number == 0 else tally.count_measured(one.measure)
                found[str(one)] = Rarity(tally.met[one.measure], of)
        return {**found, "all": Rarity(tally.passed, tally.tested)}

    def find_scope(self, measure: str) -> tuple[Requirement, ...]:
        """Return the conditions that all seeds in the histogram of a measure meet; none if all seeds are in it."""
        met: list[Requirement] = []
        for stage in self.state.plan.stages:
            if measure in stage.measures:
                break
            met += [one for one in stage.requirements if not one.is_extreme]
        return tuple(met)

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict for each seed: seed, values of the measures, digest of the map."""
        columns = {"seed": self.seeds.tolist(), **{name: own.tolist() for name, own in self.values.items()}}
        columns["digest"] = list(self.digests)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def maps(self) -> Iterator[TileMap]:
        """Make the map of each seed, best first."""
        for seed in self.seeds.tolist():
            yield run(self.definition.recipe_of(seed))

    def sheet(self, *, count: int = 30, columns: int | None = None, width: int = 1280) -> Image:
        """Draw the maps of the first seeds, each with its seed.

        Parameters
        ----------
        count
            Maximum number of maps.
        columns
            Number of maps per row. By default, a number that makes the picture about square.
        width
            Maximum width of the picture in pixels.

        Returns
        -------
        PIL.Image.Image
        """
        from .pictures import draw_found_maps

        check_integer("count", count)
        return draw_found_maps(self, count=count, columns=columns, width=width)

    def chart(self) -> Image:
        """Draw a histogram of each measure: which values are typical, which are rare, which meet a requirement."""
        from .pictures import draw_histograms

        return draw_histograms(self)

    def to_data(self) -> dict[str, Any]:
        """Return the result as plain data: seeds, numbers of tested and passed seeds, and rarity."""
        rows = [{name: None if value != value else value for name, value in row.items()} for row in self.rows()]
        rarity = {name: {"count": one.count, "of": one.of, "text": str(one)} for name, one in self.rarity.items()}
        return {
            "seeds": rows,
            "tested": self.tested,
            "passed": self.passed,
            "rarity": rarity,
            "failures": self.failures,
        }

    def to_dataframe(self) -> DataFrame:
        """Return the table of seeds as a DataFrame of pandas: seed, values of the measures, digest of the map.

        Examples
        --------
        >>> import tilewright as tw
        >>> found = tw.seek("caves", seeds="0..99", require={"regions": 1}, keep=3)
        >>> found.to_dataframe().columns.tolist()
        ['seed', 'regions', 'digest']
        """
        return make_dataframe({"seed": self.seeds, **self.values, "digest": self.digests})

    def to_csv(self) -> str:
        """Return the table of seeds as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["seed", *self.values, "digest"])
        for row in self.rows():
            writer.writerow([_format_cell(value) for value in row.values()])
        return text.getvalue()

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the seeds, a report and pictures to a folder, as `tw.seek(..., out=folder)` does.

        Needs the extra `corpus`.
        """
        from ..jobs import refuse_without_packages

        refuse_without_packages()
        from .folder import open_folder

        with open_folder(fspath(folder), self.definition) as store:
            store.check_same(self.definition)
            store.write_start(self.state)
            store.write_result(self)


def _format_cell(value: Any) -> str:
    """Return a cell of a CSV file. Integers have no decimals, and a value that does not apply is empty."""
    if not isinstance(value, float):
        return str(value)
    if not isfinite(value):
        return ""
    return str(int(value)) if value == int(value) else repr(value)
