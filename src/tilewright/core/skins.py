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
MAX_SKINS, MAX_NAMES = 256, 1024
"""Maximum number of skins of a tileset, and of further tiles or kinds that a skin names."""
MAX_SPRITES = 1 << 16
"""Maximum number of sprites in the table of a skin, and of the sprites of all skins of a tileset."""
MAX_CHOICES = 64
"""Maximum number of sprites for one mask."""

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
    is_composed: bool = False
    """Whether sprites are composed of quarters of the places, as `find_quarters` describes."""
    is_ascending: bool = True
    """Whether sprites are in ascending order of their masks, so that a sheet may have any number of columns."""

    def reduce(self, mask: int) -> int:
        """Return the mask of the sprite for a mask of neighbors."""
        return reduce_mask(mask) if self.bits == ALL_BITS else mask & self.bits

    @property
    def all_masks(self) -> tuple[int, ...]:
        """All masks with a sprite, ascending."""
        return tuple(sorted({self.reduce(mask) for mask in range(256)}))


Quarters = tuple[int, int, int, int]
"""Sprites whose upper left, upper right, lower left and lower right quarters make up one sprite."""


def find_quarters(mask: int) -> Quarters:
    """Return the places in RPG Maker's block of 2x3 tiles whose quarters make up the sprite of a mask.

    The first tile of the block is an icon, the second has the inner corners, and the other four are the frame of a
    terrain. Each quarter comes from the same quarter of its place. Source: the shapes of floor autotiles in the core
    script of RPG Maker MZ.

    >>> find_quarters(255), find_quarters(0)
    ((5, 4, 3, 2), (2, 3, 4, 5))
    """
    places = []
    for is_low, is_right, corner in ((0, 0, 7), (0, 1, 1), (1, 0, 5), (1, 1, 3)):
        has_vertical, has_horizontal = mask >> 4 * is_low & 1, mask >> 6 - 4 * is_right & 1
        is_inner = has_vertical and has_horizontal and not mask >> corner & 1
        # Where the terrain continues, the quarter comes from the opposite tile of the frame.
        places.append(1 if is_inner else 2 + 2 * (is_low ^ has_vertical) + (is_right ^ has_horizontal))
    return places[0], places[1], places[2], places[3]


def _list_masks(bits: int) -> tuple[int, ...]:
    return tuple(sorted({reduce_mask(mask) if bits == ALL_BITS else mask & bits for mask in range(256)}))


# fmt: off
GODOT_3X3 = (
    16, 20, 84, 80, 213, 92, 116, 87, 28, 125, 124, 112,
    17, 21, 85, 81, 29, 127, 253, 113, 31, 119, None, 245,
    1, 5, 69, 65, 23, 223, 247, 209, 95, 255, 221, 241,
    0, 4, 68, 64, 117, 71, 197, 93, 7, 199, 215, 193,
)
"""Masks of the template for 3x3 (minimal) autotiles in the manual of Godot 3 ("Using TileMaps")."""
CR31 = (
    0, 4, 92, 124, 116, 80, None,
    16, 20, 87, 223, 241, 21, 64,
    29, 117, 85, 71, 221, 125, 112,
    31, 253, 113, 28, 127, 247, 209,
    23, 199, 213, 95, 255, 245, 81,
    5, 84, 93, 119, 215, 193, 17,
    None, 1, 7, 197, 69, 68, 65,
)
"""Masks of the blob sheet of Walker, "Wang Tiles" (cr31.co.uk/stagecast/wang/blob.html). The sheet repeats the sprite
of mask 0 in two more corners."""
# fmt: on

LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("single", (0,), 1, 0),
        Layout("edge16", _list_masks(EDGE_BITS), 4, EDGE_BITS),
        Layout("corner16", _list_masks(CORNER_BITS), 4, CORNER_BITS, is_dual=True),
        Layout("blob47", _list_masks(ALL_BITS), 8, ALL_BITS),
        Layout("godot3x3", GODOT_3X3, 12, ALL_BITS, is_ascending=False),
        Layout("cr31", CR31, 7, ALL_BITS, is_ascending=False),
        Layout("rpgmaker-a2", (None,) * 6, 2, ALL_BITS, is_composed=True, is_ascending=False),
    )
}
"""Layouts by name."""


