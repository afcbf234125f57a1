"""Exports of projects: the manifest, edited files, exports over exports, and hostile folders."""

from __future__ import annotations

import json
import multiprocessing
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.engines.test_all import read_all
from tests.refusals import refused
from tilewright.core import pipeline
from tilewright.engines import _export
from tilewright.engines._folder import MANIFEST
from tilewright.formats import _files
from tilewright.formats._files import LOCK, lock_folder

RECIPE = tw.recipe("caves", width=12, height=8)
SMALL = 3


def export(folder: Path, count: int | None = SMALL, **settings: Any) -> tw.ExportedProject:
    return tw.export_project(RECIPE, folder, engine="tiled", **{"count": count, "seed": 7, **settings})


SHARED = {"levels.world", "tiles.tsx", "tiles-2.tsx", "tiles.png"}
"""Files of all levels. The second tileset has the same picture, for sprites below others."""


def names(count: int) -> set[str]:
    return {*SHARED, MANIFEST, *(f"level-{number + 1}.tmx" for number in range(count))}


# -- levels and seeds -----------------------------------------------------------------------------------------


def test_levels_have_the_seeds_of_numbered_maps(tmp_path: Path) -> None:
    done = export(tmp_path / "new" / "game")
    assert done.seeds == {"level-1": "7-0", "level-2": "7-1", "level-3": "7-2"}
    assert set(read_all(done.folder)) == names(3)
    for name, seed in done.seeds.items():
        path = done.folder / f"{name}.tmx"
        assert tw.load(path) == tw.run(RECIPE, seed=seed)
        assert tw.verify(path).outcome == "same"


def test_without_a_count_there_is_one_level_with_the_seed_itself(tmp_path: Path) -> None:
    assert export(tmp_path, None).seeds == {"level-1": "7"}
    assert tw.load(tmp_path / "level-1.tmx") == tw.run(RECIPE, seed=7)


def test_a_random_seed_is_reported(tmp_path: Path) -> None:
    done = tw.export_project("islets", tmp_path, engine="tiled")
    assert tw.load(tmp_path / "level-1.tmx") == tw.run("islets", seed=done.seeds["level-1"])


def test_a_level_does_not_depend_on_the_number_of_levels(tmp_path: Path) -> None:
    export(tmp_path / "one", 1)
    export(tmp_path / "three", 3)
    one, three = read_all(tmp_path / "one"), read_all(tmp_path / "three")
    assert all(one[name] == three[name] for name in ("level-1.tmx", "tiles.tsx", "tiles.png"))


def test_tiles_of_nested_recipes_are_in_the_shared_tileset(tmp_path: Path) -> None:
    inner = {"technique": "fashion", "params": {}}
    recipe = tw.recipe("rooms", width=30, height=20, shaping=[{"overlay": {"where": "rooms", "recipe": inner}}])
    done = tw.export_project(recipe, tmp_path, engine="tiled", count=3, seed=1)
    tilesets = set()
    for name, seed in done.seeds.items():
        found, made = tw.load(tmp_path / f"{name}.tmx"), tw.run(recipe, seed=seed)
        tilesets.add(found.tileset.names)
        shown = [[found.tileset.names[tile] for tile in row] for row in found.cells.tolist()]
        assert shown == [[made.tileset.names[tile] for tile in row] for row in made.cells.tolist()]
        assert tw.verify(tmp_path / f"{name}.tmx").outcome == "same"
    assert len(tilesets) == 1


# -- the manifest ---------------------------------------------------------------------------------------------


def test_the_manifest_has_the_digest_of_every_file(tmp_path: Path) -> None:
    export(tmp_path)
    files = read_all(tmp_path)
    manifest = json.loads(files.pop(MANIFEST))
    assert manifest["files"] == {name: sha256(content).hexdigest() for name, content in files.items()}
    assert manifest["engine"] == "tiled"
    assert manifest["about"]["seeds"] == {"level-1": "7-0", "level-2": "7-1", "level-3": "7-2"}
    assert "replaced" not in manifest


