from __future__ import annotations

import base64
import gzip
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytmx
from PIL import Image

import tilewright as tw
from tests.formats.maps import encode_image, full_map, same, sheet_of, sprite_map, without_skins, xml_safe
from tests.formats.test_tiled import round_trip
from tests.refusals import refused
from tilewright import formats
from tilewright.cli import main
from tilewright.formats import Source, decode

TMX = formats.format_registry.get("tmx")


def read(
    content: str | bytes,
    files: Mapping[str, bytes] | None = None,
    tileset: tw.Tileset | None = None,
    **options: Any,
) -> tw.TileMap:
    def read_sibling(name: str) -> bytes:
        if name not in (files or {}):
            raise tw.BadFile(f"{name}: cannot be read (No such file or directory)")
        return (files or {})[name]

    content = content.encode() if isinstance(content, str) else content
    return decode(Source(content, "x.tmx", tileset, read_sibling), TMX, **options)[0].map


def data(body: str, attributes: str = 'encoding="csv"', width: int = 2, height: int = 2) -> str:
    return f'<layer name="ground" width="{width}" height="{height}"><data {attributes}>{body}</data></layer>'


TILESET = '<tileset firstgid="1" name="wild" tilewidth="16" tileheight="16" tilecount="9" columns="3"/>'
PLAIN = "1,2,\n3,1"


def tmx(*layers: str, tilesets: str = TILESET, width: int = 2, height: int = 2, head: str = "") -> str:
    size = f'width="{width}" height="{height}" tilewidth="16" tileheight="16"'
    return f'<?xml version="1.0"?>{head}<map version="1.10" {size}>{tilesets}{"".join(layers)}</map>'


# -- written by Tilewright--------------------------------------------------------------------------------------


def test_pytmx_reads_the_same_map(tmp_path: Path) -> None:
    map = without_skins(xml_safe(full_map()))
    formats.save(map, tmp_path / "level.tmx")
    other = pytmx.TiledMap(str(tmp_path / "level.tmx"))
    for y, row in enumerate(map.cells.tolist()):
        for x, number in enumerate(row):
            about = other.get_tile_properties(x, y, 0)
            assert about is not None
            assert about["name"] == map.tileset[number].name
            assert about["type"] == map.tileset[number].kind
    start = other.get_object_by_name("start")
    assert (start.x, start.y) == (1 * 16 + 8, 2 * 16 + 8)
    assert other.properties["number_c"] == -3.0


@pytest.mark.parametrize("map", [xml_safe(full_map()), sprite_map()], ids=["drawn", "sprites"])
def test_an_embedded_picture_needs_no_other_file(map: tw.TileMap) -> None:
    assert list(TMX.write(map, TMX.params.validate({"tileset_image": "embedded"}), Path("a.tmx"))) == ["a.tmx"]
    assert same(round_trip(map, "tmx", tileset_image="embedded").map, map)


def test_characters_that_xml_cannot_contain_are_refused() -> None:
    map = full_map().replace(markers=[tw.Marker("a\0", 1, 1)])
    with pytest.raises(tw.InvalidRecipe, match=r"XML cannot contain all characters of 'a.x00'; rename it, or use tmj"):
        formats.encode(map, "tmx")


def test_edits_in_tiled_are_read() -> None:
    map = without_skins(full_map()).replace(markers=(), layers={})
    text = formats.encode(map, "tmx").decode()
    head, _, rest = text.partition('<data encoding="csv">\n')
    edited = read(f'{head}<data encoding="csv">\n0,{rest.partition(",")[2]}'.replace('name="room 0"', 'name="hall"'))
    assert edited.tileset.names == (*map.tileset.names, "empty")
    assert edited.tileset[7].glyph == " "
    assert edited.cells[0, 0] == 7
    assert np.array_equal(edited.cells.ravel()[1:], map.cells.ravel()[1:])
    assert edited.links == ()


# -- of other programs ----------------------------------------------------------------------------------------


