"""Train the models that ship with Tilewright: a dungeon, an overworld and war maps.

`python tools/train_models.py maps dungeon -o maps` writes the training maps of one model and prints statistics. Our own
techniques, shapers and drawings make the maps from fixed seeds. The same version always writes the same file.
`python tools/train_models.py train dungeon --maps maps -o src/tilewright/data/models` trains the model, which takes a
few minutes on a GPU. PyTorch does not compute exactly the same on all machines, so another training gives a similar,
not an equal model.

Each set has a function that makes one map for each seed, and a function that checks it. A map that fails the check, or
that is equal to an earlier one, is replaced by the map of the next seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.analysis.doorways import passages
from tilewright.analysis.paths import distances
from tilewright.analysis.regions import regions, regions_of
from tilewright.autotile.fitting import fit_pieces
from tilewright.awbw.roads import CLOSED, find_cheapest_path
from tilewright.core.grid import Grid
from tilewright.core.network import Network
from tilewright.core.tileset import Tileset
from tilewright.neural.learning import learn_network
from tilewright.neural.settings import TrainingSettings
from tilewright.neural.training_set import TrainingSet

if TYPE_CHECKING:
    from tilewright.neural.training import TrainingProgress

Cells = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class MapSet:
    """Training maps of one model.

    Parameters
    ----------
    count
        Number of maps.
    labels
        Names of the tiles, in the order of their ids in the training maps.
    make_map
        Function that makes the map of a random stream.
    is_valid
        Function that checks a map.
    settings
        How to train the model.
    """

    count: int
    labels: tuple[str, ...]
    make_map: Callable[[tw.Rng], tw.TileMap]
    is_valid: Callable[[tw.TileMap], bool]
    settings: TrainingSettings


# -- dungeon ----------------------------------------------------------------------------------------------------------

DUNGEON_LABELS = ("rock", "wall", "floor", "corridor", "door", "water", "grass", "treasure")
DUNGEON_STYLES: tuple[tuple[int, dict[str, Any]], ...] = (
    (3, {"graph": "3x3", "loops": 1.0, "room_width": (6, 11), "room_height": (5, 8)}),
    (3, {"graph": "3x3", "loops": 0.75, "room_width": (6, 11), "room_height": (5, 8)}),
    (2, {"graph": "4x3", "loops": 0.9, "room_width": (5, 8), "room_height": (5, 8)}),
)
"""Weights and parameters of the technique rooms. With loops, a map stays connected if a corridor is missing."""
INTERIORS: tuple[tuple[int, str], ...] = (
    (6, ".....\n.....\n.....\n.....\n....."),
    (2, ".....\n.~~~.\n.~~~.\n.~~~.\n....."),
    (2, ".....\n.#.#.\n.....\n.#.#.\n....."),
    (2, '.....\n.""".\n.""".\n.""".\n.....'),
    (1, "$...$\n.....\n.....\n.....\n$...$"),
)
"""Weights and drawings of rooms. The middle row and column are repeated until the drawing fills its room."""


def make_dungeon(rng: tw.Rng) -> tw.TileMap:
    """Make a dungeon of rooms on a grid, with doors at both ends of every corridor, and furnish its rooms."""
    _, style = DUNGEON_STYLES[rng.weighted_index([weight for weight, _ in DUNGEON_STYLES])]
    map = tw.run({"technique": "rooms", "params": {"width": 40, "height": 30, **style}}, seed=rng.bits())
    cells = map.cells.copy()
    ids = {tile.glyph: number for number, tile in enumerate(map.tileset)}
    for room in map.rooms:
        _, drawing = INTERIORS[rng.weighted_index([weight for weight, _ in INTERIORS])]
        tiles = np.array([[ids[glyph] for glyph in line] for line in drawing.splitlines()])
        inside = np.s_[room.y : room.y + room.height, room.x : room.x + room.width]
        cells[inside] = tiles[np.ix_(stretch_middle(room.height), stretch_middle(room.width))]
    return map.replace(cells=cells)


