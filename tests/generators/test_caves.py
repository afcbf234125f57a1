"""The cave automaton against a direct implementation, its edges, and the appearance of its maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.kernels.caves import smooth


def plain_step(wall: NDArray[np.uint8], birth: int, survive: int, outside: int) -> NDArray[np.uint8]:
    """Apply the rule cell by cell; `outside` is the value beyond the edge."""
    height, width = wall.shape
    new = np.zeros_like(wall)
    for y in range(height):
        for x in range(width):
            around = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dx or dy:
                        inside = 0 <= y + dy < height and 0 <= x + dx < width
                        around += int(wall[y + dy, x + dx]) if inside else outside
            new[y, x] = around >= (survive if wall[y, x] else birth)
    return new


@given(
    st.integers(1, 12), st.integers(1, 12), st.integers(0, 9), st.integers(0, 9), st.floats(0, 1), st.integers(0, 4),
    st.sampled_from(["wall", "floor"]), st.integers(0, 10**6),
)  # fmt: skip
def test_equals_the_plain_automaton(
    width: int, height: int, birth: int, survive: int, walls: float, steps: int, outside: str, seed: int
) -> None:
    params: dict[str, Any] = {"birth": birth, "survive": survive, "walls": walls, "steps": steps, "outside": outside}
    made = tw.make("caves", width=width, height=height, seed=seed, **params)
    wall = (Rng.of(seed).child("caves").cells((height, width)) < walls).astype(np.uint8)
    for _ in range(steps):
        wall = plain_step(wall, birth, survive, outside == "wall")
    assert np.array_equal(made.where("wall"), wall)


def test_a_wrapped_cave_tiles() -> None:
    made = tw.make("caves", width=16, height=12, seed=3, wrap=True, steps=1)
    start = tw.make("caves", width=16, height=12, seed=3, wrap=True, steps=0).where("wall").astype(np.uint8)
    tiled = plain_step(np.tile(start, (3, 3)), 5, 4, 1)
    assert np.array_equal(made.where("wall"), tiled[12:24, 16:32])


def test_the_kernel_takes_nothing_else() -> None:
    wide = np.zeros((4, 4), dtype=np.int64)
    with pytest.raises(TypeError):
        smooth(wide, wide, 5, 4, 0, 2)  # type: ignore[arg-type]


def test_locked_cells_shape_their_surroundings() -> None:
    free = tw.make("caves", width=30, height=30, walls=0.0, outside="floor", seed=1)
    assert not free.where("wall").any()
    block = [[x, y, "wall"] for x in range(10, 14) for y in range(10, 14)]
    held = tw.make("caves", width=30, height=30, walls=0.0, outside="floor", seed=1, locks=block)
    assert held.where("wall").sum() >= 16


def test_defaults_look_like_caves() -> None:
    shares = [tw.measure(tw.make("caves", seed=seed), "floor_share")["floor_share"] for seed in range(20)]
    assert 0.35 < np.mean(shares) < 0.75
    assert max(shares) - min(shares) < 0.5
