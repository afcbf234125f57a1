"""Pictures of maps for the pages, and the thumbnails of the studio's techniques and recipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

from PIL.Image import Image
from PIL.Image import new as new_image

import tilewright as tw
from tilewright import data
from tilewright.cli._catalogue import KINDS
from tilewright.core.grid import Grid
from tilewright.corpus import make, report
from tilewright.formats import save_animation
from tilewright.generators._markov.params import MarkovTrainingParams
from tilewright.generators.fashion import behaviour_grid
from tilewright.seed_search import FoundSeeds

from .links import ROOT
from .shaper_thumbnails import EXAMPLES, save_shaper
from .sheets import arrange_pictures

THUMBNAILS = Path(tw.__file__).parent / "studio" / "thumbnails"
THUMBNAIL = (384, 240)
"""Pixels of a thumbnail."""
DEMO = ROOT / "examples" / "demo.py"
SIZE: dict[str, Any] = {"width": 96, "height": 48}
STEPS = {f"{steps:,} steps": {"iterations": steps} for steps in (1_000, 10_000, 1_000_000)}
PATTERNS: dict[str, dict[str, Any]] = {
    "2x2 patterns": {"pattern_size": 2},
    "3x3 patterns": {},
    "with symmetry": {"symmetry": 8},
}


def growing(walls: float, tile: str) -> dict[str, Any]:
    """Return a step of shaping that covers patches of floor with a tile."""
    caves = {"technique": "caves", "params": {"walls": walls}}
    return {"overlay": {"recipe": caves, "on": "floor", "tiles": {"wall": tile, "floor": "floor"}}}


ORE = {"paint": {"of": "wall", "max_size": 14, "tile": "ore"}}
CAVE: dict[str, Any] = {
    "width": 30,
    "height": 18,
    "walls": 0.45,
    "seed": 2,
    "shaping": [ORE, growing(0.34, "water"), {"connect": {"thickness": 2}}, growing(0.36, "moss"), "border"],
}
DUNGEON: dict[str, Any] = {
    "width": 30,
    "height": 20,
    "seed": 9,
    "shaping": [
        growing(0.36, "grass"),
        {"lock_and_key": {"count": 2}},
        {"place": {"markers": ["monster"], "rule": "spread", "count": 5, "min_distance": 3}},
        {"place": {"markers": ["treasure"], "rule": "off_path", "count": 3, "tile": "treasure"}},
    ],
}
POPULATED: list[dict[str, Any]] = [
    {
        "place": {
            "markers": ["start", "key", "exit"],
            "bands": [
                {"marker": "exit", "origin": "start", "min_steps": 40, "max_steps": 60},
                {"marker": "key", "origin": "start", "min_steps": 15, "max_steps": 30},
                {"marker": "key", "origin": "exit", "min_steps": 30},
            ],
        }
    },
    {
        "place": {
            "markers": ["goblin"],
            "rule": "random",
            "count": 2,
            "per": "100_cells",
            "area": "other_rooms",
            "rise": 1,
            "min_distance": 3,
            "properties": {"level": [1, 9]},
            "required": False,
        }
    },
    {"place": {"markers": ["chest"], "rule": "spread", "per": "room", "on_path": False, "required": False}},
]
"""Shapers of the page about shapers: start, key and exit in bands, goblins and chests."""
OVERWORLD: dict[str, Any] = {"width": 40, "height": 26, "seed": 7}
"""Maps of the pages about engines: a cave, a dungeon with doors, keys and monsters, and an overworld."""


def saving(technique: str, words: Mapping[str, Any], **options: Any) -> Callable[[Path], object]:
    """Return a function that makes a map and saves it at a path."""
    return lambda path: tw.make(technique, **words).save(path, **options)


def animating(technique: str) -> Callable[[Path], object]:
    """Return a function that saves an animation of a technique at a path."""
    return lambda path: save_animation(tw.watch(technique, seed=7, width=48, height=30), path, scale=8, frames=60)


def playing(recipe: str, seed: int, scale: int = 10) -> Callable[[Path], object]:
    """Return a function that saves an animation of a playthrough at a path."""
    options: dict[str, Any] = {"scale": scale, "sprites": scale >= 10, "markers": True, "duration": 80}
    return lambda path: save_animation(tw.solve(tw.run(recipe, seed=seed)).draw(), path, **options)


def iter_pictures() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file name of each picture, and what draws it."""
    for entry in tw.list_techniques():
        yield f"{entry.name}.gif", animating(entry.name)
    yield "gallery.png", lambda path: draw_gallery().save(path)
    yield "game-dungeon.gif", playing("locked-dungeon", 4, scale=8)
    yield "game-platformer.gif", playing("platformer", 5)
    yield "game-runner.gif", playing("gold-mine", 3)
    yield "game-sokoban.gif", playing("warehouse", 5)
    shaped: dict[str, Any] = {
        "connect": ["connect"],
        "keep_largest": ["keep_largest"],
        "border": [{"border": {"thickness": 2}}],
        "paint": [{"paint": {"of": "wall", "largest": 1, "tile": "moss"}}],
        "mirror": [{"mirror": {"axis": "both"}}],
        "replace": [{"replace": {"tile": "floor", "by": "moss", "share": 0.25}}],
    }
    small: dict[str, Any] = {"width": 60, "height": 36, "walls": 0.49}
    yield "shaper-none.png", lambda path: tw.make("caves", seed=3, **small).save(path, scale=8)
    for name, shaping in shaped.items():
        yield f"shaper-{name}.png", saving("caves", {"seed": 3, "shaping": shaping, **small}, scale=8)
    locked = [{"lock_and_key": {"count": 4}}]
    yield (
        "shaper-doors.png",
        lambda path: tw.make(
            "caves", width=44, height=26, walls=0.49, seed=3, tileset="dungeon", shaping=["connect", "doors"]
        ).save(path, scale=12, sprites=True),
    )
    yield (
        "shaper-lock_and_key.png",
        lambda path: tw.make("maze", width=31, height=17, seed=3, shaping=locked).save(path, scale=16, sprites=True),
    )
    wider: dict[str, Any] = {"width": 44, "height": 28, "tileset": "dungeon"}
    for name, seed, shaping in (("bsp", 9, ["lock_and_key"]), ("caves", 5, ["connect", "lock_and_key"])):
        words = {"seed": seed, "shaping": shaping, **wider}
        yield f"shaper-lock_and_key-{name}.png", saving(name, words, scale=16, sprites=True, markers=True)
    populated = {"width": 44, "height": 28, "tileset": "dungeon", "seed": 9, "shaping": POPULATED}
    yield "shaper-place.png", saving("bsp", populated, scale=16, sprites=True, markers=True)
    wide: dict[str, Any] = {"morph": "random", "width": 160, "height": 48}
    yield "fashion-morph.png", lambda path: tw.make("fashion", seed=8, **wide).save(path, scale=5)
    yield "fashion-radial.png", lambda path: tw.make("fashion", seed=5, blend="radial", **wide).save(path, scale=5)
    yield "fashion-gallery.png", lambda path: draw_style_gallery().save(path, optimize=True)
    pair: dict[str, Any] = {"scores": "archive:1,4", "morph": "archive:10,13", "width": 160, "height": 48}
    yield "fashion-gallery-morph.png", lambda path: tw.make("fashion", seed=7, **pair).save(path, scale=5)
    yield "fashion-islets.png", lambda path: tw.run("islets", seed=7).save(path, scale=8)
    yield "fashion-terrain.png", lambda path: tw.make("fashion", seed=7, tileset="terrain", **SIZE).save(path, scale=8)
    yield "behaviours.png", lambda path: behaviour_grid(steps=301).map().save(path, scale=2)
    yield "patterns-styles.png", lambda path: draw_styles("patterns", STEPS).save(path)
    village: dict[str, Any] = {"sample": "village", "width": 60, "height": 34}
    yield (
        "patterns-village.png",
        lambda path: tw.make("patterns", seed=7, **village).save(path, scale=16, sprites=True),
    )
    large: dict[str, Any] = {"sample": "overworld", "width": 256, "height": 128, "iterations": 16_000_000}
    yield "patterns-large.png", lambda path: tw.make("patterns", seed=7, **large).save(path, scale=4)
    yield "wfc-styles.png", lambda path: draw_styles("wfc", PATTERNS).save(path)
    yield "markov-model.png", lambda path: draw_contexts().save(path)
    yield "awbw-maps.png", lambda path: draw_collection("awbw", scale=12).save(path)
    yield "awbw-skirmish.png", lambda path: draw_skirmishes().save(path)
    yield "awbw-sprites.png", lambda path: draw_sprites("awbw").save(path)
    yield "corpus-report.png", lambda path: draw_corpus("report").save(path)
    yield "corpus-range.png", lambda path: draw_corpus("range").save(path)
    yield "seek-histograms.png", lambda path: seek_caves().chart().save(path, optimize=True)
    yield "seek-maps.png", lambda path: seek_caves().sheet(count=12, columns=4).save(path, optimize=True)
    yield "recipes.png", lambda path: draw_rulebooks().save(path)
    yield "recipe-sprites.png", lambda path: tw.run("jungle-ruin", seed=7).save(path, scale=16, sprites=True)
    yield "engines-cave.png", saving("caves", CAVE, scale=16, sprites=True)
    yield "engines-dungeon.png", saving("bsp", DUNGEON, scale=16, sprites=True, markers=True)
    yield "engines-overworld.png", saving("noise", OVERWORLD, scale=16, sprites=True)
    yield "engines-war.png", lambda path: tw.run("skirmish", seed=4).save(path, scale=16)
    yield "cave-sprites.png", lambda path: tw.run("flooded-cavern", seed=7).save(path, scale=16, sprites=True)


