"""Reading a corpus: every map exactly once, random access, limited memory, and the interface of PyTorch."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from threading import Thread
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName
from tilewright.core.tilemap import convert_cells
from tilewright.corpus import Corpus, Sweep, make, manifest, rows
from tilewright.corpus.dataset import Dataset, one_hot
from tilewright.corpus.manifest import Manifest, tileset_of
from tilewright.corpus.select import split
from tilewright.jobs.tables import ROWS_PER_GROUP

COUNT = 420
RECIPE = {"require": {"floor_share": ">0.4"}, "tries": 1, "width": 12, "height": 10, "walls": 0.45}
"""Some of its maps fail."""
DAMAGED = r"parts/part-000001\.parquet is damaged; `corpus repair --remake` regenerates it"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a corpus with two parts of several row groups each."""
    folder = tmp_path_factory.mktemp("corpora") / "caves"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest, "TARGET_PARTS", 2)
        make(tw.recipe("caves", **RECIPE), folder, count=COUNT, seed=7, measures=["regions", "path_length"], workers=0)
    return folder


@pytest.fixture
def corpus(folder: Path) -> Corpus:
    return Corpus(folder)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Return a corpus with maps of two sizes."""
    folder = tmp_path_factory.mktemp("corpora") / "swept"
    sweep = Sweep.of({"params.width": [8, 10]})
    return make(tw.recipe("caves", height=6), folder, count=12, seed=1, measures=["regions"], sweep=sweep, workers=0)


def generated_ids(corpus: Corpus) -> list[int]:
    reasons = corpus.table(["reason"])["reason"].to_pylist()
    return [number for number, reason in enumerate(reasons) if reason is None]


def test_has_failures_and_several_groups(corpus: Corpus) -> None:
    assert 100 < len(generated_ids(corpus)) < COUNT - 20
    assert len(corpus.parts) == 2
    assert corpus.manifest.part_size > ROWS_PER_GROUP
    assert corpus.is_complete


# -- one map ----------------------------------------------------------------------------------------------------


def test_map_equals_that_of_the_recipe(corpus: Corpus) -> None:
    for number in (generated_ids(corpus)[0], generated_ids(corpus)[-1]):
        map = tw.run(tw.recipe("caves", **RECIPE), seed=f"7-{number}")
        assert np.array_equal(corpus[number], map.cells)
        assert corpus.map(number) == map
        row = corpus.row(number)
        assert (row["id"], row["seed"], row["height"], row["width"]) == (number, f"7-{number}", 10, 12)
        assert row["path_length"] == tw.measure(map, "path_length")["path_length"]


def test_cells_are_writable_copies(corpus: Corpus) -> None:
    number = generated_ids(corpus)[0]
    before = corpus[number].copy()
    corpus[number][:] = 1 - before
    assert np.array_equal(corpus[number], before)
    for batch in corpus.batches(50):
        batch.cells[...] = 0  # type: ignore[call-overload]
    assert np.array_equal(corpus[number], before)


@pytest.mark.parametrize("number", [-1, COUNT, True, 1.0, "3", None, 10**30])
def test_unknown_id(corpus: Corpus, number: Any) -> None:
    with pytest.raises(InvalidRecipe, match=f"must be from 0 to {COUNT - 1}"):
        corpus[number]


def test_failed_map(corpus: Corpus) -> None:
    failed = next(number for number in range(COUNT) if number not in generated_ids(corpus))
    with pytest.raises(InvalidRecipe, match=f"map {failed} failed: .*floor_share > 0.4"):
        corpus[failed]
    assert corpus.row(failed)["cells"] is None


# -- columns ----------------------------------------------------------------------------------------------------


def test_columns_stream_part_by_part(corpus: Corpus) -> None:
    tables = list(corpus.tables(["id", "regions"]))
    assert [table.num_rows for table in tables] == [COUNT // 2, COUNT // 2]
    assert pa.concat_tables(tables).equals(corpus.table(["id", "regions"]))
    kept = pa.concat_tables(corpus.tables(["id"], made=True))
    assert kept.column_names == ["id"]
    assert kept["id"].to_pylist() == generated_ids(corpus) == corpus.ids().tolist()
    assert "cells" not in corpus.table().column_names


@pytest.mark.parametrize(
    "read",
    [
        lambda corpus, names: corpus.table(names),
        lambda corpus, names: list(corpus.tables(names)),
        lambda corpus, names: corpus.rows([1], names),
        lambda corpus, names: corpus.batches(columns=names),
        lambda corpus, names: corpus.stream(columns=names),
        lambda corpus, names: corpus.dataset(columns=names),
    ],
)
def test_unknown_column(corpus: Corpus, read: Callable[[Corpus, list[str]], Any]) -> None:
    with pytest.raises(UnknownName, match=r"^unknown column 'path_lenght'; did you mean 'path_length'"):
        read(corpus, ["path_lenght"])


def test_columns_that_are_not_numeric(corpus: Corpus) -> None:
    with pytest.raises(InvalidRecipe, match="column 'digest' is not numeric; numeric columns are regions"):
        corpus.numeric_columns(["digest"])
    assert corpus.numeric_columns() == ["regions", "path_length"]
    with pytest.raises(InvalidRecipe, match="must be a list of names"):
        corpus.table("regions")


# -- batches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 128, 129, 1000])
def test_every_map_comes_exactly_once(corpus: Corpus, size: int) -> None:
    batches = list(corpus.batches(size))
    assert [number for batch in batches for number in batch.ids.tolist()] == generated_ids(corpus)
    assert all(len(batch.ids) == size for batch in batches[:-1])
    for batch in batches[:3]:
        assert batch.table["id"].to_pylist() == batch.ids.tolist()
        assert np.array_equal(batch.cells[0], corpus[int(batch.ids[0])])


def test_shuffled_every_map_comes_exactly_once(corpus: Corpus) -> None:
    def order(seed: int) -> list[int]:
        return [number for batch in corpus.batches(64, shuffle=seed) for number in batch.ids.tolist()]

    assert order(1) == order(1) != order(2)
    assert order(1) != generated_ids(corpus)
    assert sorted(order(1)) == sorted(order(2)) == generated_ids(corpus)
    first = order(1)[:64]
    assert len({number // ROWS_PER_GROUP for number in first}) > 1, "groups are mixed"


@pytest.mark.parametrize("shuffle", [None, 5])
def test_workers_share_the_maps(corpus: Corpus, shuffle: int | None) -> None:
    shares = [
        [number for batch in corpus.batches(16, worker=worker, workers=3, shuffle=shuffle) for number in batch.ids]
        for worker in range(3)
    ]
    assert all(shares)
    assert sorted(chain.from_iterable(shares)) == generated_ids(corpus)


def test_chosen_maps_come_in_their_order(corpus: Corpus) -> None:
    chosen = generated_ids(corpus)[::-3]
    batches = list(corpus.batches(32, ids=chosen))
    assert [number for batch in batches for number in batch.ids.tolist()] == chosen
    assert batches[1].table["path_length"].to_pylist() == corpus.rows(chosen[32:64])["path_length"].to_pylist()
    assert np.array_equal(batches[1].cells[3], corpus[chosen[35]])
    again = [chosen[0], chosen[0]]
    assert next(corpus.batches(ids=again)).ids.tolist() == again
    assert list(corpus.batches(ids=[])) == []


def test_one_set_of_a_split(corpus: Corpus) -> None:
    sides = split(corpus, {"a": 0.5, "b": 0.5})
    for name, ids in sides.items():
        found = [batch.ids for batch in corpus.batches(50, split=name, shares={"a": 0.5, "b": 0.5})]
        assert np.concatenate(found).tolist() == ids == corpus.ids(name, shares={"a": 0.5, "b": 0.5}).tolist()
    assert corpus.ids("train").tolist() == split(corpus)["train"]


def test_maps_of_several_sizes_come_as_a_list(swept: Corpus) -> None:
    (batch,) = swept.batches()
    assert isinstance(batch.cells, list)
    assert [cells.shape for cells in batch.cells[:2]] == [(6, 8), (6, 10)]
    (batch,) = swept.batches(ids=[0, 2, 4])
    assert isinstance(batch.cells, np.ndarray)
    (streamed,) = swept.stream()
    assert [cells.shape for cells in streamed[:2]] == [(6, 8), (6, 10)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *read_table(__file__, "invalid arguments"),
        ({"ids": [COUNT]}, "must be from 0 to"),
    ],
)
def test_invalid_arguments(corpus: Corpus, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TilewrightError, match=message):
        corpus.batches(**arguments)


def test_memory_does_not_grow_with_the_corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read for a long time: memory is limited to the mixed groups and the cache."""
    corpus = Corpus(folder)
    group = corpus.part(0).nbytes / (corpus.manifest.part_size / ROWS_PER_GROUP)
    monkeypatch.setattr("tilewright.corpus.reader.MAX_SHUFFLED_GROUPS", 1)
    monkeypatch.setattr(rows, "MAX_CACHED_BYTES", group)
    corpus = Corpus(folder)
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in corpus.batches(16)]
    assert max(held) < 4 * group
    for number in generated_ids(corpus)[::20]:
        corpus[number]
    assert pa.total_allocated_bytes() - before <= group


