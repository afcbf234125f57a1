"""The user's own tiles: a picture of sprites, and what each sprite stands for. They become a tileset of the state.

`formats._skin_files` adds the sprites to the tileset, as for `tilewright skin`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from ...core.embedded_pictures import DIGEST_PREFIX
from ...core.errors import BadFile, InvalidRecipe, TilewrightError, check_limit, errors_within
from ...core.recipe import Recipe
from ...core.registry import techniques
from ...core.tilemap import TileMap, convert_cells
from ...core.tileset import Sheet, Tile, Tileset
from ...core.tilesets import tilesets
from ...formats._sheet import count_sprites, guess_layouts, guess_side, picture_size
from ...formats._skin_files import TileSkinParams, add_sprites
from ...formats._toml import format_toml
from ..own_files import StudioResolver, picture_store
from ..state import State

MAX_OWN_TILES = 64
"""Maximum number of sprites or layouts that the page shows."""
MAX_NAME_LENGTH = 40
NAME = "mytiles"
"""Name of a new tileset."""


@dataclass(frozen=True)
class OwnTile:
    """A sprite, or a layout of sprites, and the tile that it shows."""

    stands_for: str = ""
    """Tile of the tileset that it replaces; empty for a further tile."""
    name: str = ""
    """Name of the tile, if it differs."""
    layout: str = "single"
    first: int = 0
    """Position of the first sprite in the picture."""
    passable: bool | None = None
    """Whether the tile is passable; None for that of the tile it stands for."""
    kept: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the skin that the page does not show."""

    @property
    def tile(self) -> str:
        """Name of the tile that the sprites show."""
        return self.name or self.stands_for


@dataclass(frozen=True)
class OwnTiles:
    """A picture with the geometry of its sprites, and the tiles that they show."""

    image: str
    """File name of the picture."""
    picture: str
    """Digest of the picture in the store."""
    name: str = NAME
    """Name of the tileset and its file."""
    tile_size: tuple[int, int] = (16, 16)
    """Width and height of a sprite in pixels."""
    margin: int = 0
    spacing: int = 0
    tiles: tuple[OwnTile, ...] = ()

    @property
    def sheet(self) -> Sheet:
        """The sheet with its picture. Raise BadFile if the picture is missing or has no sprite of this size."""
        picture = picture_store.get(self.picture)
        if not picture:
            raise BadFile("is missing; choose the picture again", at=self.image)
        width, height = self.tile_size
        fields = {"tile_width": width, "tile_height": height, "margin": self.margin, "spacing": self.spacing}
        sheet = Sheet.validate({"image": self.image, **fields}).with_picture(picture, "")
        columns, rows = count_sprites(sheet)
        if min(columns, rows) < 1:
            raise BadFile(f"has no sprite of {width}x{height} pixels", at=self.image)
        return sheet.model_copy(update={"columns": columns})

    def with_tile(self, place: int, **changes: Any) -> OwnTiles:
        """Return the tiles with one of them changed."""
        changed = replace(self.tiles[place], **changes)
        return replace(self, tiles=(*self.tiles[:place], changed, *self.tiles[place + 1 :]))


@dataclass(frozen=True)
class BuiltTileset:
    """A tileset of own tiles."""

    tileset: Tileset
    files: Mapping[str, bytes]
    """The tileset file and its picture."""
    data: Mapping[str, Any]
    """The tileset as a recipe of the studio stores it, with the digest of the picture."""
    renamed: Mapping[str, str]
    """New names of tiles by the tile that they stand for."""

    def show(self, map: TileMap) -> TileMap:
        """Return a map with these tiles."""
        named = map.tileset.with_tiles(self.tileset[self.tileset.by_name[name]] for name in self.renamed.values())
        cells = map.cells.astype(named.dtype)
        for old, new in self.renamed.items():
            cells[map.cells == map.tileset.id(old)] = named.id(new)
        longer = self.tileset.with_tiles(map.tileset)
        return TileMap(convert_cells(TileMap(cells, named), longer), longer, markers=map.markers, rooms=map.rooms)

    def apply(self, state: State, labels: Mapping[str, str]) -> State:
        """Return a state that uses the tileset. Painted cells stay. `labels` are tiles by label of the technique."""
        unknown = [old for old in self.renamed if old not in labels.values()]
        if unknown:
            text = f"the technique does not place {unknown[0]!r}, so it keeps its name; leave the name empty"
            raise InvalidRecipe(text, at="name")
        tiles = {label: self.renamed.get(tile, tile) for label, tile in labels.items()}
        tiles = {label: tile for label, tile in tiles.items() if label != tile}
        return replace(state.with_recipe(tileset=dict(self.data), tiles=tiles or None), painted=state.painted)


