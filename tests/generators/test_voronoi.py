"""Voronoi regions: nearest points, seamless windows, relaxation, and walls that separate or join regions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.ndimage import label

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.generators import voronoi as module
from tilewright.generators._voronoi.diagram import Diagram, wall_offsets
from tilewright.kernels.voronoi import UNITS

Metric = Literal["euclidean", "manhattan", "chebyshev"]
METRICS: tuple[Metric, ...] = ("euclidean", "manhattan", "chebyshev")
EIGHT = np.ones((3, 3), dtype=int)


def diagram_of(seed: int, relax: int = 0, **values: Any) -> Diagram:
    """Return the diagram of a map."""
    p = module.VoronoiParams.validate({"relax": relax, **values})
    diagram = Diagram(
        ((p.height, p.width), tuple(reversed(p.offset or (0, 0)))),
        Rng.of(seed).child("voronoi").level_key(),
        spacing=p.spacing,
        metric=METRICS.index(p.metric),
        jitter=p.jitter,
        margin=p.margin,
    )
    list(diagram.scatter_points())
    for _ in range(relax):
        list(diagram.relax_points())
    return diagram


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("relax", [0, 3])
def test_every_region_contains_the_cells_nearest_to_its_point(metric: Metric, relax: int) -> None:
    """Compare with all points, and through the complete pipeline: each region has the tile drawn for its square."""
    for seed in range(4):
        diagram = diagram_of(seed, relax, metric=metric, spacing=5, width=33, height=21)
        places = diagram.locate_points() * UNITS  # Integers.
        rows, columns = np.indices((21, 33))
        down = np.abs((rows[..., None] + 0.5) * UNITS - places[:, 1])
        across = np.abs((columns[..., None] + 0.5) * UNITS - places[:, 0])
        far = {"euclidean": down**2 + across**2, "manhattan": down + across, "chebyshev": np.maximum(down, across)}
        nearest = far[metric].argmin(axis=2)
        assert np.array_equal(diagram.find_owners(0, 21), nearest)
        kinds = [f"{name}:1" for name in ("grass", "forest", "hill", "sand", "water", "snow")]
        map = tw.make("voronoi", seed=seed, relax=relax, metric=metric, spacing=5, width=33, height=21, kinds=kinds)
        squares = diagram.points.shape[:2]
        draws = Rng.of(seed).child("voronoi").child("kinds").cells(squares, diagram.squares)
        names = np.array([kind.partition(":")[0] for kind in kinds])[(draws.reshape(-1)[nearest] * 6).astype(int)]
        assert np.array_equal(np.array(map.tileset.names)[map.cells], names)
        assert map.numbers["regions"] == len(np.unique(nearest))


def check_windows(x: int, y: int, **params: Any) -> None:
    """Compare a map with the same area made of four windows with arbitrary edges."""
    whole = tw.make("voronoi", width=40, height=30, offset=(x, y), **params)
    for down, height in ((0, 13), (13, 17)):
        for right, width in ((0, 1), (1, 39)):
            part = tw.make("voronoi", width=width, height=height, offset=(x + right, y + down), **params)
            assert np.array_equal(whole.cells[down : down + height, right : right + width], part.cells)


@given(
    x=some.integers(-(1 << 62), (1 << 62) - 1) | some.integers(-50, 50),
    y=some.integers(-(1 << 62), (1 << 62) - 13) | some.integers(-50, 50),
    spacing=some.integers(2, 24), relax=some.integers(0, 3), metric=some.sampled_from(METRICS),
    mode=some.sampled_from(["regions", "walls"]), thickness=some.integers(1, 6), doors=some.sampled_from([0, 0.4, 1]),
    gap=some.integers(1, 5), jitter=some.floats(0, 1), seed=some.integers(0, 10**6),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_windows_fit(x: int, y: int, **params: Any) -> None:
    check_windows(x, y, **params)


@pytest.mark.parametrize("x", [-(1 << 62), (1 << 62) - 1, 0])
@pytest.mark.parametrize("mode", ["regions", "walls"])
def test_windows_fit_at_the_ends_of_the_world(x: int, mode: str) -> None:
    y = min(-x, (1 << 62) - 13)
    check_windows(x, y, seed=3, spacing=1024, relax=0, mode=mode, thickness=64, gap=64)
    check_windows(x, y, seed=3, spacing=100, relax=3, mode=mode, thickness=64, gap=64)
    check_windows(x, y, seed=3, spacing=7, relax=8, mode=mode)


def test_a_map_without_offset_is_the_window_at_the_origin() -> None:
    assert np.array_equal(tw.make("voronoi", seed=4).cells, tw.make("voronoi", seed=4, offset=(0, 0)).cells)
    assert "regions" not in tw.make("voronoi", seed=4, offset=(0, 0)).numbers


def test_points_depend_on_no_more_than_the_margin() -> None:
    """The margin is exact: with more squares around, relaxed points are the same."""
    rng = Rng.of(8)
    some_window = ((30, 40), (-11, 77))
    words = {"spacing": 6, "metric": 0, "jitter": 1.0}
    tight = Diagram(some_window, rng.level_key(), margin=2 + 4 * 4, **words)  # type: ignore[arg-type]
    wide = Diagram(some_window, rng.level_key(), margin=2 + 4 * 4 + 5, **words)  # type: ignore[arg-type]
    list(tight.scatter_points())
    list(wide.scatter_points())
    for _ in range(4):
        list(tight.relax_points())
        list(wide.relax_points())
    assert np.array_equal(tight.points, wide.points[5:-5, 5:-5])


@pytest.mark.parametrize("metric", METRICS)
def test_relaxation_makes_regions_more_even(metric: str) -> None:
    for seed in range(5):
        spreads = []
        for relax in (0, 1, 4, 10):
            made = diagram_of(seed, relax, metric=metric, spacing=8, width=200, height=200)
            owners = made.find_owners(0, 200)
            edge = np.unique(np.concatenate([owners[0], owners[-1], owners[:, 0], owners[:, -1]]))
            areas = np.bincount(owners.reshape(-1))
            areas[edge] = 0
            spreads.append(areas[areas > 0].std() / areas[areas > 0].mean())
        assert spreads[0] > spreads[1] > spreads[2] > spreads[3]
        assert spreads[2] < 0.6 * spreads[0]


@pytest.mark.parametrize("thickness", range(1, 8))
@pytest.mark.parametrize("metric", METRICS)
def test_walls_keep_regions_apart(thickness: int, metric: str) -> None:
    """No connected floor, including diagonal steps, belongs to two regions."""
    for seed in range(6):
        shape: dict[str, Any] = {"width": 61, "height": 47, "spacing": 4 + seed * 3, "metric": metric}
        map = tw.make("voronoi", seed=seed, mode="walls", doors=0, relax=1, thickness=thickness, **shape)
        owners = diagram_of(seed, 1, **shape).find_owners(0, 47)
        pieces, count = label(map.where("floor"), EIGHT)
        for piece in range(1, count + 1):
            assert len(np.unique(owners[pieces == piece])) == 1


@pytest.mark.parametrize("thickness", range(1, 10))
def test_straight_walls_have_the_given_thickness(thickness: int) -> None:
    map = tw.make(
        "voronoi",
        seed=1,
        mode="walls",
        doors=0,
        jitter=0,
        relax=0,
        thickness=thickness,
        spacing=20,
        height=20,
        offset=(0, 0),
    )
    assert map.where("wall")[10].sum() == 80 // 20 * thickness


@pytest.mark.parametrize("metric", METRICS)
def test_with_all_doors_the_points_of_a_world_are_joined(metric: str) -> None:
    """In a large window, points far from its edge are in one connected floor."""
    for seed in range(5):
        shape: dict[str, Any] = {"width": 220, "height": 200, "spacing": 11, "metric": metric, "relax": seed % 3}
        map = tw.make("voronoi", seed=seed, mode="walls", doors=1, thickness=1 + seed % 4, gap=1 + seed % 2, **shape)
        pieces, _ = label(map.where("floor"))
        places = np.floor(diagram_of(seed, **shape).locate_points()).astype(int)
        inside = (places > 33).all(axis=1) & (places[:, 0] < 220 - 33) & (places[:, 1] < 200 - 33)
        assert inside.sum() > 100
        met = np.unique(pieces[places[inside][:, 1], places[inside][:, 0]])
        assert len(met) == 1
        assert met[0] > 0


def test_more_doors_open_more() -> None:
    walls = [
        tw.make("voronoi", seed=2, mode="walls", doors=doors, gap=3, spacing=16).where("wall").sum()
        for doors in (0, 0.3, 0.7, 1)
    ]
    assert walls == sorted(walls, reverse=True)
    assert walls[0] > walls[1] > walls[3]


def test_spacing_scales_the_same_picture() -> None:
    small, large = (tw.make("voronoi", seed=3, spacing=size, width=8 * size, height=5 * size) for size in (20, 60))
    assert (large.cells[1::3, 1::3] == small.cells).mean() > 0.999


def test_kinds_come_by_weight_and_from_any_tileset() -> None:
    map = tw.make(
        "voronoi", seed=1, width=300, height=300, spacing=4, kinds=["grass:3", {"tile": "water", "weight": 1}]
    )
    assert 0.7 < map.where("grass").mean() < 0.8
    assert set(np.unique(map.cells).tolist()) == {map.tileset.find("grass"), map.tileset.find("water")}
    caves = tw.make("voronoi", seed=1, tileset="cave", kinds=["floor:2", "moss", "water:0"])
    assert not caves.where("water").any()
    assert caves.where("moss").any()


def test_locked_cells_are_kept_and_move_nothing_else() -> None:
    free = tw.make("voronoi", seed=5, mode="walls")
    locks = [[x, y, "wall"] for x in range(10, 20) for y in range(10, 20)]
    held = tw.make("voronoi", seed=5, mode="walls", locks=locks)
    assert held.where("wall")[10:20, 10:20].all()
    changed = held.cells != free.cells
    changed[10:20, 10:20] = False
    assert not changed.any()


def test_frames_show_points_growth_and_relaxation() -> None:
    frames = list(tw.watch("voronoi", seed=1, relax=3))
    notes = [frame.note for frame in frames]
    assert notes[0] == "points"
    assert [note for note in notes if note.startswith("relaxation")] == [f"relaxation {step}" for step in (1, 2, 3)]
    assert len(frames[0].lines) >= 60
    dark = [int((frame.colors == module.DARK).all(axis=2).sum()) for frame in frames if frame.colors is not None]
    assert dark == sorted(dark, reverse=True)
    assert dark[-1] == 0
    assert frames[0].lines != frames[-4].lines


def test_discs_are_symmetric_where_possible() -> None:
    assert wall_offsets(1).tolist() == [[0, 1], [1, 0], [1, 1]]
    assert wall_offsets(2).tolist() == [[-1, 0], [0, -1], [0, 1], [1, 0]]
    assert len(wall_offsets(64)) < 65 * 65 * 0.82
