"""Check that names of 0.1 still work, and that each warns once per process."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis import survey
from tilewright.cli import main
from tilewright.core import deprecation

TECHNIQUES: dict[str, dict[str, Any]] = {
    "bsp": {"at_least": 1},
    "rooms": {"at_least": 1},
    "noise": {"feature": 9.0},
    "markov": {"mends": 0, "sweeps": 1, "sample": "village"},
    "patterns": {"symmetries": 2, "part_side": 16, "mut_times": 2, "sample": "village", "iterations": 2000},
    "wfc": {"backtracks": 3, "repairs": 5, "restarts": 2, "sample": "circuit"},
}
SHAPERS: dict[str, dict[str, Any]] = {
    "doors": {"least": 2, "tile": "moss"},
    "lock_and_key": {"least": 2, "most_doors": 3, "widest": 2, "at_least": 0, "tile": "moss"},
    "paint": {"of": "wall", "at_least": 2, "at_most": 9, "tile": "water"},
    "place": {"markers": ["ore"], "rule": "band", "near": 1, "far": 9, "apart": 2},
}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every name warn again."""
    monkeypatch.setattr(deprecation, "warned", set())


def aliases() -> Iterator[tuple[type[Any], str, str]]:
    """Return all renamed members: class, old name, present name."""
    classes = [value for name in dir(tw) if isinstance(value := getattr(tw, name), type)]
    for cls in (*classes, tw.core.site.Site, tw.core.tilemap.TileMap, survey.Survey):
        for name, value in vars(cls).items():
            if type(value).__name__ == "_Alias":
                yield cls, name, value.new


def test_every_renamed_member_has_its_present_name() -> None:
    found = {(cls.__name__, old): new for cls, old, new in aliases()}
    assert found["Site", "hold"] == "apply_locks"
    assert found["TileMap", "replaced"] == "replace"
    assert len(found) > 40
    for cls, _, new in aliases():
        assert hasattr(cls, new) or new in getattr(cls, "__dataclass_fields__", {}), (cls, new)


def test_an_old_method_works_and_warns_once() -> None:
    map = tw.make("caves", width=12, height=8, seed=1)
    with pytest.warns(DeprecationWarning, match=r"TileMap\.replaced is now TileMap\.replace") as found:
        assert map.replaced(cells=map.cells) == map  # type: ignore[attr-defined]
    assert found[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        assert map.replaced(cells=map.cells) == map  # type: ignore[attr-defined]


def test_frames_take_and_show_their_progress_by_its_old_name() -> None:
    with pytest.warns(DeprecationWarning, match=r"Frame\(done=...\) is now Frame\(progress=...\)"):
        frame = tw.Frame(np.zeros((2, 2)), done=0.25)
    with pytest.warns(DeprecationWarning, match=r"Frame\.done is now Frame\.progress"):
        assert frame.done == frame.progress == 0.25  # type: ignore[attr-defined]
    frame.done = 0.5  # type: ignore[attr-defined]
    assert frame.progress == 0.5


@pytest.mark.parametrize("name", TECHNIQUES)
def test_old_parameters_of_techniques(name: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"width": 24, "height": 16, **TECHNIQUES[name]}
    with pytest.warns(DeprecationWarning, match=r"\(.*=...\) is now"):
        old = tw.make(name, **given, seed=1)
    params = tw.list_techniques()
    renamed = next(entry for entry in params if entry.name == name).params.renamed
    present = {renamed.get(key, key): value for key, value in given.items()}
    assert present.keys() != given.keys()
    assert old == tw.make(name, **present, seed=1)
    assert old.recipe is not None
    assert old.recipe == tw.recipe(name, **present, seed=1)
    for before, after in renamed.items():
        assert getattr(old.recipe.params, before) == getattr(old.recipe.params, after)
    flags = [part for key, value in given.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    assert main(["make", name, *flags, "--seed", "1", "-o", str(tmp_path / "map.json")]) == 0
    assert tw.load(tmp_path / "map.json") == old


@pytest.mark.parametrize("name", SHAPERS)
def test_old_parameters_of_shapers(name: str) -> None:
    given = SHAPERS[name]
    base = tw.make("caves", width=40, height=30, seed=3, shaping=["connect", {"place": {"markers": ["start"]}}])
    with pytest.warns(DeprecationWarning, match=r"\(.*=...\) is now"):
        old = tw.shape(base, name, **given)
    renamed = next(entry for entry in tw.list_shapers() if entry.name == name).params.renamed
    assert old == tw.shape(base, name, **{renamed.get(key, key): value for key, value in given.items()})


def test_old_names_of_modules() -> None:
    with pytest.warns(DeprecationWarning, match="Way is now"):
        assert survey.Way is survey.Route
    with pytest.warns(DeprecationWarning, match=r"tw\.mover\(\) is now tw\.transform\(\)"):
        assert tw.mover is tw.transform
    with pytest.raises(AttributeError, match="nothing"):
        _ = survey.nothing


def test_present_names_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        map = tw.make("rooms", width=30, height=20, min_rooms=1, seed=1)
        assert tw.shape(map, "doors", min_cells=1).shape == map.shape
