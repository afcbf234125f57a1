"""Tilesets: ordered lists of tiles. A tile's id is its position."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from os import PathLike, fsdecode
from pathlib import PurePosixPath
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, PrivateAttr, field_validator, model_validator

from .appearance import FREE_GLYPH, QUESTION_MARK, Rgb, fill_appearance, read_color, read_glyph, read_rgb
from .embedded_pictures import decode_picture, read_embedded
from .errors import InvalidRecipe, Problem, TooLarge, UnknownName, did_you_mean, errors_within, problem, short_repr
from .params import Params, param
from .pieces import SIDES, VIEWS, Beside, Joint, read_sides, reorient_sides
from .ports import files
from .resolver import Resolver
from .roles import FLOOR, WALL, role_of_name
from .skins import MAX_SKINS, MAX_SPRITES, Skin

MAX_TILES = 65_536
MAX_PROBLEMS = 5
"""Maximum number of mistakes of a tileset that are reported at once."""
CLEAR_KINDS = ("water", "sea", "river", "reef", "shoal", "lava", "pit")
"""Kinds of impassable tiles that do not block sight by default."""
ANY_GROUND = "*"
"""Value of `over` for the most common tile around a cell."""
LOOK_FIELDS = ("over", "blocks_sight", "role")
"""Fields of a tile that are not part of its identity, because no map depends on them: they do not change the digest of
a tileset."""


def read_name(name: str) -> str:
    """Return the name of a tile. Raise ValueError if it is `?`."""
    if name == FREE_GLYPH:
        raise ValueError(f"{FREE_GLYPH!r} means a free cell; use another name")
    return name


class Tile(Params):
    """A kind of cell. Tiles without glyph or color get one that no other tile has."""

    name: Annotated[str, AfterValidator(read_name)] = param(min_length=1, max_length=80)
    """Name of the tile. `?` is reserved for free cells."""
    glyph: Annotated[str, AfterValidator(read_glyph)] = param("")
    """Character for text output, one terminal cell wide and unique in the tileset. In locks and start maps, `?` always
    means a free cell; use the name of the tile there."""
    color: Annotated[str, AfterValidator(read_color)] = param("")
    """Color in pictures and terminals, #rrggbb."""
    passable: bool = param(True)
    """Whether a walker can enter the tile."""
    sprite: int | None = param(None, ge=0, lt=1 << 31)
    """Position in the sprite sheet, counted row by row."""
    kind: str = param("")
    """Group of tiles that it belongs to, such as road or wall. It also selects the drawn texture."""
    joins: Annotated[str, AfterValidator(read_sides)] = param("")
    """Sides (n, e, s, w) at which a piece connects to its neighbors; for a beach, the sides of the land."""
    country: str = param("")
    """Owner of a property, such as a city, in a war game; "neutral" if it has none."""
    defence: float | None = param(None, ge=0, le=1000)
    """Defense stars in a war game."""
    costs: tuple[tuple[str, float], ...] = param(())
    """Movement costs by movement type."""
    weight: float = param(1.0, gt=0, le=1_000_000, typical=(0.1, 10))
    """Relative frequency where tiles are chosen by adjacency rules."""
    code: int | None = param(None, ge=-(1 << 63), lt=1 << 63)
    """Number of the tile in another program, such as a game's tile id."""
    over: str = param("", max_length=80)
    """Tile to draw beneath this one, such as floor under a door; `*` is the most common tile around it."""
    blocks_sight: bool | None = param(None)
    """Whether the tile blocks sight; by default if it is impassable and not water, lava or a pit."""
    role: str = param("", max_length=40)
    """What the tile does in a game, such as player, exit, crate, spike or ladder; by default, its name or kind if that
    is the name of a role, else wall or floor."""

    @field_validator("costs", mode="before")
    @classmethod
    def _sort_costs(cls, value: Any) -> Any:
        return tuple(sorted(value.items(), key=lambda pair: str(pair[0]))) if isinstance(value, Mapping) else value

    @property
    def rgb(self) -> Rgb:
        """Color as (red, green, blue)."""
        return read_rgb(self.color)

    @property
    def group(self) -> tuple[str, str]:
        """Kind and owner, which a piece keeps where other sides of it must connect."""
        return self.kind, self.country

    @property
    def is_opaque(self) -> bool:
        """Whether the tile blocks sight, declared or by default."""
        return not self.passable and self.kind not in CLEAR_KINDS if self.blocks_sight is None else self.blocks_sight

    @property
    def game_role(self) -> str:
        """Role of the tile in a game, declared or by default."""
        found = self.role or role_of_name(self.name) or role_of_name(self.kind)
        return found or (FLOOR if self.passable else WALL)

    def __eq__(self, other: object) -> bool:
        """Compare everything except how the tile is shown and played: `over`, `blocks_sight` and `role`."""
        return isinstance(other, Tile) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return tuple(value for name, value in self if name not in LOOK_FIELDS)


