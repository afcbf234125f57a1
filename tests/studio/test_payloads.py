"""Payloads of maps, frames and overlays for the canvas."""

from __future__ import annotations

import base64
import io
import json
import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tilewright.core.site import Frame, Site
from tilewright.core.tilemap import Marker, Room
from tilewright.core.tilesets import tilesets
from tilewright.formats._icons import draw_icon, find_icon
from tilewright.studio.map import payloads
from tilewright.studio.map import payloads as sprite_sheets
from tilewright.studio.map.payloads import (
    SheetCache,
    decode_cells,
    encode_array,
    encode_frame,
    encode_map,
    encode_overlay,
    encode_sprites,
    encode_timeline,
)

CAVE, WAR = tilesets.get("cave"), tilesets.get("awbw")


def decode(text: str, dtype: Any = np.uint8) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.dtype(dtype).newbyteorder("<"))


def sheet_pixels(scene: dict[str, Any]) -> NDArray[np.uint8]:
    """Return the pictures of a sheet as the browser reads them: (picture, row, column, 3)."""
    return np.concatenate([page_pixels(page, scene["sheet"]["side"]) for page in scene["sheet"]["pages"]])


def page_pixels(page: dict[str, Any], side: int) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(base64.b64decode(page["url"].partition(",")[2]))) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    positions = (divmod(number, page["columns"]) for number in range(page["count"]))
    return np.stack([pixels[r * side : (r + 1) * side, c * side : (c + 1) * side] for r, c in positions])


def make_islands(seed: int) -> tw.TileMap:
    land = np.random.default_rng(seed).random((12, 17)) < 0.3
    return tw.TileMap(np.where(land, WAR.id("plain"), WAR.id("sea")), WAR)


def draw(scene: dict[str, Any]) -> NDArray[np.uint8]:
    """Return the pixels of a map as the browser draws it from the sheet."""
    cells = decode(scene["cells"], f"uint{scene['bits']}")
    looks = decode(scene["looks"], np.uint16) if scene["looks"] else cells
    sprites = sheet_pixels(scene)[looks.reshape(scene["height"], scene["width"])]
    pixels: NDArray[np.uint8] = sprites.swapaxes(1, 2).reshape(scene["height"] * 16, scene["width"] * 16, 3)
    return pixels


def test_the_payload_of_a_map() -> None:
    map = tw.TileMap(
        [[0, 1, 1], [2, 1, 0]],
        CAVE,
        rooms=[Room(1, 0, 2, 1), Room(0, 1, 1, 1)],
        links=[(0, 1)],
        markers=[Marker("start", 2, 0)],
    )
    locked = np.array([[False, True, False], [False, False, True]])
    scene = encode_map(map, locked=locked, painted=4, note="hand made")
    assert (scene["width"], scene["height"], scene["depth"], scene["bits"]) == (3, 2, 1, 8)
    assert decode(scene["cells"]).tolist() == [0, 1, 1, 2, 1, 0]
    assert decode(scene["locked"]).tolist() == [0, 1, 0, 0, 0, 1]
    assert [tile["name"] for tile in scene["tiles"]] == list(CAVE.names)
    assert scene["rooms"] == [[1, 0, 2, 1], [0, 1, 1, 1]]
    assert scene["links"] == [[0, 1]]
    assert scene["markers"] == [["start", 2, 0, 0]]
    assert scene["icons"]["numbers"] == [1], "the first icon is for further markers"
    assert (scene["painted"], scene["note"]) == (4, "hand made")
    json.dumps(scene)


def test_a_map_with_levels_and_without_locks() -> None:
    map = tw.TileMap(np.zeros((3, 4, 5), dtype=int), CAVE)
    scene = encode_map(map, locked=np.zeros(map.shape, dtype=bool))
    assert (scene["width"], scene["height"], scene["depth"]) == (5, 4, 3)
    assert scene["locked"] is None


def test_the_key_depends_on_shape_cells_and_tileset() -> None:
    one, other = tw.make("caves", width=20, height=10, seed=1), tw.make("caves", width=20, height=10, seed=2)
    assert encode_map(one)["key"] == encode_map(one.replace(numbers={}))["key"]
    assert encode_map(one)["key"] != encode_map(other)["key"]
    reshaped = tw.TileMap(one.cells.reshape(20, 10), one.tileset)
    assert encode_map(one)["key"] != encode_map(reshaped)["key"]


@pytest.mark.parametrize("map", [tw.make("rooms", width=30, height=20, seed=3), make_islands(1), make_islands(2)])
def test_sprites_are_those_of_pictures(map: tw.TileMap) -> None:
    assert np.array_equal(draw(encode_map(map)), np.asarray(map.image(scale=16, sprites=True).convert("RGB")))


