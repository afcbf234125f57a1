"""File panel of the tab Export: formats in groups, options, preview, description and download."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui
from PIL import Image

from ...core.errors import TilewrightError
from ...core.fields import fields_of
from ...core.tilemap import TileMap
from ...formats import Format, format_registry
from .. import operations
from ..controls import Controls, with_value
from ..jobs import CancelToken
from ..map.payloads import data_url
from ..operations import Files, zip_files
from ..page.widgets import ProgressRow, ViewTask, labeled_button, toggle_class
from ..session import Session
from ..state import State, ViewSettings

PICTURES = ("png", "gif", "webp", "apng")
"""Formats that a browser displays."""
WITHOUT_PREVIEW = ("html",)
"""Text formats that are meant for programs, so that their beginning shows nothing of the map."""
MAX_PREVIEW_BYTES = 4 << 20
"""Maximum bytes of a picture in the preview."""
MAX_PREVIEW_LENGTH = 1500
"""Maximum characters of text in the preview."""
TOOLTIP_PROPS = 'anchor="top middle" self="bottom middle" delay=400'
"""Position of a format's tooltip: above it, so that it does not cover the other formats."""
SCROLL_SCRIPT = """(event) => event.target.classList.contains('tw-preview-film')
  && event.target.scrollIntoView({block: 'nearest', behavior: 'smooth'})"""
"""Scrolls to an animation when it is loaded. Pictures, which update with their options, do not scroll."""
PAUSE = 0.25
"""Seconds without a change of the options before the file is made again."""


@dataclass(frozen=True)
class FileRequest:
    """The map, format, options and name of a file."""

    map: TileMap | None
    format: str
    options: Mapping[str, Any]
    name: str

    def is_same_file(self, other: FileRequest | None) -> bool:
        """Return whether another request has the same map, format and options; its name may differ."""
        if other is None or other.map is not self.map:
            return False
        return (other.format, other.options) == (self.format, self.options)


