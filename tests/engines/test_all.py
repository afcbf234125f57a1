"""What holds for every engine: equal bytes, exports over exports, and maps of all kinds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import tilewright as tw
from tilewright.core import plugins
from tilewright.engines import Level, Project, engine_registry
from tilewright.engines._folder import MANIFEST, digest_of
from tilewright.formats import format_registry

ENGINES = engine_registry.names()
RECIPES = {
    "cave": tw.recipe("open-caves", width=24, height=16),
    "dungeon": tw.recipe("bsp", width=40, height=28, shaping=["doors", "lock_and_key", "place"]),
    "overworld": tw.recipe("archipelago", width=48, height=30),
    "war map": tw.recipe("skirmish"),
}


def read_all(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_described(name: str) -> None:
    engine = engine_registry.get(name)
    assert engine.summary.endswith(".")
    assert engine.program in engine.doc
    assert engine.format in format_registry
    assert any(program.startswith(engine.program) for program in format_registry.get(engine.format).engines)
    assert [entry.name for entry in tw.list_engines()] == ENGINES


@pytest.mark.parametrize("kind", RECIPES)
@pytest.mark.parametrize("name", ENGINES)
def test_levels_of_all_kinds_are_exported_and_read_back(name: str, kind: str, tmp_path: Path) -> None:
    recipe, engine = RECIPES[kind], engine_registry.get(name)
    done = tw.export_project(recipe, tmp_path / "one", engine=name, count=2, seed=7)
    files = read_all(tmp_path / "one")
    levels = [path for path in done.written if format_registry.get(engine.format).extensions[0] == Path(path).suffix]
    levels = [path for path in levels if "level" in Path(path).stem]
    found = [tw.load(tmp_path / "one" / path, index=index) for path in levels for index in range(2 // len(levels))]
    for map, seed in zip(found, done.seeds.values(), strict=True):
        made = tw.run(recipe, seed=seed)
        assert (map.cells == made.cells).all()
        assert map.tileset.names[: len(made.tileset)] == made.tileset.names
        assert map.markers == made.markers
    manifest = json.loads(files[MANIFEST])
    assert all(digest_of(files[path]) == digest for path, digest in manifest["files"].items())
    tw.export_project(recipe, tmp_path / "two", engine=name, count=2, seed=7)
    other = read_all(tmp_path / "two")
    assert all(other[path] == files[path] for path in (MANIFEST, *manifest["files"]))


@pytest.mark.parametrize("name", ENGINES)
def test_exporting_again(name: str, tmp_path: Path) -> None:
    recipe = RECIPES["cave"]
    first = tw.export_project(recipe, tmp_path, engine=name, count=3, seed=7)
    before = read_all(tmp_path)
    again = tw.export_project(recipe, tmp_path, engine=name, count=3, seed=7)
    assert (again.written, again.removed, again.kept) == ((), (), ())
    assert read_all(tmp_path) == before
    fewer = tw.export_project(recipe, tmp_path, engine=name, count=2, seed=7)
    assert len(read_all(tmp_path)) == len(before) - len(fewer.removed)
    edited = fewer.unchanged[0]
    (tmp_path / edited).write_bytes(b"edited")
    with pytest.raises(tw.BadFile, match="edited since the last export"):
        tw.export_project(recipe, tmp_path, engine=name, count=2, seed=8)
    assert (tmp_path / edited).read_bytes() == b"edited"
    other = next(one for one in ENGINES if one != name)
    with pytest.raises(tw.BadFile, match=f"contains an export for {name}; name another folder for {other}"):
        tw.export_project(recipe, tmp_path, engine=other, seed=8, edited="replace")
    assert first.engine == name


def test_an_installed_package_adds_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @tw.engine(program="Plain text", format="txt")
    def plain(levels: Sequence[Level], options: tw.Params, folder: Path) -> Project:
        """Text."""
        return Project({f"{level.name}.txt": str(level.map).encode() for level in levels})

    monkeypatch.setattr(plugins, "find_plugins", lambda folder: {"plain": None} if folder == "engines" else {})
    monkeypatch.setattr(plugins, "load_plugin", lambda folder, name: plain)
    done = tw.export_project(RECIPES["cave"], tmp_path, engine="plain", count=2, seed=7)
    assert done.written == ("level-1.txt", "level-2.txt")
    assert (tmp_path / "level-2.txt").read_text() == str(tw.run(RECIPES["cave"], seed="7-1"))