class Sheet(Params):
    """A sprite sheet: an image with sprites of one size in rows."""

    image: str = param(min_length=1)
    """File name of the image, relative to the tileset's file."""
    tile_width: int = param(16, ge=1, le=1024)
    """Width of a sprite in pixels."""
    tile_height: int = param(16, ge=1, le=1024)
    """Height of a sprite in pixels."""
    columns: int = param(16, ge=1, le=4096)
    """Number of sprites in a row; by default, as many as fit into the image."""
    margin: int = param(0, ge=0, le=1024)
    """Margin around all sprites in pixels."""
    spacing: int = param(0, ge=0, le=1024)
    """Distance between sprites in pixels."""
    data: Annotated[str, AfterValidator(read_embedded)] = param("")
    """Content of the image as `data:image/png;base64,...`, instead of a file. It is not part of the digest."""
    _picture: bytes = PrivateAttr(b"")
    _path: str = PrivateAttr("")

    def model_post_init(self, context: Any) -> None:
        self._picture = decode_picture(self.data)

    @property
    def picture(self) -> bytes:
        """Content of the image; empty if it was not read."""
        return self._picture

    @property
    def path(self) -> str:
        """Path of the image on this machine, for files that refer to the image. Recipes never store the path."""
        return self._path

    def with_picture(self, picture: bytes, path: str) -> Sheet:
        """Return the sheet with the content and path of its image."""
        sheet = self.model_copy()
        sheet._picture, sheet._path = picture, path
        return sheet

    def to_data(self) -> dict[str, Any]:
        """Return plain data without the content of the image. The file name of the image has no folders."""
        name = PurePosixPath(self.image.replace("\\", "/")).name
        return {**self.model_dump(exclude={"data"}), "image": name or "picture"}

    def __eq__(self, other: object) -> bool:
        """Compare the stored data, without the content and path of the image."""
        return isinstance(other, Sheet) and self.to_data() == other.to_data()

    def __hash__(self) -> int:
        return hash(tuple(self.to_data().values()))


