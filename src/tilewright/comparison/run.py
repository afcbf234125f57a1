"""Comparison of techniques that learn from samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, Problem, TilewrightError, UnknownName, errors_within, pluralize, short_repr
from ..core.keywords import with_keywords
from ..core.notation import read_setting
from ..core.params import Params, SeedValue, check_integer, param
from ..core.samples import Samples
from ..core.seeds import Seed, read_seed
from ..core.summary import MAX_MAPS, Example, Summarized, Summary, describe_values
from ..core.tables import make_dataframe
from ..core.tilemap import TileMap
from ..jobs.progress import check_callback
from .contestants import OnProgress, list_available, make_contestant, read_setting_models, refuse_unknown
from .rows import (
    ComparisonRow,
    choose_game,
    format_csv,
    format_markdown,
    list_columns,
    make_sample_maps,
    make_similarities,
    measure_trial,
)
from .trial import Trial, run_in_process, scale_progress

if TYPE_CHECKING:
    from pandas import DataFrame
    from PIL.Image import Image

DEFAULT_MAX_SIDE = 48
"""Maximum edge length of maps by default."""
MAX_SIDE, MAX_COUNT = 512, 10_000
MIN_SAMPLE = 2
"""Minimum edge length of samples: that of the smallest patterns."""
KEPT_MAPS = 8
"""Number of maps of each technique that a comparison keeps, for the sheet."""
SHOWN = ("map_time", "divergence_new_3", "divergence_missed_3", "diversity")
"""Measures that the repr shows."""
VERSION = 1
"""Version of the JSON data."""


@dataclass(frozen=True, eq=False, repr=False)
class TechniqueComparison(Summarized):
    """Techniques that learned from the same samples, and measures of their maps; `tw.compare` makes it."""

    rows: tuple[ComparisonRow, ...]
    """Measures of each technique."""
    samples: tuple[TileMap, ...]
    maps: Mapping[str, tuple[TileMap, ...]]
    """The first maps of each technique."""
    width: int
    height: int
    count: int
    """Number of maps by each technique."""
    seed: Seed
    """Map k of each technique has the seed SEED-k."""
    settings: Mapping[str, Mapping[str, Any]]
    """Parameters that differ from the defaults, by technique."""
    game: str
    """Game in which maps were played; empty if there is none."""

    def __getitem__(self, technique: str) -> ComparisonRow:
        """Return the row of a technique."""
        for row in self.rows:
            if row.technique == technique:
                return row
        raise UnknownName("technique", technique, [row.technique for row in self.rows], "in this comparison")

    def _summarize(self) -> Summary:
        maps = f"{pluralize(self.count, 'map')} {self.width}x{self.height} of each"
        about = f"{pluralize(len(self.rows), 'technique')}, {maps}, {pluralize(len(self.samples), 'sample')}"
        values = {name: own for name, own in self._collect_measures().items() if name in SHOWN}
        return Summary(
            f"TechniqueComparison of {about}, seed {self.seed}",
            [", ".join(row.technique for row in self.rows), describe_values(values)],
            examples=self._list_examples,
            measures=self._collect_measures,
        )

    def _list_examples(self) -> list[Example]:
        """Return as many maps of each technique as there is space for."""
        count = max(1, MAX_MAPS // max(1, len(self.maps)))
        return [Example(map, name) for name, own in self.maps.items() for map in own[:count]]

    def _collect_measures(self) -> dict[str, Any]:
        """Return the numbers of all techniques by column, NaN where one is missing."""
        columns = {name: own for name, own in list_columns(self.rows).items() if name not in ("technique", "problem")}
        return {name: np.array(own, dtype=np.float64) for name, own in columns.items()}

    def to_dataframe(self) -> DataFrame:
        """Return the table as a DataFrame of pandas with unrounded numbers; times in seconds, memory in bytes."""
        return make_dataframe(list_columns(self.rows))

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return format_markdown(self.rows)

    def to_csv(self) -> str:
        """Return the table as CSV with unrounded numbers; times in seconds, memory in bytes."""
        return format_csv(self.rows)

    def to_data(self) -> dict[str, Any]:
        """Return settings and rows as JSON-compatible data."""
        return {
            "version": VERSION,
            "samples": len(self.samples),
            "width": self.width,
            "height": self.height,
            "count": self.count,
            "seed": self.seed,
            "settings": {name: _to_plain(own) for name, own in self.settings.items()},
            "game": self.game,
            "rows": [row.to_data() for row in self.rows],
        }

    def sheet(self, *, columns: int = 4, width: int = 1400) -> Image:
        """Draw the samples, and below them a row of maps of each technique.

        Parameters
        ----------
        columns
            Number of maps per row, at most 8.
        width
            Width of the picture in pixels.

        Returns
        -------
        PIL.Image.Image
        """
        from ..pictures.sheets import draw_comparison_sheet

        check_integer("columns", columns, 1, KEPT_MAPS)
        return draw_comparison_sheet(self.samples, self.maps, columns=columns, width=width)

    def save(self, folder: str | PathLike[str]) -> list[Path]:
        """Write table.md, table.csv, table.json and sheet.png to a folder.

        Raises
        ------
        BadFile
            If a file cannot be written. No file is written then.
        """
        from ..formats._files import encode_image, write_files

        contents = {
            "table.md": self.to_markdown().encode(),
            "table.csv": self.to_csv().encode(),
            "table.json": (json.dumps(self.to_data(), indent=2) + "\n").encode(),
            "sheet.png": encode_image(self.sheet()),
        }
        return write_files(Path(fspath(folder)) / "table.md", contents)


def _read_names(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InvalidRecipe("must be a list of names", got=given, rule="type")
    for name in given:
        refuse_unknown(name)
    if len(set(given)) < len(given):
        raise InvalidRecipe("must not name a technique twice", got=list(given), rule="duplicate")
    return tuple(given)


def _read_settings(given: Any) -> dict[str, dict[str, Any]]:
    """Return parameters by technique, which may be written `wfc.pattern_size=2`."""
    if isinstance(given, list | tuple) and all(isinstance(one, str) for one in given):
        return _parse_settings(given)
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        text = "must be parameters by technique, such as {'wfc': {'pattern_size': 2}}"
        raise InvalidRecipe(text, got=given, rule="type")
    for name, own in given.items():
        for key in own:
            if not isinstance(key, str):
                raise InvalidRecipe(f"must be the name of a parameter, got {short_repr(key)}", at=name)
    return {name: dict(own) for name, own in given.items()}


def _parse_settings(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    from ..formats._files import read_text

    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, dot, setting = text.partition(".")
        if not dot or "=" in name:
            example = "a setting is written as technique.name=value, such as wfc.pattern_size=2"
            raise InvalidRecipe(example, got=text, rule="format")
        refuse_unknown(name)
        key = setting.partition("=")[0].partition(".")[0].strip().replace("-", "_")
        models = read_setting_models(name)
        if key not in models:
            raise UnknownName("parameter", key, models, name)
        read_setting(found.setdefault(name, {}), setting, models[key], read_text)
    return found


class CompareParams(Params):
    """Parameters of `tw.compare` and `tilewright compare`."""

    techniques: Annotated[
        tuple[str, ...] | None,
        PlainValidator(_read_names),
        WithJsonSchema({"type": ["array", "null"], "items": {"type": "string"}}),
    ] = param(None, metavar="NAME,...")
    """Names of techniques that learn from samples, and gan and elsgan, which need the extra `neural`: markov, patterns,
    wfc, diffusion, gan, elsgan. By default, all whose packages are installed."""
    width: int | None = param(None, ge=1, le=MAX_SIDE, metavar="N")
    """Width of the maps. By default, the median width of the samples, at most 48."""
    height: int | None = param(None, ge=1, le=MAX_SIDE, metavar="N")
    """Height of the maps. By default, the median height of the samples, at most 48."""
    count: int = param(100, ge=1, le=MAX_COUNT, metavar="N")
    """Number of maps by each technique."""
    seed: SeedValue = param(None, metavar="SEED")
    """Seed of the GANs' training; map k of each technique has the seed SEED-k. By default, a random one."""
    settings: Annotated[Any, PlainValidator(_read_settings), WithJsonSchema({"type": "object"})] = param(
        {}, flags=("--set",), metavar="TECHNIQUE.NAME=VALUE", repeated=True
    )
    """Parameters of techniques, such as wfc.pattern_size=2, or a trained model: diffusion.model=rooms.npz.

    A mapping such as `{"wfc": {"pattern_size": 2}}`."""
    game: Annotated[Any, WithJsonSchema({"type": ["string", "null"]})] = param(None, metavar="NAME")
    """Game in which the maps are played, such as dungeon. By default, that of the samples, if they can be played."""
    smallest_input: bool = param(True, flags=("--smallest",))
    """Whether to find the smallest sample that each technique can learn from."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the techniques to compare."""
        return tuple(list_available(self.settings)) if self.techniques is None else self.techniques

    def find_problems(self) -> Iterator[Problem]:
        yield from super().find_problems()
        for name in self.settings:
            if name not in self.names:
                error = UnknownName("technique", name, self.names, "not in this comparison")
                yield from error.within("settings").problems


