"""The canvas in a browser: painting, locks, view settings and the timeline."""

from __future__ import annotations

import base64
import re

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import COMPONENT, Studio

SMALL = {"technique": "caves", "params": {"width": 24, "height": 16}, "seed": 7}
LOCKED = [(3, 4), (4, 4), (5, 4), (6, 4), (7, 4), (7, 5), (7, 6)]
"""Cells (x, y) along a stroke."""


def make_small(**changes: object) -> tw.TileMap:
    return tw.run({**SMALL, **changes})


def tiles_at(studio: Studio, cells: list[tuple[int, int]]) -> list[str]:
    shown = studio.cells()
    return [str(shown[y, x]) for x, y in cells]


def test_the_picture_is_the_map(studio: Studio) -> None:
    studio.open(SMALL)
    map = make_small()
    assert np.array_equal(studio.cells(), np.array(map.tileset.names)[map.cells])
    in_sprites = studio.pixels()
    studio["sprites"].click()
    expect(studio["sprites"]).not_to_have_attribute("aria-pressed", "true")
    everywhere = [(x, y) for y in range(16) for x in range(24)]
    assert studio.colors(everywhere) == [map.tileset[int(map.cells[y, x])].color for x, y in everywhere]
    assert not np.array_equal(studio.pixels(), in_sprites)

    in_colors = studio.pixels()
    studio.press("g")
    expect(studio["grid"]).to_have_attribute("aria-pressed", "true")
    assert not np.array_equal(studio.pixels(), in_colors)


def test_painted_cells_stay_locked_with_new_seeds(studio: Studio) -> None:
    studio.open(SMALL)
    studio.take("brush", "water")
    studio.stroke((3, 4), (7, 4), (7, 6))
    expect(studio.map).to_have_attribute("data-locked", str(len(LOCKED)))
    expect(studio["regenerate"]).to_contain_text("7 painted")
    painted = studio.cells()
    assert [(int(x), int(y)) for y, x in np.argwhere(painted == "water")] == sorted(LOCKED, key=lambda cell: cell[::-1])

    studio["regenerate"].click()
    kept = make_small(locks=[[x, y, "water"] for x, y in LOCKED])
    studio.shows(kept)
    expect(studio.map).to_have_attribute("data-painted", "0")
    assert tiles_at(studio, LOCKED) == ["water"] * len(LOCKED)
    for _ in range(3):
        with studio.another():
            studio["reroll"].click()
        assert tiles_at(studio, LOCKED) == ["water"] * len(LOCKED)
    with studio.another():
        studio.set_param("walls", 0.6)
    assert tiles_at(studio, LOCKED) == ["water"] * len(LOCKED)

    # Locks to tiles of the technique stay with other techniques.
    studio["unlock-all"].click()
    expect(studio.map).to_have_attribute("data-locked", "0")
    studio.take("rectangle", "floor")
    studio.stroke((10, 10), (12, 11))
    expect(studio.map).to_have_attribute("data-locked", "6")
    for technique in ("rooms", "maze", "drunkard"):
        studio["chosen"].click()
        with studio.another():
            studio[f"pick-{technique}"].click()
        assert (studio.cells()[10:12, 10:13] == "floor").all()
        with studio.another():
            studio["reroll"].click()
        assert (studio.cells()[10:12, 10:13] == "floor").all()


def draw(map: tw.TileMap) -> NDArray[np.uint8]:
    """Return the pixels of a map in sprites."""
    return np.asarray(map.image(sprites=True, scale=16, markers=False).convert("RGB"))


