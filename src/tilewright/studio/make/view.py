"""Tab Make: choice of a technique or recipe, its parameters, and notes about what a choice changed besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from ...core.entries import Technique
from ...core.errors import Problem, pluralize
from ...core.fields import fields_of
from ...core.plan import make_plan
from ...core.registry import techniques
from ...core.resolver import Resolver
from ...core.tileset import Tile
from ...core.tilesets import tilesets
from ...core.yaml import read_head_comment
from ...data import read_text
from ..controls import UNSET, Controls, with_value
from ..good_maps.view import GoodMapsSection
from ..own_tiles.tileset import carry_own_tiles, find_own_data
from ..own_tiles.view import OwnTilesPanel
from ..page.error_panel import report_errors
from ..page.view import View
from ..page.widgets import FoldingSection, dropdown, icon_button, labeled_button, show_value
from ..session import Session, SwitchedOff
from ..start.goals import find_goal
from ..start.view import Results, picture
from ..state import State
from .opened_recipe import OpenedRecipe
from .panels import KnobPanel, TileMapping, with_tileset
from .unknown_tiles import remove_unknown_tiles

OWN_TILESET = "the technique's own"


class MakeView(View):
    """Picker for techniques and recipes, and the controls of the chosen technique."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.technique = ""
        self.opened_name = ""
        """Name of the recipe that is shown."""
        self.results: Results | None = None
        """Cards of the picker; None until it is first opened."""
        with ui.element("div").classes("tw-chosen tw-card") as self.chosen_card:
            self.chosen_card.props("data-testid=chosen role=button tabindex=0")
            self.chosen_card.on("click", self._open).on("keydown.enter", self._open)
        self.notes = (UndoNote(session, "switched-off"), UndoNote(session, "removed-tiles"))
        session.listen("switched_off", self._show_switched_off)
        self.picker = ui.element("div").classes("tw-picker")
        self.picker.set_visibility(False)
        with ui.element("div").classes("tw-knobs") as self.knobs:
            self.knob_panel = KnobPanel(session)
            self.tileset = dropdown([OWN_TILESET], self._choose_tileset, "tileset", label="Tileset")
            self.tileset.tooltip("Tileset of the map")
            self.mapping = TileMapping(lambda tiles: session.change(session.state.with_recipe(tiles=tiles)))
            self.own_tiles = OwnTilesPanel(session)
            self.fold = FoldingSection("All parameters")
            self.fields = self.fold.body.classes("tw-fields")
            self.good_maps = GoodMapsSection(session)
        self.controls: Controls | None = None
        self.update(session.state)

    def select(self, state: State) -> object:
        return state.recipe, state.off, state.opened, state.view_settings.tab

    def refresh(self, state: State) -> None:
        self.knob_panel.update(state)
        self.fold.enable(not self.knob_panel.is_empty)
        if (state.technique, state.opened.name) != (self.technique, self.opened_name):
            self._build(state)
        elif self.controls is not None:
            self.controls.update(state.params)
        self.own_tiles.update(state)
        self._show_tileset(state)
        self.mapping.update(state)
        for note in self.notes:
            note.refresh(state)
        self.good_maps.update(state)

    def show_map(self) -> None:
        """Update the controls, which show the map's tiles."""
        if self.controls is not None:
            self.controls.update(self.session.state.params)
        self.own_tiles.show_map()
        self.good_maps.show_map()

    def mark_problems(self, problems: Sequence[Problem]) -> None:
        if self.controls is not None:
            self.controls.mark(problems, "params")
        self.good_maps.mark_problems(problems)
        if any(one.path[:1] == ("params",) for one in problems):
            self.fold.open()

    # -- picker -------------------------------------------------------------------------------------------------

    def _build_picker(self) -> Results:
        """Build the picker, when it is first opened."""
        with self.picker:
            with ui.element("div").classes("tw-row"):
                self.search = ui.input(placeholder="Search techniques and recipes", on_change=self._show_results)
                self.search.props("dense outlined clearable autofocus data-testid=search").classes("tw-grow")
                self.search.on("keydown.esc", self._close)
                icon_button("close", "Back to the parameters", self._close, test_id="close-picker")
            results = Results(self.choose, self.search.set_value)
        self.search.on("keydown.enter", results.choose_first)
        return results

    def _open(self) -> None:
        self.results = self.results or self._build_picker()
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

    def _show_results(self) -> None:
        if self.results is not None:
            self.results.show(self.search.value or "")

    def choose(self, kind: str, name: str) -> None:
        """Open a technique, a recipe or a goal.

        A technique that is chosen in Make keeps shapers and locks. On the first screen, it starts a new recipe.
        """
        self._close()
        is_new = self.session.state.view_settings.tab == "start"
        state = self.session.state.with_view_settings(tab="make")
        if kind == "goals":
            goal = find_goal(name)
            self.session.open(goal.open(state))
            if goal.opens_picker:
                self._open()
        elif kind == "recipes":
            with report_errors(partial(self.session.emit, "refused")):
                data, _ = Resolver().read_recipe(name)
                self.session.open(state.open_recipe(data, name))
        elif is_new:
            self.session.open(state.open_recipe({"technique": name}))
        elif name == state.technique and not state.opened.name:
            self.session.change_view(tab="make")
        else:
            entry = techniques.get(name)
            sizes = {field.name for field in fields_of(entry.params) if field.group == "size"}
            kept = {word: value for word, value in state.params.items() if word in sizes}
            state = self._with_known_locks(state, entry)
            changed = state.with_recipe(technique=name, params=kept or None, tileset=None, tiles=None, knobs=None)
            changed = carry_own_tiles(state, replace(changed, opened=OpenedRecipe()))
            if _list_models(entry):
                changed, removed = remove_unknown_tiles(changed)
                if removed:
                    ui.notify(f"{name} has no such tiles. Removed: {'; '.join(removed)}", timeout=4000)
            self.session.open(changed, switch_off=True)

    def _with_known_locks(self, state: State, entry: Technique) -> State:
        """Return a state without locks to tiles that a technique does not have, and notify the user."""
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
            picture(kind, name)
            with ui.element("div").classes("tw-grow"):
                ui.label(state.title).classes("tw-chosen-name").props("data-testid=technique")
                summary = entry.summary if entry else "Unknown technique; choose another."
                if kind == "recipes":
                    summary = read_head_comment(read_text("recipes", name))
                ui.label(summary).classes("tw-faint tw-two-lines")
            ui.icon("unfold_more").classes("tw-icon").tooltip("Choose another technique or a recipe")
        self.fields.clear()
        if entry is not None:
            with self.fields:
                if entry.recipe_keys:
                    edit = partial(self.session.change_view, tab="rules")
                    labeled_button("Edit the rulebook", "rule", edit, "edit-rules", color="primary")
                self.controls = Controls(
                    entry.params,
                    state.params,
                    self._on_param_change,
                    skip=(*entry.recipe_keys, *(("data",) if entry.recipe_keys else ())),
                    tiles=self._list_tiles,
                    queue=self.session.queue,
                    on_draw=partial(self.session.change_view, tab="example"),
                )

    def _on_param_change(self, name: str, value: Any) -> None:
        """Change a parameter of the recipe."""
        before = self.session.state
        state = before.with_recipe(params=with_value(before.params, name, value) or None)
        if name not in _list_models(techniques.get(state.technique)):
            self.session.change(state, undo_group=f"params.{name}")
            return
        state, removed = remove_unknown_tiles(_with_similar_tiles(state))
        self.session.change(state)
        if removed:
            self.notes[1].show(
                f"The new {name} has no such tiles. Removed:",
                before,
                lambda now: now.technique == state.technique and now.params.get(name, UNSET) == value,
                items=removed,
            )

    def _list_tiles(self) -> Sequence[Tile]:
        """Return the tiles that the controls offer: those of the map or, with a trained model, those of the model."""
        recipe = self.session.recipe
        if recipe is None or not _list_models(techniques.get(recipe.technique)):
            return self.session.tiles()
        site = make_plan(recipe).site
        tiles = zip(site.labels, site.ids.tolist(), strict=True)
        return [site.tileset[number].model_copy(update={"name": label}) for label, number in tiles]

    def _show_switched_off(self, found: SwitchedOff) -> None:
        """List the shapers that cannot shape the new map. The note stays while they are off, with this technique."""
        technique = self.session.state.technique
        self.notes[0].show(
            f"{pluralize(len(found.reasons), 'shaper')} switched off: not usable with this map",
            found.before,
            lambda state: state.technique == technique and found.reasons.keys() <= {*state.off},
            items=[f"{name.replace('_', ' ')}: {reason}" for name, reason in found.reasons.values()],
        )

    def _show_tileset(self, state: State) -> None:
        """Select the tileset of a state. One that is part of the recipe is an option, too."""
        given = state.recipe.get("tileset")
        chosen = _name_tileset(state) or (given if isinstance(given, str) else OWN_TILESET)
        show_value(self.tileset, chosen, [*dict.fromkeys((chosen, OWN_TILESET, *tilesets.names()))])

    def _choose_tileset(self, chosen: str) -> None:
        state = self.session.state
        if chosen == _name_tileset(state):
            return
        wanted = None if chosen == OWN_TILESET else chosen
        self.session.change(with_tileset(state, wanted), switch_off=True)
        if find_own_data(state.recipe) is not None:
            self.notes[1].show(
                f"Your own tiles were removed: the map has the tileset {chosen}",
                state,
                lambda now: now.recipe.get("tileset") == wanted,
            )


