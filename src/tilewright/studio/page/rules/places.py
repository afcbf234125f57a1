"""The sections of the map and its rooms, and the fix for what does not hang together, which layers have too."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

from nicegui import ui

from . import rulebook_draft as books
from .editor import Block, Following, Rows, field_of
from .fields import adding, choice, neighbourhood_choice, number, row, small, tile_choice
from .rulebook_draft import Path
from .sentences import share

FIXES = {"none": "leave them", "connect": "connect by tunnels", "delete": "keep the largest"}
DIVISIONS = {"equal": "equal rooms", "tree": "rooms of all sizes"}
USUAL_FIX = {"kind": "connect", "neighbourhood": "plus", "thickness": 1}


def map_section(host: Block) -> None:
    with row("size", f"{field_of('', 'width')['description']} {field_of('', 'height')['description']}"):
        number(host, ("width",), "", test="rules-width")
        ui.label("×").classes("tw-faint")
        number(host, ("height",), "", test="rules-height")
        ui.label("cells").classes("tw-faint")
    for name, label in (("initial", "filled with"), ("dig", "dug with")):
        with row(label, field_of("MapData", name)["description"]):
            tile_choice(host, ("mapData", name), "MapData", test=f"rules-{name}")
    fix_fields(host, ("mapData", "fix"), field_of("MapData", "fix")["description"], "rules-map-fix", optional=True)


def rooms_section(host: Block) -> None:
    editor = host.editor
    path: Path = ("roomData", "division")

    def divide(kind: str) -> None:
        rooms = books.at(editor.book, path)["rooms"]
        columns = isqrt(rooms - 1) + 1
        equal = {"kind": kind, "columns": columns, "rows": -(-rooms // columns), "rooms": rooms}
        tree = {"kind": kind, "width": 4, "height": 3, "rooms": rooms}
        editor.put(books.with_at(editor.book, path, equal if kind == "equal" else tree))

    with row("division", field_of("RoomData", "division")["description"]):
        choice(
            host,
            (*path, "kind"),
            lambda: dict(DIVISIONS),
            field_of("RoomData", "division")["description"],
            test="rules-division",
            change=divide,
        )

    def build(block: Block) -> None:
        is_equal = books.at(editor.book, path)["kind"] == "equal"
        model, sides = ("Equal", ("columns", "rows")) if is_equal else ("Tree", ("width", "height"))
        about = " ".join(field_of(model, side)["description"] for side in sides)
        with row("columns × rows" if is_equal else "at least", about):
            number(block, (*path, sides[0]), model, test=f"rules-{sides[0]}")
            ui.label("×").classes("tw-faint")
            number(block, (*path, sides[1]), model, test=f"rules-{sides[1]}")
        with row("rooms", field_of(model, "rooms")["description"]):
            number(block, (*path, "rooms"), model, test="rules-rooms")

    Block(host, build, shape=lambda: books.at(editor.book, path)["kind"], classes="rules-fields")
    with row("filled with", field_of("RoomData", "start")["description"]):
        weighted_tiles(host, ("roomData", "start"), "rules-start")
    fix_fields(host, ("roomData", "fix"), field_of("RoomData", "fix")["description"], "rules-room-fix", optional=True)


def weighted_tiles(host: Block, path: Path, test: str) -> None:
    """Tiles with weights, and how often each is drawn."""
    editor = host.editor

    def tiles() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = books.at(editor.book, path)
        return found

    def put(new: list[dict[str, Any]]) -> None:
        editor.put(books.with_at(editor.book, path, new))

    def add() -> None:
        used = [one["tile"] for one in tiles()]
        put([*tiles(), {"tile": next((name for name in editor.names if name not in used), used[0]), "weight": 1}])

    def build(block: Block, place: int) -> None:
        with ui.element("div").classes("rules-line"):
            tile_choice(block, (*path, place, "tile"), "Weighted", test=f"{test}-tile-{place}")
            if len(tiles()) > 1:  # a weight alone says nothing
                number(block, (*path, place, "weight"), "Weighted", test=f"{test}-weight-{place}", whole=False)
                _shown_share(block, tiles, place)
                small("close", "Remove", lambda: put(books.without(tiles(), place)), f"{test}-remove-{place}")

    with ui.element("div").classes("rules-list rules-grow"):
        Rows(host, lambda: len(tiles()), build, shape=lambda: len(tiles()) > 1)
        adding("Tile", "Add a tile; one of all is drawn by weight", add, f"{test}-add")


def _shown_share(host: Block, tiles: Callable[[], list[dict[str, Any]]], place: int) -> None:
    label = ui.label("").classes("tw-faint rules-share")

    def follow() -> None:
        total = sum(one["weight"] for one in tiles())
        label.set_text(share(tiles()[place]["weight"], total))

    Following(host, follow)


def fix_fields(host: Block, path: Path, hint: str, test: str, *, optional: bool) -> None:
    """What is done about unconnected parts; an optional fix that does nothing is left out."""
    editor = host.editor

    def kind() -> str:
        fix = books.at(editor.book, path)
        return "none" if fix is None else str(fix["kind"])

    def change(new: str) -> None:
        fix = books.at(editor.book, path) or USUAL_FIX
        editor.put(books.with_at(editor.book, path, None if optional and new == "none" else {**fix, "kind": new}))

    with row("loose parts", hint):
        choice(
            host,
            path,
            lambda: dict(FIXES),
            f"{hint} {field_of('Fix', 'kind')['description']}",
            test=test,
            read=lambda fix: "none" if fix is None else fix["kind"],
            change=change,
        )

    def build(block: Block) -> None:
        if kind() == "none":
            return
        with row("hang together by", field_of("Fix", "neighbourhood")["description"]):
            neighbourhood_choice(block, (*path, "neighbourhood"), "Fix", test=f"{test}-neighbourhood")
            if kind() == "connect":
                number(block, (*path, "thickness"), "Fix", test=f"{test}-thickness")
                ui.label("wide").classes("tw-faint")

    Block(host, build, shape=kind, classes="rules-fields")
