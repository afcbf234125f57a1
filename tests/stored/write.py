"""Write the files in v0_1_0. Run with version 0.1.0 only; never rerun for this folder.

The test `tests/test_stored_files.py` checks that every later version reads these files. Writing them again with
another version would defeat that. For a later version, copy this script, change `FOLDER` and `VERSION`, and run
`python -m tests.stored.write` in the repository root.

The recipe files and `requests.json` are written by hand. This script makes the other files and the index.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import tilewright as tw
from tests.stored.content import api_client, describe, open_link, recipe_data, send

VERSION = "0.1.0"
FOLDER = Path(__file__).parent / "v0_1_0"
SIZE = {"width": 32, "height": 20}
DUNGEON = {"width": 40, "height": 26}
LAYERS = """
##..
#..#
..##

....
.##.
....

#..#
....
#..#
"""
OWN_TILES = {
    "name": "own",
    "tiles": [
        {"name": "path", "glyph": ".", "color": "#c8b080", "costs": {"foot": 1.0, "cart": 1.5}, "code": 7},
        {"name": "hedge", "glyph": "%", "color": "#205020", "passable": False, "kind": "wall", "weight": 2.5},
    ],
}
WAR = {"technique": "markov", "params": {"width": 20, "height": 16, "sample": "awbw/round-lake"}, "seed": 7}

MAPS: dict[str, dict[str, Any]] = {
    "aggregation": {"params": {**SIZE, "mode": "walk-out", "nucleus": "cross", "brush": 2}, "seed": 7},
    "bsp": {"params": {**DUNGEON, "rooms": 7, "jitter": 0.5, "corridors": "straight"}, "seed": "moss"},
    "caves": {"params": {**SIZE, "walls": 0.4, "offset": [-30, 12]}, "locks": [[3, 1, "wall"]], "seed": -7},
    "drunkard": {"params": {**SIZE, "coverage": None, "bias": -0.5, "begin": "centre"}, "seed": 7},
    "fashion": {"params": {**SIZE, "states": 3, "scores": "random", "generations": 6}, "seed": 7},
    "markov": {"params": {**SIZE, "scan": "columns", "corner": "top right", "gibbs_sweeps": 2}, "seed": 7},
    "maze": {
        "params": {"width": 31, "height": 21, "method": "wilson", "braid": 0.3},
        "tileset": OWN_TILES,
        "tiles": {"floor": "path", "wall": "hedge"},
        "seed": 7,
    },
    "noise": {"params": {"width": 24, "height": 16, "kind": "simplex", "fractal": "ridged", "warp": 0.5}, "seed": 7},
    "patterns": {"params": {**SIZE, "sample": ["garden", "dungeon"], "pattern_sizes": [2, 3], "iterations": 20_000}},
    "rooms": {"params": {**DUNGEON, "layouts": ["xxDxx\nxooox\nDoxxx\nxox..\nxxx.."], "plain": 0.5}, "seed": 7},
    "rules": {
        "params": {
            "names": ["rock", "floor", "moss", "gold:3"],
            "mapData": ["30x20", "rock:floor", "connect:all:2"],
            "roomData": ["tree:5x4:4", "rock:2|floor:3", "delete:plus:1"],
            "neighbourhoods": {"wide": "1111,1101"},
            "generationRules": [
                {"genData": ["2", "room:0,2", "none"], "rules": ["floor,wide,and,rock<4|gold==0,moss:2|floor:1"]}
            ],
        },
        "seed": 7,
    },
    "voronoi": {"params": {**SIZE, "mode": "walls", "metric": "chebyshev", "doors": 0.5}, "seed": 7},
    "wfc": {"params": {**SIZE, "symmetry": 8, "wrap_sample": "xy", "wrap": "xy"}, "seed": 7},
}
"""A map by every technique, each stored as JSON and in the formats of `FORMATS`."""

FORMATS: dict[str, dict[str, dict[str, Any]]] = {
    "aggregation": {"png": {"scale": 4}},
    "bsp": {"tmx": {}},
    "caves": {"tmj": {}, "png": {}, "vox": {}},
    "drunkard": {"npz": {}},
    "fashion": {"fbca": {}},
    "markov": {"awbw": {}, "npz": {}},
    "maze": {"txt": {}, "tmx": {}},
    "noise": {"npz": {}, "webp": {"scale": 2}},
    "patterns": {"apng": {"scale": 2}},
    "rooms": {"tmj": {}},
    "rules": {"csv": {}},
    "voronoi": {"gif": {"scale": 2}},
}

MORE: dict[str, dict[str, Any]] = {
    "levels_wfc.json": {"technique": "wfc", "params": {"width": 8, "height": 7, "depth": 4, "pattern_size": 2}},
    "levels_patterns.json": {"technique": "patterns", "params": {"width": 8, "height": 7, "iterations": 5000}},
    "locked_region.json": {"technique": "caves", "params": SIZE, "seed": 8},
    "nested.json": {
        "technique": "bsp",
        "params": DUNGEON,
        "shaping": [
            {
                "overlay": {
                    "where": "rooms",
                    "recipe": {
                        "technique": "caves",
                        "params": {"walls": 0.3},
                        "tileset": "dungeon",
                        "shaping": [{"overlay": {"width": 3, "height": 3, "recipe": {"technique": "maze"}}}],
                    },
                }
            }
        ],
    },
    "required.json": {
        "technique": "caves",
        "params": SIZE,
        "require": {"floor_share": ">0.4", "regions": "<=9", "path_length": "most"},
        "tries": 5,
    },
    "skirmish.npz": {
        "technique": "markov",
        "params": {"width": 24, "height": 20, "repair_passes": 4},
        "shaping": ["players"],
    },
}

SHAPED: dict[str, dict[str, Any]] = {
    "autotile": {
        "tileset": "awbw",
        "tiles": {"floor": "plain", "wall": "river ew"},
        "shaping": [{"autotile": {"keep": "pieces"}}],
    },
    "border": {"shaping": [{"border": {"thickness": 2}}]},
    "connect": {"shaping": [{"connect": {"thickness": 2}}]},
    "countries": {**WAR, "shaping": [{"countries": {"to": ["ge", "yellow comet"]}}]},
    "crop": {"shaping": [{"crop": {"x": 2, "y": 3, "width": 20, "height": 9}}]},
    "doors": {"tileset": "dungeon", "shaping": ["connect", {"doors": {"share": 0.7, "of": "openings"}}]},
    "flip": {"shaping": ["flip"]},
    "keep_largest": {"shaping": ["keep_largest"]},
    "lock_and_key": {"technique": "rooms", "params": DUNGEON, "shaping": [{"lock_and_key": {"count": 2}}]},
    "mirror": {"shaping": [{"mirror": {"axis": "both", "keep": "second"}}]},
    "overlay": {
        "shaping": [
            {"overlay": {"x": 3, "y": 2, "width": 12, "height": 9, "on": "wall", "recipe": {"technique": "maze"}}}
        ]
    },
    "paint": {"shaping": [{"paint": {"of": "floor", "tile": "moss", "smallest": 2, "directions": 8}}]},
    "place": {
        "shaping": [
            "keep_largest",
            "place",
            {"place": {"markers": ["ore"], "rule": "band", "min_steps": 4, "max_steps": 12, "count": 3, "tile": "ore"}},
        ]
    },
    "players": {**WAR, "shaping": [{"players": {"symmetry": "vertical", "countries": ["os", "ge"], "cities": 1}}]},
    "prune_dead_ends": {"technique": "maze", "shaping": [{"prune_dead_ends": {"length": 3, "share": 0.5}}]},
    "replace": {"shaping": [{"replace": {"tile": "wall", "by": "ore", "share": 0.3, "pairs": [["floor", "moss"]]}}]},
    "rotate": {"shaping": ["rotate"]},
    "smooth": {"shaping": [{"smooth": {"steps": 2}}]},
    "walls": {"tileset": "palette", "shaping": [{"walls": {"tile": "stone", "thickness": 2}}]},
    "widen": {"technique": "maze", "shaping": ["widen"]},
}
"""Every shaper at least once; the technique is caves unless the entry names another."""


def main() -> None:
    if tw.__version__ != VERSION:
        sys.exit(f"the files in {FOLDER.name} are made by Tilewright {VERSION}, this is {tw.__version__}")
    for name in ("maps", "models", "corpora", "worlds"):
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir()
    models = write_models()
    maps = write_maps()
    index = {
        "version": VERSION,
        "techniques": [entry.name for entry in tw.list_techniques()],
        "shapers": [entry.name for entry in tw.list_shapers()],
        "formats": [entry.name for entry in tw.list_formats()],
        "maps": maps,
        "recipes": read_recipes(),
        "models": models,
        "links": write_links(),
        "requests": answer_requests(),
        "corpora": write_corpora(),
        "worlds": write_worlds(),
    }
    index["files"] = {
        path.relative_to(FOLDER).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(FOLDER.rglob("*"))
        if path.is_file() and path.name != "index.json"
    }
    (FOLDER / "index.json").write_text(lay_out(index))


def write_models() -> dict[str, Any]:
    """Write a model of every technique that learns, as JSON and as npz."""
    learned = {
        "wfc": tw.learn("wfc", "bricks", pattern_size=2, symmetry=2, wrap_sample="xy"),
        "patterns": tw.learn("patterns", ["garden", "dungeon"], pattern_sizes=[2, 3]),
        "markov": tw.learn("markov", ["awbw/round-lake", "awbw/high-pass"], directions=["w", "s", "sw"]),
        "merged": tw.learn("markov", "awbw/round-lake").merge(tw.learn("markov", "awbw/deep-wood")),
    }
    found = {}
    for name, model in learned.items():
        more: dict[str, Any] = {"iterations": 5000} if model.technique == "patterns" else {}
        for ending in ("json", "npz"):
            file = f"models/{name}.{ending}"
            model.save(FOLDER / file)
            made = tw.make(model.technique, width=14, height=12, seed=3, **{"model": FOLDER / file, **more})
            made.save(FOLDER / f"maps/model_{name}_{ending}.{small_format(made)}")
            found[file] = {"technique": model.technique, "params": more, "seed": 3, **expected(made)}
    return found


def write_maps() -> dict[str, Any]:
    """Write maps in every format and return what each file is expected to hold."""
    found: dict[str, Any] = {}
    for technique, data in MAPS.items():
        made = tw.run({"technique": technique, "seed": 7, **data})
        for ending, options in {"json": {}, **FORMATS.get(technique, {})}.items():
            made.save(FOLDER / f"maps/{technique}.{ending}", **options)
    for shaper, data in SHAPED.items():
        data = {"technique": "caves", "params": SIZE, "seed": 17, **data}
        made = tw.run(data)
        assert made != tw.run({**data, "shaping": data["shaping"][:-1]}), f"{shaper} changes nothing"
        made.save(FOLDER / f"maps/shaped_{shaper}.{small_format(made)}")
    for file, data in MORE.items():
        params = dict(data["params"])
        if file.startswith("levels"):
            params["sample"] = LAYERS
            params["wrap_sample"] = "xyz"
        locks = None
        if file.startswith("locked"):
            before = tw.run({"technique": "caves", "params": SIZE, "seed": 7})
            mask = np.zeros(before.shape, dtype=bool)
            mask[4:14, 6:20] = True
            locks = before.to_locks(mask).to_data()
        made = tw.run({"seed": 7, **data, "params": params, "locks": locks})
        made.save(FOLDER / "maps" / file)
        if file == "levels_wfc.json":
            for ending in ("npz", "vox", "tmx", "png", "txt", "csv"):
                made.save(FOLDER / f"maps/levels_wfc.{ending}")
        if file == "required.json":
            made.save(FOLDER / "maps/packed.json", packed=True)
    write_animations()
    write_special_maps()
    for path in sorted((FOLDER / "maps").iterdir()):
        if path.name in BESIDE or path.suffix in (".tsx", ".tsj") or path.stem.endswith("-tiles"):
            continue
        found[f"maps/{path.name}"] = expect_file(path)
    return found


BESIDE = ("large_sample.npz",)
"""Files in the folder of maps that belong to other files."""


def small_format(map: tw.TileMap) -> str:
    """Return json, or npz for a large tileset, which JSON would not compress."""
    return "npz" if map.tileset.name == "awbw" else "json"


def write_animations() -> None:
    caves = {"technique": "caves", "params": {"width": 20, "height": 12}, "seed": 7}
    for ending in ("gif", "webp", "apng"):
        tw.formats.save_animation(tw.watch(caves), FOLDER / f"maps/animation.{ending}", scale=2, frames=4)


def write_special_maps() -> None:
    """Write maps that verify as edited or impossible, and one whose recipe only names its sample."""
    made = tw.make("caves", width=20, height=12, seed=7)
    cells = made.cells.copy()
    cells[2:5, 2:5] = made.tileset.names.index("water")
    made.replace(cells=cells, recipe=None).save(FOLDER / "maps/no_recipe.json")
    made.save(FOLDER / "maps/edited.json")
    edited = json.loads((FOLDER / "maps/edited.json").read_text())
    (FOLDER / "maps/edited.json").write_text(json.dumps({**edited, "cells": cells.tolist()}) + "\n")
    write_automata()
    sample = tw.make("caves", width=264, height=256, steps=12, seed=1)
    sample.save(FOLDER / "maps/large_sample.npz")
    named = tw.make("markov", width=20, height=12, sample=FOLDER / "maps/large_sample.npz", seed=7)
    named.save(FOLDER / "maps/large_sample_named.json")


def write_automata() -> None:
    """Write an automaton with its result, and two automata with all their updates in one file."""
    scores = [0.95, 0.12, 0.41, 0.2, 0.9, 0.35, 0.6, 0.3, 0.8]
    made = tw.make("fashion", width=20, height=12, scores=scores, generations=4, seed=7)
    made.save(FOLDER / "maps/automaton.fbca")
    lines = []
    for seed in (1, 2):
        start = tw.make("fashion", width=12, height=8, scores=scores, generations=0, seed=seed)
        for generations in range(4):
            update = tw.make("fashion", start=start, scores=scores, generations=generations, seed=0)
            lines.append("".join(str(state) for state in update.cells.T.ravel().tolist()))
        lines.append(f"sMs{scores}g3n3w8l12neighbours[(0, 1), (0, -1), (-1, 0), (1, 0)]")
    (FOLDER / "maps/updates.fbca").write_text("\n".join(lines) + "\n")


def expect_file(path: Path) -> dict[str, Any]:
    """Return what a map's file is expected to hold, and the outcome of `verify`."""
    tileset = tileset_of(path) if path.suffix in (".csv", ".txt") else None
    found = tw.load(path, tileset=tileset)
    beside = ["maps/large_sample.npz"] if path.name.startswith("large_sample_named") else []
    entry: dict[str, Any] = {"outcome": tw.verify(path, files=[FOLDER / name for name in beside]).outcome}
    if tileset is not None:
        entry["read_with"] = tileset.to_data()
    if beside:
        entry |= {"with": beside, "revisions": {"markov": REVISIONS["markov"]}}
    if entry["outcome"] == "edited":
        entry["revisions"] = {"caves": REVISIONS["caves"]}
    return entry | expected(found)


