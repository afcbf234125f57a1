"""Section Only good maps: requirements for measures, the number of tries, and the fraction of seeds that pass."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from nicegui import ui

from ...core.errors import Problem, TilewrightError, pluralize
from ...core.require import DEFAULT_TRIES, MAX_TRIES
from .. import operations
from ..jobs import Cancelled, CancelToken
from ..page.view import StatePanel
from ..page.widgets import (
    DebouncedInput,
    NumberInput,
    SelectByLabel,
    ViewTask,
    dropdown,
    icon_button,
    labeled_button,
    set_pressed,
    toggle_class,
)
from ..session import Session
from ..state import State
from .find_seed import FindSeedPanel
from .requirements import (
    MAX_ROWS,
    RULES,
    TRUTH,
    PassShare,
    RequirementRow,
    find_improvement,
    read_rows,
    suggest_row,
    try_seed,
    with_improvement,
    write_rows,
)

T = TypeVar("T")
MAX_SEEDS = 24
"""Number of seeds that are tried to find the fraction that passes."""
PAUSE = 0.4
"""Seconds without a change before seeds are tried, so that they do not slow down the map."""
FIRST_MEASURES = ("path_length", "floor_share", "regions")
"""Measures of new requirements, if they are not required yet."""


class GoodMapsSection(StatePanel):
    """Rows of requirements. The session makes maps until one meets them all."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._rows: list[RequirementRow] = []
        self._options: list[str] = []
        self._marks: list[ui.label] = []
        self._inputs: list[list[DebouncedInput]] = []
        """Numbers of the rows: none, one, or the ends of a range."""
        self._tested: dict[str, Any] | None = None
        """Recipe whose seeds are tried."""
        self._job = ViewTask()
        with ui.element("section").classes("tw-good").props('data-testid=good-maps aria-label="Only good maps"'):
            with ui.element("div").classes("tw-row"):
                ui.label("Only good maps").classes("tw-title tw-grow")
                style = 'dense unelevated size=sm aria-label="Add a requirement"'
                self.add = labeled_button("Add", "add", self._add_row, "good-add", style)
            self.hint = ui.label("Require values of measures: maps are made until one meets them all.")
            self.hint.classes("tw-hint")
            self.list = ui.element("div").classes("tw-good-rows")
            with ui.element("div").classes("tw-good-foot") as self.foot:
                self.tries = NumberInput("good-tries", self._on_tries, low=1, high=MAX_TRIES, label="Tries")
                self.tries.tooltip("Maximum number of maps to make until one meets the requirements")
                self.share = ui.label("").classes("tw-good-share").props("role=status data-testid=good-share")
            with ui.element("div").classes("tw-good-foot") as self.improve_foot:
                hint = "Change each map by small moves until it meets the rows, with the shaper improve"
                self.improve = labeled_button("Improve", "auto_fix_high", self._on_improve, "good-improve", hint=hint)
                self.improve_note = ui.label("").classes("tw-faint")
            self.error = ui.label("").classes("tw-bad").props("role=status data-testid=good-error")
            self.find_seed = FindSeedPanel(session)
        self.update(session.state)

    def select(self, state: State) -> object:
        """Return what decides the section: without requirements, nothing but whether Make is open."""
        others = (state.recipe, state.off) if state.recipe.get("require") else state.recipe.get("tries")
        return state.view_settings.tab, others

    def show_map(self) -> None:
        """Offer the measures of the current map."""
        if self._rows:
            self.refresh(self.session.state)

    def refresh(self, state: State) -> None:
        """Show the requirements of a state, and try its seeds while Make is open."""
        rows = read_rows(state.recipe.get("require"))
        options = self._list_options(rows)
        is_same = [_row_form(row) for row in rows] == [_row_form(row) for row in self._rows]
        self._rows = rows
        if not is_same or options != self._options:
            self._options = options
            self._build(rows)
        for row, inputs in zip(rows, self._inputs, strict=True):
            for value, number in zip(inputs, (row.value, row.high), strict=False):
                value.set_value(_format(number))
        tries = state.recipe.get("tries")
        self.tries.show(str(DEFAULT_TRIES if tries is None else tries)[:20])
        self.add.set_enabled(len(rows) < MAX_ROWS)
        for part, is_shown in ((self.hint, not rows), (self.foot, bool(rows)), (self.improve_foot, bool(rows))):
            part.set_visibility(is_shown)
        is_improved = find_improvement(state) is not None
        set_pressed(self.improve, is_improved)
        toggle_class(self.improve, "tw-good-on", is_improved)
        self.improve_note.set_text("Maps are changed to meet them." if is_improved else "Change the map to meet them.")
        self.find_seed.refresh(state)
        self._test_seeds(state)

    def mark_problems(self, problems: Sequence[Problem]) -> None:
        """Show the problems of the requirements that are not about the finished map."""
        found = [str(one) for one in problems if one.path[:1] in (("require",), ("tries",)) and one.rule != "unsolved"]
        self.error.set_text("; ".join(found))

    # -- rows -------------------------------------------------------------------------------------------------

    def _list_options(self, rows: Sequence[RequirementRow]) -> list[str]:
        """Return the measures to choose from, with those of the current map's tiles and markers, and of the rows."""
        return [*dict.fromkeys((*self.session.list_measures(), *(row.measure for row in rows)))]

    def _build(self, rows: Sequence[RequirementRow]) -> None:
        self.list.clear()
        self._marks, self._inputs = [], []
        with self.list:
            for number, row in enumerate(rows):
                self._build_row(number, row, {other.measure for other in rows} - {row.measure})

    def _build_row(self, number: int, row: RequirementRow, used: set[str]) -> None:
        with ui.element("div").classes("tw-good-row").props(f"data-testid=good-{number}"):
            options = {name: name.replace("_", " ") for name in self._options if name not in used}
            dropdown(
                options, partial(self._choose_measure, number), f"good-{number}-measure",
                name="Measure", value=row.measure, kind=SelectByLabel,
            ).classes("tw-good-measure")  # fmt: skip
            icon_button("delete_outline", "Remove", partial(self._remove, number), test_id=f"good-{number}-remove")
            rules, value = (TRUTH, row.is_yes) if row.is_truth else (RULES, row.rule)
            choose, test_id = partial(self._choose_rule, number), f"good-{number}-rule"
            rule = dropdown({**rules}, choose, test_id, name="Comparison", value=value).classes("tw-good-rule")
            if row.is_range and not row.is_truth:
                rule.classes("tw-good-wide")
                with ui.element("div").classes("tw-good-range"):
                    ends = (("value", "From"), ("high", "To"))
                    self._inputs.append([self._build_value(number, field, label) for field, label in ends])
            else:
                has_value = not row.is_extreme and not row.is_truth
                self._inputs.append([self._build_value(number, "value", "Value")] if has_value else [])
            mark = ui.label("").classes("tw-good-mark tw-faint").props(f"data-testid=good-{number}-met")
            mark.set_visibility(not row.is_extreme)
            self._marks.append(mark)

    def _build_value(self, number: int, field: str, label: str) -> DebouncedInput:
        value = DebouncedInput(f"good-{number}-{field}", partial(self._on_value, number, field), step=0.01)
        value.props(f"step=any aria-label={label}").classes("tw-good-value")
        return value

    async def _add_row(self) -> None:
        used = {row.measure for row in self._rows}
        options = (*FIRST_MEASURES, *self._list_options(self._rows))
        name = next((name for name in options if name not in used), None)
        if name is not None:
            self._change([*self._rows, await self._suggest(name)])

    def _remove(self, number: int) -> None:
        self._change([row for place, row in enumerate(self._rows) if place != number])

    async def _choose_measure(self, number: int, measure: str) -> None:
        if number < len(self._rows):
            self._replace_row(number, await self._suggest(measure))

    def _choose_rule(self, number: int, rule: str | bool) -> None:
        if number < len(self._rows):
            row = self._rows[number]
            self._replace_row(number, row.with_truth(rule) if isinstance(rule, bool) else row.with_rule(rule))

    def _on_value(self, number: int, field: str, text: str) -> None:
        rows = self._rows
        if number < len(rows):
            changes: dict[str, Any] = {field: text[:100]}
            with suppress(ValueError):
                changes[field] = float(text)
            self._replace_row(number, replace(rows[number], **changes), undo_group=f"require.{number}")

    def _replace_row(self, number: int, row: RequirementRow, *, undo_group: str = "") -> None:
        rows = self._rows
        self._change([*rows[:number], row, *rows[number + 1 :]], undo_group=undo_group)

    def _on_tries(self, tries: int) -> None:
        self.error.set_text("")
        self.session.change(self.session.state.with_recipe(tries=tries, attempt=None), undo_group="tries")

    def _change(self, rows: Sequence[RequirementRow], *, undo_group: str = "") -> None:
        state = self.session.state
        tries = state.recipe.get("tries") if rows else None
        required = write_rows(rows)
        changed = state.with_recipe(require=required, tries=tries, attempt=None)
        if find_improvement(state) is not None:
            changed = with_improvement(changed, required)
        self.session.change(changed, undo_group=undo_group)

    def _on_improve(self) -> None:
        """Add the shaper improve with the rows as targets, or remove it."""
        state = self.session.state
        targets = write_rows(self._rows) if find_improvement(state) is None else None
        self.session.change(with_improvement(state, targets))

    async def _suggest(self, name: str) -> RequirementRow:
        """Return a requirement for a measure that the current map meets, if it can be measured."""
        map = self.session.map

        def work(token: CancelToken) -> dict[str, float]:
            return {} if map is None else operations.measure_map(map, token, [name])

        found = await self.session.attempt(work, _ignore)
        return suggest_row(name, (found or {}).get(name, 0.0))

    # -- seeds ------------------------------------------------------------------------------------------------

    def _test_seeds(self, state: State) -> None:
        """Start to try seeds of a state, if its requirements or its map have changed."""
        is_open = state.view_settings.tab == "make" and bool(state.recipe.get("require"))
        # The seeds that are tried do not depend on the seed of the map.
        others = ("seed", "tries", "attempt")
        wanted = {key: value for key, value in state.effective.items() if key not in others} if is_open else None
        if wanted == self._tested:
            return
        self._job.stop()
        self._tested = wanted
        self._show_share(PassShare())
        if wanted is not None:
            self._job.start(self._try_seeds(wanted))

    async def _try_seeds(self, data: dict[str, Any]) -> None:
        await asyncio.sleep(PAUSE)
        found = PassShare()
        try:
            recipe = await self.session.submit_when_free(lambda token: operations.check_recipe(data, token.settings))
            while found.tried < MAX_SEEDS:
                found = found.add(await self.session.submit_when_free(partial(try_seed, recipe, found.tried)))
                with self.list.client:
                    self._show_share(found)
        except (Cancelled, TilewrightError):
            return  # The session shows the error.

    def _show_share(self, found: PassShare) -> None:
        text = f"{found.passed} of {pluralize(found.tried, 'seed')} pass" if found.tried else "Trying seeds ..."
        self.share.set_text(text)
        toggle_class(self.share, "tw-bad", bool(found.tried) and not found.passed)
        for row, mark in zip(self._rows, self._marks, strict=False):
            met = found.met.get(row.measure)
            mark.set_text("" if met is None or row.is_extreme else f"met by {met} of {found.tried}")


def _row_form(row: RequirementRow) -> tuple[str, object]:
    """Return what decides the controls of a row."""
    return row.measure, row.is_yes if row.is_truth else row.rule


def _format(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"


def _ignore(error: TilewrightError) -> None:
    """Measuring the current map may fail; then the value starts at 0."""
