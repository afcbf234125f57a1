"""Own tiles without a browser: pictures, tilesets, recipes, links, and hostile files."""

from __future__ import annotations

import io
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.formats.maps import declare_png, encode_image
from tests.formats.skin_sheets import SIDE, draw_sheet
from tests.refusals import refused
from tests.studio.servers import application, asking
from tilewright.core.embedded_pictures import DATA_PREFIX, digest_picture
from tilewright.formats._resolver import FileResolver
from tilewright.studio import operations
from tilewright.studio.jobs import CancelToken
from tilewright.studio.map.payloads import encode_map
from tilewright.studio.own_files import (
    MAX_STORED_BYTES,
    embed_pictures,
    list_missing,
    make_picture_store,
    picture_store,
    put_picture,
    read_picture,
)
from tilewright.studio.own_tiles.tileset import (
    OwnTile,
    OwnTiles,
    build_tileset,
    carry_own_tiles,
    clean_name,
    find_base,
    find_labels,
    guess_tiles,
    read_own_tiles,
    remove_own_tiles,
)
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 16, "height": 12}, "seed": 3}


def keep(picture: Image.Image) -> str:
    return put_picture(read_picture(encode_image(picture), "tiles.png", Settings()))


def make_own(**words: Any) -> OwnTiles:
    tiles = (OwnTile("wall", layout="blob47"), OwnTile("floor", first=3))
    return OwnTiles("tiles.png", keep(draw_sheet("blob47")), tile_size=(SIDE, SIDE), **{"tiles": tiles, **words})


def make_map(state: State) -> tw.TileMap:
    return tw.run(operations.check_recipe(state.effective, Settings()))


def apply(state: State, own: OwnTiles) -> State:
    return build_tileset(own, find_base(state)).apply(state, find_labels(state))


def test_own_tiles_become_the_tileset_of_the_recipe_and_a_file(tmp_path: Path) -> None:
    state, own = State.from_recipe(CAVE), make_own()
    built = build_tileset(own, find_base(state))
    for name, content in built.files.items():
        (tmp_path / name).write_bytes(content)
    from_file = FileResolver(tmp_path).read_tileset("mytiles.toml")
    map = make_map(built.apply(state, find_labels(state)))
    assert map.tileset == from_file
    assert (map.cells == make_map(state).cells).all()
    pixels = np.asarray(map.image(sprites=True))
    assert (pixels == np.asarray(tw.TileMap(map.cells, from_file, recipe=map.recipe).image(sprites=True))).all()
    assert (pixels == np.asarray(built.show(make_map(state)).replace(recipe=map.recipe).image(sprites=True))).all()
    files = operations.write_map(map, "tmx", {}, CancelToken(Settings()))
    assert picture_store.get(own.picture) in files.values()


def test_a_new_name_replaces_the_tile_in_maps_of_the_technique() -> None:
    state = State.from_recipe(CAVE)
    tiles = (OwnTile("wall", "brick", "blob47"), OwnTile(name="lava", first=2, passable=False), OwnTile("floor"))
    changed = apply(state, make_own(tiles=tiles))
    map = make_map(changed)
    assert (map.where("brick") == make_map(state).where("wall")).all()
    tile = {tile.name: tile for tile in map.tileset}
    assert (tile["brick"].passable, tile["brick"].kind) == (False, tile["wall"].kind)
    assert not tile["lava"].passable
    assert changed.recipe["tiles"] == {"wall": "brick"}
    read = read_own_tiles(changed)
    assert read is not None
    assert [(tile.stands_for, tile.tile, tile.layout, tile.first) for tile in read.tiles] == [
        ("wall", "brick", "blob47", 0),
        ("", "lava", "single", 2),
        ("floor", "floor", "single", 0),
    ]
    assert apply(changed, read).recipe["tiles"] == {"wall": "brick"}
    assert remove_own_tiles(changed).recipe == state.recipe


def test_passability_and_variants_are_kept() -> None:
    tiles = (OwnTile("floor", first=1), OwnTile("floor", first=2), OwnTile("wall", first=3, passable=True))
    state = apply(State.from_recipe(CAVE), make_own(tiles=tiles))
    map = make_map(state)
    assert map.tileset[map.tileset.id("wall")].passable
    assert [choice for choice, _ in map.tileset.skins[0].list_sprites(8)[0]] == [1, 2]
    read = read_own_tiles(state)
    assert read is not None
    assert [tile.first for tile in read.tiles] == [1, 2, 3]


