"""The gallery: evolved score matrices that ship with Tilewright."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import data
from tilewright.generators._fashion.gallery import find_scores, load_gallery
from tilewright.search.archive import Archive
from tools import evolve_automata

MAX_BYTES = 100_000


def test_the_file_is_small() -> None:
    assert data.list_names("archives") == ("caverns",)
    assert len(data.read_bytes("archives", "caverns")) <= MAX_BYTES


def test_every_style_makes_maps_with_a_floor() -> None:
    gallery = load_gallery()
    assert len(gallery.scores) >= 100
    for cell, scores in gallery.scores.items():
        map = tw.make("fashion", scores=f"archive:{cell[0]},{cell[1]}", width=60, height=40, seed=7)
        assert map.passable.any(), cell
        assert map.recipe is not None
        assert map.recipe.params.scores == scores  # type: ignore[attr-defined]


def test_references_are_resolved_to_plain_scores(tmp_path: Path) -> None:
    scores, morph = find_scores("archive:12,3"), find_scores("archive:caverns:4,7")
    for given in ("archive:12,3", "archive:caverns:12,3", "archive: 12 , 3"):
        found = tw.make("fashion", scores=given, morph="archive:4,7", width=20, height=12, seed=1)
        assert found == tw.make("fashion", scores=scores, morph=morph, width=20, height=12, seed=1)
    found.save(tmp_path / "map.json")
    assert "archive" not in (tmp_path / "map.json").read_text()
    assert tw.verify(tmp_path / "map.json").outcome == "same"


def test_the_nearest_styles_are_suggested() -> None:
    with pytest.raises(tw.InvalidRecipe) as error:
        tw.make("fashion", morph="archive:0,0")
    (problem,) = error.value.problems
    assert problem.path == ("params", "morph") or problem.path == ("morph",)
    assert len(problem.fixes) == 3
    for fix in problem.fixes:
        assert tw.make("fashion", morph=fix.value, width=20, height=12).width == 20


# -- as an archive -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def archive() -> Archive:
    return tw.search.load("archive:caverns")


def test_the_archive_has_the_styles_of_the_gallery(archive: Archive) -> None:
    gallery = load_gallery()
    assert archive.shape == gallery.shape
    assert {elite.cell: elite.values["scores"] for elite in archive} == {
        cell: list(scores) for cell, scores in gallery.scores.items()
    }
    assert evolve_automata.encode_gallery(archive) == data.read_bytes("archives", "caverns")
    with pytest.raises(tw.UnknownName, match="unknown archive 'cavrns'; did you mean 'caverns'"):
        tw.search.load("archive:cavrns")


def test_stored_measures_are_those_of_the_maps(archive: Archive) -> None:
    rows = archive.sorted_rows[::80]
    found = evolve_automata.evaluate(archive.definition, archive.rows.units[rows])
    assert np.array_equal(found.measures, archive.rows.measures[rows])


def test_most_styles_stay_near_their_cell_with_other_seeds(archive: Archive) -> None:
    few = Archive(replace(archive.definition, repeats=8))
    for row in archive.sorted_rows[::10].tolist():
        place = few.add_row(int(archive.rows.cell[row]))
        few.rows.units[place] = archive.rows.units[row]
    _, near = evolve_automata.count_stable(few, "test")
    assert near >= 0.7 * len(few)


def test_two_styles_make_a_pair(archive: Archive) -> None:
    first, second = archive.cell(12, 3), archive.cell(4, 7)
    assert first is not None
    assert second is not None
    recipe: Any = tw.search.pair_styles(first, second, width=40)
    assert recipe.params.scores == find_scores("archive:12,3")
    assert recipe.params.morph == find_scores("archive:4,7")


def test_the_script_makes_the_same_archive_again() -> None:
    archives = [evolve_automata.evolve(2, 1, batch=24, seed="test") for _ in range(2)]
    assert len(archives[0]) > 5
    assert evolve_automata.encode_gallery(archives[0]) == evolve_automata.encode_gallery(archives[1])
    rows = archives[0].sorted_rows
    units = archives[0].definition.genome.decode(archives[0].rows.units[rows])
    assert blake2b(repr(units).encode(), digest_size=8).hexdigest() == "7c2d9ea488ec39ab"
