"""Measures: named numbers of a map.

Each measure is a function of a `Survey` that returns None if the measure does not apply.

Path lengths are counted in steps along the axes. Paths lead from the marker `start` to the marker `exit`. If there are
several of these markers, the pair with the shortest path is used. On a map without these markers, paths lead between
two distant cells of the largest region, see `Survey.route`.

Measures that compare a map with samples count patterns: all N×N blocks (N×N×N on 3D maps), where N is `pattern_size`,
including blocks across wrapped edges. Tiles match by name, or else by glyph.
"""

from __future__ import annotations

import math

import numpy as np

from ..autotile.grammar import grammar_of
from ..core.entries import measure
from . import keys
from .doorways import find_doors, passages
from .survey import Survey


@measure(unit="cells", group="shape")
def cells(survey: Survey) -> float:
    """Number of cells of the map."""
    return survey.map.cells.size


@measure(unit="cells", argument="tile", group="shape")
def count(survey: Survey, tile: str) -> float:
    """Number of cells with a tile: `count.treasure` counts treasures."""
    number = survey.map.tileset.find(tile)
    return 0 if number is None else int(survey.counts[number])


@measure(unit="markers", argument="marker", group="shape")
def markers(survey: Survey, name: str) -> float:
    """Number of markers with a name: `markers.goblin` counts goblins; 0 if there is none."""
    return sum(marker.name == name for marker in survey.map.markers)


@measure(unit="fraction", group="shape")
def floor_share(survey: Survey) -> float:
    """Fraction of cells that are passable."""
    return survey.floor / survey.map.cells.size


@measure(unit="regions", group="walking")
def regions(survey: Survey) -> float:
    """Number of connected regions of passable cells, without diagonal steps; 1 for a connected map."""
    return survey.region_totals.regions


@measure(unit="fraction", group="walking")
def largest_region(survey: Survey) -> float | None:
    """Fraction of passable cells in the largest connected region; 1 for a connected map."""
    return survey.region_totals.largest / survey.floor if survey.floor else None


@measure(unit="pieces", group="shape")
def misfits(survey: Survey) -> float | None:
    """Number of tiles that connect to a neighbor that does not connect back, such as a river ending at a wood.

    The tileset defines what each edge of a tile may connect to. Does not apply to tilesets without such rules, nor to
    3D maps.
    """
    map = survey.map
    if not map.tileset.joints or map.cells.ndim != 2:
        return None
    return int(np.count_nonzero(grammar_of(map.tileset).find_misfits(map.cells)))


@measure(unit="tiles", group="shape")
def tiles_used(survey: Survey) -> float:
    """Number of different tiles on the map."""
    return int(np.count_nonzero(survey.counts))


@measure(unit="bits", group="shape")
def tile_entropy(survey: Survey) -> float:
    """Shannon entropy of the tile frequencies: 0 for a single tile, log2(n) for n equally frequent tiles.

    Source: Shannon, "A mathematical theory of communication", 1948.
    """
    return survey.tile_entropy


@measure(unit="steps", group="walking", reported_as=("longest_way",))
def path_length(survey: Survey) -> float | None:
    """Number of steps from start to exit; without markers, between two distant cells of the largest region.

    The distant cells are found by two searches. The first search finds the cell farthest from the first cell of the
    region, the second search finds the cell farthest from the result of the first. Does not apply if the exit cannot be
    reached.
    """
    return survey.route_ends.length if survey.route_ends else None


@measure(unit="fraction", group="walking")
def hot_path_share(survey: Survey) -> float | None:
    """Fraction of reachable cells on paths to the exit that are at most 10% longer than the shortest path.

    The other cells are optional; 1 means that there are no detours.
    """
    hot = survey.hot_path
    if hot is None:
        return None
    count = int(hot.cells.sum())
    return count / (count + int(hot.optional.sum()))


@measure(unit="fraction", group="walking")
def linearity(survey: Survey) -> float | None:
    """Fraction of the shortest path's cells that are on every path to the exit: 1 in a corridor, 0 in a wide hall.

    Only cells strictly between start and exit count. Does not apply if start and exit are less than two steps apart.
    """
    ends = survey.route_ends
    return survey.cut_totals.between / (ends.length - 1) if ends is not None and ends.length >= 2 else None


