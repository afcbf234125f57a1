"""Making a corpus: parts that are missing are made, here, on all processors or on a cluster, and written by us alone.

Workers send finished parts back, so that they need not see the folder; a part is written under a temporary name and
renamed. Killed at any moment, the next start finds what is there and makes the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..core.errors import InvalidRecipe
from ..core.recipe import Recipe
from ..core.seeds import read_seed
from .datasheet import datasheet
from .manifest import Manifest
from .parts import Part, make_parts
from .reader import Corpus
from .store import DATASHEET, MANIFEST, PARTS, Folder, part_name
from .sweep import Sweep

TASKS_EACH = 16
"""Tasks for a worker, about: so many that none waits long at the end, so few that they cost nothing."""
MOST_TOGETHER = 8
"""Parts in a task."""
AHEAD = 2
"""Tasks that wait for a worker, for each of them."""
SCHEDULER = "DASK_SCHEDULER_ADDRESS"


@dataclass
class Progress:
    """How far the work is."""

    count: int
    done: int = 0
    """Maps that are there, those of earlier runs included."""
    made: int = 0
    """Maps of this run."""
    failures: int = 0
    """Of this run's maps, those that could not be made."""
    dashboard: str = ""
    """Where Dask shows what its workers do."""


def make(
    recipe: Recipe,
    folder: str | os.PathLike[str],
    *,
    count: int,
    seed: int | str | None = None,
    measures: Sequence[str] = (),
    sweep: Sweep | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    tell: Callable[[Progress], None] | None = None,
) -> Corpus:
    """Make a corpus in a folder, or go on with one that was stopped.

    `workers`: processes of this machine (all processors by default), 0 for none but this one. `scheduler` is the
    address of a Dask cluster to use instead, as is the environment's DASK_SCHEDULER_ADDRESS.
    """
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or not 0 <= workers <= 4096):
        raise InvalidRecipe(f"workers: must be a whole number from 0 to 4,096, got {workers!r}")
    store = Folder(os.fspath(folder))
    found = Manifest.in_folder(store)
    picked = found.seed if found is not None and seed is None and recipe.seed is None else seed
    wanted = Manifest.planned(
        recipe,
        seed=read_seed(picked if picked is not None else recipe.seed),
        count=count,
        measures=measures,
        sweep=sweep or Sweep(),
    )
    if found is not None:
        found.refuse_other(wanted, store)
    manifest = found or wanted
    if found is None:
        store.write(manifest.text.encode(), MANIFEST)
    store.sweep()
    missing = sorted(set(range(manifest.parts)) - set(store.parts()))
    progress = Progress(manifest.count, manifest.count - sum(len(manifest.maps_of(part)) for part in missing))
    if missing:
        with _workshop(workers, scheduler, progress) as work:
            if tell is not None:
                tell(progress)
            for part in work(manifest, missing, recipe):
                store.write(part.content, PARTS, part_name(part.number))
                progress.done += part.maps
                progress.made += part.maps
                progress.failures += part.failures
                if tell is not None:
                    tell(progress)
    corpus = Corpus(store.address)
    sheet = datasheet(corpus).encode()
    if store.read(DATASHEET) != sheet:
        store.write(sheet, DATASHEET)
    return corpus


Work = Callable[[Manifest, Sequence[int], Recipe], Iterator[Part]]


@contextmanager
def _workshop(workers: int | None, scheduler: str | None, progress: Progress) -> Iterator[Work]:
    """What makes parts: this process, or a cluster."""
    address = scheduler or os.environ.get(SCHEDULER)
    if workers == 0:
        yield _here
        return
    from .cluster import connected

    with connected(address, workers or os.cpu_count() or 1) as cluster:
        progress.dashboard = cluster.dashboard
        yield cluster.make


def _here(manifest: Manifest, numbers: Sequence[int], recipe: Recipe) -> Iterator[Part]:
    for number in numbers:
        yield from make_parts(manifest.text, [number], recipe)


def remake(corpus: Corpus, numbers: Sequence[int]) -> None:
    """Make parts anew, such as damaged ones: the same bytes as they were."""
    for number in numbers:
        if not 0 <= number < corpus.manifest.parts:
            raise InvalidRecipe(f"part {number}: there are {corpus.manifest.parts}, counted from 0")
        for part in make_parts(corpus.manifest.text, [number]):
            corpus.folder.write(part.content, PARTS, part_name(number))


def grouped(numbers: Sequence[int], workers: int) -> list[list[int]]:
    """Parts in tasks."""
    together = max(1, min(MOST_TOGETHER, len(numbers) // (workers * TASKS_EACH)))
    return [list(numbers[first : first + together]) for first in range(0, len(numbers), together)]
