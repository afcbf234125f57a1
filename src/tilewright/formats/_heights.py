"""Height maps: a layer of a map as 16-bit gray levels with one pixel per cell, for game engines and terrain programs.

The label contains the name of the layer, the values of black and white, and the tiles, so that reading returns the
complete map. Heights are read from the picture, and are exact where the picture was not edited.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.errors import BadFile, InvalidRecipe, UnknownName, pluralize
from ..core.tilemap import TileMap
from . import LoadedMap
from ._data import StoredMap
from ._picture import CanvasLayout, check_cell_count, check_picture_size, layout_of

WHITE = 65_535
Range = tuple[float, float]
"""Values of black and white."""


def range_of(map: TileMap, name: str) -> Range:
    """Return 0 and 1 if all values of the layer are in this range, or else the minimum and maximum of the layer."""
    if name not in map.layers:
        if not map.layers:
            raise InvalidRecipe(
                f"the map has no layers, got {name!r}; the technique noise stores its heights as one", at="layer"
            )
        raise UnknownName("layer", name, map.layers)
    layer = map.layers[name]
    broken = int((~np.isfinite(layer)).sum())
    if broken:
        text = f"{name!r} must be finite, but is not in {pluralize(broken, 'cell')}"
        raise InvalidRecipe(text, at="layer")
    low, high = float(layer.min()), float(layer.max())
    if not np.isfinite(high - low):
        raise InvalidRecipe(f"the range of {name!r} is too large for a picture, {low:g} to {high:g}", at="layer")
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def draw_layer(map: TileMap, name: str, scale: int) -> Image.Image:
    """Draw the layer of this name with `scale` pixels per cell."""
    layout, between = layout_of(map), range_of(map, name)
    check_cell_count(layout.canvas)
    check_picture_size(layout.canvas, (scale, scale), 4)
    sheet = layout.spread(to_gray_levels(map.layers[name], between), 0)
    return Image.fromarray(np.repeat(np.repeat(sheet, scale, axis=1), scale, axis=0))


def is_16_bit(picture: Image.Image) -> bool:
    """Return whether a picture has more than 256 gray levels."""
    return picture.mode.startswith("I") and int(np.asarray(picture).max()) > 255


def read_heights(picture: Image.Image, data: StoredMap, layout: CanvasLayout, name: str) -> LoadedMap:
    """Return the map of a label, with the heights that the picture shows."""
    assert data.layer is not None
    rows, columns = layout.canvas
    if not picture.mode.startswith("I"):
        raise BadFile(f"not a 16-bit picture, as its label with the layer {data.layer!r} requires", at=name)
    if data.range is None or not 0 <= data.range[1] - data.range[0] < np.inf:
        raise BadFile("its label does not contain a valid range of gray levels", at=name)
    high, wide = picture.height // rows, picture.width // columns
    shown = layout.gather(np.asarray(picture)[high // 2 :: high, wide // 2 :: wide]).reshape(data.shape)
    layers = data.read_layers()
    low, top = data.range
    heights = low + shown / WHITE * (top - low)
    exact = layers.get(data.layer)
    if exact is not None:
        heights = np.where(to_gray_levels(np.nan_to_num(exact), data.range) == shown, exact, heights)
    return data.build_map(data.read_cells(), {**layers, data.layer: heights})


def to_gray_levels(layer: NDArray[np.float64], value_range: Range) -> NDArray[np.uint16]:
    """Return gray levels as an array (row, column), from 0 for the minimum to 65535 for the maximum."""
    low, high = value_range
    share = (np.clip(layer, low, high) - low) / (high - low) if high > low else np.zeros_like(layer)
    return np.rint(share * WHITE).astype(np.uint16)
