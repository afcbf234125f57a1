"""Write the files of this version: all that the folder of an earlier version holds, made again from its recipes.

python -m tests.stored.write EARLIER

`EARLIER` is a folder of `tests/stored`, such as v0_1_0. The new folder is named after the version of the package, and
exists at most once: it is never written again, because the test `tests/test_stored_files.py` checks that later versions
read what this one wrote. Recipe files and `requests.json` are written by hand and copied. A technique or shaper that
`EARLIER` lacks has a map with its defaults, and a format that it lacks has a cave.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import tilewright as tw
from tests.stored.content import api_client, describe, open_link, recipe_data, send

BY_HAND = ("recipes", "requests.json")
BESIDE = "maps/large_sample.npz"
"""A map that is the sample of another one, whose file only names it."""
OPTIONS: dict[str, dict[str, Any]] = {
    **{ending: {"scale": 2} for ending in (".png", ".apng", ".gif", ".webp")},
    "packed.json": {"packed": True},
}
"""Options of formats by ending or name."""
REVISIONS = {entry.name: entry.revision for entry in (*tw.list_techniques(), *tw.list_shapers(), *tw.list_measures())}


def main(name: str) -> None:
    root = Path(__file__).parent
    earlier, folder = root / name, root / f"v{tw.__version__.replace('.', '_')}"
    folder.mkdir()
    for part in BY_HAND:
        (shutil.copytree if (earlier / part).is_dir() else shutil.copy)(earlier / part, folder / part)
    write_folder(earlier, folder)


def write_folder(earlier: Path, folder: Path) -> None:
    """Write all files that are not written by hand, and the index of what they are expected to hold."""
    known = json.loads((earlier / "index.json").read_text("utf-8"))
    maps = write_maps(earlier, folder, known["maps"])
    index: dict[str, Any] = {
        "version": tw.__version__,
        "techniques": [entry.name for entry in tw.list_techniques()],
        "shapers": [entry.name for entry in tw.list_shapers()],
        "formats": sorted({Path(name).suffix[1:] for name in maps}),
        "maps": maps,
        "models": {name: write_model(earlier / name, folder / name, known["models"][name]) for name in known["models"]},
        "recipes": {name: expect_recipe(folder / name) for name in known["recipes"]},
        "links": write_links(earlier, folder),
        "requests": answer_requests(folder),
        "corpora": {name: write_corpus(earlier / name, folder / name) for name in known["corpora"]},
        "worlds": {name: write_world(earlier / name, folder / name, known["worlds"][name]) for name in known["worlds"]},
    }
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "index.json")
    index["files"] = {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


def write_maps(earlier: Path, folder: Path, known: Mapping[str, Any]) -> dict[str, Any]:
    """Write each map in the format of its earlier file, and one by each new technique, shaper and format."""
    (folder / "maps").mkdir()
    shutil.copy(earlier / BESIDE, folder / BESIDE)
    found = {}
    for name, entry in known.items():
        tileset = tw.Tileset.validate(entry["read_with"]) if "read_with" in entry else None
        write_map(earlier / name, folder / name, tileset, entry)
        found[name] = expect_map(folder / name, tileset, entry.get("with", ()))
    used = {name for entry in known.values() for name in entry.get("revisions", {})}
    for entry in (*tw.list_techniques(), *tw.list_shapers()):
        if entry.name not in used:
            is_technique = isinstance(entry, tw.Technique)
            made = tw.make(entry.name if is_technique else "caves", seed=7)
            name = f"maps/{entry.name}.json"
            (made if is_technique else tw.shape(made, entry.name)).save(folder / name)
            found[name] = expect_map(folder / name)
    for ending in {entry.extensions[-1] for entry in tw.list_formats() if entry.read}:
        if not any(name.endswith(ending) for name in found):
            made = tw.make("caves", width=20, height=12, seed=7)
            made.save(folder / f"maps/caves{ending}")
            found[f"maps/caves{ending}"] = expect_map(folder / f"maps/caves{ending}", made.tileset)
    return found


def write_map(earlier: Path, path: Path, tileset: tw.Tileset | None, entry: Mapping[str, Any]) -> None:
    loaded = tw.load(earlier, tileset=tileset)
    if path.stem == "animation":
        tw.formats.save_animation(tw.watch(entry["recipe"]), path, scale=2, frames=4)
    elif path.stem == "updates" or "with" in entry or entry["outcome"] == "edited":
        shutil.copy(
            earlier, path
        )  # a file of another program, a recipe that only names its sample, and an edit by hand
    else:
        made = loaded if loaded.recipe is None else tw.run(loaded.recipe)
        made.save(path, **OPTIONS.get(path.name, OPTIONS.get(path.suffix, {})))


def expect_map(path: Path, tileset: tw.Tileset | None = None, beside: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what a map's file is expected to hold, and the outcome of `verify`."""
    files = [path.parents[1] / name for name in beside]
    entry: dict[str, Any] = {"outcome": tw.verify(path, files=files).outcome}
    entry |= {} if tileset is None else {"read_with": tileset.to_data()}
    entry |= {"with": list(beside), "revisions": {"markov": REVISIONS["markov"]}} if beside else {}
    entry |= {"revisions": {"caves": REVISIONS["caves"]}} if entry["outcome"] == "edited" else {}
    return entry | expect(tw.load(path, tileset=tileset))


