"""Synchronization of the state with the fragment of the page's URL."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ...core.errors import TilewrightError, TooLarge
from ..session import Session
from ..state import State
from .widgets import build_copy_script

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
        """State in the URL, or last state that was too large for it."""

    def listen(self) -> None:
        """Start the synchronization."""
        ui.on("address", lambda event: self.open_hash(str(event.args)))
        ui.timer(DELAY, self.write)
        # The URL of the event, because `write` may have replaced the current one since.
        event = "(event) => emitEvent('address', new URL(event.newURL).hash)"
        ui.run_javascript(f"window.addEventListener('hashchange', {event})")

    async def open_hash(self, url_hash: str) -> None:
        """Open the state in a URL fragment. Without a fragment, open the default state."""
        link, is_first = url_hash.removeprefix("#"), self._link is None
        if link and link == self._link:
            return
        state, refused = self.session.state, None
        if link:
            try:
                short = len(link) <= SHORT_LINK
                state = State.from_link(link) if short else await self.session.submit(lambda _: State.from_link(link))
            except TilewrightError as error:
                refused = error
        self._link = link
        if is_first:
            self.session.start(state)
        else:
            self.session.change(state)
        if refused is not None:
            self._written_state = None  # The URL is then replaced by the current state.
            self._on_error(refused)

    def copy_link(self) -> None:
        """Copy a link to the state, or report why no link can be made."""
        try:
            link = f"location.origin + location.pathname + '#{self.session.state.to_link()}'"
        except TooLarge as error:
            self._on_error(error)
            return
        ui.run_javascript(f"({build_copy_script(link, COPIED_MESSAGE)})()")

    def write(self) -> None:
        """Write the state to the URL, unless it is too large."""
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
