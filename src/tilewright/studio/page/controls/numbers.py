"""Numbers: a slider over what is usual beside the exact value to type; several of them in a row; lists of them."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, log
from typing import Any

from nicegui import ui

from ....core.fields import UNSET, Field
from ..box import Box
from .control import Control

LARGEST = 1 << 62
"""Larger whole numbers are surely a slip of the keyboard."""
STEEP = 1000
"""Where the end of a slider is this many times its beginning, equal ways multiply instead of adding."""
FINE = 200
"""Steps of such a slider."""


class Rubbish(ValueError):
    """Typed text that is no such value."""


def read_number(text: str, field: Field) -> int | float:
    """The number in a text, within the field's bounds."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise Rubbish(f"must be a number, got {text[:20]!r}") from None
    if not isfinite(number) or abs(number) > LARGEST:
        raise Rubbish(f"must be a number of usual size, got {text[:20]!r}")
    if field.is_integer and number != int(number):
        raise Rubbish(f"must be a whole number, got {text[:20]}")
    if problem := field.refuse(number):
        raise Rubbish(f"{problem}, got {text[:20]}")
    return int(number) if field.is_integer else number


def written(number: Any) -> str:
    """A number as one types it."""
    if isinstance(number, float):
        return f"{number:.6g}" if abs(number) < 1e6 else f"{number:.15g}"
    return "" if number is None else str(number)


def percentage(part: float, total: float) -> str:
    """Return a part of a sum as it is shown: `33%`."""
    percent = 100 * part / total if total else 0.0
    return "<1%" if 0 < percent < 1 else f"{percent:.0f}%"


class SmallBox(Box):
    """A box of a control: it marks what cannot be read, and Escape shows again what holds."""

    def __init__(
        self,
        control: Control,
        typed: Callable[[str], None],
        *,
        part: str = "",
        step: float | None = None,
        hint: str | None = None,
    ) -> None:
        """`typed` may raise Rubbish; `part` is added to the control's id."""

        def read(text: str) -> None:
            try:
                typed(text)
            except Rubbish as rubbish:
                control.wires.fail(str(rubbish))

        hint = control.nothing if hint is None else hint
        super().__init__(control.wires.place + part, read, step=step, hint=hint, forgotten=control.forget)
        self.classes("tc-box")


class Slider(ui.slider):
    """A slider that the hand leads: what the server answers does not pull it back."""

    LOOPBACK = False


class NumberControl(Control):
    def build(self) -> None:
        field = self.field
        self._slider: Slider | None = None
        span = None if self.is_small else field.span
        if span is not None:
            self._low, self._high = span
            self._is_steep = self._low > 0 and self._high / self._low >= STEEP
            low, high, step = (0, 1, 1 / FINE) if self._is_steep else (*span, field.step)
            self._slider = Slider(min=low, max=high, step=step, on_change=lambda event: self._slid(event.value))
            self._slider.props("dense").classes("tc-slider")
            self._slider.props["aria-label"] = field.label
        step = field.step if span is not None else 1 if field.is_integer else 0.1
        hint = next(iter(field.means), self.nothing)
        self._box = SmallBox(self, self._typed, step=step, hint=hint)
        self._box.props["aria-label"] = field.label
        if not field.is_integer:
            self._box.props["step"] = "any" if span is None else step

    def draw(self, value: Any) -> None:
        self._box.value = "" if value in self.field.means.values() else written(value)
        if self._slider is not None:
            number = value if isinstance(value, (int, float)) else self._low
            number = min(max(number, self._low), self._high)
            self._slider.value = log(number / self._low) / log(self._high / self._low) if self._is_steep else number
            self._slider.classes(add="tc-auto" if value is None else "", remove="" if value is None else "tc-auto")

    def _slid(self, position: float | None) -> None:
        if self._is_showing or not isinstance(position, (int, float)):
            return
        if self._is_steep:
            number = float(f"{self._low * (self._high / self._low) ** position:.2g}")
        else:
            number = round(float(position), 10)
        value = round(number) if self.field.is_integer else number
        self._box.value = written(value)
        if self._slider is not None:
            self._slider.classes(remove="tc-auto")
        self.send(value)

    def _typed(self, text: str) -> None:
        if text:
            self.put(read_number(text, self.field))
        else:
            self.clear()


class TupleControl(Control):
    """A few values side by side; all of them or none."""

    def build(self) -> None:
        self._boxes: list[SmallBox] = []
        with ui.element("div").classes("tc-line"):
            for number, part in enumerate(self.field.parts):
                step = (1 if part.is_integer else 0.1) if part.kind == "number" else None
                suffix = f"-{number}" if number else ""
                self._boxes.append(SmallBox(self, lambda text: self._typed(), part=suffix, step=step))

    def draw(self, value: Any) -> None:
        values = value if isinstance(value, (list, tuple)) else []
        for number, box in enumerate(self._boxes):
            box.value = written(values[number]) if number < len(values) else ""

    def _typed(self) -> None:
        texts = [str(box.value or "").strip() for box in self._boxes]
        if not any(texts):
            self.clear()
        elif all(texts):
            parts = zip(texts, self.field.parts, strict=True)
            self.send([read_number(text, part) if part.kind == "number" else text for text, part in parts])
        elif self.value is not UNSET and self.value is not None:
            raise Rubbish("must be all of them, or none")


class NumbersControl(Control):
    """A list of numbers, typed with commas between them."""

    is_wide = True

    def build(self) -> None:
        self._box = SmallBox(self, self._typed).classes("tc-long")

    def draw(self, value: Any) -> None:
        self._box.value = ", ".join(map(written, value)) if isinstance(value, (list, tuple)) else ""

    def _typed(self, text: str) -> None:
        words = text.replace(",", " ").split()
        if words:
            self.send([read_number(word, self.field.item) for word in words])
        else:
            self.clear()
