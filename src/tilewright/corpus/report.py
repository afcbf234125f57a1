"""Looking at a corpus: histograms, expressive range, and how two corpora differ, for the terminal and as pictures.

Expressive range: Smith, Whitehead, "Analyzing the expressive range of a level generator", 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.deprecation import renamed_names
from ..core.errors import pluralize
from ..core.params import check_integer
from .distributions import (
    BINS,
    Difference,
    Distribution,
    compare_distributions,
    compute_bin_edges,
    compute_distributions,
    compute_joint,
    format_short,
)
from .rows import as_digests

if TYPE_CHECKING:
    from PIL.Image import Image

    from .reader import Corpus

BARS = "▁▂▃▄▅▆▇█"
SHADES = "·░▒▓█"
MAX_BINS = 500


class Histogram(NamedTuple):
    """A measure of a corpus in bins."""

    name: str
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    stats: Distribution


@dataclass(frozen=True)
class Comparison:
    """How two corpora differ."""

    names: tuple[str, str]
    measures: tuple[Difference, ...]
    """Of every measure that both have."""
    maps: tuple[int, int]
    """Different maps in each."""
    shared: int
    """Maps that are in both."""
    sentence: str
    """How they differ most."""

    @property
    def overlap(self) -> float:
        """Shared maps as a share of all different ones."""
        return self.shared / max(1, sum(self.maps) - self.shared)


# -- one corpus -------------------------------------------------------------------------------------------------


def compute_histograms(corpus: Corpus, bins: int = BINS) -> list[Histogram]:
    """Every measure in bins, with its least, mean, median, most and how many maps lack it."""
    check_integer("bins", bins, 1, MAX_BINS)
    found = []
    for spread in compute_distributions(corpus):
        edges = compute_bin_edges(spread, bins=bins)
        found.append(Histogram(spread.name, spread.count_in_bins(edges), edges, spread))
    return found


def format_histograms(corpus: Corpus, width: int = 100) -> list[str]:
    """A small histogram of every measure, a line each."""
    spreads = compute_distributions(corpus)
    if not spreads:
        return []
    name_width = max(len(spread.name) for spread in spreads)
    stats = _align_columns(
        [
            [
                f"min {format_short(spread.low)}",
                f"mean {format_short(spread.mean)}",
                f"max {format_short(spread.high)}",
                f"missing {spread.missing:,}",
            ]
            for spread in spreads
        ]
    )
    room = max(8, min(BINS, width - name_width - max(map(len, stats)) - 4))
    found = []
    for spread, text in zip(spreads, stats, strict=True):
        shape = _format_bars(spread.count_in_bins(compute_bin_edges(spread, bins=room)))
        found.append(f"{spread.name:<{name_width}}  {shape:<{room}}  {text}")
    return found


def draw_report(corpus: Corpus) -> Image:
    """A report: some maps, all measures, what could not be made."""
    from ._pictures import draw_corpus_picture

    return draw_corpus_picture(corpus)


# -- two measures -----------------------------------------------------------------------------------------------


def format_range(corpus: Corpus, x: str, y: str, width: int = 80) -> list[str]:
    """Expressive range in the terminal: darker where more maps are, with a histogram of each measure at its side."""
    room = max(16, min(80, width - 26))
    together = compute_joint(corpus, x, y, room)
    counts, height = together.counts, max(8, room // 3)
    folds = -(-len(counts) // height)
    padded = np.concatenate([counts, np.zeros((-len(counts) % folds, counts.shape[1]), dtype=np.int64)])
    grid = padded.reshape(-1, folds, counts.shape[1]).sum(axis=1).repeat(max(1, room // counts.shape[1]), axis=1)
    margin = [format_short(together.y.high), format_short(together.y.low)]
    left = max(map(len, margin))
    sums = grid.sum(axis=1)
    found = [f"{y}", f"{'':{left}}  {_format_bars(grid.sum(axis=0))}"]
    for row in range(len(grid) - 1, -1, -1):
        label = margin[0] if row == len(grid) - 1 else margin[1] if row == 0 else ""
        side = BARS[-1] * round(8 * sums[row] / max(1, sums.max())) or ("▏" if sums[row] else "")
        found.append(f"{label:>{left}} │{_format_shades(grid[row], int(grid.max()))}│{side}")
    found.append(f"{'':{left}} └{'─' * grid.shape[1]}┘")
    ends = format_short(together.x.low), format_short(together.x.high)
    gap = max(1, grid.shape[1] - len(ends[0]) - len(ends[1]))
    found.append(f"{'':{left}}  {ends[0]}{x if len(x) + 2 <= gap else '':^{gap}}{ends[1]}".rstrip())
    if len(x) + 2 > gap:
        found.append(f"{'':{left}}  {x}")
    found.append(f"{'':{left}}  {pluralize(int(counts.sum()), 'map')}, {int(grid.max()):,} at most in one place")
    return found


def draw_range(corpus: Corpus, x: str, y: str, bins: int = BINS) -> Image:
    """Expressive range: a histogram of two measures at once."""
    from ._pictures import draw_range_picture

    check_integer("bins", bins, 1, MAX_BINS)
    return draw_range_picture(corpus, x, y, bins)


# -- two corpora ------------------------------------------------------------------------------------------------


def compare(a: Corpus, b: Corpus) -> Comparison:
    """How two corpora differ, in every measure that both have, and which maps are in both."""
    theirs = b.numeric_columns(b.manifest.measures)
    shared = [name for name in a.numeric_columns(a.manifest.measures) if name in theirs]
    pairs = list(zip(compute_distributions(a, shared), compute_distributions(b, shared), strict=True))
    measures = tuple(compare_distributions(*pair) for pair in pairs)
    digests = _read_digests(a), _read_digests(b)
    both = len(np.intersect1d(*digests, assume_unique=True))
    names = choose_names(a, b)
    sentence = _describe_difference(measures, pairs, names)
    sentence += f" {pluralize(both, 'map') if both else 'No map'} {'are' if both > 1 else 'is'} in both."
    return Comparison(names, measures, (len(digests[0]), len(digests[1])), both, sentence)


def draw_comparison(a: Corpus, b: Corpus) -> Image:
    """The measures of two corpora, over each other."""
    from ._pictures import draw_comparison_picture

    return draw_comparison_picture(a, b)


def choose_names(a: Corpus, b: Corpus) -> tuple[str, str]:
    """What to call two corpora: their folders' names, or where they lie when those are the same."""
    short = [str(corpus.folder).rpartition("/")[2] for corpus in (a, b)]
    return (short[0], short[1]) if short[0] != short[1] else (str(a.folder), str(b.folder))


