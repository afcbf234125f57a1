"""Properties of all shapers, on caves and on very small maps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.entries import Shaper
from tilewright.core.params import Params
from tilewright.core.registry import shapers
from tilewright.core.tilemap import Marker, Room, TileMap

NEEDED: dict[str, dict[str, Any]] = {
    "paint": {"tile": "water", "of": "floor", "smallest": 1},
    "replace": {"tile": "wall", "by": "ore", "share": 0.5},
    "overlay": {"recipe": {"technique": "caves", "params": {"walls": 0.4}}},
    "doors": {"tile": "moss"},
    "lock_and_key": {"min_count": 0, "min_cells": 2},
    "crates": {"tries": 2, "max_states": 3000},
}
"""Minimum params of the shapers that have required ones, or much work by default."""
NEEDS_ROOM = {"crates", "place", "lock_and_key", "make_playable"}
"""Shapers that give up on maps without passable cells."""

NEEDS_COUNTRIES = {"players"}
"""Shapers that refuse tilesets without countries; they have their own tests."""

every_shaper = pytest.mark.parametrize(
    "entry", [entry for entry in tw.list_shapers() if entry.name not in NEEDS_COUNTRIES], ids=lambda entry: entry.name
)


def stage(entry: Shaper) -> dict[str, dict[str, Any]]:
    return {entry.name: NEEDED.get(entry.name, {})}


def make_or_give_up(**words: Any) -> TileMap | tw.GaveUp:
    try:
        return tw.make("caves", **words)
    except tw.GaveUp as error:
        return error


@every_shaper
def test_the_same_seed_gives_the_same_map_watched_in_a_recipe_or_after_it(entry: Shaper) -> None:
    for seed in range(5):
        base = tw.make("caves", width=23, height=17, walls=0.5, seed=seed)
        before = pickle.dumps(base)
        inside = tw.make("caves", width=23, height=17, walls=0.5, seed=seed, shaping=[stage(entry)])
        after = tw.shape(base, entry.name, **NEEDED.get(entry.name, {}))
        assert inside.recipe is not None
        *_, last = tw.watch(inside.recipe)
        assert inside == after == last.map == tw.run(inside.recipe)
        assert after.recipe == inside.recipe
        assert pickle.dumps(base) == before
        assert not after.cells.flags.writeable


@every_shaper
def test_locks_are_kept_or_the_error_names_locked_cells(entry: Shaper) -> None:
    kept = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        height, width = random.integers(1, 20, 2).tolist()
        base = tw.make("caves", width=width, height=height, walls=0.5, steps=2, seed=seed)
        locked = random.random(base.shape) < 0.1
        given = {"width": width, "height": height, "walls": 0.5, "steps": 2, "locks": base.to_locks(locked)}
        # Another seed: the locked cells come from another map.
        after = make_or_give_up(**given, seed=seed + 1, shaping=[stage(entry)])
        if isinstance(after, tw.GaveUp) and entry.name in NEEDS_ROOM:
            continue
        if isinstance(after, tw.GaveUp):
            assert after.cells
            assert all(locked[cell] for cell in after.cells)
            assert "bug" not in str(after)
            continue
        kept += 1
        moved, was = (
            entry.body(entry.params(), array) if entry.rearranges else array for array in (locked, base.cells)
        )
        assert (after.cells[moved] == was[moved]).all()
    assert kept > 5


@every_shaper
def test_the_smallest_maps(entry: Shaper) -> None:
    for width, height in ((1, 1), (1, 7), (7, 1), (2, 2)):
        for walls in (0.0, 0.5, 1.0):
            base = tw.make("caves", width=width, height=height, walls=walls, steps=0, seed=3)
            if entry.name in NEEDS_ROOM and (base.passable.sum() < 2 or entry.name == "crates"):
                with pytest.raises(tw.GaveUp):
                    tw.shape(base, entry.name)
                continue
            assert tw.shape(base, entry.name, **NEEDED.get(entry.name, {})).cells.size == width * height


@every_shaper
def test_rooms_markers_and_layers_stay_valid(entry: Shaper) -> None:
    base = tw.make("caves", width=20, height=20, seed=3)
    base = base.replace(
        rooms=[Room(2, 3, 4, 5), Room(12, 10, 3, 3)],
        links=[(0, 1)],
        markers=[Marker("start", 2, 3)],
        layers={"height": base.cells * 1.0},
        recipe=None,
    )
    after = tw.shape(base, entry.name, **NEEDED.get(entry.name, {}))
    assert all(layer.shape == after.shape for layer in after.layers.values())
    assert all(0 <= a < len(after.rooms) and 0 <= b < len(after.rooms) for a, b in after.links)
    for room in after.rooms:
        assert room.x >= 0 <= room.y
        assert room.x + room.width <= after.width
        assert room.y + room.height <= after.height
    for marker in after.markers:
        assert 0 <= marker.x < after.width
        assert 0 <= marker.y < after.height


@every_shaper
def test_every_param_is_described_and_round_trips(entry: Shaper) -> None:
    assert entry.summary.endswith(".")
    for name, field in entry.params.model_fields.items():
        assert field.description, name
        assert "\n" not in field.description
    params: Params = entry.params.validate(NEEDED.get(entry.name, {}))
    assert pickle.loads(pickle.dumps(params)) == params
    assert hash(pickle.loads(pickle.dumps(params))) == hash(params)
    recipe = tw.recipe("caves", width=9, height=9, seed=1, shaping=[stage(entry)])
    assert tw.run(recipe.to_data()) == tw.run(recipe)


def test_the_documented_shapers_exist() -> None:
    promised = {"border", "connect", "crop", "flip", "keep_largest", "mirror", "overlay", "paint", "replace", "rotate"}
    assert promised <= set(shapers.names())
    with pytest.raises(tw.UnknownName, match="did you mean 'connect'"):
        tw.shape(TileMap([[0]], tw.list_tilesets()[0]), "conect")
