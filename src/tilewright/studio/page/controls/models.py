"""Fields within fields: models, and one of several models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from ....core.fields import UNSET, Field
from .control import Control, Mark, select
from .form import Form


class ModelControl(Control):
    """A group of fields; where it may be left out, a switch stands before them."""

    is_wide = True

    def build(self) -> None:
        self._form: Form | None = None
        self._switch: ui.switch | None = None
        if self.field.nullable:
            self._switch = ui.switch(on_change=lambda event: self._switched(bool(event.value))).props("dense")
            self._switch.props["data-testid"] = self.wires.place
        self._inside = ui.element("div").classes("tc-inside")

    def draw(self, value: Any) -> None:
        if self._switch is not None:
            self._switch.value = value is not None
        if not isinstance(value, dict):
            self._inside.set_visibility(False)
            return
        self._inside.set_visibility(True)
        if self._form is None:
            with self._inside:
                self._form = Form(self.parts, value, self._changed, self.around, place=self.wires.place, is_inner=True)
        else:
            self._form.update(value)

    @property
    def parts(self) -> Sequence[Field]:
        """The fields of the model, in the order in which they are shown."""
        return self.field.parts

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        return marks if self._form is None else self._form.mark(marks)

    def retile(self) -> None:
        if self._form is not None:
            self._form.retile()

    def _switched(self, is_on: bool) -> None:
        if self._is_showing:
            return
        if is_on:
            fresh = self.field.initial_value
            self.show(fresh)
            self.send(fresh)
        else:
            self.show(None)
            self.clear()

    def _changed(self, name: str, value: Any) -> None:
        before = self.value if isinstance(self.value, dict) else self.default or {}
        after = {key: old for key, old in before.items() if key != name}
        self.send(after if value is UNSET else {**before, name: value})


class UnionControl(Control):
    """One of several models: which one, and its fields."""

    is_wide = True

    def build(self) -> None:
        self._word = ""
        self._form: Form | None = None
        words = {word: self.field.label_of(word) for word in self.field.variants}
        self._select = select(words, self._chosen, self.wires.place)
        self._inside = ui.element("div").classes("tc-inside")

    def draw(self, value: Any) -> None:
        value = value if isinstance(value, dict) else {}
        word = value.get(self.field.key)
        if word not in self.field.variants:
            word = next(iter(self.field.variants))
        self._select.value = word
        if word != self._word or self._form is None:
            self._word = word
            self._inside.clear()
            parts = self.field.variants[word].parts
            with self._inside:
                self._form = Form(parts, value, self._changed, self.around, place=self.wires.place, is_inner=True)
        else:
            self._form.update(value)

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        return marks if self._form is None else self._form.mark(marks)

    def retile(self) -> None:
        if self._form is not None:
            self._form.retile()

    def _chosen(self, word: Any) -> None:
        if not self._is_showing and word in self.field.variants:
            value = {self.field.key: word, **self.field.variants[word].initial_value}
            self.show(value)
            self.send(value)

    def _changed(self, name: str, value: Any) -> None:
        before = self.value if isinstance(self.value, dict) else self.default or {}
        after = {self.field.key: self._word, **{key: old for key, old in before.items() if key != name}}
        self.send(after if value is UNSET else {**after, name: value})
