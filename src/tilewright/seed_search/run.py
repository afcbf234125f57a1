"""The function `tw.seek`: test all seeds of a range, and keep the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..batch import Device
from ..core.keywords import with_keywords
from ..core.params import PathText, param
from ..formats._recipes import RecipeLike, read_recipe
from ..jobs.cluster import RunParams
from ..jobs.progress import OnProgress, check_callback
from .definition import SeekDefinition, SeekParams
from .job import SeekJob
from .plan import make_seek_plan
from .result import FoundSeeds
from .state import SeekState


class SeekOptions(RunParams, SeekParams):
    """Parameters of `tw.seek` and `tilewright seek`."""

    out: PathText = param(None, flags=("-o", "--output"), metavar="FOLDER")
    """Folder for seeds.csv, seeds.parquet and a report with pictures; needs the extra `corpus`. If it contains the same
    search, or one with fewer seeds, the search continues."""
    device: Device = param("auto")
    """Device that makes the maps; `auto` is the fastest. The result does not depend on it."""


@with_keywords(SeekOptions)
def seek(
    given: RecipeLike,
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    **params: Any,
) -> FoundSeeds:
    """Test every seed of a range, and keep those whose maps meet requirements.

    Parameters
    ----------
    given
        A recipe, as for `tw.run`, or the name of a technique. The map of seed s is `tw.run(recipe, seed=s)`.
    knobs
        Values of the recipe's knobs by name.
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
    options = SeekOptions.validate(params)
    if options.out is None and options.workers is None and options.scheduler is None:
        options = options.replace(workers=0)
    return find_seeds(SeekDefinition.of(read_recipe(given, knobs), options), options, on_progress)


def find_seeds(definition: SeekDefinition, options: SeekOptions, on_progress: OnProgress | None = None) -> FoundSeeds:
    """Run a search. Without a number of workers, it depends on the time that the search takes."""
    plan = make_seek_plan(definition, options.device)
    report = check_callback(on_progress)
    if options.out is None:
        return SeekJob(SeekState(definition, plan), options.workers, options.scheduler, report).finish()
    from ..jobs import refuse_without_packages

    refuse_without_packages()
    from .folder import open_folder

    with open_folder(options.out, definition) as folder:
        state = folder.read_state(definition, folder.find_plan(definition, plan))
        folder.write_start(state)
        return SeekJob(state, options.workers, options.scheduler, report, folder).finish()
