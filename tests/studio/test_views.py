"""Views without a browser: odd events, what one change validates and refreshes, and closing a page."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from traceback import extract_tb
from typing import Any

import pytest
from nicegui import Client, core, ui

import tilewright
import tilewright as tw
from tests.studio.nowhere import element, nowhere, trigger
from tests.studio.test_jobs import endless, run_with_queue, until, with_queue
from tilewright.core.params import Params
from tilewright.core.resolver import Resolver
from tilewright.studio import operations
from tilewright.studio.example.view import ExampleView
from tilewright.studio.gallery.view import GalleryView
from tilewright.studio.jobs import CancelToken, InternalError, JobQueue, as_tilewright_error
from tilewright.studio.make.view import MakeView
from tilewright.studio.page.widgets import REQUEST_OVERHEAD, Uploader
from tilewright.studio.rules.view import RulesView
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.shape.view import ShapeView, build_initial_params
from tilewright.studio.start.goals import first_state
from tilewright.studio.state import State

VIEWS: dict[str, Callable[[Session], Any]] = {
    "make": MakeView,
    "shape": ShapeView,
    "example": lambda session: ExampleView(session, ui.element("div")),
    "rules": RulesView,
    "gallery": lambda session: GalleryView(session, ui.element("div")),
}
"""Views that do not need an answer from a browser."""


@pytest.mark.parametrize("tab", VIEWS)
@with_queue()
async def test_a_closed_page_is_freed(queue: JobQueue, tab: str) -> None:
    """FastAPI keeps the routes of uploads, which must not keep the session."""

    def leave(queue: JobQueue) -> weakref.ref[Session]:
        # patterns has parameters with uploads
        session = Session(queue, State.from_recipe({"technique": "patterns", "seed": 7}))
        client = Client(ui.page(f"/leaving/{tab}"))
        with client:
            VIEWS[tab](session)
        client.on_delete(session.close)
        client.delete()
        return weakref.ref(session)

    session = leave(queue)
    for _ in range(100):  # until running tasks have ended
        await asyncio.sleep(0.05)
        gc.collect()
        if session() is None:
            return
    raise AssertionError("the session is not freed")


@with_queue()
async def test_closing_a_session_cancels_only_its_own_jobs(queue: JobQueue) -> None:
    closed, other = Session(queue), Session(queue)
    closed.make()
    jobs = [asyncio.ensure_future(session.submit(endless)) for session in (closed, closed, closed, other)]
    await until(lambda: queue.job_count >= 4)
    closed.close()
    done, _ = await asyncio.wait(jobs[:3], timeout=10)
    assert all(job.cancelled() for job in done)
    assert len(done) == 3
    await until(lambda: queue.job_count == 1)
    assert not jobs[3].done()
    jobs[3].cancel()


def test_a_bug_is_one_line_for_the_user_and_a_traceback_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr(operations, "check_recipe", broken)
    events: list[tuple[str, Any]] = []

    async def test(queue: JobQueue) -> None:
        session = Session(queue)
        session.listen("failed", lambda error: events.append(("failed", str(error))))
        session.listen("busy", lambda is_busy: events.append(("busy", is_busy)))
        session.make()
        await until(lambda: len(events) == 3)

    run_with_queue(test)
    line = "this is a bug in Tilewright (ZeroDivisionError); see the log"
    assert events == [("busy", True), ("busy", False), ("failed", line)]
    assert "deep inside" in caplog.text


@pytest.mark.parametrize("error", [RecursionError(), MemoryError()])
def test_recursion_and_memory_errors_are_not_reported_as_bugs(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    assert not isinstance(as_tilewright_error(error), InternalError)
    assert str(as_tilewright_error(error)) == "too large, or nested too deeply"
    assert caplog.text == ""


def test_the_upload_limit_is_below_the_request_limit() -> None:
    """A request is larger than the file that it contains."""
    lines: list[str] = []

    async def on_file(content: bytes, name: str) -> None: ...

    client = Client(ui.page("/leaving/upload"))
    with client:
        uploader = Uploader(Settings(upload=1 << 20), on_file, lines.append, accept=".yaml")
    assert uploader.props["max-file-size"] == (1 << 20) - REQUEST_OVERHEAD
    assert uploader.props["accept"] == ".yaml"
    client.delete()


@pytest.mark.parametrize("name", [entry.name for entry in tw.list_shapers()])
def test_every_shaper_can_be_added_with_its_initial_params(name: str) -> None:
    is_war = name in ("players", "countries")
    recipe = operations.read_recipe_data("skirmish") if is_war else {"technique": "rooms"}
    first = build_initial_params(name, tw.run(recipe, seed=7).tileset.tiles)
    settings = Settings()
    shaping = [*(recipe.get("shaping") or ()), {name: first} if first else name]
    checked = operations.check_recipe({**recipe, "shaping": shaping, "seed": 7}, settings)
    assert operations.make_map(checked, CancelToken(settings)).cells.size


ARGS: list[Any] = [
    *(None, 1, -1, 10**30, 1.5, True, "", "x", "\ud800", {}, {"value": 1}, {"value": None}, {"label": 1}),
    *([], [1], [1, 2], [1, 2, 3], ["a", "b"], ["a", 1, None], [[1]], [None, None], [-5, 10**9], [1, 2, 3, 4]),
]
EVENTS = ("click", "pointerdown", "update:modelValue", "commit", "cancel")
HERE = Path(tilewright.__file__).parent


@pytest.mark.parametrize("technique", ["caves", "rules", "fashion", "patterns", "rooms", "noise"])
@pytest.mark.parametrize("view", [MakeView, ShapeView])
@with_queue()
async def test_events_with_odd_arguments_do_not_fail(
    queue: JobQueue, technique: str, view: Callable[[Session], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[str] = []

    def note(error: Exception) -> None:
        """Keep errors that Tilewright raises. NiceGUI logs those of its own elements."""
        last = extract_tb(error.__traceback__)[-1]
        if Path(last.filename).is_relative_to(HERE):
            failures.append(f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}")

    monkeypatch.setattr(core.app, "handle_exception", note)
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
    assert not failures, sorted(set(failures))


@with_queue(seconds=60)
async def test_one_change_of_a_knob_validates_each_part_of_the_recipe_once(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    validate = Params.validate.__func__  # type: ignore[attr-defined]

    def count(cls: type[Params], values: Mapping[str, Any] | None = None, *, resolver: Resolver | None = None) -> Any:
        counts[cls.__name__] += 1
        return validate(cls, values, resolver=resolver)

    stages = Counter(f"{name.title().replace('_', '')}Params" for name, _ in first_state().stages)
    with nowhere():
        session = Session(queue, first_state().with_view_settings(tab="make"))
        view = MakeView(session)
        session.listen("state", view.update)
        session.listen("map", lambda map: view.show_map())
        session.start(session.state)
        assert session.job is not None
        await session.job
        before = session.map
        monkeypatch.setattr(Params, "validate", classmethod(count))
        trigger(element("knob-size"), "commit", "37")
        assert session.job is not None
        await session.job
    assert session.map != before
    assert {name: counts[name] for name in ("BspParams", *stages)} == {"BspParams": 1, **stages}
    assert counts["RecipeKnob"] == counts["Drive"] == 0


def test_make_is_refreshed_only_if_the_part_of_the_state_that_it_shows_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refreshed: list[State] = []
    monkeypatch.setattr(MakeView, "refresh", lambda view, state: refreshed.append(state))
    state = State().with_view_settings(tab="make")
    view = MakeView.__new__(MakeView)
    for change in (state, replace(state, view_settings=state.view_settings), state.with_gallery(size=200)):
        view.update(change)
    assert refreshed == [state]
    view.update(state.with_params(walls=0.4))
    assert len(refreshed) == 2
