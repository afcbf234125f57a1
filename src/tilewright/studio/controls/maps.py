"""Controls for maps, files, networks and recipes. Built-in ones are stored by name, others as data in the recipe."""

from __future__ import annotations

import asyncio
import html
import io
import json
import tomllib
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import PurePosixPath
from typing import Any, TypeVar

import numpy as np
from nicegui import ui
from nicegui.events import GenericEventArguments

from ... import data
from ...core.appearance import distinct_color, read_rgb
from ...core.errors import BadFile, TilewrightError, pluralize
from ...core.grid import FREE, Grid
from ...core.network import Network
from ...core.registry import techniques
from ...core.resolver import Resolver, list_built_in_samples
from ...core.tilemap import format_size
from ...core.yaml import read_data, write_data
from ...formats import format_registry
from ...formats._tile_rules import read_tile_rules
from ..jobs import Cancelled
from ..map.payloads import data_url
from ..operations import read_upload
from ..own_files import StudioResolver, is_reference, store_model
from ..page.widgets import InvalidInput, Uploader, show_value
from ..settings import Settings
from .control import Control, ControlContext, icon_button, select, text_button
from .numbers import ControlInput
from .words import PICK_SCRIPT

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

    def __init__(
        self, control: Control, accept: str, read: Callable[[bytes, str, Settings], T], take: Callable[[T], None]
    ) -> None:
        """Build the button. `read` gets the content and the name of a file, and `take` what it returns."""
        self._control, self._read, self._take = control, read, take
        queue = control.context.queue
        self._settings = Settings() if queue is None else queue.settings
        self._upload = Uploader(self._settings, self._on_upload, control.binding.fail, accept=accept)
        self._upload.classes("tc-hidden").props(f"data-testid={control.binding.test_id}-upload")
        pick = f"() => getElement({self._upload.id}).$refs.qRef.pickFiles()"
        button = text_button("Upload", "upload_file", None, f"{control.binding.test_id}-open")
        button.on("click", js_handler=pick)

    async def _on_upload(self, content: bytes, name: str) -> None:
        queue = self._control.context.queue
        read = partial(self._read, content, name, self._settings)
        try:
            self._take(await (asyncio.to_thread(read) if queue is None else queue.submit(lambda token: read())))
        except Cancelled:
            pass
        except TilewrightError as error:
            self._control.binding.fail(str(error))


class MapsControl(Control, kind="maps"):
    """One or several maps: built-in samples or uploaded files."""

    is_wide = True
    takes_many = True

    def build(self) -> None:
        self._maps: list[Any] = []
        self._open_index: int | None = None
        self._menu: ui.menu | None = None
        with ui.element("div").classes("tc-pick") as self._anchor:
            self._list = ui.html("", sanitize=False).classes("tc-maps").props(f"data-testid={self.binding.test_id}")
            self._list.on("click", self._on_click, js_handler=ENTRY_CLICK_SCRIPT)
            with ui.element("div").classes("tc-line tc-wrap"):
                text_button("Choose", "grid_view", lambda: self._open_menu(0), f"{self.binding.test_id}-choose")
                if self.takes_many:
                    icon_button("add", "add a sample", lambda: self._open_menu(None))
                endings = {ending for entry in format_registry if entry.read for ending in entry.extensions}
                UploadButton(self, ",".join(sorted(endings.union(PICTURE_EXTENSIONS))), read_map_file, self._take)
                if self.context.on_draw is not None:
                    text_button("Draw in By example", "draw", self.context.on_draw, f"{self.binding.test_id}-draw")

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
        match event.args:
            case ["remove", int(place)]:
                self._set_maps([one for number, one in enumerate(self._maps) if number != place])
            case ["open", int(place)]:
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

    def _take(self, value: Any) -> None:
        self._open_index = 0 if len(self._maps) < 2 else None
        self._insert_map(value)

    def _insert_map(self, value: Any) -> None:
        if self._open_index is None or self._open_index >= len(self._maps):
            self._set_maps([*self._maps, value])
        else:
            self._set_maps([value if number == self._open_index else one for number, one in enumerate(self._maps)])

    def _set_maps(self, maps: list[Any]) -> None:
        self.put(maps[0] if len(maps) == 1 else maps)


def read_map_file(content: bytes, name: str, settings: Settings) -> Any:
    """Return the map in a file as plain data. Raise BadFile if it is too large for a recipe."""
    value = Grid.of(read_upload(content, name, settings)).to_data()
    if "cells" not in value:
        raise BadFile("is too large for a recipe", at=name[-60:])
    return value


