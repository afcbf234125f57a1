"""Makes what the docs show: pictures by the code itself, and tables from the parameters, so that neither can lie.

python docs/build.py           writes docs/pictures and fills in the tables
python docs/build.py --check   says whether anything would change
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from runpy import run_path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from generate import cards, commands
from generate.markdown import table
from PIL.Image import Image, Resampling, fromarray
from PIL.Image import new as new_image
from PIL.ImageDraw import Draw
from pydantic import BaseModel

import tilewright as tw
from tilewright import data
from tilewright.cli._catalogue import KINDS, list_summaries
from tilewright.core.fields import fields_of, models_in
from tilewright.core.grid import Grid
from tilewright.core.notation import short_default
from tilewright.core.registry import Entry
from tilewright.core.site import Frame
from tilewright.corpus import make, report
from tilewright.formats import save_animation
from tilewright.generators._markov.params import MarkovTrainingParams
from tilewright.generators.fashion import behaviour_grid

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
THUMBNAILS = Path(tw.__file__).parent / "studio" / "thumbnails"
THUMBNAIL = (192, 120)
"""Pixels of the small pictures that the studio shows of techniques and recipes."""
DEMO = DOCS.parent / "examples" / "demo.py"
SIZE: dict[str, Any] = {"width": 96, "height": 48}
GAP = 10
"""Pixels between pictures that stand side by side."""
CAPTION = 18
"""Pixels for a line below a picture."""
DIVERGENCES = ("divergence", "divergence_new", "divergence_missed")
TINY = ["..~~", ".##~", ".#..", "...~"]
"""A sample of a few cells."""
EXAMPLE = re.compile(r"^```python(?: picture=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DATA = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"(<!-- (\w+) of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def format_parameters(entry: Entry) -> str:
    """The parameters of one thing, and the models that they are made of."""
    if not fields_of(entry.params):
        return "It takes no parameters.\n"
    inner = (
        f"\n**{name}**: {(model.__doc__ or '').splitlines()[0]}\n\n{format_fields(model, 'field')}"
        for name, model in models_in(entry.params).items()
    )
    return "".join([format_fields(entry.params, "parameter"), *inner])


def format_fields(model: type[BaseModel], heading: str) -> str:
    rows = (
        (
            f"`{one.name}`",
            f"`{default}`" if (default := short_default(one)) else "",
            one.range or one.form,
            one.description,
        )
        for one in fields_of(model)
    )
    return table((heading, "default", "range", "what it is"), *rows)


def format_overview(kind: str) -> str:
    """All things of a kind, each with a line about it."""
    return table(("name", "what it is"), *((f"`{name}`", line) for name, line in list_summaries(kind)))


def format_reference(kind: str) -> str:
    """All things of a kind, each with its parameters."""
    parts = []
    for name, line in list_summaries(kind):
        entry = KINDS[kind].get(name)
        assert isinstance(entry, Entry)
        rest = entry.doc.strip().partition("\n")[2].strip()
        parts.append(f"### {name}\n\n{line}\n\n{rest}\n\n{format_parameters(entry)}".replace("\n\n\n\n", "\n\n"))
    return "\n".join(parts)


def format_joints(name: str) -> str:
    """What the open sides of a tileset's pieces may meet, kind by kind."""
    tileset = KINDS["tilesets"].get(name)
    assert isinstance(tileset, tw.Tileset)
    buildings = dict.fromkeys(tile.kind for tile in tileset if tile.country)

    def join_kinds(kinds: tuple[str, ...]) -> str:
        if set(buildings) <= set(kinds):
            kinds = (*(kind for kind in kinds if kind not in buildings), "every building")
        return ", ".join(kinds)

    rows = (
        (
            f"**{joint.kind}**",
            join_kinds(joint.joins),
            "; ".join(
                part
                for part in (
                    join_kinds(joint.meets),
                    joint.passes_under and f"under a {join_kinds(joint.passes_under)}",
                )
                if part
            ),
            join_kinds(joint.may_stop_at),
            "yes" if joint.edge else "no",
            join_kinds(joint.fallback),
        )
        for joint in tileset.joints
    )
    return table(("kind", "goes on with", "ends at", "may also stop at", "leaves the map", "gives way to"), *rows)


