"""Rows of a comparison: the measures of one technique's maps, and tables of them in Markdown and CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from statistics import fmean, median
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from ..analysis.similarity import Similarity
from ..core.errors import InvalidRecipe
from ..core.samples import DEFAULT_PATTERN_SIZE, Samples
from ..core.tilemap import TileMap
from ..play.game import BoundGame, find_game, play_map, read_game
from ..search.mapset import compare as compare_maps
from .trial import TrialOutcome

PATTERN_SIZES = (2, 3, 4)
"""Edge lengths of the patterns whose divergences are measured."""


@dataclass(frozen=True)
class ComparisonRow:
    """Measures of one technique. None means that a measure does not apply."""

    technique: str
    count: int
    """Number of maps that were tried."""
    failures: int | None = None
    """Number of maps for which the technique gave up."""
    training_time: float | None = None
    """Seconds to learn from the samples."""
    map_time: float | None = None
    """Median of the seconds to make a map."""
    divergences_new: Mapping[int, float] = field(default_factory=dict)
    """Mean divergence of a map from the samples by pattern size; grows with patterns that the samples lack."""
    divergences_missed: Mapping[int, float] = field(default_factory=dict)
    """Mean divergence of the samples from a map by pattern size; grows with patterns that the map lacks."""
    copied_block: float | None = None
    """Mean edge length of the largest square of a map that occurs in a sample."""
    copied_share: float | None = None
    """Mean fraction of a map's 3x3 patterns that occur in the samples."""
    diversity: float | None = None
    """Mean fraction of cells that differ between two maps."""
    playable_share: float | None = None
    """Fraction of the maps that can be finished in their game."""
    memory: int | None = None
    """Peak memory of the process in bytes, including Python and its libraries."""
    smallest_input: int | None = None
    """Edge length of the smallest square sample that the technique can learn from."""
    problem: str = ""
    """Reason for which the technique made no maps."""

    def to_data(self) -> dict[str, Any]:
        """Return the row as JSON-compatible data, which `from_data` reads."""
        found: dict[str, Any] = TypeAdapter(ComparisonRow).dump_python(self, mode="json")
        return found

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ComparisonRow:
        """Read what `to_data` returns."""
        return TypeAdapter(cls).validate_python(data)


def measure_trial(
    technique: str, result: TrialOutcome, similarities: Mapping[int, Similarity], game: BoundGame | None
) -> ComparisonRow:
    """Return the row of a technique from its maps.

    Parameters
    ----------
    technique : str
        Name of the technique.
    result : TrialOutcome
        Maps, times and memory.
    similarities : mapping of int to Similarity
        Comparisons with the samples by pattern size.
    game : BoundGame or None
        Game of the maps; None if there is none.
    """
    maps = result.maps
    new: dict[int, float] = {}
    missed: dict[int, float] = {}
    for size, similarity in similarities.items():
        found = [one for map in maps if (one := similarity.compare(map).divergences) is not None]
        if found:
            new[size], missed[size] = (fmean(part) for part in zip(*found, strict=True))
    novelty = similarities.get(DEFAULT_PATTERN_SIZE) or next(iter(similarities.values()), None)
    compared = [novelty.compare(map) for map in maps] if novelty is not None else []
    shares = [one.copied_share for one in compared if one.copied_share is not None]
    return ComparisonRow(
        technique=technique,
        count=len(maps) + result.failures,
        failures=result.failures,
        training_time=result.training_time,
        map_time=median(result.map_times) if result.map_times else None,
        divergences_new=new,
        divergences_missed=missed,
        copied_block=fmean(one.copied_side for one in compared) if compared else None,
        copied_share=fmean(shares) if shares else None,
        diversity=_measure_diversity(maps),
        playable_share=_measure_playable(maps, game) if game is not None and maps else None,
        memory=result.memory,
        smallest_input=result.smallest_input,
    )


def make_similarities(samples: Samples) -> dict[int, Similarity]:
    """Return the comparisons with samples by pattern size, for the sizes that fit into all of them."""
    side = min(min(cells.shape) for cells in samples.maps)
    return {
        size: Similarity.validate({"like": samples, "pattern_size": size}) for size in PATTERN_SIZES if size <= side
    }


def choose_game(samples: Samples, game: Any = None) -> BoundGame | None:
    """Return the game of maps like the samples: the given one, or that of the first sample that can be played."""
    if game is not None:
        return read_game(game)
    for map in make_sample_maps(samples):
        found = find_game(map)
        if found is not None:
            return read_game({found[0]: found[1]})
    return None


def make_sample_maps(samples: Samples) -> list[TileMap]:
    """Return the samples as maps with one tileset."""
    return [TileMap(grid.to_tile_ids(samples.tileset), samples.tileset) for grid in samples]


