"""The functions of `tw.search`: make an archive, resume one and load one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from time import perf_counter
from typing import Any

import numpy as np

from ..core.errors import BadFile, GaveUp
from ..core.keywords import with_keywords
from ..core.params import PathText, param
from ..core.recipe import Recipe
from ..formats._resolver import RecipeLike, read_recipe
from ..generators._fashion.gallery import DEFAULT_ARCHIVE, PREFIX, STEPS, load_gallery, read_arrays
from ..jobs.cluster import RunParams, Team, connect_workers
from ..jobs.progress import Progress, check_callback
from .archive import Archive
from .definition import MAX_EVALUATIONS, Definition, SearchParams
from .evaluation import Evaluations, Evaluator, evaluate_task
from .genome import Units
from .ribs_emitters import refuse_without_ribs
from .rounds import Evaluate, Search

MAX_PARTS_PER_WORKER = 4
"""Maximum number of parts of a batch per worker. Several parts keep all workers busy until the end of a round."""
PART_SECONDS = 0.2
"""Approximate minimum time of a part, because each part costs the scheduler some milliseconds."""
CHECKPOINT_EVALUATIONS = 8192
"""Number of evaluations between two checkpoints of an archive in a folder."""


@dataclass(frozen=True)
class SearchProgress(Progress):
    """Progress of a search, at its start and after each round."""

    archive: Archive | None = None
    """The archive so far, which changes in the next round; None before the first round."""


OnProgress = Callable[[SearchProgress], None]


class SearchOptions(RunParams, SearchParams):
    """Parameters of `tw.search.make` and `tilewright search make`."""

    out: PathText = param(None, flags=("-o", "--output"), metavar="FOLDER")
    """Folder for the archive, or an fsspec URL; needs the extra `corpus`. If it contains the same search, the search
    continues."""


class ResumeOptions(RunParams):
    """Parameters of `tw.search.resume` and `tilewright search resume`."""

    evaluations: int | None = param(None, ge=1, le=MAX_EVALUATIONS, metavar="N")
    """Total number of evaluations, at least as many as before. By default, the number that the search was started
    with."""


@with_keywords(SearchOptions)
def make(
    given: RecipeLike,
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    **params: Any,
) -> Archive:
    """Search for the best maps of a recipe in each cell of a grid of measures (MAP-Elites).

    Parameters
    ----------
    given
        A recipe, as for `tw.run`, or the name of a technique.
    knobs
        Values of the recipe's knobs by name.
    on_progress
        Function called with a `SearchProgress` at the start and after each round.

    Returns
    -------
    Archive

    Raises
    ------
    InvalidRecipe
        If the recipe or an argument is invalid.
    GaveUp
        If no map can be made, or none is within the ranges of the measures.
    BadFile
        If the folder contains something else or cannot be written.

    Examples
    --------
    >>> archive = make(
    ...     "caves", vary={"walls": (0.3, 0.6), "steps": (0, 8), "seed": "free"},
    ...     measures={"floor_share": (0, 1, 10), "regions": (1, 300, 10, "log")}, objective="path_length",
    ...     evaluations=128, seed=7,
    ... )
    >>> archive.shape, archive.evaluations
    ((10, 10), 128)
    """
    return make_archive(read_recipe(given, knobs), SearchOptions.validate(params), on_progress)


def make_archive(recipe: Recipe, options: SearchOptions, on_progress: OnProgress | None) -> Archive:
    """Run a search, or continue the one in the folder."""
    definition = Definition.from_params(recipe, options)
    if options.out is None:
        with options.connect(0) as team:
            return _run(Search(definition), team, on_progress)
    from .storage import open_folder

    with open_folder(options.out) as folder:
        search = folder.read_search()
        if search is None:
            definition.check_size()
            search = Search(definition)
        if options.seed is None:
            definition = replace(definition, seed=search.definition.seed)
        folder.check_same(definition, search.definition)
        search.extend(definition.evaluations)
        with connect_workers(0 if search.is_finished else options.workers, options.scheduler) as team:
            return _run(search, team, on_progress, folder)


@with_keywords(ResumeOptions)
def resume(folder: str | PathLike[str], /, *, on_progress: OnProgress | None = None, **params: Any) -> Archive:
    """Continue the search of a folder, until all or more evaluations are done.

    Parameters
    ----------
    folder
        Folder of an archive.
    on_progress
        Function called with a `SearchProgress` at the start and after each round.

    Returns
    -------
    Archive

    Raises
    ------
    BadFile
        If the folder contains no archive, or a damaged one.
    """
    return continue_search(fspath(folder), ResumeOptions.validate(params), on_progress)


def continue_search(folder: str, options: ResumeOptions, on_progress: OnProgress | None) -> Archive:
    """Continue the search of a folder."""
    from .storage import open_folder

    with open_folder(folder) as store:
        search = store.read_search()
        if search is None:
            raise BadFile("contains no archive; `tilewright search make` starts one", at=folder)
        if options.evaluations is not None:
            search.extend(options.evaluations)
        with connect_workers(0 if search.is_finished else options.workers, options.scheduler) as team:
            return _run(search, team, on_progress, store)


def load(folder: str | PathLike[str], /) -> Archive:
    """Open the archive of a folder, or one that ships with Tilewright.

    Parameters
    ----------
    folder
        Folder that `make` wrote, or `archive:caverns`, the gallery of the technique `fashion`.

    Returns
    -------
    Archive

    Raises
    ------
    BadFile
        If the folder contains no archive, or a damaged one.
    """
    if fspath(folder).startswith(PREFIX):
        return _load_shipped(fspath(folder))
    from .storage import ArchiveFolder

    search = ArchiveFolder(fspath(folder)).read_search()
    if search is None or search.archive is None:
        raise BadFile("contains no archive; `tilewright search make` starts one", at=fspath(folder))
    return search.archive


def _load_shipped(address: str) -> Archive:
    """Return an archive that ships with Tilewright by its address, such as `archive:caverns`.

    `tools/evolve_automata.py` makes these archives. A file has the definition of the search and the elites, as arrays.
    """
    name = load_gallery(address.removeprefix(PREFIX) or DEFAULT_ARCHIVE).name
    arrays = read_arrays(name)
    definition = Definition.from_text(arrays["definition"].tobytes().decode())
    archive = Archive(definition, evaluations=int(arrays["evaluations"]), folder=f"{PREFIX}{name}")
    cells = np.ravel_multi_index(tuple(arrays["cells"].astype(np.int64).T), archive.shape)
    for cell in cells.tolist():
        archive.add_row(cell)
    rows, count = archive.rows, len(cells)
    rows.objective[:count] = arrays["objectives"]
    rows.measures[:count] = arrays["measures"]
    rows.units[:count] = arrays["scores"] / np.float64(STEPS)
    rows.number[:count] = arrays["numbers"]
    rows.parents[:count] = arrays["parents"]
    rows.emitter[:count] = arrays["emitters"]
    return archive


def _run(search: Search, team: Team, on_progress: OnProgress | None, folder: Any = None) -> Archive:
    """Run the remaining rounds. With a folder, write checkpoints and the finished archive."""
    report = check_callback(on_progress)
    evaluate = _evaluate_on(team) if team.threads else _evaluate_here(folder is not None)
    refuse_without_ribs(search.definition.emitters)
    every = max(1, CHECKPOINT_EVALUATIONS // search.definition.batch)
    stored = search.round
    report(_progress_of(search, team.dashboard))
    while not search.is_finished:
        try:
            batch = search.propose()
            found = evaluate(search.definition, batch.units)
        except BaseException:  # such as Ctrl-C: the finished rounds are kept
            if folder is not None and search.round > stored and search.is_storable:
                folder.write_search(search)
            raise
        search.add(batch, found)
        is_due = search.round == 1 or search.round - stored >= every or search.is_finished
        if folder is not None and is_due and search.is_storable:
            folder.write_search(search)
            stored = search.round
        report(_progress_of(search, team.dashboard))
    archive = search.archive
    assert archive is not None
    if folder is not None:
        folder.write_search(search)
        archive.folder = folder.address
    if not len(archive):
        out = f"{archive.out_of_range:,} of {archive.evaluations:,} are out"
        text = f"no map is within the ranges of the measures: {out}; leave the ranges out, and the search finds them"
        raise GaveUp(text)
    return archive


def _progress_of(search: Search, dashboard: str) -> SearchProgress:
    archive, count = search.archive, search.definition.evaluations
    if archive is None:
        return SearchProgress(0, count, dashboard=dashboard)
    values = {"coverage": archive.coverage, "QD score": archive.qd_score}
    return SearchProgress(archive.evaluations, count, sum(archive.failures.values()), dashboard, values, archive)


def _evaluate_here(keeps_cells: bool) -> Evaluate:
    """Return a function that evaluates solutions of one search in this process."""
    evaluator: Evaluator | None = None

    def evaluate(definition: Definition, units: Units) -> Evaluations:
        nonlocal evaluator
        evaluator = evaluator or Evaluator(definition, keeps_cells=keeps_cells)
        return evaluator.evaluate(units)

    return evaluate


def _evaluate_on(team: Team) -> Evaluate:
    """Return a function that divides solutions among workers. The results are in the order of the solutions."""
    parts_per_worker = MAX_PARTS_PER_WORKER

    def evaluate(definition: Definition, units: Units) -> Evaluations:
        nonlocal parts_per_worker
        start = perf_counter()
        parts = np.array_split(units, min(len(units), team.threads * parts_per_worker))
        tasks = ((definition.text, number, part) for number, part in enumerate(parts))
        found = dict(team.run_tasks(evaluate_task, tasks))
        # The size of the parts depends on the time of the previous batch, the results do not.
        parts_per_worker = max(1, min(MAX_PARTS_PER_WORKER, int((perf_counter() - start) / PART_SECONDS)))
        ordered = [found[number] for number in range(len(parts))]
        return Evaluations(
            np.concatenate([one.measures for one in ordered]),
            [reason for one in ordered for reason in one.reasons],
            [cells for one in ordered for cells in one.cells],
        )

    return evaluate
