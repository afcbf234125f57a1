from __future__ import annotations

import io
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

import tilewright as tw
from tests.formats.maps import EXAMPLES, encode_image, full_map, numbered_map, read_map, same, sprite_map
from tests.refusals import refused
from tilewright import formats

PNG = formats.format_registry.get("png")
MAP = tw.make("caves", width=12, height=6, seed=3)
read = partial(read_map, "png")


def picture(content: bytes) -> Image.Image:
    opened = Image.open(io.BytesIO(content))
    opened.load()
    return opened


def png(image: Image.Image, text: str | None = None, key: str = "tilewright") -> bytes:
    info = PngImagePlugin.PngInfo()
    if text is not None:
        info.add_text(key, text)
    return encode_image(image, pnginfo=info)


def test_the_palette_index_is_the_tile_id() -> None:
    for map in (MAP, numbered_map(256), numbered_map(40, alike=True)):
        shown = picture(formats.encode(map, "png", scale=3))
        assert shown.mode == "P"
        assert np.array_equal(np.asarray(shown)[1::3, 1::3], map.cells)
        assert np.array_equal(np.reshape(shown.getpalette() or [], (-1, 3))[: len(map.tileset)], map.tileset.colors)


def test_scale_grid_and_markers() -> None:
    map = MAP.replace(markers=[tw.Marker("spawn", 2, 1)])
    plain, grid, icon = (
        np.asarray(map.image(scale=10, sprites=False, **options).convert("RGB"))
        for options in ({"markers": False}, {"markers": False, "grid": True}, {})
    )
    assert plain.shape == (60, 120, 3)
    assert (plain == map.tileset.colors[map.cells].repeat(10, 0).repeat(10, 1)).all()
    between = (plain != grid).any(axis=2)
    assert between[10::10].all()
    assert between[:, 10::10].all()
    assert between.sum() == 5 * 120 + 11 * 60 - 5 * 11
    changed = np.argwhere((plain != icon).any(axis=2))
    assert changed.min(axis=0).tolist() == [9, 19], "a pixel around the cell, so that the icon is as large as the cell"
    assert changed.max(axis=0).tolist() == [20, 30]


def test_large_maps_are_drawn_smaller_by_default() -> None:
    assert np.asarray(tw.TileMap(np.zeros((3, 4), np.uint8), MAP.tileset).image(scale=16)).shape == (48, 64)
    large = tw.TileMap(np.zeros((3000, 2000), np.uint8), MAP.tileset)
    assert picture(formats.encode(large, "png")).size == (2000, 3000)
    with pytest.raises(tw.TooLarge, match=r"pixels, got 200,000x300,000; lower the scale"):
        large.image(scale=100)


def test_levels_are_drawn_side_by_side() -> None:
    map = tw.TileMap(np.zeros((3, 2, 4), np.uint8), MAP.tileset)
    shown = np.asarray(map.image(scale=2).convert("RGB"))
    assert shown.shape == (4, 28, 3)
    assert (shown[:, 8:10] != shown[:, :1]).any()


def test_sprites_are_drawn_over_the_tiles_color() -> None:
    map = sprite_map()
    shown = np.asarray(map.image(scale=4).convert("RGB"))
    assert shown[0, 0].tolist() == [255, 0, 0]
    assert [shown[0, 4].tolist(), shown[3, 4].tolist()] == [[0, 255, 0], [0, 0, 255]]
    assert shown[1, 9].tolist() == [0x12, 0x34, 0x56], "a tile without a sprite is drawn"
    assert picture(formats.encode(map, "png")).size == (48, 32), "enlarged four times"
    assert np.array_equal(np.asarray(map.image(scale=4, sprites=False))[::4, ::4], map.cells)
    for options in ({}, {"scale": 3}, {"sprites": False}):
        again = read(formats.encode(map, "png", **options))
        assert np.array_equal(again.cells, map.cells)
        assert again.tileset.names == map.tileset.names


def test_a_tileset_without_a_picture_has_built_in_sprites() -> None:
    drawn = MAP.image(scale=16, sprites=True)
    assert drawn.size == (MAP.width * 16, MAP.height * 16)
    assert len(np.unique(np.asarray(drawn.convert("RGB")).reshape(-1, 3), axis=0)) > len(MAP.tileset)
    assert np.array_equal(read(formats.encode(MAP, "png", sprites=True)).cells, MAP.cells)


