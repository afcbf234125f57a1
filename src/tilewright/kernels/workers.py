"""Compilation in several processes, each with numba's lock to itself. A worker is `python -m` of this module.

A worker reads names of entries from its standard input, compiles them into the cache, and answers each with a line:
the name, a tab, and the error if there was one. It ends as soon as its input does, so none outlives its parent.
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
"""Names of entries for one worker to compile, because they share parts."""


def plan_groups(kernels: Iterable[Kernel[..., object]]) -> list[tuple[int, Group]]:
    """Return the size and the names of each module's entries, the largest group and the largest entry first.

    The size is that of the bytecode to compile, which is known before numba is loaded and predicts well enough
    how long it takes.
    """
    modules: dict[str, list[Kernel[..., object]]] = {}
    for kernel in kernels:
        modules.setdefault(kernel.__module__, []).append(kernel)
    groups = []
    for members in modules.values():
        members.sort(key=lambda kernel: -_bytecode_size([kernel]))
        groups.append((_bytecode_size(members), [kernel.name for kernel in members]))
    return sorted(groups, reverse=True)


def _bytecode_size(kernels: Iterable[Kernel[..., object]]) -> int:
    """Bytes of code in these kernels and in all parts that they call."""
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
    """Compile entries of this package in up to that many processes, and give each one's name when it is done."""
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
    """How many workers are done when the largest group is; more would only wait for it."""
    return -(-sum(sizes) // max(sizes, default=1))


def _start_worker() -> subprocess.Popen[str]:
    package = __name__.partition(".")[0]
    # The package that this process has imported, wherever it was found; -P: and no file of the working directory.
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
    """Give a worker one group after the other, and pass its answers on."""
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
                answered, _, error = worker.stdout.readline().rstrip("\n").partition("\t")
                if answered != name:
                    raise EOFError
                answers.put(RuntimeError(f"{name}: {error}") if error else name)
    except Empty:
        return
    except (EOFError, OSError):
        reason = f"ended with exit code {worker.wait()}"
        answers.put(ChildProcessError(errno.ECHILD, reason, f"the process that compiled {name}"))


def _work() -> None:
    """Compile what standard input names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the parent ends us
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
    os._exit(0)  # at once, whatever is being compiled


if __name__ == "__main__":
    _work()
