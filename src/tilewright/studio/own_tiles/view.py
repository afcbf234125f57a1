"""Panel of Make for the user's own tiles: what is in use, what is missing, and the dialog to edit it."""

from __future__ import annotations

from collections.abc import Mapping

from nicegui import ui

from ...core.errors import TilewrightError
from ..own_files import list_missing
from ..page.view import StatePanel
from ..page.widgets import Message, icon_button, labeled_button
from ..session import Session
from ..state import State
from .dialog import OwnTilesDialog
from .tileset import find_own_data, remove_own_tiles


class OwnTilesPanel(StatePanel):
    """A button that opens the dialog, and a line about the own tiles in use."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._missing: list[str] = []
        self.dialog: OwnTilesDialog | None = None
        with ui.element("div").classes("tw-row tw-own-row"):
            hint = "Use a picture of your own sprites for this map and all exports"
            self.button = labeled_button("", "palette", self._open, "own-tiles", hint=hint, color="primary")
            self.button.classes("tw-grow")
            self.remove = icon_button("delete_outline", "Remove your own tiles", self._remove, test_id="own-remove")
        self.note = Message("own-missing")
        self.update(session.state)

    def select(self, state: State) -> object:
        nested = [value for value in state.params.values() if isinstance(value, Mapping | list)]
        return state.recipe.get("tileset"), state.recipe.get("shaping"), nested

    def refresh(self, state: State) -> None:
        """Show whether the state has own tiles, and whether their picture is missing."""
        data, missing = find_own_data(state.recipe), list_missing(state.recipe)
        self.button.set_text("Your own tiles…" if data is None else f"Your own tiles: {str(data.get('name'))[:40]}")
        self.remove.set_visibility(data is not None)
        line = describe_missing(missing)
        self.note.show(line)
        if missing and missing != self._missing:
            ui.notify(line, timeout=8000)
        self._missing = missing

    def show_map(self) -> None:
        """Draw the preview of the dialog with the current map."""
        if self.dialog is not None:
            self.dialog.show_map()

    def _open(self) -> None:
        if self.dialog is None:
            self.dialog = OwnTilesDialog(self.session)
        self.dialog.open()

    def _remove(self) -> None:
        try:
            self.session.change(remove_own_tiles(self.session.state))
        except TilewrightError as error:
            self.session.emit("refused", error)


def describe_missing(names: list[str]) -> str:
    """Return one line about pictures that a link names and that are missing."""
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {verb} missing here, so the tileset's own look is shown; choose the picture again"