def encode_gids(gids: list[int], compress: str = "") -> str:
    raw = np.array(gids, dtype="<u4").tobytes()
    raw = {"": raw, "zlib": zlib.compress(raw), "gzip": gzip.compress(raw)}[compress]
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize(
    "layer",
    [
        data(PLAIN),
        data(" 1 ,2,3,1 "),
        data(encode_gids([1, 2, 3, 1]), 'encoding="base64"'),
        data(f"\n  {encode_gids([1, 2, 3, 1], 'zlib')}\n", 'encoding="base64" compression="zlib"'),
        data(encode_gids([1, 2, 3, 1], "gzip"), 'encoding="base64" compression="gzip"'),
        data('<tile gid="1"/><tile gid="2"/><tile gid="3"/><tile gid="1"/>', ""),
        data(",".join(str(gid | flips << 28) for gid, flips in ((1, 8), (2, 4), (3, 15), (1, 1)))),
        f"<group><group>{data(PLAIN)}</group></group>",
    ],
    ids=["csv", "spaced csv", "base64", "zlib", "gzip", "elements", "flipped", "grouped"],
)
def test_every_encoding_gives_the_same_cells(layer: str) -> None:
    map = read(tmx(layer))
    assert map.tileset.names == ("tile0", "tile1", "tile2")
    assert map.cells.tolist() == [[0, 1], [2, 0]]
    assert map.tileset.name == "wild"


def test_no_tile_is_empty() -> None:
    map = read(tmx(data("0,5,5,0")))
    assert map.tileset.names == ("tile4", "empty")
    assert map.cells.tolist() == [[1, 0], [0, 1]]
    assert read(tmx(data("0,0,0,0"), tilesets="")).tileset.names == ("empty",)


def test_tiles_are_named_by_their_property() -> None:
    tiles = "".join(
        f'<tile id="{number}" {kind}><properties><property name="name" value="{name}"/>'
        '<property name="passable" type="bool" value="false"/></properties></tile>'
        for number, kind, name in ((0, 'type="rock"', "wall"), (1, 'class="sea"', "wall"), (5, "", "unused"))
    )
    map = read(tmx(data(PLAIN), tilesets=TILESET.replace("/>", f">{tiles}</tileset>")))
    assert map.tileset.names == ("wall", "tile1", "tile2", "unused")
    assert [tile.kind for tile in map.tileset] == ["rock", "sea", "", ""]
    assert [tile.passable for tile in map.tileset] == [False, False, True, False]


def test_tiles_of_several_tilesets_are_named_after_their_tileset() -> None:
    tilesets = TILESET + TILESET.replace('"1"', '"10"').replace("wild", "tame")
    assert read(tmx(data("1,2,11,18"), tilesets=tilesets)).tileset.names == ("wild 0", "wild 1", "tame 1", "tame 8")


ZSTD = 'encoding="base64" compression="zstd"'


def frame_zstd(content: bytes, size: int | None = None) -> str:
    """Return a zstd frame (RFC 8878) with one block: the content as it is, or its only byte, repeated `size` times."""
    kind, length = (0, len(content)) if size is None else (1, size)
    block = (length << 3 | kind << 1 | 1).to_bytes(3, "little") + content
    return base64.b64encode(bytes.fromhex("28b52ffd a0") + length.to_bytes(4, "little") + block).decode()


def test_layers_compressed_with_zstd_are_read() -> None:
    if sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    frame = frame_zstd(np.array([1, 2, 3, 1], dtype="<u4").tobytes())
    assert read(tmx(data(frame, ZSTD))).cells.tolist() == [[0, 1], [2, 0]]
    bomb = frame_zstd(b"\0", 1 << 17)
    for content, message in (
        (bomb, "decompresses to more than 16 bytes, its size needs 16"),
        (frame[:-8], "its compressed cells are truncated"),
        ("AAAAAAAA", "its cells cannot be decompressed"),
    ):
        with pytest.raises(tw.BadFile, match=message):
            read(tmx(data(content, ZSTD)))


def test_zstd_without_its_package_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("backports", "backports.zstd", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tw.BadFile, match=r"ground': is compressed with zstd, which needs .*\(pip install tilewright"):
        read(tmx(data("KLUv", ZSTD)))


