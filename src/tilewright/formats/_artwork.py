"""The sprites of a tileset: all sprites that any of its maps can show, in a fixed order.

Every map of a tileset therefore shares one picture. The first sprites are those of the tiles without neighbors, in the
order of tile ids; the sprites of skins follow, by skin, tile, mask and variant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.appearance import read_rgb
from ..core.caching import shared_cache
from ..core.errors import InvalidRecipe
from ..core.pieces import SIDES
from ..core.seeds import Rng
from ..core.skins import ALL_BITS, DIRECTIONS, LAYOUTS, Layout, Quarters, Skin
from ..core.tileset import Sheet, Tileset
from ._sheet import sheet_picture, sprite_box
from ._textures import SIDE, Look, Texture, find_texture, is_plain

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from ._composition import StackPicture

GROUND, THINGS = "ground", "things"
"""Names of layers of sprites."""
MAX_LAYERS = 64
"""Maximum number of layers of the ground. Skins that are never drawn in the same cell share a layer."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A sprite of a tileset."""

    tile: int
    """Id of the tile that it shows."""
    skin: int | None = None
    """Index of its skin; None for the sprite of a tile without neighbors."""
    mask: int = 0
    """Neighbors that count as the same; see `core.skins`."""
    variant: int = 0
    """Number of the sprite among those of the same tile and mask."""
    weight: float = 1.0
    """Relative frequency among them."""
    position: int | None = None
    """Position in the tileset's own picture; None if the sprite is drawn or composed."""
    quarters: Quarters | None = None
    """Positions in the tileset's own picture whose quarters make up the sprite; None if it is not composed."""

    @property
    def is_own(self) -> bool:
        """Whether the sprite is in the tileset's own picture."""
        return self.position is not None or self.quarters is not None


@dataclass(frozen=True, eq=False)
class SkinTable:
    """What `sprite_layers` needs to know about a skin."""

    skin: Skin
    tiles: NDArray[np.int64]
    """Tiles of the skin."""
    covered: NDArray[np.bool_]
    """Array (tile,) of whether the skin is drawn in cells of a tile."""
    bits: NDArray[np.uint8]
    """Array (tile,) of the directions in which a neighbor with this tile counts as the same."""
    rows: NDArray[np.int64]
    """Array (tile,) of the row in `first` for cells with this tile."""
    first: NDArray[np.int32]
    """Array (row, mask) of the first sprite of a tile for a mask of neighbors."""
    start: int
    """First sprite of the skin."""
    shares: NDArray[np.float64] | None
    """Array (sprite, variant) of cumulative probabilities of variants, by first sprite counted from `start`; None
    without variants. The last row is for sprites of other skins."""

    @property
    def layout(self) -> Layout:
        return LAYOUTS[self.skin.layout]


@dataclass(frozen=True, eq=False)
class Plane:
    """A layer of sprites, which several skins share if they are never drawn in the same cell."""

    name: str
    is_dual: bool
    tables: tuple[SkinTable, ...]
    singles: NDArray[np.bool_]
    """Array (tile,) of whether the plane shows the sprite of a tile without neighbors."""


