"""`tilewright studio`: the web page for all techniques."""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from threading import Thread

import click

from ..studio import Settings, serve
from ._options import params_command


@params_command("studio", Settings)
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
def command(params: Settings, no_browser: bool) -> None:
    """Open the studio, a web page for all techniques, with an HTTP API for engines and scripts.

    \b
    tilewright studio
    tilewright studio --port 9000 --no-browser
    tilewright studio --host 0.0.0.0 --token "a long word"

    Only this machine can connect, unless --host names another address. Then clients need a token; without --token, a
    random one is generated. Press Ctrl-C to stop.
    """
    settings = params
    if not settings.is_local and settings.token is None:
        settings = settings.replace(token=secrets.token_urlsafe(16))

    def on_ready(address: str) -> None:
        click.echo(f"The studio is at {address} (press Ctrl-C to stop)")
        sys.stdout.flush()
        if not no_browser and has_display():
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve(settings, on_ready=on_ready, try_other_ports="port" not in params.model_fields_set)


def has_display() -> bool:
    """Return whether a browser can open a window."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