def find_layouts(columns: int, rows: int) -> list[str]:
    """Return the names of the layouts that sheets of this many sprites usually have.

    >>> find_layouts(4, 4), find_layouts(12, 4), find_layouts(5, 3)
    (['edge16', 'corner16'], ['godot3x3'], [])
    """
    return [
        name
        for name, layout in LAYOUTS.items()
        if layout.columns == columns and -(-len(layout.masks) // layout.columns) == rows
    ]


class Skin(Params):
    """A rule for drawing the cells of a tile: the sprite depends on which neighbors count as the same."""

    file_keys: ClassVar[Mapping[str, str]] = {"with": "with_"}

    tile: str = param(min_length=1)
    """Name of a tile or kind."""
    with_: tuple[str, ...] = param((), max_length=MAX_NAMES)
    """Further tiles or kinds that count as the same."""
    toward: tuple[str, ...] = param((), max_length=MAX_NAMES)
    """Tiles or kinds that count instead of the tile itself, such as the sea for the mouth of a river."""
    under: tuple[str, ...] = param((), max_length=MAX_NAMES)
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
    texture: str = param("", max_length=80)
    """Kind of the drawn sprites, if it is not the kind of the tile."""

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
            if len(choices) > MAX_CHOICES:
                raise InvalidRecipe(f"{mask!r}: must have at most {MAX_CHOICES} sprites, got {len(choices):,}")
        if sum(len(choices) for _, choices in value) > MAX_SPRITES:
            raise InvalidRecipe(f"must have at most {MAX_SPRITES:,} sprites")
        return value

    @property
    def is_drawn(self) -> bool:
        """Whether the skin has no sprites in the sheet."""
        return self.first is None and not self.sprites

    @property
    def max_sprites(self) -> int:
        """Maximum number of sprites of each tile."""
        listed = sum(len(choices) for _, choices in self.sprites)
        return len(LAYOUTS[self.layout].all_masks) * self.variants + listed

    def list_sprites(self, sheet_columns: int) -> dict[int, WeightedSprites]:
        """Return the positions in the sheet by mask; empty if the sprites are drawn.

        The table `sprites` takes precedence over `first`.
        """
        found: dict[int, WeightedSprites] = {}
        layout = LAYOUTS[self.layout]
        if self.first is not None:
            for position, mask in zip(self._list_places(sheet_columns), layout.masks, strict=True):
                if mask is not None:
                    found[mask] = ((position, 1.0),)
        for text, choices in self.sprites:
            found[layout.reduce(read_mask(text))] = choices
        return dict(sorted(found.items()))

    def list_quarters(self, sheet_columns: int) -> dict[int, Quarters]:
        """Return the positions in the sheet of composed sprites by mask; empty if the layout has no composed sprites.

        Masks in the table `sprites` have a sprite of their own.
        """
        layout = LAYOUTS[self.layout]
        if self.first is None or not layout.is_composed:
            return {}
        positions = self._list_places(sheet_columns)
        own = {layout.reduce(read_mask(text)) for text, _ in self.sprites}
        found: dict[int, Quarters] = {}
        for mask in layout.all_masks:
            if mask not in own:
                one, two, three, four = find_quarters(mask)
                found[mask] = positions[one], positions[two], positions[three], positions[four]
        return found

    @property
    def extent(self) -> tuple[int, int]:
        """Number of columns and rows that the layout takes in the sheet."""
        layout = LAYOUTS[self.layout]
        columns = min(self.columns or layout.columns, len(layout.masks))
        return columns, -(-len(layout.masks) // columns)

    def list_positions(self, sheet_columns: int) -> list[int]:
        """Return all positions in the sheet that the skin uses, ascending."""
        whole = (choice for choices in self.list_sprites(sheet_columns).values() for choice, _ in choices)
        quarters = (position for four in self.list_quarters(sheet_columns).values() for position in four)
        return sorted({*whole, *quarters})

    def _list_places(self, sheet_columns: int) -> list[int]:
        """Return the position in the sheet of each place of the layout."""
        layout, first, (columns, _) = LAYOUTS[self.layout], self.first or 0, self.extent
        return [first + place // columns * sheet_columns + place % columns for place in range(len(layout.masks))]

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