def test_exporting_again_replaces_what_was_exported(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    export(tmp_path)
    before = read_all(tmp_path)
    again = export(tmp_path)
    assert (again.written, again.removed, again.kept) == ((), (), ())
    assert read_all(tmp_path) == before
    other = export(tmp_path, seed=8)
    assert other.written == ("level-1.tmx", "level-2.tmx", "level-3.tmx")
    assert set(other.unchanged) == SHARED
    assert tw.load(tmp_path / "level-1.tmx") == tw.run(RECIPE, seed="8-0")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_fewer_levels_remove_only_the_old_ones(tmp_path: Path) -> None:
    export(tmp_path, 5)
    for name in ("level-6.tmx", "level-4-backup.tmx"):
        (tmp_path / name).write_text("mine")
    done = export(tmp_path, 3)
    assert done.removed == ("level-4.tmx", "level-5.tmx")
    assert set(read_all(tmp_path)) == {*names(3), "level-6.tmx", "level-4-backup.tmx"}


def test_an_edited_level_that_is_no_longer_exported_is_kept(tmp_path: Path) -> None:
    export(tmp_path, 4)
    (tmp_path / "level-4.tmx").write_text("edited")
    for edited in ("refuse", "replace"):
        done = export(tmp_path, 3, edited=edited)
        assert (tmp_path / "level-4.tmx").read_text() == "edited"
        assert done.kept == (("level-4.tmx",) if edited == "refuse" else ())  # It belongs to the user from then on.
    with pytest.raises(tw.BadFile, match=r"not written by an export: level-4\.tmx"):
        export(tmp_path, 4)


def test_line_ends_of_windows_are_no_edit(tmp_path: Path) -> None:
    export(tmp_path)
    level = tmp_path / "level-1.tmx"
    level.write_bytes(level.read_bytes().replace(b"\n", b"\r\n"))
    assert "level-1.tmx" in export(tmp_path, seed=8).written


# -- edited files ---------------------------------------------------------------------------------------------


def test_edited_files_are_refused_with_their_names_and_nothing_changes(tmp_path: Path) -> None:
    export(tmp_path)
    for name in ("level-2.tmx", "tiles.png"):
        (tmp_path / name).write_bytes(b"edited")
    before = read_all(tmp_path)
    with pytest.raises(tw.BadFile, match=r"edited since the last export: level-2\.tmx, tiles\.png") as caught:
        export(tmp_path, seed=8)
    (problem,) = caught.value.problems
    assert (problem.rule, problem.value) == ("edited", ["level-2.tmx", "tiles.png"])
    assert read_all(tmp_path) == before


def test_edited_files_are_refused_before_maps_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(tmp_path)
    (tmp_path / "level-2.tmx").write_bytes(b"edited")

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(pipeline, "iter_steps", fail)
    with pytest.raises(tw.BadFile, match="edited since"):
        export(tmp_path)


def test_edits_can_be_kept_or_replaced(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / "level-2.tmx").write_bytes(b"edited")
    for _ in range(2):  # A kept file is still an edited one.
        done = export(tmp_path, seed=8, edited="keep")
        assert done.kept == ("level-2.tmx",)
        assert (tmp_path / "level-2.tmx").read_bytes() == b"edited"
    assert tw.load(tmp_path / "level-3.tmx") == tw.run(RECIPE, seed="8-2")
    with pytest.raises(tw.BadFile, match="edited since"):
        export(tmp_path, seed=8)
    assert export(tmp_path, seed=8, edited="replace").written == ("level-2.tmx",)
    assert tw.load(tmp_path / "level-2.tmx") == tw.run(RECIPE, seed="8-1")


def test_a_removed_file_is_written_again(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / "level-2.tmx").unlink()
    assert export(tmp_path).written == ("level-2.tmx",)


@pytest.mark.parametrize("edited", ["refuse", "keep"])
def test_files_that_were_not_exported_are_refused(tmp_path: Path, edited: str) -> None:
    (tmp_path / "tiles.png").write_bytes(b"mine")
    with pytest.raises(tw.BadFile, match=r"not written by an export: tiles\.png"):
        export(tmp_path, edited=edited)
    assert read_all(tmp_path) == {"tiles.png": b"mine"}
    assert "tiles.png" in export(tmp_path, edited="replace").written


def test_a_file_that_is_edited_while_maps_are_made_is_refused(tmp_path: Path) -> None:
    export(tmp_path)

    def edit(done: float | None, what: str) -> None:
        (tmp_path / "level-1.tmx").write_bytes(b"edited meanwhile")

    params = _export.ExportParams.validate({"engine": "tiled", "folder": tmp_path, "seed": 8, "count": 3})
    with pytest.raises(tw.BadFile, match=r"edited since the last export: level-1\.tmx"):
        _export.write_project(tw.recipe(RECIPE), params, {}, report=edit)
    assert (tmp_path / "level-1.tmx").read_bytes() == b"edited meanwhile"


# -- failures -------------------------------------------------------------------------------------------------


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(tmp_path / "old")
    before = read_all(tmp_path / "old")
    written = []
    write_temporary = _files.write_temporary

    def write(target: Path, content: bytes) -> Path:
        written.append(target)
        if len(written) % 3 == 0:
            raise OSError(28, "No space left on device")
        return write_temporary(target, content)

    monkeypatch.setattr(_files, "write_temporary", write)
    for name in ("old", "new"):
        with pytest.raises(tw.BadFile, match="No space left on device"):
            export(tmp_path / name, seed=8)
    assert read_all(tmp_path) == {f"old/{name}": content for name, content in before.items()}
    assert not (tmp_path / "new").exists()


def test_the_files_of_a_killed_export_still_belong_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(tmp_path)
    replace, renamed = os.replace, list[Any]()

    class Killed(BaseException):
        pass

    def stop(source: Any, target: Any) -> None:
        if len(renamed) == 3:
            raise Killed
        renamed.append(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(Killed):
        export(tmp_path, seed=8)
    monkeypatch.undo()
    assert tw.load(tmp_path / "level-1.tmx") == tw.run(RECIPE, seed="8-0")
    assert tw.load(tmp_path / "level-3.tmx") == tw.run(RECIPE, seed="7-2")
    assert export(tmp_path, 2, seed=9).removed == ("level-3.tmx",)
    assert set(read_all(tmp_path)) == names(2)


def _export_in_process(folder: Path, seed: int) -> str:
    try:
        export(folder, seed=seed)
    except tw.BadFile as error:
        return error.problems[0].text
    return ""


def test_two_processes_do_not_mix_their_levels(tmp_path: Path) -> None:
    export(tmp_path, seed=0)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        texts = pool.starmap(_export_in_process, [(tmp_path, seed) for seed in (1, 2, 3)])
    assert set(texts) <= {"", "another process is writing to it"}
    assert "" in texts
    found = {tw.load(tmp_path / f"level-{number}.tmx").recipe for number in (1, 2, 3)}
    assert len({str(recipe.seed)[0] for recipe in found if recipe}) == 1
    assert set(read_all(tmp_path)) == names(3)


def test_a_locked_folder_is_refused(tmp_path: Path) -> None:
    with lock_folder(str(tmp_path)), pytest.raises(tw.BadFile, match="another process is writing to it"):
        export(tmp_path)
    assert LOCK not in read_all(tmp_path)


# -- bad input ------------------------------------------------------------------------------------------------


def test_mistakes_are_found_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    with pytest.raises(tw.UnknownName, match="unknown engine 'titled'; did you mean 'tiled'"):
        tw.export_project(RECIPE, folder, engine="titled")
    with pytest.raises(tw.InvalidRecipe, match="tile_sise"):
        export(folder, tile_sise=3)
    for count in (0, 1001, True, 2.5):
        with pytest.raises(tw.InvalidRecipe, match="count: must be"):
            tw.export_project(RECIPE, folder, engine="tiled", count=count)  # type: ignore[arg-type]
    with pytest.raises(tw.InvalidRecipe, match="edited: must be 'refuse', 'keep' or 'replace'"):
        export(folder, edited="force")
    with pytest.raises(tw.TooLarge, match="at most 16,777,216 cells together"):
        tw.export_project(tw.recipe("caves", width=1000, height=1000), folder, engine="tiled", count=20)
    with pytest.raises(tw.InvalidRecipe, match="folder: must be"):
        tw.export_project(RECIPE, 3, engine="tiled")  # type: ignore[arg-type]
    assert not folder.exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "game").write_text("")
    with pytest.raises(tw.BadFile, match="is a file; name a folder"):
        export(tmp_path / "game")
    with pytest.raises(tw.BadFile, match="is not a folder"):
        export(tmp_path / "game" / "inner")


def change_manifest(folder: Path, **changes: Any) -> None:
    data = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**data, **changes}))


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "/outside.txt", "a/../../outside.txt", "..", ".", "", ".git/config", "a\\..\\outside.txt",
     "C:/outside.txt", "a//b", "a/", "a\n", MANIFEST, "a/b/c/d/e", "a\0"],
)  # fmt: skip
@pytest.mark.parametrize("key", ["files", "replaced"])
def test_a_manifest_cannot_name_files_outside(tmp_path: Path, path: str, key: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    export(tmp_path / "game")
    data = json.loads((tmp_path / "game" / MANIFEST).read_text())
    digest = sha256(b"mine").hexdigest()
    change_manifest(tmp_path / "game", **{key: {**data.get(key, {}), path: digest}})
    before = read_all(tmp_path)
    with pytest.raises(tw.BadFile, match="damaged"):
        export(tmp_path / "game", edited="replace")
    assert read_all(tmp_path) == before


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"null", b"\xff", b'{"version": 1}', b"[" * 100_000, b'{"version": "1", "engine": 2}',
     b'{"version": 1, "engine": "tiled", "files": {"a": 3}}', b'{"version": 1, "engine": "tiled", "files": {"a": ""}}'],
)  # fmt: skip
def test_a_damaged_manifest_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with refused("is damaged or not the manifest of an export", tw.BadFile):
        export(tmp_path)
    assert read_all(tmp_path) == {MANIFEST: content}


