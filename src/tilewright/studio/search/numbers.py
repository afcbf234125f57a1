"""Numbers of a search: progress, coverage, quality, speed and failures."""

from __future__ import annotations

from nicegui import ui

from ...core.measure_groups import format_value
from .heatmap import to_shown_value
from .runs import SearchRun

HINTS = {
    "Maps": "Number of maps that were made and measured",
    "Coverage": "Fraction of the cells for which there is a map",
    "Best": "Best value of the objective",
    "QD score": "Sum of the objective over all cells: higher with more cells and better maps",
    "Speed": "Maps per second",
    "Failed": "Maps that could not be made or measured, and those outside of the ranges",
}
"""Names of the numbers and their tooltips."""
UNKNOWN = "–"
MAX_REASONS = 500
"""Maximum number of characters of the reasons of failures."""


class SearchNumbers:
    """A list of numbers, each with a tooltip."""

    def __init__(self) -> None:
        self._labels: dict[str, ui.label] = {}
        with ui.element("dl").classes("tw-search-numbers").props("data-testid=search-numbers"):
            for name, hint in HINTS.items():
                with ui.element("div"):
                    with ui.element("dt"):
                        ui.label(name).tooltip(hint)
                    with ui.element("dd").props(f"data-testid=search-{name.lower().replace(' ', '-')}"):
                        self._labels[name] = ui.label(UNKNOWN)

    def show(self, run: SearchRun | None) -> None:
        """Show the numbers of a search; None if there is none."""
        texts = {} if run is None else _describe(run)
        for name, label in self._labels.items():
            label.set_text(texts.get(name, UNKNOWN))
        archive = None if run is None else run.search.archive
        failures = {} if archive is None else archive.failures
        reasons = "; ".join(f"{count:,}: {text}" for text, count in failures.items())[:MAX_REASONS]
        if self._labels["Failed"].props.get("title", "") != reasons:
            self._labels["Failed"].props["title"] = reasons


def _describe(run: SearchRun) -> dict[str, str]:
    texts = {"Maps": f"{run.evaluations:,} of {run.search.definition.evaluations:,}"}
    if run.rate:
        texts["Speed"] = f"{run.rate:,.0f}/s" if run.rate >= 10 else f"{run.rate:.1f}/s"
    archive = run.search.archive
    if archive is not None:
        failed = sum(archive.failures.values())
        texts["Coverage"] = f"{100 * archive.coverage:.0f} %"
        texts["QD score"] = format_value(archive.qd_score)
        texts["Failed"] = f"{failed:,}" + (f" + {archive.out_of_range:,} out" if archive.out_of_range else "")
        if len(archive):
            texts["Best"] = format_value(to_shown_value(archive.definition.objective, archive.best.objective))
    return texts
