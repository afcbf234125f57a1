"""Reports on a corpus: histograms, expressive range, comparison of two corpora, for the terminal and as pictures.

Expressive range: Smith, Whitehead, "Analyzing the expressive range of a level generator", 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import pluralize
from ..core.measure_groups import format_short
from ..core.params import check_integer
from .distributions import (
    BINS,
    Difference,
    Distribution,
    compare_distributions,
    compute_bin_edges,
    compute_distributions,
    compute_joint,
)
from .rows import as_digests

if TYPE_CHECKING:
    from PIL.Image import Image

    from .reader import Corpus

BARS = "▁▂▃▄▅▆▇█"
SHADES = "·░▒▓█"
MAX_BINS = 500


class Histogram(NamedTuple):
    """Histogram of the values of a measure."""

    name: str
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    stats: Distribution


@dataclass(frozen=True)
class CorpusComparison:
    """Comparison of two corpora."""

    names: tuple[str, str]
    measures: tuple[Difference, ...]
    """Difference of each measure that both corpora have."""
    maps: tuple[int, int]
    """Number of distinct maps in each corpus."""
    shared: int
    """Number of distinct maps that are in both corpora."""
    sentence: str
    """Sentence about the largest difference and the shared maps."""

    @property
    def overlap(self) -> float:
        """Shared maps as a fraction of all distinct maps (Jaccard index)."""
        return self.shared / max(1, sum(self.maps) - self.shared)


# -- one corpus -------------------------------------------------------------------------------------------------


def compute_histograms(corpus: Corpus, bins: int = BINS) -> list[Histogram]:
    """Return a histogram of each measure, with its minimum, mean, median, maximum and number of missing values.

    Parameters
    ----------
    corpus : Corpus
        The corpus to summarize.
    bins : int
        Maximum number of bins.

    Returns
    -------
    list of Histogram
    """
    check_integer("bins", bins, 1, MAX_BINS)
    found = []
    for distribution in compute_distributions(corpus):
        edges = compute_bin_edges(distribution, bins=bins)
        found.append(Histogram(distribution.name, distribution.count_in_bins(edges), edges, distribution))
    return found


def format_histograms(corpus: Corpus, width: int = 100) -> list[str]:
    """Return a one-line histogram of each measure, for a terminal of `width` columns."""
    distributions = compute_distributions(corpus)
    if not distributions:
        return []
    name_width = max(len(distribution.name) for distribution in distributions)
    stats = _align_columns(
        [
            [
                f"min {format_short(distribution.low)}",
                f"mean {format_short(distribution.mean)}",
                f"max {format_short(distribution.high)}",
                f"missing {distribution.missing:,}",
            ]
            for distribution in distributions
        ]
    )
    bar_width = max(8, min(BINS, width - name_width - max(map(len, stats)) - 4))
    found = []
    for distribution, text in zip(distributions, stats, strict=True):
        shape = _format_bars(distribution.count_in_bins(compute_bin_edges(distribution, bins=bar_width)))
        found.append(f"{distribution.name:<{name_width}}  {shape:<{bar_width}}  {text}")
    return found


def draw_report(corpus: Corpus) -> Image:
    """Draw a report: sample maps, histograms of all measures, and the reasons of failures."""
    from ._pictures import draw_corpus_picture

    return draw_corpus_picture(corpus)


# -- two measures -----------------------------------------------------------------------------------------------


def format_range(corpus: Corpus, x: str, y: str, width: int = 80) -> list[str]:
    """Return the expressive range as lines of text, in which darker characters mean more maps, with a histogram of each
    measure.

    Parameters
    ----------
    corpus : Corpus
        The corpus to summarize.
    x, y : str
        Measures or numeric swept parameters.
    width : int
        Columns of the terminal.

    Returns
    -------
    list of str
    """
    columns = max(16, min(80, width - 26))
    joint = compute_joint(corpus, x, y, columns)
    counts, height = joint.counts, max(8, columns // 3)
    folds = -(-len(counts) // height)
    padded = np.concatenate([counts, np.zeros((-len(counts) % folds, counts.shape[1]), dtype=np.int64)])
    grid = padded.reshape(-1, folds, counts.shape[1]).sum(axis=1).repeat(max(1, columns // counts.shape[1]), axis=1)
    margin = [format_short(joint.y.high), format_short(joint.y.low)]
    left = max(map(len, margin))
    sums = grid.sum(axis=1)
    found = [f"{y}", f"{'':{left}}  {_format_bars(grid.sum(axis=0))}"]
    for row in range(len(grid) - 1, -1, -1):
        label = margin[0] if row == len(grid) - 1 else margin[1] if row == 0 else ""
        side = BARS[-1] * round(8 * sums[row] / max(1, sums.max())) or ("▏" if sums[row] else "")
        found.append(f"{label:>{left}} │{_format_shades(grid[row], int(grid.max()))}│{side}")
    found.append(f"{'':{left}} └{'─' * grid.shape[1]}┘")
    ends = format_short(joint.x.low), format_short(joint.x.high)
    gap = max(1, grid.shape[1] - len(ends[0]) - len(ends[1]))
    found.append(f"{'':{left}}  {ends[0]}{x if len(x) + 2 <= gap else '':^{gap}}{ends[1]}".rstrip())
    if len(x) + 2 > gap:
        found.append(f"{'':{left}}  {x}")
    found.append(f"{'':{left}}  {pluralize(int(counts.sum()), 'map')}, {int(grid.max()):,} at most in one cell")
    return found


def draw_range(corpus: Corpus, x: str, y: str, bins: int = BINS) -> Image:
    """Draw the expressive range: a joint histogram of two measures.

    Parameters
    ----------
    corpus : Corpus
        The corpus to summarize.
    x, y : str
        Measures or numeric swept parameters.
    bins : int
        Maximum number of bins along each axis.

    Returns
    -------
    PIL.Image.Image
    """
    from ._pictures import draw_range_picture

    check_integer("bins", bins, 1, MAX_BINS)
    return draw_range_picture(corpus, x, y, bins)


# -- two corpora ------------------------------------------------------------------------------------------------


def compare(a: Corpus, b: Corpus) -> CorpusComparison:
    """Compare the measures that two corpora have in common, and count the maps that are in both corpora.

    Parameters
    ----------
    a, b : Corpus
        The corpora to compare.

    Returns
    -------
    CorpusComparison

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> compare(corpus, corpus).overlap
    1.0
    """
    other_columns = b.numeric_columns(b.manifest.measures)
    shared = [name for name in a.numeric_columns(a.manifest.measures) if name in other_columns]
    pairs = list(zip(compute_distributions(a, shared), compute_distributions(b, shared), strict=True))
    measures = tuple(compare_distributions(*pair) for pair in pairs)
    digests = _read_digests(a), _read_digests(b)
    both = len(np.intersect1d(*digests, assume_unique=True))
    names = choose_names(a, b)
    sentence = _describe_difference(measures, pairs, names)
    sentence += f" {pluralize(both, 'map') if both else 'No map'} {'are' if both > 1 else 'is'} in both."
    return CorpusComparison(names, measures, (len(digests[0]), len(digests[1])), both, sentence)


def draw_comparison(a: Corpus, b: Corpus) -> Image:
    """Draw overlapping histograms of the measures of two corpora."""
    from ._pictures import draw_comparison_picture

    return draw_comparison_picture(a, b)


def choose_names(a: Corpus, b: Corpus) -> tuple[str, str]:
    """Return names for two corpora: the names of their folders, or their addresses if the folder names are equal."""
    short = [str(corpus.folder).rpartition("/")[2] for corpus in (a, b)]
    return (short[0], short[1]) if short[0] != short[1] else (str(a.folder), str(b.folder))


def _describe_difference(
    measures: tuple[Difference, ...], pairs: list[tuple[Distribution, Distribution]], names: tuple[str, str]
) -> str:
    found = [(one, pair) for one, pair in zip(measures, pairs, strict=True) if isfinite(one.apart)]
    if not found:
        return "They have no measure in common."
    one, (mine, other) = max(found, key=lambda entry: (entry[0].apart, entry[0].moved))
    # Two samples of the same generator exceed this threshold in 5% of cases (Smirnov, 1948).
    threshold = 1.358 * sqrt(1 / mine.count + 1 / other.count)
    if one.apart <= threshold:
        return (
            f"No measure differs significantly: {one.name} differs most, with a distance of {one.apart:.2f} (0 to 1)."
        )
    named_means = zip(one.means, names, strict=True)
    means = ", ".join(f"{format_short(mean)} in {name}" for mean, name in named_means)
    return f"They differ most in {one.name}: on average {means} (distance {one.apart:.2f}, from 0 to 1)."


def _read_digests(corpus: Corpus) -> NDArray[np.bytes_]:
    found = [as_digests(table["digest"]) for table in corpus.tables(["digest"], made=True)]
    return np.unique(np.concatenate([np.empty(0, dtype="S32"), *found]))


# -- text output ------------------------------------------------------------------------------------------------


def _format_bars(counts: NDArray[np.int64]) -> str:
    """Return counts as bars of block characters. A count of 0 is a space."""
    highest = max(1, int(counts.max(initial=0)))
    return "".join(BARS[min(7, count * 8 // highest)] if count else " " for count in counts.tolist())


def _format_shades(counts: NDArray[np.int64], max_count: int) -> str:
    """Return counts as shades.

    The shade is proportional to the square root of the count, so that low counts are visible.
    """
    steps = len(SHADES) - 1
    return "".join(SHADES[round(sqrt(count / max_count) * steps)] if count else " " for count in counts.tolist())


def _align_columns(rows: list[list[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
