"""The panel: where the sample comes from, how large it is, and what all three maps share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import events, ui

from .... import data
from ....core.params import LARGEST_SIDE
from ....core.seeds import read_seed
from ....core.tilemap import TileMap
from ....formats import shelf
from ... import service
from ...desk import Ticket
from ...example import (
    AXES,
    PAINTED_SIDE,
    Example,
    built_in,
    cleared,
    flipped,
    resized,
    shown_of,
    shown_techniques,
    taken,
)
from ...session import Session, typed_seed
from ..box import Box
from ..scripts import script
from ..uploads import Uploader
from ..widgets import icon_button
from .trial import picture_of

DROP = script("drop_file")
DRAG = """(event) => { event.preventDefault(); document.body.classList.add('tw-dropping'); }"""
LEAVE = script("leave_drop")


class SamplePanel:
    """Samples to start from, files, and the settings; `change` gets every other example that is asked for."""

    def __init__(self, session: Session, change: Callable[[Example], None]) -> None:
        self.session, self.change = session, change
        self.example = Example()
        ui.label("Start from").classes("tw-title")
        self._built_in()
        self._files()
        with ui.element("div").classes("tw-row"):
            ui.label("The sample").classes("tw-title tw-grow")
            icon_button("flip", "Mirror left to right", partial(self._flip, "x"), test="sample-flip-x")
            turned = icon_button("flip", "Turn upside down", partial(self._flip, "y"), test="sample-flip-y")
            turned.classes("tw-example-down")
            icon_button("layers_clear", "Clear: its commonest tile everywhere", self._clear, test="sample-clear")
        with ui.element("div").classes("tw-example-fields"):
            self.columns = self._number("width", "sample-width", self._resize)
            self.rows = self._number("height", "sample-height", self._resize)
            self.wrap_sample = self._axes("repeats", "wrap_sample", "sample-wraps")
            self.wrap_sample.tooltip(f"Whether the sample wraps around, as small ones do; for {_with('wrap_sample')}")
        ui.label("The maps").classes("tw-title")
        with ui.element("div").classes("tw-example-fields"):
            self.width = self._number("width", "maps-width", self._set_size)
            self.height = self._number("height", "maps-height", self._set_size)
            self.wrap = self._axes("wrap", "wrap", "maps-wrap")
            self.wrap.tooltip(f"Whether the maps can be laid side by side; for {_with('wrap')}")
        with ui.element("div").classes("tw-row"):
            self.seed = Box("maps-seed", self._sow, label="seed").classes("tw-grow")
            self.seed.tooltip("A number or any text: the same seed makes the same maps")
            roll = ui.button("Reroll", icon="casino", on_click=self.reroll).classes("tw-roomy")
            roll.props("dense unelevated no-caps data-testid=maps-reroll").tooltip("All maps with another seed")
        notes = [f"{name} {note}" for name in shown_techniques() if (note := shown_of(name).note)]
        ui.label(f"{'; '.join(notes)}.").classes("tw-hint")

    def refresh(self, example: Example) -> None:
        self.example = example
        *_, rows, columns = example.drawn.shape
        shown = {self.columns: columns, self.rows: rows, self.width: example.width, self.height: example.height}
        for field, number in shown.items():
            field.set_value(str(number))
        self.wrap.set_value(example.wrap)
        self.wrap_sample.set_value(example.wrap_sample)
        self.seed.set_value(str(example.seed))
        picked = example.name if example.sample is None else ""
        for name, card in self.cards.items():
            card.classes(add="tw-picked") if name == picked else card.classes(remove="tw-picked")
        self.war.set_value(picked if picked in self.members else None)

    def reroll(self) -> None:
        """Another seed."""
        self.change(replace(self.example, seed=int(read_seed(None))))

    # -- where it comes from ------------------------------------------------------------------------------------

    def _built_in(self) -> None:
        self.cards: dict[str, ui.element] = {}
        with ui.element("div").classes("tw-example-samples"):
            for name in data.names("samples"):
                card = ui.element("button").classes("tw-card").props(f"type=button data-testid=pick-sample-{name}")
                with card.on("click", partial(self._pick, name)):
                    ui.element("img").props(f'alt="" src="{_thumbnail(name)}"')
                    ui.label(name)
                self.cards[name] = card
        self.members = {f"{game}/{name}": name for game in data.collections() for name in data.members(game)}
        self.war = ui.select(
            self.members, label="or a map for Advance Wars", on_change=lambda event: self._pick(event.value)
        )
        self.war.props("dense outlined options-dense data-testid=sample-war")

    def _files(self) -> None:
        self.upload = Uploader(self.session.desk.settings, self._uploaded, self._tell)
        self.upload.classes("tw-example-upload").props("data-testid=sample-file")
        endings = sorted({ending for entry in shelf if entry.read for ending in entry.extensions})
        with ui.element("button").classes("tw-example-drop").props("type=button data-testid=sample-open") as button:
            ui.icon("upload_file", size="20px")
            ui.label("Open a file, or drop one anywhere here")
            ui.tooltip(f"A text, CSV or picture (a pixel is a tile), or any of {', '.join(endings)}")
        button.on("click", lambda: self.upload.run_method("pickFiles"))
        self.line = ui.label("").classes("tw-bad").props("role=status data-testid=sample-line")
        self.line.set_visibility(False)

    def take_drops(self, element: ui.element) -> None:
        """Let files be dropped there."""
        element.on("dragover", js_handler=DRAG).on("dragleave", js_handler=LEAVE)
        element.on("drop", js_handler=DROP % self.upload.id)

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        content, name = await event.file.read(), event.file.name
        self.upload.reset()

        def work(ticket: Ticket) -> TileMap:
            return taken(service.uploaded(content, name, ticket.settings))

        sample = await self.session.attempt(work, lambda error: self._tell(str(error)))
        if sample is not None:
            self._change(self.example.opening(sample, name[-60:] or "a file"))

    def _pick(self, name: str | None) -> None:
        if name is not None and (self.example.sample is not None or name != self.example.name):
            self._change(self.example.picking(name))

    def _tell(self, message: str) -> None:
        self.line.set_text(message)
        self.line.set_visibility(bool(message))

    def _change(self, example: Example) -> None:
        """Another example; what was wrong before is no more."""
        self._tell("")
        self.change(example)

    # -- settings -----------------------------------------------------------------------------------------------

    def _number(self, label: str, test: str, changed: Callable[[], None]) -> Box:
        return Box(test, lambda _: changed(), label=label, step=1).props("min=1")

    def _axes(self, label: str, name: str, test: str) -> ui.select:
        def chosen(event: events.ValueChangeEventArguments[Any]) -> None:
            self.change(replace(self.example, **{name: event.value}))

        select = ui.select(dict(AXES), label=label, value="none", on_change=chosen)
        return select.props(f"dense outlined options-dense data-testid={test}")

    def _resize(self) -> None:
        *_, rows, columns = self.example.drawn.shape
        width = _within(self.columns.value, columns, max(PAINTED_SIDE, columns))
        height = _within(self.rows.value, rows, max(PAINTED_SIDE, rows))
        if (width, height) != (columns, rows):
            self._draw(resized(self.example.drawn, width, height))
        else:
            self.refresh(self.example)

    def _set_size(self) -> None:
        width = _within(self.width.value, self.example.width, LARGEST_SIDE)
        height = _within(self.height.value, self.example.height, LARGEST_SIDE)
        self.change(replace(self.example, width=width, height=height))
        self.refresh(self.example)

    def _sow(self, typed: str) -> None:
        if typed and typed != str(self.example.seed):
            self.change(replace(self.example, seed=typed_seed(typed)))

    def _flip(self, axis: str) -> None:
        self._draw(flipped(self.example.drawn, axis))

    def _clear(self) -> None:
        self._draw(cleared(self.example.drawn))

    def _draw(self, sample: TileMap) -> None:
        self._change(self.example.drawing(sample))


def _with(setting: str) -> str:
    """Return the names of the techniques that have a setting."""
    return " and ".join(name for name in shown_techniques() if setting in shown_of(name).shared)


def _within(typed: str | None, otherwise: int, most: int) -> int:
    """A side that somebody typed; nothing, or what is none, changes nothing."""
    try:
        return round(max(1, min(most, float(typed or ""))))
    except ValueError:
        return otherwise


def _thumbnail(name: str) -> str:
    """A corner of a built-in sample."""
    map = built_in(name)
    level = map.cells if map.cells.ndim == 2 else map.cells[0]
    return picture_of(TileMap(level[:24, :32], map.tileset))
