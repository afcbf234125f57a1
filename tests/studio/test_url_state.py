"""The state in the page's URL; a state that no link can hold is reported and not written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from nicegui import ui

from tests.studio.nowhere import nowhere
from tilewright.core.errors import TilewrightError
from tilewright.core.grid import Grid
from tilewright.studio.jobs import JobQueue
from tilewright.studio.page.url_state import UrlState
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

NOISE = np.random.default_rng(1).integers(0, 200, (1000, 1000))
HEAVY = replace(State(), painted=Grid([f"tile {number}" for number in range(200)], NOISE))


@pytest.fixture
def session() -> Iterator[Session]:
    queue = JobQueue(Settings())
    yield Session(queue)
    queue.close()


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the scripts that are run in the browser."""
    recorded: list[str] = []
    monkeypatch.setattr(ui, "run_javascript", recorded.append)
    return recorded


def test_the_state_is_written_to_the_url_and_copied(session: Session, scripts: list[str]) -> None:
    lines: list[TilewrightError] = []
    with nowhere():
        url_state = UrlState(session, lines.append)
        url_state.write()
        url_state.write()
        url_state.copy_link()
    link = session.state.to_link()
    assert scripts[0] == f"twWriteState(0, 0, '#{link}')"
    assert len(scripts) == 2
    assert f"'#{link}'" in scripts[1]
    assert lines == []


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (HEAVY, "a link must have at most "),
        (State().with_recipe(seed="\ud83d"), "a link can only contain valid Unicode"),
        (State().with_params(walls=float("nan")), "a link can only contain valid Unicode and finite numbers"),
    ],
    ids=["too large", "half a surrogate pair", "not a number"],
)
def test_a_state_that_no_link_can_hold_is_reported_when_it_is_copied(
    session: Session, scripts: list[str], state: State, line: str
) -> None:
    lines: list[TilewrightError] = []
    with nowhere():
        url_state = UrlState(session, lines.append)
        url_state.write()
        session.state = state
        url_state.write()
        assert len(scripts) == 1
        assert lines == []
        url_state.copy_link()
        assert len(scripts) == 1
        assert len(lines) == 1
        assert str(lines[0]).startswith(line)
        session.state = State.from_recipe({"technique": "maze", "seed": 3})
        url_state.write()
    assert scripts[1:] == [f"twWriteState(0, 0, '#{session.state.to_link()}')"]
