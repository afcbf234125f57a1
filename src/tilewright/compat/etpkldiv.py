"""The class ETPKLDiv with its original methods, names and defaults, implemented by the technique `patterns`.

>>> evolving = ETPKLDiv(seed=7)
>>> level = evolving.generate([[0, 0, 1], [0, 1, 1], [1, 1, 0]], 2, 8, 5, iterations=100)
>>> len(level), len(level[0]), evolving.getIteration()
(5, 8, 100)

Maps are lists of rows of integers, with the values of the samples. Beyond the original, the constructor takes an
optimizer and a seed, and errors suggest a fix.
Source: ETPKLDiv 0.5.0 by Ahmed Khalifa; docs/compat-etpkldiv.md lists the differences.
"""

# ruff: noqa: N802 - the names are a contract
from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import isfinite
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..analysis.patterns import Sides, Tiles
from ..core.errors import InvalidRecipe, TilewrightError, TooLarge, UnknownName
from ..core.params import MAX_SIDE, check_integer
from ..core.seeds import Rng, read_seed
from ..generators._patterns.pattern_counter import BOXES_PER_BLOCK, PatternCounter, is_short
from ..generators._patterns.runs import Run, improve
from ..generators._patterns.target import TargetDistribution

Level: TypeAlias = list[list[int]]
Optimiser: TypeAlias = Literal["evolution", "annealing", "genetic"]

ITERATIONS = 10_000
"""Default number of iterations of `generate`, and length of the annealing schedule of `step`."""
MAX_PENDING_STEPS = 1 << 10
"""Maximum number of delayed steps. Delayed steps are executed earlier if the map is needed."""
MAX_CELLS = 1 << 24
"""Maximum number of cells in all maps of the population. A cell takes a few hundred bytes."""
MAX_VALUES = 65_000
MAX_PATTERN_SIZE = 22
EDGES = {"top": (0, 0), "bot": (0, 1), "left": (1, 0), "right": (1, 1)}
"""Axis of each edge, and the end of the axis at which the edge is: the start (0) or the end (1)."""


