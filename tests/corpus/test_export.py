"""Exported corpora: text files that are read back equal, archives without pickle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pytest

import tilewright as tw
from tilewright.core.errors import BadFile, InvalidRecipe
from tilewright.corpus import Corpus, Sweep, make
from tilewright.corpus.export import write_npz, write_vglc


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Return a corpus with some failed maps."""
    recipe = tw.recipe("rooms", width=30, height=20, require={"path_length": ">38"}, tries=1)
    folder = tmp_path_factory.mktemp("corpora") / "rooms"
    return make(recipe, folder, count=40, seed=2, measures=["path_length", "dead_ends"], workers=0)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Return a corpus with maps of several sizes and a swept string parameter."""
    folder = tmp_path_factory.mktemp("corpora") / "swept"
    sweep = Sweep.of({"params.width": [9, 13], "method": ["prim", "wilson"]})
    return make(tw.recipe("maze", height=9), folder, count=8, seed=1, measures=["regions"], sweep=sweep, workers=0)


def test_some_maps_fail(corpus: Corpus) -> None:
    assert 0 < len(corpus.ids()) < len(corpus)


# -- text -------------------------------------------------------------------------------------------------------


def test_text_is_read_back_equal(corpus: Corpus, tmp_path: Path) -> None:
    assert write_vglc(corpus, tmp_path / "text") == len(corpus.ids())
    files = sorted((tmp_path / "text").glob("*.txt"))
    assert [path.name for path in files] == [f"rooms-{number:06d}.txt" for number in corpus.ids()]
    for path, number in zip(files, corpus.ids().tolist(), strict=True):
        map = tw.load(path, tileset=corpus.tileset)
        assert np.array_equal(map.cells, corpus[number])
        assert str(tw.load(path)) == str(map), "without the tileset as well"


def test_legend(corpus: Corpus, tmp_path: Path) -> None:
    write_vglc(corpus, tmp_path, ids=corpus.ids()[:2])
    legend = json.loads((tmp_path / "rooms.json").read_text("utf-8"))
    assert list(legend) == ["tiles"]
    for tile in corpus.tileset:
        words = legend["tiles"][tile.glyph]
        assert words[0] == ("passable" if tile.passable else "solid")
        assert words[-1] == tile.name
    glyphs = set("".join(path.read_text("utf-8") for path in tmp_path.glob("*.txt"))) - {"\n"}
    assert glyphs <= set(legend["tiles"])


def test_some_maps_as_text(corpus: Corpus, tmp_path: Path) -> None:
    chosen = corpus.ids()[[5, 2]]
    assert write_vglc(corpus, tmp_path, ids=chosen) == 2
    assert len(list(tmp_path.glob("*.txt"))) == 2
    failed = next(number for number in range(len(corpus)) if number not in corpus.ids())
    with pytest.raises(InvalidRecipe, match=f"map {failed} failed"):
        write_vglc(corpus, tmp_path / "failed", ids=[failed])


def test_text_is_not_written_into_a_corpus(corpus: Corpus) -> None:
    with pytest.raises(BadFile, match="contains a corpus; name another folder"):
        write_vglc(corpus, str(corpus.folder))


# -- arrays -----------------------------------------------------------------------------------------------------


def test_archive_of_maps_of_one_size(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "new" / "rooms.npz"
    ids = corpus.ids()
    assert write_npz(corpus, path) == len(ids)
    assert [one.name for one in path.parent.iterdir()] == ["rooms.npz"], "no temporary file is left"
    with np.load(path, allow_pickle=False) as found:
        assert set(found) == {"cells", "ids", "seeds", "digests", "tiles", "path_length", "dead_ends"}
        assert found["cells"].shape == (len(ids), 20, 30)
        assert found["cells"].dtype == corpus.tileset.dtype
        assert found["ids"].tolist() == ids.tolist()
        assert found["seeds"].tolist() == [f"2-{number}" for number in ids]
        assert found["tiles"].tolist() == list(corpus.tileset.names)
        for place in (0, 7, -1):
            number = int(ids[place])
            assert np.array_equal(found["cells"][place], corpus[number])
            assert found["path_length"][place] == corpus.row(number)["path_length"]
            assert found["digests"][place] == corpus.row(number)["digest"]


def test_archive_of_maps_of_several_sizes(swept: Corpus, tmp_path: Path) -> None:
    write_npz(swept, tmp_path / "maps.npz", ids=[5, 2, 3])
    with np.load(tmp_path / "maps.npz", allow_pickle=False) as found:
        assert found["ids"].tolist() == [5, 2, 3]
        assert found["params_width"].tolist() == [swept.row(number)["params_width"] for number in (5, 2, 3)]
        assert found["method"].tolist() == [swept.row(number)["method"] for number in (5, 2, 3)]
        for place, number in enumerate((5, 2, 3)):
            first, last = found["offsets"][place : place + 2]
            cells = found["cells"][first:last].reshape(found["shapes"][place])
            assert np.array_equal(cells, swept[number])
        assert found["offsets"][-1] == len(found["cells"])


def test_equal_corpora_make_equal_archives(corpus: Corpus, tmp_path: Path) -> None:
    write_npz(corpus, tmp_path / "a.npz")
    write_npz(corpus, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_archive_in_little_memory(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_npz(corpus, tmp_path / "a.npz")
    monkeypatch.setattr("tilewright.corpus.export.BATCH", 4)
    asked: list[int] = []
    batches = Corpus.batches

    def count_batches(self: Corpus, size: int, **options: Any) -> Iterator[Any]:
        asked.append(size)
        return batches(self, size, **options)

    monkeypatch.setattr(Corpus, "batches", count_batches)
    write_npz(corpus, tmp_path / "b.npz")
    assert asked == [4]
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_invalid_outputs(corpus: Corpus, swept: Corpus, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="is a folder; give a file in it"):
        write_npz(corpus, tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadFile, match=r"x\.npz: "):
        write_npz(corpus, tmp_path / "file" / "x.npz")
    failed = next(number for number in range(len(corpus)) if number not in corpus.ids())
    with pytest.raises(InvalidRecipe, match=f"map {failed} failed"):
        write_npz(corpus, tmp_path / "x.npz", ids=[0, failed])
    assert not (tmp_path / "x.npz").exists()


def test_failed_export_keeps_the_old_archive(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "maps.npz"
    write_npz(corpus, path)
    before = path.read_bytes()
    monkeypatch.setattr(
        "tilewright.corpus.reader.decompress_cells", lambda *_: (_ for _ in ()).throw(pa.ArrowInvalid("no"))
    )
    with pytest.raises(BadFile, match="is damaged"):
        write_npz(corpus, path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["maps.npz"]


def test_remote_folder(corpus: Corpus) -> None:
    write_npz(corpus, "memory://far/maps.npz")
    write_vglc(corpus, "memory://far/text", ids=corpus.ids()[:1])
    files = fsspec.filesystem("memory")
    with files.open("/far/maps.npz") as file, np.load(file, allow_pickle=False) as found:
        assert len(found["cells"]) == len(corpus.ids())
    assert len(files.ls("/far/text")) == 2


def test_nothing_to_write(tmp_path: Path) -> None:
    recipe = tw.recipe("caves", width=8, height=8, require={"regions": ">60"}, tries=1)
    corpus = make(recipe, tmp_path / "none", count=3, seed=1, workers=0)
    with pytest.raises(InvalidRecipe, match="contains no generated map; nothing was written"):
        write_npz(corpus, tmp_path / "none.npz")
    assert write_vglc(corpus, tmp_path / "text") == 0