class Artwork:
    """All sprites of a tileset. `Artwork.of` returns a cached object."""

    def __init__(self, tileset: Tileset) -> None:
        self.tileset = tileset
        self.sheet = own_sheet(tileset)
        sprites = [Sprite(number, position=tile.sprite if self.sheet else None) for number, tile in enumerate(tileset)]
        self._tables = tuple(self._add_skin(number, skin, sprites) for number, skin in enumerate(tileset.skins))
        self.sprites = tuple(sprites)
        self.pictures: dict[tuple[int, int, bytes], StackPicture] = {}
        """Pictures of stacks of sprites, by height, width and stack. `draw_stack_pictures` fills it."""

    @classmethod
    def of(cls, tileset: Tileset) -> Artwork:
        """Return the artwork of a tileset. It is cached by everything that decides how the tileset is shown."""
        return shared_cache.get((cls, tileset.look_digest), lambda: cls(tileset))

    def __len__(self) -> int:
        return len(self.sprites)

    def _add_skin(self, number: int, skin: Skin, sprites: list[Sprite]) -> SkinTable:
        """Append the sprites of a skin to a list, and return its table."""
        tileset = self.tileset
        layout = LAYOUTS[skin.layout]
        tiles = tileset.find_tiles(skin.tile)
        under = [tile for name in dict.fromkeys(skin.under) for tile in tileset.find_tiles(name)]
        covered = np.zeros(len(tileset), dtype=np.bool_)
        covered[[*tiles, *under]] = True
        rows = np.zeros(len(tileset), dtype=np.int64)
        rows[tiles] = np.arange(len(tiles))
        positions = skin.list_sprites(self.sheet.columns) if self.sheet is not None else {}
        quarters = skin.list_quarters(self.sheet.columns) if self.sheet is not None else {}
        start, masks = len(sprites), layout.all_masks
        place_of_mask = np.searchsorted(masks, [layout.reduce(mask) for mask in range(ALL_BITS + 1)])
        first = np.empty((len(tiles), ALL_BITS + 1), dtype=np.int32)
        weights: dict[int, list[float]] = {}
        for row, tile in enumerate(tiles):
            starts: dict[int, int] = {}
            for mask in masks:
                choices: Sequence[tuple[int | None, float]] = positions.get(mask, ())
                if mask in quarters:
                    choices = [(None, 1.0)]
                elif not positions and not quarters:
                    choices = [(None, 1.0)] * skin.variants
                if choices:
                    starts[mask] = len(sprites)
                    weights[len(sprites) - start] = [weight for _, weight in choices]
                for variant, (position, weight) in enumerate(choices):
                    sprites.append(Sprite(tile, number, mask, variant, weight, position, quarters.get(mask)))
            first[row] = np.array([starts.get(mask, tile) for mask in masks])[place_of_mask]
        shares = _add_up(weights, len(sprites) - start)
        same = _count_as_same(tileset, skin)
        return SkinTable(skin, np.array(tiles), covered, same, rows, first, start, shares)

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """Layers of sprites from the lowest, which depend only on the tileset.

        A skin is drawn after all earlier skins that cover the same tiles. Skins between cells cover all tiles.
        """
        is_thing = np.array([bool(tile.over) for tile in self.tileset])
        skinned = np.zeros(len(self.tileset), dtype=np.bool_)
        for table in self._tables:
            skinned[table.tiles] = True
        covers: list[NDArray[np.bool_]] = [~is_thing & ~skinned]
        stacks: list[list[SkinTable]] = [[]]
        for table in self._tables:
            if is_thing[table.tiles].any():
                continue
            cover = np.ones_like(skinned) if table.layout.is_dual else table.covered & ~is_thing
            place = 1 + max((number for number, other in enumerate(covers) if (other & cover).any()), default=-1)
            while place < len(stacks) and any(other.layout.is_dual != table.layout.is_dual for other in stacks[place]):
                place += 1
            if place == len(stacks):
                stacks.append([])
                covers.append(np.zeros_like(skinned))
            stacks[place].append(table)
            covers[place] = covers[place] | cover
        if len(stacks) > MAX_LAYERS:
            raise InvalidRecipe(
                f"tileset {self.tileset.name!r}: its skins must need at most {MAX_LAYERS} layers, got {len(stacks)}"
            )
        planes = []
        for number, stack in enumerate(stacks, 1):
            name = f"{GROUND} {number}" if number > 1 else GROUND
            singles = ~is_thing & ~skinned if number == 1 else np.zeros_like(skinned)
            planes.append(Plane(name, any(table.layout.is_dual for table in stack), tuple(stack), singles))
        if is_thing.any():
            things = tuple(table for table in self._tables if is_thing[table.tiles].any())
            planes.append(Plane(THINGS, False, things, is_thing & ~skinned))
        return tuple(planes)

    @cached_property
    def is_opaque(self) -> NDArray[np.bool_]:
        """Array (sprite,) of whether a sprite hides everything beneath it."""
        opaque = np.empty(len(self), dtype=np.bool_)
        for start in range(0, len(self), 4096):
            numbers = range(start, min(start + 4096, len(self)))
            opaque[list(numbers)] = (self.draw(numbers, *self.native_size)[..., 3] == 255).all(axis=(1, 2))
        return opaque

    @property
    def native_size(self) -> tuple[int, int]:
        """Height and width of the sprites in pixels."""
        return native_size(self.tileset)

    def draw(self, numbers: Sequence[int], height: int, width: int) -> NDArray[np.uint8]:
        """Draw sprites. Return an array (sprite, row, column, 4) of red, green, blue and alpha."""
        pixels = np.empty((len(numbers), height, width, 4), dtype=np.uint8)
        picture: Picture | None = None  # Large pictures are not cached, so it is decoded only once here.
        for target, number in zip(pixels, numbers, strict=True):
            sprite = self.sprites[number]
            if sprite.is_own:
                picture = picture or sheet_picture(self._own_sheet)
                target[:] = self._cut(sprite, picture, height, width)
            else:
                target[:] = _resize(self._draw_texture(sprite), height, width)
        return pixels

    @property
    def _own_sheet(self) -> Sheet:
        assert self.sheet is not None
        return self.sheet

    def _cut(self, sprite: Sprite, picture: Picture, height: int, width: int) -> NDArray[np.uint8]:
        """Return a sprite of the tileset's own picture."""
        from PIL import Image

        sheet = self._own_sheet
        own = Image.new("RGBA", (sheet.tile_width, sheet.tile_height))
        right, low = sheet.tile_width // 2, sheet.tile_height // 2
        corners = ((0, 0), (right, 0), (0, low), (right, low)) if sprite.quarters else ((0, 0),)
        for position, (x, y) in zip(sprite.quarters or (sprite.position or 0,), corners, strict=True):
            left, top, end, bottom = sprite_box(sheet, position)
            if end > picture.width or bottom > picture.height:
                name = self.tileset[sprite.tile].name
                raise InvalidRecipe(f"tile {name!r}: sprite {position} is outside {sheet.image}")
            # The last quarter is pasted last, so that each copy may extend to the right and down.
            own.paste(picture.crop((left + x, top + y, end, bottom)), (x, y))
        exact = width % sheet.tile_width == 0 and height % sheet.tile_height == 0
        resampling = Image.Resampling.NEAREST if exact else Image.Resampling.BOX
        return np.asarray(own.resize((width, height), resampling))

    def _draw_texture(self, sprite: Sprite) -> NDArray[np.uint8]:
        tile = self.tileset[sprite.tile]
        skin = self.tileset.skins[sprite.skin] if sprite.skin is not None else None
        return draw_texture(
            find_texture(tile.kind, skin.texture if skin else ""),
            tile.name,
            tile.color,
            tile.joins,
            None if skin is None or skin.layout == "single" else sprite.mask,
            bool(tile.over),
            sprite.variant,
        )


