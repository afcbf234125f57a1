"""`tw.compare`: the measures of techniques that learn from the same samples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.refusals import refused
from tilewright.comparison.rows import (
    COLUMNS,
    choose_game,
    format_csv,
    format_markdown,
    format_seconds,
    make_similarities,
    measure_trial,
)
from tilewright.comparison.trial import CROP_SIZES, Trial, TrialOutcome, cut_sample, run_trial
from tilewright.core.samples import Samples

DUNGEON = Samples.of("dungeon")
TWO_TILESETS = ["weave", "bricks"]
"""Samples that `markov`, which learns maps of one tileset, refuses."""


@pytest.fixture(scope="module")
def comparison() -> tw.TechniqueComparison:
    """Return a small comparison of two techniques."""
    return tw.compare("dungeon", techniques=["wfc", "markov"], width=14, height=12, count=3, seed=5)


# -- rows ---------------------------------------------------------------------------------------------------------


def test_maps_are_those_of_make(comparison: tw.TechniqueComparison) -> None:
    for name in ("wfc", "markov"):
        assert len(comparison.maps[name]) == 3
        for number, map in enumerate(comparison.maps[name]):
            made = tw.make(name, sample="dungeon", width=14, height=12, seed=f"5-{number}")
            assert np.array_equal(map.cells, made.cells)


def test_rows_have_the_measures_of_the_maps(comparison: tw.TechniqueComparison) -> None:
    for name in ("wfc", "markov"):
        row, maps = comparison[name], comparison.maps[name]
        for size in (2, 3, 4):
            names = ("divergence_new", "divergence_missed", "copied_share", "copied_block")
            found = [tw.measure(map, *names, like="dungeon", pattern_size=size) for map in maps]
            means = {one: fmean(values[one] for values in found) for one in names}
            assert row.divergences_new[size] == pytest.approx(means["divergence_new"])
            assert row.divergences_missed[size] == pytest.approx(means["divergence_missed"])
            assert row.copied_block == pytest.approx(means["copied_block"])
            assert size != 3 or row.copied_share == pytest.approx(means["copied_share"])
        distances = tw.search.compare(maps)
        assert row.diversity == pytest.approx(distances.sum() / 6)
        assert (row.failures, row.count, row.playable_share, row.problem) == (0, 3, None, "")
        assert row.training_time is not None
        assert row.map_time is not None
        assert row.map_time > 0
        assert row.memory is None or row.memory > 1e7
        assert row.smallest_input in CROP_SIZES


def test_wfc_copies_patterns_and_markov_does_not(comparison: tw.TechniqueComparison) -> None:
    assert comparison["wfc"].copied_share == 1.0
    assert comparison["markov"].copied_share != 1.0
    with pytest.raises(tw.UnknownName, match="'patterns'"):
        comparison["patterns"]


def test_failures_are_counted() -> None:
    """Each tile of this sample occurs once, so that no larger map has its patterns alone."""
    trial = Trial(
        "wfc", Samples.of(np.arange(16).reshape(4, 4)), 9, 9, 2, "1", {"max_restarts": 0, "pattern_size": 3}, False
    )
    result = run_trial(trial, lambda done, what: None)
    assert (len(result.maps), result.failures, len(result.map_times)) == (0, 2, 2)
    row = measure_trial("wfc", result, make_similarities(trial.samples), None)
    assert (row.failures, row.count, row.copied_block, row.diversity) == (2, 2, None, None)
    assert "| 2 of 2 | - |" in format_markdown([row])


def test_playable_maps_are_counted() -> None:
    level = tw.run("platformer", seed=2)
    assert tw.measure(level, "completable") == {"completable": 1.0}
    samples = Samples.of([level])
    empty = level.replace(cells=np.zeros_like(level.cells), markers=())
    result = TrialOutcome((level, empty), 0, 0.0, (0.1, 0.3), None, None)
    row = measure_trial("wfc", result, make_similarities(samples), choose_game(samples, "platformer"))
    assert row.playable_share == 0.5
    assert row.map_time == pytest.approx(0.2)


def test_progress_grows_to_the_end() -> None:
    seen: list[tuple[float, str]] = []
    tw.compare(
        "weave", techniques=["markov"], count=2, seed=1, width=8, height=8, on_progress=lambda *step: seen.append(step)
    )
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[0] == (0.0, "markov: sample of 4x4 cells")
    assert seen[-1][1] == "markov: map 2 of 2"


# -- smallest input -----------------------------------------------------------------------------------------------


def test_the_crop_has_the_most_different_tiles() -> None:
    cells = np.zeros((9, 12), dtype=int)
    cells[5:7, 6:8] = [[1, 2], [3, 4]]
    assert sorted(np.unique(cut_sample(Samples.of(cells), 2).maps[0]).tolist()) == [0, 1, 2, 3]
    assert cut_sample(Samples.of([np.zeros((3, 3), dtype=int), cells]), 4).labels == ("0", "1", "2", "3", "4")
    assert cut_sample(DUNGEON, 25).maps[0].shape == (25, 25)


def test_the_size_is_that_of_the_samples_at_most_48() -> None:
    wide = np.tile(np.eye(4, dtype=int), (3, 20))
    found = tw.compare(wide, techniques=["markov"], count=1, seed=1, smallest_input=False)
    assert (found.width, found.height) == (48, 12)
    assert found["markov"].smallest_input is None


# -- tables and files ---------------------------------------------------------------------------------------------


def test_saved_files(comparison: tw.TechniqueComparison, tmp_path: Path) -> None:
    written = comparison.save(tmp_path / "new")
    assert sorted(path.name for path in written) == ["sheet.png", "table.csv", "table.json", "table.md"]
    data = json.loads((tmp_path / "new" / "table.json").read_text())
    rows = [tw.ComparisonRow.from_data(row) for row in data["rows"]]
    assert rows == [*comparison.rows]
    assert (data["width"], data["height"], data["count"], data["seed"]) == (14, 12, 3, "5")
    assert (tmp_path / "new" / "table.md").read_text() == format_markdown(rows) == comparison.to_markdown()
    lines = format_csv(rows).splitlines()
    assert lines[0].startswith("technique,training_time,map_time,failures,divergence_new_2,divergence_missed_2,")
    assert [line.partition(",")[0] for line in lines[1:]] == ["wfc", "markov"]
    assert {line.count(",") for line in lines} == {len(COLUMNS) + 1}
    with Image.open(tmp_path / "new" / "sheet.png") as picture:
        assert picture.width == 1400
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 5


def test_sheets_have_a_row_for_each_technique(comparison: tw.TechniqueComparison) -> None:
    few, many = (comparison.sheet(columns=columns, width=600) for columns in (1, 4))
    assert few.height > many.height
    with pytest.raises(tw.InvalidRecipe, match="columns"):
        comparison.sheet(columns=9)


def test_a_technique_that_cannot_learn_has_a_row_with_the_reason() -> None:
    settings = {"wfc": {"pattern_size": 2}}
    found = tw.compare(TWO_TILESETS, techniques=["markov", "wfc"], count=1, settings=settings, smallest_input=False)
    assert "one tileset" in found["markov"].problem
    assert found.maps["markov"] == ()
    assert len(found.maps["wfc"]) + (found["wfc"].failures or 0) == 1
    assert "markov: sample: must have one tileset" in found.to_markdown()
    assert found.sheet().width == 1400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00005, "0.05 ms"), (0.5, "500 ms"), (3.14159, "3.1 s"), (59.4, "59 s"), (600, "10 min 0 s")],
)
def test_times(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


# -- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: tw.compare("keep"), "must be flat maps; comparisons have no levels"),
        (lambda: tw.compare(["#.#"]), "has 3x1 cells; samples must have at least 2x2"),
        (lambda: tw.compare("dungeon", techniques=["makrov"]), "did you mean 'markov'"),
        (lambda: tw.compare("dungeon", techniques=["rooms"]), "unknown technique 'rooms'"),
        (lambda: tw.compare("dungeon", techniques="wfc"), "must be a list of names"),
        (lambda: tw.compare("dungeon", techniques=["wfc", "wfc"]), "twice"),
        (lambda: tw.compare("dungeon", count=0), "count: must be at least 1, got 0"),
        (lambda: tw.compare("dungeon", width=1000), "width: must be at most 512, got 1000"),
        (lambda: tw.compare("dungeon", techniques=["wfc"], game="chess"), "unknown game 'chess'"),
        (lambda: tw.compare("dungeon", techniques=["wfc"], settings={"markov": {}}), "not in this comparison"),
        (lambda: tw.compare("dungeon", techniques=["wfc"], settings={"wfc": {"size": 3}}), "unknown parameter 'size'"),
        (lambda: tw.compare("dungeon", techniques=["wfc"], settings={"wfc": {"width": 3}}), "parameter 'width'"),
        (
            lambda: tw.compare("dungeon", techniques=["wfc"], settings={"wfc": {"max_repairs": -1}}),
            "wfc: max_repairs: must be at least 0",
        ),
    ],
)
def test_bad_input_is_one_line(call: Callable[[], Any], line: str) -> None:
    with refused(line):
        call()


def test_an_error_of_all_techniques_is_raised() -> None:
    with pytest.raises(tw.InvalidRecipe, match="markov: sample: must have one tileset"):
        tw.compare(TWO_TILESETS, techniques=["markov"], count=1)


def test_networks_need_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.neural._torch.find_spec", lambda name: None)
    with pytest.raises(
        tw.TilewrightError, match=r'gan needs torch; install it with: pip install "tilewright\[neural\]"'
    ):
        tw.compare("dungeon", techniques=["markov", "gan"], count=1)
