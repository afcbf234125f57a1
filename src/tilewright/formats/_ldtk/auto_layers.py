"""Auto-layer rules of LDtk that choose the same sprites as skins.

A cell of a rule's pattern compares one value: v (must be v), -v (must not be v), or 0 (any). The numbers of groups of
values work the same way, and each value is in at most one group. "Counts as the same" is therefore a rule's condition
only if these tiles, or all the others, are one value or one group. `ValueSets` chooses the groups.

The editor skips a rule if a value that it requires does not occur near the cell, even if the outside of the level has
this value. Conditions on neighbors are therefore only of the form "must not be", and the order of the rules does the
rest: each rule has `breakOnMatch`, so that the first match wins. If no condition excludes all masks but one, the masks
with the fewest neighbors (or the most, if the others are compared) come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...core.skins import OFFSETS, Layout

ANYTHING = 1_000_001
"""Number in a pattern that means any value except 0."""
MAX_VALUE = 999
"""Largest value in a pattern. Larger numbers mean groups."""

CORNERS = {1: (0, 1), 3: (1, 1), 5: (1, 0), 7: (0, 0)}
"""Row and column, in a pattern, of the cell in each diagonal direction from the upper left corner of a cell."""

Tiles = frozenset[int]


@dataclass(frozen=True)
class ValueCondition:
    """A condition of a pattern that accepts a set of tiles, or its complement."""

    number: int
    """Number in the pattern that refers to a set of tiles; 0 if the set is empty."""
    is_complement: bool
    """Whether the number refers to all other tiles."""


@dataclass
class ValueSets:
    """Sets of tiles as conditions on IntGrid values. The value of a tile is its id + 1."""

    universe: Tiles
    """All tiles that the layer can have."""
    has_empty: bool = False
    """Whether cells may also have no tile, which no condition on the other tiles excludes."""
    groups: list[Tiles] = field(default_factory=list)
    """Groups of values; the uid of a group is its position + 1."""

    def add(self, sets: Iterable[Tiles]) -> None:
        """Choose groups for sets, the smallest first. Sets that overlap other groups get none."""
        pairs = {tuple(sorted((one,) if self.has_empty else (one, self.universe - one), key=_rank)) for one in sets}
        for pair in sorted(pairs, key=lambda pair: [_rank(one) for one in pair]):
            if any(len(one) <= 1 or one in self.groups for one in pair):
                continue
            free = next((one for one in pair if all(one.isdisjoint(group) for group in self.groups)), None)
            self.groups += [] if free is None else [free]

    def find(self, tiles: Tiles) -> ValueCondition | None:
        """Return a condition that accepts these tiles; None if there is none."""
        for one, is_complement in ((tiles, False), (self.universe - tiles, True)):
            if is_complement and self.has_empty:
                return None
            if not one:
                return ValueCondition(0, is_complement)
            if len(one) == 1:
                return ValueCondition(min(one) + 1, is_complement)
            if one in self.groups:
                return ValueCondition((self.groups.index(one) + 2) * 1000, is_complement)
        return None

    def group_of(self, tile: int) -> int:
        """Return the uid of a tile's group, or 0."""
        return next((uid for uid, group in enumerate(self.groups, 1) if tile in group), 0)


def _rank(tiles: Tiles) -> tuple[int, list[int]]:
    return len(tiles), sorted(tiles)


@dataclass(frozen=True)
class Pattern:
    """The pattern of a rule, its mask, and the value of cells outside the level."""

    mask: int
    cells: tuple[int, ...]
    outside: int | None


def list_patterns(
    layout: Layout, centers: Tiles, same: Tiles, outside: bool, sets: ValueSets
) -> dict[int, list[Pattern]] | None:
    """Return the patterns for the masks of a layout by center tile, in the order of their rules.

    The key -1 means all centers. None means that no rule can express the skin.

    Parameters
    ----------
    layout
        Layout of the skin.
    centers
        Tiles that the skin is drawn for.
    same
        Tiles that count as the same.
    outside
        Whether the outside of the map counts as the same.
    sets
        Conditions on IntGrid values.
    """
    condition = sets.find(same)
    if condition is None:
        return None
    whole = sets.find(centers)
    if whole is not None and not whole.is_complement:
        return {-1: [*_iter_patterns(layout, whole.number, condition, same, outside, sets)]}
    return {tile: [*_iter_patterns(layout, tile + 1, condition, same, outside, sets)] for tile in sorted(centers)}


