"""Score matrix control: a grid of colored cells.

The grid is one element, whatever its size; drags are tracked in the browser.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import isqrt
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...core.fields import UNSET, Field
from ..page.scripts import read_script
from ..page.widgets import is_list
from .control import Control, icon_button, swatch, text_button
from .numbers import ControlInput, Slider, read_number, write_number

MAX_LABELED_STATES = 8
"""Maximum number of states for which the scores are written in the cells."""
SCRUB = read_script(__file__, "scrub_scores")
"""A press selects a cell of scores; dragging up or down changes it."""
KEYS = read_script(__file__, "key_scores")
"""Arrow keys move the focus, and Enter selects a cell."""


def count_states(scores: object) -> int:
    """Return the number of states of a score matrix, or 0 if it is invalid."""
    if not isinstance(scores, (list, tuple)) or not scores:
        return 0
    return len(scores) if isinstance(scores[0], (list, tuple)) else isqrt(len(scores))


def resize_scores(scores: Sequence[Any], side: int) -> list[float]:
    """Return a matrix of another size. Existing scores are kept, and new scores are random."""
    before, flat = count_states(scores), flatten_scores(scores)
    return [
        flat[row * before + column] if row < before and column < before else _draw_score()
        for row in range(side)
        for column in range(side)
    ]


def flatten_scores(scores: Sequence[Any]) -> list[float]:
    rows = scores if scores and isinstance(scores[0], (list, tuple)) else [scores]
    flat = [value for row in rows for value in row]
    return [value if isinstance(value, (int, float)) else 0.0 for value in flat][: count_states(scores) ** 2]


def _draw_score() -> float:
    """Return a random score. It is not seeded, because the recipe stores the scores."""
    return random.randrange(101) / 100


class ScoresControl(Control):
    """Scores of pairs of neighboring states, shown as colors."""

    is_wide = True

    def build(self) -> None:
        self._scores: list[float] = []
        self._side = 0
        self._selected: int | None = None
        self._editor: tuple[ui.element, ui.label, Slider, ControlInput] | None = None
        with ui.element("div").classes("tc-line tc-tools"):
            icon_button("casino", "random scores", self._randomize)
            if "random" in self.field.choices:
                by_seed = text_button("from seed", on_click=lambda: self.put("random"))
                by_seed.props["title"] = "draw the scores from the seed"
            self._note = ui.label().classes("tc-note")
        self._board = ui.html("", sanitize=False).classes("tc-scores")
        self._board.props["data-testid"] = self.binding.test_id
        self._board.on("pointerdown", self._on_drag, js_handler=SCRUB)
        self._board.on("keydown", self._on_drag, js_handler=KEYS)
        self._below = ui.element("div")

    @property
    def _states(self) -> int:
        """Current number of states."""
        values, number = self.context.siblings(), self._states_field
        if number is None:
            return count_states(self.default) or 6
        given = values.get(number.name)
        if isinstance(given, int):
            return int(min(max(given, number.minimum or 1), number.maximum or given))
        return count_states(values.get(number.sizes[0])) or count_states(self.default) or 6

    @property
    def _states_field(self) -> Field | None:
        """Field with the number of states."""
        return next((field for field in self.context.fields.values() if self.field.name in field.sizes), None)

    def draw(self, value: Any) -> None:
        number = self._states_field
        if self.value is UNSET and value is not None and number is not None and number.name in self.context.siblings():
            value = "random"  # If only the number of states is set, the scores are random.
        is_list = isinstance(value, (list, tuple)) and count_states(value) > 0
        self._scores = flatten_scores(value) if is_list else []
        self._side = count_states(value) if is_list else self._states if value is not None else 0
        if self._selected is not None and self._selected >= len(self._scores):
            self._selected = None
        self._note.text = "drag a cell up or down" if is_list else self._describe_source(value)
        self._draw_board()
        self._draw_editor()

    def _describe_source(self, value: Any) -> str:
        """Return where scores that are not given as numbers come from."""
        if self.field.prefix and str(value).startswith(self.field.prefix):
            return str(value)
        return "none" if value is None else "drawn from the seed"

    def retile(self) -> None:
        self._draw_board()

    def refresh(self) -> None:
        """Update the number of states, unless it follows from given scores."""
        if not isinstance(self.value, (list, tuple)):
            self.show(self.value)

    def _draw_board(self) -> None:
        side, tiles = self._side, self.context.tiles()
        colors = [tiles[state].color if state < len(tiles) else None for state in range(side)]
        low, high = min(0.0, *self._scores, 0.0), max(1.0, *self._scores, 1.0)
        cells = [f"<b>{swatch(None) if side == 0 else ''}</b>", *(f"<b>{swatch(color)}</b>" for color in colors)]
        for row in range(side):
            cells.append(f"<b>{swatch(colors[row])}</b>")
            for place in range(row * side, (row + 1) * side):
                if not self._scores:
                    cells.append("<i class=tc-unknown></i>")
                    continue
                score = self._scores[place]
                shown = f"{score:.2f}".rstrip("0").rstrip(".") if side <= MAX_LABELED_STATES else ""
                chosen = " class=tc-chosen" if place == self._selected else ""
                fraction = (score - low) / (high - low)
                reached = 0 if place == (self._selected or 0) else -1
                name = f'role=button tabindex={reached} aria-label="{row} next to {place % side}: {score:g}"'
                cells.append(f'<i{chosen} {name} data-v="{score:g}" style="--v:{fraction:.3f}">{shown}</i>')
        self._board.style(f"--side:{side}")
        self._board.content = "".join(cells) if side else ""

    def _draw_editor(self) -> None:
        """Show a slider and a text field for the selected score."""
        if self._selected is None:
            if self._editor is not None:
                self._editor[0].set_visibility(False)
            return
        if self._editor is None:
            with self._below, ui.element("div").classes("tc-line") as line:
                label = ui.label().classes("tc-note")
                slider = Slider(min=0, max=1, step=0.01, on_change=lambda event: self._on_slide(event.value))
                slider.props("dense aria-label=score").classes("tc-slider")
                box = ControlInput(self, self._on_input, part="-cell", step=0.01, hint="")
            self._editor = (line, label, slider, box)
        line, label, slider, box = self._editor
        line.set_visibility(True)
        row, column = divmod(self._selected, self._side)
        label.text = f"{row} next to {column}"
        was, self._is_showing = self._is_showing, True
        slider.value = min(max(self._scores[self._selected], 0), 1)
        box.value = write_number(self._scores[self._selected])
        self._is_showing = was

    def _on_drag(self, event: GenericEventArguments) -> None:
        if not is_list(event.args, 3):
            return
        action, place, score = event.args
        if not isinstance(place, int) or not 0 <= place < len(self._scores) or not isinstance(score, (int, float)):
            return
        self._selected = place
        if action == "select":
            self._draw_board()
            self._draw_editor()
        else:
            self._change(float(score), redraws=action == "done")

    def _on_slide(self, score: float | None) -> None:
        if not self._is_showing and isinstance(score, (int, float)):
            self._change(round(float(score), 4))

    def _on_input(self, text: str) -> None:
        self._change(float(read_number(text, self.field.item)))

    def _change(self, score: float, *, redraws: bool = True) -> None:
        if self._selected is None or self._selected >= len(self._scores):
            return
        self._scores = [score if place == self._selected else old for place, old in enumerate(self._scores)]
        if redraws:
            self._draw_board()
        self._draw_editor()
        self.send(list(self._scores))

    def _randomize(self) -> None:
        self.put([_draw_score() for _ in range(self._states**2)])