def stretch_middle(size: int) -> NDArray[np.int64]:
    """Return which of 5 lines of a drawing each of `size` lines shows: the middle one is repeated.

    >>> stretch_middle(7).tolist()
    [0, 1, 2, 2, 2, 3, 4]
    """
    return np.concatenate([[0, 1], np.full(size - 4, 2), [3, 4]])


def is_valid_dungeon(map: tw.TileMap) -> bool:
    """Return whether a dungeon is one region, and each of its doors joins two cells between walls."""
    return regions(map).count == 1 and bool(passages(map)[map.where("door")].all())


# -- overworld --------------------------------------------------------------------------------------------------------

OVERWORLD_LABELS = (
    "deep sea", "sea", "sand", "grass", "forest", "hill", "mountain", "river", "bridge", "path", "town"
)  # fmt: skip
SHALLOW = 2
"""Maximum distance of shallow sea from land."""
RIVERS, RIVER_DISTANCE = 3, 5
MIN_RIVER, MAX_RIVER = 8, 24
"""Maximum number of rivers, minimum distance between them, and minimum and maximum distance between their ends."""
TOWNS, TOWN_DISTANCE = 6, 9
"""Maximum number of towns, and minimum distance between two of them."""
MIN_TOWNS = 4
RIVER_COSTS = {"mountain": 3, "hill": 4, "forest": 5, "grass": 4, "sand": 30}
ROAD_COSTS = {"path": 2, "bridge": 2, "town": 3, "grass": 10, "sand": 14, "forest": 16, "hill": 22, "river": 14}
"""Costs of the cells of a river and of a road. They enter no other tiles."""
UNEVEN = 5
"""Maximum factor of the costs of a river, which is random in each cell, so that it winds."""
BEND, NO_BEND = 6, 10_000
"""Additional costs of a bend of a road, and of a bend on a bridge."""


def make_overworld(rng: tw.Rng) -> tw.TileMap:
    """Make an island with beaches, forests and mountains, rivers that reach the sea, and roads that join its towns."""
    map = tw.make(
        "noise",
        width=48,
        height=48,
        seed=rng.bits(),
        tileset=Grid.of("overworld").tileset,
        island=rng.choice((0.3, 0.4, 0.5)),
        feature_size=rng.choice((16.0, 20.0, 24.0)),
        octaves=4,
        moisture=14,
        thresholds=[0.3, 0.76, 0.9],
        biomes=[["sea"], ["grass", "grass", "forest"], ["hill", "hill", "forest"], ["mountain"]],
        shaping=["smooth", {"remove_small_regions": {"min_cells": 8}}],
    )
    overworld = Overworld(map, rng)
    overworld.draw_coast()
    overworld.add_rivers()
    overworld.add_towns()
    overworld.add_roads()
    return map.replace(cells=overworld.cells)