def test_a_sprite_outside_the_picture_is_refused() -> None:
    tileset = sprite_map().tileset
    tiles = (tileset[0].model_copy(update={"sprite": 9}), *tileset.tiles[1:])
    with pytest.raises(tw.InvalidRecipe, match=r"tile 'red': sprite 9 is outside tiles\.png"):
        tw.TileMap([[0]], tileset.model_copy(update={"tiles": tiles})).image()


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P"])
def test_an_edited_picture_gives_the_edited_cells(mode: str, tmp_path: Path) -> None:
    original = picture(formats.encode(MAP, "png", scale=4))
    text = original.info["tilewright"]
    edited = original.convert("RGB")
    water = MAP.tileset.id("water")
    edited.paste(MAP.tileset[water].rgb, (8, 4, 16, 8))
    edited = edited.quantize(16) if mode == "P" else edited.convert(mode)
    (tmp_path / "a.png").write_bytes(png(edited, text))
    expected = MAP.cells.copy()
    expected[1, 2:4] = water
    assert np.array_equal(tw.load(tmp_path / "a.png").cells, expected)
    assert tw.verify(tmp_path / "a.png").outcome == "edited"


def test_an_edit_keeps_tiles_of_the_same_color_distinct() -> None:
    map = numbered_map(40, 5, 6, alike=True)
    original = picture(formats.encode(map, "png", scale=2))
    edited = original.convert("RGB")
    number = int(map.cells[0, 0])
    edited.paste(map.tileset[1 - number % 2].rgb, (0, 0, 2, 2))
    expected = map.cells.copy()
    expected[0, 0] = 1 - number % 2
    assert np.array_equal(read(png(edited, original.info["tilewright"])).cells, expected)


def test_an_unknown_color_is_reported_with_its_place() -> None:
    original = picture(formats.encode(MAP, "png", scale=2))
    edited = original.convert("RGB")
    edited.paste((1, 2, 3), (6, 4, 8, 6))
    with pytest.raises(
        tw.BadFile, match=r"^x.png: the color #010203 at x=3 y=2 is not that of a tile \(tileset 'cave'\)$"
    ):
        read(png(edited, original.info["tilewright"]))


def test_a_cropped_picture_is_read_with_a_scale() -> None:
    original = picture(formats.encode(MAP, "png", scale=4))
    cut = png(original.crop((8, 4, 40, 20)), original.info["tilewright"])
    with pytest.raises(tw.BadFile, match="read it with a scale"):
        read(cut)
    assert np.array_equal(read(cut, scale=4).cells, MAP.cells[1:5, 2:10])
    assert read(formats.encode(MAP, "png", scale=4), scale=4).recipe == MAP.recipe
    with pytest.raises(tw.BadFile, match="not a multiple of the scale 5"):
        read(cut, scale=5)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_any_other_picture_has_a_tile_per_color(mode: str) -> None:
    foreign = Image.fromarray(np.array([[0, 255, 0], [255, 255, 0]], dtype=np.uint8))
    map = read(png(foreign.convert("I").convert("I;16") if mode == "I;16" else foreign.convert(mode)))
    assert map.shape == (2, 3)
    assert map.cells.tolist() == [[0, 1, 0], [1, 1, 0]]
    assert map.tileset[0].color == "#000000"
    assert map.tileset[1].color == map.tileset[1].name == "#ffffff"


def test_another_picture_is_read_with_a_tileset() -> None:
    foreign = Image.fromarray(MAP.tileset.colors[MAP.cells]).resize((36, 18), Image.Resampling.NEAREST)
    assert np.array_equal(read(png(foreign), tileset=MAP.tileset, scale=3).cells, MAP.cells)
    with pytest.raises(tw.BadFile, match="is not that of a tile"):
        read(png(Image.new("RGB", (2, 2), "#fedcba")), tileset=MAP.tileset)


def test_too_many_colors_are_refused() -> None:
    codes = np.arange(65_792, dtype=np.uint32).reshape(256, 257)
    colors = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=2).astype(np.uint8)
    with pytest.raises(tw.BadFile, match="got 65,792"):
        read(png(Image.fromarray(colors)))


def test_a_huge_size_is_refused_before_decoding() -> None:
    content = bytearray(formats.encode(MAP, "png"))
    content[16:24] = (2_000_000_000).to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4, "big")
    with pytest.raises(tw.BadFile, match="pixels, got 4,000,000,000,000,000,000"):
        read(bytes(content))


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "1", "{}", '{"shape": [6, 12]}', "\u00ff", "[" * 100_000, '{"shape": [99999999, 99999999]}'],
)
def test_a_wrong_label_is_refused(text: str) -> None:
    with pytest.raises(tw.BadFile):
        read(png(MAP.image(scale=1), text))


