"""Tileset files from sheets of sprites: each call adds the sprites of one tile, or replaces them.

A tileset has one sheet. While all sprites are in one picture, the file refers to that picture. When a second picture
is added, the sprites in use are copied into a new picture beside the file. The user's pictures are never changed.
"""

from __future__ import annotations

import io
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from pydantic import BeforeValidator, Field, WithJsonSchema

from ..core.appearance import Rgb
from ..core.errors import BadFile, InvalidRecipe, Problem, UnknownName, pluralize
from ..core.keywords import with_keywords
from ..core.params import Params, param
from ..core.skins import ALL_BITS, LAYOUTS, Skin, read_mask
from ..core.tileset import Sheet, Tileset
from ..core.tilesets import tilesets
from ._files import encode_image, read_file, read_text, write_files
from ._sheet import count_sprite_rows, count_sprites, fit_sheet, picture_size, sheet_picture, sprite_box
from ._toml import edit_toml, format_toml

HEADER = "# Written by `tilewright skin`, which adds the sprites of a tile or replaces them.\n"
SUFFIX = "-sheet.png"
"""Ending of the name of the picture with the sprites of several pictures."""
COPY = Path(f"tileset{SUFFIX}")
MARK = ("Software", "tilewright skin")
"""Text in that picture, which may be replaced. Other pictures are the user's."""
DEFAULT_BASES = ("dungeon", "cave", "terrain", "countryside")
"""Tilesets that are tried first as the base of a new tileset."""


Mask = Annotated[int, Field(ge=0, le=ALL_BITS)]
Side = Annotated[int, Field(ge=1, le=1024)]
Position = Annotated[int, Field(ge=0, lt=1 << 31)]
Weight = Annotated[float, Field(gt=0, le=1e6)]
FirstSprites = tuple[tuple[Position | tuple[Position, Position], Weight], ...]
FIRST = re.compile(r"(\d{1,10})(?:,(\d{1,10}))?(?:=([-\d.]+))?", re.ASCII)
SIZE = re.compile(r"([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?", re.ASCII | re.IGNORECASE)


def _read_firsts(given: Any) -> Any:
    """Return positions with weights, given as strings, weights by position, or one position."""
    if isinstance(given, Mapping):
        return tuple(given.items())
    if isinstance(given, int) or (isinstance(given, tuple) and all(isinstance(part, int) for part in given)):
        return ((given, 1.0),)
    return tuple(_read_first(text) for text in given) if isinstance(given, list) else given


def _read_first(text: Any) -> tuple[int | tuple[int, int], float]:
    """Return the position, or column and row, and the weight in `N`, `X,Y` or `X,Y=WEIGHT`."""
    parts = FIRST.fullmatch(text) if isinstance(text, str) else None
    try:
        column, row, weight = parts.groups() if parts else ("", None, None)
        return (int(column) if row is None else (int(column), int(row))), float(weight or 1)
    except ValueError:
        rule = "must be a position such as 12 or a column and row such as 4,1, with a weight above 0 such as 12=0.5"
        raise InvalidRecipe(rule, got=text) from None


def _read_order(given: Any) -> Any:
    """Return the masks in a string such as `28,124,-`."""
    if not isinstance(given, str):
        return given
    try:
        return tuple(None if word == "-" else read_mask(word) for word in given.replace(",", " ").split())
    except ValueError:
        raise InvalidRecipe("must be masks from 0 to 255, or - for no sprite", got=given) from None


def _read_size(given: Any) -> Any:
    """Return the width and height of a sprite, given as a number or a string such as `16x24`."""
    if isinstance(given, int):
        return (given, given)
    if not isinstance(given, str):
        return given
    if not (sides := SIZE.fullmatch(given)):
        raise InvalidRecipe("must be a number of pixels from 1 to 1024, or two such as 16x24", got=given)
    return int(sides[1]), int(sides[2] or sides[1])


TEXT = WithJsonSchema({"type": "string"})
"""Schema of a value that is written in its own notation."""


