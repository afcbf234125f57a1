"""The command line: one file per command, imported when it is used.

At the start only click is imported, so that help answers at once. Whatever goes wrong reaches a person as one line
on standard error; the exit code is 0 when all went well, 1 when `verify` finds another map (or nobody reads our
output any more), 2 for a mistake, 70 for a bug of ours and 130 when stopped with Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from ..core.errors import TilewrightError, UnknownName, did_you_mean

COMMANDS = {
    "make": "Make maps with a technique, and draw or write them.",
    "run": "Make maps from a recipe, and draw or write them.",
    "show": "Draw a file's maps in the terminal.",
    "list": "List techniques, shapers, measures, formats, tilesets and recipes.",
    "explain": "Explain one of them: what it does, its parameters, an example.",
    "convert": "Write a file's maps in another format, or shaped.",
    "learn": "Learn from samples, so that they need not be read again.",
    "measure": "Measure a file's maps.",
    "verify": "Make the maps of files again, and say whether they are the same.",
    "corpus": "Make maps by the million, and measure, filter, compare and export them.",
    "studio": "Open the studio: every technique in the browser, live.",
    "warmup": "Compile everything ahead, so that the first map comes at once.",
    "version": "Tell the versions of Tilewright and what it stands on.",
}
"""What each command does; help is drawn from here, so that no command is imported for it."""

MISTAKE, BUG, STOPPED = 2, 70, 130


class Program(click.Group):
    """Commands by the names of their files in a folder of this package, each imported when it is asked for."""

    def __init__(self, *arguments: Any, summaries: Mapping[str, str], folder: str, kind: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.summaries = summaries
        self.folder = folder
        self.kind = kind

    def list_commands(self, context: click.Context) -> list[str]:
        return [*self.summaries]  # `list` is one of our files here, once it has been imported

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        command: click.Command = import_module(f".{self.folder}{name}", __name__).command
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if arguments[0] not in self.summaries and not context.resilient_parsing:
            raise UnknownName(self.kind, arguments[0], self.summaries)
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*self.summaries.items()])


@click.group(
    cls=Program,
    summaries=COMMANDS,
    folder="",
    kind="command",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with: tilewright make caves",
)
@click.version_option(package_name="tilewright", message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """Tilewright makes tile maps: many techniques, one way to make, watch, lock, shape, measure and export them."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the result is its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = program.main(arguments, prog_name="tilewright", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return STOPPED
    except click.ClickException as error:
        return error_line(_format_usage(error), MISTAKE)
    except TilewrightError as error:
        return error_line(str(error), MISTAKE)
    except BrokenPipeError:
        _discard_output()
        return 1
    except OSError as error:
        _discard_output()
        return error_line(f"{error.filename or 'the output'}: {error.strerror or error}", MISTAKE)
    except Exception as error:
        if os.environ.get("TILEWRIGHT_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        return error_line(f"this is a bug in Tilewright ({what}); TILEWRIGHT_DEBUG=1 shows where", BUG)
    return code if isinstance(code, int) else 0


def error_line(message: str, code: int) -> int:
    """One line on standard error, whatever the message was made from; gives the exit code back."""
    line = "".join(letter if letter.isprintable() else " " for letter in message)
    click.echo(f"tilewright: {line}", err=True)
    return code


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning without the line of our source that Python shows."""
    error_line(str(message), 0)


def _format_usage(error: click.ClickException) -> str:
    """click's findings in our words."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        options = [name for option in context.command.get_params(context) for name in option.opts] if context else ()
        near = did_you_mean(error.option_name, [name for name in options if name.startswith("--")])
        return f"unknown option {error.option_name!r}{near if 'did you mean' in near else _help_hint(context)}"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{error.param.human_readable_name} is missing{_help_hint(context)}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{max(error.param.opts, key=len)}: {error.message.rstrip('.')}"
    return error.format_message().rstrip(".") + _help_hint(context)


def _help_hint(context: click.Context | None) -> str:
    return f"; see {context.command_path} --help" if context else ""


def _discard_output() -> None:
    """Nobody reads it or nothing can hold it: let the last flush go nowhere, or Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
