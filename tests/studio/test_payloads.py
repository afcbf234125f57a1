"""Maps, frames and overlays as the canvas in the browser gets them."""

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
from tilewright.core.registry import tilesets
from tilewright.core.site import Frame, Site
from tilewright.core.tilemap import Marker, Room
from tilewright.studio import payloads as scenes
from tilewright.studio.payloads import (
    decode_cells,
    encode_array,
    encode_frame,
    encode_map,
    encode_overlay,
    encode_timeline,
)

CAVE, WAR = tilesets.get("cave"), tilesets.get("awbw")


def unpacked(text: str, dtype: Any = np.uint8) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.dtype(dtype).newbyteorder("<"))


def sheet_pixels(scene: dict[str, Any]) -> NDArray[np.uint8]:
    """(picture, row, column, 3) the sheet as the browser cuts it."""
    sheet = scene["sheet"]
    with Image.open(io.BytesIO(base64.b64decode(sheet["url"].partition(",")[2]))) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    side, columns = sheet["side"], sheet["columns"]
    places = (divmod(number, columns) for number in range(sheet["count"]))
    return np.stack([pixels[r * side : (r + 1) * side, c * side : (c + 1) * side] for r, c in places])


def islands(seed: int) -> tw.TileMap:
    land = np.random.default_rng(seed).random((12, 17)) < 0.3
    return tw.TileMap(np.where(land, WAR.id("plain"), WAR.id("sea")), WAR)


def seen(scene: dict[str, Any]) -> NDArray[np.uint8]:
    """The pixels of a map as the browser draws it from the sheet."""
    cells = unpacked(scene["cells"], f"uint{scene['bits']}")
    looks = unpacked(scene["looks"], np.uint16) if scene["looks"] else cells
    sprites = sheet_pixels(scene)[looks.reshape(scene["height"], scene["width"])]
    pixels: NDArray[np.uint8] = sprites.swapaxes(1, 2).reshape(scene["height"] * 16, scene["width"] * 16, 3)
    return pixels


def test_a_map_comes_with_all_that_is_shown_of_it() -> None:
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
    assert unpacked(scene["cells"]).tolist() == [0, 1, 1, 2, 1, 0]
    assert unpacked(scene["locked"]).tolist() == [0, 1, 0, 0, 0, 1]
    assert [tile["name"] for tile in scene["tiles"]] == list(CAVE.names)
    assert scene["rooms"] == [[1, 0, 2, 1], [0, 1, 1, 1]]
    assert scene["links"] == [[0, 1]]
    assert scene["markers"] == [["start", 2, 0, 0]]
    assert (scene["painted"], scene["note"]) == (4, "hand made")
    json.dumps(scene)


def test_no_locks_are_nothing_and_levels_are_counted() -> None:
    map = tw.TileMap(np.zeros((3, 4, 5), dtype=int), CAVE)
    scene = encode_map(map, locked=np.zeros(map.shape, dtype=bool))
    assert (scene["width"], scene["height"], scene["depth"]) == (5, 4, 3)
    assert scene["locked"] is None


def test_the_key_names_what_is_seen() -> None:
    one, other = tw.make("caves", width=20, height=10, seed=1), tw.make("caves", width=20, height=10, seed=2)
    assert encode_map(one)["key"] == encode_map(one.replace(numbers={}))["key"]
    assert encode_map(one)["key"] != encode_map(other)["key"]
    turned = tw.TileMap(one.cells.reshape(20, 10), one.tileset)
    assert encode_map(one)["key"] != encode_map(turned)["key"]


@pytest.mark.parametrize("map", [tw.make("rooms", width=30, height=20, seed=3), islands(1), islands(2)])
def test_sprites_are_those_of_pictures(map: tw.TileMap) -> None:
    assert np.array_equal(seen(encode_map(map)), np.asarray(map.image(scale=16, sprites=True).convert("RGB")))


def test_every_tile_has_its_own_picture_first() -> None:
    whole = tw.TileMap(np.arange(len(WAR))[None], WAR)
    own = sheet_pixels(encode_map(whole))[: len(WAR)]
    assert np.array_equal(own, sheet_pixels(encode_map(islands(3)))[: len(WAR)])
    assert len({picture.tobytes() for picture in own}) == len(WAR)


def test_a_sheet_is_drawn_once_and_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "sheet_cache", scenes.SheetCache())
    first, again = encode_map(islands(1)), encode_map(islands(1))
    assert first["sheet"] is again["sheet"]
    encode_map(islands(2))
    later = encode_map(islands(1))
    assert later["sheet"]["count"] >= first["sheet"]["count"]
    assert np.array_equal(seen(later), seen(first))


