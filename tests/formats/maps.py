"""Maps for the tests of formats, with every shape and every kind of content, and files of other programs."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tilewright.core.tileset import Sheet, Tile
from tilewright.formats import Source, decode, format_registry
from tilewright.formats._artwork import draw_texture
from tilewright.formats._textures import SIDE, find_texture


def same(one: tw.TileMap, other: tw.TileMap) -> bool:
    """Return whether all data is equal; layers are compared bit by bit, because NaN is not equal to itself."""
    layers = [{name: layer.tobytes() for name, layer in map.layers.items()} for map in (one, other)]
    return one.replace(layers={}) == other.replace(layers={}) and layers[0] == layers[1]


def read_map(name: str, content: bytes, tileset: tw.Tileset | None = None, **options: Any) -> tw.TileMap:
    """Return the first map of a file `x.NAME` with this content."""
    return decode(Source(content, f"x.{name}", tileset), format_registry.get(name), **options)[0].map


def full_map() -> tw.TileMap:
    """Return a generated map with all kinds of data."""
    map = tw.make("caves", width=23, height=11, seed=7)
    height = np.random.default_rng(1).normal(size=(2, 11, 23))
    height[1, 0, :4] = np.nan, np.inf, -0.0, 5e-324
    return map.replace(
        rooms=[tw.Room(0, 0, 3, 4), tw.Room(5, 5, 18, 6)],
        links=[(0, 1)],
        markers=[tw.Marker("start", 1, 2), tw.Marker('the "exit"\n\ud800é', 22, 10)],
        layers={"height": height[0], "odd / name": height[1]},
        numbers={"a": 0.1, "b": float("inf"), "c": -3.0},
    )


def with_codes(map: tw.TileMap) -> tw.TileMap:
    """Return the same map with a code for every tile."""
    tiles = tuple(tile.model_copy(update={"code": number}) for number, tile in enumerate(map.tileset, 1))
    return map.replace(tileset=map.tileset.model_copy(update={"tiles": tiles}))


def without_skins(map: tw.TileMap) -> tw.TileMap:
    """Return the same map with one sprite per tile, all in one layer."""
    return map.replace(tileset=map.tileset.model_copy(update={"skins": ()}))


def deep_map() -> tw.TileMap:
    """Return a map with three levels."""
    cells = np.random.default_rng(2).integers(0, 9, size=(3, 6, 5))
    tileset = tw.recipe("caves", tileset="dungeon").tileset
    assert tileset is not None
    layers = {"heat": np.arange(90.0).reshape(3, 6, 5)}
    return tw.TileMap(cells, tileset, markers=[tw.Marker("key", 4, 5, 2)], layers=layers)


def numbered_map(tiles: int, height: int = 20, width: int = 30, alike: bool = False) -> tw.TileMap:
    """Return random cells of a tileset with this number of tiles; `alike` tiles share two colors."""
    colors = ["#102030", "#a0b0c0"]
    words = [{"name": f"t{n}", "color": colors[n % 2]} if alike else {"name": f"t{n}"} for n in range(tiles)]
    tileset = tw.Tileset.validate({"name": "many", "tiles": words})
    cells = np.random.default_rng(tiles).integers(0, tiles, size=(height, width))
    return tw.TileMap(cells, tileset)


def sprite_map() -> tw.TileMap:
    """Return a map whose tileset has a picture with two sprites, and a tile without one."""
    picture = Image.new("RGBA", (9, 4), (0, 0, 0, 0))
    picture.paste((255, 0, 0, 255), (0, 0, 4, 4))
    picture.paste((0, 255, 0, 255), (5, 0, 9, 2))
    sheet = Sheet(image="tiles.png", tile_width=4, tile_height=4, columns=2, spacing=1)
    tiles = [
        {"name": "red", "sprite": 0, "color": "#000000"},
        {"name": "half", "sprite": 1, "color": "#0000ff"},
        {"name": "plain", "color": "#123456"},
    ]
    bare = tw.Tileset.validate({"name": "drawn", "tiles": tiles})
    tileset = bare.model_copy(update={"sheet": sheet.with_picture(encode_image(picture), "")})
    return tw.TileMap([[0, 1, 2], [2, 1, 0]], tileset)


FORBIDDEN_IN_XML = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF]))


def xml_safe(map: tw.TileMap) -> tw.TileMap:
    """Return the map without characters that XML cannot contain."""
    table = str.maketrans("", "", FORBIDDEN_IN_XML)
    return map.replace(
        markers=[tw.Marker(one.name.translate(table), one.x, one.y, one.level) for one in map.markers],
        layers={name.translate(table): layer for name, layer in map.layers.items()},
        numbers={name.translate(table): number for name, number in map.numbers.items()},
    )


def sheet_of(map: tw.TileMap) -> Sheet:
    """Return the sheet of the tileset of a map, which must have one."""
    assert map.tileset.sheet is not None
    return map.tileset.sheet


def with_sheet(map: tw.TileMap, sheet: Sheet) -> tw.TileMap:
    return map.replace(tileset=map.tileset.model_copy(update={"sheet": sheet}))


MARKUP = "</script><script>hacked=1</script><img src=x onerror='hacked=1'>\"&<!--"
"""A name that is markup."""
EXAMPLES = {
    "full": full_map(),
    "deep": deep_map(),
    "markup": tw.TileMap([[0, 1]], tw.Tileset.from_labels([MARKUP, "é"]), markers=[tw.Marker(MARKUP, 1, 0)]),
    "single cell": numbered_map(1, 1, 1),
    "one column": numbered_map(3, 17, 1),
    "256 tiles": numbered_map(256),
    "300 tiles": numbered_map(300),
    "tiles of one color": numbered_map(40, alike=True),
    "300 tiles of one color": numbered_map(300, alike=True),
}


@st.composite
def maps(draw: st.DrawFn) -> tw.TileMap:
    """Generate any small map with any data."""
    shape = draw(st.sampled_from([(1, 1), (1, 7), (5, 3), (2, 1, 1), (2, 3, 4), (1, 2, 2)]))
    *levels, height, width = shape
    tiles = draw(st.integers(1, 5))
    numbers = st.floats(allow_nan=False)
    size = int(np.prod(shape))
    cells = np.array(draw(st.lists(st.integers(0, tiles - 1), min_size=size, max_size=size))).reshape(shape)
    names = st.lists(st.text(max_size=8), max_size=2, unique=True)
    markers = [
        tw.Marker(name, draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1)), (levels or [1])[0] - 1)
        for name in draw(names)
    ]
    layers = {
        name: np.array(draw(st.lists(numbers, min_size=size, max_size=size))).reshape(shape) for name in draw(names)
    }
    return tw.TileMap(
        cells,
        tw.Tileset.from_labels([f"word {number}" for number in range(tiles)]),
        rooms=[tw.Room(0, 0, width, height)],
        links=[(0, 0)] if draw(st.booleans()) else [],
        markers=markers,
        layers=layers,
        numbers={name: draw(numbers) for name in draw(names)},
    )


def draw_sprites(tiles: Sequence[Tile], width: int = SIDE, height: int = SIDE) -> NDArray[np.uint8]:
    """Draw the sprites of tiles without neighbors, over their colors. Return an array (tile, row, column, 3)."""
    rows, columns = np.arange(height) * SIDE // height, np.arange(width) * SIDE // width
    pixels = np.empty((len(tiles), height, width, 3), dtype=np.uint8)
    for target, tile in zip(pixels, tiles, strict=True):
        sprite = draw_texture(find_texture(tile.kind), tile.name, tile.color, tile.joins, None, bool(tile.over), 0)
        full = np.where(sprite[..., 3:] > 0, sprite[..., :3], np.array(tile.rgb, dtype=np.uint8))
        target[:] = full[rows[:, None], columns]
    return pixels


def encode_image(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def declare_png(width: int, height: int) -> bytes:
    """Return a picture of 8x8 pixels whose head declares another size."""
    content = bytearray(encode_image(Image.new("L", (8, 8))))
    content[16:24] = struct.pack(">2I", width, height)
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))
    return bytes(content)


def encode_arrays(**arrays: Any) -> bytes:
    """Return an npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def zip_entries(entries: Iterable[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()
