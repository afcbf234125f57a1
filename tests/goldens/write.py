"""Write the goldens: digests of maps, which may change only if the revision of a technique or shaper is raised.

python -m tests.goldens.write [NAME ...]           writes them: of techniques with these names, or all
python -m tests.goldens.write --check [NAME ...]   writes nothing, and fails if goldens differ
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import yaml

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
MORE = yaml.safe_load(Path(__file__).with_name("parameters.yaml").read_text(encoding="utf-8"))
"""Parameters of each technique besides its defaults."""


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
    parser = argparse.ArgumentParser(prog="python -m tests.goldens.write", description="Write or check the goldens.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="technique, or golden such as 'shaper border'")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if goldens differ")
    options, known = parser.parse_args(), recipes()
    for name in options.names:
        if not any(name in (golden, golden.split(" ")[0]) for golden in known):
            sys.exit(f"no golden {name!r}; names are such as caves and 'shaper border'")
    names = [golden for golden in known if not options.names or {golden, golden.split(" ")[0]} & {*options.names}]
    now = {golden: compute_golden(known[golden]) for golden in names}
    stored = json.loads(FILE.read_text())
    added, changed = now.keys() - stored.keys(), [name for name in now if stored.get(name, now[name]) != now[name]]
    print(f"{len(now)} goldens, {len(added)} added, {len(changed)} changed")
    if options.check:
        sys.exit(f"goldens differ: {', '.join(sorted([*added, *changed]))}" if added or changed else 0)
    written = {golden: {**stored, **now}[golden] for golden in known}
    FILE.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n")
