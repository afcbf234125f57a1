"""State of By example: the sample and the settings of the techniques that imitate it.

It is an immutable part of `State`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, ConfigDict, PlainSerializer

from ...analysis.sample_use import find_common_edges
from ...core.entries import ByExample
from ...core.errors import InvalidRecipe, TooLarge, pluralize
from ...core.fields import present_name
from ...core.glyph_tiles import name_tiles
from ...core.grid import MAX_INLINE_CELLS, Grid
from ...core.params import MAX_SIDE, param
from ...core.registry import techniques
from ...core.resolver import Resolver, declared_edges
from ...core.seeds import read_seed
from ...core.tilemap import TileMap, format_size
from ...core.tileset import Tile, Tileset
from ...core.tilesets import tilesets
from ..link_params import LinkParams

AXES = {"none": "no", "x": "left to right", "y": "top to bottom", "xy": "both axes"}
"""Axes along which maps and samples wrap, and their labels."""
EDGES = {
    (): "no",
    ("top", "bottom"): "top and bottom",
    ("left", "right"): "left and right",
    ("left", "right", "top", "bottom"): "all",
}
"""Edges of the maps that follow the sample's, and their labels."""
AXIS_OF = {"left": "x", "right": "x", "top": "y", "bottom": "y"}
MAX_TILES = 256
MAX_PAINTED_SIDE = 64
"""Maximum width and height of a sample when resized in the page; uploaded files may be larger."""
SMALL_SAMPLE_CELLS = 64
"""Samples of at most this many cells wrap around by default, because they contain few patterns otherwise."""
CHANGED_SUFFIX = ", changed"
"""Suffix of the name of an edited sample."""
MAX_NAME_LENGTH = 120
COST_SIDE = 32
"""Width and height of the maps used to compare the costs of techniques."""
PATTERN_SIZE = 3
"""Pattern size used to compare maps with the sample."""


def _read_sample(data: Any) -> Any:
    if not isinstance(data, Mapping):
        return data
    tileset = Tileset.of(data.get("tileset"))
    ids = Grid.of({key: value for key, value in data.items() if key != "tileset"}).to_tile_ids(tileset)
    if ids.min() < 0:
        raise InvalidRecipe("a sample has no free cells")
    return as_sample(TileMap(ids, tileset))


def _write_sample(sample: TileMap | None) -> Any:
    return sample and {**Grid.of(sample).to_data(), "tileset": tilesets.write(sample.tileset)}


def _read_knobs(data: Any) -> Any:
    """Return the known parameters. Their values are checked with the recipe."""
    if not isinstance(data, Mapping) or not all(isinstance(own, Mapping) for own in data.values()):
        raise InvalidRecipe("must be named values by technique", got=data)
    known: dict[str, dict[str, Any]] = {}
    for entry in techniques:
        given = {present_name(entry.params, name): value for name, value in data.get(entry.name, {}).items()}
        offered = () if entry.by_example is None else entry.by_example.knobs
        if own := {knob: given[knob] for knob in offered if knob in given}:
            known[entry.name] = own
    return known


def _read_edges(value: Any) -> Any:
    edges = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if len(edges) > len(AXIS_OF) or not all(isinstance(edge, str) and edge in AXIS_OF for edge in edges):
        raise InvalidRecipe(f"must be some of {', '.join(AXIS_OF)}", got=value)
    return tuple(edge for edge in AXIS_OF if edge in edges)


def _check_seed(value: Any) -> int | str:
    read_seed(value)
    return value if type(value) is int else str(value)


Axes: TypeAlias = Literal["none", "x", "y", "xy"]


