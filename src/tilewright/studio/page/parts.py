"""Small things that several views are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


def icon_button(icon: str, hint: str, do: Callable[..., Any], *, test: str = "") -> ui.button:
    """A small button of an icon alone, with its hint."""
    button = ui.button(icon=icon, color=None, on_click=lambda: do()).props(
        f'flat dense round size=sm aria-label="{hint}"'
    )
    button.classes("tw-icon").tooltip(hint)
    return button.props(f"data-testid={test}") if test else button
