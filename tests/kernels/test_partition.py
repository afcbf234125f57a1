"""The kernels of binary space partition against a direct version with lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.kernels.corridors import EDGE, FLOOR, ROCK, DungeonArrays, as_rooms
from tilewright.kernels.partition import DRAWS, PartSizes, RoomSizes, partition, place_rooms

CASES = 300
Part = list[int]


def plain_partition(sides: list[int], ratio: float, jitter: float, small: bool, rng: Rng, max_parts: int) -> list[Part]:
    """Return the parts, or nothing if two parts to cut are equally large, since the heap's order is unspecified."""
    parts: list[Part] = [[0, 0, sides[0], sides[1]]]
    pending = [0]
    while pending and len(parts) < max_parts:
        number = max(pending, key=lambda at: parts[at][2] * parts[at][3])
        pending.remove(number)
        if any(parts[other][2] * parts[other][3] == parts[number][2] * parts[number][3] for other in pending):
            return []
        x, y, width, height = parts[number]
        can_cut = [side >= 2 * minimum for side, minimum in ((width, sides[2]), (height, sides[3]))]
        if small:
            can_cut = [can_cut[0] and width > sides[4], can_cut[1] and height > sides[5]]
        if not any(can_cut):
            continue
        upright = can_cut[0]
        if all(can_cut):
            upright = width > height * ratio or (not height > width * ratio and rng.below(2) == 0)
        side, minimum = (width, sides[2]) if upright else (height, sides[3])
        at = int(side * (0.5 + jitter * (2 * rng.random() - 1)) + 0.5)
        at = max(minimum, min(side - minimum, at))
        if upright:
            parts[number] = [x, y, at, height]
            parts.append([x + at, y, width - at, height])
        else:
            parts[number] = [x, y, width, at]
            parts.append([x, y + at, width, height - at])
        pending += [number, len(parts) - 1]
    return parts


def cut(sides: NDArray[np.int64], ratio: float, jitter: float, small: bool, rng: Rng, parts: NDArray[np.int64]) -> int:
    sizes = PartSizes(*sides.tolist())
    return partition(sizes, ratio, jitter, small, rng.state, as_rooms(parts))


def test_cutting_as_the_plain_method_does() -> None:
    compared = 0
    for seed in range(CASES):
        chance = np.random.default_rng(seed)
        least = chance.integers(2, 6, 2)
        sides = np.concatenate((chance.integers(6, 90, 2), least, least * chance.integers(2, 5, 2)))
        ratio, jitter, small = float(chance.choice([1.0, 1.25, 2.0])), float(chance.choice([0.0, 0.25, 0.5])), seed % 2
        parts = np.empty((int(chance.integers(1, 9)), 4), dtype=np.int64)
        count = cut(sides, ratio, jitter, bool(small), Rng.of(seed), parts)
        found: list[Part] = parts[:count].tolist()
        covered = np.zeros((int(sides[1]), int(sides[0])), dtype=np.int64)
        for x, y, width, height in found:
            covered[y : y + height, x : x + width] += 1
        assert (covered == 1).all(), "the parts cover the rectangle exactly once"
        if count > 1:
            assert all(part[2] >= min(least[0], sides[0]) and part[3] >= min(least[1], sides[1]) for part in found)
        plain = plain_partition(sides.tolist(), ratio, jitter, bool(small), Rng.of(seed), len(parts))
        if plain:
            assert found == plain
            compared += 1
    assert compared > CASES / 3


def test_a_lower_limit_on_parts_gives_the_same_first_cuts() -> None:
    sides = np.array([80, 50, 6, 5, 15, 12])
    before = np.empty((1, 4), dtype=np.int64)
    cut(sides, 1.25, 0.25, True, Rng.of(7), before)
    for count in range(2, 20):
        parts = np.empty((count, 4), dtype=np.int64)
        assert cut(sides, 1.25, 0.25, True, Rng.of(7), parts) == count
        changed = (parts[:-1] != before).any(axis=1)
        assert changed.sum() == 1
        old = before[changed][0]
        one, other = parts[:-1][changed][0], parts[-1]
        assert old[2] * old[3] == one[2] * one[3] + other[2] * other[3]
        before = parts


def plain_side(rng: Rng, space: int, minimum: int, maximum: int, fill: float) -> int:
    maximum = min(maximum, space)
    return rng.between(max(min(minimum, maximum), min(maximum, int(fill * space + 0.5))), maximum)


def test_placing_rooms_as_the_plain_method_does() -> None:
    for seed in range(CASES):
        chance = np.random.default_rng(seed)
        rows, columns, spacing = 30, 40, int(chance.integers(1, 4))
        sizes = RoomSizes(2, 8, 2, 6)
        sides = np.array([columns - 2 + spacing, rows - 2 + spacing, 2 + spacing, 2 + spacing, 9, 7])
        parts = np.empty((50, 4), dtype=np.int64)
        parts = parts[: cut(sides, 1.25, 0.25, True, Rng.of(seed), parts)]
        kinds = np.where(chance.random((rows, columns)) < (seed % 3) * 0.03, EDGE, ROCK).astype(np.uint8)
        kinds[0] = kinds[-1] = kinds[:, 0] = kinds[:, -1] = EDGE
        plain_kinds, fill, shift = kinds.copy(), float(chance.random()), float(chance.random())
        owners, rooms = np.zeros(kinds.size, dtype=np.int32), np.empty((len(parts), 4), dtype=np.int64)
        stream, count, step = Rng.of(seed).state, 0, 1 + seed % 7
        dungeon = DungeonArrays(kinds.reshape(-1), owners, as_rooms(rooms), columns)
        for first in range(0, len(parts), step):
            last = min(first + step, len(parts))
            count = place_rooms(dungeon, as_rooms(parts), first, last, sizes, spacing, fill, shift, stream, count)
        rng, plain = Rng.of(seed), []
        for x, y, width, height in parts.tolist():
            for _ in range(DRAWS):
                wide = plain_side(rng, width - spacing, 2, 8, fill)
                high = plain_side(rng, height - spacing, 2, 6, fill)
                left = 1 + x + int((width - spacing - wide) * (0.5 + shift * (rng.random() - 0.5)) + 0.5)
                top = 1 + y + int((height - spacing - high) * (0.5 + shift * (rng.random() - 0.5)) + 0.5)
                place = np.s_[top : top + high, left : left + wide]
                if not (plain_kinds[place] == EDGE).any():
                    plain_kinds[place] = FLOOR
                    plain.append([left, top, wide, high])
                    break
        assert rooms[:count].tolist() == plain
        assert np.array_equal(kinds, plain_kinds)
        for number, (left, top, wide, high) in enumerate(plain):
            assert (owners.reshape(rows, columns)[top : top + high, left : left + wide] == number + 1).all()
        assert (owners > 0).sum() == (kinds == FLOOR).sum()
