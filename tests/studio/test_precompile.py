"""Kernels are compiled in the background on first start, and the page shows when a map waits for them."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.studio.page import PATIENCE, Studio, serving
from tests.studio.servers import run_studio
from tilewright import kernels


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty kernel cache."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def compilers(program: psutil.Process) -> list[psutil.Process]:
    """Return the process that compiles, and its workers when they have started."""
    (warmup,) = [child for child in program.children() if "warmup" in child.cmdline()]
    end = time.monotonic() + 60
    while not (workers := warmup.children()) and time.monotonic() < end:
        time.sleep(0.05)
    return [warmup, *workers]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_compiling_processes_end_with_the_studio(empty_cache: Path, ending: signal.Signals) -> None:
    log = empty_cache / "errors.txt"
    with log.open("w") as errors, run_studio(stderr=errors) as (program, _):
        processes = compilers(psutil.Process(program.pid))
        assert all(process.nice() > psutil.Process(program.pid).nice() for process in processes)
        program.send_signal(ending)
        program.wait(60)
    _, running = psutil.wait_procs(processes, timeout=60)
    assert not running
    assert "Traceback" not in log.read_text()


def test_kernels_are_compiled_once(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "list_entries", list)
    assert not kernels.is_ready()
    assert not [*kernels.warmup()]
    assert kernels.is_ready()
    monkeypatch.setattr(kernels, "__file__", str(empty_cache / "other" / "__init__.py"))  # other sources
    assert not kernels.is_ready()


def test_the_page_shows_that_it_compiles(empty_cache: Path, context: BrowserContext) -> None:
    with serving(empty_cache / "log.txt") as address:
        studio = Studio(context, address).open()
        studio["chosen"].click()
        studio["pick-rooms"].click()
        expect(studio["compiling"]).to_be_visible()
        expect(studio["compiling"]).to_be_hidden(timeout=4 * PATIENCE)
        studio.close()
