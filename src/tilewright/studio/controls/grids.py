"""Grids of cells to click or drag: score matrices, and neighborhoods as offsets from the center or rows of 0 and 1.

A grid is one element, whatever its size; drags are tracked in the browser.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from math import isqrt
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...core.fields import UNSET, Field
from ..page.widgets import on_choice, read_script, show_value, write_number
from .control import Control, icon_button, select, swatch, text_button
from .numbers import ControlInput, Slider, read_number

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


class ScoresControl(Control, kind="scores"):
    """Scores of pairs of neighboring states, shown as colors."""

    is_wide = True

    def build(self) -> None:
        self._scores: list[float] = []
        self._side = 0
        self._selected: int | None = None
        with ui.element("div").classes("tc-line tc-tools"):
            icon_button("casino", "random scores", self._randomize)
            if "random" in self.field.choices:
                test_id = f"{self.binding.test_id}-from-seed"
                by_seed = text_button("from seed", None, lambda: self.put("random"), test_id)
                by_seed.props["title"] = "draw the scores from the seed"
            self._note = ui.label().classes("tc-note")
        self._board = ui.html("", sanitize=False).classes("tc-scores").props(f"data-testid={self.binding.test_id}")
        self._board.on("pointerdown", self._on_drag, js_handler=SCRUB)
        self._board.on("keydown", self._on_drag, js_handler=KEYS)
        with ui.element("div").classes("tc-line") as self._editor:
            self._selected_label = ui.label().classes("tc-note")
            self._slider = on_choice(Slider(min=0, max=1, step=0.01), self._on_slide)
            self._slider.props("dense aria-label=score").classes("tc-slider")
            self._box = ControlInput(self, self._on_input, part="-cell", step=0.01, hint="")

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
        is_matrix = isinstance(value, (list, tuple)) and count_states(value) > 0
        self._scores = flatten_scores(value) if is_matrix else []
        self._side = count_states(value) if is_matrix else self._states if value is not None else 0
        if self._selected is not None and self._selected >= len(self._scores):
            self._selected = None
        self._note.text = "drag a cell up or down" if is_matrix else self._describe_source(value)
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
        self._editor.set_visibility(self._selected is not None)
        if self._selected is not None:
            row, column = divmod(self._selected, self._side)
            self._selected_label.text = f"{row} next to {column}"
            show_value(self._slider, min(max(self._scores[self._selected], 0), 1))
            self._box.value = write_number(self._scores[self._selected])

    def _on_drag(self, event: GenericEventArguments) -> None:
        match event.args:
            case [action, int(place), int() | float() as score] if 0 <= place < len(self._scores):
                self._selected = place
                if action == "select":
                    self._draw_board()
                    self._draw_editor()
                else:
                    self._change(float(score), redraws=action == "done")

    def _on_slide(self, score: float) -> None:
        if isinstance(score, (int, float)):
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


MAX_REACH = 7
"""Maximum radius of a grid of offsets."""
MAX_SIDE = 99
STROKE = read_script(__file__, "stroke_cells")
"""Toggles a cell and sets all cells of the stroke to the same state. Click events are those of the keyboard."""


class OffsetsControl(Control, kind="offsets"):
    """Neighbors of a cell: a named neighborhood, or a grid of cells around the center."""

    is_wide = True

    def build(self) -> None:
        self._offsets: list[tuple[int, int]] = []
        self._reach = 2
        self._means = self.field.means
        with ui.element("div").classes("tc-line tc-tools"):
            words = {word: word for word in self.field.choices}
            self._select = select({**words, "": "own"}, self._on_name, f"{self.binding.test_id}-name")
            icon_button("remove", "smaller grid", lambda: self._resize(-1))
            icon_button("add", "larger grid", lambda: self._resize(1))
            self._note = ui.label().classes("tc-note")
        self._board = _build_board(self)

    def draw(self, value: Any) -> None:
        show_value(self._select, value if isinstance(value, str) and value in self.field.choices else "")
        self._offsets = _read_pairs(self._means.get(value) if isinstance(value, str) else value)
        self._reach = max(self._reach, min(MAX_REACH, max((max(map(abs, pair)) for pair in self._offsets), default=1)))
        self._draw_board()

    def _draw_board(self) -> None:
        reach = self._reach
        on = {*self._offsets}
        cells = []
        for y in range(-reach, reach + 1):
            for x in range(-reach, reach + 1):
                middle = " data-fixed=1 class=tc-middle" if x == y == 0 else ""
                cells.append(_render_cell((x, y) in on, y, x, middle))
        beyond = sum(max(map(abs, pair)) > reach for pair in self._offsets)
        count = f"{len(self._offsets)} cell{'' if len(self._offsets) == 1 else 's'}"
        self._note.text = f"{count}, {beyond} outside the grid" if beyond else count
        self._board.style(f"--side:{2 * reach + 1}")
        self._board.content = "".join(cells)

    def _resize(self, change: int) -> None:
        self._reach = min(max(self._reach + change, 1), MAX_REACH)
        self._draw_board()

    def _on_name(self, word: Any) -> None:
        if word:
            self.put(word)

    def take_stroke(self, places: list[int], is_on: bool) -> None:
        side = 2 * self._reach + 1
        inside = [place for place in dict.fromkeys(places) if place < side * side]
        pairs = [(place % side - self._reach, place // side - self._reach) for place in inside]
        self._offsets = [other for other in self._offsets if other not in pairs] + (pairs if is_on else [])
        if not self._offsets:
            self._draw_board()
            self.binding.fail("must have at least one neighbor")
            return
        same = (word for word in self.field.choices if {*_read_pairs(self._means.get(word))} == {*self._offsets})
        self.put(next(same, None) or [list(pair) for pair in self._offsets])


def _build_board(control: OffsetsControl | CellsControl) -> ui.html:
    """Build a grid of cells to click or draw on."""
    board = ui.html("", sanitize=False).classes("tc-cells").props(f'role=group aria-label="{control.field.label}"')
    board.props["data-testid"] = control.binding.test_id

    def on_stroke(event: GenericEventArguments) -> None:
        match event.args:
            case [is_on, list(places)]:
                control.take_stroke([one for one in places if isinstance(one, int) and one >= 0], bool(is_on))

    for name in ("pointerdown", "click"):
        board.on(name, on_stroke, js_handler=STROKE)
    return board


def _render_cell(is_on: bool, down: int, right: int, more: str) -> str:
    """Return the HTML of a cell, labeled by its offset from the center: `2 up, 1 left`."""
    parts = [f"{abs(down)} {'down' if down > 0 else 'up'}"] if down else []
    parts += [f"{abs(right)} {'right' if right > 0 else 'left'}"] if right else []
    label = ", ".join(parts) or "the cell itself"
    return f'<button type=button data-on={int(is_on)} aria-label="{label}"{more}></button>'


def resize_cells(rows: Sequence[Sequence[int]], width: int, height: int) -> list[list[int]]:
    """Return a matrix with another size and the same center."""
    down, right = len(rows) // 2 - height // 2, len(rows[0]) // 2 - width // 2
    cells = {(y - down, x - right): cell for y, row in enumerate(rows) for x, cell in enumerate(row)}
    return [[cells.get((y, x), 0) for x in range(width)] for y in range(height)]


def _read_pairs(value: Any) -> list[tuple[int, int]]:
    """Return pairs of dx, dy from a nested or flat list."""
    if not isinstance(value, (list, tuple)):
        return []
    flat = [part for item in value for part in (item if isinstance(item, (list, tuple)) else (item,))]
    if not all(isinstance(part, int) for part in flat):
        return []
    return list(zip(flat[::2], flat[1::2], strict=False))


class CellsControl(Control, kind="cells"):
    """Matrix of 0 and 1, as a grid of cells to click; the center is marked."""

    is_wide = True

    def build(self) -> None:
        self._rows: list[list[int]] = []
        with ui.element("div").classes("tc-line tc-drawing"):
            self._board = _build_board(self)
            with ui.element("div").classes("tc-tools"):
                for noun, rows, columns in (("columns", 0, 1), ("rows", 1, 0)):
                    with ui.element("div").classes("tc-line"):
                        icon_button("remove", f"fewer {noun}", partial(self._resize, -rows, -columns))
                        ui.label(noun).classes("tc-note")
                        icon_button("add", f"more {noun}", partial(self._resize, rows, columns))

    def draw(self, value: Any) -> None:
        rows = value if isinstance(value, (list, tuple)) else []
        rows = [[int(cell == 1) for cell in row] for row in rows if isinstance(row, (list, tuple))] or [[0]]
        width = max(1, *map(len, rows))
        self._rows = [row + [0] * (width - len(row)) for row in rows]
        middle = (len(rows) // 2, width // 2)
        self._board.style(f"--side:{width}")
        self._board.content = "".join(
            _render_cell(bool(cell), y - middle[0], x - middle[1], " class=tc-middle" if (y, x) == middle else "")
            for y, row in enumerate(self._rows)
            for x, cell in enumerate(row)
        )

    def _resize(self, rows: int, columns: int) -> None:
        height = min(max(len(self._rows) + rows, 1), MAX_SIDE)
        width = min(max(len(self._rows[0]) + columns, 1), MAX_SIDE)
        self.put(resize_cells(self._rows, width, height))

    def take_stroke(self, places: list[int], is_on: bool) -> None:
        width, rows = len(self._rows[0]), enumerate(self._rows)
        self.put([[int(is_on) if y * width + x in places else cell for x, cell in enumerate(row)] for y, row in rows])
