"""REXPaint files, parsed independently of the implementation and by python-tcod."""

from __future__ import annotations

import gzip
import struct
import zlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.formats.maps import deep_map, read_map, same
from tests.refusals import refused
from tilewright import formats

read = partial(read_map, "xp")
Layer = list[list[tuple[int, tuple[int, int, int], tuple[int, int, int]]]]
"""Rows of cells: code, color and background."""


def parse_xp(content: bytes) -> list[Layer]:
    """Return the layers of a file as described in REXPaint's manual."""
    assert content[4:8] == bytes(4), "the file has a date"
    data = gzip.decompress(content)
    version, count = struct.unpack_from("<2i", data)
    assert version == -1
    place, layers = 8, []
    for _ in range(count):
        width, height = struct.unpack_from("<2i", data, place)
        place += 8
        layer: Layer = [[] for _ in range(height)]
        for _ in range(width):
            for row in layer:
                code, *colors = struct.unpack_from("<i6B", data, place)
                row.append((code, (colors[0], colors[1], colors[2]), (colors[3], colors[4], colors[5])))
                place += 10
        layers.append(layer)
    assert place == len(data)
    return layers


def make_file(*layers: list[str], version: int = -1, clear: str = "", color: int = 100) -> bytes:
    """Return a file of another program: rows of characters, of which those in `clear` are transparent."""
    data = struct.pack("<2i", version, len(layers))
    for rows in layers:
        data += struct.pack("<2i", len(rows[0]), len(rows))
        for column in range(len(rows[0])):
            for row in rows:
                letter = row[column]
                background = (255, 0, 255) if letter in clear else (1, 2, 3)
                data += struct.pack("<i6B", ord(letter), color, ord(letter) % 256, 0, *background)
    return pack(data)


def pack(data: bytes) -> bytes:
    """Compress data without a date, so that all processes of a run name the tests alike."""
    return gzip.compress(data, mtime=0)


def dungeon() -> tw.TileMap:
    return tw.make("bsp", width=40, height=28, seed=7, shaping=["doors", "place"])


