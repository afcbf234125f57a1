"""Named numbers of a map. Each is a function of a Survey, and None where it does not apply.

Ways are counted in steps along the axes, and lead from the marker start to the marker exit, the nearest two of several;
in a map without them, between two far ends of the largest region, as `Survey.way` says.

Those that compare a map with samples count windows: all squares (cubes, where there are levels) of `pattern_size` cells
on a side, also across the edges of what wraps. Tiles are the same that have the same name, or else the same glyph.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..autotile.grammar import grammar_of
from ..core.registry import measure
from . import keys
from .strategy import capturable_reach as capturable_reach
from .strategy import distance_balance as distance_balance
from .strategy import first_contact as first_contact
from .strategy import income_balance as income_balance
from .strategy import player_count as player_count
from .survey import Survey
from .symmetry import symmetry_turn as symmetry_turn
from .symmetry import symmetry_x as symmetry_x
from .symmetry import symmetry_y as symmetry_y


@measure(unit="cells")
def cells(survey: Survey) -> float:
    """How many cells the map has."""
    return survey.map.cells.size


@measure(unit="share")
def floor_share(survey: Survey) -> float:
    """The share of cells that one can walk on."""
    return int(survey.passable.sum()) / survey.passable.size


@measure(unit="regions")
def regions(survey: Survey) -> float:
    """How many separate parts the passable cells make, without diagonal steps; 1 is a connected map."""
    return survey.regions.count


@measure(unit="share")
def largest_region(survey: Survey) -> float | None:
    """The share of passable cells that belong to the largest separate part; 1 is a connected map."""
    sizes = survey.regions.sizes
    return int(sizes.max()) / int(sizes.sum()) if survey.regions.count else None


@measure(unit="pieces")
def misfits(survey: Survey) -> float | None:
    """How many pieces go on at a side where their neighbour does not let them, such as a river that ends in a wood.

    What each side may meet is written in the tileset. It does not apply to tilesets without such rules; for maps of one
    level.
    """
    map = survey.map
    if not map.tileset.joints or map.cells.ndim != 2:
        return None
    return int(np.count_nonzero(grammar_of(map.tileset).find_misfits(map.cells)))


@measure(unit="tiles")
def tiles_used(survey: Survey) -> float:
    """How many different tiles the map holds."""
    return int(np.count_nonzero(survey.counts))


@measure(unit="bits")
def tile_entropy(survey: Survey) -> float:
    """How evenly the tiles are used, as Shannon's entropy: 0 for a single tile, log2(n) for n equally common ones.

    Source: Shannon, "A mathematical theory of communication", 1948.
    """
    shares = survey.counts[survey.counts > 0] / survey.map.cells.size
    return float(np.sum(shares * -np.log2(shares)))


@measure(unit="steps")
def path_length(survey: Survey) -> float | None:
    """Steps from start to exit, or between the far ends of the largest region where nothing is marked.

    The far ends are found by two sweeps: the cell farthest from the region's first cell, and the farthest from that. It
    does not apply where no way leads from start to exit.
    """
    return survey.route.length if survey.route else None


@measure(unit="share")
def hot_path_share(survey: Survey) -> float | None:
    """The share of cells one can reach that lie on ways to the exit at most a tenth longer than the shortest.

    The rest is optional: 1 is a map without any detour.
    """
    hot = survey.hot_path
    if hot is None:
        return None
    count = int(hot.cells.sum())
    return count / (count + int(hot.optional.sum()))


@measure(unit="share")
def linearity(survey: Survey) -> float | None:
    """The share of the way from start to exit that nobody can walk around: 1 in a single corridor, 0 in a wide hall.

    Counted are the cells between start and exit that every way leads over, of the cells between them on the shortest.
    It does not apply where no cell lies between the two.
    """
    if survey.route is None or survey.route.length < 2:
        return None
    return survey.cuts.count_between(survey.route.start, survey.route.exit) / (survey.route.length - 1)


@measure(unit="cells")
def chokepoints(survey: Survey) -> float:
    """How many passable cells part their region if they are blocked."""
    return int(survey.cuts.cells.sum())


@measure(unit="cells")
def dead_ends(survey: Survey) -> float:
    """How many passable cells have just one passable neighbour, without diagonals."""
    return int(np.count_nonzero(survey.passable & (survey.neighbor_counts == 1)))


@measure(unit="share")
def corridor_share(survey: Survey) -> float | None:
    """The share of passable cells that are corridor: one cell wide, with two ways on that do not touch.

    These are cells with exactly two passable neighbours of four: opposite ones, or around a bend whose inner cell is
    not passable. For maps of one level.
    """
    if survey.passable.ndim != 2 or not survey.passable.any():
        return None
    corridor = survey.passable & (survey.neighbor_counts == 2) & (_count_branches(survey) == 2)
    return int(corridor.sum()) / int(survey.passable.sum())


@measure(unit="cells")
def junctions(survey: Survey) -> float | None:
    """How many passable cells three or four ways lead from that do not touch each other: crossings of corridors.

    Ways touch where the cell between them, diagonally, is passable too. For maps of one level.
    """
    if survey.passable.ndim != 2:
        return None
    return int(np.count_nonzero(survey.passable & (_count_branches(survey) >= 3)))


def _count_branches(survey: Survey) -> NDArray[np.int16]:
    """How many groups the passable neighbours of four make, joined by passable cells in the corners between them.

    0 where all eight are passable.
    """
    around = survey.neighbor_masks
    joined = (around[corner] & around[corner - 1] & around[(corner + 1) % 8] for corner in (1, 3, 5, 7))
    return survey.neighbor_counts.astype(np.int16) - sum(joined, np.zeros(survey.passable.shape, dtype=np.int16))


@measure(unit="share")
def openness(survey: Survey) -> float | None:
    """The mean share of passable cells among the eight around each passable cell: 1/4 in a corridor, near 1 in a plain.

    What lies outside the map is not passable. For maps of one level.
    """
    if survey.passable.ndim != 2 or not survey.passable.any():
        return None
    return int(survey.neighbor_masks[:, survey.passable].sum(dtype=np.int64)) / (8 * int(survey.passable.sum()))


@measure(unit="rooms")
def room_count(survey: Survey) -> float | None:
    """How many rooms the map has; it does not apply to maps made without rooms."""
    return len(survey.map.rooms) or None


@measure(unit="share")
def room_spread(survey: Survey) -> float | None:
    """How much the rooms differ in size: the standard deviation of their areas by their mean; 0 if all are alike."""
    areas = [room.width * room.height for room in survey.map.rooms]
    # In whole numbers up to the root: the same on every machine.
    spread = len(areas) * sum(area * area for area in areas) - sum(areas) ** 2
    return math.sqrt(spread) / sum(areas) if areas else None


@measure(unit="loops")
def loops(survey: Survey) -> float | None:
    """How many cycles the graph of rooms has: links that could be cut without parting it; 0 is a tree."""
    return survey.rooms.loops if survey.map.rooms else None


@measure(unit="links")
def branching(survey: Survey) -> float | None:
    """To how many other rooms a room is joined on average: just under 2 in a chain, 2 in a ring, more with loops."""
    return 2 * len(survey.rooms.links) / len(survey.map.rooms) if survey.map.rooms else None


@measure(unit="yes or no")
def solvable(survey: Survey) -> float | None:
    """Whether the exit, every key and every lock can be reached: 1 if they can, in whatever order one plays; else 0.

    A lock is a marker such as `lock red`; whoever has reached a marker `key red` can pass it, as often as need be. The
    map is played until nothing changes, from each start if there are several; one exit is enough. Without locks it is
    solvable if a way leads to the exit. It does not apply to maps without the markers start and exit.
    """
    found = keys.is_solvable(survey.map)
    return None if found is None else int(found)


@measure(unit="keys")
def keys_needed(survey: Survey) -> float | None:
    """How many keys, by colour, nobody gets to the exit without; the others open what is optional.

    It does not apply where the exit cannot be reached, nor to maps without the markers start and exit.
    """
    found = keys.needed_keys(survey.map)
    return None if found is None else len(found)


@measure(unit="nats", compares=True)
def divergence(survey: Survey) -> float | None:
    """How far the map's windows are from the sample's, in both directions: 0 where each is as common as in the sample.

    The mean of `divergence_new` and `divergence_missed`. The sample is named with like, the windows' side with
    pattern_size. It does not apply to maps that are smaller than a window.
    """
    found = _divergences(survey)
    return None if found is None else 0.5 * found[0] + 0.5 * found[1]


@measure(unit="nats", compares=True)
def divergence_new(survey: Survey) -> float | None:
    """How far the map's windows are from the sample's: grows with windows that the sample lacks, or has less often.

    Kullback and Leibler's divergence of the map from the sample: the sum of p log(p / q) over all windows that occur in
    either, where p and q are a window's share of the map's windows and of the sample's. So that no share is 0, a
    window's count is taken for a millionth more than it is: (count + e) / ((total + e) (1 + e)), with e = 0.000001.

    Source: Lucas and Volz, "Tile pattern KL-divergence for analysing and evolving game levels", 2019.
    """
    found = _divergences(survey)
    return None if found is None else found[0]


@measure(unit="nats", compares=True)
def divergence_missed(survey: Survey) -> float | None:
    """How far the sample's windows are from the map's: grows with the sample's windows that the map misses.

    As `divergence_new`, with map and sample exchanged.
    """
    found = _divergences(survey)
    return None if found is None else found[1]


def _divergences(survey: Survey) -> tuple[float, float] | None:
    return survey.comparison.divergences if survey.comparison else None


@measure(unit="share", compares=True)
def copied_share(survey: Survey) -> float | None:
    """The share of the map's windows that occur in the sample: 1 where nothing is new but how they are put together."""
    return survey.comparison.copied_share if survey.comparison else None


@measure(unit="cells", compares=True)
def copied_block(survey: Survey) -> float | None:
    """The side of the largest square of the map, or cube, that stands in the sample as it is; 0 if no tile does.

    Squares of a single tile do not count, but for one cell: an empty sky is nobody's invention. A sample that wraps
    goes on for ever, a map that wraps has squares across its edges; with symmetries, the sample's mirror images and
    turns count as well.
    """
    return survey.comparison.copied_side if survey.comparison else None


@measure(unit="share", compares=True)
def sample_distance(survey: Survey) -> float | None:
    """The share of cells that differ from the nearest sample, the smaller laid on the larger where they differ least.

    Along each axis the shorter of map and sample lies wholly on the longer, and only cells on each other count: 0 is a
    copy, or a part of one. A sample that wraps is repeated over the whole map.
    """
    return survey.comparison.min_difference if survey.comparison else None
