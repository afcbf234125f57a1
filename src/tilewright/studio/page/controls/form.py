"""A form: a row for each field, with its label, its help, its control and the way back to the default."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from typing import Any

from nicegui import ui

from ....core.fields import UNSET, Field
from . import chips, maps, matrices, neighbourhoods, numbers, strips, words
from .control import Around, Control, Mark, Wires, text_button
from .matrices import resized, side_of
from .strips import bands_of, fitted

FIRST = 9
"""Rows that are shown at once, those of a group counted as one; a click opens the others."""
FEW = 2
"""Up to this many more are shown as well."""
WHOLE = frozenset({"items", "model", "union", "words", "numbers", "cells", "tuple", "choices"})
"""Kinds that some recipes write short, as a text."""
HELP = "(event) => event.target.closest('.tc-row').classList.toggle('tc-helped')"
log = logging.getLogger(__name__)


@cache
def _controls() -> dict[str, type[Control]]:
    from . import models, tables  # which are made of forms

    return {
        "number": numbers.NumberControl,
        "tuple": numbers.TupleControl,
        "numbers": numbers.NumbersControl,
        "strip": strips.StripControl,
        "switch": words.SwitchControl,
        "choice": words.ChoiceControl,
        "text": words.TextControl,
        "names": words.NamesControl,
        "tile": chips.TileControl,
        "words": chips.WordsControl,
        "choices": chips.ChoicesControl,
        "json": words.JsonControl,
        "scores": matrices.ScoresControl,
        "offsets": neighbourhoods.OffsetsControl,
        "cells": neighbourhoods.CellsControl,
        "model": models.ModelControl,
        "union": models.UnionControl,
        "items": tables.ItemsControl,
        "map": maps.MapControl,
        "maps": maps.MapsControl,
        "file": maps.FileControl,
        "recipe": maps.RecipeControl,
    }


_registered: dict[str, type[Control]] = {}


def register_control(name: str, control: type[Control]) -> None:
    """Let fields and models that declare `control=name` have this control."""
    _registered[name] = control


def kind_of(field: Field) -> type[Control]:
    """The control class of a field: the one that it declares, or that of its kind."""
    return _registered.get(field.control) or _controls()["names" if field.names_of else field.kind]


def control_for(field: Field, around: Around, wires: Wires, *, is_small: bool = False) -> Control:
    """The control of a field, built into the current slot."""
    return kind_of(field)(field, around, wires, is_small=is_small)


class Row:
    """A field's row."""

    def __init__(
        self, field: Field, value: Any, around: Around, place: str, send: Callable[[Any], None], *, is_inner: bool
    ) -> None:
        self.field = field
        self._send, self._is_inner = send, is_inner
        self._error = self._blamed = ""
        with ui.element("div").classes("tc-row") as self.element:
            self.element.props["data-help"] = field.description
            if kind_of(field).is_wide:
                self.element.classes("tc-wide")
            label = ui.label(field.label).classes("tc-label").on("click", js_handler=HELP)
            label.props["title"] = field.description
            self._reset = ui.button(icon="restart_alt", on_click=lambda: self._back(), color=None)
            self._reset.props("flat round dense size=xs tabindex=-1").classes("tc-reset")
            self._reset.props["aria-label"] = self._reset.props["title"] = f"back to the default: {field.label}"
            self._reset.props["data-testid"] = f"{place}-reset"
            with ui.element("div").classes("tc-control"):
                self.control = control_for(field, around, Wires(place, self._sent, self._failed))
        self.show(value)

    def show(self, value: Any) -> None:
        """Show a value from elsewhere; UNSET shows the default."""
        self._failed("")
        self.mark_set(value)
        try:
            self.control.show(value)
        except (TypeError, ValueError, LookupError, AttributeError):  # a value that is none, in somebody's recipe
            log.debug("no such value for %s: %r", self.field.name, value, exc_info=True)
            self._failed("cannot be shown here")
        if isinstance(value, str) and self.field.kind in WHOLE:
            self._failed("written as a text; a change here replaces it")

    def blame(self, problem: str) -> None:
        """An error line names it; "" for none."""
        self._blamed = problem
        self._tell()

    def _sent(self, value: Any) -> None:
        self.mark_set(value)
        self._send(value)

    def _back(self) -> None:
        self.show(UNSET)
        self._send(UNSET)

    def _failed(self, problem: str) -> None:
        self._error = problem
        self._tell()

    def _tell(self) -> None:
        told = self._error or self._blamed
        if self.element.props.get("data-error", "") != told:
            self.element.props["data-error"] = told
            self.element.classes(add="tc-wrong" if told else "", remove="" if told else "tc-wrong")

    def mark_set(self, value: Any) -> None:
        """Offer the way back, if there is one. Inside a model, values may be written and still be the usual ones."""
        is_usual = self._is_inner and value == self.field.default
        is_set = value is not UNSET and self.field.default is not UNSET and not is_usual
        if ("tc-set" in self.element.classes) != is_set:
            self.element.classes(add="tc-set" if is_set else "", remove="" if is_set else "tc-set")


