"""The section of layers: how often, where, and the rules of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from . import rulebook_draft as books
from .editor import Block, Following, Rows, field_of
from .fields import adding, choice, heading, number, row, show_open, switch_class, tools
from .places import USUAL_FIX, fix_fields
from .rule import rule_card
from .sentences import layer_summary

PLACES = {"room": "every room", "ids": "some rooms", "map": "the whole map", "rectangle": "a rectangle"}
SIDES = ("x", "y", "width", "height")


def layers_section(host: Block) -> None:
    editor = host.editor
    ui.label(f"{field_of('', 'generationRules')['description']} All cells change at once.").classes("tw-hint")

    Rows(host, lambda: len(editor.book["generationRules"]), _layer)

    def add() -> None:
        layer = {"simulations": 1, "where": {"kind": "room", "ids": None}, "fix": {**USUAL_FIX, "kind": "none"}}
        tiles = editor.book["mapData"]
        layer["rules"] = [new_rule(tiles["dig"], tiles["initial"])]
        editor.folds.layers.append(True)
        editor.put({**editor.book, "generationRules": [*editor.book["generationRules"], layer]})

    adding("Layer", "Add a layer of rules after the others", add, "rules-add-layer")


def new_rule(tile: str, other: str) -> dict[str, Any]:
    return {
        "tile": tile,
        "neighbourhood": "all",
        "combine": "and",
        "conditions": [{"tile": other, "operator": ">", "count": 4}],
        "replacements": [{"tile": other, "weight": 1}],
    }


def _layer(host: Block, place: int) -> None:
    editor, test = host.editor, f"rules-layer-{place}"

    def layer() -> dict[str, Any]:
        found: dict[str, Any] = editor.book["generationRules"][place]
        return found

    def arranged(do: Callable[[list[Any]], list[Any]]) -> None:
        """The same for the layers and for what is open of them."""
        folds = editor.folds
        folds.layers, folds.rules = do(folds.layers), do(folds.rules)
        editor.put({**editor.book, "generationRules": do(editor.book["generationRules"])})

    def add() -> None:
        tiles = editor.book["mapData"]
        editor.folds.rules[place].append(True)
        rules = [*layer()["rules"], new_rule(tiles["dig"], tiles["initial"])]
        editor.put(books.with_at(editor.book, ("generationRules", place, "rules"), rules))

    def toggle() -> None:
        editor.folds.layers[place] = not editor.folds.layers[place]

    with ui.element("div").classes("rules-layer tw-card") as card:
        card.props(f"data-testid={test}")
        with ui.element("div").classes("rules-line rules-bar"):
            with heading(f"{test}-head", lambda: editor.unfold(toggle)).classes("rules-grow") as head:
                ui.label(str(place + 1)).classes("rules-number-tag")
                summary = ui.label("").classes("rules-grow rules-summary")
            tools(place, arranged, test, add=add)

        def follow() -> None:
            summary.set_text(layer_summary(layer()))
            show_open(head, editor.folds.layers[place])
            switch_class(card, "rules-blamed", ("generationRules", place) in editor.blamed)

        Following(host, follow)

        def build(block: Block) -> None:
            if editor.folds.layers[place]:
                _layer_fields(block, place)

        Block(host, build, shape=lambda: editor.folds.layers[place], classes="rules-fields rules-inside")

        Rows(host, lambda: len(layer()["rules"]), partial(_rule, layer=place), classes="rules-rules")


def _rule(host: Block, place: int, layer: int) -> None:
    rule_card(host, layer, place)


def _layer_fields(host: Block, place: int) -> None:
    editor, path, test = host.editor, ("generationRules", place), f"rules-layer-{place}"

    def where() -> dict[str, Any]:
        found: dict[str, Any] = editor.book["generationRules"][place]["where"]
        return found

    with row("simulations", field_of("Layer", "simulations")["description"]):
        number(host, (*path, "simulations"), "Layer", test=f"{test}-simulations")
        ui.label("times").classes("tw-faint")
    with row("where", field_of("Layer", "where")["description"]):
        choice(
            host,
            (*path, "where"),
            lambda: dict(PLACES),
            field_of("Layer", "where")["description"],
            test=f"{test}-where",
            read=_kind_of,
            change=lambda kind: editor.put(books.with_at(editor.book, (*path, "where"), _place_of(kind, editor.book))),
        )

    def build(block: Block) -> None:
        kind = _kind_of(where())
        if kind == "ids":
            with row("room numbers", field_of("Rooms", "ids")["description"]):
                _ids(block, place)
        if kind == "rectangle":
            with row("rectangle", field_of("WholeMap", "rectangle")["description"]):
                for at, side in enumerate(SIDES):
                    _side(block, place, at, side)

    Block(host, build, shape=lambda: _kind_of(where()), classes="rules-fields")
    fix_fields(host, (*path, "fix"), field_of("Layer", "fix")["description"], f"{test}-fix", optional=False)


def _kind_of(where: dict[str, Any]) -> str:
    """One of `PLACES`."""
    if where["kind"] == "room":
        return "room" if where["ids"] is None else "ids"
    return "map" if where["rectangle"] is None else "rectangle"


def _place_of(kind: str, book: books.Book) -> dict[str, Any]:
    if kind in ("room", "ids"):
        return {"kind": "room", "ids": [0] if kind == "ids" else None}
    width, height = book["width"], book["height"]
    inner = [width // 4, height // 4, max(1, width // 2), max(1, height // 2)]
    return {"kind": "map", "rectangle": inner if kind == "rectangle" else None}


def _ids(host: Block, place: int) -> None:
    """Room numbers as one types them: `0, 2, 5`."""
    editor = host.editor
    path: books.Path = ("generationRules", place, "where", "ids")

    def shown() -> str:
        return ", ".join(map(str, books.at(editor.book, path)))

    def typed(text: str | None) -> None:
        numbers = [piece for piece in (text or "").replace(",", " ").split() if piece.isdecimal() and len(piece) < 9]
        if numbers and not editor.is_following:
            editor.set(path, list(dict.fromkeys(map(int, numbers))))

    control = ui.input(value=shown(), on_change=lambda event: typed(event.value))
    control.props(f"dense outlined hide-bottom-space data-testid=rules-layer-{place}-ids").classes(
        "rules-grow rules-input"
    )
    known = [shown()]

    def follow() -> None:
        if known[0] != shown():
            known[0] = shown()
            read = [piece for piece in (control.value or "").replace(",", " ").split() if piece.isdecimal()]
            if [str(number) for number in books.at(editor.book, path)] != read:
                control.set_value(shown())

    control.on("blur", lambda: control.set_value(shown()))
    Following(host, follow)


def _side(host: Block, place: int, at: int, side: str) -> None:
    editor = host.editor
    path: books.Path = ("generationRules", place, "where", "rectangle", at)

    def changed(value: float | None) -> None:
        if value is not None:
            editor.set(path, int(value))

    control = ui.number(value=books.at(editor.book, path), min=0, step=1, on_change=lambda event: changed(event.value))
    control.props(f'dense outlined hide-bottom-space data-testid=rules-layer-{place}-{side} aria-label="{side}"')
    control.classes("rules-tiny").tooltip(side)
    Following(host, partial(_follow_number, control, lambda: books.at(editor.book, path)))


def _follow_number(control: ui.number, get: Callable[[], float]) -> None:
    if control.value != get():
        control.set_value(get())
