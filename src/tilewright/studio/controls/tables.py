"""Controls for lists: a table, or collapsible cards if the items do not fit into rows. New items keep recipes valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from nicegui import ui

from ...core.errors import TilewrightError
from ...core.fields import UNSET, Field
from ...core.plan import make_plan
from ...core.recipe import Recipe
from ...core.tilesets import tilesets
from ..own_files import StudioResolver
from ..page.widgets import set_pressed, toggle_class
from .control import Actions, Control, ControlBinding, ControlContext, Fold, Mark, text_button, tool_buttons, with_value
from .numbers import format_percentage

SIMPLE_KINDS = frozenset({"number", "switch", "choice", "text", "tile", "tuple"})
"""Kinds that fit into a cell of a table."""
MAX_COLUMNS = 4
MAX_ROWS = 200
"""Maximum number of items shown."""


class ItemsControl(Control, kind="items"):
    """A list whose items can be added, removed and reordered: rows of simple values, or cards that open."""

    is_wide = True

    def build(self) -> None:
        self._columns = self.field.parts
        self._is_table = not self._columns or (
            len(self._columns) <= MAX_COLUMNS and all(column.kind in SIMPLE_KINDS for column in self._columns)
        )
        self._items: list[Any] = []
        self._hidden_items: list[Any] = []
        self._rows: list[_TableRow | _ItemCard] = []
        self._folds = self.context.folds.get(self.field.name, [])
        self._share_column = next((column for column in self._columns if column.share), None)
        self._list = ui.element("div").classes("tc-table").props(f"data-testid={self.binding.test_id}")
        label = f"add {self.field.item.noun}".strip()
        text_button(label, "add", lambda: self._on_add(), f"{self.binding.test_id}-add")

    def draw(self, value: Any) -> None:
        items = list(value) if isinstance(value, (list, tuple)) else []
        before, self._items, self._hidden_items = self._items, items[:MAX_ROWS], items[MAX_ROWS:]
        if self._rows and len(before) == len(self._items):
            for row, old, new in zip(self._rows, before, self._items, strict=True):
                if old != new:
                    row.show(new)
            self._show_shares()
            return
        self._folds = [*self._folds, *(Fold() for _ in self._items)][: len(self._items)]
        self.context.folds[self.field.name] = self._folds
        self._list.clear()
        with self._list:
            if not self._items:
                ui.label(self.empty_label or "none").classes("tc-note")
            elif self._is_table and any(column.name for column in self._columns):
                with ui.element("div").classes("tc-cellrow tc-heads") as heads:
                    heads.props["data-share"] = "share" if self._share_column else ""
                    for column in self._columns:
                        ui.label(column.label).props["title"] = column.description
                    ui.element("div").classes("tc-gap")
            self._rows = [self._build_row(number, item) for number, item in enumerate(self._items)]
        self._show_shares()

    def retile(self) -> None:
        for row in self._rows:
            row.retile()

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        for number, row in enumerate(self._rows):
            row.mark([(path[1:], text) for path, text in marks if path[:1] == (number,)])
        return [mark for mark in marks if not mark[0] or mark[0][0] not in range(len(self._rows))]

    def _build_row(self, number: int, item: Any) -> _TableRow | _ItemCard:
        send = partial(self._on_item_change, number)
        binding = ControlBinding(f"{self.binding.test_id}-{number}", send, self.binding.fail)
        actions: Actions = {
            "up": ("arrow_upward", "move up", lambda: self._swap(number)),
            "down": ("arrow_downward", "move down", lambda: self._swap(number + 1)),
            "copy": ("content_copy", "copy", lambda: self._on_copy(number)),
            "remove": ("close", "remove", lambda: self._on_remove(number)),
        }
        if self._is_table:
            plain = {name: act for name, act in actions.items() if name in ("up", "remove")}
            return _TableRow(self.field.item, self._columns, item, self.context, binding, plain)
        return _ItemCard(self.field.item, item, self.context, binding, actions, number, self._folds[number])

    def _on_item_change(self, number: int, value: Any) -> None:
        self._items = [value if place == number else old for place, old in enumerate(self._items)]
        self._show_shares()
        self.send([*self._items, *self._hidden_items])

    def _show_shares(self) -> None:
        """Show the fraction of the sum in each row."""
        if column := self._share_column:
            found = [item.get(column.name, column.default) if isinstance(item, dict) else 0 for item in self._items]
            parts = [part if isinstance(part, (int, float)) else 0 for part in found]
            for row, part in zip(self._rows, parts, strict=True):
                row.element.props["data-share"] = format_percentage(part, sum(parts))

    def _on_add(self) -> None:
        self._set_items(append_item(self.field, self._items, self.context), [*self._folds, Fold(is_open=True)])

    def _on_copy(self, number: int) -> None:
        unique = {part.name for part in self.field.item.parts if part.unique}
        copy = append_item(self.field, [*self._items, self._items[number]], self.context)[-1] if unique else None
        items, folds = [*self._items], [*self._folds]
        items.insert(number + 1, copy or items[number])
        folds.insert(number + 1, Fold())
        self._set_items(items, folds)

    def _on_remove(self, number: int) -> None:
        min_items = self.field.schema.get("minItems", 0)
        if len(self._items) <= min_items and not (self.field.nullable and min_items == 1):
            self.binding.fail(f"must have at least {min_items}")
            return
        items, folds = [*self._items], [*self._folds]
        del items[number], folds[number]
        self._set_items(items, folds)

    def _swap(self, number: int) -> None:
        """Exchange an item with the item above it."""
        if 0 < number < len(self._items):
            items, folds = [*self._items], [*self._folds]
            for listed in (items, folds):
                listed[number - 1 : number + 1] = listed[number], listed[number - 1]
            self._set_items(items, folds)

    def _set_items(self, items: list[Any], folds: list[Fold]) -> None:
        if not items and self.field.nullable:
            self.clear()
            return
        self._rows, self._folds = [], folds  # This rebuilds all rows.
        self.put([*items, *self._hidden_items])


class _Item:
    """An item of a list."""

    element: ui.element
    controls: list[Control]
    """Controls that are built."""

    def retile(self) -> None:
        """Update the item after the tiles of the map have changed."""
        for control in self.controls:
            control.retile()

    def mark(self, marks: Sequence[Mark]) -> None:
        """Show problems of the item."""
        message = "; ".join(text for _, text in self.mark_inside(marks))[:160]
        self.element.props["data-error"] = message
        toggle_class(self.element, "tc-wrong", bool(marks))

    def mark_inside(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        return marks


class _TableRow(_Item):
    """A row of a table."""

    def __init__(
        self,
        field: Field,
        columns: tuple[Field, ...],
        item: Any,
        context: ControlContext,
        binding: ControlBinding,
        actions: Actions,
    ) -> None:
        self._field, self._columns, self._item, self._binding = field, columns, item, binding
        cells = [(field, binding)] if not columns else []
        for number, column in enumerate(columns):
            test_id, change = f"{binding.test_id}-{column.name or number}", partial(self._on_cell_change, number)
            cells.append((column, ControlBinding(test_id, change, binding.fail)))
        with ui.element("div").classes("tc-cellrow tc-item") as self.element:
            self.controls = [Control.class_of(one)(one, context, own, is_small=True) for one, own in cells]
            tool_buttons(binding.test_id, actions)
        self.show(item)

    def show(self, item: Any) -> None:
        self._item = item
        values = [item]
        if self._field.kind == "model":
            values = [item.get(column.name, UNSET) for column in self._columns] if isinstance(item, dict) else []
        elif self._columns:
            values = [*item] if isinstance(item, (list, tuple)) else []
        for control, value in zip(self.controls, [*values, *(UNSET for _ in self._columns)], strict=False):
            control.show(value)

    def _on_cell_change(self, number: int, value: Any) -> None:
        column = self._columns[number]
        if self._field.kind == "model":
            self._item = with_value(self._item if isinstance(self._item, dict) else {}, column.name, value)
        else:
            row = list(self._item) if isinstance(self._item, (list, tuple)) else []
            row += [part.initial_value for part in self._columns[len(row) :]]
            row[number] = column.initial_value if value is UNSET else value
            self._item = row
        self._binding.send(self._item)


class _ItemCard(_Item):
    """An item with its own fields.

    Fields marked `peek` are always shown. All other fields are built when the card is opened.
    """

    def __init__(
        self,
        field: Field,
        item: Any,
        context: ControlContext,
        binding: ControlBinding,
        actions: Actions,
        number: int,
        fold: Fold,
    ) -> None:
        self._field, self._item, self._binding = field, item, binding
        self._context = replace(context, folds=fold.children)
        self._number, self._fold = number, fold
        self._names = {part.name for part in field.parts if part.peek}
        self.controls = []
        self._others: Control | None = None
        with ui.element("div").classes("tc-card tc-item") as self.element:
            with ui.element("div").classes("tc-cellrow"):
                self._head = ui.html("", sanitize=False, tag="button").classes("tc-head")
                self._head.props(f"type=button data-testid={binding.test_id}-open")
                self._head.on("click", lambda: self._toggle(), args=[])
                tool_buttons(binding.test_id, actions)
            self._inside = ui.element("div").classes("tc-card-inside")
            if self._names:
                with ui.element("div").classes("tc-card-inside tc-peeked"):
                    self._build_control(is_peeked=True)
        self._show_summary()
        self._show_fold()

    def show(self, item: Any) -> None:
        self._item = item
        self._show_summary()
        for control in self.controls:
            control.show(item)

    def retile(self) -> None:
        self._show_summary()
        super().retile()

    def mark_inside(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        for control in self.controls:
            if control is not self._others or self._fold.is_open:
                marks = control.mark(marks)
        return marks

    def _build_control(self, *, is_peeked: bool) -> Control:
        """Build the control of the `peek` fields, or of all other fields."""
        field = self._field
        if self._names:
            own = field.schema["properties"]
            kept = {name: part for name, part in own.items() if (name in self._names) == is_peeked}
            field = replace(field, schema={**field.schema, "properties": kept})
        binding = ControlBinding(
            self._binding.test_id, lambda value: self._on_change(value, control), self._binding.fail
        )
        control = Control.class_of(field)(field, self._context, binding)
        control.show(self._item)
        self.controls.append(control)
        return control

    def _show_summary(self) -> None:
        item = self._item
        if isinstance(item, dict):
            item = {name: value for name, value in item.items() if name not in self._names}
        summary = Control.class_of(self._field).summary(item, self._context)
        self._head.content = f"<b>{self._number + 1}</b><span>{summary}</span>"

    def _toggle(self) -> None:
        self._fold.is_open = not self._fold.is_open
        self._show_fold()

    def _show_fold(self) -> None:
        is_open = self._fold.is_open
        if is_open and self._others is None:
            with self._inside:
                self._others = self._build_control(is_peeked=False)
        self._inside.set_visibility(is_open)
        set_pressed(self._head, is_open, "aria-expanded")

    def _on_change(self, value: Any, changed: Control) -> None:
        self._item = value
        self._show_summary()
        for control in self.controls:
            if control is not changed:
                control.show(value)
        self._binding.send(value)


def append_item(field: Field, items: Sequence[Any], context: ControlContext) -> list[Any]:
    """Return the list with a new item: a copy of the last item with an unused tile."""
    replaced = context.value_of(field.instead_of) if field.instead_of else None
    if not items and isinstance(replaced, (list, tuple)):
        return [[one] for one in replaced]  # The new list is equivalent to the list that it replaces.
    item = field.item
    like = items[-1] if items else item.initial_value
    tiles = [tile.name for tile in context.tiles()]
    match item.kind:
        case "tuple" if isinstance(like, (list, tuple)) and len(like) == len(item.parts):
            parts, values = item.parts, list(like)
        case "model" if isinstance(like, dict):
            parts, values = item.parts, [like.get(part.name) for part in item.parts]
        case "words" if item.tiles:
            return [*items, list(like) or tiles[:1]]
        case _:
            return [*items, like]
    used = {*_list_column(items, item, 0), *(value for value in context.siblings().values() if isinstance(value, str))}
    for number, (part, value) in enumerate(zip(parts, values, strict=True)):
        if part.kind == "tile" and number == 0:
            values[0] = _choose_tile(_list_tiles(part, context, tiles), used, value)
        elif part.unique:
            values[number] = _choose_name(part, str(value), _list_column(items, item, number))
        else:
            values[number] = _fill_tiles(part, value, [tile for tile in tiles if tile != values[0]] or tiles)
    if item.kind == "tuple":
        return [*items, values]
    given = {part.name: value for part, value in zip(parts, values, strict=True) if value is not None}
    return [*items, {**like, **given}]


def _choose_name(field: Field, like: str, taken: Sequence[str]) -> str:
    """Return an unused name: a suggested one, or the last name with a number."""
    suggested = tilesets.get(field.suggestions).names if field.suggestions else ()
    if free := [name for name in suggested if name not in taken]:
        return free[0]
    stem = like.rstrip("0123456789 ") or "new"
    return next(name for number in count(2) if (name := f"{stem} {number}") not in taken)


def _fill_tiles(field: Field, value: Any, tiles: Sequence[str]) -> Any:
    """Return a value with tile names in place of empty ones."""
    match field.kind, value:
        case "tile", "":
            return next(iter(tiles), "")
        case "items", list():
            return [_fill_tiles(field.item, one, tiles) for one in value]
        case "model", dict():
            return {part.name: _fill_tiles(part, value[part.name], tiles) for part in field.parts if part.name in value}
    return value


def _list_column(items: Iterable[Any], item: Field, number: int) -> list[Any]:
    """Return the strings in a column of the rows."""
    name = item.parts[number].name
    found = [row.get(name) if isinstance(row, dict) else row[number] if row else None for row in items]
    return [value for value in found if isinstance(value, str)]


def _choose_tile(tiles: Sequence[str], used: set[Any], value: Any) -> Any:
    """Return an unused tile, or `value` or any tile if all are used."""
    return next((tile for tile in tiles if tile not in used), value or next(iter(tiles), ""))


def _list_tiles(field: Field, context: ControlContext, tiles: Sequence[str]) -> Sequence[str]:
    """Return the tiles to choose from: those of the map, or of a nested recipe in the same form."""
    inner = context.siblings().get(field.tiles) if isinstance(field.tiles, str) else None
    if inner is None:
        return tiles
    try:
        return make_plan(Recipe.of(inner, StudioResolver())).site.tileset.names
    except TilewrightError:
        return tiles
