"""Tilesets: an ordered list of tiles. A tile's id is its position."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from os import PathLike, fsdecode
from pathlib import PurePosixPath
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, PrivateAttr, field_validator, model_validator

from .appearance import FREE_GLYPH, Rgb, fill_appearance, read_color, read_glyph, read_rgb
from .deprecation import renamed_members
from .errors import InvalidRecipe, Problem, TooLarge, UnknownName, did_you_mean, problem, short_repr
from .params import Params, param
from .pieces import SIDES, VIEWS, Beside, Joint, read_sides, reorient_sides
from .resolver import Resolver

MAX_TILES = 65_536


def read_name(name: str) -> str:
    if name == FREE_GLYPH:
        raise ValueError(f"{FREE_GLYPH!r} stands for a free cell; call the tile otherwise")
    return name


class Tile(Params):
    """One kind of cell."""

    name: Annotated[str, AfterValidator(read_name)] = param(min_length=1, max_length=80)
    """What people, recipes and files call it; not `?`, which stands for a free cell."""
    glyph: Annotated[str, AfterValidator(read_glyph)] = param("")
    """One character but `?`, unique in the tileset, one terminal cell wide; picked when left out."""
    color: Annotated[str, AfterValidator(read_color)] = param("")
    """Its colour in pictures and terminals, #rrggbb; picked when left out."""
    passable: bool = param(True)
    """Whether one can walk there."""
    sprite: int | None = param(None, ge=0, lt=1 << 31)
    """Its position in the tileset's picture, counted row by row."""
    kind: str = param("")
    """What it is a case of, such as road or wall; also chooses the drawn texture."""
    joins: Annotated[str, AfterValidator(read_sides)] = param("")
    """The sides where a piece goes on, of n, e, s and w; of a beach, the side of the land."""
    country: str = param("")
    """Whose it is, such as a city on a map for a war game; neutral where anybody may take it."""
    defence: float | None = param(None, ge=0, le=1000)
    """How well it shelters what stands there, in the stars of a war game."""
    costs: tuple[tuple[str, float], ...] = param(())
    """Movement costs by mover."""
    weight: float = param(1.0, gt=0, le=1_000_000, typical=(0.1, 10))
    """How common it is, beside others, where tiles are put together by rules."""
    code: int | None = param(None, ge=-(1 << 63), lt=1 << 63)
    """A foreign number for it, such as a game's own tile id."""

    @field_validator("costs", mode="before")
    @classmethod
    def _sort_costs(cls, value: Any) -> Any:
        return tuple(sorted(value.items(), key=lambda pair: str(pair[0]))) if isinstance(value, Mapping) else value

    @property
    def rgb(self) -> Rgb:
        return read_rgb(self.color)


class Sheet(Params):
    """A tileset's own picture: sprites in rows, all of one size."""

    image: str = param(min_length=1)
    """File name of the picture, relative to the tileset's file."""
    tile_width: int = param(16, ge=1, le=1024)
    """Width of a sprite in pixels."""
    tile_height: int = param(16, ge=1, le=1024)
    """Height of a sprite in pixels."""
    columns: int = param(16, ge=1, le=4096)
    """Sprites in a row of the picture; counted in it when left out."""
    margin: int = param(0, ge=0, le=1024)
    """Pixels around the whole picture."""
    spacing: int = param(0, ge=0, le=1024)
    """Pixels between two sprites."""
    _picture: bytes = PrivateAttr(b"")
    _path: str = PrivateAttr("")

    @property
    def picture(self) -> bytes:
        """The picture file's content; empty when it was not read."""
        return self._picture

    @property
    def path(self) -> str:
        """Where the picture lies on this machine, for files that point at it; never recorded."""
        return self._path

    def with_picture(self, picture: bytes, path: str) -> Sheet:
        """The same sheet with its picture."""
        sheet = self.model_copy()
        sheet._picture, sheet._path = picture, path
        return sheet

    def to_data(self) -> dict[str, Any]:
        """Plain data that makes it again, the picture by its bare name: folders are nobody else's business."""
        name = PurePosixPath(self.image.replace("\\", "/")).name
        return {**self.model_dump(), "image": name or "picture"}

    def __eq__(self, other: object) -> bool:
        """Equal by what is recorded: whether and where the picture was found is not part of a tileset."""
        return isinstance(other, Sheet) and self.to_data() == other.to_data()

    def __hash__(self) -> int:
        return hash(tuple(self.to_data().values()))


