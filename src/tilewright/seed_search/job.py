"""The run of a search over seeds: in this process, on workers or on a GPU, with checkpoints and progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from ..analysis.survey import measure_maps
from ..batch import Scanner, ScanResult
from ..core.errors import TilewrightError
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.tilemap import TileMap
from ..jobs.cluster import Team, can_connect, connect_workers
from ..jobs.progress import OnProgress, Progress
from .result import FoundSeeds
from .scanners import MakeMap, StagedScanner, open_seek_scanner
from .state import SeekState
from .tasks import SeekWork, finish_task, scan_task

if TYPE_CHECKING:
    from .folder import SeekFolder

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


class SeekJob:
    """A run of a search, from its state to its end.

    Parameters
    ----------
    state
        State of the search.
    workers
        Number of worker processes; None to choose it by the remaining time.
    scheduler
        Address of a Dask cluster.
    on_progress
        Function called after each step.
    folder
        Folder to write checkpoints and the result to.
    """

    def __init__(
        self,
        state: SeekState,
        workers: int | None,
        scheduler: str | None,
        on_progress: OnProgress,
        folder: SeekFolder | None = None,
    ) -> None:
        self.state = state
        self.workers = workers
        self.scheduler = scheduler
        self.on_progress = on_progress
        self.folder = folder
        self.dashboard = ""
        self._stored = (monotonic(), state.tally.tested)

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
        is_asked = self.workers is not None or self.scheduler is not None
        is_gpu_only = scanner.device == "gpu" and not isinstance(scanner, StagedScanner)
        works_alone = self.workers == 0 or is_gpu_only or chunks.remaining <= FIRST_CHUNK
        works_alone |= not is_asked and not can_connect()
        if works_alone or not is_asked:
            self._test_here(scanner, chunks, is_trial=not works_alone)
        if not self._is_done:
            with connect_workers(self.workers, self.scheduler) as team:
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
