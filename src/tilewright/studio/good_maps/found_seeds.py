"""Result of a search over seeds: how rare the requirements are, the best seeds, and a histogram of each measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log1p
from typing import Any

from nicegui import events, ui

from ...batch import bin_width
from ...core.errors import pluralize
from ...core.measure_groups import format_measure, format_short
from ...core.require import Requirement
from ...seed_search import FoundSeeds
from ...seed_search.result import HistogramBars
from ..page.map_card import MapCard
from ..page.widgets import read_options
from .requirements import describe_requirement

MAX_FOUND = 12
"""Maximum number of seeds to keep and to show."""
MAX_NUMBERS = 3
"""Maximum number of measures below a picture."""
MAX_HISTOGRAMS = 8
MAX_SEED_DIGITS = 20
SEND_SEED = "(event) => emit(event.currentTarget.dataset.seed)"
"""Sends the seed that the user has seen: another one may have taken its place."""
HINT = (
    "Number of seeds by value; orange bars meet the row. Pale bars show the same numbers on a logarithmic scale, so "
    "that rare values are visible."
)
MAX_BARS = 40
MET, OTHER = "#d9822b", "#5c84be"
"""Colors of the bars that meet the requirement and of the others, visible in dark and light mode."""
PALE = 0.3
"""Opacity of the bars on a logarithmic scale."""


class FoundSeedsView:
    """A line on rarity, pictures of the best seeds, and histograms. It is hidden without a result."""

    def __init__(self, choose: Callable[[int], None]) -> None:
        """Build the view in the current slot. `choose` is called with the seed of a picture that the user clicks."""
        self._choose = choose
        self._seeds: list[int] = []
        """Seeds that are shown."""
        self._charts: dict[str, _Histogram] = {}
        with ui.element("div").classes("tw-found").props("data-testid=found") as self.view:
            with ui.element("div").props("data-testid=found-rarity"):
                self.rarity = ui.label("").classes("tw-found-rarity")
                self.counts = ui.label("").classes("tw-faint")
            self.order = ui.label("").classes("tw-title").props("data-testid=found-order")
            with ui.element("div").classes("tw-found-grid"):
                self.cards = [
                    MapCard(f"found-{number}", on_click=self._on_click, js_handler=SEND_SEED)
                    for number in range(MAX_FOUND)
                ]
            with ui.element("div").classes("tw-found-charts") as self.charts:
                ui.label("All tested seeds").classes("tw-title").tooltip(HINT)
        self.view.set_visibility(False)

    @property
    def is_shown(self) -> bool:
        return bool(self.view.visible)

    def show(self, found: FoundSeeds | None, current: int | str | None, pictures: Mapping[int, str]) -> None:
        """Show a result, and mark the current seed. With None, or before the first seed, hide the view."""
        self.view.set_visibility(found is not None and found.tested > 0)
        if found is None or not self.is_shown:
            return
        self.rarity.set_text(str(found.rarity["all"]))
        self.counts.set_text(describe_counts(found))
        self.order.set_text(_describe_order(found))
        extreme = found.definition.extreme
        names = sorted(found.values, key=lambda name: extreme is None or name != extreme.measure)
        self._seeds = found.seeds.tolist()
        for number, card in enumerate(self.cards):
            card.element.set_visibility(number < len(found))
        for number, (card, seed) in enumerate(zip(self.cards, self._seeds, strict=False)):
            values = ((name, float(found.values[name][number])) for name in names)
            lines = [f"{name.replace('_', ' ')} {format_measure(name, value)}" for name, value in values]
            card.caption.set_text(f"seed {seed}")
            card.set_text("\n".join(lines[:MAX_NUMBERS]), "\n".join(lines))
            card.button.props(f"data-seed={seed}")
            card.mark(str(seed) == str(current))
        self.show_pictures(pictures)
        self._show_histograms(found)

    def show_pictures(self, pictures: Mapping[int, str]) -> None:
        """Show the pictures of seeds."""
        for card, seed in zip(self.cards, self._seeds, strict=False):
            card.show_picture(pictures.get(seed))

    def _show_histograms(self, found: FoundSeeds) -> None:
        required = {one.measure: one for one in found.definition.requirements[:MAX_HISTOGRAMS]}
        if [*required] != [*self._charts]:
            for chart in self._charts.values():
                chart.element.delete()
            with self.charts:
                self._charts = {name: _Histogram(name) for name in required}
        for name, chart in self._charts.items():
            chart.show(found, required[name])

    def _on_click(self, event: events.GenericEventArguments) -> None:
        seed = event.args
        if isinstance(seed, str) and seed.isdecimal() and len(seed) <= MAX_SEED_DIGITS:
            self._choose(int(seed))


class _Histogram:
    """Histogram of a required measure, with a line above it."""

    def __init__(self, measure: str) -> None:
        self.measure = measure
        self._counts: Any = None
        """What is shown."""
        with ui.element("div").classes("tw-found-chart") as self.element:
            self.caption = ui.label("")
            self.chart = ui.echart(read_options(__file__, "histogram"))
            self.chart.classes("tw-histogram").props(f"role=img data-testid=histogram-{measure}")
            self.facts = ui.label("").classes("tw-faint")

    def show(self, found: FoundSeeds, one: Requirement) -> None:
        spread = found.histograms[self.measure]
        if (counts := (spread.count, spread.missing, one)) == self._counts:
            return
        self._counts = counts
        rare = "" if one.is_extreme else f": {found.rarity[str(one)]}"
        caption = f"{self.measure.replace('_', ' ')} {describe_requirement(one)}{rare}"
        self.caption.set_text(caption)
        self.chart.set_visibility(spread.count > 0)
        if not spread.count:
            self.facts.set_text("does not apply to these maps")
            return
        facts = f"{format_short(spread.low)} to {format_short(spread.high)}, median {format_short(spread.median)}"
        scope = found.find_scope(self.measure)
        self.facts.set_text(f"{facts}; {pluralize(spread.count, 'seed')} that meet the other rows" if scope else facts)
        self._draw(HistogramBars.of(spread, one, MAX_BARS))
        self.chart.props["aria-label"] = f"{caption}. {facts}"

    def _draw(self, bars: HistogramBars) -> None:
        """Show bars of the number of seeds by value. Pale bars on a logarithmic scale show rare values."""
        is_integer = bin_width(self.measure) == 1
        labels = [_label_bar(bars, number, is_integer) for number in range(len(bars.counts))]
        counts, most = bars.counts.tolist(), int(bars.counts.max())
        self.chart.options["xAxis"]["data"] = labels
        for series, is_pale in zip(self.chart.options["series"], (True, False), strict=True):
            series["data"] = [
                {
                    # A value that no seed has is left out.
                    "value": (log1p(count) / log1p(most) if is_pale else count / most) or None,
                    "itemStyle": {"color": MET if is_met else OTHER, "opacity": PALE if is_pale else 1.0},
                    "words": f"{label}: {count:,}",
                }
                for label, count, is_met in zip(labels, counts, bars.meets.tolist(), strict=True)
            ]
        self.chart.update()


def describe_counts(found: FoundSeeds) -> str:
    """Return the numbers of seeds that meet the requirements and of maps that cannot be made."""
    text = f"{found.passed:,} of {pluralize(found.tested, 'tested seed')} meet the requirements"
    failed = sum(found.failures.values())
    return text + (f"; {pluralize(failed, 'map')} cannot be made: {next(iter(found.failures))}" if failed else "")


def _describe_order(found: FoundSeeds) -> str:
    extreme = found.definition.extreme
    if not len(found):
        return ""
    if extreme is None:
        return "First seeds" if found.passed > len(found) else "All of them"
    return f"{'Highest' if extreme.rule == 'most' else 'Lowest'} {extreme.measure.replace('_', ' ')}"


def _label_bar(bars: HistogramBars, number: int, is_integer: bool) -> str:
    """Return the values of a bar: an integer, a range of integers, or the lower end of a range of fractions."""
    low = bars.low + number * bars.width
    if not is_integer:
        return format_short(low)
    first, last = round(low + 0.5), round(low + bars.width - 0.5)
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"
