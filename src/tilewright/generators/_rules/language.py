"""The rule language: every section of a rulebook as a model, read from fields or from ProcEngine's compact strings.

Each model's `compact` is the string from which it can be read again.
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
from .compact import AlsoAccepts, CompactModel, Operator, Parser, Section, parse_one_of

MAX_NAMES = 255
MAX_ROOMS = 16_384
MAX_MATRIX_SIZE = 99

Word: TypeAlias = Annotated[str, BeforeValidator(compact.parse_word), Field(min_length=1, max_length=80)]
Row: TypeAlias = Annotated[tuple[Literal[0, 1], ...], AlsoAccepts(("string",))]
Offsets: TypeAlias = tuple[tuple[int, int], ...]
"""Offsets (row, column) from a cell to its neighbors."""


class NamedTile(CompactModel):
    """Tile that the rules use."""

    model_config = ConfigDict(json_schema_extra={"noun": "tile"})
    name: Annotated[Word, AfterValidator(read_name)] = param(
        tiles=True, control="text", unique=True, suggestions="palette"
    )
    """Name of the tile; case is ignored."""
    maximum: int = param(-1, ge=-1, le=MAX_AREA, label="at most", means={"any number": -1})
    """Maximum number of this tile in a map; -1 for no limit."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_name)

    @property
    def compact(self) -> str:
        return f"{self.name}:{self.maximum}"


class Neighbourhood(CompactModel):
    """Cells around a cell that are counted."""

    name: Word = param(unique=True)
    """Name that rules use."""
    matrix: Annotated[tuple[Row, ...], AlsoAccepts(("string",))] = param(
        min_length=1,
        max_length=MAX_MATRIX_SIZE,
        control="matrix",
        initial=((0, 1, 0), (1, 0, 1), (0, 1, 0)),
        peek=True,
    )
    """Rows of 0 and 1. The cell itself is in the middle; with an even size, right of or below it."""

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
                raise InvalidRecipe(f"row {at} ({digits}) must be as long as the first, {len(rows[0])}, got {len(row)}")
        if len(rows[0]) > MAX_MATRIX_SIZE:
            raise InvalidRecipe(f"a row must have at most {MAX_MATRIX_SIZE} numbers, got {len(rows[0])}")
        return rows

    @property
    def rows(self) -> str:
        """The matrix as one string."""
        return ",".join("".join(map(str, row)) for row in self.matrix)

    @property
    def compact(self) -> str:
        return f"{self.name}:{self.rows}"

    @cached_property
    def offsets(self) -> Offsets:
        """Offsets of every 1 of the matrix from its center."""
        centre = len(self.matrix) // 2, len(self.matrix[0]) // 2
        return tuple(
            (row - centre[0], column - centre[1])
            for row, digits in enumerate(self.matrix)
            for column, digit in enumerate(digits)
            if digit
        )


class WeightedTile(CompactModel):
    """Tile with a weight for random draws."""

    model_config = ConfigDict(json_schema_extra={"noun": "tile"})
    tile: Word = param(tiles=True)
    """One of the names."""
    weight: float = param(1.0, ge=0, le=1e12, share=True)
    """Relative weight with which the tile is drawn."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_weighted)

    @property
    def compact(self) -> str:
        return f"{self.tile}:{int(self.weight) if self.weight == int(self.weight) else self.weight!r}"


def _check_weights(tiles: tuple[WeightedTile, ...]) -> tuple[WeightedTile, ...]:
    """Raise InvalidRecipe if all weights are 0."""
    if not any(one.weight for one in tiles):
        raise InvalidRecipe(f"must have at least one positive weight, got {short_repr(join_bars(tiles))}")
    return tiles


LimitedLength = Field(min_length=1, max_length=255)
SplitBars = BeforeValidator(compact.split_bars)
WeightedTiles: TypeAlias = Annotated[
    tuple[WeightedTile, ...], LimitedLength, SplitBars, AfterValidator(_check_weights), AlsoAccepts(("string",))
]


def join_bars(tiles: Iterable[WeightedTile | Condition]) -> str:
    """Join compact strings by vertical bars."""
    return "|".join(one.compact for one in tiles)


class Condition(CompactModel):
    """Condition on the number of neighbors of a kind."""

    tile: Word = param(tiles=True)
    """Neighbors that are counted."""
    operator: Operator = param(">", labels={">=": "≥", "<=": "≤", "==": "=", "!=": "≠"})
    """Comparison of their number with the count."""
    count: int = param(0, ge=-1_000_000, le=1_000_000)
    """Number that theirs is compared with."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_condition)

    @property
    def compact(self) -> str:
        return f"{self.tile}{self.operator}{self.count}"


