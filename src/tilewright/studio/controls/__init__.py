"""Controls built from the JSON schema of params, for built-in techniques and plugins alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakSet

from nicegui import Client, ui

from ...core.errors import Problem
from ...core.fields import UNSET, Field, fields_of
from ...core.params import Params
from ...core.tileset import Tile
from ..jobs import JobQueue
from . import grids, maps, tables, words  # noqa: F401  # Their controls register themselves.
from .control import ControlContext, list_names, with_value
from .form import Form

__all__ = ["UNSET", "Controls", "with_value"]
STYLE = Path(__file__).with_name("controls.css")
_styled_clients: WeakSet[Client] = WeakSet()
"""Clients that already have the style sheet of the controls."""


class Controls:
    """Controls for the fields of a params model, built into the current slot."""

    def __init__(
        self,
        model: type[Params] | Sequence[Field],
        values: Mapping[str, Any],
        on_change: Callable[[str, Any], None],
        *,
        tiles: Callable[[], Sequence[Tile]] = tuple,
        skip: Collection[str] = (),
        test_id: str = "param",
        queue: JobQueue | None = None,
        on_draw: Callable[[], None] | None = None,
    ) -> None:
        """Build the controls.

        Parameters
        ----------
        model : type of Params or sequence of Field
            Model whose fields are shown, or the fields.
        values : mapping
            Values that are set, as plain JSON data.
        on_change : callable
            Called with the name of a field and its new value as plain JSON data, or UNSET.
        tiles : callable
            Returns the tiles of the current map.
        skip : collection of str
            Names of fields to leave out.
        test_id : str, default "param"
            Prefix of the elements' data-testid.
        queue : JobQueue, optional
            Queue that reads uploads.
        on_draw : callable, optional
            Opens the page on which the user can draw a sample.
        """
        client = ui.context.client
        if client not in _styled_clients:
            _styled_clients.add(client)
            ui.add_css(STYLE)
        self._model = model if isinstance(model, type) else Params
        values = self._model.expand_shorthand(values)
        self._tiles = tiles
        all_fields = fields_of(model) if isinstance(model, type) else model
        fields = [field for field in all_fields if field.name not in skip and not field.transient]
        self._named_fields = [field.name for field in all_fields if any(part.unique for part in field.parts)]
        self._shown_context = self._collect_context(values)
        self._form = Form(fields, values, on_change, ControlContext(tiles, queue, on_draw), test_id=test_id)

    def update(self, values: Mapping[str, Any]) -> None:
        """Show new values and the current tiles, without calling `on_change`."""
        values = self._model.expand_shorthand(values)
        self._form.update(values)
        context = self._collect_context(values)
        if context != self._shown_context:
            self._shown_context = context
            self._form.retile()

    def mark(self, problems: Iterable[Problem], *path: str | int) -> None:
        """Mark the controls that problems refer to.

        `path` is the path of the params. Without problems, all marks are cleared.
        """
        self._form.mark([(one.path[len(path) :], one.text) for one in problems if one.path[: len(path)] == path])

    def _collect_context(self, values: Mapping[str, Any]) -> Sequence[object]:
        """Return the data that controls show in addition to their own values: tiles and names of items."""
        names = [list_names(values.get(name)) for name in self._named_fields]
        return [*((tile.name, tile.color) for tile in self._tiles()), *names]