def test_cells_and_markers_are_where_the_manual_says() -> None:
    map = dungeon()
    ground, over = parse_xp(formats.encode(map, "xp"))
    for y, row in enumerate(map.cells.tolist()):
        for x, number in enumerate(row):
            tile = map.tileset[number]
            red, green, blue = tile.rgb
            assert ground[y][x] == (ord(tile.glyph), tile.rgb, (red // 4, green // 4, blue // 4))
    marked = {(marker.x, marker.y): ord(marker.name[0].upper()) for marker in map.markers}
    assert marked
    for y, cells in enumerate(over):
        for x, (code, _, background) in enumerate(cells):
            assert (background == (255, 0, 255)) == ((x, y) not in marked)
            assert code == marked.get((x, y), 32)


def test_tcod_reads_the_same_characters(tmp_path: Path) -> None:
    console = pytest.importorskip("tcod.console")
    map = dungeon()
    map.save(tmp_path / "map.xp")
    ground, over = console.load_xp(tmp_path / "map.xp", order="C")
    codes = np.array([ord(tile.glyph) for tile in map.tileset])
    assert np.array_equal(ground.ch, codes[map.cells])
    assert np.array_equal(ground.fg, map.tileset.colors[map.cells])
    key = (over.bg == (255, 0, 255)).all(axis=-1)
    assert (~key).sum() == len({(marker.x, marker.y) for marker in map.markers})
    assert all(chr(over.ch[marker.y, marker.x]) == marker.name[0].upper() for marker in map.markers)


def test_files_of_tcod_are_read(tmp_path: Path) -> None:
    console = pytest.importorskip("tcod.console")
    canvas = console.Console(5, 2, order="C")
    canvas.ch[:] = [[ord(letter) for letter in row] for row in ("##.##", "..~..")]
    canvas.fg[:] = (10, 20, 30)
    console.save_xp(tmp_path / "map.xp", [canvas])
    assert str(tw.load(tmp_path / "map.xp")) == "##.##\n..~.."


def test_levels_are_layers() -> None:
    map = deep_map()
    layers = parse_xp(formats.encode(map, "xp"))
    assert len(layers) == 4
    assert [layer[2][3][0] for layer in layers[:3]] == [ord(map.tileset[number].glyph) for number in map.cells[:, 2, 3]]
    tileset = map.tileset
    eight = tw.TileMap(np.zeros((8, 2, 2), int), tileset, markers=[tw.Marker("key", 0, 0, 7)])
    assert same(read(formats.encode(eight, "xp")), eight)
    with pytest.raises(tw.InvalidRecipe, match=r"^xp: REXPaint has 9 layers, one of them for markers, got 9 levels"):
        formats.encode(tw.TileMap(np.zeros((9, 2, 2), int), tileset, markers=[tw.Marker("key", 0, 0, 7)]), "xp")


def test_a_label_that_does_not_fit_is_left_out() -> None:
    random = np.random.default_rng(1)
    map = tw.TileMap(random.integers(0, 3, (20, 30)), tw.Tileset.from_labels(["a", "b", "c"]))
    layers = {f"noise {number}": random.random((20, 30)) for number in range(40)}
    assert same(read(formats.encode(map.replace(layers=layers), "xp")), map)
    names = [f"a{number}" for number in random.integers(0, 1 << 63, 8000).tolist()]
    large = map.replace(markers=[tw.Marker(name, 0, 1) for name in names])
    again = read(formats.encode(large, "xp"), map.tileset, layer=1)
    assert same(again, map)
    assert read(formats.encode(large, "xp")).tileset.name == "rexpaint"


def test_glyphs_of_code_page_437() -> None:
    labels = ["☺", "▼", "⌂", "é", "█", "≡", "°", " ", "#"]
    tileset = tw.Tileset.from_labels(labels)
    map = tw.TileMap([list(range(len(labels)))], tileset)
    (layer,) = parse_xp(formats.encode(map, "xp"))
    assert [cell[0] for cell in layer[0]] == [1, 31, 127, 130, 219, 240, 248, 32, 35]


def test_other_glyphs_need_a_fallback() -> None:
    tileset = tw.Tileset.from_labels(["#", "≀", "☂"])
    map = tw.TileMap([[0, 1, 2]], tileset)
    text = (
        "fallback: xp files have the characters of code page 437 only, without '≀' (≀), '☂' (☂); set fallback to the "
        "character to write instead, such as ?"
    )
    with refused(text, tw.InvalidRecipe, exact=True):
        formats.encode(map, "xp")
    content = formats.encode(map, "xp", fallback="~")
    assert [cell[0] for cell in parse_xp(content)[0][0]] == [35, 126, 126]
    assert same(read(content), map)
    assert formats.encode(tw.TileMap([[0, 0]], tileset), "xp")
    with pytest.raises(tw.InvalidRecipe, match=r"^fallback: must be one character of code page 437, got '☂'"):
        formats.encode(map, "xp", fallback="☂")


def test_files_of_other_programs_are_flattened() -> None:
    content = make_file(["##.", "#.."], ["@--", "-+-"], clear="-")
    assert str(read(content)) == "@#.\n#+."
    assert str(read(content, layer=1)) == "##.\n#.."
    map = read(content)
    assert [(tile.name, tile.passable) for tile in map.tileset] == [("#", False), ("+", True), (".", True), ("@", True)]
    assert map.tileset[0].color == "#642300"
    letters = tw.Tileset.from_labels([".", "#", "@", "+"])
    assert read(content, letters).cells.tolist() == [[2, 1, 0], [1, 3, 0]]
    with pytest.raises(tw.BadFile, match=r"^x.xp: unknown glyph '@'; .*read one layer"):
        read(content, tw.Tileset.from_labels([".", "#", "+"]))
    with pytest.raises(tw.BadFile, match=r"^x.xp: has 2 layers, got layer 3$"):
        read(content, layer=3)


def test_transparent_cells_and_other_fonts_become_tiles() -> None:
    content = make_file(["-\0#", "-\u012cX"], clear="-")
    map = read(content)
    assert map.tileset.names == (" ", "#", "X", "glyph 300")
    assert map.cells.tolist() == [[0, 0, 1], [0, 3, 2]]


def shape_of(version: int, layers: int, width: int, height: int) -> bytes:
    return struct.pack("<4i", version, layers, width, height)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "ends inside its header"),
        (b"not packed", "not a REXPaint file, which is packed with gzip"),
        (pack(b""), "ends inside its header"),
        (pack(bytes(1 << 24)), "not a REXPaint file of 1 to 9 layers, or broken"),
        (pack(shape_of(-1, 1, -4, 5)), "not a REXPaint file of 1 to 9 layers, or broken"),
        (pack(shape_of(-1, -1, 4, 5)), "not a REXPaint file of 1 to 9 layers, or broken"),
        (pack(shape_of(-1, 10, 4, 5)), "not a REXPaint file of 1 to 9 layers, or broken"),
        (pack(shape_of(1, 1, 4, 5)), "not a REXPaint file of 1 to 9 layers, or broken"),
        (pack(shape_of(-1, 1, 1 << 30, 1 << 30)), "a map must have at most 65,536 cells per side"),
        (pack(shape_of(-1, 1, 5000, 5000)), "must have at most 8,388,608 cells, got 25,000,000"),
        (pack(shape_of(-1, 1, 2000, 2000)), "must have at most 16,777,216 bytes when unpacked"),
        (pack(shape_of(-1, 1, 4, 5)), "does not contain exactly 1 layer of 4x5 cells; truncated or broken"),
        (make_file(["ab"])[:-8], "does not contain exactly 1 layer of 2x1 cells; truncated or broken"),
        (make_file(["ab"])[:-20], "truncated or broken"),
        (make_file(["ab"], ["a", "b"]), "all layers must have the same size"),
        (make_file([chr(65_536)]), "codes of characters must be 0 to 65,535"),
        (pack(shape_of(-1, 1, 1, 1) + struct.pack("<i6x", -5)), "codes of characters must be 0 to 65,535"),
    ],
)
def test_broken_and_hostile_files_are_refused(content: bytes, text: str) -> None:
    with refused(text, tw.BadFile, start="x.xp: "):
        read(content)