class SkinParams(Params):
    """Sprites of a tile in a picture."""

    tile: str | None = param(None, min_length=1, metavar="TILE")
    """Tile or kind that the sprites show."""
    layout: str = param("single", metavar="NAME")
    """Order of the sprites: single, edge16, corner16, blob47, godot3x3, cr31 or rpgmaker-a2."""
    tile_size: Annotated[tuple[Side, Side] | None, BeforeValidator(_read_size), TEXT] = param(None, metavar="N|WxH")
    """Width and height of a sprite in pixels. By default, they are guessed from the picture and the layout."""
    first: Annotated[FirstSprites, BeforeValidator(_read_firsts), WithJsonSchema({"type": "array"})] = param(
        0, min_length=1, metavar="N|X,Y[=WEIGHT]", repeated=True
    )
    """Position of the layout's first sprite: its number in the picture, counted row by row, or its column and row; or
    several positions with weights, for variants."""
    columns: int | None = param(None, ge=1, le=4096, metavar="N")
    """Number of sprites in a row of the layout. By default, the picture decides."""
    order: Annotated[tuple[Mask | None, ...], BeforeValidator(_read_order), TEXT] = param((), metavar="MASKS")
    """Masks of the sprites row by row, such as 28,124,112,-; - is no sprite (None in Python)."""
    margin: int = param(0, ge=0, le=1024, metavar="N")
    """Number of pixels before the first sprite."""
    spacing: int = param(0, ge=0, le=1024, metavar="N")
    """Number of pixels between sprites."""
    with_: tuple[str, ...] | None = param(None, flags=("--with",), metavar="TILE", repeated=True)
    """Tiles or kinds that count as the same. By default, those of the skin that is replaced, in the file or its
    base."""
    under: tuple[str, ...] | None = param(None, metavar="TILE", repeated=True)
    """Tiles or kinds under which this one continues. By default, those of the skin that is replaced."""
    outside: bool = param(True)
    """Whether the outside of the map counts as the same."""
    base: str | None = param(None, metavar="NAME")
    """Name of the tileset that a new file extends. By default, the first that has the tile."""
    passable: bool | None = param(None)
    """Whether the tile is passable. If it is given, the tile may be a new one."""

    def find_problems(self) -> Iterator[Problem]:
        if self.layout not in LAYOUTS:
            raise UnknownName("layout", self.layout, LAYOUTS)
        yield from ()


class TileSkinParams(SkinParams):
    """Sprites of a given tile in a picture."""

    tile: str = param(min_length=1)
    """Tile or kind that the sprites show."""


class SpriteSource(TileSkinParams):
    """Sprites of a tile, and the picture with them."""

    picture: Path = param()
    """File of the picture."""


@dataclass(frozen=True)
class SkinnedData:
    """The data of a tileset, and the sheet with its sprites."""

    data: dict[str, Any]
    sheet: Sheet
    """The sheet with its picture."""
    skin: Skin
    """The skin that was added."""
    was_replaced: bool
    """Whether the tile already had a skin in the data."""
    is_copy: bool
    """Whether the sheet is a new one, with the sprites of two pictures."""


@dataclass(frozen=True)
class SkinnedTileset:
    """A tileset and its files. Nothing is written yet."""

    tileset: Tileset
    """The tileset with the picture of its sheet."""
    contents: dict[str, bytes]
    """Bytes by file name: the tileset file first, then the picture, if it is new."""
    skin: Skin
    """The skin that was added."""
    was_replaced: bool
    """Whether the tile already had a skin in the file."""


@with_keywords(SpriteSource)
def add_skin(path: str | os.PathLike[str], picture: str | os.PathLike[str], /, **params: Any) -> Tileset:
    """Write a tileset file in your own art: add the sprites of a tile, or replace them.

    Parameters
    ----------
    path
        The tileset file, which ends in .toml. If it does not exist, it extends a tileset of Tilewright.
    picture
        The picture with the sprites. If the file already has sprites of another picture, all sprites are copied into a
        new picture beside the file.

    Returns
    -------
    Tileset
        The tileset.

    Raises
    ------
    BadFile
        If the picture cannot be read, or a file cannot be written.
    InvalidRecipe
        If the sprites do not fit the picture, or an option breaks its rule.
    UnknownName
        If there is no such tile, layout or base tileset.

    Examples
    --------
    >>> from PIL import Image
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Image.new("RGB", (8 * 16, 6 * 16)).save(f"{folder}/walls.png")
    ...     tileset = add_skin(f"{folder}/mine.toml", f"{folder}/walls.png", tile="wall", layout="blob47")
    >>> tileset.sheet.tile_width
    16
    """
    for given in (path, picture):
        if not isinstance(given, str | os.PathLike):
            raise InvalidRecipe("must be the path of a file", got=given, rule="type")
    target = Path(path)
    added = prepare_skin(target, SpriteSource.validate({**params, "picture": Path(picture)}))
    write_files(target, added.contents)
    return added.tileset


