"""The function `tw.seek`: test all seeds of a range, in this process, on workers or on a GPU, and keep the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from ..analysis.survey import measure_maps
from ..batch import Device, Scanner, ScanResult
from ..core.errors import TilewrightError
from ..core.keywords import with_keywords
from ..core.params import PathText, param
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.tilemap import TileMap
from ..formats._resolver import RecipeLike, read_recipe
from ..jobs.cluster import RunParams, Team, can_connect
from ..jobs.progress import OnProgress, Progress, check_callback
from .definition import SeekDefinition, SeekParams
from .plan import make_seek_plan
from .result import FoundSeeds
from .scanners import MakeMap, SeekWork, StagedScanner, finish_task, open_seek_scanner, scan_task
from .state import SeekState

if TYPE_CHECKING:
    from .folder import SeekFolder


class SeekOptions(RunParams, SeekParams):
    """Parameters of `tw.seek` and `tilewright seek`."""

    out: PathText = param(None, flags=("-o", "--output"), metavar="FOLDER")
    """Folder for seeds.csv, seeds.parquet and a report with pictures; needs the extra `corpus`. If it contains the same
    search, or one with fewer seeds, the search continues."""
    device: Device = param("auto")
    """Device that makes the maps; `auto` is the fastest. The result does not depend on it."""


@with_keywords(SeekOptions)
def seek(
    given: RecipeLike,
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    **params: Any,
) -> FoundSeeds:
    """Test every seed of a range, and keep those whose maps meet requirements.

    Parameters
    ----------
    given
        A recipe, as for `tw.run`, or the name of a technique. The map of seed s is `tw.run(recipe, seed=s)`.
    knobs
        Values of the recipe's knobs by name.
    on_progress
        Function called with a `Progress` after each step.

    Returns
    -------
    FoundSeeds

    Raises
    ------
    InvalidRecipe
        If the recipe or an argument is invalid.
    BadFile
        If the folder contains something else or cannot be written.

    Examples
    --------
    >>> found = seek(
    ...     {"technique": "caves", "params": {"width": 20, "height": 12}}, seeds="0..199",
    ...     require={"regions": 1, "path_length": "most"}, keep=3,
    ... )
    >>> found.tested, len(found)
    (200, 3)
    """
    options = SeekOptions.validate(params)
    if options.out is None and options.workers is None and options.scheduler is None:
        options = options.replace(workers=0)
    return find_seeds(SeekDefinition.of(read_recipe(given, knobs), options), options, on_progress)


def find_seeds(definition: SeekDefinition, options: SeekOptions, on_progress: OnProgress | None = None) -> FoundSeeds:
    """Run a search. Without a number of workers, it depends on the time that the search takes."""
    plan = make_seek_plan(definition, options.device)
    report = check_callback(on_progress)
    if options.out is None:
        return SeekJob(SeekState(definition, plan), options, report).finish()
    from ..jobs import refuse_without_packages

    refuse_without_packages()
    from .folder import open_folder

    with open_folder(options.out, definition) as folder:
        state = folder.read_state(definition, folder.find_plan(definition, plan))
        folder.write_start(state)
        return SeekJob(state, options, report, folder).finish()


# -- one run --------------------------------------------------------------------------------------------------


FIRST_CHUNK, MAX_CHUNK = 64, 1 << 24
"""Number of seeds in the first chunk, and maximum number of seeds in a chunk."""
MIN_LAST_CHUNK = 16
CHUNK_SECONDS = 0.5
"""Approximate time of a chunk. It does not affect the result."""
CHECKPOINT_SECONDS = 5.0
TRIAL_SECONDS, WORKER_SECONDS = 2.0, 10.0
"""Time that this process works alone, and remaining time for which it then starts workers, if their number is not
given."""


class Chunks:
    """Iterator over chunks of the missing seeds: pairs of a first seed and a number of seeds.

    The size of the chunks depends on the time of earlier ones; the result of a search does not.

    Parameters
    ----------
    state
        State of the search.
    size
        Number of seeds in the first chunk.
    seconds
        Approximate time of a chunk.
    """

    def __init__(self, state: SeekState, *, size: int = FIRST_CHUNK, seconds: float = CHUNK_SECONDS) -> None:
        self._missing = state.find_missing()
        self._size = size
        self._seconds = seconds
        self.threads = 1
        self.remaining = sum(last - first + 1 for first, last in self._missing)
        """Number of seeds that are not in a chunk yet."""

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while self._missing:
            first, last = self._missing[0]
            # The last chunks are small, so that all workers finish at about the same time.
            fair = max(MIN_LAST_CHUNK, self.remaining // (2 * self.threads)) if self.threads > 1 else self.remaining
            count = min(self._size, fair, last - first + 1)
            self._missing[0] = (first + count, last)
            if first + count > last:
                del self._missing[0]
            self.remaining -= count
            yield first, count

    def note_time(self, count: int, seconds: float) -> None:
        """Adapt the size of the next chunks to the time that a chunk took."""
        wanted = int(count * self._seconds / max(seconds, 1e-6))
        self._size = max(1, min(MAX_CHUNK, 4 * self._size, wanted))


@dataclass
class SeekJob:
    """A run of a search, from its state to its end."""

    state: SeekState
    options: RunParams
    """Without a number of workers, the remaining time decides."""
    on_progress: OnProgress
    folder: SeekFolder | None = None
    """Folder to write checkpoints and the result to."""
    dashboard: str = ""

    def __post_init__(self) -> None:
        self._stored = (monotonic(), self.state.tally.tested)

    def finish(self) -> FoundSeeds:
        """Test the missing seeds, and return the result."""
        state = self.state
        self._report()
        if not state.is_finished:
            try:
                self._test_missing()
            except BaseException:  # such as Ctrl-C: tested seeds are kept
                self._write_checkpoint()
                raise
            self._write_checkpoint()
        digests = tuple(digest(make_kept_map(state, number)) for number in range(len(state.kept.seeds)))
        found = FoundSeeds(state, digests)
        if self.folder is not None:
            self.folder.write_result(found)
        self._report()
        return found

    def _test_missing(self) -> None:
        scanner = open_seek_scanner(self.state.definition, self.state.plan)
        chunks = Chunks(self.state)
        workers = self.options.workers
        is_asked = workers is not None or self.options.scheduler is not None
        is_gpu_only = scanner.device == "gpu" and not isinstance(scanner, StagedScanner)
        works_alone = workers == 0 or is_gpu_only or chunks.remaining <= FIRST_CHUNK
        works_alone |= not is_asked and not can_connect()
        if works_alone or not is_asked:
            self._test_here(scanner, chunks, is_trial=not works_alone)
        if not self._is_done:
            with self.options.connect(None) as team:
                self._test_on(team, scanner, chunks)
        if self.state.last_interval is not None:
            first, last = self.state.last_interval
            self.state.add_last(scanner.scan(first, last - first + 1, None))

    @property
    def _is_done(self) -> bool:
        return self.state.is_finished or self.state.last_interval is not None

    def _test_here(self, scanner: Scanner, chunks: Chunks, *, is_trial: bool) -> None:
        """Test seeds in this process. A trial ends when the rest would take long enough to start workers."""
        start, tested = monotonic(), 0
        for first, count in chunks:
            began = perf_counter()
            result = scanner.scan(first, count, self.state.bound)
            chunks.note_time(count, perf_counter() - began)
            self._add(result)
            tested += count
            seconds = monotonic() - start
            if self._is_done:
                return
            if is_trial and seconds > TRIAL_SECONDS and chunks.remaining * seconds / tested > WORKER_SECONDS:
                return

    def _test_on(self, team: Team, scanner: Scanner, chunks: Chunks) -> None:
        """Test seeds on workers. If this process has a GPU, the workers test the later stages."""
        self.dashboard = team.dashboard
        self._report()
        chunks.threads = team.threads
        search = SeekWork(self.state.definition, self.state.plan)
        if isinstance(scanner, StagedScanner) and scanner.device == "gpu":
            passed = (scanner.first_stage.scan(*chunk, None) for chunk in chunks)
            tasks: Iterator[tuple[Any, ...]] = ((search, result, self.state.bound) for result in passed)
            work: Callable[..., tuple[ScanResult, float]] = finish_task
        else:
            tasks = ((search, *chunk, self.state.bound) for chunk in chunks)
            work = scan_task
        with closing(team.run_tasks(work, tasks)) as results:
            for result, seconds in results:
                chunks.note_time(result.count, seconds)
                self._add(result)
                if self._is_done:
                    return

    def _add(self, result: ScanResult) -> None:
        self.state.add(result)
        if monotonic() - self._stored[0] >= CHECKPOINT_SECONDS:
            self._write_checkpoint()
        self._report()

    def _write_checkpoint(self) -> None:
        if self.folder is not None and self.state.tally.tested > self._stored[1]:
            self.folder.write_state(self.state)
        self._stored = (monotonic(), self.state.tally.tested)

    def _report(self) -> None:
        state = self.state
        extreme = state.definition.extreme
        values: dict[str, float] = {"found": state.tally.passed}
        if extreme is not None and len(state.kept.seeds):
            values["best"] = float(state.kept.values[extreme.measure][0])
        failures = sum(state.tally.failures.values())
        self.on_progress(Progress(state.tally.tested, state.definition.count, failures, self.dashboard, values))


def make_kept_map(state: SeekState, number: int, make_map: MakeMap = run) -> TileMap:
    """Make the map of a kept seed again. Raise an error if a value differs from the stored one."""
    definition, kept = state.definition, state.kept
    seed = int(kept.seeds[number])
    map = make_map(definition.recipe_of(seed))
    found = measure_maps([map], definition.measures, [definition.similarity])
    for name, numbers in found.items():
        ours, stored = float(numbers[0]), float(kept.values[name][number])
        if ours != stored and not (ours != ours and stored != stored):
            text = f"seed {seed} has {name} {ours:g}, and not {stored:g} as stored"
            raise TilewrightError(f"{text}; delete the state of the folder, and the search starts over")
    return map
