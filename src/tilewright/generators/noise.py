"""Gradient noise terrain: octaves of noise added up to heights, and heights mapped to tiles.

Noise is random at the corners of a lattice and interpolated between: gradients (`perlin`), values (`value`), gradients
on triangles (`simplex`), or the distance to scattered points (`cellular`). Each octave adds finer and weaker detail.
Folding the octaves makes ridges (`ridged`) or round hills (`billow`), and `warp` distorts the result. Heights are
approximately uniform between 0 and 1, so a threshold is approximately a fraction of the map. A biome table also uses
moisture. The heights are stored as a layer of the map.

With an `offset`, the map is a window of an endless world, exact at any distance. Simplex noise has no torus, so it
cannot wrap. Locks change tiles, not heights.

Sources: Perlin, "Improving noise", 2002; Gustavson, "Simplex noise demystified", 2005; Worley, "A cellular texture
basis function", 1996; Musgrave in Ebert et al., "Texturing and modeling", 2003 (ridges); Patel, "Making maps with noise
functions", 2015 (biomes, islands).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..core.entries import technique
from ..core.errors import Problem, problem
from ..core.grid import Offset
from ..core.params import Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ._noise import lattice
from ._noise.biomes import BiomeTable, Island
from ._noise.lattice import MOISTURE_OCTAVES, NO_DISPLACEMENT, Fractal, Kind, Numbers, Octave
from ._noise.many import NoiseMany

Side = Annotated[int, Field(ge=1, le=1 << 40)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
Share = Annotated[float, Field(ge=0, le=1)]


class NoiseParams(Sized):
    renamed: ClassVar[Mapping[str, str]] = {"feature": "feature_size"}
    kind: Kind = param("perlin")
    """Kind of noise: smooth (perlin, simplex), blocky (value), or mounds around points (cellular)."""
    feature_size: float = param(24.0, ge=1, le=65_536, typical=(4, 100))
    """Size of a feature of the first octave, in cells."""
    octaves: int = param(5, ge=1, le=16, typical=(1, 8))
    """Number of octaves that are added up; each adds finer detail."""
    gain: float = param(0.5, ge=0, le=1)
    """Amplitude of an octave relative to the previous one."""
    lacunarity: float = param(2.0, ge=1, le=16, typical=(1.5, 4))
    """Frequency of an octave relative to the previous one."""
    fractal: Fractal = param("plain")
    """Folding of the octaves: none, sharp ridges (ridged), or round hills with sharp valleys (billow)."""
    warp: float = param(0.0, ge=0, le=16, typical=(0, 2))
    """Strength of the distortion by other noise, in features."""
    island: float = param(0.0, ge=0, le=1)
    """Width of the sinking coast, as a fraction of the distance from edge to center of the world; 0 for none."""
    world: tuple[Side, Side] | None = param(None, hidden_unless=("island",))
    """Width and height of the world that is an island, starting at 0, 0; by default those of the map."""
    thresholds: tuple[Share, ...] = param(
        (0.14, 0.32, 0.37, 0.58, 0.78, 0.89, 0.965), max_length=255, control="strip", between=("biomes", "bands")
    )
    """Heights that separate the bands, in increasing order. About this fraction of the cells is below."""
    bands: tuple[Name, ...] = param(
        ("deep", "water", "sand", "grass", "forest", "hill", "mountain", "snow"),
        min_length=1,
        max_length=256,
        tiles=True,
    )
    """Tile of each band, from low to high; one more than there are thresholds."""
    biomes: tuple[tuple[Name, ...], ...] | None = param(
        None, min_length=1, max_length=256, tiles=True, instead_of="bands"
    )
    """Instead of bands: a row of tiles per band, from dry to wet, of any length; each tile gets an equal fraction."""
    moisture: float = param(40.0, ge=1, le=65_536, typical=(8, 200), hidden_unless=("biomes",))
    """Size of a wet or dry area, in cells, for biomes."""
    wrap: bool = param(False)
    """Whether opposite edges wrap around, so that the map tiles."""
    offset: Offset | None = param(None)
    """Position x, y of this window in an endless world. Windows generated separately join exactly."""

    def find_problems(self) -> Iterator[Problem]:
        for number, (one, other) in enumerate(zip(self.thresholds, self.thresholds[1:], strict=False)):
            if one > other:
                text = f"must be in increasing order, got {one:g} before {other:g} at {number} and {number + 1}"
                yield problem(text, at="thresholds")
                break
        name, bands = ("bands", len(self.bands)) if self.biomes is None else ("biomes", len(self.biomes))
        if bands != len(self.thresholds) + 1:
            text = f"{bands} {name} need {bands - 1} thresholds between them, got {len(self.thresholds)}"
            yield problem(text, at="thresholds")
        for number, row in enumerate(self.biomes or ()):
            if not 1 <= len(row) <= 256:
                yield problem(f"must have 1 to 256 tiles, got {len(row)}", at=("biomes", number))
        if self.wrap and self.offset is not None:
            text = "a window of an endless world cannot wrap; leave wrap or offset out"
            yield problem(text, at="wrap", remove=["wrap", "offset"])
        if self.wrap and self.kind == "simplex":
            text = "simplex noise cannot wrap; use kind perlin, value or cellular, or leave wrap out"
            yield problem(text, at="wrap")
        if self.island and self.offset is not None and self.world is None:
            text = "a window needs the size of its world; set world, such as 400,300"
            yield problem(text, at="island")

    @cached_property
    def table(self) -> tuple[tuple[str, ...], ...]:
        """Tiles of every band, from dry to wet."""
        return self.biomes if self.biomes is not None else tuple((name,) for name in self.bands)

    @cached_property
    def biome_table(self) -> BiomeTable:
        return BiomeTable(self.thresholds, self.table)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All tiles that may occur, without duplicates."""
        return tuple(dict.fromkeys(name for row in self.table for name in row))


