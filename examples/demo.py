"""Makes one map with every technique there is, draws some here, and writes them all to out/gallery.png."""

from __future__ import annotations

import os
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.progress import track

import tilewright as tw
from tilewright.cli._drawing import draw

OUT = Path("out")
WIDTH, HEIGHT, SCALE, GAP, LABEL = 64, 40, 5, 14, 22
COLUMNS = 3


def contact_sheet(maps: dict[str, tw.TileMap], scale: int = SCALE) -> Image.Image:
    """Maps of one size in rows, each with its name below it."""
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


def one_of_each() -> dict[str, tw.TileMap]:
    """A map by every technique there is, by name."""
    maps = {}
    for entry in track(tw.techniques(), "making a map with every technique", transient=True):
        size = {"width": WIDTH, "height": HEIGHT}
        maps[entry.name] = tw.make(
            entry.name, seed=7, **{k: v for k, v in size.items() if k in entry.params.model_fields}
        )
    return maps


def main() -> None:
    console = Console()
    maps = one_of_each()
    for name in ("caves", "fashion"):
        console.print()
        draw(maps[name], f"tilewright make {name} --width {WIDTH} --height {HEIGHT} --seed 7")
    OUT.mkdir(exist_ok=True)
    contact_sheet(maps).save(OUT / "gallery.png")
    console.print(f"\n{len(maps)} techniques, all in [bold]{os.fspath(OUT / 'gallery.png')}[/bold]")
    console.print("Next: [bold].venv/bin/tilewright make caves -o cave.gif[/bold], or .venv/bin/tilewright --help")


if __name__ == "__main__":
    main()
