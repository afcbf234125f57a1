"""A sample, and what is asked of the techniques that make maps in its style. A value, as the state that holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, TooLarge, pluralize
from ..core.grid import MAX_INLINE_CELLS, Grid
from ..core.params import MAX_SIDE
from ..core.registry import ByExample, techniques, tilesets
from ..core.resolver import Resolver
from ..core.seeds import read_seed
from ..core.tilemap import TileMap, format_size
from ..core.tileset import Tile, Tileset

AXES = {"none": "no", "x": "left to right", "y": "top to bottom", "xy": "both ways"}
"""Axes along which maps and samples wrap, and their labels."""
MAX_TILES = 256
MAX_PAINTED_SIDE = 64
"""A sample is not made larger than this by hand; files may be."""
SMALL_SAMPLE_CELLS = 64
"""Samples of at most so many cells are taken to go on across their edges: else they would show too little."""
CHANGED_SUFFIX = ", changed"
"""Stands behind the name of a sample that somebody painted on."""
MAX_NAME_LENGTH = 120
COST_SIDE = 32
"""Of the maps by which the costs of techniques are compared."""
PATTERN_SIZE = 3
"""Side of the windows by which maps are compared with the sample."""


@dataclass(frozen=True)
class SampleState:
    """The sample and the settings of By example."""

    name: str = "dungeon"
    """Of the built-in sample; or what the person's own one is called."""
    sample: TileMap | None = None
    """What was drawn or dropped in; None for the built-in one."""
    width: int = 36
    height: int = 24
    seed: int | str = 7
    wrap: str = "none"
    """Axes along which the maps wrap."""
    wrap_sample: str = "none"
    """Axes along which the sample wraps."""
    knobs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Params by technique; what is left to its default is not there."""

    # -- the sample ---------------------------------------------------------------------------------------------

    @property
    def sample_map(self) -> TileMap:
        """The sample as a map."""
        return load_built_in(self.name) if self.sample is None else self.sample

    def with_built_in(self, name: str) -> SampleState:
        """With a built-in sample."""
        return replace(self, name=name, sample=None, wrap_sample=_default_wrap(load_built_in(name)))

    def with_sample(self, sample: TileMap, name: str) -> SampleState:
        """With a sample that somebody brought along."""
        return replace(self, name=name, sample=sample, wrap_sample=_default_wrap(sample))

    def with_edited_sample(self, sample: TileMap) -> SampleState:
        """With the sample changed."""
        if sample == self.sample_map:
            return self
        return replace(self, name=f"{self.name.removesuffix(CHANGED_SUFFIX)}{CHANGED_SUFFIX}", sample=sample)

    def with_knob(self, technique: str, knob: str, value: Any) -> SampleState:
        """With another setting of a knob; None is its default."""
        own = {name: set_ for name, set_ in self.knobs.get(technique, {}).items() if name != knob}
        if value is not None:
            own[knob] = value
        others = self.with_default_knobs(technique).knobs
        return replace(self, knobs={**others, technique: own} if own else others)

    def with_default_knobs(self, technique: str) -> SampleState:
        """With all knobs of a technique as they usually are."""
        return replace(self, knobs={name: own for name, own in self.knobs.items() if name != technique})

    # -- what is asked ------------------------------------------------------------------------------------------

    def build_recipe(self, technique: str) -> dict[str, Any]:
        """What makes this technique's map, as plain data."""
        shown = find_by_example(technique)
        params: dict[str, Any] = {shown.sample: self.name if self.sample is None else Grid.of(self.sample).to_data()}
        params |= {"width": self.width, "height": self.height}
        params |= {name: axes for name, axes in self._axes.items() if name in shown.shared and axes != "none"}
        params |= self.knobs.get(technique, {})
        recipe = {"technique": technique, "params": params, "seed": self.seed}
        return recipe if self.sample is None else {**recipe, "tileset": tilesets.write(self.sample.tileset)}

    def build_similarity(self, technique: str) -> dict[str, Any]:
        """How this technique's map is compared with the sample: with windows of one size, whatever it used itself."""
        wrap = self.wrap if "wrap" in find_by_example(technique).shared else "none"
        size = min(PATTERN_SIZE, self.width, self.height, *self.sample_map.shape)
        return {"like": self.sample_map, "pattern_size": size, "wrap_sample": self.wrap_sample, "wrap": wrap}

    @property
    def _axes(self) -> dict[str, str]:
        return {"wrap": self.wrap, "wrap_sample": self.wrap_sample}

    # -- links --------------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Plain data that makes it again; what is as usual is left out."""
        usual = SampleState()
        plain = ("name", "width", "height", "seed", "wrap", "wrap_sample", "knobs")
        data = {name: getattr(self, name) for name in plain if getattr(self, name) != getattr(usual, name)}
        if self.sample is not None:
            data["sample"] = {**Grid.of(self.sample).to_data(), "tileset": tilesets.write(self.sample.tileset)}
        return data

    @classmethod
    def from_data(cls, data: Any) -> SampleState:
        """An example in plain data that anybody may have sent."""
        if not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", at="example", got=data, rule="type")
        usual = cls()
        given = data.get("sample")
        name = _read_name(data.get("name", usual.name))
        sample = None if given is None else _read_sample(given)
        if sample is None:
            load_built_in(name)
        return cls(
            name,
            sample,
            _read_side(data.get("width", usual.width), "width"),
            _read_side(data.get("height", usual.height), "height"),
            _read_seed(data.get("seed", usual.seed)),
            _read_axes(data.get("wrap", "none"), "wrap"),
            _read_axes(data.get("wrap_sample", "none"), "wrap_sample"),
            _read_knobs(data.get("knobs", {})),
        )


