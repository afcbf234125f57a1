"""`tilewright studio`: the web page for all techniques."""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from threading import Thread

import click
from click.core import ParameterSource

from ..core.fields import Field, fields_of
from ..core.notation import flag_of
from ..studio import Settings, serve

FIRST = ("host", "port", "token")
"""Settings that `--help` lists first."""


def _make_option(field: Field) -> click.Option:
    default = f" [{field.default}]" if field.default is not None else ""
    form = {"host": "HOST", "port": "PORT", "token": "TOKEN", "seconds": "S"}.get(field.name, "N")
    return click.Option([field.name, flag_of(field)], metavar=form, help=f"{field.description.rstrip('.')}.{default}")


@click.command("studio")
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@click.pass_context
def command(context: click.Context, /, no_browser: bool, **values: str | None) -> None:
    """Open the studio, a web page for all techniques, with an HTTP API for engines and scripts.

    \b
    tilewright studio
    tilewright studio --port 9000 --no-browser
    tilewright studio --host 0.0.0.0 --token "a long word"

    Only this machine can connect, unless --host names another address. Then clients need a token; without --token, a
    random one is generated. Press Ctrl-C to stop.
    """
    settings = Settings.validate({name: value for name, value in values.items() if value is not None})
    if not settings.is_local and settings.token is None:
        settings = settings.replace(token=secrets.token_urlsafe(16))

    def on_ready(address: str) -> None:
        click.echo(f"The studio is at {address} (press Ctrl-C to stop)")
        sys.stdout.flush()
        if not no_browser and has_display():
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    port_given = context.get_parameter_source("port") is not ParameterSource.DEFAULT
    serve(settings, on_ready=on_ready, try_other_ports=not port_given)


def has_display() -> bool:
    """Return whether a browser can open a window."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


flags = [_make_option(field) for field in sorted(fields_of(Settings), key=lambda field: field.name not in FIRST)]
command.params = [*flags, *command.params]