@measure(unit="cells", group="walking")
def chokepoints(survey: Survey) -> float:
    """Number of passable cells that disconnect their region when blocked."""
    return survey.cut_totals.chokepoints


@measure(unit="cells", group="walking")
def dead_ends(survey: Survey) -> float:
    """Number of passable cells with exactly one passable neighbor, without diagonals."""
    return survey.neighbor_totals.dead_ends


@measure(unit="fraction", group="walking")
def corridor_share(survey: Survey) -> float | None:
    """Fraction of passable cells that are in corridors one cell wide: cells with two separate exits.

    A corridor cell has exactly two passable neighbors, diagonals not counted. The two neighbors are opposite to each
    other or, at a bend, the diagonal cell between them is not passable. Does not apply to 3D maps.
    """
    if survey.map.cells.ndim != 2 or not survey.floor:
        return None
    return survey.neighbor_totals.corridors / survey.floor


@measure(unit="cells", group="walking")
def junctions(survey: Survey) -> float | None:
    """Number of corridor crossings: passable cells with three or four separate exits.

    Exits are passable neighbors along the axes. Two exits at a corner of the cell are separate if the diagonal cell
    between them is not passable. Does not apply to 3D maps.
    """
    return survey.neighbor_totals.junctions if survey.map.cells.ndim == 2 else None


@measure(unit="fraction", group="shape")
def openness(survey: Survey) -> float | None:
    """Mean fraction of passable cells among the eight neighbors of each passable cell: 1/4 in a corridor.

    Cells outside the map are not passable. The value is near 1 on an open plain. Does not apply to 3D maps.
    """
    if survey.map.cells.ndim != 2 or not survey.floor:
        return None
    return survey.neighbor_totals.passable / (8 * survey.floor)


@measure(unit="rooms", group="rooms", reported_as=("rooms", "wanted"))
def room_count(survey: Survey) -> float | None:
    """Number of rooms of the map. Does not apply to maps without rooms."""
    return len(survey.map.rooms) or None


@measure(unit="fraction", group="rooms")
def room_spread(survey: Survey) -> float | None:
    """Coefficient of variation of the room areas: standard deviation divided by mean; 0 if all areas are equal."""
    areas = [room.width * room.height for room in survey.map.rooms]
    # Integers up to the square root, so that the result is the same on every machine.
    spread = len(areas) * sum(area * area for area in areas) - sum(areas) ** 2
    return math.sqrt(spread) / sum(areas) if areas else None


@measure(unit="loops", group="rooms")
def loops(survey: Survey) -> float | None:
    """Number of independent cycles in the room graph: links that can be removed without disconnecting rooms."""
    return survey.rooms.loops if survey.map.rooms else None


@measure(unit="links", group="rooms")
def branching(survey: Survey) -> float | None:
    """Mean number of rooms linked to a room: just under 2 in a chain, 2 in a ring, more with loops."""
    return 2 * len(survey.rooms.links) / len(survey.map.rooms) if survey.map.rooms else None


@measure(unit="fraction", group="rooms")
def doors_between(survey: Survey) -> float | None:
    """Fraction of doors in a passage one cell wide: between two impassable cells, and open at both ends.

    Doors are tiles named `door`, or with a name that ends in `door`, such as `red door`. A door at the edge of the map
    is not in a passage. Does not apply to maps without doors, nor to 3D maps.
    """
    doors = find_doors(survey.map)
    if survey.map.cells.ndim != 2 or not doors.any():
        return None
    return int(np.count_nonzero(doors & passages(survey.passable))) / int(np.count_nonzero(doors))


@measure(unit="yes or no", group="walking")
def solvable(survey: Survey) -> float | None:
    """Whether the exit, all keys and all locks can be reached, in any order of play: 1 or 0.

    A lock is a marker such as `lock red`. It can be passed, any number of times, once a marker `key red` is reached. A
    playthrough is simulated from each start until no more cells, keys or locks can be reached. Each playthrough must
    reach all keys and locks and at least one exit. Without locks, the map is solvable if a path leads to the exit. Does
    not apply to maps without the markers start and exit.
    """
    found = keys.is_solvable(survey.map)
    return None if found is None else int(found)