class Tileset(Params):
    """An ordered list of tiles. `Tileset.of`, `from_toml` and `from_labels` make tilesets."""

    name: str = param("unnamed", min_length=1)
    """Name of the tileset."""
    tiles: tuple[Tile, ...] = param(min_length=1)
    """Tiles in the order of their ids."""
    sheet: Sheet | None = param(None)
    """Sprite sheet."""
    joints: tuple[Joint, ...] = param(())
    """Rules for what the pieces of each kind may connect to."""
    beside: tuple[Beside, ...] = param(())
    """Adjacency rules: which tiles may be next to each other. With any rules, other pairs are forbidden."""
    skins: tuple[Skin, ...] = param((), max_length=MAX_SKINS)
    """Sprites that depend on the neighbors of a cell, in drawing order. They are not part of the digest."""
    game: str = param("", max_length=200)
    """Game that its maps are for, such as `platformer` or `platformer,jump_height=4`; by default, chosen by roles.
    It is not part of the digest."""

    @model_validator(mode="before")
    @classmethod
    def _fill_appearance(cls, values: Any) -> Any:
        """Fill in the tiles of the base tileset, and missing glyphs and colors."""
        if isinstance(values, Mapping) and "extends" in values:
            values = _merge_base(values)
        if not isinstance(values, Mapping) or not isinstance(values.get("tiles"), (list, tuple)):
            return values
        tiles = [tile.model_dump() if isinstance(tile, Tile) else tile for tile in values["tiles"]]
        if any(not isinstance(tile, Mapping) for tile in tiles):
            return values
        if len(tiles) > MAX_TILES:
            raise InvalidRecipe(f"a tileset holds at most {MAX_TILES:,} tiles, got {len(tiles):,}")
        return {**values, "tiles": fill_appearance([dict(tile) for tile in tiles])}

    def find_problems(self) -> list[Problem]:
        problems = []
        for field in ("name", "glyph"):
            seen: dict[str, int] = {}
            for position, tile in enumerate(self.tiles):
                first = seen.setdefault(getattr(tile, field), position)
                if first != position:
                    text = f"tiles {first} and {position} share the {field} {getattr(tile, field)!r}"
                    problems.append(problem(text, rule="duplicate"))
        kinds = {tile.kind for tile in self.tiles}
        joined = ((joint.kind, name) for joint in self.joints for name in (joint.kind, *joint.mentioned_kinds))
        problems += _find_unknown("joints", joined, kinds, "no tile is of the kind")
        known = {*kinds, *self.names} - {""}
        beside = ((rule.tile, name) for rule in self.beside for name in (rule.tile, *rule.others))
        problems += _find_unknown("beside", beside, known, "no tile and no kind is called")
        shown = (
            (skin.tile, name) for skin in self.skins for name in (skin.tile, *skin.with_, *skin.toward, *skin.under)
        )
        problems += _find_unknown("skins", shown, known, "no tile and no kind is called")
        count = sum(len(self.find_tiles(skin.tile)) * skin.max_sprites for skin in self.skins)
        if count > MAX_SPRITES:
            text = f"all skins together must have at most {MAX_SPRITES:,} sprites, got {count:,}"
            problems.append(problem(text, at="skins", rule="size"))
        problems += [
            problem(f"{skin.tile}: first and sprites are positions in a sheet, and there is no sheet", at="skins")
            for skin in self.skins
            if not skin.is_drawn and self.sheet is None
        ]
        things = {tile.name for tile in self.tiles if tile.over}
        problems += [
            problem(f"{tile.name}: {_explain_ground(tile.over, things)}", at="over")
            for tile in self.tiles
            if tile.over and tile.over != ANY_GROUND and (tile.over not in self.by_name or tile.over in things)
        ]
        return problems[:MAX_PROBLEMS]

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Tileset:
        """Read a tileset.

        Parameters
        ----------
        value
            A Tileset, its plain data, its name or a path.
        resolver
            Object that opens files. By default, only built-in names are known.

        Returns
        -------
        Tileset
            The tileset.

        Raises
        ------
        InvalidRecipe
            If the value is not a tileset.
        """
        if isinstance(value, Tileset):
            return value
        if isinstance(value, (str, PathLike)):
            return (resolver or Resolver()).read_tileset(fsdecode(value))
        if isinstance(value, Mapping):
            from .tilesets import tilesets

            return _find_picture(tilesets.complete(cls.validate(value)), value, resolver or Resolver())
        raise InvalidRecipe("must be a tileset's name or its tiles", got=value, rule="type")

    @classmethod
    def from_toml(cls, text: str, name: str = "unnamed") -> Tileset:
        """Read a tileset from TOML: `name`, an optional `[sheet]`, and one `[[tiles]]` table per tile.

        With `extends = "awbw"`, the tileset starts with the tiles, joints and skins of that tileset. A tile with the
        name or code of a base tile changes the fields of that tile; other tiles are appended. The skins of a tile
        replace those of the base tileset.

        Parameters
        ----------
        text
            The TOML.
        name
            Name of the tileset, unless the TOML has one.

        Returns
        -------
        Tileset
            The tileset.

        Raises
        ------
        InvalidRecipe
            If the text is not TOML, or a field breaks its rule.

        Examples
        --------
        >>> Tileset.from_toml('[[tiles]]\\nname = "floor"\\n[[tiles]]\\nname = "wall"\\npassable = false').names
        ('floor', 'wall')
        """
        try:
            values = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # ValueError: also a number with too many digits.
            reason = error if isinstance(error, tomllib.TOMLDecodeError) else "nested too deeply, or a number too long"
            raise InvalidRecipe(f"tileset {name!r}: not TOML: {reason}", rule="format") from None
        with errors_within(f"tileset {name!r}"):
            return cls.validate({"name": name, **values})

    def to_data(self) -> dict[str, Any]:
        """Return plain data that `of` reads, without defaults."""
        return self._to_data(shown=True)

    def _to_data(self, *, shown: bool) -> dict[str, Any]:
        """Return plain data, with or without the fields that only say how tiles are shown."""
        tiles = []
        for tile in self.tiles:
            values = tile.model_dump(exclude_defaults=True, exclude=None if shown else set(LOOK_FIELDS))
            if tile.costs:
                values["costs"] = dict(tile.costs)
            tiles.append(values)
        optional = {
            "sheet": self.sheet and self.sheet.to_data(),
            "joints": [joint.to_data() for joint in self.joints],
            "beside": [rule.model_dump(exclude_defaults=True) for rule in self.beside],
            "skins": [skin.to_data() for skin in self.skins] if shown else [],
            "game": self.game if shown else "",
        }
        return {"name": self.name, **{key: value for key, value in optional.items() if value}, "tiles": tiles}

    @cached_property
    def digest(self) -> str:
        """Digest of the content, without skins, `game` and the tiles' `over`, `blocks_sight` and `role`. Equal tilesets
        have equal digests."""
        return blake2b(json.dumps(self._to_data(shown=False)).encode(), digest_size=16).hexdigest()

    @property
    def has_look(self) -> bool:
        """Whether the tileset says how tiles are shown or played: by skins, `game`, `over`, `role`..."""
        return bool(self.skins or self.game) or any(
            tile.over or tile.role or tile.blocks_sight is not None for tile in self.tiles
        )

    @cached_property
    def look_digest(self) -> str:
        """Digest of the content, with everything that only says how tiles are shown and played, and with the sheet's
        picture."""
        hash = blake2b(json.dumps(self.to_data()).encode(), digest_size=16)
        hash.update(self.sheet.picture if self.sheet else b"")
        return hash.hexdigest()

    def __eq__(self, other: object) -> bool:
        """Compare everything except skins, `game`, and the tiles' `over`, `blocks_sight` and `role`."""
        return self is other or (isinstance(other, Tileset) and self._identity == other._identity)

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.name, self.tiles, self.sheet, self.joints, self.beside

    # -- lookup ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.tiles)

    def __getitem__(self, number: int) -> Tile:
        return self.tiles[number]

    def __iter__(self) -> Iterator[Tile]:  # type: ignore[override]
        return iter(self.tiles)

    def find(self, label: str | int) -> int | None:
        """Return the id of a tile, found by name, then glyph, then number; None if there is no such tile.

        The label `question mark` of samples also finds the tile with the glyph `?`.
        """
        if isinstance(label, str):
            number = self.by_name.get(label)
            number = self.by_glyph.get(FREE_GLYPH if label == QUESTION_MARK else label) if number is None else number
            if number is not None:
                return number
            if not re.fullmatch(r"\d{1,5}", label, re.ASCII):
                return None
        return int(label) if 0 <= int(label) < len(self.tiles) else None

    def id(self, label: str | int) -> int:
        """Return the id of a tile, found by name, glyph or number. Raise UnknownName if there is no such tile."""
        number = self.find(label)
        if number is None:
            raise UnknownName("tile", label, self.by_name, f"tileset {self.name!r}")
        return number

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the tiles, by id."""
        return tuple(tile.name for tile in self.tiles)

    @cached_property
    def by_name(self) -> dict[str, int]:
        """Ids of the tiles by name."""
        return {tile.name: number for number, tile in enumerate(self.tiles)}

    @cached_property
    def by_glyph(self) -> dict[str, int]:
        """Ids of the tiles by glyph."""
        return {tile.glyph: number for number, tile in enumerate(self.tiles)}

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """dtype of the cells of its maps: uint8 for up to 256 tiles, else uint16."""
        return np.dtype(np.uint8 if len(self.tiles) <= 256 else np.uint16)

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """Array (tile, 3) of red, green, blue."""
        return np.array([tile.rgb for tile in self.tiles], dtype=np.uint8)

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """Array (tile,) of whether each tile is passable."""
        return np.array([tile.passable for tile in self.tiles], dtype=np.bool_)

    @cached_property
    def blocks_sight(self) -> NDArray[np.bool_]:
        """Array (tile,) of whether each tile blocks sight."""
        return np.array([tile.is_opaque for tile in self.tiles], dtype=np.bool_)

    # -- pieces ---------------------------------------------------------------------------------------------

    def reorient_tiles(self, view: str) -> NDArray[np.int64]:
        """Return the tile that replaces each tile when a map is mirrored or rotated.

        A piece is replaced by the piece of its group that connects at the transformed sides. If there is no such piece,
        the tile stays the same.

        Parameters
        ----------
        view
            Transformation as a string of steps: x swaps left and right, y top and bottom, d the two axes.

        Returns
        -------
        ndarray of int64
            Array (tile,) of tile ids.
        """
        found = {(tile.group, tile.joins): number for number, tile in reversed(list(enumerate(self.tiles)))}
        images = np.arange(len(self.tiles))
        for number, tile in enumerate(self.tiles):
            if tile.joins:
                images[number] = found.get((tile.group, reorient_sides(tile.joins, view)), number)
        return images

    @cached_property
    def neighbours(self) -> NDArray[np.bool_]:
        """Array (side, tile, other tile) of whether `beside` allows the other tile at that side of the tile."""
        is_allowed = np.zeros((4, len(self), len(self)), dtype=np.bool_)
        images = {view: self.reorient_tiles(view) for view in VIEWS}
        for rule in self.beside:
            tiles = self.find_tiles(rule.tile)
            others = [other for name in rule.others for other in self.find_tiles(name)]
            for view in rule.views:
                for side in reorient_sides(SIDES if rule.sides == "any" else rule.sides, view):
                    here, there = SIDES.index(side), (SIDES.index(side) + 2) % 4
                    pairs = np.ix_(images[view][tiles], images[view][others])
                    is_allowed[here][pairs] = True
                    is_allowed[there].T[pairs] = True
        return is_allowed

    def find_tiles(self, name: str) -> list[int]:
        """Return the id of the tile with a name, or else the ids of all tiles of a kind."""
        number = self.by_name.get(name)
        return [number] if number is not None else list(self._by_kind.get(name, ()))

    @cached_property
    def _by_kind(self) -> dict[str, list[int]]:
        """Tile ids by kind."""
        found: dict[str, list[int]] = {}
        for number, tile in enumerate(self.tiles):
            found.setdefault(tile.kind, []).append(number)
        return found

    # -- construction ---------------------------------------------------------------------------------------

    @classmethod
    def from_labels(cls, labels: Iterable[str], name: str = "unnamed") -> Tileset:
        """Return a tileset with generated colors and glyphs. A label of one character is its own glyph.

        No tile may have the name `?`, so the label `?` becomes the tile `question mark` with the glyph `?`.

        Parameters
        ----------
        labels
            Names of the tiles.
        name
            Name of the tileset.

        Returns
        -------
        Tileset
            The tileset.

        Examples
        --------
        >>> [tile.glyph for tile in Tileset.from_labels(["#", ".", "?"])]
        ['#', '.', '?']
        """
        question_mark = {"name": QUESTION_MARK, "glyph": FREE_GLYPH}
        tiles = [
            question_mark
            if label in (FREE_GLYPH, QUESTION_MARK)
            else {"name": label, "glyph": label if len(label) == 1 else ""}
            for label in labels
        ]
        return cls.validate({"name": name, "tiles": tiles})

    def with_tiles(self, tiles: Iterable[str | Tile | Mapping[str, Any]]) -> Tileset:
        """Return the tileset with tiles appended, except those whose name it already has.

        Parameters
        ----------
        tiles
            Tiles, names, or data of tiles. A glyph that is already in use is replaced by a generated one.

        Returns
        -------
        Tileset
            The longer tileset, or this one if it has all the tiles.

        Raises
        ------
        TooLarge
            If there are more than `MAX_TILES` tiles.
        """
        missing: dict[str, dict[str, Any]] = {}
        for tile in tiles:
            # The sprite is dropped, because it is a position in another sheet.
            fields = tile.model_dump(exclude={"sprite"}) if isinstance(tile, Tile) else {}
            fields |= {"name": tile} if isinstance(tile, str) else tile if isinstance(tile, Mapping) else {}
            if fields.get("glyph") in self.by_glyph:
                del fields["glyph"]
            if fields["name"] not in self.by_name:
                missing[fields["name"]] = fields
        if not missing:
            return self
        if len(self) + len(missing) > MAX_TILES:
            raise TooLarge(f"a tileset holds at most {MAX_TILES:,} tiles, {len(self) + len(missing):,} are needed")
        tiles, rules = [*self.tiles, *missing.values()], {"joints": self.joints, "beside": self.beside}
        longer = self.validate({"name": self.name, "tiles": tiles, **rules})
        return longer.model_copy(update={"sheet": self.sheet, "skins": self.skins, "game": self.game})


def _find_picture(tileset: Tileset, data: Mapping[str, Any], resolver: Resolver) -> Tileset:
    """Return a tileset with the picture that its data contains or names by digest.

    If the picture is missing, the tiles are drawn as in the base tileset.
    """
    sheet = tileset.sheet
    if sheet is None or not sheet.data:
        return tileset
    if picture := sheet.picture or resolver.find_picture(sheet.data, sheet.image):
        return files.get().fit_sheet(tileset.model_copy(update={"sheet": sheet.with_picture(picture, "")}))
    skins = [skin for skin in data.get("skins", ()) if Skin.validate(skin).is_drawn]
    tiles = [{key: value for key, value in dict(tile).items() if key != "sprite"} for tile in data.get("tiles", ())]
    bare = {key: value for key, value in data.items() if key != "sheet"} | {"skins": skins, "tiles": tiles}
    return tileset.model_copy(update={"skins": Tileset.validate(bare).skins})


def _find_unknown(at: str, pairs: Iterable[tuple[str, str]], known: Collection[str], text: str) -> list[Problem]:
    """Return problems of the first pairs of a subject and a name that is not known."""
    unknown = islice((pair for pair in pairs if pair[1] not in known), MAX_PROBLEMS)
    return [problem(f"{subject}: {text} {name!r}{did_you_mean(name, known)}", at=at) for subject, name in unknown]


def _explain_ground(name: str, things: Collection[str]) -> str:
    """Return why a tile cannot be drawn over the tile with this name."""
    if name in things:
        return f"over must be a tile that is not itself over another, got {name!r}"
    return f"over must be the name of a tile or {ANY_GROUND}, got {name!r}"


def _merge_base(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a tileset merged with the tileset that it extends."""
    from .tilesets import tilesets

    own = {key: value for key, value in values.items() if key != "extends"}
    if not isinstance(values["extends"], str):
        raise InvalidRecipe("must be the name of a tileset", at="extends", got=values["extends"])
    base = tilesets.get(values["extends"])
    given, joints, skins = own.get("tiles", ()), own.get("joints", ()), own.get("skins", ())
    for part in (given, joints, skins):
        if not isinstance(part, (list, tuple)) or not all(isinstance(one, Mapping) for one in part):
            return own  # Validation reports the mistake.
    # Sprites are positions in the sheet of the base tileset.
    tiles = [tile.model_dump(exclude={"sprite"} if own.get("sheet") else None) for tile in base]
    for tile in given:
        name, code = tile.get("name"), tile.get("code")
        places = [
            place for place, one in enumerate(base) if one.name == name or (code is not None and one.code == code)
        ]
        if len(places) > 1:
            both = " and ".join(repr(base[place].name) for place in places)
            subject = f"the tile {short_repr(name)} with the code {short_repr(code)}"
            raise InvalidRecipe(f"{subject} matches two tiles of {base.name!r}: {both}")
        if places:
            tiles[places[0]].update(tile)
        else:
            tiles.append(dict(tile))
    own_kinds = [joint.get("kind") for joint in joints]
    inherited = [joint for joint in base.joints if joint.kind not in own_kinds]
    return {
        "sheet": base.sheet,
        "beside": base.beside,
        "game": base.game,
        **own,
        "tiles": tiles,
        "joints": [*inherited, *joints],
        "skins": _merge_skins(base, given, skins, has_sheet=bool(own.get("sheet"))),
    }


