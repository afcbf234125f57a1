"""Maps, files and recipes as values: built-in ones by name, others sent along as a whole."""

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

from .... import data
from ....core.errors import BadFile, TilewrightError
from ....core.grid import Grid
from ....core.registry import techniques
from ....core.resolver import built_in_samples
from ....core.yaml import read_data, write_data
from ...desk import Cancelled
from ...service import uploaded
from ...settings import Settings
from ..uploads import Uploader
from .chips import PICK
from .control import Around, Control, icon_button, select, text_button
from .numbers import Rubbish, SmallBox
from .previews import built_in_picture, shown_map

T = TypeVar("T")
MAPS = ".txt,.csv,.png,.gif,.bmp,.jpg,.jpeg,.webp,.tmx,.tmj,.json,.npz,.awbw,.vox"
OBJECTS = ".json,.yaml,.yml,.toml"
ENTRIES = """(event) => {
  const entry = event.target.closest('[data-place]');
  if (entry) emit(event.target.closest('[data-remove]') ? 'remove' : 'open', +entry.dataset.place);
}"""


class Upload:
    """A button that asks for a file and reads it off the event loop."""

    def __init__(self, control: Control, accept: str, take: Callable[[bytes, str], Awaitable[None]]) -> None:
        self._control, self._take = control, take
        self._upload = Uploader(settings_of(control.around), self._sent, control.wires.fail, accept=accept)
        self._upload.classes("tc-hidden")
        self._upload.props["data-testid"] = f"{control.wires.place}-upload"
        pick = f"() => getElement({self._upload.id}).$refs.qRef.pickFiles()"
        text_button("Upload", "upload_file").on("click", js_handler=pick)

    async def _sent(self, event: UploadEventArguments) -> None:
        try:
            await self._take(await event.file.read(), event.file.name)
        except Cancelled:
            pass
        except TilewrightError as error:
            self._control.wires.fail(str(error))
        self._upload.reset()


def settings_of(around: Around) -> Settings:
    return around.desk.settings if around.desk is not None else Settings()


async def off_the_loop(around: Around, work: Callable[[], T]) -> T:
    """Have something done by the desk."""
    if around.desk is None:
        return await asyncio.to_thread(work)
    return await around.desk.do(lambda ticket: work())


class MapsControl(Control):
    """One or several maps: built-in samples, or files that are sent along."""

    is_wide = True
    takes_many = True

    def build(self) -> None:
        self._maps: list[Any] = []
        self._open: int | None = None
        self._menu: ui.menu | None = None
        with ui.element("div").classes("tc-pick") as self._anchor:
            self._shown = ui.html("", sanitize=False).classes("tc-maps")
            self._shown.props["data-testid"] = self.wires.place
            self._shown.on("click", self._clicked, js_handler=ENTRIES)
            with ui.element("div").classes("tc-line tc-wrap"):
                choose = text_button("Choose", "grid_view", lambda: self._choose(0))
                choose.props["data-testid"] = f"{self.wires.place}-choose"
                if self.takes_many:
                    icon_button("add", "one more sample", lambda: self._choose(None))
                Upload(self, MAPS, self._uploaded)
                if self.around.draw is not None:
                    text_button("Draw one in By example", "draw", self.around.draw)

    def draw(self, value: Any) -> None:
        is_many = self.takes_many and isinstance(value, (list, tuple)) and not _is_drawing(value)
        self._maps = list(value) if is_many else [] if value is None else [value]
        parts = []
        for place, one in enumerate(self._maps[:50]):
            picture, name, size = shown_map(one, self.around)
            image = f'<img src="{picture}" alt="">' if picture else "<b></b>"
            remove = '<button data-remove aria-label="remove">×</button>' if len(self._maps) > 1 else ""
            parts.append(
                f'<div class="tc-map" data-place="{place}">{image}'
                f"<span>{html.escape(name)}<small>{size}</small></span>{remove}</div>"
            )
        self._shown.content = "".join(parts) or "<em>none</em>"

    def _clicked(self, event: GenericEventArguments) -> None:
        what, place = event.args
        if what == "remove":
            self._put([one for number, one in enumerate(self._maps) if number != place])
        elif isinstance(place, int):
            self._choose(place)

    def _choose(self, place: int | None) -> None:
        """Open the built-in samples; one that is picked takes this place, or comes after all."""
        self._open = place
        if self._menu is None:
            with self._anchor, ui.menu().props("no-parent-event").classes("tc-popup") as self._menu:
                rows = [
                    f'<button data-word="{html.escape(name)}"><img src="{built_in_picture(name)}" alt="">'
                    f"<span>{html.escape(name)}</span></button>"
                    for name in built_in_samples()
                ]
                listed = ui.html("".join(rows), sanitize=False).classes("tc-samples")
                listed.on("click", lambda event: self._picked(str(event.args)), js_handler=PICK)
        self._menu.open()

    def _picked(self, name: str) -> None:
        if self._menu is not None:
            self._menu.close()
        if name in built_in_samples():
            self._take(name)

    async def _uploaded(self, content: bytes, name: str) -> None:
        settings = settings_of(self.around)
        value = await off_the_loop(self.around, lambda: Grid.of(uploaded(content, name, settings)).to_data())
        if "cells" not in value:
            raise BadFile("too large to travel inside a recipe", at=name[-60:])
        self._open = 0 if len(self._maps) < 2 else None
        self._take(value)

    def _take(self, value: Any) -> None:
        if self._open is None or self._open >= len(self._maps):
            self._put([*self._maps, value])
        else:
            self._put([value if number == self._open else one for number, one in enumerate(self._maps)])

    def _put(self, maps: list[Any]) -> None:
        self.put(maps[0] if len(maps) == 1 else maps)


