"""Progress of jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..core.errors import InvalidRecipe

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True)
class Progress:
    """Progress of a corpus, a world or a search."""

    done: int
    """Number of finished maps, chunks, seeds or evaluations, including those of earlier runs."""
    count: int
    """Number of maps, chunks, seeds or evaluations when the job is complete."""
    failures: int = 0
    """Number of failed maps; for a corpus, those of this run until it is complete."""
    dashboard: str = ""
    """URL of Dask's dashboard."""
    values: Mapping[str, float] = field(default_factory=dict)
    """What is found so far: the number of seeds that meet all requirements, the coverage of an archive, and so on."""


OnProgress = Callable[[Progress], None]


def check_callback(on_progress: F | None) -> F | Callable[..., None]:
    """Return a function that reports progress, by default one that does nothing."""
    if on_progress is None:
        return lambda *_: None
    if not callable(on_progress):
        raise InvalidRecipe("must be a function", at="on_progress", got=on_progress, rule="type")
    return on_progress
