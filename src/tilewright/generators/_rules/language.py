"""The rule language: every section of a rule book as a model, read from fields or from ProcEngine's compact strings.

Each model's `compact` is the string that makes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ...core.errors import InvalidRecipe, pluralize, short_repr
from ...core.params import MAX_AREA, MAX_SIDE, Params, param
from ...core.tileset import read_name
from . import compact
from .compact import Operator
from .compact_model import AlsoAccepts, CompactModel, Parser, Section, parse_one_of

MAX_NAMES = 255
MAX_ROOMS = 16_384
MAX_MATRIX_SIZE = 99

Word: TypeAlias = Annotated[str, BeforeValidator(compact.parse_word), Field(min_length=1, max_length=80)]
Row: TypeAlias = Annotated[tuple[Literal[0, 1], ...], AlsoAccepts(("string",))]
Offsets: TypeAlias = tuple[tuple[int, int], ...]
"""(row, column) from a cell to its neighbours."""


class NamedTile(CompactModel):
    """A tile that the rules speak of."""

    model_config = ConfigDict(json_schema_extra={"noun": "tile"})
    name: Annotated[Word, AfterValidator(read_name)] = param(
        tiles=True, control="text", unique=True, suggestions="palette"
    )
    """What it is called; small and capital letters are the same."""
    maximum: int = param(-1, ge=-1, le=MAX_AREA, label="at most", means={"any number": -1})
    """So many are placed in a map at most; -1 for any number."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_name)

    @property
    def compact(self) -> str:
        return f"{self.name}:{self.maximum}"


class Neighbourhood(CompactModel):
    """Which cells around a cell are looked at."""

    name: Word = param(unique=True)
    """What rules call it."""
    matrix: Annotated[tuple[Row, ...], AlsoAccepts(("string",))] = param(
        min_length=1,
        max_length=MAX_MATRIX_SIZE,
        control="matrix",
        initial=((0, 1, 0), (1, 0, 1), (0, 1, 0)),
        peek=True,
    )
    """Rows of 0 and 1; the cell itself is in the middle, of an even number right of or below it."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_neighbourhood)

    @field_validator("matrix", mode="before")
    @classmethod
    def _parse_rows(cls, value: Any) -> Any:
        return compact.parse_matrix(value)

    @field_validator("matrix")
    @classmethod
    def _check_rectangle(cls, rows: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        for at, row in enumerate(rows):
            if len(row) != len(rows[0]):
                digits = "".join(map(str, row))
                raise InvalidRecipe(f"row {at} ({digits}) is {len(row)} long, the first one {len(rows[0])}")
        if len(rows[0]) > MAX_MATRIX_SIZE:
            raise InvalidRecipe(f"a row has at most {MAX_MATRIX_SIZE} numbers, got {len(rows[0])}")
        return rows

    @property
    def rows(self) -> str:
        """The matrix in one string."""
        return ",".join("".join(map(str, row)) for row in self.matrix)

    @property
    def compact(self) -> str:
        return f"{self.name}:{self.rows}"

    @cached_property
    def offsets(self) -> Offsets:
        """Every 1 of the matrix, as seen from its centre."""
        centre = len(self.matrix) // 2, len(self.matrix[0]) // 2
        return tuple(
            (row - centre[0], column - centre[1])
            for row, digits in enumerate(self.matrix)
            for column, digit in enumerate(digits)
            if digit
        )


class WeightedTile(CompactModel):
    """A tile to be drawn by its weight."""

    model_config = ConfigDict(json_schema_extra={"noun": "tile"})
    tile: Word = param(tiles=True)
    """One of the names."""
    weight: float = param(1.0, ge=0, le=1e12, share=True)
    """How often it is drawn, beside the weights of the others."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_weighted)

    @property
    def compact(self) -> str:
        return f"{self.tile}:{int(self.weight) if self.weight == int(self.weight) else self.weight!r}"