def iter_thumbnails() -> Iterator[tuple[Path, Callable[[Path], object]]]:
    """Yield the path of each thumbnail of the studio, and what draws it: all techniques, recipes and shapers."""

    def saving_thumbnail(recipe: tw.Recipe) -> Callable[[Path], object]:
        return lambda path: draw_thumbnail(tw.run(recipe, seed=7)).save(path)

    for entry in tw.list_techniques():
        recipe = tw.recipe(entry.name, width=48, height=30)
        yield THUMBNAILS / "techniques" / f"{entry.name}.png", saving_thumbnail(recipe)
    for name in data.list_names("recipes"):
        yield THUMBNAILS / "recipes" / f"{name}.png", saving_thumbnail(tw.recipe(name))
    for name in EXAMPLES:
        yield THUMBNAILS / "shapers" / f"{name}.png", partial(save_shaper, name)


def draw_thumbnail(map: tw.TileMap) -> Image:
    """Return a small picture of the middle of a map."""
    scale = max(8, -(-THUMBNAIL[0] // map.width), -(-THUMBNAIL[1] // map.height))
    picture = map.image(scale=scale).convert("RGB")
    left, top = (picture.width - THUMBNAIL[0]) // 2, (picture.height - THUMBNAIL[1]) // 2
    return picture.crop((left, top, left + THUMBNAIL[0], top + THUMBNAIL[1])).quantize(64)


def draw_styles(technique: str, variants: Mapping[str, Mapping[str, Any]]) -> Image:
    """Return every sample beside maps in its style, made by a technique with different parameters."""
    pictures = []
    for name in data.list_names("samples"):
        grid = Grid.of(name)
        assert grid.tileset is not None
        sample = tw.TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)
        wraps: dict[str, Any] = {"wrap_sample": "xy"} if grid.cells.size <= 64 else {}
        height, width = (24, 32) if wraps else grid.shape[-2:]
        scale = 288 // (width if wraps else sample.image(scale=1).width)
        pictures.append((sample.image(scale=scale), name))
        for title, params in variants.items():
            words = {"sample": name, **wraps, **params}
            made = tw.make(technique, width=width, height=height, seed=7, **words)
            numbers = tw.measure(made, "divergence", "copied_block", like=name, **wraps)
            note = f"{title}: divergence {numbers['divergence']:.2f}, copied {numbers['copied_block']:.0f}"
            pictures.append((made.image(scale=scale), note))
    return arrange_pictures(pictures, columns=4)


def draw_contexts() -> Image:
    """Return some contexts that markov counts in the training maps, with the most frequent tiles of each."""
    learned = tw.learn("markov", "awbw").params
    assert isinstance(learned, MarkovTrainingParams)
    found = learned.contexts
    tileset = KINDS["tilesets"].get("awbw")
    assert isinstance(tileset, tw.Tileset)
    tileset = tileset.with_tiles(
        [
            tw.Tile(name="here", kind="unknown", glyph="¿", color="#ffffff"),
            tw.Tile(name="edge", kind="void", glyph="¡", color="#444444"),
        ]
    )
    pictures = []
    for west, southwest, south in (
        ("sea", "sea", "sea"),
        ("plain", "plain", "sea"),
        ("road ew", "plain", "plain"),
        ("plain", "plain", "river ns"),
        ("edge", "edge", "sea"),
    ):
        counts = found.counts(w=west, sw=southwest, s=south)
        best = sorted(counts, key=lambda word: -counts[word])[:5]
        drawn = [([[west, "here"], [southwest, south]], f"{sum(counts.values())} times")]
        drawn += [([[word]], f"{word} {counts[word]}") for word in best]
        drawn += [([["here"]], "")] * (6 - len(drawn))
        for words, note in drawn:
            picture = new_image("RGB", (160, 64), "white")
            map = tw.TileMap([[tileset.by_name[word] for word in row] for row in words], tileset)
            if note:
                picture.paste(map.image(scale=32, sprites=True), (0, 0 if len(words) > 1 else 32))
            pictures.append((picture, note))
    return arrange_pictures(pictures, columns=6)


def draw_sprites(name: str, columns: int = 20) -> Image:
    """Return all tiles of a tileset in order."""
    tileset = KINDS["tilesets"].get(name)
    assert isinstance(tileset, tw.Tileset)
    pictures = [(tw.TileMap([[number]], tileset).image(scale=32, sprites=True), "") for number in range(len(tileset))]
    return arrange_pictures(pictures, columns=columns)


def draw_collection(name: str, *, scale: int) -> Image:
    """Return all built-in maps of a game, with their names."""
    grids = {member: Grid.of(f"{name}/{member}") for member in data.list_members(name)}
    maps = {
        member: tw.TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)
        for member, grid in grids.items()
        if grid.tileset
    }
    return arrange_pictures([(map.image(scale=scale), member) for member, map in maps.items()], columns=5)


