"""Neighborhood controls: a grid of cells to click, for offsets from the center or rows of 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ..page.scripts import read_script
from ..page.widgets import is_list
from .control import Control, icon_button, select

MAX_REACH = 7
"""Maximum radius of a grid of offsets."""
MAX_SIDE = 99
STROKE = read_script(__file__, "stroke_cells")
"""Toggles a cell and sets all cells of the stroke to the same state. Click events are those of the keyboard."""


class OffsetsControl(Control):
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
        self._select.value = value if isinstance(value, str) and value in self.field.choices else ""
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
        if not self._is_showing and word:
            self.put(word)

    def on_stroke(self, event: GenericEventArguments) -> None:
        if not is_list(event.args, 2):
            return
        on, places = event.args
        side = 2 * self._reach + 1
        for place in places if isinstance(places, list) else ():
            if not isinstance(place, int) or not 0 <= place < side * side:
                continue
            pair = (place % side - self._reach, place // side - self._reach)
            self._offsets = [other for other in self._offsets if other != pair] + ([pair] if on else [])
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
    for event in ("pointerdown", "click"):
        board.on(event, control.on_stroke, js_handler=STROKE)
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


class CellsControl(Control):
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

    def on_stroke(self, event: GenericEventArguments) -> None:
        if not is_list(event.args, 2):
            return
        on, places = event.args
        width = len(self._rows[0])
        chosen = {place for place in places if isinstance(place, int)} if isinstance(places, list) else set()
        self.put(
            [
                [int(bool(on)) if y * width + x in chosen else cell for x, cell in enumerate(row)]
                for y, row in enumerate(self._rows)
            ]
        )
