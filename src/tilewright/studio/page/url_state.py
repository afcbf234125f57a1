"""The address of the page: it follows the state, and the state follows it."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ...core.errors import TilewrightError, TooLarge
from ..session import Session
from ..state import State
from .widgets import build_copy_script

DELAY = 0.4
"""Seconds without a change before the address follows."""
COPIED_MESSAGE = "The link is copied: it reopens exactly this"


class UrlState:
    """What stands behind the # of the page's address: the whole state, as long as that is not too much for a link."""

    def __init__(self, session: Session, on_error: Callable[[TilewrightError], None]) -> None:
        """`tell` takes an error that says what is wrong."""
        self.session, self._on_error = session, on_error
        self.error: TilewrightError | None = None
        """What is wrong with the link that was opened or asked for last."""
        self._link: str | None = None
        """What the address holds; None until somebody has looked."""
        self._written_state: State | None = None
        """The state that the address holds, or that is too much for it."""

    def listen(self) -> None:
        """From now on, one follows the other."""
        ui.on("address", lambda event: self.open_hash(str(event.args)))
        ui.timer(DELAY, self.write)
        ui.run_javascript("window.addEventListener('hashchange', () => emitEvent('address', location.hash))")

    def open_hash(self, url_hash: str) -> None:
        """Open what an address asks for; without anything, the usual start."""
        link, is_arrival = url_hash.removeprefix("#"), self._link is None
        if link and link == self._link:
            return
        state, refused = self.session.state, None
        if link:
            try:
                state = State.from_link(link)
            except TilewrightError as error:
                refused = error
        self._link = link
        if is_arrival:
            self.session.start(state)
        else:
            self.session.change(state)
        self.error = None
        if refused is not None:
            self._written_state = None  # the address is to hold what is shown
            self._report_error(refused)

    def copy_link(self) -> None:
        """Copy a link that reopens exactly this, or say why there is none."""
        try:
            link = f"location.origin + location.pathname + '#{self.session.state.to_link()}'"
        except TooLarge as error:
            self._report_error(error)
            return
        ui.run_javascript(f"({build_copy_script(link, COPIED_MESSAGE)})()")

    def _report_error(self, error: TilewrightError) -> None:
        self.error = error
        self._on_error(error)

    def write(self) -> None:
        """The address follows the state, a moment after the last change; what is too much for it leaves it alone."""
        if self.session.state is self._written_state:
            return
        self._written_state = self.session.state
        try:
            link = self._written_state.to_link()
        except TooLarge:
            return
        if link != self._link:
            self._link = link
            ui.run_javascript(f"history.replaceState(null, '', '#{link}')")
