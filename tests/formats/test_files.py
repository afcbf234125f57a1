"""Properties of all formats, and of reading and writing files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.formats.maps import numbered_map
from tilewright.formats import _files

MAP = tw.make("caves", width=17, height=9, seed=4)


def test_every_format_and_its_options_are_described() -> None:
    assert {"png", "gif", "webp", "apng", "txt", "csv", "json", "npz"} <= {entry.name for entry in tw.list_formats()}
    for entry in tw.list_formats():
        assert entry.summary
        for field in entry.params.model_fields.values():
            assert field.description


def test_an_unknown_extension_or_format_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(
        tw.UnknownName, match=r"unknown file extension '.pgn'; pictures: .*\.png.*; animations: .*\.apng"
    ):
        MAP.save(tmp_path / "a.pgn")
    with pytest.raises(
        tw.UnknownName,
        match=r"unknown format 'jsno'; pictures: .*png.*; animations: .*apng.*; game engines: .*godot.*, json",
    ):
        MAP.save(tmp_path / "a.json", format="jsno")
    with pytest.raises(tw.InvalidRecipe, match=r"unknown parameter 'scal'; did you mean 'scale'\?"):
        MAP.save(tmp_path / "a.png", scal=3)
    assert not list(tmp_path.iterdir())


def test_missing_folders_are_created(tmp_path: Path) -> None:
    MAP.save(tmp_path / "deep" / "er" / "a.txt")
    assert tw.load(tmp_path / "deep" / "er" / "a.txt", tileset=MAP.tileset).cells.shape == MAP.shape


def test_paths_that_cannot_be_written_are_refused_before_generation(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(tw.BadFile, match="is not a folder"):
        _files.refuse_unwritable(tmp_path / "file" / "a.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(tw.BadFile, match="is a folder; give a file in it"):
        MAP.save(tmp_path / "folder.png")
    with pytest.raises(tw.BadFile, match="cannot be written"):
        MAP.save(tmp_path / "a\0b.txt")
    with pytest.raises(tw.BadFile, match="cannot be written"):
        MAP.save(tmp_path / f"{'long' * 200}.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.png"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("reason", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=type)
def test_a_failing_write_leaves_the_old_file_and_nothing_else(
    step: str, reason: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("old")

    def fail(*arguments: Any, **options: Any) -> None:
        raise reason

    monkeypatch.setattr(os, step, fail)
    with pytest.raises((tw.BadFile, KeyboardInterrupt)) as caught:
        MAP.save(tmp_path / "a.txt")
    assert isinstance(reason, KeyboardInterrupt) or "No space left on device" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_failing_format_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("old")
    with pytest.raises(tw.TooLarge):
        numbered_map(2, 1000, 1000).save(tmp_path / "a.png", scale=256)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_text() == "old"


def test_unreadable_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(tw.BadFile, match=r"gone.png: cannot be read \(No such file or directory\)"):
        tw.load(tmp_path / "gone.png")
    (tmp_path / "a.png").mkdir()
    with pytest.raises(tw.BadFile, match="is a folder; give a file in it"):
        tw.load(tmp_path / "a.png")
    with pytest.raises(tw.BadFile, match="cannot be read"):
        tw.load(tmp_path / "a\0.png")
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(1 << 31)
    with pytest.raises(tw.BadFile, match=r"must have at most 1 GB, got 2\.0 GB"):
        tw.load(huge)


@pytest.mark.parametrize("name", ["a\0b.txt", f"{'long' * 100}.txt", f"{'long' * 100}/a.txt", "x/" * 3000 + "a.txt"])
def test_impossible_names_are_refused_before_generation(name: str, tmp_path: Path) -> None:
    for path in (tmp_path / name, tmp_path / "new" / "folder" / name):
        with pytest.raises(tw.BadFile, match="cannot be written"):
            _files.refuse_unwritable(path)
    assert not list(tmp_path.iterdir())


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    MAP.save(tmp_path / f"{'a' * 251}.txt")


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.txt").symlink_to(tmp_path / "real" / "a.txt")
    for _ in range(2):
        MAP.save(tmp_path / "link.txt")
        assert (tmp_path / "link.txt").is_symlink()
        assert (tmp_path / "real" / "a.txt").read_text() == f"{MAP}\n"
        assert len(list((tmp_path / "real").iterdir())) == 1


def test_pipes_and_devices_are_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        text = pool.submit(pipe.read_text)
        MAP.save(pipe)
        assert text.result(10) == f"{MAP}\n"
    assert pipe.is_fifo()
    MAP.save("/dev/null", format="png")
    assert Path("/dev/null").is_char_device()


def test_an_edited_map_loses_its_recipe(tmp_path: Path) -> None:
    MAP.save(tmp_path / "a.json")
    assert tw.load(tmp_path / "a.json").recipe == MAP.recipe
    text = (tmp_path / "a.json").read_text()
    data = json.loads(text)
    data["cells"][3][4] = 1 - data["cells"][3][4]
    (tmp_path / "a.json").write_text(json.dumps(data))
    edited = tw.load(tmp_path / "a.json")
    assert edited.recipe is None
    assert tw.verify(tmp_path / "a.json").outcome == "edited"
    edited.save(tmp_path / "b.json")
    assert tw.verify(tmp_path / "b.json").outcome == "impossible"


def test_written_files_have_the_permissions_of_other_files(tmp_path: Path) -> None:
    MAP.save(tmp_path / "a.txt")
    (tmp_path / "b.txt").write_text("x")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def fail_after(calls: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that works for some calls and then raises the error of a full disk."""
    remaining = iter(range(calls))

    def replacement(*arguments: Any) -> Any:
        if next(remaining, None) is None:
            raise OSError(28, "No space left on device")
        return function(*arguments)

    return replacement


def test_a_failing_write_of_several_files_leaves_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail at each of the three files in turn, while it is written and while it is renamed."""
    contents = {"map.tmx": b"new map", "tiles.tsx": b"new tiles", "tiles.png": b"new picture"}
    for name in ("fsync", "replace"):
        for failing in range(len(contents)):
            folder = tmp_path / f"{name} {failing}"
            replacement = fail_after(failing, getattr(os, name))
            with monkeypatch.context() as patch:
                patch.setattr(os, name, replacement)
                with pytest.raises(tw.BadFile, match="No space left on device"):
                    _files.write_files(folder / "map.tmx", contents)
            assert list(folder.iterdir()) == []
            _files.write_files(folder / "map.tmx", contents)
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents


def test_temporary_files_of_killed_processes_are_removed_after_a_day(tmp_path: Path) -> None:
    day = 24 * 60 * 60
    ages = {"0" * 16: 2 * day, "1" * 16: day / 2}
    for digits, age in ages.items():
        path = tmp_path / f".tilewright-{digits}.part"
        path.write_bytes(b"half")
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    other = tmp_path / ".tilewright-notes.part"
    other.write_bytes(b"kept")
    os.utime(other, (0, 0))
    MAP.save(tmp_path / "map.txt")
    kept = {"map.txt", other.name, f".tilewright-{'1' * 16}.part"}
    assert {path.name for path in tmp_path.iterdir()} == kept
