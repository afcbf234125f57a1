"""Functions shared by the search commands. The search package is imported when a command runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import click

from ...core.errors import InvalidRecipe, format_number, pluralize
from ...corpus import refuse_without_packages
from .. import Terminated
from .._console import info as print_info  # `info` is a module of this package
from .._progress import Report, show_progress

if TYPE_CHECKING:
    from ...search import Archive, Elite, SearchProgress

WORKERS = click.Option(
    ["--workers"],
    type=int,
    metavar="N",
    help="Number of worker processes; 0 uses only this process. [one per processor]",
)
SCHEDULER = click.Option(
    ["--scheduler"], metavar="ADDRESS", help="Dask cluster to use instead, such as tcp://10.0.0.1:8786."
)


def open_archive(folder: str) -> Archive:
    """Open the archive in a folder, or `archive:caverns`; raise an error if a package for folders is missing."""
    from ...search import load
    from ...search.gallery import PREFIX

    if not folder.startswith(PREFIX):
        refuse_without_packages()
    return load(folder)


def read_cell(text: str, archive: Archive) -> Elite:
    """Return the elite of a cell, given as `12,3`."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts):
        example = ",".join(str(bins // 2) for bins in archive.shape)
        raise InvalidRecipe(f"must be the bins of a cell, such as {example}", at="cell", got=text, rule="format")
    elite = archive.cell(*map(int, parts))
    if elite is None:
        raise InvalidRecipe(
            f"is empty{_suggest_cell(archive, tuple(map(int, parts)))}", at=("cell", text), place=f"cell {text}"
        )
    return elite


def _suggest_cell(archive: Archive, wanted: tuple[int, ...]) -> str:
    """Return the nearest cell with an elite, as a part of a message."""
    cells = [elite.cell for elite in archive]
    if not cells:
        return ""
    nearest = min(cells, key=lambda cell: sum(abs(one - other) for one, other in zip(cell, wanted, strict=True)))
    return f"; the nearest elite is at {format_cell(nearest)}"


def format_cell(cell: tuple[int, ...], separator: str = ",") -> str:
    return separator.join(map(str, cell))


def describe_elite(elite: Elite) -> str:
    """Return a line about an elite: its cell, objective and measures."""
    measures = ", ".join(f"{name} {format_number(value)}" for name, value in elite.measures.items())
    return f"cell {format_cell(elite.cell)}: objective {format_number(elite.objective)}; {measures}"


@contextmanager
def search_progress(folder: str) -> Iterator[SearchReport]:
    """Yield a progress callback for a search. After Ctrl-C, SIGTERM or SIGHUP, print how to continue."""
    job = SearchReport()
    try:
        with show_progress(remaining=False) as job.report:
            yield job
    except (KeyboardInterrupt, Terminated):
        from ...search.storage import count_evaluations

        done = count_evaluations(folder)
        kept = f"{pluralize(done, 'evaluation')} are in {folder}" if done else "no round is finished"
        print_info(f"stopped; {kept}; `tilewright search resume {folder}` continues" if done else f"stopped; {kept}")
        raise


class SearchReport:
    """Progress callback that shows evaluations, rate, coverage, QD score, failures and remaining time."""

    report: Report

    def __init__(self) -> None:
        self.state: SearchProgress | None = None
        self._start_time = monotonic()
        self._first = 0
        self._dashboard = ""

    def __call__(self, state: SearchProgress) -> None:
        if self.state is None:
            self._first = state.evaluations  # The rate excludes what was done before, and the time to start workers.
            self._start_time = monotonic()
        self.state = state
        if state.dashboard and not self._dashboard:
            self._dashboard = state.dashboard
            print_info(f"Dask dashboard: {state.dashboard}")
        self.report(state.evaluations / state.total, self._format_line(state))

    def _format_line(self, state: SearchProgress) -> str:
        from ...search.plots import format_score

        line = f"{state.evaluations:,} of {pluralize(state.total, 'evaluation')}"
        if state.evaluations > self._first:
            rate = (state.evaluations - self._first) / max(monotonic() - self._start_time, 1e-9)
            left = round((state.total - state.evaluations) / rate)
            line += f", {rate:,.0f} per second, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        line += f", coverage {state.archive.coverage:.0%}, QD score {format_score(state.archive.qd_score)}"
        return f"{line}, {state.failures:,} failed" if state.failures else line


def print_result(archive: Archive, folder: str) -> None:
    """Print the heatmap of an archive on a terminal, and a line about it."""
    from ...search.plots import format_score
    from ._terminal import draw_heatmap, is_colored

    if is_colored():
        draw_heatmap(archive)
    failures = sum(archive.failures.values())
    facts = [
        f"{pluralize(len(archive), 'elite')} by {archive.definition.recipe.technique}, seed {archive.definition.seed}",
        f"coverage {archive.coverage:.1%}",
        f"QD score {format_score(archive.qd_score)}",
        f"best {format_number(archive.best.objective)} in cell {format_cell(archive.best.cell)}",
        f"{pluralize(archive.evaluations, 'evaluation')} in {folder}",
    ]
    print_info(", ".join(facts) + (f"; {failures:,} failed" if failures else ""))
