"""The knobs that stand on a card: a few settings each of two or three parameters; the rest waits in Make."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui

from ....core.registry import techniques
from ...example import KNOBS, Example

CHOICES: dict[tuple[str, str], dict[str, str]] = {
    ("patterns", "pattern_sizes"): {"null": "usual", "[2]": "2", "[3]": "3", "[2, 3]": "2 and 3", "[4]": "4"},
    ("patterns", "iterations"): {
        "null": "usual",
        "10000": "10 k",
        "100000": "100 k",
        "1000000": "1 M",
        "10000000": "10 M",
    },
    ("wfc", "pattern_size"): {"null": "usual", "1": "1", "2": "2", "3": "3", "4": "4"},
    ("wfc", "symmetry"): {"1": "1, as it is", "2": "2, mirrored", "4": "4, turned", "8": "8, all"},
    ("wfc", "relax"): {"false": "no", "true": "yes"},
    ("markov", "temperature"): {"0.3": "0.3", "0.6": "0.6", "1.0": "1", "1.5": "1.5", "2.0": "2"},
    ("markov", "sweeps"): {"0": "0", "1": "1", "4": "4", "16": "16", "64": "64"},
    ("markov", "mends"): {"0": "0", "1": "1", "4": "4", "16": "16"},
}
"""What can be chosen, by its JSON, and its words."""


class Knobs:
    """The knobs of one technique; `turn` is called with a name and a value, None for its default."""

    def __init__(self, technique: str, turn: Callable[[str, Any], None]) -> None:
        self.technique, self._turn = technique, turn
        fields = techniques.get(technique).params.model_fields
        self._usual = {name: json.dumps(fields[name].default) for name in KNOBS[technique]}
        self._selects: dict[str, ui.select] = {}
        with ui.element("div").classes("tw-example-knobs"):
            for name in KNOBS[technique]:
                with ui.element("label").classes("tw-example-knob"):
                    ui.tooltip(fields[name].description or "")
                    ui.label(name.replace("_", " ")).classes("tw-faint")
                    self._selects[name] = ui.select(
                        dict(CHOICES[technique, name]),
                        value=self._usual[name],
                        on_change=lambda event, name=name: self._chosen(name, event.value),
                    ).props(f"dense borderless options-dense data-testid=knob-{technique}-{name}")

    def refresh(self, example: Example) -> None:
        own = example.knobs.get(self.technique, {})
        for name, select in self._selects.items():
            value = json.dumps(own[name]) if name in own else self._usual[name]
            if value not in CHOICES[self.technique, name]:
                select.set_options({**CHOICES[self.technique, name], value: value[:20]}, value=value)
            elif select.value != value:
                select.set_value(value)

    def _chosen(self, name: str, value: str | None) -> None:
        if value is not None:
            self._turn(name, None if value == self._usual[name] else json.loads(value))