def test_visible_layers_are_read_as_one() -> None:
    layers = (
        data("1,1,1,1"),
        data("0,2,0,0").replace("ground", "trees"),
        data("3,3,3,3").replace("<layer", '<layer visible="0"'),
        data("0,0,4,0").replace("ground", "birds"),
    )
    map = read(tmx(*layers))
    assert map.tileset.names == ("tile0", "tile1", "tile3")
    assert map.cells.tolist() == [[0, 1], [2, 0]]
    assert read(tmx(*layers), layer="trees").tileset.names == ("tile1", "empty")


def test_layers_of_infinite_maps_are_read_as_one() -> None:
    layers = (
        data('<chunk x="-2" y="0" width="2" height="1">1,2</chunk>'),
        data('<chunk x="-1" y="-1" width="2" height="2">0,3,4,0</chunk>'),
        data("\n"),
    )
    point = '<objectgroup><object name="start" x="-16" y="0"><point/></object></objectgroup>'
    map = read(tmx(*layers, point).replace("<map", '<map infinite="1"'))
    names = [[map.tileset.names[number] for number in row] for row in map.cells.tolist()]
    assert names == [["empty", "empty", "tile2"], ["tile0", "tile3", "empty"]]
    assert map.markers == (tw.Marker("start", 1, 1),)


def test_layers_are_chosen_by_visibility_name_or_number() -> None:
    layers = (
        data("1,1,1,1").replace("<layer", '<layer visible="0"'),
        data("2,2,2,2").replace("ground", "roof"),
        f'<group visible="0">{data("3,3,3,3").replace("ground", "sky")}</group>',
    )
    assert read(tmx(*layers)).tileset.names == ("tile1",)
    assert read(tmx(*layers), layer="ground").tileset.names == ("tile0",)
    assert read(tmx(*layers), layer="3").tileset.names == ("tile2",)
    with pytest.raises(tw.BadFile, match=r"x\.tmx: unknown layer 'rof'; did you mean 'roof'\?"):
        read(tmx(*layers), layer="rof")


def test_infinite_maps_are_assembled() -> None:
    chunks = (
        '<chunk x="-2" y="0" width="2" height="1">1,2</chunk><chunk x="0" y="1" width="2" height="2">3,3,4,4</chunk>'
    )
    map = read(tmx(data(chunks)))
    assert map.cells.tolist() == [[0, 1, 4, 4], [4, 4, 2, 2], [4, 4, 3, 3]]


def test_points_and_rooms_are_read_from_any_object_layer() -> None:
    objects = (
        '<objectgroup name="things"><object name="start" x="17" y="30"><point/></object>'
        '<object name="far" x="1e9" y="30"><point/></object><object x="1" y="1"><point/></object>'
        '<object type="room" x="0" y="16" width="32" height="15.6"/><object name="x" x="0" y="0" width="9"/>'
        "</objectgroup>"
    )
    map = read(tmx(data(PLAIN), objects))
    assert map.markers == (tw.Marker("start", 1, 1),)
    assert map.rooms == (tw.Room(0, 1, 2, 1),)


EXTERNAL = '<tileset firstgid="1" source="sets/wild.{}"/>'
TSX = (
    b'<tileset name="wild" tilewidth="8" tileheight="8" tilecount="9" columns="3"><image source="../a.png" width="24" '
    b'height="24"/><tile id="1"><properties><property name="name" value="sand"/></properties></tile></tileset>'
)
TSJ = (
    b'{"name":"wild","tilewidth":8,"tileheight":8,"tilecount":9,"columns":3,"image":"../a.png",'
    b'"tiles":[{"id":1,"properties":[{"name":"name","type":"string","value":"sand"}]}]}'
)


@pytest.mark.parametrize(("ending", "content"), [("tsx", TSX), ("tsj", TSJ), ("json", TSJ)])
def test_external_tilesets_are_read(ending: str, content: bytes) -> None:
    files = {f"sets/wild.{ending}": content, "sets/../a.png": b"picture"}
    map = read(tmx(data(PLAIN), tilesets=EXTERNAL.format(ending)), files)
    assert map.tileset.names == ("tile0", "sand", "tile2")
    sheet = sheet_of(map)
    assert (sheet.image, sheet.tile_width, sheet.columns, sheet.picture) == ("sets/../a.png", 8, 3, b"picture")
    assert [tile.sprite for tile in map.tileset] == [0, 1, 2]


