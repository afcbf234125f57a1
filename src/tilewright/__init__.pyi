"""Written by tools/write_stub.py from the schemas of all parameters; run `make stubs` after changing one."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Never, TypeAlias, overload

from . import analysis as analysis
from . import corpus as corpus
from . import formats as formats
from . import kernels as kernels
from . import play as play
from . import search as search
from .analysis.survey import Survey as Survey
from .api import find_edits as find_edits
from .api import list_distances as list_distances
from .api import list_engines as list_engines
from .api import list_formats as list_formats
from .api import list_games as list_games
from .api import list_measures as list_measures
from .api import list_models as list_models
from .api import list_recipes as list_recipes
from .api import list_samples as list_samples
from .api import list_shapers as list_shapers
from .api import list_techniques as list_techniques
from .api import list_tilesets as list_tilesets
from .api import load as load
from .api import load_model as load_model
from .api import load_network as load_network
from .api import make_many as make_many
from .api import measure as measure
from .api import measure_many as measure_many
from .api import overlay as overlay
from .api import run as run
from .api import verify as verify
from .api import watch_shaping as watch_shaping
from .batch.many import MapBatch as MapBatch
from .comparison.rows import ComparisonRow as ComparisonRow
from .comparison.run import TechniqueComparison as TechniqueComparison
from .core.edits import Edits as Edits
from .core.entries import Benchmark as Benchmark
from .core.entries import ByExample as ByExample
from .core.entries import Constraint as Constraint
from .core.entries import Measure as Measure
from .core.entries import Shaper as Shaper
from .core.entries import Technique as Technique
from .core.entries import benchmark as benchmark
from .core.entries import constraint as constraint
from .core.entries import shaper as shaper
from .core.entries import technique as technique
from .core.entries import transform as transform
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
from .core.model import LearningProgress as LearningProgress
from .core.model import Model as Model
from .core.model import OnLearning
from .core.network import Network as Network
from .core.params import Params as Params
from .core.params import Sized as Sized
from .core.params import param as param
from .core.provenance import Verdict as Verdict
from .core.recipe import Recipe as Recipe
from .core.recipe import Stage as Stage
from .core.references import cite as cite
from .core.registry import register as register
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
from .engines import Engine as Engine
from .engines import ExportedProject as ExportedProject
from .engines import engine as engine
from .formats import Format as Format
from .formats import file_format as file_format
from .formats._included import IncludedModel as IncludedModel
from .formats._included import IncludedRecipe as IncludedRecipe
from .formats._included import IncludedSample as IncludedSample
from .formats._resolver import RecipeLike
from .jobs.progress import OnProgress
from .jobs.progress import Progress as Progress
from .overlays.overlay import Overlay as Overlay
from .play.game import Game as Game
from .play.game import game as game
from .play.game import solve as solve
from .play.playthrough import Playthrough as Playthrough
from .search.distances import Distance as Distance
from .search.distances import distance as distance
from .seed_search import FoundSeeds

__version__: str

Stages: TypeAlias = str | Stage | Mapping[str, Any] | Sequence[str | Stage | Mapping[str, Any]]

@overload
def make(
    technique: Literal["aggregation"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Diffusion-limited aggregation: particles move at random until they touch the floor, and become floor there.

    width: Width of the map in cells.
    height: Height of the map in cells.
    mode: Motion of particles: into the cave until they touch floor, out of it until they dig, or straight to the
        center.
    coverage: Fraction of cells within the border that become floor.
    launch: Start of particles from outside: anywhere in the rock, or along the border while it is rock.
    symmetry: Symmetry of the map: left and right (horizontal), top and bottom (vertical), or both.
    nucleus: Shape in the middle of the map from which the cave grows.
    radius: Radius of the nucleus in cells; unused for a point.
    brush: Width of the area that a particle digs.
    stick: Probability that a particle from outside stays when it touches floor. Lower values make thicker
        branches.
    border: Width of the wall kept around the map; less if the map is too small.
    """

