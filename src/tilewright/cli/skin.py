"""`tilewright skin SHEET --tile TILE --layout LAYOUT -o TILESET`: a tileset file in the user's own art."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import click

from .. import api
from ..core.appearance import Rgb
from ..core.errors import InvalidRecipe, UnknownName, pluralize
from ..core.skins import LAYOUTS, Skin, find_layouts, read_mask
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..formats._files import refuse_unwritable, write_files
from ..formats._skin_files import SkinnedTileset, SpriteSource, add_skin, find_color
from ..formats._skin_preview import draw_preview
from ..formats._skin_template import STONE, draw_template
from . import _drawing
from ._console import info

PREVIEW: dict[str, Any] = {"width": 32, "height": 16, "steps": 2, "seed": 7}
"""Parameters of the map of the preview. With few smoothing steps, it shows most masks."""


@click.command("skin")
@click.argument("sheet", metavar="SHEET")
@click.option("tile", "--tile", metavar="TILE", help="Tile or kind that the sprites show.")
@click.option(
    "layout", "--layout", metavar="NAME", default="single", help=f"Order of the sprites: {', '.join(LAYOUTS)}. [single]"
)
@click.option(
    "output",
    "-o",
    "--output",
    metavar="TILESET",
    help="Tileset file, .toml. If it exists, the tile's sprites are added or replaced.",
)
@click.option("--tile-size", metavar="N|WxH", help="Size of a sprite in pixels. [guessed from the picture]")
@click.option(
    "firsts",
    "--first",
    multiple=True,
    metavar="N|X,Y[=WEIGHT]",
    help="Position of the layout's first sprite: its number in the sheet, or its column and row. Repeat it for "
    "variants, with weights on request. [0]",
)
@click.option("--columns", type=click.IntRange(1, 4096), metavar="N", help="Number of sprites in a row of the layout.")
@click.option("--order", metavar="MASKS", help="Masks of the sprites row by row, such as 28,124,112,-; - is no sprite.")
@click.option("--margin", type=click.IntRange(0, 1024), default=0, metavar="N", help="Pixels before the first sprite.")
@click.option("--spacing", type=click.IntRange(0, 1024), default=0, metavar="N", help="Pixels between sprites.")
@click.option(
    "with_", "--with", multiple=True, metavar="TILE", help="Tile or kind that counts as the same. [as in the base]"
)
@click.option(
    "--under", multiple=True, metavar="TILE", help="Tile or kind under which this one continues. [as in the base]"
)
@click.option("--alone", is_flag=True, help="Leave out --with and --under of the base.")
@click.option(
    "--outside/--no-outside", default=True, help="Whether the outside of the map counts as the same. [outside]"
)
@click.option("--base", metavar="NAME", help="Tileset whose tiles a new file has. [the first that has the tile]")
@click.option("--passable/--no-passable", default=None, help="Whether the tile is passable; also adds a new tile.")
@click.option("--preview", metavar="FILE", help="Picture of the masks and of a map. [beside the tileset]")
@click.option("no_preview", "--no-preview", is_flag=True, help="Write no preview.")
@click.option(
    "template", "--template", is_flag=True, help="Write SHEET: a template of the layout, in the color of --tile."
)
def command(
    sheet: str,
    tile: str | None,
    layout: str,
    output: str | None,
    tile_size: str | None,
    firsts: tuple[str, ...],
    columns: int | None,
    order: str | None,
    margin: int,
    spacing: int,
    with_: tuple[str, ...],
    under: tuple[str, ...],
    alone: bool,
    outside: bool,
    base: str | None,
    passable: bool | None,
    preview: str | None,
    no_preview: bool,
    template: bool,
) -> None:
    """Write a tileset from a picture of sprites, and preview it.

    Each run adds the sprites of one tile; several runs with the same -o make one tileset. The file extends a tileset
    of Tilewright, so that every technique that can use that tileset can use it. The preview shows every sprite with its
    mask: the neighbors that count as the same, n=1 ne=2 e=4 se=8 s=16 sw=32 w=64 nw=128.

    \b
    tilewright skin walls.png --layout blob47 --template
    tilewright skin walls.png --layout blob47 --tile wall -o mytiles.toml
    tilewright skin floors.png --tile floor --first 0 --first 1=0.2 --tile-size 16 -o mytiles.toml
    tilewright skin water.png --layout rpgmaker-a2 --tile water -o mytiles.toml
    tilewright make bsp --tileset mytiles.toml -o level.png -o level.tmx
    """
    size = None if tile_size is None else _read_size(tile_size)
    if template:
        if output is not None:
            raise InvalidRecipe("writes a sheet only; leave -o out", at="template")
        _write_template(Path(sheet), layout, size or (16, 16), STONE if tile is None else find_color(tile, base))
        return
    for option, value in (("--tile", tile), ("-o", output)):
        if value is None:
            raise click.UsageError(f"{option} is missing", click.get_current_context())
    assert tile is not None
    assert output is not None
    if preview is not None and no_preview:
        raise InvalidRecipe("cannot be used with --no-preview", at="preview")
    source = SpriteSource.validate(
        {
            "picture": Path(sheet),
            "tile": tile,
            "layout": layout,
            "with_": with_ if with_ or alone else None,
            "under": under if under or alone else None,
            "outside": outside,
            "first": tuple(_read_first(text) for text in firsts) or ((0, 1.0),),
            "columns": columns,
            "order": _read_order(order) if order is not None else (),
            "tile_size": size,
            "margin": margin,
            "spacing": spacing,
            "base": base,
            "passable": passable,
        }
    )
    refuse_unwritable(output)
    picture = Path(preview) if preview is not None else Path(output).with_name(f"{Path(output).stem}-preview.png")
    if not no_preview:
        refuse_unwritable(picture)
    path = Path(output)
    found = add_skin(path, source)
    map = _make_map(found.tileset, found.skin)
    drawn = b"" if no_preview else _encode_preview(found, map)
    write_files(path, found.contents)
    if drawn:
        write_files(picture, {picture.name: drawn})
    _drawing.draw(map, _describe(found))
    names = [*(str(path.with_name(name)) for name in found.contents), *([] if no_preview else [str(picture)])]
    info(f"wrote {', '.join(names)}")
    if columns is None and (other := _find_usual_layout(found.skin)):
        wide, tall = found.skin.extent
        info(f"sheets of {wide}x{tall} sprites usually have the layout {other}; look at the preview")


def _find_usual_layout(skin: Skin) -> str | None:
    """Return the layout of which sheets of this size usually are, if the skin has unusual columns."""
    layouts = find_layouts(*skin.extent) if skin.columns is not None else []
    return layouts[0] if layouts else None


def _write_template(path: Path, layout: str, size: tuple[int, int], color: Rgb) -> None:
    """Write the template sheet of a layout, unless the file exists."""
    if layout not in LAYOUTS:
        raise UnknownName("layout", layout, LAYOUTS)
    if path.suffix.lower() != ".png":
        raise InvalidRecipe(f"a template must end in .png, got {path.name!r}", at="template")
    if path.exists():
        raise InvalidRecipe(f"{path} exists; choose another name, or remove it", at="template")
    if LAYOUTS[layout].is_composed and (size[0] % 2 or size[1] % 2):
        raise InvalidRecipe(f"must be even for {layout}, got {size[0]}x{size[1]}", at="tile_size")
    buffer = io.BytesIO()
    draw_template(layout, *size, color).save(buffer, "PNG", optimize=True)
    write_files(path, {path.name: buffer.getvalue()})
    info(f"wrote {path}")


def _make_map(tileset: Tileset, skin: Skin) -> TileMap:
    """Return a cave of the tiles of a skin and another tile."""
    tile = tileset[tileset.find_tiles(skin.tile)[0]]
    same = {number for name in (skin.tile, *skin.with_, *skin.under) for number in tileset.find_tiles(name)}
    others = [one for number, one in enumerate(tileset) if number not in same and not one.over] or [tile]
    other = next((one for one in others if one.passable != tile.passable), others[0])
    tiles = {"wall": tile, "floor": other} if not tile.passable else {"wall": other, "floor": tile}
    return api.make("caves", tileset=tileset, tiles={label: one.name for label, one in tiles.items()}, **PREVIEW)


def _encode_preview(found: SkinnedTileset, map: TileMap) -> bytes:
    buffer = io.BytesIO()
    draw_preview(found.tileset, found.skin, map).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _describe(found: SkinnedTileset) -> str:
    """Return a line about a tileset and its new skin."""
    sheet, skin = found.tileset.sheet, found.skin
    assert sheet is not None
    count = len(skin.list_positions(sheet.columns))
    sprites = f"{pluralize(count, 'sprite')} of {sheet.tile_width}x{sheet.tile_height} pixels ({skin.layout})"
    return f"{'replaced' if found.was_replaced else 'added'} {skin.tile}: {sprites}"


def _read_size(text: str) -> tuple[int, int]:
    """Return the width and height in `16` or `16x24`."""
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdecimal() and 1 <= int(part[:5]) <= 1024 for part in parts):
        raise InvalidRecipe("must be a number of pixels from 1 to 1024, or two such as 16x24", at="tile_size", got=text)
    return int(parts[0]), int(parts[-1])


def _read_first(text: str) -> tuple[int | tuple[int, int], float]:
    """Return the position, or column and row, and the weight in `N`, `X,Y` or `X,Y=WEIGHT`."""
    place, equals, weight = text.partition("=")
    parts = place.split(",")
    try:
        numbers = [int(part) for part in parts]
        share = float(weight) if equals else 1.0
    except ValueError:
        numbers, share = [], 0.0
    if len(numbers) not in (1, 2) or min(numbers) < 0 or max(numbers) >= 1 << 31 or not 0 < share <= 1e6:
        rule = "must be a position such as 12 or a column and row such as 4,1, with a weight above 0 such as 12=0.5"
        raise InvalidRecipe(rule, at="first", got=text)
    return (numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])), share


def _read_order(text: str) -> tuple[int | None, ...]:
    """Return the masks in a list such as `28,124,-`."""
    words = text.replace(",", " ").split()
    try:
        return tuple(None if word == "-" else read_mask(word) for word in words)
    except ValueError:
        raise InvalidRecipe("must be masks from 0 to 255, or - for no sprite", at="order", got=text) from None
