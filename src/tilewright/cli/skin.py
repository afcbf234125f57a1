"""`tilewright skin SHEET --tile TILE --layout LAYOUT -o TILESET`: a tileset file in the user's own art."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import api
from ..core.errors import InvalidRecipe, pluralize
from ..core.params import PathText, param
from ..core.skins import LAYOUTS, Skin, find_layouts
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..formats._files import encode_image, refuse_unwritable, write_files
from ..formats._skin_files import SkinnedTileset, SkinParams, SpriteSource, find_color, prepare_skin
from ..formats._skin_pictures import STONE, draw_preview, draw_template
from . import _drawing
from ._console import info
from ._options import params_command

PREVIEW: dict[str, Any] = {"width": 32, "height": 16, "steps": 2, "seed": 7}
"""Parameters of the map of the preview. With few smoothing steps, it shows most masks."""


class SkinOptions(SkinParams):
    """Options of `skin`."""

    output: PathText = param(None, flags=("-o", "--output"), metavar="TILESET")
    """Tileset file, .toml. If it exists, the tile's sprites are added or replaced."""
    alone: bool = param(False)
    """Whether to leave out --with and --under of the base."""
    preview: PathText = param(None, metavar="FILE")
    """Picture of the masks and of a map. [beside the tileset]"""
    template: bool = param(False)
    """Whether to write SHEET: a template of the layout, in the color of --tile."""


@params_command("skin", SkinOptions)
@click.argument("sheet", metavar="SHEET")
@click.option("--no-preview", is_flag=True, help="Write no preview.")
def command(sheet: str, params: SkinOptions, no_preview: bool) -> None:
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
    if params.template:
        if params.output is not None:
            raise InvalidRecipe("writes a sheet only; leave -o out", at="template")
        _write_template(Path(sheet), params)
        return
    for option, value in (("--tile", params.tile), ("-o", params.output)):
        if value is None:
            raise click.UsageError(f"{option} is missing", click.get_current_context())
    assert params.output is not None
    if params.preview is not None and no_preview:
        raise InvalidRecipe("cannot be used with --no-preview", at="preview")
    fields = {name: getattr(params, name) for name in SkinParams.model_fields}
    if params.alone:
        fields |= {"with_": params.with_ or (), "under": params.under or ()}
    source = SpriteSource.validate({**fields, "picture": Path(sheet)})
    path = Path(params.output)
    refuse_unwritable(path)
    preview = Path(params.preview or path.with_name(f"{path.stem}-preview.png"))
    if not no_preview:
        refuse_unwritable(preview)
    found = prepare_skin(path, source)
    map = _make_map(found.tileset, found.skin)
    drawn = None if no_preview else encode_image(draw_preview(found.tileset, found.skin, map), optimize=True)
    write_files(path, found.contents)
    if drawn is not None:
        write_files(preview, {preview.name: drawn})
    _drawing.draw(map, _describe(found))
    names = [*(str(path.with_name(name)) for name in found.contents), *([] if no_preview else [str(preview)])]
    info(f"wrote {', '.join(names)}")
    if params.columns is None and (other := _find_usual_layout(found.skin)):
        wide, tall = found.skin.extent
        info(f"sheets of {wide}x{tall} sprites usually have the layout {other}; look at the preview")


def _find_usual_layout(skin: Skin) -> str | None:
    """Return the layout of which sheets of this size usually are, if the skin has unusual columns."""
    layouts = find_layouts(*skin.extent) if skin.columns is not None else []
    return layouts[0] if layouts else None


def _write_template(path: Path, params: SkinParams) -> None:
    """Write the template sheet of a layout, unless the file exists."""
    layout, size = params.layout, params.tile_size or (16, 16)
    color = STONE if params.tile is None else find_color(params.tile, params.base)
    if path.suffix.lower() != ".png":
        raise InvalidRecipe(f"a template must end in .png, got {path.name!r}", at="template")
    if path.exists():
        raise InvalidRecipe(f"{path} exists; choose another name, or remove it", at="template")
    if LAYOUTS[layout].is_composed and (size[0] % 2 or size[1] % 2):
        raise InvalidRecipe(f"must be even for {layout}, got {size[0]}x{size[1]}", at="tile_size")
    write_files(path, {path.name: encode_image(draw_template(layout, *size, color), optimize=True)})
    info(f"wrote {path}")


def _make_map(tileset: Tileset, skin: Skin) -> TileMap:
    """Return a cave of the tiles of a skin and another tile."""
    tile = tileset[tileset.find_tiles(skin.tile)[0]]
    same = {number for name in (skin.tile, *skin.with_, *skin.under) for number in tileset.find_tiles(name)}
    others = [one for number, one in enumerate(tileset) if number not in same and not one.over] or [tile]
    other = next((one for one in others if one.passable != tile.passable), others[0])
    tiles = {"wall": tile, "floor": other} if not tile.passable else {"wall": other, "floor": tile}
    return api.make("caves", tileset=tileset, tiles={label: one.name for label, one in tiles.items()}, **PREVIEW)


def _describe(found: SkinnedTileset) -> str:
    """Return a line about a tileset and its new skin."""
    sheet, skin = found.tileset.sheet, found.skin
    assert sheet is not None
    count = len(skin.list_positions(sheet.columns))
    sprites = f"{pluralize(count, 'sprite')} of {sheet.tile_width}x{sheet.tile_height} pixels ({skin.layout})"
    return f"{'replaced' if found.was_replaced else 'added'} {skin.tile}: {sprites}"
