"""Time to choose the sprites of skins, and to draw them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import process_time

import tilewright as tw
from tilewright.formats import encode
from tilewright.formats._artwork import Artwork
from tilewright.formats._layers import sprite_layers

from .row import Row, best_times

MAX_SLOWDOWN = 1.5
"""Maximum time of a picture with skins, relative to the same picture without them."""


def rows() -> Iterator[Row]:
    cave = tw.make("caves", width=2000, height=2000, seed=1)
    wall = tw.Tileset.validate(
        {"name": "wall", "tiles": cave.tileset.to_data()["tiles"], "skins": [{"tile": "wall", "layout": "blob47"}]}
    )
    choose = partial(sprite_layers, tw.TileMap(cave.cells, wall))
    choose()
    (seconds,) = best_times(choose, rounds=5)
    yield Row(what="blob sprites of 2000x2000 walls", unit="ms", ours=1000 * seconds, at_most=60)
    artwork = Artwork.of(tw.make("noise", width=4, height=4, seed=1).tileset)
    started = process_time()
    artwork.draw(range(len(artwork)), 16, 16)
    yield Row(
        what=f"all {len(artwork)} sprites of the tileset terrain, drawn once",
        unit="ms",
        ours=1000 * (process_time() - started),
        at_most=300,
    )
    for technique in ("caves", "noise", "bsp"):
        map = tw.make(technique, width=512, height=512, seed=1)
        plain = map.replace(tileset=map.tileset.model_copy(update={"skins": ()}))
        draw, draw_plain = (partial(encode, one, "png", sprites=True) for one in (map, plain))
        draw(), draw_plain()
        ours, peer = best_times(draw, draw_plain, rounds=3)
        yield Row(
            what=f"png 512x512 with skins, {technique}",
            unit="ms",
            ours=1000 * ours,
            peer=1000 * peer,
            peer_name="the same tileset without skins",
            at_least=1 / MAX_SLOWDOWN,
        )
