"""A sample, and what is asked of the techniques that make maps in its style. A value, as the state that holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, TooLarge, counted
from ..core.grid import INLINE_CELLS, Grid
from ..core.params import LARGEST_SIDE
from ..core.registry import ByExample, techniques, tilesets
from ..core.resolver import Resolver
from ..core.seeds import read_seed
from ..core.tilemap import TileMap, format_size
from ..core.tileset import Tile, Tileset

AXES = {"none": "no", "x": "left to right", "y": "top to bottom", "xy": "both ways"}
"""Axes along which maps and samples wrap, and their labels."""
MOST_TILES = 256
PAINTED_SIDE = 64
"""A sample is not made larger than this by hand; files may be."""
SMALL = 64
"""Samples of at most so many cells are taken to go on across their edges: else they would show too little."""
CHANGED = ", changed"
"""Stands behind the name of a sample that somebody painted on."""
LONGEST_NAME = 120
SIDE = 32
"""Of the maps by which the costs of techniques are compared."""
COMPARED = 3
"""Side of the windows by which maps are compared with the sample."""


@dataclass(frozen=True)
class Example:
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
    def drawn(self) -> TileMap:
        """The sample as a map."""
        return built_in(self.name) if self.sample is None else self.sample

    def picking(self, name: str) -> Example:
        """With a built-in sample."""
        return replace(self, name=name, sample=None, wrap_sample=_usual_wrap(built_in(name)))

    def opening(self, sample: TileMap, name: str) -> Example:
        """With a sample that somebody brought along."""
        return replace(self, name=name, sample=sample, wrap_sample=_usual_wrap(sample))

    def drawing(self, sample: TileMap) -> Example:
        """With the sample changed."""
        if sample == self.drawn:
            return self
        return replace(self, name=f"{self.name.removesuffix(CHANGED)}{CHANGED}", sample=sample)

    def turning(self, technique: str, knob: str, value: Any) -> Example:
        """With another setting of a knob; None is its default."""
        own = {name: set_ for name, set_ in self.knobs.get(technique, {}).items() if name != knob}
        if value is not None:
            own[knob] = value
        others = self.usual(technique).knobs
        return replace(self, knobs={**others, technique: own} if own else others)

    def usual(self, technique: str) -> Example:
        """With all knobs of a technique as they usually are."""
        return replace(self, knobs={name: own for name, own in self.knobs.items() if name != technique})

    # -- what is asked ------------------------------------------------------------------------------------------

    def recipe(self, technique: str) -> dict[str, Any]:
        """What makes this technique's map, as plain data."""
        shown = shown_of(technique)
        params: dict[str, Any] = {shown.sample: self.name if self.sample is None else Grid.of(self.sample).to_data()}
        params |= {"width": self.width, "height": self.height}
        params |= {name: axes for name, axes in self._axes.items() if name in shown.shared and axes != "none"}
        params |= self.knobs.get(technique, {})
        recipe = {"technique": technique, "params": params, "seed": self.seed}
        return recipe if self.sample is None else {**recipe, "tileset": tilesets.write(self.sample.tileset)}

    def similarity(self, technique: str) -> dict[str, Any]:
        """How this technique's map is compared with the sample: with windows of one size, whatever it used itself."""
        wrap = self.wrap if "wrap" in shown_of(technique).shared else "none"
        size = min(COMPARED, self.width, self.height, *self.drawn.shape)
        return {"like": self.drawn, "pattern_size": size, "wrap_sample": self.wrap_sample, "wrap": wrap}

    @property
    def _axes(self) -> dict[str, str]:
        return {"wrap": self.wrap, "wrap_sample": self.wrap_sample}

    # -- links --------------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Plain data that makes it again; what is as usual is left out."""
        usual = Example()
        plain = ("name", "width", "height", "seed", "wrap", "wrap_sample", "knobs")
        data = {name: getattr(self, name) for name in plain if getattr(self, name) != getattr(usual, name)}
        if self.sample is not None:
            data["sample"] = {**Grid.of(self.sample).to_data(), "tileset": tilesets.write(self.sample.tileset)}
        return data

    @classmethod
    def read(cls, data: Any) -> Example:
        """An example in plain data that anybody may have sent."""
        if not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", at="example", got=data, rule="type")
        usual = cls()
        given = data.get("sample")
        name = _name(data.get("name", usual.name))
        sample = None if given is None else _read_sample(given)
        if sample is None:
            built_in(name)
        return cls(
            name,
            sample,
            _side(data.get("width", usual.width), "width"),
            _side(data.get("height", usual.height), "height"),
            _seed(data.get("seed", usual.seed)),
            _axes_of(data.get("wrap", "none"), "wrap"),
            _axes_of(data.get("wrap_sample", "none"), "wrap_sample"),
            _read_knobs(data.get("knobs", {})),
        )


def shown_techniques() -> list[str]:
    """Return the names of the techniques that By example shows, the costliest first."""
    entries = [entry for entry in techniques if entry.by_example is not None]
    entries.sort(key=lambda entry: -entry.cost_of(entry.params.checked({"width": SIDE, "height": SIDE})))
    return [entry.name for entry in entries]


def shown_of(technique: str) -> ByExample:
    """Return what By example shows of a technique."""
    shown = techniques.get(technique).by_example
    if shown is None:
        raise InvalidRecipe(f"{technique} does not make maps by example", at="technique")
    return shown


