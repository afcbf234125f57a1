"""Colors as integers 0xrrggbb, and palettes of few colors."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

MAX_MERGED_COLORS = 4096
"""Maximum number of colors that may be merged."""
MAX_ERROR = 12
"""Maximum change of a merged color per channel."""


def join_channels(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return colors, an array (..., 3), as integers.

    >>> [hex(code) for code in join_channels(np.array([[255, 128, 1]], dtype=np.uint8))]
    ['0xff8001']
    """
    codes: NDArray[np.uint32] = colors[..., 0].astype(np.uint32)
    for channel in (1, 2):
        codes <<= np.uint32(8)
        codes |= colors[..., channel]
    return codes


def split_channels(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return integers as colors, an array (..., 3)."""
    return np.stack([codes >> np.uint32(shift) & np.uint32(255) for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def merge_colors(
    codes: NDArray[np.uint32], limit: int, *, exact: bool = False
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None:
    """Return at most `limit` colors, and the place of each given color among them; None if they differ too much.

    Colors are only merged if there are more than `limit`, which is at most 256, and never if they must be `exact`.
    """
    if len(codes) <= limit:
        return split_channels(codes), np.arange(len(codes), dtype=np.uint8)
    return None if exact or len(codes) > MAX_MERGED_COLORS else _merge(codes.tobytes(), limit)


@lru_cache(maxsize=64)  # not `cached_by_size`, which would count the artwork again for each new palette
def _merge(codes: bytes, limit: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None:
    colors = split_channels(np.frombuffer(codes, dtype=np.uint32))
    merged = Image.fromarray(colors[None]).quantize(limit, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette, places = np.array(merged.getpalette("RGB"), dtype=np.uint8).reshape(-1, 3), np.asarray(merged)[0]
    errors = np.abs(palette[places].astype(np.int16) - colors)
    return (palette, places) if errors.max() <= MAX_ERROR else None


def find_nearest(colors: NDArray[np.uint8], palette: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the index of the nearest color of a palette for each color, an array (..., 3)."""
    codes, places = np.unique(join_channels(colors), return_inverse=True)
    distances = np.square(split_channels(codes)[:, None].astype(np.int32) - palette).sum(axis=-1)
    nearest: NDArray[np.uint8] = distances.argmin(axis=1).astype(np.uint8)[places].reshape(colors.shape[:-1])
    return nearest
