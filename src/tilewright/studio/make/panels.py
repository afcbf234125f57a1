"""Panels above the parameters: the knobs of the opened recipe, and tiles of another tileset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from ...core.entries import Technique
from ...core.errors import TilewrightError
from ...core.fields import UNSET, Field
from ...core.knobs import RecipeKnob
from ...core.params import Params
from ...core.registry import techniques
from ...core.tile_matching import suggest_matches
from ...core.tileset import Tileset
from ..controls import Controls
from ..controls.control import ControlBinding, ControlContext
from ..controls.words import TileControl
from ..own_files import StudioResolver
from ..page.error_panel import report_errors
from ..page.view import StatePanel
from ..page.widgets import Message
from ..search.options import KNOBS, apply_values
from ..session import Session
from ..state import State

CUSTOM = "custom"
"""Placeholder of a knob whose parameters were edited, so that they correspond to none of its values."""


class KnobPanel(StatePanel):
    """Controls of the knobs. A knob that is turned changes all parameters that it drives, as one undo step."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.controls: Controls | None = None
        self._knobs: tuple[RecipeKnob, ...] = ()
        self._built: object = None
        """Declarations and defaults of the knobs that are shown."""
        self.element = ui.element("div").classes("tw-fields").props("data-testid=knobs")
        self.note = Message("knobs-custom", "tw-faint")

    @property
    def is_empty(self) -> bool:
        """Whether the recipe has no knobs."""
        return not self._knobs

    def select(self, state: State) -> object:
        return state.opened, {key: value for key, value in state.recipe.items() if key not in ("seed", "locks")}

    def refresh(self, state: State) -> None:
        """Show the knobs of a state and their values."""
        self._knobs = state.knobs
        fields = [_make_field(knob, state.opened.knobs) for knob in self._knobs]
        shape = [(field.schema, field.default) for field in fields], [knob.to_data() for knob in self._knobs]
        pairs = [*zip(self._knobs, fields, strict=True)]
        values = {knob.name: knob.value for knob, field in pairs if knob.value is None or knob.value != field.default}
        if shape != self._built:
            self._built = shape
            self._build(fields, values)
        elif self.controls is not None:
            self.controls.update(values)
        custom = [field.label for knob, field in pairs if knob.value is None]
        self.note.show(f"Set by hand: {', '.join(custom)}." if custom else "")

    def _build(self, fields: list[Field], values: Mapping[str, Any]) -> None:
        self.element.clear()
        self.element.set_visibility(bool(fields))
        self.controls = None
        if fields:
            with self.element:
                self.controls = Controls(fields, values, self._on_change, test_id="knob")

    def _on_change(self, name: str, value: Any) -> None:
        state = self.session.state
        if value is UNSET:
            value = state.opened.knobs.get(name)
        with report_errors(partial(self.session.emit, "refused")):
            self.session.change(apply_values(state, {f"{KNOBS}{name}": value}), undo_group=f"knob.{name}")


def _make_field(knob: RecipeKnob, defaults: Mapping[str, Any]) -> Field:
    """Return the field of a knob, whose default is the value that it had when the recipe was opened."""
    default = defaults.get(knob.name, UNSET)
    return replace(knob.field, default=default, short_default=default, labels={"null": CUSTOM})


MAX_ROWS = 40
"""Maximum number of labels with a control. The others can be changed in the recipe's text."""


def with_tileset(state: State, tileset: str | Mapping[str, Any] | None) -> State:
    """Return the state with another tileset; None chooses the technique's own.

    Each label of the technique that the tileset lacks gets a similar tile.
    """
    found = _read_tileset(state.with_recipe(tiles=None), tileset)
    renames = {} if found is None else suggest_matches(*found, {})
    return state.with_recipe(tileset=tileset, tiles=renames or None)


class TileMapping(StatePanel):
    """A row for each label that the tileset lacks: the label, and the tile that replaces it."""

    def __init__(self, on_change: Callable[[dict[str, str]], None]) -> None:
        """Create the rows in the current slot. `on_change` is called with the recipe's `tiles`."""
        self._on_change = on_change
        self._renames: dict[str, str] = {}
        self._shown: Any = None
        """Tileset and labels of the current rows."""
        self._rows: dict[str, TileControl] = {}
        with ui.element("div").classes("tw-mapping tc-form").props("data-testid=tile-mapping") as self.panel:
            ui.label("Tiles").classes("tw-title")
            self.rows = ui.element("div").classes("tw-mapping-rows")
        self.panel.set_visibility(False)

    def select(self, state: State) -> object:
        recipe = state.recipe
        return recipe.get("tileset") and [recipe.get(key) for key in ("technique", "params", "tileset", "tiles")]

    def refresh(self, state: State) -> None:
        """Show the rows of a state."""
        found, renames = _read_tileset(state, state.recipe.get("tileset")), _read_renames(state)
        labels = [] if found is None else _list_mapped_labels(*found, renames)
        tileset = None if found is None else found[2]
        self._renames = renames
        if (tileset, labels) != self._shown:
            self._shown = tileset, labels
            self._build(tileset, labels)
        for label, row in self._rows.items():
            row.show(renames.get(label))

    def _build(self, tileset: Tileset | None, labels: list[str]) -> None:
        self.panel.set_visibility(bool(labels))
        self.rows.clear()
        self._rows = {}
        if tileset is None:
            return
        context = ControlContext(tiles=lambda: tileset.tiles)
        with self.rows:
            for label in labels:
                ui.label(label).classes("tw-mapping-label")
                ui.icon("arrow_forward").classes("tw-faint")
                name = f"Tile for {label}"
                field = Field(label, {"type": "string"}, {}, kind="tile", tiles=True, label=name)
                binding = ControlBinding(f"tile-for-{label}", partial(self._on_choice, label), lambda message: None)
                self._rows[label] = TileControl(field, context, binding, is_small=True)

    def _on_choice(self, label: str, name: Any) -> None:
        if name is not UNSET:
            self._on_change({**self._renames, label: str(name)})


def _read_tileset(state: State, tileset: str | Mapping[str, Any] | None) -> tuple[Technique, Params, Tileset] | None:
    """Return a state's technique and params with a tileset; None if there is no tileset or the recipe is invalid."""
    if tileset is None or state.valid_params is None:
        return None
    entry, params = techniques.get(state.technique), state.valid_params
    try:
        return entry, params, entry.tileset_for(params, Tileset.of(tileset, StudioResolver()), _read_renames(state))
    except TilewrightError:
        return None


def _read_renames(state: State) -> dict[str, str]:
    """Return the tiles by label of the state's recipe. The recipe may be invalid."""
    given = state.recipe.get("tiles")
    pairs = given.items() if isinstance(given, Mapping) else ()
    return {label: name for label, name in pairs if isinstance(label, str) and isinstance(name, str)}


def _list_mapped_labels(entry: Technique, params: Params, tileset: Tileset, renames: Mapping[str, str]) -> list[str]:
    """Return the labels that the tileset lacks or that have another tile."""
    found = entry.match_labels(params, tileset, renames)
    return [label for label, number in found.items() if number is None or label in renames][:MAX_ROWS]