@lru_cache(maxsize=64)
def built_in(name: str) -> TileMap:
    """A built-in sample as a map."""
    grid = Resolver().grid(name)
    assert grid.tileset is not None
    return TileMap(grid.ids(grid.tileset), grid.tileset)


def _usual_wrap(sample: TileMap) -> str:
    return "xy" if sample.cells.size <= SMALL else "none"


# -- samples of one's own -----------------------------------------------------------------------------------------


def taken(map: TileMap) -> TileMap:
    """A map as a sample: its cells and tiles alone. Refused if links could not hold it, or nobody its palette."""
    if map.cells.size > INLINE_CELLS:
        size = format_size(map.shape)
        raise TooLarge(f"a sample of {size} has {map.cells.size:,} cells, at most {INLINE_CELLS:,} are taken; crop it")
    if len(map.tileset) <= MOST_TILES:
        return TileMap(map.cells, map.tileset)
    used, cells = np.unique(map.cells, return_inverse=True)
    if len(used) > MOST_TILES:
        raise TooLarge(
            f"a sample with {len(used):,} tiles is more than the {MOST_TILES} that are taken; in a picture every pixel "
            "is a tile, so use few colours"
        )
    looks = [map.tileset[number].model_dump(exclude={"sprite"}) for number in used.tolist()]
    return TileMap(cells.reshape(map.shape), Tileset.checked({"name": map.tileset.name, "tiles": looks}))


def painted(sample: TileMap, cells: Mapping[int, int]) -> TileMap:
    """With tiles (by id) on cells (by flat place)."""
    known = {
        place: tile
        for place, tile in cells.items()
        if 0 <= place < sample.cells.size and 0 <= tile < len(sample.tileset)
    }
    own = sample.cells.copy()
    own.flat[list(known)] = list(known.values())
    return TileMap(own, sample.tileset)


def resized(sample: TileMap, width: int, height: int) -> TileMap:
    """Cut at the right and below, or filled up there with the commonest tile."""
    *levels, rows, columns = sample.shape
    own = np.full((*levels, height, width), commonest(sample), dtype=sample.cells.dtype)
    rows, columns = min(rows, height), min(columns, width)
    own[..., :rows, :columns] = sample.cells[..., :rows, :columns]
    return TileMap(own, sample.tileset)


def cleared(sample: TileMap) -> TileMap:
    """Nothing but the commonest tile."""
    return TileMap(np.full_like(sample.cells, commonest(sample)), sample.tileset)


def flipped(sample: TileMap, axis: str) -> TileMap:
    """Mirrored left to right (x) or upside down (y), pieces of rivers and the like as well."""
    mirrored = sample.cells[..., ::-1] if axis == "x" else sample.cells[..., ::-1, :]
    return TileMap(sample.tileset.turned(axis)[mirrored], sample.tileset)


def with_tile(sample: TileMap, name: str, glyph: str, color: str, *, passable: bool) -> TileMap:
    """With one more tile to paint with; an empty glyph or colour is picked."""
    tileset = sample.tileset
    if not name:
        raise InvalidRecipe("what is the tile called?", at="name")
    if name in tileset.by_name:
        raise InvalidRecipe(f"there is a tile called {name!r}; call this one otherwise", at="name")
    if glyph in tileset.by_glyph:
        raise InvalidRecipe(f"{glyph!r} is {tileset[tileset.by_glyph[glyph]].name!r} already; take another", at="glyph")
    if len(tileset) >= MOST_TILES:
        raise TooLarge(f"a sample has at most {counted(MOST_TILES, 'tile')}")
    # Checked alone first: among others, an error would name it by a number.
    Tile.checked({"name": name, "glyph": glyph or ".", "color": color or "#000000"})
    return TileMap(
        sample.cells, tileset.extended([{"name": name, "glyph": glyph, "color": color, "passable": passable}])
    )


def commonest(sample: TileMap) -> int:
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
        ids = grid.ids(tileset)
    except InvalidRecipe as error:
        raise error.within("sample") from None
    if ids.min() < 0:
        raise InvalidRecipe("a sample has no free cells (?)", at="sample")
    return taken(TileMap(ids, tileset))


def _read_knobs(data: Any) -> dict[str, dict[str, Any]]:
    """Knobs that there are; whether their values are any good is checked with the recipe."""
    if not isinstance(data, Mapping) or not all(isinstance(own, Mapping) for own in data.values()):
        raise InvalidRecipe("must be named values by technique", at="knobs", got=data)
    known = {
        technique: {knob: data[technique][knob] for knob in shown_of(technique).knobs if knob in data[technique]}
        for technique in shown_techniques()
        if technique in data
    }
    return {technique: own for technique, own in known.items() if own}


def _side(value: Any, name: str) -> int:
    if type(value) is not int or not 1 <= value <= LARGEST_SIDE:
        raise InvalidRecipe(f"a whole number from 1 to {LARGEST_SIDE}", at=name, got=value, rule="range")
    return value


def _axes_of(value: Any, name: str) -> str:
    if not isinstance(value, str) or value not in AXES:
        raise InvalidRecipe(f"one of {', '.join(AXES)}", at=name, got=value)
    return str(value)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        raise InvalidRecipe(f"a text of at most {LONGEST_NAME} characters", at="name", got=value, rule="maximum")
    return value


def _seed(value: Any) -> int | str:
    read_seed(value)
    return value if type(value) is int else str(value)