def read_sprites(studio: Studio) -> NDArray[np.uint8]:
    """Return the pixels of the sprites on the canvas, at their original size."""
    height, width, side, pixels = studio.map.evaluate(
        f"""(map) => {{
          const {{ scene }} = ({COMPONENT})(map);
          const {{ side, pixels }} = scene.sheet.sizes[0];
          const area = side * side;
          const cells = new Uint32Array(scene.looks.length * area);
          scene.looks.forEach((look, cell) => cells.set(pixels.subarray(look * area, (look + 1) * area), cell * area));
          // Playwright takes seconds to read millions of numbers, but not to read a string.
          const bytes = Array.from(new Uint8Array(cells.buffer), (byte) => String.fromCharCode(byte));
          return [scene.height, scene.width, side, btoa(bytes.join(""))];
        }}"""
    )
    colors = np.frombuffer(base64.b64decode(pixels), dtype=np.uint8).reshape(height, width, side, side, 4)
    sprites: NDArray[np.uint8] = colors.swapaxes(1, 2).reshape(height * side, width * side, 4)[..., :3]
    return sprites


def test_painted_cells_join_their_neighbors_after_the_stroke(studio: Studio) -> None:
    studio.open(SMALL)
    map = make_small()
    assert np.array_equal(read_sprites(studio), draw(map))
    studio.take("brush", "water")
    with studio.another():
        studio.stroke((3, 4), (7, 4), (7, 6))
    cells = map.cells.copy()
    for x, y in LOCKED:
        cells[y, x] = map.tileset.id("water")
    painted = map.replace(cells=cells, recipe=map.recipe)
    assert np.array_equal(read_sprites(studio), draw(painted))


def test_sprites_of_a_large_map_are_sent_when_its_cells_are_large_enough(studio: Studio) -> None:
    recipe = {"technique": "noise", "params": {"width": 96, "height": 80}, "seed": 3}
    map = tw.run(recipe)
    studio.open(recipe)
    assert studio.map.evaluate(f"(map) => ({COMPONENT})(map).scene.lacksSprites")
    # Until the sprites are there, cells are drawn as colors, not with sprites that ignore their neighbors.
    studio.map.evaluate(
        f"""(map) => {{
          const {{ picture }} = ({COMPONENT})(map);
          const draw = picture.drawSprites.bind(picture);
          picture.drawSprites = (...args) => {{
            map.dataset.sprites = (map.dataset.sprites ?? "") + (picture.layer.looks ? "" : "bare") || "joined";
            draw(...args);
          }};
        }}"""
    )
    studio.press("Shift+0")  # the original size of sprites
    expect(studio.map).to_have_attribute("data-sprites", "joined")
    assert np.array_equal(read_sprites(studio), draw(map))
    with studio.another():  # The next map comes with its sprites.
        studio["reroll"].click()
    assert studio.map.evaluate(f"(map) => ({COMPONENT})(map).scene.looks !== null")
    studio.press("0")
    expect(studio.map).to_have_attribute("data-zoom", re.compile(r"^[1-9]\."))
    with studio.another():  # Small cells need none again, but Play does.
        studio["reroll"].click()
    assert studio.map.evaluate(f"(map) => ({COMPONENT})(map).scene.lacksSprites")
    studio["play-map"].click()
    studio["game"].wait_for()
    assert studio.map.evaluate(f"(map) => ({COMPONENT})(map).game.scene.looks !== null")


