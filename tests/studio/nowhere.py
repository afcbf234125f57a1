"""A page for tests of what is on it, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import Client
from nicegui.page import page


@contextmanager
def nowhere() -> Iterator[Client]:
    """A page that nobody looks at."""
    client = Client(page("/nowhere"), request=None)
    try:
        with client:
            yield client
    finally:
        client.delete()
