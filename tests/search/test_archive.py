"""Archives: the best solution of each cell, compared with a plain dictionary, and what users read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.search.archives import define_search, make_cave_archive
from tilewright.search.archive import Archive, Solutions

RNG = np.random.default_rng(7)


def make_solutions(first: int, count: int) -> Solutions:
    measures = np.stack([RNG.uniform(-0.1, 1.1, count), RNG.uniform(0, 70, count), np.zeros(count)], axis=1)
    measures[RNG.random(count) < 0.05, 0] = np.nan
    objectives = RNG.integers(0, 6, count).astype(float)  # few values, so that there are many ties
    objectives[RNG.random(count) < 0.05] = np.nan
    parents = np.full((count, 2), -1)
    return Solutions(first, RNG.random((count, 2)), objectives, measures, parents, np.zeros(count, dtype=np.int64))


@pytest.mark.parametrize("batch", [1, 17, 300])
def test_each_cell_keeps_the_best_solution_and_ties_keep_the_older(batch: int) -> None:
    axes = {"floor_share": (0, 1, 8), "regions": (1, 65, 4)}
    archive = Archive(define_search(measures=axes, evaluations=100))
    expected: dict[tuple[int, int], tuple[float, int]] = {}
    outside = 0
    for first in range(0, 900, batch):
        new = make_solutions(first, batch)
        archive.add(new)
        for k in range(batch):
            share, regions, _ = new.measures[k]
            objective = new.objectives[k]
            if np.isnan(share) or np.isnan(objective):
                continue
            if not (0 <= share <= 1 and 1 <= regions <= 65):
                outside += 1
                continue
            cell = min(7, int(share * 8)), min(3, int((regions - 1) / 16))
            if cell not in expected or objective > expected[cell][0]:
                expected[cell] = float(objective), first + k
    assert {elite.cell: (elite.objective, elite.number) for elite in archive} == expected
    assert archive.out_of_range == outside
    assert archive.coverage == len(expected) / 32
    assert archive.qd_score == sum(objective for objective, _ in expected.values())


@pytest.fixture(scope="module")
def archive() -> Archive:
    axes = {"floor_share": (0, 1, 10), "regions": (1, 60, 6, "log")}
    return make_cave_archive(24, 16, measures=axes, evaluations=300, batch=100)


def test_every_elite_has_the_measures_of_its_map(archive: Archive) -> None:
    for elite in archive:
        numbers = tw.measure(elite.map, "floor_share", "regions", "path_length")
        assert numbers == elite.measures
        assert elite.objective == numbers["path_length"]
        for at, axis in enumerate(archive.definition.axes):
            assert axis.find_bins(np.array([numbers[axis.measure]]))[0] == elite.cell[at]
        assert archive.cell(*elite.cell) == elite
        assert elite.map == tw.run(elite.recipe)
        assert all(0 <= parent < elite.number for parent in elite.parents)


def test_the_best_elite_and_the_elites_at_a_value(archive: Archive) -> None:
    assert archive.best.objective == np.nanmax(archive.grid()) == max(elite.objective for elite in archive)
    column = archive.at(floor_share=0.65)
    assert column
    assert {elite.cell[0] for elite in column} == {6}
    assert [elite.objective for elite in column] == sorted((one.objective for one in column), reverse=True)
    assert archive.at(floor_share=0.999) == []


def test_cells_that_do_not_exist_are_refused(archive: Archive) -> None:
    for bins in ((10, 0), (0,), (-1, 0)):
        with pytest.raises(tw.InvalidRecipe, match="one bin per axis"):
            archive.cell(*bins)
    with pytest.raises(tw.UnknownName, match="floor_share"):
        archive.at(floorshare=0.4)


def test_a_search_beats_random_search() -> None:
    """The mean over three seeds; the benchmark has larger numbers."""
    axes = {"floor_share": (0, 1, 12), "regions": (1, 60, 12, "log")}
    vary = {"walls": (0.2, 0.7), "steps": (0, 8), "seed": "free"}
    scores = {}
    for emitters in (["random"], ["random", "line", "cross"]):
        options: dict[str, Any] = {"measures": axes, "vary": vary, "evaluations": 900, "batch": 100}
        archives = [make_cave_archive(30, 20, **options, emitters=emitters, seed=seed) for seed in range(3)]
        scores[len(emitters)] = sum(archive.qd_score for archive in archives)
    assert scores[3] > 1.04 * scores[1]


def test_styles_are_means_over_seeds() -> None:
    axes = {"floor_share": (0, 1, 10)}
    archive = make_cave_archive(16, 12, vary={"walls": (0.3, 0.6)}, measures=axes, evaluations=40, repeats=3)
    for elite in archive:
        maps = [tw.run(elite.recipe, seed=f"7-{number}") for number in range(3)]
        assert elite.map == maps[0]
        lengths = [tw.measure(map, "path_length")["path_length"] for map in maps]
        assert elite.objective == pytest.approx(sum(lengths) / 3)


def test_failures_are_counted_by_reason() -> None:
    recipe = tw.recipe("rooms", width=30, height=20, require={"path_length": ">35"}, tries=1)
    options: dict[str, Any] = {"vary": ["seed"], "measures": {"floor_share": 4}, "objective": "path_length"}
    archive = tw.search.make(recipe, **options, evaluations=60, seed=3)
    assert sum(archive.failures.values()) > 0
    assert all("path_length" in reason for reason in archive.failures)
    assert sum(archive.failures.values()) + archive.out_of_range + len(archive) <= 60