def test_a_label_whose_cells_do_not_fit_its_tiles_is_refused() -> None:
    text = picture(formats.encode(sprite_map(), "png")).info["tilewright"]
    assert '"plain"' in text
    with pytest.raises(tw.BadFile):
        read(png(sprite_map().image(), text.replace(', {"name": "plain", "glyph": "p", "color": "#123456"}', "")))


def test_a_long_label_is_split_into_chunks_that_others_can_read() -> None:
    map = numbered_map(30_000, 3, 3)
    content = formats.encode(map, "png")
    assert content.count(b"zTXttilewright") > 1
    assert read(content) == map


def test_layers_of_large_maps_are_omitted() -> None:
    map = tw.TileMap(np.zeros((300, 300), np.uint8), MAP.tileset, layers={"height": np.zeros((300, 300))})
    assert read(formats.encode(map, "png")) == map.replace(layers={})


# -- overlays and layers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["distance", "flee", "path", "hot-path", "regions", "rooms", "chokepoints", "sight"])
@pytest.mark.parametrize("options", [{}, {"scale": 1}, {"sprites": True, "grid": True, "markers": True}], ids=str)
def test_a_picture_with_an_overlay_is_still_its_map(name: str, options: dict[str, Any]) -> None:
    map = full_map()
    content = formats.encode(map, "png", overlay=name, **options)
    assert same(read(content), map)
    assert picture(content).size == picture(formats.encode(map, "png", **options)).size
    assert read(formats.encode(MAP, "png", overlay=name)).recipe == MAP.recipe


def test_an_overlay_tints_its_cells_and_no_others() -> None:
    plain = np.asarray(MAP.image(scale=4).convert("RGB")).astype(int)
    tint = np.zeros((*MAP.shape, 4), np.uint8)
    tint[2, 5] = 255, 0, 0, 128
    shown = np.asarray(MAP.image(scale=4, overlay=tw.Overlay(tint))).astype(int)
    changed = np.argwhere((shown != plain).any(axis=2))
    assert changed.min(axis=0).tolist() == [8, 20]
    assert changed.max(axis=0).tolist() == [11, 23]
    half = (plain[9, 21] * 127 + np.array([255, 0, 0]) * 128) / 255
    assert np.abs(shown[9, 21] - half).max() <= 1


def test_an_overlay_is_a_string_or_the_result_of_tw_overlay() -> None:
    origin = np.argwhere(MAP.passable)[3].tolist()[::-1]
    found = tw.overlay(MAP, "distance", origin=origin)
    pictures = [MAP.image(overlay=given).tobytes() for given in (found, found.text)]
    assert pictures[0] == pictures[1] != MAP.image().convert("RGB").tobytes()
    options = PNG.params.validate({"overlay": "hot-path,slack=3"})
    assert options == PNG.params.validate(options.model_dump(mode="json"))
    assert hash(options) == hash(PNG.params.validate({"overlay": "hot-path,slack=3.0"}))
    assert PNG.params.validate({"overlay": found}).model_dump(mode="json")["overlay"] == found.text
    for wrong, text in {
        "distence": "overlay: unknown overlay 'distence'; did you mean 'distance'?",
        "sight,radius=x": "overlay: sight: radius: must be an integer, got 'x'",
        7: "overlay: must be a string such as distance, or the result of tw.overlay, got 7",
    }.items():
        with refused(text, tw.InvalidRecipe, exact=True):
            MAP.image(overlay=wrong)


def test_levels_have_overlays() -> None:
    map = EXAMPLES["deep"]
    assert same(read(formats.encode(map, "png", overlay="distance")), map)
    with pytest.raises(tw.InvalidRecipe, match="overlay sight: needs a map of one level, got 3"):
        map.image(overlay="sight")


def heights(values: Any, **fields: Any) -> tw.TileMap:
    return tw.TileMap(np.zeros(np.shape(values), np.uint8), MAP.tileset, layers={"height": values}, **fields)