def compare_repairs(name: str) -> str:
    """How far maps are from their samples after drawing again, in windows of 2x2 cells: the mean of eight seeds."""
    ways = {"neither": (0, 0), "1 mend": (1, 0), "4 mends": (4, 0), "4 sweeps": (0, 4), "16 sweeps": (0, 16)}

    def row(sample: str) -> tuple[str, ...]:
        parts = []
        for mends, sweeps in ways.values():
            recipe = tw.recipe(name, sample=sample, repair_passes=mends, gibbs_sweeps=sweeps, width=40, height=40)
            maps = [tw.run(recipe, seed=seed) for seed in range(8)]
            found = [tw.measure(map, *DIVERGENCES, like=sample, pattern_size=2) for map in maps]
            all, new, missed = (sum(one[part] for one in found) / len(found) for part in DIVERGENCES)
            parts.append(f"{all:.2f} ({new:.2f}, {missed:.2f})")
        return f"`{sample}`", *parts

    return table(("sample", *ways), *(row(sample) for sample in ("awbw", "overworld", "village", "dungeon")))


def compare_techniques(name: str) -> str:
    """How a technique's maps of 32x24 cells compare with those of others that learn from samples."""
    samples: dict[str, tuple[Any, dict[str, Any]]] = {
        "`dungeon`": ("dungeon", {}),
        "`caverns`": ("caverns", {}),
        "`village`": ("village", {}),
        "`bricks`": ("bricks", {"wrap_sample": "xy"}),
        "4x4 cells": (TINY, {"wrap_sample": "xy"}),
    }
    small: dict[str, dict[str, Any]] = {"patterns": {"pattern_sizes": (2,)}, name: {"pattern_size": 2}}
    names = ("copied_share", "divergence", "copied_block", "sample_distance")

    def row(title: str, technique: str) -> tuple[str, ...]:
        sample, wraps = samples[title]
        params = {} if technique == "markov" else {**wraps, **(small[technique] if sample is TINY else {})}
        recipe = tw.recipe(technique, sample=sample, width=32, height=24, **params)
        seeds, found = 3 if technique == "patterns" else 20, []
        for seed in range(seeds):
            try:
                map = tw.run(recipe, seed=seed)
            except tw.GaveUp:
                continue
            found.append([tw.measure(map, *names, like=sample, pattern_size=size, **wraps) for size in (2, 3)])
        two, three = ({part: mean(one[size][part] for one in found) for part in names} for size in (0, 1))
        return (
            title if technique == "patterns" else "",
            f"`{technique}`",
            f"{seeds - len(found)} of {seeds}",
            f"{100 * (two if sample is TINY else three)['copied_share']:.0f} %",
            f"{two['divergence']:.2f}",
            f"{three['divergence']:.2f}",
            f"{three['copied_block']:.1f}",
            f"{three['sample_distance']:.2f}",
        )

    head = ("sample", "technique", "failures", "windows right", "divergence 2", "divergence 3", "copied", "distance")
    return table(head, *(row(title, technique) for title in samples for technique in ("patterns", name, "markov")))


def count_successes(name: str) -> str:
    """How many of ten maps of 36x36 cells come of it with less help and more."""
    none = {"max_backtracks": 0, "max_repairs": 0, "max_restarts": 0}
    ways = {
        "no help": none,
        "`backtracks`": {**none, "max_backtracks": 20},
        "also `repairs`": {**none, "max_backtracks": 20, "max_repairs": 100},
        "also `restarts`": {},
    }

    def row(params: dict[str, str]) -> tuple[str, ...]:
        made = []
        for own in ways.values():
            recipe = tw.recipe(name, width=36, height=36, **params, **own)
            done = 0
            for seed in range(10):
                try:
                    tw.run(recipe, seed=seed)
                except tw.GaveUp:
                    continue
                done += 1
            made.append(f"{done}")
        return f"`{format_call(params)}`", *made

    cases = ({"sample": "ruins"}, {"sample": "village", "wrap": "xy"}, {"sample": "circuit", "wrap": "xy"})
    return table(("", *ways), *(row(case) for case in cases))