def list_techniques() -> list[str]:
    """Return the names of the techniques that By example shows, the costliest first."""
    entries = [entry for entry in techniques if entry.by_example is not None]
    entries.sort(key=lambda entry: -entry.cost_of(entry.params.validate({"width": COST_SIDE, "height": COST_SIDE})))
    return [entry.name for entry in entries]


def find_by_example(technique: str) -> ByExample:
    """Return what By example shows of a technique."""
    shown = techniques.get(technique).by_example
    if shown is None:
        raise InvalidRecipe(f"{technique} does not make maps by example", at="technique")
    return shown


@lru_cache(maxsize=64)
def load_built_in(name: str) -> TileMap:
    """A built-in sample as a map."""
    grid = Resolver().read_grid(name)
    assert grid.tileset is not None
    return TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)


def _default_wrap(sample: TileMap) -> str:
    return "xy" if sample.cells.size <= SMALL_SAMPLE_CELLS else "none"


# -- samples of one's own -----------------------------------------------------------------------------------------


def as_sample(map: TileMap) -> TileMap:
    """A map as a sample: its cells and tiles alone. Refused if links could not hold it, or nobody its palette."""
    if map.cells.size > MAX_INLINE_CELLS:
        size = format_size(map.shape)
        raise TooLarge(
            f"a sample of {size} has {map.cells.size:,} cells, at most {MAX_INLINE_CELLS:,} are taken; crop it"
        )
    if len(map.tileset) <= MAX_TILES:
        return TileMap(map.cells, map.tileset)
    used, cells = np.unique(map.cells, return_inverse=True)
    if len(used) > MAX_TILES:
        raise TooLarge(
            f"a sample with {len(used):,} tiles is more than the {MAX_TILES} that are taken; in a picture every pixel "
            "is a tile, so use few colours"
        )
    looks = [map.tileset[number].model_dump(exclude={"sprite"}) for number in used.tolist()]
    return TileMap(cells.reshape(map.shape), Tileset.validate({"name": map.tileset.name, "tiles": looks}))


def paint_sample(sample: TileMap, cells: Mapping[int, int]) -> TileMap:
    """With tiles (by id) on cells (by flat place)."""
    known = {
        place: tile
        for place, tile in cells.items()
        if 0 <= place < sample.cells.size and 0 <= tile < len(sample.tileset)
    }
    own = sample.cells.copy()
    own.flat[list(known)] = list(known.values())
    return TileMap(own, sample.tileset)


