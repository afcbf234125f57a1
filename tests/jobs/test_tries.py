"""Tries in several processes: the same map and the same errors as in one process, and no process is left."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.core.recipe import Recipe
from tilewright.jobs.tries import iter_steps

CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 12}, "seed": 3}


@pytest.mark.parametrize(
    "more",
    [
        {"require": {"path_length": "43..60"}, "tries": 400},
        {"require": {"regions": "<=3", "floor_share": "most"}, "tries": 60},
        {"require": {"regions": "<=3", "dead_ends": "least"}, "tries": 60},
        {"require": {"regions": 1}, "tries": 400, "shaping": [{"place": {"count": 2, "min_distance": 12}}]},
    ],
)
def test_the_map_does_not_depend_on_the_number_of_processes(more: dict[str, Any]) -> None:
    alone = tw.run({**CAVE, **more})
    assert alone.numbers["try"] > 3, "the test needs several tries"
    for workers in (1, 3):
        spread = tw.run({**CAVE, **more}, workers=workers)
        assert spread == alone
        assert spread.recipe == alone.recipe
        assert spread.numbers == alone.numbers
    assert not multiprocessing.active_children()


def test_errors_do_not_depend_on_the_number_of_processes() -> None:
    required: dict[str, Any] = {"require": {"floor_share": "0.98..0.99", "regions": "<=2"}, "tries": 25}
    errors = []
    for workers in (0, 2):
        with pytest.raises(tw.GaveUp) as caught:
            tw.make("caves", width=30, height=12, seed=3, workers=workers, **required)
        errors.append(caught.value)
    assert str(errors[0]) == str(errors[1])
    assert errors[0].problems == errors[1].problems
    assert not multiprocessing.active_children()


def test_nothing_is_started_if_the_first_map_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(method: str) -> None:
        raise AssertionError("no process is needed")

    monkeypatch.setattr(multiprocessing, "get_context", refuse)
    assert tw.run({**CAVE, "require": {"cells": 360}}, workers=4) == tw.run({**CAVE, "require": {"cells": 360}})
    found = tw.run({**CAVE, "require": {"regions": 1}, "tries": 400})
    assert found.recipe is not None
    assert tw.run(found.recipe, workers=4) == found


def test_closing_ends_the_processes() -> None:
    work = iter_steps(Recipe.of({**CAVE, "require": {"floor_share": ">0.99"}, "tries": 1_000_000}), 2)
    frame = next(work)
    assert frame.note == "try 2"
    assert len(multiprocessing.active_children()) == 2
    work.close()
    assert not multiprocessing.active_children()


def test_a_killed_worker_is_reported_in_one_line() -> None:
    work = iter_steps(Recipe.of({**CAVE, "require": {"floor_share": ">0.99"}, "tries": 1_000_000}), 2)
    next(work)
    multiprocessing.active_children()[0].kill()
    with pytest.raises(tw.TilewrightError, match=r"^a worker process ended with exit code -9, perhaps for lack of mem"):
        for _ in work:
            pass
    assert not multiprocessing.active_children()


def test_a_script_without_the_guard_is_explained(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        'import tilewright as tw\ntw.make("caves", require={"floor_share": ">0.99"}, tries=9, seed=1, workers=1)\n'
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert 'a script must start workers below if __name__ == "__main__":' in last


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tw.make("caves", seed=1, workers=2), "workers: is for recipes with require"),
        (lambda: tw.make("caves", seed=1, require={"regions": 1}, workers=-1), "workers: must be"),
        (lambda: tw.make("caves", seed=1, require={"regions": 1}, workers=True), "workers: must be"),
        (lambda: tw.run({**CAVE, "require": {"regions": 1}}, workers=5000), "workers: must be"),
    ],
)
def test_mistakes_are_reported_in_one_line(make: Callable[[], tw.TileMap], message: str) -> None:
    with refused(message, tw.InvalidRecipe):
        make()
