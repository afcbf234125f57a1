"""The command line: one file per command, imported on use.

Only click is imported at startup, so that `--help` is fast. Every error is shown as one line on standard error. The
exit code is 0 for success, 1 if `verify` finds a different map or standard output was closed, 2 for a user error, 70
for a bug in Tilewright, 130 after Ctrl-C and 143 after SIGTERM.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..core.errors import TilewrightError, UnknownName, did_you_mean

COMMANDS = {
    "make": "Generate maps with a technique and draw or save them.",
    "run": "Generate maps from a recipe and draw or save them.",
    "show": "Draw the maps of files in the terminal.",
    "list": "List techniques, shapers, measures, formats, engines, tilesets, recipes, samples and more.",
    "explain": "Describe one of them: its purpose, its parameters, an example.",
    "cite": "Print published sources of techniques, shapers and measures as BibTeX.",
    "export": "Export a project of several levels for Godot, Tiled or LDtk.",
    "convert": "Convert maps to another format; post-process them on request.",
    "improve": "Change a map until its measures reach targets.",
    "skin": "Write a tileset in your own art from a sheet of sprites.",
    "learn": "Learn a model from samples and save it.",
    "compare": "Compare techniques that learn from the same samples.",
    "measure": "Compute measures of maps.",
    "play": "Find out whether levels can be finished, and how.",
    "verify": "Regenerate stored maps and check that they are identical.",
    "corpus": "Generate large sets of maps; measure, filter, compare and export them.",
    "seek": "Test all seeds of a range, and keep those whose maps meet requirements.",
    "search": "Search for the best and the most different maps of a recipe.",
    "benchmark": "Take public benchmarks, such as the PCG Benchmark.",
    "studio": "Open the studio, a web page for all techniques.",
    "warmup": "Compile all kernels in advance.",
    "version": "Show the versions of Tilewright and its dependencies.",
}
"""Summary of each command. `--help` shows these, so that it imports no command."""

MAX_SUMMARY = 200
"""Maximum number of characters of the summary of a command in the help of its group."""
MISTAKE, BUG, STOPPED = 2, 70, 130
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a command. Windows has no SIGHUP."""


class Terminated(BaseException):
    """Exception raised by SIGTERM and SIGHUP, so that a command closes its files and processes as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number


@click.pass_context
def show_help(context: click.Context) -> None:
    """Show the help of a group without a command."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


class HelpGroup(click.Group):
    """Command group that shows its help if no command is given."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{**settings, "callback": show_help, "invoke_without_command": True})


class CommandGroup(HelpGroup):
    """Command group that lists its commands in the given order, and suggests a name for an unknown command."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [*self.commands]

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(context)
        if arguments[0] not in known and not context.resilient_parsing:
            raise UnknownName(f"{context.info_name} command" if context.parent else "command", arguments[0], known)
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*self.list_summaries().items()])

    def list_summaries(self) -> dict[str, str]:
        """Return the first sentence of the help of each command."""
        return {name: command.get_short_help_str(MAX_SUMMARY) for name, command in self.commands.items()}


class ProgramGroup(CommandGroup):
    """Command group whose commands are modules of this package, imported on use."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [*COMMANDS]  # `list` is the module of the command here.

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{name}", __name__).command
        return command

    def list_summaries(self) -> dict[str, str]:
        return COMMANDS


@click.group(
    cls=ProgramGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with: tilewright make caves",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Generate tile maps with many techniques; lock, post-process, measure, animate and export them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments of the command line; those of the process by default.

    Returns
    -------
    int
        Exit code.
    """
    _open_closed_streams()
    with warnings.catch_warnings(), _raise_on_signals():
        warnings.showwarning = _warn
        return _run(arguments)


@contextmanager
def _raise_on_signals() -> Iterator[None]:
    """Raise `Terminated` on SIGTERM and SIGHUP. Only the main thread can install a handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)  # A second signal ends the process at once.
        raise Terminated(number)

    numbers = [one for one in ENDING if signal.getsignal(one) != signal.SIG_IGN]  # as after `nohup`
    before = {one: signal.signal(one, terminate) for one in numbers}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _open_closed_streams() -> None:
    """Discard what is printed to a stream that was closed before the start, as with `>&-`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the process ends


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = program.main(arguments, prog_name="tilewright", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return STOPPED
    except Terminated as error:
        return 128 + error.number
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
        cause = f"{type(error).__name__}: {error}".rstrip(": ")
        return error_line(f"this is a bug in Tilewright ({cause}); TILEWRIGHT_DEBUG=1 shows the traceback", BUG)
    return code if isinstance(code, int) else 0


def error_line(message: str, code: int) -> int:
    """Print an error message as one line on standard error, and return the exit code."""
    line = "".join(letter if letter.isprintable() else " " for letter in message)
    click.echo(f"tilewright: {line}", err=True)
    return code


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning without the source line that Python shows."""
    error_line(str(message), 0)


def _format_usage(error: click.ClickException) -> str:
    """Return the message of a click error in the style of our own errors."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        options = [name for option in context.command.get_params(context) for name in option.opts] if context else ()
        hint = did_you_mean(error.option_name, [name for name in options if name.startswith("--")])
        return f"unknown option {error.option_name!r}{hint if 'did you mean' in hint else _help_hint(context)}"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        is_option = isinstance(error.param, click.Option)
        name = max(error.param.opts, key=len) if is_option else error.param.human_readable_name
        return f"{name} is missing{_help_hint(context)}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{max(error.param.opts, key=len)}: {error.message.rstrip('.')}"
    return error.format_message().rstrip(".") + _help_hint(context)


def _help_hint(context: click.Context | None) -> str:
    return f"; see {context.command_path} --help" if context else ""


def _discard_output() -> None:
    """Discard further output.

    It is called if the reader has closed the output or the disk is full. Otherwise, Python would report an error when
    it flushes the output at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
