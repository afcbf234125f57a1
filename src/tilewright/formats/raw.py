"""Raw 16-bit heights (.raw, .r16) of a layer, for the terrains of Unity, Unreal and other programs.

The file has two bytes per height, row by row, without a header: 0 and 65535 are the heights 0 and 1, or the minimum and
maximum of the layer if it has other values. `size` resamples the layer to a square, as engines require: `unity` takes
the smallest of 33, 65, ..., 4097 that is not smaller than the map, `unreal` the smallest of 127, 253, 505, 1009, 2017,
4033 and 8129. Heights between cells are interpolated linearly in both directions. A map that is not square is
stretched, so give the terrain the proportions of the map.

Files have no tiles, no size and no provenance, so they cannot be read back. For a picture with 16 bits that can be read
back, save a png with the option `layer`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator

from ..core.errors import InvalidRecipe, check_limit, pluralize
from ..core.grid import MAX_CELLS
from ..core.params import Params, as_int, param
from ..core.tilemap import TileMap
from . import file_format
from ._heights import range_of, to_gray_levels

SIZES = {
    "unity": (33, 65, 129, 257, 513, 1025, 2049, 4097),
    "unreal": (127, 253, 505, 1009, 2017, 4033, 8129),
}
"""Edge lengths of terrains by engine."""
MIN_SIZE, MAX_SIZE = 2, 8193


def _read_size(value: Any) -> Any:
    """Return an integer as text, as it is written on the command line."""
    number = as_int(value)
    return value if number is None else str(number)


def _check_size(value: str) -> str:
    if value in SIZES:
        return value
    if not re.fullmatch(r"[0-9]{1,5}", value, re.ASCII) or not MIN_SIZE <= int(value) <= MAX_SIZE:
        raise ValueError(f"must be {', '.join(SIZES)} or an integer of {MIN_SIZE} to {MAX_SIZE:,}, got {value[:20]!r}")
    return value


class RawParams(Params):
    """Options of raw heights."""

    layer: str = param("height")
    """Layer of the map to write."""
    size: Annotated[Annotated[str, AfterValidator(_check_size)] | None, BeforeValidator(_read_size)] = param(None)
    """Rows and columns: unity, unreal or a number such as 1025; by default those of the map, without resampling."""
    flip: bool | None = param(None)
    """Whether the first row is the bottom of the map; by default only with size=unity, whose rows start there."""
    order: Literal["little", "big"] = param("little")
    """Byte order: little (called Windows in Unity) or big (Mac)."""


@file_format(
    RawParams, extensions=(".raw", ".r16"), use="game engines", engines=("Unity (terrain)", "Unreal Engine (landscape)")
)
def raw(map: TileMap, options: RawParams, path: Path) -> Mapping[str, bytes]:
    value_range = range_of(map, options.layer)
    heights = map.layers[options.layer]
    if heights.ndim == 3:
        text = f"heights have one level, got {pluralize(len(heights), 'level')}; take one level of the map"
        raise InvalidRecipe(text, place="raw")
    check_limit("cells", heights.size, MAX_CELLS // 4, of="raw heights", advice="crop the map")
    if options.size is not None:
        heights = resample(heights, choose_side(options.size, max(heights.shape)))
    if options.size == "unity" if options.flip is None else options.flip:
        heights = heights[::-1]
    dtype = "<u2" if options.order == "little" else ">u2"
    return {path.name: to_gray_levels(heights, value_range).astype(dtype).tobytes()}


def choose_side(size: str, longest: int) -> int:
    """Return the number of rows and columns: a number, or the smallest size of an engine for a map of this length."""
    if size not in SIZES:
        return int(size)
    return next((one for one in SIZES[size] if one >= longest), SIZES[size][-1])


def resample(heights: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """Return heights (row, column) as a square, interpolated linearly. The corners keep their heights.

    >>> resample(np.array([[0.0, 1.0], [2.0, 3.0]]), 3).tolist()
    [[0.0, 0.5, 1.0], [1.0, 1.5, 2.0], [2.0, 2.5, 3.0]]
    """
    return _resample_rows(_resample_rows(heights, side).T, side).T


def _resample_rows(heights: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return `count` rows, evenly spaced from the first row to the last."""
    # Integers, so that rows that exist are taken as they are.
    places = np.arange(count, dtype=np.int64) * (len(heights) - 1)
    before, rest = places // (count - 1), places % (count - 1)
    after = np.minimum(before + 1, len(heights) - 1)
    share = (rest / (count - 1))[:, None]
    result: NDArray[np.float64] = heights[before] * (1 - share) + heights[after] * share
    return result
