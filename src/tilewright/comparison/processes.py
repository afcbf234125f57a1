"""Trials in processes of their own."""

from __future__ import annotations

import traceback
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from ..core.errors import TilewrightError
from ..jobs.processes import start_processes
from .contestants import OnProgress
from .trial import Trial, TrialOutcome, run_trial

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

PROGRESS, RESULT, BUG = "progress", "result", "bug"
"""Kinds of messages of the process."""


def run_in_process(trial: Trial, on_progress: OnProgress) -> TrialOutcome | TilewrightError:
    """Run a trial in a new process, which has loaded nothing before and ends with it.

    Returns
    -------
    TrialOutcome or TilewrightError
        The result, or the reason for which there is none.
    """
    advice = 'a script must compare below if __name__ == "__main__":'
    with start_processes(_work, trial, 1, advice) as team:
        ((connection, process),) = team.items()
        return _receive(connection, process, trial.technique, on_progress)


def _receive(
    connection: Connection, process: SpawnProcess, technique: str, on_progress: OnProgress
) -> TrialOutcome | TilewrightError:
    """Report progress until the process sends its result."""
    while True:
        try:
            kind, content = connection.recv()
        except (EOFError, OSError):
            process.join()
            text = f"the process ended with exit code {process.exitcode}, perhaps for lack of memory"
            return TilewrightError(text, at=technique)
        if kind == PROGRESS:
            on_progress(*content)
        elif kind == BUG:
            raise RuntimeError(f"{technique} failed in its process:\n{content}")
        else:
            result: TrialOutcome | TilewrightError = content
            return result


# -- the process ------------------------------------------------------------------------------------------------------


def _work(connection: Connection, trial: Trial) -> None:
    """Run a trial and send its progress and its result."""
    try:
        message: tuple[str, object] = (RESULT, run_trial(trial, lambda *step: connection.send((PROGRESS, step))))
    except TilewrightError as error:
        message = (RESULT, error)
    except MemoryError:
        message = (RESULT, TilewrightError("not enough memory", at=trial.technique))
    except Exception:
        message = (BUG, traceback.format_exc())
    connection.send(message)
