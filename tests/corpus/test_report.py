"""Reports on a corpus: statistics against plain computations, lines that fit, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.stats import ks_2samp, wasserstein_distance

import tilewright as tw
from tilewright.core.errors import InvalidRecipe, UnknownName
from tilewright.corpus import Corpus, Sweep, make, report
from tilewright.corpus import distributions as spreads
from tilewright.pictures import charts

MEASURES = ["floor_share", "regions", "path_length"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corpora")


@pytest.fixture(scope="module")
def caves(folder: Path) -> Corpus:
    """Return a corpus of small maps; a few have no path, and a few fail."""
    recipe = tw.recipe("caves", width=7, height=6, walls=0.4, require={"floor_share": "<0.45"}, tries=1)
    return make(recipe, folder / "caves", count=300, seed=3, measures=MEASURES, workers=0)


@pytest.fixture(scope="module")
def rooms(folder: Path) -> Corpus:
    recipe = tw.recipe("rooms", width=30, height=20)
    return make(recipe, folder / "rooms", count=60, seed=3, measures=[*MEASURES, "dead_ends"], workers=0)


@pytest.fixture(scope="module")
def nothing(folder: Path) -> Corpus:
    """Return a corpus without measures whose maps all fail."""
    recipe = tw.recipe("caves", width=8, height=8, require={"regions": ">60"}, tries=1)
    return make(recipe, folder / "nothing", count=3, seed=1, workers=0)


def numbers(corpus: Corpus, name: str) -> np.ndarray[Any, Any]:
    found = [row[name] for row in corpus.table().to_pylist() if row["reason"] is None and row[name] is not None]
    return np.array(found, dtype=float)


# -- numbers ----------------------------------------------------------------------------------------------------


def test_histograms_count_every_map_once(caves: Corpus) -> None:
    found = report.compute_histograms(caves)
    assert [one.name for one in found] == MEASURES
    made = len(caves.ids())
    assert made < len(caves)
    for name, counts, edges, stats in found:
        plain = numbers(caves, name)
        assert counts.sum() == len(plain) == stats.count
        assert stats.missing == made - len(plain)
        assert (stats.low, stats.high) == (plain.min(), plain.max())
        assert stats.mean == pytest.approx(plain.mean())
        assert stats.deviation == pytest.approx(plain.std())
        assert stats.median == np.sort(plain)[(len(plain) - 1) // 2]
        assert len(edges) == len(counts) + 1 <= spreads.BINS + 1
        assert np.array_equal(counts, np.histogram(plain, edges)[0])
    assert found[2].stats.missing > 0


def test_integers_have_separate_bins(rooms: Corpus) -> None:
    regions = report.compute_histograms(rooms)[1]
    assert regions.edges.tolist() == [0.5, 1.5]
    assert regions.counts.tolist() == [60]


@pytest.mark.parametrize("bins", [1, 7, 40])
@pytest.mark.parametrize(
    "values",
    [
        [3.0],
        [1, 2, 9],
        [0.35, 0.4, 0.45, 0.5],
        list(np.arange(300) / 7),
        [0.1, 0.2, 0.31],
        [1e300, 2e300],
        [5, 5 + 1e-15],
    ],
)
def test_bins_hold_all_numbers(values: list[float], bins: int) -> None:
    found, counts = np.unique(np.array(values, dtype=float), return_counts=True)
    spread = spreads.Distribution("x", found, counts, 0)
    edges = spreads.compute_bin_edges(spread, bins=bins)
    assert len(edges) <= bins + 1
    assert (np.diff(edges) > 0).all()
    assert spread.count_in_bins(edges).sum() == len(values)


def test_equally_spaced_values_fill_bins_evenly() -> None:
    values = np.arange(0, 100) / 1024
    spread = spreads.Distribution("x", values, np.ones(100, dtype=np.int64), 0)
    counts = spread.count_in_bins(spreads.compute_bin_edges(spread, bins=40))
    assert set(counts[:-1].tolist()) == {3}, "bins are filled evenly"


def test_many_distinct_values_need_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = np.random.default_rng(1).normal(size=20_000)
    monkeypatch.setattr(spreads, "MAX_VALUES", 512)
    gathering = spreads.DistributionBuilder()
    for part in np.split(plain, 40):
        gathering.add(part)
        assert len(gathering.values) <= 512
    spread = spreads.Distribution("x", *gathering.finish())
    assert spread.count == 20_000
    assert (spread.low, spread.high) == (plain.min(), plain.max())
    assert spread.median == pytest.approx(np.median(plain), abs=0.02)


# -- the terminal -----------------------------------------------------------------------------------------------


def test_lines(caves: Corpus) -> None:
    lines = report.format_histograms(caves, 100)
    assert [line.split()[0] for line in lines] == MEASURES
    assert all(len(line) <= 100 for line in lines)
    assert all(set("▁▂▃▄▅▆▇█") & set(line) for line in lines)
    plain = numbers(caves, "path_length")
    assert f"min {plain.min():g}" in lines[2]
    assert f"max {plain.max():g}" in lines[2]
    assert f"missing {len(caves.ids()) - len(plain)}" in lines[2]
    assert len({line.index("mean") for line in lines}) == 1
    assert all(len(line) <= 80 for line in report.format_histograms(caves, 80))


def test_range_lines(caves: Corpus) -> None:
    lines = report.format_range(caves, "floor_share", "regions", 72)
    assert lines[0] == "regions"
    assert any("floor_share" in line for line in lines[-3:])
    assert all(len(line) <= 72 for line in lines)
    assert lines[-1].strip().startswith(f"{len(caves.ids())} maps")


# -- comparing --------------------------------------------------------------------------------------------------


def test_distances_equal_those_of_scipy(caves: Corpus, rooms: Corpus) -> None:
    found = report.compare(caves, rooms)
    assert [one.name for one in found.measures] == MEASURES
    for one in found.measures:
        a, b = numbers(caves, one.name), numbers(rooms, one.name)
        reach = max(a.max(), b.max()) - min(a.min(), b.min())
        assert one.apart == pytest.approx(ks_2samp(a, b).statistic)
        assert one.moved == pytest.approx(wasserstein_distance(a, b) / reach)
        assert one.means == pytest.approx((a.mean(), b.mean()))
    assert found.names == ("caves", "rooms")
    assert found.shared == 0
    assert found.overlap == 0
    assert found.maps[1] == 60
    most = max(found.measures, key=lambda one: one.apart)
    assert f"They differ most in {most.name}" in found.sentence
    assert found.sentence.endswith("No map is in both.")


def test_corpus_compared_with_itself(caves: Corpus) -> None:
    found = report.compare(caves, caves)
    assert all(one.apart == one.moved == 0 for one in found.measures)
    assert found.shared == found.maps[0] == found.maps[1] < len(caves.ids())
    assert found.overlap == 1
    assert found.sentence.startswith("No measure differs significantly")


def test_two_seeds_do_not_differ_significantly(folder: Path) -> None:
    recipe = tw.recipe("caves", width=16, height=16)
    a, b = (make(recipe, folder / f"s{seed}", count=200, seed=seed, measures=MEASURES, workers=0) for seed in (1, 2))
    assert "differs significantly" in report.compare(a, b).sentence


def test_nothing_in_common(caves: Corpus, nothing: Corpus) -> None:
    found = report.compare(caves, nothing)
    assert found.measures == ()
    assert found.sentence == "They have no measure in common. No map is in both."
    assert report.draw_comparison(caves, nothing).width > 0


# -- pictures ---------------------------------------------------------------------------------------------------


def colors_in(picture: Image.Image) -> set[Any]:
    return {color for _, color in picture.convert("RGB").getcolors(1 << 24) or ()}


def test_picture_shows_maps_measures_and_failures(caves: Corpus) -> None:
    picture = report.draw_report(caves)
    found = colors_in(picture)
    tiles = {caves.tileset[number].rgb for number in np.unique(caves[int(caves.ids()[0])]).tolist()}
    assert tiles <= found
    assert {charts.PAPER, charts.FIRST, charts.SECOND, charts.WARNING} <= found
    assert np.array_equal(np.asarray(picture), np.asarray(report.draw_report(caves))), "pictures are deterministic"


def test_picture_without_failures(rooms: Corpus) -> None:
    assert charts.WARNING not in colors_in(report.draw_report(rooms))


def test_picture_of_nothing(nothing: Corpus) -> None:
    assert charts.WARNING in colors_in(report.draw_report(nothing))
    assert report.format_histograms(nothing) == []
    assert report.compute_histograms(nothing) == []


def test_picture_of_several_sizes(folder: Path) -> None:
    sweep = Sweep.of({"params.width": [6, 300]})
    corpus = make(tw.recipe("caves", height=8), folder / "sizes", count=4, seed=1, sweep=sweep, workers=0)
    assert report.draw_report(corpus).width == 1280


def test_picture_of_levels(folder: Path) -> None:
    sample = np.indices((4, 4, 4)).sum(axis=0) % 2
    recipe = tw.recipe("patterns", sample=sample, pattern_sizes=[2], width=6, height=5, depth=3, iterations=20)
    corpus = make(recipe, folder / "levels", count=2, seed=1, workers=0)
    assert corpus[0].shape == (3, 5, 6)
    assert corpus.has_levels
    assert report.draw_report(corpus).width == 1280


def test_range_picture(caves: Corpus) -> None:
    picture = report.draw_range(caves, "floor_share", "path_length", bins=20)
    assert tuple(charts.HEAT[-1]) in colors_in(picture), "the bin with the most maps"
    assert report.draw_range(caves, "regions", "regions").size == picture.size


def test_compare_picture(caves: Corpus, rooms: Corpus) -> None:
    assert {charts.FIRST, charts.SECOND} <= colors_in(report.draw_comparison(caves, rooms))


@pytest.mark.parametrize("ask", [report.draw_range, report.format_range])
def test_unknown_measures(caves: Corpus, ask: Any) -> None:
    with pytest.raises(UnknownName, match="unknown column 'regoins'; did you mean 'regions'"):
        ask(caves, "regoins", "regions")
    with pytest.raises(InvalidRecipe, match="column 'seed' is not numeric"):
        ask(caves, "regions", "seed")


@pytest.mark.parametrize("bins", [0, 501, True, 2.5])
def test_bins_are_bounded(caves: Corpus, bins: Any) -> None:
    with pytest.raises(InvalidRecipe, match="bins: must be an integer from 1 to 500"):
        report.draw_range(caves, "regions", "regions", bins=bins)


# -- charts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.313, 0.77), (-3, 12), (1e-9, 3e-9), (99, 101), (1e6, 5e6)])
@pytest.mark.parametrize("max_ticks", [2, 5, 9])
def test_ticks_are_round_and_inside(low: float, high: float, max_ticks: int) -> None:
    found = charts.ticks(low, high, max_ticks)
    assert 1 <= len(found) <= max_ticks + 1
    assert all(low - 1e-9 <= number <= high + 1e-9 for number in found)
    assert len({charts.tick_label(number) for number in found}) == len(found)


@pytest.mark.parametrize("ends", [(1, 1), (float("nan"), 1), (0, float("inf")), (2, 1)])
def test_ticks_of_no_range(ends: tuple[float, float]) -> None:
    assert len(charts.ticks(*ends, 5)) <= 1


def test_text_is_cut_and_wrapped() -> None:
    text = "no map met the requirements; failed: path_length > 75 (2 of 2)"
    assert charts.text_width(charts.truncate_text(text, 14, 200), 14) <= 200
    assert charts.truncate_text("short", 14, 200) == "short"
    lines = charts.wrap_text(text, 14, 200)
    assert len(lines) > 1
    assert " ".join(lines) == text
