"""Errors of a view: the message of every problem, and a button for each fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from nicegui import ui

from ...core.entries import RECIPE_FIELDS
from ...core.errors import Fix, Problem, TilewrightError
from ..session import Session
from .widgets import labeled_button, toggle_class

MAX_FIXES = 12
"""Maximum number of buttons of an error."""


@contextmanager
def report_errors(report: Callable[[TilewrightError], object]) -> Iterator[None]:
    """Call a function with the error of the enclosed code, if there is one."""
    try:
        yield
    except TilewrightError as error:
        report(error)


@dataclass(frozen=True)
class Remedy:
    """A button of an error."""

    label: str
    apply: Callable[[], None]


class ErrorCard:
    """A card with the problems of an error and a button for each remedy. It is hidden without an error."""

    def __init__(self, test_id: str) -> None:
        with ui.element("div").classes("tw-error-card tw-card").props("role=alert") as self.card:
            self.text = ui.element("div").classes("tw-error-text").props(f"data-testid={test_id}")
            self.buttons = ui.element("div").classes("tw-error-buttons")
        self.card.set_visibility(False)

    def show(self, messages: Sequence[str], remedies: Sequence[Remedy] = ()) -> None:
        """Show messages and buttons. Without messages, hide the card."""
        self.card.set_visibility(bool(messages))
        self.text.clear()
        self.buttons.clear()
        with self.text:
            for message in messages:
                ui.label(message)
        with self.buttons:
            for number, remedy in enumerate(remedies[:MAX_FIXES]):
                labeled_button(remedy.label, None, remedy.apply, f"fix-{number}", "outline")


class MapErrorPanel:
    """The error of the current recipe over the dimmed map, or a notice about a user action that had no effect.

    An error stays until the recipe can be made. While the map is made again, it fades out. A notice, such as a link
    that cannot be opened, stays until the state changes; the map is not dimmed.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.error: TilewrightError | None = None
        """Error of the current recipe."""
        self.notice: TilewrightError | None = None
        with ui.element("div").classes("tw-error") as self.veil:
            self.card = ErrorCard("line")
        self._show()

    def show_error(self, error: TilewrightError | None) -> None:
        """Show the error of the current recipe; None if its map was made."""
        self.error = error
        self.set_pending(False)
        self._show()

    def show_notice(self, notice: TilewrightError | None) -> None:
        """Show why a user action had no effect. None removes the notice."""
        if notice is not self.notice:
            self.notice = notice
            self._show()

    def set_pending(self, is_pending: bool) -> None:
        """Fade out while the map is made again, because the error may no longer apply."""
        toggle_class(self.veil, "tw-error-pending", is_pending and self.notice is None)

    def _show(self) -> None:
        shown = self.notice or self.error
        self.veil.set_visibility(shown is not None)
        toggle_class(self.veil, "tw-error-dims", self.error is not None)
        if shown is None:
            self.card.show(())
        elif shown is self.notice:
            self.card.show(list_messages(shown), [Remedy("Close", partial(self.show_notice, None))])
        else:
            self.card.show(list_messages(shown), list_remedies(shown, self.session))


def list_messages(error: TilewrightError) -> list[str]:
    """Return the message of each problem, or the whole line if there is only one."""
    return [str(error)] if len(error.problems) == 1 else [str(one) for one in error.problems]


def list_remedies(error: TilewrightError, session: Session) -> list[Remedy]:
    """Return a button for each fix, for each failing shaper to switch it off, and to undo the last change."""
    fixes = dict.fromkeys(fix for one in error.problems for fix in one.fixes if _is_applicable(fix, session))
    found = [Remedy(fix.label, partial(_apply_fix, session, fix)) for fix in fixes]
    found += [
        Remedy(f"Switch off {session.state.stages[number][0]}", partial(_switch_off, session, number))
        for number in dict.fromkeys(_find_stages(error.problems, session.state.stages_on))
    ]
    return [*found, Remedy("Undo", session.undo)] if session.can_undo else found


def _is_applicable(fix: Fix, session: Session) -> bool:
    return bool(fix.path) and fix.path[0] in {*RECIPE_FIELDS, *session.state.recipe}


def _find_stages(problems: Sequence[Problem], stages_on: Sequence[int]) -> Iterator[int]:
    """Yield the indices, in the recipe's list, of the shapers that have problems."""
    for problem in problems:
        match problem.path:
            case ("shaping", int(number), *_) if 0 <= number < len(stages_on):
                yield stages_on[number]


def _apply_fix(session: Session, fix: Fix) -> None:
    session.change(session.state.apply_fix(fix))


def _switch_off(session: Session, number: int) -> None:
    session.change(session.state.with_recipe().with_off(number))
