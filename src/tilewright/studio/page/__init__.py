"""The web page: header, tabs and panels. Each client has its own session."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import app as nicegui_app
from nicegui import binding, ui

from ..jobs import JobQueue
from ..search.runs import SearchRuns

if TYPE_CHECKING:
    from fastapi import FastAPI

PATH = "/"
HERE = Path(__file__).parent


def mount(studio: FastAPI, queue: JobQueue) -> None:
    """Mount the page at `PATH` of the application."""
    from ..http.socket import guard_socket
    from .shell import Shell

    nicegui_app.add_static_files("/studio/thumbnails", HERE.parent / "thumbnails")

    nicegui_app.on_shutdown(queue.close)
    # On a busy machine, NiceGUI would print warnings of slow bindings, which the page does not use.
    binding.MAX_PROPAGATION_TIME = inf
    searches = SearchRuns(queue)

    @ui.page(PATH)
    async def root() -> None:
        await Shell(queue, searches).open()

    ui.run_with(
        studio,
        title="Tilewright",
        favicon=HERE / "favicon.svg",
        dark=None,
        language="en-US",
        reconnect_timeout=20.0,
        message_history_length=30,
        binding_refresh_interval=None,
        tailwind=False,
        show_welcome_message=False,
    )
    guard_socket()
