"""Tab Gallery: 24 variations of the map as pictures and in a scatter plot, and controls for what varies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from ...core.errors import ANOTHER_SEED, TilewrightError, pluralize
from ...core.measure_groups import format_measure
from ...core.seeds import read_seed
from ..controls.numbers import read_number
from ..jobs import Cancelled
from ..page.error_panel import ErrorCard, Remedy, list_remedies
from ..page.map_card import MapCard
from ..page.view import View
from ..page.widgets import DebouncedInput, ViewTask, dropdown, labeled_button, on_choice, show_value, write_number
from ..session import Session
from ..state import State
from .export import GalleryExport
from .scatter_plot import UNSORTED, GalleryAxes
from .state import MAX_PINNED, MAX_SIZE, MAX_STARS, MIN_SIZE, Gallery
from .variations import (
    COUNT,
    SWEPT_MEASURE,
    Knob,
    Variation,
    VariationResult,
    fill_counts,
    find_swept_knob,
    format_param,
    list_found,
    list_knobs,
    list_variations,
    make_variation,
)

MAX_CONCURRENT = 2
"""Maximum number of variations made at the same time, so that other jobs of the user do not wait long."""
DISPLAY_PAUSE = 0.06
"""Seconds in which results are collected before they are shown: a message to the browser costs more than a result."""
MAX_MESSAGES = 3


class GalleryView(View):
    """Settings and scatter plot in the left panel, pictures in the middle."""

    def __init__(self, session: Session, area: ui.element) -> None:
        self.session = session
        self.variations: list[Variation] = []
        self.results: dict[int, VariationResult] = {}
        """Finished results by index of the variation."""
        self._unshown: list[int] = []
        """Results that are not shown yet, by index of the variation."""
        self._display = ViewTask()
        """Task that shows them."""
        self._shown_settings: Gallery | None = None
        """Settings with which the numbers were last shown."""
        self._job = ViewTask()
        self._build_panel()
        with area:
            self._build_area()
        self.refresh(session.state)

    def refresh(self, state: State) -> None:
        """Show the variations of a state. They are only made while the tab is open."""
        if state.view_settings.tab != "gallery":
            self.stop()
            return
        self.variation_panel.show(state)
        show_value(self.size, state.gallery.size)
        self.grid.style(f"--tw-size: {state.gallery.size}px")
        if self._is_current(state):
            self._mark_current(state)
            if self._unshown or self._shown_settings != state.gallery:
                self._show_results()
            self._resume()
        else:
            self.show_all()

    # -- layout -------------------------------------------------------------------------------------------------

    def _build_panel(self) -> None:
        with ui.element("div").classes("tw-gallery-part"):
            self.variation_panel = VariationPanel(self.session)
            hint, style = "Choose new random seeds; locked cells stay", "dense unelevated"
            labeled_button("New seeds", "casino", self.roll, "gallery-roll", style, hint=hint)
            hint = "Click a picture or a point to open it in Make. New seeds keep starred pictures."
            ui.label(hint).classes("tw-hint")
            with ui.element("div").classes("tw-gallery-size"):
                ui.label("Picture size")
                size = ui.slider(min=MIN_SIZE, max=MAX_SIZE, step=20)
                self.size = on_choice(size, partial(self._change, "size"))
                self.size.props('dense data-testid=gallery-size aria-label="Picture size"')
        with ui.element("div").classes("tw-gallery-part tw-gallery-take"):
            ui.label("Export").classes("tw-title")
            self.export = GalleryExport(self.session, self.list_chosen)
        with ui.element("div").classes("tw-gallery-part tw-gallery-more"):
            self.axes = GalleryAxes(self._change, self.choose, self._label_measure)

    def _build_area(self) -> None:
        with ui.element("div").classes("tw-gallery"):
            self.status = ui.label("").classes("tw-faint").props("data-testid=gallery-progress role=status")
            self.errors = GalleryErrors(self.session, self.roll)
            self.grid = ui.element("div").classes("tw-gallery-grid").props("data-testid=gallery-grid")
        self.cells: list[MapCard] = []

    def _build_card(self, number: int, caption: str) -> MapCard:
        card = MapCard(f"variation-{number}", caption, on_click=partial(self.choose, number))
        card.add_star(partial(self.star, number), f"star-{number}")
        for event, action in (("mouseenter", "highlight"), ("mouseleave", "downplay")):
            card.element.on(event, js_handler=self.axes.build_hover_handler(number, action))
        card.element.props(f"data-variation={number}").style(f"order: {number}")
        return card

    # -- jobs ---------------------------------------------------------------------------------------------------

    def show_all(self) -> None:
        """Make all variations of the state, if the tab is open."""
        self.stop()
        state = self.session.state
        if state.view_settings.tab != "gallery":
            return  # The variations are made when the tab is opened.
        self.variations, self.results, self._unshown = list_variations(state), {}, []
        self.grid.clear()
        with self.grid:
            self.cells = [self._build_card(number, one.caption) for number, one in enumerate(self.variations)]
        self._mark_current(state)
        self._show_numbers()
        self._resume()

    def roll(self) -> None:
        """Choose new seeds for all variations."""
        gallery = self.session.state.gallery
        if gallery.what == "knob" and gallery.same_seed:
            # All variations share the seed of the current map; changing it is an undo step.
            self.session.reroll()
        else:
            starred = self.list_chosen(True)
            pinned = [int(one.state.seed or 0) for one in starred if gallery.what == "seed"]
            self.session.change_gallery(
                what="seed" if gallery.what == "found" else gallery.what,
                roll=int(read_seed(None)),
                pinned=tuple(pinned[:MAX_PINNED]),
                stars=tuple(one.key for one in starred[:MAX_PINNED]),
            )

    def star(self, number: int) -> None:
        """Add a variation to the favorites, or remove it."""
        key, stars = self.variations[number].key, self.session.state.gallery.stars
        others = tuple(star for star in stars if star != key)
        self.session.change_gallery(stars=others if key in stars else (*others, key)[-MAX_STARS:])

    def list_chosen(self, starred: bool) -> list[Variation]:
        """Return the variations that can be exported: all that were made, or the starred ones."""
        stars = self.session.state.gallery.stars
        failed = {number for number, one in self.results.items() if one.error is not None}
        made = [one for number, one in enumerate(self.variations) if number not in failed]
        return [one for one in made if one.key in stars] if starred else made

    def stop(self) -> None:
        """Cancel all jobs."""
        self._job.stop()
        self._display.stop()

    def choose(self, number: int) -> None:
        """Open a variation in Make."""
        if number in self.results and self.results[number].error is not None:
            return
        self.session.open_in_make(self.variations[number].state)

    def _is_current(self, state: State) -> bool:
        """Return whether these are the variations of a state. They stay current when the user opens one of them."""
        wanted = [(one.state.effective, one.state.landmarks) for one in list_variations(state)]
        return wanted == [(one.state.effective, one.state.landmarks) for one in self.variations]

    def _resume(self) -> None:
        """Make the missing variations."""
        self._show_status()
        if not self._job.is_running:
            self._job.start(self._make_missing())

    async def _make_missing(self) -> None:
        missing = [number for number in range(len(self.variations)) if number not in self.results]

        async def work() -> None:
            while missing:
                await self._make(missing.pop(0))

        await asyncio.gather(*(work() for _ in range(MAX_CONCURRENT)))

    async def _make(self, number: int) -> None:
        variation = self.variations[number]
        try:
            found = await self.session.submit_when_free(lambda token: make_variation(variation, token))
        except Cancelled:
            return
        except TilewrightError as error:
            found = VariationResult(error=error)
        self.results[number] = found
        self._unshown.append(number)
        if len(self.results) == len(self.variations):
            self._show_results()
        elif not self._display.is_running:
            self._display.start(self._show_results_later())

    async def _show_results_later(self) -> None:
        await asyncio.sleep(DISPLAY_PAUSE)
        self._show_results()

    def _show_results(self) -> None:
        """Show the results that are not shown yet."""
        for number in self._unshown:
            result = self.results[number]
            if result.error is None:
                self.cells[number].show_picture(result.picture)
            else:
                self.cells[number].show_note("failed", str(result.error))
        self._unshown = []
        self._show_numbers()
        self._show_status()

    # -- display ------------------------------------------------------------------------------------------------

    def _show_status(self) -> None:
        count, done = len(self.variations), len(self.results)
        errors = {number: one.error for number, one in self.results.items() if one.error is not None}
        self.grid.set_visibility(not self.errors.show(errors, count))
        self.export.refresh()
        failed = len(errors)
        text = f"{pluralize(count, 'variation')} of {self.session.state.title}"
        text = text if done == count else f"{done} of {text}"
        text += f", {failed} failed" if failed else ""
        text += "; the parameter has no more values, use different seeds for more maps" if count < COUNT else ""
        self.status.set_text(text)

    def _mark_current(self, state: State) -> None:
        """Mark the variation that is the current map."""
        now = state.with_recipe().effective
        for cell, variation in zip(self.cells, self.variations, strict=True):
            cell.mark(now == variation.state.effective)
            cell.set_starred(variation.key in state.gallery.stars)
        self.export.refresh()

    def _show_numbers(self) -> None:
        """Update the measures below the pictures, the scatter plot and the order of the pictures."""
        self._shown_settings = self.session.state.gallery
        names = (name for one in self.results.values() for name in one.numbers or ())
        x, y, by = self.axes.offer(names, self._shown_settings)
        numbers = fill_counts([_read_numbers(self.results.get(number)) for number in range(len(self.variations))])
        for cell, found in zip(self.cells, numbers, strict=True):
            shown = [name for name in dict.fromkeys((x, y, by)) if name in found and name != SWEPT_MEASURE]
            lines = (f"{self._label_measure(name)} {format_measure(name, found[name])}" for name in shown)
            cell.set_text("\n".join(lines))
        self.axes.show([(one.caption, found) for one, found in zip(self.variations, numbers, strict=True)], x, y)
        sign = -1 if self._shown_settings.most_first else 1
        ranks = [(by not in found, sign * found.get(by, 0), number) for number, found in enumerate(numbers)]
        for place, (_, _, number) in enumerate(sorted(ranks)):
            self.cells[number].element.style(f"order: {number if by == UNSORTED else place}")

    def _change(self, name: str, value: Any) -> None:
        self.session.change_gallery(**{name: value})

    def _label_measure(self, name: str) -> str:
        knob = self.variation_panel.knob
        return knob.label if name == SWEPT_MEASURE and knob is not None else name.replace("_", " ")


def _read_numbers(found: VariationResult | None) -> Mapping[str, float]:
    return (found.numbers if found is not None else None) or {}


class GalleryErrors:
    """The errors of failed variations. Fixes of the recipe are offered if all variations failed for one reason."""

    def __init__(self, session: Session, on_roll: Callable[[], None]) -> None:
        """Create the card in the current slot. `on_roll` chooses new seeds."""
        self.session, self._on_roll = session, on_roll
        self.card = ErrorCard("gallery-error")
        self._shown: list[str] = []

    def show(self, errors: Mapping[int, TilewrightError], count: int) -> bool:
        """Show the errors by number of the variation, out of a number of variations.

        Return whether all variations have failed.
        """
        groups: dict[str, list[TilewrightError]] = {}
        for error in errors.values():
            groups.setdefault(str(error), []).append(error)
        has_failed = 0 < len(errors) == count
        messages = [
            message if has_failed and len(groups) == 1 else f"{len(found)} of {count}: {message}"
            for message, found in groups.items()
        ]
        more = len(messages) - MAX_MESSAGES
        messages = [*messages[:MAX_MESSAGES], *([f"and {more} more messages"] if more > 0 else [])]
        if messages != self._shown:
            self._shown = messages
            only = next(iter(groups.values()))[0] if has_failed and len(groups) == 1 else None
            self.card.show(messages, [] if only is None else self._list_remedies(only))
        return has_failed

    def _list_remedies(self, error: TilewrightError) -> list[Remedy]:
        """Return the buttons of an error. Another seed means new seeds for all variations."""
        wants_seeds = any(fix == ANOTHER_SEED for one in error.problems for fix in one.fixes)
        kept = [replace(one, fixes=tuple(fix for fix in one.fixes if fix != ANOTHER_SEED)) for one in error.problems]
        found = list_remedies(error.replace(kept), self.session)
        return [*([Remedy("New seeds", self._on_roll)] if wants_seeds else []), *found]


KINDS = {"seed": "Seed", "knob": "Parameter"}


class VariationPanel:
    """Selection of the seed or a parameter, its range, and whether all maps have the same seed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.knob: Knob | None = None
        """The selected parameter."""
        ui.label("What varies").classes("tw-title")
        self.what = on_choice(ui.toggle(KINDS), lambda what: session.change_gallery(what=what))
        self.what.props("dense no-caps unelevated spread data-testid=gallery-what").classes("tw-toggle")
        with ui.element("div").classes("tw-gallery-knob") as self.knob_panel:
            # Another parameter has its usual range.
            choose = partial(session.change_gallery, low=None, high=None)
            self.knobs = dropdown({}, lambda key: choose(knob=key), "gallery-knob", label="Parameter")
            with ui.element("div").classes("tw-gallery-pair") as self.pair:
                self.ends = {
                    "low": self._build_end("gallery-from", "low", "From"),
                    "high": self._build_end("gallery-to", "high", "To"),
                }
            self.values_label = ui.label("").classes("tw-faint").props("data-testid=gallery-words")
            same_seed = ui.switch("Same seed for all")
            self.same_seed = on_choice(same_seed, lambda is_same: session.change_gallery(same_seed=is_same))
            self.same_seed.props("dense data-testid=gallery-same-seed")

    def show(self, state: State) -> None:
        """Show the settings of a state."""
        gallery, self.knob = state.gallery, find_swept_knob(state)
        labels = {knob.key: knob.label for knob in list_knobs(state)}
        key = None if self.knob is None else self.knob.key
        has_found = bool(list_found(state))
        kinds = {**KINDS, "found": "Found"} if has_found else KINDS
        what = "seed" if gallery.what == "found" and not has_found else gallery.what
        show_value(self.what, what, kinds)
        show_value(self.knobs, key, labels)
        show_value(self.same_seed, gallery.same_seed)
        is_number = self.knob is not None and self.knob.is_number
        self.knob_panel.set_visibility(gallery.what == "knob")
        self.pair.set_visibility(is_number)
        self.values_label.set_visibility(not is_number)
        if self.knob is not None and is_number:
            for box, number in zip(self.ends.values(), self.knob.choose_range(gallery), strict=True):
                box.mark_problem("")
                box.value = write_number(number)
                box.props["step"] = self.knob.field.step
        elif self.knob is not None:
            self.values_label.set_text(", ".join(format_param(value) for value in self.knob.list_values(0, 0)))

    def _build_end(self, test_id: str, end: str, label: str) -> DebouncedInput:
        on_commit = partial(self._on_end_input, end)
        return DebouncedInput(test_id, on_commit, label=label, step=1, on_cancel=lambda: self.show(self.session.state))

    def _on_end_input(self, end: str, text: str) -> None:
        """Change one end of the range. An empty field restores the default."""
        if self.knob is None:
            return
        number = read_number(text, self.knob.field) if text else None
        ends = dict(zip(self.ends, self.knob.choose_range(self.session.state.gallery), strict=True)) | {end: number}
        default = dict(zip(self.ends, self.knob.span, strict=True))
        given = {name: None if found == default[name] else found for name, found in ends.items()}
        self.session.change_gallery(knob=self.knob.key, **given)
        self.show(self.session.state)  # This is also needed if only the text of the field has changed.
