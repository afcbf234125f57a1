"""Making a corpus: parts that are missing are made, here, on all processors or on a cluster, and written by us alone.

Workers send finished parts back, so that they need not see the folder; a part is written under a temporary name and
renamed. Killed at any moment, the next start finds what is there and makes the rest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from itertools import chain

from ..core.deprecation import renamed_keywords
from ..core.errors import BadFile, InvalidRecipe
from ..core.seeds import read_seed
from .cluster import Progress, ProgressCallback, check_workers, iter_results
from .datasheet import Facts, render_datasheet
from .manifest import MAX_CELLS_PER_PART, Manifest
from .parts import Part, make_part
from .reader import Corpus
from .request import Request, RequestLike
from .store import DATASHEET, MANIFEST, PARTS, Folder, part_name
from .sweep import Sweep

MIN_TASKS_PER_WORKER = 16
"""Tasks that are left for each worker, at least, while they hold several parts."""
MAX_PARTS_PER_TASK = 8
"""Parts in a task."""


@renamed_keywords(tell="on_progress")
def make(
    given: RequestLike,
    folder: str | os.PathLike[str],
    *,
    count: int | None = None,
    seed: int | str | None = None,
    measures: Sequence[str] | None = None,
    sweep: Sweep | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_progress: ProgressCallback | None = None,
) -> Corpus:
    """Make a corpus in a folder, or go on with one that was stopped.

    It is made by a recipe, plain data, a file, or the name of a technique or a recipe; `sweep` and `sampled` may stand
    among its words. A corpus's manifest makes that corpus again. `workers`: processes of this machine (all processors
    by default), 0 for none but this one. `scheduler` is the address of a Dask cluster to use instead, as is the
    environment's DASK_SCHEDULER_ADDRESS.
    """
    check_workers(workers, scheduler)
    request = Request.of(given)
    count = request.count if count is None else count
    if count is None:
        raise InvalidRecipe("how many maps the corpus is to have is missing", at="count", rule="missing")
    store = Folder(os.fspath(folder))
    found = Manifest.from_folder(store)
    asked = seed if seed is not None else request.seed
    wanted = Manifest.from_recipe(
        request.recipe,
        seed=read_seed(asked if asked is not None or found is None else found.seed),
        count=count,
        measures=request.measures if measures is None else measures,
        sweep=request.sweep if sweep is None else sweep,
    )
    if found is not None:
        found.check_matches(wanted, store)
    else:
        store.write(wanted.text.encode(), MANIFEST, durable=True)
    with store.lock():
        now = Manifest.from_folder(store)  # another process may have begun another one just now
        if now is not None:
            now.check_matches(wanted, store)
        return _build_missing(found or wanted, store, workers, scheduler, on_progress or (lambda progress: None))


def _build_missing(
    manifest: Manifest, store: Folder, workers: int | None, scheduler: str | None, on_progress: ProgressCallback
) -> Corpus:
    """Make what is missing."""
    store.remove_temporary(PARTS)
    missing = sorted(set(range(manifest.parts)) - set(store.list_parts()))
    progress = Progress(manifest.count, manifest.count - sum(len(manifest.maps_of(part)) for part in missing))
    on_progress(progress)
    made: dict[int, Facts] = {}
    if missing:
        work = iter_results(
            make_parts,
            lambda threads: ((manifest.text, task) for task in group_tasks(manifest, missing, threads)),
            lambda: ([make_part(manifest, number)] for number in missing),
            workers=workers,
            scheduler=scheduler,
            progress=progress,
            on_progress=on_progress,
        )
        with closing(work) as finished:
            for part in chain.from_iterable(finished):
                try:
                    store.write(part.content, PARTS, part_name(part.number), durable=True)
                except BadFile as error:
                    raise BadFile(f"{error}; what was made until now stays, run again to go on") from None
                made[part.number] = part.facts
                progress.done += part.facts.maps
                progress.made += part.facts.maps
                progress.failures += part.facts.failures
                on_progress(progress)
    corpus = Corpus(store.address)
    facts = Facts.of(corpus, made)
    sheet = render_datasheet(corpus, facts).encode()
    if store.read(DATASHEET) != sheet:
        store.write(sheet, DATASHEET)
    progress.failures = facts.failures
    on_progress(progress)
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
    with corpus.folder.lock():
        for number in numbers:
            content = make_part(corpus.manifest, number).content
            corpus.folder.write(content, PARTS, part_name(number), durable=True)


def find_damaged(corpus: Corpus) -> dict[int, str]:
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


def group_tasks(manifest: Manifest, numbers: Sequence[int], workers: int) -> list[list[int]]:
    """Parts in tasks: the last ones are small, so that all workers end together; none is larger than a large part."""
    max_parts = max(1, min(MAX_PARTS_PER_TASK, MAX_CELLS_PER_PART // (manifest.part_size * manifest.max_cells)))
    tasks: list[list[int]] = []
    first = 0
    while first < len(numbers):
        together = max(1, min(max_parts, (len(numbers) - first) // (workers * MIN_TASKS_PER_WORKER)))
        tasks.append(list(numbers[first : first + together]))
        first += together
    return tasks