class Overworld:
    """An overworld under construction: the cells of a map of sea and land, to which the methods add more."""

    def __init__(self, map: tw.TileMap, rng: tw.Rng) -> None:
        self.cells = map.cells.copy()
        self._ids = map.tileset.by_name
        self._rng = rng

    def find(self, *names: str) -> Mask:
        """Return the mask of some tiles."""
        return np.isin(self.cells, [self._ids[name] for name in names])

    def draw_coast(self) -> None:
        """Draw beaches on flat coasts, and deep sea far from land."""
        sea = self.find("sea")
        if not sea.any() or sea.all():
            return
        steps_to_land = distances(np.ones_like(sea), ~sea, directions=8)
        steps_to_sea = distances(np.ones_like(sea), sea, directions=8)
        self.cells[steps_to_land > SHALLOW] = self._ids["deep sea"]
        self.cells[(steps_to_sea == 1) & ~self.find("hill", "mountain")] = self._ids["sand"]

    def add_rivers(self) -> None:
        """Add rivers from mountains to the coast. They keep a distance from each other."""
        for number in range(RIVERS):
            rng, taken = self._rng.child("river", number), dilate(self.find("river"), RIVER_DISTANCE)
            coast = self.find("sea") & dilate(~self.find("sea", "deep sea"))
            springs, mouths = np.argwhere(self.find("mountain") & ~taken), np.argwhere(coast & ~taken)
            if not len(springs):
                return
            spring = springs[rng.below(len(springs))]
            lengths = np.abs(mouths - spring).sum(axis=1)
            mouths = mouths[(lengths >= MIN_RIVER) & (lengths <= MAX_RIVER)]
            if not len(mouths):
                continue
            source, mouth = np.zeros_like(taken), np.zeros_like(taken)
            source[tuple(spring)] = mouth[tuple(mouths[rng.below(len(mouths))])] = True
            costs = self._find_costs(RIVER_COSTS) * (1 + np.floor(UNEVEN * rng.cells(taken.shape)).astype(np.int64))
            costs[taken] = CLOSED
            costs[mouth] = 0
            river = find_cheapest_path(source, mouth, np.stack([costs] * 4), np.zeros_like(costs))
            for cell in river[:-1]:
                self.cells[cell] = self._ids["river"]

    def add_towns(self) -> None:
        """Add towns of 2x2 cells on grass, far from each other."""
        towns: list[tuple[int, int]] = []
        for row, column in self._rng.shuffle(np.argwhere(find_blocks(self.find("grass"))).tolist()):
            if len(towns) < TOWNS and all(max(abs(row - y), abs(column - x)) >= TOWN_DISTANCE for y, x in towns):
                towns.append((row, column))
                self.cells[row : row + 2, column : column + 2] = self._ids["town"]

    def add_roads(self) -> None:
        """Join the first town to the nearest one by a road, both to the next one, and so on."""
        towns = regions_of(self.find("town"))
        joined = towns.labels == 1
        for _ in range(towns.count - 1):
            road = find_cheapest_path(joined, self.find("town") & ~joined, *self._find_road_costs())
            if not road:
                return
            joined |= towns.labels == towns.labels[road[-1]]
            joined[tuple(np.transpose(road))] = True
            on_road = joined & ~self.find("town")
            self.cells[on_road & self.find("river")] = self._ids["bridge"]
            self.cells[on_road & ~self.find("bridge")] = self._ids["path"]

    def _find_road_costs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (side, row, column) the costs of steps of a road, and (row, column) the costs of bends.

        A road crosses a river straight, from land to land.
        """
        costs, water = self._find_costs(ROAD_COSTS), self.find("river", "bridge")
        land = np.pad((costs > 0) & ~water, 1)
        across = [land[:-2, 1:-1] & land[2:, 1:-1], land[1:-1, :-2] & land[1:-1, 2:]]
        by_side = np.stack([np.where(water & ~across[side % 2], CLOSED, costs) for side in range(4)])
        return by_side, np.where(water, NO_BEND, BEND)

    def _find_costs(self, costs: Mapping[str, int]) -> NDArray[np.int64]:
        """Return the cost of each cell, or CLOSED."""
        by_tile = np.full(len(self._ids), CLOSED, dtype=np.int64)
        for name, cost in costs.items():
            by_tile[self._ids[name]] = cost
        return by_tile[self.cells]


def dilate(mask: Mask, steps: int = 1) -> Mask:
    """Return the mask of cells at most some steps from a mask."""
    for _ in range(steps):
        padded = np.pad(mask, 1)
        mask = mask | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return mask


def find_blocks(mask: Mask) -> Mask:
    """Return the mask of 2x2 blocks inside a mask, each at its first cell, without the last row and column."""
    return mask[:-1, :-1] & mask[1:, :-1] & mask[:-1, 1:] & mask[1:, 1:]


def is_valid_overworld(map: tw.TileMap) -> bool:
    """Return whether an overworld has a river and enough towns, which roads join."""
    towns = regions_of(map.where("town")).count
    joined = regions_of(map.where("town", "path", "bridge")).count == 1
    return towns >= MIN_TOWNS and joined and bool(map.where("river").any())


# -- war --------------------------------------------------------------------------------------------------------------

WAR_LABELS = (
    "plain", "wood", "mountain", "sea", "reef", "shoal n", "river ew", "road ew", "bridge ew", "city", "base",
    "airport", "orange star headquarters", "orange star base", "orange star city", "blue moon headquarters",
    "blue moon base", "blue moon city",
)  # fmt: skip
"""One piece represents all pieces of rivers, roads, bridges and shoals."""
MARKOV_KINDS = ("plain", "road", "bridge", "river", "sea", "reef", "shoal")
"""Kinds of tiles of the Markov model's maps that are kept. All others become plain."""
WOODS = {
    "technique": "noise",
    "tileset": "awbw",
    "params": {
        "feature_size": 7,
        "octaves": 3,
        "moisture": 9,
        "thresholds": [0.84],
        "biomes": [["plain", "wood"], ["mountain"]],
    },
}


