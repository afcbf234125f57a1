"""Controls that hold one piece of the book each. Their help is what the schema says about the field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from nicegui import events, ui

from . import rulebook_draft as books
from .colors import color_of
from .editor import Block, Following, field_of
from .rulebook_draft import Path

Arrange: TypeAlias = Callable[[Callable[[list[Any]], list[Any]]], None]
"""Puts a list in another order, and whatever goes along with it."""
CLICKED = "(event) => { const one = event.target.closest('[data-do]'); if (one) emit(one.dataset.do); }"
CHIP_OPTION = """
<q-item v-bind="props.itemProps" dense>
  <q-item-section avatar class="rules-option">
    <i class="rules-chip" :style="{background: 'var(--rules-tile-' + props.opt.value + ')'}"></i>
  </q-item-section>
  <q-item-section>{{ props.opt.label }}</q-item-section>
</q-item>
"""


def row(label: str, hint: str = "") -> ui.element:
    """A label, and room for controls beside it."""
    line = ui.element("div").classes("rules-row")
    with line:
        word = ui.label(label).classes("rules-label")
        if hint:
            word.tooltip(hint).classes("rules-helped")
    return line


def small(icon: str, hint: str, do: Callable[[], Any], test: str) -> ui.button:
    """A button of an icon alone. There are many: the browser's own hint is lighter than a tooltip."""
    button = ui.button(icon=icon, color=None, on_click=lambda: do()).classes("tw-icon rules-small")
    return button.props(f'flat dense round size=sm title="{hint}" aria-label="{hint}" data-testid={test}')


def tools(place: int, arrange: Arrange, test: str, *, add: Callable[[], None] | None = None) -> ui.element:
    """What can be done with one part of a list. As one element: there are many of them on the page."""
    do: dict[str, tuple[str, str, Callable[[], None]]] = {
        "up": ("arrow_upward", "Earlier", lambda: arrange(lambda parts: books.moved(parts, place, -1))),
        "down": ("arrow_downward", "Later", lambda: arrange(lambda parts: books.moved(parts, place, 1))),
        "copy": ("content_copy", "Copy", lambda: arrange(lambda parts: books.doubled(parts, place))),
        "remove": ("close", "Remove", lambda: arrange(lambda parts: books.without(parts, place))),
    }
    if add is not None:
        do = {"add-rule": ("add", "Add a rule; where several hold, the last one counts", add), **do}
    buttons = "".join(
        f'<button type="button" data-do="{key}" data-testid="{test}-{key}" title="{hint}" aria-label="{hint}">'
        f'<i class="material-icons" aria-hidden="true">{icon}</i></button>'
        for key, (icon, hint, _) in do.items()
    )
    element = ui.element("div").classes("rules-tools")
    element.props["innerHTML"] = buttons

    def clicked(event: events.GenericEventArguments) -> None:
        if event.args in do:
            do[event.args][2]()

    return element.on("click", clicked, js_handler=CLICKED)


def heading(test: str, toggle: Callable[[], Any]) -> ui.element:
    """What folds a part of the page open and shut; `show_open` tells which."""
    head = ui.element("button").classes("rules-head").props(f"type=button data-testid={test}")
    return head.on("click", lambda: toggle())


def show_open(head: ui.element, is_open: bool) -> None:
    head.props(f"aria-expanded={'true' if is_open else 'false'}")


def switch_class(element: ui.element, name: str, is_on: bool) -> None:
    element.classes(name) if is_on else element.classes(remove=name)


def adding(word: str, hint: str, do: Callable[[], Any], test: str) -> ui.button:
    """A quiet button that adds something to a list."""
    button = ui.button(word, icon="add", color=None, on_click=lambda: do()).props("flat dense no-caps size=sm")
    return button.props(f"data-testid={test}").classes("rules-add").tooltip(hint)


def number(
    host: Block,
    path: Path,
    model: str,
    *,
    test: str,
    whole: bool = True,
    missing: int | None = None,
    classes: str = "rules-number",
) -> ui.number:
    """A number at a path; an empty field stands for `missing`, or for what was there."""
    about, editor = field_of(model, str(path[-1])), host.editor

    def shown() -> float | None:
        value = books.at(editor.book, path)
        return None if value == missing else value

    def changed(value: float | None) -> None:
        if value is None and missing is None:
            return
        if value is None:
            editor.set(path, missing)
        else:
            editor.set(path, int(value) if whole or float(value).is_integer() else value)

    control = ui.number(
        value=shown(),
        min=about["minimum"],
        max=about["maximum"],
        step=1 if whole else None,
        on_change=lambda event: changed(event.value),
    )
    control.props(f'dense outlined hide-bottom-space data-testid={test} aria-label="{path[-1]}"').classes(classes)
    if not whole:
        control.props("step=any")
    helped(control, about["description"])

    def follow() -> None:
        if control.value != shown():
            control.set_value(shown())

    control.on("blur", follow)
    Following(host, follow)
    return control


def choice(
    host: Block,
    path: Path,
    options: Callable[[], dict[Any, str]],
    hint: str,
    *,
    test: str,
    classes: str = "rules-choice",
    read: Callable[[Any], Any] = lambda value: value,
    change: Callable[[Any], None] | None = None,
) -> ui.select:
    """One of several at a path. `read` makes the option of what is there, `change` takes another one."""
    editor = host.editor

    def shown() -> Any:
        return read(books.at(editor.book, path))

    def all_options() -> dict[Any, str]:
        # What is there is always among them, also where its name is gone.
        return options() | ({} if shown() in options() else {shown(): str(shown())})

    def changed(value: Any) -> None:
        if value is None or editor.is_following or value == shown():
            return
        if change is None:
            editor.set(path, value)
        else:
            change(value)

    control = ui.select(all_options(), value=shown(), on_change=lambda event: changed(event.value))
    control.props(f'dense outlined options-dense hide-bottom-space data-testid={test} aria-label="{path[-1]}"')
    control.classes(classes)
    helped(control, hint)

    def follow() -> None:
        if control.options != all_options():
            control.set_options(all_options(), value=shown())
        elif control.value != shown():
            control.set_value(shown())

    Following(host, follow)
    return control


def tile_choice(host: Block, path: Path, model: str, *, test: str) -> ui.select:
    """One of the names, with its colour."""
    editor = host.editor
    hint = field_of(model, str(path[-1]))["description"]
    control = choice(
        host, path, lambda: {name: name for name in editor.names}, hint, test=test, classes="rules-choice rules-tiles"
    )
    control.add_slot("option", CHIP_OPTION)
    with control.add_slot("prepend"):
        chip = ui.element("i").classes("rules-chip")

    def follow() -> None:
        tile = books.at(editor.book, path)
        is_known = tile in editor.names
        chip.style(replace=f"background: {color_of(editor.names.index(tile))}" if is_known else "")
        switch_class(chip, "rules-unknown", not is_known)
        control.props(remove="error") if is_known else control.props("error")

    Following(host, follow)
    return control


def neighbourhood_choice(host: Block, path: Path, model: str, *, test: str) -> ui.select:
    editor = host.editor
    hint = field_of(model, "neighbourhood")["description"]

    def options() -> dict[Any, str]:
        return {name: name for name in books.neighbourhoods_in(editor.book)}

    return choice(host, path, options, hint, test=test)


def words(options: Sequence[str]) -> Callable[[], dict[Any, str]]:
    """Options that stay the same."""
    return lambda: {option: option for option in options}


def helped(control: ui.element, hint: str) -> None:
    """Help that comes when one waits, and not while one works."""
    with control:
        ui.tooltip(hint).props("delay=900 anchor='top middle' self='bottom middle'")
