"""Upload of single files up to the size limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import UploadEventArguments

from ..settings import Settings

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
        on_file: Callable[[UploadEventArguments], Awaitable[None]],
        on_refusal: Callable[[str], None],
        *,
        accept: str = "",
    ) -> None:
        """Create the element. `on_file` is called with the file, and `on_refusal` with an error message."""
        max_bytes = max(1, settings.upload - REQUEST_OVERHEAD)
        kind = f" and be {accept}" if accept else ""
        line = f"the file must have at most {max_bytes:,} bytes{kind}"
        super().__init__(
            auto_upload=True, max_file_size=max_bytes, on_upload=on_file, on_rejected=lambda: on_refusal(line)
        )
        if accept:
            self.props["accept"] = accept

    def _handle_delete(self) -> None:
        super()._handle_delete()
        self._upload_handlers.clear()