class ETPKLDiv:
    """Generator of maps with the same distribution of patterns as samples.

    Parameters
    ----------
    optimiser
        Optimizer: "evolution" as in the original, "annealing" or "genetic".
    seed
        Seed of all maps; random by default.
    """

    def __init__(self, optimiser: Optimiser = "evolution", seed: int | str | None = None) -> None:
        if optimiser not in get_args(Optimiser):
            raise UnknownName("optimiser", optimiser, get_args(Optimiser))
        self._optimiser: Optimiser = optimiser
        self._seed = read_seed(seed)
        self._numbers = count()
        self._target: TargetDistribution | None = None
        self._values: list[int] = []
        """Value of every tile."""
        self._tiles: dict[int, int] = {}
        self._shape = (0, 0)
        self._runs: list[Run] = []
        self._weight = 0.5
        self._max_stamps = 1
        """Maximum number of stamps per mutation for which the counters have space."""
        self._locks: dict[tuple[int, int], int] = {}
        """Locked values by row and column."""
        self._unknown_values: dict[tuple[int, int], int] = {}
        """Values of present and former locks that are not in the samples, by row and column."""
        self._stale = False
        """Whether locks have changed since the counters were made."""
        self._iteration = 0
        self._pending = 0
        """Number of steps not yet executed, all with the same settings."""
        self._last_arguments: tuple[object, object, object] = (None, None, None)
        """Arguments of the last step."""
        self._settings = (0.5, 1, 0.0)
        """Checked arguments of the last step: weight, stamps and noise."""

    # -- the common API -----------------------------------------------------------------------------------------

    def initializePatternDictionary(
        self, input_samples: Any, tp_size: int, warp: Any = None, borders: Any = None
    ) -> None:
        """Learn the patterns of samples and discard the current map.

        Parameters
        ----------
        input_samples
            One sample, which is a list of rows of integers, or a list of samples.
        tp_size
            Edge length of the patterns.
        warp
            Axes along which the samples wrap: True for both, "x", "y", or a dict such as {"x": True}.
        borders
            Edges of the map to match with those of the samples: True for all, or a dict such as {"top": True,
            "bot": True, "left": True, "right": True}.

        Raises
        ------
        InvalidRecipe
            If an argument is invalid.
        TooLarge
            If the samples have too many different values.

        Examples
        --------
        >>> evolving = ETPKLDiv(seed=7)
        >>> evolving.initializePatternDictionary([[0, 0, 1], [0, 1, 1]], 2, warp="x")
        >>> evolving.initializeGeneration(4, 3)
        >>> evolving.step()
        >>> len(evolving.getMap()), evolving.getIteration()
        (3, 1)
        """
        samples = _read_samples(input_samples)
        size = check_integer("tp_size", tp_size, 2, MAX_PATTERN_SIZE)
        wraps, sides = _read_warp(warp), _read_borders(borders)
        for number, sample in enumerate(samples):
            if min(len(sample), len(sample[0])) < size:
                raise InvalidRecipe(
                    f"{_describe_sample(number, samples)} of {len(sample[0])}x{len(sample)} cells is smaller than "
                    f"a pattern of {size}; use a larger one, or a smaller tp_size",
                    at="input_samples",
                )
        for name, (axis, end) in EDGES.items():
            if wraps[axis] and sides[axis][end]:
                text = f"there is no edge {name}, because warp includes {'yx'[axis]}; leave one out"
                raise InvalidRecipe(text, at="borders")
        self._values = sorted({value for sample in samples for row in sample for value in row})
        if len(self._values) > MAX_VALUES:
            text = f"must have at most {MAX_VALUES:,} different values, got {len(self._values):,}"
            raise TooLarge(text, at="input_samples")
        self._tiles = {value: tile for tile, value in enumerate(self._values)}
        self._target = TargetDistribution(
            samples=tuple(np.array([[self._tiles[value] for value in row] for row in sample]) for sample in samples),
            tiles=len(self._values),
            sizes=(size,),
            weights=(1.0,),
            wrap=wraps,
            sides=sides,
        )
        self._table = np.array([*self._values, None, None], dtype=object)
        self._runs, self._iteration, self._pending = [], 0, 0

    def initializeGeneration(self, width: int, height: int, pop_size: int = 1) -> None:
        """Start with random maps that have the locked values.

        Call k, counted from 0, uses the seed "S-k", where S is the seed of this object, like map k of a batch.

        Parameters
        ----------
        width, height
            Size of the maps.
        pop_size
            Number of maps in the population.

        Raises
        ------
        TilewrightError
            If there are no patterns yet.
        InvalidRecipe
            If an argument is invalid or a locked cell is outside the map.
        TooLarge
            If the maps have too many cells.
        """
        self._start_runs(width, height, pop_size, 0.5, 1)

    def step(self, inter_weight: float = 0.5, mut_times: int = 1, noise: float = 0) -> None:
        """Improve the maps by one step. The arguments may differ from step to step.

        Steps with equal arguments are executed together when the map is needed.

        Parameters
        ----------
        inter_weight
            Weight of two goals: 1 avoids patterns that are not in the samples, 0 avoids missing patterns of the
            samples.
        mut_times
            Maximum number of stamps of the samples per mutation.
        noise
            Amplitude of random noise added to the fitness in comparisons of maps.

        Raises
        ------
        TilewrightError
            If there is no map yet.
        InvalidRecipe
            If an argument is invalid.
        """
        self._require_map("step")
        given = self._last_arguments
        if inter_weight is not given[0] or mut_times is not given[1] or noise is not given[2]:
            settings = _check_settings(inter_weight, mut_times, noise)
            self._run_pending()
            self._last_arguments, self._settings = (inter_weight, mut_times, noise), settings
        self._pending += 1
        self._iteration += 1
        if self._pending == MAX_PENDING_STEPS:
            self._run_pending()

    def generate(
        self,
        input_samples: Any,
        tp_size: int,
        width: int,
        height: int,
        iterations: int = ITERATIONS,
        warp: Any = None,
        borders: Any = None,
        pop_size: int = 1,
        inter_weight: float = 0.5,
        mut_times: int = 1,
        noise: float = 0,
    ) -> Level:
        """Learn patterns, start a population, run steps and return the best map.

        Parameters
        ----------
        input_samples, tp_size, warp, borders
            As in `initializePatternDictionary`.
        width, height, pop_size
            As in `initializeGeneration`.
        iterations
            Number of steps.
        inter_weight, mut_times, noise
            As in `step`.

        Returns
        -------
        list of list of int
            Rows of values.

        Raises
        ------
        InvalidRecipe
            If an argument is invalid.

        Examples
        --------
        >>> level = ETPKLDiv(seed=7).generate([[0, 1], [1, 0]], 2, 4, 3, iterations=500)
        >>> len(level), len(level[0])
        (3, 4)
        """
        steps = check_integer("iterations", iterations, 0, 1 << 40)
        weight, times, noise = _check_settings(inter_weight, mut_times, noise)
        self.initializePatternDictionary(input_samples, tp_size, warp, borders)
        self._start_runs(width, height, pop_size, weight, times)
        for run in self._runs:
            run.noise, run.last = noise, steps
            run.steps = steps or ITERATIONS
            if self._optimiser == "annealing" and is_short(steps, run.counter.free.size):
                for _ in run.counter.quilt(run.rng.child("quilt"), BOXES_PER_BLOCK):
                    pass
        if steps:
            for _ in improve(self._runs):
                pass
        self._iteration = steps
        return self.getMap()

    def lockTile(self, x: int, y: int, value: int) -> None:
        """Lock a cell to a value, in the current map and in new ones.

        Parameters
        ----------
        x, y
            Column and row of the cell.
        value
            Value of the cell; a value that is not in the samples causes a warning.

        Raises
        ------
        InvalidRecipe
            If the cell is outside the map or the value is not an integer.

        Examples
        --------
        >>> evolving = ETPKLDiv(seed=7)
        >>> evolving.lockTile(2, 0, 1)
        >>> evolving.generate([[0, 1], [1, 0]], 2, 4, 3, iterations=500)[0][2]
        1
        """
        cell = self._check_cell(x, y)
        value = _check_value("value", value)
        self._run_pending()
        self._locks[cell] = value
        self._stale = True
        if self._target is not None:
            self._warn_unknown([value])

    def unlockTile(self, x: int, y: int) -> None:
        """Unlock the cell in column x and row y. A cell that is not locked stays as it is."""
        cell = self._check_cell(x, y)
        self._run_pending()
        self._locks.pop(cell, None)
        self._stale = True

    def unlockAll(self) -> None:
        """Unlock all cells."""
        self._run_pending()
        self._locks.clear()
        self._stale = True

    def getIteration(self) -> int:
        """Return the number of steps since the start of the current map."""
        return self._iteration

    def getFitness(self) -> float:
        """Return the fitness of the best map: the negated divergence, weighted by the last `inter_weight`.

        The fitness is 0 if the pattern distributions are equal, and negative otherwise.
        """
        return -self._find_best("getFitness").value

    def getMap(self) -> Level:
        """Return the best map as rows of values."""
        tiles = self._find_best("getMap").tiles()
        rows: Level = self._table[tiles].tolist()
        for (row, column), value in self._unknown_values.items():
            if tiles[row, column] >= len(self._values):
                rows[row][column] = value
        return rows

    # -- counters -------------------------------------------------------------------------------------------------

    def _start_runs(self, width: int, height: int, pop_size: int, weight: float, times: int) -> None:
        target = self._require_target("initializeGeneration")
        size = target.sizes[0]
        shape = check_integer("height", height, size, MAX_SIDE), check_integer("width", width, size, MAX_SIDE)
        population = check_integer("pop_size", pop_size, 1, 1000)
        if shape[0] * shape[1] * population > MAX_CELLS:
            raise TooLarge(
                f"must have at most {MAX_CELLS:,} cells, got {shape[0] * shape[1] * population:,}; "
                'tw.make("patterns") makes larger maps',
                at="width",
                place="width, height, pop_size",
            )
        for row, column in self._locks:
            if row >= shape[0] or column >= shape[1]:
                raise InvalidRecipe(
                    f"the locked cell x={column} y={row} is outside a map of {width}x{height}; call unlockTile or "
                    "unlockAll",
                    at="width",
                    place="width, height",
                )
        self._shape, self._iteration, self._pending, self._unknown_values = shape, 0, 0, {}
        self._weight, self._max_stamps = weight, times
        self._warn_unknown(self._locks.values())
        rng = Rng.of(f"{self._seed}-{next(self._numbers)}").child("patterns")
        # Annealed maps do not interact, so each is a separate run.
        runs, members = (population, 1) if self._optimiser == "annealing" else (1, population)
        self._runs = []
        for number in range(runs):
            own = rng.child("island", number)
            starts = [target.draw_map(shape, own.child("start", member)) for member in range(members)]
            counter = self._make_counter(target, starts)
            self._runs.append(Run(counter, own, steps=ITERATIONS, last=0, optimiser=self._optimiser))
        self._stale = False

    def _make_counter(self, target: TargetDistribution, members: Sequence[Tiles]) -> PatternCounter:
        """Return a counter of maps, with all locks."""
        frozen = np.zeros(self._shape, dtype=np.bool_)
        for cell, value in self._locks.items():
            frozen[cell] = True
            if value not in self._tiles:
                self._unknown_values[cell] = value
            for tiles in members:
                tiles[cell] = self._tiles.get(value, target.unknown_tile)
        target = replace(target, has_unknown=True) if self._unknown_values else target
        return PatternCounter(
            target, members, wrap=(False, False), weight=self._weight, frozen=frozen, max_stamps=self._max_stamps
        )

    def _run_pending(self) -> None:
        """Execute the delayed steps."""
        steps, self._pending = self._pending, 0
        if not steps:
            return
        weight, times, noise = self._settings
        self._rebuild_counters(weight, times)
        for run in self._runs:
            run.counter.max_stamps, run.noise, run.counter.sums_each_step = times, noise, True
            if self._optimiser != "annealing":
                run.last = run.done + steps
                run.advance(steps)
                continue
            cooling = min(steps, max(0, run.steps - run.done))
            for block in (*([cooling] if cooling else []), *[1] * (steps - cooling)):
                if run.done >= run.steps:  # Further steps continue at the final temperature.
                    run.steps, run.done = ITERATIONS, ITERATIONS - 1
                run.last = run.done + block
                run.advance(block)

    def _rebuild_counters(self, weight: float, times: int) -> None:
        """Make new counters if locks or the weight have changed, or if more stamps need space."""
        if not self._stale and weight == self._weight and times <= self._max_stamps:
            return
        target = self._require_target("step")
        self._weight, self._max_stamps = weight, max(times, self._max_stamps)
        for run in self._runs:
            members = [run.counter.tiles(member).astype(np.int64) for member in range(len(run.counter.cells))]
            run.counter = self._make_counter(target, members)
        self._stale = False

    def _find_best(self, call: str) -> PatternCounter:
        self._require_map(call)
        self._run_pending()
        self._rebuild_counters(self._weight, self._max_stamps)
        return min((run.counter for run in self._runs), key=lambda counter: counter.rank)

    # -- requirements -------------------------------------------------------------------------------------------

    def _require_target(self, call: str) -> TargetDistribution:
        if self._target is None:
            raise TilewrightError(
                f"{call}: there are no patterns yet; call initializePatternDictionary(input_samples, tp_size) first"
            )
        return self._target

    def _require_map(self, call: str) -> None:
        self._require_target(call)
        if not self._runs:
            raise TilewrightError(f"{call}: there is no map yet; call initializeGeneration(width, height) first")

    def _check_cell(self, x: int, y: int) -> tuple[int, int]:
        """Return the row and column of a cell, checked against the current map if there is one."""
        height, width = self._shape if self._runs else (MAX_SIDE, MAX_SIDE)
        return check_integer("y", y, 0, height - 1), check_integer("x", x, 0, width - 1)

    def _warn_unknown(self, values: Any) -> None:
        lacking = sorted({value for value in values if value not in self._tiles})
        if lacking:
            names = ", ".join(map(str, lacking[:8]))
            warnings.warn(f"lockTile: the samples have no {names}, so no pattern around it can match", stacklevel=3)


