"""Draw a first map, compile the kernels of nine recipes, and write a picture of a map by each to out/gallery.png."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console

import tilewright as tw
from tilewright import kernels
from tilewright.cli._drawing import draw
from tilewright.cli._progress import compile_kernels, show_progress

OUT = Path("out")
BEST = {
    "roguelike-dungeon": 2,
    "island-kingdom": 1,
    "platformer": 4,
    "farm-village": 4,
    "crystal-cave": 2,
    "skirmish": 6,
    "stone-labyrinth": 6,
    "city-blocks": 5,
    "gold-mine": 1,
}
"""Recipes with the seeds of their maps."""
# fmt: off
KERNELS = frozenset((
    "autotile.fit_all_pieces", "autotile.fit_pieces", "autotile.replace_misfits", "bridges.dig_shortest",
    "bridges.span_parts", "bridges.spread_waves", "caves.smooth", "chokepoints.find_cuts",
    "chokepoints.find_subtree_ends", "collapse.collapse_constrained", "collapse.decode", "collapse.restrict",
    "copies.add_blocks", "copies.has_block", "corridors.check_doors", "corridors.dig_corridor",
    "corridors.mark_walls", "corridors.paint", "delaunay.triangulate",
    "distance.spread_small_costs", "distance.spread_steps", "distance.steps_as_values", "distance.survey_costs",
    "filling.thicken_cells", "flood.label_axes", "links.build_spanning_tree", "links.close_loops",
    "markov.count_contexts", "markov.draw_map", "markov.hash_keys", "markov.rehash", "maze.backtrack", "maze.braid",
    "maze.carve", "maze.flood", "noise.fill_lattice", "partition.partition", "partition.place_rooms",
    "platformer.explore_platformer",
    "random.fill_chance",
    "rooms.divide_tree", "rules.fill", "rules.place_wanted", "rules.simulate", "runner.collect_gold",
    "runner.dig_for_gold", "surveys.count_tiles", "surveys.survey_regions", "surveys.survey_routes",
))
# fmt: on
"""Kernels that these recipes call. Compiled in several processes, they are ready in half the time."""
COLUMNS, GAP = 3, 14
BACKGROUND, INK = "#16181d", "#e8e6e1"


def make_best_maps() -> dict[str, tw.TileMap]:
    """Return a map by each of the nine recipes, by name."""
    maps: dict[str, tw.TileMap] = {}
    with show_progress() as report:
        for name, seed in BEST.items():
            report(len(maps) / len(BEST), f"making {name}")
            maps[name] = tw.run(name, seed=seed)
    return maps


def draw_sheet(maps: Mapping[str, tw.TileMap], *, width: int = 24, height: int = 18, scale: int = 16) -> Image.Image:
    """Return the middles of maps in rows, in sprites with markers, each with its name below it.

    Parameters
    ----------
    maps
        Maps by name.
    width, height
        Number of columns and rows to show of each map.
    scale
        Edge length of a cell in pixels.
    """
    columns, rows = min(COLUMNS, len(maps)), -(-len(maps) // COLUMNS)
    panel_width, panel_height = width * scale, height * scale
    font_size = panel_width // 26
    row_height = panel_height + 2 * font_size + GAP
    sheet_width, sheet_height = columns * (panel_width + GAP) + GAP, rows * row_height
    sheet = Image.new("RGB", (sheet_width, sheet_height), BACKGROUND)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(font_size)
    for number, (name, map) in enumerate(maps.items()):
        left = GAP + number % COLUMNS * (panel_width + GAP)
        top = GAP + number // COLUMNS * row_height
        picture = map.image(scale=scale, sprites=True, markers=True).convert("RGB")
        x, y = max(0, (map.width - width) // 2) * scale, max(0, (map.height - height) // 2) * scale
        panel = picture.crop((x, y, min(x + panel_width, picture.width), min(y + panel_height, picture.height)))
        sheet.paste(panel, (left + (panel_width - panel.width) // 2, top + (panel_height - panel.height) // 2))
        pen.text((left + panel_width // 2, top + panel_height + font_size // 3), name, fill=INK, font=font, anchor="ma")
    return sheet


def main() -> None:
    console = Console()
    console.print("making a first map\n")
    with show_progress():
        first = tw.make("caves", width=64, height=40, seed=7)
    draw(first, "tilewright make caves --width 64 --height 40 --seed 7")
    if not kernels.is_ready(KERNELS):
        console.print(f"\ncompiling {len(KERNELS)} kernels, once on this machine")
        compile_kernels(KERNELS)
    maps = make_best_maps()
    name, seed = next(iter(BEST.items()))
    console.print()
    draw(maps[name], f"tilewright run {name} --seed {seed}")
    OUT.mkdir(exist_ok=True)
    draw_sheet(maps).save(OUT / "gallery.png")
    console.print(f"\nmaps by {len(maps)} recipes, in sprites: [bold]{os.fspath(OUT / 'gallery.png')}[/bold]")
    console.print(f"Next: [bold].venv/bin/tilewright run {name} -o level.png[/bold], or .venv/bin/tilewright --help")


if __name__ == "__main__":
    main()
