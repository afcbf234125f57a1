"""Written by tools/write_stub.py from the schemas of all parameters; run `make stubs` after changing one."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Never, TypeAlias, overload

from . import analysis as analysis
from . import corpus as corpus
from . import formats as formats
from .analysis.survey import Survey as Survey
from .api import learn as learn
from .api import list_formats as list_formats
from .api import list_measures as list_measures
from .api import list_shapers as list_shapers
from .api import list_techniques as list_techniques
from .api import list_tilesets as list_tilesets
from .api import load as load
from .api import load_model as load_model
from .api import measure as measure
from .api import overlay as overlay
from .api import run as run
from .api import verify as verify
from .core.errors import BadFile as BadFile
from .core.errors import Fix as Fix
from .core.errors import GaveUp as GaveUp
from .core.errors import InvalidRecipe as InvalidRecipe
from .core.errors import Problem as Problem
from .core.errors import TilewrightError as TilewrightError
from .core.errors import TooLarge as TooLarge
from .core.errors import UnknownName as UnknownName
from .core.grid import Grid as Grid
from .core.locks import Locks as Locks
from .core.model import Model as Model
from .core.params import Params as Params
from .core.params import Sized as Sized
from .core.params import param as param
from .core.provenance import Verdict as Verdict
from .core.recipe import Recipe as Recipe
from .core.recipe import Stage as Stage
from .core.registry import ByExample as ByExample
from .core.registry import Constraint as Constraint
from .core.registry import Measure as Measure
from .core.registry import Shaper as Shaper
from .core.registry import Technique as Technique
from .core.registry import constraint as constraint
from .core.registry import register_constraint as register_constraint
from .core.registry import register_measure as register_measure
from .core.registry import shaper as shaper
from .core.registry import technique as technique
from .core.registry import transform as transform
from .core.samples import Samples as Samples
from .core.samples import Training as Training
from .core.seeds import Rng as Rng
from .core.site import Frame as Frame
from .core.site import Site as Site
from .core.site import Steps as Steps
from .core.tilemap import Marker as Marker
from .core.tilemap import Room as Room
from .core.tilemap import TileMap as TileMap
from .core.tileset import Tile as Tile
from .core.tileset import Tileset as Tileset
from .formats import Format as Format
from .formats import register_format as register_format
from .overlays.overlay import Overlay as Overlay

__version__: str

Stages: TypeAlias = str | Stage | Mapping[str, Any] | Sequence[str | Stage | Mapping[str, Any]]
measures = list_measures
mover = transform
shapers = list_shapers
techniques = list_techniques
tilesets = list_tilesets

@overload
def make(
    technique: Literal["aggregation"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    mode: Literal["walk-in", "walk-out", "attractor"] = ...,
    coverage: float = ...,
    launch: Literal["anywhere", "edge"] = ...,
    symmetry: Literal["none", "horizontal", "vertical", "both"] = ...,
    nucleus: Literal["point", "disc", "square", "cross", "line"] = ...,
    radius: int = ...,
    brush: int = ...,
    stick: float = ...,
    border: int = ...,
) -> TileMap:
    """Diffusion-limited aggregation: particles wander until they meet the crystal, and stay there as floor.

    width: Columns of the map.
    height: Rows of the map.
    mode: Particles wander in and stay where they touch floor, wander out and dig, or fly straight to the centre.
    coverage: Share of the cells within the border to be floor.
    launch: Where particles that come from outside start: anywhere in the rock, or along the border while it is
        rock.
    symmetry: Whether left and right are alike (horizontal), top and bottom (vertical), or both.
    nucleus: What the crystal grows from, in the middle of the map.
    radius: How far the nucleus reaches from its middle; a point has none.
    brush: Width of what a particle digs.
    stick: Chance that a particle from outside stays when it touches floor; lower ones make thicker branches.
    border: Width of the wall that is kept around the map; narrower where the map is too small for it.
    """

@overload
def make(
    technique: Literal["bsp"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    rooms: int | None = ...,
    min_rooms: int = ...,
    room_width: Any = ...,
    room_height: Any = ...,
    spacing: int = ...,
    links: Literal["delaunay", "nearest", "row"] = ...,
    loops: float = ...,
    longest_loop: int = ...,
    corridors: Literal["winding", "straight"] = ...,
    corridor_width: int = ...,
    avoid: bool = ...,
    reuse: bool = ...,
    doors: Literal["near", "anywhere"] = ...,
    ratio: float = ...,
    jitter: float = ...,
    leaf: float = ...,
    fill: float = ...,
    shift: float = ...,
) -> TileMap:
    """Binary space partition: cut the map in two again and again, put a room into each part, and join them.

    width: Columns of the map.
    height: Rows of the map.
    rooms: How many rooms are wanted; by default as many as fit well. What fitted is among the map's numbers.
    min_rooms: If fewer rooms than this fit, it gives up.
    room_width: Least and greatest columns of a room's floor; by default 4 to 12, fewer in small maps.
    room_height: Least and greatest rows of a room's floor; by default 3 to 9, fewer in small maps.
    spacing: Least cells between the floors of two rooms: 1 is a wall that they share, 3 leaves space for a
        corridor.
    links: Which rooms are joined: the shortest tree of a triangulation, each to the nearest before it, all in a
        row.
    loops: Chance of every other link that is near at hand, which closes a loop.
    longest_loop: Most links of a loop, counted along the tree.
    corridors: The cheapest ways around what is there (A*), or ways with one corner through whatever is there.
    corridor_width: Cells across a corridor, where there is space.
    avoid: Lead corridors around other rooms, unless there is no other way.
    reuse: Prefer corridors that are there already.
    doors: Where winding corridors leave a room: where the way is short, or at any place of its walls.
    ratio: A part is cut across its longer side when it is this many times as long as the other; else either way.
    jitter: How far beside the middle a cut may be, as a share of the side that is cut.
    leaf: Parts are cut until no side is this many times as long as the greatest room's; more only for more rooms.
    fill: Least share of a part's side that its room takes, where rooms may be so large.
    shift: How far off the middle of its part a room may lie: 0 not at all, 1 as far as there is space.
    """

@overload
def make(
    technique: Literal["caves"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    walls: float = ...,
    steps: int = ...,
    birth: int = ...,
    survive: int = ...,
    outside: Literal["wall", "floor"] = ...,
    wrap: bool = ...,
    offset: Any = ...,
) -> TileMap:
    """Caves from noise: scatter walls, then let every cell side with its neighbours a few times.

    width: Columns of the map.
    height: Rows of the map.
    walls: Share of cells that start as wall.
    steps: How often every cell sides with its neighbours.
    birth: A floor becomes wall when at least this many of its eight neighbours are walls.
    survive: A wall stays when at least this many of its eight neighbours are walls.
    outside: What lies beyond the edge of the map; a window with an offset has no edge.
    wrap: Join opposite edges, so that the map tiles.
    offset: x, y of this window in an endless cave; windows made separately fit exactly.
    """

@overload
def make(
    technique: Literal["drunkard"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    walkers: int = ...,
    steps: int = ...,
    coverage: float | None = ...,
    turn: float = ...,
    bias: float = ...,
    begin: Literal["floor", "centre"] = ...,
    border: int = ...,
) -> TileMap:
    """Drunkard's walk: walkers stagger through the rock, and wherever they go is floor.

    width: Columns of the map.
    height: Rows of the map.
    walkers: How many walkers there are; with a coverage, how many at a time.
    steps: Steps that each walker takes.
    coverage: Share of the cells within the border to be floor: new walkers follow until it is; none: no more
        follow.
    turn: Chance to turn at each step: 0 walks straight until the wall, 1 is the classic drunkard.
    bias: Chance that a turn leads to the centre of the map; below 0, to its edge.
    begin: Where walkers start: anywhere on the floor where rock is beside it, or all at the centre of the map.
    border: Width of the wall that is kept around the map; narrower where the map is too small for it.
    """

@overload
def make(
    technique: Literal["fashion"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    start: Any = ...,
    states: int = ...,
    scores: Any = ...,
    neighbourhood: Any = ...,
    generations: int = ...,
    wrap: bool | None = ...,
    offset: Any = ...,
    morph: Any = ...,
    blend: Literal["left to right", "top to bottom", "radial"] = ...,
) -> TileMap:
    """Fashion-based cellular automata: every cell takes the state of the best-dressed cell around it.

    width: Columns of the map.
    height: Rows of the map.
    start: A map to begin with; free cells (?) are filled in by chance. It sets the size.
    states: How many states there are; follows from the scores when left out.
    scores: How well a state (row) goes with a neighbour's (column): a flat or nested list, or `random`.
    neighbourhood: Which cells are neighbours: a name, or a list of dx, dy; on ties the first one listed wins.
    generations: How often all cells are updated.
    wrap: Join opposite edges (a torus); by default yes, unless there is an offset.
    offset: x, y of this window in an endless plane; windows made separately fit exactly.
    morph: A second score matrix, into which the first one changes across the map.
    blend: How the second matrix blends in: its share grows this way, from none to all.
    """

@overload
def make(
    technique: Literal["markov"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    directions: Any = ...,
    pieces: Literal["learned", "chosen"] = ...,
    scan: Literal["rows", "columns", "spiral"] = ...,
    corner: Literal["bottom left", "bottom right", "top left", "top right"] = ...,
    backoff: Any = ...,
    smoothing: float = ...,
    temperature: float = ...,
    repair_passes: int = ...,
    gibbs_sweeps: int = ...,
    unknown: Literal["never", "keep"] = ...,
) -> TileMap:
    """Markov model learned from examples: every cell draws a random tile, given the neighbors that are already
    drawn.

    width: Number of columns of the map.
    height: Number of rows of the map.
    sample: Maps to learn from: files, folders, drawings, or names of built-in samples.
    model: What was learned before, by `tilewright learn`, instead of a sample: a file.
    directions: Up to eight directions of neighbors: n, ne, e ..., or n2 for two cells away; by default e, w, sw,
        s, se.
    pieces: Pieces of rivers, roads and the like: learned one by one, or learned as one kind and chosen to fit
        afterwards.
    scan: Order of the cells: by rows, by columns, or in a spiral from the center.
    corner: Corner where the rows or columns start.
    backoff: Contexts to try in order: w+sw+s as one context, w*s as a product of two; by default from large to
        small.
    smoothing: Weight of smaller contexts relative to larger ones, in occurrences; 0 uses the first known context
        alone.
    temperature: Sampling temperature: 0 takes the most common tile, 1 draws by frequency, more makes tiles
        equally likely.
    repair_passes: Number of passes that draw cells of 2x2 blocks not in any sample again, given all their
        neighbors.
    gibbs_sweeps: Number of passes that draw every cell again, given all its neighbors; removes artifacts of the
        scan.
    unknown: Tile of cells without a known context: never unknown but drawn by overall frequency, or kept as
        `unknown`.
    """

@overload
def make(
    technique: Literal["maze"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    method: Literal["backtracker", "prim", "kruskal", "wilson", "division"] = ...,
    braid: float = ...,
    passage: int = ...,
    wall: int = ...,
) -> TileMap:
    """Mazes: places on a grid, each reached by exactly one way; then, if wanted, loops where dead ends were.

    width: Columns of the map; odd ones fit walls and passages of one cell exactly.
    height: Rows of the map; odd ones fit walls and passages of one cell exactly.
    method: How ways are chosen: winding, branching, ragged, without any bias, or by straight walls.
    braid: Share of the dead ends that are opened into loops; 0 leaves exactly one way between any two places.
    passage: Width of the passages in cells.
    wall: Width of the walls in cells.
    """

@overload
def make(
    technique: Literal["noise"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    kind: Literal["perlin", "simplex", "value", "cellular"] = ...,
    feature_size: float = ...,
    octaves: int = ...,
    gain: float = ...,
    lacunarity: float = ...,
    fractal: Literal["plain", "ridged", "billow"] = ...,
    warp: float = ...,
    island: float = ...,
    world: Any = ...,
    thresholds: Any = ...,
    bands: Any = ...,
    biomes: Any = ...,
    moisture: float = ...,
    wrap: bool = ...,
    offset: Any = ...,
) -> TileMap:
    """Terrain from noise: waves of many sizes added up to heights, and heights turned into tiles.

    width: Columns of the map.
    height: Rows of the map.
    kind: What the waves are: soft (perlin, simplex), blocky (value), or mounds around points (cellular).
    feature_size: Cells from one feature to the next, in the first octave.
    octaves: How many layers of noise are added up; each adds finer detail.
    gain: How strong an octave is beside the one before it.
    lacunarity: How much finer an octave is than the one before it.
    fractal: How octaves are folded: not at all, to sharp crests (ridged), or to round hills with sharp valleys
        (billow).
    warp: How far the noise is bent out of place by other noise, in features.
    island: Share of the way from the edges of the world to its middle on which land sinks into the sea; 0 for
        none.
    world: Width and height of the world that is an island, from 0, 0 on; the map's own when left out.
    thresholds: Heights at which one band ends and the next begins: about the share of cells that lie below.
    bands: The tile of each band, from low to high: one more than there are thresholds.
    biomes: Instead of bands, a row of tiles for each, from dry to wet: as many as you like, of equal shares.
    moisture: Cells from one wet place to the next, for biomes.
    wrap: Join opposite edges, so that the map tiles.
    offset: x, y of this window in an endless world; windows made separately fit exactly.
    """

@overload
def make(
    technique: Literal["patterns"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    pattern_sizes: Any = ...,
    size_weights: Any = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    symmetry: Literal[1, 2, 8] = ...,
    borders: Any = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    optimiser: Literal["annealing", "evolution", "genetic"] = ...,
    iterations: int | None = ...,
    population: int = ...,
    islands: int = ...,
    block_size: int = ...,
    inter_weight: float = ...,
    max_stamps: int = ...,
    noise: float = ...,
) -> TileMap:
    """Evolved tile patterns (ETPKLDiv): a map with the same distribution of N x N patterns as a sample.

    width: Number of columns of the map.
    height: Number of rows of the map.
    sample: One or several maps whose style the map is to have: files, drawings, or names of built-in samples.
    model: What was learned before, by `tilewright learn`, instead of a sample: a file.
    pattern_sizes: Edge lengths of the patterns to compare; by default 3, or 2 for small samples or maps.
    size_weights: Weight of each pattern size; by default equal.
    wrap_sample: Axes along which the sample wraps, such as xy.
    symmetry: Number of views of the sample: 1 as it is, 2 also mirrored left to right, 8 all rotations and
        reflections.
    borders: Edges of the map to match with those of the sample: left, right, top, bottom; with levels also below,
        above.
    depth: Number of levels of the map; by default that of the sample.
    wrap: Axes along which the map wraps, such as xy.
    optimiser: Optimizer: simulated annealing of cells, evolution by stamps of the sample, or genetic with
        crossover as well.
    iterations: Number of annealing steps or generations; by default 2,000 per cell of the map.
    population: Number of maps to optimize, of which the best is kept; in evolution and genetic, they compete.
    islands: Number of independent populations, optimized in parallel; the best map of all is kept.
    block_size: Edge length of the blocks into which annealing splits large maps.
    inter_weight: Weight of two goals: 1 avoids patterns that are not in the sample, 0 avoids missing patterns of
        the sample.
    max_stamps: Maximum number of stamps of the sample per mutation, in evolution and genetic.
    noise: Amplitude of random noise added to the fitness in comparisons of maps, in evolution and genetic.
    """

@overload
def make(
    technique: Literal["rooms"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    rooms: int | None = ...,
    min_rooms: int = ...,
    room_width: Any = ...,
    room_height: Any = ...,
    spacing: int = ...,
    links: Literal["delaunay", "nearest", "row"] = ...,
    loops: float = ...,
    longest_loop: int = ...,
    corridors: Literal["winding", "straight"] = ...,
    corridor_width: int = ...,
    avoid: bool = ...,
    reuse: bool = ...,
    doors: Literal["near", "anywhere"] = ...,
    patience: int = ...,
    layouts: Any = ...,
    plain: float = ...,
    turned: bool = ...,
) -> TileMap:
    """Rooms at random: put rooms wherever they have space, and join them by corridors.

    width: Columns of the map.
    height: Rows of the map.
    rooms: How many rooms are wanted; by default as many as fit well. What fitted is among the map's numbers.
    min_rooms: If fewer rooms than this fit, it gives up.
    room_width: Least and greatest columns of a room's floor; by default 4 to 12, fewer in small maps.
    room_height: Least and greatest rows of a room's floor; by default 3 to 9, fewer in small maps.
    spacing: Least cells between the floors of two rooms: 1 is a wall that they share, 3 leaves space for a
        corridor.
    links: Which rooms are joined: the shortest tree of a triangulation, each to the nearest before it, all in a
        row.
    loops: Chance of every other link that is near at hand, which closes a loop.
    longest_loop: Most links of a loop, counted along the tree.
    corridors: The cheapest ways around what is there (A*), or ways with one corner through whatever is there.
    corridor_width: Cells across a corridor, where there is space.
    avoid: Lead corridors around other rooms, unless there is no other way.
    reuse: Prefer corridors that are there already.
    doors: Where winding corridors leave a room: where the way is short, or at any place of its walls.
    patience: Tries in a row that may fail before no more rooms are looked for.
    layouts: Rooms drawn by hand, as text or files: x wall, o floor, D door, . nothing; mixed in by their weights.
    plain: Weight of plain rectangles beside layouts.
    turned: Whether layouts are turned and mirrored as well.
    """

@overload
def make(
    technique: Literal["rules"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    data: Any = ...,
    names: Any = ...,
    neighbourhoods: Any = ...,
    mapData: Any = ...,
    roomData: Any = ...,
    generationRules: Any = ...,
) -> TileMap:
    """Rules over rooms: divide a map, fill its rooms by chance, let layers of rules shape them, and connect what is
    apart.

    width: Columns of the map; those of mapData when left out.
    height: Rows of the map; those of mapData when left out.
    data: A rule book to fill the sections from: a file, a recipe's name, or the object itself.
    names: The tiles, such as treasure:3, of which at most 3 are placed.
    neighbourhoods: Which cells count as neighbours, drawn in 0 and 1; plus and all are always there.
    mapData: Size, tiles and fix of the map: 15x7, solid:empty, connect:plus:1.
    roomData: Division, filling and fix of the rooms: equal:4x2:3, solid:1|empty:2, connect:plus:1.
    generationRules: Layers of rules, one after the other.
    """

@overload
def make(
    technique: Literal["voronoi"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    spacing: int = ...,
    jitter: float = ...,
    relax: int = ...,
    metric: Literal["euclidean", "manhattan", "chebyshev"] = ...,
    mode: Literal["regions", "walls"] = ...,
    kinds: Any = ...,
    thickness: int = ...,
    doors: float = ...,
    gap: int = ...,
    offset: Any = ...,
) -> TileMap:
    """Regions around points: every cell belongs to the nearest of many scattered points, as fields or behind walls.

    width: Columns of the map.
    height: Rows of the map.
    spacing: Cells from one point to the next, about: the side of the squares that hold one point each.
    jitter: How far points stray from the middle of their squares: 0 is a grid, 1 anywhere in the square.
    relax: How often every point moves to the middle of its region, which evens the regions out.
    metric: What near means: straight lines, steps along rows and columns, or the longer of both.
    mode: Fill each region with one of the kinds, or draw walls between regions.
    kinds: What regions are filled with, drawn by weight: grass:5,forest:3; for the mode regions.
    thickness: How thick walls are, in cells; for the mode walls.
    doors: Share of the borders that have a gap, 0 to keep all regions apart; for the mode walls.
    gap: How wide gaps are, in cells; for the mode walls.
    offset: x, y of this window in an endless world; windows made separately fit exactly.
    """

@overload
def make(
    technique: Literal["wfc"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    pattern_size: int | None = ...,
    symmetry: int = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    rules: Any = ...,
    ground: bool = ...,
    heuristic: Literal["entropy", "constrained", "scanline"] = ...,
    border: Any = ...,
    counts: Any = ...,
    connected: Any = ...,
    paths: Any = ...,
    constraints: Any = ...,
    max_backtracks: int = ...,
    max_repairs: int = ...,
    max_restarts: int = ...,
    relax: bool = ...,
) -> TileMap:
    """Wave function collapse from an example: every N x N block of the map is a pattern of the sample.

    width: Number of columns of the map.
    height: Number of rows of the map.
    sample: One or more maps to take patterns from: files, drawings, or names of built-in samples.
    model: What was learned before, by `tilewright learn`, instead of a sample: a file.
    pattern_size: Edge length of the patterns; 1 uses only pairs of neighbors. By default 3, less for small
        samples or maps.
    symmetry: Number of views of the sample: 1 as it is, 2 also mirrored left to right, 8 all rotations and
        reflections.
    wrap_sample: Axes along which the sample wraps, such as xy.
    depth: Number of levels of the map; by default that of the sample.
    wrap: Axes along which the map wraps, such as xy.
    rules: Tileset with adjacency rules, used instead of a sample: its name, or a file.
    ground: Whether the sample's last row is the ground, which occurs in the map's last row and nowhere else.
    heuristic: Cell to collapse next: the one with the lowest entropy, the one with the fewest patterns, or row by
        row.
    border: Tiles allowed at the edge of the map; by default all.
    counts: Number of cells per tile, such as treasure: 3, 3..5, >=2 or <=4.
    connected: Tiles whose cells must together form one connected region.
    paths: Pairs of cells that must be connected by a path.
    constraints: User-defined constraints, each with its name and parameters.
    max_backtracks: Maximum number of backtracks in a row before the region around the contradiction is reopened.
    max_repairs: Maximum number of reopened regions in a row before the solver restarts.
    max_restarts: Maximum number of restarts before the solver gives up.
    relax: Whether to use patterns that are not in the sample as a last resort; they are marked and counted.
    """

@overload
def make(
    technique: str,
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    **params: Never,
) -> TileMap: ...
@overload
def recipe(
    technique: Literal["aggregation"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    mode: Literal["walk-in", "walk-out", "attractor"] = ...,
    coverage: float = ...,
    launch: Literal["anywhere", "edge"] = ...,
    symmetry: Literal["none", "horizontal", "vertical", "both"] = ...,
    nucleus: Literal["point", "disc", "square", "cross", "line"] = ...,
    radius: int = ...,
    brush: int = ...,
    stick: float = ...,
    border: int = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["bsp"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    rooms: int | None = ...,
    min_rooms: int = ...,
    room_width: Any = ...,
    room_height: Any = ...,
    spacing: int = ...,
    links: Literal["delaunay", "nearest", "row"] = ...,
    loops: float = ...,
    longest_loop: int = ...,
    corridors: Literal["winding", "straight"] = ...,
    corridor_width: int = ...,
    avoid: bool = ...,
    reuse: bool = ...,
    doors: Literal["near", "anywhere"] = ...,
    ratio: float = ...,
    jitter: float = ...,
    leaf: float = ...,
    fill: float = ...,
    shift: float = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["caves"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    walls: float = ...,
    steps: int = ...,
    birth: int = ...,
    survive: int = ...,
    outside: Literal["wall", "floor"] = ...,
    wrap: bool = ...,
    offset: Any = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["drunkard"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    walkers: int = ...,
    steps: int = ...,
    coverage: float | None = ...,
    turn: float = ...,
    bias: float = ...,
    begin: Literal["floor", "centre"] = ...,
    border: int = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["fashion"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    start: Any = ...,
    states: int = ...,
    scores: Any = ...,
    neighbourhood: Any = ...,
    generations: int = ...,
    wrap: bool | None = ...,
    offset: Any = ...,
    morph: Any = ...,
    blend: Literal["left to right", "top to bottom", "radial"] = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["markov"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    directions: Any = ...,
    pieces: Literal["learned", "chosen"] = ...,
    scan: Literal["rows", "columns", "spiral"] = ...,
    corner: Literal["bottom left", "bottom right", "top left", "top right"] = ...,
    backoff: Any = ...,
    smoothing: float = ...,
    temperature: float = ...,
    repair_passes: int = ...,
    gibbs_sweeps: int = ...,
    unknown: Literal["never", "keep"] = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["maze"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    method: Literal["backtracker", "prim", "kruskal", "wilson", "division"] = ...,
    braid: float = ...,
    passage: int = ...,
    wall: int = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["noise"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    kind: Literal["perlin", "simplex", "value", "cellular"] = ...,
    feature_size: float = ...,
    octaves: int = ...,
    gain: float = ...,
    lacunarity: float = ...,
    fractal: Literal["plain", "ridged", "billow"] = ...,
    warp: float = ...,
    island: float = ...,
    world: Any = ...,
    thresholds: Any = ...,
    bands: Any = ...,
    biomes: Any = ...,
    moisture: float = ...,
    wrap: bool = ...,
    offset: Any = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["patterns"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    pattern_sizes: Any = ...,
    size_weights: Any = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    symmetry: Literal[1, 2, 8] = ...,
    borders: Any = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    optimiser: Literal["annealing", "evolution", "genetic"] = ...,
    iterations: int | None = ...,
    population: int = ...,
    islands: int = ...,
    block_size: int = ...,
    inter_weight: float = ...,
    max_stamps: int = ...,
    noise: float = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["rooms"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    rooms: int | None = ...,
    min_rooms: int = ...,
    room_width: Any = ...,
    room_height: Any = ...,
    spacing: int = ...,
    links: Literal["delaunay", "nearest", "row"] = ...,
    loops: float = ...,
    longest_loop: int = ...,
    corridors: Literal["winding", "straight"] = ...,
    corridor_width: int = ...,
    avoid: bool = ...,
    reuse: bool = ...,
    doors: Literal["near", "anywhere"] = ...,
    patience: int = ...,
    layouts: Any = ...,
    plain: float = ...,
    turned: bool = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["rules"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    data: Any = ...,
    names: Any = ...,
    neighbourhoods: Any = ...,
    mapData: Any = ...,
    roomData: Any = ...,
    generationRules: Any = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["voronoi"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    spacing: int = ...,
    jitter: float = ...,
    relax: int = ...,
    metric: Literal["euclidean", "manhattan", "chebyshev"] = ...,
    mode: Literal["regions", "walls"] = ...,
    kinds: Any = ...,
    thickness: int = ...,
    doors: float = ...,
    gap: int = ...,
    offset: Any = ...,
) -> Recipe: ...
@overload
def recipe(
    technique: Literal["wfc"],
    /,
    *,
    seed: int | str | None = None,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    pattern_size: int | None = ...,
    symmetry: int = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    rules: Any = ...,
    ground: bool = ...,
    heuristic: Literal["entropy", "constrained", "scanline"] = ...,
    border: Any = ...,
    counts: Any = ...,
    connected: Any = ...,
    paths: Any = ...,
    constraints: Any = ...,
    max_backtracks: int = ...,
    max_repairs: int = ...,
    max_restarts: int = ...,
    relax: bool = ...,
) -> Recipe: ...
@overload
def recipe(given: Recipe | Mapping[str, Any] | str | PathLike[str], /, **words: Any) -> Recipe: ...
@overload
def watch(
    technique: Literal["aggregation"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    mode: Literal["walk-in", "walk-out", "attractor"] = ...,
    coverage: float = ...,
    launch: Literal["anywhere", "edge"] = ...,
    symmetry: Literal["none", "horizontal", "vertical", "both"] = ...,
    nucleus: Literal["point", "disc", "square", "cross", "line"] = ...,
    radius: int = ...,
    brush: int = ...,
    stick: float = ...,
    border: int = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["bsp"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    rooms: int | None = ...,
    min_rooms: int = ...,
    room_width: Any = ...,
    room_height: Any = ...,
    spacing: int = ...,
    links: Literal["delaunay", "nearest", "row"] = ...,
    loops: float = ...,
    longest_loop: int = ...,
    corridors: Literal["winding", "straight"] = ...,
    corridor_width: int = ...,
    avoid: bool = ...,
    reuse: bool = ...,
    doors: Literal["near", "anywhere"] = ...,
    ratio: float = ...,
    jitter: float = ...,
    leaf: float = ...,
    fill: float = ...,
    shift: float = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["caves"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    walls: float = ...,
    steps: int = ...,
    birth: int = ...,
    survive: int = ...,
    outside: Literal["wall", "floor"] = ...,
    wrap: bool = ...,
    offset: Any = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["drunkard"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    walkers: int = ...,
    steps: int = ...,
    coverage: float | None = ...,
    turn: float = ...,
    bias: float = ...,
    begin: Literal["floor", "centre"] = ...,
    border: int = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["fashion"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    start: Any = ...,
    states: int = ...,
    scores: Any = ...,
    neighbourhood: Any = ...,
    generations: int = ...,
    wrap: bool | None = ...,
    offset: Any = ...,
    morph: Any = ...,
    blend: Literal["left to right", "top to bottom", "radial"] = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["markov"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    directions: Any = ...,
    pieces: Literal["learned", "chosen"] = ...,
    scan: Literal["rows", "columns", "spiral"] = ...,
    corner: Literal["bottom left", "bottom right", "top left", "top right"] = ...,
    backoff: Any = ...,
    smoothing: float = ...,
    temperature: float = ...,
    repair_passes: int = ...,
    gibbs_sweeps: int = ...,
    unknown: Literal["never", "keep"] = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["maze"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    method: Literal["backtracker", "prim", "kruskal", "wilson", "division"] = ...,
    braid: float = ...,
    passage: int = ...,
    wall: int = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["noise"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    kind: Literal["perlin", "simplex", "value", "cellular"] = ...,
    feature_size: float = ...,
    octaves: int = ...,
    gain: float = ...,
    lacunarity: float = ...,
    fractal: Literal["plain", "ridged", "billow"] = ...,
    warp: float = ...,
    island: float = ...,
    world: Any = ...,
    thresholds: Any = ...,
    bands: Any = ...,
    biomes: Any = ...,
    moisture: float = ...,
    wrap: bool = ...,
    offset: Any = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["patterns"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    pattern_sizes: Any = ...,
    size_weights: Any = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    symmetry: Literal[1, 2, 8] = ...,
    borders: Any = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    optimiser: Literal["annealing", "evolution", "genetic"] = ...,
    iterations: int | None = ...,
    population: int = ...,
    islands: int = ...,
    block_size: int = ...,
    inter_weight: float = ...,
    max_stamps: int = ...,
    noise: float = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["rooms"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    rooms: int | None = ...,
    min_rooms: int = ...,
    room_width: Any = ...,
    room_height: Any = ...,
    spacing: int = ...,
    links: Literal["delaunay", "nearest", "row"] = ...,
    loops: float = ...,
    longest_loop: int = ...,
    corridors: Literal["winding", "straight"] = ...,
    corridor_width: int = ...,
    avoid: bool = ...,
    reuse: bool = ...,
    doors: Literal["near", "anywhere"] = ...,
    patience: int = ...,
    layouts: Any = ...,
    plain: float = ...,
    turned: bool = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["rules"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    data: Any = ...,
    names: Any = ...,
    neighbourhoods: Any = ...,
    mapData: Any = ...,
    roomData: Any = ...,
    generationRules: Any = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["voronoi"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    spacing: int = ...,
    jitter: float = ...,
    relax: int = ...,
    metric: Literal["euclidean", "manhattan", "chebyshev"] = ...,
    mode: Literal["regions", "walls"] = ...,
    kinds: Any = ...,
    thickness: int = ...,
    doors: float = ...,
    gap: int = ...,
    offset: Any = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    technique: Literal["wfc"],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    sample: Any = ...,
    model: Any = ...,
    pattern_size: int | None = ...,
    symmetry: int = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    rules: Any = ...,
    ground: bool = ...,
    heuristic: Literal["entropy", "constrained", "scanline"] = ...,
    border: Any = ...,
    counts: Any = ...,
    connected: Any = ...,
    paths: Any = ...,
    constraints: Any = ...,
    max_backtracks: int = ...,
    max_repairs: int = ...,
    max_restarts: int = ...,
    relax: bool = ...,
) -> Iterator[Frame]: ...
@overload
def watch(
    given: Recipe | Mapping[str, Any] | str | PathLike[str],
    /,
    *,
    seed: int | str | None = None,
    every: int = 1,
    **words: Any,
) -> Iterator[Frame]: ...
@overload
def shape(
    map: TileMap,
    shaper: Literal["autotile"],
    /,
    *,
    seed: int | str = "0",
    keep: Literal["kinds", "pieces"] = ...,
) -> TileMap:
    """Autotile: choose the pieces of rivers, roads, pipes, beaches and bridges that fit their neighbors.

    keep: Whether to keep only the kinds and choose all pieces, or to keep the pieces that fit.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["border"],
    /,
    *,
    seed: int | str = "0",
    thickness: int = ...,
    tile: str | None = ...,
) -> TileMap:
    """Border: a frame of one tile around the edge of the map.

    thickness: Width of the frame in cells.
    tile: Tile of the frame; by default the most common impassable tile of the map.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["connect"],
    /,
    *,
    seed: int | str = "0",
    thickness: int = ...,
    path: Literal["shortest", "straight"] = ...,
    tile: str | None = ...,
    directions: Literal[4, 8] = ...,
    minimum: int = ...,
) -> TileMap:
    """Connect: dig tunnels between the separate regions of a map until every region can be reached.

    thickness: Width of the tunnels in cells.
    path: Whether tunnels take the shortest path, or a path with a single corner where locked cells allow it.
    tile: Passable tile of the tunnels; by default the most common passable tile of the map.
    directions: Whether cells are connected in 4 directions, or in 8 including diagonals.
    minimum: Minimum size of the regions to connect; smaller regions are ignored.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["countries"],
    /,
    *,
    seed: int | str = "0",
    to: Any = ...,
    of: Any = ...,
    shuffle: bool = ...,
) -> TileMap:
    """Countries: change the owners of buildings, for example all bases and cities to Orange Star and Blue Moon.

    to: Countries that own all buildings afterwards, by name or initials.
    of: Countries to replace; by default all on the map except neutral.
    shuffle: Whether to assign the countries in random order; otherwise in the given order.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["crop"],
    /,
    *,
    seed: int | str = "0",
    x: int = ...,
    y: int = ...,
    width: int | None = ...,
    height: int | None = ...,
    margin: int = ...,
) -> TileMap:
    """Crop: cut a rectangle out of the map. Rooms and markers outside it and all locks are removed.

    x: First column to keep.
    y: First row to keep.
    width: Number of columns to keep; by default all up to the right edge.
    height: Number of rows to keep; by default all up to the bottom edge.
    margin: Number of cells to cut off at every edge, instead of a rectangle.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["doors"],
    /,
    *,
    seed: int | str = "0",
    share: float = ...,
    of: Literal["rooms", "openings"] | None = ...,
    min_cells: int = ...,
    tile: str | None = ...,
) -> TileMap:
    """Doors: put doors where passages meet rooms.

    share: Fraction of the doorways that get a door.
    of: What doors lead to: rooms, or open areas (openings); by default the map's rooms, if it has any.
    min_cells: Minimum number of passable cells of a room with doors.
    tile: Passable tile of the doors; by default the tile named door.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["flip"],
    /,
    *,
    seed: int | str = "0",
    axis: Literal["horizontal", "vertical"] = ...,
) -> TileMap:
    """Flip: mirror the map left to right or top to bottom.

    axis: Axis of the flip: swap left and right (horizontal), or top and bottom (vertical).
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["keep_largest"],
    /,
    *,
    seed: int | str = "0",
    keep: int = ...,
    tile: str | None = ...,
    directions: Literal[4, 8] = ...,
) -> TileMap:
    """Keep largest: fill all separate regions of a map except the largest.

    keep: Number of regions to keep.
    tile: Impassable tile that fills the other regions; by default the most common impassable tile of the map.
    directions: Whether cells are connected in 4 directions, or in 8 including diagonals.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["lock_and_key"],
    /,
    *,
    seed: int | str = "0",
    count: int = ...,
    min_count: int | None = ...,
    colors: Any = ...,
    keys: int = ...,
    exit_behind: bool = ...,
    min_cells: int = ...,
    max_doors: int = ...,
    max_width: int = ...,
    tile: str | None = ...,
) -> TileMap:
    """Lock and key: close areas of a map with locked doors, and place the keys so that every area can be reached.

    count: Number of locks, each with its own color.
    min_count: Minimum number of locks; the shaper gives up if fewer fit. By default all must fit.
    colors: Names of the colors, in order; when they run out, they are numbered: red 2 and so on.
    keys: Number of keys of each color; one is enough to open its lock.
    exit_behind: Whether the exit is behind the last lock.
    min_cells: Minimum number of free cells between the start and the first locks, and behind each lock.
    max_doors: Maximum number of doors of one lock; its key opens them all.
    max_width: Maximum width of a passage to close, in cells; wide doors are used only where narrow ones are not
        enough.
    tile: Passable tile of all locked doors; by default that of their color, such as red door, or else door.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["mirror"],
    /,
    *,
    seed: int | str = "0",
    axis: Literal[
        "horizontal", "vertical", "both", "half_turn", "diagonal", "antidiagonal", "quarter_turn", "all"
    ] = ...,
    keep: Literal["first", "second"] = ...,
    countries: Any = ...,
) -> TileMap:
    """Mirror: make the map symmetric by copying one part of it onto the others.

    axis: Symmetry: swap left and right, top and bottom, both, mirror at a diagonal, half or quarter turns, or
        all.
    keep: Whether to copy the first part in reading order (left, top) onto the others, or the last.
    countries: Countries that follow each other from copy to copy, by name or initials; by default owners do not
        change.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["overlay"],
    /,
    *,
    seed: int | str = "0",
    recipe: Any = ...,
    x: int = ...,
    y: int = ...,
    width: int | None = ...,
    height: int | None = ...,
    on: str | None = ...,
    tiles: Any = ...,
    where: Literal["rooms"] | None = ...,
) -> TileMap:
    """Overlay: generate another recipe inside this map: in a rectangle, on the cells of one tile, or in every room.

    recipe: Recipe to generate; its width and height are those of the place.
    x: First column of the place.
    y: First row of the place.
    width: Number of columns of the place; by default all up to the right edge.
    height: Number of rows of the place; by default all up to the bottom edge.
    on: Tile to replace; other cells are kept, and the place shrinks to the bounding box of this tile.
    tiles: Tiles of the inner map and what they become in this one, such as wall: rock; other tiles keep their
        names.
    where: Places other than one rectangle: every room of the map, each with a random stream of its own.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["paint"],
    /,
    *,
    seed: int | str = "0",
    tile: str = ...,
    x: int | None = ...,
    y: int | None = ...,
    of: str | None = ...,
    min_size: int = ...,
    max_size: int | None = ...,
    largest: int | None = ...,
    smallest: int | None = ...,
    directions: Literal[4, 8] = ...,
) -> TileMap:
    """Paint: replace the tile of connected regions of equal tiles, as a flood fill does.

    tile: Tile to paint with.
    x: Column of a cell inside the region to paint; given together with y.
    y: Row of a cell inside the region to paint; given together with x.
    of: Tile of the regions to paint; by default any.
    min_size: Minimum number of cells of a region to paint.
    max_size: Maximum number of cells of a region to paint; by default unlimited.
    largest: Number of regions to paint, the largest first; by default all.
    smallest: Number of regions to paint, the smallest first; by default all.
    directions: Whether cells are connected in 4 directions, or in 8 including diagonals.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["place"],
    /,
    *,
    seed: int | str = "0",
    markers: Any = ...,
    rule: Literal["farthest", "dead_ends", "off_path", "spread", "band", "random"] = ...,
    count: int = ...,
    min_distance: int = ...,
    origin: str = ...,
    min_steps: int = ...,
    max_steps: int | None = ...,
    tile: str | None = ...,
) -> TileMap:
    """Place: put markers such as start, exit, keys, loot or monsters on cells chosen by a rule.

    markers: Names of the markers, in the order in which their cells are chosen.
    rule: Rule that chooses the cells.
    count: Number of markers of each name.
    min_distance: Minimum Euclidean distance between two markers, in cells.
    origin: Marker from which the steps of a band are counted.
    min_steps: Minimum number of steps from the origin.
    max_steps: Maximum number of steps from the origin; by default unlimited.
    tile: Tile to put on the chosen cells, except locked ones; by default none.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["players"],
    /,
    *,
    seed: int | str = "0",
    symmetry: Literal["half_turn", "horizontal", "vertical", "diagonal", "antidiagonal", "none"] = ...,
    countries: Any = ...,
    bases: int = ...,
    cities: int = ...,
    neutral_cities: int = ...,
    neutral_bases: int = ...,
    airports: int = ...,
    ports: int = ...,
    com_towers: int = ...,
    labs: int = ...,
    roads: bool = ...,
    join_all: bool = ...,
) -> TileMap:
    """Players: make a two-player war map with equal numbers of headquarters, bases and cities.

    symmetry: Symmetry between the two players: half turn, mirrored left to right, top to bottom or at a diagonal,
        or none.
    countries: Countries that play, by name or initials; the first gets the first half, left or top.
    bases: Number of bases that each player owns from the start.
    cities: Number of cities that each player owns from the start.
    neutral_cities: Number of neutral cities on each side.
    neutral_bases: Number of neutral bases on each side.
    airports: Number of neutral airports on each side.
    ports: Number of neutral ports on each side, at the shore.
    com_towers: Number of neutral com towers on each side.
    labs: Number of neutral labs on each side.
    roads: Whether roads lead from the headquarters to the bases and to the opponent.
    join_all: Whether land without buildings is also joined to the rest.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["prune_dead_ends"],
    /,
    *,
    seed: int | str = "0",
    length: int | None = ...,
    share: float = ...,
    tile: str | None = ...,
) -> TileMap:
    """Prune dead ends: fill passages that lead nowhere, starting at their ends.

    length: Maximum number of cells to fill from each dead end; by default unlimited.
    share: Fraction of the dead ends to fill.
    tile: Impassable tile to fill with; by default the most common impassable tile of the map.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["replace"],
    /,
    *,
    seed: int | str = "0",
    tile: str | None = ...,
    by: str | None = ...,
    pairs: Any = ...,
    share: float = ...,
) -> TileMap:
    """Replace: put one tile in place of another, everywhere or in a fraction of the cells.

    tile: Tile to replace; given together with by.
    by: Tile to put in its place.
    pairs: Further pairs of a tile and its replacement.
    share: Fraction of the cells to replace.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["rotate"],
    /,
    *,
    seed: int | str = "0",
    turns: int = ...,
) -> TileMap:
    """Rotate: rotate the map clockwise by quarter turns.

    turns: Number of clockwise quarter turns.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["smooth"],
    /,
    *,
    seed: int | str = "0",
    steps: int = ...,
) -> TileMap:
    """Smooth: replace every tile by the most common one of its 3x3 block.

    steps: Number of iterations.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["walls"],
    /,
    *,
    seed: int | str = "0",
    tile: str | None = ...,
    of: str | None = ...,
    thickness: int = ...,
) -> TileMap:
    """Walls: turn the solid cells beside passable ones into walls.

    tile: Impassable tile of the walls; by default the tile named wall, or else the most common impassable tile.
    of: Tile that becomes a wall; by default any impassable tile.
    thickness: Thickness of the walls in cells.
    """

@overload
def shape(
    map: TileMap,
    shaper: Literal["widen"],
    /,
    *,
    seed: int | str = "0",
    by: int = ...,
    border: bool = ...,
) -> TileMap:
    """Widen: make passages wider by digging away the cells beside them.

    by: Number of cells by which passages grow on every side.
    border: Whether to keep the outermost ring of the map closed.
    """

@overload
def shape(map: TileMap, shaper: str, /, *, seed: int | str = "0", **params: Never) -> TileMap: ...
