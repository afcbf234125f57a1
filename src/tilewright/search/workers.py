"""Worker processes of a search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..core.errors import TilewrightError

if TYPE_CHECKING:
    from ..corpus.cluster import Cluster


def can_connect() -> bool:
    """Return whether the packages for worker processes are installed."""
    from ..corpus import refuse_without_packages

    try:
        refuse_without_packages()
    except TilewrightError:
        return False
    return True


@contextmanager
def connect_workers(workers: int | None, scheduler: str | None) -> Iterator[Cluster | None]:
    """Start worker processes or connect to a cluster; None without workers."""
    if workers == 0:
        yield None
        return
    from ..corpus import refuse_without_packages

    refuse_without_packages()
    from ..corpus.cluster import connect

    with connect(scheduler, workers) as cluster:
        yield cluster