# -- checked values ---------------------------------------------------------------------------------------------


def _check_value(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InvalidRecipe("must be an integer", at=name, got=value, rule="type")
    return int(value)


def _check_settings(inter_weight: object, mut_times: object, noise: object) -> tuple[float, int, float]:
    return (
        _check_number("inter_weight", inter_weight, 1),
        check_integer("mut_times", mut_times, 1, 1000),
        _check_number("noise", noise, 1000),
    )


def _check_number(name: str, value: object, high: int) -> float:
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (int, float, np.integer, np.floating))
        or not (isfinite(value) and 0 <= value <= high)
    ):
        raise InvalidRecipe(f"must be a number from 0 to {high:,}", at=name, got=value, rule="range")
    return float(value)


def _read_samples(value: Any) -> list[Level]:
    """Return every sample as rows of values."""
    given = _as_list(value)
    if given is None or not given:
        raise InvalidRecipe("must be rows of integers, or a list of such samples", at="input_samples", got=value)
    first = _as_list(given[0])
    several = bool(first) and _as_list(first[0] if first else None) is not None
    samples: list[Any] = given if several else [given]
    return [_read_sample(sample, _describe_sample(number, samples)) for number, sample in enumerate(samples)]


def _read_sample(value: Any, which: str) -> Level:
    rows = [_as_list(row) for row in _as_list(value) or []]
    if not rows or any(row is None for row in rows):
        raise InvalidRecipe(f"{which} must be rows of integers", at="input_samples", got=value, rule="type")
    sample = [row for row in rows if row is not None]
    lengths = [len(row) for row in sample]
    if max(lengths) == 0:
        raise InvalidRecipe(f"{which} is empty", at="input_samples")
    if min(lengths) < max(lengths):
        text = f"rows of {which} must be equally long, got {min(lengths)} to {max(lengths)} cells"
        raise InvalidRecipe(text, at="input_samples")
    return [
        [_check_value(f"input_samples: {which}, x={x} y={y}", cell) for x, cell in enumerate(row)]
        for y, row in enumerate(sample)
    ]


