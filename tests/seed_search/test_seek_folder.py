"""Folders of searches over seeds: the same files for any number of workers and any interruption."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from PIL import Image

import tilewright as tw
from tests.jobs.programs import read_files
from tests.seed_search.test_seek import open_kernels
from tilewright.seed_search import FoundSeeds
from tilewright.seed_search import plan as seek_plan
from tilewright.seed_search import run as seek_run
from tilewright.seed_search.folder import count_tested
from tilewright.seed_search.state import SeekState

RECIPE = {"technique": "rooms", "params": {"width": 30, "height": 20}, "require": {"path_length": ">38"}, "tries": 1}
"""Some of its seeds cannot be made."""
SEARCH: dict[str, Any] = {
    "seeds": "1000..1599",
    "require": {"dead_ends": "<3", "chokepoints": "<90", "path_length": "most"},
    "measures": ["floor_share"],
    "keep": 12,
}
FILES = ["README.md", "histograms.png", "manifest.json", "maps.png", "recipe.json"]
FILES += ["seeds.csv", "seeds.parquet", "state.json"]


def seek(folder: Path, workers: int = 0, **change: Any) -> FoundSeeds:
    return tw.seek(RECIPE, **{**SEARCH, **change}, out=folder, workers=workers)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seek") / "found"
    found = seek(folder)
    assert 0 < sum(found.failures.values()) < 600, "the test needs some failures"
    assert 12 < found.passed < 600
    return folder


def test_the_files(undisturbed: Path) -> None:
    found = tw.seek(RECIPE, **SEARCH)
    assert sorted(read_files(undisturbed)) == FILES
    table = pq.read_table(undisturbed / "seeds.parquet")
    assert table.column_names == ["seed", "dead_ends", "chokepoints", "path_length", "floor_share", "digest"]
    assert table.to_pylist() == found.rows()
    rows = list(csv.DictReader((undisturbed / "seeds.csv").read_text().splitlines()))
    assert [int(row["seed"]) for row in rows] == found.seeds.tolist()
    assert [float(row["floor_share"]) for row in rows] == found.values["floor_share"].tolist()
    counted = duckdb.sql(f"select count(*) from '{undisturbed}/seeds.parquet' where path_length > 0").fetchall()
    assert counted == [(12,)]
    report = (undisturbed / "README.md").read_text()
    texts = ("# Seeds of rooms", "| dead_ends < 3 |", "seeds with dead_ends < 3 |", "## Seeds without a map")
    assert all(text in report for text in texts)
    with Image.open(undisturbed / "maps.png") as sheet, Image.open(undisturbed / "histograms.png") as charts:
        assert min(*sheet.size, *charts.size) > 300


def test_a_result_in_memory_is_saved_to_the_same_files(undisturbed: Path, tmp_path: Path) -> None:
    tw.seek(RECIPE, **SEARCH).save(tmp_path / "found")
    assert read_files(tmp_path / "found") == read_files(undisturbed)


def test_a_finished_search_is_read_again(undisturbed: Path) -> None:
    seen: list[tw.Progress] = []
    before = read_files(undisturbed)
    found = tw.seek(RECIPE, **SEARCH, out=undisturbed, on_progress=seen.append)
    assert [one.done for one in seen] == [600, 600]
    assert len(found) == 12
    assert read_files(undisturbed) == before


def test_a_search_is_extended(undisturbed: Path, tmp_path: Path) -> None:
    for seeds in ("1100..1199", "1050..1400", "1000..1599"):
        seek(tmp_path, seeds=seeds)
    assert read_files(tmp_path) == read_files(undisturbed)


def test_a_search_continues_with_the_plan_of_the_folder(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machines with and without kernels count the same seeds."""
    recipe = tw.recipe("caves", width=20, height=14)
    search: dict[str, Any] = {"seeds": "0..399", "require": {"regions": 1, "openness": "most"}, "workers": 0}
    tw.seek(recipe, **search, out=tmp_path / "plain")
    stop_after(monkeypatch, 100, lambda: tw.seek(recipe, **search, out=tmp_path / "found"))
    with monkeypatch.context() as changed:
        changed.setattr(seek_plan, "open_scanner", open_kernels)
        tw.seek(recipe, **search, out=tmp_path / "found")
        stop_after(changed, 100, lambda: tw.seek(recipe, **search, out=tmp_path / "kernels"))
    assert read_files(tmp_path / "found") == read_files(tmp_path / "plain")
    tw.seek(recipe, **search, out=tmp_path / "kernels")
    assert json.loads((tmp_path / "kernels" / "manifest.json").read_text())["stages"] == [["regions"], ["openness"]]
    assert (tmp_path / "kernels" / "seeds.csv").read_bytes() == (tmp_path / "plain" / "seeds.csv").read_bytes()


# -- interruptions ------------------------------------------------------------------------------------------------


class Stop(Exception):
    """Raised inside a search."""