def _split_bars(value: Any) -> Any:
    """Weighted tiles or conditions in one string are parted by upright bars."""
    return compact.split_bars(value) if isinstance(value, str) else value


def _check_weights(tiles: tuple[WeightedTile, ...]) -> tuple[WeightedTile, ...]:
    if not any(one.weight for one in tiles):
        raise InvalidRecipe(f"the weights are all zero in {short_repr(join_bars(tiles))}")
    return tiles


LimitedLength = Field(min_length=1, max_length=255)
SplitBars = BeforeValidator(_split_bars)
WeightedTiles: TypeAlias = Annotated[
    tuple[WeightedTile, ...], LimitedLength, SplitBars, AfterValidator(_check_weights), AlsoAccepts(("string",))
]


def join_bars(tiles: Iterable[WeightedTile | Condition]) -> str:
    return "|".join(one.compact for one in tiles)


class Condition(CompactModel):
    """How many neighbours of a kind there must be."""

    tile: Word = param(tiles=True)
    """The neighbours that count."""
    operator: Operator = param(">", labels={">=": "≥", "<=": "≤", "==": "=", "!=": "≠"})
    """How their number is compared."""
    count: int = param(0, ge=-1_000_000, le=1_000_000)
    """What their number is compared with."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_condition)

    @property
    def compact(self) -> str:
        return f"{self.tile}{self.operator}{self.count}"


class Rule(CompactModel):
    """A cell of one kind whose neighbours are so becomes another."""

    model_config = ConfigDict(json_schema_extra={"control": "rule"})
    tile: Word = param(tiles=True, label="a cell of")
    """The rule is for cells that hold this tile."""
    neighbourhood: Word = param("all", names_of="neighbourhoods", label="if in")
    """Which cells around it are counted."""
    combine: Literal["and", "or"] = param(
        "and", label="such that", labels={"and": "all of these hold", "or": "one of these holds"}
    )
    """Whether all conditions must hold, or one of them."""
    conditions: Annotated[tuple[Condition, ...], LimitedLength, SplitBars, AlsoAccepts(("string",))] = param(
        label="there are"
    )
    """What must be around it."""
    replacements: WeightedTiles = param(label="becomes")
    """What it becomes: one of these, drawn by weight."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_rule)

    @property
    def compact(self) -> str:
        parts = self.tile, self.neighbourhood, self.combine, join_bars(self.conditions), join_bars(self.replacements)
        return ",".join(parts)