def paint_picture(*colors: str) -> bytes:
    """Return a picture with a row of sprites, each of one color."""
    picture = Image.new("RGBA", (16 * len(colors), 16))
    for number, color in enumerate(colors):
        picture.paste(color, (16 * number, 0, 16 * number + 16, 16))
    return encode_image(picture)


TWO = "".join(
    f'<tileset firstgid="{gid}" name="{name}" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
    f'<image source="{name}.png" width="32" height="16"/></tileset>'
    for gid, name in ((1, "ground"), (3, "trees"))
)


def test_pictures_of_several_tilesets_are_combined(tmp_path: Path) -> None:
    files = {"ground.png": paint_picture("#102030", "#405060"), "trees.png": paint_picture("#708090", "#00000000")}
    layers = data("1,2,1,1"), data("0,0,3,4").replace('"ground"', '"trees"')
    map = read(tmx(*layers, tilesets=TWO), files)
    assert map.tileset.names == ("ground 0", "ground 1", "trees 0", "trees 1")
    assert [tile.over for tile in map.tileset] == ["", "", "*", "*"]
    pixels = np.asarray(map.image(scale=16).convert("RGB"))[8::16, 8::16]
    # A tree without pixels shows the ground beneath it.
    assert pixels.tolist() == [[[16, 32, 48], [64, 80, 96]], [[112, 128, 144], [16, 32, 48]]]
    map.save(tmp_path / "again.tmx")
    assert tw.load(tmp_path / "again.tmx") == map


def test_tiles_whose_picture_is_missing_are_drawn_by_color() -> None:
    with pytest.warns(UserWarning, match=r"'trees\.png' is not read, because the file is missing"):
        map = read(tmx(data("1,2,3,4"), tilesets=TWO), {"ground.png": paint_picture("#102030", "#405060")})
    assert [tile.sprite for tile in map.tileset] == [0, 1, None, None]
    with pytest.warns(UserWarning, match=r"'ground\.png' is not read, because the file is missing"):
        map = read(tmx(data("1,2,3,4"), tilesets=TWO), {"trees.png": paint_picture("#102030", "#405060")})
    assert [tile.sprite for tile in map.tileset] == [None, None, 0, 1]
    assert map.image(scale=16).size == (32, 32)
    with pytest.raises(tw.BadFile, match=r"trees\.png: not a readable picture"):
        read(tmx(data("1,2,3,4"), tilesets=TWO), {"ground.png": paint_picture("#102030", "red"), "trees.png": b"?"})


def test_the_columns_of_old_tilesets_are_those_of_the_picture() -> None:
    old = '<tileset firstgid="1" name="wild" tilewidth="16" tileheight="16"><image source="a.png"/></tileset>'
    map = read(tmx(data("1,2,3,6"), tilesets=old), {"a.png": encode_image(Image.new("RGB", (48, 32)))})
    assert sheet_of(map).columns == 3
    assert map.image(scale=16).size == (32, 32)


@pytest.mark.parametrize("source", ["sets/wild.tsx", "/etc/passwd", "C:/a.tsx", "../../dev/stdin", "file:///a.tsx"])
def test_an_external_tileset_that_cannot_be_read_is_ignored(source: str) -> None:
    opened = {source: b"secret"} if source != "sets/wild.tsx" else {}
    with pytest.warns(UserWarning, match=r"x\.tmx: .* is not read, because .*; its tiles are named by their numbers"):
        map = read(tmx(data(PLAIN), tilesets=EXTERNAL.replace("sets/wild.{}", source)), opened)
    assert map.tileset.names == ("tile0", "tile1", "tile2")


def test_a_map_without_its_picture_is_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = TILESET.replace("/>", '><image source="art/lost.png" width="48" height="48"/></tileset>')
    (tmp_path / "level.tmx").write_text(tmx(data(PLAIN), tilesets=picture))
    for target in ("level.png", "again.tmx"):
        assert main(["convert", str(tmp_path / "level.tmx"), str(tmp_path / target)]) == 0
        line = "level.tmx: 'art/lost.png' is not read, because the file is missing; its sprites are drawn by color"
        assert line in capsys.readouterr().err
    assert (tmp_path / "again-tiles.png").exists()