def expect(map: tw.TileMap) -> dict[str, Any]:
    data = recipe_data(map.recipe)
    found = {**describe(map), "recipe": data}
    return found if data is None else {**found, "seed": data.get("seed"), "revisions": find_revisions(data)}


def find_revisions(data: Any) -> dict[str, int]:
    """Return the revisions of all techniques, shapers and measures that a recipe uses, nested recipes included."""
    if isinstance(data, list):
        return {name: number for one in data for name, number in find_revisions(one).items()}
    if not isinstance(data, Mapping):
        return {}
    found = {name: number for value in data.values() for name, number in find_revisions(value).items()}
    if isinstance(data.get("technique"), str) and "params" in data:
        stages = [name for stage in data.get("shaping", ()) for name in stage]
        found |= {name: REVISIONS[name] for name in (data["technique"], *stages, *data.get("require", ()))}
    return dict(sorted(found.items()))


def expect_recipe(path: Path) -> dict[str, Any]:
    recipe = tw.recipe(path)
    data = recipe.to_data()
    made = tw.run(recipe, seed=1 if recipe.seed is None else None)
    return {**describe(made), "recipe": data, "revisions": find_revisions(data)}


def write_model(earlier: Path, path: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    path.parent.mkdir(exist_ok=True)
    model = tw.load_model(earlier)
    model.save(path)
    params = {**entry["params"], "model": model, "width": 14, "height": 12}
    made = tw.run({"technique": model.technique, "params": params, "seed": entry["seed"]})
    return {**{key: entry[key] for key in ("technique", "params", "seed")}, **expect(made)}


def write_links(earlier: Path, folder: Path) -> dict[str, Any]:
    """Write studio links, a name and a link on every line."""
    from tilewright.studio.state import State

    links = dict(line.split() for line in (earlier / "links.txt").read_text("utf-8").splitlines())
    links = {name: State.from_link(link).to_link() for name, link in links.items()}
    (folder / "links.txt").write_text("".join(f"{name} {link}\n" for name, link in links.items()))
    found = {}
    for name, link in links.items():
        opened = open_link(link)
        data = tw.recipe(opened["effective"]).to_data()
        digest = describe(tw.run(opened["effective"]))["digest"]
        found[name] = {"state": opened, "recipe": data, "digest": digest, "revisions": find_revisions(data)}
    return found


def answer_requests(folder: Path) -> list[dict[str, Any]]:
    """Return what the maps hold that the HTTP API makes for the requests in `requests.json`."""
    found = []
    with api_client() as client:
        for request in json.loads((folder / "requests.json").read_text("utf-8")):
            path = folder / f"answer.{request['format']}"
            path.write_bytes(send(client, request).content)
            found.append(expect(tw.load(path)))
            path.unlink()
    return found


def write_corpus(earlier: Path, path: Path) -> dict[str, Any]:
    corpus = tw.corpus.make(str(earlier / "manifest.json"), path, workers=0)
    (path / "README.md").unlink()  # the datasheet; no version reads it
    rows = corpus.table().to_pylist()
    maps = [None if row["reason"] else expect(corpus.map(row["id"])) for row in rows]
    revisions = json.loads((path / "manifest.json").read_text("utf-8"))["revisions"]
    return {"count": len(corpus), "columns": corpus.columns, "rows": rows, "maps": maps, "revisions": revisions}


def write_world(earlier: Path, path: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    world = tw.corpus.make_world(tw.corpus.World(earlier).recipe, path, chunk=32, workers=0)
    data = recipe_data(world.recipe)
    place = entry["window"]["place"]
    return {
        "shape": list(world.shape),
        "seed": world.seed,
        "levels": list(world.levels),
        "recipe": data,
        "revisions": find_revisions(data),
        "digest": describe(world.window(0, 0, world.width, world.height))["digest"],
        "window": {"place": place, "digest": describe(world.window(*place))["digest"]},
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
