"""Whoever leaves is forgotten: their work ends, and nothing of their page is kept."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from nicegui import Client, core, ui

import tilewright as tw
from tests.studio.test_jobs import at_a_desk, endless, until
from tilewright.studio import operations
from tilewright.studio.jobs import CancelToken, InternalError, JobQueue, as_tilewright_error
from tilewright.studio.page.example import ExampleView
from tilewright.studio.page.gallery import GalleryView
from tilewright.studio.page.make import MakeView
from tilewright.studio.page.rules import RulesView
from tilewright.studio.page.shape import ShapeView, build_initial_params
from tilewright.studio.page.uploads import REQUEST_OVERHEAD, Uploader
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

VIEWS: dict[str, Callable[[Session], Any]] = {
    "make": MakeView,
    "shape": ShapeView,
    "example": lambda session: ExampleView(session, ui.element("div")),
    "rules": RulesView,
    "gallery": lambda session: GalleryView(session, ui.element("div")),
}
"""Those that ask the browser nothing: here is none that could answer."""


@pytest.mark.parametrize("tab", VIEWS)
def test_nothing_of_a_page_is_kept_when_it_is_closed(tab: str) -> None:
    """FastAPI remembers the routes of uploads, which must not remember the person."""

    def leave(desk: JobQueue) -> weakref.ref[Session]:
        # patterns has knobs with uploads in Make
        session = Session(desk, State.from_recipe({"technique": "patterns", "seed": 7}))
        client = Client(ui.page(f"/leaving/{tab}"))
        with client:
            VIEWS[tab](session)
        client.on_delete(session.close)
        client.delete()
        return weakref.ref(session)

    async def test(desk: JobQueue) -> None:
        core.loop = asyncio.get_running_loop()
        try:
            session = leave(desk)
            for _ in range(100):  # what was begun comes to its end
                await asyncio.sleep(0.05)
                gc.collect()
                if session() is None:
                    return
            raise AssertionError("the session is still there")
        finally:
            core.loop = None

    at_a_desk(test)


def test_all_work_for_a_person_ends_when_they_leave_and_that_of_others_goes_on() -> None:
    async def test(desk: JobQueue) -> None:
        gone, other = Session(desk), Session(desk)
        gone.make()
        jobs = [asyncio.ensure_future(who.submit(endless)) for who in (gone, gone, gone, other)]
        await until(lambda: desk.job_count >= 4)
        gone.close()
        done, _ = await asyncio.wait(jobs[:3], timeout=10)
        assert all(job.cancelled() for job in done)
        assert len(done) == 3
        await until(lambda: desk.job_count == 1)
        assert not jobs[3].done()
        jobs[3].cancel()

    at_a_desk(test)


def test_a_bug_is_one_line_for_the_person_and_a_trace_for_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr(operations, "check_recipe", broken)
    heard: list[tuple[str, Any]] = []

    async def test(desk: JobQueue) -> None:
        session = Session(desk)
        session.listen("failed", lambda error: heard.append(("failed", str(error))))
        session.listen("busy", lambda at_work: heard.append(("busy", at_work)))
        session.make()
        await until(lambda: len(heard) == 3)

    at_a_desk(test)
    line = "this is a bug in Tilewright (ZeroDivisionError); see the log"
    assert heard == [("busy", True), ("busy", False), ("failed", line)]
    assert "deep inside" in caplog.text


@pytest.mark.parametrize("error", [RecursionError(), MemoryError()])
def test_what_is_too_deep_or_too_large_is_no_bug(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    assert not isinstance(as_tilewright_error(error), InternalError)
    assert str(as_tilewright_error(error)) == "too large, or nested too deeply"
    assert caplog.text == ""


def test_files_are_refused_before_the_guard_must() -> None:
    """A request is larger than the file in it."""
    lines: list[str] = []

    async def taken(event: object) -> None: ...

    client = Client(ui.page("/leaving/upload"))
    with client:
        uploader = Uploader(Settings(upload=1 << 20), taken, lines.append, accept=".yaml")
    assert uploader.props["max-file-size"] == (1 << 20) - REQUEST_OVERHEAD
    assert uploader.props["accept"] == ".yaml"
    client.delete()


@pytest.mark.parametrize("name", [entry.name for entry in tw.list_shapers()])
def test_every_shaper_can_be_added_as_it_is(name: str) -> None:
    wars = name in ("players", "countries")
    recipe = operations.read_recipe_data("skirmish") if wars else {"technique": "rooms"}
    first = build_initial_params(name, tw.run(recipe, seed=7).tileset.tiles)
    settings = Settings()
    shaping = [*(recipe.get("shaping") or ()), {name: first} if first else name]
    checked = operations.check_recipe({**recipe, "shaping": shaping, "seed": 7}, settings)
    assert operations.make_map(checked, CancelToken(settings)).cells.size