def list_errors(name: str) -> str:
    """What is said where something cannot be had."""
    cases: list[dict[str, Any]] = [
        {"sample": "circuit", "wrap": "xy", "max_backtracks": 0, "max_repairs": 0, "max_restarts": 0, "seed": 3},
        {"locks": [[10, 10, "door"], [12, 10, "treasure"]], "seed": 7},
        {"border": ["treasure"], "seed": 7},
        {"counts": {"pillar": ">=900"}, "seed": 7},
        {"sample": "village", "pattern_size": 4, "seed": 7},
        {"sample": "platforms", "ground": True, "seed": 7},
    ]
    lines = []
    for params in cases:
        try:
            tw.make(name, **params)
        except tw.TilewrightError as error:
            lines.append(f'tw.make("{name}", {format_call(params)})\n    {error}\n')
    assert len(lines) == len(cases), "all of them fail"
    return "```text\n" + "".join(lines) + "```\n"


def format_call(params: dict[str, Any]) -> str:
    """As in a call."""
    return ", ".join(f"{name}={value!r}" for name, value in params.items()).replace("'", '"')


def fill_tables(text: str) -> str:
    """A page with its tables made anew."""

    def replace_table(match: re.Match[str]) -> str:
        what, name = match.group(2), match.group(3)
        if what == "parameters":
            kind = next(kind for kind in ("techniques", "shapers", "formats") if name in KINDS[kind].names())
            entry = KINDS[kind].get(name)
            assert isinstance(entry, Entry)
            content = format_parameters(entry)
        else:
            makers = {
                "overview": format_overview,
                "reference": format_reference,
                "joints": format_joints,
                "again": compare_repairs,
                "compared": compare_techniques,
                "helped": count_successes,
                "refused": list_errors,
            }
            content = makers[what](name)
        return f"{match.group(1)}\n{content}\n{match.group(4)}"

    return TABLE.sub(replace_table, text)


def saving(technique: str, words: Mapping[str, Any], **options: Any) -> Callable[[Path], object]:
    """Return a function that makes a map and saves it at a path."""
    return lambda path: tw.make(technique, **words).save(path, **options)


def animating(technique: str) -> Callable[[Path], object]:
    """Return a function that saves an animation of a technique at a path."""
    return lambda path: save_animation(tw.watch(technique, seed=7, width=64, height=40), path, scale=6)


def iter_pictures() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """File names of pictures, and what makes each."""
    for entry in tw.list_techniques():
        yield f"{entry.name}.png", saving(entry.name, {"seed": 7, **SIZE}, scale=8)
        yield f"{entry.name}.gif", animating(entry.name)
    yield from iter_examples()
    yield from commands.pictures(DOCS)
    yield from cards.pictures()
    yield "gallery.png", lambda path: draw_gallery().save(path)
    shaped: dict[str, Any] = {
        "connect": ["connect"],
        "keep_largest": ["keep_largest"],
        "border": [{"border": {"thickness": 2}}],
        "paint": [{"paint": {"of": "wall", "largest": 1, "tile": "moss"}}],
        "mirror": [{"mirror": {"axis": "both"}}],
        "replace": [{"replace": {"tile": "floor", "by": "moss", "share": 0.25}}],
    }
    small: dict[str, Any] = {"width": 60, "height": 36, "walls": 0.49}
    yield "shaper-none.png", lambda path: tw.make("caves", seed=3, **small).save(path, scale=5)
    for name, shaping in shaped.items():
        yield f"shaper-{name}.png", saving("caves", {"seed": 3, "shaping": shaping, **small}, scale=5)
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
    wide: dict[str, Any] = {"morph": "random", "width": 160, "height": 48}
    yield "fashion-morph.png", lambda path: tw.make("fashion", seed=8, **wide).save(path, scale=5)
    yield "fashion-radial.png", lambda path: tw.make("fashion", seed=5, blend="radial", **wide).save(path, scale=5)
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
    yield "wfc-styles.png", lambda path: draw_styles("wfc", WINDOWS).save(path)
    yield "markov-model.png", lambda path: draw_contexts().save(path)
    yield "awbw-maps.png", lambda path: draw_collection("awbw", scale=12).save(path)
    yield "awbw-skirmish.png", lambda path: draw_skirmishes().save(path)
    yield "awbw-sprites.png", lambda path: draw_sprites("awbw").save(path)
    yield "corpus-report.png", lambda path: draw_corpus("report").save(path)
    yield "corpus-range.png", lambda path: draw_corpus("range").save(path)
    yield "recipes.png", lambda path: draw_rulebooks().save(path)
    yield "recipe-sprites.png", lambda path: tw.run("jungle-ruin", seed=7).save(path, scale=16, sprites=True)
    yield "cave-sprites.png", lambda path: tw.run("flooded-cavern", seed=7).save(path, scale=16, sprites=True)


