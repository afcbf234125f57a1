"""Tab Rules: choice of a rulebook, and its editor by sections, or as the JSON of a ProcEngine object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from nicegui import background_tasks, ui

from ...core.errors import InvalidRecipe, Problem, TilewrightError, pluralize
from ...core.yaml import read_data, read_head_comment
from ...data import list_names, read_text
from ...generators._rules.language import Equal, Tree
from .. import operations
from ..controls import UNSET, Controls
from ..map.payloads import encode_picture
from ..page.map_card import MapCard
from ..page.view import View
from ..page.widgets import Message, copy_text, labeled_button, set_pressed, toggle_class
from ..session import Session
from ..state import State
from . import rulebook_draft as books
from .controls import division_summary
from .rulebook_draft import Editor

SECTIONS = {
    "names": ("Names", ("names",)),
    "neighbourhoods": ("Neighborhoods", ("neighbourhoods",)),
    "mapData": ("Map", ("width", "height", "mapData")),
    "roomData": ("Rooms", ("roomData",)),
    "generationRules": ("Layers", ("generationRules",)),
}
"""Title and fields of every section."""
MODES = {"fields": "Fields", "text": "JSON"}
SMALL = "flat dense size=sm"
"""Style of the small buttons."""


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
                hint, start = "Copy the rulebook as JSON for ProcEngine", partial(self._show_start, True)
                labeled_button("Copy JSON", "content_copy", self._copy, "rules-copy", SMALL, hint=hint)
                hint = "Start with another rulebook"
                labeled_button("Rulebooks", "auto_stories", start, "rules-books", SMALL, hint=hint)
            with ui.element("div").classes("rules-start") as self.start_panel:
                with ui.element("div").classes("rules-line"):
                    ui.label("Choose a rulebook").classes("rules-title rules-grow")
                    back = partial(self._show_start, False)
                    self.back = labeled_button("Back", "arrow_back", back, "rules-back", SMALL)
                self.start = StartView(session, self._on_start)
            self.error = Message("rules-error", "tw-bad rules-error", "alert")
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
        self.error.show("" if starts else self._message)

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
            props = f"type=button data-testid=rules-section-{name}"
            self.head = ui.element("button").classes("rules-head").props(props)
            with self.head.on("click", self.toggle):
                ui.label(title).classes("rules-title")
                self.count = ui.label("").classes("rules-count").props(f"data-testid=rules-count-{name}")
            self.body = ui.element("div").classes("rules-body")
        self.body.set_visibility(False)

    def toggle(self) -> None:
        """Open or close the section."""
        self.body.set_visibility(not self.body.visible)
        set_pressed(self.head, self.body.visible, "aria-expanded")
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
        toggle_class(self.card, "rules-blamed", is_wrong)
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


SEED = 7
SCALE = 8
"""Seed and pixels per cell of the thumbnails."""


class StartView:
    """Rulebooks to choose from."""

    def __init__(self, session: Session, on_start: Callable[[], None]) -> None:
        self.session, self._on_start = session, on_start
        self.hint = ui.label("").classes("tw-hint")
        ui.label("Small examples").classes("tw-title")
        with ui.element("div").classes("rules-cards"):
            self.cards = {
                name: MapCard(
                    f"rules-begin-{name}",
                    name.replace("-", " ").capitalize(),
                    summary,
                    style="tw-link tw-card",
                    on_click=partial(self._start, name, recipe),
                )
                for name, (summary, recipe) in list_rulebooks("rulebooks").items()
            }
        ui.label("Built-in recipes").classes("tw-title")
        with ui.element("div").classes("rules-recipes"):
            for name, (summary, recipe) in list_rulebooks("recipes").items():
                begin, style = partial(self._start, name, recipe), "outline dense size=sm"
                labeled_button(name, None, begin, f"rules-begin-{name}", style, hint=summary)
        background_tasks.create(self._draw_pictures())

    def refresh(self, state: State) -> None:
        if state.technique == "rules":
            self.hint.set_text("Choosing another rulebook replaces this one; undo restores it.")
        else:
            self.hint.set_text(
                f"The current technique is {state.technique}. Choosing a rulebook replaces it by rules to edit"
                " here; undo restores the map."
            )

    def _start(self, name: str, recipe: Mapping[str, Any]) -> None:
        state = self.session.state
        seed = SEED if state.seed is None else state.seed
        self._on_start()
        self.session.open(state.open_recipe({**recipe, "seed": seed}, name))

    async def _draw_pictures(self) -> None:
        """Make the thumbnails in the background."""
        for name, card in self.cards.items():
            data = {**list_rulebooks("rulebooks")[name][1], "seed": SEED}
            recipe = operations.check_recipe(data, self.session.queue.settings)
            try:
                map = await self.session.submit(partial(operations.make_map, recipe))
            except TilewrightError:
                continue
            if not card.element.is_deleted:
                card.show_picture(encode_picture(map.image(scale=SCALE)))


@cache
def list_rulebooks(folder: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return the rulebooks in a data folder with their descriptions; the empty one is the last."""
    found = {name: read_data(read_text(folder, name), name) for name in list_names(folder)}
    books = {name: recipe for name, recipe in found.items() if recipe.get("technique") == "rules"}
    by_length = sorted(books, key=lambda name: not books[name]["params"]["generationRules"])
    return {name: (read_head_comment(read_text(folder, name)), books[name]) for name in by_length}


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
            hint = "Replace the rulebook by the one in the clipboard"
            paste = labeled_button("Paste", "content_paste", self._paste, "rules-paste", SMALL, hint=hint)
            paste.classes("rules-add")
        with ui.element("div").classes("rules-text") as self.frame:
            self.gutter = ui.html("", sanitize=False).classes("rules-gutter").props("aria-hidden=true")
            self.area = ui.textarea(on_change=self._on_input).props(
                f"autogrow borderless dense debounce={PAUSE} wrap=off spellcheck=false autocomplete=off"
                ' autocapitalize=off data-testid=rules-json aria-label="rulebook as JSON"'
            )
        self.error = Message("rules-json-error", "tw-bad rules-error", "alert")
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
        self.error.show(message)
        toggle_class(self.frame, "rules-blamed", bool(message))
        self._error_line = line
        self._number_lines()

    def _number_lines(self) -> None:
        lines = (self.area.value or "").count("\n") + 1
        numbers = (f"<b>{line}</b>" if line == self._error_line else str(line) for line in range(1, lines + 1))
        written = "\n".join(numbers)
        if self.gutter.content != written:
            self.gutter.set_content(written)
