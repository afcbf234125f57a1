"""The pipeline: recipes, random streams, locks, frames and errors of stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright import Frame, GaveUp, InvalidRecipe, Recipe, Sized, TileMap, param, technique
from tilewright.core import ports, registry
from tilewright.core.pipeline import iter_steps


def test_adding_a_stage_does_not_change_another() -> None:
    plain = tw.make("caves", seed=7, shaping=["border"])
    longer = tw.make("caves", seed=7, shaping=[{"flip": {}}, {"flip": {}}, "border"])
    assert plain.cells.tolist() == longer.cells.tolist()


def test_shaping_a_finished_map_is_the_same_as_in_its_recipe() -> None:
    step_by_step = tw.shape(tw.shape(tw.make("caves", seed=3), "rotate"), "connect")
    at_once = tw.make("caves", seed=3, shaping=["rotate", "connect"])
    assert step_by_step == at_once
    assert step_by_step.recipe == at_once.recipe
    assert at_once.recipe is not None
    assert tw.run(at_once.recipe) == at_once


def test_a_recipe_is_checked_once_for_many_maps() -> None:
    recipe = tw.recipe("caves", width=15, height=7)
    maps = {str(tw.run(recipe, seed=seed)) for seed in range(20)}
    assert len(maps) == 20
    assert tw.run(recipe, seed=4) == tw.make("caves", width=15, height=7, seed=4)


def test_a_random_seed_is_recorded() -> None:
    map = tw.make("caves", width=20, height=10)
    assert map.recipe is not None
    assert int(map.recipe.seed or "") < 10**9
    assert tw.run(map.recipe) == map


def test_locks_move_with_the_cells() -> None:
    first = tw.make("caves", seed=1, width=20, height=12)
    mask = np.zeros(first.shape, dtype=bool)
    mask[2:6, 3:9] = True
    shaped = tw.make(
        "caves", seed=2, width=20, height=12, locks=first.to_locks(mask), shaping=["rotate", "border", "flip"]
    )
    order = tw.make("caves", seed=2, width=20, height=12, shaping=["rotate", "flip"])
    assert shaped.shape == order.shape == (20, 12)
    back = tw.shape(tw.shape(shaped.replace(recipe=None), "flip"), "rotate", turns=3)
    assert np.array_equal(back.cells[mask], first.cells[mask])


def test_locks_by_name_glyph_and_label() -> None:
    cave = tw.make("caves", seed=1, width=20, height=12)
    mask = np.s_[2:8, 2:8]
    map = tw.make(
        "fashion",
        scores=[1, 2, 3, 4],
        seed=5,
        width=20,
        height=12,
        tileset="cave",
        tiles={"state0": "floor", "state1": "wall"},
        locks=cave.to_locks(mask),
    )
    assert np.array_equal(map.cells[mask], cave.cells[mask])
    assert map.tileset.name == "cave"


def test_a_tile_that_the_technique_lacks_can_be_locked() -> None:
    map = tw.make("caves", seed=1, locks=[[5, 6, "water"], [7, 6, "~"]])
    assert map.tileset[int(map.cells[6, 5])].name == "water"
    assert map.cells[6, 7] == map.cells[6, 5]


@pytest.mark.usefixtures("own_registry")
def test_a_stage_that_violates_a_lock_is_an_error() -> None:
    @technique(Sized, tileset="cave")
    def careless(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique that ignores locks."""
        return TileMap(np.zeros(site.shape, dtype=np.uint8), site.tileset)

    registry.techniques.add(careless)
    with pytest.raises(GaveUp, match="bug in careless") as caught:
        tw.make("careless", locks=[[2, 3, "wall"]])
    assert caught.value.cells == ((3, 2),)


@pytest.mark.usefixtures("own_registry")
def test_closing_stops_the_generation() -> None:
    seen = []

    @technique(Sized, tileset="cave")
    def slow(p, site, rng):  # type: ignore[no-untyped-def]
        """Map with many frames."""
        try:
            for number in range(1000):
                seen.append(number)
                yield Frame(np.zeros(site.shape, dtype=int), f"{number}", number / 1000)
        finally:
            seen.append(-1)
        return site.map(np.zeros(site.shape, dtype=int))

    registry.techniques.add(slow)
    frames = tw.watch("slow")
    next(frames)
    next(frames)
    frames.close()  # type: ignore[attr-defined]
    assert seen == [0, 1, -1]


def test_params_are_keywords() -> None:
    wrong: dict[str, Any] = {"params": {}}
    with refused("params"):
        tw.make("caves", **wrong)


def test_a_map_larger_than_memory_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports.available_memory, "get", lambda: lambda: 2**30)
    message = (
        r"65000x65000 needs about 23\.6 GB of memory, 1\.0 GB are available; .* smaller, or in windows with offset$"
    )
    with pytest.raises(tw.TooLarge, match=message):
        tw.make("caves", width=65_000, height=65_000)
    with pytest.raises(tw.TooLarge, match=r"1\.0 GB are available; make it smaller$"):
        tw.make("wfc", width=65_000, height=65_000)