@with_keywords(CompareParams)
def compare(
    samples: Any, /, *, on_progress: Callable[[float, str], None] | None = None, **params: Any
) -> TechniqueComparison:
    """Compare techniques that learn from samples.

    Each technique learns from the samples and makes maps in a process of its own. A script must therefore call this
    function below `if __name__ == "__main__":`.

    Parameters
    ----------
    samples
        One or several 2D maps to learn from: files, arrays, rows of glyphs, `TileMap`s or names of built-in samples.
    on_progress
        Function that is called with the completed fraction and the current step.

    Returns
    -------
    TechniqueComparison
        A row of measures per technique, and their first maps.

    Raises
    ------
    UnknownName
        If there is no such technique, game or parameter.
    InvalidRecipe
        If the samples have levels or are too small, or an argument breaks its rule.
    TilewrightError
        If a package of a technique is missing, or no technique can learn from the samples.
    """
    return compare_techniques(samples, CompareParams.validate(params), on_progress)


def compare_techniques(samples: Any, params: CompareParams, on_progress: OnProgress | None) -> TechniqueComparison:
    """Compare techniques that learn from samples."""
    report = check_callback(on_progress)
    seed, names, count = read_seed(params.seed), params.names, params.count
    settings = {name: params.settings.get(name, {}) for name in names}
    read = _read_samples(samples)
    game = choose_game(read, params.game)
    for name in names:
        contestant = make_contestant(name, settings[name])
        if settings[name]:  # Otherwise, only the samples could be wrong, which the row of the technique reports.
            with errors_within(name):
                contestant.check(read)
    sizes = [min(DEFAULT_MAX_SIDE, median_low(cells.shape[axis] for cells in read.maps)) for axis in (0, 1)]
    height, width = params.height or sizes[0], params.width or sizes[1]
    similarities = make_similarities(read)
    found: dict[str, ComparisonRow] = {}
    maps: dict[str, tuple[TileMap, ...]] = {}
    errors: list[TilewrightError] = []
    for number, name in enumerate(names):
        trial = Trial(name, read, width, height, count, seed, settings[name], params.smallest_input)
        start, end = number / len(names), (number + 1) / len(names)
        result = run_in_process(trial, scale_progress(report, start, end, f"{name}: "))
        if isinstance(result, TilewrightError):
            errors.append(result)
            found[name], maps[name] = ComparisonRow(name, count, problem=str(result)), ()
        else:
            found[name] = measure_trial(name, result, similarities, game)
            maps[name] = result.maps[:KEPT_MAPS]
    if len(errors) == len(names):
        raise errors[0].within(names[0])
    return TechniqueComparison(
        rows=tuple(found.values()),
        samples=tuple(make_sample_maps(read)),
        maps=maps,
        width=width,
        height=height,
        count=count,
        seed=seed,
        settings={name: own for name, own in settings.items() if own},
        game="" if game is None else str(game),
    )


def _to_plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON-compatible data. Values of other types become strings."""
    found: dict[str, Any] = json.loads(json.dumps({**settings}, default=str))
    return found


def _read_samples(given: Any) -> Samples:
    """Return the samples. Raise InvalidRecipe if they have levels or are too small."""
    from ..formats._resolver import FileResolver

    with errors_within("samples"):
        samples = Samples.of(given, FileResolver())
    if samples.axes != 2:
        raise InvalidRecipe("must be flat maps; comparisons have no levels", at="samples", rule="dimensions")
    for number, cells in enumerate(samples.maps):
        if min(cells.shape) < MIN_SAMPLE:
            size = "x".join(map(str, reversed(cells.shape)))
            text = f"{samples.describe(number)} has {size} cells; samples must have at least {MIN_SAMPLE}x{MIN_SAMPLE}"
            raise InvalidRecipe(text, at="samples", rule="sample_size")
    return samples
