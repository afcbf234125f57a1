"""Controls drawn from a params' JSON schema: nothing about a parameter is written here, plugins' ones work alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakSet

from nicegui import Client, ui

from ....core.errors import Problem
from ....core.fields import UNSET, fields_of
from ....core.params import Params
from ....core.tileset import Tile
from ...jobs import JobQueue
from .control import ControlContext, list_names
from .form import Form, register_control

__all__ = ["UNSET", "Controls", "register_control"]
STYLE = Path(__file__).with_name("controls.css")
_styled_clients: WeakSet[Client] = WeakSet()
"""Pages that have the controls' style already."""


class Controls:
    """A params' schema as controls, built into the current slot."""

    def __init__(
        self,
        model: type[Params],
        values: Mapping[str, Any],
        on_change: Callable[[str, Any], None],
        *,
        tiles: Callable[[], Sequence[Tile]] = tuple,
        skip: Collection[str] = (),
        test_id: str = "param",
        queue: JobQueue | None = None,
        on_draw: Callable[[], None] | None = None,
    ) -> None:
        """`values` are plain JSON and hold only what is set; `change` gets a name and plain JSON, or UNSET.

        `tiles` gives the tiles of the map that is shown, `desk` reads uploads, `draw` goes to where samples are drawn;
        the ids of the elements start with `place`.
        """
        client = ui.context.client
        if client not in _styled_clients:
            _styled_clients.add(client)
            ui.add_css(STYLE)
        self._tiles = tiles
        fields = [field for field in fields_of(model) if field.name not in skip]
        self._named_fields = [field.name for field in fields_of(model) if any(part.unique for part in field.parts)]
        self._shown_context = self._collect_context(values)
        self._form = Form(fields, values, on_change, ControlContext(tiles, queue, on_draw), test_id=test_id)

    def update(self, values: Mapping[str, Any]) -> None:
        """Show values from elsewhere, and the tiles as they are now; fires nothing."""
        self._form.update(values)
        looks = self._collect_context(values)
        if looks != self._shown_context:
            self._shown_context = looks
            self._form.retile()

    def mark(self, problems: Iterable[Problem], *path: str | int) -> None:
        """Mark the controls that problems are about, where `path` leads to the params; no problems clear all marks."""
        self._form.mark([(one.path[len(path) :], one.text) for one in problems if one.path[: len(path)] == path])

    def _collect_context(self, values: Mapping[str, Any]) -> Sequence[object]:
        """What controls show beside their own values: the tiles, and the names of items."""
        names = [list_names(values.get(name)) for name in self._named_fields]
        return [*((tile.name, tile.color) for tile in self._tiles()), *names]
