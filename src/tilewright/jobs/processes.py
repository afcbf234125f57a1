"""Processes started with multiprocessing: they ignore Ctrl-C and end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

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


def follow_parent() -> None:
    """Ignore Ctrl-C, which reaches all processes of a terminal, and exit when the parent of this process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)
