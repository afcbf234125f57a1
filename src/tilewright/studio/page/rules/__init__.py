"""Rules: a rule book by its sections, each edited as fields, and as the JSON of a ProcEngine object."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ....core.errors import TilewrightError, counted
from ...session import Session
from ...state import State
from ..view import View
from ..widgets import copy_text
from . import rulebook_draft as books
from .colors import colors_of, variable_of
from .drawings import drawings_section
from .editor import Block, Editor, Following
from .fields import heading, show_open, switch_class
from .layers import layers_section
from .names import names_section
from .places import map_section, rooms_section
from .sentences import division_summary
from .start import StartView
from .text import TextView

SECTIONS: dict[str, tuple[str, Callable[[Block], None]]] = {
    "names": ("Names", names_section),
    "neighbourhoods": ("Neighbourhoods", drawings_section),
    "mapData": ("Map", map_section),
    "roomData": ("Rooms", rooms_section),
    "generationRules": ("Layers", layers_section),
}
SIDES = {"fields": "Fields", "text": "JSON"}


class RulesView(View):
    """The start where there is no rule book yet; its fields, or its JSON, where there is one."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.editor = Editor(session)
        self._message = ""
        self._is_starting = False
        self.text: TextView | None = None
        with ui.element("div").classes("rules-view"):
            self.colors = ui.html("", sanitize=False).classes("rules-colors")
            with ui.element("div").classes("rules-line rules-top") as self.top:
                self.side = ui.toggle(dict(SIDES), value="fields", on_change=self._turn)
                self.side.props("dense unelevated no-caps size=sm data-testid=rules-side")
                ui.space()
                copy = ui.button("Copy JSON", icon="content_copy", color=None, on_click=self._copy)
                copy.props("flat dense no-caps size=sm data-testid=rules-copy").tooltip(
                    "Copy the book as ProcEngine reads it"
                )
                other = ui.button("Books", icon="auto_stories", color=None, on_click=self._start_again)
                other.props("flat dense no-caps size=sm data-testid=rules-books").tooltip(
                    "Begin with another rule book"
                )
            with ui.element("div").classes("rules-start") as self.start_panel:
                with ui.element("div").classes("rules-line"):
                    ui.label("Start a rule book").classes("rules-title rules-grow")
                    self.back = ui.button("Back", icon="arrow_back", color=None, on_click=self._go_back)
                    self.back.props("flat dense no-caps size=sm data-testid=rules-back")
                self.start = StartView(session, self._begun)
            self.error = ui.label("").classes("tw-bad rules-error").props("role=alert data-testid=rules-error")
            self.fields_panel = ui.element("div").classes("rules-sections")
            self.text_panel = ui.element("div").classes("rules-sections")
        self.fields: Block | None = None
        self.refresh(session.state)

    # -- what comes from elsewhere --------------------------------------------------------------------------------

    def refresh(self, state: State) -> None:
        if state.technique == "rules" and not self._is_starting:
            try:
                self.editor.read(state)
                self._message = ""
            except TilewrightError as error:
                self._message = str(error)
            if self.editor.book:
                self._follow()
        self.start.refresh(state)
        self._show(state)

    def blame(self, message: str) -> None:
        """Mark the pieces that an error names."""
        self.editor.blame(message if self.session.state.technique == "rules" else "")

    def _follow(self) -> None:
        """Build what is looked at when it is first needed; let it follow the book from then on."""
        self._color()
        if self.side.value == "text":
            if self.text is None:
                with self.text_panel:
                    self.text = TextView(self.editor)
            with self.editor.following():
                self.text.follow()
        elif self.fields is None:
            with self.fields_panel, self.editor.following():
                self.fields = Block(self.editor, self._sections, classes="rules-sections")
            self.editor.root = self.fields
        else:
            self.editor.follow()

    def _show(self, state: State) -> None:
        """The part of the view that fits the state."""
        starts = self._is_starting or state.technique != "rules"
        self.start_panel.set_visibility(starts)
        self.back.set_visibility(self._is_starting and state.technique == "rules")
        self.top.set_visibility(not starts)
        self.fields_panel.set_visibility(not starts and self.side.value == "fields")
        self.text_panel.set_visibility(not starts and self.side.value == "text")
        self.error.set_text(self._message)
        self.error.set_visibility(bool(self._message) and not starts)

    # -- what a person does ---------------------------------------------------------------------------------------

    def _turn(self) -> None:
        self.refresh(self.session.state)

    def _copy(self) -> None:
        copy_text(books.text_of(self.editor.book), "The rule book is copied")

    def _start_again(self) -> None:
        self._is_starting = True
        self.refresh(self.session.state)

    def _go_back(self) -> None:
        self._is_starting = False
        self.refresh(self.session.state)

    def _begun(self) -> None:
        self._is_starting = False
        self.editor.fold_shut()

    # -- the sections ---------------------------------------------------------------------------------------------

    def _sections(self, host: Block) -> None:
        for section, (title, build) in SECTIONS.items():
            self._section(host, section, title, build)

    def _section(self, host: Block, section: str, title: str, fill: Callable[[Block], None]) -> None:
        """A heading that folds its section open and shut."""
        editor = self.editor

        def toggle() -> None:
            editor.folds.sections ^= {section}

        with ui.element("section").classes("rules-section") as card:
            with heading(f"rules-section-{section}", lambda: editor.unfold(toggle)) as head:
                ui.label(title).classes("rules-title")
                count = ui.label("").classes("rules-count").props(f"data-testid=rules-count-{section}")

            def follow() -> None:
                show_open(head, section in editor.folds.sections)
                count.set_text(_count(editor.book, section))
                switch_class(card, "rules-blamed", (section,) in editor.blamed)

            Following(host, follow)

            def build(block: Block) -> None:
                if section in editor.folds.sections:
                    fill(block)

            Block(host, build, shape=lambda: section in editor.folds.sections, classes="rules-fields rules-body")

    def _color(self) -> None:
        """The tiles' colours, for all chips at once."""
        state, map = self.session.state, self.session.map
        drawn = map.tileset if map is not None and state.recipe.get("tileset") is not None else None
        colors = colors_of(self.editor.book, drawn, state.recipe.get("tiles") or {})
        rules = " ".join(f"{variable_of(number)}: {color};" for number, color in enumerate(colors))
        written = f"<style>body {{ {rules} }}</style>"
        if self.colors.content != written:
            self.colors.set_content(written)


def _count(book: books.Book, section: str) -> str:
    """What a section holds, in a few words."""
    if section == "mapData":
        return f"{book['width']}×{book['height']}"
    if section == "roomData":
        return division_summary(book["roomData"]["division"])
    if section == "neighbourhoods":
        return str(len(books.neighbourhoods_in(book)))
    if section == "generationRules":
        rules = sum(len(layer["rules"]) for layer in book["generationRules"])
        return f"{len(book['generationRules'])}, with {counted(rules, 'rule')}"
    return str(len(book[section]))