def tileset_of(path: Path) -> tw.Tileset:
    """Return the tileset of a map that is also stored as JSON."""
    return tw.load(path.with_suffix(".json")).tileset


def expected(map: tw.TileMap) -> dict[str, Any]:
    data = recipe_data(map.recipe)
    found = {**describe(map), "recipe": data}
    return found if data is None else {**found, "seed": data.get("seed"), "revisions": revisions(data)}


def revisions(data: Any) -> dict[str, int]:
    """Return the revisions of all techniques, shapers and measures that a recipe uses, nested recipes included."""
    if isinstance(data, list):
        return {name: number for one in data for name, number in revisions(one).items()}
    if not isinstance(data, Mapping):
        return {}
    found = {name: number for value in data.values() for name, number in revisions(value).items()}
    if isinstance(data.get("technique"), str) and "params" in data:
        stages = [name for stage in data.get("shaping", ()) for name in stage]
        for name in (data["technique"], *stages, *data.get("require", ())):
            found[name] = REVISIONS[name]
    return dict(sorted(found.items()))


REVISIONS = {entry.name: entry.revision for entry in (*tw.list_techniques(), *tw.list_shapers(), *tw.list_measures())}


def read_recipes() -> dict[str, Any]:
    found = {}
    for path in sorted((FOLDER / "recipes").iterdir()):
        if path.suffix in (".yaml", ".yml", ".json"):
            read = tw.recipe(path)
            made = tw.run(path, seed=None if read.seed is not None else 1)
            data = read.to_data()
            found[f"recipes/{path.name}"] = {**describe(made), "recipe": data, "revisions": revisions(data)}
    return found


