"""Tilesets from sheets: maps drawn with each layout, the written files, several pictures, and bad input."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.cases import read_table
from tests.formats.skin_sheets import FILL, LINE, SIDE, arrange, draw_sheet, draw_sprite
from tests.formats.test_tiled import rasterizer, render_with_tiled
from tilewright.core.skins import LAYOUTS, OFFSETS
from tilewright.formats._resolver import FileResolver
from tilewright.formats._skin_files import SkinnedTileset, SpriteSource, prepare_skin
from tilewright.formats._skin_pictures import draw_template
from tilewright.formats._toml import format_toml


def save_sheet(path: Path, layout: str, **options: int) -> Path:
    draw_sheet(layout, **options).save(path)
    return path


def write(path: Path, found: SkinnedTileset) -> tw.Tileset:
    """Write the files of a tileset, and read them again."""
    for name, content in found.contents.items():
        (path.parent / name).write_bytes(content)
    return FileResolver(path.parent).read_tileset(path.name)


def skin(folder: Path, picture: Path, tile: str = "wall", layout: str = "blob47", **options: Any) -> tw.Tileset:
    path = folder / "mine.toml"
    fields = {"picture": picture, "tile": tile, "layout": layout, **options}
    return write(path, prepare_skin(path, SpriteSource.validate(fields)))


def make_map(tileset: tw.Tileset, tile: str = "wall", seed: int = 1) -> tw.TileMap:
    """Return a map of noise, in which all masks occur."""
    labels = {"wall": tile, "floor": "floor"}
    return tw.make("caves", width=48, height=48, steps=0, walls=0.5, seed=seed, tileset=tileset, tiles=labels)


def is_same(map: tw.TileMap, tile: str, *, outside: bool = True) -> NDArray[np.bool_]:
    """Return an array (row, column) of whether each cell is of a tile, with a border for the outside."""
    return np.pad(map.cells == map.tileset.id(tile), 1, constant_values=outside)


def pixels_of(map: tw.TileMap) -> NDArray[np.uint8]:
    return np.asarray(map.image(scale=SIDE, sprites=True).convert("RGB"))


def is_color(pixels: NDArray[np.uint8], color: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.asarray((pixels == np.array(color[:3])).all(axis=-1))


@pytest.mark.parametrize("outside", [True, False])
@pytest.mark.parametrize("layout", [name for name, one in LAYOUTS.items() if one.bits and not one.is_dual])
def test_lines_are_where_the_terrain_ends(layout: str, outside: bool, tmp_path: Path) -> None:
    tileset = skin(tmp_path, save_sheet(tmp_path / "a.png", layout), layout=layout, outside=outside)
    map = make_map(tileset)
    same, pixels = is_same(map, "wall", outside=outside), pixels_of(map)
    line, inner = is_color(pixels, LINE), slice(1, SIDE - 1)
    sides: dict[int, Any] = {0: (0, inner), 2: (inner, SIDE - 1), 4: (SIDE - 1, inner), 6: (inner, 0)}
    corners = {1: (0, SIDE - 1), 3: (SIDE - 1, SIDE - 1), 5: (SIDE - 1, 0), 7: (0, 0)}
    masks = set()
    for row, column in np.argwhere(map.cells == tileset.id("wall")):
        mask = sum(int(same[1 + row + dy, 1 + column + dx]) << bit for bit, (dy, dx) in enumerate(OFFSETS))
        masks.add(LAYOUTS[layout].reduce(mask))
        cell = line[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
        for bit, place in sides.items():
            assert (cell[place] == (not mask >> bit & 1)).all(), (row, column, bit)
        for bit, place in corners.items():
            around = 1 << bit - 1 | 1 << (bit + 1) % 8
            matters = LAYOUTS[layout].bits >> bit & 1
            is_open = mask & around == around and (mask >> bit & 1 or not matters)
            assert cell[place] == (not is_open), (row, column, bit)
        assert not cell[inner, inner].any()
    assert masks == set(LAYOUTS[layout].all_masks)


def test_sprites_between_cells_cover_exactly_the_terrain(tmp_path: Path) -> None:
    tileset = skin(tmp_path, save_sheet(tmp_path / "a.png", "corner16"), layout="corner16")
    map = make_map(tileset)
    fill = is_color(pixels_of(map), FILL)
    wall = np.repeat(np.repeat(map.cells == tileset.id("wall"), SIDE, axis=0), SIDE, axis=1)
    assert np.array_equal(fill, wall)


@pytest.mark.parametrize("layout", ["single", "edge16", "blob47", "godot3x3", "cr31"])
def test_each_cell_shows_the_sprite_of_its_mask(layout: str, tmp_path: Path) -> None:
    masks = LAYOUTS[layout].masks
    sprites = [None if mask is None else np.full((SIDE, SIDE, 4), (mask, 77, 1, 255), np.uint8) for mask in masks]
    arrange(sprites, LAYOUTS[layout].columns).save(tmp_path / "a.png")
    tileset = skin(tmp_path, tmp_path / "a.png", layout=layout)
    map = make_map(tileset, seed=3)
    same, shown = is_same(map, "wall"), pixels_of(map)[::SIDE, ::SIDE]
    for row, column in np.argwhere(map.cells == tileset.id("wall")):
        mask = sum(int(same[1 + row + dy, 1 + column + dx]) << bit for bit, (dy, dx) in enumerate(OFFSETS))
        assert tuple(shown[row, column]) == (LAYOUTS[layout].reduce(mask), 77, 1)


def test_a_fresh_sheet_needs_no_table(tmp_path: Path) -> None:
    tileset = skin(tmp_path, save_sheet(tmp_path / "walls.png", "blob47"))
    data = tomllib.loads((tmp_path / "mine.toml").read_text())
    assert data == {
        "name": "mine",
        "extends": "dungeon",
        "sheet": {"image": "walls.png", "tile_width": SIDE, "tile_height": SIDE, "columns": 8},
        "skins": [{"tile": "wall", "with": ["rock"], "layout": "blob47", "first": 0}],
    }
    assert tileset.names == tw.Tileset.of("dungeon").names
    level = tw.make("bsp", width=30, height=20, seed=1, tileset=str(tmp_path / "mine.toml"))
    for name in ("level.png", "level.tmx"):
        level.save(tmp_path / name)
        assert (tmp_path / name).exists()
    assert tw.load(tmp_path / "level.tmx") == level


@pytest.mark.parametrize(("layout", "options", "columns"), read_table(__file__, "the size of sprites is guessed"))
def test_the_size_of_sprites_is_guessed(
    layout: str, options: dict[str, int], columns: int | None, tmp_path: Path
) -> None:
    picture = save_sheet(tmp_path / "a.png", layout, **options)
    gaps: dict[str, Any] = {name: value for name, value in options.items() if name != "columns"}
    tileset = skin(tmp_path, picture, layout=layout, **gaps)
    assert tileset.sheet is not None
    assert (tileset.sheet.tile_width, tileset.sheet.tile_height) == (SIDE, SIDE)
    assert [one.columns for one in tileset.skins if one.tile == "wall"] == [columns]
    plain = tmp_path / "plain"
    plain.mkdir()
    usual = skin(plain, save_sheet(plain / "a.png", layout), layout=layout)
    assert np.array_equal(pixels_of(make_map(tileset)), pixels_of(make_map(usual)))


def test_parts_of_one_picture(tmp_path: Path) -> None:
    """The walls are at the left of the sheet, and the water is to the right of it."""
    sheet = Image.new("RGBA", (20 * SIDE, 8 * SIDE))
    sheet.paste(draw_sheet("blob47"), (0, 0))
    sheet.paste(draw_sheet("godot3x3"), (8 * SIDE, 2 * SIDE))
    sheet.save(tmp_path / "a.png")
    skin(tmp_path, tmp_path / "a.png", tile_size=(SIDE, SIDE))
    tileset = skin(tmp_path, tmp_path / "a.png", "water", "godot3x3", first=(((8, 2), 1.0),))
    assert {one.tile: one.first for one in tileset.skins if not one.is_drawn} == {"wall": 0, "water": 48}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "mine.toml"]
    for tile in ("wall", "water"):
        assert is_color(pixels_of(make_map(tileset, tile)), LINE).any()


def test_parts_of_several_pictures_are_copied_into_one(tmp_path: Path) -> None:
    sources = {"wall": ("a.png", "blob47"), "water": ("b.png", "rpgmaker-a2"), "floor": ("c.png", "corner16")}
    before = {}
    for tile, (name, layout) in sources.items():
        save_sheet(tmp_path / name, layout)
        before[name] = (tmp_path / name).read_bytes()
        tileset = skin(tmp_path, tmp_path / name, tile, layout)
    assert tileset.sheet is not None
    assert tileset.sheet.image == "mine-sheet.png"
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    for tile, (name, layout) in sources.items():
        alone = tmp_path / tile
        alone.mkdir()
        single = skin(alone, tmp_path / name, tile, layout, base="dungeon")
        other = "rock" if tile == "floor" else "floor"
        words: dict[str, Any] = {
            "width": 20,
            "height": 20,
            "steps": 0,
            "seed": 4,
            "tiles": {"wall": tile, "floor": other},
        }
        maps = [tw.make("caves", tileset=one, **words) for one in (tileset, single)]
        fills = [
            is_color(pixels_of(one), FILL) & (one.cells == one.tileset.id(tile)).repeat(SIDE, 0).repeat(SIDE, 1)
            for one in maps
        ]
        assert fills[0].any()
        assert np.array_equal(*fills)


def test_a_part_is_replaced_and_the_sheet_does_not_grow(tmp_path: Path) -> None:
    first, second = save_sheet(tmp_path / "a.png", "blob47"), save_sheet(tmp_path / "b.png", "cr31")
    skin(tmp_path, first)
    one = skin(tmp_path, second, "water", "cr31")
    content = (tmp_path / "mine.toml").read_bytes(), (tmp_path / "mine-sheet.png").read_bytes()
    two = skin(tmp_path, second, "water", "cr31")
    assert one == two
    assert ((tmp_path / "mine.toml").read_bytes(), (tmp_path / "mine-sheet.png").read_bytes()) == content
    assert two.sheet is not None
    assert Image.open(tmp_path / "mine-sheet.png").size == (8 * SIDE, 13 * SIDE)
    three = skin(tmp_path, save_sheet(tmp_path / "c.png", "edge16"), layout="edge16")
    assert [(skin.tile, skin.layout, skin.first) for skin in three.skins if not skin.is_drawn] == [
        ("wall", "edge16", 56),
        ("water", "cr31", 0),
    ]
    assert Image.open(tmp_path / "mine-sheet.png").size == (8 * SIDE, 11 * SIDE)


def test_the_only_part_may_have_another_geometry_or_picture(tmp_path: Path) -> None:
    """A margin that was forgotten in the first run can be given in the second."""
    wrong = save_sheet(tmp_path / "a.png", "blob47", margin=1, spacing=2)
    skin(tmp_path, wrong, tile_size=(9, 9))
    right = skin(tmp_path, wrong, margin=1, spacing=2)
    assert right.sheet is not None
    assert (right.sheet.tile_width, right.sheet.margin, right.sheet.spacing) == (SIDE, 1, 2)
    again = skin(tmp_path, wrong, outside=False)
    assert again.sheet is not None
    assert again.sheet == right.sheet
    other = skin(
        tmp_path, save_sheet(tmp_path / "b.png", "edge16", margin=0, spacing=0), layout="edge16", tile_size=(8, 8)
    )
    assert other.sheet is not None
    assert (other.sheet.image, other.sheet.margin) == ("b.png", 0)
    assert not (tmp_path / "mine-sheet.png").exists()


def test_the_sheets_of_tiles_and_tables_are_kept(tmp_path: Path) -> None:
    """A file written by hand: its tiles, tables of positions and other fields stay as they are."""
    draw_sheet("blob47").save(tmp_path / "own.png")
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\n[sheet]\nimage = "own.png"\ntile_width = 8\ntile_height = 8\n'
        '[[tiles]]\nname = "floor"\nglyph = "."\nsprite = 46\n[[tiles]]\nname = "wall"\npassable = false\n'
        '[[skins]]\ntile = "floor"\nsprites = {"" = [46, [17, 0.5]]}\n'
    )
    tileset = skin(tmp_path, save_sheet(tmp_path / "b.png", "edge16"), layout="edge16", with_=("floor",))
    assert [tile.name for tile in tileset] == ["floor", "wall"]
    assert tileset[0].sprite == 14  # rows 0, 1, 3 and 4 of the old sheet are not used
    assert tileset.skins[0].list_sprites(8) == {0: ((14, 1.0), (1, 0.5))}
    assert tileset.skins[1].with_ == ("floor",)
    assert tileset.skins[1].first == 16


def test_variants_have_weights(tmp_path: Path) -> None:
    sheet = Image.new("RGBA", (8 * SIDE, 12 * SIDE))
    sheet.paste(draw_sheet("blob47"), (0, 0))
    sheet.paste((9, 9, 9, 255), (0, 6 * SIDE, 8 * SIDE, 12 * SIDE))
    sheet.save(tmp_path / "a.png")
    firsts = ((0, 3.0), ((0, 6), 1.0))
    tileset = skin(tmp_path, tmp_path / "a.png", first=firsts, tile_size=(SIDE, SIDE))
    own = next(one for one in tileset.skins if one.tile == "wall")
    assert own.list_sprites(8)[255] == ((46, 3.0), (94, 1.0))
    map = make_map(tileset)
    dark = is_color(pixels_of(map)[::SIDE, ::SIDE], (9, 9, 9))
    share = dark.sum() / (map.cells == tileset.id("wall")).sum()
    assert 0.15 < share < 0.35
    with pytest.raises(tw.InvalidRecipe, match="first: the layout rpgmaker-a2 is made of quarters"):
        skin(tmp_path, tmp_path / "a.png", layout="rpgmaker-a2", first=firsts)


def test_sheets_in_any_other_order(tmp_path: Path) -> None:
    order: list[int | None] = [*reversed(LAYOUTS["blob47"].masks)]
    order[5:5] = [None]
    arrange([draw_sprite("blob47", mask) for mask in order], 6).save(tmp_path / "a.png")
    tileset = skin(tmp_path, tmp_path / "a.png", order=order)
    usual = tmp_path / "usual"
    usual.mkdir()
    expected = skin(usual, save_sheet(usual / "a.png", "blob47"))
    assert np.array_equal(pixels_of(make_map(tileset)), pixels_of(make_map(expected)))
    with pytest.raises(tw.InvalidRecipe, match="order: must name every mask of blob47, 2 masks missing: 253, 255"):
        skin(tmp_path, tmp_path / "a.png", order=order[2:], tile_size=(SIDE, SIDE))


def test_relations_to_other_tiles_come_from_the_base(tmp_path: Path) -> None:
    picture = save_sheet(tmp_path / "a.png", "blob47")

    def find(**options: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        tileset = skin(tmp_path, picture, base="cave", **options)
        one = next(one for one in tileset.skins if not one.is_drawn)
        return one.with_, one.under

    assert find() == ((), ("ore", "crystal"))
    assert find(with_=("moss",)) == (("moss",), ("ore", "crystal"))
    assert find() == (("moss",), ("ore", "crystal"))  # replaces the one above
    assert find(with_=(), under=()) == ((), ())


def test_the_base_is_the_first_tileset_with_the_tile(tmp_path: Path) -> None:
    picture = save_sheet(tmp_path / "a.png", "blob47")
    for tile, base in (("wall", "dungeon"), ("moss", "cave"), ("sand", "terrain")):
        path = tmp_path / f"{tile}.toml"
        found = prepare_skin(path, SpriteSource(picture=picture, tile=tile, layout="blob47"))
        assert tomllib.loads(found.contents[path.name].decode())["extends"] == base
    lava = skin(tmp_path, picture, "lava", passable=False)
    assert not lava[lava.id("lava")].passable
    assert skin(tmp_path, picture, "lava", passable=True).tiles[lava.id("lava")].passable


def test_skins_of_the_base_stay_below(tmp_path: Path) -> None:
    """A new skin replaces that of the base tileset at its place in the drawing order."""
    base = tw.Tileset.of("awbw")
    tileset = skin(tmp_path, save_sheet(tmp_path / "a.png", "blob47"), "sea", base="awbw")
    assert list(dict.fromkeys(one.tile for one in tileset.skins)) == list(dict.fromkeys(one.tile for one in base.skins))
    assert {one.tile for one in tileset.skins if not one.is_drawn} == {"sea"}


def test_shadows_of_the_base_give_way_to_own_walls(tmp_path: Path) -> None:
    base = tw.Tileset.of("dungeon")
    tileset = skin(tmp_path, save_sheet(tmp_path / "a.png", "blob47"))
    assert {one.tile for one in tileset.skins} == {one.tile for one in base.skins}
    assert not [one for one in tileset.skins if one.texture == "shadow"]
    assert [one for one in tileset.skins if one.texture == "door"]


def test_skins_of_the_base_give_way_to_sprites() -> None:
    text = 'extends = "awbw"\n[sheet]\nimage = "a.png"\n[[tiles]]\nname = "sea"\nsprite = 0\n'
    assert "sea" not in [one.tile for one in tw.Tileset.from_toml(text).skins]
    assert "sea" in [one.tile for one in tw.Tileset.from_toml(text.split("[[")[0]).skins]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "blob74"}, "unknown layout 'blob74'; did you mean 'blob47'"),
        ({"tile": "wal"}, "unknown tile 'wal'; did you mean 'wall'.*--no-passable adds a new tile"),
        ({"base": "dungeons"}, "unknown tileset 'dungeons'; did you mean 'dungeon'"),
        ({"tile": "brick", "passable": True}, "passable: needs the name of a tile, 'brick' is a kind"),
        ({"layout": "cr31"}, r"64x48 pixels are not 7x7 square sprites \(cr31\); give --tile-size"),
        ({"tile_size": (16, 16)},
         "the layout blob47 of 'wall' takes 8 columns from sprite 0 on, the sheet has 4 there"),
        ({"tile_size": (100, 8)}, "64x48 pixels hold no sprite of 100x8"),
        ({"first": ((8, 1.0),), "tile_size": (8, 8)},
         "takes 8x6 sprites from sprite 8 on, the picture has 8x6"),
        ({"with_": ("flor",)}, "wall: no tile and no kind is called 'flor'; did you mean 'floor'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    picture = save_sheet(tmp_path / "a.png", "blob47")
    with pytest.raises(tw.TilewrightError, match=message) as caught:
        skin(tmp_path, picture, **options)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_a_second_part_must_fit_the_file(tmp_path: Path) -> None:
    picture = save_sheet(tmp_path / "a.png", "blob47")
    skin(tmp_path, picture)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(tw.InvalidRecipe, match=r"tile_size: sprites must be 8x8 pixels as in a\.png, got 16x16"):
        skin(tmp_path, picture, "water", tile_size=(16, 16))
    with pytest.raises(tw.InvalidRecipe, match=r"base: .*mine\.toml extends 'dungeon', got 'cave'"):
        skin(tmp_path, picture, base="cave")
    with pytest.raises(tw.InvalidRecipe, match=r"margin and spacing: must be as before in a\.png, 0 and 0 pixels"):
        skin(tmp_path, picture, "water", spacing=1)
    with pytest.raises(tw.UnknownName, match=r"unknown tile 'wal'; did you mean 'wall'"):
        skin(tmp_path, picture, "wal")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "mine-sheet.png").write_bytes(b"of the user")
    other = save_sheet(tmp_path / "b.png", "edge16")
    with pytest.raises(tw.BadFile, match=r"mine-sheet\.png: exists, and was not written by tilewright skin; rename it"):
        skin(tmp_path, other, "water", "edge16")


def test_a_picture_of_the_user_is_never_replaced(tmp_path: Path) -> None:
    """Here the user's picture has the name that a copy of several pictures would have."""
    picture = save_sheet(tmp_path / "mine-sheet.png", "blob47")
    content = picture.read_bytes()
    skin(tmp_path, picture)
    with pytest.raises(tw.BadFile, match=r"mine-sheet\.png: exists, and was not written by tilewright skin; rename it"):
        skin(tmp_path, save_sheet(tmp_path / "b.png", "edge16"), "water", "edge16")
    assert picture.read_bytes() == content


