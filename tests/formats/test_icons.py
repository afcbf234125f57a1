"""Icons of markers: found by name, visible on every color, in pictures of every size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import read_map
from tilewright import formats
from tilewright.formats._icons import COLORS, DRAWINGS, LETTERS, TAG, Icon, draw_icon, find_icon, place_icons

ICONS = [
    *(Icon(drawing, color) for drawing in DRAWINGS for color in COLORS.values()),
    *(Icon(TAG, "fff4d6", letter) for letter in LETTERS),
]


@pytest.mark.parametrize(("name", "drawing", "color"), read_table(__file__, "names"))
def test_the_name_decides_the_icon(name: str, drawing: str, color: str) -> None:
    assert find_icon(name) == Icon(drawing, COLORS[color])


@pytest.mark.parametrize(("name", "letter"), [("lever", "L"), ("42", "4"), ("Öl", "L"), ("", "?"), ("…", "?")])
def test_other_names_get_a_tag_with_a_letter(name: str, letter: str) -> None:
    assert (find_icon(name).drawing, find_icon(name).letter) == (TAG, letter)


@given(st.text(max_size=30))
def test_any_name_has_an_icon(name: str) -> None:
    assert draw_icon(find_icon(name), 16).shape == (16, 16, 4)


@pytest.mark.parametrize("side", [*range(10, 40), 64, 256])
def test_icons_have_a_closed_outline(side: int) -> None:
    for icon in ICONS[:: 1 if side in (10, 16) else 37]:
        pixels = draw_icon(icon, side)
        assert set(np.unique(pixels[..., 3])) == {0, 255}
        body = (pixels[..., 3] == 255) & (pixels[..., :3] != (27, 24, 34)).any(axis=-1)
        assert body.sum() > side * side // 8
        assert pixels[..., :3][body].max() > 150, "bright on dark tiles"
        padded = np.pad(body, 1)
        around = np.zeros_like(body)
        for down in range(3):
            for right in range(3):
                around |= padded[down : down + side, right : right + side]
        assert (pixels[..., 3][around] == 255).all(), "dark around the body, for bright tiles"
        assert not body[[0, -1]].any()
        assert not body[:, [0, -1]].any()


def test_sizes_of_cells_decide_between_icons_dots_and_nothing() -> None:
    assert not list(place_icons(["start"], 3, 9))
    for cell in range(4, 8):
        (dot,) = place_icons(["start"], cell, cell)
        assert (dot.is_dot, dot.side, dot.row, dot.column) == (True, cell, 0, 0)
        assert len(np.unique(draw_icon(dot.icon, dot.side, is_dot=True).reshape(-1, 4), axis=0)) == 3
    for cell, side in ((8, 10), (13, 15), (15, 16), (16, 16), (24, 24), (32, 32)):
        (icon,) = place_icons(["start"], cell, cell)
        assert (icon.is_dot, icon.side) == (False, side)
        assert icon.row == icon.column == (cell - side) // 2


@given(st.lists(st.sampled_from(["start", "key red", "lever"]), min_size=1, max_size=9), *[st.integers(1, 70)] * 2)
def test_several_markers_share_their_cell(names: list[str], height: int, width: int) -> None:
    placed = list(place_icons(names, height, width))
    room = min(height, width)
    assert len(placed) == (0 if room < 4 else 1 if room < 8 else min(4, len(names)))
    for one in placed:
        assert -1 <= one.row <= height - one.side + 1
        assert -1 <= one.column <= width - one.side + 1
    if len(placed) > 1:
        assert len({(one.row, one.column) for one in placed}) == len(placed)
    if room >= 8 and len(names) > 4:
        assert placed[-1].icon.letter == "+"


def _map(colors: int = 3, levels: int = 0) -> tw.TileMap:
    tiles = tw.Tileset.from_labels([f"t{number}" for number in range(colors)], "many")
    shape = (levels, 6, 8) if levels else (6, 8)
    cells = (np.arange(np.prod(shape)) % colors).reshape(shape).astype(tiles.dtype)
    markers = [
        tw.Marker("start", 0, 0),
        tw.Marker("exit", 7, 5),
        *(tw.Marker(f"key {c}", 3, 2) for c in ("red", "blue")),
    ]
    if levels:
        markers.append(tw.Marker("boss", 7, 0, levels - 1))
    return tw.TileMap(cells, tiles, markers=markers)


@pytest.mark.parametrize("colors", [3, 128, 200, 256, 300])
@pytest.mark.parametrize("scale", [1, 4, 8, 16])
def test_pictures_with_icons_are_still_their_maps(colors: int, scale: int) -> None:
    for map in (_map(colors), _map(colors, levels=2)):
        for name in ("png", "gif", "apng"):
            assert read_map(name, formats.encode(map, name, scale=scale, markers=True)) == map


@settings(max_examples=40)
@given(st.integers(1, 40), st.booleans(), st.sampled_from([3, 256]))
def test_icons_change_only_the_pixels_around_their_cells(scale: int, sprites: bool, colors: int) -> None:
    map = _map(colors, levels=2)
    plain, marked = (
        np.asarray(map.image(scale=scale, sprites=sprites, markers=markers).convert("RGB")) for markers in (False, True)
    )
    changed = np.zeros((6, 17), dtype=bool)
    for row, column in np.argwhere((plain != marked).any(axis=-1)):
        changed[min(5, row // scale), min(16, column // scale)] = True
    near = np.zeros_like(changed)
    for marker in map.markers:
        x, y = marker.level * 9 + marker.x, marker.y
        near[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2] = True
        assert changed[y, x] == (scale >= 4)
    assert not (changed & ~near).any()
