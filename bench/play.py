"""Solvers of games compared with the plain search over their rules: the same level, the same moves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median

import tilewright as tw
from tilewright.core.tilemap import TileMap
from tilewright.play import read_game
from tilewright.play.search import search_states

from .row import Row, best_times


def rows() -> Iterator[Row]:
    yield from _compare_platformer()
    yield from _compare_puzzles()
    yield from _compare_runner()


def make_platformer_level() -> TileMap:
    """Return a level of 200x16 cells in the style of the sample platforms."""
    counts = {"spikes": ">=40", "ladder": ">=40", "coin": ">=40"}
    params = {"sample": "platforms", "sample_edges": ["top", "bottom"], "width": 200, "height": 16, "counts": counts}
    return tw.run({"technique": "wfc", "params": params, "shaping": ["make_playable"], "seed": 1})


def _compare_platformer() -> Iterator[Row]:
    level = make_platformer_level()
    rules = read_game("platformer").open(level)
    plain = partial(search_states, rules, 1 << 20)
    found = tw.solve(level, "platformer")
    assert found.moves == plain().moves, "peers must agree"
    ours, other = best_times(partial(tw.solve, level, "platformer"), plain, rounds=5)
    what = f"play: platformer 200x16, {len(found.moves)} moves"
    yield Row(what=f"{what}, absolute time", unit="ms", ours=ours * 1e3, at_most=2)
    yield Row(what=what, unit="ms", ours=ours * 1e3, peer=other * 1e3, peer_name="plain search")


def _compare_puzzles() -> Iterator[Row]:
    levels = [tw.run("warehouse", seed=seed) for seed in range(40)]
    ours = median([best_times(partial(tw.solve, level), rounds=1)[0] for level in levels])
    what = f"play: sokoban 10x10 with 4 crates, median of {len(levels)} levels"
    yield Row(what=f"{what}, absolute time", unit="ms", ours=ours * 1e3, at_most=50)
    level = tw.run("warehouse", seed=5, knobs={"size": 8, "crates": 2, "pushes": 10})
    plain = partial(search_states, read_game("sokoban").open(level), 1 << 20)
    assert plain().solved
    ours, other = best_times(partial(tw.solve, level), plain, rounds=3)
    yield Row(
        what="play: sokoban 8x8 with 2 crates", unit="ms", ours=ours * 1e3, peer=other * 1e3, peer_name="plain search"
    )


def _compare_runner() -> Iterator[Row]:
    game = "runner,dig=false"
    levels = [tw.run("gold-mine", seed=seed) for seed in range(60)]
    walked = [level for level in levels if tw.solve(level, game).solved]
    dug = [level for level in levels if not tw.solve(level, game).solved]
    ours = best_times(partial(tw.solve, walked[0], game), rounds=5)[0]
    yield Row(what="play: runner 32x21 without digging, absolute time", unit="ms", ours=ours * 1e3, at_most=5)
    times = [best_times(partial(tw.solve, level), rounds=3)[0] for level in dug]
    what = f"play: runner 32x21 with digging, {len(dug)} levels"
    yield Row(what=f"{what}, median, absolute time", unit="ms", ours=median(times) * 1e3, at_most=5)
    yield Row(what=f"{what}, maximum, absolute time", unit="ms", ours=max(times) * 1e3, at_most=5)