def build_tileset(own: OwnTiles, base: Tileset, map_tiles: Tileset | None = None) -> BuiltTileset:
    """Return the tileset of own tiles.

    Parameters
    ----------
    own : OwnTiles
        The picture and the tiles.
    base : Tileset
        Tileset that is extended.
    map_tiles : Tileset, optional
        Tiles of the current map, some of which shapers have added.

    Returns
    -------
    BuiltTileset

    Raises
    ------
    InvalidRecipe
        If a tile has no name, or the sprites do not fit into the picture.
    """
    if not own.tiles:
        raise InvalidRecipe("there are no tiles yet; click a sprite in the picture")
    check_limit("own tiles", len(own.tiles), MAX_OWN_TILES)
    picture, sheet = own.sheet, None
    data = _write_base(own, base, _list_tiles(own, base, map_tiles))
    for tile, params in _list_skins(own):
        with errors_within(place=tile, kind=TilewrightError):
            added = add_sprites(data, sheet, picture, TileSkinParams.validate(params))
        data, sheet = added.data, added.sheet
    text = format_toml(data)
    plain = tomllib.loads(text)
    plain["sheet"]["data"] = own.picture
    renamed = {tile.stands_for: tile.tile for tile in own.tiles if tile.stands_for and tile.tile != tile.stands_for}
    tileset = Tileset.of(plain, StudioResolver())
    files = {f"{clean_name(own.name, NAME)}.toml": text.encode(), own.image: picture.picture}
    return BuiltTileset(tileset, files, plain, renamed)


def clean_name(text: str, default: str) -> str:
    """Return a file name without folders, extension and unusual characters."""
    name = PurePosixPath(PureWindowsPath(text).name).name
    stem = name.rpartition(".")[0] if "." in name else name
    return re.sub(r"[^\w-]", "_", stem)[-MAX_NAME_LENGTH:].strip("_") or default