@renamed_members(of_words="from_labels", extended="with_tiles", turned="reorient_tiles")
class Tileset(Params):
    """An ordered list of tiles; made from TOML, data, or the words of a sample."""

    name: str = param("unnamed", min_length=1)
    """What it is called."""
    tiles: tuple[Tile, ...] = param(min_length=1)
    """The tiles; a tile's id is its position here."""
    sheet: Sheet | None = param(None)
    """Its own picture, if it has one."""
    joints: tuple[Joint, ...] = param(())
    """What the pieces of each kind may meet where they go on."""
    beside: tuple[Beside, ...] = param(())
    """Which tiles may stand beside which; where there are any such rules, no others may."""

    @model_validator(mode="before")
    @classmethod
    def _fill_appearance(cls, values: Any) -> Any:
        """Tiles may leave glyph and colour out; those picked differ from all that were given."""
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
        named = ((joint.kind, word) for joint in self.joints for word in (joint.kind, *joint.mentioned_kinds))
        problems += [
            problem(f"{kind}: no tile is of the kind {word!r}{did_you_mean(word, kinds)}", at="joints")
            for kind, word in named
            if word not in kinds
        ]
        words = {*kinds, *(tile.name for tile in self.tiles)}
        asked = ((rule.tile, word) for rule in self.beside for word in (rule.tile, *rule.others))
        problems += [
            problem(f"{tile}: no tile and no kind is called {word!r}{did_you_mean(word, words)}", at="beside")
            for tile, word in asked
            if not word or word not in words
        ]
        return problems[:5]

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Tileset:
        """A tileset from itself, its data, or a name or path that the resolver knows."""
        if isinstance(value, Tileset):
            return value
        if isinstance(value, (str, PathLike)):
            return (resolver or Resolver()).read_tileset(fsdecode(value))
        if isinstance(value, Mapping):
            return cls.validate(value)
        raise InvalidRecipe("must be a tileset's name or its tiles", got=value, rule="type")

    @classmethod
    def from_toml(cls, text: str, name: str = "unnamed") -> Tileset:
        """Read a tileset's TOML: `name`, an optional `[sheet]`, and a `[[tiles]]` table per tile.

        With `extends = "awbw"` it begins with the tiles and joints of that one. A tile with the name or the code of one
        of them takes its place and changes what it tells; the others follow.
        """
        try:
            values = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InvalidRecipe(f"tileset {name!r}: not TOML: {error}", rule="format") from None
        try:
            return cls.validate({"name": name, **values})
        except InvalidRecipe as error:
            raise error.within(f"tileset {name!r}") from None

    def to_data(self) -> dict[str, Any]:
        """Plain data that makes it again: what is at its default is left out."""
        tiles = []
        for tile in self.tiles:
            values = tile.model_dump(exclude_defaults=True)
            if tile.costs:
                values["costs"] = dict(tile.costs)
            tiles.append(values)
        data: dict[str, Any] = {"name": self.name}
        if self.sheet:
            data["sheet"] = self.sheet.to_data()
        if self.joints:
            data["joints"] = [joint.to_data() for joint in self.joints]
        if self.beside:
            data["beside"] = [rule.model_dump(exclude_defaults=True) for rule in self.beside]
        return {**data, "tiles": tiles}

    @cached_property
    def digest(self) -> str:
        """Names the content: equal tilesets, equal digests."""
        return blake2b(json.dumps(self.to_data()).encode(), digest_size=16).hexdigest()

    # -- looking things up ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.tiles)

    def __getitem__(self, number: int) -> Tile:
        return self.tiles[number]

    def __iter__(self) -> Iterator[Tile]:  # type: ignore[override]
        return iter(self.tiles)

    def find(self, label: str | int) -> int | None:
        """The id of a tile by name, then glyph, then number; None when there is no such tile."""
        if isinstance(label, str):
            number = self.by_name.get(label)
            number = self.by_glyph.get(label) if number is None else number
            if number is not None:
                return number
            if not re.fullmatch(r"\d{1,5}", label, re.ASCII):
                return None
        return int(label) if 0 <= int(label) < len(self.tiles) else None

    def id(self, label: str | int) -> int:
        """The id of a tile by name, glyph or number."""
        number = self.find(label)
        if number is None:
            raise UnknownName("tile", label, self.by_name, f"tileset {self.name!r}")
        return number

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(tile.name for tile in self.tiles)

    @cached_property
    def by_name(self) -> dict[str, int]:
        return {tile.name: number for number, tile in enumerate(self.tiles)}

    @cached_property
    def by_glyph(self) -> dict[str, int]:
        return {tile.glyph: number for number, tile in enumerate(self.tiles)}

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of the cells of its maps: by the tileset and never by the data."""
        return np.dtype(np.uint8 if len(self.tiles) <= 256 else np.uint16)

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """(tile, 3) red, green, blue."""
        return np.array([tile.rgb for tile in self.tiles], dtype=np.uint8)

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """(tile,) whether one can walk there."""
        return np.array([tile.passable for tile in self.tiles], dtype=np.bool_)

    # -- pieces ---------------------------------------------------------------------------------------------

    def reorient_tiles(self, view: str) -> NDArray[np.int64]:
        """(tile,) the tile that takes a tile's place when a map is turned over.

        A move is written in steps: x swaps left and right, y top and bottom, d the two axes. A piece becomes the one of
        its kind and country that goes on at the turned sides; where there is none, it stays.
        """
        found = {
            (tile.kind, tile.country, tile.joins): number for number, tile in reversed(list(enumerate(self.tiles)))
        }
        images = np.arange(len(self.tiles))
        for number, tile in enumerate(self.tiles):
            if tile.joins:
                images[number] = found.get((tile.kind, tile.country, reorient_sides(tile.joins, view)), number)
        return images

    @cached_property
    def neighbours(self) -> NDArray[np.bool_]:
        """(side, tile, other tile) whether `beside` lets the other stand at that side of the first."""
        fits = np.zeros((4, len(self), len(self)), dtype=np.bool_)
        turned = {move: self.reorient_tiles(move) for move in VIEWS}
        for rule in self.beside:
            tiles, others = (
                self._find_tiles(rule.tile),
                [other for word in rule.others for other in self._find_tiles(word)],
            )
            for move in rule.views:
                for side in reorient_sides(SIDES if rule.sides == "any" else rule.sides, move):
                    here, there = SIDES.index(side), (SIDES.index(side) + 2) % 4
                    pairs = np.ix_(turned[move][tiles], turned[move][others])
                    fits[here][pairs] = True
                    fits[there].T[pairs] = True
        return fits

    def _find_tiles(self, word: str) -> list[int]:
        """The tile of a name, or else all tiles of a kind."""
        number = self.by_name.get(word)
        return [number] if number is not None else [n for n, tile in enumerate(self.tiles) if tile.kind == word]

    # -- making other ones ----------------------------------------------------------------------------------

    @classmethod
    def from_labels(cls, labels: Iterable[str], name: str = "unnamed") -> Tileset:
        """A tileset for bare words: a single character is its own glyph, the rest is picked.

        `?` stands for a free cell everywhere, so as a word it becomes the tile `question mark`, drawn as `¿`.
        """
        names = list(labels)
        tiles = [{"name": word, "glyph": word} if len(word) == 1 else {"name": word} for word in names]
        if FREE_GLYPH in names:
            stand_in = {"name": "question mark"} if "¿" in names else {"name": "question mark", "glyph": "¿"}
            tiles[names.index(FREE_GLYPH)] = stand_in
        return cls.validate({"name": name, "tiles": tiles})

    def with_tiles(self, tiles: Iterable[str | Tile | Mapping[str, Any]]) -> Tileset:
        """With tiles appended that it lacks, by name; a Tile keeps its looks, save for a glyph that is taken.

        Data for a tile may leave its looks out.
        """
        missing: dict[str, dict[str, Any]] = {}
        for tile in tiles:
            # Not its sprite, which is a position in another tileset's picture.
            looks = tile.model_dump(exclude={"sprite"}) if isinstance(tile, Tile) else {}
            looks |= {"name": tile} if isinstance(tile, str) else tile if isinstance(tile, Mapping) else {}
            if looks.get("glyph") in self.by_glyph:
                del looks["glyph"]
            if looks["name"] not in self.by_name:
                missing[looks["name"]] = looks
        if not missing:
            return self
        if len(self) + len(missing) > MAX_TILES:
            raise TooLarge(f"a tileset holds at most {MAX_TILES:,} tiles, {len(self) + len(missing):,} are needed")
        tiles, rules = [*self.tiles, *missing.values()], {"joints": self.joints, "beside": self.beside}
        longer = self.validate({"name": self.name, "tiles": tiles, **rules})
        return longer.model_copy(update={"sheet": self.sheet})


def _merge_base(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a tileset tells, laid over what the one that it extends tells."""
    from .registry import tilesets

    own = {key: value for key, value in values.items() if key != "extends"}
    if not isinstance(values["extends"], str):
        raise InvalidRecipe("must be the name of a tileset", at="extends", got=values["extends"])
    base = tilesets.get(values["extends"])
    given, joints = own.get("tiles", ()), own.get("joints", ())
    for part in (given, joints):
        if not isinstance(part, (list, tuple)) or not all(isinstance(one, Mapping) for one in part):
            return own  # checking will tell what is wrong with it
    # With a picture of its own, positions in the other's mean nothing.
    tiles = [tile.model_dump(exclude={"sprite"} if own.get("sheet") else None) for tile in base]
    for tile in given:
        name, code = tile.get("name"), tile.get("code")
        places = [
            place for place, one in enumerate(base) if one.name == name or (code is not None and one.code == code)
        ]
        if len(places) > 1:
            both = " and ".join(repr(base[place].name) for place in places)
            raise InvalidRecipe(
                f"the tile {short_repr(name)} with the code {short_repr(code)} is two of {base.name!r}: {both}"
            )
        if places:
            tiles[places[0]].update(tile)
        else:
            tiles.append(dict(tile))
    told = [joint.get("kind") for joint in joints]
    inherited = [joint for joint in base.joints if joint.kind not in told]
    return {"sheet": base.sheet, "beside": base.beside, **own, "tiles": tiles, "joints": [*inherited, *joints]}