def _resize(pixels: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Return a drawn sprite at another size. Smaller sprites are averaged, so that no line is lost."""
    if height >= SIDE and width >= SIDE:
        return pixels[(np.arange(height) * SIDE // height)[:, None], np.arange(width) * SIDE // width]
    from PIL import Image

    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.BOX))


@lru_cache(maxsize=8192)
def draw_texture(
    texture: Texture, name: str, color: str, joins: str, mask: int | None, is_thing: bool, variant: int
) -> NDArray[np.uint8]:
    """Draw a sprite at its original size. Return an array (row, column, 4)."""
    look = Look(np.array(read_rgb(color), dtype=np.float64), joins, mask, is_thing)
    rng = Rng.of(name)
    pixels = texture(look, rng.child("variant", variant) if variant else rng)
    plain = pixels.round().clip(0, 255).astype(np.uint8)
    if plain.shape[-1] == 4:
        return plain
    return np.concatenate([plain, np.full((SIDE, SIDE, 1), 255, dtype=np.uint8)], axis=-1)


def own_sheet(tileset: Tileset) -> Sheet | None:
    """Return the tileset's own sheet if its picture is available, else None."""
    return tileset.sheet if tileset.sheet is not None and tileset.sheet.picture else None


def native_size(tileset: Tileset) -> tuple[int, int]:
    """Return the height and width of the sprites of a tileset in pixels."""
    sheet = own_sheet(tileset)
    return (sheet.tile_height, sheet.tile_width) if sheet is not None else (SIDE, SIDE)


def has_sprites(tileset: Tileset) -> bool:
    """Return whether a tileset has sprites: an own picture, skins, pieces, or tiles of a kind with a texture."""
    return (
        own_sheet(tileset) is not None
        or bool(tileset.skins or tileset.joints)
        or any(not is_plain(kind) for kind in {tile.kind for tile in tileset})
    )


def _count_as_same(tileset: Tileset, skin: Skin) -> NDArray[np.uint8]:
    """Return an array (tile,) of the directions in which a neighbor with this tile counts as the same.

    Pieces of rivers and roads count where they join, and pieces under which others pass at their other sides.
    """
    bits = np.zeros(len(tileset), dtype=np.uint8)
    names = skin.toward or (skin.tile, *skin.with_)
    same = {tile for name in (*names, *skin.under) for tile in tileset.find_tiles(name)}
    kinds = {tileset[tile].kind for tile in same}
    networks = {joint.kind for joint in tileset.joints if joint.joins}
    crossings = {kind for joint in tileset.joints if joint.kind in kinds for kind in joint.passes_under}
    for number in same:
        tile = tileset[number]
        if tile.kind in networks and tile.joins:
            joined = set(tile.joins) if tile.kind not in crossings else set(SIDES) - set(tile.joins)
            bits[number] = sum(1 << (DIRECTIONS.index(side) + 4) % 8 for side in joined)
        else:
            bits[number] = ALL_BITS
    return bits


def _add_up(weights: dict[int, list[float]], count: int) -> NDArray[np.float64] | None:
    """Return cumulative probabilities of variants by first sprite, or None if no sprite has variants."""
    most = max((len(choices) for choices in weights.values()), default=1)
    if most < 2:
        return None
    shares = np.ones((count + 1, most))
    for first, choices in weights.items():
        shares[first, : len(choices)] = np.cumsum(choices) / sum(choices)
    shares[:, -1] = 1.0
    return shares
