"""Knobs of the opened recipe, as controls above the parameters of its technique."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nicegui import ui

from ...core.errors import TilewrightError
from ...core.fields import UNSET, Field
from ...core.knobs import RecipeKnob
from ...core.recipe_knobs import apply_knobs
from ..controls import Controls
from ..page.view import StatePanel
from ..session import Session
from ..state import State

CUSTOM = "custom"
"""Placeholder of a knob whose parameters were edited, so that they correspond to none of its values."""


class KnobPanel(StatePanel):
    """Controls of the knobs. A knob that is turned changes all parameters that it drives, as one undo step."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.controls: Controls | None = None
        self._knobs: tuple[RecipeKnob, ...] = ()
        self._built: object = None
        """Declarations and defaults of the knobs that are shown."""
        self.element = ui.element("div").classes("tw-fields").props("data-testid=knobs")
        self.note = ui.label("").classes("tw-faint").props("role=status data-testid=knobs-custom")

    @property
    def is_empty(self) -> bool:
        """Whether the recipe has no knobs."""
        return not self._knobs

    def select(self, state: State) -> object:
        return state.opened, {key: value for key, value in state.recipe.items() if key not in ("seed", "locks")}

    def refresh(self, state: State) -> None:
        """Show the knobs of a state and their values."""
        self._knobs = state.knobs
        fields = [_make_field(knob, state.opened.knobs) for knob in self._knobs]
        shape = [(field.schema, field.default) for field in fields], [knob.to_data() for knob in self._knobs]
        values = {knob.name: knob.value for knob, field in zip(self._knobs, fields, strict=True)}
        values = {name: value for name, value in values.items() if value is None or value != _default(fields, name)}
        if shape != self._built:
            self._built = shape
            self._build(fields, values)
        elif self.controls is not None:
            self.controls.update(values)
        custom = [field.label for knob, field in zip(self._knobs, fields, strict=True) if knob.value is None]
        self.note.set_text(f"Set by hand: {', '.join(custom)}." if custom else "")
        self.note.set_visibility(bool(custom))

    def _build(self, fields: list[Field], values: Mapping[str, Any]) -> None:
        self.element.clear()
        self.element.set_visibility(bool(fields))
        self.controls = None
        if fields:
            with self.element:
                self.controls = Controls(fields, values, self._on_change, test_id="knob")

    def _on_change(self, name: str, value: Any) -> None:
        state = self.session.state
        knobs = {knob.name: knob for knob in self._knobs}
        if value is UNSET:
            value = state.opened.knobs.get(name)
        try:
            data = apply_knobs({**state.recipe, "knobs": knobs}, {name: value})
        except TilewrightError as error:
            self.session.emit("refused", error)
            return
        words = {word: part for word, part in data.items() if word not in ("locks", "knobs")}
        self.session.change(state.with_recipe(**words), undo_group=f"knob.{name}")


def _make_field(knob: RecipeKnob, defaults: Mapping[str, Any]) -> Field:
    """Return the field of a knob, whose default is the value that it had when the recipe was opened."""
    default = defaults.get(knob.name, UNSET)
    return replace(knob.field, default=default, short_default=default, labels={"null": CUSTOM})


def _default(fields: list[Field], name: str) -> Any:
    return next(field.default for field in fields if field.name == name)
