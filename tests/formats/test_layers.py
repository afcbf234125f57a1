"""Layers of sprites: skins, ground under things, sprites between cells, variants, and their pictures.

For any tileset and map, pictures equal the layers drawn over each other with Pillow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.maps import encode_image
from tests.refusals import refused
from tests.tilesets import parse_tiles
from tilewright.core.skins import CORNER_BITS, LAYOUTS, MAX_SKINS, MAX_SPRITES, OFFSETS, reduce_mask
from tilewright.core.tileset import Sheet
from tilewright.formats import _artwork
from tilewright.formats._animation import AnimationParams, draw_animation
from tilewright.formats._artwork import MAX_LAYERS, Artwork
from tilewright.formats._composition import CellStacks
from tilewright.formats._layers import ground_tiles, sprite_layers
from tilewright.formats._sheet import sheet_picture

TILES = parse_tiles("water solid kind=water; sand; grass kind=grass; wall solid; door over=sand; tree over=*")


def make_tileset(*skins: dict[str, object], name: str = "test") -> tw.Tileset:
    return tw.Tileset.validate({"name": name, "tiles": TILES, "skins": skins})


def random_map(tileset: tw.Tileset, seed: int, shape: tuple[int, ...] = (9, 12), tiles: int = 6) -> tw.TileMap:
    cells = np.random.default_rng(seed).integers(0, tiles, shape)
    return tw.TileMap(cells, tileset)


def find_mask(same: NDArray[np.bool_], row: int, column: int, outside: bool) -> int:
    """Return the mask of a cell, the slow way."""
    mask = 0
    for number, (down, right) in enumerate(OFFSETS):
        at = row + down, column + right
        inside = 0 <= at[0] < same.shape[0] and 0 <= at[1] < same.shape[1]
        mask |= bool(same[at] if inside else outside) << number
    return mask


@pytest.mark.parametrize("outside", [True, False])
@pytest.mark.parametrize("layout", ["edge16", "blob47"])
def test_every_cell_has_the_sprite_of_its_mask(layout: str, outside: bool) -> None:
    tileset = make_tileset({"tile": "wall", "with": ["water"], "layout": layout, "outside": outside})
    for seed in range(20):
        map = random_map(tileset, seed, tiles=4)
        sprites = Artwork.of(tileset).sprites
        ground = sprite_layers(map)[0].sprites
        same = np.isin(map.cells, [tileset.id("wall"), tileset.id("water")])
        for row, column in np.ndindex(*map.shape):
            sprite = sprites[ground[row, column]]
            assert sprite.tile == map.cells[row, column]
            if sprite.tile == tileset.id("wall"):
                assert sprite.mask == LAYOUTS[layout].reduce(find_mask(same, row, column, outside))


def test_blob_masks_are_the_47_of_the_field() -> None:
    masks = LAYOUTS["blob47"].all_masks
    assert len(masks) == 47
    assert masks[:8] == (0, 1, 4, 5, 7, 16, 17, 20)
    assert all(reduce_mask(mask) == mask for mask in masks)


def test_sprites_between_cells() -> None:
    tileset = make_tileset({"tile": "grass", "layout": "corner16", "outside": False})
    for seed in range(20):
        map = random_map(tileset, seed, tiles=4)
        layer = sprite_layers(map)[1]
        assert layer.offset == (-0.5, -0.5)
        assert layer.sprites.shape == (10, 13)
        padded = np.pad(map.where("grass"), 1)
        for row, column in np.ndindex(*layer.sprites.shape):
            corners = {7: padded[row, column], 1: padded[row, column + 1]}
            corners |= {5: padded[row + 1, column], 3: padded[row + 1, column + 1]}
            mask = sum(1 << bit for bit, same in corners.items() if same)
            number = layer.sprites[row, column]
            assert (number == -1) == (mask == 0)
            if mask:
                assert Artwork.of(tileset).sprites[number].mask == mask & CORNER_BITS


def test_terrains_continue_under_others_in_drawing_order() -> None:
    tileset = make_tileset(
        {"tile": "water", "under": ["sand", "grass"]},
        {"tile": "sand", "under": ["grass"], "layout": "blob47"},
        {"tile": "grass", "layout": "blob47"},
    )
    artwork = Artwork.of(tileset)
    assert [plane.name for plane in artwork.planes] == ["ground", "ground 2", "ground 3", "things"]
    map = tw.TileMap([[0, 1, 2]], tileset)
    names = [
        ["-" if number < 0 else tileset[artwork.sprites[number].tile].name for number in layer.sprites[0]]
        for layer in sprite_layers(map)
    ]
    assert names[1][1:] in (["sand", "sand"], ["sand", "-"])
    assert names[2] == ["-", "-", "grass"]


def test_the_ground_under_things() -> None:
    tileset = make_tileset()
    sand, grass, wall, door, tree = range(1, 6)
    map = tw.TileMap([[wall, door, wall], [grass, tree, grass], [tree, tree, sand]], tileset)
    assert ground_tiles(map).tolist() == [[wall, sand, wall], [grass, grass, grass], [grass, grass, sand]]
    assert map.cells[0, 1] == door, "the cells do not change"
    things = sprite_layers(map)[-1]
    assert things.name == "things"
    assert things.sprites.tolist() == [[-1, door, -1], [-1, tree, -1], [tree, tree, -1]]
    corridor = tw.TileMap([[wall] * 3, [wall, tree, sand], [wall] * 3], tileset)
    assert ground_tiles(corridor)[1, 1] == sand, "a passable tile is not drawn over a wall"
    lonely = tw.TileMap([[tree, tree], [tree, tree]], tileset)
    assert ground_tiles(lonely).tolist() == [[sand, sand], [sand, sand]], "the first passable tile"


def test_a_wide_forest_takes_the_ground_around_it() -> None:
    tileset = make_tileset()
    cells = np.full((9, 9), tileset.id("grass"))
    cells[1:-1, 1:-1] = tileset.id("tree")
    assert (ground_tiles(tw.TileMap(cells, tileset)) == tileset.id("grass")).all()


def test_walls_join_doors_that_count_as_the_same() -> None:
    tileset = make_tileset({"tile": "wall", "with": ["door"], "layout": "edge16", "outside": False})
    wall, door = tileset.id("wall"), tileset.id("door")
    ground = sprite_layers(tw.TileMap([[wall, door, wall]], tileset))[0].sprites
    assert [Artwork.of(tileset).sprites[ground[0, column]].mask for column in (0, 2)] == [4, 64]


def test_variants_depend_on_the_seed_and_the_absolute_position() -> None:
    tileset = make_tileset({"tile": "grass", "variants": 4}, name="varied")
    recipe: dict[str, Any] = {
        "tileset": tileset,
        "tiles": {"wall": "water", "floor": "grass"},
        "walls": 0.0,
        "steps": 0,
    }
    map = tw.make("caves", seed=3, width=40, height=30, **recipe)
    ground = sprite_layers(map)[0].sprites
    assert len(np.unique(ground)) >= 4
    assert np.array_equal(ground, sprite_layers(map)[0].sprites)
    other = sprite_layers(tw.make("caves", seed=4, width=40, height=30, **recipe))[0].sprites
    assert not np.array_equal(ground, other)


def test_variants_of_a_world_agree_where_windows_overlap() -> None:
    tileset = tw.Tileset.of("terrain").model_copy(
        update={"skins": make_tileset({"tile": "grass", "variants": 4}).skins}
    )
    whole, part = (
        tw.make("noise", seed=3, width=width, height=20, offset=offset, tileset=tileset)
        for width, offset in ((40, (100, 50)), (25, (115, 50)))
    )
    assert np.array_equal(whole.cells[:, 15:], part.cells)
    assert np.array_equal(sprite_layers(whole)[0].sprites[:, 15:], sprite_layers(part)[0].sprites)


def test_skins_are_not_part_of_the_digest() -> None:
    bare, skinned = make_tileset(), make_tileset({"tile": "wall", "layout": "blob47"})
    assert bare == skinned
    assert hash(bare) == hash(skinned)
    assert bare.digest == skinned.digest
    assert bare.look_digest != skinned.look_digest
    assert tw.Tileset.of(skinned.to_data()).skins == skinned.skins


@pytest.mark.parametrize(
    ("skin", "message"),
    [
        ({"tile": "wal"}, "no tile and no kind is called 'wal'"),
        ({"tile": "wall", "with": ["flor"]}, "no tile and no kind is called 'flor'"),
        ({"tile": "wall", "layout": "blob48"}, "unknown layout 'blob48'"),
        ({"tile": "wall", "sprites": {"n,n": [1]}}, "must be directions such as n,ne,e"),
        ({"tile": "wall", "sprites": {"n": []}}, "must be positions in the sheet"),
    ],
)
def test_mistakes_in_skins_are_reported(skin: dict[str, object], message: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=message):
        make_tileset(skin)


def test_all_frames_of_an_animation_have_the_variants_of_the_finished_map() -> None:
    tileset = {
        "name": "varied",
        "tiles": [{"name": "wall"}, {"name": "floor"}],
        "skins": [
            {"tile": "wall", "variants": 8, "texture": "rock"},
            {"tile": "floor", "variants": 8, "texture": "stone"},
        ],
    }
    frames = list(tw.watch("caves", tileset=tileset, width=20, height=12, seed=5))
    map = frames[-1].map
    assert map is not None
    before = tw.Frame(map.cells, site=frames[-1].site).snapshot()
    plain, chosen = sprite_layers(before)[0].sprites, sprite_layers(before, map.recipe)[0].sprites
    assert np.array_equal(chosen, sprite_layers(map)[0].sprites)
    assert not np.array_equal(chosen, plain)
    cells = map.cells.copy()
    cells[0, 0] = 1 - cells[0, 0]
    earlier = tw.Frame(cells, site=frames[-1].site).snapshot()
    options = AnimationParams(sprites=True, scale=16)
    first, last = (np.asarray(one) for one in draw_animation([earlier, frames[-1]], options).pictures)
    different = np.argwhere((first != last).any(axis=-1))
    assert len(different)
    assert different.max() < 16, "only the cell that changed looks different"


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
