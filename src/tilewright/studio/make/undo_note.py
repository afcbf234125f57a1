"""Notes of Make about what a choice of the user has changed besides, with a button that undoes the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from ...core.errors import pluralize
from ..session import Session, SwitchedOff
from ..state import State


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
                undo = ui.button("Undo", icon="undo", color=None, on_click=self._undo)
                undo.props(f"outline dense no-caps size=sm data-testid={self._test_id}-undo")
                close = ui.button("Close", color=None, on_click=self._close)
                close.props(f"flat dense no-caps size=sm data-testid={self._test_id}-close")
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


class SwitchedOffNote(UndoNote):
    """Note that lists the shapers that were switched off, because they cannot shape the new map."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "switched-off")
        session.listen("switched_off", self.list_shapers)

    def list_shapers(self, found: SwitchedOff) -> None:
        """List the shapers with the reasons. The note stays while they are off, with the same technique."""
        technique = self.session.state.technique
        self.show(
            f"{pluralize(len(found.reasons), 'shaper')} switched off: not usable with this map",
            found.before,
            lambda state: state.technique == technique and found.reasons.keys() <= {*state.off},
            items=[f"{name.replace('_', ' ')}: {reason}" for name, reason in found.reasons.values()],
        )
