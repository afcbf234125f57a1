"""Control of trained networks: a choice of the built-in models, and upload of others."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ... import data
from ...core.errors import TilewrightError, pluralize
from ...core.network import Network
from ..own_models import is_reference, store_model
from ..resolver import StudioResolver
from .control import Control, select
from .maps import UploadButton, find_settings, run_in_background

MAX_LISTED_TILES = 12
"""Maximum number of tiles that the note lists."""


class NetworkControl(Control):
    """A built-in model by name, or an uploaded model by its name and digest."""

    is_wide = True

    def build(self) -> None:
        self._values: dict[str, Any] = {name: name for name in data.list_names("models")}
        """Values by option: names of built-in models, and digests of uploaded models."""
        with ui.element("div").classes("tc-line"):
            self._select = select({}, self._on_choice, self.binding.test_id)
            UploadButton(self, ".npz", self._on_upload)
        self._note = ui.label().classes("tc-note")
        self._note.props["data-testid"] = f"{self.binding.test_id}-note"

    def draw(self, value: Any) -> None:
        option = str(value["digest"]) if is_reference(value) else str(value)
        if is_reference(value):
            self._values[option] = value
        options = {key: _label(one) for key, one in {**self._values, option: value}.items() if one is not None}
        self._select.set_options(options, value=option if value is not None else None)
        self._note.text = _describe(value)
        self._note.set_visibility(bool(self._note.text))

    def _on_choice(self, option: Any) -> None:
        if not self._is_showing and option in self._values:
            self.put(self._values[option])

    async def _on_upload(self, content: bytes, name: str) -> None:
        settings = find_settings(self.context)
        model = await run_in_background(self.context, lambda: store_model(content, name, settings))
        self.put(model.to_data())


def _label(value: Any) -> str:
    return f"{str(value['model'])[:60]} (your file)" if is_reference(value) else str(value)[:60]


def _describe(value: Any) -> str:
    """Return the tiles of a model; an empty string if there is no such model."""
    try:
        model = Network.of(value, StudioResolver())
    except TilewrightError:
        return ""
    more = len(model.labels) - MAX_LISTED_TILES
    shown = ", ".join(model.labels[:MAX_LISTED_TILES]) + (f" and {more} more" if more > 0 else "")
    return f"{pluralize(len(model.labels), 'tile')}: {shown}"