# -- for PyTorch ------------------------------------------------------------------------------------------------


def test_streamed_arrays_are_writable(corpus: Corpus) -> None:
    for cells in corpus.stream(32, shuffle=1):
        assert cells.flags.writeable
        assert cells.flags.c_contiguous
        assert cells.dtype == np.uint8
        assert cells.shape[1:] == (10, 12)
    assert sum(len(cells) for cells in corpus.stream(32, split="test")) == len(corpus.ids("test"))
    cells, numbers = next(corpus.stream(8, columns=["path_length", "regions"]))
    assert numbers.shape == (8, 2)
    assert numbers.dtype == np.float32
    assert numbers[0].tolist() == [corpus.row(generated_ids(corpus)[0])[name] for name in ("path_length", "regions")]


def test_one_hot_layers(corpus: Corpus) -> None:
    plain, layers = next(corpus.stream(8)), next(corpus.stream(8, onehot=True))
    assert layers.shape == (8, len(corpus.tileset), 10, 12)
    assert layers.dtype == np.float32
    assert layers.flags.c_contiguous
    assert np.array_equal(layers.argmax(axis=1), plain)
    assert np.array_equal(layers.sum(axis=1), np.ones(plain.shape))
    assert one_hot(np.zeros((2, 3, 4), dtype=np.uint8), 5).shape == (5, 2, 3, 4), "levels"