def with_field(label: bytes) -> bytes:
    """Return a file with one cell and this label in its header."""
    plain = make_file(["#"])
    field = b"TW" + struct.pack("<H", len(label)) + label
    return plain[:3] + b"\x04" + plain[4:10] + struct.pack("<H", len(field)) + field + plain[10:]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        (b"nothing", "its label is broken"),
        (zlib.compress(b"{}")[:-5], "its label is too long, or truncated"),
        (zlib.compress(bytes(1 << 26), 9), "its label is too long, or truncated"),
        (zlib.compress(b"[" * 100_000), "not JSON"),
        (
            zlib.compress(b'{"shape": [2, 2], "tileset": {"tiles": [{"name": "a"}]}}'),
            "the layers do not match the shape",
        ),
        (
            zlib.compress(b'{"shape": [1, 1], "tileset": {"tiles": [{"name": "a"}]}}'),
            "the character '#' in #642300 is not that of a tile",
        ),
    ],
)
def test_broken_labels_are_refused(label: bytes, text: str) -> None:
    with refused(text, tw.BadFile, start="x.xp: "):
        read(with_field(label))


def test_every_truncation_is_refused() -> None:
    content = formats.encode(tw.make("caves", width=6, height=4, seed=1), "xp")
    for length in range(0, len(content), 7):
        with pytest.raises(tw.BadFile):
            read(content[:length])


def test_large_maps_are_refused_when_writing() -> None:
    tileset = tw.Tileset.from_labels(["#"])
    with pytest.raises(tw.TooLarge, match="xp files must have at most 8,388,608 cells"):
        formats.encode(tw.TileMap(np.zeros((2900, 2900), dtype=np.uint8), tileset), "xp")


def test_columns_come_first() -> None:
    tileset = tw.Tileset.from_labels(["a", "b", "c", "d", "e", "f"])
    data = gzip.decompress(formats.encode(tw.TileMap([[0, 1, 2], [3, 4, 5]], tileset), "xp"))
    codes: NDArray[np.uint8] = np.frombuffer(data[16:], dtype=np.uint8).reshape(-1, 10)[:, 0]
    assert bytes(codes.tolist()) == b"adbecf"
