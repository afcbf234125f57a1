"""Controls for maps, files and recipes. Built-in ones are stored by name, all others as data in the recipe."""

from __future__ import annotations

import asyncio
import html
import json
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath
from typing import Any, TypeVar

from nicegui import ui
from nicegui.events import GenericEventArguments, UploadEventArguments

from ... import data
from ...core.errors import BadFile, TilewrightError
from ...core.grid import Grid
from ...core.registry import techniques
from ...core.resolver import list_built_in_samples
from ...core.yaml import read_data, write_data
from ...formats import format_registry
from ...formats._tile_rules import read_tile_rules
from ..jobs import Cancelled
from ..operations import read_upload
from ..page.uploads import Uploader
from ..page.widgets import is_list
from ..settings import Settings
from .chips import PICK_SCRIPT
from .control import Control, ControlContext, icon_button, select, text_button
from .numbers import ControlInput, InvalidInput
from .previews import describe_map, draw_built_in

T = TypeVar("T")
PICTURE_EXTENSIONS = (".gif", ".bmp", ".jpg", ".jpeg", ".webp")
"""Extensions of pictures that can be read besides those that formats write."""
OBJECT_EXTENSIONS = ".json,.yaml,.yml,.toml,.xml"
ENTRY_CLICK_SCRIPT = """(event) => {
  const entry = event.target.closest('[data-place]');
  if (entry) emit(event.target.closest('[data-remove]') ? 'remove' : 'open', +entry.dataset.place);
}"""


class UploadButton:
    """A button that uploads a file and reads it outside the event loop."""

    def __init__(self, control: Control, accept: str, on_file: Callable[[bytes, str], Awaitable[None]]) -> None:
        self._control, self._on_file = control, on_file
        self._upload = Uploader(find_settings(control.context), self._on_upload, control.binding.fail, accept=accept)
        self._upload.classes("tc-hidden")
        self._upload.props["data-testid"] = f"{control.binding.test_id}-upload"
        pick = f"() => getElement({self._upload.id}).$refs.qRef.pickFiles()"
        button = text_button("Upload", "upload_file").on("click", js_handler=pick)
        button.props["data-testid"] = f"{control.binding.test_id}-open"

    async def _on_upload(self, event: UploadEventArguments) -> None:
        try:
            await self._on_file(await event.file.read(), event.file.name)
        except Cancelled:
            pass
        except TilewrightError as error:
            self._control.binding.fail(str(error))
        self._upload.reset()


def find_settings(context: ControlContext) -> Settings:
    return context.queue.settings if context.queue is not None else Settings()


async def run_in_background(context: ControlContext, work: Callable[[], T]) -> T:
    """Run work in the job queue, or in a thread without one."""
    if context.queue is None:
        return await asyncio.to_thread(work)
    return await context.queue.submit(lambda token: work())


class MapsControl(Control):
    """One or several maps: built-in samples or uploaded files."""

    is_wide = True
    takes_many = True

    def build(self) -> None:
        self._maps: list[Any] = []
        self._open_index: int | None = None
        self._menu: ui.menu | None = None
        with ui.element("div").classes("tc-pick") as self._anchor:
            self._list = ui.html("", sanitize=False).classes("tc-maps")
            self._list.props["data-testid"] = self.binding.test_id
            self._list.on("click", self._on_click, js_handler=ENTRY_CLICK_SCRIPT)
            with ui.element("div").classes("tc-line tc-wrap"):
                choose = text_button("Choose", "grid_view", lambda: self._open_menu(0))
                choose.props["data-testid"] = f"{self.binding.test_id}-choose"
                if self.takes_many:
                    icon_button("add", "add a sample", lambda: self._open_menu(None))
                endings = {ending for entry in format_registry if entry.read for ending in entry.extensions}
                UploadButton(self, ",".join(sorted(endings.union(PICTURE_EXTENSIONS))), self._on_upload)
                if self.context.on_draw is not None:
                    text_button("Draw in By example", "draw", self.context.on_draw)

    def draw(self, value: Any) -> None:
        is_many = self.takes_many and isinstance(value, (list, tuple)) and not _is_single_map(value)
        self._maps = list(value) if is_many else [] if value is None else [value]
        parts = []
        for place, one in enumerate(self._maps[:50]):
            picture, name, size = describe_map(one, self.context)
            image = f'<img src="{picture}" alt="">' if picture else "<b></b>"
            remove = '<button data-remove aria-label="remove">×</button>' if len(self._maps) > 1 else ""
            parts.append(
                f'<div class="tc-map" data-place="{place}">{image}'
                f"<span>{html.escape(name)}<small>{size}</small></span>{remove}</div>"
            )
        self._list.content = "".join(parts) or "<em>none</em>"

    def _on_click(self, event: GenericEventArguments) -> None:
        if not is_list(event.args, 2):
            return
        action, place = event.args
        if action == "remove":
            self._set_maps([one for number, one in enumerate(self._maps) if number != place])
        elif isinstance(place, int):
            self._open_menu(place)

    def _open_menu(self, place: int | None) -> None:
        """Open the menu of built-in samples. The choice replaces the map at an index or, for None, is appended."""
        self._open_index = place
        if self._menu is None:
            with self._anchor, ui.menu().props("no-parent-event").classes("tc-popup") as self._menu:
                rows = [
                    f'<button data-word="{html.escape(name)}"><img src="{draw_built_in(name)}" alt="">'
                    f"<span>{html.escape(name)}</span></button>"
                    for name in list_built_in_samples()
                ]
                listed = ui.html("".join(rows), sanitize=False).classes("tc-samples")
                listed.on("click", lambda event: self._on_pick(str(event.args)), js_handler=PICK_SCRIPT)
        self._menu.open()

    def _on_pick(self, name: str) -> None:
        if self._menu is not None:
            self._menu.close()
        if name in list_built_in_samples():
            self._insert_map(name)

    async def _on_upload(self, content: bytes, name: str) -> None:
        settings = find_settings(self.context)
        value = await run_in_background(self.context, lambda: Grid.of(read_upload(content, name, settings)).to_data())
        if "cells" not in value:
            raise BadFile("is too large for a recipe", at=name[-60:])
        self._open_index = 0 if len(self._maps) < 2 else None
        self._insert_map(value)

    def _insert_map(self, value: Any) -> None:
        if self._open_index is None or self._open_index >= len(self._maps):
            self._set_maps([*self._maps, value])
        else:
            self._set_maps([value if number == self._open_index else one for number, one in enumerate(self._maps)])

    def _set_maps(self, maps: list[Any]) -> None:
        self.put(maps[0] if len(maps) == 1 else maps)


