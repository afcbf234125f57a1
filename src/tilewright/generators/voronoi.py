"""Voronoi regions: each cell belongs to the nearest of many scattered points; regions are filled or walled.

The plane is divided into squares with `spacing` cells per side, and each square has one random point. Every cell
belongs to the point that is nearest by the metric; on ties, to the one in the upper, then in the left square. Each step
of `relax` moves all points to the centers of their regions, which makes the regions more even. Each region is then
filled with a kind drawn by weight, or walls with gaps separate the regions.

A point never leaves its square. The nearest point of a cell is therefore within the 5x5 squares around it, and a
relaxation step depends on four squares in each direction. With this margin, windows of an endless world join exactly.
Limits: centers are computed from 8x8 samples per square at any spacing, and a point whose center is outside its square
stops at the edge, so regions become even, but never perfect hexagons. Locked cells do not move regions.

Walls: without `doors`, no step leads from one region to another, not even a diagonal one. With `doors` 1, all points of
an endless world are connected by straight passages through the two regions of each pair. The edge of a map may cut off
a passage, and thick walls may close a corner of a region; the shaper `connect` joins what remains separate. With fewer
doors, each passage exists with that probability, and connectivity is not guaranteed.

Sources: Lloyd, "Least squares quantization in PCM", 1982, for the relaxation; Worley, "A cellular texture basis
function", 1996, for points in the squares of a grid; Gabriel and Sokal, "A new statistical approach to geographic
variation analysis", 1969, for the pairs that doors join.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, field_validator, model_validator

from ..core.entries import technique
from ..core.errors import InvalidRecipe, short_repr
from ..core.grid import Offset
from ..core.params import Params, Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, split_blocks
from ..core.tileset import read_name
from ..core.tilesets import tilesets
from ..kernels.voronoi import WallArrays, dig_gaps, draw_kinds, look_up_kinds, mark_walls
from ._voronoi.diagram import Diagram, compute_margin, split_rows, wall_offsets

METRICS = ("euclidean", "manhattan", "chebyshev")
GROWTH_FRAMES = 12
"""Number of frames in which regions grow from their points."""
DARK = (34, 32, 40)
"""Color of cells that no region has reached yet."""
WEIGHT_FORMAT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


class RegionKind(Params):
    """Tile that regions are filled with."""

    tile: Annotated[str, AfterValidator(read_name)] = param(min_length=1, max_length=80, tiles=True)
    """Tile of the tileset."""
    weight: float = param(1.0, ge=0, le=1e9, share=True)
    """Relative weight with which the tile is drawn."""

    @model_validator(mode="wrap")
    @classmethod
    def _from_text(cls, value: Any, check: Callable[[Any], Self]) -> Self:
        """Accept `tile:weight`."""
        if not isinstance(value, str):
            return check(value)
        name, colon, weight = value.rpartition(":")
        if not colon:
            return check({"tile": value})
        if not WEIGHT_FORMAT.fullmatch(weight):
            raise InvalidRecipe("a kind is written as tile:weight, such as grass:3", got=value, rule="format")
        return check({"tile": name, "weight": float(weight)})

    @property
    def compact(self) -> str:
        return f"{self.tile}:{self.weight:g}"


# Mostly green, so that other regions are easy to see.
DEFAULT_WEIGHTS = {"grass": 6, "forest": 4, "hill": 2, "sand": 2, "water": 2}


class VoronoiParams(Sized):
    spacing: int = param(10, ge=2, le=1024, typical=(4, 40))
    """Approximate distance between points in cells: the side of the squares that contain one point each."""
    jitter: float = param(1.0, ge=0, le=1)
    """Spread of points around the centers of their squares: 0 is a grid, 1 anywhere in the square."""
    relax: int = param(1, ge=0, le=20, typical=(0, 8))
    """Number of relaxation steps, which move points to the centers of their regions and make the regions more even."""
    metric: Literal["euclidean", "manhattan", "chebyshev"] = param("euclidean")
    """Distance metric: straight lines, steps along rows and columns, or the longer of both."""
    mode: Literal["regions", "walls"] = param("regions")
    """Whether to fill each region with one of the kinds, or to draw walls between regions."""
    kinds: tuple[RegionKind, ...] = param(
        tuple(RegionKind(tile=tile, weight=weight) for tile, weight in DEFAULT_WEIGHTS.items()),
        min_length=1,
        max_length=200,
    )
    """Tiles that fill regions, drawn by weight: grass:5,forest:3. For the mode regions."""
    thickness: int = param(1, ge=1, le=64, typical=(1, 6), hidden_unless=("mode", "walls"))
    """Thickness of walls in cells. For the mode walls."""
    doors: float = param(1.0, ge=0, le=1, hidden_unless=("mode", "walls"))
    """Fraction of borders that have a gap; 0 separates all regions. For the mode walls."""
    gap: int = param(1, ge=1, le=64, typical=(1, 6), hidden_unless=("mode", "walls"))
    """Width of gaps in cells. For the mode walls."""
    offset: Offset | None = param(None)
    """Position x, y of this window in an endless world. Windows generated separately join exactly."""

    @field_validator("kinds")
    @classmethod
    def _check_kinds(cls, kinds: tuple[RegionKind, ...]) -> tuple[RegionKind, ...]:
        """Raise InvalidRecipe for duplicates and if all weights are 0."""
        names = [kind.tile for kind in kinds]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidRecipe(f"{short_repr(twice)} is listed twice; add up its weights", rule="duplicate")
        if not any(kind.weight for kind in kinds):
            raise InvalidRecipe("must have at least one positive weight, all are 0")
        return kinds

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return ("floor", "wall") if self.mode == "walls" else tuple(kind.tile for kind in self.kinds)

    @cached_property
    def wall_margin(self) -> int:
        """Distance in cells at which another region makes a cell a wall."""
        return (self.thickness + 1) // 2 if self.mode == "walls" else 0

    @cached_property
    def margin(self) -> int:
        """Number of squares around a window whose points affect it."""
        gap = self.gap if self.mode == "walls" and self.doors else 0
        return compute_margin(spacing=self.spacing, relax=self.relax, wall=self.wall_margin, gap=gap)


@technique(
    VoronoiParams,
    tileset=lambda p: tilesets.get("cave" if p.mode == "walls" else "terrain"),
    tiles=lambda p: p.labels,
    reach=lambda p: (p.margin + 1) * p.spacing,
    margin_in_memory=False,
    offset=lambda p: p.offset,
    bytes_per_cell=8,
    search_words=("region", "district", "biome", "country", "territory", "kingdom"),
    main_param="spacing",
    vary={"spacing": {}, "jitter": {}, "relax": {}},
)
def voronoi(p: VoronoiParams, site: Site, rng: Rng) -> Steps:
    diagram = Diagram(
        site.window,
        rng.level_key(),
        spacing=p.spacing,
        metric=METRICS.index(p.metric),
        jitter=p.jitter,
        margin=p.margin,
    )
    for _ in diagram.scatter_points():
        yield Frame(None, "points", 0.0)
    painter = _RegionPainter(p, diagram, rng, site.tileset.colors[site.ids])
    for radius in range(GROWTH_FRAMES + 1):
        note = f"regions grow, {radius} of {GROWTH_FRAMES}" if radius else "points"
        colors = partial(painter.paint_growth, radius / GROWTH_FRAMES)
        yield Frame(
            painter.paint_regions, note, 0.3 * radius / GROWTH_FRAMES, colors=colors, lines=diagram.draw_crosses
        )
    for step in range(p.relax):
        note = f"relaxation {step + 1}"
        for share in diagram.relax_points():
            yield Frame(None, note, 0.3 + 0.4 * (step + share) / p.relax)
        yield Frame(painter.paint_regions, note, 0.3 + 0.4 * (step + 1) / p.relax, lines=diagram.draw_crosses)
    for _ in painter.draw_kinds():
        yield Frame(None, p.mode, 0.7)
    cells = np.empty(site.shape, dtype=np.uint8)
    seen = np.zeros(diagram.points.shape[0] * diagram.points.shape[1], dtype=np.uint8)
    for rows in split_blocks("voronoi", 1 << 20, *site.shape):
        if rows.start:
            yield Frame(None, p.mode, 0.7 + 0.3 * rows.start / len(cells))
        painter.paint(rows.start, cells[rows], seen)
    site.apply_locks(cells)
    yield Frame(cells, p.mode, 1.0)
    numbers = {"regions": float(seen.sum())} if p.offset is None else None
    return site.map(cells, numbers=numbers)


class _RegionPainter:
    """Painter of the current state of a diagram."""

    def __init__(self, p: VoronoiParams, diagram: Diagram, rng: Rng, colors: NDArray[np.uint8]) -> None:
        self._p = p
        self._diagram = diagram
        self._kind_key = rng.child("kinds").level_key()
        self._door_key = rng.child("doors").level_key()
        self._weights = np.array([kind.weight for kind in p.kinds], dtype=np.float64)
        self._offsets = wall_offsets(p.thickness)
        self._colors = colors
        self._kinds: NDArray[np.uint8] | None = None

    def paint(self, first: int, out: NDArray[np.uint8], seen: NDArray[np.uint8]) -> None:
        """Fill rows of the window, and mark the squares that own a cell of them in `seen`."""
        if self._p.mode == "regions":
            look_up_kinds(self._diagram.find_owners(first, first + len(out)), self._get_square_kinds(), seen, out)
        else:
            self._paint_walls(first, out, seen)

    def _get_square_kinds(self) -> NDArray[np.uint8]:
        """Return the kind of every square; draw the kinds if necessary."""
        for _ in self.draw_kinds():
            pass
        assert self._kinds is not None
        return self._kinds

    def draw_kinds(self) -> Iterator[float]:
        """Draw the kinds of all current squares, whose number shrinks with each relaxation; yield the fraction done."""
        rows, columns, _ = self._diagram.points.shape
        if self._p.mode == "walls" or (self._kinds is not None and len(self._kinds) == rows * columns):
            return
        kinds = np.empty((rows, columns), dtype=np.uint8)
        top, left = self._diagram.squares
        for part in split_rows(rows, columns):
            if part.start:
                yield part.start / rows
            draw_kinds(self._kind_key, top + part.start, left, self._weights, kinds[part])
        self._kinds = kinds.reshape(-1)

    def _paint_walls(self, first: int, out: NDArray[np.uint8], seen: NDArray[np.uint8]) -> None:
        """Write walls, with gaps, into rows of the window."""
        p, diagram, margin = self._p, self._diagram, self._p.wall_margin
        owners = diagram.find_owners(first, first + len(out), margin)
        look_up_kinds(owners[margin:-margin, margin:-margin].copy(), seen, seen, out)
        mark_walls(owners, self._offsets, margin, out)
        if p.doors:
            top, left = diagram.corner
            dig_gaps(
                diagram.points, p.spacing, diagram.metric, self._door_key, *diagram.squares, p.doors, p.gap,
                WallArrays(owners, self._offsets, margin, out), top + first, left,
            )  # fmt: skip

    def paint_regions(self) -> NDArray[np.uint8]:
        """Return the tiles of the complete window."""
        out = np.empty(self._diagram.shape, dtype=np.uint8)
        squares = self._diagram.points.shape
        self.paint(0, out, np.zeros(squares[0] * squares[1], dtype=np.uint8))
        return out

    def paint_growth(self, share: float) -> NDArray[np.uint8]:
        """Return the colors of the complete window, with regions grown to a fraction of their size."""
        shown = self._colors[self.paint_regions()]
        distances = self._diagram.compute_distances()
        shown[distances > share * distances.max()] = DARK
        return shown
