"""How maps are shown by default: with sprites and markers, in a size that suits the map."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageSequence, PngImagePlugin

import tilewright as tw
from tests.formats.maps import encode_image, read_map, sheet_of, sprite_map
from tilewright import formats
from tilewright.cli import main
from tilewright.core.registry import techniques
from tilewright.data import list_names
from tilewright.formats import _composition
from tilewright.formats._animation import AnimationParams, draw_animation
from tilewright.formats._artwork import Artwork, has_sprites
from tilewright.formats._layers import find_sprites
from tilewright.formats._picture import PictureParams, cell_size, draw_all
from tilewright.testing import small_recipe

FLAT_TILESETS = {"fashion"}
"""Tilesets whose tiles have no sprites, only colors."""
PICTURES = ("png", "gif", "apng", "webp")
DUNGEON = tw.make("rooms", width=24, height=16, seed=3)
MARKED = DUNGEON.replace(markers=[tw.Marker("start", 3, 2), tw.Marker("key red", 12, 9), tw.Marker("lever", 13, 9)])


def pixels(content: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(content)) as picture:
        picture.seek(getattr(picture, "n_frames", 1) - 1)
        return np.asarray(picture.convert("RGB"))


@cache
def list_tilesets() -> dict[str, tw.Tileset]:
    """Return the tileset of the maps of every recipe and technique."""
    recipes = {name: tw.Recipe.of(name) for name in list_names("recipes")}
    made = {f"make {entry.name}": small_recipe(entry) for entry in techniques}
    return {name: recipe.tileset for name, recipe in {**recipes, **made}.items()}


def edit(content: bytes, change: Callable[[Image.Image], Image.Image | None]) -> bytes:
    """Return a png file whose picture was changed, as a paint program saves it."""
    with Image.open(io.BytesIO(content)) as opened:
        info = PngImagePlugin.PngInfo()
        info.add_text("tilewright", opened.info["tilewright"])
        picture = opened.convert("RGB")
    return encode_image(change(picture) or picture, pnginfo=info)


def read(content: bytes, name: str = "png") -> tw.TileMap:
    return read_map(name, content)


# -- defaults -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list_tilesets())
def test_every_recipe_and_technique_is_drawn_with_sprites_and_markers(name: str) -> None:
    tileset = list_tilesets()[name]
    assert has_sprites(tileset) == (tileset.name not in FLAT_TILESETS)
    cells = np.random.default_rng(7).integers(0, len(tileset), (12, 31))
    map = tw.TileMap(cells, tileset, markers=[tw.Marker("start", 30, 11)])
    found, flat, plain = (
        pixels(formats.encode(map, "png", **options)) for options in ({}, {"sprites": False}, {"markers": False})
    )
    if has_sprites(tileset):
        assert found.shape == (12 * 16, 31 * 16, 3)
        assert len(np.unique(found[:, :480].reshape(-1, 3), axis=0)) > len(np.unique(tileset.colors[cells]))
    else:
        assert np.array_equal(found, flat)
    assert flat.shape == (12 * 8, 31 * 8, 3)
    assert (found[-12:, -12:] != plain[-12:, -12:]).any(), "the icon of the marker"
    assert read(formats.encode(map, "png")) == map
    assert read(formats.encode(map, "png", sprites=False)) == map


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize(
    "options", [{}, {"sprites": False}, {"markers": False}, {"scale": 4}, {"scale": 11}, {"grid": True}], ids=str
)
def test_pictures_of_all_looks_round_trip(name: str, options: dict[str, Any]) -> None:
    assert read(formats.encode(MARKED, name, **options), name) == MARKED


def test_the_looks_of_a_map_agree() -> None:
    expected = pixels(formats.encode(MARKED, "png"))
    for name in PICTURES[1:]:
        assert np.array_equal(pixels(formats.encode(MARKED, name)), expected), name


@pytest.mark.parametrize(
    ("rows", "columns", "size"),
    [
        (10, 10, (48, 48)),  # warehouse: 480 pixels
        (1, 3, (64, 64)),
        (20, 30, (16, 16)),
        (50, 125, (16, 16)),
        (50, 160, (12, 12)),
        (250, 10, (8, 8)),
        (251, 10, (8, 8)),
    ],
)
def test_the_size_of_sprites_suits_the_map(rows: int, columns: int, size: tuple[int, int]) -> None:
    map = tw.TileMap(np.zeros((rows, columns), np.uint8), DUNGEON.tileset)
    assert cell_size(map, PictureParams(), (rows, columns)) == size


def test_cells_too_small_for_sprites_are_flat() -> None:
    colors = DUNGEON.tileset.colors[DUNGEON.cells]
    assert np.array_equal(np.asarray(DUNGEON.image(scale=7).convert("RGB"))[::7, ::7], colors)
    assert not np.array_equal(np.asarray(DUNGEON.image(scale=8).convert("RGB"))[::8, ::8], colors)
    large = tw.TileMap(np.zeros((2, 251), np.uint8), DUNGEON.tileset)
    assert len(np.unique(pixels(formats.encode(large, "png")).reshape(-1, 3), axis=0)) == 1
    tiny = sprite_map()
    assert sheet_of(tiny).tile_width == 4
    assert tiny.image(scale=4).size == (12, 8)
    assert len(np.unique(np.asarray(tiny.image(scale=4).convert("RGB")).reshape(-1, 3), axis=0)) > 3, "own sprites"


# -- reading edited pictures --------------------------------------------------------------------------------------


def paint_corner(picture: Image.Image) -> None:
    picture.paste((200, 191, 174), (0, 0, 16, 16))


def erase_corner(picture: Image.Image) -> Image.Image:
    """Make a cell transparent. The colors of its pixels remain."""
    picture = picture.convert("RGBA")
    alpha = Image.new("L", picture.size, 255)
    alpha.paste(0, (0, 0, 16, 16))
    picture.putalpha(alpha)
    return picture


@pytest.mark.parametrize(
    "change",
    [
        paint_corner,
        erase_corner,
        lambda picture: picture.putpixel((5, 5), (1, 2, 3)),
        lambda picture: picture.resize((picture.width * 2, picture.height * 2), Image.Resampling.NEAREST),
        lambda picture: picture.crop((0, 0, picture.width, picture.height - 16)),
        lambda picture: picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    ],
    ids=["cell", "erased", "pixel", "larger", "cropped", "mirrored"],
)
@pytest.mark.parametrize("options", [{}, {"overlay": "distance", "sprites": False}], ids=["sprites", "overlay"])
def test_an_edited_picture_with_sprites_is_refused(
    change: Callable[[Image.Image], Image.Image | None], options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "level.png"
    path.write_bytes(edit(formats.encode(MARKED, "png", **options), change))
    with pytest.raises(tw.BadFile, match=r"level\.png: its pixels were changed.*--flat \(sprites=false\)") as caught:
        tw.load(path)
    assert "\n" not in str(caught.value)


def test_saving_a_picture_again_is_no_edit() -> None:
    content = formats.encode(MARKED, "png")
    assert read(edit(content, lambda picture: None)) == MARKED
    assert read(edit(content, lambda picture: picture.convert("RGBA"))) == MARKED


def test_a_picture_of_an_older_version_has_no_checksum() -> None:
    content = formats.encode(MARKED, "png")
    with Image.open(io.BytesIO(content)) as opened:
        text = opened.info["tilewright"]
        start = text.index('"pixels": ')
        info = PngImagePlugin.PngInfo()
        info.add_text("tilewright", text[:start] + text[text.index(",", start) + 2 :])
        picture = opened.convert("RGB")
    paint_corner(picture)
    assert read(encode_image(picture, pnginfo=info)) == MARKED


def test_flat_pictures_with_icons_are_read_after_edits() -> None:
    floor = np.argwhere(MARKED.where("floor"))[0][::-1].tolist()
    map = MARKED.replace(markers=[tw.Marker("start", *floor), tw.Marker("key red", 12, 9)])
    content = formats.encode(map, "png", sprites=False)
    water, grass = map.tileset.id("water"), map.tileset.id("grass")

    def paint(picture: Image.Image) -> None:
        for tile, (x, y) in ((water, (0, 0)), (grass, floor)):
            picture.paste(map.tileset[tile].rgb, (8 * x, 8 * y, 8 * x + 8, 8 * y + 8))

    cells = map.cells.copy()
    cells[0, 0], cells[floor[1], floor[0]] = water, grass
    assert np.array_equal(read(edit(content, paint)).cells, cells), "a cell, and one whose icon was painted over"


# -- animations ---------------------------------------------------------------------------------------------------


def vary(tileset: tw.Tileset) -> list[tw.TileMap]:
    """Return maps that differ from their predecessors in a part, in nothing, or completely."""
    rng = np.random.default_rng(3)
    cells = rng.integers(0, len(tileset), (2, 11, 13))
    maps = [cells]
    for top, bottom, left, right in [
        (4, 5, 6, 7),
        (0, 1, 0, 1),
        (10, 11, 11, 13),
        (3, 3, 3, 3),
        (2, 9, 1, 4),
        (0, 11, 0, 13),
    ]:
        cells = cells.copy()
        cells[:, top:bottom, left:right] = rng.integers(0, len(tileset), (2, bottom - top, right - left))
        maps.append(cells)
    return [tw.TileMap(one, tileset) for one in maps]


BETWEEN = tw.Tileset.validate(
    {
        "name": "between",
        "tiles": [{"name": "land", "kind": "grass"}, {"name": "sea", "kind": "water"}, {"name": "key", "over": "*"}],
        "skins": [
            {"tile": "land", "layout": "corner16", "texture": "turf", "variants": 2},
            {"tile": "sea", "layout": "blob47"},
        ],
    }
)


@pytest.mark.parametrize(
    "tileset", [tw.Tileset.of(name) for name in ("dungeon", "terrain", "awbw")] + [BETWEEN], ids=lambda one: one.name
)
@pytest.mark.parametrize("options", [{}, {"grid": True}, {"sprites": False}], ids=str)
def test_each_frame_equals_a_picture_of_its_map(tileset: tw.Tileset, options: dict[str, Any]) -> None:
    """Only the changed cells of a frame are composed, and only the changed rows are drawn."""
    views, params = vary(tileset), PictureParams.validate(options)
    together = draw_all(views, params, (11, 27), (16, 16), exact=True)
    for view, picture in zip(views, together, strict=True):
        alone = draw_all([view], params, (11, 27), (16, 16), exact=True)[0]
        assert np.array_equal(np.asarray(picture.convert("RGB")), np.asarray(alone.convert("RGB")))


def test_only_changed_cells_are_composed(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    find = find_sprites

    def count(artwork: Artwork, cells: NDArray[np.integer], *rest: Any) -> Any:
        sizes.append(cells[0].size)
        return find(artwork, cells, *rest)

    monkeypatch.setattr(_composition, "find_sprites", count)
    draw_all(vary(DUNGEON.tileset)[:4], PictureParams(), (11, 27), (16, 16))
    assert sizes[0] == 11 * 13
    assert max(sizes[1:]) <= 7 * 7, "the changed cells, their neighbors, and theirs"


def test_a_gif_stores_only_changed_pixels() -> None:
    frames = list(tw.watch("rooms", seed=3, width=40, height=30))
    whole = sum(len(formats.encode(frame.map, "gif")) for frame in frames if frame.map is not None)
    content = write_animation(frames)
    assert len(content) < 8 * whole, f"{len(frames)} frames"
    with Image.open(io.BytesIO(content)) as picture:
        found = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(picture)]
    expected = draw_animation(frames, AnimationParams(), palette=True)
    shown = [np.asarray(one.convert("RGB")) for one in expected.pictures]
    distinct = [one for number, one in enumerate(shown) if not number or (one != shown[number - 1]).any()]
    assert len(found) == len(distinct)
    assert all(np.array_equal(one, other) for one, other in zip(found, distinct, strict=True))
    assert sum(durations) == sum(expected.durations)


def write_animation(frames: list[tw.Frame]) -> bytes:
    gif = formats.format_registry.get("gif")
    assert gif.animate is not None
    return gif.animate(frames, gif.params.validate({}), Path("a.gif"))["a.gif"]


# -- command line -------------------------------------------------------------------------------------------------


def test_flat_switches_sprites_off(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.png"
    assert main(["make", "rooms", "--seed", "3", "--width", "24", "--height", "16", "--flat", "-o", str(path)]) == 0
    assert np.array_equal(pixels(path.read_bytes()), pixels(formats.encode(DUNGEON, "png", sprites=False)))
    assert main(["convert", str(path), str(tmp_path / "b.gif")]) == 0
    assert np.array_equal(pixels((tmp_path / "b.gif").read_bytes()), pixels(formats.encode(DUNGEON, "gif")))
    capfd.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--flat"], "--flat: only applies to output files; name one with -o"),
        (
            ["--flat", "--option", "sprites=true", "-o", "x.png"],
            "sprites: --flat already means sprites=false; remove one of them",
        ),
        (["--flat", "-o", "x.tmx"], "tmx has no option 'sprites' for --flat"),
    ],
)
def test_flat_needs_a_picture(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["make", "caves", *arguments]) == 2
    assert capfd.readouterr().err == f"tilewright: {message}\n"