def test_a_sheet_that_grew_too_large_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "sheet_cache", scenes.SheetCache())
    most = encode_map(islands(1))["sheet"]["count"]
    monkeypatch.setattr(scenes, "MAX_PICTURES", most)
    for seed in range(2, 6):
        scene = encode_map(islands(seed))
        expected = islands(seed).image(scale=16, sprites=True).convert("RGB")
        assert np.array_equal(seen(scene), np.asarray(expected))


def test_without_sprites_or_with_too_many_tiles_there_is_no_sheet() -> None:
    many = tw.Tileset.from_labels([f"tile {number}" for number in range(1100)])
    scene = encode_map(tw.TileMap([[0, 1099]], many))
    assert (scene["sheet"], scene["looks"], scene["bits"]) == (None, None, 16)
    assert unpacked(scene["cells"], np.uint16).tolist() == [0, 1099]
    assert encode_map(islands(1), sprites=False)["sheet"] is None


def test_frames_tell_what_is_done() -> None:
    frames = [frame if frame.map else frame.snapshot() for frame in tw.watch("caves", width=12, height=9, seed=1)]
    scene = encode_frame(frames[0])
    assert (scene["width"], scene["height"], scene["stage"]) == (12, 9, "caves")
    assert np.array_equal(unpacked(scene["cells"]).reshape(9, 12), frames[0].cells)
    film = encode_timeline(frames)
    assert len(film["frames"]) == len(frames)
    assert all(frame["tiles"] is None for frame in film["frames"])
    assert {frame["tileset"] for frame in film["frames"]} == film["tilesets"].keys()
    json.dumps(film)


def test_frames_may_be_colours_alone_and_have_lines() -> None:
    colors = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    numbers = {"fitness": 0.5, "odd": float("nan")}
    frame = Frame(colors=colors, lines=[((0.0, 0.5), (3.0, 1.0))], numbers=numbers, site=Site((2, 4), CAVE))
    scene = encode_frame(frame)
    assert (scene["width"], scene["height"], scene["tileset"]) == (4, 2, None)
    assert unpacked(scene["colors"]).tolist() == list(range(24))
    assert scene["lines"] == [[[0.0, 0.5], [3.0, 1.0]]]
    assert scene["numbers"] == {"fitness": 0.5}
    assert encode_timeline([frame])["tilesets"] == {}


def test_films_of_large_maps_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site((2, 5), CAVE)
    frames = [Frame(np.full((2, 5), number % 3, dtype=np.uint8), str(number), site=site) for number in range(50)]
    monkeypatch.setattr(scenes, "MAX_TIMELINE_CELLS", 80)
    notes = [frame["note"] for frame in encode_timeline(frames)["frames"]]
    assert (len(notes), notes[0], notes[-1]) == (8, "0", "49")
    monkeypatch.setattr(scenes, "MAX_TIMELINE_CELLS", 1)
    assert [frame["note"] for frame in encode_timeline(frames)["frames"]] == ["0", "49"]
    assert encode_timeline([]) == {"frames": [], "tilesets": {}}


def test_overlays_keep_their_lines_and_legend() -> None:
    map = tw.make("rooms", width=30, height=20, seed=3)
    overlay = tw.overlay(map, "rooms")
    scene = encode_overlay(overlay)
    assert (scene["width"], scene["height"]) == (30, 20)
    assert np.array_equal(unpacked(scene["tint"]).reshape(20, 30, 4), overlay.tint)
    assert len(scene["lines"]) == len(overlay.lines)
    assert scene["legend"] == overlay.legend
    json.dumps(scene)


def told(places: list[int], size: int) -> str:
    mask = np.zeros(size, dtype=np.uint8)
    mask[places] = 1
    return encode_array(np.packbits(mask, bitorder="little"))


@pytest.mark.parametrize("size", [1, 7, 8, 9, 1000])
def test_places_come_back(size: int) -> None:
    places = sorted({0, size // 2, size - 1})
    assert decode_cells(told(places, size), size) == places
    assert decode_cells(told([], size), size) == []


@pytest.mark.parametrize(
    "sent",
    [
        *(None, 7, ["x"], {"cells": 1}, "", "no base64!", "AAAA", "ö"),
        told([3], 64)[:-4],
        told([3], 72),
        told([3], 40),
        encode_array(np.zeros(1 << 20, dtype=np.uint8)),
        "A" * 10_000,
    ],
)
def test_nothing_else_is_taken_for_places(sent: object) -> None:
    assert decode_cells(sent, 64) is None
