"""Selection of maps: the best, diverse ones, unique ones, and stable splits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.errors import InvalidRecipe, TilewrightError, UnknownName
from tilewright.corpus import Corpus, Sweep, make, manifest
from tilewright.corpus.select import Split, find_best, find_unique, split

MEASURES = ["floor_share", "path_length", "regions"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Return a corpus of small maps: some are equal, some fail, some have no path."""
    recipe = tw.recipe("caves", width=7, height=6, walls=0.4, require={"floor_share": "<0.45"}, tries=1)
    folder = tmp_path_factory.mktemp("corpora") / "small"
    return make(recipe, folder, count=600, seed=3, measures=MEASURES, workers=0)


@pytest.fixture(scope="module")
def rows(corpus: Corpus) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = corpus.table().to_pylist()
    assert any(row["reason"] for row in found)
    assert any(row["path_length"] is None for row in found if not row["reason"])
    digests = [row["digest"] for row in found if not row["reason"]]
    assert len(set(digests)) < len(digests)
    return found


def drop_duplicates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first of equal maps."""
    seen: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["reason"] is None:
            seen.setdefault(row["digest"], row)
    return list(seen.values())


def test_each_map_once(corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    assert find_unique(corpus) == [row["id"] for row in drop_duplicates(rows)]


# -- the best ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("count", [1, 10, 10_000])
def test_the_best(corpus: Corpus, rows: list[dict[str, Any]], largest: bool, count: int) -> None:
    sound = [row for row in drop_duplicates(rows) if row["path_length"] is not None]
    sound.sort(key=lambda row: (-row["path_length"] if largest else row["path_length"], row["id"]))
    assert find_best(corpus, "path_length", count, largest=largest) == [row["id"] for row in sound[:count]]


def test_the_best_in_little_memory(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = find_best(corpus, "floor_share", 20, diverse=["regions"])
    monkeypatch.setattr("tilewright.corpus.select.MAX_POOL", 1)
    assert find_best(corpus, "floor_share", 20, diverse=["regions"]) == wanted


def test_diverse_maps(corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    chosen = find_best(corpus, "floor_share", 6, diverse=["path_length", "regions"])
    assert chosen == find_best(corpus, "floor_share", 6, diverse=("path_length", "regions"))
    assert len(set(chosen)) == 6
    sound = [row for row in drop_duplicates(rows) if row["path_length"] is not None]
    ranked = sorted(sound, key=lambda row: (-row["floor_share"], row["id"]))
    whole = sum(row["reason"] is None and row["path_length"] is not None for row in rows)
    pool = ranked[: max(-(-whole // 10), 18)]
    assert chosen[0] == pool[0]["id"], "the best map is always included"
    assert set(chosen) <= {row["id"] for row in pool}
    points = np.array([[row["path_length"], row["regions"]] for row in pool])
    points /= np.where(points.std(axis=0) > 0, points.std(axis=0), 1)
    places = [[row["id"] for row in pool].index(number) for number in chosen]
    for step in range(1, 6):
        nearest = np.array([min(((point - points[place]) ** 2).sum() for place in places[:step]) for point in points])
        nearest[places[:step]] = -1
        assert places[step] == int(nearest.argmax()), "farthest from all chosen ones; ties go to the better map"


def test_diverse_maps_vary_more_than_the_best(tmp_path: Path) -> None:
    recipe = tw.recipe("caves", width=20, height=20)
    corpus = make(recipe, tmp_path / "c", count=300, seed=1, measures=MEASURES, workers=0)

    def variety(ids: list[int]) -> float:
        numbers = [corpus.row(number)["floor_share"] for number in ids]
        return float(np.ptp(numbers))

    apart = find_best(corpus, "path_length", 5, diverse="floor_share")
    assert variety(apart) > variety(find_best(corpus, "path_length", 5))


def test_diverse_in_a_constant_measure(tmp_path: Path) -> None:
    recipe = tw.recipe("rooms", width=30, height=20)
    corpus = make(recipe, tmp_path / "c", count=20, seed=1, measures=["regions", "path_length"], workers=0)
    assert find_best(corpus, "path_length", 3, diverse=["regions"]) == find_best(corpus, "path_length", 3)


@pytest.mark.parametrize("count", [0, -1, True, 2.0, None])
def test_count_must_be_positive(corpus: Corpus, count: Any) -> None:
    with pytest.raises(InvalidRecipe, match="count: must be an integer of at least 1"):
        find_best(corpus, "regions", count)


@pytest.mark.parametrize("arguments", [{"by": "regoins"}, {"by": "regions", "diverse": ["regoins"]}])
def test_unknown_measures(corpus: Corpus, arguments: dict[str, Any]) -> None:
    with pytest.raises(UnknownName, match="unknown column 'regoins'; did you mean 'regions'"):
        find_best(corpus, count=3, **arguments)
    with pytest.raises(InvalidRecipe, match="column 'seed' is not numeric"):
        find_best(corpus, "seed", 3)


def test_best_by_a_swept_parameter(tmp_path: Path) -> None:
    sweep = Sweep.of({"walls": [0.3, 0.4, 0.5]})
    recipe = tw.recipe("caves", width=8, height=8)
    corpus = make(recipe, tmp_path / "c", count=9, seed=1, measures=["regions"], sweep=sweep, workers=0)
    assert [corpus.row(number)["walls"] for number in find_best(corpus, "walls", 2)] == [0.5, 0.5]


# -- splits -----------------------------------------------------------------------------------------------------


def test_split_covers_all_maps(corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    sides = split(corpus, {"train": 0.7, "check": 0.2, "test": 0.1})
    assert list(sides) == ["train", "check", "test"]
    made = [row["id"] for row in rows if row["reason"] is None]
    assert sorted(number for ids in sides.values() for number in ids) == made
    digests = [{rows[number]["digest"] for number in ids} for ids in sides.values()]
    assert not digests[0] & digests[1]
    assert not digests[0] & digests[2]
    assert not digests[1] & digests[2]


def test_fractions_are_approximate(tmp_path: Path) -> None:
    corpus = make(tw.recipe("caves", width=12, height=12), tmp_path / "c", count=1000, seed=1, workers=0)
    sides = split(corpus)
    assert 740 < len(sides["train"]) < 860
    assert 150 < len(split(corpus, {"a": 0.2, "b": 0.8})["a"]) < 250


def test_adding_maps_moves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = tw.recipe("caves", width=10, height=10)
    few = split(make(recipe, tmp_path / "few", count=40, seed=5, workers=0))
    monkeypatch.setattr(manifest, "TARGET_PARTS", 3)
    many = split(make(recipe, tmp_path / "many", count=90, seed=5, workers=0))
    for name, ids in few.items():
        assert ids == [number for number in many[name] if number < 40]


def test_last_set_takes_the_rest() -> None:
    assert 0.7 + 0.2 + 0.1 < 1
    made = Split.of({"a": 0.7, "b": 0.2, "c": 0.1})
    digests = pa.chunked_array([["f" * 32, "0" * 32, "b4" + "0" * 30]])
    assert [made.names[side] for side in made.assign_sides(digests)] == ["c", "a", "b"]


@pytest.mark.parametrize(("shares", "message"), read_table(__file__, "shares are checked"))
def test_shares_are_checked(corpus: Corpus, shares: Any, message: str) -> None:
    with pytest.raises(TilewrightError, match=message):
        split(corpus, shares)
