"""Tab Rules: editor of a rulebook by sections, or as the JSON of a ProcEngine object."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from ...core.errors import InvalidRecipe, Problem, TilewrightError, pluralize
from ...generators._rules.language import Equal, Tree
from ..controls import UNSET, Controls, register_control
from ..page.view import View
from ..page.widgets import copy_text
from ..session import Session
from ..state import State
from . import rulebook_draft as books
from .controls import LayerControl, RuleControl
from .editor import Editor
from .sentences import division_summary
from .start import StartView
from .text import TextView

SECTIONS = {
    "names": ("Names", ("names",)),
    "neighbourhoods": ("Neighborhoods", ("neighbourhoods",)),
    "mapData": ("Map", ("width", "height", "mapData")),
    "roomData": ("Rooms", ("roomData",)),
    "generationRules": ("Layers", ("generationRules",)),
}
"""Title and fields of every section."""
MODES = {"fields": "Fields", "text": "JSON"}
register_control("rule", RuleControl)
register_control("layer", LayerControl)


class RulesView(View):
    """Choice of a rulebook if there is none; else its fields or its JSON."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.editor = Editor(session)
        self._message = ""
        self._is_starting = False
        self.text: TextView | None = None
        self.sections: dict[str, RulesSection] = {}
        with ui.element("div").classes("rules-view"):
            with ui.element("div").classes("rules-line rules-top") as self.top:
                self.side = ui.toggle(dict(MODES), value="fields", on_change=lambda: self.refresh(session.state))
                self.side.props("dense unelevated no-caps size=sm data-testid=rules-side")
                ui.space()
                copy = ui.button("Copy JSON", icon="content_copy", color=None, on_click=self._copy)
                copy.props("flat dense no-caps size=sm data-testid=rules-copy").tooltip(
                    "Copy the rulebook as JSON for ProcEngine"
                )
                other = ui.button(
                    "Rulebooks", icon="auto_stories", color=None, on_click=partial(self._show_start, True)
                )
                other.props("flat dense no-caps size=sm data-testid=rules-books").tooltip("Start with another rulebook")
            with ui.element("div").classes("rules-start") as self.start_panel:
                with ui.element("div").classes("rules-line"):
                    ui.label("Choose a rulebook").classes("rules-title rules-grow")
                    self.back = ui.button(
                        "Back", icon="arrow_back", color=None, on_click=partial(self._show_start, False)
                    )
                    self.back.props("flat dense no-caps size=sm data-testid=rules-back")
                self.start = StartView(session, self._on_start)
            self.error = ui.label("").classes("tw-bad rules-error").props("role=alert data-testid=rules-error")
            self.fields_panel = ui.element("div").classes("rules-sections")
            self.text_panel = ui.element("div").classes("rules-sections")
        self.refresh(session.state)

    # -- display --------------------------------------------------------------------------------------------------

    def refresh(self, state: State) -> None:
        if state.technique == "rules" and not self._is_starting:
            try:
                self.editor.read(state)
                self._message = ""
            except TilewrightError as error:
                self._message = str(error)
            if self.editor.rulebook:
                self._update_editor()
        self.start.refresh(state)
        self._show(state)

    def show_map(self) -> None:
        """Update the controls, which show the map's tiles."""
        self.refresh(self.session.state)

    def _update_editor(self) -> None:
        """Build the visible editor if needed, and show the rulebook."""
        if self.side.value == "text":
            if self.text is None:
                with self.text_panel:
                    self.text = TextView(self.editor)
            self.text.update()
            return
        if not self.sections:
            with self.fields_panel:
                self.sections = {name: RulesSection(self.editor, name) for name in SECTIONS}
            for name in ("names", "generationRules"):
                self.sections[name].toggle()
        problems = self.editor.problems
        for section in self.sections.values():
            section.update(problems)

    def _show(self, state: State) -> None:
        """Show the panel for the state."""
        starts = self._is_starting or state.technique != "rules"
        self.start_panel.set_visibility(starts)
        self.back.set_visibility(self._is_starting and state.technique == "rules")
        self.top.set_visibility(not starts)
        self.fields_panel.set_visibility(not starts and self.side.value == "fields")
        self.text_panel.set_visibility(not starts and self.side.value == "text")
        self.error.set_text(self._message)
        self.error.set_visibility(bool(self._message) and not starts)

    # -- user actions ---------------------------------------------------------------------------------------------

    def _copy(self) -> None:
        copy_text(books.write_text(self.editor.rulebook), "Rulebook copied")

    def _show_start(self, is_starting: bool) -> None:
        self._is_starting = is_starting
        self.refresh(self.session.state)

    def _on_start(self) -> None:
        """Close all sections for a new rulebook."""
        self._is_starting = False
        self.sections = {}
        self.fields_panel.clear()


class RulesSection:
    """A section that opens and closes; its controls are built when it is first opened."""

    def __init__(self, editor: Editor, name: str) -> None:
        self.editor, self.name = editor, name
        title, self.fields = SECTIONS[name]
        self.controls: Controls | None = None
        with ui.element("section").classes("rules-section") as self.card:
            self.head = (
                ui.element("button").classes("rules-head").props(f"type=button data-testid=rules-section-{name}")
            )
            with self.head.on("click", self.toggle):
                ui.label(title).classes("rules-title")
                self.count = ui.label("").classes("rules-count").props(f"data-testid=rules-count-{name}")
            self.body = ui.element("div").classes("rules-body")
        self.body.set_visibility(False)

    def toggle(self) -> None:
        """Open or close the section."""
        self.body.set_visibility(not self.body.visible)
        self.head.props(f"aria-expanded={'true' if self.body.visible else 'false'}")
        if self.controls is None:
            skip = [field for field in books.Draft.model_fields if field not in self.fields]
            about = books.Draft.model_fields[self.fields[-1]].description or ""
            with self.body:
                ui.label(about).classes("tw-hint")
                self.controls = Controls(
                    books.Draft,
                    self.editor.rulebook,
                    self._on_change,
                    tiles=lambda: self.editor.tiles,
                    skip=skip,
                    test_id="rules",
                )
        self.update(self.editor.problems)

    def update(self, problems: tuple[Problem, ...]) -> None:
        """Show the rulebook and its problems."""
        self.count.set_text(summarize_section(self.editor.rulebook, self.name))
        is_wrong = any(problem.path[:1] and problem.path[0] in self.fields for problem in problems)
        self.card.classes(add="rules-blamed" if is_wrong else "", remove="" if is_wrong else "rules-blamed")
        if self.controls is not None and self.body.visible:
            self.controls.update(self.editor.rulebook)
            self.controls.mark(problems)

    def _on_change(self, name: str, value: Any) -> None:
        try:
            self.editor.set_section(name, books.Draft.default_of(name) if value is UNSET else value)
        except InvalidRecipe as error:
            if self.controls is not None:
                self.controls.mark(error.problems)


def summarize_section(rulebook: books.Rulebook, section: str) -> str:
    """Return a short description of a section."""
    if section == "mapData":
        return f"{rulebook['width']}×{rulebook['height']}"
    if section == "roomData":
        division = rulebook["roomData"]["division"]
        model = Equal if division["kind"] == "equal" else Tree
        return division_summary(model.model_validate(division))
    if section == "generationRules":
        rules = sum(len(layer["rules"]) for layer in rulebook["generationRules"])
        return f"{len(rulebook['generationRules'])}, with {pluralize(rules, 'rule')}"
    return str(len(rulebook[section]))
