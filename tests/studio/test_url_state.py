"""The address of the page: what is too much for a link says so, and leaves the address alone."""

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
    desk = JobQueue(Settings())
    yield Session(desk)
    desk.close()


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the browser is told to do."""
    told: list[str] = []
    monkeypatch.setattr(ui, "run_javascript", told.append)
    return told


def test_the_address_follows_the_state_and_is_copied(session: Session, scripts: list[str]) -> None:
    lines: list[TilewrightError] = []
    with nowhere():
        address = UrlState(session, lines.append)
        address.write()
        address.write()
        address.copy_link()
    link = session.state.to_link()
    assert scripts[0] == f"history.replaceState(null, '', '#{link}')"
    assert len(scripts) == 2
    assert f"'#{link}'" in scripts[1]
    assert lines == []


def test_what_is_too_much_for_a_link_says_so_when_it_is_copied(session: Session, scripts: list[str]) -> None:
    lines: list[TilewrightError] = []
    with nowhere():
        address = UrlState(session, lines.append)
        address.write()
        session.state = HEAVY
        address.write()
        assert len(scripts) == 1
        assert lines == []
        address.copy_link()
        assert len(scripts) == 1
        assert lines == [address.error]
        assert str(lines[0]).startswith("a link must have at most ")
        session.state = State.from_recipe({"technique": "maze", "seed": 3})
        address.write()
    assert scripts[1:] == [f"history.replaceState(null, '', '#{session.state.to_link()}')"]
