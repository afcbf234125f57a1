"""Random pattern counters of all kinds, and checks of the counts that they update."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as some
from numpy.typing import NDArray

from tests.plain import count_windows
from tilewright.analysis.patterns import Tiles, Wrap, pad_map
from tilewright.generators._patterns.pattern_counter import PatternCounter
from tilewright.generators._patterns.target import TargetDistribution


def make_counter(
    seed: int,
    *,
    axes: int = 2,
    tiles: int = 3,
    sizes: tuple[int, ...] = (2,),
    wrap: tuple[bool, ...] | None = None,
    wrap_sample: tuple[bool, ...] | None = None,
    sides: tuple[tuple[bool, bool], ...] | None = None,
    symmetries: int = 1,
    locked: float = 0.0,
    has_unknown: bool = False,
    weight: float = 0.5,
    members: int = 1,
    times: int = 1,
    side: int | None = None,
) -> PatternCounter:
    random = np.random.default_rng(seed)
    none, open_ = (False,) * axes, ((False, False),) * axes
    wrap, wrap_sample, sides = wrap or none, wrap_sample or none, sides or open_
    smallest = max(sizes)
    shape = tuple(side or int(random.integers(smallest, smallest + 6)) for _ in range(axes))
    given = [random.integers(smallest, smallest + 4, axes) for _ in range(int(random.integers(1, 3)))]
    target = TargetDistribution(
        samples=tuple(random.integers(0, tiles, tuple(one)) for one in given),
        tiles=tiles,
        sizes=sizes,
        weights=tuple(1 / len(sizes) for _ in sizes),
        wrap=wrap_sample,
        sides=sides,
        symmetry=symmetries,
        has_unknown=has_unknown,
    )
    frozen = random.random(shape) < locked
    locked_tiles = random.integers(0, tiles, shape)
    if has_unknown:
        locked_tiles[random.random(shape) < 0.3] = target.unknown_tile
    starts = [np.where(frozen, locked_tiles, random.integers(0, tiles, shape)) for _ in range(members)]
    return PatternCounter(target, starts, wrap=wrap, weight=weight, frozen=frozen, max_stamps=times)


@some.composite
def kinds(draw: Any, *, members: int = 1) -> dict[str, Any]:
    """Draw arguments of `make_counter`: sizes, wraps, compared edges, locks, levels."""
    axes = draw(some.sampled_from((2, 2, 3)))
    wrap = draw(some.tuples(*[some.booleans()] * axes))
    around = draw(some.tuples(*[some.booleans()] * axes))
    edge = some.tuples(some.booleans(), some.booleans())
    sides = tuple((False, False) if one or other else draw(edge) for one, other in zip(wrap, around, strict=True))
    sizes = draw(some.sampled_from(((2,), (3,), (2, 3), (1, 2), (3, 2, 4)) if axes == 2 else ((2,), (1, 2), (2, 3))))
    same = around[-1] == around[-2] and sides[-1] == sides[-2] and len(set(sides[-1])) == 1
    return {
        "seed": draw(some.integers(0, 10_000)),
        "axes": axes,
        "tiles": draw(some.sampled_from((1, 2, 3, 5, 40))),
        "sizes": sizes,
        "wrap": wrap,
        "wrap_sample": around,
        "sides": sides,
        "symmetries": draw(some.sampled_from((1, 2, 8))) if same else 1,
        "locked": draw(some.sampled_from((0.0, 0.0, 0.3, 1.0))),
        "has_unknown": draw(some.booleans()),
        "weight": draw(some.sampled_from((0.5, 0.0, 1.0, 0.2))),
        "members": members,
        "times": draw(some.integers(1, 4)),
    }


def count_plainly(counter: PatternCounter, member: int, number: int) -> Counter[tuple[int, ...]]:
    """Count the windows of a map, cell by cell."""
    grid, target = counter.grid, counter.target
    return count_windows(counter.tiles(member), target.sizes[number], grid.wrap, grid.sides, target.tiles)


def check(counter: PatternCounter) -> None:
    """Compare all values that a counter updates with those of a new count."""
    for member in range(len(counter.cells)):
        assert abs(counter.values[member] - counter.divergence(member)) < 1e-9
        padded = counter.grid.pad(counter.tiles(member), counter.target.tiles)
        assert np.array_equal(counter.cells[member], padded), "copies beyond wrapped edges equal their cells"
        for number, coding in enumerate(counter.target.codings):
            multipliers = [int(one) for one in coding.multipliers]
            by_hand: Counter[int] = Counter()
            for window, count in count_plainly(counter, member, number).items():
                key = sum(tile * one for tile, one in zip(window, multipliers, strict=True)) % 2**64
                by_hand[key] += count
            assert read_counts(counter, member, number) == by_hand


def read_counts(counter: PatternCounter, member: int, number: int) -> Counter[int]:
    """Return the counts by key of the slots that windows refer to; all other slots must have no count."""
    slots = counter.slots[member, number]
    used: NDArray[np.int64] = np.unique(slots[slots >= 0])
    assert np.array_equal(np.bincount(slots[slots >= 0], minlength=1)[used], counter.counts[member][used])
    layout = counter.layout[member, number]
    first = int(layout["first"])
    size = int(layout["known"] + layout["others"]) or counter.target.codings[number].bound
    here = np.arange(first, first + size)
    filled = counter.keys[member][here] != np.uint64(2**64 - 1)
    assert not (counter.counts[member][here][filled & ~np.isin(here, used)] > 0).any()
    return Counter(
        {
            int(key): int(count)
            for key, count in zip(counter.keys[member][used], counter.counts[member][used], strict=True)
        }
    )


def has_copy(map: Tiles, wrap: Wrap, samples: Sequence[tuple[Tiles, Wrap]], side: int) -> bool:
    """Return whether a block of this edge length with at least two different tiles also occurs in a sample."""

    def list_blocks(tiles: Tiles, wrap: Wrap) -> set[bytes]:
        padded = pad_map(tiles, side, wrap).astype(np.int64)
        if min(padded.shape) < side:
            return set()
        windows = np.lib.stride_tricks.sliding_window_view(padded, (side,) * padded.ndim)
        blocks = windows.reshape(-1, side**padded.ndim)
        return {block.tobytes() for block in blocks[blocks.min(axis=1) < blocks.max(axis=1)]}

    return any(not list_blocks(*sample).isdisjoint(list_blocks(map, wrap)) for sample in samples)