def make_war(rng: tw.Rng) -> tw.TileMap:
    """Make a war map for two players: waters and roads of a Markov model, woods and mountains of noise."""
    tileset = Tileset.of("awbw")
    others = [(tile.name, "plain") for tile in tileset if tile.kind not in MARKOV_KINDS]
    recipe = {
        "technique": "markov",
        "params": {"sample": "awbw", "width": 24, "height": 24, "repair_passes": 4, "serpentine": True},
        "shaping": [
            {"mirror": {"axis": "half_turn", "countries": ["orange star", "blue moon"]}},
            {"replace": {"pairs": others}},
            {"remove_small_regions": {"tiles": ["sea", "reef", "shoal"], "together": True, "min_cells": 6}},
            {"remove_small_regions": {"tiles": ["road", "bridge", "river"], "min_cells": 5}},
            {"overlay": {"recipe": WOODS, "on": "plain"}},
            {"autotile": {"keep": "pieces"}},
            "players",
        ],
    }
    return tw.run(recipe, seed=rng.bits())


def is_valid_war(map: tw.TileMap) -> bool:
    """Return whether roads and rivers are one cell wide, and the kinds of tiles stay if pieces are chosen again."""
    ids = find_label_ids(map, WAR_LABELS)
    road, bridge, river = (WAR_LABELS.index(label) for label in ("road ew", "bridge ew", "river ew"))
    if find_blocks(np.isin(ids, (road, bridge))).any() or find_blocks(ids == river).any():
        return False
    tiles = np.array([map.tileset.by_name[label] for label in WAR_LABELS])
    fitted = map.replace(cells=fit_pieces(tiles[ids], map.tileset))
    return np.array_equal(find_label_ids(fitted, WAR_LABELS), ids)


# -- all sets ---------------------------------------------------------------------------------------------------------

MAP_SETS = {
    "dungeon": MapSet(
        3000,
        DUNGEON_LABELS,
        make_dungeon,
        is_valid_dungeon,
        TrainingSettings.of_size("large", steps=25_000, symmetry=8),
    ),
    "overworld": MapSet(
        800,
        OVERWORLD_LABELS,
        make_overworld,
        is_valid_overworld,
        TrainingSettings.of_size("large", steps=20_000, symmetry=8),
    ),
    "war": MapSet(800, WAR_LABELS, make_war, is_valid_war, TrainingSettings.of_size("large", steps=20_000, symmetry=8)),
}


def make_maps(name: str, count: int | None = None) -> Iterator[tw.TileMap]:
    """Make the training maps of a model.

    Parameters
    ----------
    name
        Name of the model.
    count
        Number of maps; by default all. Fewer maps are the first ones of all.

    Yields
    ------
    TileMap
        A valid map. No two are equal.
    """
    chosen = MAP_SETS[name]
    wanted, number, digests = chosen.count if count is None else count, 0, set[bytes]()
    while len(digests) < wanted:
        rng = tw.Rng.of(f"{name} {number}")
        number += 1
        try:
            map = chosen.make_map(rng)
        except tw.GaveUp:
            continue
        digest = blake2b(find_label_ids(map, chosen.labels).tobytes()).digest()
        if digest not in digests and chosen.is_valid(map):
            digests.add(digest)
            yield map


