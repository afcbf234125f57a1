"""Pictures of archives: heatmaps and sheets of maps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.refusals import refused
from tests.search.archives import define_search
from tilewright.pictures.charts import blend_colors
from tilewright.search import Archive
from tilewright.search.archive import Solutions
from tilewright.search.axes import read_axes
from tilewright.search.pictures import EMPTY_CELL, PALETTE, list_values, project, scale_of


def make_archive(measures: Mapping[str, object], points: list[tuple[float, ...]], objectives: list[float]) -> Archive:
    """Return an archive of small caves with the given measures and objectives."""
    definition = define_search(20, 10, vary={"walls": (0.3, 0.6)}, measures=measures, evaluations=8)
    archive = Archive(definition)
    found = np.full((len(points), len(definition.measures)), 1.0)
    found[:, : len(measures)] = points
    found[:, definition.measures.index("path_length")] = objectives
    count = len(points)
    units, no_parents = np.linspace(0, 0.9, count)[:, None], np.full((count, 2), -1)
    archive.add(Solutions(0, units, np.array(objectives), found, no_parents, np.zeros(count, dtype=np.int64)))
    return archive


@pytest.fixture(scope="module")
def small() -> Archive:
    """Return an archive of 2x2 cells, of which three have elites."""
    axes = {"floor_share": (0, 1, 2), "regions": (1, 100, 2, "log")}
    return make_archive(axes, [(0.2, 2), (0.7, 2), (0.7, 50)], [10.0, 20.0, 30.0])


def cell_colors(archive: Archive, **options: object) -> NDArray[np.uint8]:
    """Return the colors at the centers of the four cells of an archive of 2x2 cells, as an array (y, x, 3)."""
    picture = np.asarray(archive.heatmap(dpi=96, **options))  # type: ignore[arg-type]
    return picture[[98 + 345, 98 + 115]][:, [76 + 115, 76 + 345]]


def lightness(color: tuple[int, int, int]) -> float:
    """Return the lightness of a color in the OKLab color space."""
    linear = [((part / 255 + 0.055) / 1.055) ** 2.4 if part > 10 else part / 255 / 12.92 for part in color]
    long = 0.4122214708 * linear[0] + 0.5363325363 * linear[1] + 0.0514459929 * linear[2]
    middle = 0.2119034982 * linear[0] + 0.6806995451 * linear[1] + 0.1073969566 * linear[2]
    short = 0.0883024619 * linear[0] + 0.2817188376 * linear[1] + 0.6299787005 * linear[2]
    roots: list[float] = [value ** (1 / 3) for value in (long, middle, short)]
    return 0.2104542553 * roots[0] + 0.7936177850 * roots[1] - 0.0040720468 * roots[2]


def test_steps_of_the_palette_are_equally_light() -> None:
    steps = np.diff([lightness(color) for color in PALETTE])
    assert steps.min() > 0.9 * steps.mean()
    assert steps.max() < 1.1 * steps.mean()


def test_cells_have_the_colors_of_their_objectives(small: Archive) -> None:
    found = cell_colors(small)
    wanted = blend_colors(PALETTE, np.array([0.0, 0.5, 1.0]))
    assert (found[0, 0] == wanted[0]).all()
    assert (found[0, 1] == wanted[1]).all()
    assert (found[1, 1] == wanted[2]).all()
    assert tuple(found[1, 0]) == EMPTY_CELL


def test_limits_and_other_values_change_the_colors(small: Archive) -> None:
    limits = cell_colors(small, limits=(0.0, 40.0))
    assert (limits[0, 1] == blend_colors(PALETTE, np.array(0.5))).all()
    genes = cell_colors(small, values="walls")
    assert (genes[1, 1] == blend_colors(PALETTE, np.array(1.0))).all()
    measures = cell_colors(small, values="floor_share")
    assert (measures[0, 1] == measures[1, 1]).all()


def test_axes_can_be_exchanged(small: Archive) -> None:
    found = cell_colors(small, x="regions", y="floor_share")
    assert (found == cell_colors(small).swapaxes(0, 1)).all()


def test_the_resolution_scales_the_picture(small: Archive) -> None:
    screen, print_size = small.heatmap(dpi=96), small.heatmap(dpi=300)
    assert print_size.width == pytest.approx(screen.width * 300 / 96, abs=4)
    assert print_size.info["dpi"] == (300, 300)


def test_other_axes_are_projected_to_the_best_elite() -> None:
    axes = {"floor_share": (0, 1, 2), "regions": (0, 10, 2), "dead_ends": (0, 10, 2)}
    points: list[tuple[float, ...]] = [(0.2, 1, 1), (0.2, 1, 9), (0.2, 9, 9)]
    archive = make_archive(axes, points, [10.0, 30.0, 20.0])
    shown = project(archive).take(list_values(archive))
    np.testing.assert_array_equal(shown, [[30, np.nan], [20, np.nan]])
    other = project(archive, "dead_ends", "floor_share").take(list_values(archive))
    np.testing.assert_array_equal(other, [[10, 30], [np.nan, np.nan]])
    assert archive.heatmap(dpi=96).size == archive.heatmap(dpi=96, x="dead_ends").size


def test_merged_bins_show_the_best_elite() -> None:
    archive = make_archive({"floor_share": (0, 1, 5)}, [(0.1,), (0.3,), (0.9,)], [10.0, 30.0, 20.0])
    merged = project(archive, max_bins=(3, 1))
    assert merged.merged == (2, 1)
    np.testing.assert_array_equal(merged.take(list_values(archive)), [[30, np.nan, 20]])


def test_an_archive_with_one_axis_is_drawn_as_bars() -> None:
    archive = make_archive({"floor_share": (0, 1, 2)}, [(0.2,), (0.7,)], [10.0, 20.0])
    picture = np.asarray(archive.heatmap(dpi=96))
    high, low = blend_colors(PALETTE, np.array([1.0, 0.0]))
    bottom = 98 + 240 - 3
    assert (picture[bottom, [76 + 115, 76 + 345]] == [low, high]).all()
    above = 98 + 60  # The lower bar has half the height.
    assert (picture[above, 76 + 345] == high).all()
    assert not (picture[above, 76 + 115] == low).all()


def test_a_sheet_shows_the_maps(small: Archive) -> None:
    picture = np.asarray(small.sheet(width=900)).astype(int)
    floor = {tile.name: tile.rgb for tile in small.best.map.tileset}["floor"]
    assert (np.abs(picture - floor).max(axis=-1) < 16).sum() > 1000, "sprites in shades of the color"
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50


def test_logarithmic_axes_have_logarithmic_numbers() -> None:
    (axis,) = read_axes({"regions": (1, 300, 20, "log")})
    assert scale_of(axis).ticks(10) == [1, 2, 5, 10, 20, 50, 100, 200]
    assert scale_of(axis).ticks(4) == [1, 10, 100]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": "dead_ends"}, "unknown axis of the archive 'dead_ends'"),
        ({"y": "floor_share", "x": "floor_share"}, "y: must be another axis than x"),
        ({"values": "stepz"}, "unknown measure or numeric gene of the archive 'stepz'"),
        ({"dpi": 0}, "dpi: must be an integer from 48 to 1,200, got 0"),
    ],
)
def test_mistakes_are_one_line(small: Archive, options: dict[str, object], message: str) -> None:
    with refused(message):
        small.heatmap(**options)  # type: ignore[arg-type]