def prepare_skin(path: Path, source: SpriteSource) -> SkinnedTileset:
    """Return a tileset file, which may not exist yet, with the skin of a tile added or replaced."""
    data = _read_data(path, source)
    others = [one for one in data.get("skins", ()) if one.get("tile") != source.tile]
    is_new = not _is_in_use(data, others) and _replaces_sheet(source, data, path)
    before = None if is_new else _read_sheet(data, path)
    picture = Sheet(image=_relative_name(source.picture, path))
    picture = picture.with_picture(read_file(source.picture), str(source.picture))
    target = path.with_name(f"{path.stem}{SUFFIX}")
    found = add_sprites(data, before, picture, source, copy=target)
    sheet = found.sheet
    if found.is_copy and target.exists() and not _is_copy(read_file(target)):
        raise BadFile("exists, and was not written by tilewright skin; rename it", at=target)
    text = edit_toml(read_text(path), found.data) if path.exists() else HEADER + format_toml(found.data)
    contents = {path.name: text.encode(), **({sheet.image: sheet.picture} if found.is_copy else {})}
    tileset = Tileset.from_toml(text, path.stem).model_copy(update={"sheet": sheet})
    return SkinnedTileset(fit_sheet(tileset), contents, found.skin, found.was_replaced)


def add_sprites(
    data: dict[str, Any], before: Sheet | None, picture: Sheet, params: TileSkinParams, *, copy: Path = COPY
) -> SkinnedData:
    """Return the data of a tileset with the sprites of a tile added or replaced. No file is read or written.

    Parameters
    ----------
    data
        Data of the tileset.
    before
        Sheet of the tileset with its picture and columns, if its sprites stay.
    picture
        Picture with the sprites of the tile. Its geometry is that of `params`, or guessed.
    params
        The tile, and where its sprites are.
    copy
        File for the sprites of both pictures, if they differ.

    Raises
    ------
    BadFile
        If the picture holds no sprites of this size.
    InvalidRecipe
        If the sprites do not fit the sheet, or the tile is a kind but needs to be a tile.
    UnknownName
        If there is no such tile.
    """
    data = deepcopy(data)
    _add_tile(data, params.tile, params.passable)
    skins = list(data.get("skins", ()))
    place = next((number for number, one in enumerate(skins) if one.get("tile") == params.tile), len(skins))
    others = [one for one in skins if one.get("tile") != params.tile]
    sheet, columns = _measure_sprites(params, picture, before)
    tileset = Tileset.validate(data)
    skin = _make_skin(params, sheet, columns, tileset)
    _check_skin(skin, sheet, tileset.name)
    is_copy = False
    if before is not None and not _is_same_picture(before, sheet):
        is_copy = True
        old, new = _plan_copy(before, sheet, data, others, skin)
        sheet, skin = _draw_copy((old, new), copy), new.move_skin(skin)
        others = [_to_skin_data(old.move_skin(Skin.validate(one))) for one in others]
        for tile in data.get("tiles", ()):
            tile |= {"sprite": old.move(tile["sprite"])} if "sprite" in tile else {}
    data["sheet"] = {key: value for key, value in sheet.model_dump().items() if value}
    data["skins"] = [*others[:place], _to_skin_data(skin), *others[place:]]
    return SkinnedData(data, sheet, skin, place < len(skins), is_copy)


def find_color(tile: str, base: str | None) -> Rgb:
    """Return the color of a tile in the tileset that a new file with it extends."""
    tileset = tilesets.get(base or _find_base(tile, None))
    found = tileset.find_tiles(tile)
    return tileset[found[0] if found else tileset.id(tile)].rgb


# -- tileset file -------------------------------------------------------------------------------------------------


def _read_data(path: Path, source: SpriteSource) -> dict[str, Any]:
    """Return the data of a tileset file, or of a new one."""
    if path.suffix != ".toml":
        raise InvalidRecipe(f"a tileset file must end in .toml, got {path.name!r}", at="output")
    if path.exists():
        text = read_text(path)
        Tileset.from_toml(text, path.stem)  # raises an error if the file is not a tileset
        data = tomllib.loads(text)
        if source.base is not None and data.get("extends", "") != source.base:
            has = f"extends {data['extends']!r}" if "extends" in data else "extends no tileset"
            raise InvalidRecipe(f"{path} {has}, got {source.base!r}", at="base")
        return data
    base = source.base or _find_base(source.tile, source.passable)
    return {"name": path.stem, "extends": tilesets.get(base).name}