def _merge_skins(
    base: Tileset, tiles: Iterable[Mapping[str, Any]], skins: Iterable[Mapping[str, Any]], *, has_sheet: bool
) -> list[Skin | Mapping[str, Any]]:
    """Return the skins of a tileset that extends another.

    The skins of a tile replace those of the base tileset, at the same place in the drawing order. Skins of other tiles
    follow. If the tileset has a sheet of its own, base skins with a sprite in the other sheet are left out, and so are
    those of tiles that have a sprite, and further skins of a tile toward tiles with own sprites, such as shadows.
    """
    shown = {number for tile in tiles if "sprite" in tile for number in base.find_tiles(str(tile.get("name")))}
    skinned = {number for skin in skins for number in base.find_tiles(str(skin.get("tile")))}
    merged: list[Skin | Mapping[str, Any]] = []
    placed: list[str] = []
    for position, skin in enumerate(base.skins):
        own = [one for one in skins if one.get("tile") == skin.tile]
        is_further = any(other.tile == skin.tile for other in base.skins[:position])
        toward = {number for name in skin.toward if is_further for number in base.find_tiles(name)}
        if own:
            merged += [] if skin.tile in placed else own
            placed.append(skin.tile)
        elif not has_sheet or (
            skin.is_drawn and not shown.intersection(base.find_tiles(skin.tile)) and not toward & (shown | skinned)
        ):
            merged.append(skin)
    return [*merged, *(one for one in skins if one.get("tile") not in placed)]