def test_tiles_of_shapers_and_samples_can_have_own_sprites() -> None:
    shaped = State.from_recipe({"technique": "bsp", "shaping": ["doors"], "seed": 3})
    map = make_map(shaped)
    built = build_tileset(make_own(tiles=(OwnTile("door", first=4),)), find_base(shaped), map.tileset)
    assert make_map(built.apply(shaped, find_labels(shaped))).where("door").any()
    sampled = State.from_recipe({"technique": "markov", "params": {"sample": ["#..", "...", "..#"]}, "seed": 3})
    state = apply(sampled, make_own(tiles=(OwnTile("#", first=4, passable=False),)))
    changed = make_map(state)
    assert (changed.cells == make_map(sampled).cells).all()
    assert changed.tileset.sheet is not None
    assert not changed.tileset[changed.tileset.id("#")].passable
    assert remove_own_tiles(state).recipe == sampled.recipe


def test_small_maps_show_the_mean_color_of_a_sprite() -> None:
    sheet = Image.new("RGBA", (32, 16), "#204060")
    sheet.paste((0, 0, 0, 0), (16, 0, 32, 16))
    own = OwnTiles("tiles.png", keep(sheet), tiles=(OwnTile("wall"), OwnTile("floor", first=1)))
    map = make_map(apply(State.from_recipe(CAVE), own))
    colors = {tile["name"]: tile["color"] for tile in encode_map(map)["tiles"]}
    cave = {tile.name: tile.color for tile in tw.Tileset.of("cave")}
    assert colors == {**cave, "wall": "#204060"}  # The floor is transparent.
    assert {tile.name: tile.color for tile in map.tileset} == cave


def test_own_tiles_stay_when_the_technique_changes() -> None:
    tiles = (
        OwnTile("wall", "brick"),
        OwnTile("floor", first=1),
        OwnTile("moss", first=2),
        OwnTile(name="lava", first=3),
    )
    before = apply(State.from_recipe(CAVE), make_own(tiles=tiles[:2] + tiles[3:]))
    state = carry_own_tiles(before, State.from_recipe({"technique": "bsp", "seed": 3}))
    map = make_map(state)
    assert map.where("brick").any()
    assert (map.cells == make_map(State.from_recipe({"technique": "bsp", "seed": 3})).cells).sum() > 0
    assert {"lava", "corridor"} <= {*map.tileset.names}
    land = carry_own_tiles(before, State.from_recipe({"technique": "noise", "seed": 3}))
    assert "lava" in make_map(land).tileset.names
    assert carry_own_tiles(State.from_recipe(CAVE), land) == land


def test_http_reads_a_recipe_with_its_picture() -> None:
    recipe = embed_pictures(apply(State.from_recipe(CAVE), make_own()).recipe)
    with asking(application()) as client:
        found = client.post("/api/make", json={**recipe, "format": "tmx"})
        assert found.status_code == 200, found.text
        with zipfile.ZipFile(io.BytesIO(found.content)) as archive:
            assert "tiles.png" in archive.namelist()
        recipe["tileset"]["sheet"]["data"] = DATA_PREFIX + "AAAA"
        refused = client.post("/api/make", json={**recipe, "format": "png"})
        assert refused.status_code == 400
        assert refused.json()["error"] == "tileset: sheet.data: must be a PNG file"


def test_links_name_the_picture_and_recipe_files_contain_it(monkeypatch: pytest.MonkeyPatch) -> None:
    state = apply(State.from_recipe(CAVE), make_own())
    link = state.to_link()
    assert len(link) < 600
    assert State.from_link(link).recipe == state.recipe
    recipe = embed_pictures(state.recipe)
    assert recipe["tileset"]["sheet"]["data"].startswith(DATA_PREFIX)
    assert State.from_recipe(recipe).recipe == state.recipe
    assert (np.asarray(tw.run(recipe).image(sprites=True)) == np.asarray(make_map(state).image(sprites=True))).all()
    assert list_missing(state.recipe) == []

    monkeypatch.setattr("tilewright.studio.own_files.picture_store", make_picture_store())
    assert list_missing(State.from_link(link).recipe) == ["tiles.png"]
    missing = make_map(State.from_link(link))
    assert (missing.cells == make_map(state).cells).all()
    plain = tw.run({**CAVE, "tileset": "cave"})
    assert (np.asarray(missing.image(sprites=True)) == np.asarray(plain.image(sprites=True))).all()


