"""A layer of a map as a picture of heights: 16-bit grey, a pixel a cell, as engines and terrain programs take them.

The label says which layer it is and what black and white stand for, and holds the tiles, so that reading gives the
whole map: its heights are those that the picture shows, and exact where nobody changed them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.errors import BadFile, InvalidRecipe, UnknownName, pluralize
from ..core.tilemap import TileMap
from . import LoadedMap
from ._data import MapData
from ._picture import CanvasLayout, check_cell_count, check_picture_size, layout_of

WHITE = 65_535
Range = tuple[float, float]
"""What black and white stand for."""


def range_of(map: TileMap, name: str) -> Range:
    """0 and 1 where the layer lies in between, else its lowest and highest number."""
    if name not in map.layers:
        if not map.layers:
            raise InvalidRecipe(f"the map has none, got {name!r}; technique noise keeps its heights as one", at="layer")
        raise UnknownName("layer", name, map.layers)
    layer = map.layers[name]
    broken = int((~np.isfinite(layer)).sum())
    if broken:
        text = f"{name!r} is no finite number in {pluralize(broken, 'cell')}; no grey shows that"
        raise InvalidRecipe(text, at="layer")
    low, high = float(layer.min()), float(layer.max())
    if not np.isfinite(high - low):
        raise InvalidRecipe(f"{name!r} reaches from {low:g} to {high:g}, which is too far for a picture", at="layer")
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def draw_layer(map: TileMap, name: str, scale: int) -> Image.Image:
    """The layer of this name, `scale` pixels a cell."""
    layout, between = layout_of(map), range_of(map, name)
    check_cell_count(layout.canvas)
    check_picture_size(layout.canvas, (scale, scale), 4)
    sheet = layout.spread(_to_gray_levels(map.layers[name], between), 0)
    return Image.fromarray(np.repeat(np.repeat(sheet, scale, axis=1), scale, axis=0))


def is_16_bit(picture: Image.Image) -> bool:
    """Whether a picture has more greys than eight bits hold."""
    return picture.mode.startswith("I") and int(np.asarray(picture).max()) > 255


def read_heights(picture: Image.Image, data: MapData, layout: CanvasLayout, name: str) -> LoadedMap:
    """The map that a label tells of, with the heights that the picture shows."""
    assert data.layer is not None
    rows, columns = layout.canvas
    if not picture.mode.startswith("I"):
        raise BadFile(f"no longer the 16-bit picture of the layer {data.layer!r} that its label tells of", at=name)
    if data.range is None or not 0 <= data.range[1] - data.range[0] < np.inf:
        raise BadFile("its label does not tell what its greys stand for", at=name)
    high, wide = picture.height // rows, picture.width // columns
    shown = layout.gather(np.asarray(picture)[high // 2 :: high, wide // 2 :: wide]).reshape(data.shape)
    layers = data.read_layers()
    low, top = data.range
    heights = low + shown / WHITE * (top - low)
    exact = layers.get(data.layer)
    if exact is not None:
        heights = np.where(_to_gray_levels(np.nan_to_num(exact), data.range) == shown, exact, heights)
    return data.build_map(data.read_cells(), {**layers, data.layer: heights})


def _to_gray_levels(layer: NDArray[np.float64], value_range: Range) -> NDArray[np.uint16]:
    """(row, column) 0 for the lowest to 65535 for the highest."""
    low, high = value_range
    share = (np.clip(layer, low, high) - low) / (high - low) if high > low else np.zeros_like(layer)
    return np.rint(share * WHITE).astype(np.uint16)
