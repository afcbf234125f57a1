"""Export of several maps as a zip archive; in the gallery, of all variations or the starred ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nicegui import ui

from ...core.errors import TilewrightError, TooLarge, pluralize
from ...formats import format_registry
from .. import operations
from ..export.files import build_options, format_bytes, group_formats
from ..http.responses import file_name
from ..jobs import Cancelled, CancelToken
from ..operations import Files, zip_files
from ..page.widgets import ProgressRow, ViewTask, labeled_button
from ..session import Session
from .variations import Variation

MAX_ZIP_BYTES = 64 << 20
"""Maximum bytes of all files of an archive."""


class MapsExport:
    """Choice of a format, buttons of a subclass, and the progress of an export."""

    def __init__(self, session: Session, name: str) -> None:
        """Build the controls in the current slot. `name` is part of the test ids."""
        self.session = session
        self._job = ViewTask()
        formats = [format for formats in group_formats().values() for format in formats]
        with ui.element("div").classes("tw-gallery-export"):
            self.format = ui.select(formats, value="png", label="Format")
            self.format.props(f"dense outlined options-dense data-testid={name}-format")
            self._build_buttons()
        self.progress = ProgressRow(f"{name}-export", self.stop)
        self.status = ui.label("").classes("tw-faint").props(f"data-testid={name}-export-status role=status")

    def stop(self) -> None:
        """Cancel the export."""
        self._job.stop()
        self.progress.hide()

    def _build_buttons(self) -> None:
        """Build the buttons beside the format."""

    def _start(self, chosen: Sequence[Variation]) -> None:
        """Export some maps in the chosen format."""
        self.progress.show(0)
        self._show_status("")
        self._job.start(self._export(chosen, str(self.format.value)))

    async def _export(self, chosen: Sequence[Variation], format: str) -> None:
        files: dict[str, bytes] = {}
        failures: list[TilewrightError] = []
        try:
            for number, variation in enumerate(chosen):
                try:
                    files |= await self._write(variation, format, name_file(number, variation))
                except (Cancelled, TooLarge):
                    raise
                except TilewrightError as error:
                    failures.append(error)
                if sum(map(len, files.values())) > MAX_ZIP_BYTES:
                    limit = format_bytes(MAX_ZIP_BYTES)
                    raise TooLarge(
                        f"the files must have at most {limit} together; star fewer maps or make them smaller"
                    )
                self.progress.show((number + 1) / len(chosen))
            if failures and not files:
                raise failures[0]
            archive = await self.session.submit(lambda token: zip_files(files))
        except Cancelled:
            return
        except TilewrightError as error:
            self.progress.hide()
            self._show_status(str(error), is_bad=True)
            return
        self.progress.hide()
        note = f", {len(failures)} failed ({failures[0]})" if failures else ""
        self._show_status(f"{pluralize(len(chosen) - len(failures), 'map')}, {format_bytes(len(archive))}{note}")
        with self.status:
            ui.download.content(archive, f"{file_name(self.session.state.title)}-{format}.zip")

    async def _write(self, variation: Variation, format: str, name: str) -> Files:
        """Make a variation and return its files. Several files are in a folder of their own."""
        options = build_options(format_registry.get(format), variation.state)

        def work(token: CancelToken) -> Files:
            recipe = operations.check_recipe(variation.state.effective, token.settings)
            return operations.export_map(recipe, format, options, token, name, edit=variation.state.edit).files

        files = await self.session.submit_when_free(work)
        return files if len(files) == 1 else {f"{name}/{file}": content for file, content in files.items()}

    def _show_status(self, text: str, *, is_bad: bool = False) -> None:
        self.status.set_text(text)
        self.status.classes(replace="tw-bad" if is_bad else "tw-faint")


class GalleryExport(MapsExport):
    """Buttons to export all or the starred variations."""

    def __init__(self, session: Session, list_chosen: Callable[[bool], Sequence[Variation]]) -> None:
        """Build the controls in the current slot. `list_chosen` returns all variations, or the starred ones."""
        self._list_chosen = list_chosen
        super().__init__(session, "gallery")

    def refresh(self) -> None:
        """Show how many variations are starred."""
        self.buttons[False].set_enabled(bool(self._list_chosen(False)))
        count = len(self._list_chosen(True))
        self.buttons[True].set_text(f"Starred ({count})")
        self.buttons[True].set_enabled(count > 0)

    def _build_buttons(self) -> None:
        self.buttons = {starred: self._build_button(starred) for starred in (False, True)}

    def _build_button(self, starred: bool) -> ui.button:
        def on_click() -> None:
            self._start([*self._list_chosen(starred)])

        hint = f"Download {'the starred' if starred else 'all'} maps as a zip archive"
        return labeled_button("All", "download", on_click, f"export-{'starred' if starred else 'all'}", hint=hint)


def name_file(number: int, variation: Variation) -> str:
    """Return the name of a variation's file without extension, such as `03-walls-0.45`."""
    return f"{number + 1:02}-{re.sub(r'[^0-9A-Za-z.]+', '-', variation.caption).strip('-.')}"
