"""Small elements shared by the views: buttons, input fields, uploads, and the scripts of the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from nicegui import background_tasks, ui
from nicegui.elements.choice_element import ChoiceElement
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.events import GenericEventArguments, UploadEventArguments, ValueChangeEventArguments

from ..settings import Settings

E = TypeVar("E", bound=ValueElement[Any])
_showing: set[ValueElement[Any]] = set()
"""Elements whose value is being set by `show_value`."""


def build_copy_script(text: str, message: str) -> str:
    """Return a JavaScript function that copies the value of an expression and shows a message."""
    return read_page_script("copy_text") % (text, json.dumps(message))


def copy_text(text: str, message: str) -> None:
    """Copy text to the clipboard and show a message."""
    ui.run_javascript(f"({build_copy_script(json.dumps(text), message)})()")


def toggle_class(element: ui.element, name: str, is_on: bool) -> None:
    """Add or remove a CSS class of an element."""
    element.classes(add=name) if is_on else element.classes(remove=name)


def set_pressed(element: ui.element, is_on: bool, name: str = "aria-pressed") -> None:
    """Set an attribute that is true or false."""
    element.props(f"{name}={'true' if is_on else 'false'}")


def on_choice(element: E, choose: Callable[[Any], Any]) -> E:
    """Call a function with the values that the user chooses, but not with those that `show_value` sets."""

    def on_change(event: ValueChangeEventArguments[Any]) -> Any:
        is_chosen = element not in _showing and event.value is not None  # A page that is not ours may send None.
        return choose(event.value) if is_chosen else None

    return element.on_value_change(on_change)


def show_value(
    element: ValueElement[Any], value: Any, options: Mapping[Any, str] | Sequence[Any] | None = None
) -> None:
    """Show a value, and options to choose from, without calling the function of `on_choice`."""
    _showing.add(element)
    try:
        if isinstance(element, ChoiceElement) and options is not None and options != element.options:
            element.set_options(dict(options) if isinstance(options, Mapping) else [*options], value=value)
        else:
            element.set_value(value)
    finally:
        _showing.discard(element)


def dropdown(
    options: dict[Any, str] | list[Any],
    choose: Callable[[Any], Any],
    test_id: str,
    *,
    label: str | None = None,
    name: str = "",
    value: Any = None,
    kind: type[ui.select] = ui.select,
) -> ui.select:
    """Return a drop-down list, with a label or with a name for screen readers. `choose` gets the chosen option."""
    select = kind(options, label=label, value=value).props(f"dense outlined options-dense data-testid={test_id}")
    if name:
        select.props["aria-label"] = name
    return on_choice(select, choose)


class SelectByLabel(ui.select):
    """A selection whose options may change while the user chooses.

    NiceGUI sends the position of the choice, which would be another option after a change.
    """

    def _event_args_to_value(self, e: GenericEventArguments) -> Any:
        label = e.args.get("label") if isinstance(e.args, dict) else None
        return next((value for value, known in dict(self.options).items() if known == label), self.value)


def icon_button(icon: str, hint: str, on_click: Callable[..., Any], *, test_id: str = "") -> ui.button:
    """Return a small button with an icon and a tooltip."""
    button = ui.button(icon=icon, color=None, on_click=lambda: on_click()).classes("tw-icon")
    button.props(f'flat dense round size=sm aria-label="{hint}"').tooltip(hint)
    return button.props(f"data-testid={test_id}") if test_id else button


def labeled_button(
    text: str,
    icon: str | None,
    on_click: Callable[..., Any] | None,
    test_id: str,
    style: str = "outline dense",
    *,
    hint: str = "",
    color: str | None = None,
) -> ui.button:
    """Return a button with text. `style` are properties of Quasar's buttons; unelevated ones are colored."""
    button = ui.button(text, icon=icon, color="primary" if "unelevated" in style else color, on_click=on_click)
    button.props(f"{style} no-caps data-testid={test_id}")
    return button.tooltip(hint) if hint else button


class Message(ui.label):
    """A line for an error or a note, which is hidden while it is empty."""

    def __init__(self, test_id: str, style: str = "tw-bad", role: str = "status") -> None:
        super().__init__("")
        self.classes(style).props(f"role={role} data-testid={test_id}")
        self.show("")

    def show(self, text: str) -> None:
        """Show a string; an empty one hides the line."""
        self.set_text(text)
        self.set_visibility(bool(text))


