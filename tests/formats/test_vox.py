"""MagicaVoxel models, parsed independently of the implementation."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tests.formats.maps import deep_map, numbered_map, read_map, same
from tests.refusals import refused
from tests.tilesets import make_tileset
from tilewright import formats
from tilewright.formats import Source, decode

BLOCKS = make_tileset(
    'air _ #000000; stone # #808080 solid; grass " #40a040; pond ~ #4060c0 solid kind=water', "blocks"
)
Place = tuple[int, int, int]
read = partial(read_map, "vox")


@dataclass
class VoxFile:
    """A file as described in MagicaVoxel's documentation."""

    version: int = 0
    sizes: list[Place] = field(default_factory=list)
    models: list[dict[Place, int]] = field(default_factory=list)
    palette: list[tuple[int, ...]] = field(default_factory=list)
    nodes: dict[int, tuple[str, list[int], Place]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def color(self, index: int) -> str:
        red, green, blue, alpha = self.palette[index - 1]
        assert alpha == 255
        return f"#{red:02x}{green:02x}{blue:02x}"

    def world(self) -> dict[Place, int]:
        """Return all voxels at their positions in the scene; a model's center voxel is at its place."""
        found: dict[Place, int] = {}

        def walk(node: int, at: Place) -> None:
            kind, inner, move = self.nodes[node]
            at = (at[0] + move[0], at[1] + move[1], at[2] + move[2])
            if kind != "nSHP":
                for child in inner:
                    walk(child, at)
                return
            for model in inner:
                size = self.sizes[model]
                for (x, y, z), index in self.models[model].items():
                    place = (at[0] + x - size[0] // 2, at[1] + y - size[1] // 2, at[2] + z - size[2] // 2)
                    assert place not in found
                    found[place] = index

        walk(0, (0, 0, 0))
        return found


class ChunkReader:
    """Reader of the numbers and dictionaries of a chunk."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def number(self) -> int:
        value, self.content = int.from_bytes(self.content[:4], "little", signed=True), self.content[4:]
        return value

    def text(self) -> str:
        length = self.number()
        value, self.content = self.content[:length], self.content[length:]
        return value.decode()

    def dictionary(self) -> dict[str, str]:
        return {self.text(): self.text() for _ in range(self.number())}


def parse_vox(content: bytes) -> VoxFile:
    assert content[:4] == b"VOX "
    result = VoxFile(version=int.from_bytes(content[4:8], "little"))
    assert content[8:12] == b"MAIN"
    assert struct.unpack("<2i", content[12:20]) == (0, len(content) - 20)
    rest = content[20:]
    while rest:
        name, (own, children) = rest[:4].decode(), struct.unpack("<2i", rest[4:12])
        assert children == 0
        part, rest = rest[12 : 12 + own], rest[12 + own :]
        assert len(part) == own
        result.names.append(name)
        reader = ChunkReader(part)
        if name == "SIZE":
            result.sizes.append(struct.unpack("<3i", part))
        elif name == "XYZI":
            assert len(part) == 4 + 4 * reader.number()
            rows = [part[at : at + 4] for at in range(4, len(part), 4)]
            result.models.append({(x, y, z): index for x, y, z, index in rows})
            assert len(result.models[-1]) == len(rows)
            assert all(place[axis] < result.sizes[-1][axis] for place in result.models[-1] for axis in range(3))
        elif name == "RGBA":
            result.palette = [tuple(part[at : at + 4]) for at in range(0, len(part), 4)]
            assert len(result.palette) == 256
        elif name in ("nTRN", "nGRP", "nSHP"):
            number = reader.number()
            assert reader.dictionary() == {}
            move: Place = (0, 0, 0)
            if name == "nTRN":
                inner = [reader.number()]
                assert (reader.number(), reader.number() in (-1, 0), reader.number()) == (-1, True, 1)
                x, y, z = map(int, reader.dictionary().get("_t", "0 0 0").split())
                move = (x, y, z)
            elif name == "nGRP":
                inner = [reader.number() for _ in range(reader.number())]
            else:
                inner = []
                for _ in range(reader.number()):
                    inner.append(reader.number())
                    assert reader.dictionary() == {}
            assert not reader.content
            result.nodes[number] = name, inner, move
        else:
            assert name == "TWRT"
    return result


def chunk(name: bytes, content: bytes = b"", children: bytes = b"") -> bytes:
    return name + struct.pack("<2I", len(content), len(children)) + content + children


def model(size: Place, *voxels: tuple[int, int, int, int]) -> bytes:
    table = b"".join(bytes(voxel) for voxel in voxels)
    return chunk(b"SIZE", struct.pack("<3i", *size)) + chunk(b"XYZI", struct.pack("<I", len(voxels)) + table)


def file(*chunks: bytes, version: int = 150) -> bytes:
    return b"VOX " + struct.pack("<i", version) + chunk(b"MAIN", b"", b"".join(chunks))


PALETTE = chunk(b"RGBA", bytes([255, 0, 0, 255, 0, 255, 0, 255, 255, 0, 0, 255]) + bytes(1012))


# -- writing ------------------------------------------------------------------------------------------------------


def test_level_0_is_the_bottom_and_nothing_is_mirrored() -> None:
    cells = np.zeros((3, 4, 5), dtype=np.uint8)
    cells[0] = 2
    cells[1, 0, 4] = 1  # above the north-east corner
    cells[2, 3, 0] = 3  # high above the south-west corner
    found = parse_vox(formats.encode(tw.TileMap(cells, BLOCKS), "vox"))
    assert (found.version, found.sizes) == (150, [(5, 4, 3)])
    assert found.names == ["SIZE", "XYZI", "nTRN", "nGRP", "nTRN", "nSHP", "RGBA", "TWRT"]
    assert set(found.world()) == {(x - 2, y - 2, z) for x, y, z in found.models[0]}
    (voxels,) = found.models
    assert len(voxels) == 22
    assert found.color(voxels[4, 3, 1]) == "#808080"  # x grows to the east, y to the north, z upwards
    assert found.color(voxels[0, 0, 2]) == "#4060c0"
    assert {found.color(voxels[x, y, 0]) for x in range(5) for y in range(4)} == {"#40a040"}


def test_every_cell_is_a_voxel_in_its_tiles_color_or_empty() -> None:
    map = deep_map()
    found = parse_vox(formats.encode(map, "vox"))
    for level, row, column in np.ndindex(map.shape):
        tile = map.tileset[int(map.cells[level, row, column])]
        index = found.models[0].get((column, map.height - 1 - row, level))
        assert (index is None) == (tile.name == "rock")
        assert index is None or found.color(index) == tile.color


def test_walls_are_built_on_a_map_without_levels() -> None:
    map = tw.TileMap([[0, 1, 2, 3]], BLOCKS)
    for options, height in (({}, 3), ({"wall_height": 1}, 1), ({"wall_height": 256}, 256)):
        found = parse_vox(formats.encode(map, "vox", **options))
        assert found.sizes == [(4, 1, height)]
        columns = [sum((x, 0, z) in found.models[0] for z in range(height)) for x in range(4)]
        assert columns == [0, height, 1, 1]
    assert parse_vox(formats.encode(tw.TileMap([[2, 3]], BLOCKS), "vox")).sizes == [(2, 1, 1)]


def test_empty_tiles_can_be_given() -> None:
    map = tw.TileMap([[0, 1, 2, 3]], BLOCKS)

    def voxel_columns(**options: object) -> set[int]:
        return {x for x, _, _ in parse_vox(formats.encode(map, "vox", **options)).models[0]}

    assert voxel_columns() == {1, 2, 3}
    assert voxel_columns(empty=()) == {0, 1, 2, 3}
    assert voxel_columns(empty=("stone", '"')) == {0, 3}
    assert voxel_columns(empty=("air", "stone", "grass", "pond")) == set()
    with pytest.raises(tw.UnknownName, match=r"unknown tile 'stones'; did you mean 'stone'\?"):
        voxel_columns(empty=("stones",))


@pytest.mark.parametrize("tile", [{"name": "Sky"}, {"name": "x", "kind": "void"}, {"name": "x", "glyph": " "}])
def test_tiles_that_are_empty_by_default(tile: dict[str, str]) -> None:
    tileset = tw.Tileset.validate({"tiles": [tile, {"name": "clay"}]})
    assert list(parse_vox(formats.encode(tw.TileMap([[0, 1]], tileset), "vox")).models[0]) == [(1, 0, 0)]


def test_maps_longer_than_a_model_are_several_in_one_scene() -> None:
    map = tw.make("caves", width=300, height=270, seed=3)
    content = formats.encode(map, "vox", wall_height=2)
    found = parse_vox(content)
    assert found.sizes == [(256, 256, 2), (44, 256, 2), (256, 14, 2), (44, 14, 2)]
    world = found.world()
    left, front = min(x for x, _, _ in world), min(y for _, y, _ in world)
    assert (left, front, min(z for _, _, z in world)) == (-150, -135, 0)
    for row, column in np.ndindex(map.shape):
        tile = map.tileset[int(map.cells[row, column])]
        place = (left + column, front + map.height - 1 - row)
        assert found.color(world[*place, 0]) == tile.color
        assert ((*place, 1) in world) == (tile.name == "wall")
    assert same(read(content), map)


def test_the_longest_maps_are_written_and_longer_ones_refused() -> None:
    assert len(parse_vox(formats.encode(numbered_map(2, 2, 2000), "vox")).models) == 8
    with pytest.raises(
        tw.TooLarge, match="vox files must have at most 2,000 voxels per axis and 67,108,864 in total, got 2001x2x1"
    ):
        formats.encode(numbered_map(2, 2, 2001), "vox")
    with pytest.raises(tw.TooLarge, match="got 600x600x200"):
        formats.encode(tw.TileMap(np.zeros((200, 600, 600), dtype=np.uint8), BLOCKS), "vox")


def test_at_most_255_colors_are_written() -> None:
    tileset = numbered_map(300).tileset
    fits = tw.TileMap(np.arange(45, 300)[None], tileset)
    found = parse_vox(formats.encode(fits, "vox"))
    assert found.models[0] == {(x, 0, 0): x + 1 for x in range(255)}
    assert same(read(formats.encode(fits, "vox")), fits)
    with pytest.raises(tw.TooLarge, match="vox files must have at most 255 colors, got 256; use npz or json"):
        formats.encode(tw.TileMap(np.arange(44, 300)[None], tileset), "vox")


# -- reading it back ----------------------------------------------------------------------------------------------


def test_a_file_without_a_label_cannot_be_verified(tmp_path: Path) -> None:
    map = tw.make("rooms", width=30, height=20, seed=5)
    map.save(tmp_path / "b.vox", label=False)
    assert "TWRT" not in parse_vox((tmp_path / "b.vox").read_bytes()).names
    assert tw.verify(tmp_path / "b.vox").outcome == "impossible"


def repaint(content: bytes, place: Place, index: int) -> bytes:
    """Return the file with another color at a voxel; 0 makes the voxel invisible."""
    at = content.index(b"XYZI") + 16
    while tuple(content[at : at + 3]) != place:
        at += 4
    return content[: at + 3] + bytes([index]) + content[at + 4 :]


def test_edited_voxels_are_read(tmp_path: Path) -> None:
    map = tw.TileMap([[1, 2], [0, 3]], BLOCKS)
    content = formats.encode(map, "vox", wall_height=1)  # stone is color 1, grass 2, pond 3
    assert read(repaint(content, (0, 1, 0), 3)).cells.tolist() == [[3, 2], [0, 3]]
    assert read(repaint(content, (1, 1, 0), 0)).cells.tolist() == [[1, 0], [0, 3]]
    with pytest.raises(tw.BadFile, match=r"x.vox: 1 voxel has a color that is not that of a tile"):
        read(repaint(content, (1, 1, 0), 4))
    cave = tw.make("caves", width=4, height=4, seed=1)
    content = formats.encode(cave, "vox", wall_height=1)
    assert read(repaint(content, (0, 0, 0), 0)).cells[3, 0] == cave.tileset.id("chasm")
    (tmp_path / "a.vox").write_bytes(repaint(content, (0, 0, 0), 0))
    assert tw.verify(tmp_path / "a.vox").outcome == "edited"
    with pytest.raises(tw.BadFile, match="cells without voxels need an empty tile, such as 'air', in tileset 'many'"):
        read(repaint(formats.encode(numbered_map(1, 1, 1), "vox"), (0, 0, 0), 0))


# -- files of other programs --------------------------------------------------------------------------------------


def test_a_model_without_a_label_has_a_tile_per_color() -> None:
    content = file(model((2, 2, 2), (0, 0, 0, 1), (1, 1, 1, 2), (0, 1, 0, 3)), chunk(b"MATL", b"???"), PALETTE)
    map = read(content)
    assert map.tileset.names == ("empty", "#ff0000", "#00ff00")  # colors 1 and 3 are equal
    assert map.cells.tolist() == [[[1, 0], [1, 0]], [[0, 2], [0, 0]]]
    full = read(file(model((1, 1, 1), (0, 0, 0, 7)), version=200))
    assert (full.cells.tolist(), full.tileset.names) == ([[0]], ("color 7",))


def test_it_is_read_with_a_tileset_by_color() -> None:
    map = tw.TileMap([[[1, 0], [2, 3]], [[0, 0], [1, 0]]], BLOCKS)
    content = formats.encode(map, "vox", label=False)
    assert read(content, BLOCKS) == map
    with pytest.raises(tw.BadFile, match=r"x.vox: the color #808080 is not that of a tile \(tileset 'cave'\)"):
        read(content, tw.make("caves", width=3, height=3).tileset)
    only = tw.Tileset.validate({"name": "only", "tiles": [{"name": "red", "color": "#ff0000"}]})
    with pytest.raises(tw.BadFile, match="cells without voxels need an empty tile, such as 'air', in tileset 'only'"):
        read(file(model((2, 1, 1), (0, 0, 0, 1)), PALETTE), only)


def test_every_model_is_a_map() -> None:
    content = file(model((1, 1, 1), (0, 0, 0, 1)), model((3, 1, 1), (2, 0, 0, 2)), PALETTE)
    found = decode(Source(content, "x.vox"), formats.format_registry.get("vox"))
    assert [one.map.cells.tolist() for one in found] == [[[0]], [[0, 0, 1]]]


def with_label(**changes: object) -> bytes:
    """Return a file written by Tilewright with a changed label."""
    content = formats.encode(tw.TileMap([[1, 2], [0, 3]], BLOCKS), "vox")
    start = content.index(b"TWRT")
    label = {**json.loads(content[start + 12 :]), **changes}
    return file(content[20:start], chunk(b"TWRT", json.dumps(label).encode()))


HUGE = struct.pack("<3i", 256, 256, 256)


BROKEN = [
    (b"", "not a MagicaVoxel file"),
    (b"VOX \x96\0\0\0MAIN", "not a MagicaVoxel file"),
    (file(version=151), "unknown version 151 of the format; known are 150 and 200"),
    (file(), "contains no model"),
    (file(PALETTE), "contains no model"),
    (file(PALETTE)[:-1], "must have 1,056 bytes as its header says, got 1,055; truncated"),
    (file(PALETTE) + b"x", "must have 1,056 bytes as its header says, got 1,057; truncated"),
    (file(b"SIZE\0\0"), "ends inside a chunk"),
    (file(b"\xff\xfe\n!" + struct.pack("<2I", 1, 0)), "is longer than the file"),
    (file(b"ABCD" + struct.pack("<2I", 2**32 - 1, 2**32 - 1)), "chunk 'ABCD' is longer than the file"),
    (file(chunk(b"SIZE", b"1234")), "the size of a model must have 12 bytes, got 4"),
    (file(model((0, 1, 1))), "a model must have 1 to 256 voxels per axis, got 0x1x1"),
    (file(model((1, 257, 1))), "a model must have 1 to 256 voxels per axis, got 1x257x1"),
    (file(model((-1, -1, 2**31 - 1))), "a model must have 1 to 256 voxels per axis, got -1x-1x2147483647"),
    (file(chunk(b"XYZI", bytes(4))), "voxels come before the size of their model"),
    (file(model((1, 1, 1)), chunk(b"XYZI", bytes(4))), "voxels come before the size of their model"),
    (file(chunk(b"SIZE", HUGE), chunk(b"XYZI")), "a model has 0 voxels, which does not match its 0 bytes"),
    (
        file(chunk(b"SIZE", HUGE), chunk(b"XYZI", b"\xff" * 8)),
        "a model has 4,294,967,295 voxels, which does not match its 8 bytes",
    ),
    (file(model((2, 2, 2), (0, 0, 2, 1))), "a voxel is outside its model of 2x2x2"),
    (file(chunk(b"SIZE", HUGE) * 17), "must have at most 16,777,216 cells, got 33,554,432"),
    (file(model((1, 1, 1)) * 4097), "must have at most 4,096 models"),
    (file(chunk(b"nSHP") * 140_000), "must have at most 131,072 chunks"),
    (file(model((1, 1, 1)), chunk(b"RGBA", b"123")), "a palette must have 1,024 bytes, got 3"),
    (file(model((1, 1, 1)), chunk(b"TWRT", b"\xff")), "its label is not ASCII text"),
    (file(model((1, 1, 1)), chunk(b"TWRT", b"[" * 10**5)), "nested too deeply"),
    (file(model((1, 1, 1)), chunk(b"TWRT", b"{}")), "shape: is required"),
    (file(model((1, 1, 1)), chunk(b"TWRT", b"{}") * 2), "its label is too long, or there are two"),
    (with_label(palette=None), "palette: must be a list of up to 255 tile ids"),
    (with_label(palette=[1.5]), "palette: must be a list of up to 255 tile ids"),
    (with_label(palette=[1, 2, 4]), "palette: must contain tile ids, each once"),
    (with_label(palette=[-1, 2, 3]), "palette: must contain tile ids, each once"),
    (with_label(palette=[1, 1, 3]), "palette: must contain tile ids, each once"),
    (with_label(shape=[2, 3]), "do not fill an array of shape [2, 3]"),
    (with_label(shape=[4, 1]), "the models do not match the shape [4, 1]"),
    (with_label(shape=[1, 2, 2]), "the models do not match the shape [1, 2, 2]"),
    (with_label(shape=[1 << 12, 1 << 12]), "do not fill an array of shape"),
    (with_label(shape=[1 << 14, 1 << 14]), "must have at most 16,777,216 cells, got 268,435,456"),
    (with_label(shape=[1 << 16, 1 << 16]), "cells, got 4,294,967,296"),
    (with_label(shape=[1 << 20, 1]), "shape.0: must be at most 65536, got 1048576"),
]


@pytest.mark.parametrize(("content", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_what_breaks_a_rule_is_refused(content: bytes, message: str) -> None:
    with refused(message, tw.BadFile, start="x.vox: "):
        read(content)


def test_a_label_opens_no_file() -> None:
    sheet = read(with_label(tileset={**BLOCKS.to_data(), "sheet": {"image": "/etc/hostname"}})).tileset.sheet
    assert sheet is not None
    assert sheet.picture == b""