def write_links() -> dict[str, Any]:
    """Write studio links, a name and a link on every line."""
    from tilewright.core.grid import Grid
    from tilewright.studio.example.state import SampleState
    from tilewright.studio.gallery.state import Gallery
    from tilewright.studio.state import State, ViewSettings

    recipe = {"technique": "caves", "seed": 7, "params": {"width": 30, "height": 12}}
    shaped = {**recipe, "shaping": [{"flip": {}}, "connect"]}
    sample = tw.load(FOLDER / "maps/maze.json")
    locks = tw.Locks.of([[3, 1, "wall"], [4, 1, "floor"]])
    painted = Grid(["floor", "wall"], np.where(np.eye(12, 30, dtype=bool), 1, -1))
    knob = Gallery(
        what="knob", knob="1.thickness", low=-0.5, high=3, same_seed=False, roll=10**9 - 1, x="tiles_used", y="cells",
        sort="regions", most_first=False,
    )  # fmt: skip
    states = {
        "default": State(),
        "recipe": State.from_recipe(shaped),
        "string_seed": State.from_recipe({**recipe, "seed": "höhle"}),
        "tiles": State.from_recipe({**recipe, "tileset": "terrain", "tiles": {"floor": "grass", "wall": "hill"}}),
        "own_tileset": State.from_recipe(
            {"technique": "maze", "seed": 7, "tileset": OWN_TILES, "tiles": {"floor": "path", "wall": "hedge"}}
        ),
        "nested": State.from_recipe(
            {**recipe, "shaping": [{"overlay": {"recipe": {"technique": "maze"}, "width": 9}}]}
        ),
        "requirements": State.from_recipe({**recipe, "require": {"regions": "<9"}, "tries": 4}),
        "locks_of_the_recipe": State.from_recipe({**shaped, "locks": [[3, 1, "wall"]]}),
        "pending_locks": replace(State.from_recipe(shaped), locks=locks),
        "removed_locks": replace(State.from_recipe({**shaped, "locks": [[3, 1, "wall"]]}), locks=None),
        "painted": replace(State.from_recipe(shaped), painted=painted),
        "shaper_off": replace(State.from_recipe(shaped), off=(0,)),
        "look": State(view_settings=ViewSettings(tab="gallery", sprites=False, grid=True, overlay="hot-path,slack=8")),
        "sample": State.from_recipe(
            {"technique": "wfc", "seed": 7, "params": {"sample": "bricks", "wrap_sample": "xy", "width": 16}}
        ),
        "built_in_example": State(example=SampleState().with_built_in("awbw/round-lake")),
        "own_example": State(
            example=SampleState(
                name="mine",
                sample=sample,
                width=20,
                height=10,
                seed="a seed",
                wrap="x",
                wrap_sample="xy",
                knobs={"wfc": {"symmetry": 8}},
            )
        ),
        "gallery": State(gallery=knob),
        "rules": State.from_recipe({"technique": "rules", "seed": 7, "params": MAPS["rules"]["params"]}),
    }
    links = {name: state.to_link() for name, state in states.items()}
    (FOLDER / "links.txt").write_text("".join(f"{name} {link}\n" for name, link in links.items()))
    found = {}
    for name, link in links.items():
        opened = open_link(link)
        full = tw.recipe(opened["effective"]).to_data()
        digest = describe(tw.run(opened["effective"]))["digest"]
        found[name] = {"state": opened, "recipe": full, "digest": digest, "revisions": revisions(full)}
    return found


