"""Write the goldens: digests of maps, which may change only if the revision of a technique or shaper is raised.

python -m tests.goldens.write                      writes them
python -m tests.goldens.write --check [NAME ...]   fails if goldens differ: of techniques with these names, or any
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tilewright.core.pipeline import run
from tilewright.core.provenance import collect_revisions, digest
from tilewright.core.recipe import Recipe
from tilewright.core.registry import shapers, techniques

FILE = Path(__file__).with_name("goldens.json")
SHAPED = {  # parameters of shapers that need some
    "paint": {"of": "floor", "tile": "moss"},
    "replace": {"tile": "floor", "by": "moss", "share": 0.3},
    "overlay": {"x": 3, "y": 2, "width": 12, "height": 9, "recipe": {"technique": "fashion", "tileset": "fashion"}},
    "crop": {"x": 2, "y": 3, "width": 20, "height": 9},
    "doors": {"tile": "moss"},
    "lock_and_key": {"tile": "moss", "min_count": 0},
    "make_playable": {"game": "platformer,jump_height=1,jump_length=2"},
    "improve": {"targets": {"path_length": "100..110", "regions": 1}},
}
GROUND = dict.fromkeys(("autotile", "countries", "players"), "markov")
"""Techniques for shapers that do nothing to a cave."""
MORE: dict[str, list[dict[str, Any]]] = {
    "aggregation": [
        {"mode": "walk-out", "nucleus": "cross", "brush": 2},
        {"mode": "attractor", "symmetry": "both", "launch": "edge"},
    ],
    "caves": [{"wrap": True}, {"offset": [-30, 12]}, {"outside": "floor", "birth": 6, "steps": 10}],
    "diffusion": [
        {"model": "overworld", "steps": 16, "wrap": "xy", "temperature": 1.2},
        {"model": "war", "steps": 16, "refine": 1, "counts": {"city": 12}, "border": ["sea"]},
    ],
    "drunkard": [{"coverage": None, "bias": -0.5, "begin": "centre"}, {"turn": 0.05, "border": 3}],
    "maze": [
        {"method": "prim", "braid": 0.5},
        {"method": "kruskal", "passage": 2},
        {"method": "wilson", "wall": 2},
        {"method": "division", "braid": 1},
    ],
    "noise": [
        {"kind": "simplex", "fractal": "ridged", "offset": [-30, 12]},
        {"kind": "value", "fractal": "billow", "warp": 0.5, "wrap": True},
        {"kind": "cellular", "island": 0.6, "octaves": 2},
    ],
    "markov": [
        {"scan": "spiral", "smoothing": 0.5, "temperature": 0.7},
        {"scan": "columns", "corner": "top right", "gibbs_sweeps": 2, "pieces": "chosen"},
        {"sample": ["dungeon"], "directions": ["w", "s", "s2", "w2"], "unknown": "keep"},
    ],
    "rooms": [
        {"corridors": "straight", "avoid": False},
        {"layouts": ["xxDxx\nxooox\nDoxxx\nxox..\nxxx.."], "plain": 0.5, "spacing": 2},
        {"links": "row", "loops": 1, "longest_loop": 5},
        {"links": "nearest", "spacing": 1, "reuse": False},
        {"doors": "anywhere", "corridor_width": 2, "spacing": 5},
        {"graph": ["a1-b1-c1-c2-b2", "a2", "b2-b3"]},
        {"graph": ["4x3"], "rooms": 9, "spacing": 1, "loops": 0.5},
    ],
    "bsp": [{"rooms": 7, "jitter": 0.5, "corridors": "straight"}, {"fill": 0, "shift": 0.5, "ratio": 2, "spacing": 1}],
    "snake": [{"length": 60, "border": 0}],
    "voronoi": [{"offset": [-30, 12]}],
    "fashion": [
        {"scores": [0, 0.5, 0.2, 0.6], "generations": 4},
        {"states": 11},
        {"states": 3, "neighbourhood": "all", "wrap": False},
        {"states": 4, "morph": "random", "blend": "radial"},
        {"offset": [5, -9], "generations": 6},
    ],
    "wfc": [
        {"symmetry": 8, "wrap_sample": "xy", "wrap": "xy", "heuristic": "constrained"},
        {"sample": ["village"], "pattern_size": 2, "connected": ["path"], "heuristic": "scanline"},
        {"rules": "countryside", "border": ["plain", "wood"]},
    ],
    "rules": [
        {
            "names": ["rock", "floor", "moss", "gold:3", "gem:2"],
            "mapData": ["30x20", "rock:floor", "connect:all:2"],
            "roomData": ["tree:5x4:4", "rock:2|floor:3|gold:1", "delete:plus:1"],
            "neighbourhoods": {"wide": "1111,1101"},
            "generationRules": [
                {"genData": ["2", "room:0,2", "none"], "rules": ["floor,wide,and,rock<4|gold==0,moss:2|floor:1"]},
                {"genData": ["1", "map:5,4,20,12", "none"], "rules": ["moss,all,or,rock>1,gem:1"]},
            ],
        },
        {
            "roomData": ["equal:3x2:5", "solid:1|empty:1"],
            "neighbourhoods": {"knight": "01010,10001,00000,10001,01010"},
            "generationRules": [
                {"genData": ["3", "map:-1", "connect:knight:2"], "rules": ["empty,all,or,solid!=3,solid:1"]}
            ],
        },
    ],
}


def recipes() -> dict[str, dict[str, Any]]:
    """Return recipes of every technique with defaults and variants, and of every shaper."""
    size = {"width": 40, "height": 24}
    found: dict[str, dict[str, Any]] = {}
    for name in techniques.names():
        for number, params in enumerate([{}, *MORE.get(name, [])]):
            for seed in (7, "moss"):
                found[f"{name} {number} {seed}"] = {"technique": name, "params": {**size, **params}, "seed": seed}
    for name in shapers.names():
        stage = {name: SHAPED.get(name, {})}
        technique = GROUND.get(name, "caves")
        found[f"shaper {name}"] = {"technique": technique, "params": size, "shaping": [stage], "seed": 7}
    return found


def compute_golden(data: dict[str, Any]) -> dict[str, Any]:
    recipe = Recipe.of(data)
    return {"revisions": collect_revisions(recipe), "digest": digest(run(recipe))}


if __name__ == "__main__":
    known, names = recipes(), sys.argv[2:]
    for name in names:
        if not any(name in (golden, golden.split(" ")[0]) for golden in known):
            sys.exit(f"no golden {name!r}; names are such as caves and 'shaper border'")
    asked = [golden for golden in known if not names or golden in names or golden.split(" ")[0] in names]
    now = {golden: compute_golden(known[golden]) for golden in asked}
    stored = json.loads(FILE.read_text())
    added, changed = now.keys() - stored.keys(), [name for name in now if stored.get(name, now[name]) != now[name]]
    print(f"{len(now)} goldens, {len(added)} added, {len(changed)} changed")
    if "--check" in sys.argv:
        sys.exit(f"goldens differ: {', '.join(sorted([*added, *changed]))}" if added or changed else 0)
    FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
