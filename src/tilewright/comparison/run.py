"""Comparison of techniques that learn from samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidRecipe, TilewrightError, UnknownName, short_repr
from ..core.params import check_integer
from ..core.samples import Samples
from ..core.seeds import Seed, read_seed
from ..core.tilemap import TileMap
from .contestants import list_available, list_contestants, make_contestant
from .processes import run_in_process
from .rows import ComparisonRow, choose_game, make_sample_maps, make_similarities, measure_trial
from .table import format_csv, format_markdown
from .trial import Trial

if TYPE_CHECKING:
    from PIL.Image import Image

DEFAULT_COUNT = 100
DEFAULT_MAX_SIDE = 48
"""Maximum edge length of maps by default."""
MAX_SIDE, MAX_COUNT = 512, 10_000
MIN_SAMPLE = 2
"""Minimum edge length of samples: that of the smallest patterns."""
KEPT_MAPS = 8
"""Number of maps of each technique that a comparison keeps, for the sheet."""
VERSION = 1
"""Version of the JSON data."""


@dataclass(frozen=True, eq=False)
class TechniqueComparison:
    """Techniques that learned from the same samples, and measures of their maps; `tw.compare` makes it."""

    rows: tuple[ComparisonRow, ...]
    """Measures of each technique."""
    samples: tuple[TileMap, ...] = field(repr=False)
    maps: Mapping[str, tuple[TileMap, ...]] = field(repr=False)
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
        from .sheet import draw_sheet

        check_integer("columns", columns, 1, KEPT_MAPS)
        return draw_sheet(self.samples, self.maps, columns=columns, width=width)

    def save(self, folder: str | PathLike[str]) -> list[Path]:
        """Write table.md, table.csv, table.json and sheet.png to a folder.

        Raises
        ------
        BadFile
            If a file cannot be written. No file is written then.
        """
        from ..formats._encoding import encode_image
        from ..formats._files import write_files

        contents = {
            "table.md": self.to_markdown().encode(),
            "table.csv": self.to_csv().encode(),
            "table.json": (json.dumps(self.to_data(), indent=2) + "\n").encode(),
            "sheet.png": encode_image(self.sheet()),
        }
        return write_files(Path(fspath(folder)) / "table.md", contents)


def compare(
    samples: Any,
    /,
    *,
    techniques: Sequence[str] | None = None,
    width: int | None = None,
    height: int | None = None,
    count: int = DEFAULT_COUNT,
    seed: int | str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    game: Any = None,
    smallest_input: bool = True,
    on_progress: Callable[[float, str], None] | None = None,
) -> TechniqueComparison:
    """Compare techniques that learn from samples.

    Each technique learns from the samples and makes maps in a process of its own. A script must therefore call this
    function below `if __name__ == "__main__":`.

    Parameters
    ----------
    samples
        One or several 2D maps to learn from: files, arrays, rows of glyphs, `TileMap`s or names of built-in samples.
    techniques
        Names of techniques that learn from samples, and `gan` and `elsgan`, which need the extra `[neural]`. By
        default, all whose packages are installed.
    width, height
        Size of the maps. By default, the median size of the samples, at most 48x48.
    count
        Number of maps by each technique.
    seed
        Seed of the GANs' training; map k of each technique has the seed SEED-k. By default, a random one.
    settings
        Parameters by technique, such as `{"wfc": {"pattern_size": 2}}`.
    game
        Game in which the maps are played, such as `dungeon`. By default, that of the samples, if they can be played.
    smallest_input
        Whether to find the smallest sample that each technique can learn from.
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
    for name, value, highest in (("count", count, MAX_COUNT), ("width", width, MAX_SIDE), ("height", height, MAX_SIDE)):
        if value is not None or name == "count":
            check_integer(name, value, 1, highest)
    if not isinstance(smallest_input, bool):
        raise InvalidRecipe("must be True or False", at="smallest_input", got=smallest_input, rule="type")
    if on_progress is not None and not callable(on_progress):
        raise InvalidRecipe("must be a function", at="on_progress", got=on_progress, rule="type")
    chosen_seed = read_seed(seed)
    names = _read_names(techniques)
    own_settings = _read_settings(settings, names)
    read = _read_samples(samples)
    bound_game = choose_game(read, game)
    for name in names:
        contestant = make_contestant(name, own_settings[name])
        if own_settings[name]:  # Otherwise, only the samples could be wrong, which the row of the technique reports.
            _check_settings(name, contestant.check, read)
    sizes = [min(DEFAULT_MAX_SIDE, median_low(cells.shape[axis] for cells in read.maps)) for axis in (0, 1)]
    rows, columns = height or sizes[0], width or sizes[1]
    similarities = make_similarities(read)
    found: dict[str, ComparisonRow] = {}
    maps: dict[str, tuple[TileMap, ...]] = {}
    errors: list[TilewrightError] = []
    for number, name in enumerate(names):
        trial = Trial(name, read, columns, rows, count, chosen_seed, own_settings[name], smallest_input)
        result = run_in_process(trial, _scale_progress(on_progress, name, number, len(names)))
        if isinstance(result, TilewrightError):
            errors.append(result)
            found[name], maps[name] = ComparisonRow(name, count, problem=str(result)), ()
        else:
            found[name] = measure_trial(name, result, similarities, bound_game)
            maps[name] = result.maps[:KEPT_MAPS]
    if len(errors) == len(names):
        raise errors[0].within(names[0])
    return TechniqueComparison(
        rows=tuple(found.values()),
        samples=tuple(make_sample_maps(read)),
        maps=maps,
        width=columns,
        height=rows,
        count=count,
        seed=chosen_seed,
        settings={name: own for name, own in own_settings.items() if own},
        game="" if bound_game is None else str(bound_game),
    )


