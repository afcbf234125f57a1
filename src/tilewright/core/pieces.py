"""Pieces: tiles that go on at some of their sides, as rivers, roads and pipes do, and what they may meet there."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator

from .errors import short_repr
from .params import Params, param

SIDES = "nesw"
"""The sides of a cell, clockwise; side k and side k + 2 face each other."""
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""(row, column) from a cell to its neighbour at each side."""
SIDE_SWAPS = {"x": str.maketrans("ew", "we"), "y": str.maketrans("ns", "sn"), "d": str.maketrans("nesw", "wsen")}
"""What becomes of a side when left and right are swapped (x), top and bottom (y), or the axes (d)."""
VIEWS = ("", "x", "xd", "xyd", "xy", "y", "yd", "d")
"""The moves that make all views of a map: turned by quarters, each also mirrored left to right."""


def read_sides(sides: str) -> str:
    """Sides in the order n, e, s, w, each once."""
    if not set(sides) <= set(SIDES) or len(set(sides)) < len(sides):
        raise ValueError(f"sides are of n, e, s and w, each once, got {short_repr(sides)}")
    return "".join(side for side in SIDES if side in sides)


def read_any_sides(sides: str) -> str:
    """The same, or `any` for all of them."""
    return "any" if sides == "any" else read_sides(sides)


def reorient_sides(sides: str, view: str) -> str:
    """The sides of a piece after a move, given in steps x, y and d.

    >>> reorient_sides("ne", "x"), reorient_sides("ne", "dx")
    ('nw', 'es')
    """
    for step in view:
        sides = sides.translate(SIDE_SWAPS[step])
    return read_sides(sides)


class Joint(Params):
    """What the pieces of a kind may meet at the sides where they go on."""

    file_keys: ClassVar = {"under": "passes_under", "loose": "may_stop_at", "gives_way": "fallback"}

    kind: str = param(min_length=1)
    """The kind of tile."""
    joins: tuple[str, ...] = param(())
    """Kinds that it goes on with: there, the other piece must go on as well."""
    passes_under: tuple[str, ...] = param(())
    """Kinds whose closed sides it runs into, as a river does under a bridge."""
    meets: tuple[str, ...] = param(())
    """Kinds that it may end at, whatever sides these have."""
    may_stop_at: tuple[str, ...] = param(())
    """Kinds that it may end at for want of anything better, as a road that stops in the fields."""
    edge: bool = param(True)
    """Whether it may run out of the map."""
    fallback: tuple[str, ...] = param(())
    """Kinds of which one takes its place where no piece fits: the commonest one around it, else the first."""

    def to_data(self) -> dict[str, Any]:
        """Return plain data with the keys of tileset files, which are also those of the digest."""
        keys = {name: key for key, name in self.file_keys.items()}
        return {keys.get(name, name): value for name, value in self.model_dump(exclude_defaults=True).items()}

    @property
    def mentioned_kinds(self) -> tuple[str, ...]:
        return (*self.joins, *self.passes_under, *self.meets, *self.may_stop_at, *self.fallback)


class Beside(Params):
    """What may stand beside a tile, for techniques that put tiles together by rules."""

    tile: str = param(min_length=1)
    """The tile, or a kind of tiles."""
    sides: Annotated[str, AfterValidator(read_any_sides)] = param("any")
    """Where, of n, e, s and w; any means all four."""
    others: tuple[str, ...] = param(min_length=1)
    """Tiles, or kinds of tiles, that may stand there."""
    symmetry: Literal[1, 8] | None = param(None)
    """1 as it is, 8 also turned and mirrored, with the pieces that this makes of tiles; by default 8, with sides 1."""

    @property
    def views(self) -> tuple[str, ...]:
        """The moves after which it holds."""
        return VIEWS if (self.symmetry or (8 if self.sides == "any" else 1)) == 8 else VIEWS[:1]
