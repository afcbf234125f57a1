"""Crates: make a map a box puzzle that needs a wanted number of pushes.

The shaper chooses cells for the targets near each other, and pulls crates away from them in all possible ways. Each
state that it finds this way can be solved, and the number of its pulls is the minimum number of pushes. It takes one at
random that needs the wanted number of pushes and has no crate on a target; if no choice of targets gives one, it takes
the one that needs the most pushes below that. The player starts at the marker `start`. Crates and targets are tiles if
the tileset has tiles with these roles, and markers otherwise.

Locked crates and targets take part in the puzzle. The shaper gives up if all puzzles need fewer pushes than
`min_pushes`: the map may be too small.

Source: Taylor and Parberry, "Procedural generation of Sokoban levels", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import regions_of
from ..core.entries import shaper
from ..core.errors import ANOTHER_SEED, GaveUp, Problem, pluralize, problem
from ..core.params import Params, param
from ..core.roles import role_of_name
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import Marker, TileMap
from ..kernels.crates import make_board, pull_crates
from ..play import GameBoard

NEAR = 1
"""Maximum number of rows and columns between a target and the nearest other one."""
MAX_FLOODED = 1 << 22
"""Maximum number of cells times states, so that large maps take no longer than small ones."""
OWN_ROLES = ("player", "crate", "target", "crate_on_target", "player_on_target")
"""Roles of tiles and markers that the shaper removes first."""


class CratesParams(Params):
    count: int = param(3, ge=1, le=8, typical=(1, 5))
    """Number of crates and targets."""
    pushes: int = param(20, ge=1, le=1000, typical=(1, 40))
    """Wanted number of pushes of the shortest solution."""
    min_pushes: int = param(1, ge=1, le=1000, typical=(1, 40))
    """Minimum number of pushes of the shortest solution, if the wanted number is not possible."""
    tries: int = param(12, ge=1, le=1000, typical=(1, 64))
    """Maximum number of choices of targets."""
    max_states: int = param(30_000, ge=100, le=1_000_000, typical=(1000, 100_000))
    """Maximum number of states to examine for each choice of targets."""

    def find_problems(self) -> list[Problem]:
        if self.pushes < self.min_pushes:
            text = f"must be at least min_pushes, {self.min_pushes}, got {self.pushes}"
            return [problem(text, at="pushes", rule="range")]
        return []


class CratePuzzle(NamedTuple):
    """A puzzle: the minimum number of pushes, and cells by their numbers in reading order."""

    pushes: int
    targets: list[int]
    crates: list[int]
    player: int


@shaper(CratesParams, dimensions=(2,))
def crates(map: TileMap, p: CratesParams, site: Site, rng: Rng) -> TileMap:
    map = _clear(map, site)
    board = GameBoard(map)
    parts = regions_of(~board.mask("wall", "brick"))
    is_open = parts.mask(parts.rank()[:1])
    tiles = {role: number for number, role in reversed([*enumerate(tile.game_role for tile in map.tileset)])}
    is_painted = {"crate", "target"} <= tiles.keys()
    free = is_open & ~site.locked if is_painted else is_open
    fixed = [np.flatnonzero(board.mask(role)) for role in ("target", "crate")] if is_painted else [np.empty(0, int)] * 2
    best, fewest = None, p.min_pushes
    for number in range(p.tries):
        draw = rng.child("targets", number)
        targets = _choose_targets(free, fixed[0].tolist(), p.count, draw)
        if targets is None:
            break
        allowed = free.copy()
        allowed.reshape(-1)[fixed[1]] = True
        puzzle = _find_puzzle(is_open, allowed, targets, fixed[1], range(fewest, p.pushes + 1), p.max_states, draw)
        if puzzle is not None:
            best, fewest = puzzle, puzzle.pushes + 1
        if fewest > p.pushes:
            break
    if best is None:
        text = f"no puzzle with {pluralize(p.count, 'crate')} needs at least {p.min_pushes:,} pushes"
        raise GaveUp(f"crates: {text}", at="min_pushes", fixes=[ANOTHER_SEED])
    return _draw_puzzle(map, best, tiles if is_painted else {})


def _clear(map: TileMap, site: Site) -> TileMap:
    """Return the map without a player, crates and targets, except locked ones."""
    markers = [marker for marker in map.markers if role_of_name(marker.name) not in OWN_ROLES]
    roles = [tile.game_role for tile in map.tileset]
    floors = [number for number, role in enumerate(roles) if role == "floor"]
    is_own = np.array([role in OWN_ROLES for role in roles])[map.cells] & ~site.locked
    if not is_own.any() or not floors:
        return map.replace(markers=markers)
    counts = np.bincount(map.cells.ravel(), minlength=len(roles))
    floor = max(floors, key=lambda number: (counts[number], -number))
    return map.replace(cells=np.where(is_own, floor, map.cells), markers=markers)


def _choose_targets(free: NDArray[np.bool_], fixed: Sequence[int], count: int, rng: Rng) -> list[int] | None:
    """Return numbers of cells that are near each other, in ascending order; None if there are too few cells."""
    chosen = list(fixed)
    cells = rng.shuffle([int(cell) for cell in np.flatnonzero(free) if cell not in chosen])
    if len(chosen) > count or len(chosen) + len(cells) < count:
        return None
    columns = free.shape[1]
    while len(chosen) < count:
        near = next((cell for cell in cells if not chosen or _is_near(cell, chosen, columns)), cells[0])
        cells.remove(near)
        chosen.append(near)
    return sorted(chosen)


def _is_near(cell: int, others: Sequence[int], columns: int) -> bool:
    row, column = divmod(cell, columns)
    return any(max(abs(row - one // columns), abs(column - one % columns)) <= NEAR for one in others)


def _find_puzzle(
    is_open: NDArray[np.bool_], allowed: NDArray[np.bool_], targets: list[int], locked_crates: NDArray[np.int64],
    wanted: range, max_states: int, rng: Rng,
) -> CratePuzzle | None:  # fmt: skip
    """Return a puzzle with as many pushes as possible within the wanted numbers."""
    width = is_open.shape[1] + 2
    padded = [(cell // (width - 2) + 1) * width + cell % (width - 2) + 1 for cell in targets]
    limit = min(max_states, MAX_FLOODED // is_open.size + 1)
    states = pull_crates(make_board(is_open), np.array([*padded, 0], dtype=np.int32), limit)
    states = states[(states[:, 0] >= wanted.start) & (states[:, 0] < wanted.stop)]
    rows, columns = np.divmod(states[:, 1:], width)
    cells = (rows - 1) * (width - 2) + columns - 1
    placed = cells[:, :-1]
    is_fitting = allowed.reshape(-1)[placed].all(axis=1) & ~np.isin(placed, targets).any(axis=1)
    for cell in locked_crates:
        is_fitting &= (placed == cell).any(axis=1)
    if not is_fitting.any():
        return None
    pushes = int(states[is_fitting, 0].max())
    fitting = np.flatnonzero(is_fitting & (states[:, 0] == pushes))
    *crates, player = cells[fitting[rng.below(fitting.size)]].tolist()
    is_free = is_open.copy()
    is_free.reshape(-1)[crates] = False
    labels = regions_of(is_free).labels.reshape(-1)
    region = np.flatnonzero(labels == labels[player])
    return CratePuzzle(pushes, targets, crates, int(region[rng.below(region.size)]))


def _draw_puzzle(map: TileMap, puzzle: CratePuzzle, tiles: dict[str, int]) -> TileMap:
    """Return the map with targets, crates and the player."""
    cells, markers = map.cells.copy(), list(map.markers)
    for role, places in (("target", puzzle.targets), ("crate", puzzle.crates)):
        if tiles:
            cells.reshape(-1)[places] = tiles[role]
        else:
            markers += [Marker(role, place % map.width, place // map.width) for place in places]
    markers.append(Marker("start", puzzle.player % map.width, puzzle.player // map.width))
    return map.replace(cells=cells, markers=markers)