class ViewTask:
    """The task of a part of the page. It is canceled when another one is started, and when the page is closed."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        ui.context.client.on_delete(self.stop)

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        self.stop()
        self._task = background_tasks.create(work)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = None

    def end(self) -> None:
        """Count the task as done. The task itself calls this method before its last statements."""
        self._task = None


def add_definition(name: str, *, style: str = "", props: str = "", hint: str = "") -> ui.label:
    """Add a row to a list of definitions: a name, and the label that is returned. `props` are those of the label."""
    with ui.element("div").classes(style):
        with ui.element("dt"):
            term = ui.label(name)
        with ui.element("dd").props(props):
            label = ui.label("")
    if hint:
        term.tooltip(hint)
    return label


def progress_bar(test_id: str, name: str, style: str = "") -> ui.linear_progress:
    """Return a progress bar with a name for screen readers."""
    bar = ui.linear_progress(value=0, show_value=False)
    return bar.props(f'instant-feedback rounded {style} data-testid={test_id} aria-label="{name}"')


class ProgressRow:
    """A progress bar with a button that stops the work. It is visible while there is work."""

    def __init__(self, test_id: str, on_stop: Callable[[], None]) -> None:
        """Build the row in the current slot. `test_id` is the prefix of those of the bar and the button."""
        with ui.element("div").classes("tw-download") as self.row:
            self.bar = progress_bar(f"{test_id}-progress", "Progress of the export")
            icon_button("stop_circle", "Stop", on_stop, test_id=f"{test_id}-stop")
        self.hide()

    def show(self, fraction: float) -> None:
        self.row.set_visibility(True)
        self.bar.set_value(fraction)

    def hide(self) -> None:
        self.row.set_visibility(False)


class FoldingSection:
    """A button that opens and closes the content below it. While it is not enabled, the content is always visible."""

    def __init__(self, title: str, open_title: str = "", test_id: str = "fold", style: str = "tw-fold") -> None:
        """Build the section in the current slot. `open_title` is the title of the open section, if it differs."""
        self._titles = {False: title, True: open_title or title}
        self.is_open = False

        def toggle() -> None:
            self._show(not self.is_open)

        self.button = labeled_button(title, "expand_more", toggle, test_id, "flat dense align=left").classes(style)
        self.body = ui.element("div")
        self.enable(False)

    def enable(self, is_enabled: bool) -> None:
        """Show or hide the button."""
        self.button.set_visibility(is_enabled)
        self._update()

    def open(self) -> None:
        """Show the content."""
        self._show(True)

    def _show(self, is_open: bool) -> None:
        self.is_open = is_open
        self._update()

    def _update(self) -> None:
        self.body.set_visibility(self.is_open or not self.button.visible)
        set_pressed(self.button, self.is_open, "aria-expanded")
        self.button.set_icon("expand_less" if self.is_open else "expand_more")
        self.button.set_text(self._titles[self.is_open])


class BottomSheet(ui.element):
    """A group of controls. On phones it is a popover, which opens and closes without the server."""

    def __init__(self, label: str, tag: str = "div") -> None:
        super().__init__(tag)
        self.classes("tw-sheet").props(f'popover=auto aria-label="{label}"')

    def opener(self, icon: str, hint: str, *, test_id: str) -> ui.button:
        """Return a button that opens the sheet. It is visible on phones only."""
        button = ui.button(icon=icon, color=None).props(f'flat dense round aria-label="{hint}" data-testid={test_id}')
        return button.classes("tw-icon tw-phone-only").props(f"popovertarget={self.html_id}")

    def close_after(self, button: ui.button) -> ui.button:
        """Let a button of the sheet close it."""
        return button.props(f"popovertarget={self.html_id} popovertargetaction=hide")


@cache
def read_script(module: str, name: str) -> str:
    """Return the content of a script in the folder of a module, given its `__file__`."""
    return Path(module).with_name(f"{name}.js").read_text("utf-8").strip()


def read_options(module: str, name: str) -> dict[str, Any]:
    """Return the options of a chart, from a JSON file in the folder of a module, given its `__file__`."""
    options: dict[str, Any] = json.loads(Path(module).with_name(f"{name}.json").read_text("utf-8"))
    return options


def read_page_script(name: str) -> str:
    """Return the content of a script of the page."""
    return read_script(__file__, name)


MAX_LENGTH = 10_000
"""Maximum number of characters; further ones are ignored."""


class InvalidInput(ValueError):
    """An input that is not a valid value of its field."""


class DebouncedInput(ui.input, component="debounced_input.js"):
    """Input field that commits its text on Enter, on blur, or by the arrows of a number; Escape restores the value.

    Escape calls `on_cancel`, with which the owner can clear an error and show the current value. If `on_commit` raises
    InvalidInput, the field is marked.
    """

    def __init__(
        self,
        test_id: str,
        on_commit: Callable[[str], Any],
        *,
        value: str = "",
        label: str | None = None,
        hint: str = "",
        step: float | None = None,
        on_cancel: Callable[[], Any] | None = None,
    ) -> None:
        """Create the field; with a `step` it is a number field."""
        super().__init__(label, placeholder=hint or None, value=value)
        self.props(f"dense outlined hide-bottom-space data-testid={test_id}")
        if step is not None:
            self.props["type"] = "number"
            self.props["step"] = step
            self.props["inputmode"] = "decimal"
        self._on_commit = on_commit
        self.on("commit", self._handle_commit)
        if on_cancel is not None:
            self.on("cancel", lambda: on_cancel())

    def mark_problem(self, problem: str) -> None:
        """Show a problem of the input. An empty string clears it."""
        if self.props.get("error-message", "") != problem:
            self.props["error"], self.props["error-message"] = bool(problem), problem

    def _handle_commit(self, event: GenericEventArguments) -> None:
        text = str(event.args if event.args is not None else "")[:MAX_LENGTH]
        self.value = text
        try:
            self._on_commit(text.strip())
        except InvalidInput as error:
            self.mark_problem(str(error))


def write_number(number: Any) -> str:
    """Return a number as text for an input field."""
    if isinstance(number, float):
        return f"{number:.6g}" if abs(number) < 1e6 else f"{number:.15g}"
    return "" if number is None else str(number)


class NumberInput(DebouncedInput):
    """Input field of a number within bounds. A number outside of them becomes the nearest number inside.

    Other texts restore the number that was shown last.
    """

    def __init__(
        self,
        test_id: str,
        choose: Callable[[Any], Any],
        *,
        low: float,
        high: float,
        is_integer: bool = True,
        **kwargs: Any,
    ) -> None:
        """Create the field. `choose` gets the number; None for an empty text if `hint` says what it means."""
        self._bounds, self._is_integer = (low, high), is_integer
        self._choose, self._shown = choose, ""
        super().__init__(test_id, self._read, step=1, **kwargs)
        if not is_integer:
            self.props("step=any")

    def show(self, number: object) -> None:
        """Show a number, or an empty field for None."""
        self._shown = write_number(number)
        self.set_value(self._shown)

    def _read(self, text: str) -> None:
        try:
            number = float(text.replace(",", "."))
        except ValueError:
            number = float("nan")
        low, high = self._bounds
        if number == number:
            number = min(max(number, low), high)
            self.show(round(number) if self._is_integer else number)
            self._choose(round(number) if self._is_integer else number)
        elif not text and self.props.get("placeholder"):
            self._choose(None)
        else:
            self.set_value(self._shown)


REQUEST_OVERHEAD = 1 << 10
"""Bytes of a request in addition to the file; the security middleware counts them too."""


class Uploader(ui.upload):
    """An invisible upload element, to which buttons and drop targets pass files.

    FastAPI keeps every route, and NiceGUI's route keeps its upload element. Deleting the handlers lets the page and its
    session be freed.
    """

    def __init__(
        self,
        settings: Settings,
        on_file: Callable[[bytes, str], Awaitable[None]],
        on_refusal: Callable[[str], None],
        *,
        accept: str = "",
    ) -> None:
        """Create the element. `on_file` gets the content and the name of a file, and `on_refusal` a message."""

        async def read(event: UploadEventArguments) -> None:
            content = await event.file.read()
            self.reset()
            await on_file(content, event.file.name)

        max_bytes = max(1, settings.upload - REQUEST_OVERHEAD)
        kind = f" and be {accept}" if accept else ""
        line = f"the file must have at most {max_bytes:,} bytes{kind}"
        super().__init__(
            auto_upload=True, max_file_size=max_bytes, on_upload=read, on_rejected=lambda: on_refusal(line)
        )
        if accept:
            self.props["accept"] = accept

    def open_from(self, button: ui.element) -> None:
        """Let the user choose a file when a button is pressed."""
        button.on("click", lambda: self.run_method("pickFiles"))

    def take_drops(self, element: ui.element) -> None:
        """Take files that are dropped on an element."""
        element.on("drop", js_handler=read_page_script("drop_file") % self.id)

    def _handle_delete(self) -> None:
        super()._handle_delete()
        self._upload_handlers.clear()
