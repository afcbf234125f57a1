"""The function `tw.seek`: test all seeds of a range, and keep the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike, fspath
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from ...analysis.many import measure_maps
from ...batch import Bound, Scanner, ScanResult
from ...core.errors import TilewrightError
from ...core.pipeline import run
from ...core.provenance import digest
from ..recipes import RecipeLike, read_recipe
from ..workers import connect_workers
from .definition import DEFAULT_KEEP, SeedRange, SeekDefinition
from .plan import SeekPlan, make_seek_plan
from .result import FoundSeeds
from .scanners import open_seek_scanner
from .state import SeekState

if TYPE_CHECKING:
    from ...corpus.cluster import Cluster
    from .folder import SeekFolder

FIRST_CHUNK, MAX_CHUNK = 64, 1 << 24
"""Number of seeds in the first chunk, and maximum number of seeds in a chunk."""
CHUNK_SECONDS = 0.5
"""Approximate time of a chunk. It does not affect the result."""
CHECKPOINT_SECONDS = 5.0
TRIAL_SECONDS, WORKER_SECONDS = 2.0, 10.0
"""Time that this process works alone, and remaining time for which it then starts workers, if their number is not
given."""


@dataclass(frozen=True)
class SeekProgress:
    """Progress of a search over seeds."""

    tested: int
    """Number of tested seeds, including those of earlier runs."""
    total: int
    found: int
    """Number of seeds that meet all requirements so far."""
    best: float | None
    """Value of the best seed so far, if a measure is to be maximized or minimized."""
    failures: int
    """Number of seeds that cannot be made."""
    dashboard: str = ""
    """URL of Dask's dashboard."""


OnProgress = Callable[[SeekProgress], None]


