"""A NiceGUI page without a browser, for tests of its elements."""

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
    """Yield a page without a browser."""
    client = Client(page("/nowhere"), request=None)
    try:
        with client:
            yield client
    finally:
        client.delete()


def element(test_id: str) -> ui.element:
    """Return the element with a data-testid, or whose HTML contains it."""
    attribute = f'data-testid="{test_id}"'
    (found,) = (
        one
        for one in ui.context.client.elements.values()
        if one.props.get("data-testid") == test_id or (isinstance(one, ui.html) and attribute in one.content)
    )
    return found


def trigger(element: ui.element, event: str, args: Any = None) -> None:
    """Send an event as a browser does."""
    UserInteraction(cast(User, SimpleNamespace(client=element.client)), {element}, None).trigger(event, args)