@technique(
    NoiseParams,
    tileset="terrain",
    tiles=lambda p: p.labels,
    bytes_per_cell=64,
    reach=lambda p: 0,
    offset=lambda p: p.offset,
    search_words=(
        "terrain",
        "island",
        "landscape",
        "world",
        "height",
        "continent",
        "overworld",
        "biome",
        "mountain",
        "planet",
        "minecraft",
    ),
    main_param="feature_size",
    vary={"feature_size": {}, "gain": {}, "warp": {}},
    many=NoiseMany,
)
def noise(p: NoiseParams, site: Site, rng: Rng) -> Steps:
    (height, width), (top, left) = site.window
    window = lattice.Window((height, width), (top, left), site.world if p.wrap else None)
    moisture = None
    if p.biomes is not None:
        moisture = np.zeros(window.shape)
        moisture_octaves = lattice.make_octaves(rng.child("moisture"), "perlin", p.moisture, MOISTURE_OCTAVES, 0.5, 2.0)
        for _ in lattice.add_octaves(moisture_octaves, "plain", window, NO_DISPLACEMENT, moisture):
            yield Frame(None, "moisture", 0.0)
        for block in lattice.split_rows(window.shape):
            moisture[block] = lattice.equalize(moisture[block], moisture_octaves, "plain")
            yield Frame(None, "moisture", 0.0)
    displacement = NO_DISPLACEMENT
    if p.warp:
        displacement = np.empty((2, height, width))
        for number, shifts in enumerate(displacement):
            octave = Octave(rng.child("warp", number), "perlin", 2.0 * p.feature_size)
            for _ in lattice.sample_octave(octave, window, NO_DISPLACEMENT, shifts):
                yield Frame(None, "warp", 0.0)
            for block in lattice.split_rows(window.shape):
                shifts[block] *= p.warp * p.feature_size
                yield Frame(None, "warp", 0.0)

    octaves = lattice.make_octaves(rng, p.kind, p.feature_size, p.octaves, p.gain, p.lacunarity)
    island = Island(p.island, p.world or (p.width, p.height), window) if p.island else None
    heights = np.zeros(window.shape)

    def compute_heights(block: slice, count: int) -> Numbers:
        values = lattice.equalize(heights[block], octaves[:count], p.fractal)
        return values if island is None else island.sink(values, block)

    def choose_tiles(values: Numbers, block: slice) -> NDArray[np.integer[Any]]:
        return p.biome_table.find_tiles(values, None if moisture is None else moisture[block])

    everything = slice(0, height)
    steps = p.octaves + 1
    for completed, share in lattice.add_octaves(octaves, p.fractal, window, displacement, heights):
        if share:
            yield Frame(None, f"octave {completed + 1}", (completed + share) / steps)
            continue
        yield Frame(
            lambda count=completed: choose_tiles(compute_heights(everything, count), everything),
            f"octave {completed}",
            completed / steps,
            colors=lambda count=completed: _to_gray(compute_heights(everything, count)),
        )
    cells = np.empty(window.shape, dtype=p.biome_table.tile_numbers.dtype)
    for block in lattice.split_rows(window.shape):
        if block.start:
            yield Frame(None, "tiles", (p.octaves + block.start / height) / steps)
        heights[block] = compute_heights(block, p.octaves)
        cells[block] = choose_tiles(heights[block], block)
    site.apply_locks(cells)
    for number, threshold in enumerate(p.thresholds):
        yield Frame(
            cells,
            f"band {number + 1}",
            (p.octaves + (number + 1) / len(p.table)) / steps,
            colors=lambda limit=threshold: _paint_below(site, cells, heights, limit),
        )
    yield Frame(cells, f"band {len(p.table)}", 1.0)
    layers = {"height": heights} if moisture is None else {"height": heights, "moisture": moisture}
    return site.map(cells, layers=layers)


def _to_gray(heights: Numbers) -> NDArray[np.uint8]:
    """Return heights as gray levels, from black (low) to white (high)."""
    return np.repeat((heights * 255.0).astype(np.uint8)[..., None], 3, axis=2)


def _paint_below(site: Site, cells: NDArray[np.integer[Any]], heights: Numbers, limit: float) -> NDArray[np.uint8]:
    """Return the colors of tiles below a height, and gray levels elsewhere."""
    below = (heights < limit)[..., None]
    return np.where(below, site.tileset.colors[site.to_tile_ids(cells)], _to_gray(heights))
