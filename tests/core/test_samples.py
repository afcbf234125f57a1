"""Samples: one map or several, as a parameter."""

from __future__ import annotations

import tilewright as tw
from tilewright.core.samples import Samples


def test_tiles_of_several_samples_that_share_a_glyph_stay_apart() -> None:
    dungeon, caverns = (Samples.of(name).tileset for name in ("dungeon", "caverns"))
    assert set(dungeon.by_glyph) & set(caverns.by_glyph)
    both = Samples.of(["dungeon", "caverns"]).tileset
    assert set(both.names) == {*dungeon.names, *caverns.names}
    assert all(both[both.id(tile.name)] == tile for tile in dungeon)  # the first keeps its looks
    made = tw.make("patterns", sample=["dungeon", "caverns"], width=12, height=12, iterations=100, seed=1)
    assert made.tileset == both
