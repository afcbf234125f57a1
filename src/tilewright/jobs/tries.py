"""Tries of a recipe with requirements, spread over processes of this machine.

The result is the map that one process would make: the outcomes are considered in the order of the tries, whichever
process finishes first. The processes are started with multiprocessing, which needs no further packages.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from ..core import pipeline
from ..core.attempts import Attempts, Outcome
from ..core.errors import Fix, InvalidRecipe, TilewrightError
from ..core.params import check_integer
from ..core.plan import make_plan, similarity_of
from ..core.recipe import Recipe
from ..core.seeds import Rng
from ..core.site import Frame, Steps
from .cluster import MAX_WORKERS
from .processes import Team, start_processes

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

TRIES_AHEAD = 2
"""Number of tries that a worker has at a time. The second one starts without waiting for this process."""
MAX_WAITING = 10_000
"""Maximum number of outcomes that wait for an earlier try."""


def iter_steps(recipe: Recipe, workers: int) -> Steps:
    """Make the map of a recipe with requirements. Yield frames that have progress but no cells.

    This process makes the first try, so that nothing is started for a recipe whose first map passes, and kernels are
    compiled once.

    Parameters
    ----------
    recipe
        A recipe with requirements.
    workers
        Number of processes to start; with 0, this process makes all tries.

    Raises
    ------
    GaveUp
        If no map meets the requirements.
    TilewrightError
        If a process cannot be started, or ends.
    """
    check_integer("workers", workers, 0, MAX_WORKERS)
    if not recipe.require:
        text = "is for recipes with require, whose tries are spread over processes"
        raise InvalidRecipe(text, at="workers", rule="conflict", fixes=[Fix("remove", ())])
    recipe = recipe if recipe.seed is not None else recipe.with_seed(None)
    workers = min(workers, recipe.tries - 1)
    if recipe.attempt is not None or workers < 1:
        return pipeline.iter_steps(recipe)
    return _make_in_processes(recipe, workers)


def _make_in_processes(recipe: Recipe, workers: int) -> Steps:
    site = make_plan(recipe).site
    attempts = Attempts(recipe)
    done = attempts.add(_run_attempt(recipe, 0, similarity_of(recipe)))
    if not done:
        with start_processes(_work, recipe, workers, "workers=0 needs none") as team:
            for outcome in _iter_outcomes(team, recipe, 1):
                note, progress = f"try {outcome.attempt + 1}", (outcome.attempt + 1) / recipe.tries
                yield Frame(None, note, progress, stage=recipe.technique, site=site)
                if attempts.add(outcome):
                    break
    return pipeline.choose_map(attempts)


def _run_attempt(recipe: Recipe, attempt: int, like: Any) -> Outcome:
    assert recipe.seed is not None
    return pipeline.drain(pipeline.iter_attempt(recipe, Rng.of(recipe.seed), attempt, like))


# -- this process ---------------------------------------------------------------------------------------------


def _iter_outcomes(team: Team, recipe: Recipe, first: int) -> Generator[Outcome, None, None]:
    """Yield the outcomes of the tries from `first` on, in order. Raise the error of a try in its place."""
    waiting: dict[int, Outcome | TilewrightError] = {}
    assigned, end = first, recipe.tries
    needs_all = any(one.is_extreme for one in recipe.require)
    unfinished = dict.fromkeys(team, 0)
    for attempt in range(first, recipe.tries):
        while attempt not in waiting:
            while assigned < min(end, attempt + MAX_WAITING):
                free = min(unfinished, key=lambda connection: unfinished[connection])
                if unfinished[free] >= TRIES_AHEAD:
                    break
                with _watch(team[free]):
                    free.send(assigned)
                unfinished[free] += 1
                assigned += 1
            for connection in wait(list(team)):
                assert isinstance(connection, Connection)
                with _watch(team[connection]):
                    number, outcome = connection.recv()
                waiting[number] = outcome
                unfinished[connection] -= 1
                if isinstance(outcome, TilewrightError) or (outcome.map is not None and not needs_all):
                    end = min(end, number)  # No later try can be the result.
        found = waiting.pop(attempt)
        if isinstance(found, TilewrightError):
            raise found
        yield found


@contextmanager
def _watch(process: SpawnProcess) -> Iterator[None]:
    """Raise a TilewrightError if the connection to a process is lost."""
    try:
        yield
    except (EOFError, OSError):
        process.join()
        text = f"a worker process ended with exit code {process.exitcode}"
        if process.exitcode == 1:
            advice = 'a script must start workers below if __name__ == "__main__":'
            raise TilewrightError(f"{text}; {advice}") from None
        raise TilewrightError(f"{text}, perhaps for lack of memory; use fewer workers") from None


# -- the worker processes -------------------------------------------------------------------------------------


def _work(connection: Connection, recipe: Recipe) -> None:
    """Receive numbers of tries and send their outcomes, until the connection is closed."""
    attempts, like = Attempts(recipe), similarity_of(recipe)
    while True:
        try:
            number = connection.recv()
            connection.send((number, _make_outcome(attempts, number, like)))
        except (EOFError, OSError):
            return


def _make_outcome(attempts: Attempts, number: int, like: Any) -> Outcome | TilewrightError:
    """Make a try. The outcome has the map only if no earlier try of this process has a better one."""
    try:
        outcome = _run_attempt(attempts.recipe, number, like)
    except TilewrightError as error:
        return error
    except Exception as error:
        return TilewrightError(f"try {number + 1}: {type(error).__name__}: {error}")
    attempts.add(outcome)
    return outcome if attempts.best is outcome else Outcome(number, None, outcome.numbers, outcome.reason)
