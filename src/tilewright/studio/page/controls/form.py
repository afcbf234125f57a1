"""A form: a row for each field, with its label, its help, its control and the way back to the default."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from nicegui import ui

from . import chips, maps, matrices, neighbourhoods, numbers, strips, words
from .control import Around, Control, Wires
from .fields import UNSET, Field
from .matrices import resized, side_of
from .strips import fitted

FIRST = 8
"""Rows that are seen at once; those after them open by a click."""
FEW = 2
"""So many more than that are seen as well."""
SIDES = ("width", "height")
BANDS = ("biomes", "bands")
"""What lies between thresholds; the first that is there counts."""
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
        "switch": words.SwitchControl,
        "choice": words.ChoiceControl,
        "text": words.TextControl,
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


def control_for(field: Field, around: Around, wires: Wires, *, is_small: bool = False) -> Control:
    """The control of a field, built into the current slot."""
    return _kind_of(field, around)(field, around, wires, is_small=is_small)


def _kind_of(field: Field, around: Around) -> type[Control]:
    if field.name == "thresholds" and field.kind == "numbers" and "bands" in around.usual:
        return strips.StripControl
    return _controls()[field.kind]


class Row:
    """A field's row."""

    def __init__(
        self, field: Field, value: Any, around: Around, place: str, send: Callable[[Any], None], *, is_inner: bool
    ) -> None:
        self.field = field
        self._send, self._is_inner = send, is_inner
        self._error = self._blamed = ""
        kind = _kind_of(field, around)
        with ui.element("div").classes("tc-row") as self.element:
            self.element.props["data-help"] = field.about
            if kind.is_wide:
                self.element.classes("tc-wide")
            label = ui.label(field.label).classes("tc-label").on("click", js_handler=HELP)
            label.props["title"] = field.about
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
        usual = {field.name: field.default for field in fields if field.default is not UNSET}
        self._around = replace(around, siblings=lambda: self._values, usual=usual)
        self._place, self._is_inner = place, is_inner
        self._more: ui.element | None = None
        self._hidden: set[str] = set()
        self.rows: dict[str, Row] = {}
        sides = [field for field in fields if field.name in SIDES and field.kind == "number"]
        others = [field for field in fields if field not in sides]
        with ui.element("div").classes("tc-form"):
            if len(sides) == 2:
                with ui.element("div").classes("tc-halves"):
                    self._add(sides)
            else:
                others = list(fields)
            shown = FIRST if len(others) > FIRST + FEW else len(others)
            self._add(others[:shown])
            if others[shown:]:
                self._hidden = {field.name for field in others[shown:]}
                self._turn = ui.button(icon="expand_more", on_click=lambda: self._turn_more(), color=None)
                self._turn.props("flat dense no-caps").classes("tc-more").text = f"{len(self._hidden)} more"
                self._turn.props["data-testid"] = f"{place}-more"
                with ui.element("div").classes("tc-form") as self._more:
                    self._add(others[shown:])
                self._more.set_visibility(False)
                self._open_more()

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

    def _add(self, fields: Sequence[Field]) -> None:
        for field in fields:
            value = self._values.get(field.name, UNSET)
            send = partial(self._sent, field.name)
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

    def _sent(self, name: str, value: Any) -> None:
        if name == "states" and isinstance(value, int) and self._resize(value):
            return
        if name in BANDS and "thresholds" in self.rows:
            self._fit(name, value)
        self._put(name, value)

    def _put(self, name: str, value: Any) -> None:
        self._values = {key: old for key, old in self._values.items() if key != name}
        if value is not UNSET:
            self._values[name] = value
        self._follow(name)
        self._change(name, value)

    def _resize(self, side: int) -> bool:
        """Other numbers of states need other matrices; those that stand here are resized, and tell the states then."""
        matrices = [name for name, row in self.rows.items() if row.field.kind == "scores"]
        written = [name for name in matrices if isinstance(self._values.get(name), (list, tuple))]
        if "scores" not in written:
            return False
        if "states" in self._values:
            self._put("states", UNSET)
        for name in written:
            scores = resized(self._values[name], side)
            self.rows[name].show(scores)
            self._put(name, scores)
        self.rows["states"].mark_set(UNSET)
        return True

    def _fit(self, changed: str, value: Any) -> None:
        """Other numbers of bands need other borders between them."""
        borders, before = self._known("thresholds") or (), self._bands()
        after = self._bands(**{changed: self._around.usual.get(changed) if value is UNSET else value})
        if len(after) != len(borders) + 1:
            is_usual = value is UNSET and len(after) == len(self._around.usual.get("thresholds") or ()) + 1
            found = UNSET if is_usual else fitted(borders, before, after)
            self.rows["thresholds"].show(found)
            self._put("thresholds", found)

    def _known(self, name: str) -> Any:
        return self._values.get(name, self._around.usual.get(name))

    def _bands(self, **changed: Any) -> Sequence[Any]:
        """What lies between the borders: a table of biomes, or else bands."""
        found = [changed.get(name, self._known(name)) for name in BANDS]
        return next((one for one in found if isinstance(one, (list, tuple)) and one), ())

    def _follow(self, changed: str = "") -> None:
        """Show what follows from other fields, such as the size of a matrix that the seed draws."""
        for name, row in self.rows.items():
            if name != changed:
                row.control.follow()
        if "states" in self.rows and "scores" in self.rows and "states" not in self._values:
            self.rows["states"].control.show(side_of(self._values.get("scores")) or UNSET)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are written alike: 1 and true, or 1 and 1.0, are not."""
    return one is other or (type(one) is type(other) and one == other)
