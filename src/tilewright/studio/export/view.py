"""Tab Export: the map in any format, and its recipe, shell command, Python code and link."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from ...core.errors import TilewrightError
from ...core.recipe import Recipe
from ...core.yaml import write_data
from ..http.responses import file_name
from ..own_files import StudioResolver, embed_pictures, name_model_files
from ..own_tiles.tileset import NAME, clean_name, find_own_data
from ..page.view import View
from ..page.widgets import build_copy_script, icon_button, labeled_button
from ..session import Session
from ..state import State
from .files import FilesView
from .snippets import command_line, python_code

PAINTED_NOTE = (
    "The map has painted cells: the file contains them, but no recipe. "
    "Press Rebuild around locks to make a map whose recipe contains the locked cells."
)
EMBEDDED_NOTE = "Names the picture of your own tiles by digest; a downloaded file contains the picture."
LINK_NOTE = "Names the picture of your own tiles. To open the map on another machine, use a downloaded recipe."
MODEL_LINK_NOTE = "Names the model by digest. To open the map in another studio, upload the model there."
LANDMARKS_NOTE = (
    "You edited markers or rooms: files, the Python code and the link contain the edits. "
    "A recipe and the shell command cannot."
)
LONG_LINK = 8000
"""Characters from which messengers and mail programs may truncate a link."""


class ExportView(View):
    """Files in one panel; recipe, code and link in another."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.page_url = ""
        """URL of the page without the fragment."""
        self.is_made = False
        """Whether the current map is the map of the state."""
        self.painted = build_remark("brush", PAINTED_NOTE, "export-painted")
        self.landmarks = build_remark("place", LANDMARKS_NOTE, "export-landmarks")
        self.part = ui.toggle({"file": "File", "again": "Recipe, code, link"}, value="file", on_change=self._show_part)
        self.part.props("dense no-caps unelevated spread data-testid=export-part").classes("tw-toggle")
        with ui.element("div").classes("tw-export") as self.file_panel:
            self.files = FilesView(session)
        with ui.element("div").classes("tw-export") as self.code_panel:
            self.recipe = CopyableText("Recipe", "recipe")
            with self.recipe.head:
                for ending in ("yaml", "json"):
                    download = partial(self._download, ending)
                    labeled_button(f".{ending}", "download", download, f"recipe-{ending}", "flat dense size=sm")
            self.command = CopyableText("Shell command", "command-line")
            self.python = CopyableText("Python code", "python-lines")
            self.link = CopyableText("Link", "address")
        self.missing = ui.label("This recipe makes no map: see the message over the map.").classes("tw-hint")
        self.missing.props("data-testid=export-missing")
        self._show_part()
        session.listen("map", lambda map: self.refresh(session.state))
        background_tasks.create(self._read_page_url())
        self.refresh(session.state)

    def refresh(self, state: State) -> None:
        """Show the recipe, code and link of the state, if the tab is open."""
        if state.view_settings.tab != "export" or self.code_panel.is_deleted:
            self.files.stop()
            return
        self.painted.set_visibility(state.painted is not None)
        self.landmarks.set_visibility(bool(state.landmarks))
        self.files.refresh()
        self.is_made = self._is_made(state)
        self._show_part()
        if not self.is_made:
            return
        recipe, left_out = self.build_recipe_data(), describe_left_out(state)
        own = find_own_data(recipe)
        data, models = name_model_files(recipe)
        needs_file = f"Needs {', '.join(models)}, which you uploaded, in the same folder." if models else ""
        self.recipe.show(write_data(recipe), _join_notes(left_out, EMBEDDED_NOTE if own else "", needs_file))
        if own is not None:
            data["tileset"] = f"{clean_name(str(own.get('name')), NAME)}.toml"
            needs_file = _join_notes(f"Needs {data['tileset']}: download it in Make, Your own tiles.", needs_file)
        self.command.show(command_line(data), _join_notes(left_out, needs_file))
        edited = self.session.map if state.landmarks else None
        self.python.show(python_code(data, state.painted, edited), needs_file)
        try:
            link = f"{self.page_url}#{state.to_link()}"
        except TilewrightError as error:
            self.link.show("", str(error))
            return
        warning = f"{len(link):,} characters: some programs truncate long links." if len(link) > LONG_LINK else ""
        notes = (LINK_NOTE if own else "", MODEL_LINK_NOTE if models else "")
        self.link.show(link, _join_notes(warning, *notes))

    def _show_part(self) -> None:
        """Show the selected panel."""
        is_file = self.part.value == "file"
        self.file_panel.set_visibility(is_file)
        self.code_panel.set_visibility(not is_file and self.is_made)
        self.missing.set_visibility(not is_file and not self.is_made)

    def build_recipe_data(self) -> dict[str, Any]:
        """Return the recipe of the current map, with its seed."""
        data = dict(self.session.state.effective)
        made = self.session.map.recipe if self.session.map is not None else None
        if data.get("seed") is None and made is not None:
            data["seed"] = made.seed  # The seed was chosen at random when the map was made.
        return data

    def _is_made(self, state: State) -> bool:
        """Return whether the current map is the map of the state, which may still be in progress or have failed."""
        try:
            return self.session.map is not None and Recipe.of(state.effective, StudioResolver()) == self.session.recipe
        except TilewrightError:
            return False

    async def _read_page_url(self) -> None:
        with self.code_panel:
            self.page_url = str(await ui.run_javascript("location.origin + location.pathname", timeout=10))
        self.refresh(self.session.state)

    def _download(self, ending: str) -> None:
        data = embed_pictures(self.build_recipe_data())
        text = write_data(data) if ending == "yaml" else json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        ui.download.content(text.encode(), f"{file_name(self.session.state.title)}.{ending}")


def build_remark(icon: str, text: str, test_id: str) -> ui.element:
    """Build a card with a note about the map."""
    with ui.element("div").classes("tw-card tw-remark").props(f"data-testid={test_id}") as card:
        ui.icon(icon)
        ui.label(text)
    return card


def describe_left_out(state: State) -> str:
    """Return a sentence about the edits by hand that a recipe cannot contain; an empty string if there are none."""
    parts = ["painted cells"] * (state.painted is not None) + ["edits of markers and rooms"] * bool(state.landmarks)
    return f"Makes the map without the {' and the '.join(parts)}." if parts else ""


def _join_notes(*notes: str) -> str:
    return " ".join(note for note in notes if note)


class CopyableText:
    """A titled block of text with a button that copies it."""

    def __init__(self, title: str, test_id: str) -> None:
        with ui.element("div").classes("tw-take-head") as self.head:
            ui.label(title).classes("tw-title")
            ui.space()
        self.lines = ui.label("").classes("tw-lines").props(f"data-testid={test_id}")
        self.remark = ui.label("").classes("tw-hint")
        with self.head:
            self.copy = icon_button("content_copy", f"Copy: {title.lower()}", lambda: None, test_id=f"copy-{test_id}")
            script = build_copy_script(f"getHtmlElement({self.lines.id}).textContent", "Copied")
            self.copy.on("click", js_handler=script)

    def show(self, lines: str, remark: str = "") -> None:
        self.lines.set_text(lines.rstrip("\n"))
        self.lines.set_visibility(bool(lines))
        self.copy.set_visibility(bool(lines))
        self.remark.set_text(remark)
        self.remark.set_visibility(bool(remark))