def test_a_manifest_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    export(tmp_path)
    change_manifest(tmp_path, version=2)
    with pytest.raises(tw.BadFile, match="newer version"):
        export(tmp_path)


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.tmx"
    outside.write_text("mine")
    folder = tmp_path / "game"
    export(folder, 4)
    digest = sha256(b"mine").hexdigest()
    data = json.loads((folder / MANIFEST).read_text())
    for name, count in (("level-2.tmx", 4), ("level-4.tmx", 3)):  # to be written, to be removed
        original = (folder / name).read_bytes()
        (folder / name).unlink()
        (folder / name).symlink_to(outside)
        change_manifest(folder, files={**data["files"], name: digest})
        for edited in ("refuse", "keep", "replace"):
            with pytest.raises(tw.BadFile, match=rf"{name}: is a link"):
                export(folder, count, seed=8, edited=edited)
        assert outside.read_text() == "mine"
        assert (folder / name).is_symlink()
        (folder / name).unlink()
        (folder / name).write_bytes(original)
        change_manifest(folder, files=data["files"])
    (folder / MANIFEST).rename(tmp_path / "manifest")
    (folder / MANIFEST).symlink_to(tmp_path / "manifest")
    with pytest.raises(tw.BadFile, match="is a link"):
        export(folder)