def answer_requests() -> list[Any]:
    """Return what the HTTP API answers to the requests in `requests.json`."""
    found = []
    with api_client() as client:
        for request in json.loads((FOLDER / "requests.json").read_text()):
            answer = send(client, request)
            assert answer.status_code == 200, (request, answer.text)
            path = FOLDER / f"answer.{request['format']}"
            path.write_bytes(answer.content)
            entry = expected(tw.load(path))
            path.unlink()
            assert entry["digest"] == answer.headers["Tilewright-Digest"]
            found.append(entry)
    return found


def write_corpora() -> dict[str, Any]:
    """Write a corpus over all values of a sweep, with failures, and one with sampled values."""
    swept = {
        "technique": "caves",
        "params": {"width": 24, "height": 14},
        "shaping": [{"connect": {"thickness": 1}}],
        "require": {"floor_share": ">0.4"},
        "tries": 1,
        "sweep": {"walls": [0.35, 0.6], "shaping.0.thickness": {"from": 1, "to": 2, "count": 2}},
    }
    sampled = {
        "technique": "rooms",
        "params": {"width": 30, "height": 20},
        "sweep": {"loops": {"from": 0.0, "to": 1.0, "count": 5}, "params.width": "24..30:2"},
        "sampled": True,
    }
    measures = ["floor_share", "regions", "path_length"]
    tw.corpus.make(swept, FOLDER / "corpora/swept", count=8, seed=7, measures=measures, workers=0)
    tw.corpus.make(sampled, FOLDER / "corpora/sampled", count=5, seed="moss", measures=["room_count"], workers=0)
    found = {}
    for path in sorted((FOLDER / "corpora").iterdir()):
        (path / "README.md").unlink()  # the datasheet; no version reads it
        corpus = tw.corpus.Corpus(path)
        rows = corpus.table().to_pylist()
        maps = [None if row["reason"] else expected(corpus.map(row["id"])) for row in rows]
        manifest = json.loads((path / "manifest.json").read_text())
        found[f"corpora/{path.name}"] = {
            "count": len(corpus),
            "columns": corpus.columns,
            "rows": rows,
            "maps": maps,
            "revisions": manifest["revisions"],
        }
    return found


