"""Raw heights: sizes of engines, flips and byte orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright import formats

TILES = tw.Tileset.from_labels(["."])


def make_map(heights: Any) -> tw.TileMap:
    layer = np.array(heights, dtype=np.float64)
    return tw.TileMap(np.zeros(layer.shape, int), TILES, layers={"height": layer})


def encode(map: tw.TileMap, dtype: str = "<u2", **options: object) -> NDArray[np.uint16]:
    return np.frombuffer(formats.encode(map, "raw", **options), dtype=dtype)


def interpolate(heights: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """Return heights at evenly spaced places, one by one."""
    rows, columns = heights.shape
    result = np.empty((side, side))
    for row in range(side):
        for column in range(side):
            y, x = row * (rows - 1) / (side - 1), column * (columns - 1) / (side - 1)
            top, left = min(int(y), max(rows - 2, 0)), min(int(x), max(columns - 2, 0))
            bottom, right = min(top + 1, rows - 1), min(left + 1, columns - 1)
            above = heights[top, left] * (1 - (x - left)) + heights[top, right] * (x - left)
            below = heights[bottom, left] * (1 - (x - left)) + heights[bottom, right] * (x - left)
            result[row, column] = above * (1 - (y - top)) + below * (y - top)
    return result


def test_heights_are_two_bytes_each_row_by_row() -> None:
    map = make_map([[0.0, 0.5, 1.0], [0.25, 1.0, 0.0]])
    assert encode(map).tolist() == [0, 32768, 65535, 16384, 65535, 0]
    assert encode(map, ">u2", order="big").tolist() == encode(map).tolist()
    assert encode(map, flip=True).tolist() == [16384, 65535, 0, 0, 32768, 65535]
    assert encode(make_map([[-10.0, 30.0]])).tolist() == [0, 65535]
    assert encode(make_map([[7.0, 7.0]])).tolist() == [0, 0]


def test_the_heights_equal_those_of_a_16_bit_png(tmp_path: Path) -> None:
    map = tw.make("noise", width=40, height=30, seed=7)
    map.save(tmp_path / "heights.r16")
    picture = map.image(layer="height", scale=1)
    assert np.array_equal(
        np.frombuffer((tmp_path / "heights.r16").read_bytes(), "<u2").reshape(30, 40), np.asarray(picture)
    )
    assert np.array_equal(encode(map, layer="height"), encode(map))


@pytest.mark.parametrize(("size", "longest", "side"), read_table(__file__, "sizes of engines"))
def test_sizes_of_engines(size: str | int, longest: int, side: int) -> None:
    map = make_map(np.random.default_rng(1).random((longest, 7)))
    assert len(encode(map, size=size)) == side * side


def test_the_largest_size_limits_larger_maps() -> None:
    assert len(encode(make_map(np.zeros((2, 4098))), size="unity")) == 4097**2


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (2, 2), (5, 9), (12, 7)])
@pytest.mark.parametrize("side", [2, 3, 8, 13])
def test_resampling_is_bilinear(shape: tuple[int, int], side: int) -> None:
    heights = np.random.default_rng(sum(shape)).random(shape)
    written = encode(make_map(heights), size=side).reshape(side, side)
    assert np.abs(written - 65535 * interpolate(heights, side)).max() <= 0.5 + 1e-6


def test_unity_starts_at_the_bottom() -> None:
    map = make_map(np.random.default_rng(3).random((33, 33)))
    own = encode(map).reshape(33, 33)
    assert np.array_equal(encode(map, size="unity").reshape(33, 33), own[::-1])
    assert np.array_equal(encode(map, size="unity", flip=False).reshape(33, 33), own)
    assert np.array_equal(encode(map, size=33).reshape(33, 33), own)


@pytest.mark.parametrize(
    ("map", "options", "text"),
    [
        (
            tw.make("caves", width=8, height=8, seed=1),
            {},
            "layer: the map has no layers, got 'height'; the technique noise stores its heights as one",
        ),
        (make_map([[0.0]]), {"layer": "water"}, "unknown layer 'water'; there are height"),
        (make_map([[[0.0]], [[1.0]]]), {}, "raw: heights have one level, got 2 levels; take one level of the map"),
        (make_map([[np.nan]]), {}, "layer: 'height' must be finite, but is not in 1 cell"),
        (make_map([[0.0]]), {"size": 1}, "size: must be unity, unreal or an integer of 2 to 8,193, got '1'"),
        (make_map([[0.0]]), {"size": "godot"}, "size: must be unity, unreal or an integer of 2 to 8,193, got 'godot'"),
        (make_map([[0.0]]), {"size": 99_999}, "size: must be unity, unreal or an integer of 2 to 8,193, got '99999'"),
    ],
)
def test_what_cannot_be_written_is_refused(map: tw.TileMap, options: dict[str, Any], text: str) -> None:
    with refused(text, exact=True):
        formats.encode(map, "raw", **options)


def test_raw_heights_cannot_be_read(tmp_path: Path) -> None:
    make_map([[0.0]]).save(tmp_path / "map.raw")
    with pytest.raises(tw.TilewrightError, match="format 'raw' cannot be read"):
        tw.load(tmp_path / "map.raw")