def _write_base(own: OwnTiles, base: Tileset, tiles: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the data of the base tileset with changed and further tiles."""
    written = tilesets.write(base)
    if isinstance(written, str):
        return {"name": own.name, "extends": written, **({"tiles": list(tiles.values())} if tiles else {})}
    known = [{**tile, **tiles.get(tile["name"], {})} for tile in written["tiles"]]
    further = [tile for name, tile in tiles.items() if name not in base.by_name]
    return {**written, "name": own.name, "tiles": [*known, *further]}


def _list_tiles(own: OwnTiles, base: Tileset, map_tiles: Tileset | None) -> dict[str, dict[str, Any]]:
    """Return the data of own tiles by name: for tiles of the base tileset what differs, for others all fields."""
    found: dict[str, dict[str, Any]] = {}
    known = {tile.name: tile for tile in (*(map_tiles or ()), *base)}
    for one in own.tiles:
        if not one.tile:
            raise InvalidRecipe("must be given, or the tile that it stands for", at="name")
        if one.tile in found:
            continue
        model = known.get(one.tile) or known.get(one.stands_for)
        fields: dict[str, Any] = {}
        if one.tile not in base.by_name and model is not None:
            left_out = {"name", "sprite", "code", *(() if model.name == one.tile else ("glyph", "color"))}
            fields = model.model_dump(exclude=left_out, exclude_defaults=True)
            fields |= {"costs": dict(model.costs)} if model.costs else {}
        if one.passable is not None or one.tile not in base.by_name:
            fields["passable"] = one.passable if one.passable is not None else model is None or model.passable
        found[one.tile] = {"name": one.tile, **fields}
    return {name: fields for name, fields in found.items() if len(fields) > 1}


def _list_skins(own: OwnTiles) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the sprites of each tile. Several sprites of one tile are variants."""
    by_tile: dict[str, list[OwnTile]] = {}
    for tile in own.tiles:
        by_tile.setdefault(tile.tile, []).append(tile)
    for name, group in by_tile.items():
        if len({tile.layout for tile in group}) > 1:
            raise InvalidRecipe(f"{name}: all its sprites must have the same layout", at="layout")
        sheet = {"tile_size": own.tile_size, "margin": own.margin, "spacing": own.spacing}
        first = tuple((tile.first, 1.0) for tile in group)
        yield name, {"tile": name, "layout": group[0].layout, "first": first, **sheet, **group[0].kept}


MAX_GUESSES = 4
"""Maximum number of tiles that a new picture of single sprites is given."""


def find_own_data(recipe: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the data of a recipe's own tiles, or None if it has none."""
    tileset = recipe.get("tileset")
    sheet = tileset.get("sheet") if isinstance(tileset, Mapping) else None
    is_own = isinstance(sheet, Mapping) and str(sheet.get("data", "")).startswith(DIGEST_PREFIX)
    return tileset if is_own and isinstance(tileset, Mapping) else None


def find_base(state: State) -> Tileset:
    """Return the tileset that own tiles extend: that of the recipe, without its own tiles."""
    data = find_own_data(state.recipe)
    if data is None:
        return Recipe.of({**state.effective, "locks": None, "tiles": None}, StudioResolver()).tileset
    if "extends" in data:
        return tilesets.get(str(data["extends"]))
    entry = techniques.get(state.technique)
    default = entry.own_tileset(entry.params.validate(state.params, resolver=StudioResolver()))
    if {*default.names} <= {str(tile.get("name")) for tile in data.get("tiles", ())}:
        return default  # The tiles of a sample, without further tiles and other passability.
    skins = [skin for skin in data.get("skins", ()) if not {"first", "sprites"} & {*skin}]
    return Tileset.of({**{key: value for key, value in data.items() if key != "sheet"}, "skins": skins})


def remove_own_tiles(state: State) -> State:
    """Return a state with the tileset that its own tiles extend."""
    base, entry = find_base(state), techniques.get(state.technique)
    own = entry.own_tileset(entry.params.validate(state.params, resolver=StudioResolver()))
    tileset = None if base == own else tilesets.write(base)
    tiles = {label: tile for label, tile in (state.recipe.get("tiles") or {}).items() if tile in base.by_name}
    return replace(state.with_recipe(tileset=tileset, tiles=tiles or None), painted=state.painted)


def find_labels(state: State) -> dict[str, str]:
    """Return the tile of each label of the technique, without the names of own tiles."""
    entry = techniques.get(state.technique)
    params = entry.params.validate(state.params, resolver=StudioResolver())
    labels = entry.labels_of(params)
    base, given = find_base(state), dict(state.recipe.get("tiles") or {})
    return {label: tile if (tile := given.get(label, label)) in base.by_name else label for label in labels}


def read_own_tiles(state: State) -> OwnTiles | None:
    """Return the own tiles of a state, to edit them; None if it has none."""
    data = find_own_data(state.recipe)
    if data is None:
        return None
    base, sheet = find_base(state), Sheet.validate(data["sheet"])
    names = {tile: label for label, tile in (state.recipe.get("tiles") or {}).items()}
    passable = {str(tile.get("name")): tile.get("passable") for tile in data.get("tiles", ())}
    found = []
    for skin in data.get("skins", ()):
        tile = str(skin.get("tile", ""))
        is_new = tile not in base.by_name
        shared: dict[str, Any] = {
            "stands_for": names.get(tile, "") if is_new else tile,
            "name": tile if is_new else "",
            "layout": skin.get("layout", "single"),
            "passable": passable.get(tile),
            "kept": {key.replace("with", "with_"): tuple(skin[key]) for key in ("with", "under") if key in skin},
        }
        if "first" in skin:
            found.append(OwnTile(**shared, first=int(skin["first"])))
        elif "sprites" in skin and shared["layout"] == "single":
            choices = next(iter(skin["sprites"].values()))
            found += [OwnTile(**shared, first=one if isinstance(one, int) else int(one[0])) for one in choices]
    return OwnTiles(
        f"{clean_name(sheet.image, 'picture')}.png",
        sheet.data,
        clean_name(str(data.get("name", NAME)), NAME),
        (sheet.tile_width, sheet.tile_height),
        sheet.margin,
        sheet.spacing,
        tuple(found),
    )


def carry_own_tiles(before: State, state: State) -> State:
    """Return a state of another technique with the own tiles of the state before it.

    Own tiles that stand for a tile of the new tileset do so again; tiles that stand for none are added.
    """
    try:
        own, base = read_own_tiles(before), find_base(state)
        if own is None:
            return state
        labels = find_labels(state)
        tiles = [
            tile if tile.stands_for in labels.values() or tile.tile in base.by_name else replace(tile, stands_for="")
            for tile in own.tiles
        ]
        own = replace(own, tiles=tuple(replace(tile, kept={}) for tile in tiles if tile.tile))
        return build_tileset(own, base).apply(state, labels) if own.tiles else state
    except TilewrightError:  # The picture is missing, or the layouts do not fit together.
        return state


def guess_tiles(image: str, picture: str, map: TileMap | None, base: Tileset) -> OwnTiles:
    """Return own tiles for a new picture, from its size and the tiles of the current map.

    A sheet of the size of a layout shows the most common impassable tile of the map. The first sprites of other
    pictures show the most common tiles.
    """
    width, height = picture_size(OwnTiles(image, picture, tile_size=(1, 1)).sheet) or (1, 1)
    layout = guess_layouts(width, height)[0]
    own = OwnTiles(image, picture, tile_size=(side := guess_side(width, height, layout), side))
    known = [tile for tile in _list_used_tiles(map) if tile.name in base.by_name] or list(base)
    if layout == "single":
        columns, rows = count_sprites(own.sheet)
        guessed = known[: min(MAX_GUESSES, columns * rows)]
        return replace(own, tiles=tuple(OwnTile(tile.name, first=place) for place, tile in enumerate(guessed)))
    shown = next((tile for tile in known if not tile.passable), known[0])
    return replace(own, tiles=(OwnTile(shown.name, layout=layout),))


def _list_used_tiles(map: TileMap | None) -> list[Tile]:
    """Return the tiles of a map, the most common first; none without a map."""
    if map is None:
        return []
    counts = np.bincount(map.cells.ravel(), minlength=len(map.tileset))
    return [map.tileset[number] for number in np.argsort(-counts, kind="stable").tolist() if counts[number]]