def _is_drawing(value: Any) -> bool:
    """Whether a list is one map, by its rows, and not several maps."""
    rows_of_words = all(isinstance(row, list) and row and isinstance(row[0], (str, int)) for row in value)
    several_glyphs = all(isinstance(row, str) and row not in built_in_samples() for row in value)
    return bool(value) and (rows_of_words or several_glyphs)


class MapControl(MapsControl):
    """One map."""

    takes_many = False


class FileControl(Control):
    """Something that is kept in a file: a built-in one by name, or the content of one that is sent."""

    is_wide = True

    def build(self) -> None:
        with ui.element("div").classes("tc-line tc-wrap"):
            is_named = self.field.control != "model"  # models have no names
            hint = "a built-in name" if is_named else "a model's file"
            self._box = SmallBox(self, self._typed, hint=f"none, or {hint}").classes("tc-long")
            self._box.props("" if is_named else "readonly")
            Upload(self, OBJECTS, self._uploaded)
        self._note = ui.label().classes("tc-note")

    def draw(self, value: Any) -> None:
        self._box.value = value if isinstance(value, str) else ""
        is_sent = isinstance(value, dict)
        self._box.set_enabled(not is_sent)
        self._note.text = f"a file with {', '.join(map(str, value))[:80]}" if is_sent else ""
        self._note.set_visibility(is_sent)

    def _typed(self, text: str) -> None:
        if text:
            self.send(text[:200])
        elif self.field.nullable or self.field.default is not None:
            self.clear()

    async def _uploaded(self, content: bytes, name: str) -> None:
        self.put(await off_the_loop(self.around, lambda: _read_object(content, name, settings_of(self.around))))


def _read_object(content: bytes, name: str, settings: Settings) -> dict[str, Any]:
    """The object in a JSON, YAML or TOML file."""
    bare = PurePosixPath(name).name[-60:]
    if len(content) > settings.upload:
        raise BadFile(f"{len(content):,} bytes are more than the {settings.upload:,} that are taken")
    try:
        text = content.decode("utf-8-sig")
        found = tomllib.loads(text) if bare.lower().endswith(".toml") else read_data(text, bare)
        return dict(json.loads(json.dumps(found)))  # plain, or not taken
    except TilewrightError:
        raise
    except (ValueError, TypeError, RecursionError):
        raise BadFile("holds no object in JSON, YAML or TOML", at=bare) from None


class RecipeControl(Control):
    """A recipe inside this one: a built-in one, a technique with its usual values, or one written as YAML."""

    is_wide = True

    def build(self) -> None:
        self._options = {
            **{f"technique {entry.name}": entry.name for entry in techniques},
            **{f"recipe {name}": f"{name} (recipe)" for name in data.names("recipes")},
        }
        self._select = select({"": "as written below", **self._options}, self._chosen, self.wires.place)
        self._text = SmallBox(self, self._typed, part="-text", hint="technique: caves")
        self._text.props("type=textarea autogrow").classes("tc-long tc-code")

    def draw(self, value: Any) -> None:
        word = f"recipe {value}" if isinstance(value, str) else ""
        if isinstance(value, dict) and set(value) == {"technique"}:
            word = f"technique {value['technique']}"
        self._select.value = word if word in self._options else "" if value is not None else None
        self._text.value = write_data(value).rstrip() if isinstance(value, dict) else ""
        self._text.set_visibility(not isinstance(value, str))

    def _chosen(self, word: Any) -> None:
        if self._is_showing or not word:
            return
        kind, _, name = str(word).partition(" ")
        self.put(name if kind == "recipe" else {"technique": name})

    def _typed(self, text: str) -> None:
        if not text:
            self.clear()
            return
        try:
            value = dict(json.loads(json.dumps(read_data(text, "recipe"))))
        except (TilewrightError, ValueError, TypeError, RecursionError) as error:
            raise Rubbish(str(error)[:160]) from None
        self.put(value)
