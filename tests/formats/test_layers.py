"""Layers of sprites: skins, ground under things, sprites between cells, variants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.tilesets import parse_tiles
from tilewright.core.skins import CORNER_BITS, LAYOUTS, OFFSETS, reduce_mask
from tilewright.formats._animation import AnimationParams, draw_animation
from tilewright.formats._artwork import Artwork
from tilewright.formats._layers import ground_tiles, sprite_layers

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
