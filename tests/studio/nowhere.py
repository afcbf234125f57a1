"""A page for tests of what is on it, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

from nicegui import Client, ui
from nicegui.page import page
from nicegui.testing import User, UserInteraction


@contextmanager
def nowhere() -> Iterator[Client]:
    """A page that nobody looks at."""
    client = Client(page("/nowhere"), request=None)
    try:
        with client:
            yield client
    finally:
        client.delete()


def element(place: str) -> ui.element:
    """The element of the page with this data-testid, or that draws a button with it."""
    written = f'data-testid="{place}"'
    (found,) = (
        one
        for one in ui.context.client.elements.values()
        if one.props.get("data-testid") == place or (isinstance(one, ui.html) and written in one.content)
    )
    return found


def trigger(element: ui.element, event: str, args: Any = None) -> None:
    """Send an event as the browser does."""
    UserInteraction(cast(User, SimpleNamespace(client=element.client)), {element}, None).trigger(event, args)