def test_every_tile_has_its_own_picture_first() -> None:
    all_tiles = tw.TileMap(np.arange(len(WAR))[None], WAR)
    own = sheet_pixels(encode_map(all_tiles))[: len(WAR)]
    assert np.array_equal(own, sheet_pixels(encode_map(make_islands(3)))[: len(WAR)])
    assert len({picture.tobytes() for picture in own}) == len(WAR)


def test_a_sheet_grows_by_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payloads, "sheet_cache", SheetCache())
    first, again, other = (encode_map(make_islands(seed)) for seed in (1, 1, 2))
    pages = other["sheet"]["pages"]
    assert first["sheet"] == again["sheet"]
    assert pages[:2] == first["sheet"]["pages"], "what was sent stays the same"
    assert [page["first"] for page in pages] == [0, len(WAR), len(WAR) + pages[1]["count"]]
    later = encode_map(make_islands(1))
    assert later["sheet"] == other["sheet"]
    assert np.array_equal(draw(later), draw(first))


def test_a_sheet_that_grew_too_large_is_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payloads, "sheet_cache", SheetCache())
    first = encode_map(make_islands(1))["sheet"]
    monkeypatch.setattr(sprite_sheets, "MAX_PICTURES", len(sheet_pixels({"sheet": first})))
    digests = {first["digest"]}
    for seed in range(2, 6):
        scene = encode_map(make_islands(seed))
        expected = make_islands(seed).image(scale=16, sprites=True).convert("RGB")
        assert np.array_equal(draw(scene), np.asarray(expected))
        digests.add(scene["sheet"]["digest"])
    assert len(digests) > 1, "a browser must not add the pages of one sheet to another"


def test_with_too_many_tiles_there_is_no_sheet() -> None:
    many = tw.Tileset.from_labels([f"tile {number}" for number in range(1100)])
    for sprites in (True, False):
        scene = encode_map(tw.TileMap([[0, 1099]], many), sprites=sprites)
        assert (scene["sheet"], scene["looks"], scene["bits"]) == (None, None, 16)
        assert not scene["lacks_sprites"]
        assert decode(scene["cells"], np.uint16).tolist() == [0, 1099]


def test_a_map_may_be_sent_without_the_sprites_that_depend_on_neighbors() -> None:
    map = make_islands(1)
    scene, full = encode_map(map, sprites=False), encode_map(map)
    assert (scene["lacks_sprites"], full["lacks_sprites"]) == (True, False)
    assert scene["looks"] is None
    assert scene["sheet"] == {**full["sheet"], "pages": full["sheet"]["pages"][:1]}, "the palette needs the tiles"
    assert {**scene, **encode_sprites(map), "lacks_sprites": False} == full
    plain = tw.TileMap([[0, 1]], tw.Tileset.from_labels(["floor", "wall"]))
    assert encode_map(plain, sprites=False) == encode_map(plain), "nothing depends on neighbors"


def test_the_payload_of_frames_and_timelines() -> None:
    frames = [frame if frame.map else frame.snapshot() for frame in tw.watch("caves", width=12, height=9, seed=1)]
    scene = encode_frame(frames[0])
    assert (scene["width"], scene["height"], scene["stage"]) == (12, 9, "caves")
    assert np.array_equal(decode(scene["cells"]).reshape(9, 12), frames[0].cells)
    timeline = encode_timeline(frames)
    assert len(timeline["frames"]) == len(frames)
    assert all(frame["tiles"] is None for frame in timeline["frames"])
    assert {frame["tileset"] for frame in timeline["frames"]} == timeline["tilesets"].keys()
    json.dumps(timeline)


def test_frames_may_have_only_colors_and_lines() -> None:
    colors = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    numbers = {"fitness": 0.5, "odd": float("nan")}
    frame = Frame(colors=colors, lines=[((0.0, 0.5), (3.0, 1.0))], numbers=numbers, site=Site((2, 4), CAVE))
    scene = encode_frame(frame)
    assert (scene["width"], scene["height"], scene["tileset"]) == (4, 2, None)
    assert decode(scene["colors"]).tolist() == list(range(24))
    assert scene["lines"] == [[[0.0, 0.5], [3.0, 1.0]]]
    assert scene["numbers"] == {"fitness": 0.5}
    assert encode_timeline([frame])["tilesets"] == {}


def test_timelines_of_large_maps_have_fewer_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site((2, 5), CAVE)
    frames = [Frame(np.full((2, 5), number % 3, dtype=np.uint8), str(number), site=site) for number in range(50)]
    monkeypatch.setattr(payloads, "MAX_TIMELINE_CELLS", 80)
    notes = [frame["note"] for frame in encode_timeline(frames)["frames"]]
    assert (len(notes), notes[0], notes[-1]) == (8, "0", "49")
    monkeypatch.setattr(payloads, "MAX_TIMELINE_CELLS", 1)
    assert [frame["note"] for frame in encode_timeline(frames)["frames"]] == ["0", "49"]
    assert encode_timeline([]) == {"frames": [], "tilesets": {}, "sheets": {}}