def test_dataset_has_the_interface_of_a_loader(corpus: Corpus) -> None:
    dataset = corpus.dataset("train")
    assert dataset.ids.tolist() == split(corpus)["train"]
    assert len(dataset) == len(dataset.ids)
    assert np.array_equal(dataset[3], corpus[int(dataset.ids[3])])
    assert np.array_equal(dataset[-1], corpus[int(dataset.ids[-1])])
    assert dataset[0].flags.writeable
    assert dataset[0].flags.owndata
    assert [sample.tolist() for sample in dataset.__getitems__([5, 2])] == [dataset[5].tolist(), dataset[2].tolist()]
    assert dataset.__getitems__([]) == []
    assert sum(1 for _ in dataset) == len(dataset)  # type: ignore[attr-defined, misc]  # ends by IndexError
    with pytest.raises(IndexError):
        dataset[len(dataset)]


def test_dataset_with_numbers_and_a_transform(corpus: Corpus) -> None:
    pairs = corpus.dataset(columns=["regions"], onehot=True)
    cells, numbers = pairs[0]
    assert cells.shape == (len(corpus.tileset), 10, 12)
    assert numbers.tolist() == [corpus.row(generated_ids(corpus)[0])["regions"]]
    assert corpus.dataset(transform=np.sum, ids=[generated_ids(corpus)[4]])[0] == corpus[generated_ids(corpus)[4]].sum()


def read_in(dataset: Dataset, places: list[int], queue: Any) -> None:
    queue.put([dataset[place].tolist() for place in places])


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_dataset_in_other_processes(corpus: Corpus, start: str) -> None:
    dataset = corpus.dataset("train")
    dataset[0]  # open files and fill the cache before the fork
    context: Any = multiprocessing.get_context(start)
    queue, places = context.Queue(), [[0, 5, 9], [-1, 2, 9]]
    workers = [context.Process(target=read_in, args=(dataset, some, queue)) for some in places]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    expected = [[dataset[place].tolist() for place in some] for some in places]
    assert sorted(found) == sorted(expected)


def test_pickled_corpus_is_small_and_readable(corpus: Corpus) -> None:
    list(corpus.batches(ids=generated_ids(corpus)))
    content = pickle.dumps(corpus)
    assert len(content) < 20_000
    number = generated_ids(corpus)[3]
    assert np.array_equal(pickle.loads(content)[number], corpus[number])