def test_no_parameter_may_have_the_name_of_a_recipe_key() -> None:
    class Wrong(Sized):
        seed: int = param(1)
        """Reserved name."""

    with pytest.raises(TypeError, match="'seed'"):
        technique(Wrong, tileset="cave")(lambda p, site, rng: None)


@pytest.mark.usefixtures("own_registry")
def test_frames_are_not_computed_without_a_watcher() -> None:
    def never() -> None:
        raise AssertionError("cells were computed without a watcher")

    @technique(Sized, tileset="cave")
    def shy(p, site, rng):  # type: ignore[no-untyped-def]
        """Map whose frames compute cells on demand."""
        yield Frame(never, "", 0.5)
        return site.map(np.zeros(site.shape, dtype=int))

    registry.techniques.add(shy)
    tw.make("shy")
    with pytest.raises(AssertionError, match="without a watcher"):
        list(tw.watch("shy"))
    assert sum(1 for _ in iter_steps(Recipe.of({"technique": "shy"}))) == 1


def test_a_changed_recipe_has_no_plan() -> None:
    recipe = tw.recipe("caves", width=12, height=6)
    tw.run(recipe, seed=1)
    wider = replace(recipe, params=recipe.params.replace(width=20))
    assert tw.run(wider, seed=1).shape == (6, 20)
    locked = replace(recipe, locks=tw.Locks.of([[3, 3, "water"]]))
    assert tw.run(locked, seed=1).where("water").sum() == 1


def test_an_edited_map_has_no_recipe() -> None:
    made = tw.make("caves", seed=1, width=12, height=6)
    edited = made.replace(cells=1 - made.cells)
    assert edited.recipe is None
    assert tw.shape(edited, "flip").recipe is None


@pytest.mark.usefixtures("own_registry")
def test_a_technique_must_make_the_requested_size() -> None:
    @technique(Sized, tileset="cave")
    def tiny(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique that ignores the size."""
        return TileMap([[0]], site.tileset)

    registry.techniques.add(tiny)
    with pytest.raises(tw.TilewrightError, match="another size"):
        tw.make("tiny")


def test_rooms_links_and_markers_must_be_inside_the_map() -> None:
    made = tw.make("caves", seed=1, width=12, height=6)
    for fields in (
        {"rooms": [tw.Room(8, 0, 5, 2)]},
        {"rooms": [tw.Room(0, 0, 0, 2)]},
        {"links": [(0, 1)]},
        {"markers": [tw.Marker("exit", 12, 0)]},
        {"markers": [tw.Marker("exit", 0, 0, 1)]},
        {"layers": {"height": [[1, 2]]}},
        {"layers": {"height": "high"}},
    ):
        with pytest.raises(InvalidRecipe, match=r"outside|there are|layers"):
            made.replace(**fields)


def test_every_stage_has_frames() -> None:
    stages = [frame.stage for frame in tw.watch("caves", seed=1, shaping=["border", "flip"])]
    assert list(dict.fromkeys(stages)) == ["caves", "border", "flip"]


def test_recipes_from_files_name_files_relative_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "start.txt").write_text("0011\n1100\n")
    (folder / "inner.yaml").write_text("technique: caves\nparams: {walls: 0}\n")
    (folder / "outer.yaml").write_text(
        "technique: fashion\nparams: {start: start.txt, scores: [1, 2, 3, 4], generations: 0}\n"
        "shaping: [{overlay: {recipe: inner.yaml, width: 2, height: 2}}]\n"
    )
    assert tw.run(folder / "outer.yaml", seed=1).shape == (2, 4)
    (folder / "itself.yaml").write_text("technique: caves\nshaping: [{overlay: {recipe: itself.yaml}}]\n")
    with pytest.raises(tw.TilewrightError, match="a recipe cannot contain itself"):
        tw.run(folder / "itself.yaml")


@pytest.mark.usefixtures("own_registry")
def test_an_exception_in_a_technique_is_reported_with_its_line() -> None:
    @technique(Sized, tileset="cave")
    def unlucky(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique that divides by zero."""
        yield Frame(np.zeros(site.shape, dtype=int), "so far so good", 0.5)
        return 1 / 0

    @technique(Sized, tileset="cave", tiles=("floor", "wall"))
    def strange(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique that uses an unknown tile."""
        return site.map(np.full(site.shape, 9))

    for entry, reason in (
        (unlucky, r"unlucky failed: ZeroDivisionError: .* \(test_pipeline.py, line \d+\)"),
        (strange, r"must be in 0\.\.1, positions in site\.labels, got 9"),
    ):
        registry.techniques.add(entry)
        with pytest.raises(tw.TilewrightError, match=reason):
            tw.make(entry.name)