@overload
def make(
    technique: Literal["bsp"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Binary space partition dungeon: the map is split recursively, and each part gets a room.

    width: Number of columns.
    height: Number of rows.
    rooms: Number of rooms to place; by default as many as fit well. The map's numbers contain the number placed.
    min_rooms: Minimum number of rooms; with fewer, the technique gives up.
    room_width: Minimum and maximum width of a room's floor; by default 4 to 12, less in small maps.
    room_height: Minimum and maximum height of a room's floor; by default 3 to 9, less in small maps.
    spacing: Minimum number of cells between the floors of two rooms: 1 is a shared wall, 3 leaves space for a
        corridor.
    links: Rooms to link: by the shortest tree of a triangulation, each to the nearest earlier room, or all in a
        chain.
    loops: Probability of each other link between near rooms, which closes a loop.
    longest_loop: Maximum number of links in a loop, counted along the tree.
    corridors: Shape of corridors: the cheapest paths around obstacles (A*), or paths with one corner through any
        obstacle.
    corridor_width: Width of corridors in cells, where there is space.
    avoid: Whether corridors lead around other rooms where possible.
    reuse: Whether corridors prefer existing corridors.
    doors: Position of the doors of winding corridors: where the path is short, or anywhere in the room's walls.
    ratio: Side ratio of a part above which it is split across the longer side; otherwise in a random direction.
    jitter: Maximum distance of a cut from the middle, as a fraction of the side.
    leaf: Maximum side of a part, as a multiple of the largest room's. Parts are split further only to reach
        `rooms`.
    fill: Minimum fraction of a part's side that its room fills, within the room sizes.
    shift: Maximum shift of a room from the middle of its part: 0 none, 1 as far as there is space.
    """

@overload
def make(
    technique: Literal["caves"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Cellular-automaton caves: random walls, smoothed by a majority rule over eight neighbors.

    width: Width of the map in cells.
    height: Height of the map in cells.
    walls: Fraction of cells that start as wall.
    steps: Number of smoothing steps.
    birth: Minimum number of wall neighbors, out of eight, at which a floor becomes wall.
    survive: Minimum number of wall neighbors, out of eight, at which a wall stays wall.
    outside: Tile assumed beyond the edge of the map. A window with an offset has no edge.
    wrap: Whether opposite edges wrap around, so that the map tiles.
    offset: Position x, y of this window in an endless cave. Windows generated separately join exactly.
    """

@overload
def make(
    technique: Literal["diffusion"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    model: Any = ...,
    steps: int = ...,
    temperature: float = ...,
    refine: int = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    border: Any = ...,
    counts: Any = ...,
) -> TileMap:
    """Diffusion: a trained network fills a masked map in random order, a few cells at a time.

    width: Number of columns of the map.
    height: Number of rows of the map.
    model: Trained network: the name of a built-in one, or a file made by `tilewright learn diffusion`.
    steps: Number of steps in which the map is filled; more steps give more regular maps, and take longer.
    temperature: Sampling temperature: 0 takes the most likely tile, 1 draws by the network's probabilities.
    refine: Number of passes that mask the least likely cells with their surroundings, and fill them again.
    wrap: Axes along which the map wraps, such as xy.
    border: Tiles allowed at the edge of the map; by default all.
    counts: Number of cells per tile, such as treasure: 3, 3..5, >=2 or <=4. By default, tiles with one cell in
        each training map of the network have one cell.
    """

@overload
def make(
    technique: Literal["drunkard"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Drunkard's walk: walkers move at random through rock and turn their paths into floor.

    width: Width of the map in cells.
    height: Height of the map in cells.
    walkers: Number of walkers; with a coverage, the number at a time.
    steps: Number of steps of each walker.
    coverage: Fraction of cells within the border that become floor, reached by new walkers; none for a fixed
        number of walkers.
    turn: Probability of a turn at each step: 0 walks straight to the wall, 1 is the classic drunkard's walk.
    bias: Probability that a turn leads to the center of the map; if negative, to its edge.
    begin: Start of walkers: random floor beside rock, or the center of the map.
    border: Width of the wall kept around the map; less if the map is too small.
    """

@overload
def make(
    technique: Literal["fashion"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    device: Literal["cpu", "gpu"] = ...,
) -> TileMap:
    """Fashion-based cellular automaton: each cell copies the neighbor with the highest score.

    width: Width of the map in cells.
    height: Height of the map in cells.
    start: Map to start from; free cells (?) are filled at random. It sets the size of the map.
    states: Number of states; by default, as many as the scores have rows.
    scores: Score of a state (row) beside a neighbor's state (column): a list, `random`, or a style, as in
        `archive:12,3`.
    neighbourhood: Cells that count as neighbors: a name, or a list of dx, dy. On ties, the neighbor listed first
        wins.
    generations: Number of updates of all cells.
    wrap: Whether opposite edges wrap around (a torus); by default yes, unless there is an offset.
    offset: Position x, y of this window in an endless plane. Windows generated separately join exactly.
    morph: Second score matrix, into which the first one changes across the map; in the same forms.
    blend: Direction in which the fraction of the second matrix grows from 0 to 1.
    device: Device to make the map on. A GPU is faster for large maps; the map does not depend on it.
    """

@overload
def make(
    technique: Literal["markov"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    serpentine: bool = ...,
    backoff: Any = ...,
    smoothing: float = ...,
    temperature: float = ...,
    repair_passes: int = ...,
    gibbs_sweeps: int = ...,
    min_coverage: float = ...,
    unknown: Literal["never", "keep"] = ...,
) -> TileMap:
    """Markov model learned from examples: every cell draws a random tile, given the neighbors that are already
    drawn.

    width: Number of columns of the map.
    height: Number of rows of the map.
    sample: Maps to learn from: files, folders, drawings, or names of built-in samples.
    model: File of a model made by `tilewright learn`, instead of a sample.
    directions: Up to eight directions of neighbors: n, ne, e ..., or n2 for two cells away; by default e, w, sw,
        s, se.
    pieces: Pieces of rivers, roads and the like: learned one by one, or learned as one kind and chosen to fit
        afterwards.
    scan: Order of the cells: by rows, by columns, or in a spiral from the center.
    corner: Corner where the rows or columns start.
    serpentine: Whether every second row or column runs in the opposite direction, which avoids diagonal stripes.
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
    min_coverage: Minimum fraction of the samples' tiles that must occur in the map, which is drawn again until
        they do.
    unknown: Tile of cells without a known context: never unknown but drawn by overall frequency, or kept as
        `unknown`.
    """

@overload
def make(
    technique: Literal["maze"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Perfect mazes: a spanning tree over places on a grid; braiding turns dead ends into loops.

    width: Number of columns. Odd numbers fit walls and passages of one cell exactly.
    height: Number of rows. Odd numbers fit walls and passages of one cell exactly.
    method: Method that chooses the links: winding, branching, even, uniformly random, or straight walls.
    braid: Fraction of dead ends that are opened into loops; 0 leaves exactly one path between any two places.
    passage: Width of the passages in cells.
    wall: Width of the walls in cells.
    """

@overload
def make(
    technique: Literal["noise"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Gradient noise terrain: octaves of noise added up to heights, and heights mapped to tiles.

    width: Width of the map in cells.
    height: Height of the map in cells.
    kind: Kind of noise: smooth (perlin, simplex), blocky (value), or mounds around points (cellular).
    feature_size: Size of a feature of the first octave, in cells.
    octaves: Number of octaves that are added up; each adds finer detail.
    gain: Amplitude of an octave relative to the previous one.
    lacunarity: Frequency of an octave relative to the previous one.
    fractal: Folding of the octaves: none, sharp ridges (ridged), or round hills with sharp valleys (billow).
    warp: Strength of the distortion by other noise, in features.
    island: Width of the sinking coast, as a fraction of the distance from edge to center of the world; 0 for
        none.
    world: Width and height of the world that is an island, starting at 0, 0; by default those of the map.
    thresholds: Heights that separate the bands, in increasing order. About this fraction of the cells is below.
    bands: Tile of each band, from low to high; one more than there are thresholds.
    biomes: Instead of bands: a row of tiles per band, from dry to wet, of any length; each tile gets an equal
        fraction.
    moisture: Size of a wet or dry area, in cells, for biomes.
    wrap: Whether opposite edges wrap around, so that the map tiles.
    offset: Position x, y of this window in an endless world. Windows generated separately join exactly.
    """

@overload
def make(
    technique: Literal["patterns"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    sample_edges: Any = ...,
    samples_per_map: int | None = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    optimiser: Literal["annealing", "evolution", "genetic"] = ...,
    quality: Literal["draft", "normal", "best"] = ...,
    iterations: int | None = ...,
    population: int = ...,
    islands: int = ...,
    block_size: int = ...,
    max_copy: int | None = ...,
    min_coverage: float = ...,
    inter_weight: float = ...,
    max_stamps: int = ...,
    noise: float = ...,
) -> TileMap:
    """Evolved tile patterns (ETPKLDiv): a map with the same distribution of N x N patterns as a sample.

    width: Number of columns of the map.
    height: Number of rows of the map.
    sample: One or several maps to imitate: files, rows of glyphs, or names of built-in samples.
    model: File of a model made by `tilewright learn`, instead of a sample.
    pattern_sizes: Edge lengths of the patterns to compare; by default 3, or 2 for small samples or maps.
    size_weights: Weight of each pattern size; by default equal.
    wrap_sample: Axes along which the sample wraps, such as xy.
    symmetry: Number of views of the sample: 1 as it is, 2 also mirrored left to right, 8 all rotations and
        reflections.
    sample_edges: Edges of the map to match with those of the sample: left, right, top, bottom; with levels also
        below, above.
    samples_per_map: Number of samples that a map imitates, chosen at random for each map; by default all of them
        together.
    depth: Number of levels of the map; by default that of the sample.
    wrap: Axes along which the map wraps, such as xy.
    optimiser: Optimizer: simulated annealing of cells, evolution by stamps of the sample, or genetic with
        crossover as well.
    quality: Number of iterations per cell of the map: 22 for a draft, 1,000 normally, 4,000 for the best maps.
    iterations: Number of annealing steps or generations; by default set by quality.
    population: Number of maps to optimize, of which the best is kept; in evolution and genetic, they compete.
    islands: Number of independent populations, optimized in parallel; the best map of all is kept.
    block_size: Edge length of the blocks into which annealing splits large maps.
    max_copy: Maximum edge length of a square copied from the sample, in cells; by default three patterns, 0 for
        no limit.
    min_coverage: Fraction of the sample's patterns that should occur in the map; a map with less causes a
        warning.
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
    workers: int = 0,
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
    graph: Any = ...,
    patience: int = ...,
    layouts: Any = ...,
    plain: float = ...,
    turned: bool = ...,
) -> TileMap:
    """Randomly placed rooms: rooms at random positions without overlap, joined by corridors.

    width: Number of columns.
    height: Number of rows.
    rooms: Number of rooms to place; by default as many as fit well. The map's numbers contain the number placed.
    min_rooms: Minimum number of rooms; with fewer, the technique gives up.
    room_width: Minimum and maximum width of a room's floor; by default 4 to 12, less in small maps.
    room_height: Minimum and maximum height of a room's floor; by default 3 to 9, less in small maps.
    spacing: Minimum number of cells between the floors of two rooms: 1 is a shared wall, 3 leaves space for a
        corridor.
    links: Rooms to link: by the shortest tree of a triangulation, each to the nearest earlier room, or all in a
        chain.
    loops: Probability of each other link between near rooms, which closes a loop.
    longest_loop: Maximum number of links in a loop, counted along the tree.
    corridors: Shape of corridors: the cheapest paths around obstacles (A*), or paths with one corner through any
        obstacle.
    corridor_width: Width of corridors in cells, where there is space.
    avoid: Whether corridors lead around other rooms where possible.
    reuse: Whether corridors prefer existing corridors.
    doors: Position of the doors of winding corridors: where the path is short, or anywhere in the room's walls.
    graph: Rooms on a grid with exactly the given links, such as a1-b1-b2; or a grid size, such as 4x3, for random
        links.
    patience: Number of consecutive failed attempts after which no more rooms are placed.
    layouts: Hand-drawn rooms, as strings or files: x wall, o floor, D door, . nothing. Drawn in proportion to
        their weights.
    plain: Weight of plain rectangles relative to the layouts.
    turned: Whether layouts are also rotated and mirrored.
    """

@overload
def make(
    technique: Literal["rules"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Rule-based generator (ProcEngine): random rooms, shaped by layers of cellular-automaton rules and connected.

    width: Number of columns; by default that of mapData.
    height: Number of rows; by default that of mapData.
    data: Rulebook from which to fill the sections: a file, the name of a recipe, or an object.
    names: Tiles, such as treasure:3 for at most 3 of them.
    neighbourhoods: Cells that count as neighbors, drawn in 0 and 1; plus and all are always defined.
    mapData: Size, tiles and fix of the map: 15x7, solid:empty, connect:plus:1.
    roomData: Division, initial tiles and fix of the rooms: equal:4x2:3, solid:1|empty:2, connect:plus:1.
    generationRules: Layers of rules, applied in order.
    """

@overload
def make(
    technique: Literal["snake"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
    tileset: str | PathLike[str] | Tileset | None = None,
    tiles: Mapping[str, str] | None = None,
    locks: Any = None,
    shaping: Stages | None = None,
    require: Mapping[str, Any] | None = None,
    tries: int | None = None,
    width: int = ...,
    height: int = ...,
    length: int | None = ...,
    border: int = ...,
) -> TileMap:
    """Snake: one winding path of exact length, without shortcuts or branches.

    width: Width of the map in cells.
    height: Height of the map in cells.
    length: Number of cells of the path; by default, 40% of the cells within the border.
    border: Width of the wall kept around the map; less if the map is too small.
    """

@overload
def make(
    technique: Literal["voronoi"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    """Voronoi regions: each cell belongs to the nearest of many scattered points; regions are filled or walled.

    width: Width of the map in cells.
    height: Height of the map in cells.
    spacing: Approximate distance between points in cells: the side of the squares that contain one point each.
    jitter: Spread of points around the centers of their squares: 0 is a grid, 1 anywhere in the square.
    relax: Number of relaxation steps, which move points to the centers of their regions and make the regions more
        even.
    metric: Distance metric: straight lines, steps along rows and columns, or the longer of both.
    mode: Whether to fill each region with one of the kinds, or to draw walls between regions.
    kinds: Tiles that fill regions, drawn by weight: grass:5,forest:3. For the mode regions.
    thickness: Thickness of walls in cells. For the mode walls.
    doors: Fraction of borders that have a gap; 0 separates all regions. For the mode walls.
    gap: Width of gaps in cells. For the mode walls.
    offset: Position x, y of this window in an endless world. Windows generated separately join exactly.
    """

@overload
def make(
    technique: Literal["wfc"],
    /,
    *,
    seed: int | str | None = None,
    workers: int = 0,
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
    sample_edges: Any = ...,
    ground: bool = ...,
    heuristic: Literal["entropy", "constrained", "scanline"] = ...,
    border: Any = ...,
    counts: Any = ...,
    match_counts: bool = ...,
    connected: Any = ...,
    paths: Any = ...,
    constraints: Any = ...,
    min_coverage: float = ...,
    max_backtracks: int = ...,
    max_repairs: int = ...,
    max_restarts: int = ...,
    relax: bool = ...,
) -> TileMap:
    """Wave function collapse from an example: every N x N block of the map is a pattern of the sample.

    width: Number of columns of the map.
    height: Number of rows of the map.
    sample: One or more maps to take patterns from: files, drawings, or names of built-in samples.
    model: File of a model made by `tilewright learn`, instead of a sample.
    pattern_size: Edge length of the patterns; 1 uses only pairs of neighbors. By default 3, less for small
        samples or maps.
    symmetry: Number of views of the sample: 1 as it is, 2 also mirrored left to right, 8 all rotations and
        reflections.
    wrap_sample: Axes along which the sample wraps, such as xy.
    depth: Number of levels of the map; by default that of the sample.
    wrap: Axes along which the map wraps, such as xy.
    rules: Tileset with adjacency rules, used instead of a sample: its name, or a file in TOML or in the XML of
        public WFC tile sets, such as Knots.xml or, for one of its subsets, Knots.xml#Fabric.
    sample_edges: Edges of the map that only have patterns of the same edge of the sample: left, right, top,
        bottom; with levels also below, above.
    ground: Whether the sample's last row is the ground, which occurs in the map's last row and nowhere else. The
        sample then wraps along y.
    heuristic: Cell to collapse next: the one with the lowest entropy, the one with the fewest patterns, or row by
        row.
    border: Tiles allowed at the edge of the map; by default all.
    counts: Number of cells per tile, such as treasure: 3, 3..5, >=2 or <=4.
    match_counts: Whether each tile that `counts` does not name covers 0.4 to 2.5 times the fraction that it has
        in the sample.
    connected: Tiles whose cells must together form one connected region.
    paths: Pairs of cells that must be connected by a path.
    constraints: User-defined constraints, each with its name and parameters.
    min_coverage: Minimum fraction of the sample's patterns, or of the rules' tiles, that must occur in the map.
        The solver restarts until they do.
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
    workers: int = 0,
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
    technique: Literal["diffusion"],
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
    model: Any = ...,
    steps: int = ...,
    temperature: float = ...,
    refine: int = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    border: Any = ...,
    counts: Any = ...,
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
    device: Literal["cpu", "gpu"] = ...,
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
    serpentine: bool = ...,
    backoff: Any = ...,
    smoothing: float = ...,
    temperature: float = ...,
    repair_passes: int = ...,
    gibbs_sweeps: int = ...,
    min_coverage: float = ...,
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
    sample_edges: Any = ...,
    samples_per_map: int | None = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    optimiser: Literal["annealing", "evolution", "genetic"] = ...,
    quality: Literal["draft", "normal", "best"] = ...,
    iterations: int | None = ...,
    population: int = ...,
    islands: int = ...,
    block_size: int = ...,
    max_copy: int | None = ...,
    min_coverage: float = ...,
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
    graph: Any = ...,
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
    technique: Literal["snake"],
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
    length: int | None = ...,
    border: int = ...,
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
    sample_edges: Any = ...,
    ground: bool = ...,
    heuristic: Literal["entropy", "constrained", "scanline"] = ...,
    border: Any = ...,
    counts: Any = ...,
    match_counts: bool = ...,
    connected: Any = ...,
    paths: Any = ...,
    constraints: Any = ...,
    min_coverage: float = ...,
    max_backtracks: int = ...,
    max_repairs: int = ...,
    max_restarts: int = ...,
    relax: bool = ...,
) -> Recipe: ...
@overload
def recipe(
    given: Recipe | Mapping[str, Any] | str | PathLike[str], /, *, knobs: Any = None, **keywords: Any
) -> Recipe: ...
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
    technique: Literal["diffusion"],
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
    model: Any = ...,
    steps: int = ...,
    temperature: float = ...,
    refine: int = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    border: Any = ...,
    counts: Any = ...,
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
    device: Literal["cpu", "gpu"] = ...,
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
    serpentine: bool = ...,
    backoff: Any = ...,
    smoothing: float = ...,
    temperature: float = ...,
    repair_passes: int = ...,
    gibbs_sweeps: int = ...,
    min_coverage: float = ...,
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
    sample_edges: Any = ...,
    samples_per_map: int | None = ...,
    depth: int | None = ...,
    wrap: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    optimiser: Literal["annealing", "evolution", "genetic"] = ...,
    quality: Literal["draft", "normal", "best"] = ...,
    iterations: int | None = ...,
    population: int = ...,
    islands: int = ...,
    block_size: int = ...,
    max_copy: int | None = ...,
    min_coverage: float = ...,
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
    graph: Any = ...,
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
    technique: Literal["snake"],
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
    length: int | None = ...,
    border: int = ...,
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
    sample_edges: Any = ...,
    ground: bool = ...,
    heuristic: Literal["entropy", "constrained", "scanline"] = ...,
    border: Any = ...,
    counts: Any = ...,
    match_counts: bool = ...,
    connected: Any = ...,
    paths: Any = ...,
    constraints: Any = ...,
    min_coverage: float = ...,
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
    knobs: Any = None,
    every: int = 1,
    **keywords: Any,
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
    tile: Passable tile of the tunnels; by default corridor if the map has some, else its most common passable
        tile.
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
    shaper: Literal["crates"],
    /,
    *,
    seed: int | str = "0",
    count: int = ...,
    pushes: int = ...,
    min_pushes: int = ...,
    tries: int = ...,
    max_states: int = ...,
) -> TileMap:
    """Crates: make a map a box puzzle that needs a wanted number of pushes.

    count: Number of crates and targets.
    pushes: Wanted number of pushes of the shortest solution.
    min_pushes: Minimum number of pushes of the shortest solution, if the wanted number is not possible.
    tries: Maximum number of choices of targets.
    max_states: Maximum number of states to examine for each choice of targets.
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
    shaper: Literal["improve"],
    /,
    *,
    seed: int | str = "0",
    targets: Any = ...,
    steps: int = ...,
    method: Literal["climb", "anneal"] = ...,
    style: float = ...,
    symmetry: Literal[1, 2, 8] = ...,
    tiles: Any = ...,
    keep: Any = ...,
    connected: bool = ...,
) -> TileMap:
    """Improve: change a map by small moves until its measures reach targets.

    targets: Measures and the values to reach, such as path_length: 60..66, regions: 1 or openness: most.
    steps: Maximum number of moves to try.
    method: Whether to keep only moves that do not lead away from the targets, or to anneal.
    style: How strictly to keep the patterns of the original map; 0 ignores them.
    symmetry: Views of the map whose patterns are used: 1 as it is, 2 also mirrored left to right, 8 also rotated.
    tiles: Tiles to place and to replace; by default the tiles of at least 2% of the cells.
    keep: Tiles whose number of cells must not change.
    connected: Whether the number of regions must not grow; a target for regions takes precedence.
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
    shaper: Literal["make_playable"],
    /,
    *,
    seed: int | str = "0",
    game: str = ...,
    max_changes: int = ...,
) -> TileMap:
    """Make playable: change few cells of a map so that its game can be finished.

    game: Game, with parameters if needed, such as `platformer,jump_height=4`; by default, the game of the map.
    max_changes: Maximum number of cells to change.
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
    keep_connected: bool = ...,
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
    keep_connected: Whether to leave out impassable tiles that would separate passable cells, or close a door or a
        passage.
    where: Places instead of one rectangle: `rooms` for every room of the map, each with a random stream of its
        own.
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
    rule: Literal["farthest", "dead_ends", "off_path", "spread", "band", "random", "cells"] = ...,
    cells: Any = ...,
    count: int = ...,
    per: Literal["map", "room", "100_cells", "1000_cells"] = ...,
    area: Literal["map", "rooms", "corridors", "same_room", "other_rooms"] = ...,
    room_of: str = ...,
    on_path: bool | None = ...,
    min_distance: int = ...,
    origin: str = ...,
    min_steps: int = ...,
    max_steps: int | None = ...,
    bands: Any = ...,
    rise: float = ...,
    properties: Any = ...,
    required: bool = ...,
    tile: str | None = ...,
) -> TileMap:
    """Place: put markers such as start, exit, keys, loot or monsters on cells chosen by a rule.

    markers: Names of the markers, in the order in which their cells are chosen.
    rule: Rule that chooses the cells.
    cells: Exact cells as x, y: all for one name, or one for each name in order.
    count: Number of markers of each name.
    per: Unit of the count: markers on the map, in each room, or per 100 or 1,000 reachable cells of the area.
    area: Cells to use: all, those in rooms, those outside of rooms, those in the rooms of a marker, or in other
        rooms.
    room_of: Marker of the area same_room or other_rooms.
    on_path: Whether cells are on the paths from start to exit, or else away from them; by default both.
    min_distance: Minimum Euclidean distance between two markers, in cells.
    origin: Marker from which the steps of the rule band, of rise and of properties are counted.
    min_steps: Minimum number of steps from the origin.
    max_steps: Maximum number of steps from the origin; by default unlimited.
    bands: Steps between markers that must hold with any rule. Markers of one stage are chosen together.
    rise: Exponent of the density as a function of the steps from the origin: 0 is even, 1 doubles at twice the
        steps.
    properties: Properties of the markers, such as gold: 5, or level: [1, 9] for a number that rises with the
        steps.
    required: Whether to give up if a marker cannot be placed; otherwise the map reports how many are missing.
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
    shaper: Literal["remove_small_regions"],
    /,
    *,
    seed: int | str = "0",
    min_cells: int = ...,
    tiles: Any = ...,
    together: bool = ...,
    directions: Literal[4, 8] = ...,
) -> TileMap:
    """Remove small regions: replace regions with too few cells by the most common tile around them.

    min_cells: Minimum number of cells of a region that stays.
    tiles: Tiles, or kinds of tiles, whose small regions are removed; by default all except buildings.
    together: Whether different tiles of the list are in one region where they touch.
    directions: Whether cells are connected in 4 directions, or in 8 including diagonals.
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
    shaper: Literal["thicken"],
    /,
    *,
    seed: int | str = "0",
    floor_share: float = ...,
    tile: str | None = ...,
) -> TileMap:
    """Thicken: add walls while all floor stays connected.

    floor_share: Fraction of the map's cells that stay passable.
    tile: Impassable tile to fill with; by default the most common impassable tile of the map.
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
@overload
def learn(
    technique: Literal["diffusion"],
    /,
    sample: Any,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    size: Literal["small", "normal", "large"] = ...,
    training_steps: int | None = ...,
    crop: int | None = ...,
    batch: int | None = ...,
    symmetry: Literal[1, 2, 8] = ...,
    pieces: Literal["learned", "chosen"] = ...,
    training_seed: int = ...,
    device: Literal["auto", "cpu", "cuda"] = ...,
) -> Network: ...
@overload
def learn(
    technique: Literal["markov"],
    /,
    sample: Any,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    directions: Any = ...,
    pieces: Literal["learned", "chosen"] = ...,
) -> Model: ...
@overload
def learn(
    technique: Literal["patterns"],
    /,
    sample: Any,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    pattern_sizes: Any = ...,
    size_weights: Any = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
    symmetry: Literal[1, 2, 8] = ...,
    sample_edges: Any = ...,
) -> Model: ...
@overload
def learn(
    technique: Literal["wfc"],
    /,
    sample: Any,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    pattern_size: int | None = ...,
    symmetry: int = ...,
    wrap_sample: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = ...,
) -> Model: ...
@overload
def learn(
    technique: str,
    /,
    sample: Any,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    **params: Never,
) -> Model: ...
def improve(
    map: TileMap,
    targets: Mapping[str, Any],
    /,
    *,
    seed: int | str = "0",
    steps: int = ...,
    method: Literal["climb", "anneal"] = ...,
    style: float = ...,
    symmetry: Literal[1, 2, 8] = ...,
    tiles: Any = ...,
    keep: Any = ...,
    connected: bool = ...,
) -> TileMap: ...
def add_skin(
    path: str | os.PathLike[str],
    picture: str | os.PathLike[str],
    /,
    *,
    tile: Any,
    layout: Any = ...,
    tile_size: Any = ...,
    first: Any = ...,
    columns: int | None = ...,
    order: Any = ...,
    margin: int = ...,
    spacing: int = ...,
    with_: Any = ...,
    under: Any = ...,
    outside: bool = ...,
    base: Any = ...,
    passable: bool | None = ...,
) -> Tileset: ...
def compare(
    samples: Any,
    /,
    *,
    on_progress: Callable[[float, str], None] | None = None,
    techniques: Any = ...,
    width: int | None = ...,
    height: int | None = ...,
    count: int = ...,
    seed: Any = ...,
    settings: Any = ...,
    game: Any = ...,
    smallest_input: bool = ...,
) -> TechniqueComparison: ...
def export_project(
    given: RecipeLike,
    folder: str | os.PathLike[str],
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    engine: Any = ...,
    seed: Any = ...,
    count: int | None = ...,
    edited: Literal["refuse", "keep", "replace"] = ...,
    **options: Any,
) -> ExportedProject: ...
def seek(
    given: RecipeLike,
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    seeds: Any,
    require: Any = ...,
    measures: Any = ...,
    keep: int = ...,
    first: bool = ...,
    workers: int | None = ...,
    scheduler: Any = ...,
    out: Any = ...,
    device: Literal["auto", "cpu", "gpu"] = ...,
) -> FoundSeeds: ...
