"""Events with arguments that no page sends: no view or control fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import product
from pathlib import Path
from traceback import extract_tb
from typing import Any

import pytest
from nicegui import core

import tilewright
from tests.studio.nowhere import nowhere, trigger
from tests.studio.test_jobs import run_with_queue
from tilewright.studio.jobs import JobQueue
from tilewright.studio.make.view import MakeView
from tilewright.studio.session import Session
from tilewright.studio.shape.view import ShapeView
from tilewright.studio.state import State

ARGS: list[Any] = [
    *(None, 1, -1, 10**30, 1.5, True, "", "x", "\ud800", {}, {"value": 1}, {"value": None}, {"label": 1}),
    *([], [1], [1, 2], [1, 2, 3], ["a", "b"], ["a", 1, None], [[1]], [None, None], [-5, 10**9], [1, 2, 3, 4]),
]
EVENTS = ("click", "pointerdown", "update:modelValue", "commit", "cancel")
HERE = Path(tilewright.__file__).parent


@pytest.mark.parametrize("technique", ["caves", "rules", "fashion", "patterns", "rooms", "noise"])
@pytest.mark.parametrize("view", [MakeView, ShapeView])
def test_events_with_odd_arguments_do_not_fail(
    technique: str, view: Callable[[Session], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[str] = []

    def note(error: Exception) -> None:
        """Keep errors that Tilewright raises. NiceGUI logs those of its own elements."""
        last = extract_tb(error.__traceback__)[-1]
        if Path(last.filename).is_relative_to(HERE):
            failures.append(f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}")

    async def test(queue: JobQueue) -> None:
        core.loop = asyncio.get_running_loop()
        session = Session(queue, State.from_recipe({"technique": technique, "seed": 7}))
        with nowhere() as client:
            view(session)
            for element in list(client.elements.values()):
                for name, args in product(EVENTS, ARGS):
                    try:
                        trigger(element, name, args)
                    except Exception as error:
                        note(error)
        session.close()
        core.loop = None

    monkeypatch.setattr(core.app, "handle_exception", note)
    run_with_queue(test)
    assert not failures, sorted(set(failures))