class ConnectivityFix(CompactModel):
    """What is done about parts that do not hang together: cells that do not hold the initial tile."""

    kind: Literal["connect", "delete", "none"] = param(
        "connect", labels={"connect": "connect by tunnels", "delete": "keep the largest", "none": "leave them"}
    )
    """Dig tunnels between them, keep the largest alone, or nothing."""
    neighbourhood: Word = param("plus", names_of="neighbourhoods", hidden_unless=("kind", "connect", "delete"))
    """Which cells hang together; it counts both ways."""
    thickness: int = param(1, ge=1, le=64, typical=(1, 5), hidden_unless=("kind", "connect"))
    """Width of the tunnels in cells."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_fix)

    @property
    def compact(self) -> str:
        return f"{self.kind}:{self.neighbourhood}:{self.thickness}"


class Equal(Params):
    """A grid of equal cells; each without its outermost ring is a room."""

    kind: Literal["equal"] = param("equal")
    """A grid of equal rooms."""
    columns: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Rooms side by side."""
    rows: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Rooms one below the other."""
    rooms: int = param(1, ge=1, le=MAX_ROOMS, typical=(1, 20))
    """How many of them there are; the others are dropped by chance."""

    @property
    def compact(self) -> str:
        return f"equal:{self.columns}x{self.rows}:{self.rooms}"

    def count_max_rooms(self, width: int, height: int) -> int:
        """How many rooms a map of this size has place for."""
        return self.columns * self.rows if width // self.columns >= 3 and height // self.rows >= 3 else 0

    def list_room_sizes(self, width: int, height: int) -> list[tuple[int, int]]:
        """(width, height) of the rooms."""
        return [(width // self.columns - 2, height // self.rows - 2)]


class Tree(Params):
    """The map cut in two again and again; each part without its outermost ring is a room."""

    kind: Literal["tree"] = param("tree")
    """Rooms of different sizes."""
    width: int = param(3, ge=1, le=MAX_SIDE, typical=(1, 20), group="size")
    """Least width of a room."""
    height: int = param(3, ge=1, le=MAX_SIDE, typical=(1, 20), group="size")
    """Least height of a room."""
    rooms: int = param(1, ge=1, le=MAX_ROOMS, typical=(1, 20))
    """How many rooms there are."""

    @property
    def compact(self) -> str:
        return f"tree:{self.width}x{self.height}:{self.rooms}"

    def count_max_rooms(self, width: int, height: int) -> int:
        return (width // (self.width + 2)) * (height // (self.height + 2))

    def list_room_sizes(self, width: int, height: int) -> list[tuple[int, int]]:
        """(width, height): where cells of rooms that small hang together, those of larger ones do too.

        Two rooms of a size, one cell apart, overlap in all but one column and cover the next size, unless they have
        one column only: so two columns and rows are looked at beside one.
        """
        if self.rooms == 1:
            return [(width - 2, height - 2)]
        widths, heights = ((least, max(2, least)) for least in (self.width, self.height))
        return [(width, height) for width in widths for height in heights]


class WholeMap(Params):
    """The map, or a rectangle of it."""

    kind: Literal["map"] = param("map")
    """The map, whatever its rooms are."""
    rectangle: tuple[int, int, int, int] | None = param(None, label="only within", labels={"null": "all"})
    """x, y, width, height; all of the map when left out."""

    @property
    def compact(self) -> str:
        return f"map:{','.join(map(str, self.rectangle)) if self.rectangle else -1}"


class Rooms(Params):
    """All rooms, or some of them."""

    kind: Literal["room"] = param("room")
    """Each room by itself."""
    ids: tuple[Annotated[int, Field(ge=0, lt=MAX_ROOMS)], ...] | None = param(
        None, label="only rooms", labels={"null": "all"}
    )
    """Which ones, counted from 0 in the order of their shuffle; all when left out."""

    @field_validator("ids")
    @classmethod
    def _drop_duplicates(cls, ids: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if ids is not None and not ids:
            raise InvalidRecipe("at least one room is needed; leave it out for all rooms", rule="conflict")
        return None if ids is None else tuple(dict.fromkeys(ids))

    @property
    def compact(self) -> str:
        return f"room:{','.join(map(str, self.ids)) if self.ids else -1}"


Division: TypeAlias = Annotated[
    Equal | Tree,
    Field(discriminator="kind"),
    parse_one_of(compact.parse_division, Equal, Tree),
    AlsoAccepts(("string",)),
]
Place: TypeAlias = Annotated[
    WholeMap | Rooms,
    Field(discriminator="kind"),
    parse_one_of(compact.parse_place, WholeMap, Rooms),
    AlsoAccepts(("string",)),
]
SECTION_FORMS = AlsoAccepts(("array", "string"), (("items", {}), ("maxItems", 3)))
"""Sections may come as a list of their parts, or with commas between those."""


def _from_list(value: Any, names: Sequence[str], section: str) -> Any:
    """A section's parts by position, or in one string; those left out at the end are as usual."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) > len(names):
        hint = "; in YAML, what has commas within [ ] needs quotes" if section == "genData" else ""
        most = pluralize(len(names), "part")
        raise InvalidRecipe(f"{section} has at most {most}, got {len(value)}: {short_repr(value)}{hint}")
    return dict(zip(names, value, strict=False))


GEN_DATA = {
    "^genData$": {
        "description": "Simulations, place and fix in place of the fields, such as 4, room:-1, connect:plus:1.",
        "type": ["array", "string"],
        "maxItems": 3,
    }
}
"""Beside the fields of a layer: it is no field of its own."""


