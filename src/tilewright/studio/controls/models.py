"""Controls for nested models and unions of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from ...core.fields import UNSET, Field
from .control import Control, Mark, select
from .form import Form


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
        after = {key: old for key, old in before.items() if key != name}
        self.send(after if value is UNSET else {**before, name: value})


class ModelControl(InnerForm):
    """A group of fields, with a switch if it is optional."""

    def build(self) -> None:
        self._switch: ui.switch | None = None
        if self.field.nullable:
            self._switch = ui.switch(on_change=lambda event: self._on_switch(bool(event.value))).props("dense")
            self._switch.props["data-testid"] = self.binding.test_id
        super().build()

    def draw(self, value: Any) -> None:
        if self._switch is not None:
            self._switch.value = value is not None
        self._inside.set_visibility(isinstance(value, dict))
        if isinstance(value, dict):
            self._show_parts(self.parts, value)

    @property
    def parts(self) -> Sequence[Field]:
        """Fields of the model in display order."""
        return self.field.parts

    def _on_switch(self, is_on: bool) -> None:
        if self._is_showing:
            return
        if is_on:
            self.put(self.field.initial_value)
        else:
            self.show(None)
            self.clear()


class UnionControl(InnerForm):
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
        self._select.value = word
        if word != self._variant:
            self._variant, self._form = word, None
            self._inside.clear()
        self._show_parts(self.field.variants[word].parts, value)

    def _on_choice(self, word: Any) -> None:
        if not self._is_showing and word in self.field.variants:
            self.put({self.field.key: word, **self.field.variants[word].initial_value})

    def _on_field_change(self, name: str, value: Any) -> None:
        before = self.value if isinstance(self.value, dict) else self.default or {}
        after = {self.field.key: self._variant, **{key: old for key, old in before.items() if key != name}}
        self.send(after if value is UNSET else {**after, name: value})
