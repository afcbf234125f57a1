"""Networks as values of parameters: equality, digests, plain data, and arrays that do not fit together."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.networks import LABELS, TILES, make_arrays, make_network
from tests.refusals import refused
from tilewright.core.network import ARRAYS, MAX_BIAS, Network
from tilewright.core.resolver import Resolver

TINY = make_network()


def test_equality_ignores_the_name_and_the_training() -> None:
    other = Network(LABELS, TILES, TINY.dilations, make_arrays(1, 6, 3, 4), {"maps": 9}, "other")
    assert other == TINY
    assert hash(other) == hash(TINY)
    assert other.digest == TINY.digest
    assert make_network(2) != TINY
    assert TINY != "tiny"


@pytest.mark.parametrize("name", ARRAYS)
def test_each_array_is_part_of_the_digest(name: str) -> None:
    changes: dict[str, Any] = {name: TINY.arrays[name].copy()}
    changes[name].flat[-1] += 1
    assert make_network(**changes).digest != TINY.digest


def test_labels_dilations_and_pieces_are_part_of_the_digest() -> None:
    others = [
        make_network(labels=("wall", "floor", "water", "door")),
        make_network(dilations=(1, 3, 2)),
        make_network(pieces="chosen"),
    ]
    assert len({TINY.digest, *(other.digest for other in others)}) == 4


def test_the_digest_is_pinned() -> None:
    """Recipes in files refer to networks by digest, so it must not change."""
    assert TINY.digest == "87415d10e32422e3bf1afd1fa8d0df35"


def test_networks_are_pickled_and_cannot_be_changed() -> None:
    again = pickle.loads(pickle.dumps(TINY))
    assert again == TINY
    assert (again.name, again.manifest, again.dilations) == (TINY.name, TINY.manifest, TINY.dilations)
    with pytest.raises(ValueError, match="read-only"):
        again.arrays["input"][:] = 0


def test_built_in_networks_are_stored_by_name_and_others_by_digest() -> None:
    built_in = Network.of("dungeon")
    assert built_in.to_data() == "dungeon"
    assert Network.of(built_in) is built_in
    assert Network.of({"model": "dungeon", "digest": built_in.digest}) == built_in
    assert TINY.to_data() == {"model": "tiny", "digest": TINY.digest}
    impostor = make_network(name="dungeon")
    assert impostor.to_data() == {"model": "dungeon", "digest": TINY.digest}


@pytest.mark.parametrize("value", [None, 3, [], {}, {"model": "dungeon"}, {"digest": 3}, {"digest": "a", "more": 1}])
def test_other_values_are_refused(value: Any) -> None:
    with refused("must be a network that was trained by `tilewright learn`, or its name", tw.InvalidRecipe):
        Network.of(value)


def test_recipes_of_others_open_no_files(tmp_path: Path) -> None:
    TINY.save(tmp_path / "tiny.npz")
    with pytest.raises(tw.UnknownName, match="files are not opened here"):
        Network.of(str(tmp_path / "tiny.npz"), Resolver())


def array_of(kind: Any, shape: tuple[int, ...], value: int = 0) -> Any:
    return np.full(shape, value, dtype=kind)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"labels": ()}, "tiles: must be 1 to 250 tiles, got 0"),
        ({"labels": ("wall", "wall")}, "tiles: must not contain a tile twice"),
        ({"labels": ("wall", "moss")}, "tiles: the tileset 'tiny' has no tile 'moss'"),
        ({"dilations": (0,)}, "dilations: must be at most 64 numbers from 1 to 64"),
        ({"dilations": (1, 65)}, "dilations: must be at most 64 numbers from 1 to 64"),
        ({"dilations": (1,) * 65}, "dilations: must be at most 64 numbers from 1 to 64"),
        ({"input": array_of(np.int8, (9, 6, 257))}, "input: must have 1 to 256 channels, got 257"),
        ({"input": array_of(np.int8, (9, 6, 0))}, "input: must have 1 to 256 channels, got 0"),
        ({"input": array_of(np.int8, (9, 6))}, "input: must have 1 to 256 channels, got 0"),
        (
            {"input": array_of(np.int16, (9, 6, 6))},
            "input: must be int8 of shape [9, 6, 6], got int16 of shape [9, 6, 6]",
        ),
        (
            {"input": array_of(np.int8, (9, 5, 6))},
            "input: must be int8 of shape [9, 6, 6], got int8 of shape [9, 5, 6]",
        ),
        (
            {"layers": array_of(np.int8, (3, 6, 6, 9))},
            "layers: must be int8 of shape [3, 6, 9, 6], got int8 of shape [3, 6, 6, 9]",
        ),
        ({"output": array_of(np.uint8, (4, 6))}, "output: must be int8 of shape [4, 6], got uint8 of shape [4, 6]"),
        ({"layer_scale": array_of(np.int32, (3, 6), -1)}, "layer_scale: must not be negative"),
        ({"residual_scale": array_of(np.int32, (3,), -(1 << 31))}, "residual_scale: must not be negative"),
        ({"output_bias": array_of(np.int64, (4,), MAX_BIAS + 1)}, f"output_bias: must be within ±{MAX_BIAS}"),
        ({"layer_bias": array_of(np.int64, (3, 6), -(1 << 63))}, f"layer_bias: must be within ±{MAX_BIAS}"),
        ({"more": array_of(np.int8, (1,))}, f"must have the arrays {', '.join(ARRAYS)}; more is missing or unknown"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(changes: dict[str, Any], line: str) -> None:
    arrays = {name: value for name, value in changes.items() if isinstance(value, np.ndarray)}
    labels, dilations = changes.get("labels", LABELS), changes.get("dilations", (1, 3, 1))
    with refused(line, exact=True):
        Network(labels, TILES, dilations, make_arrays(1, 6, 3, 4) | arrays, {})


def test_missing_arrays_are_refused() -> None:
    arrays = make_arrays(1, 6, 3, 4)
    del arrays["output"]
    with pytest.raises(tw.InvalidRecipe, match="output is missing or unknown"):
        Network(LABELS, TILES, (1, 3, 1), arrays, {})
