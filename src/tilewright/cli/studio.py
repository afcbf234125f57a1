"""`tilewright studio`: every technique in the browser."""

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
"""The settings that help shows first."""


def _make_option(field: Field) -> click.Option:
    usual = f" [{field.default}]" if field.default is not None else ""
    form = {"host": "HOST", "port": "PORT", "token": "TOKEN", "seconds": "S"}.get(field.name, "N")
    return click.Option([field.name, flag_of(field)], metavar=form, help=f"{field.description.rstrip('.')}.{usual}")


@click.command("studio")
@click.option("--no-browser", is_flag=True, help="Only say where it is; open no browser.")
@click.pass_context
def command(context: click.Context, /, no_browser: bool, **values: str | None) -> None:
    """Open the studio: every technique in the browser, live, and an HTTP API for engines and scripts.

    \b
    tilewright studio
    tilewright studio --port 9000 --no-browser
    tilewright studio --host 0.0.0.0 --token "a long word"

    Only this machine can reach it, unless --host names another address; then a token is needed, and one is made up
    where none is given. Ctrl-C ends it.
    """
    settings = Settings.validate({name: value for name, value in values.items() if value is not None})
    if not settings.is_local and settings.token is None:
        settings = settings.replace(token=secrets.token_urlsafe(16))

    def on_ready(address: str) -> None:
        click.echo(f"The studio is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not no_browser and has_display():
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    port_given = context.get_parameter_source("port") is not ParameterSource.DEFAULT
    serve(settings, on_ready=on_ready, try_other_ports=not port_given)


def has_display() -> bool:
    """Whether there is a screen on which a browser could open."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


flags = [_make_option(field) for field in sorted(fields_of(Settings), key=lambda field: field.name not in FIRST)]
command.params = [*flags, *command.params]
