"""Kernels are compiled in several processes, which exit with the program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tilewright import kernels
from tilewright.cli import main
from tilewright.kernels import Kernel
from tilewright.kernels.workers import compile_in_workers, plan_groups


def list_own_entries() -> list[Kernel[..., object]]:
    return [entry for entry in kernels.list_entries() if entry.__module__.startswith("tilewright.")]


def make_unknown() -> Kernel[..., object]:
    """Return a kernel that no worker knows."""

    def one() -> int:
        return 1

    return Kernel(one)


def is_compiling(cache: Path) -> bool:
    """Return whether a worker compiles: numba has created a folder in which it will store a kernel."""
    return any(path.is_dir() for path in cache.glob("kernels-*/*"))


def test_every_entry_is_in_one_group_and_the_largest_come_first() -> None:
    groups = plan_groups(list_own_entries())
    assert Counter(name for _, group in groups for name in group) == Counter(entry.name for entry in list_own_entries())
    sizes = [size for size, _ in groups]
    assert sizes == sorted(sizes, reverse=True)
    for _, group in groups:
        assert len({name.partition(".")[0] for name in group}) == 1


def test_parts_that_entries_share_are_counted_once() -> None:
    def alone(name: str) -> int:
        ((size, _),) = plan_groups([entry for entry in list_own_entries() if entry.name == name])
        return size

    ((together, group),) = plan_groups([entry for entry in list_own_entries() if entry.name.startswith("collapse.")])
    assert max(map(alone, group)) < together < sum(map(alone, group))


def test_workers_and_this_process_compile_the_same() -> None:
    assert sorted(kernels.warmup(processes=2)) == sorted(entry.name for entry in kernels.list_entries())
    assert sorted(kernels.warmup(processes=1)) == sorted(entry.name for entry in kernels.list_entries())


def test_some_entries_are_compiled_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the cache is complete for these entries only."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    names = {"caves.smooth", "random.fill_chance"}
    assert set(kernels.warmup(names, processes=2)) == names
    stored = {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert stored == names
    assert kernels.is_ready(names)
    assert not kernels.is_ready({"caves.smooth"})
    assert not kernels.is_ready()


def test_a_kernel_that_fails_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"^test_workers\.make_unknown\.<locals>\.one: KeyError: "):
        list(compile_in_workers([make_unknown()], 2))


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_a_worker_that_dies_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(ChildProcessError, match=r"ended with exit code 3"):
        list(compile_in_workers([make_unknown()], 2))
    assert main(["warmup"]) == 2
    assert re.fullmatch(r"tilewright: the process that compiled \S+: ended with exit code 3\n", capsys.readouterr().err)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_program(ending: signal.Signals, tmp_path: Path) -> None:
    environment = {**os.environ, "TILEWRIGHT_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", "from tilewright import kernels\nfor name in kernels.warmup(processes=2): pass"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True) as program:
        while not (workers := psutil.Process(program.pid).children()):
            assert program.poll() is None
            time.sleep(0.05)
        while not is_compiling(tmp_path):
            time.sleep(0.05)
        program.send_signal(ending)
        program.wait(60)
    _, running = psutil.wait_procs(workers, timeout=60)
    assert not running


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_ctrl_c_leaves_nothing_on_the_screen(tmp_path: Path) -> None:
    environment = {**os.environ, "TILEWRIGHT_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "tilewright", "warmup"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, start_new_session=True) as program:
        while not is_compiling(tmp_path):
            time.sleep(0.05)
        os.killpg(program.pid, signal.SIGINT)  # to all processes, like a terminal
        out, errors = program.communicate(timeout=60)
    assert (program.returncode, out, errors.strip()) == (130, b"", b"")
