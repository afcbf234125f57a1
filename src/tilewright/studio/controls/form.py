"""Forms: a row for each field with label, help, control and a button that restores the default."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from nicegui import ui

from ...core.fields import UNSET, Field
from ..page.widgets import FoldingSection, on_choice, show_value, toggle_class
from .control import Control, ControlBinding, ControlContext, Mark, select, with_value
from .grids import count_states, resize_scores
from .numbers import find_bands, fit_borders

MAX_SHOWN_ROWS = 9
"""Number of rows shown at first. A group counts as one row. A button shows the remaining rows."""
MAX_EXTRA_ROWS = 2
"""Up to this many more rows are shown without a button."""
STRUCTURED_KINDS = frozenset({"items", "model", "union", "words", "numbers", "cells", "tuple", "choices"})
"""Kinds that recipes may contain as compact strings."""
HELP_SCRIPT = "(event) => event.target.closest('.tc-row').classList.toggle('tc-helped')"
log = logging.getLogger(__name__)


class Row:
    """The row of a field in a form."""

    def __init__(
        self,
        field: Field,
        value: Any,
        context: ControlContext,
        test_id: str,
        send: Callable[[Any], None],
        *,
        is_inner: bool,
    ) -> None:
        self.field = field
        self._send, self._is_inner = send, is_inner
        self._error = self._problem = ""
        with ui.element("div").classes("tc-row") as self.element:
            self.element.props["data-help"] = field.description
            control_class = Control.class_of(field)
            if control_class.is_wide:
                self.element.classes("tc-wide")
            label = ui.label(field.label).classes("tc-label").props("role=button tabindex=0")
            label.props["title"] = field.description
            for event in ("click", "keydown.enter"):
                label.on(event, js_handler=HELP_SCRIPT)
            self._reset = ui.button(icon="restart_alt", on_click=lambda: self._reset_value(), color=None)
            self._reset.props("flat round dense size=xs").classes("tc-reset")
            self._reset.props["aria-label"] = self._reset.props["title"] = f"restore the default: {field.label}"
            self._reset.props["data-testid"] = f"{test_id}-reset"
            with ui.element("div").classes("tc-control"):
                self.control = control_class(field, context, ControlBinding(test_id, self._on_change, self._on_error))
        self.show(value)

    def show(self, value: Any) -> None:
        """Show a new value; UNSET shows the default."""
        self._on_error("")
        self.mark_set(value)
        try:
            self.control.show(value)
        except (TypeError, ValueError, LookupError, AttributeError):  # The value in the recipe is invalid.
            log.debug("invalid value for %s: %r", self.field.name, value, exc_info=True)
            self._on_error("cannot be shown here")
        if isinstance(value, str) and self.field.kind in STRUCTURED_KINDS:
            self._on_error("is a compact string; a change here replaces it")

    def mark_problem(self, problem: str) -> None:
        """Show a problem of the recipe. An empty string clears it."""
        self._problem = problem
        self._show_problem()

    def _on_change(self, value: Any) -> None:
        self.mark_set(value)
        self._send(value)

    def _reset_value(self) -> None:
        self.show(UNSET)
        self._send(UNSET)

    def _on_error(self, problem: str) -> None:
        self._error = problem
        self._show_problem()

    def _show_problem(self) -> None:
        problem = self._error or self._problem
        if self.element.props.get("data-error", "") != problem:
            self.element.props["data-error"] = problem
            toggle_class(self.element, "tc-wrong", bool(problem))

    def mark_set(self, value: Any) -> None:
        """Show the button that restores the default, if the value differs from it."""
        is_default = self._is_inner and value == self.field.default  # Models may contain their defaults.
        is_set = value is not UNSET and self.field.default is not UNSET and not is_default
        toggle_class(self.element, "tc-set", is_set)


class Form:
    """Rows of fields and their values."""

    def __init__(
        self,
        fields: Sequence[Field],
        values: Mapping[str, Any],
        on_change: Callable[[str, Any], None],
        context: ControlContext,
        *,
        test_id: str = "param",
        is_inner: bool = False,
    ) -> None:
        self._values = dict(values)
        self._on_change = on_change
        by_name = {field.name: field for field in fields}
        self._context = replace(context, siblings=lambda: self._values, fields=by_name)
        if not is_inner:
            self._context = replace(self._context, root=self._context.value_of)
        self._test_id, self._is_inner = test_id, is_inner
        self._more: FoldingSection | None = None
        self._hidden: set[str] = set()
        self.rows: dict[str, Row] = {}
        blocks = [[*block] for _, block in groupby(fields, lambda field: field.group or field.name)]
        shown = MAX_SHOWN_ROWS if len(blocks) > MAX_SHOWN_ROWS + MAX_EXTRA_ROWS else len(blocks)
        with ui.element("div").classes("tc-form"):
            self._add_rows(blocks[:shown])
            if blocks[shown:]:
                self._hidden = {field.name for block in blocks[shown:] for field in block}
                self._more = FoldingSection(f"{len(self._hidden)} more", "Less", f"{test_id}-more", "tc-more")
                self._more.enable(True)
                with self._more.body.classes("tc-form"):
                    self._add_rows(blocks[shown:])
                self._open_more()
        self._hide()

    def update(self, values: Mapping[str, Any]) -> None:
        """Show new values, without calling `on_change`."""
        before, self._values = self._values, dict(values)
        for name, row in self.rows.items():
            value = self._values.get(name, UNSET)
            if not _is_same(before.get(name, UNSET), value):
                row.show(value)
        self._refresh_dependents()
        self._open_more()

    def retile(self) -> None:
        for row in self.rows.values():
            row.control.retile()

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        """Show problems of the fields, and return the problems that belong to no field."""
        for name, row in self.rows.items():
            inner = [(path[1:], text) for path, text in marks if path[:1] == (name,)]
            row.mark_problem("; ".join(text for _, text in row.control.mark(inner))[:160])
        return [mark for mark in marks if not mark[0] or mark[0][0] not in self.rows]

    def _add_rows(self, blocks: Sequence[Sequence[Field]]) -> None:
        for block in blocks:
            with ui.element("div").classes("tc-halves") if len(block) > 1 else nullcontext():
                for field in block:
                    value = self._values.get(field.name, UNSET)
                    send = partial(self._on_row_change, field)
                    test_id = f"{self._test_id}-{field.name}"
                    self.rows[field.name] = Row(field, value, self._context, test_id, send, is_inner=self._is_inner)

    def _open_more(self) -> None:
        if self._more is not None and self._hidden & self._values.keys():
            self._more.open()

    def _on_row_change(self, field: Field, value: Any) -> None:
        if field.sizes and isinstance(value, int) and self._resize(field, value):
            return
        for other in self._context.fields.values():
            if field.name in other.between:
                self._fit_thresholds(other, field.name, value)
        self._set_value(field.name, value)

    def _set_value(self, name: str, value: Any) -> None:
        self._values = with_value(self._values, name, value)
        self._refresh_dependents(name)
        self._on_change(name, value)

    def _resize(self, field: Field, side: int) -> bool:
        """Resize the matrices that are set, whose size replaces the number. Return False if the first is not set."""
        written = [name for name in field.sizes if isinstance(self._values.get(name), (list, tuple))]
        if field.sizes[0] not in written:
            return False
        if field.name in self._values:
            self._set_value(field.name, UNSET)
        for name in written:
            scores = resize_scores(self._values[name], side)
            self.rows[name].show(scores)
            self._set_value(name, scores)
        self.rows[field.name].mark_set(UNSET)
        return True

    def _fit_thresholds(self, thresholds: Field, changed: str, value: Any) -> None:
        """Adapt the thresholds to a changed number of bands."""
        known = self._context.value_of
        borders, before = known(thresholds.name) or (), find_bands(thresholds, known)
        default = self._context.fields[changed].default
        now = default if value is UNSET else value
        after = find_bands(thresholds, lambda name: now if name == changed else known(name))
        if len(after) != len(borders) + 1:
            defaults = thresholds.default if isinstance(thresholds.default, list) else ()
            found = UNSET if value is UNSET and len(after) == len(defaults) + 1 else fit_borders(borders, before, after)
            self.rows[thresholds.name].show(found)
            self._set_value(thresholds.name, found)

    def _refresh_dependents(self, changed: str = "") -> None:
        """Update controls that depend on other fields, for example the size of a random matrix."""
        for name, row in self.rows.items():
            if name != changed:
                row.control.refresh()
            if row.field.sizes and name not in self._values:
                row.control.show(count_states(self._values.get(row.field.sizes[0])) or UNSET)
        self._hide()

    def _hide(self) -> None:
        """Hide fields that have no effect and are not set."""
        for name, row in self.rows.items():
            is_set = name in self._values and not (self._is_inner and self._values[name] == row.field.default)
            row.element.set_visibility(is_set or self._has_effect(row.field))

    def _has_effect(self, field: Field) -> bool:
        """Return whether the parameter on which this field depends has a required value."""
        if not field.hidden_unless:
            return True
        name, *values = field.hidden_unless
        value = self._context.value_of(name)
        return value in values if values else bool(value)


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values have the same type and are equal: 1 differs from true and from 1.0."""
    return one is other or (type(one) is type(other) and one == other)