def test_tools_paint_and_every_step_can_be_undone(studio: Studio) -> None:
    studio.open({**SMALL, "params": {"width": 12, "height": 8, "walls": 0, "outside": "floor"}})
    plain = studio.cells()
    assert set(plain.ravel()) == {"floor"}
    studio["locking"].click()
    studio.take("rectangle", "wall")
    studio.stroke((2, 2), (6, 6))
    studio.take("rectangle", "moss")
    studio.stroke((5, 5), (3, 3))
    studio.take("bucket", "water")
    studio.stroke((0, 0))
    expected = np.full((8, 12), "water", dtype=plain.dtype)
    expected[2:7, 2:7] = "wall"
    expected[3:6, 3:6] = "moss"
    expect(studio.map).to_have_attribute("data-painted", "96")
    assert np.array_equal(studio.cells(), expected)
    expect(studio.map).to_have_attribute("data-locked", "0")

    studio.take("picker")
    studio.stroke((4, 4))
    expect(studio.map).to_have_attribute("data-tile", "moss")
    expect(studio.map).to_have_attribute("data-tool", "bucket")
    studio.take("brush")
    studio["thicker"].click()
    studio["thicker"].click()
    expect(studio["brush-size"]).to_have_text("3")
    studio.stroke((10, 1))
    thick = expected.copy()
    thick[0:3, 9:12] = "moss"
    studio.holds(thick)
    studio["undo"].click()
    studio.holds(expected)
    studio.press("Control+z", "Control+z")
    rectangle = np.full((8, 12), "floor", dtype=plain.dtype)
    rectangle[2:7, 2:7] = "wall"
    studio.holds(rectangle)
    studio["undo"].click()
    studio.holds(plain)
    expect(studio["undo"]).to_be_disabled()
    studio.press("Control+Shift+z", "Control+y")
    studio["redo"].click()
    studio.holds(expected)
    studio["redo"].click()
    studio.holds(thick)
    expect(studio["redo"]).to_be_disabled()
    # Painted cells without locks are dropped when the map is made again.
    studio.press("Enter")
    studio.holds(plain)


def test_large_maps_are_painted_on_too(studio: Studio) -> None:
    recipe = {**SMALL, "params": {"width": 640, "height": 512}}
    map = tw.run(recipe)
    cells = np.array(map.tileset.names)[map.cells]
    assert not (cells == "water").any()
    studio.open(recipe)
    studio.take("rectangle", "water")
    studio.stroke((0, 0), (639, 1))
    studio.stroke((0, 511), (639, 511))
    expect(studio.map).to_have_attribute("data-painted", str(3 * 640))
    cells[[0, 1, 511]] = "water"
    studio.holds(cells)


def test_the_selection_is_locked_and_unlocked(studio: Studio) -> None:
    studio.open(SMALL)
    before = studio.cells()
    studio.take("select")
    studio.stroke((2, 2), (9, 7))
    expect(studio.map).to_have_attribute("data-selected", "48")
    studio.press("l")
    expect(studio.map).to_have_attribute("data-locked", "48")
    for _ in range(2):
        with studio.another():
            studio.press("r")
        assert np.array_equal(studio.cells()[2:8, 2:10], before[2:8, 2:10])
    studio.stroke((2, 2), (4, 4))
    studio["unlock"].click()
    expect(studio.map).to_have_attribute("data-locked", "39")
    studio.press("Escape")
    expect(studio.map).to_have_attribute("data-selected", "0")
    studio.press("Control+a")
    expect(studio.map).to_have_attribute("data-selected", "384")
    studio.press("u")
    expect(studio.map).to_have_attribute("data-locked", "0")
    studio.press("Control+z")
    expect(studio.map).to_have_attribute("data-locked", "39")


def test_hovering_shows_coordinates_tile_and_room(studio: Studio) -> None:
    recipe = {"technique": "rooms", "params": {"width": 40, "height": 24}, "seed": 3}
    studio.open(recipe)
    map = tw.run(recipe)
    room = map.rooms[1]
    studio.page.mouse.move(*studio.place(room.x, room.y))
    expect(studio["hover-place"]).to_have_text(f"{room.x}, {room.y}")
    expect(studio["hover-tile"]).to_have_text(map.tileset[int(map.cells[room.y, room.x])].name)
    expect(studio["hover-room"]).to_have_text("room 1")
    studio.page.mouse.move(*studio.place(0, 0))
    expect(studio["hover-place"]).to_have_text("0, 0")
    expect(studio["hover-room"]).to_have_count(0)


