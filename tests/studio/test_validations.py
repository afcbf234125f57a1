"""How often one change of a control validates the recipe, and which parts of the page it refreshes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from nicegui import core

from tests.studio.nowhere import element, nowhere, trigger
from tilewright.core.params import Params
from tilewright.core.resolver import Resolver
from tilewright.studio.jobs import JobQueue
from tilewright.studio.make.view import MakeView
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.start.goals import first_state
from tilewright.studio.state import State


def test_one_change_of_a_knob_validates_each_part_of_the_recipe_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    validate = Params.validate.__func__  # type: ignore[attr-defined]

    def count(cls: type[Params], values: Mapping[str, Any] | None = None, *, resolver: Resolver | None = None) -> Any:
        counts[cls.__name__] += 1
        return validate(cls, values, resolver=resolver)

    async def main() -> None:
        queue, core.loop = JobQueue(Settings()), asyncio.get_running_loop()
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
        core.loop = None
        queue.close()

    stages = Counter(f"{name.title().replace('_', '')}Params" for name, _ in first_state().stages)
    asyncio.run(asyncio.wait_for(main(), 120))
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
