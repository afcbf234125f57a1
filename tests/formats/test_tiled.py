"""Properties that TMX and TMJ share."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytiled_parser
from numpy.typing import NDArray
from PIL import Image
from pytiled_parser.layer import ObjectLayer, TileLayer

import tilewright as tw
from tests.formats.maps import (
    EXAMPLES,
    encode_image,
    full_map,
    same,
    sheet_of,
    sprite_map,
    with_sheet,
    without_skins,
    xml_safe,
)
from tilewright import formats
from tilewright.formats import Source, decode
from tilewright.formats._artwork import Artwork

both = pytest.mark.parametrize("name", ["tmx", "tmj"])
rasterizer = pytest.mark.skipif(not shutil.which("tmxrasterizer"), reason="tmxrasterizer (package tiled) is missing")


def round_trip(map: tw.TileMap, name: str, **options: Any) -> formats.LoadedMap:
    """Return the map after writing and reading it with the files beside it."""
    contents = encode_files(map, name, **options)
    source = Source(contents[f"level.{name}"], f"level.{name}", read_sibling=contents.__getitem__)
    return decode(source, formats.format_registry.get(name))[0]


@both
def test_a_map_with_a_picture_is_read_back(name: str) -> None:
    assert same(round_trip(sprite_map(), name).map, sprite_map())


@both
def test_tiles_keep_all_their_fields(name: str) -> None:
    tiles = [
        {"name": "road & <sea>", "glyph": '"', "color": "#123456", "costs": {"boat": 1.5, "foot": 2}, "code": -7},
        {"name": "b\tc\n", "glyph": " ", "color": "#ffffff", "passable": False, "kind": "rock", "sprite": 3},
    ]
    map = tw.TileMap([[0, 1]], tw.Tileset.validate({"name": "mine", "tiles": tiles}))
    assert round_trip(map, name).map.tileset == map.tileset


@both
def test_layers_of_large_maps_are_omitted(name: str) -> None:
    cells = np.zeros((256, 257), dtype=np.uint8)
    map = tw.TileMap(cells, EXAMPLES["deep"].tileset, layers={"height": cells.astype(float)})
    assert not round_trip(map, name).map.layers


@both
def test_one_level_can_be_read_alone(name: str) -> None:
    map, entry = EXAMPLES["deep"], formats.format_registry.get(name)
    source = Source(formats.encode(map, name), f"level.{name}")
    for wanted in ("level 2", "3"):
        level = decode(source, entry, layer=wanted)[0].map
        assert np.array_equal(level.cells, map.cells[2])
        assert level.markers == (tw.Marker("key", 4, 5),)
    assert decode(source, entry, layer="1")[0].map.markers == ()


# -- pictures -------------------------------------------------------------------------------------------------


def encode_files(map: tw.TileMap, name: str, **options: Any) -> dict[str, bytes]:
    """Return the contents by file name."""
    entry = formats.format_registry.get(name)
    return dict(entry.write(map, entry.params.validate(options), Path(f"level.{name}")))


VARIANTS: list[tuple[str, dict[str, Any]]] = [("tmx", {}), ("tmx", {"tileset_image": "embedded"}), ("tmj", {})]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("change", [{"color": "#123456"}, {"kind": "water"}, {"name": "b"}, {"passable": False}])
def test_a_changed_tile_changes_the_files(name: str, options: dict[str, Any], change: dict[str, Any]) -> None:
    """Sprites drawn for one tileset are not reused for another."""
    tile = {"name": "a", "glyph": "a", "color": "#808080", "kind": "rock"}
    contents = [
        encode_files(tw.TileMap([[0]], tw.Tileset.validate({"name": "mine", "tiles": [one]})), name, **options)
        for one in (tile, {**tile, **change}, tile)
    ]
    assert contents[0] == contents[2] != contents[1]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_a_changed_picture_changes_the_files(name: str, options: dict[str, Any]) -> None:
    map = sprite_map()
    sheet = sheet_of(map)
    with Image.open(io.BytesIO(sheet.picture)) as picture:
        other = encode_image(Image.new("RGB", picture.size, "#010203"))
    tileset = map.tileset.model_copy(update={"sheet": sheet.with_picture(other, "")})
    assert encode_files(map, name, **options) != encode_files(map.replace(tileset=tileset), name, **options)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_threads_write_the_same_files(name: str, options: dict[str, Any]) -> None:
    tiles = [{"name": f"tile {number}", "kind": "rock"} for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        sets = [tw.Tileset.validate({"name": f"set {number % 12}", "tiles": tiles}) for number in range(48)]
        contents = list(threads.map(lambda one: encode_files(tw.TileMap([[0]], one), name, **options), sets))
    assert all(contents[number] == contents[number % 12] for number in range(48))


def shared_sprites() -> tw.TileMap:
    """Return a map with two tiles on one sprite, one on another, and one without a sprite."""
    map = sprite_map()
    tiles = [*map.tileset.tiles, {"name": "red too", "sprite": 0}]
    tileset = tw.Tileset.validate({"name": "drawn", "tiles": tiles}).model_copy(update={"sheet": map.tileset.sheet})
    return tw.TileMap([[0, 1, 2, 3], [3, 2, 1, 0]], tileset)


@both
def test_tiles_that_share_a_sprite_stay_distinct(name: str) -> None:
    assert round_trip(shared_sprites(), name).map == shared_sprites()


@both
def test_the_picture_of_the_tileset_is_written_beside_the_map(name: str, tmp_path: Path) -> None:
    written = formats.save(without_skins(full_map()).replace(markers=()), tmp_path / f"level.{name}")
    assert [path.name for path in written] == [f"level.{name}", "level-tiles.png"]
    with Image.open(tmp_path / "level-tiles.png") as picture:
        assert picture.size == (7 * 16, 16)


@both
def test_the_users_picture_is_referenced_at_its_location(name: str, tmp_path: Path) -> None:
    map = sprite_map()
    sheet = sheet_of(map)
    (tmp_path / "art").mkdir()
    (tmp_path / "art" / "tiles.png").write_bytes(sheet.picture)
    found = sheet.with_picture(sheet.picture, str(tmp_path / "art" / "tiles.png"))
    map = with_sheet(map, found)
    written = formats.save(map, tmp_path / "maps" / f"level.{name}")
    assert [path.name for path in written] == [f"level.{name}", "level-tiles.png"]  # one tile has no sprite
    assert b"../art/tiles.png" in written[0].read_bytes()
    with pytest.warns(UserWarning, match="--with"):
        assert tw.load(written[0]) == map
    again = tw.load(written[0], folders=[tmp_path / "art"])
    assert again == map
    assert sheet_of(again).picture == sheet.picture


@both
def test_the_users_picture_is_copied_if_its_location_is_unknown(name: str, tmp_path: Path) -> None:
    map = sprite_map()
    unplaced = sheet_of(map).with_picture(sheet_of(map).picture, "")
    map = with_sheet(map, unplaced)
    formats.save(map, tmp_path / f"level.{name}")
    assert (tmp_path / "tiles.png").read_bytes() == unplaced.picture
    (tmp_path / "maps").mkdir()
    written = formats.save(map, tmp_path / "maps" / f"level.{name}", image_path="../tiles.png")
    assert [path.name for path in written] == [f"level.{name}", "level-tiles.png"]
    assert b"../tiles.png" in written[0].read_bytes()
    found = formats.load_all(written[0], folders=[tmp_path])[0].map
    assert found == map
    assert sheet_of(found).picture == unplaced.picture


@both
def test_no_file_contains_an_absolute_path(name: str) -> None:
    map = sprite_map()
    for path in ("/tmp/tiles.png", "C:\\tiles.png", "\\\\host\\tiles.png", "file:///tiles.png"):
        with pytest.raises(tw.InvalidRecipe, match="image_path: must be relative to the map's file"):
            formats.encode(map, name, image_path=path)
    sheet = sheet_of(map)
    hidden = sheet.model_copy(update={"image": "art/tiles.png"}).with_picture(sheet.picture, "/secret/art/tiles.png")
    map = with_sheet(map, hidden)
    assert b"secret" not in formats.encode(map, name)
    assert round_trip(map, name).map == map


# -- other programs -------------------------------------------------------------------------------------------


def render_with_tiled(path: Path) -> NDArray[np.uint8]:
    """Return the pixels of a map as Tiled draws it."""
    picture = path.with_suffix(".rendered.png")
    command = ["tmxrasterizer", "--hide-layer", "rooms", "--hide-layer", "markers", str(path), str(picture)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(path.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with Image.open(picture) as opened:
        return np.asarray(opened.convert("RGBA"))


def expected_pixels(map: tw.TileMap, size: int = 16) -> NDArray[np.uint8]:
    """Return the pixels of our own picture of a map; of a map with levels, of the first."""
    sheet = map.tileset.sheet
    first = map if map.cells.ndim == 2 else tw.TileMap(map.cells[0], map.tileset)
    picture = first.image(scale=sheet.tile_width if sheet else size, sprites=True, markers=False)
    return np.asarray(picture.convert("RGB"))


def assert_same_colors(found: NDArray[np.uint8], wanted: NDArray[np.uint8], tileset: tw.Tileset) -> None:
    """Assert that colors are equal. Where shadows are blended, Qt rounds twice, which may make a difference of 1."""
    artwork = Artwork.of(tileset)
    alpha = artwork.draw(range(len(artwork)), *artwork.native_size)[..., 3]
    has_shadows = bool(((alpha > 0) & (alpha < 255)).any())
    difference = np.abs(found.astype(int) - wanted.astype(int)).max(axis=-1)
    assert difference.max() <= has_shadows
    assert (difference > 0).mean() < 0.05


@rasterizer
@pytest.mark.parametrize(
    ("map", "name", "options"),
    [
        (xml_safe(full_map()), "tmx", {}),
        (xml_safe(full_map()), "tmj", {}),
        (xml_safe(full_map()), "tmx", {"tileset_image": "embedded"}),
        (xml_safe(full_map()), "tmx", {"tile_size": 24}),
        (EXAMPLES["deep"], "tmx", {}),
        (EXAMPLES["deep"], "tmj", {}),
        (EXAMPLES["300 tiles"], "tmx", {}),
        (shared_sprites(), "tmx", {}),
        (shared_sprites(), "tmj", {}),
        (shared_sprites(), "tmx", {"tileset_image": "embedded"}),
    ],
)
def test_tiled_draws_every_cell(map: tw.TileMap, name: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / f"level.{name}"
    formats.save(map, path, **options)
    pixels, wanted = render_with_tiled(path), expected_pixels(map, options.get("tile_size", 16))
    assert pixels.shape[:2] == wanted.shape[:2]
    seen = pixels[..., 3] == 255
    # The user's sprites may be transparent; our pictures have the color of the tile there.
    assert seen.all() or map.tileset.sheet
    assert_same_colors(pixels[seen][:, :3], wanted[seen], map.tileset)


@both
def test_an_independent_reader_reads_the_same_map(name: str, tmp_path: Path) -> None:
    map = without_skins(xml_safe(full_map()))
    path = tmp_path / f"level.{name}"
    formats.save(map, path)
    other = pytiled_parser.parse_map(path)
    tiles, rooms, markers = other.layers
    assert isinstance(tiles, TileLayer)
    assert isinstance(rooms, ObjectLayer)
    assert isinstance(markers, ObjectLayer)
    assert np.array_equal(np.array(tiles.data), map.cells + 1)
    assert (other.map_size.width, other.map_size.height) == (map.width, map.height)
    assert other.properties
    assert other.properties["number_a"] == 0.1
    known = other.tilesets[1].tiles
    assert known
    for number, tile in enumerate(map.tileset):
        about = known[number].properties
        assert about
        assert known[number].class_ == tile.kind
        assert (about["name"], about["glyph"], about["passable"]) == (tile.name, tile.glyph, tile.passable)
        assert tuple(about["color"])[:3] == tile.rgb  # type: ignore[arg-type]
    assert [(one.coordinates.x, one.coordinates.y, one.size.width, one.size.height) for one in rooms.tiled_objects] == [
        (room.x * 16, room.y * 16, room.width * 16, room.height * 16) for room in map.rooms
    ]
    assert [(one.name, one.coordinates.x, one.coordinates.y) for one in markers.tiled_objects] == [
        (marker.name, marker.x * 16 + 8, marker.y * 16 + 8) for marker in map.markers
    ]
