"""Tab Shape: the list of shapers that follow the technique, and the recipe as YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Any

from nicegui import ui

from ...core.entries import Shaper
from ...core.errors import Problem
from ...core.fields import UNSET, fields_of
from ...core.recipe_knobs import renumber_stages
from ...core.registry import shapers
from ...core.tileset import Tile
from ..controls import Controls, with_value
from ..make.opened_recipe import keep_fitting_knobs
from ..own_files import embed_pictures
from ..page.error_panel import report_errors
from ..page.view import View
from ..page.widgets import Uploader, copy_text, icon_button, labeled_button, on_choice, show_value
from ..session import Session
from ..state import Stage, State
from .recipe_text import read_text, write_text


class ShapeView(View):
    """List of shapers to add, reorder, disable and edit, above the recipe as YAML with the disabled shapers."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.controls: list[Controls | None] = []
        self.switches: list[ui.switch] = []
        self._last_text = ""
        """Last recipe shown. The text is only replaced if the recipe changes, so that the user's edits are kept."""
        self._built_names: list[str] | None = None
        self._open_stages: set[int] = set()
        with ui.element("div").classes("tw-row"):
            ui.label("Shapers").classes("tw-title tw-grow")
            with ui.button("Add", icon="add").props("dense unelevated no-caps size=sm data-testid=add-shaper"):
                self._build_menu()
        self.empty = ui.label(
            "No shapers: the map is as the technique made it. Add connect to join regions, doors, a border ..."
        ).classes("tw-hint")
        self.list = ui.element("div").classes("tw-stages").props("data-testid=stages")
        ui.separator()
        with ui.element("div").classes("tw-row"):
            ui.label("Recipe").classes("tw-title tw-grow")
            icon_button("content_copy", "Copy the recipe", self._copy, test_id="copy-recipe")
            load = icon_button("file_open", "Open a recipe (YAML or JSON)", lambda: None, test_id="load-recipe")
            icon_button("save", "Save the recipe", self._save, test_id="save-recipe")
        self.upload = Uploader(session.queue.settings, self._on_upload, self._show_error, accept=".yaml,.yml,.json")
        self.upload.props("data-testid=recipe-file").classes("tw-hidden")
        self.upload.open_from(load)
        self.text = ui.codemirror("", language="YAML").classes("tw-code")
        self.text.props("data-testid=recipe data-label=Recipe")
        with ui.element("div").classes("tw-row"):
            labeled_button("Apply", None, self._apply, "apply-recipe", "dense unelevated").classes("tw-roomy")
            self.error = ui.label("").classes("tw-bad tw-grow").props("role=status data-testid=recipe-wrong")
        self.update(session.state)

    def select(self, state: State) -> object:
        return state.recipe, state.off

    def refresh(self, state: State) -> None:
        stages = state.stages
        if [name for name, _ in stages] != self._built_names:
            self._build(stages, state.off)
        for (_, params), controls in zip(stages, self.controls, strict=True):
            if controls is not None:
                controls.update(params)
        for number, switch in enumerate(self.switches):
            show_value(switch, number not in state.off)
        written = write_text(state.recipe, state.off)
        if written != self._last_text:
            self._last_text = written
            self.text.set_value(written)
            self.error.set_text("")

    def mark_problems(self, problems: Sequence[Problem]) -> None:
        on = self.session.state.stages_on
        for number, (name, controls) in enumerate(zip(self._built_names or (), self.controls, strict=False)):
            if controls is not None and number in on:
                controls.mark(problems, "shaping", on.index(number), name)
            elif controls is not None:
                controls.mark(())

    def set_dark(self, is_dark: bool) -> None:
        self.text.set_theme("vscodeDark" if is_dark else "vscodeLight")

    def _build_menu(self) -> None:
        """Build the menu of all shapers."""
        with ui.menu().props("auto-close max-height=80vh").classes("tw-shapers"):
            for entry in shapers:
                item = ui.menu_item(on_click=partial(self._add, entry.name), auto_close=False)
                with item.props(f"data-testid=add-{entry.name}"), ui.element("div"):
                    ui.label(entry.name.replace("_", " ")).classes("tw-strong")
                    ui.label(describe_shaper(entry)).classes("tw-faint")
                    if entry.name in shapers.built_in:
                        picture = ui.element("img").classes("tw-shaper-picture")
                        picture.props(f'src="/studio/thumbnails/shapers/{entry.name}.png" loading=lazy')
                        picture.props('alt="A map before and after it" width=308 height=88')

    # -- list ---------------------------------------------------------------------------------------------------

    def _build(self, stages: Sequence[Stage], off: Sequence[int]) -> None:
        self._built_names = [name for name, _ in stages]
        self.controls, self.switches = [], []
        self.empty.set_visibility(not stages)
        self.list.clear()
        with self.list:
            for number, (name, params) in enumerate(stages):
                self._build_stage(number, name, params, len(stages), is_on=number not in off)

    def _build_stage(self, number: int, name: str, params: Mapping[str, Any], count: int, *, is_on: bool) -> None:
        with ui.element("div").classes("tw-stage-card tw-card").props(f"data-testid=stage-{number}"):
            with ui.element("div").classes("tw-row"):
                switch = on_choice(ui.switch(value=is_on), partial(self._on_switch, number)).props("dense size=xs")
                switch.props(f"data-testid=stage-{number}-on").tooltip("Enable or disable")
                switch.props["aria-label"] = f"Enable {name}"
                self.switches.append(switch)
                title = ui.label(name.replace("_", " ")).classes("tw-strong tw-grow tw-clickable")
                title.props("role=button tabindex=0")
                for direction, by in (("up", -1), ("down", 1)):
                    move, test_id = partial(self._move, number, by), f"stage-{number}-{direction}"
                    button = icon_button(f"arrow_{direction}ward", f"Move {direction}", move, test_id=test_id)
                    button.set_enabled(0 <= number + by < count)
                icon_button("delete_outline", "Remove", partial(self._remove, number), test_id=f"stage-{number}-remove")
            if name not in shapers:
                ui.label("Unknown shaper.").classes("tw-bad")
                self.controls.append(None)
                return
            entry = shapers.get(name)
            with ui.element("div").classes("tw-stage-fields") as fields:
                ui.label(describe_shaper(entry)).classes("tw-faint")
                tiles, queue, on_change = self.session.tiles, self.session.queue, partial(self._on_param_change, number)
                self.controls.append(Controls(entry.params, params, on_change, tiles=tiles, queue=queue))
            title.tooltip(entry.summary)
            for event in ("click", "keydown.enter"):
                title.on(event, partial(self._toggle_fields, number, fields))
            fields.set_visibility(number in self._open_stages or count == 1)

    def _toggle_fields(self, number: int, fields: ui.element) -> None:
        fields.set_visibility(not fields.visible)
        (self._open_stages.add if fields.visible else self._open_stages.discard)(number)

    def _add(self, name: str) -> None:
        stages = self.session.state.stages
        self._open_stages = {len(stages)}
        self._change([*stages, (name, build_initial_params(name, self.session.tiles()))])

    def _remove(self, number: int) -> None:
        self._reorder([other for other in range(len(self.session.state.stages)) if other != number])

    def _move(self, number: int, by: int) -> None:
        order = [*range(len(self.session.state.stages))]
        order[number], order[number + by] = order[number + by], order[number]
        self._built_names = None
        self._reorder(order)

    def _reorder(self, order: Sequence[int]) -> None:
        """Keep the shapers with these numbers, in this order."""
        state = self.session.state
        positions = {number: position for position, number in enumerate(order)}
        self._open_stages = {positions[number] for number in self._open_stages if number in positions}
        off = tuple(sorted(positions[number] for number in state.off if number in positions))
        self._change([state.stages[number] for number in order], off, positions=positions)

    def _on_switch(self, number: int, is_on: bool) -> None:
        off = {other for other in self.session.state.off if other != number}
        self._change(self.session.state.stages, tuple(sorted(off if is_on else off | {number})))

    def _on_param_change(self, number: int, name: str, value: Any) -> None:
        stages = self.session.state.stages
        shaper, params = stages[number]
        stages[number] = (shaper, with_value(params, name, value))
        self._change(stages, undo_group=f"shaping.{number}.{name}")

    def _change(
        self,
        stages: Sequence[Stage],
        off: tuple[int, ...] | None = None,
        *,
        positions: Mapping[int, int] | None = None,
        undo_group: str = "",
    ) -> None:
        """Change the shapers. `positions` has their new positions by the old ones, if these differ."""
        state = self.session.state
        shaping = [{name: dict(params)} if params else name for name, params in stages]
        knobs = state.recipe.get("knobs")
        knobs = knobs if positions is None else renumber_stages(knobs, positions)
        changed = state.with_recipe(shaping=shaping or None, knobs=knobs)
        self.session.change(replace(changed, off=state.off if off is None else off), undo_group=undo_group)

    # -- recipe -------------------------------------------------------------------------------------------------

    def _open_recipe(self, text: str, name: str, *, is_file: bool = False) -> None:
        """Open a recipe. Edited text keeps the name of the recipe, as long as the technique is the same."""
        before = self.session.state
        with report_errors(lambda error: self.error.set_text(str(error))):
            recipe, off = read_text(text, name)
            own_name = before.opened.name if recipe.get("technique") == before.technique else ""
            state = replace(before.open_recipe(recipe, PurePath(name).stem if is_file else own_name), off=off)
            self._built_names = None
            self._last_text = ""
            self.error.set_text("")
            self.session.open(state)

    def _apply(self) -> None:
        self._open_recipe(self.text.value, "the recipe")

    async def _on_upload(self, content: bytes, name: str) -> None:
        self._open_recipe(content.decode("utf-8-sig", "replace"), name[-80:], is_file=True)

    def _show_error(self, line: str) -> None:
        self.error.set_text(line)

    def _save(self) -> None:
        state = self.session.state
        recipe = embed_pictures(keep_fitting_knobs(state.recipe))
        ui.download.content(write_text(recipe, state.off), f"{state.title}.yaml")

    def _copy(self) -> None:
        copy_text(self.text.value, "Recipe copied")


def build_initial_params(name: str, tiles: Sequence[Tile]) -> dict[str, Any]:
    """Return the params of a new shaper, for a map with these tiles."""
    fields = [field for field in fields_of(shapers.get(name).params) if field.initial is not UNSET]
    return {
        field.name: tiles[field.initial].name if field.tiles and field.initial < len(tiles) else field.initial
        for field in fields
    }


def describe_shaper(entry: Shaper) -> str:
    """Return the summary of a shaper without its name."""
    summary = entry.summary.partition(": ")[2] or entry.summary
    return summary[:1].upper() + summary[1:]