def test_threads_read_at_once(corpus: Corpus) -> None:
    found: dict[int, bool] = {}

    def read(numbers: list[int]) -> None:
        for number in numbers:
            found[number] = len(corpus[number]) == 10

    threads = [Thread(target=read, args=(generated_ids(corpus)[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == generated_ids(corpus)


# -- tiles ------------------------------------------------------------------------------------------------------


def test_an_id_is_the_same_tile_in_every_map() -> None:
    """Generate maps with their own tiles: those of an inner recipe, in the order of use."""
    inner = {"technique": "fashion", "params": {}}
    recipe = tw.recipe("rooms", width=40, height=24, shaping=[{"overlay": {"where": "rooms", "recipe": inner}}])
    planned = Manifest.from_recipe(recipe, seed="1", count=4, measures=[], sweep=Sweep())
    tileset = tileset_of(planned)
    assert tileset.names[: len(recipe.tileset)] == recipe.tileset.names
    names = np.array(tileset.names)
    for number in range(4):
        map = tw.run(planned.recipe_of(number))
        assert map.tileset.names != tileset.names
        cells = convert_cells(map, tileset)
        assert cells.dtype == tileset.dtype
        assert np.array_equal(names[cells], np.array(map.tileset.names)[map.cells])
    with pytest.raises(UnknownName, match="of this corpus"):
        convert_cells(map, recipe.tileset, "of this corpus")


# -- folders that are damaged, far away, or not finished --------------------------------------------------------


@pytest.fixture
def corpus_copy(folder: Path, tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    for path in (*folder.glob("*.json"), *folder.glob("parts/*")):
        (tmp_path / path.relative_to(folder)).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "noise"])
def test_a_damaged_part_is_named(corpus_copy: Path, damage: str) -> None:
    part = corpus_copy / "parts" / "part-000001.parquet"
    content = bytearray(part.read_bytes())
    middle = len(content) // 4
    if damage == "flipped":
        content[middle : middle + 400] = bytes(byte ^ 255 for byte in content[middle : middle + 400])
    ways = {"cut": content[: len(content) // 2], "empty": b"", "flipped": content, "noise": b"PAR1 what else"}
    part.write_bytes(bytes(ways[damage]))
    corpus = Corpus(corpus_copy)
    with pytest.raises(BadFile, match=DAMAGED):
        list(corpus.batches(16))
    with pytest.raises(BadFile, match=DAMAGED):
        corpus.rows(range(COUNT // 2, COUNT), corpus.columns)
    whole = corpus.part(0, ["id", "reason"]).to_pylist()
    ids = [row["id"] for row in whole if row["reason"] is None]
    assert sum(len(batch.ids) for batch in corpus.batches(16, ids=ids)) == len(ids), "the other maps can be read"


def test_part_of_another_corpus(corpus_copy: Path) -> None:
    text = (corpus_copy / "manifest.json").read_text()
    (corpus_copy / "manifest.json").write_text(text.replace('"seed": "7"', '"seed": "8"'))
    with pytest.raises(BadFile, match=r"part-000000\.parquet belongs to another corpus"):
        Corpus(corpus_copy)[0]


def test_missing_part(corpus_copy: Path) -> None:
    (corpus_copy / "parts" / "part-000001.parquet").unlink()
    corpus = Corpus(corpus_copy)
    assert not corpus.is_complete
    assert sum(len(batch.ids) for batch in corpus.batches()) == len(corpus.ids()) > 0
    with pytest.raises(BadFile, match="part 1 is not generated yet; `corpus make` continues"):
        corpus[COUNT - 1]


def test_any_file_system(folder: Path) -> None:
    files = fsspec.filesystem("memory")
    for path in (*folder.glob("*.json"), *folder.glob("parts/*")):
        files.pipe_file(f"/far/caves/{path.relative_to(folder)}", path.read_bytes())
    near, far = Corpus(folder), Corpus("memory://far/caves")
    assert far.table().equals(near.table())
    assert np.array_equal(far[generated_ids(near)[5]], near[generated_ids(near)[5]])
    assert [batch.ids.tolist() for batch in far.batches(50)] == [batch.ids.tolist() for batch in near.batches(50)]


def test_datasheet_is_written_without_reading_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that no part is read, and that reading all parts gives the same datasheet."""
    order = {"technique": "caves", "params": {"width": 9, "height": 7}}
    with monkeypatch.context() as patch:
        patch.setattr(Corpus, "part", lambda *_: pytest.fail("a part was read"))
        corpus = make(order, tmp_path / "once", count=1100, seed=3, measures=["floor_share"], workers=0)
    assert len(corpus.parts) > 1
    written = (tmp_path / "once" / "README.md").read_bytes()
    (tmp_path / "once" / "README.md").unlink()
    make(order, tmp_path / "once", count=1100, seed=3, measures=["floor_share"], workers=0)
    assert (tmp_path / "once" / "README.md").read_bytes() == written
