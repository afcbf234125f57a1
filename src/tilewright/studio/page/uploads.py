"""Files that people send: one at a time, no larger than the settings allow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import UploadEventArguments

from ..settings import Settings

REQUEST_OVERHEAD = 1 << 10
"""Bytes of a request around the file: the guard counts them too."""


class Uploader(ui.upload):
    """An upload without a look of its own: buttons and drops bring it files.

    FastAPI remembers every route that it has called, and NiceGUI's route its upload: with what it holds of the page and
    its person, nobody who ever came would be forgotten.
    """

    def __init__(
        self,
        settings: Settings,
        on_file: Callable[[UploadEventArguments], Awaitable[None]],
        on_refusal: Callable[[str], None],
        *,
        accept: str = "",
    ) -> None:
        """`taken` gets the file, `refused` the line that says why it is none."""
        most = max(1, settings.upload - REQUEST_OVERHEAD)
        kind = ", or of another kind," if accept else ""
        line = f"files of more than {most:,} bytes{kind} are not taken"
        super().__init__(auto_upload=True, max_file_size=most, on_upload=on_file, on_rejected=lambda: on_refusal(line))
        if accept:
            self.props["accept"] = accept

    def _handle_delete(self) -> None:
        super()._handle_delete()
        self._upload_handlers.clear()
