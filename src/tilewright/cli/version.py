"""`tilewright version`: installed versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from .. import __version__


@click.command("version")
def command() -> None:
    """Show the versions of Tilewright and its dependencies."""
    click.echo(f"tilewright {__version__}")
    click.echo(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    for package in ("numpy", "numba", "pydantic", "Pillow"):
        try:
            click.echo(f"{package} {version(package)}")
        except PackageNotFoundError:
            click.echo(f"{package} is missing")