class Form:
    """Fields and their values."""

    def __init__(
        self,
        fields: Sequence[Field],
        values: Mapping[str, Any],
        change: Callable[[str, Any], None],
        around: Around,
        *,
        place: str = "param",
        is_inner: bool = False,
    ) -> None:
        self._values = dict(values)
        self._change = change
        by_name = {field.name: field for field in fields}
        self._around = replace(around, siblings=lambda: self._values, fields=by_name)
        if not is_inner:
            self._around = replace(self._around, root=self._around.value_of)
        self._place, self._is_inner = place, is_inner
        self._more: ui.element | None = None
        self._hidden: set[str] = set()
        self.rows: dict[str, Row] = {}
        blocks = [[*block] for _, block in groupby(fields, lambda field: field.group or field.name)]
        shown = FIRST if len(blocks) > FIRST + FEW else len(blocks)
        with ui.element("div").classes("tc-form"):
            self._add(blocks[:shown])
            if blocks[shown:]:
                self._hidden = {field.name for block in blocks[shown:] for field in block}
                self._turn = text_button(f"{len(self._hidden)} more", "expand_more", lambda: self._turn_more())
                self._turn.props["data-testid"] = f"{place}-more"
                with ui.element("div").classes("tc-form") as self._more:
                    self._add(blocks[shown:])
                self._more.set_visibility(False)
                self._open_more()
        self._hide()

    def update(self, values: Mapping[str, Any]) -> None:
        """Values from elsewhere; fires nothing."""
        before, self._values = self._values, dict(values)
        for name, row in self.rows.items():
            value = self._values.get(name, UNSET)
            if not _same(before.get(name, UNSET), value):
                row.show(value)
        self._follow()
        self._open_more()

    def retile(self) -> None:
        for row in self.rows.values():
            row.control.retile()

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        """Show what is wrong with the fields; return what none of them has a place for."""
        for name, row in self.rows.items():
            inner = [(path[1:], text) for path, text in marks if path[:1] == (name,)]
            row.blame("; ".join(text for _, text in row.control.mark(inner))[:160])
        return [mark for mark in marks if not mark[0] or mark[0][0] not in self.rows]

    def _add(self, blocks: Sequence[Sequence[Field]]) -> None:
        for block in blocks:
            with ui.element("div").classes("tc-halves") if len(block) > 1 else nullcontext():
                for field in block:
                    value = self._values.get(field.name, UNSET)
                    send = partial(self._sent, field)
                    place = f"{self._place}-{field.name}"
                    self.rows[field.name] = Row(field, value, self._around, place, send, is_inner=self._is_inner)

    def _open_more(self) -> None:
        if self._more is not None and not self._more.visible and self._hidden & self._values.keys():
            self._turn_more()

    def _turn_more(self) -> None:
        if self._more is not None:
            self._more.set_visibility(not self._more.visible)
            self._turn.icon = "expand_less" if self._more.visible else "expand_more"
            self._turn.text = "Less" if self._more.visible else f"{len(self._hidden)} more"

    def _sent(self, field: Field, value: Any) -> None:
        if field.sizes and isinstance(value, int) and self._resize(field, value):
            return
        for other in self._around.fields.values():
            if field.name in other.between:
                self._fit(other, field.name, value)
        self._put(field.name, value)

    def _put(self, name: str, value: Any) -> None:
        self._values = {key: old for key, old in self._values.items() if key != name}
        if value is not UNSET:
            self._values[name] = value
        self._follow(name)
        self._change(name, value)

    def _resize(self, field: Field, side: int) -> bool:
        """Resize the matrices that are set, which then decide the number; without the first one nothing is done."""
        written = [name for name in field.sizes if isinstance(self._values.get(name), (list, tuple))]
        if field.sizes[0] not in written:
            return False
        if field.name in self._values:
            self._put(field.name, UNSET)
        for name in written:
            scores = resized(self._values[name], side)
            self.rows[name].show(scores)
            self._put(name, scores)
        self.rows[field.name].mark_set(UNSET)
        return True

    def _fit(self, thresholds: Field, changed: str, value: Any) -> None:
        """Another number of bands needs another number of thresholds between them."""
        known = self._around.value_of
        borders, before = known(thresholds.name) or (), bands_of(thresholds, known)
        default = self._around.fields[changed].default
        now = default if value is UNSET else value
        after = bands_of(thresholds, lambda name: now if name == changed else known(name))
        if len(after) != len(borders) + 1:
            usual = thresholds.default if isinstance(thresholds.default, list) else ()
            found = UNSET if value is UNSET and len(after) == len(usual) + 1 else fitted(borders, before, after)
            self.rows[thresholds.name].show(found)
            self._put(thresholds.name, found)

    def _follow(self, changed: str = "") -> None:
        """Show what follows from other fields, such as the size of a matrix that the seed draws."""
        for name, row in self.rows.items():
            if name != changed:
                row.control.follow()
            if row.field.sizes and name not in self._values:
                row.control.show(side_of(self._values.get(row.field.sizes[0])) or UNSET)
        self._hide()

    def _hide(self) -> None:
        """Hide what has no effect, unless it is set."""
        for name, row in self.rows.items():
            is_set = name in self._values and not (self._is_inner and self._values[name] == row.field.default)
            row.element.set_visibility(is_set or self._has_effect(row.field))

    def _has_effect(self, field: Field) -> bool:
        """Whether the parameter on which this one depends has such a value."""
        if not field.hidden_unless:
            return True
        name, *values = field.hidden_unless
        value = self._around.value_of(name)
        return value in values if values else bool(value)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are written alike: 1 and true, or 1 and 1.0, are not."""
    return one is other or (type(one) is type(other) and one == other)
