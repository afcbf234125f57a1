"""Tab Make: choice of a technique or recipe, and the technique's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from nicegui import ui

from ...core.errors import Problem, TilewrightError, pluralize
from ...core.fields import fields_of
from ...core.registry import Technique, techniques, tilesets
from ...core.resolver import Resolver
from ...core.search_words import contains_words, list_recipe_words
from ...core.yaml import read_head_comment
from ...data import list_names, read_text
from ..opened_recipe import OpenedRecipe
from ..own_tiles_state import carry_own_tiles
from ..session import Session
from ..state import State
from .controls import UNSET, Controls
from .good_maps import GoodMapsSection
from .knob_panel import KnobPanel
from .own_tiles import OwnTilesPanel
from .switched_off_note import SwitchedOffNote
from .tile_mapping import TileMapping, with_tileset
from .view import View
from .widgets import FoldingSection, icon_button

OWN_TILESET = "the technique's own"


class MakeView(View):
    """Picker for techniques and recipes, and the controls of the chosen technique."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.technique = ""
        self.opened_name = ""
        """Name of the recipe that is shown."""
        self.cards: dict[str, dict[str, ui.element]] = {}
        self.titles: dict[str, ui.label] = {}
        self.search_texts: dict[str, tuple[str, ...]] = {}
        """Search text of each card."""
        with ui.element("div").classes("tw-chosen tw-card").on("click", self._open) as self.chosen_card:
            self.chosen_card.props("data-testid=chosen role=button tabindex=0")
        self.note = SwitchedOffNote(session)
        self.picker = ui.element("div").classes("tw-picker")
        self.picker.set_visibility(False)
        with ui.element("div").classes("tw-knobs") as self.knobs:
            self.knob_panel = KnobPanel(session)
            self.tileset = ui.select(
                [OWN_TILESET, *tilesets.names()], label="Tileset", on_change=self._on_tileset_change
            )
            self.tileset.props("dense outlined options-dense data-testid=tileset")
            self.tileset.tooltip("Tileset of the map")
            self.mapping = TileMapping(self._on_mapping_change)
            self.own_tiles = OwnTilesPanel(session)
            self.fold = FoldingSection("All parameters")
            self.fields = self.fold.body.classes("tw-fields")
            self.good_maps = GoodMapsSection(session)
        self.controls: Controls | None = None
        self.refresh(session.state)

    def refresh(self, state: State) -> None:
        self.knob_panel.refresh(state)
        self.fold.enable(not self.knob_panel.is_empty)
        if (state.technique, state.opened.name) != (self.technique, self.opened_name):
            self._build(state)
        elif self.controls is not None:
            self.controls.update(state.params)
        self.own_tiles.refresh(state)
        given = state.recipe.get("tileset")
        self.tileset.set_value(given if isinstance(given, str) else OWN_TILESET)
        self.mapping.refresh(state)
        self.note.refresh(state)
        self.good_maps.refresh(state)

    def show_map(self) -> None:
        """Update the controls, which show the map's tiles."""
        if self.controls is not None:
            self.controls.update(self.session.state.params)
        self.good_maps.refresh(self.session.state)

    def mark_problems(self, problems: Sequence[Problem]) -> None:
        if self.controls is not None:
            self.controls.mark(problems, "params")
        self.good_maps.mark_problems(problems)
        if any(one.path[:1] == ("params",) for one in problems):
            self.fold.open()

    # -- picker -------------------------------------------------------------------------------------------------

    def _build_picker(self) -> None:
        """Build the picker, when it is first opened."""
        with self.picker:
            with ui.element("div").classes("tw-row"):
                self.search = ui.input(placeholder="Search techniques and recipes", on_change=self._filter)
                self.search.props("dense outlined clearable autofocus data-testid=search").classes("tw-grow")
                self.search.on("keydown.esc", self._close)
                icon_button("close", "Back to the parameters", self._close, test_id="close-picker")
            self.cards = {kind: self._build_cards(kind) for kind in ("techniques", "recipes")}
            self.nothing = ui.label("No matches.").classes("tw-faint")
        self.nothing.set_visibility(False)

    def _build_cards(self, kind: str) -> dict[str, ui.element]:
        """Build a card for each technique or recipe, and its search text."""
        self.titles[kind] = ui.label(kind.capitalize()).classes("tw-title")
        shown = {entry.name: entry.summary for entry in techniques} if kind == "techniques" else _list_recipes()
        cards = {}
        with ui.element("div").classes("tw-cards"):
            for name, summary in shown.items():
                card = ui.element("button").classes("tw-pick tw-card").props(f"data-testid=pick-{name} type=button")
                card.on("click", partial(self._choose, kind, name)).tooltip(summary)
                with card:
                    ui.image(thumbnail_url(kind, name)).props("no-spinner no-transition fit=cover").classes(
                        "tw-thumbnail"
                    )
                    ui.label(name).classes("tw-pick-name")
                cards[name] = card
        for name, summary in shown.items():
            words = techniques.get(name).search_words if kind == "techniques" else list_recipe_words(name)
            self.search_texts[name] = (name, summary, *words)
        return cards

    def _open(self) -> None:
        if not self.cards:
            self._build_picker()
        self.picker.set_visibility(True)
        self.chosen_card.set_visibility(False)
        self.knobs.set_visibility(False)
        self.search.set_value("")
        self.search.run_method("focus")

    def _close(self) -> None:
        self.picker.set_visibility(False)
        self.chosen_card.set_visibility(True)
        self.knobs.set_visibility(True)
        ui.run_javascript(f"getHtmlElement({self.chosen_card.id}).parentElement.scrollTo(0, 0)")

    def _filter(self) -> None:
        wanted = self.search.value or ""
        found = 0
        for kind, cards in self.cards.items():
            fitting = {name for name in cards if contains_words(wanted, *self.search_texts[name])}
            for name, card in cards.items():
                card.set_visibility(name in fitting)
            self.titles[kind].set_visibility(bool(fitting))
            found += len(fitting)
        self.nothing.set_visibility(not found)

    def _choose(self, kind: str, name: str) -> None:
        self._close()
        state = self.session.state
        if kind == "recipes":
            try:
                data, _ = Resolver().read_recipe(name)
                self.session.open(state.open_recipe(data, name))
            except TilewrightError as error:
                self.session.emit("refused", error)
            return
        if name != state.technique or state.opened.name:
            entry = techniques.get(name)
            sizes = {field.name for field in fields_of(entry.params) if field.group == "size"}
            kept = {word: value for word, value in state.params.items() if word in sizes}
            state = self._with_known_locks(entry)
            changed = state.with_recipe(technique=name, params=kept or None, tileset=None, tiles=None, knobs=None)
            changed = carry_own_tiles(state, replace(changed, opened=OpenedRecipe()))
            self.session.open(changed, switch_off=True)

    def _with_known_locks(self, entry: Technique) -> State:
        """Return the state without locks to tiles that a technique does not have, and notify the user."""
        state = self.session.state
        own_tileset = entry.own_tileset(entry.params.validate())
        locks = state.locks.keep_known(own_tileset) or None if state.locks else None
        dropped = len(state.locks or ()) - len(locks or ())
        if not dropped:
            return state
        ui.notify(f"{pluralize(dropped, 'cell')} unlocked: {entry.name} has no such tiles", timeout=4000)
        return replace(state, locks=locks)

    # -- parameters ---------------------------------------------------------------------------------------------

    def _build(self, state: State) -> None:
        """Build the controls of the state's technique."""
        self.technique, self.opened_name, self.controls = state.technique, state.opened.name, None
        entry: Technique | None = techniques.get(state.technique) if state.technique in techniques else None
        self.chosen_card.clear()
        with self.chosen_card:
            kind, name = ("recipes", state.opened.name) if state.opened.is_built_in else ("techniques", state.technique)
            ui.image(thumbnail_url(kind, name)).props("no-spinner no-transition fit=cover").classes("tw-thumbnail")
            with ui.element("div").classes("tw-grow"):
                ui.label(state.opened.name or state.technique).classes("tw-chosen-name").props("data-testid=technique")
                summary = entry.summary if entry else "Unknown technique; choose another."
                ui.label(_list_recipes()[name] if kind == "recipes" else summary).classes("tw-faint tw-two-lines")
            ui.icon("unfold_more").classes("tw-icon").tooltip("Choose another technique or a recipe")
        self.fields.clear()
        if entry is not None:
            with self.fields:
                if entry.recipe_keys:
                    ui.button(
                        "Edit the rulebook", icon="rule", on_click=partial(self.session.change_view, tab="rules")
                    ).props("outline dense no-caps data-testid=edit-rules")
                self.controls = Controls(
                    entry.params,
                    state.params,
                    self._on_param_change,
                    skip=(*entry.recipe_keys, *(("data",) if entry.recipe_keys else ())),
                    tiles=self.session.tiles,
                    queue=self.session.queue,
                    on_draw=partial(self.session.change_view, tab="example"),
                )

    def _on_param_change(self, name: str, value: Any) -> None:
        """Change a parameter of the recipe."""
        params = {word: given for word, given in self.session.state.params.items() if word != name}
        if value is not UNSET:
            params[name] = value
        self.session.change(self.session.state.with_recipe(params=params or None), undo_group=f"params.{name}")

    def _on_tileset_change(self) -> None:
        state = self.session.state
        wanted = None if self.tileset.value == OWN_TILESET else self.tileset.value
        if wanted is None and not isinstance(state.recipe.get("tileset"), str):
            return  # A tileset that is part of the recipe is kept.
        if wanted != state.recipe.get("tileset"):
            self.session.change(with_tileset(state, wanted), switch_off=True)

    def _on_mapping_change(self, tiles: dict[str, str]) -> None:
        self.session.change(self.session.state.with_recipe(tiles=tiles))


def thumbnail_url(kind: str, name: str) -> str:
    """Return the URL of a thumbnail. The API makes the thumbnails of plugin techniques on request."""
    if kind == "recipes" or name in techniques.built_in:
        return f"/studio/thumbnails/{kind}/{name}.png"
    return f"/api/make/{name}?seed=7&width=48&height=30&format=png&scale=4"


@cache
def _list_recipes() -> dict[str, str]:
    """Return the built-in recipes and their descriptions."""
    return {name: read_head_comment(read_text("recipes", name)) for name in list_names("recipes")}