def test_the_payload_of_an_overlay() -> None:
    map = tw.make("rooms", width=30, height=20, seed=3)
    overlay = tw.overlay(map, "rooms")
    scene = encode_overlay(overlay)
    assert (scene["width"], scene["height"]) == (30, 20)
    assert np.array_equal(decode(scene["tint"]).reshape(20, 30, 4), overlay.tint)
    assert len(scene["lines"]) == len(overlay.lines)
    assert scene["legend"] == overlay.legend
    json.dumps(scene)


def encode_cells(places: list[int], size: int) -> str:
    mask = np.zeros(size, dtype=np.uint8)
    mask[places] = 1
    return encode_array(np.packbits(mask, bitorder="little"))


@pytest.mark.parametrize("size", [1, 7, 8, 9, 1000])
def test_cells_are_decoded(size: int) -> None:
    places = sorted({0, size // 2, size - 1})
    assert decode_cells(encode_cells(places, size), size) == places
    assert decode_cells(encode_cells([], size), size) == []


@pytest.mark.parametrize(
    "sent",
    [
        *(None, 7, ["x"], {"cells": 1}, "", "no base64!", "AAAA", "ö"),
        encode_cells([3], 64)[:-4],
        encode_cells([3], 72),
        encode_cells([3], 40),
        encode_array(np.zeros(1 << 20, dtype=np.uint8)),
        "A" * 10_000,
    ],
)
def test_invalid_cells_are_refused(sent: object) -> None:
    assert decode_cells(sent, 64) is None


# -- icons and skins ----------------------------------------------------------------------------------------------


def test_icons_of_markers_are_in_one_row() -> None:
    names = ["start", "key red", "lever", "start", "key red", "keys, red"]
    map = tw.TileMap([[0, 1, 1]], CAVE, markers=[Marker(name, 1, 0) for name in names])
    icons = encode_map(map)["icons"]
    assert icons["numbers"] == [1, 2, 3, 1, 2, 2]
    assert len(icons["colors"]) == 4
    with Image.open(io.BytesIO(base64.b64decode(icons["url"].partition(",")[2]))) as picture:
        assert picture.size == (4 * icons["side"], icons["side"])
        pixels = np.asarray(picture)
    for number, name in enumerate(names[:3], 1):
        expected = draw_icon(find_icon(name), icons["side"])
        assert np.array_equal(pixels[:, number * 16 : (number + 1) * 16], expected)
    assert encode_map(map.replace(markers=[]))["icons"] is None


def test_a_painted_map_shows_the_same_sprites_as_its_picture() -> None:
    map = tw.make("caves", width=30, height=20, seed=4)
    recipe = map.recipe
    for row, column in np.argwhere(map.cells == CAVE.id("floor"))[::17].tolist():
        cells = map.cells.copy()
        cells[row, column] = CAVE.id("wall")
        map = map.replace(cells=cells)
        expected = np.asarray(map.replace(recipe=recipe).image(sprites=True, scale=16).convert("RGB"))
        assert np.array_equal(draw(encode_map(map, recipe=recipe)), expected)


def test_frames_of_a_timeline_show_the_sprites_of_the_finished_map() -> None:
    frames = list(tw.watch("caves", width=30, height=20, seed=4))
    recipe = frames[-1].map.recipe if frames[-1].map else None
    timeline = json.loads(json.dumps(encode_timeline(frames, recipe)))
    assert len(timeline["sheets"]) == 1
    for frame, encoded in zip(frames[:-1], timeline["frames"], strict=False):
        shown = draw({**encoded, "sheet": timeline["sheets"][encoded["sheet"]]})
        finished = tw.TileMap(frame.cells, frame.tileset).replace(recipe=recipe)
        assert np.array_equal(shown, np.asarray(finished.image(sprites=True, scale=16).convert("RGB")))


def test_frames_of_large_maps_and_of_colors_have_a_sprite_per_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site((2, 2), CAVE)
    plain = Frame(np.zeros((2, 2), np.uint8), site=site).snapshot()
    colored = Frame(colors=np.zeros((2, 2, 3), np.uint8), site=site).snapshot()
    sheets = [list(encode_timeline(frames)["sheets"]) for frames in ([plain, plain], [colored, plain])]
    assert [len(found) for found in sheets] == [1, 0]
    monkeypatch.setattr(sprite_sheets, "MAX_LOOK_CELLS", 3)
    assert not encode_timeline([plain, plain])["sheets"]
    monkeypatch.setattr(sprite_sheets, "MAX_LOOK_CELLS", 4)
    monkeypatch.setattr(sprite_sheets, "MAX_PICTURES", len(CAVE))
    assert not encode_timeline([plain, plain])["sheets"]
