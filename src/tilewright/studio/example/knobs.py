"""Selections on a card: a few values of two or three parameters. Make has all parameters."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui

from ...core.registry import techniques
from .state import SampleState, find_by_example


class Knobs:
    """Selections of one technique. `on_change` is called with a name and a value; None means the default."""

    def __init__(self, technique: str, on_change: Callable[[str, Any], None]) -> None:
        self.technique, self._on_change = technique, on_change
        fields, offered = techniques.get(technique).params.model_fields, find_by_example(technique).knobs
        self._defaults = {name: json.dumps(fields[name].default) for name in offered}
        self._selects: dict[str, ui.select] = {}
        self._options: dict[str, dict[str, str]] = {}
        with ui.element("div").classes("tw-example-knobs"):
            for name, values in offered.items():
                default = fields[name].default
                shown = values if default in values else (default, *values)
                self._options[name] = {json.dumps(value): format_knob_value(value) for value in shown}
                with ui.element("label").classes("tw-example-knob"):
                    ui.tooltip(fields[name].description or "")
                    ui.label(name.replace("_", " ")).classes("tw-faint")
                    self._selects[name] = ui.select(
                        self._options[name],
                        value=self._defaults[name],
                        on_change=lambda event, name=name: self._on_choice(name, event.value),
                    ).props(f"dense borderless options-dense data-testid=knob-{technique}-{name}")

    def refresh(self, example: SampleState) -> None:
        own = example.knobs.get(self.technique, {})
        for name, select in self._selects.items():
            value = json.dumps(own[name]) if name in own else self._defaults[name]
            if value not in self._options[name]:
                select.set_options({**self._options[name], value: value[:20]}, value=value)
            else:
                select.set_value(value)

    def _on_choice(self, name: str, value: str | None) -> None:
        if value is not None:
            self._on_change(name, None if value == self._defaults[name] else json.loads(value))


def format_knob_value(value: Any) -> str:
    """Return a value as short text: `default`, `yes`, `100 k`, `2 and 3`."""
    if value is None or isinstance(value, bool):
        return {None: "default", False: "no", True: "yes"}[value]
    if isinstance(value, (list, tuple)):
        return " and ".join(map(format_knob_value, value))
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if isinstance(value, int) and value >= size and value % size == 0:
            return f"{value // size} {unit}"
    return f"{value:g}" if isinstance(value, float) else str(value)
