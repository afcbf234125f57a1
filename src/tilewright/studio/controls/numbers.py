"""Number controls: a slider with a text field, tuples and lists of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isfinite, log
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...core.fields import UNSET, Field
from ..page.widgets import DebouncedInput, InvalidInput, on_choice, read_script, show_value, toggle_class, write_number
from .control import Control

MAX_NUMBER = 1 << 62
"""Maximum absolute value; larger numbers are assumed to be typing errors."""
MIN_LOG_RATIO = 1000
"""Ratio of the ends of a slider from which its scale is logarithmic."""
LOG_STEPS = 200
"""Number of steps of a logarithmic slider."""


def read_number(text: str, field: Field) -> int | float:
    """Return the number in a string. Raise InvalidInput if the number is invalid or outside the field's bounds."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise InvalidInput(f"must be a number, got {text[:20]!r}") from None
    if not isfinite(number) or abs(number) > MAX_NUMBER:
        raise InvalidInput(f"must be a number of at most {MAX_NUMBER:.1e}, got {text[:20]!r}")
    if field.is_integer and number != int(number):
        raise InvalidInput(f"must be an integer, got {text[:20]}")
    if problem := field.describe_violation(number):
        raise InvalidInput(f"{problem}, got {text[:20]}")
    return int(number) if field.is_integer else number


def format_percentage(part: float, total: float) -> str:
    """Return a fraction of a total as text, for example `33%`."""
    percent = 100 * part / total if total else 0.0
    return "<1%" if 0 < percent < 1 else f"{percent:.0f}%"


class ControlInput(DebouncedInput):
    """Input field of a control: marks invalid input; Escape restores the current value."""

    def __init__(
        self,
        control: Control,
        on_commit: Callable[[str], None],
        *,
        part: str = "",
        step: float | None = None,
        hint: str | None = None,
    ) -> None:
        """Create the field. `part` is appended to the control's test id."""
        self._binding = control.binding
        hint = control.empty_label if hint is None else hint
        super().__init__(control.binding.test_id + part, on_commit, step=step, hint=hint, on_cancel=control.revert)
        self.classes("tc-box")
        self.props["aria-label"] = control.field.label + part.replace("-", " ")

    def mark_problem(self, problem: str) -> None:
        self._binding.fail(problem)


class Slider(ui.slider):
    """Slider whose value is not set by the server while the user drags it."""

    LOOPBACK = False


class NumberControl(Control, kind="number"):
    """A number: a text field, and a slider if the field has a usual range."""

    def build(self) -> None:
        field = self.field
        self._slider: Slider | None = None
        span = None if self.is_small else field.span
        if span is not None:
            self._low, self._high = span
            self._is_logarithmic = self._low > 0 and self._high / self._low >= MIN_LOG_RATIO
            low, high, step = (0, 1, 1 / LOG_STEPS) if self._is_logarithmic else (*span, field.step)
            self._slider = on_choice(Slider(min=low, max=high, step=step), self._on_slide)
            self._slider.props("dense").classes("tc-slider")
            self._slider.props["aria-label"] = field.label
        step = field.step if span is not None else 1 if field.is_integer else 0.1
        hint = next(iter(field.means), self.empty_label)
        self._box = ControlInput(self, self._on_input, step=step, hint=hint)
        if not field.is_integer:
            self._box.props["step"] = "any" if span is None else step

    def draw(self, value: Any) -> None:
        self._box.value = "" if value in self.field.means.values() else write_number(value)
        if self._slider is not None:
            number = value if isinstance(value, (int, float)) else self._low
            number = min(max(number, self._low), self._high)
            position = log(number / self._low) / log(self._high / self._low) if self._is_logarithmic else number
            show_value(self._slider, position)
            toggle_class(self._slider, "tc-auto", value is None)

    def _on_slide(self, position: float) -> None:
        if not isinstance(position, (int, float)):
            return
        if self._is_logarithmic:
            number = float(f"{self._low * (self._high / self._low) ** min(max(position, 0.0), 1.0):.2g}")
        else:
            number = round(float(position), 10)
        value = round(number) if self.field.is_integer else number
        self._box.value = write_number(value)
        if self._slider is not None:
            self._slider.classes(remove="tc-auto")
        self.send(value)

    def _on_input(self, text: str) -> None:
        if text:
            self.put(read_number(text, self.field))
        else:
            self.clear()


