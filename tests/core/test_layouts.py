"""Layouts of sheets: every mask has exactly one sprite, and neighbors in published sheets fit each other."""

from __future__ import annotations

import pytest

from tilewright.core.skins import LAYOUTS, OFFSETS, Layout, Skin, find_quarters, reduce_mask

WHOLE = [layout for layout in LAYOUTS.values() if not layout.is_composed]


@pytest.mark.parametrize("layout", WHOLE, ids=lambda layout: layout.name)
def test_every_mask_has_one_place(layout: Layout) -> None:
    masks = [mask for mask in layout.masks if mask is not None]
    assert sorted(masks) == list(layout.all_masks)
    assert layout.is_ascending == (masks == sorted(masks))


@pytest.mark.parametrize(("name", "count", "extent"), [
    ("single", 1, (1, 1)), ("edge16", 16, (4, 4)), ("corner16", 16, (4, 4)), ("blob47", 47, (8, 6)),
    ("godot3x3", 47, (12, 4)), ("cr31", 47, (7, 7)), ("rpgmaker-a2", 47, (2, 3)),
])  # fmt: skip
def test_sizes_of_layouts(name: str, count: int, extent: tuple[int, int]) -> None:
    assert len(LAYOUTS[name].all_masks) == count
    assert Skin(tile="wall", layout=name).extent == extent


def test_the_template_of_godot_is_a_drawing_of_connected_sprites() -> None:
    """Sprites of the left third and of the right third connect exactly to their neighbors in the template."""
    rows = [LAYOUTS["godot3x3"].masks[start : start + 12] for start in range(0, 48, 12)]
    for left, width in ((0, 4), (8, 4)):
        part = [row[left : left + width] for row in rows]
        for y, row in enumerate(part):
            for x, mask in enumerate(row):
                if mask is None:
                    continue
                for direction in (2, 4):  # east and south
                    over, down = y + OFFSETS[direction][0], x + OFFSETS[direction][1]
                    other = part[over][down] if over < 4 and down < width else None
                    if other is not None:
                        assert (mask >> direction & 1) == (other >> (direction + 4) % 8 & 1), (y, x, direction)


@pytest.mark.parametrize("direction", [2, 4])
def test_neighbors_in_the_sheet_of_cr31_fit(direction: int) -> None:
    """The sheet is packed so that edges match, also around its border."""
    masks = LAYOUTS["cr31"].masks
    for place, mask in enumerate(masks):
        row, column = place // 7 + OFFSETS[direction][0], place % 7 + OFFSETS[direction][1]
        other = masks[row % 7 * 7 + column % 7]
        assert (mask or 0) >> direction & 1 == (other or 0) >> (direction + 4) % 8 & 1, place


def test_quarters_show_the_neighbors_of_their_corner() -> None:
    """A quarter depends on the two sides and the corner next to it only, and on whether each is set."""
    looks: dict[tuple[int, int, int, int], set[int]] = {}
    for mask in LAYOUTS["rpgmaker-a2"].all_masks:
        for quarter, (side, other, corner) in enumerate(((0, 6, 7), (0, 2, 1), (4, 6, 5), (4, 2, 3))):
            state = quarter, mask >> side & 1, mask >> other & 1, mask >> corner & 1
            looks.setdefault(state, set()).add(find_quarters(mask)[quarter])
    assert all(len(places) == 1 for places in looks.values())
    assert len({(state[0], *places) for state, places in looks.items()}) == 20  # 5 looks of each of 4 quarters
    assert {place for places in looks.values() for place in places} == {1, 2, 3, 4, 5}  # 0 is the icon
    assert len({find_quarters(mask) for mask in LAYOUTS["rpgmaker-a2"].all_masks}) == 47


def test_quarters_of_rpg_maker() -> None:
    assert find_quarters(255) == (5, 4, 3, 2)  # the middle of a terrain meets in the center of the frame
    assert find_quarters(0) == (2, 3, 4, 5)  # a single cell is made of the corners of the frame
    assert find_quarters(reduce_mask(255 - 2)) == (5, 1, 3, 2)  # an inner corner in the north-east
    assert find_quarters(0b01000100) == (3, 2, 5, 4)  # a row: upper and lower edges


def test_positions_of_a_composed_skin() -> None:
    skin = Skin(tile="grass", layout="rpgmaker-a2", first=4, sprites=(("0", ((40, 1.0),)),))
    assert skin.list_positions(16) == [5, 20, 21, 36, 37, 40]
    assert skin.list_quarters(16)[255] == (37, 36, 21, 20)
    assert skin.list_sprites(16) == {0: ((40, 1.0),)}
    assert 0 not in skin.list_quarters(16)
    assert Skin(tile="grass", layout="rpgmaker-a2").list_quarters(16) == {}


def test_a_layout_with_other_columns() -> None:
    skin = Skin(tile="wall", layout="blob47", first=0, columns=47)
    assert skin.extent == (47, 1)
    assert [choices[0][0] for choices in skin.list_sprites(47).values()] == [*range(47)]
