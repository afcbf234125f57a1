"""TileMap, Tileset, Grid and Locks are values: frozen, compared by content, and restored from pickles and data."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

import tilewright as tw
from tests.cases import fits, read_cases, read_table
from tests.refusals import refused
from tilewright import Grid, InvalidRecipe, Locks, Marker, Room, TileMap, Tileset, UnknownName
from tilewright.core.resolver import Resolver
from tilewright.core.tilemap import DeferredNumbers

ITSELF: list[Any] = []
ITSELF.append(ITSELF)
CAVE = next(tileset for tileset in tw.list_tilesets() if tileset.name == "cave")
grids = arrays.arrays(np.int64, arrays.array_shapes(min_dims=2, max_dims=3, max_side=6), elements=st.integers(-1, 9))


def test_a_map_is_frozen_and_owns_its_cells() -> None:
    cells = np.array([[0, 1], [1, 0]])
    map = TileMap(cells, CAVE, layers={"height": [[0.5, 1.0], [2.0, 3.0]]}, markers=[Marker("start", 1, 0)])
    cells[0, 0] = 1
    assert map.cells[0, 0] == 0
    with pytest.raises(AttributeError, match="frozen"):
        map.cells = cells
    with pytest.raises(ValueError, match="read-only"):
        map.cells[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        map.layers["height"][0, 0] = 1
    again = pickle.loads(pickle.dumps(map))
    assert again == map
    assert not again.cells.flags.writeable
    assert hash(again) == hash(map)
    assert map != map.replace(markers=[])


@pytest.mark.parametrize(
    ("cells", "reason"),
    [([[0, 99]], "ids 0..6, got 99"), ([[-1, 0]], "got -1"), ([[0.5]], "integers"), ([], "at least one cell")],
)
def test_cells_must_be_tile_ids(cells: object, reason: str) -> None:
    with pytest.raises(InvalidRecipe, match=reason):
        TileMap(cells, CAVE)  # type: ignore[arg-type]


def test_rearranging_cells_moves_rooms_markers_and_layers() -> None:
    map = TileMap(
        np.arange(6).reshape(2, 3),
        CAVE,
        rooms=[Room(0, 0, 2, 1), Room(2, 1, 1, 1)],
        links=[(0, 1)],
        markers=[Marker("start", 2, 0)],
        layers={"height": np.arange(6).reshape(2, 3)},
    )
    turned = map.rearrange(np.rot90)
    assert turned.cells.tolist() == [[2, 5], [1, 4], [0, 3]]
    assert turned.layers["height"].tolist() == [[2, 5], [1, 4], [0, 3]]
    assert turned.markers == (Marker("start", 0, 0),)
    assert turned.rooms == (Room(0, 1, 1, 2), Room(1, 0, 1, 1))
    cut = map.rearrange(lambda cells: cells[:, :2])
    assert cut.rooms == (Room(0, 0, 2, 1),)
    assert cut.links == ()
    assert cut.markers == ()


@given(grids)
def test_a_grid_survives_data_and_pickle(array: NDArray[np.int64]) -> None:
    grid = Grid.of(array)
    for again in (
        Grid.of(json.loads(json.dumps(grid.to_data()))),
        pickle.loads(pickle.dumps(grid)),
        Grid.of(array.tolist()),
    ):
        assert again == grid
        assert hash(again) == hash(grid)
        assert again.digest == grid.digest


def test_a_grid_reads_every_form() -> None:
    lines = Grid.of(["#.?", "..#"])
    assert lines == Grid.of("#.?\n..#\n") == Grid.of([["#", ".", "?"], [".", ".", "#"]])
    assert lines.to_tile_ids(CAVE).tolist() == [[1, 0, -1], [0, 0, 1]]
    names = Grid.of([["wall", "floor"]])
    assert names.to_tile_ids(CAVE).tolist() == [[1, 0]]
    made = TileMap([[1, 0]], CAVE)
    assert Grid.of(made) == names
    assert Grid.of([[1, 0]]).to_tile_ids(CAVE).tolist() == [[1, 0]]
    assert Grid.of(["ab"]).digest == Grid.of([[np.str_("a"), np.str_("b")]]).digest
    assert Grid.of("#.\n.#\n\n?.\n..\n") == Grid.of([[["#", "."], [".", "#"]], [["?", "."], [".", "."]]])
    with pytest.raises(UnknownName, match="did you mean 'wall'"):
        Grid.of([["wal"]]).to_tile_ids(CAVE)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        *read_table(__file__, "bad grids are refused in one line"),
        (ITSELF, "by name, glyph or number"),
        ([[10**5000]], "less than 268,435,456"),
        (np.array([[1 << 40]]), "less than 268,435,456"),
        (Path("elsewhere.txt"), "files are not opened here"),
    ],
)
def test_bad_grids_are_refused_in_one_line(value: object, reason: str) -> None:
    with refused(reason):
        Grid.of(value)


def test_large_grids_are_stored_as_a_digest() -> None:
    grid = Grid.of(np.zeros((300, 300), dtype=int))
    assert set(grid.to_data()) == {"shape", "digest"}
    with pytest.raises(InvalidRecipe, match="give its file too"):
        Grid.of(grid.to_data())


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.sampled_from(["wall", "floor"])), max_size=150))
def test_locks_survive_data(places: list[tuple[int, int, str]]) -> None:
    places = list({(x, y): (x, y, tile) for x, y, tile in places}.values())
    locks = Locks.of(places)
    again = Locks.of(json.loads(json.dumps(locks.to_data())))
    assert again == locks
    assert len(again) == len(places)
    assert pickle.loads(pickle.dumps(locks)) == locks


def test_locks_are_refused_outside_and_in_contradiction() -> None:
    with pytest.raises(InvalidRecipe, match="different tiles at x=1 y=2"):
        Locks.of([[1, 2, "wall"], [1, 2, "floor"]])
    with pytest.raises(InvalidRecipe, match="x=9 y=0 is outside the map of 4x3"):
        Locks.of([[9, 0, "wall"]]).fit_to((3, 4))
    with pytest.raises(InvalidRecipe, match="made for a map of 2x1 cells"):
        Locks.of(["#?"]).fit_to((3, 4))
    with pytest.raises(InvalidRecipe, match="x and y of a lock must be integers of at least 0"):
        Locks.of([[-1, 0, "wall"]])


def test_locks_keep_the_shape_of_their_map() -> None:
    for grid in (["#?"], ["#" * 40] * 5, np.arange(200 * 400).reshape(200, 400) % 7 - 1):
        locks = Locks.of(grid)
        data = json.loads(json.dumps(locks.to_data()))
        if "digest" in data:
            continue
        again = Locks.of(data)
        assert again == locks
        assert again.map_shape == locks.map_shape
    with pytest.raises(InvalidRecipe, match="made for a map of 2x1 cells"):
        Locks.of(Locks.of(["#?"]).to_data()).fit_to((3, 4))


def test_few_locks_on_a_large_map_are_stored_in_the_recipe() -> None:
    map = TileMap(np.zeros((2000, 2000), dtype=int), CAVE)
    locks = map.to_locks(np.s_[500:600, 700:750])
    data = locks.to_data()
    assert len(json.dumps(data)) < 50_000
    assert Locks.of(data) == locks
    assert Locks.of(data).map_shape == (2000, 2000)


def test_too_many_locks_are_stored_as_the_digest_of_their_map() -> None:
    class Beside(Resolver):
        def find_grid(self, digest: str) -> Grid:
            assert digest == grid.digest
            return grid

    grid = Grid.of(np.arange(300 * 300).reshape(300, 300) % 3)
    locks = Locks.of(grid)
    assert locks.to_data() == {"shape": [300, 300], "digest": grid.digest}
    assert Locks.of(locks.to_data(), Beside()) == locks
    with pytest.raises(InvalidRecipe, match="give its file too"):
        Locks.of(locks.to_data())


def test_locks_by_number_survive_data_and_never_change() -> None:
    locks = Locks.of([{"x": np.int64(3), "y": 1, "tile": 2}, [np.int64(1), 0, "wall"]])
    assert Locks.of(json.loads(json.dumps(locks.to_data()))) == locks
    for array in (locks.places, locks.label_indices, pickle.loads(pickle.dumps(locks)).places):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_tilesets_report_all_mistakes() -> None:
    with pytest.raises(InvalidRecipe, match="share the name 'a'") as caught:
        Tileset.from_toml('[[tiles]]\nname="a"\nglyph="x"\n[[tiles]]\nname="a"\nglyph="x"\n', "mine")
    assert "share the glyph 'x'" in str(caught.value)


@pytest.mark.parametrize(("given", "expected"), read_cases(Path(__file__).with_name("tileset_mistakes.txt")))
def test_mistakes_in_tilesets_are_refused_in_one_line(given: list[str], expected: str) -> None:
    with refused("", limit=400) as caught:
        Tileset.from_toml("\n".join(given), "mine")
    assert fits(str(caught.value), expected)


def test_a_question_mark_is_a_tile_except_in_locks_and_start_maps() -> None:
    plain = Tileset.from_labels(["#", "?"])
    assert [(tile.name, tile.glyph) for tile in plain] == [("#", "#"), ("question mark", "?")]
    map = TileMap([[0, 1]], plain)
    drawing = f"{map}\n"
    assert drawing == "#?\n"
    sample = Grid.of(drawing, free_glyph=False)
    assert Grid.of(map).to_tile_ids(plain).tolist() == sample.to_tile_ids(plain).tolist() == [[0, 1]]
    assert Grid.of(sample.to_data()) == sample == Grid.of([["#", "?"]], free_glyph=False)
    assert Grid.of(drawing).to_tile_ids(plain).tolist() == [[0, -1]]
    assert len(Locks.of(drawing)) == 1
    assert Locks.of(map.to_locks().to_data()) == map.to_locks()
    assert len(map.to_locks()) == 2


def test_a_tile_of_any_name_may_have_the_glyph_of_free_cells() -> None:
    mario = Tileset.from_toml('[[tiles]]\nname="sky"\nglyph="-"\n[[tiles]]\nname="bonus"\nglyph="?"\n', "mario")
    assert Grid.of("-?\n", free_glyph=False).to_tile_ids(mario).tolist() == [[0, 1]]
    assert len(Locks.of([[0, 0, "bonus"], [1, 0, "sky"]])) == 2


def test_the_data_of_a_tileset_has_no_folders() -> None:
    tiles = [{"name": "a", "costs": {"foot": 1, "boat": 2}}]
    made = [
        Tileset.validate({"tiles": tiles, "sheet": {"image": image}})
        for image in ("/srv/art/tiles.png", "C:\\art\\tiles.png", "tiles.png")
    ]
    for tileset in made:
        assert tileset.to_data()["sheet"]["image"] == "tiles.png"
        assert Tileset.validate(tileset.to_data()) == tileset == made[0]
        assert hash(tileset) == hash(made[0])
        assert tileset.digest == made[0].digest
    assert Tileset.from_labels(["a"]).digest != made[0].digest


def test_tiles_without_appearance_get_distinct_ones() -> None:
    many = Tileset.from_labels([f"tile {number}" for number in range(900)])
    assert len({tile.glyph for tile in many}) == 900
    assert many.dtype == np.uint16
    assert CAVE.dtype == np.uint8
    assert len({tile.color for tile in many.tiles[:40]}) == 40
    longer = CAVE.with_tiles(["floor", "lava", "ice"])
    assert longer.names[: len(CAVE)] == CAVE.names
    assert longer.names[len(CAVE) :] == ("lava", "ice")


def test_built_in_tilesets_have_distinct_colors() -> None:
    for tileset in tw.list_tilesets():
        colors = tileset.colors[:12].astype(int)
        for first in range(len(colors)):
            for second in range(first):
                # Pieces of one kind have similar colors, so that a river has one color.
                if not tileset[first].joins or tileset[first].kind != tileset[second].kind:
                    assert abs(colors[first] - colors[second]).sum() > 30, (tileset.name, first, second)
        pieces = [tile.color for tile in tileset if tile.joins or tile.country]
        assert len(set(pieces)) == len(pieces), tileset.name


def test_deferred_numbers_are_computed_once_when_they_are_read() -> None:
    calls: list[int] = []

    def compute() -> dict[str, float]:
        calls.append(1)
        return {"tiles_used": 2, "copied_block": 3}

    map = TileMap([[0]], Tileset.from_labels(["a", "b"]), numbers=DeferredNumbers(compute))
    renamed = map.replace(markers=[Marker("start", 0, 0)])
    assert not calls
    assert renamed.numbers["copied_block"] == 3.0
    assert dict(map.numbers) == {"tiles_used": 2.0, "copied_block": 3.0}
    assert pickle.loads(pickle.dumps(map)) == map
    assert len(map.numbers) == 2
    assert calls == [1]