@pytest.mark.parametrize(
    ("values", "gray_levels"),
    [
        ([[0.0, 0.5], [0.25, 1.0]], [[0, 32768], [16384, 65535]]),
        ([[0.2, 0.2]], [[13107, 13107]]),
        ([[-1.0, 0.0, 1.0]], [[0, 32768, 65535]]),
        ([[5.0, 5.0]], [[0, 0]]),
    ],
)
def test_a_layer_is_drawn_in_16_bit_gray(values: Any, gray_levels: Any) -> None:
    map = heights(values)
    content = formats.encode(map, "png", layer="height")
    assert content[24:26] == bytes([16, 0])  # bit depth and color type
    assert np.asarray(picture(content)).tolist() == gray_levels
    assert same(read(content), map)
    larger = formats.encode(map, "png", layer="height", scale=3)
    assert np.array_equal(np.asarray(picture(larger)), np.repeat(np.repeat(gray_levels, 3, 0), 3, 1))
    assert same(read(larger), map)
    assert np.array_equal(np.asarray(map.image(scale=1, layer="height")), gray_levels)


def test_a_picture_of_heights_can_be_verified(tmp_path: Path) -> None:
    map = tw.make("noise", width=30, height=20, seed=5)
    map.save(tmp_path / "heights.png", layer="height")
    assert same(tw.load(tmp_path / "heights.png"), map)
    assert tw.verify(tmp_path / "heights.png").outcome == "same"


def test_levels_have_layers() -> None:
    map = EXAMPLES["deep"]
    content = formats.encode(map, "png", layer="heat")
    assert picture(content).size == (17, 6)
    assert same(read(content), map)


def test_painted_heights_are_read_from_the_picture() -> None:
    map = heights(np.linspace(0, 0.9, 12).reshape(3, 4))
    drawn = picture(formats.encode(map, "png", layer="height", scale=2))
    pixels = np.array(drawn)
    pixels[2:4, 2:4] = 65535
    again = read(png(Image.fromarray(pixels), drawn.info["tilewright"])).layers["height"]
    assert again[1, 1] == 1
    untouched = np.ones((3, 4), bool)
    untouched[1, 1] = False
    assert np.array_equal(again[untouched], map.layers["height"][untouched])
    with pytest.raises(tw.BadFile, match="not a 16-bit picture, as its label with the layer 'height' requires"):
        read(png(Image.fromarray((pixels >> 8).astype(np.uint8)), drawn.info["tilewright"]))


@pytest.mark.parametrize("between", ["null", "[1, 0]", "[-1e308, 1e308]", "[0, 1, 2]", '["a", "b"]', "[NaN, 1]"])
def test_labels_with_invalid_ranges_are_refused_in_one_line(between: str) -> None:
    drawn = picture(formats.encode(heights([[0.0, 1.0]]), "png", layer="height"))
    text = drawn.info["tilewright"]
    assert '"range": [0.0, 1.0]' in text
    with refused("", tw.BadFile):
        read(png(drawn, text.replace('"range": [0.0, 1.0]', f'"range": {between}')))


def test_large_maps_keep_the_layer_that_is_shown() -> None:
    layer = np.random.default_rng(1).random((300, 300))
    map = tw.TileMap(np.zeros((300, 300), np.uint8), MAP.tileset, layers={"height": layer, "other": layer})
    again = read(formats.encode(map, "png", layer="height"))
    assert list(again.layers) == ["height"]
    assert np.abs(again.layers["height"] - layer).max() <= 0.5 / 65535


def test_other_heights_are_not_read_as_tiles() -> None:
    foreign = png(Image.fromarray(np.arange(12, dtype=np.uint16).reshape(3, 4) * 5000))
    with pytest.raises(tw.BadFile, match=r"^x.png: 16-bit gray levels are heights, not tiles; convert it to 8 bits"):
        read(foreign)


@pytest.mark.parametrize(
    ("map", "options", "text"),
    [
        (heights([[0.0]]), {"layer": "hight"}, "unknown layer 'hight'; did you mean 'height'?"),
        (
            MAP,
            {"layer": "height"},
            "layer: the map has no layers, got 'height'; the technique noise stores its heights as one",
        ),
        (
            heights([[0.0, np.nan, np.inf]]),
            {"layer": "height"},
            "layer: 'height' must be finite, but is not in 2 cells",
        ),
        (
            heights([[-1e308, 1e308]]),
            {"layer": "height"},
            "layer: the range of 'height' is too large for a picture, -1e+308 to 1e+308",
        ),
        (
            heights([[0.0]]),
            {"layer": "height", "markers": True, "overlay": "distance"},
            "layer: a picture of a layer shows nothing else; remove markers, overlay",
        ),
    ],
)
def test_layers_that_cannot_be_shown_are_refused(map: tw.TileMap, options: dict[str, Any], text: str) -> None:
    with refused(text, exact=True):
        formats.encode(map, "png", **options)