def _list_models(entry: Technique) -> list[str]:
    """Return the parameters of a technique that are trained models, which determine the tiles of its maps."""
    return [field.name for field in fields_of(entry.params) if field.kind == "network"]


def _with_similar_tiles(state: State) -> State:
    """Return a state of which the chosen tileset has a tile for each label of the technique, where it can guess one."""
    tileset = state.recipe.get("tileset")
    return with_tileset(state, tileset) if isinstance(tileset, str) and state.recipe.get("tiles") else state


def _name_tileset(state: State) -> str:
    """Return the label of a tileset that is part of the recipe; an empty string if the tileset has another place."""
    given = state.recipe.get("tileset")
    if not isinstance(given, Mapping):
        return ""
    place = "in the recipe" if find_own_data(state.recipe) is None else "your own tiles"
    return f"{str(given.get('name') or 'unnamed')[:60]} ({place})"


class UndoNote:
    """Card with a sentence, a list and an undo button. It stays while it applies."""

    def __init__(self, session: Session, test_id: str) -> None:
        self.session, self._test_id = session, test_id
        self._before: State | None = None
        self._applies: Callable[[State], bool] = lambda state: False
        self.card = ui.element("div").classes("tw-card tw-note").props(f"role=status data-testid={test_id}")
        self.card.set_visibility(False)

    def show(self, text: str, before: State, applies: Callable[[State], bool], *, items: Sequence[str] = ()) -> None:
        """Show a note. Undo returns to the state `before`; `applies` returns whether a state still needs the note."""
        if self.card.is_deleted:
            return
        self._before, self._applies = before, applies
        self.card.clear()
        with self.card:
            ui.label(text).classes("tw-strong")
            if items:
                with ui.element("ul"):
                    for item in items:
                        with ui.element("li"):
                            ui.label(item)
            with ui.element("div").classes("tw-row"):
                labeled_button("Undo", "undo", self._undo, f"{self._test_id}-undo", "outline dense size=sm")
                labeled_button("Close", None, self._close, f"{self._test_id}-close", "flat dense size=sm")
        self.card.set_visibility(True)

    def refresh(self, state: State) -> None:
        """Hide the note if it no longer applies."""
        if self._before is not None and not self._applies(state):
            self._close()

    def _undo(self) -> None:
        before = self._before
        if before is not None:
            self._close()
            self.session.open(before.with_view_of(self.session.state))

    def _close(self) -> None:
        self._before = None
        self.card.set_visibility(False)
