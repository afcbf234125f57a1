"""The section of neighbourhoods: drawings in which cells are clicked on and off."""

from __future__ import annotations

from typing import TypeAlias

from nicegui import events, ui

from ....core.errors import counted
from . import rulebook_draft as books
from .editor import Block, Following, field_of
from .fields import adding, helped, small
from .names import name_input

Matrix: TypeAlias = list[list[int]]
WISHES = ("near", "wide", "row", "column", "corners", "ring")
LARGEST_CELL, LARGEST_DRAWING = 22, 210
"""Pixels."""
MOST = 99
PAINT = """(event) => {
  const cell = event.target.closest('[data-cell]');
  if (!cell) return;
  const board = cell.parentElement;
  const isOn = cell.getAttribute('aria-pressed') === 'true';
  if (event.type === 'pointerdown') {
    if (event.button !== 0) return;
    cell.releasePointerCapture?.(event.pointerId);
    board.painting = !isOn;
  } else if (event.type === 'pointerover') {
    if (!(event.buttons & 1) || board.painting === undefined) return;
  } else if (event.detail !== 0) {
    return;  // a click of the pointer has been seen as it went down; of the keyboard's it is the only sign
  } else {
    board.painting = !isOn;
  }
  if (isOn === board.painting) return;
  cell.setAttribute('aria-pressed', board.painting);
  emit([...cell.dataset.cell.split(',').map(Number), board.painting]);
}"""
"""Cells are switched in the browser at once, by click or by drawing over them."""


def drawings_section(host: Block) -> None:
    editor = host.editor
    ui.label(f"{field_of('', 'neighbourhoods')['description']} Click cells to switch them.").classes("tw-hint")

    def others() -> tuple[int, ...]:
        """The places of those that are not built in."""
        return tuple(at for at, one in enumerate(editor.book["neighbourhoods"]) if one["name"] not in books.BUILT_IN)

    def build(block: Block) -> None:
        for name in books.BUILT_IN:
            _card(block, Built(block, name), f"rules-neighbourhood-{name}")
        for number, place in enumerate(others()):
            _card(block, Own(block, place), f"rules-neighbourhood-{number}")

    Block(host, build, shape=others, classes="rules-list")

    def add() -> None:
        name = books.new_word([*books.neighbourhoods_in(editor.book)], WISHES, "neighbourhood")
        new = {"name": name, "matrix": books.resized(books.BUILT_IN["all"], 5, 5)}
        editor.put({**editor.book, "neighbourhoods": [*editor.book["neighbourhoods"], new]})

    adding("Neighbourhood", "Draw a neighbourhood of your own", add, "rules-add-neighbourhood")


class Own:
    """A neighbourhood of the book."""

    def __init__(self, host: Block, place: int | None) -> None:
        self.editor, self._place = host.editor, place

    @property
    def place(self) -> int | None:
        """Where it stands in the book; None for one that is as it always was."""
        return self._place

    @property
    def name(self) -> str:
        assert self.place is not None
        return str(self.editor.book["neighbourhoods"][self.place]["name"])

    @property
    def matrix(self) -> Matrix:
        return books.neighbourhoods_in(self.editor.book)[self.name]

    def draw(self, matrix: Matrix, what: str = "") -> None:
        """Put another drawing in its place; a built-in one becomes one of the book's own."""
        own = self.editor.book["neighbourhoods"]
        new = {"name": self.name, "matrix": matrix}
        drawn = [*own, new] if self.place is None else books.with_at(own, (self.place,), new)
        if matrix == books.BUILT_IN.get(self.name):
            drawn = [one for one in drawn if one["name"] != self.name]
        self.editor.put({**self.editor.book, "neighbourhoods": drawn}, what=what)

    def rename(self, new: str) -> None:
        assert self.place is not None
        self.editor.put(books.renamed_neighbourhood(self.editor.book, self.place, new))

    def remove(self) -> None:
        assert self.place is not None
        own = books.without(self.editor.book["neighbourhoods"], self.place)
        self.editor.put({**self.editor.book, "neighbourhoods": own})


class Built(Own):
    """A neighbourhood that is always there, and that the book may draw anew."""

    def __init__(self, host: Block, name: str) -> None:
        super().__init__(host, None)
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def place(self) -> int | None:
        own = [one["name"] for one in self.editor.book["neighbourhoods"]]
        return own.index(self._name) if self._name in own else None