class Rule(CompactModel):
    """Rule that replaces a tile depending on its neighbors."""

    model_config = ConfigDict(json_schema_extra={"control": "rule"})
    tile: Word = param(tiles=True, label="a cell of")
    """Tile of the cells to which the rule applies."""
    neighbourhood: Word = param("all", names_of="neighbourhoods", label="if in")
    """Neighborhood in which tiles are counted."""
    combine: Literal["and", "or"] = param(
        "and", label="such that", labels={"and": "all of these hold", "or": "one of these holds"}
    )
    """Whether all conditions must hold, or only one of them."""
    conditions: Annotated[tuple[Condition, ...], LimitedLength, SplitBars, AlsoAccepts(("string",))] = param(
        label="there are"
    )
    """Conditions on the neighbors."""
    replacements: WeightedTiles = param(label="becomes")
    """Tiles that replace the cell's tile, drawn by weight."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_rule)

    @property
    def compact(self) -> str:
        parts = self.tile, self.neighbourhood, self.combine, join_bars(self.conditions), join_bars(self.replacements)
        return ",".join(parts)


class ConnectivityFix(CompactModel):
    """Fix for unconnected regions of cells other than the initial tile."""

    kind: Literal["connect", "delete", "none"] = param(
        "connect", labels={"connect": "connect by tunnels", "delete": "keep the largest", "none": "leave them"}
    )
    """Whether to dig tunnels between them, to keep only the largest, or to do nothing."""
    neighbourhood: Word = param("plus", names_of="neighbourhoods", hidden_unless=("kind", "connect", "delete"))
    """Neighborhood in which cells are connected, in both directions."""
    thickness: int = param(1, ge=1, le=64, typical=(1, 5), hidden_unless=("kind", "connect"))
    """Width of tunnels in cells."""

    parse_text: ClassVar[Parser] = staticmethod(compact.parse_fix)

    @property
    def compact(self) -> str:
        return f"{self.kind}:{self.neighbourhood}:{self.thickness}"


class Equal(Params):
    """Grid of equal parts; each part without its outermost ring is a room."""

    kind: Literal["equal"] = param("equal")
    """Grid of equal rooms."""
    columns: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Number of rooms per row."""
    rows: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Number of rows of rooms."""
    rooms: int = param(1, ge=1, le=MAX_ROOMS, typical=(1, 20))
    """Number of rooms to keep; the others are dropped at random."""

    @property
    def compact(self) -> str:
        return f"equal:{self.columns}x{self.rows}:{self.rooms}"

    def count_max_rooms(self, width: int, height: int) -> int:
        """Return the maximum number of rooms in a map of this size."""
        return self.columns * self.rows if width // self.columns >= 3 and height // self.rows >= 3 else 0

    def list_room_sizes(self, width: int, height: int) -> list[tuple[int, int]]:
        """Return the sizes (width, height) of the rooms."""
        return [(width // self.columns - 2, height // self.rows - 2)]


class Tree(Params):
    """Recursive division of the map in two; each part without its outermost ring is a room."""

    kind: Literal["tree"] = param("tree")
    """Rooms of different sizes."""
    width: int = param(3, ge=1, le=MAX_SIDE, typical=(1, 20), group="size")
    """Minimum width of a room."""
    height: int = param(3, ge=1, le=MAX_SIDE, typical=(1, 20), group="size")
    """Minimum height of a room."""
    rooms: int = param(1, ge=1, le=MAX_ROOMS, typical=(1, 20))
    """Number of rooms."""

    @property
    def compact(self) -> str:
        return f"tree:{self.width}x{self.height}:{self.rooms}"

    def count_max_rooms(self, width: int, height: int) -> int:
        return (width // (self.width + 2)) * (height // (self.height + 2))

    def list_room_sizes(self, width: int, height: int) -> list[tuple[int, int]]:
        """Return sizes (width, height) to check: if cells of rooms this small are connected, those of larger rooms are
        too.

        Two rooms of equal size, one cell apart, overlap in all but one column and together cover the next size, unless
        they have only one column. Sizes with two columns and rows are therefore checked too.
        """
        if self.rooms == 1:
            return [(width - 2, height - 2)]
        widths, heights = ((minimum, max(2, minimum)) for minimum in (self.width, self.height))
        return [(width, height) for width in widths for height in heights]


class WholeMap(Params):
    """The map, or a rectangle of it."""

    kind: Literal["map"] = param("map")
    """The map, independent of its rooms."""
    rectangle: tuple[int, int, int, int] | None = param(None, label="only within", labels={"null": "all"})
    """Rectangle x, y, width, height; by default the complete map."""

    @property
    def compact(self) -> str:
        return f"map:{','.join(map(str, self.rectangle)) if self.rectangle else -1}"


class Rooms(Params):
    """All rooms, or some of them."""

    kind: Literal["room"] = param("room")
    """Each room separately."""
    ids: tuple[Annotated[int, Field(ge=0, lt=MAX_ROOMS)], ...] | None = param(
        None, label="only rooms", labels={"null": "all"}
    )
    """Room ids, counted from 0 in shuffled order; by default all rooms."""

    @field_validator("ids")
    @classmethod
    def _drop_duplicates(cls, ids: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if ids is not None and not ids:
            raise InvalidRecipe("must contain at least one room; leave it out for all rooms", rule="conflict")
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
"""Sections may be given as a list of their parts, or as a string with commas between them."""


def _from_list(value: Any, names: Sequence[str], section: str) -> Any:
    """Return a section's parts by name, from a list or a string; missing parts at the end have default values."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) > len(names):
        hint = "; in YAML, strings with commas within [ ] need quotes" if section == "genData" else ""
        maximum = pluralize(len(names), "part")
        raise InvalidRecipe(f"{section} must have at most {maximum}, got {len(value)}: {short_repr(value)}{hint}")
    return dict(zip(names, value, strict=False))