def _is_single_map(value: Any) -> bool:
    """Return whether a list holds the rows of one map, and not several maps."""
    has_label_rows = all(isinstance(row, list) and row and isinstance(row[0], (str, int)) for row in value)
    has_glyph_rows = all(isinstance(row, str) and row not in list_built_in_samples() for row in value)
    return bool(value) and (has_label_rows or has_glyph_rows)


class MapControl(MapsControl):
    """One map."""

    takes_many = False


class FileControl(Control):
    """A file: the name of a built-in file, or the content of an uploaded file."""

    is_wide = True

    def build(self) -> None:
        with ui.element("div").classes("tc-line tc-wrap"):
            is_named = self.field.control != "model"  # There are no built-in models of this kind.
            hint = "a built-in name" if is_named else "a model file"
            self._box = ControlInput(self, self._on_input, hint=f"none, or {hint}").classes("tc-long")
            self._box.props("" if is_named else "readonly")
            UploadButton(self, OBJECT_EXTENSIONS, self._on_upload)
        self._note = ui.label().classes("tc-note")

    def draw(self, value: Any) -> None:
        self._box.value = value if isinstance(value, str) else ""
        is_sent = isinstance(value, dict)
        self._box.set_enabled(not is_sent)
        self._note.text = f"a file with {', '.join(map(str, value))[:80]}" if is_sent else ""
        self._note.set_visibility(is_sent)

    def _on_input(self, text: str) -> None:
        if text:
            self.send(text[:200])
        elif self.field.nullable or self.field.default is not None:
            self.clear()

    async def _on_upload(self, content: bytes, name: str) -> None:
        self.put(
            await run_in_background(self.context, lambda: read_object_file(content, name, find_settings(self.context)))
        )


def read_object_file(content: bytes, name: str, settings: Settings) -> dict[str, Any]:
    """Return the object in a JSON, YAML or TOML file, or the tileset in the XML of a public WFC tile set."""
    bare = PurePosixPath(name).name[-60:]
    if len(content) > settings.upload:
        raise BadFile(f"must have at most {settings.upload:,} bytes, got {len(content):,}")
    if bare.lower().endswith(".xml"):
        return read_tile_rules(content, PurePosixPath(bare).stem).to_data()
    try:
        text = content.decode("utf-8-sig")
        found = tomllib.loads(text) if bare.lower().endswith(".toml") else read_data(text, bare)
        return dict(json.loads(json.dumps(found)))  # This fails for data that is not plain JSON.
    except TilewrightError:
        raise
    except (ValueError, TypeError, RecursionError):
        raise BadFile("must be an object in JSON, YAML or TOML", at=bare) from None


class RecipeControl(Control):
    """A nested recipe: a built-in recipe, a technique with its defaults, or YAML."""

    is_wide = True

    def build(self) -> None:
        self._options = {
            **{f"technique {entry.name}": entry.name for entry in techniques},
            **{f"recipe {name}": f"{name} (recipe)" for name in data.list_names("recipes")},
        }
        self._select = select({"": "YAML below", **self._options}, self._on_choice, self.binding.test_id)
        self._text = ControlInput(self, self._on_input, part="-text", hint="technique: caves")
        self._text.props("type=textarea autogrow").classes("tc-long tc-code")

    def draw(self, value: Any) -> None:
        word = f"recipe {value}" if isinstance(value, str) else ""
        if isinstance(value, dict) and set(value) == {"technique"}:
            word = f"technique {value['technique']}"
        self._select.value = word if word in self._options else "" if value is not None else None
        self._text.value = write_data(value).rstrip() if isinstance(value, dict) else ""
        self._text.set_visibility(not isinstance(value, str))

    def _on_choice(self, word: Any) -> None:
        if self._is_showing or not word:
            return
        kind, _, name = str(word).partition(" ")
        self.put(name if kind == "recipe" else {"technique": name})

    def _on_input(self, text: str) -> None:
        if not text:
            self.clear()
            return
        try:
            value = dict(json.loads(json.dumps(read_data(text, "recipe"))))
        except (TilewrightError, ValueError, TypeError, RecursionError) as error:
            raise InvalidInput(str(error)[:160]) from None
        self.put(value)
