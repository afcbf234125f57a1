"""The section of names: tiles, the most that may be placed of each, and their colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from ....core.registry import tilesets
from . import rulebook_draft as books
from .colors import color_of
from .editor import Block, Following, Rows, check_word, field_of
from .fields import adding, helped, number, small

WISHES = ("water", "grass", "door", "treasure", "monster", "tree", "sand", "moss", "rubble", "torch")
"""What a new tile is called first: words that have looks of their own."""


def names_section(host: Block) -> None:
    editor = host.editor
    ui.label(field_of("", "names")["description"]).classes("tw-hint")

    Rows(host, lambda: len(editor.book["names"]), _name)

    def add() -> None:
        new = {"name": books.new_word(editor.names, WISHES, "tile"), "maximum": -1}
        editor.put({**editor.book, "names": [*editor.book["names"], new]})

    adding("Tile", "Add a tile", add, "rules-add-name")


def _name(host: Block, place: int) -> None:
    editor = host.editor
    with ui.element("div").classes("rules-line"):
        ui.element("i").classes("rules-chip rules-chip-large").style(f"background: {color_of(place)}")
        name_input(
            host,
            lambda: editor.book["names"][place]["name"],
            lambda: [name for number, name in enumerate(editor.names) if number != place],
            "NamedTile",
            partial(editor.rename, place),
            test=f"rules-name-{place}",
        )
        most = number(host, ("names", place, "maximum"), "NamedTile", test=f"rules-maximum-{place}", missing=-1)
        most.props('placeholder="any number" prefix="≤"').classes("rules-most")

        def remove() -> None:
            editor.put({**editor.book, "names": books.without(editor.book["names"], place)})

        button = small("close", "Remove this tile", remove, f"rules-remove-name-{place}")

        def follow() -> None:
            button.set_enabled(len(editor.book["names"]) > 2)

        Following(host, follow)


def name_input(
    host: Block,
    get: Callable[[], str],
    others: Callable[[], Sequence[str]],
    model: str,
    rename: Callable[[str], None],
    *,
    test: str,
) -> ui.input:
    """A name that is taken over when the field is left: half a word may be another tile's name."""
    known = [tile.name for tile in tilesets.get("palette")] if model == "NamedTile" else None
    control = ui.input(value=get(), autocomplete=known)
    control.props(
        f'dense outlined hide-bottom-space maxlength=80 spellcheck=false data-testid={test} aria-label="name"'
    )
    control.classes("rules-grow rules-input")
    helped(control, field_of(model, "name")["description"])

    def typed() -> None:
        new = (control.value or "").strip().lower()
        if new == get():
            return show()
        problem = "there is one already" if new in others() else check_word(model, new)
        if problem:
            control.props["error-message"] = problem
            control.props("error")
            return None
        control.props(remove="error")
        rename(new)
        return None

    def show() -> None:
        control.props(remove="error")
        if control.value != get():
            control.set_value(get())

    shown = [get()]

    def follow() -> None:
        # Only another name in the book replaces what somebody is typing.
        if shown[0] != get():
            shown[0] = get()
            show()

    control.on("blur", typed)
    control.on("keydown.enter", typed)
    control.on("keydown.escape", show)
    Following(host, follow)
    return control
