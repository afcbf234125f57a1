"""Pictures of sprites equal the layers of sprites drawn over each other with Pillow, for any tileset and map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.contents import encode_image
from tests.refusals import refused
from tilewright.core.skins import LAYOUTS, MAX_SKINS, MAX_SPRITES
from tilewright.core.tileset import Sheet
from tilewright.formats import _artwork
from tilewright.formats._artwork import MAX_LAYERS, Artwork
from tilewright.formats._composition import CellStacks
from tilewright.formats._layers import ground_tiles, sprite_layers
from tilewright.formats._sheet import sheet_picture

NAMES = ("water", "sand", "grass", "wall", "door", "tree")
KINDS = ("water", "sand", "grass", "brick", "", "tree")
ROWS = 60
"""Rows of sprites in the sheets of these tests, enough for all layouts."""


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    """Return a sheet of random sprites, which may not be square, with margin and spacing."""
    width, height = (2 * draw(st.integers(1, 4)) for _ in range(2))
    margin, spacing, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3)), draw(st.integers(12, 14))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    shape = margin + ROWS * (height + spacing), margin + columns * (width + spacing), 4
    pixels = rng.integers(0, 256, shape, dtype=np.uint8)
    pixels[..., 3] = rng.choice([0, 128, 255], shape[:2], p=[0.4, 0.1, 0.5])
    plain: dict[str, Any] = {"image": "s.png", "tile_width": width, "tile_height": height, "columns": columns}
    return Sheet(**plain, margin=margin, spacing=spacing).with_picture(encode_image(Image.fromarray(pixels)), "")


@st.composite
def skinned_tilesets(draw: st.DrawFn) -> tw.Tileset:
    sheet = draw(st.none() | sheets())
    skins: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(0, 4))):
        names = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
        layout = draw(st.sampled_from(sorted(LAYOUTS)))
        skin: dict[str, Any] = {"tile": draw(st.sampled_from(NAMES[:4])), "layout": layout}
        skin |= {"with": draw(names), "under": draw(names), "outside": draw(st.booleans())}
        if sheet is None or (layout == "rpgmaker-a2" and draw(st.booleans())):
            skin["variants"] = draw(st.integers(1, 3))
        else:
            skin["first"] = sheet.columns * draw(st.integers(0, 8))
            if draw(st.booleans()):
                skin["sprites"] = {"n": [0, [1, 2.5], [2, 0.25]], "": 3}
        skins.append(skin)
    over = {"door": draw(st.sampled_from(["", "sand", "*"])), "tree": draw(st.sampled_from(["", "*"]))}
    tiles = [
        {"name": name, "kind": kind, "over": over.get(name, ""), **({"sprite": number} if sheet and number % 2 else {})}
        for number, (name, kind) in enumerate(zip(NAMES, KINDS, strict=True))
    ]
    return _validate({"name": "random", "tiles": tiles, "skins": skins}, sheet)


def _validate(data: dict[str, Any], sheet: Sheet | None) -> tw.Tileset:
    """Return a tileset with this sheet, whose picture is not part of the data."""
    plain = None if sheet is None else sheet.model_dump()
    return tw.Tileset.validate({**data, "sheet": plain}).model_copy(update={"sheet": sheet})


@st.composite
def skinned_maps(draw: st.DrawFn) -> tw.TileMap:
    tileset = draw(skinned_tilesets())
    shape = draw(st.sampled_from([(1, 1), (1, 5), (6, 1), (5, 7), (2, 4, 3), (3, 1, 1)]))
    cells = np.random.default_rng(draw(st.integers(0, 999))).integers(0, len(tileset), shape)
    return tw.TileMap(cells, tileset)


def draw_layers(map: tw.TileMap) -> NDArray[np.uint8]:
    """Draw the layers of a map over each other with Pillow, level by level: (level, row, column, 3)."""
    artwork = Artwork.of(map.tileset)
    height, width = artwork.native_size
    sprites = [Image.fromarray(one) for one in artwork.draw(range(len(artwork)), height, width)]
    levels = []
    for level in range(map.shape[0] if map.cells.ndim == 3 else 1):
        layers = [
            (layer.offset, layer.sprites[level] if map.cells.ndim == 3 else layer.sprites)
            for layer in sprite_layers(map)
        ]
        rows, columns = map.shape[-2:]
        canvas = Image.new("RGBA", (columns * width, rows * height))
        for row in range(rows):
            for column in range(columns):
                lowest = next(
                    number
                    for offset, numbers in layers
                    for number in numbers[row : row + 2 if offset[0] else row + 1, column : column + 2][
                        :, : 2 if offset[0] else 1
                    ].ravel()
                    if number >= 0
                )
                color = map.tileset[artwork.sprites[lowest].tile].rgb
                canvas.paste((*color, 255), (column * width, row * height, (column + 1) * width, (row + 1) * height))
        for offset, numbers in layers:
            top, left = (height // 2, width // 2) if offset[0] else (0, 0)
            for (row, column), number in np.ndenumerate(numbers):
                if number >= 0:
                    layer = Image.new("RGBA", canvas.size)
                    layer.paste(sprites[number], (column * width - left, row * height - top))
                    canvas = Image.alpha_composite(canvas, layer)
        levels.append(np.asarray(canvas.convert("RGB")))
    return np.stack(levels)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(skinned_maps())
def test_a_picture_equals_its_layers_drawn_with_pillow(map: tw.TileMap) -> None:
    height, width = Artwork.of(map.tileset).native_size
    picture = np.asarray(map.image(sprites=True, scale=width).convert("RGB")).astype(int)
    for level, expected in enumerate(draw_layers(map)):
        left = level * (map.width + 1) * width
        shown = picture[:, left : left + map.width * width]
        assert np.abs(shown - expected).max() <= 2, "half transparent pixels are rounded differently"
    assert picture.shape[0] == map.height * height


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(skinned_maps())
def test_layers_depend_only_on_the_tileset_and_cover_every_cell(map: tw.TileMap) -> None:
    artwork, layers = Artwork.of(map.tileset), sprite_layers(map)
    assert [layer.name for layer in layers] == [plane.name for plane in artwork.planes]
    for layer in layers:
        more = 1 if layer.offset[0] else 0
        assert layer.sprites.shape == (*map.shape[:-2], map.height + more, map.width + more)
        assert layer.sprites.min() >= -1
        assert layer.sprites.max() < len(artwork)
    stacks = CellStacks.of(map)
    assert (stacks.stacks >= 0).any(axis=1).all(), "every cell shows a sprite"
    assert not any(map.tileset[int(tile)].over for tile in np.unique(ground_tiles(map)))


# -- limits -------------------------------------------------------------------------------------------------------


def test_tilesets_with_too_many_skins_are_refused_in_one_line() -> None:
    tiles = [{"name": "a"}, {"name": "b"}]
    for skins, message in (
        ([{"tile": "a"}] * (MAX_SKINS + 1), f"at most {MAX_SKINS}"),
        ([{"tile": "a"}] * 10_000, f"at most {MAX_SKINS}"),
        ([{"tile": "a", "under": ["b"] * 100_000}], "at most 1024 values"),
        ([{"tile": "a", "layout": "blob47", "variants": 16}] * 100, f"at most {MAX_SPRITES:,} sprites, got 75,200"),
        ([{"tile": f"unknown {number}"} for number in range(MAX_SKINS)], "no tile and no kind is called"),
    ):
        with refused(message, limit=1000):
            tw.Tileset.validate({"name": "many", "tiles": tiles, "skins": skins})


def test_a_mask_has_a_limited_number_of_sprites() -> None:
    sheet = {"image": "s.png", "tile_width": 4, "columns": 8}
    skins = [{"tile": "a", "layout": "edge16", "sprites": {"n": list(range(65))}}]
    with pytest.raises(tw.TilewrightError, match="must have at most 64 sprites, got 65"):
        tw.Tileset.validate({"name": "many", "tiles": [{"name": "a"}], "skins": skins, "sheet": sheet})


def test_too_many_layers_are_refused_in_one_line() -> None:
    skins = [{"tile": "a"}] * MAX_SKINS
    tileset = tw.Tileset.validate({"name": "many", "tiles": [{"name": "a"}], "skins": skins})
    with pytest.raises(tw.InvalidRecipe, match=f"at most {MAX_LAYERS} layers, got {MAX_SKINS}"):
        tw.TileMap([[0]], tileset).image(sprites=True)


def test_a_tileset_of_the_largest_size_has_a_skin_for_all_of_its_tiles() -> None:
    count = 65_000
    tiles = [
        {"name": f"t{number}", "kind": "rock", "color": "#123456", "glyph": chr(0xF0000 + number)}
        for number in range(count)
    ]
    data = {"name": "huge", "tiles": tiles, "skins": [{"tile": "rock", "with": ["rock"]}]}
    with pytest.raises(tw.TilewrightError, match="all skins together"):
        tw.Tileset.validate({**data, "skins": [{"tile": "rock", "layout": "blob47"}]})
    tileset = tw.Tileset.validate(data)
    assert len(Artwork.of(tileset)) == 2 * count
    assert sprite_layers(tw.TileMap([[0, count - 1]], tileset))[0].sprites.max() >= 0


def test_large_sheets_are_decoded_once_per_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = encode_image(Image.new("RGBA", (48 * 16, 16)))
    sheet = Sheet(image="s.png", tile_width=16, tile_height=16, columns=48).with_picture(picture, "")
    skins = [{"tile": "a", "layout": "blob47", "columns": 47, "first": 0}]
    tileset = _validate({"name": "one", "tiles": [{"name": "a"}], "skins": skins}, sheet)
    calls: list[Sheet] = []

    def count_calls(sheet: Sheet) -> Image.Image:
        calls.append(sheet)
        return sheet_picture(sheet)

    monkeypatch.setattr(_artwork, "sheet_picture", count_calls)
    artwork = Artwork(tileset)
    artwork.draw(range(len(artwork)), 16, 16)
    assert len(calls) == 1