def _iter_patterns(
    layout: Layout, center: int, condition: ValueCondition, same: Tiles, outside: bool, sets: ValueSets
) -> Iterator[Pattern]:
    """Yield the patterns of all masks for a center."""
    if not layout.bits:
        yield Pattern(0, (center,), None)
        return
    others = sets.universe - same
    if condition.is_complement:
        # Neighbors in the mask must not be others. Without others, they must be inside the map, or anything.
        refused = -condition.number if condition.number else 0 if outside else ANYTHING
        value = 0 if outside or not others else min(others) + 1
    else:
        # Neighbors that are not in the mask must not be the same.
        refused = -condition.number if condition.number else ANYTHING if outside else 0
        value = min(same) + 1 if outside and same else 0
    order = sorted(layout.all_masks, key=lambda mask: (mask.bit_count(), mask), reverse=condition.is_complement)
    for mask in order:
        yield Pattern(mask, _make_pattern(layout, mask, center, refused, condition.is_complement), value)


def _make_pattern(layout: Layout, mask: int, center: int, refused: int, is_set: bool) -> tuple[int, ...]:
    """Return a pattern of 3x3 cells that puts a number at the neighbors in a mask, or at those that are not in it."""
    cells = [0] * 9
    cells[4] = center
    for direction, (row, column) in enumerate(OFFSETS):
        bit = 1 << direction
        if not layout.bits & bit or bool(mask & bit) != is_set:
            continue
        if not is_set and _is_hidden(mask, direction):
            continue
        cells[(row + 1) * 3 + column + 1] = refused
    return tuple(cells)


def _is_hidden(mask: int, direction: int) -> bool:
    """Return whether a corner does not matter, because one of its sides is not in the mask."""
    if direction % 2 == 0:
        return False
    sides = 1 << direction - 1 | 1 << (direction + 1) % 8
    return mask & sides != sides


def list_border_patterns(
    layout: Layout, same: Tiles, outside: bool, sets: ValueSets
) -> list[tuple[int, Pattern]] | None:
    """Return the patterns of a layout of sprites between cells, with the border of the level that each is for.

    The layer has a row and a column more than the level and is shifted by half a cell, so that its cell (x, y) is at
    the upper left corner of the level's cell (x, y). At the border of the level, cells outside count like the nearest
    cell inside, or not as the same. Borders are numbered from 0 to 8 like the cells of a 3x3 square; 4 is inside.
    """
    condition = sets.find(same)
    if condition is None:
        return None
    found: list[tuple[int, Pattern]] = []
    if not same:
        return found
    others = sets.universe - same
    number = (-condition.number if condition.is_complement else condition.number) or ANYTHING
    # In rules for the inside, the outside must not look like a cell that counts as the same.
    beyond = min(others) + 1 if condition.is_complement and others else 0
    for border in (0, 2, 6, 8, 1, 3, 5, 7, 4):
        for mask in layout.all_masks:
            cells, is_possible = _make_corner_pattern(border, mask, number, outside)
            if mask and is_possible:
                found.append((border, Pattern(mask, cells, beyond if border == 4 else 0)))
    return found


def _make_corner_pattern(border: int, mask: int, number: int, outside: bool) -> tuple[tuple[int, ...], bool]:
    """Return the pattern of a corner on a border, and whether its mask can occur there."""
    cells = [0] * 9
    above, left = border // 3 == 0, border % 3 == 0
    below, right = border // 3 == 2, border % 3 == 2
    bits = {place: bool(mask >> direction & 1) for direction, place in CORNERS.items()}
    is_possible = True
    for (down, across), is_same in bits.items():
        row, column = 1 if above else 0 if below else down, 1 if left else 0 if right else across
        if (row, column) == (down, across):
            cells[3 * down + across] = number if is_same else -number
        else:
            cells[3 * down + across] = -ANYTHING
            is_possible &= is_same == (outside and bits[row, column])
    return tuple(cells), is_possible


def repeat_by_weight(choices: Sequence[tuple[int, float]]) -> list[int]:
    """Return numbers repeated in proportion to their weights, because the editor chooses uniformly.

    >>> repeat_by_weight([(7, 1.0), (8, 0.5)])
    [7, 7, 8]
    """
    least = min(weight for _, weight in choices)
    return [number for number, weight in choices for _ in range(min(16, round(weight / least)))]
