"""Own tiles of a state: reading them from its recipe, guessing them for a new picture, and removing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...core.embedded_pictures import DIGEST_PREFIX
from ...core.errors import TilewrightError
from ...core.recipe import Recipe
from ...core.registry import techniques
from ...core.tilemap import TileMap
from ...core.tileset import Sheet, Tile, Tileset
from ...core.tilesets import tilesets
from ...formats._sheet import count_sprites, guess_layouts, guess_side, picture_size
from ..resolver import StudioResolver
from ..state import State
from .tileset import NAME, OwnTile, OwnTiles, build_tileset, clean_name

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
    labels = entry.labels_of(params) or entry.own_tileset(params).names
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
        tiles = [
            OwnTile(tile.name, first=place) for place, tile in enumerate(known[: min(MAX_GUESSES, columns * rows)])
        ]
        return replace(own, tiles=tuple(tiles))
    shown = next((tile for tile in known if not tile.passable), known[0])
    return replace(own, tiles=(OwnTile(shown.name, layout=layout),))


def _list_used_tiles(map: TileMap | None) -> list[Tile]:
    """Return the tiles of a map, the most common first; none without a map."""
    if map is None:
        return []
    counts = np.bincount(map.cells.ravel(), minlength=len(map.tileset))
    return [map.tileset[number] for number in np.argsort(-counts, kind="stable").tolist() if counts[number]]
