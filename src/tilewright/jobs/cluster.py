"""Parallel work with Dask: processes on this machine, or an existing cluster."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib.util import find_spec
from itertools import islice
from time import sleep
from typing import Any, TypeVar

from ..core.errors import Problem, TilewrightError, problem
from ..core.params import Params, param
from . import refuse_without_packages
from .processes import block_interrupts

T = TypeVar("T")
PACKAGES = ("dask", "distributed")
SCHEDULER = "DASK_SCHEDULER_ADDRESS"
TIMEOUT = "20s"
"""Time limit for a scheduler to answer, and for its first worker to appear."""
RECONNECT_SECONDS = 3
"""Time limit for a client to reconnect to a scheduler after the connection was lost."""
TASKS_AHEAD = 2
"""Number of tasks submitted per worker thread. It keeps all workers busy while few results wait in memory."""
MAX_WORKER_KILLS = 10
"""Number of local workers that may be killed during one task before the task fails. Another process may have killed
them."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
LOGS = ("distributed", "tornado", "asyncio", "bokeh")
MAX_WORKERS = 4096


class RunParams(Params):
    """Where the tasks of a job run. The result does not depend on it."""

    workers: int | None = param(None, ge=0, le=MAX_WORKERS, metavar="N")
    """Number of worker processes; 0 uses only this process. By default, one per processor if the result is written to
    a folder, otherwise 0."""
    scheduler: str | None = param(None, metavar="ADDRESS")
    """Address of a Dask cluster to use instead, such as tcp://10.0.0.1:8786."""

    def connect(self, default: int | None) -> AbstractContextManager[Team]:
        """Start the workers, or connect to the cluster; `default` is the number of workers if none is given."""
        workers = default if self.workers is None and self.scheduler is None else self.workers
        return connect_workers(workers, self.scheduler)

    def find_problems(self) -> Iterator[Problem]:
        yield from super().find_problems()
        if self.workers is not None and self.scheduler is not None:
            yield problem("a scheduler has its own workers; set either workers or scheduler", at="workers")


class LostCluster(TilewrightError):
    """Error raised if a scheduler does not answer, or has stopped answering."""


class Cluster:
    """Dask client that runs tasks."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    @property
    def dashboard(self) -> str:
        """URL of Dask's dashboard."""
        return str(self._client.dashboard_link or "")

    @property
    def threads(self) -> int:
        """Number of tasks that can run at once. It may change, because a cluster may gain or lose workers."""
        with self._translate_errors():
            if self._client.status != "running":
                raise LostCluster(f"{self._address} is lost; run again to continue")
            return max(1, int(sum(self._client.nthreads().values())))

    def run_tasks(self, work: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Generator[T, None, None]:
        """Yield the result of each task when the task finishes. Only a few tasks per worker are submitted at a time.

        If a worker dies, its task is repeated. An exception of a task is raised here. Closing the iterator cancels all
        tasks.
        """
        from distributed import as_completed

        pending = iter(tasks)
        unfinished: set[Any] = set()
        try:
            with self._translate_errors():
                running = as_completed(loop=self._client.loop)
            while True:
                with self._translate_errors():
                    for task in islice(pending, max(0, self.threads * (1 + TASKS_AHEAD) - len(unfinished))):
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
                del result  # free the memory before waiting for the next result
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
            text = "a task has repeatedly killed its workers, perhaps for lack of memory; run again to continue"
            raise LostCluster(text)
        if isinstance(result, ImportError) or "deserializ" in str(result):
            reason = f"workers of {self._address} need this Tilewright and its dependencies ({_short_message(result)})"
            raise LostCluster(reason)
        raise result from None

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert the loss of the cluster to a one-line error, which says that finished results are kept."""
        from concurrent.futures import CancelledError

        try:
            yield
        except (Exception, CancelledError) as error:
            if isinstance(error, TilewrightError):
                raise
            raise LostCluster(f"{self._address} is lost ({_short_message(error)}); run again to continue") from None


class ThisProcess:
    """Runs tasks in this process, without workers."""

    dashboard = ""
    threads = 0

    def run_tasks(self, work: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Generator[T, None, None]:
        """Yield the result of each task, in order."""
        return (work(*task) for task in tasks)


Team = Cluster | ThisProcess
"""What runs the tasks of a job."""


def can_connect() -> bool:
    """Return whether the packages for worker processes are installed."""
    return all(map(find_spec, PACKAGES))


@contextmanager
def connect_workers(workers: int | None, scheduler: str | None) -> Iterator[Team]:
    """Start worker processes or connect to a cluster; with 0 workers, this process runs the tasks."""
    if workers == 0:
        yield ThisProcess()
        return
    with connect(scheduler, workers) as cluster:
        yield cluster


@contextmanager
def connect(address: str | None, workers: int | None) -> Iterator[Cluster]:
    """Connect to an existing cluster by the address of its scheduler, or start worker processes on this machine.

    Without an address, the environment variable DASK_SCHEDULER_ADDRESS is used, unless a number of workers is given.
    """
    refuse_without_packages(*PACKAGES)
    import dask
    import distributed  # noqa: F401  # before its settings are changed: it brings them along

    if address is None and workers is None:
        address = os.environ.get(SCHEDULER) or None
    settings = {
        "distributed.comm.timeouts.connect": TIMEOUT,
        "distributed.scheduler.allowed-failures": MAX_WORKER_KILLS,
        "distributed.admin.log-length": 100,
        # Dask sets MALLOC_TRIM_THRESHOLD_, which causes page faults for each array and halves the speed.
        "distributed.nanny.pre-spawn-environ": dict.fromkeys(THREAD_VARIABLES, 1),
        # Profiling takes 5% of the workers' time.
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
            with block_interrupts():
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
            message = f"cannot start worker processes on this machine ({_short_message(error)})"
            raise LostCluster(f"{message}; --workers 0 needs none") from None
        yield Cluster(client, "the cluster on this machine")


@contextmanager
def _remote_cluster(address: str) -> Iterator[Cluster]:
    with ExitStack() as ends:
        try:
            client = _make_client(address)
        except Exception as error:  # An invalid address may cause any error.
            raise LostCluster(f"no scheduler answers at {address} ({_short_message(error)})") from None
        ends.callback(_close_client, client)
        try:
            client.wait_for_workers(1, timeout=TIMEOUT)
        except Exception as error:
            raise LostCluster(f"the scheduler at {address} has no workers ({_short_message(error)})") from None
        yield Cluster(client, f"the scheduler at {address}")


def _make_client(place: Any) -> Any:
    """Return a client that only this module closes.

    Dask's default client is closed again at exit, with error messages.
    """
    from distributed import Client

    class QuietClient(Client):  # type: ignore[misc]
        def __del__(self) -> None:
            pass

    client = QuietClient(place, timeout=TIMEOUT, set_as_default=False)
    client._timeout = RECONNECT_SECONDS  # All tasks are lost with the connection, so a later reconnection is of no use.
    return client


def _close_client(client: Any) -> None:
    """Close a client. A client that lost its scheduler closes by itself after a while and cannot be closed earlier."""
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
    """Silence the logs of Dask, because this module reports its errors.

    The logs stay silent after a cluster was lost.
    """
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