def test_a_linked_folder_inside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("mine")
    folder = tmp_path / "game"
    export(folder)
    (folder / "sub").symlink_to(tmp_path / "outside")
    data = json.loads((folder / MANIFEST).read_text())
    change_manifest(folder, files={**data["files"], "sub/a.txt": sha256(b"mine").hexdigest()})
    with pytest.raises(tw.BadFile, match="sub: is a link"):
        export(folder, edited="replace")
    assert (tmp_path / "outside" / "a.txt").read_text() == "mine"


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "game").symlink_to(tmp_path / "real")
    export(tmp_path / "game")
    assert set(read_all(tmp_path / "real")) == names(3)


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tiles.png").mkdir()
    with pytest.raises(tw.BadFile, match=r"tiles\.png: is not a file"):
        export(tmp_path, edited="replace")


@pytest.mark.parametrize("engine", ["godot", "ldtk", "tiled"])
def test_temporary_files_of_killed_exports_are_removed(tmp_path: Path, engine: str) -> None:
    """Also if the next export writes no file to their folders."""
    tw.export_project(RECIPE, tmp_path, engine=engine, count=2, seed=7)
    before = read_all(tmp_path)
    for folder in {path.parent for path in tmp_path.rglob("*") if path.is_file()}:
        (folder / ".tilewright-0123456789abcdef.part").write_bytes(b"half of a file")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ".tilewright-0123456789abcdef.part").write_bytes(b"of another job")
    tw.export_project(RECIPE, tmp_path, engine=engine, count=2, seed=7)
    assert read_all(tmp_path) == {**before, "mine/.tilewright-0123456789abcdef.part": b"of another job"}