class InnerForm(Control):
    """A control that contains a form."""

    is_wide = True

    def build(self) -> None:
        self._form: Form | None = None
        self._inside = ui.element("div").classes("tc-inside")

    def _show_parts(self, parts: Sequence[Field], value: Mapping[str, Any]) -> None:
        if self._form is None:
            with self._inside:
                self._form = Form(
                    parts, value, self._on_field_change, self.context, test_id=self.binding.test_id, is_inner=True
                )
        else:
            self._form.update(value)

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        return marks if self._form is None else self._form.mark(marks)

    def retile(self) -> None:
        if self._form is not None:
            self._form.retile()

    def _on_field_change(self, name: str, value: Any) -> None:
        before = self.value if isinstance(self.value, dict) else self.default or {}
        self.send(with_value(before, name, value))


class ModelControl(InnerForm, kind="model"):
    """A group of fields, with a switch if it is optional."""

    def build(self) -> None:
        self._switch: ui.switch | None = None
        if self.field.nullable:
            self._switch = on_choice(ui.switch(), self._on_switch)
            self._switch.props(f"dense data-testid={self.binding.test_id}")
        super().build()

    def draw(self, value: Any) -> None:
        if self._switch is not None:
            show_value(self._switch, value is not None)
        self._inside.set_visibility(isinstance(value, dict))
        if isinstance(value, dict):
            self._show_parts(self.parts, value)

    @property
    def parts(self) -> Sequence[Field]:
        """Fields of the model in display order."""
        return self.field.parts

    def _on_switch(self, is_on: bool) -> None:
        if is_on:
            self.put(self.field.initial_value)
        else:
            self.show(None)
            self.clear()


class UnionControl(InnerForm, kind="union"):
    """Selection of one of several models, and its fields."""

    def build(self) -> None:
        self._variant = ""
        words = {word: self.field.label_of(word) for word in self.field.variants}
        self._select = select(words, self._on_choice, self.binding.test_id)
        super().build()

    def draw(self, value: Any) -> None:
        value = value if isinstance(value, dict) else {}
        word = value.get(self.field.key)
        if word not in self.field.variants:
            word = next(iter(self.field.variants))
        show_value(self._select, word)
        if word != self._variant:
            self._variant, self._form = word, None
            self._inside.clear()
        self._show_parts(self.field.variants[word].parts, value)

    def _on_choice(self, word: Any) -> None:
        if word in self.field.variants:
            self.put({self.field.key: word, **self.field.variants[word].initial_value})

    def _on_field_change(self, name: str, value: Any) -> None:
        before = self.value if isinstance(self.value, dict) else self.default or {}
        self.send(with_value({self.field.key: self._variant, **before}, name, value))