def iter_thumbnails() -> Iterator[tuple[Path, Callable[[Path], object]]]:
    """The studio's small pictures: every technique and recipe."""

    def saving_thumbnail(recipe: tw.Recipe) -> Callable[[Path], object]:
        return lambda path: draw_thumbnail(tw.run(recipe, seed=7)).save(path)

    for entry in tw.list_techniques():
        recipe = tw.recipe(entry.name, width=48, height=30)
        yield THUMBNAILS / "techniques" / f"{entry.name}.png", saving_thumbnail(recipe)
    for name in data.list_names("recipes"):
        yield THUMBNAILS / "recipes" / f"{name}.png", saving_thumbnail(tw.recipe(name))


def draw_thumbnail(map: tw.TileMap) -> Image:
    """The middle of a map, small."""
    scale = max(3, -(-THUMBNAIL[0] // map.width), -(-THUMBNAIL[1] // map.height))
    picture = map.image(scale=scale, sprites=False).convert("RGB")
    left, top = (picture.width - THUMBNAIL[0]) // 2, (picture.height - THUMBNAIL[1]) // 2
    return picture.crop((left, top, left + THUMBNAIL[0], top + THUMBNAIL[1])).quantize(64)


def iter_examples() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Pictures of what the pages' own examples make: `m` after a block of Python whose fence says picture=NAME."""
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text()
        blocks = EXAMPLE.findall(text)
        session = Session(page, [content for _, content in blocks], DATA.findall(text))
        for number, (name, _) in enumerate(blocks):
            if name:
                yield name, saving_block(session, number)


def saving_block(session: Session, number: int) -> Callable[[Path], object]:
    """Return a function that runs a block of a page and saves what it makes at a path."""
    return lambda path: draw_result(session.run_until(number)).save(path)


class Session:
    """A page's blocks of Python, run once each and in order, in a folder that has its tileset as a file."""

    def __init__(self, page: Path, blocks: list[str], tilesets: list[str]) -> None:
        self.page, self.blocks, self.done = page, blocks, 0
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.folder = TemporaryDirectory()
        if tilesets:
            Path(self.folder.name, "meadow.toml").write_text(tilesets[0])

    def run_until(self, number: int) -> Any:
        """`m` after this block."""
        while self.done <= number:
            with chdir(self.folder.name):
                exec(compile(self.blocks[self.done], str(self.page), "exec"), self.names)  # noqa: S102 - our own pages
            self.done += 1
        return self.names["m"]


def draw_result(made: tw.TileMap | Frame | Image | list[tw.TileMap | Frame | Image]) -> Image:
    """Maps, frames or pictures side by side, in rows that a page has place for, frames with their notes."""
    pictures = []
    for one in made if isinstance(made, list) else [made]:
        if isinstance(one, Image):
            pictures.append((one, ""))
            continue
        scale = 7 if isinstance(made, list) else 8
        note = "" if isinstance(one, tw.TileMap) else one.note
        if isinstance(one, Frame) and one.colors is not None:
            height, width, _ = one.colors.shape
            pictures.append((fromarray(one.colors).resize((width * scale, height * scale), Resampling.NEAREST), note))
            continue
        map = one if isinstance(one, tw.TileMap) else tw.TileMap(one.cells, one.tileset)
        pictures.append((map.image(scale=scale), note))
    return arrange_pictures(pictures, columns=min(len(pictures), 4 if len(pictures) > 3 else 3))


def arrange_pictures(pictures: list[tuple[Image, str]], *, columns: int) -> Image:
    """Pictures with their notes in rows, each row as high and each column as wide as its largest picture."""
    caption = CAPTION if any(note for _, note in pictures) else 0
    widths = [max(picture.width for picture, _ in pictures[column::columns]) for column in range(columns)]
    rows = [pictures[first : first + columns] for first in range(0, len(pictures), columns)]
    heights = [max(picture.height for picture, _ in row) + caption for row in rows]
    sheet = new_image("RGB", (sum(widths) + GAP * (columns - 1), sum(heights) + GAP * (len(rows) - 1)), "white")
    for at, (picture, note) in enumerate(pictures):
        x = sum(widths[: at % columns]) + GAP * (at % columns)
        y = sum(heights[: at // columns]) + GAP * (at // columns)
        sheet.paste(picture, (x, y))
        if note:
            Draw(sheet).text((x, y + picture.height + 2), note, fill="#444444", font_size=13)
    return sheet


STEPS = {f"{steps:,} steps": {"iterations": steps} for steps in (1_000, 10_000, 1_000_000)}
WINDOWS: dict[str, dict[str, Any]] = {
    "windows of 2": {"pattern_size": 2},
    "windows of 3": {},
    "also turned": {"symmetry": 8},
}


def draw_styles(technique: str, variants: Mapping[str, Mapping[str, Any]]) -> Image:
    """Every sample, and maps in its style, made by a technique in several ways."""
    pictures = []
    for name in data.list_names("samples"):
        grid = Grid.of(name)
        assert grid.tileset is not None
        sample = tw.TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)
        wraps: dict[str, Any] = {"wrap_sample": "xy"} if grid.cells.size <= 64 else {}
        height, width = (24, 32) if wraps else grid.shape[-2:]
        scale = 288 // (width if wraps else sample.image(scale=1).width)
        pictures.append((sample.image(scale=scale), name))
        for way, params in variants.items():
            words = {"sample": name, **wraps, **params}
            made = tw.make(technique, width=width, height=height, seed=7, **words)
            numbers = tw.measure(made, "divergence", "copied_block", like=name, **wraps)
            note = f"{way}: divergence {numbers['divergence']:.2f}, copied {numbers['copied_block']:.0f}"
            pictures.append((made.image(scale=scale), note))
    return arrange_pictures(pictures, columns=4)


def draw_contexts() -> Image:
    """Some contexts that markov counts in the training maps, and what stands in their midst how often."""
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
    """All tiles of a tileset in their order, a little apart."""
    tileset = KINDS["tilesets"].get(name)
    assert isinstance(tileset, tw.Tileset)
    pictures = [(tw.TileMap([[number]], tileset).image(scale=32, sprites=True), "") for number in range(len(tileset))]
    return arrange_pictures(pictures, columns=columns)


def draw_collection(name: str, *, scale: int) -> Image:
    """All maps of a game that ship, with their names."""
    grids = {member: Grid.of(f"{name}/{member}") for member in data.list_members(name)}
    maps = {
        member: tw.TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)
        for member, grid in grids.items()
        if grid.tileset
    }
    return arrange_pictures([(map.image(scale=scale), member) for member, map in maps.items()], columns=5)


def draw_skirmishes() -> Image:
    """Six maps for two players, as they come, with some numbers."""
    pictures = []
    for seed in range(1, 7):
        map = tw.run("skirmish", seed=seed)
        days = tw.measure(map, "first_contact")["first_contact"]
        pictures.append((map.image(scale=16), f"seed {seed}: first contact after {days:.1f} days"))
    return arrange_pictures(pictures, columns=3)


def draw_corpus(what: str) -> Image:
    """What a corpus of caves looks like: its report, or the range of two measures."""
    names = ("floor_share", "regions", "path_length")
    with TemporaryDirectory() as folder:
        corpus = make(tw.recipe("caves", width=32, height=32), folder, count=2000, seed=7, measures=names, workers=0)
        picture: Image = (
            report.draw_report(corpus) if what == "report" else report.draw_range(corpus, "floor_share", "path_length")
        )
        return picture


def draw_gallery() -> Image:
    """The demo's contact sheet."""
    demo = run_path(str(DEMO))
    sheet: Image = demo["contact_sheet"](demo["one_of_each"]())
    return sheet


def draw_rulebooks() -> Image:
    """A map by every recipe that uses rules."""
    maps = {name: tw.run(name, seed=7) for name in KINDS["recipes"].names()}
    books = {name: map for name, map in maps.items() if map.recipe and map.recipe.technique == "rules"}
    sheet: Image = run_path(str(DEMO))["contact_sheet"](books, scale=4)
    return sheet


def main() -> None:
    check = "--check" in sys.argv
    wrong = []
    for page in [*sorted(DOCS.rglob("*.md")), DOCS.parent / "README.md"]:
        old = page.read_text()
        new = fill_tables(old)
        if new != old:
            wrong.append(page.name)
            if not check:
                page.write_text(new)
    for path, draw in [*((PICTURES / name, draw) for name, draw in iter_pictures()), *iter_thumbnails()]:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not check:
            draw(path)
        elif not path.exists():
            wrong.append(path.name)
    if check and wrong:
        sys.exit(f"not as the code says: {', '.join(wrong)}; run make docs")


if __name__ == "__main__":
    main()