@measure(unit="keys", group="walking")
def keys_needed(survey: Survey) -> float | None:
    """Number of key colors that are required to reach the exit; keys of other colors open optional areas.

    Does not apply if the exit cannot be reached, nor to maps without the markers start and exit.
    """
    found = keys.needed_keys(survey.map)
    return None if found is None else len(found)


@measure(unit="nats", compares=True, group="similarity")
def divergence(survey: Survey) -> float | None:
    """Symmetric divergence of the patterns of map and sample: 0 if all patterns are equally frequent in map and sample.

    This is the mean of `divergence_new` and `divergence_missed`. `like` names the sample, `pattern_size` the edge
    length of the patterns. Does not apply to maps smaller than a pattern.
    """
    found = _divergences(survey)
    return None if found is None else 0.5 * found[0] + 0.5 * found[1]


@measure(unit="nats", compares=True, group="similarity")
def divergence_new(survey: Survey) -> float | None:
    """KL divergence of the map's patterns from the sample's: grows with patterns that are rare in the sample.

    Kullback-Leibler divergence of the map from the sample: the sum of p log(p / q) over all patterns that occur in the
    map or in the sample, where p and q are the fractions of a pattern among the patterns of the map and of the sample.
    Counts are smoothed, so that no fraction is 0: (count + e) / ((total + e) (1 + e)), with e = 0.000001.

    Source: Lucas and Volz, "Tile pattern KL-divergence for analysing and evolving game levels", 2019.
    """
    found = _divergences(survey)
    return None if found is None else found[0]


@measure(unit="nats", compares=True, group="similarity")
def divergence_missed(survey: Survey) -> float | None:
    """KL divergence of the sample's patterns from the map's: grows with sample patterns missing on the map.

    Computed as `divergence_new`, with map and sample exchanged.
    """
    found = _divergences(survey)
    return None if found is None else found[1]


def _divergences(survey: Survey) -> tuple[float, float] | None:
    return survey.comparison.divergences if survey.comparison else None


@measure(unit="fraction", compares=True, group="similarity")
def copied_share(survey: Survey) -> float | None:
    """Fraction of the map's patterns that occur in the sample; 1 if every pattern is copied."""
    return survey.comparison.copied_share if survey.comparison else None


@measure(unit="cells", compares=True, group="similarity")
def copied_block(survey: Survey) -> float | None:
    """Edge length of the largest block of the map that occurs unchanged in the sample; 0 if no tile occurs in it.

    A block in which all tiles are equal, such as empty sky, counts as a block of one cell. A sample that wraps around
    repeats without end, and a map that wraps around has blocks across its edges. With symmetries, the mirror images and
    rotations of the sample count as well.
    """
    return survey.comparison.copied_side if survey.comparison else None


@measure(unit="fraction", compares=True, group="similarity")
def sample_distance(survey: Survey) -> float | None:
    """Smallest fraction of cells that differ from a sample, over all relative positions of map and sample.

    Along each axis, the shorter of map and sample is placed completely on the longer, and only overlapping cells count.
    The value is 0 if the map is a copy of the sample or of a part of it. A sample that wraps around is repeated over
    the complete map.
    """
    return survey.comparison.min_difference if survey.comparison else None


@measure(unit="fraction", group="shape")
def symmetry_x(survey: Survey) -> float:
    """Fraction of cells that are equal to their mirror image with left and right swapped.

    Directional tiles such as rivers and roads are mirrored with the map. The owner of a building is ignored.
    """
    return survey.count_symmetric("x") / survey.map.cells.size


@measure(unit="fraction", group="shape")
def symmetry_y(survey: Survey) -> float:
    """Fraction of cells that are equal to their mirror image with top and bottom swapped.

    Directional tiles such as rivers and roads are mirrored with the map. The owner of a building is ignored.
    """
    return survey.count_symmetric("y") / survey.map.cells.size


@measure(unit="fraction", group="shape")
def symmetry_turn(survey: Survey) -> float:
    """Fraction of cells that are equal to the cell at their position after a rotation by 180 degrees.

    Directional tiles such as rivers and roads are rotated with the map. The owner of a building is ignored.
    """
    return survey.count_symmetric("xy") / survey.map.cells.size
