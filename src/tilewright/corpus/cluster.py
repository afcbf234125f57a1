"""Dask at work: processes of this machine, or somebody's cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..core.errors import TilewrightError
from ..core.recipe import Recipe
from .making import AHEAD, grouped
from .manifest import Manifest
from .parts import Part, make_parts

PATIENCE = "20s"
"""How long a scheduler may take to answer at first."""


class LostCluster(TilewrightError):
    """The scheduler does not answer, or no longer."""


class Cluster:
    """A Dask client that makes parts."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    @property
    def dashboard(self) -> str:
        return str(self._client.dashboard_link or "")

    def make(self, manifest: Manifest, numbers: Sequence[int], recipe: Recipe) -> Iterator[Part]:
        """Parts as they are finished; a few tasks are ahead of the workers, and no more."""
        from distributed import as_completed

        workers = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
        tasks = iter(grouped(numbers, workers))
        with self._told():
            shared = self._client.scatter(recipe, broadcast=True, hash=False)
            running = as_completed([], loop=self._client.loop)

            def begin() -> None:
                task = next(tasks, None)
                if task is not None:
                    running.add(self._client.submit(make_parts, manifest.text, task, shared, pure=False, retries=3))

            for _ in range(workers * (1 + AHEAD)):
                begin()
            for future in running:
                parts = future.result()
                future.release()
                begin()
                yield from parts

    @contextmanager
    def _told(self) -> Iterator[None]:
        """That the cluster is gone is told in one line; what was made until then stays."""
        from distributed import KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise LostCluster(f"workers were killed again and again ({error.task}); run again to go on") from None
        except Exception as error:
            if isinstance(error, OSError | RuntimeError) or type(error).__module__.startswith("distributed"):
                lost = f"the scheduler at {self._address} is lost ({_short(error)})"
                raise LostCluster(f"{lost}; run again to go on") from None
            raise


@contextmanager
def connected(address: str | None, workers: int) -> Iterator[Cluster]:
    """A cluster to work with: somebody's, by its scheduler's address, or processes of our own for as long as this."""
    import dask
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # whatever goes wrong is told by us
    settings = {"distributed.comm.timeouts.connect": PATIENCE, "distributed.admin.log-length": 100}
    with dask.config.set(settings):
        own = None
        try:
            if address is None:
                own = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            client = Client(own or address, timeout=PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise LostCluster(f"no scheduler answers at {address or 'this machine'} ({_short(error)})") from None
        try:
            yield Cluster(client, address or "this machine")
        finally:
            with suppress(Exception):
                client.close(timeout=5)
            if own is not None:
                with suppress(Exception):
                    own.close(timeout=10)


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