def _as_list(value: Any) -> list[Any] | None:
    """Return the elements of a list, tuple or array; None for any other value."""
    if isinstance(value, np.ndarray):
        return list(value.tolist()) if value.ndim else None
    return list(value) if isinstance(value, (list, tuple)) else None


def _describe_sample(number: int, samples: Sequence[object]) -> str:
    return f"sample {number + 1}" if len(samples) > 1 else "the sample"


def _read_warp(warp: Any) -> tuple[bool, bool]:
    """Return whether samples wrap along each array axis."""
    if warp is None or isinstance(warp, bool):
        return bool(warp), bool(warp)
    if isinstance(warp, str) and set(warp) <= {"x", "y"} and len(set(warp)) == len(warp):
        return "y" in warp, "x" in warp
    if isinstance(warp, Mapping):
        flags = _read_flags("warp", warp, ("x", "y"))
        return flags["y"], flags["x"]
    raise InvalidRecipe('must be True, "x", "y", "xy" or {"x": True, "y": False}', at="warp", got=warp)


def _read_borders(borders: Any) -> Sides:
    if borders is None or isinstance(borders, bool):
        flags = dict.fromkeys(EDGES, bool(borders))
    elif isinstance(borders, Mapping):
        flags = _read_flags("borders", borders, tuple(EDGES))
    else:
        raise InvalidRecipe('must be True or a dict such as {"top": True, "bot": True}', at="borders", got=borders)
    return (flags["top"], flags["bot"]), (flags["left"], flags["right"])


def _read_flags(name: str, given: Mapping[Any, Any], keys: tuple[str, ...]) -> dict[str, bool]:
    for key, flag in given.items():
        if key not in keys:
            raise UnknownName(f"key of {name}", key, keys)
        if flag is not None and not isinstance(flag, (bool, np.bool_)):
            raise InvalidRecipe(f"{key} must be True or False", at=name, got=flag, rule="choice")
    return {key: bool(given.get(key)) for key in keys}