GEN_DATA = {
    "^genData$": {
        "description": "Simulations, place and fix in place of the fields, such as 4, room:-1, connect:plus:1.",
        "type": ["array", "string"],
        "maxItems": 3,
    }
}
"""Schema of `genData`, which is accepted beside the fields of a layer."""


class MapData(Section):
    """Tiles that fill the map and that tunnels are dug with."""

    also_accepts = SECTION_FORMS
    initial: Word = param("solid", tiles=True, label="filled with")
    """Tile that fills the map initially."""
    dig: Word = param("empty", tiles=True, label="dug with")
    """Tile that tunnels are dug with."""
    fix: ConnectivityFix | None = param(None, label="unconnected regions")
    """Fix for unconnected regions of the finished map."""

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
    """Division of the map into rooms, and their initial tiles."""

    also_accepts = SECTION_FORMS
    division: Division = param(Equal(), labels={"equal": "equal rooms", "tree": "rooms of all sizes"})
    """Method that divides the map into rooms."""
    start: WeightedTiles | None = param(None, label="filled with")
    """Initial tiles of the cells of a room, drawn by weight; by default the tile for tunnels."""
    fix: ConnectivityFix | None = param(None, label="unconnected regions")
    """Fix for unconnected regions of each room, before the first layer."""

    @model_validator(mode="before")
    @classmethod
    def _from_parts(cls, value: Any) -> Any:
        return _from_list(value, ("division", "start", "fix"), "roomData")

    @property
    def compact(self) -> list[str]:
        parts = self.division.compact, *([join_bars(self.start)] if self.start else [])
        return [*parts, self.fix.compact] if self.fix else [*parts]


class Layer(Params):
    """Cellular automaton over the map or its rooms, followed by a fix for unconnected regions."""

    model_config = ConfigDict(json_schema_extra={"control": "layer"})
    extra_keys: ClassVar[tuple[str, ...]] = ("genData",)
    simulations: int = param(0, ge=0, le=10_000, typical=(0, 10))
    """Number of times that all rules are applied."""
    where: Place = param(Rooms(), labels={"map": "the whole map", "room": "every room"})
    """Area that the layer changes."""
    fix: ConnectivityFix = param(ConnectivityFix(), label="unconnected regions")
    """Fix for unconnected regions after the simulations, in each of these areas."""
    rules: tuple[Rule, ...] = param((), max_length=1000, peek=True)
    """Rules of the layer; if several apply to a cell, the last one counts."""

    @model_validator(mode="before")
    @classmethod
    def _from_parts(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or "genData" not in value:
            return value
        rest = dict(value)
        parts = _from_list(rest.pop("genData"), ("simulations", "where", "fix"), "genData")
        if not isinstance(parts, Mapping):
            raise InvalidRecipe("genData must be a list of simulations, place and fix", got=parts, rule="type")
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