def write_worlds() -> dict[str, Any]:
    """Write a small world in chunks, and windows of it."""
    found = {}
    made: dict[str, dict[str, Any]] = {"caves": {"walls": 0.4}, "noise": {"feature_size": 12.0}}
    for technique, params in made.items():
        path = FOLDER / f"worlds/{technique}.zarr"
        world = tw.corpus.make_world(technique, path, seed=7, workers=0, chunk=32, width=70, height=50, **params)
        data = recipe_data(world.recipe)
        found[f"worlds/{technique}.zarr"] = {
            "shape": list(world.shape),
            "seed": world.seed,
            "levels": list(world.levels),
            "recipe": data,
            "revisions": revisions(data),
            "digest": describe(world.window(0, 0, 70, 50))["digest"],
            "window": {"place": [20, 10, 30, 25], "digest": describe(world.window(20, 10, 30, 25))["digest"]},
        }
    return found


def lay_out(index: Mapping[str, Any]) -> str:
    """Return the index as JSON with an entry on every line."""

    def entries(value: Any) -> str:
        if isinstance(value, Mapping):
            lines = [f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in value.items()]
            return "{\n" + ",\n".join(lines) + "\n }"
        if isinstance(value, list) and isinstance(value[0], Mapping):
            return "[\n" + ",\n".join(f"  {json.dumps(one)}" for one in value) + "\n ]"
        return json.dumps(value)

    return "{\n" + ",\n".join(f" {json.dumps(key)}: {entries(value)}" for key, value in index.items()) + "\n}\n"


if __name__ == "__main__":
    main()
