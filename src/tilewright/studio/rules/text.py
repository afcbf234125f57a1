"""Editor of the rulebook as JSON."""

from __future__ import annotations

from nicegui import ui

from ...core.errors import TilewrightError
from . import rulebook_draft as books
from .editor import Editor

PAUSE = 500
"""Milliseconds without a key press before the text is applied."""


class TextView:
    """Text field with the rulebook; valid changes are applied to the rulebook."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self._text = ""
        """Last text written from the rulebook."""
        self._error_line: int | None = None
        with ui.element("div").classes("rules-line"):
            ui.label("A ProcEngine object; edit it or paste another one.").classes("tw-hint rules-grow")
            paste = ui.button("Paste", icon="content_paste", color=None, on_click=self._paste)
            paste.props("flat dense no-caps size=sm data-testid=rules-paste").classes("rules-add")
            paste.tooltip("Replace the rulebook by the one in the clipboard")
        with ui.element("div").classes("rules-text") as self.frame:
            self.gutter = ui.html("", sanitize=False).classes("rules-gutter").props("aria-hidden=true")
            self.area = ui.textarea(on_change=self._on_input).props(
                f"autogrow borderless dense debounce={PAUSE} wrap=off spellcheck=false autocomplete=off"
                ' autocapitalize=off data-testid=rules-json aria-label="rulebook as JSON"'
            )
        self.error = ui.label("").classes("tw-bad rules-error").props("role=alert data-testid=rules-json-error")
        self.error.set_visibility(False)
        self.update()

    def update(self) -> None:
        """Show the rulebook, unless the text already describes it."""
        text = books.write_text(self.editor.rulebook)
        if text == self._text:
            return
        self._text = text
        if not self._is_current(self.area.value or ""):
            self.area.set_value(text)

    async def _paste(self) -> None:
        """Replace the text by the content of the clipboard."""
        text = await ui.clipboard.read()
        if text:
            self.area.set_value(text)
        else:
            ui.notify("No access to the clipboard; click into the text and press Ctrl+A, Ctrl+V", position="bottom")

    def _is_current(self, text: str) -> bool:
        try:
            return books.write_text(books.read_text(text)) == self._text
        except TilewrightError:
            return False

    def _on_input(self) -> None:
        text = self.area.value or ""
        if text == self._text:
            self._show_error("")
            return
        try:
            book = books.read_text(text)
        except TilewrightError as error:
            path = error.problems[0].path
            line = books.find_line(text, path)
            has_line = line is None or path[:1] == ("line",)
            self._show_error(str(error) if has_line else f"line {line}: {error}", line)
            return
        self._show_error("")
        self.editor.replace_rulebook(book)

    def _show_error(self, message: str, line: int | None = None) -> None:
        """Show an error of the text and its line."""
        self.error.set_text(message)
        self.error.set_visibility(bool(message))
        self.frame.classes(add="rules-blamed" if message else "", remove="" if message else "rules-blamed")
        self._error_line = line
        self._number_lines()

    def _number_lines(self) -> None:
        lines = (self.area.value or "").count("\n") + 1
        numbers = (f"<b>{line}</b>" if line == self._error_line else str(line) for line in range(1, lines + 1))
        written = "\n".join(numbers)
        if self.gutter.content != written:
            self.gutter.set_content(written)