class TupleControl(Control, kind="tuple"):
    """A tuple of values, all of them set or none."""

    def build(self) -> None:
        self._boxes: list[ControlInput] = []
        with ui.element("div").classes("tc-line"):
            for number, part in enumerate(self.field.parts):
                step = (1 if part.is_integer else 0.1) if part.kind == "number" else None
                suffix = f"-{number}" if number else ""
                box = ControlInput(self, lambda text: self._on_input(), part=suffix, step=step)
                box.props["aria-label"] = f"{self.field.label}, {number + 1} of {len(self.field.parts)}"
                self._boxes.append(box)

    def draw(self, value: Any) -> None:
        values = value if isinstance(value, (list, tuple)) else []
        for number, box in enumerate(self._boxes):
            box.value = write_number(values[number]) if number < len(values) else ""

    def _on_input(self) -> None:
        texts = [str(box.value or "").strip() for box in self._boxes]
        if not any(texts):
            self.clear()
        elif all(texts):
            parts = zip(texts, self.field.parts, strict=True)
            self.send([read_number(text, part) if part.kind == "number" else text for text, part in parts])
        elif self.value is not UNSET and self.value is not None:
            raise InvalidInput("must have all values or none")


class NumbersControl(Control, kind="numbers"):
    """A list of numbers, separated by commas."""

    is_wide = True

    def build(self) -> None:
        self._box = ControlInput(self, self._on_input).classes("tc-long")

    def draw(self, value: Any) -> None:
        self._box.value = ", ".join(map(write_number, value)) if isinstance(value, (list, tuple)) else ""

    def _on_input(self, text: str) -> None:
        words = text.replace(",", " ").split()
        if words:
            self.send([read_number(word, self.field.item) for word in words])
        else:
            self.clear()


DRAG = read_script(__file__, "drag_borders")
BORDER_STEPS = 1000
"""Number of positions of a border."""


class StripControl(NumbersControl, kind="strip"):
    """Increasing numbers from 0 to 1 between the tiles of other lists, as a strip and as a text field."""

    shows_tiles = True

    def build(self) -> None:
        self._borders: list[float] = []
        self._strip = ui.html("", sanitize=False).classes("tc-strip").props(f"data-testid={self.binding.test_id}-strip")
        self._strip.on("pointerdown", self._on_drag, js_handler=DRAG)
        super().build()

    def draw(self, value: Any) -> None:
        super().draw(value)
        numbers = value if isinstance(value, (list, tuple)) else []
        self._borders = [float(number) for number in numbers if isinstance(number, (int, float))]
        words = [
            one[0] if isinstance(one, (list, tuple)) and one else one
            for one in find_bands(self.field, self.context.value_of)
        ]
        parts, edges = [], [0.0, *self._borders, 1.0]
        for number, (low, high) in enumerate(pairwise(edges)):
            color = self.context.find_color(words[number]) if number < len(words) else None
            parts.append(f'<i style="flex:{max(high - low, 0):.4f};background:{color or "var(--line)"}"></i>')
        parts += [
            f'<b data-handle="{number}" style="left:{100 * border:.2f}%" title="{border:g}"></b>'
            for number, border in enumerate(self._borders)
        ]
        self._strip.content = "".join(parts)

    def refresh(self) -> None:
        """Update the bands."""
        self.show(self.value)

    def _on_drag(self, event: GenericEventArguments) -> None:
        match event.args:
            case [int(number), int() | float() as fraction] if 0 <= number < len(self._borders):
                edges = [0.0, *self._borders, 1.0]
                border = min(max(round(fraction * BORDER_STEPS) / BORDER_STEPS, edges[number]), edges[number + 2])
                if border != self._borders[number]:
                    self.put([*self._borders[:number], border, *self._borders[number + 1 :]])


def find_bands(field: Field, value_of: Callable[[str], Any]) -> Sequence[Any]:
    """Return the bands between the thresholds: the first of the field's lists that is not empty."""
    found = (value_of(name) for name in field.between)
    return next((one for one in found if isinstance(one, (list, tuple)) and one), ())


def fit_borders(borders: Sequence[float], before: Sequence[Any], after: Sequence[Any]) -> list[float]:
    """Return borders for other bands: a removed band gives its range to the next, a new one splits the last."""
    found = list(borders)
    changed = next((place for place, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    while len(found) + 1 > max(len(after), 1):
        found.pop(min(len(found) - 1 if changed is None else changed, len(found) - 1))
    while len(found) + 1 < len(after):
        found.append(round(((found[-1] if found else 0.0) + 1) / 2, 3))
    return found