def _card(host: Block, one: Own, test: str) -> None:
    """A drawing with its name and size."""
    with ui.element("div").classes("rules-drawing tw-card").props(f"data-testid={test}"):
        Drawing(host, one, test)
        with ui.element("div").classes("rules-grow"):
            with ui.element("div").classes("rules-line"):
                if isinstance(one, Built):
                    _fixed_name(host, one, test)
                else:
                    name_input(
                        host,
                        lambda: one.name,
                        lambda: [name for name in books.neighbourhoods_in(host.editor.book) if name != one.name],
                        "Neighbourhood",
                        one.rename,
                        test=f"{test}-name",
                    )
                    small("close", "Remove this neighbourhood", one.remove, f"{test}-remove")
            with ui.element("div").classes("rules-line rules-size"):
                _side(host, one, "width", f"{test}-width")
                ui.label("×").classes("tw-faint")
                _side(host, one, "height", f"{test}-height")
                about = ui.label("").classes("tw-faint")
                Following(host, lambda: about.set_text(counted(sum(map(sum, one.matrix)), "cell")))


def _fixed_name(host: Block, one: Own, test: str) -> None:
    ui.label(one.name).classes("rules-grow rules-word")
    remark = ui.label("always there").classes("tw-faint")
    restore = small("restart_alt", "As it always was", one.remove, f"{test}-restore")

    def follow() -> None:
        remark.set_visibility(one.place is None)
        restore.set_visibility(one.place is not None)

    Following(host, follow)


def _side(host: Block, one: Own, side: str, test: str) -> None:
    def shown() -> int:
        return len(one.matrix[0]) if side == "width" else len(one.matrix)

    def changed(value: float | None) -> None:
        if value is None or host.editor.is_following or not 1 <= value <= MOST or int(value) == shown():
            return
        sizes = (int(value), len(one.matrix)) if side == "width" else (len(one.matrix[0]), int(value))
        one.draw(books.resized(one.matrix, *sizes))

    control = ui.number(value=shown(), min=1, max=MOST, step=1, on_change=lambda event: changed(event.value))
    control.props(f'dense outlined hide-bottom-space data-testid={test} aria-label="{side}"').classes("rules-tiny")
    helped(control, f"{side.capitalize()} of the drawing; it grows around its middle")

    def follow() -> None:
        if control.value != shown():
            control.set_value(shown())

    Following(host, follow)


class Drawing(ui.element):
    """A matrix of cells to click. The browser switches them at once, so only other changes are sent to it."""

    def __init__(self, host: Block, one: Own, test: str) -> None:
        super().__init__("div")
        self.classes("rules-matrix").props(f'role=group aria-label="cells that count" data-testid={test}-cells')
        self._one = one
        self._shown: Matrix = []
        self._version = 0
        for event in ("pointerdown", "pointerover", "click"):
            self.on(event, self._switched, js_handler=PAINT)
        helped(self, field_of("Neighbourhood", "matrix")["description"])
        Following(host, self._follow)

    def _switched(self, event: events.GenericEventArguments) -> None:
        row, column, is_on = event.args
        if 0 <= row < len(self._shown) and 0 <= column < len(self._shown[0]):
            self._shown = books.with_at(self._shown, (int(row), int(column)), int(bool(is_on)))
            self._one.draw(self._shown, f"drawing {self.id}")

    def _follow(self) -> None:
        matrix = self._one.matrix
        if matrix == self._shown:
            return
        self._shown = matrix
        self._version += 1  # so that no drawing is like the one before, whatever the browser has switched since
        columns = len(matrix[0])
        side = max(5, min(LARGEST_CELL, LARGEST_DRAWING // columns))
        centre = len(matrix) // 2, columns // 2
        cells = "".join(
            f'<button type="button" data-cell="{row},{column}" aria-pressed="{"true" if on else "false"}"'
            f' aria-label="{_direction(row - centre[0], column - centre[1])}"'
            f"{' class=rules-centre' if (row, column) == centre else ''}></button>"
            for row, line in enumerate(matrix)
            for column, on in enumerate(line)
        )
        self.props["innerHTML"] = f"<div class=rules-cells>{cells}</div><!--{self._version}-->"
        self.style(replace=f"--columns: {columns}; --cell: {side}px")


def _direction(down: int, right: int) -> str:
    """`2 up, 1 left`."""
    parts = [f"{abs(down)} {'down' if down > 0 else 'up'}"] if down else []
    parts += [f"{abs(right)} {'right' if right > 0 else 'left'}"] if right else []
    return ", ".join(parts) or "the cell itself"