def _find_base(tile: str, passable: bool | None) -> str:
    """Return the name of the first tileset that has a tile or kind."""
    names = [*DEFAULT_BASES, *(name for name in tilesets.names() if name not in DEFAULT_BASES)]
    for name in names:
        if tilesets.get(name).find_tiles(tile):
            return name
    if passable is not None:
        return names[0]
    known = [name for base in DEFAULT_BASES for name in tilesets.get(base).names]
    raise UnknownName("tile", tile, dict.fromkeys(known), "--passable or --no-passable adds a new tile")


def _add_tile(data: dict[str, Any], tile: str, passable: bool | None) -> None:
    """Add a tile to the data of a tileset, or set whether it is passable."""
    tileset = Tileset.validate(data)
    is_known = bool(tileset.find_tiles(tile))
    if not is_known and passable is None:
        hint = f"tileset {tileset.name!r}; --passable or --no-passable adds a new tile"
        raise UnknownName("tile", tile, tileset.names, hint)
    if passable is None:
        return
    if is_known and tile not in tileset.by_name:
        raise InvalidRecipe(f"needs the name of a tile, {tile!r} is a kind", at="passable")
    tiles = data.setdefault("tiles", [])
    own = next((one for one in tiles if one.get("name") == tile), None)
    if own is None:
        tiles.append({"name": tile, "passable": passable})
    else:
        own["passable"] = passable


def _to_skin_data(skin: Skin) -> dict[str, Any]:
    """Return the data of a skin, without weights of 1."""
    data = skin.to_data()
    if skin.sprites:
        data["sprites"] = {
            mask: [position if weight == 1 else [position, weight] for position, weight in choices]
            for mask, choices in skin.sprites
        }
    return data


def _relative_name(picture: Path, path: Path) -> str:
    """Return the path of a picture relative to the folder of a tileset file."""
    try:
        return Path(os.path.relpath(picture, path.parent)).as_posix()
    except ValueError:  # another drive
        return picture.absolute().as_posix()


# -- sprites ------------------------------------------------------------------------------------------------------


def _read_sheet(data: dict[str, Any], path: Path) -> Sheet | None:
    """Return the sheet of a tileset file with its picture, or None if it has no sheet."""
    if "sheet" not in data:
        return None
    sheet = Sheet.validate(data["sheet"])
    picture = path.parent / sheet.image
    sheet = sheet.with_picture(read_file(picture), str(picture))
    return sheet.model_copy(update={"columns": count_sprites(sheet)[0]})


def _is_in_use(data: dict[str, Any], skins: Iterable[dict[str, Any]]) -> bool:
    """Return whether tiles or some skins of a tileset file have sprites in its sheet."""
    return any("sprite" in tile for tile in data.get("tiles", ())) or any(
        "first" in skin or "sprites" in skin for skin in skins
    )


def _replaces_sheet(source: SpriteSource, data: dict[str, Any], path: Path) -> bool:
    """Return whether a source has another picture than a tileset file, or states the geometry of its sprites."""
    picture = path.parent / data.get("sheet", {}).get("image", "")
    is_stated = source.tile_size is not None or source.margin > 0 or source.spacing > 0
    return is_stated or os.path.realpath(picture) != os.path.realpath(source.picture)


def _is_same_picture(one: Sheet, other: Sheet) -> bool:
    return os.path.realpath(one.path) == os.path.realpath(other.path)


def _measure_sprites(source: TileSkinParams, picture: Sheet, before: Sheet | None) -> tuple[Sheet, int | None]:
    """Return a picture with its geometry, and the number of columns of its layout, if it is not the usual one.

    The sprites must have the size of those in the sheet before, if any.
    """
    bare = picture.model_copy(update={"margin": source.margin, "spacing": source.spacing})
    place = bare.path or bare.image
    if not bare.picture:
        raise BadFile("is empty", at=place)
    is_same = before is not None and _is_same_picture(before, bare)
    geometry = {"margin": source.margin, "spacing": source.spacing}
    size, columns = source.tile_size, source.columns
    if before is not None:
        known = before.tile_width, before.tile_height
        size = size or known
        if size != known:
            raise InvalidRecipe(
                f"sprites must be {known[0]}x{known[1]} pixels as in {Path(before.path or before.image).name}, "
                f"got {size[0]}x{size[1]}",
                at="tile_size",
            )
        if is_same and source.margin == source.spacing == 0:
            geometry = {"margin": before.margin, "spacing": before.spacing}
        if is_same and (before.margin, before.spacing) != (geometry["margin"], geometry["spacing"]):
            raise InvalidRecipe(
                f"must be as before in {Path(place).name}, {before.margin} and {before.spacing} pixels, "
                f"got {source.margin} and {source.spacing}",
                at="margin and spacing",
            )
    if size is None:
        size, columns = _guess_tile_size(source, bare)
    fields = {**geometry, "tile_width": size[0], "tile_height": size[1]}
    sheet = Sheet.validate({"image": bare.image, **fields}).with_picture(bare.picture, bare.path)
    count = count_sprites(sheet)
    if min(count) < 1:
        width, height = picture_size(bare) or (0, 0)
        raise BadFile(f"{width}x{height} pixels hold no sprite of {size[0]}x{size[1]}", at=place)
    sheet = sheet.model_copy(update={"columns": count[0]})
    return sheet, columns if source.columns or columns else _choose_columns(source, count)