def resize_sample(sample: TileMap, width: int, height: int) -> TileMap:
    """Cut at the right and below, or filled up there with the commonest tile."""
    *levels, rows, columns = sample.shape
    own = np.full((*levels, height, width), find_most_common(sample), dtype=sample.cells.dtype)
    rows, columns = min(rows, height), min(columns, width)
    own[..., :rows, :columns] = sample.cells[..., :rows, :columns]
    return TileMap(own, sample.tileset)


def clear_sample(sample: TileMap) -> TileMap:
    """Nothing but the commonest tile."""
    return TileMap(np.full_like(sample.cells, find_most_common(sample)), sample.tileset)


def flip_sample(sample: TileMap, axis: str) -> TileMap:
    """Mirrored left to right (x) or upside down (y), pieces of rivers and the like as well."""
    mirrored = sample.cells[..., ::-1] if axis == "x" else sample.cells[..., ::-1, :]
    return TileMap(sample.tileset.reorient_tiles(axis)[mirrored], sample.tileset)


def with_tile(sample: TileMap, name: str, glyph: str, color: str, *, passable: bool) -> TileMap:
    """With one more tile to paint with; an empty glyph or colour is picked."""
    tileset = sample.tileset
    if not name:
        raise InvalidRecipe("what is the tile called?", at="name")
    if name in tileset.by_name:
        raise InvalidRecipe(f"there is a tile called {name!r}; call this one otherwise", at="name")
    if glyph in tileset.by_glyph:
        raise InvalidRecipe(f"{glyph!r} is {tileset[tileset.by_glyph[glyph]].name!r} already; take another", at="glyph")
    if len(tileset) >= MAX_TILES:
        raise TooLarge(f"a sample has at most {pluralize(MAX_TILES, 'tile')}")
    # Checked alone first: among others, an error would name it by a number.
    Tile.validate({"name": name, "glyph": glyph or ".", "color": color or "#000000"})
    return TileMap(
        sample.cells, tileset.with_tiles([{"name": name, "glyph": glyph, "color": color, "passable": passable}])
    )


def find_most_common(sample: TileMap) -> int:
    """The tile of most cells."""
    counts: NDArray[np.int64] = np.bincount(sample.cells.ravel(), minlength=len(sample.tileset))
    return int(counts.argmax())


# -- reading ------------------------------------------------------------------------------------------------------


def _read_sample(data: Any) -> TileMap:
    if not isinstance(data, Mapping):
        raise InvalidRecipe("must be a map", at="sample", got=data, rule="type")
    try:
        tileset = Tileset.of(data.get("tileset"))
        grid = Grid.of({key: value for key, value in data.items() if key != "tileset"})
        ids = grid.to_tile_ids(tileset)
    except InvalidRecipe as error:
        raise error.within("sample") from None
    if ids.min() < 0:
        raise InvalidRecipe("a sample has no free cells (?)", at="sample")
    return as_sample(TileMap(ids, tileset))


def _read_knobs(data: Any) -> dict[str, dict[str, Any]]:
    """Knobs that there are; whether their values are any good is checked with the recipe."""
    if not isinstance(data, Mapping) or not all(isinstance(own, Mapping) for own in data.values()):
        raise InvalidRecipe("must be named values by technique", at="knobs", got=data)
    known = {
        technique: {knob: data[technique][knob] for knob in find_by_example(technique).knobs if knob in data[technique]}
        for technique in list_techniques()
        if technique in data
    }
    return {technique: own for technique, own in known.items() if own}


def _read_side(value: Any, name: str) -> int:
    if type(value) is not int or not 1 <= value <= MAX_SIDE:
        raise InvalidRecipe(f"a whole number from 1 to {MAX_SIDE}", at=name, got=value, rule="range")
    return value


def _read_axes(value: Any, name: str) -> str:
    if not isinstance(value, str) or value not in AXES:
        raise InvalidRecipe(f"one of {', '.join(AXES)}", at=name, got=value)
    return str(value)


def _read_name(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME_LENGTH:
        raise InvalidRecipe(f"a text of at most {MAX_NAME_LENGTH} characters", at="name", got=value, rule="maximum")
    return value


def _read_seed(value: Any) -> int | str:
    read_seed(value)
    return value if type(value) is int else str(value)