def stop_after(monkeypatch: pytest.MonkeyPatch, tested: int, work: Callable[[], object]) -> None:
    """Run a search in small chunks, and interrupt it when some seeds are tested."""
    with monkeypatch.context() as changed:
        add = SeekState.add

        def add_and_stop(state: Any, result: Any) -> None:
            if state.tally.tested >= tested:
                raise Stop
            add(state, result)

        changed.setattr(SeekState, "add", add_and_stop)
        changed.setattr(seek_run, "CHUNK_SECONDS", 0.0)
        with pytest.raises(Stop):
            work()


def test_an_interrupted_search_continues(undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "found"
    for tested in (1, 70, 65, 200):
        stop_after(monkeypatch, tested, lambda: seek(folder))
    assert sorted(read_files(folder)) == ["manifest.json", "recipe.json", "state.json"]
    assert 200 <= json.loads((folder / "state.json").read_text())["done"][-1][1] - 999 < 600
    seek(folder)
    assert read_files(folder) == read_files(undisturbed)


# -- damaged folders --------------------------------------------------------------------------------------------


def change_state(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        data = json.loads(text)
        change(data)
        return json.dumps(data)

    return changed


HOSTILE: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "cut": lambda text: text[: len(text) // 2],
    "not an object": lambda text: "[1, 2]",
    "deep": lambda text: "[" * 100_000,
    "huge number": lambda text: text.replace('"passed":', '"passed":1e999,"was":'),
    "null": lambda text: "null",
    "reversed interval": change_state(lambda data: data.update(done=[[1599, 1000]])),
    "overlapping intervals": change_state(lambda data: data.update(done=[[1000, 1500], [1200, 1599]])),
    "interval outside": change_state(lambda data: data.update(done=[[0, 1599]])),
    "interval of strings": change_state(lambda data: data.update(done=[["1000", "1599"]])),
    "too many passed": change_state(lambda data: data.update(passed=601)),
    "passed as a truth value": change_state(lambda data: data.update(passed=True)),
    "negative count": change_state(lambda data: data["met"].update(dead_ends=-1)),
    "missing key": change_state(lambda data: data.pop("without")),
    "missing measure": change_state(lambda data: data["histograms"].pop("floor_share")),
    "bin of 400 digits": lambda text: text.replace('"floor_share":[[', f'"floor_share":[[{"9" * 400},1],['),
    "bin of 300 digits": change_state(lambda data: data["histograms"].update(floor_share=[[10**299, 1]])),
    "too many in bins": change_state(lambda data: data["histograms"]["floor_share"].append([7, 599])),
    "bins of strings": change_state(lambda data: data["histograms"].update(floor_share=[["a", 1]])),
    "seeds twice": change_state(lambda data: data["seeds"].__setitem__(1, data["seeds"][0])),
    "too few seeds": change_state(lambda data: data["seeds"].pop()),
    "seed outside": change_state(lambda data: data["seeds"].__setitem__(1, 7)),
    "huge seed": change_state(lambda data: data["seeds"].__setitem__(1, 10**30)),
    "seeds in another order": change_state(lambda data: data["seeds"].reverse()),
    "values as strings": change_state(lambda data: data["values"].update(floor_share=["1"] * 12)),
    "failures as a list": change_state(lambda data: data.update(failures=[1])),
    "many reasons": change_state(lambda data: data.update(failures={str(number): 0 for number in range(1000)})),
}


@pytest.mark.parametrize("damage", HOSTILE.values(), ids=HOSTILE)
def test_a_damaged_state(damage: Callable[[str], str], undisturbed: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "state.json"):
        (tmp_path / name).write_bytes((undisturbed / name).read_bytes())
    (tmp_path / "state.json").write_text(damage((tmp_path / "state.json").read_text()))
    assert 0 <= count_tested(str(tmp_path)) <= 1600
    with pytest.raises(tw.BadFile, match=r"state\.json is damaged; delete it, and the search starts over"):
        seek(tmp_path)


def test_a_state_with_wrong_values_is_found_out(undisturbed: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "state.json"):
        (tmp_path / name).write_bytes((undisturbed / name).read_bytes())
    # A value of another seed, which the histogram has.
    wrong = change_state(
        lambda data: data["values"]["path_length"].__setitem__(-1, data["histograms"]["path_length"][0][0])
    )
    (tmp_path / "state.json").write_text(wrong((tmp_path / "state.json").read_text()))
    with pytest.raises(tw.TilewrightError, match=r"and not \d+ as stored"):
        seek(tmp_path)


def test_a_folder_in_memory() -> None:
    found = tw.seek("caves", seeds="0..49", require={"regions": 1}, out="memory://found-seeds", workers=0)
    again = tw.seek("caves", seeds="0..49", require={"regions": 1}, out="memory://found-seeds", workers=0)
    assert found.rows() == again.rows()
