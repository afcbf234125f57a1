"""Making a corpus: parts that are missing are made, here, on all processors or on a cluster, and written by us alone.

Workers send finished parts back, so that they need not see the folder; a part is written under a temporary name and
renamed. Killed at any moment, the next start finds what is there and makes the rest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from itertools import chain

from ..core.errors import BadFile, InvalidRecipe
from ..core.seeds import read_seed
from .cluster import Progress, Tell, check_workers, each_result
from .datasheet import Facts, datasheet
from .manifest import CELLS_IN_A_PART, Manifest
from .order import Given, Order
from .parts import Part, make_part
from .reader import Corpus
from .store import DATASHEET, MANIFEST, PARTS, Folder, part_name
from .sweep import Sweep

TASKS_EACH = 16
"""Tasks that are left for each worker, at least, while they hold several parts."""
MOST_TOGETHER = 8
"""Parts in a task."""


def make(
    given: Given,
    folder: str | os.PathLike[str],
    *,
    count: int | None = None,
    seed: int | str | None = None,
    measures: Sequence[str] | None = None,
    sweep: Sweep | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    tell: Tell | None = None,
) -> Corpus:
    """Make a corpus in a folder, or go on with one that was stopped.

    It is made by a recipe, plain data, a file, or the name of a technique or a recipe; `sweep` and `sampled` may stand
    among its words. A corpus's manifest makes that corpus again. `workers`: processes of this machine (all processors
    by default), 0 for none but this one. `scheduler` is the address of a Dask cluster to use instead, as is the
    environment's DASK_SCHEDULER_ADDRESS.
    """
    check_workers(workers, scheduler)
    order = Order.of(given)
    count = order.count if count is None else count
    if count is None:
        raise InvalidRecipe("how many maps the corpus is to have is missing", at="count", rule="missing")
    store = Folder(os.fspath(folder))
    found = Manifest.in_folder(store)
    asked = seed if seed is not None else order.seed
    wanted = Manifest.planned(
        order.recipe,
        seed=read_seed(asked if asked is not None or found is None else found.seed),
        count=count,
        measures=order.measures if measures is None else measures,
        sweep=order.sweep if sweep is None else sweep,
    )
    if found is not None:
        found.refuse_other(wanted, store)
    else:
        store.write(wanted.text.encode(), MANIFEST, lasting=True)
    with store.held():
        now = Manifest.in_folder(store)  # another process may have begun another one just now
        if now is not None:
            now.refuse_other(wanted, store)
        return _completed(found or wanted, store, workers, scheduler, tell or (lambda progress: None))


def _completed(manifest: Manifest, store: Folder, workers: int | None, scheduler: str | None, tell: Tell) -> Corpus:
    """Make what is missing."""
    store.sweep(PARTS)
    missing = sorted(set(range(manifest.parts)) - set(store.parts()))
    progress = Progress(manifest.count, manifest.count - sum(len(manifest.maps_of(part)) for part in missing))
    tell(progress)
    made: dict[int, Facts] = {}
    if missing:
        work = each_result(
            make_parts,
            lambda threads: ((manifest.text, task) for task in grouped(manifest, missing, threads)),
            lambda: ([make_part(manifest, number)] for number in missing),
            workers=workers,
            scheduler=scheduler,
            progress=progress,
            tell=tell,
        )
        with closing(work) as finished:
            for part in chain.from_iterable(finished):
                try:
                    store.write(part.content, PARTS, part_name(part.number), lasting=True)
                except BadFile as error:
                    raise BadFile(f"{error}; what was made until now stays, run again to go on") from None
                made[part.number] = part.facts
                progress.done += part.facts.maps
                progress.made += part.facts.maps
                progress.failures += part.facts.failures
                tell(progress)
    corpus = Corpus(store.address)
    facts = Facts.of(corpus, made)
    sheet = datasheet(corpus, facts).encode()
    if store.read(DATASHEET) != sheet:
        store.write(sheet, DATASHEET)
    progress.failures = facts.failures
    tell(progress)
    return corpus


def make_parts(manifest_text: str, numbers: list[int]) -> list[Part]:
    """The work of one task, wherever it is done: these parts, one after the other."""
    manifest = Manifest.from_text(manifest_text)
    manifest.refuse_other_revisions()
    return [make_part(manifest, number) for number in numbers]


def remake(corpus: Corpus, numbers: Sequence[int]) -> None:
    """Make parts anew, such as damaged ones: the same bytes as they were."""
    corpus.manifest.refuse_other_revisions()
    for number in numbers:
        if not 0 <= number < corpus.manifest.parts:
            text = f"there are {corpus.manifest.parts}, counted from 0"
            raise InvalidRecipe(text, at=("part", number), place=f"part {number}")
    with corpus.folder.held():
        for number in numbers:
            content = make_part(corpus.manifest, number).content
            corpus.folder.write(content, PARTS, part_name(number), lasting=True)


def damaged(corpus: Corpus) -> dict[int, str]:
    """Every part that cannot be read to its end, or is not of this corpus, with what is wrong; all are read."""
    found = {}
    for number in corpus.parts:
        try:
            ids = corpus.part(number)["id"].to_pylist()
            wrong = "" if ids == list(corpus.manifest.maps_of(number)) else f"{part_name(number)} holds other maps"
        except BadFile as error:
            wrong = str(error)
        if wrong:
            found[number] = wrong
    return found


def grouped(manifest: Manifest, numbers: Sequence[int], workers: int) -> list[list[int]]:
    """Parts in tasks: the last ones are small, so that all workers end together; none is larger than a large part."""
    most = max(1, min(MOST_TOGETHER, CELLS_IN_A_PART // (manifest.part_size * manifest.largest)))
    tasks: list[list[int]] = []
    first = 0
    while first < len(numbers):
        together = max(1, min(most, (len(numbers) - first) // (workers * TASKS_EACH)))
        tasks.append(list(numbers[first : first + together]))
        first += together
    return tasks
