"""Synchronization of the state with the fragment of the page's URL and the browser's history."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from nicegui import ui

from ...core.errors import TilewrightError
from ..session import Session
from ..start.goals import first_state
from ..state import State
from .error_panel import report_errors
from .widgets import build_copy_script, read_page_script

DELAY = 0.4
"""Seconds between updates of the URL."""
SHORT_LINK = 1 << 14
"""Maximum number of characters of a link that is read in the event loop. Longer ones are read in a job."""
COPIED_MESSAGE = "Link copied: it opens this map with all settings"


class UrlState:
    """The state after the # of the page's URL, if it is short enough for a link."""

    def __init__(self, session: Session, on_error: Callable[[TilewrightError], None]) -> None:
        """Create the synchronization. `on_error` is called if a link cannot be opened or made."""
        self.session, self._on_error = session, on_error
        self._link: str | None = None
        """Link in the URL; None until it was read."""
        self._written_state: State | None = None
        """State in the URL, or last state that no link can hold."""
        self._entry = 0
        """Number of the current entry of the browser's history."""
        self._numbers = count(1)
        """Numbers of further entries."""
        self._is_opening = False
        """Whether the next state becomes a new entry."""

    def listen(self) -> None:
        """Start the synchronization."""
        client = ui.context.client

        def on_state(state: State) -> None:
            if self._is_opening and not client.is_deleted:
                with client:
                    self.write()

        ui.on("address", lambda event: self._on_address(event.args))
        ui.timer(DELAY, self.write)
        self.session.listen("open", lambda state: self._on_open())
        self.session.listen("state", on_state)
        ui.run_javascript(read_page_script("follow_history"))

    async def _on_address(self, args: Any) -> None:
        """Open the state of another entry of the browser's history, or of a link that the user has entered."""
        match args:
            case [str(url_hash), int(entry)]:
                self._entry = entry
                await self.open_hash(url_hash)

    def _on_open(self) -> None:
        """Write the state that the user leaves, and begin a new entry of the history for the next one."""
        self.write()
        self._is_opening = True

    async def open_hash(self, url_hash: str) -> None:
        """Open the state in a URL fragment. Without a fragment, open the first screen.

        A page whose link cannot be opened shows the first map, with the reason over it.
        """
        link, is_first = url_hash.removeprefix("#"), self._link is None
        if link and link == self._link:
            return
        state, refused = first_state() if is_first else self.session.state, None
        if link:
            try:
                short = len(link) <= SHORT_LINK
                state = State.from_link(link) if short else await self.session.submit(lambda _: State.from_link(link))
            except TilewrightError as error:
                refused = error
                state = state.with_view_settings(tab="make") if is_first else state
        elif not is_first:
            self.session.change_view(tab="start")
        self._link = link
        if is_first:
            self.session.start(state)
        elif link:
            self.session.change(state)
        if refused is not None:
            self._written_state = None  # The URL is then replaced by the current state.
            self._on_error(refused)

    def copy_link(self) -> None:
        """Copy a link to the state, or report why no link can be made."""
        with report_errors(self._on_error):
            link = f"location.origin + location.pathname + '#{self.session.state.to_link()}'"
            ui.run_javascript(f"({build_copy_script(link, COPIED_MESSAGE)})()")

    def write(self) -> None:
        """Write the state to the URL, unless no link can hold it."""
        if self.session.state is self._written_state:
            return
        self._written_state = self.session.state
        try:
            link = self._written_state.to_link()
        except TilewrightError:
            return
        if link != self._link:
            before, self._link = self._entry, link
            if self._is_opening:
                self._entry, self._is_opening = next(self._numbers), False
            ui.run_javascript(f"twWriteState({before}, {self._entry}, '#{link}')")
