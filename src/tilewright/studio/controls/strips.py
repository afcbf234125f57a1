"""Strip control: thresholds as draggable borders between colored bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...core.fields import Field
from ..page.scripts import read_script
from ..page.widgets import is_list
from .numbers import NumbersControl

DRAG = read_script(__file__, "drag_borders")
BORDER_STEPS = 1000
"""Number of positions of a border."""


class StripControl(NumbersControl):
    """Increasing numbers from 0 to 1 between the tiles of other lists, as a strip and as a text field."""

    def build(self) -> None:
        self._borders: list[float] = []
        self._strip = ui.html("", sanitize=False).classes("tc-strip")
        self._strip.props["data-testid"] = f"{self.binding.test_id}-strip"
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

    def retile(self) -> None:
        self.show(self.value)

    def _on_drag(self, event: GenericEventArguments) -> None:
        if not is_list(event.args, 2):
            return
        number, fraction = event.args
        if (
            not isinstance(number, int)
            or not 0 <= number < len(self._borders)
            or not isinstance(fraction, (int, float))
        ):
            return
        low = self._borders[number - 1] if number else 0.0
        high = self._borders[number + 1] if number + 1 < len(self._borders) else 1.0
        border = min(max(round(fraction * BORDER_STEPS) / BORDER_STEPS, low), high)
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