def test_sprites_need_not_be_square(tmp_path: Path) -> None:
    draw_template("cr31", 6, 10).save(tmp_path / "a.png")
    tileset = skin(tmp_path, tmp_path / "a.png", layout="cr31", tile_size=(6, 10))
    map = make_map(tileset)
    assert map.image(scale=6, sprites=True).size == (6 * map.width, 10 * map.height)


@pytest.mark.parametrize("content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_broken_pictures_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(tw.BadFile, match=r"a\.png: (not a readable picture|is empty)"):
        skin(tmp_path, tmp_path / "a.png")


def test_comments_of_other_tables_are_kept(tmp_path: Path) -> None:
    skin(tmp_path, save_sheet(tmp_path / "a.png", "blob47"))
    path = tmp_path / "mine.toml"
    text = path.read_text().replace("[[skins]]", "[[tiles]] # of my own\nname = 'lava' # hot\n\n[[skins]] # of walls")
    path.write_text(text)
    skin(tmp_path, tmp_path / "a.png", "water", outside=False)
    assert path.read_text() == text + '\n[[skins]]\ntile = "water"\noutside = false\nlayout = "blob47"\nfirst = 0\n'
    skin(tmp_path, tmp_path / "a.png", "water")
    assert path.read_text() == text + '\n[[skins]]\ntile = "water"\nlayout = "blob47"\nfirst = 0\n'
    skin(tmp_path, save_sheet(tmp_path / "b.png", "edge16"), "lava", "edge16")
    assert "name = 'lava' # hot" in path.read_text()
    assert path.read_text().count("[[skins]]") == 3


def test_tables_in_one_line_are_rewritten(tmp_path: Path) -> None:
    save_sheet(tmp_path / "a.png", "blob47")
    sheet = 'sheet = {image = "a.png", tile_width = 8, tile_height = 8}'
    (tmp_path / "mine.toml").write_text(f'name = "mine"\nextends = "cave"\nskins = [{{tile = "wall"}}]\n{sheet}')
    tileset = skin(tmp_path, tmp_path / "a.png", "water")
    assert [one.tile for one in tileset.skins if not one.is_drawn] == ["water"]


def test_toml_is_read_back() -> None:
    data = {
        "name": 'a "quoted" \\ name\x7f\n\té',
        "flag": True,
        "sheet": {"image": "a.png", "columns": 3},
        "tiles": [{"name": "a", "costs": {"foot": 1, "two words": 2.5}}, {"name": "b", "weight": 1e-7, "tags": []}],
        "skins": [{"sprites": {str(mask): [mask, [mask, 0.5]] for mask in range(9)}, "tile": "a"}, {"tile": "b"}],
    }
    assert tomllib.loads(format_toml(data)) == data


@pytest.mark.parametrize("layout", ["blob47", "rpgmaker-a2"])
def test_maps_without_their_picture_are_kept(layout: str, tmp_path: Path) -> None:
    """A JSON file stores the tileset without its picture. The map is then drawn by us, and stays the same map."""
    map = make_map(skin(tmp_path, save_sheet(tmp_path / "a.png", layout), layout=layout))
    map.save(tmp_path / "one.json")
    bare = tw.load(tmp_path / "one.json")
    assert bare == map
    assert bare.tileset.skins == map.tileset.skins
    for name in ("two.tmx", "three.tmj", "four.npz"):
        bare.save(tmp_path / name)
        again = tw.load(tmp_path / name)
        assert again == map
        assert again.tileset.skins == map.tileset.skins


@rasterizer
@pytest.mark.parametrize("layout", [name for name, one in LAYOUTS.items() if not one.is_dual])
def test_tiled_draws_the_same_picture(layout: str, tmp_path: Path) -> None:
    map = make_map(skin(tmp_path, save_sheet(tmp_path / "a.png", layout), layout=layout))
    map.save(tmp_path / "level.tmx")
    drawn = render_with_tiled(tmp_path / "level.tmx")
    assert (drawn[..., 3] == 255).all()
    assert np.array_equal(drawn[..., :3], pixels_of(map))
