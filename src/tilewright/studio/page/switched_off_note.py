"""Note of Make about shapers that were switched off because they cannot shape the new map."""

from __future__ import annotations

from nicegui import ui

from ...core.errors import pluralize
from ..session import Session, SwitchedOff
from ..state import State


class SwitchedOffNote:
    """Card that lists the shapers with the reasons, and an undo button. It stays while the shapers are off."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._shown: SwitchedOff | None = None
        self._technique = ""
        self.card = ui.element("div").classes("tw-card tw-note").props("role=status data-testid=switched-off")
        self.card.set_visibility(False)
        session.listen("switched_off", self.show)

    def show(self, found: SwitchedOff) -> None:
        """List the shapers."""
        if self.card.is_deleted:
            return
        self._shown, self._technique = found, self.session.state.technique
        self.card.clear()
        with self.card:
            count = pluralize(len(found.reasons), "shaper")
            ui.label(f"{count} switched off: not usable with this map").classes("tw-strong")
            with ui.element("ul"):
                for name, reason in found.reasons.values():
                    with ui.element("li"):
                        ui.label(f"{name.replace('_', ' ')}: {reason}")
            with ui.element("div").classes("tw-row"):
                undo = ui.button("Undo", icon="undo", color=None, on_click=self._undo)
                undo.props("outline dense no-caps size=sm data-testid=switched-off-undo")
                close = ui.button("Close", color=None, on_click=self._close)
                close.props("flat dense no-caps size=sm data-testid=switched-off-close")
        self.card.set_visibility(True)

    def refresh(self, state: State) -> None:
        """Hide the note if one of its shapers is on again, or the technique is another one."""
        if self._shown is not None and (
            state.technique != self._technique or not self._shown.reasons.keys() <= {*state.off}
        ):
            self._close()

    def _undo(self) -> None:
        if self._shown is not None:
            self.session.open(self._shown.before.with_view_of(self.session.state))
            self._close()

    def _close(self) -> None:
        self._shown = None
        self.card.set_visibility(False)
