"""Generation of a corpus: missing parts are generated in parallel or on a cluster, and written by this process.

Workers return finished parts, so they need no access to the folder. A part is written to a temporary name and renamed.
If the process is killed, the next run continues with the missing parts.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from ..batch.engine import Made
from ..core.errors import BadFile, InvalidRecipe
from ..core.keywords import with_keywords
from ..core.recipe import Recipe
from ..core.recipe_knobs import apply_knobs
from ..core.seeds import read_seed
from ..formats._resolver import read_recipe
from ..jobs.cluster import Team
from ..jobs.folder import DATASHEET, MANIFEST, Folder
from ..jobs.progress import OnProgress, Progress, check_callback
from .datasheet import Facts, render_datasheet
from .manifest import MAX_CELLS_PER_PART, Manifest
from .parts import PARTS, Part, PartMaker, list_parts, make_part, make_table, open_part_maker, part_name, write_part
from .reader import Corpus
from .request import CorpusOptions, Request, RequestLike

MIN_TASKS_PER_WORKER = 16
"""Minimum number of remaining tasks per worker for which a task may contain several parts."""
MAX_PARTS_PER_TASK = 8
"""Maximum number of parts in a task."""
MIN_SLICES, SLICES_PER_WORKER = 16, 4
"""Minimum numbers of tasks, in total and per worker. If there are fewer parts, a task makes a slice of one."""


@with_keywords(CorpusOptions)
def make(
    given: RequestLike,
    folder: str | os.PathLike[str],
    *,
    knobs: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    **params: Any,
) -> Corpus:
    """Generate a corpus in a folder, or resume one.

    Parameters
    ----------
    given : Request, Recipe, mapping, str or path-like
        Recipe as an object, data or file, or the name of a technique or recipe. Data may have the additional keys
        `sweep`, `sampled` and `listed`. The manifest of a corpus generates that corpus again.
    folder : str or path-like
        Folder or fsspec URL to write to.
    knobs : mapping, optional
        Values of the recipe's knobs by name.
    on_progress : callable, optional
        Function called with a `Progress` after each step.

    Returns
    -------
    Corpus

    Raises
    ------
    InvalidRecipe
        If the recipe or an argument is invalid.
    BadFile
        If the folder contains other files or cannot be written.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> len(corpus), corpus[0].shape
    (8, (8, 12))
    """
    options = CorpusOptions.validate({**params, "folder": folder})
    if isinstance(given, Recipe) and knobs is not None:
        given = read_recipe(given, knobs)
    request = Request.of(given, None if knobs is None else lambda data: apply_knobs(data, knobs))
    return build_corpus(request, options, on_progress)


def count_maps(folder: str) -> int:
    """Return the number of maps in the parts of a corpus that may be incomplete, including failed ones."""
    store = Folder(folder)
    manifest = Manifest.from_folder(store)
    return 0 if manifest is None else sum(len(manifest.maps_of(part)) for part in list_parts(store))


def build_corpus(request: Request, options: CorpusOptions, on_progress: OnProgress | None = None) -> Corpus:
    """Generate a corpus in a folder, or resume one."""
    sweep = request.find_sweep(options)
    count = request.count if options.count is None else options.count
    if count is None and sweep.listed:
        count = sweep.size
    if count is None:
        raise InvalidRecipe("must be set: the number of maps", at="count", rule="missing")
    store = Folder(options.folder)
    seed = request.seed if options.seed is None else options.seed
    measures = request.measures if options.measures is None else options.measures

    def find_manifest() -> Manifest:
        """Return the manifest of the folder or, for a new corpus, the one that is requested."""
        found = Manifest.from_folder(store)
        corpus_seed = read_seed(seed if seed is not None or found is None else found.seed)
        wanted = Manifest.from_recipe(request.recipe, seed=corpus_seed, count=count, measures=measures, sweep=sweep)
        if found is not None:
            found.check_matches(wanted, store)
        return found or wanted

    open_part_maker(find_manifest(), options.device)  # Invalid requests are refused before the folder is created.
    with store.lock(PARTS):
        manifest = find_manifest()  # Another process may have just created a corpus here.
        return _build_missing(manifest, store, options, check_callback(on_progress))


def _build_missing(manifest: Manifest, store: Folder, options: CorpusOptions, on_progress: OnProgress) -> Corpus:
    """Generate the missing parts. The manifest of a new corpus is written as soon as there are workers."""
    missing = sorted(set(range(manifest.parts)) - set(list_parts(store)))
    progress = Progress(manifest.count - sum(len(manifest.maps_of(part)) for part in missing), manifest.count)
    on_progress(progress)
    facts_by_part: dict[int, Facts] = {}
    if missing:
        with options.connect(None) as team:
            if store.read(MANIFEST) is None:
                store.write(manifest.text.encode(), MANIFEST, durable=True)
            progress = replace(progress, dashboard=team.dashboard)
            on_progress(progress)
            with closing(_make_missing(manifest, missing, team, options.device)) as results:
                for parts, maps, failures in results:
                    for part in parts:
                        _write_part(store, part)
                        facts_by_part[part.number] = part.facts
                    progress = replace(progress, done=progress.done + maps, failures=progress.failures + failures)
                    on_progress(progress)
    corpus = Corpus(store.address)
    facts = Facts.of(corpus, facts_by_part)
    sheet = render_datasheet(corpus, facts).encode()
    if store.read(DATASHEET) != sheet:
        store.write(sheet, DATASHEET)
    on_progress(replace(progress, failures=facts.failures))
    return corpus


def _write_part(store: Folder, part: Part) -> None:
    try:
        store.write(part.content, PARTS, part_name(part.number), durable=True)
    except BadFile as error:
        raise BadFile(f"{error}; finished parts are kept; run again to continue") from None


Result = tuple[list[Part], int, int]
"""Finished parts, and the number of maps and of failed maps since the previous result."""


def _make_missing(manifest: Manifest, missing: Sequence[int], team: Team, device: str) -> Generator[Result, None, None]:
    """Yield the missing parts. A few parts are divided, so that all workers make maps."""
    threads = max(1, team.threads)
    maker = open_part_maker(manifest, device)
    on_gpu = maker is not None and maker.engine.device == "gpu"
    slices = -(-max(MIN_SLICES, SLICES_PER_WORKER * threads) // len(missing))
    if slices > 1 and not on_gpu:
        yield from _join_slices(manifest, missing, team, slices)
        return
    groups = group_tasks(manifest, missing, threads) if team.threads else [[number] for number in missing]
    with closing(team.run_tasks(make_parts, _iter_tasks(manifest, groups, maker if on_gpu else None))) as results:
        for parts in results:
            yield parts, sum(part.facts.maps for part in parts), sum(part.facts.failures for part in parts)


def _join_slices(manifest: Manifest, missing: Sequence[int], team: Team, slices: int) -> Generator[Result, None, None]:
    """Yield parts whose maps are made in several tasks."""
    ranges = {number: manifest.maps_of(number) for number in missing}
    tasks = (
        (manifest.text, number, maps[first : first + -(-len(maps) // slices)])
        for number, maps in ranges.items()
        for first in range(0, len(maps), -(-len(maps) // slices))
    )
    made: dict[int, dict[int, pa.Table]] = {number: {} for number in missing}
    with closing(team.run_tasks(make_slice, tasks)) as results:
        for number, first, table in results:
            made[number][first] = table
            parts = []
            if sum(one.num_rows for one in made[number].values()) == len(ranges[number]):
                tables = made.pop(number)
                rows = pa.concat_tables([tables[start] for start in sorted(tables)]).combine_chunks()
                parts = [write_part(manifest, number, rows)]
            yield parts, table.num_rows, table.num_rows - table["reason"].null_count


Task = tuple[str, list[int], list[Made]]
"""Text of the manifest, numbers of parts and, if this process has a GPU, the maps that it has made."""


def _iter_tasks(manifest: Manifest, groups: Iterable[list[int]], gpu: PartMaker | None) -> Iterator[Task]:
    """Yield the tasks of the workers. The GPU of this process makes the maps, and workers compress them."""
    for numbers in groups:
        made = [] if gpu is None else [gpu.make(manifest, manifest.maps_of(number)) for number in numbers]
        yield manifest.text, numbers, made


def make_parts(manifest_text: str, numbers: list[int], made: Sequence[Made] = ()) -> list[Part]:
    """Generate some parts. This is the work of one task, which uses no GPU."""
    manifest = _read_manifest(manifest_text)
    found = iter(made)
    return [make_part(manifest, number, "cpu", next(found, None)) for number in numbers]


def make_slice(manifest_text: str, number: int, maps: range) -> tuple[int, int, pa.Table]:
    """Generate some maps of a part. Return the number of the part, the id of the first map and the rows."""
    return number, maps.start, make_table(_read_manifest(manifest_text), maps, "cpu")


@lru_cache(maxsize=1)
def _read_manifest(text: str) -> Manifest:
    manifest = Manifest.from_text(text)
    manifest.refuse_other_revisions()
    return manifest


def remake(corpus: Corpus, numbers: Sequence[int]) -> None:
    """Regenerate parts, such as damaged ones, with identical content.

    Parameters
    ----------
    corpus : Corpus
        The corpus to repair.
    numbers : sequence of int
        Numbers of the parts.

    Raises
    ------
    InvalidRecipe
        If there is no such part.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> remake(corpus, sorted(find_damaged(corpus)))
    """
    corpus.manifest.refuse_other_revisions()
    for number in numbers:
        if not 0 <= number < corpus.manifest.parts:
            text = f"must be less than {corpus.manifest.parts}"
            raise InvalidRecipe(text, at=("part", number), place=f"part {number}")
    with corpus.folder.lock(PARTS):
        for number in numbers:
            content = make_part(corpus.manifest, number).content
            corpus.folder.write(content, PARTS, part_name(number), durable=True)


def find_damaged(corpus: Corpus) -> dict[int, str]:
    """Read all parts, and return a message for each part that is damaged or belongs to another corpus."""
    found = {}
    for number in corpus.parts:
        try:
            ids = corpus.part(number)["id"].to_pylist()
            wrong = "" if ids == list(corpus.manifest.maps_of(number)) else f"{part_name(number)} contains other maps"
        except BadFile as error:
            wrong = str(error)
        if wrong:
            found[number] = wrong
    return found


def group_tasks(manifest: Manifest, numbers: Sequence[int], workers: int) -> list[list[int]]:
    """Group parts into tasks. The last tasks are small, so that all workers finish at about the same time."""
    max_parts = max(1, min(MAX_PARTS_PER_TASK, MAX_CELLS_PER_PART // (manifest.part_size * manifest.max_cells)))
    tasks: list[list[int]] = []
    first = 0
    while first < len(numbers):
        parts_per_task = max(1, min(max_parts, (len(numbers) - first) // (workers * MIN_TASKS_PER_WORKER)))
        tasks.append(list(numbers[first : first + parts_per_task]))
        first += parts_per_task
    return tasks