def draw_skirmishes() -> Image:
    """Return six maps for two players, with the days until first contact."""
    pictures = []
    for seed in range(1, 7):
        map = tw.run("skirmish", seed=seed)
        days = tw.measure(map, "first_contact")["first_contact"]
        pictures.append((map.image(scale=16), f"seed {seed}: first contact after {days:.1f} days"))
    return arrange_pictures(pictures, columns=3)


def draw_corpus(what: str) -> Image:
    """Return the report of a corpus of caves, or the range of two measures."""
    names = ("floor_share", "regions", "path_length")
    with TemporaryDirectory() as folder:
        corpus = make(tw.recipe("caves", width=32, height=32), folder, count=2000, seed=7, measures=names, workers=0)
        picture: Image = (
            report.draw_report(corpus) if what == "report" else report.draw_range(corpus, "floor_share", "path_length")
        )
        return picture


@cache
def seek_caves() -> FoundSeeds:
    """Return the longest of 100,000 caves that have one region and no dead end."""
    recipe = tw.recipe("caves", width=64, height=64)
    require = {"regions": 1, "dead_ends": 0, "path_length": "most"}
    return tw.seek(recipe, seeds="0..99999", require=require, measures=["floor_share"])


def draw_gallery() -> Image:
    """Return the sheet of the demo."""
    demo = run_path(str(DEMO))
    sheet: Image = demo["draw_sheet"](demo["make_best_maps"]())
    return sheet


def draw_style_gallery() -> Image:
    """Return the sheet of the automata that ship with Tilewright."""
    return tw.search.load("archive:caverns").sheet(width=1800, title="Gallery")


def draw_rulebooks() -> Image:
    """Return the middle of a map by each recipe that uses rules."""
    maps = {name: tw.run(name, seed=7) for name in KINDS["recipes"].names()}
    books = {name: map for name, map in maps.items() if map.recipe and map.recipe.technique == "rules"}
    sheet: Image = run_path(str(DEMO))["draw_sheet"](books, width=40, height=25)
    return sheet
