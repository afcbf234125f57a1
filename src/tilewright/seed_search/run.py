"""The function `tw.seek`: test all seeds of a range, and keep the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from ..core.errors import InvalidRecipe
from ..jobs.cluster import check_workers
from ..jobs.progress import OnProgress, ignore_progress
from ..search.recipes import RecipeLike, read_recipe
from .definition import DEFAULT_KEEP, SeedRange, SeekDefinition
from .job import SeekJob
from .plan import make_seek_plan
from .result import FoundSeeds
from .state import SeekState


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
        Folder for the result; needs the extra `corpus`. If it contains the same search, or one with fewer seeds, the
        search continues.
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
        Function called with a `Progress` after each step.

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
    if out is None and workers is None and scheduler is None:
        workers = 0
    return find_seeds(definition, out=out, device=device, workers=workers, scheduler=scheduler, on_progress=on_progress)


def find_seeds(
    definition: SeekDefinition,
    *,
    out: str | PathLike[str] | None = None,
    device: str = "auto",
    workers: int | None = None,
    scheduler: str | None = None,
    on_progress: OnProgress | None = None,
) -> FoundSeeds:
    """Run a search. Without a number of workers, it depends on the time that the search takes; see `seek`."""
    plan = make_seek_plan(definition, device)
    _check_run(out, workers, scheduler, on_progress)
    report = on_progress or ignore_progress
    if out is None:
        return SeekJob(SeekState(definition, plan), workers, scheduler, report).finish()
    from ..jobs import refuse_without_packages

    refuse_without_packages()
    from .folder import open_folder

    with open_folder(fspath(out), definition) as folder:
        state = folder.read_state(definition, folder.find_plan(definition, plan))
        folder.write_start(state)
        return SeekJob(state, workers, scheduler, report, folder).finish()


def _check_run(out: object, workers: int | None, scheduler: object, on_progress: object) -> None:
    """Raise InvalidRecipe if an argument of a run is invalid."""
    if out is not None and not isinstance(out, str | PathLike):
        raise InvalidRecipe("must be the path of a folder", at="out", got=out, rule="type")
    if scheduler is not None and not isinstance(scheduler, str):
        raise InvalidRecipe(
            "must be an address such as tcp://10.0.0.1:8786", at="scheduler", got=scheduler, rule="type"
        )
    if on_progress is not None and not callable(on_progress):
        raise InvalidRecipe("must be a function", at="on_progress", got=on_progress, rule="type")
    if workers is not None or scheduler is not None:
        check_workers(workers, scheduler)
