"""Dask at work: processes of this machine, or somebody's cluster."""

from __future__ import annotations

import logging
import os
import signal
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import resource_tracker
from time import sleep
from typing import Any, TypeVar

from ..core.errors import InvalidRecipe, TilewrightError
from ..core.params import check_integer

T = TypeVar("T")
SCHEDULER = "DASK_SCHEDULER_ADDRESS"
TIMEOUT = "20s"
"""How long a scheduler may take to answer, and to have a worker."""
RECONNECT_SECONDS = 3
"""Seconds in which a client may find a lost scheduler again."""
TASKS_AHEAD = 2
"""Tasks that wait for a worker's thread, for each of them: no worker idles, and few results wait for us."""
MAX_WORKER_KILLS = 10
"""Workers of ours that may be killed by one task before it is given up: others may have killed them."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
LOGS = ("distributed", "tornado", "asyncio", "bokeh")
MAX_WORKERS = 4096


@dataclass
class Progress:
    """How far the work is: maps of a corpus, or chunks of a world."""

    count: int
    done: int = 0
    """Those that are there, of earlier runs too."""
    made: int = 0
    """Those of this run."""
    failures: int = 0
    """Maps that could not be made: of this run while it works, of the whole corpus in the end."""
    dashboard: str = ""
    """Where Dask shows what its workers do."""


WorldProgress = Progress
ProgressCallback = Callable[[Progress], None]


class LostCluster(TilewrightError):
    """The scheduler does not answer, or no longer."""


class Cluster:
    """A Dask client that works through tasks."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    @property
    def dashboard(self) -> str:
        """Where Dask shows what its workers do."""
        return str(self._client.dashboard_link or "")

    @property
    def threads(self) -> int:
        """How many tasks can be worked on at once, now: in somebody's cluster workers come and go."""
        with self._translate_errors():
            if self._client.status != "running":
                raise LostCluster(f"{self._address} is lost; run again to go on")
            return max(1, int(sum(self._client.nthreads().values())))

    def run_tasks(self, work: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Generator[T, None, None]:
        """What the work makes of each task, as it is finished; few tasks are ahead of the workers.

        A worker that dies costs what it was at; what a task raises is raised here. Closing the iterator stops all.
        """
        from distributed import as_completed

        waiting = iter(tasks)
        unfinished: set[Any] = set()
        try:
            with self._translate_errors():
                running = as_completed(loop=self._client.loop)
            while True:
                with self._translate_errors():
                    for task in islice(waiting, max(0, self.threads * (1 + TASKS_AHEAD) - len(unfinished))):
                        future = self._client.submit(work, *task, pure=False)
                        unfinished.add(future)
                        running.add(future)
                    if not unfinished:
                        return
                    future = next(running)
                unfinished.discard(future)
                result = self._result(future)
                future.release()
                yield result
                del result  # not held while we wait for the next one
        finally:
            with suppress(Exception):
                self._client.cancel(list(unfinished))

    def _result(self, future: Any) -> Any:
        from distributed import KilledWorker

        with self._translate_errors():
            failed = future.status == "error"
            result = future.exception() if failed else future.result()
        if not failed:
            return result
        if isinstance(result, KilledWorker):
            text = "a task has killed its workers again and again, perhaps for want of memory; run again to go on"
            raise LostCluster(text)
        if isinstance(result, ImportError) or "deserializ" in str(result):
            reason = f"workers of {self._address} need this Tilewright and what it stands on ({_short_message(result)})"
            raise LostCluster(reason)
        raise result from None

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """That the cluster is gone is told in one line; what was made until then stays."""
        from concurrent.futures import CancelledError

        try:
            yield
        except (Exception, CancelledError) as error:
            if isinstance(error, TilewrightError):
                raise
            raise LostCluster(f"{self._address} is lost ({_short_message(error)}); run again to go on") from None


def check_workers(workers: int | None, scheduler: str | None) -> None:
    """Refuse a number of workers that there cannot be, or one beside the address of a scheduler."""
    if workers is None:
        return
    check_integer("workers", workers, 0, MAX_WORKERS)
    if scheduler is not None:
        text = "a scheduler has workers of its own; give a number of workers, or its address"
        raise InvalidRecipe(text, at="workers")


def iter_results(
    work: Callable[..., T],
    tasks: Callable[[int], Iterable[tuple[Any, ...]]],
    run_here: Callable[[], Generator[T, None, None]],
    *,
    workers: int | None,
    scheduler: str | None,
    progress: Progress,
    on_progress: ProgressCallback,
) -> Generator[T, None, None]:
    """Yield what the work makes of each task, in any order: on a cluster, or without workers what `alone` makes here.

    `tasks` gives the tasks for that many threads. Closing the generator ends the tasks, then the workers.
    """
    if workers == 0:
        yield from run_here()
        return
    with connect(scheduler, workers) as cluster:
        progress.dashboard = cluster.dashboard
        on_progress(progress)
        with closing(cluster.run_tasks(work, tasks(cluster.threads))) as results:
            yield from results


@contextmanager
def connect(address: str | None, workers: int | None) -> Iterator[Cluster]:
    """A cluster to work with: somebody's, by its scheduler's address, or processes of our own for as long as this.

    Without an address the environment's DASK_SCHEDULER_ADDRESS counts, unless a number of workers is asked for.
    """
    import dask
    import distributed  # noqa: F401  # before its settings are changed: it brings them along

    check_workers(workers, address)
    if address is None and workers is None:
        address = os.environ.get(SCHEDULER) or None
    settings = {
        "distributed.comm.timeouts.connect": TIMEOUT,
        "distributed.scheduler.allowed-failures": MAX_WORKER_KILLS,
        "distributed.admin.log-length": 100,
        # Without Dask's MALLOC_TRIM_THRESHOLD_, with which every array begins with page faults: half the speed.
        "distributed.nanny.pre-spawn-environ": dict.fromkeys(THREAD_VARIABLES, 1),
        # What workers do else many times a second, to profile tasks of seconds, is a twentieth of their time.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
    }
    with ExitStack() as stack:
        stack.enter_context(_silence_logs())
        stack.enter_context(dask.config.set(settings))
        if address is None:
            yield stack.enter_context(_local_cluster(workers or os.cpu_count() or 1))
        else:
            yield stack.enter_context(_remote_cluster(address))


@contextmanager
def _local_cluster(workers: int) -> Iterator[Cluster]:
    from distributed import LocalCluster

    with ExitStack() as ends:
        try:
            with _block_interrupts():
                own = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
                ends.callback(_close_quietly, own, timeout=10)
                client = _make_client(own)
                ends.callback(_close_client, client)
        except (OSError, RuntimeError, ValueError) as error:
            message = f"no worker processes could be started on this machine ({_short_message(error)})"
            raise LostCluster(f"{message}; --workers 0 does without") from None
        yield Cluster(client, "the cluster on this machine")


@contextmanager
def _remote_cluster(address: str) -> Iterator[Cluster]:
    with ExitStack() as ends:
        try:
            client = _make_client(address)
        except Exception as error:  # an address may be anything
            raise LostCluster(f"no scheduler answers at {address} ({_short_message(error)})") from None
        ends.callback(_close_client, client)
        try:
            client.wait_for_workers(1, timeout=TIMEOUT)
        except Exception as error:
            raise LostCluster(f"the scheduler at {address} has no workers ({_short_message(error)})") from None
        yield Cluster(client, f"the scheduler at {address}")


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Threads that begin now, and all processes that these ever start, do not hear Ctrl-C: we end them ourselves."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # whoever starts it hears Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _make_client(place: Any) -> Any:
    """A client that is closed by us alone: others close once more when Python ends, with complaints."""
    from distributed import Client

    class QuietClient(Client):  # type: ignore[misc]
        def __del__(self) -> None:
            pass

    client = QuietClient(place, timeout=TIMEOUT, set_as_default=False)
    client._timeout = RECONNECT_SECONDS  # with the connection all tasks are lost: finding it again later helps nobody
    return client


def _close_client(client: Any) -> None:
    """Close a client; one that has lost its scheduler closes by itself after a while, and cannot be made to before."""
    for _ in range(100):
        if client.status != "connecting":
            break
        sleep(0.1)
    _close_quietly(client, timeout=5)


def _close_quietly(one: Any, timeout: int) -> None:
    with suppress(Exception):
        one.close(timeout=timeout)


@contextmanager
def _silence_logs() -> Iterator[None]:
    """Dask says nothing: whatever goes wrong is told by us. After a loss it would go on complaining."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.split(".")[0] in LOGS]
    before = [(logger, logger.disabled) for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.disabled = True
        try:
            yield
        except LostCluster:
            before = []
            raise
        finally:
            for logger, disabled in before:
                logger.disabled = disabled


def _short_message(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