def _is_single_map(value: Any) -> bool:
    """Return whether a list holds the rows of one map, and not several maps."""
    has_label_rows = all(isinstance(row, list) and row and isinstance(row[0], (str, int)) for row in value)
    has_glyph_rows = all(isinstance(row, str) and row not in list_built_in_samples() for row in value)
    return bool(value) and (has_label_rows or has_glyph_rows)


class MapControl(MapsControl, kind="map"):
    """One map."""

    takes_many = False


class FileControl(Control, kind="file"):
    """A file: the name of a built-in file, or the content of an uploaded file."""

    is_wide = True

    def build(self) -> None:
        with ui.element("div").classes("tc-line tc-wrap"):
            is_named = self.field.control != "model"  # There are no built-in models of this kind.
            hint = "a built-in name" if is_named else "a model file"
            self._box = ControlInput(self, self._on_input, hint=f"none, or {hint}").classes("tc-long")
            self._box.props("" if is_named else "readonly")
            UploadButton(self, OBJECT_EXTENSIONS, read_object_file, self.put)
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


class RecipeControl(Control, kind="recipe"):
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
        show_value(self._select, word if word in self._options else "" if value is not None else None)
        self._text.value = write_data(value).rstrip() if isinstance(value, dict) else ""
        self._text.set_visibility(not isinstance(value, str))

    def _on_choice(self, word: Any) -> None:
        if word:
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


def read_grid(value: Any) -> Grid | None:
    """Return the map of a value, the first one of a collection, or None if the value is not a map."""
    try:
        if isinstance(value, str) and "\n" not in value:
            value = Resolver().expand_reference(value)[0]
        return Grid.of(value, Resolver())
    except (TilewrightError, LookupError, TypeError, ValueError):
        return None


def draw_preview(grid: Grid, context: ControlContext | None = None) -> str:
    """Return a picture of a map with one pixel per cell, as a data URL."""
    from PIL import Image

    cells = grid.cells if grid.cells.ndim == 2 else grid.cells[0]
    palette = np.zeros((len(grid.labels) + 1, 4), dtype=np.uint8)
    for number, word in enumerate(grid.labels):
        tile = grid.tileset.find(word) if grid.tileset is not None else None
        known = context.find_color(word) if context is not None and tile is None else None
        color = grid.tileset[tile].color if grid.tileset is not None and tile is not None else known
        palette[number] = (*read_rgb(color or distinct_color(number)), 255)
    pixels = palette[np.where(cells == FREE, len(grid.labels), cells)]
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return data_url(file.getvalue())


@lru_cache(maxsize=256)
def draw_built_in(name: str) -> str:
    grid = read_grid(name)
    return draw_preview(grid) if grid is not None else ""


def describe_map(value: Any, context: ControlContext) -> tuple[str, str, str]:
    """Return a map's picture, name and size."""
    grid = read_grid(value)
    size = format_size(grid.shape) if grid is not None else "unknown"
    if not isinstance(value, str) or "\n" in value:
        return draw_preview(grid, context) if grid is not None else "", "own map", size
    members = data.list_members(value) if value in data.list_collections() else ()
    return draw_built_in(value), value, pluralize(len(members), "map") if members else size


MAX_LISTED_TILES = 12
"""Maximum number of tiles that the note lists."""


class NetworkControl(Control, kind="network"):
    """A built-in model by name, or an uploaded model by its name and digest."""

    is_wide = True

    def build(self) -> None:
        self._values: dict[str, Any] = {name: name for name in data.list_names("models")}
        """Values by option: names of built-in models, and digests of uploaded models."""
        with ui.element("div").classes("tc-line"):
            self._select = select({}, self._on_choice, self.binding.test_id)
            UploadButton(self, ".npz", store_model, lambda model: self.put(model.to_data()))
        self._note = ui.label().classes("tc-note").props(f"data-testid={self.binding.test_id}-note")

    def draw(self, value: Any) -> None:
        option = str(value["digest"]) if is_reference(value) else str(value)
        if is_reference(value):
            self._values[option] = value
        options = {key: _label(one) for key, one in {**self._values, option: value}.items() if one is not None}
        show_value(self._select, option if value is not None else None, options)
        self._note.text = _describe(value)
        self._note.set_visibility(bool(self._note.text))

    def _on_choice(self, option: Any) -> None:
        if option in self._values:
            self.put(self._values[option])


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
