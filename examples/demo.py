"""Draw a first map, compile all kernels, and write a map by every technique to out/gallery.png."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.progress import Progress, track

import tilewright as tw
from tilewright import kernels
from tilewright.cli._drawing import draw

OUT = Path("out")
WIDTH, HEIGHT, SCALE, GAP, LABEL = 64, 40, 5, 14, 22
COLUMNS = 3


def draw_contact_sheet(maps: dict[str, tw.TileMap], scale: int = SCALE) -> Image.Image:
    """Return a picture of maps of one size in rows, each with its name below it."""
    columns = min(COLUMNS, len(maps))
    rows = -(-len(maps) // columns)
    first = next(iter(maps.values()))
    width, height = first.width * scale, first.height * scale
    cell_width, cell_height = width + GAP, height + LABEL + GAP
    sheet = Image.new("RGB", (columns * cell_width + GAP, rows * cell_height + GAP), "#16181d")
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(14)
    for number, (name, map) in enumerate(maps.items()):
        left = GAP + number % columns * cell_width
        top = GAP + number // columns * cell_height
        sheet.paste(map.image(scale=scale).convert("RGB"), (left, top))
        pen.text((left + width // 2, top + height + 4), name, fill="#e8e6e1", font=font, anchor="ma")
    return sheet


def make_one_of_each() -> dict[str, tw.TileMap]:
    """Return a map by every technique, by name."""
    maps = {}
    for entry in track(tw.list_techniques(), "making a map with every technique", transient=True):
        size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT}
        maps[entry.name] = tw.make(
            entry.name, seed=7, **{k: v for k, v in size.items() if k in entry.params.model_fields}
        )
    return maps


def show(name: str, map: tw.TileMap) -> None:
    print()
    draw(map, f"tilewright make {name} --width {WIDTH} --height {HEIGHT} --seed 7")


def compile_all(console: Console) -> None:
    """Compile the kernels of every technique on all processors, and show the progress."""
    if kernels.is_ready():
        return
    total = len(kernels.list_entries())
    console.print(f"\ncompiling {total} kernels, once on this machine")
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=total)
        for name in kernels.warmup():
            progress.update(task, advance=1, description=name)


def main() -> None:
    console = Console()
    console.print("making a first map")
    show("caves", tw.make("caves", width=WIDTH, height=HEIGHT, seed=7))
    compile_all(console)
    maps = make_one_of_each()
    show("fashion", maps["fashion"])
    OUT.mkdir(exist_ok=True)
    draw_contact_sheet(maps).save(OUT / "gallery.png")
    console.print(f"\n{len(maps)} techniques, all in [bold]{os.fspath(OUT / 'gallery.png')}[/bold]")
    console.print("Next: [bold].venv/bin/tilewright make caves -o cave.gif[/bold], or .venv/bin/tilewright --help")


if __name__ == "__main__":
    main()
