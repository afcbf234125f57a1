"""Compilation in several processes, because numba compiles one function at a time per process.

A worker is started as `python -m` of this module. It reads names of entries from its standard input, compiles them into
the cache, and prints a line for each: the name, a tab, and the error, if any. It exits when its input is closed, so no
worker outlives its parent.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from . import Kernel, list_entries

Group = list[str]
"""Names of entries that share parts, compiled by the same worker."""


def plan_groups(kernels: Iterable[Kernel[..., object]]) -> list[tuple[int, Group]]:
    """Return the size and the names of each module's entries, with the largest group and the largest entry first.

    The size is that of the bytecode to compile. It is known before numba is loaded and predicts the compile time well
    enough.
    """
    modules: dict[str, list[Kernel[..., object]]] = {}
    for kernel in kernels:
        modules.setdefault(kernel.__module__, []).append(kernel)
    groups = []
    for members in modules.values():
        members.sort(key=lambda kernel: -bytecode_size([kernel]))
        groups.append((bytecode_size(members), [kernel.name for kernel in members]))
    return sorted(groups, reverse=True)


def bytecode_size(kernels: Iterable[Kernel[..., object]]) -> int:
    """Return the bytes of code in kernels and in all parts that they call."""
    pending = [*kernels]
    found = set(pending)
    size = 0
    while pending:
        kernel = pending.pop()
        size += kernel.bytecode_size
        pending += (unseen := kernel.callees() - found)
        found |= unseen
    return size


def compile_in_workers(kernels: Iterable[Kernel[..., object]], processes: int) -> Iterator[str]:
    """Compile entries in up to `processes` processes, and yield the name of each when it is done."""
    groups = plan_groups(kernels)
    pending: SimpleQueue[Group] = SimpleQueue()
    for _, group in groups:
        pending.put(group)
    answers: SimpleQueue[str | Exception] = SimpleQueue()
    workers: list[subprocess.Popen[str]] = []
    try:
        for _ in range(min(processes, _count_useful_workers([size for size, _ in groups]))):
            workers.append(_start_worker())
            Thread(target=_feed, args=(workers[-1], pending, answers), daemon=True).start()
        for _ in range(sum(len(group) for _, group in groups)):
            answer = answers.get()
            if isinstance(answer, Exception):
                raise answer
            yield answer
    finally:
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.wait()


def _count_useful_workers(sizes: list[int]) -> int:
    """Return the number of workers above which the total time is that of the largest group."""
    return -(-sum(sizes) // max(sizes, default=1))


def _start_worker() -> subprocess.Popen[str]:
    package = __name__.partition(".")[0]
    # Import the same package as this process; -P excludes files in the working directory.
    path = [str(Path(sys.modules[package].__file__ or "").parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )


def _feed(worker: subprocess.Popen[str], pending: SimpleQueue[Group], answers: SimpleQueue[str | Exception]) -> None:
    """Send groups to a worker one by one, and put its answers into a queue."""
    assert worker.stdin
    assert worker.stdout
    name = ""
    try:
        while True:
            group = pending.get_nowait()
            name = group[0]
            worker.stdin.write("".join(f"{name}\n" for name in group))
            worker.stdin.flush()
            for name in group:
                done, _, error = worker.stdout.readline().rstrip("\n").partition("\t")
                if done != name:
                    raise EOFError
                answers.put(RuntimeError(f"{name}: {error}") if error else name)
    except Empty:
        return
    except (EOFError, OSError):
        reason = f"ended with exit code {worker.wait()}"
        answers.put(ChildProcessError(errno.ECHILD, reason, f"the process that compiled {name}"))


def _work() -> None:
    """Compile the entries named on standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the parent kills us
    answers, sys.stdout = sys.stdout, sys.stderr
    names: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read_names, args=(names,), daemon=True).start()
    known = {entry.name: entry for entry in list_entries()}
    while True:
        name = names.get()
        try:
            known[name].compile()
            error = ""
        except Exception as reason:
            error = " ".join(f"{type(reason).__name__}: {reason}".split())
        print(name, error, sep="\t", file=answers, flush=True)


def _read_names(names: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        names.put(line.rstrip("\n"))
    os._exit(0)  # exit at once, even during a compilation


if __name__ == "__main__":
    _work()