class FilesView:
    """Selection of a format, its options, a preview and the download."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.format = "png"
        self.options: dict[str, dict[str, Any]] = {}
        """Options that are set, by format."""
        self.files: Files | None = None
        self.controls: Controls | None = None
        self._finished_request: FileRequest | None = None
        self._pending_request: FileRequest | None = None
        self._progress = 0.0
        """Progress of an animation, from 0 to 1."""
        self._job = ViewTask()
        self.buttons: dict[str, ui.button] = {}
        with ui.element("div").classes("tw-formats"):
            for title, names in group_formats().items():
                ui.label(title).classes("tw-faint")
                with ui.element("div"):
                    for name in names:
                        button = ui.button(name, color=None, on_click=partial(self.choose, name))
                        with button.props(f"flat dense no-caps data-testid=format-{name}"):
                            ui.tooltip(format_registry.get(name).summary).props(TOOLTIP_PROPS)
                        self.buttons[name] = button
        self.summary = ui.label("").classes("tw-hint").props("data-testid=format-summary")
        self.options_panel = ui.element("div").classes("tw-fields").props("data-testid=format-options")
        with ui.element("div").classes("tw-download tw-take"):
            self.name = ui.input("File name", value="map").props("dense outlined maxlength=80 data-testid=file-name")
            labeled_button("Download", "download", self._download, "download", "dense unelevated")
        self.progress = ProgressRow("export", self.stop)
        self.status = ui.label("").classes("tw-faint").props("data-testid=file-status role=status")
        self.play = labeled_button("Preview", "play_arrow", lambda: self._start(), "preview-animation")
        self.picture = ui.element("img").classes("tw-preview").props('alt="" data-testid=preview')
        self.picture.on("load", js_handler=SCROLL_SCRIPT)
        self.text = ui.label("").classes("tw-lines tw-cut").props("data-testid=preview-text")
        self.choose("png")

    @property
    def entry(self) -> Format:
        return format_registry.get(self.format)

    @property
    def is_animation(self) -> bool:
        return self.entry.animate is not None

    @property
    def stem(self) -> str:
        """File name without extension, with characters that all file systems allow."""
        return re.sub(r"[^\w. -]", "_", self.name.value or "").strip(" .") or "map"

    def choose(self, name: str) -> None:
        """Select a format. Its earlier options are kept."""
        self.stop()
        self.buttons[self.format].classes(remove="tw-chosen-format")
        self.format = name
        self.buttons[name].classes(add="tw-chosen-format")
        self.summary.set_text(self.entry.summary)
        fields = fields_of(self.entry.params)
        values = self.options.setdefault(name, build_view_options(self.entry, self.session.state.view_settings))
        read_options = [field.name for field in fields if field.reading]
        self.options_panel.clear()
        with self.options_panel:
            self.controls = Controls(
                self.entry.params, values, self._on_option_change, tiles=self.session.tiles, skip=read_options
            )
        toggle_class(self.picture, "tw-preview-film", self.is_animation)
        self.refresh()

    def refresh(self) -> None:
        """Make the file again if the map, the format or the options have changed."""
        request = self._build_request()
        if request.is_same_file(self._finished_request) or request.is_same_file(self._pending_request):
            return
        self.stop()
        self._clear_preview()
        if not self.is_animation:
            self._start(PAUSE)

    def stop(self) -> None:
        """Cancel the running job."""
        self._job.stop()
        self._pending_request = None
        self.progress.hide()
        self.play.set_visibility(self.is_animation and self.files is None)

    # -- jobs ---------------------------------------------------------------------------------------------------

    def _on_option_change(self, name: str, value: Any) -> None:
        self.options[self.format] = with_value(self.options[self.format], name, value)
        self.refresh()

    def _build_request(self) -> FileRequest:
        options = build_options(self.entry, self.session.state, self.options[self.format])
        return FileRequest(self.session.map, self.format, options, self.stem)

    def _clear_preview(self) -> None:
        self.files = self._finished_request = None
        self.status.set_text("")
        self.play.set_visibility(self.is_animation)
        self.picture.set_visibility(False)
        self.text.set_visibility(False)

    def _start(self, pause: float = 0, *, download: bool = False) -> None:
        self.stop()
        self.play.set_visibility(False)
        self._pending_request = self._build_request()
        self._job.start(self._make_file(self._pending_request, pause, download))

    async def _make_file(self, request: FileRequest, pause: float, download: bool) -> None:
        await asyncio.sleep(pause)
        map, recipe, edit = request.map, self.session.recipe, self.session.state.edit
        if self.session.state.view_settings.tab != "export":
            return
        if map is None or recipe is None:
            self._fail(TilewrightError("there is no map yet"), request)
            return
        animates, loop = self.is_animation, asyncio.get_running_loop()
        if animates:
            self.progress.show(0)

        def report_progress(done: float) -> None:
            if round(done, 2) != self._progress:
                self._progress = round(done, 2)
                loop.call_soon_threadsafe(self.progress.bar.set_value, self._progress)

        def work(token: CancelToken) -> tuple[Files, str]:
            if animates:
                files = operations.export_map(
                    recipe, request.format, request.options, token, request.name, edit=edit, on_progress=report_progress
                ).files
            else:
                files = operations.write_map(map, request.format, request.options, token, request.name)
            return files, describe_files(files, is_picture=request.format in PICTURES)

        found = await self.session.attempt(work, lambda error: self._fail(error, request))
        if found is None:
            return
        files, status = found
        self.progress.hide()
        self.files, self._finished_request, self._pending_request = files, request, None
        self._show(files, status)
        if download:
            self._send()

    def _fail(self, error: TilewrightError, request: FileRequest) -> None:
        self.progress.hide()
        self._clear_preview()
        self._finished_request, self._pending_request = request, None  # The job would fail again.
        self.status.set_text(str(error))
        self.status.classes(replace="tw-bad")
        self.play.set_visibility(self.is_animation)
        if self.controls is not None:
            self.controls.mark(error.problems)

    # -- preview and download -----------------------------------------------------------------------------------

    def _show(self, files: Files, status: str) -> None:
        main = next(iter(files.values()))
        self.status.classes(replace="tw-faint")
        self.status.set_text(status)
        if self.controls is not None:
            self.controls.mark(())
        if self.format in PICTURES:
            fits = len(main) <= MAX_PREVIEW_BYTES
            if fits:
                self.picture.props(f"src={data_url(main, format_registry.get(self.format).media_type)}")
            self.picture.set_visibility(fits)
        elif self.format not in WITHOUT_PREVIEW and b"\0" not in main:
            self.text.set_text(main[: 4 * MAX_PREVIEW_LENGTH].decode("utf-8", "ignore")[:MAX_PREVIEW_LENGTH])
            self.text.set_visibility(True)

    def _download(self) -> None:
        """Send the file. Several files are made again if the name has changed, because they refer to each other."""
        finished = self._finished_request
        if self.files is None or finished is None or (len(self.files) > 1 and finished.name != self.stem):
            self._start(download=True)
        else:
            self._send()

    def _send(self) -> None:
        """Send the file, or a zip archive of several, under the current name."""
        if not self.files:
            return
        ending = "".join(self.entry.extensions[:1])
        if len(self.files) == 1:
            content, name = next(iter(self.files.values())), f"{self.stem}{ending}"
        else:
            content, name = zip_files(self.files), f"{self.stem}.zip"
        with self.options_panel:
            ui.download.content(content, name)


GROUPS = {
    "Pictures": ("png",),
    "Animations": ("gif", "webp", "apng"),
    "Page": ("html",),
    "Engines": ("godot", "ldtk", "tmx", "tmj", "uvtt", "xp", "raw", "vox"),
    "Data": ("json", "npz", "csv", "txt", "fbca"),
}
OTHERS = "Others"
"""Group of further formats, unless an engine opens their files."""


def build_view_options(entry: Format, settings: ViewSettings) -> dict[str, Any]:
    """Return the options with which a format shows a map as the canvas does: sprites, grid and overlay.

    Whether there are sprites, and icons of markers, is the default of the formats, as on the canvas.
    """
    known = {field.name for field in fields_of(entry.params)}
    shown = {
        "sprites": None if settings.sprites else False,
        "grid": settings.grid or None,
        "overlay": settings.overlay or None,
    }
    return {option: value for option, value in shown.items() if option in known and value is not None}


def build_options(entry: Format, state: State, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the options of a file: the given ones, or those of the view, and the title of a page if none is given."""
    options = build_view_options(entry, state.view_settings) if given is None else dict(given)
    has_title = any(field.name == "title" for field in fields_of(entry.params))
    if has_title and not options.get("title") and state.opened.name:
        options["title"] = state.opened.name if state.seed is None else f"{state.opened.name}, seed {state.seed}"
    return options


def describe_files(files: Files, *, is_picture: bool) -> str:
    """Return the names of files, the size of a picture, and the number of bytes as text."""
    facts = [" and ".join(files)]
    if is_picture:
        with Image.open(io.BytesIO(next(iter(files.values())))) as picture:
            frames = getattr(picture, "n_frames", 1)
            facts.append(f"{picture.width:,}×{picture.height:,} pixels")
            facts += [f"{frames} frames"] if frames > 1 else []
    return ", ".join([*facts, format_bytes(sum(map(len, files.values())))])


def format_bytes(count: int) -> str:
    """Return a number of bytes as text.

    >>> format_bytes(812), format_bytes(34_800), format_bytes(2_500_000)
    ('812 bytes', '34.8 KB', '2.5 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def group_formats() -> dict[str, list[str]]:
    """Return the names of the writable formats by group."""
    known = {name for names in GROUPS.values() for name in names}
    found = {title: [name for name in names if name in format_registry] for title, names in GROUPS.items()}
    for entry in format_registry:
        if entry.name not in known:
            found.setdefault("Engines" if entry.engines else OTHERS, []).append(entry.name)
    return found