def test_overlays_are_drawn_over_the_map(studio: Studio) -> None:
    studio.open({"technique": "rooms", "params": {"width": 40, "height": 24}, "seed": 3})
    plain = studio.pixels()
    pictures = [plain]
    for name in ("distance", "hot-path", "regions", "rooms"):
        studio["overlays"].click()
        studio[f"overlay-{name}"].click()
        expect(studio["overlays"]).to_contain_text(re.compile(name.replace("-", " "), re.IGNORECASE))
        for known in pictures:
            differs(studio, known)
        pictures.append(studio.pixels())
    expect(studio["legend"]).to_be_visible()
    studio["overlays"].click()
    studio["overlay-none"].click()
    expect(studio["legend"]).to_have_count(0)
    studio.page.mouse.move(0, 0)
    assert np.array_equal(studio.pixels(), plain)


def differs(studio: Studio, known: np.ndarray) -> None:
    """Wait until another picture is shown."""
    for _ in range(200):
        if not np.array_equal(studio.pixels(), known):
            return
    raise AssertionError("the picture stays the same")


def test_zoom_and_pan(studio: Studio) -> None:
    studio.open(SMALL)
    fitted = float(studio.map.get_attribute("data-zoom") or 0)
    studio["zoom-in"].click()
    expect(studio.map).not_to_have_attribute("data-zoom", f"{fitted:.3f}")
    studio.press("f")
    expect(studio.map).to_have_attribute("data-zoom", f"{fitted:.3f}")
    studio.page.mouse.move(*studio.place(5, 5))
    under = studio.place(5, 5)
    studio.page.mouse.wheel(0, -400)
    expect(studio.map).not_to_have_attribute("data-zoom", f"{fitted:.3f}")
    assert np.allclose(studio.place(5, 5), under, atol=2)
    studio.stroke((5, 5), (9, 8))  # the hand tool pans
    assert not np.allclose(studio.place(5, 5), under)
    studio.press("0")
    expect(studio.map).to_have_attribute("data-zoom", f"{fitted:.3f}")


def test_the_timeline_plays_pauses_scrubs_and_steps(studio: Studio) -> None:
    studio.open({"technique": "drunkard", "params": {"width": 40, "height": 24}, "seed": 3})
    finished = studio.pixels()
    studio["play"].click()
    expect(studio.map).to_have_attribute("data-frames", re.compile(r"^[1-9]\d*$"))
    frames = int(studio.map.get_attribute("data-frames") or 0)
    assert frames > 10
    studio.page.wait_for_function("() => document.querySelector('[data-testid=map]').dataset.frame > 0")
    expect(studio["frame-badge"]).to_contain_text("frame")
    studio["play"].click()
    expect(studio["play"]).to_have_attribute("aria-label", "Play")

    box = studio.box("scrub")
    middle = box["y"] + box["height"] / 2
    studio.page.mouse.click(box["x"] + 1, middle)
    expect(studio.map).to_have_attribute("data-frame", "0")
    studio.page.mouse.move(0, 0)
    first = studio.pixels()
    assert not np.array_equal(first, finished)
    studio["frame-forward"].click()
    studio["frame-forward"].click()
    expect(studio.map).to_have_attribute("data-frame", "2")
    studio.page.mouse.move(0, 0)
    assert not np.array_equal(studio.pixels(), first)
    studio.map.locator("canvas").click(position={"x": 4, "y": 4})
    studio.press(",")
    expect(studio.map).to_have_attribute("data-frame", "1")
    studio.press(".", ".")
    expect(studio.map).to_have_attribute("data-frame", "3")
    studio.page.mouse.move(box["x"] + 1, middle)
    studio.page.mouse.down()
    studio.page.mouse.move(box["x"] + box["width"] / 2, middle, steps=4)
    expect(studio.map).to_have_attribute("data-frame", re.compile(f"^({(frames - 1) // 2}|{frames // 2})$"))
    studio.page.mouse.move(box["x"] + box["width"] - 1, middle, steps=4)
    studio.page.mouse.up()
    expect(studio["frame-badge"]).to_have_count(0)
    studio.page.mouse.move(0, 0)
    assert np.array_equal(studio.pixels(), finished)
    # Another map has another timeline.
    studio["reroll"].click()
    expect(studio.map).to_have_attribute("data-frames", "0")