@pytest.mark.parametrize(
    ("size", "layout", "side", "tiles"),
    [
        ((128, 96), "blob47", 16, ["wall"]),
        ((128, 128), "edge16", 32, ["wall"]),
        ((192, 64), "godot3x3", 16, ["wall"]),
        ((80, 16), "single", 16, ["floor", "wall"]),
        ((30, 45), "single", 15, ["floor", "wall"]),
    ],
)
def test_the_size_of_a_picture_suggests_its_layout(
    size: tuple[int, int], layout: str, side: int, tiles: list[str]
) -> None:
    state = State.from_recipe(CAVE)
    own = guess_tiles("tiles.png", keep(Image.new("RGBA", size)), make_map(state), find_base(state))
    assert own.tile_size == (side, side)
    assert {tile.layout for tile in own.tiles} == {layout}
    assert sorted(tile.stands_for for tile in own.tiles) == tiles


@pytest.mark.parametrize(
    ("tiles", "line"),
    [
        ((), "there are no tiles yet; click a sprite in the picture"),
        ((OwnTile(),), "name: must be given, or the tile that it stands for"),
        ((OwnTile("wall", layout="cr31"),), "takes 7x7 sprites from sprite 0 on, the picture has 8x6"),
        ((OwnTile("wall", first=5, layout="edge16"),), "takes 4 columns from sprite 5 on, the sheet has 3 there"),
        ((OwnTile("wall"), OwnTile("wall", layout="edge16")), "wall: all its sprites must have the same layout"),
        ((OwnTile("moss", "slime"),), "the technique does not place 'moss', so it keeps its name"),
        ((OwnTile("wall", "?"),), "'?' means a free cell; use another name"),
        ((OwnTile("wall"),) * 65, "must have at most 64 own tiles, got 65"),
    ],
)
def test_mistakes_are_one_line(tiles: tuple[OwnTile, ...], line: str) -> None:
    with refused(line):
        apply(State.from_recipe(CAVE), make_own(tiles=tiles))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"no picture", "a.png: must be a picture: PNG, GIF, WEBP, BMP, JPEG"),
        (b"<svg onload='alert(1)'/>", "a.png: must be a picture"),
        (declare_png(60_000, 60_000), "a.png: must have at most 16,777,216 pixels, got 60,000x60,000; crop it"),
        (encode_image(Image.new("RGBA", (64, 64)))[:60], "a.png: not a readable picture"),
        (bytes(5 << 20), "a.png: must have at most 4,194,304 bytes, got 5,242,880"),
        (
            encode_image(Image.fromarray(np.random.default_rng(1).integers(0, 255, (700, 700, 3), dtype=np.uint8))),
            "a.png: must have at most 1 MB as PNG, got 1.5 MB; crop it to the sprites in use, or reduce its colors",
        ),
    ],
)
def test_hostile_pictures_are_refused_in_one_line(content: bytes, line: str) -> None:
    with refused(line):
        read_picture(content, "a.png", Settings())


def test_other_kinds_of_pictures_become_png() -> None:
    for kind in ("GIF", "WEBP", "BMP", "JPEG"):
        png = read_picture(encode_image(Image.new("RGB", (32, 32), "red"), kind), "a", Settings())
        with Image.open(io.BytesIO(png)) as picture:
            assert (picture.format, picture.size) == ("PNG", (32, 32))


def test_the_limit_of_pixels_holds_for_recipes_too() -> None:
    state = apply(State.from_recipe(CAVE), make_own())
    with pytest.raises(tw.TilewrightError, match=r"the picture tiles.png of 64x48 pixels exceeds the limit"):
        operations.check_recipe(embed_pictures(state.effective), Settings(pixels=1 << 10))


def test_file_names_have_no_folders(tmp_path: Path) -> None:
    assert clean_name("../../etc/pass wd.png", "x") == "pass_wd"
    assert clean_name("C:\\tiles\\../.png", "x") == "x"
    recipe = embed_pictures(apply(State.from_recipe(CAVE), make_own()).recipe)
    recipe["tileset"] |= {"name": "../../evil", "sheet": {**recipe["tileset"]["sheet"], "image": "../../evil.png"}}
    state = State.from_recipe(recipe)
    own = read_own_tiles(state)
    assert own is not None
    files = build_tileset(own, find_base(state)).files
    assert [*files] == ["evil.toml", "evil.png"]
    assert tomllib.loads(files["evil.toml"].decode())["sheet"]["image"] == "evil.png"


def test_the_store_drops_the_least_recently_used_picture() -> None:
    store, size = make_picture_store(), MAX_STORED_BYTES // 2
    store.put("first", bytes(size), size)
    store.put("second", b"1" * size, size)
    assert store.get("first")
    store.put("third", b"2", 1)
    assert [bool(store.get(digest)) for digest in ("first", "second", "third")] == [True, False, True]
    assert put_picture(b"2") == digest_picture(b"2")