def seek(
    given: RecipeLike,
    /,
    *,
    seeds: SeedRange,
    require: Mapping[str, Any] | None = None,
    measures: Sequence[str] = (),
    keep: int = DEFAULT_KEEP,
    first: bool = False,
    out: str | PathLike[str] | None = None,
    knobs: Mapping[str, Any] | None = None,
    device: str = "auto",
    workers: int | None = None,
    scheduler: str | None = None,
    on_progress: OnProgress | None = None,
) -> FoundSeeds:
    """Test every seed of a range, and keep those whose maps meet requirements.

    Parameters
    ----------
    given
        A recipe, as for `tw.run`, or the name of a technique. The map of seed s is `tw.run(recipe, seed=s)`.
    seeds
        Seeds to test: `"0..999"`, a tuple (first, last), or a `range`.
    require
        Conditions by measure, such as `{"regions": 1, "floor_share": ">0.5", "path_length": "most"}`. With `most` or
        `least`, the best seeds are kept, and of equal ones the smaller; otherwise the first seeds.
    measures
        Further measures to record.
    keep
        Maximum number of seeds to keep.
    first
        Whether to stop when `keep` seeds are found; not with `most` or `least`.
    out
        Folder for the result; needs the extra `corpus`. If it contains the same search, the search continues.
    knobs
        Values of the recipe's knobs by name.
    device
        `cpu`, `gpu`, or `auto` for the fastest device. The result does not depend on it.
    workers
        Number of worker processes; 0 uses only this process. By default, one per processor if `out` is given and the
        search takes longer than some seconds.
    scheduler
        Address of a Dask cluster to use instead of local processes.
    on_progress
        Function called with a `SeekProgress` after each step.

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
    definition = SeekDefinition.of(
        read_recipe(given, knobs), seeds=seeds, require=require, measures=measures, keep=keep, first=first
    )
    plan = make_seek_plan(definition, device)
    if workers is not None or scheduler is not None:
        from ...corpus.cluster import check_workers

        check_workers(workers, scheduler)
    report = on_progress or (lambda progress: None)
    if out is None:
        count = 0 if workers is None and scheduler is None else workers
        return SeekRun(SeekState(definition, plan), count, scheduler, report).finish()
    from ...corpus import refuse_without_packages

    refuse_without_packages()
    from .folder import open_folder

    with open_folder(fspath(out), definition) as folder:
        state = folder.read_state(definition, folder.find_plan(definition, plan))
        folder.write_start(state)
        return SeekRun(state, workers, scheduler, report, folder).finish()


class Chunks:
    """Iterator over chunks of the missing seeds: pairs of a first seed and a number of seeds.

    The size of the chunks depends on the time of earlier ones; the result of a search does not.
    """

    def __init__(self, state: SeekState) -> None:
        self._missing = state.find_missing()
        self._size = FIRST_CHUNK
        self.threads = 1
        self.remaining = sum(last - first + 1 for first, last in self._missing)
        """Number of seeds that are not in a chunk yet."""

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while self._missing:
            first, last = self._missing[0]
            # The last chunks are small, so that all workers finish at about the same time.
            size = max(1, min(self._size, -(-self.remaining // (2 * self.threads)) if self.threads > 1 else self._size))
            count = min(size, last - first + 1)
            self._missing[0] = (first + count, last)
            if first + count > last:
                del self._missing[0]
            self.remaining -= count
            yield first, count

    def note_time(self, count: int, seconds: float) -> None:
        """Adapt the size of the next chunks to the time that a chunk took."""
        wanted = int(count * CHUNK_SECONDS / max(seconds, 1e-6))
        self._size = max(1, min(MAX_CHUNK, 4 * self._size, wanted))


class SeekRun:
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
        found = FoundSeeds(state, tuple(self._check_seeds()))
        if self.folder is not None:
            self.folder.write_result(found)
        self._report()
        return found

    def _test_missing(self) -> None:
        scanner = open_seek_scanner(self.state.definition, self.state.plan)
        chunks = Chunks(self.state)
        works_alone = self.workers == 0 or scanner.device == "gpu"
        is_asked = self.workers is not None or self.scheduler is not None
        if works_alone or not is_asked:
            self._test_here(scanner, chunks, is_trial=not works_alone)
        if not self._is_done:
            with connect_workers(self.workers, self.scheduler) as cluster:
                assert cluster is not None
                self._test_on(cluster, chunks)
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

    def _test_on(self, cluster: Cluster, chunks: Chunks) -> None:
        """Test seeds on workers."""
        self.dashboard = cluster.dashboard
        self._report()
        chunks.threads = cluster.threads
        definition, plan = self.state.definition, self.state.plan
        key = f"{definition.to_data()}{plan}"
        tasks = ((key, definition, plan, *chunk, self.state.bound) for chunk in chunks)
        with closing(cluster.run_tasks(scan_task, tasks)) as results:
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

    def _check_seeds(self) -> Iterator[str]:
        """Make the maps of the kept seeds again, and yield their digests. Raise an error if a value differs."""
        definition, kept = self.state.definition, self.state.kept
        for number, seed in enumerate(kept.seeds.tolist()):
            map = run(definition.recipe_of(seed))
            found = measure_maps([map], definition.measures, [definition.similarity])
            for name, numbers in found.items():
                ours, stored = float(numbers[0]), float(kept.values[name][number])
                if ours != stored and not (ours != ours and stored != stored):
                    text = f"seed {seed} has {name} {ours:g}, and not {stored:g} as stored"
                    raise TilewrightError(f"{text}; delete the state of the folder, and the search starts over")
            yield digest(map)

    def _report(self) -> None:
        state = self.state
        extreme = state.definition.extreme
        has_best = extreme is not None and len(state.kept.seeds)
        self.on_progress(
            SeekProgress(
                state.tally.tested,
                state.definition.count,
                state.tally.passed,
                float(state.kept.values[extreme.measure][0]) if extreme is not None and has_best else None,
                sum(state.tally.failures.values()),
                self.dashboard,
            )
        )


_scanners: dict[str, Scanner] = {}
"""Scanner of the search that this worker tests seeds for."""


def scan_task(
    key: str, definition: SeekDefinition, plan: SeekPlan, first: int, count: int, bound: Bound | None
) -> tuple[ScanResult, float]:
    """Test a chunk of seeds. This is the work of one task. Return the result and the time that it took."""
    if key not in _scanners:
        _scanners.clear()
        _scanners[key] = open_seek_scanner(definition, plan)
    start = perf_counter()
    result = _scanners[key].scan(first, count, bound)
    return result, perf_counter() - start