def _describe_difference(
    measures: tuple[Difference, ...], pairs: list[tuple[Distribution, Distribution]], names: tuple[str, str]
) -> str:
    found = [(one, pair) for one, pair in zip(measures, pairs, strict=True) if isfinite(one.apart)]
    if not found:
        return "They have no measure in common."
    one, (mine, other) = max(found, key=lambda entry: (entry[0].apart, entry[0].moved))
    # Beyond this, equal generators are apart in one of twenty cases (Smirnov, 1948).
    by_chance = 1.358 * sqrt(1 / mine.count + 1 / other.count)
    if one.apart <= by_chance:
        return f"No measure differs more than by chance: {one.name} is apart by {one.apart:.2f} of 1."
    ways = zip(one.means, names, strict=True)
    means = ", ".join(f"{format_short(mean)} in {name}" for mean, name in ways)
    return f"They differ most in {one.name}: on average {means} (apart by {one.apart:.2f} of 1)."


def _read_digests(corpus: Corpus) -> NDArray[np.bytes_]:
    found = [as_digests(table["digest"]) for table in corpus.tables(["digest"], made=True)]
    return np.unique(np.concatenate([np.empty(0, dtype="S32"), *found]))


# -- words and blocks -------------------------------------------------------------------------------------------


def _format_bars(counts: NDArray[np.int64]) -> str:
    """Counts as blocks; what is there is seen, what is not is blank."""
    most = max(1, int(counts.max(initial=0)))
    return "".join(BARS[min(7, count * 8 // most)] if count else " " for count in counts.tolist())


def _format_shades(counts: NDArray[np.int64], max_count: int) -> str:
    """Counts as shades, by their square roots so that few are seen beside many."""
    steps = len(SHADES) - 1
    return "".join(SHADES[round(sqrt(count / max_count) * steps)] if count else " " for count in counts.tolist())


def _align_columns(rows: list[list[str]]) -> list[str]:
    """Words in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{word:<{width}}" for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]


__getattr__ = renamed_names(
    __name__,
    histograms="compute_histograms",
    lines="format_histograms",
    picture="draw_report",
    range_lines="format_range",
    range_picture="draw_range",
    compared="compare",
    compare_picture="draw_comparison",
)
