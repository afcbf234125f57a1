"""Lists of anything, as tables; of what does not fit into a row, as cards that open."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from nicegui import ui

from ....core.fields import UNSET, Field, in_words
from .control import Around, Control, Wires, icon_button
from .form import control_for
from .rows import with_one_more

SIMPLE = frozenset({"number", "switch", "choice", "text", "tile", "tuple"})
"""Kinds that fit into a cell of a table."""
MOST_COLUMNS = 4
MOST_ROWS = 200
"""Longer lists are written as JSON elsewhere."""


class ItemsControl(Control):
    """A list: a row for each, to add, remove and order. What is no row of plain values is a card that opens."""

    is_wide = True

    def build(self) -> None:
        self._columns = self.field.parts
        self._is_table = not self._columns or (
            len(self._columns) <= MOST_COLUMNS and all(column.kind in SIMPLE for column in self._columns)
        )
        self._items: list[Any] = []
        self._rows: list[_Item] = []
        self._opened: set[int] = set()
        self._list = ui.element("div").classes("tc-table")
        self._list.props["data-testid"] = self.wires.place
        noun = f"add {in_words(self.field.item.title)}".strip()
        self._add = ui.button(noun, icon="add", on_click=lambda: self._added(), color=None)
        self._add.props("flat dense no-caps").classes("tc-more")
        self._add.props["data-testid"] = f"{self.wires.place}-add"

    def draw(self, value: Any) -> None:
        items = list(value) if isinstance(value, (list, tuple)) else []
        before, self._items = self._items, items[:MOST_ROWS]
        if self._rows and len(before) == len(self._items):
            for row, old, new in zip(self._rows, before, self._items, strict=True):
                if old != new:
                    row.show(new)
            return
        self._list.clear()
        with self._list:
            if not self._items:
                ui.label(self.nothing or "none").classes("tc-note")
            elif self._is_table and any(column.name for column in self._columns):
                with ui.element("div").classes("tc-cellrow tc-heads"):
                    for column in self._columns:
                        ui.label(column.label).props["title"] = column.description
                    ui.element("div").classes("tc-gap")
            self._rows = [self._row(number, item) for number, item in enumerate(self._items)]

    def retile(self) -> None:
        for row in self._rows:
            row.retile()

    def _row(self, number: int, item: Any) -> _Item:
        wires = Wires(f"{self.wires.place}-{number}", lambda value: self._changed(number, value), self.wires.fail)
        acts = (lambda: self._swap(number), lambda: self._removed(number))
        if self._is_table:
            return _Cells(self.field.item, self._columns, item, self.around, wires, acts)
        return _Card(self.field.item, item, self.around, wires, acts, is_open=number in self._opened, flip=self._opened)

    def _changed(self, number: int, value: Any) -> None:
        self._items = [value if place == number else old for place, old in enumerate(self._items)]
        self.send(list(self._items))

    def _added(self) -> None:
        self._opened.add(len(self._items))
        self._put(with_one_more(self.field, self._items, self.around))

    def _removed(self, number: int) -> None:
        self._opened = {place - (place > number) for place in self._opened if place != number}
        self._put([item for place, item in enumerate(self._items) if place != number])

    def _swap(self, number: int) -> None:
        """Before the one above it."""
        if number > 0:
            items = list(self._items)
            items[number - 1 : number + 1] = items[number], items[number - 1]
            other = {number: number - 1, number - 1: number}
            self._opened = {other.get(place, place) for place in self._opened}
            self._put(items)

    def _put(self, items: list[Any]) -> None:
        if not items and self.field.nullable:
            self.clear()
            return
        self._rows = []  # all are drawn anew
        self.show(items)
        self.send(items)


Acts = tuple[Callable[[], None], Callable[[], None]]


class _Item(ABC):
    """An item of a list."""

    @abstractmethod
    def show(self, item: Any) -> None:
        """Show another value of it."""

    @abstractmethod
    def retile(self) -> None:
        """The map has other tiles now."""


class _Cells(_Item):
    """A row of a table."""

    def __init__(
        self, field: Field, columns: tuple[Field, ...], item: Any, around: Around, wires: Wires, acts: Acts
    ) -> None:
        self._field, self._columns, self._item, self._wires = field, columns, item, wires
        with ui.element("div").classes("tc-cellrow"):
            if columns:
                self._controls = [
                    control_for(
                        column,
                        around,
                        Wires(f"{wires.place}-{column.name or number}", self._sender(number), wires.fail),
                        is_small=True,
                    )
                    for number, column in enumerate(columns)
                ]
            else:
                self._controls = [control_for(field, around, wires, is_small=True)]
            icon_button("arrow_upward", "move up", acts[0])
            icon_button("close", "remove", acts[1])
        self.show(item)

    def show(self, item: Any) -> None:
        self._item = item
        if not self._columns:
            self._controls[0].show(item)
            return
        for number, (column, control) in enumerate(zip(self._columns, self._controls, strict=True)):
            if self._field.kind == "model":
                control.show(item.get(column.name, UNSET) if isinstance(item, dict) else UNSET)
            else:
                is_there = isinstance(item, (list, tuple)) and number < len(item)
                control.show(item[number] if is_there else UNSET)

    def retile(self) -> None:
        for control in self._controls:
            control.retile()

    def _sender(self, number: int) -> Callable[[Any], None]:
        def send(value: Any) -> None:
            column = self._columns[number]
            if self._field.kind == "model":
                item = {**self._item} if isinstance(self._item, dict) else {}
                item.pop(column.name, None)
                self._item = item if value is UNSET else {**item, column.name: value}
            else:
                row = list(self._item) if isinstance(self._item, (list, tuple)) else []
                row += [part.initial for part in self._columns[len(row) :]]
                row[number] = column.initial if value is UNSET else value
                self._item = row
            self._wires.send(self._item)

        return send


class _Card(_Item):
    """An item with fields of its own, which are built when it is opened."""

    def __init__(
        self, field: Field, item: Any, around: Around, wires: Wires, acts: Acts, *, is_open: bool, flip: set[int]
    ) -> None:
        self._field, self._item, self._around, self._wires = field, item, around, wires
        self._number, self._flip = int(wires.place.rpartition("-")[2]), flip
        self._control: Control | None = None
        with ui.element("div").classes("tc-card"):
            with ui.element("div").classes("tc-cellrow"):
                self._head = ui.button(on_click=lambda: self._turn(), color=None).props("flat dense no-caps align=left")
                self._head.classes("tc-head").props["data-testid"] = f"{wires.place}-open"
                icon_button("arrow_upward", "move up", acts[0])
                icon_button("close", "remove", acts[1])
            self._inside = ui.element("div")
        self._inside.set_visibility(False)
        self.show(item)
        if is_open:
            self._open()

    def show(self, item: Any) -> None:
        self._item = item
        self._head.text = _summary(item, self._number)
        if self._control is not None:
            self._control.show(item)

    def retile(self) -> None:
        if self._control is not None:
            self._control.retile()

    def _turn(self) -> None:
        if self._inside.visible and self._control is not None:
            self._inside.set_visibility(False)
            self._flip.discard(self._number)
        else:
            self._open()

    def _open(self) -> None:
        self._flip.add(self._number)
        self._inside.set_visibility(True)
        if self._control is None:
            with self._inside:
                wires = Wires(self._wires.place, self._sent, self._wires.fail)
                self._control = control_for(self._field, self._around, wires)
            self._control.show(self._item)

    def _sent(self, value: Any) -> None:
        self._item = value
        self._head.text = _summary(value, self._number)
        self._wires.send(value)


def _summary(item: Any, number: int) -> str:
    """An item in a few words."""
    if not isinstance(item, dict):
        return f"{number + 1}   {item if isinstance(item, str) else json.dumps(item, default=str)}"[:40]
    told = []
    for name, value in item.items():
        match value:
            case str():
                told.append(value)
            case bool() | None:
                pass
            case int() | float():
                told.append(f"{name} {value:g}")
            case list() | tuple():
                is_short = len(value) <= 4 and all(isinstance(part, (int, float)) for part in value)
                told.append(f"{name} {','.join(map(str, value))}" if is_short and value else f"{len(value)} {name}")
            case {"kind": kind}:
                told.append(str(kind))
    return f"{number + 1}   {' · '.join(told)}"[:60]
