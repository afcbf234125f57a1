"""Invalid searches and damaged folders: one line each, and nothing is lost."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.jobs.programs import read_files
from tests.refusals import refused
from tests.search.archives import OPTIONS
from tilewright.core.seeds import Rng
from tilewright.search import Archive


def make(folder: Path | None = None, **changes: Any) -> Archive:
    options: dict[str, Any] = {"evaluations": 96, "batch": 32, "out": folder, "workers": 0, **changes}
    recipe = options.pop("recipe", tw.recipe("caves", width=20, height=12))
    return tw.search.make(recipe, **{**OPTIONS, **options})


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of an archive."""
    make(tmp_path_factory.mktemp("bad") / "archive")
    return read_files(tmp_path_factory.getbasetemp() / "bad0" / "archive")


@pytest.fixture
def archive(content: dict[str, bytes], tmp_path: Path) -> Path:
    """Return the folder of a copy of an archive."""
    folder = tmp_path / "archive"
    folder.mkdir()
    for name, data in content.items():
        (folder / name).write_bytes(data)
    return folder


def catch(function: Callable[[], object]) -> str:
    """Return the message of an error, which is one line."""
    with refused("") as caught:
        function()
    return str(caught.value)


# -- searches -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *read_table(__file__, "invalid searches are refused"),
        ({"vary": {"walls": (0.5, 1.5)}}, "vary walls: caves: walls: must be at most 1.0, got 1.5"),
        ({"measures": {"floor_share": (2, 3, 5)}}, "no map is within the ranges of the measures: 94 of 96 are out"),
    ],
)
def test_invalid_searches_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in catch(lambda: make(tmp_path / "archive", **changes))


def test_unbounded_parameters_need_a_range() -> None:
    recipe = {"technique": "noise", "params": {"width": 20, "height": 12}}
    message = catch(lambda: make(recipe=recipe, vary=["offset"]))
    assert message.startswith("vary offset: ")


def test_maps_that_cannot_be_made_are_refused_after_the_first_round() -> None:
    recipe = {"technique": "caves", "params": {"width": 20, "height": 12}, "require": {"regions": ">500"}, "tries": 1}
    message = catch(lambda: make(recipe=recipe))
    assert message.startswith("gave up: none of the first 32 maps could be made: no map met the requirements")


# -- folders ------------------------------------------------------------------------------------------------------


def test_damaged_elites_are_reported_and_can_be_made_again(archive: Path) -> None:
    before = read_files(archive)
    rng = Rng.of("damage")
    whole = before["elites.parquet"]
    damages = [b"", b"PAR1", whole[: len(whole) // 2], whole + b"x", whole[::-1]]
    for _ in range(40):
        changed = bytearray(whole)
        changed[rng.below(len(whole))] ^= 1 << rng.below(8)
        damages.append(bytes(changed))
    messages = []
    for damage in damages:
        (archive / "elites.parquet").write_bytes(damage)
        try:
            tw.search.load(archive)  # Some bits, such as those of unused metadata, change nothing.
        except tw.BadFile as error:
            messages.append(str(error))
    assert len(messages) > len(damages) / 2
    advice = "elites.parquet is damaged; delete it, and `search resume` makes the same archive again"
    assert set(messages) == {f"{archive}: {advice}"}
    (archive / "elites.parquet").unlink()
    tw.search.resume(archive, workers=0)
    assert read_files(archive) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.pop("tries"),
        lambda state: state.update(tries=[1.0]),
        lambda state: state.update(successes=[9.0, 9.0, 9.0], tries=[1.0, 1.0, 1.0]),
        lambda state: state.update(evaluations=10**400),
        lambda state: state.update(failures=["?"]),
    ],
    ids=["missing", "other emitters", "too many successes", "huge number", "list"],
)
def test_a_damaged_state_of_an_archive_is_reported(archive: Path, change: Callable[[dict[str, Any]], object]) -> None:
    table = pq.read_table(archive / "elites.parquet")
    state = json.loads(table.schema.metadata[b"tilewright"])
    change(state)
    metadata = {b"tilewright": json.dumps(state).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), archive / "elites.parquet", write_page_checksum=True)
    assert "elites.parquet is damaged; delete it" in catch(lambda: tw.search.load(archive))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("height", height) for height in (1e308, 2**40, 0, -12, "12", None)),
        *(("id", number) for number in (1e20, "x", None)),
        *(("genome", [value] * 2) for value in (math.nan, math.inf, -1e300, 1.5)),
    ],
)
def test_values_that_no_elite_has_are_reported(archive: Path, column: str, value: object) -> None:
    table = pq.read_table(archive / "elites.parquet")
    assert column != "genome" or len(table["genome"][0]) == 2
    table = table.set_column(table.column_names.index(column), column, pa.array([value] * len(table)))
    pq.write_table(table, archive / "elites.parquet", write_page_checksum=True)
    assert "elites.parquet is damaged; delete it" in catch(lambda: tw.search.load(archive))


def test_elites_of_another_search_are_refused(archive: Path, tmp_path: Path) -> None:
    make(tmp_path / "other", vary={"walls": (0.3, 0.6), "steps": None, "seed": "free"})
    (archive / "elites.parquet").write_bytes((tmp_path / "other" / "elites.parquet").read_bytes())
    assert "elites.parquet is damaged" in catch(lambda: tw.search.load(archive))


def test_a_damaged_record_of_rounds_is_reported(archive: Path) -> None:
    before = read_files(archive)
    for damage in (b"", b"{}\n", b"\xff\n" * 3):
        (archive / "rounds.jsonl").write_bytes(damage)
        assert "is damaged; delete" in catch(lambda: tw.search.load(archive))
        assert (archive / "elites.parquet").read_bytes() == before["elites.parquet"]
    (archive / "elites.parquet").unlink()
    tw.search.resume(archive, workers=0)
    assert read_files(archive) == before


def test_a_read_only_table_has_the_state_of_the_search(archive: Path) -> None:
    """The state is in the metadata of the table, so that both are always of the same round."""
    state = json.loads(pq.read_schema(archive / "elites.parquet").metadata[b"tilewright"])
    assert (state["rounds"], state["evaluations"]) == (3, 96)
