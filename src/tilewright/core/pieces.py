"""Pieces (tiles that connect to neighbors at some sides, such as rivers and roads) and rules for their neighbors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator

from .errors import short_repr
from .params import Params, param

SIDES = "nesw"
"""Sides of a cell, clockwise. Sides k and k + 2 are opposite."""
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Offsets (row, column) to the neighbor at each side."""
SIDE_SWAPS = {"x": str.maketrans("ew", "we"), "y": str.maketrans("ns", "sn"), "d": str.maketrans("nesw", "wsen")}
"""Each side after left and right (x), top and bottom (y), or the axes (d) are swapped."""
VIEWS = ("", "x", "xd", "xyd", "xy", "y", "yd", "d")
"""Transformations for all eight views of a map: the four rotations, and each of them mirrored."""


def read_sides(sides: str) -> str:
    """Return sides in the order n, e, s, w. Raise ValueError for other characters or duplicates."""
    if not set(sides) <= set(SIDES) or len(set(sides)) < len(sides):
        raise ValueError(f"must be sides n, e, s and w, each at most once, got {short_repr(sides)}")
    return "".join(side for side in SIDES if side in sides)


def read_any_sides(sides: str) -> str:
    """Return sides as `read_sides` does, or `any`."""
    return "any" if sides == "any" else read_sides(sides)


def reorient_sides(sides: str, view: str) -> str:
    """Return the sides of a piece after a transformation in steps x, y and d.

    >>> reorient_sides("ne", "x"), reorient_sides("ne", "dx")
    ('nw', 'es')
    """
    for step in view:
        sides = sides.translate(SIDE_SWAPS[step])
    return read_sides(sides)


class Joint(Params):
    """Rules for what the pieces of a kind may connect to."""

    file_keys: ClassVar[Mapping[str, str]] = {"under": "passes_under", "loose": "may_stop_at", "gives_way": "fallback"}

    kind: str = param(min_length=1)
    """Kind of the tiles."""
    joins: tuple[str, ...] = param(())
    """Kinds to connect with. The neighbor must also connect to this piece."""
    passes_under: tuple[str, ...] = param(())
    """Kinds that pieces pass under at the closed sides of that kind, such as a bridge for a river."""
    meets: tuple[str, ...] = param(())
    """Kinds at which pieces may end, at any side."""
    may_stop_at: tuple[str, ...] = param(())
    """Kinds at which pieces may end if no other piece fits, such as fields for a road."""
    edge: bool = param(True)
    """Whether pieces may end at the edge of the map."""
    fallback: tuple[str, ...] = param(())
    """Kinds that replace a piece where no piece fits: the most common of them among the neighbors, or else the
    first."""

    def to_data(self) -> dict[str, Any]:
        """Return plain data with the keys of tileset files. The digest of a tileset includes this data."""
        keys = {name: key for key, name in self.file_keys.items()}
        return {keys.get(name, name): value for name, value in self.model_dump(exclude_defaults=True).items()}

    @property
    def mentioned_kinds(self) -> tuple[str, ...]:
        """All kinds that the rules mention."""
        return (*self.joins, *self.passes_under, *self.meets, *self.may_stop_at, *self.fallback)


class Beside(Params):
    """An adjacency rule: which tiles may be next to a tile."""

    tile: str = param(min_length=1)
    """Name of a tile or kind."""
    sides: Annotated[str, AfterValidator(read_any_sides)] = param("any")
    """Sides of the tile (n, e, s, w), or any for all four."""
    others: tuple[str, ...] = param(min_length=1)
    """Names of tiles or kinds that are allowed there."""
    symmetry: Literal[1, 8] | None = param(None)
    """Number of views in which the rule applies: 1, or 8 (rotated and mirrored). Default: 8, or 1 with sides."""

    @property
    def views(self) -> tuple[str, ...]:
        """Transformations after which the rule applies."""
        return VIEWS if (self.symmetry or (8 if self.sides == "any" else 1)) == 8 else VIEWS[:1]