def _to_plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON-compatible data. Values of other types become strings."""
    found: dict[str, Any] = json.loads(json.dumps({**settings}, default=str))
    return found


def _read_names(given: Any) -> list[str]:
    if given is None:
        return list_available()
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InvalidRecipe("must be a list of names", at="techniques", got=given, rule="type")
    known = list_contestants()
    for name in given:
        if name not in known:
            raise UnknownName("technique", name, known, "learning from samples")
    if len(set(given)) < len(given):
        raise InvalidRecipe("must not name a technique twice", at="techniques", got=list(given), rule="duplicate")
    return list(given)


def _read_settings(given: Any, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of each technique."""
    settings = {} if given is None else given
    if not isinstance(settings, Mapping) or not all(isinstance(one, Mapping) for one in settings.values()):
        text = "must be parameters by technique, such as {'wfc': {'pattern_size': 2}}"
        raise InvalidRecipe(text, at="settings", got=given, rule="type")
    for name, own in settings.items():
        if name not in names:
            raise UnknownName("technique", name, names, "not in this comparison")
        for key in own:
            if not isinstance(key, str):
                raise InvalidRecipe(f"must be the name of a parameter, got {short_repr(key)}", at=("settings", name))
    return {name: dict(settings.get(name, {})) for name in names}


def _read_samples(given: Any) -> Samples:
    """Return the samples. Raise InvalidRecipe if they have levels or are too small."""
    from ..formats._resolver import FileResolver

    try:
        samples = Samples.of(given, FileResolver())
    except InvalidRecipe as error:
        raise error.within("samples") from None
    if samples.axes != 2:
        raise InvalidRecipe("must be flat maps; comparisons have no levels", at="samples", rule="dimensions")
    for number, cells in enumerate(samples.maps):
        if min(cells.shape) < MIN_SAMPLE:
            size = "x".join(map(str, reversed(cells.shape)))
            text = f"{samples.describe(number)} has {size} cells; samples must have at least {MIN_SAMPLE}x{MIN_SAMPLE}"
            raise InvalidRecipe(text, at="samples", rule="sample_size")
    return samples


def _check_settings(name: str, check: Callable[[Samples], None], samples: Samples) -> None:
    try:
        check(samples)
    except InvalidRecipe as error:
        raise error.within(name) from None


def _scale_progress(
    on_progress: Callable[[float, str], None] | None, name: str, number: int, total: int
) -> Callable[[float, str], None]:
    """Return a function that reports the progress of one of several techniques."""
    if on_progress is None:
        return lambda done, what: None
    return lambda done, what: on_progress((number + done) / total, f"{name}: {what}")
