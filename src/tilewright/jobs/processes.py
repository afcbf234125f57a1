"""Processes started with multiprocessing: they ignore Ctrl-C and end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from ..core.errors import TilewrightError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess


SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C and SIGHUP in threads and processes started in this block, because this package ends them.

    Ctrl-C, SIGTERM and SIGHUP are delivered at the end of the block, when all processes have their tasks.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    resource_tracker.ensure_running()  # It must not end with the terminal. Starting it later would unblock Ctrl-C.
    # A signal can reach any thread of this process, and its handler runs in the main thread, blocked or not.
    received: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    caught = [one for one in SIGNALS if is_main and signal.getsignal(one) != signal.SIG_IGN]
    handlers = {one: signal.signal(one, lambda number, _: received.append(number)) for one in caught}
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for one, handler in handlers.items():
            signal.signal(one, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in received[:1]:
            signal.raise_signal(number)


Team = dict[Connection, "SpawnProcess"]
"""Processes by the connection to them."""


@contextmanager
def start_processes(work: Callable[..., None], argument: object, count: int, advice: str) -> Iterator[Team]:
    """Start processes that have loaded nothing before, and end them at the end of the block.

    Parameters
    ----------
    work
        Function that a process calls with its connection and the argument.
    argument
        Data for the processes.
    count
        Number of processes.
    advice
        End of the error message if a process cannot be started.
    """
    context = multiprocessing.get_context("spawn")
    team: Team = {}
    try:
        with block_interrupts():
            try:
                for _ in range(count):
                    here, there = context.Pipe()
                    team[here] = context.Process(target=_work, args=(work, there, argument), daemon=True)
                    team[here].start()
                    there.close()
            except (OSError, RuntimeError) as error:
                text = f"cannot start a process ({' '.join(str(error).split())[:120]}); {advice}"
                raise TilewrightError(text) from None
        yield team
    finally:
        for connection, process in team.items():
            connection.close()
            if process.pid is not None:
                process.kill()
        for process in team.values():
            if process.pid is not None:
                process.join()


def _work(work: Callable[[Connection, Any], None], connection: Connection, argument: object) -> None:
    """Ignore Ctrl-C, which reaches all processes of a terminal, and exit when the parent of this process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    work(connection, argument)


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)