class SampleState(LinkParams):
    """The sample and the settings of By example."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = param("dungeon", min_length=1, max_length=MAX_NAME_LENGTH)
    """Name of the built-in sample or of the user's own sample."""
    sample: Annotated[TileMap | None, BeforeValidator(_read_sample), PlainSerializer(_write_sample)] = None
    """The user's own sample; None for a built-in sample."""
    width: int = param(36, ge=1, le=MAX_SIDE)
    height: int = param(24, ge=1, le=MAX_SIDE)
    seed: Annotated[int | str, BeforeValidator(_check_seed)] = 7
    wrap: Axes = "none"
    """Axes along which the maps wrap."""
    wrap_sample: Axes = "none"
    """Axes along which the sample wraps."""
    knobs: Annotated[Mapping[str, Mapping[str, Any]], BeforeValidator(_read_knobs)] = {}
    """Params by technique. Params with their default are left out."""
    sample_edges: Annotated[tuple[str, ...], BeforeValidator(_read_edges)] = ()
    """Edges of the maps that follow the sample's, unless maps or sample wrap there."""

    @classmethod
    def from_data(cls, data: Any) -> Self:
        found = super().from_data(data)
        _ = found.sample_map  # An unknown name raises InvalidRecipe.
        return found

    # -- sample -------------------------------------------------------------------------------------------------

    @property
    def sample_map(self) -> TileMap:
        """The sample as a map."""
        return load_built_in(self.name) if self.sample is None else self.sample

    def with_built_in(self, name: str) -> SampleState:
        """Return the state with a built-in sample."""
        wrap_sample = _default_wrap(load_built_in(name))
        return self.replace(name=name, sample=None, wrap_sample=wrap_sample, sample_edges=declared_edges(name))

    def with_sample(self, sample: TileMap, name: str) -> SampleState:
        """Return the state with the user's own sample."""
        edges = tuple(find_common_edges([sample.cells]))
        return self.replace(name=name, sample=sample, wrap_sample=_default_wrap(sample), sample_edges=edges)

    def with_edited_sample(self, sample: TileMap) -> SampleState:
        """Return the state with an edited version of the current sample."""
        if sample == self.sample_map:
            return self
        return self.replace(name=f"{self.name.removesuffix(CHANGED_SUFFIX)}{CHANGED_SUFFIX}", sample=sample)

    def with_knob(self, technique: str, knob: str, value: Any) -> SampleState:
        """Return the state with a changed parameter of a technique. None restores the default."""
        own = {name: other for name, other in self.knobs.get(technique, {}).items() if name != knob}
        if value is not None:
            own[knob] = value
        others = self.with_default_knobs(technique).knobs
        return self.replace(knobs={**others, technique: own} if own else others)

    def with_default_knobs(self, technique: str) -> SampleState:
        """Return the state with all parameters of a technique at their defaults."""
        return self.replace(knobs={name: own for name, own in self.knobs.items() if name != technique})

    # -- recipes ------------------------------------------------------------------------------------------------

    def build_recipe(self, technique: str) -> dict[str, Any]:
        """Return the recipe of a technique's map, as plain data."""
        shown = find_by_example(technique)
        params: dict[str, Any] = {shown.sample: self.name if self.sample is None else Grid.of(self.sample).to_data()}
        params |= {"width": self.width, "height": self.height}
        params |= {name: axes for name, axes in self._axes.items() if name in shown.shared and axes != "none"}
        edges = [edge for edge in self.sample_edges if AXIS_OF[edge] not in self.wrap + self.wrap_sample]
        if edges and "sample_edges" in shown.shared:
            params["sample_edges"] = edges
        params |= {**shown.defaults, **self.knobs.get(technique, {})}
        recipe = {"technique": technique, "params": params, "seed": self.seed}
        return recipe if self.sample is None else {**recipe, "tileset": tilesets.write(self.sample.tileset)}

    def build_similarity(self, technique: str) -> dict[str, Any]:
        """Return the settings to compare a technique's map with the sample.

        The pattern size is the same for all techniques and does not depend on the pattern size that a technique uses.
        """
        wrap = self.wrap if "wrap" in find_by_example(technique).shared else "none"
        size = min(PATTERN_SIZE, self.width, self.height, *self.sample_map.shape)
        return {"like": self.sample_map, "pattern_size": size, "wrap_sample": self.wrap_sample, "wrap": wrap}

    @property
    def _axes(self) -> dict[str, str]:
        return {"wrap": self.wrap, "wrap_sample": self.wrap_sample}


def list_techniques() -> list[str]:
    """Return the names of the techniques in By example, the slowest first."""
    entries = [entry for entry in techniques if entry.by_example is not None]
    entries.sort(key=lambda entry: -entry.cost_of(entry.params.validate({"width": COST_SIDE, "height": COST_SIDE})))
    return [entry.name for entry in entries]


def find_by_example(technique: str) -> ByExample:
    """Return a technique's settings for By example."""
    shown = techniques.get(technique).by_example
    if shown is None:
        raise InvalidRecipe(f"{technique} does not learn from an example", at="technique")
    return shown


@lru_cache(maxsize=64)
def load_built_in(name: str) -> TileMap:
    """Return a built-in sample as a map."""
    grid = Resolver().read_grid(name)
    assert grid.tileset is not None
    return TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)


def _default_wrap(sample: TileMap) -> str:
    return "xy" if sample.cells.size <= SMALL_SAMPLE_CELLS else "none"


# -- editing ------------------------------------------------------------------------------------------------------


def as_sample(map: TileMap) -> TileMap:
    """Return a map with only its cells and tiles.

    Raise TooLarge if it has too many cells for a link, or too many tiles.
    """
    if map.cells.size > MAX_INLINE_CELLS:
        size = format_size(map.shape)
        raise TooLarge(
            f"a sample must have at most {MAX_INLINE_CELLS:,} cells, got {map.cells.size:,} ({size}); crop it"
        )
    if len(map.tileset) <= MAX_TILES:
        return TileMap(map.cells, map.tileset)
    used, cells = np.unique(map.cells, return_inverse=True)
    if len(used) > MAX_TILES:
        raise TooLarge(
            f"a sample must have at most {MAX_TILES} tiles, got {len(used):,}; in a picture every color is a tile, use "
            "fewer colors"
        )
    looks = [map.tileset[number].model_dump(exclude={"sprite"}) for number in used.tolist()]
    return TileMap(cells.reshape(map.shape), Tileset.validate({"name": map.tileset.name, "tiles": looks}))


