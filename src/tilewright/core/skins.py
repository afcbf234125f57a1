"""Skins: which sprite shows a tile, given its neighbors. Skins are used when a map is drawn or exported; they never
change cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import field_validator

from .errors import InvalidRecipe, UnknownName, short_repr
from .params import Params, param

DIRECTIONS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
"""Neighbors of a cell, clockwise. Direction k has bit k of a mask, and direction k + 4 is opposite."""
OFFSETS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""Offsets (row, column) to the neighbor in each direction."""
EDGE_BITS, CORNER_BITS, ALL_BITS = 0b01010101, 0b10101010, 0b11111111
MAX_SPRITES = 1 << 16
"""Maximum number of sprites in the table of a skin."""

WeightedSprites = tuple[tuple[int, float], ...]
"""Positions in the sheet with their weights."""


def reduce_mask(mask: int) -> int:
    """Return a mask without the corners that do not matter: a corner counts only if both of its sides are set.

    >>> reduce_mask(0b00000010), reduce_mask(0b00000111)
    (0, 7)
    """
    for corner in range(1, 8, 2):
        sides = 1 << corner - 1 | 1 << (corner + 1) % 8
        if mask & sides != sides:
            mask &= ~(1 << corner)
    return mask


def read_mask(text: str) -> int:
    """Return the mask of directions such as `n,ne,e`, or of a number. Raise ValueError otherwise.

    >>> read_mask("n,ne,e"), read_mask("7"), read_mask("")
    (7, 7, 0)
    """
    words = text.replace(",", " ").split()
    if len(words) == 1 and words[0].isascii() and words[0].isdecimal() and int(words[0][:4]) <= ALL_BITS:
        return int(words[0])
    unknown = [word for word in words if word not in DIRECTIONS]
    if unknown or len(set(words)) < len(words):
        raise ValueError(f"must be directions such as n,ne,e, each at most once, got {short_repr(text)}")
    return sum(1 << DIRECTIONS.index(word) for word in words)


@dataclass(frozen=True, slots=True)
class Layout:
    """An arrangement of the sprites of a skin in a sheet."""

    name: str
    masks: tuple[int | None, ...]
    """Mask of the sprite in each place, row by row; None if the place has no sprite of this skin."""
    columns: int
    """Number of places in a row."""
    bits: int
    """Neighbors that matter, as a mask."""
    is_dual: bool = False
    """Whether sprites are between cells: the layer has a row and a column more than the map, and is shifted by half a
    cell."""

    def reduce(self, mask: int) -> int:
        """Return the mask of the sprite for a mask of neighbors."""
        return reduce_mask(mask) if self.bits == ALL_BITS else mask & self.bits

    @property
    def all_masks(self) -> tuple[int, ...]:
        """All masks with a sprite, ascending."""
        return tuple(sorted({self.reduce(mask) for mask in range(256)}))


def _list_masks(bits: int) -> tuple[int, ...]:
    return tuple(sorted({reduce_mask(mask) if bits == ALL_BITS else mask & bits for mask in range(256)}))


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("single", (0,), 1, 0),
        Layout("edge16", _list_masks(EDGE_BITS), 4, EDGE_BITS),
        Layout("corner16", _list_masks(CORNER_BITS), 4, CORNER_BITS, is_dual=True),
        Layout("blob47", _list_masks(ALL_BITS), 8, ALL_BITS),
    )
}
"""Layouts by name. Sprites of edge16, corner16 and blob47 are in ascending order of their masks."""


class Skin(Params):
    """A rule for drawing the cells of a tile: the sprite depends on which neighbors count as the same."""

    file_keys: ClassVar[Mapping[str, str]] = {"with": "with_"}

    tile: str = param(min_length=1)
    """Name of a tile or kind."""
    with_: tuple[str, ...] = param(())
    """Further tiles or kinds that count as the same."""
    toward: tuple[str, ...] = param(())
    """Tiles or kinds that count instead of the tile itself, such as the sea for the mouth of a river."""
    under: tuple[str, ...] = param(())
    """Tiles or kinds under which this one continues, such as grass for sand. They count as the same."""
    outside: bool = param(True)
    """Whether the outside of the map counts as the same."""
    layout: str = param("single")
    """Arrangement of the sprites in the sheet."""
    first: int | None = param(None, ge=0, lt=1 << 31)
    """Position in the sheet of the first sprite, in the upper left corner of the layout. Without it and without
    `sprites`, the sprites are drawn."""
    columns: int | None = param(None, ge=1, le=4096)
    """Number of sprites in a row of the layout, if they are arranged differently."""
    sprites: tuple[tuple[str, WeightedSprites], ...] = param(())
    """Positions in the sheet by mask: a table such as {"n,e,ne" = [12, [13, 0.5]]}, where 0.5 is a weight."""
    variants: int = param(1, ge=1, le=16)
    """Number of drawn sprites per mask, from which one is chosen at random."""

    @field_validator("layout")
    @classmethod
    def _check_layout(cls, value: str) -> str:
        if value not in LAYOUTS:
            raise UnknownName("layout", value, LAYOUTS)
        return value

    @field_validator("sprites", mode="before")
    @classmethod
    def _read_sprites(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return tuple((mask, _read_choices(choices)) for mask, choices in value.items())

    @field_validator("sprites")
    @classmethod
    def _check_sprites(cls, value: Iterable[tuple[str, WeightedSprites]]) -> Any:
        value = tuple(value)
        for mask, choices in value:
            read_mask(mask)
            if not choices or not all(0 <= sprite < 1 << 31 and 0 < weight <= 1e6 for sprite, weight in choices):
                raise InvalidRecipe(f"{mask!r}: must be positions in the sheet, with weights above 0")
        if sum(len(choices) for _, choices in value) > MAX_SPRITES:
            raise InvalidRecipe(f"must have at most {MAX_SPRITES:,} sprites")
        return value

    @property
    def is_drawn(self) -> bool:
        """Whether the skin has no sprites in the sheet."""
        return self.first is None and not self.sprites

    def list_sprites(self, sheet_columns: int) -> dict[int, WeightedSprites]:
        """Return the positions in the sheet by mask; empty if the sprites are drawn.

        The table `sprites` takes precedence over `first`.
        """
        found: dict[int, WeightedSprites] = {}
        layout = LAYOUTS[self.layout]
        if self.first is not None:
            columns = self.columns or layout.columns
            for place, mask in enumerate(layout.masks):
                if mask is not None:
                    row, column = divmod(place, columns)
                    found[mask] = ((self.first + row * sheet_columns + column, 1.0),)
        for text, choices in self.sprites:
            found[layout.reduce(read_mask(text))] = choices
        return dict(sorted(found.items()))

    def to_data(self) -> dict[str, Any]:
        """Return plain data with the keys of tileset files."""
        data = {
            ("with" if name == "with_" else name): value
            for name, value in self.model_dump(exclude_defaults=True).items()
        }
        if self.sprites:
            data["sprites"] = {mask: [list(choice) for choice in choices] for mask, choices in self.sprites}
        return data


def _read_choices(choices: Any) -> Any:
    """Return the sprites of a mask as pairs of position and weight."""
    listed = choices if isinstance(choices, (list, tuple)) else [choices]
    return tuple((one, 1.0) if isinstance(one, int) else one for one in listed)