def _guess_tile_size(source: TileSkinParams, sheet: Sheet) -> tuple[tuple[int, int], int | None]:
    """Return the size of the sprites of a picture that holds one layout of square sprites, and the columns of the
    layout, if they are not the usual ones.

    Sprites in ascending order may be in any number of columns. The arrangement with the fewest free places is chosen.
    """
    layout, (width, height) = LAYOUTS[source.layout], picture_size(sheet) or (0, 0)
    count = len(source.order or layout.masks)
    usual = min(source.columns or layout.columns, count)
    is_fixed = source.columns is not None or not (layout.is_ascending or source.order)
    found = []
    for columns in [usual] if is_fixed else range(1, count + 1):
        rows = -(-count // columns)
        side = (width - sheet.margin + sheet.spacing) // columns - sheet.spacing
        ends = (columns, rows)
        used = [sheet.margin + end * (side + sheet.spacing) - sheet.spacing for end in ends]
        # A second margin at the right and at the bottom is allowed.
        if side > 0 and all(
            total - size in (0, sheet.margin) for total, size in zip((width, height), used, strict=True)
        ):
            found.append((columns != usual, columns * rows - count, columns, side))
    if source.first[0][0] in (0, (0, 0)) and len(source.first) == 1 and found:
        other, _, columns, side = min(found)
        return (side, side), columns if other or source.columns else None
    rows = -(-count // usual)
    raise BadFile(
        f"{width}x{height} pixels are not {usual}x{rows} square sprites ({source.layout}); "
        "give --tile-size, and --margin and --spacing if it has them",
        at=sheet.path or sheet.image,
    )


def _choose_columns(source: TileSkinParams, sheet: tuple[int, int]) -> int | None:
    """Return the columns of a layout in a sheet of some columns and rows, or None for the usual columns."""
    layout = LAYOUTS[source.layout]
    if source.order:
        return sheet[0]
    skin = Skin(tile=source.tile, layout=source.layout)
    fits = skin.extent[0] <= sheet[0] and skin.extent[1] <= sheet[1]
    return sheet[0] if layout.is_ascending and not fits and sheet[0] * sheet[1] >= len(layout.masks) else None


def _make_skin(source: TileSkinParams, sheet: Sheet, columns: int | None, tileset: Tileset) -> Skin:
    """Return the skin of a source, with positions in its own picture. It may replace one of the tileset."""
    before = next((one for one in tileset.skins if one.tile == source.tile and not one.toward), None)
    layout, columns = LAYOUTS[source.layout], columns or source.columns
    firsts = [
        (place if isinstance(place, int) else place[1] * sheet.columns + place[0], weight)
        for place, weight in source.first
    ]
    data: dict[str, Any] = {
        "tile": source.tile,
        "with_": (before.with_ if before else ()) if source.with_ is None else source.with_,
        "under": (before.under if before else ()) if source.under is None else source.under,
        "outside": source.outside,
        "layout": source.layout,
    }
    if len(firsts) == 1 and not source.order:
        return Skin.validate({**data, "first": firsts[0][0], "columns": columns})
    if layout.is_composed:
        raise InvalidRecipe(
            f"the layout {layout.name} is made of quarters of sprites and has one first sprite", at="first"
        )
    masks = source.order or layout.masks
    missing = [
        mask for mask in layout.all_masks if mask not in {layout.reduce(one) for one in masks if one is not None}
    ]
    if missing:
        raise InvalidRecipe(
            f"must name every mask of {layout.name}, {pluralize(len(missing), 'mask')} missing: "
            f"{', '.join(map(str, missing[:8]))}",
            at="order",
        )
    columns = min(columns or layout.columns, len(masks))
    table: dict[str, list[tuple[int, float]]] = {}
    for place, mask in enumerate(masks):
        if mask is None:
            continue
        for first, weight in firsts:
            position = first + place // columns * sheet.columns + place % columns
            table.setdefault(str(layout.reduce(mask)), []).append((position, weight))
    ordered = tuple((mask, tuple(choices)) for mask, choices in sorted(table.items(), key=lambda one: int(one[0])))
    return Skin.validate({**data, "sprites": ordered})


def _check_skin(skin: Skin, sheet: Sheet, name: str) -> None:
    """Raise InvalidRecipe if the sprites of a skin are not in the picture of a sheet."""
    tiles = Tileset.validate({"name": name, "tiles": [{"name": skin.tile}]})
    count_sprite_rows(tiles.model_copy(update={"sheet": sheet, "skins": (skin,)}))


# -- several pictures ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _CopiedRows:
    """The rows of a sheet that are copied into a new one."""

    sheet: Sheet
    rows: Sequence[int]
    first: int
    """Row of the new sheet that gets the first of them."""
    columns: int
    """Number of columns of the new sheet."""

    def move(self, position: int) -> int:
        """Return the position of a sprite in the new sheet."""
        row, column = divmod(position, self.sheet.columns)
        return (self.first + self.rows.index(row)) * self.columns + column

    def move_skin(self, skin: Skin) -> Skin:
        """Return a skin with its positions in the new sheet."""
        data = skin.to_data()
        if "first" in data:
            data["first"] = self.move(data["first"])
        for mask, choices in data.get("sprites", {}).items():
            data["sprites"][mask] = [[self.move(position), weight] for position, weight in choices]
        return Skin.validate(data)


def _plan_copy(
    before: Sheet, added: Sheet, data: Mapping[str, Any], skins: Iterable[dict[str, Any]], skin: Skin
) -> tuple[_CopiedRows, _CopiedRows]:
    """Return the rows in use of two sheets with the same size of sprites, for a new sheet.

    Tiles in the data and skins have sprites in the first sheet, and a skin in the other one.
    """
    used = {tile["sprite"] // before.columns for tile in data.get("tiles", ()) if "sprite" in tile}
    rows = sorted(used.union(*(_list_rows(Skin.validate(one), before) for one in skins)))
    columns = max(before.columns, added.columns)
    return (
        _CopiedRows(before, rows, 0, columns),
        _CopiedRows(added, sorted(_list_rows(skin, added)), len(rows), columns),
    )


def _draw_copy(parts: tuple[_CopiedRows, _CopiedRows], target: Path) -> Sheet:
    """Return the new sheet with its picture, for a file beside the tileset."""
    before, added = parts
    height, width, columns = before.sheet.tile_height, before.sheet.tile_width, before.columns
    pixels = np.zeros(((added.first + len(added.rows)) * height, columns * width, 4), dtype=np.uint8)
    for part in parts:
        picture = sheet_picture(part.sheet)
        for position in (
            row * part.sheet.columns + column for row in part.rows for column in range(part.sheet.columns)
        ):
            row, column = divmod(part.move(position), columns)
            sprite = np.asarray(picture.crop(sprite_box(part.sheet, position)))
            pixels[row * height : (row + 1) * height, column * width : (column + 1) * width] = sprite
    fields = {"image": target.name, "tile_width": width, "tile_height": height, "columns": columns}
    return Sheet.validate(fields).with_picture(_encode_copy(pixels), str(target))


def _encode_copy(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file with a mark that it may be replaced."""
    info = PngInfo()
    info.add_text(*MARK)
    return encode_image(Image.fromarray(pixels), optimize=True, pnginfo=info)


def _is_copy(content: bytes) -> bool:
    """Return whether a picture has the mark of a sheet that was copied from several pictures."""
    try:
        with Image.open(io.BytesIO(content)) as picture:
            return picture.info.get(MARK[0]) == MARK[1]
    except Exception:  # Pillow's readers raise many kinds of errors.
        return False


def _list_rows(skin: Skin, sheet: Sheet) -> set[int]:
    """Return the rows of a sheet that a skin uses, with all rows of its layout."""
    rows = {position // sheet.columns for position in skin.list_positions(sheet.columns)}
    if skin.first is not None:
        rows |= {*range(skin.first // sheet.columns, max(rows) + 1)}
    return rows