def name_sample(map: TileMap) -> TileMap:
    """Return an uploaded map in which tiles that are named by their glyph have the usual name of that glyph."""
    return map.replace(tileset=name_tiles(map.tileset))


def paint_sample(sample: TileMap, cells: Mapping[int, int]) -> TileMap:
    """Return the sample with cells (flat indices) set to tiles (ids)."""
    known = {
        place: tile
        for place, tile in cells.items()
        if 0 <= place < sample.cells.size and 0 <= tile < len(sample.tileset)
    }
    own = sample.cells.copy()
    own.flat[list(known)] = list(known.values())
    return TileMap(own, sample.tileset)


def resize_sample(sample: TileMap, width: int, height: int) -> TileMap:
    """Return the sample cropped at the right and bottom, or padded there with its most common tile."""
    *levels, rows, columns = sample.shape
    own = np.full((*levels, height, width), find_most_common(sample), dtype=sample.cells.dtype)
    rows, columns = min(rows, height), min(columns, width)
    own[..., :rows, :columns] = sample.cells[..., :rows, :columns]
    return TileMap(own, sample.tileset)


def clear_sample(sample: TileMap) -> TileMap:
    """Return the sample filled with its most common tile."""
    return TileMap(np.full_like(sample.cells, find_most_common(sample)), sample.tileset)


def flip_sample(sample: TileMap, axis: str) -> TileMap:
    """Return the sample mirrored left to right (x) or top to bottom (y).

    Directional tiles are replaced by mirrored ones.
    """
    mirrored = sample.cells[..., ::-1] if axis == "x" else sample.cells[..., ::-1, :]
    return TileMap(sample.tileset.reorient_tiles(axis)[mirrored], sample.tileset)


def with_tile(sample: TileMap, name: str, glyph: str, color: str, *, passable: bool) -> TileMap:
    """Return the sample with a tile added to its tileset.

    If the glyph or color is empty, it is chosen automatically.
    """
    tileset = sample.tileset
    if not name:
        raise InvalidRecipe("must not be empty", at="name")
    if name in tileset.by_name:
        raise InvalidRecipe(f"there is already a tile {name!r}; choose another name", at="name")
    if glyph in tileset.by_glyph:
        owner = tileset[tileset.by_glyph[glyph]].name
        raise InvalidRecipe(f"{glyph!r} is already the glyph of {owner!r}; choose another", at="glyph")
    if len(tileset) >= MAX_TILES:
        raise TooLarge(f"a sample has at most {pluralize(MAX_TILES, 'tile')}")
    # The tile is checked alone first, because an error in a list would name the tile by its index.
    Tile.validate({"name": name, "glyph": glyph or ".", "color": color or "#000000"})
    return TileMap(
        sample.cells, tileset.with_tiles([{"name": name, "glyph": glyph, "color": color, "passable": passable}])
    )


def edit_tile(sample: TileMap, number: int, **changes: Any) -> TileMap:
    """Return the sample with another name, color or passability of a tile."""
    tileset = sample.tileset
    name = changes.get("name", tileset[number].name)
    if not name:
        raise InvalidRecipe("must not be empty", at="name")
    if tileset.by_name.get(name, number) != number:
        raise InvalidRecipe(f"there is already a tile {name!r}; choose another name", at="name")
    # The tile is checked alone first, because an error in a list would name the tile by its index.
    edited = Tile.validate({**tileset[number].model_dump(), **changes})
    if name != tileset[number].name:
        tileset = _rename_tile(tileset, tileset[number].name, name)
    tiles = (*tileset.tiles[:number], edited, *tileset.tiles[number + 1 :])
    return TileMap(sample.cells, tileset.model_copy(update={"tiles": tiles}))


def _rename_tile(tileset: Tileset, old: str, new: str) -> Tileset:
    """Return a tileset whose rules and skins name a tile differently."""

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: rename(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [rename(one) for one in value]
        return new if value == old else value

    data = tileset.to_data()
    tiles = [{**tile, "name": rename(tile["name"]), "over": rename(tile.get("over", ""))} for tile in data["tiles"]]
    rules = {key: rename(value) for key, value in data.items() if key in ("beside", "skins")}
    changed = Tileset.validate({**data, **rules, "tiles": tiles})
    return changed.model_copy(update={"sheet": tileset.sheet})


def find_most_common(sample: TileMap) -> int:
    """Return the id of the most common tile."""
    counts: NDArray[np.int64] = np.bincount(sample.cells.ravel(), minlength=len(sample.tileset))
    return int(counts.argmax())