def test_a_given_tileset_is_used_by_name_then_by_number() -> None:
    cave = full_map().tileset
    assert read(tmx(data(PLAIN)), tileset=cave).cells.tolist() == [[0, 1], [2, 0]]
    tile = '<tile id="0"><properties><property name="name" value="ore"/></properties></tile>'
    named = read(tmx(data(PLAIN), tilesets=TILESET.replace("/>", f">{tile}</tileset>")), tileset=cave)
    assert named.cells.tolist() == [[4, 1], [2, 4]]
    with pytest.raises(tw.BadFile, match="unknown tile 'tile8'"):
        read(tmx(data("9,9,9,9")), tileset=cave)


# -- bad and hostile ------------------------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BOMB = base64.b64encode(zlib.compress(bytes(1 << 26))).decode()
ZLIB = 'encoding="base64" compression="zlib"'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tmx(data("&l11;"), head=f'<!DOCTYPE map [<!ENTITY l0 "ha">{LAUGHS}]>'), "contain a document type"),
        (tmx(data("&x;"), head='<!DOCTYPE map [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), "contain a document type"),
        (tmx(data(PLAIN), head='<!DOCTYPE map SYSTEM "http://example.org/map.dtd">'), "contain a document type"),
        (tmx(data("&x;"), head='<!DOCTYPE map [<!ENTITY x "1">]>').encode("utf-16"), "not XML in UTF-8"),
        (tmx(data("&x;"), head='<!DOCTYPE map [<!ENTITY x "1">]>').encode("utf-16-le"), "not XML in UTF-8"),
        (tmx(data("&x;"), head='<!DOCTYPE map [<!ENTITY x "1">]>').encode("utf-16-be"), "not XML in UTF-8"),
        (b'<?xml version="1.0" encoding="cp037"?>' + "<!DOCTYPE map []><map/>".encode("cp037"), "not XML in UTF-8"),
        (tmx(data("&x;")), "not XML in UTF-8: undefined entity"),
        ("", "not XML in UTF-8: no element found"),
        (tmx(data(PLAIN))[:-20], "not XML in UTF-8"),
        ("<svg/>", "must be a Tiled <map> or <tileset>, got <svg>"),
        (f"<map>{'<a/>' * (1 << 22)}</map>", "at most 4,194,304 elements and attributes"),
        (f"<map>{'<group>' * 500}{'</group>' * 500}</map>", "elements must be nested at most 100 deep"),
        ("<map/>", "width: is required"),
        (tmx(width=-1), "width: must be at least 0, got '-1'"),
        (tmx(), "contains no tile layer"),
        (tmx(data(PLAIN, width=10**9, height=10**9)), "cells, got 1,000,000,000,000,000,000"),
        (tmx(data(PLAIN, width=10**4, height=10**4)), "has 4 cells, its size needs 100,000,000"),
        (tmx(data(PLAIN, width=0), width=0), "a map must have at least one cell, got 0x2"),
        (tmx(data("1,2,\n3")), "layer 'ground': has 3 cells, its size needs 4"),
        (tmx(data("1,2,3,1,1")), "layer 'ground': has 5 cells, its size needs 4"),
        (tmx(data("1,2,,1")), "must contain only gids"),
        (tmx(data("1,2,x,1")), "must contain only gids"),
        (tmx(data("1,2,-3,1")), "must contain only gids"),
        (tmx(data("1,2,99999999999999999999999,1")), "must contain only gids"),
        (tmx(data("1,2.5,3,1")), "must contain only gids"),
        (tmx(data('<tile gid="x"/>' * 4, "")), "must contain only gids"),
        (tmx(data('<tile gid="1"/>', "")), "has 1 cell, its size of 2x2 needs 4"),
        (tmx(data("1,2,10,1")), "gid 10 belongs to no tileset"),
        (tmx(data("1,2,268435455,1")), "gid 268435455 belongs to no tileset"),
        (tmx(data(PLAIN), tilesets=""), "gid 1 belongs to no tileset"),
        (tmx(data(encode_gids([1, 2, 3, 1])[:-3], 'encoding="base64"')), "cannot be decompressed"),
        (tmx(data(encode_gids([1, 2, 3]), 'encoding="base64"')), "decompresses to 12 bytes, its size needs 16"),
        (tmx(data(encode_gids([1, 2, 3, 1], "zlib")[:-8], ZLIB)), "its compressed cells are truncated"),
        (tmx(data("AAAA", ZLIB)), "cannot be decompressed"),
        (tmx(data(BOMB, ZLIB)), "decompresses to more than 16 bytes, its size needs 16"),
        (tmx(data("KLUv", ZLIB.replace("zlib", "lzma"))), "be compressed with zlib, gzip, zstd or nothing, got 'lzma'"),
        (
            tmx(data("".join(f'<chunk x="{at}" y="{at}" width="1" height="1">1</chunk>' for at in (0, 99999)))),
            "its chunks have 2 cells but span 100,000x100,000",
        ),
        (tmx(data(PLAIN), tilesets='<tileset firstgid="0"/>'), "tilesets.0.firstgid: must be at least 1"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_in_one_line(content: str | bytes, message: str) -> None:
    with refused(message, tw.BadFile, start="x.tmx: "):
        read(content)


def test_documents_are_read_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.formats._tiled.MAX_BYTES", 1 << 20)
    with pytest.raises(tw.BadFile, match="a Tiled file must have at most 1 MB, got 2 MB"):
        read(" " * (1 << 21))


SHARED = b"""<tileset name="shared" tilewidth="8" tileheight="8" tilecount="2" columns="2">
<tile id="0" type="grass"/></tileset>"""
REFERRING = (
    '<map width="2" height="1" tilewidth="8" tileheight="8"><tileset firstgid="1" source="{}"/>'
    '<layer width="2" height="1"><data encoding="csv">1,2</data></layer></map>'
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder of a project, with tilesets beside, below and outside the folder of its maps."""
    for folder in ("maps", "maps/sets", "shared"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tiles.tsx").write_bytes(SHARED)
    (tmp_path / "maps" / "link.tsx").symlink_to(tmp_path / "shared" / "tiles.tsx")
    return tmp_path


def is_known(map: tw.TileMap) -> bool:
    """Return whether the tileset of a map was read."""
    return any("grass" in (tile.name, tile.kind) for tile in map.tileset)


@pytest.mark.parametrize("source", ["tiles.tsx", "sets/tiles.tsx", "sets/../tiles.tsx"])
def test_tilesets_beside_and_below_the_map_are_read(project: Path, source: str) -> None:
    path = project / "maps" / "level.tmx"
    path.write_text(REFERRING.format(source))
    assert is_known(tw.load(path))


@pytest.mark.parametrize("source", ["../shared/tiles.tsx", "link.tsx", "sets/../../shared/tiles.tsx"])
def test_tilesets_elsewhere_need_their_folder(project: Path, source: str) -> None:
    path = project / "maps" / "level.tmx"
    path.write_text(REFERRING.format(source))
    with pytest.warns(UserWarning, match="is not read, because it is outside the folder of the map; name its folder"):
        assert not is_known(tw.load(path))
    assert is_known(tw.load(path, folders=[project / "shared"]))
    assert is_known(tw.load(path, folders=[project]))
    with pytest.warns(UserWarning, match="outside the folder"):
        assert not is_known(tw.load(path, folders=[project / "maps" / "sets"]))


def test_the_command_line_takes_the_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, target = project / "maps" / "level.tmx", project / "out.json"
    path.write_text(REFERRING.format("../shared/tiles.tsx"))
    assert main(["convert", str(path), str(target)]) == 0
    assert "name its folder with --with" in capsys.readouterr().err
    assert not is_known(tw.load(target))
    assert main(["convert", str(path), str(target), "--with", str(project / "shared")]) == 0
    assert "--with" not in capsys.readouterr().err
    assert is_known(tw.load(target))
    for command in ("show", "measure"):
        assert main([command, str(path), "--with", str(project / "shared")]) == 0
        assert "--with" not in capsys.readouterr().err
    # The map has no recipe, so there is nothing to verify; the folder of tilesets is accepted.
    assert main(["verify", str(path), "--with", str(project / "shared")]) == 2
    assert "contains no map" not in capsys.readouterr().err