def find_label_ids(map: tw.TileMap, labels: Sequence[str]) -> Cells:
    """Return the cells of a map as ids of labels. The label of a piece represents all pieces of its kind."""
    ids = np.full(len(map.tileset), len(labels), dtype=np.uint8)
    for number, label in enumerate(labels):
        labeled = map.tileset[map.tileset.by_name[label]]
        for tile, other in enumerate(map.tileset):
            if other.name == label or (labeled.joins and other.kind == labeled.kind):
                ids[tile] = number
    return ids[map.cells]


def write_maps(name: str, path: Path) -> None:
    """Write the training maps of a model, and print statistics."""
    labels = MAP_SETS[name].labels
    maps = list(make_maps(name))
    cells = np.stack([find_label_ids(map, labels) for map in maps])
    tileset = maps[0].tileset
    tiles = [tileset[tileset.by_name[label]] for label in labels]
    info = {
        "names": labels,
        "glyphs": "".join(tile.glyph for tile in tiles),
        "passable": [tile.passable for tile in tiles],
        "tileset": tileset.name if tileset in tw.list_tilesets() else tileset.to_data(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, cells=cells, info=json.dumps(info))
    print_statistics(maps, cells, labels)


def print_statistics(maps: list[tw.TileMap], cells: Cells, labels: tuple[str, ...]) -> None:
    """Print the number of maps, regions and doors, and the fraction of cells of each tile."""
    count, rows, columns = cells.shape
    single = sum(regions(map).count == 1 for map in maps)
    print(f"{count} maps of {columns}x{rows}, {single} with one region")
    if "door" in labels:
        doors = [map.where("door") for map in maps]
        joining = sum(int(passages(map)[where].sum()) for map, where in zip(maps, doors, strict=True))
        counts = np.array([where.sum() for where in doors])
        print(f"{counts.sum()} doors, {joining} between walls, {counts.min()} to {counts.max()} per map")
    fractions = np.bincount(cells.ravel(), minlength=len(labels)) / cells.size
    for label, fraction in zip(labels, fractions.tolist(), strict=True):
        print(f"{label:12} {fraction:.4f}")


# -- training ---------------------------------------------------------------------------------------------------------


def train_model(name: str, maps: Path, folder: Path) -> None:
    """Train a model on the maps that `write_maps` wrote, and print the losses."""
    with np.load(maps / f"{name}.npz") as stored:
        cells, info = stored["cells"], json.loads(str(stored["info"]))
    tileset, labels = Tileset.of(info["tileset"]), tuple(info["names"])
    has_pieces = any(tileset[tileset.by_name[label]].joins for label in labels)
    training_set = TrainingSet(labels, tileset, tuple(cells), are_pieces_chosen=has_pieces)

    def report(progress: TrainingProgress, build: Callable[[], Network]) -> None:
        losses = f"loss {progress.loss:.4f}, held out {progress.held_out_loss:.4f}"
        print(f"{name}: step {progress.step}, {losses}", flush=True)

    network = learn_network(training_set, MAP_SETS[name].settings, name=name, on_progress=report)
    folder.mkdir(parents=True, exist_ok=True)
    network.save(folder / f"{name}.npz")


# -- command line -----------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    maps = commands.add_parser("maps", help="write the training maps of a model")
    maps.add_argument("model", choices=MAP_SETS, help="name of the model")
    maps.add_argument("-o", "--output", type=Path, required=True, help="folder, or .npz file, to write")
    maps.add_argument("--files", type=int, metavar="COUNT", help="write this many maps as .json files instead")
    train = commands.add_parser("train", help="train a model on its maps; needs the extra neural")
    train.add_argument("model", choices=MAP_SETS, help="name of the model")
    train.add_argument("--maps", type=Path, required=True, help="folder with the maps of `maps`")
    train.add_argument("-o", "--output", type=Path, required=True, help="folder to write the model to")
    options = parser.parse_args()
    path = options.output
    if options.command == "maps" and options.files is not None:
        path.mkdir(parents=True, exist_ok=True)
        for number, map in enumerate(make_maps(options.model, options.files)):
            map.save(path / f"{number:04}.json")
    elif options.command == "maps":
        write_maps(options.model, path if path.suffix == ".npz" else path / f"{options.model}.npz")
    else:
        train_model(options.model, options.maps, path)


if __name__ == "__main__":
    main()