def _measure_diversity(maps: Sequence[TileMap]) -> float | None:
    if len(maps) < 2:
        return None
    return float(compare_maps(maps)[np.triu_indices(len(maps), 1)].mean())


def _measure_playable(maps: Sequence[TileMap], game: BoundGame) -> float:
    return fmean(_can_finish(map, game) for map in maps)


def _can_finish(map: TileMap, game: BoundGame) -> bool:
    try:
        return play_map(map, game).solved is True
    except InvalidRecipe:  # without a player, for example
        return False


# -- tables ---------------------------------------------------------------------------------------------------


NONE = "-"
"""Cell of a measure that does not apply."""


@dataclass(frozen=True)
class TableColumn:
    """A column of the table."""

    heading: str
    name: str
    """Name in CSV files."""
    value: Callable[[ComparisonRow], float | str | None]
    format: Callable[[float], str] = "{:.2f}".format

    def show(self, row: ComparisonRow) -> str:
        """Return the cell of a row."""
        value = self.value(row)
        return NONE if value is None else value if isinstance(value, str) else self.format(value)


def format_seconds(seconds: float) -> str:
    """Return a time with its unit.

    >>> [format_seconds(seconds) for seconds in (0.00123, 0.25, 12.3, 125)]
    ['1.2 ms', '250 ms', '12 s', '2 min 5 s']
    """
    if seconds < 1:
        return f"{1000 * seconds:.2g} ms" if seconds < 0.01 else f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _format_failures(row: ComparisonRow) -> str | None:
    return None if row.failures is None else f"{row.failures} of {row.count}"


def _make_divergence_columns(size: int) -> tuple[TableColumn, TableColumn]:
    return (
        TableColumn(f"new {size}", f"divergence_new_{size}", lambda row: row.divergences_new.get(size)),
        TableColumn(f"missed {size}", f"divergence_missed_{size}", lambda row: row.divergences_missed.get(size)),
    )


COLUMNS: tuple[TableColumn, ...] = (
    TableColumn("technique", "technique", lambda row: row.technique),
    TableColumn("training", "training_time", lambda row: row.training_time, format_seconds),
    TableColumn("per map", "map_time", lambda row: row.map_time, format_seconds),
    TableColumn("failures", "failures", _format_failures),
    *(column for size in PATTERN_SIZES for column in _make_divergence_columns(size)),
    TableColumn("copied block", "copied_block", lambda row: row.copied_block, "{:.1f}".format),
    TableColumn("copied share", "copied_share", lambda row: row.copied_share, "{:.0%}".format),
    TableColumn("diversity", "diversity", lambda row: row.diversity),
    TableColumn("playable", "playable_share", lambda row: row.playable_share, "{:.0%}".format),
    TableColumn("memory", "memory", lambda row: row.memory, lambda size: f"{size / 1e6:.0f} MB"),
    TableColumn(
        "smallest input", "smallest_input", lambda row: row.smallest_input, lambda side: f"{side:.0f}x{side:.0f}"
    ),
)
"""Columns of the table. Their order is that of questions: how fast, how reliable, how similar, how new, how varied."""


def format_rows(rows: Sequence[ComparisonRow]) -> list[list[str]]:
    """Return the cells of a table."""
    return [[column.show(row) for column in COLUMNS] for row in rows]


def format_problems(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return a line for each technique that made no maps."""
    return [f"{row.technique}: {row.problem}" for row in rows if row.problem]


def format_markdown(rows: Sequence[ComparisonRow]) -> str:
    """Return the table in Markdown, and below it the problems of techniques that made no maps."""
    align = [":---", *["---:"] * (len(COLUMNS) - 1)]
    lines = [[column.heading for column in COLUMNS], align, *format_rows(rows)]
    problems = [f"\n{line}\n" for line in format_problems(rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "".join(problems)


def list_columns(rows: Sequence[ComparisonRow]) -> dict[str, list[Any]]:
    """Return the table by column, unrounded; times in seconds, memory in bytes. None means that a value is missing."""
    columns: dict[str, list[Any]] = {column.name: [column.value(row) for row in rows] for column in COLUMNS}
    columns["failures"] = [row.failures for row in rows]
    return {**columns, "count": [row.count for row in rows], "problem": [row.problem for row in rows]}


def format_csv(rows: Sequence[ComparisonRow]) -> str:
    """Return the table as CSV with unrounded numbers; times in seconds, memory in bytes."""
    content = StringIO()
    writer = csv.writer(content, lineterminator="\n")
    columns = list_columns(rows)
    writer.writerow(columns)
    for cells in zip(*columns.values(), strict=True):
        writer.writerow(["" if value is None else value for value in cells])
    return content.getvalue()