class MapData(Section):
    """What the map is filled with, and dug with."""

    also_accepts = SECTION_FORMS
    initial: Word = param("solid", tiles=True, label="filled with")
    """The tile that fills the map at first."""
    dig: Word = param("empty", tiles=True, label="dug with")
    """The tile that tunnels are dug with."""
    fix: ConnectivityFix | None = param(None, label="loose parts")
    """What is done about unconnected parts of the finished map."""

    @model_validator(mode="before")
    @classmethod
    def _from_parts(cls, value: Any) -> Any:
        value = _from_list(value, ("tiles", "fix"), "mapData")
        if not isinstance(value, Mapping) or "tiles" not in value:
            return value
        rest = dict(value)
        tiles = rest.pop("tiles")
        if not isinstance(tiles, str):
            raise InvalidRecipe(f"{compact.TILES}", got=tiles)
        initial, dig = compact.parse_tiles(tiles)
        return {"initial": initial, "dig": dig, **rest}

    @property
    def compact(self) -> list[str]:
        tiles = f"{self.initial}:{self.dig}"
        return [tiles, self.fix.compact] if self.fix else [tiles]


class RoomData(Section):
    """How the map is divided into rooms, and what they are filled with."""

    also_accepts = SECTION_FORMS
    division: Division = param(Equal(), labels={"equal": "equal rooms", "tree": "rooms of all sizes"})
    """How rooms are cut out of the map."""
    start: WeightedTiles | None = param(None, label="filled with")
    """What every cell of a room starts as: one of these, drawn by weight; what is dug with when left out."""
    fix: ConnectivityFix | None = param(None, label="loose parts")
    """What is done about unconnected parts of each room before the first layer."""

    @model_validator(mode="before")
    @classmethod
    def _from_parts(cls, value: Any) -> Any:
        return _from_list(value, ("division", "start", "fix"), "roomData")

    @property
    def compact(self) -> list[str]:
        parts = self.division.compact, *([join_bars(self.start)] if self.start else [])
        return [*parts, self.fix.compact] if self.fix else [*parts]


class Layer(Params):
    """A cellular automaton over the map or its rooms, and what is done about unconnected parts after it."""

    model_config = ConfigDict(json_schema_extra={"control": "layer"})
    extra_keys: ClassVar[tuple[str, ...]] = ("genData",)
    simulations: int = param(0, ge=0, le=10_000, typical=(0, 10))
    """How often all of its rules are applied."""
    where: Place = param(Rooms(), labels={"map": "the whole map", "room": "every room"})
    """Where it works."""
    fix: ConnectivityFix = param(ConnectivityFix(), label="loose parts")
    """What is done about unconnected parts afterwards, in each of these places."""
    rules: tuple[Rule, ...] = param((), max_length=1000, peek=True)
    """Its rules; where several hold for a cell, the last one counts."""

    @model_validator(mode="before")
    @classmethod
    def _from_parts(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or "genData" not in value:
            return value
        rest = dict(value)
        parts = _from_list(rest.pop("genData"), ("simulations", "where", "fix"), "genData")
        if not isinstance(parts, Mapping):
            raise InvalidRecipe("genData is a list of simulations, place and fix", got=parts, rule="type")
        if isinstance(parts.get("simulations"), str):
            parts = {**parts, "simulations": compact.parse_integer(parts["simulations"], "simulations")}
        return {**parts, **rest}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        found = handler(schema)
        if handler.mode == "validation":
            handler.resolve_ref_schema(found)["patternProperties"] = GEN_DATA
        return found

    @property
    def compact(self) -> dict[str, list[str]]:
        parts = [str(self.simulations), self.where.compact, self.fix.compact]
        return {"genData": parts, "rules": [rule.compact for rule in self.rules]}


PLUS = Neighbourhood.validate(compact.parse_neighbourhood("plus:010,101,010"))
ALL = Neighbourhood.validate(compact.parse_neighbourhood("all:111,101,111"))
