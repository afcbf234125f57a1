"""Samples: one or several maps as a parameter."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tilewright as tw
from tilewright import data
from tilewright.core.grid import Grid
from tilewright.core.registry import tilesets
from tilewright.core.resolver import Resolver
from tilewright.core.samples import Samples
from tilewright.formats import format_registry
from tilewright.formats._resolver import FileResolver


def test_tiles_of_several_samples_that_share_a_glyph_get_different_glyphs() -> None:
    dungeon, caverns = (Samples.of(name).tileset for name in ("dungeon", "caverns"))
    assert set(dungeon.by_glyph) & set(caverns.by_glyph)
    both = Samples.of(["dungeon", "caverns"]).tileset
    assert set(both.names) == {*dungeon.names, *caverns.names}
    assert all(both[both.id(tile.name)] == tile for tile in dungeon)  # the first keeps its appearance
    made = tw.make("patterns", sample=["dungeon", "caverns"], width=12, height=12, iterations=100, seed=1)
    assert made.tileset == both


AWBW = tilesets.get("awbw")


@pytest.fixture
def maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of maps, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "maps"
    folder.mkdir()
    for number, name in enumerate("bca"):
        (folder / f"{name}.csv").write_text(f"{number + 1},28\n28,3\n")
    (folder / "notes.md").write_text("not a map")
    (folder / ".hidden.csv").write_text("not a map")
    (folder / "deeper").mkdir()
    return folder


@pytest.mark.parametrize(
    "given",
    [
        "awbw:maps",
        "awbw:maps/",
        "awbw:maps/*.csv",
        "awbw:{}/*.csv",
        "awbw:{}",
        ["awbw:maps/[ab].csv", "awbw:maps/c.csv"],
        ["awbw:maps"],
    ],
)
def test_folders_patterns_and_formats_by_name(given: str | list[str], maps: Path) -> None:
    given = given.format(maps) if isinstance(given, str) else given
    samples = Samples.of(given, FileResolver())
    assert [grid.labels for grid in samples] == [("sea", "wood"), ("plain", "sea", "wood"), ("mountain", "sea", "wood")]
    assert samples.tileset is AWBW  # complete, in its own order


def test_plain_csv_is_still_plain_csv(maps: Path) -> None:
    assert len(Samples.of("maps", FileResolver())) == 3
    assert Samples.of("maps/a.csv", FileResolver()).tileset.name == "numbered"
    assert Samples.of(Path("maps"), FileResolver()).labels == ("tile1", "tile2", "tile28", "tile3")
    assert Samples.of("maps", FileResolver(format="awbw")) == Samples.of("awbw:maps", FileResolver())
    assert Samples.of("a.csv", FileResolver(maps, map_tileset=AWBW)).tileset is AWBW


def test_rows_of_glyphs_are_not_read_as_names() -> None:
    assert Samples.of(["a:b", "b:a"]).labels == (":", "a", "b")
    assert len(Samples.of(["awb", "bwa"])) == 1


def test_files_of_a_registered_format_are_not_rows(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.lvl").write_text("#.\n.#\n")
    rows = Samples.of(["a.lvl", "b.lvl"], FileResolver(tmp_path))
    assert len(rows) == 1  # rows of glyphs: there is no such format
    format_registry.add(replace(format_registry.get("txt"), name="levels", extensions=(".lvl",)))
    try:
        samples = Samples.of(["a.lvl", "b.lvl"], FileResolver(tmp_path))
    finally:
        format_registry.remove("levels")
    assert [grid.shape for grid in samples] == [(2, 2), (2, 2)]


PACKAGE = {
    "mine.py": """
from dataclasses import replace
from tilewright.formats import format_registry
levels = replace(format_registry.get("txt"), name="levels", extensions=(".lvl",))
""",
    "mine-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n",
    "mine-1.0.dist-info/entry_points.txt": "[tilewright.formats]\nlevels = mine:levels\n",
    "a.lvl": "#.\n.#\n",
    "b.lvl": "##\n..\n",
}


def test_files_of_an_installed_format_are_not_rows(tmp_path: Path) -> None:
    for name, content in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    program = (
        "import tilewright as tw; print(len(tw.learn('patterns', ['a.lvl', 'b.lvl'], pattern_sizes=(2,)).samples))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "2", done.stderr


def test_a_missing_file_gets_a_suggestion(maps: Path) -> None:
    (maps / "first.csv").write_text("1,2\n2,1\n")
    with pytest.raises(tw.TilewrightError, match=r"maps/frist\.csv: cannot be read .*did you mean 'maps/first\.csv'\?"):
        Samples.of(["maps/frist.csv", "maps/a.csv"], FileResolver())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("maps/deeper", "maps/deeper: folder contains no map"),
        ("maps/*.txt", "maps/*.txt: no file matches"),
        ("awbw:maps/none.csv", "none.csv: cannot be read"),
        ("nothing", "unknown map 'nothing'"),
        ("awbw/nothing", "unknown map 'awbw/nothing'"),
        ("vox:maps", "maps: folder contains no map (.vox)"),
    ],
)
def test_missing_files_are_reported_in_one_line(given: str, message: str, maps: Path) -> None:
    with pytest.raises(tw.TilewrightError) as caught:
        Samples.of(given, FileResolver())
    assert message in str(caught.value)


def test_a_resolver_without_files_opens_none(maps: Path) -> None:
    for given in ("awbw:maps", "maps", "maps/*.csv", "maps/a.csv"):
        with pytest.raises(tw.TilewrightError, match="files are not opened here"):
            Samples.of(given, Resolver())


def test_maps_of_a_game_are_a_built_in_collection() -> None:
    names = data.list_members("awbw")
    samples = Samples.of("awbw")
    assert "awbw" in data.list_collections()
    assert len(samples) == len(names) > 0
    assert samples.tileset == AWBW
    assert Samples.of(f"awbw/{names[0]}").grids == samples.grids[:1]
    assert len(Samples.of(["awbw", "dungeon"])) == len(names) + 1
    with pytest.raises(tw.InvalidRecipe, match="awbw: is a collection; name one map, such as awbw/"):
        Grid.of("awbw")


def test_samples_of_one_tileset_keep_it() -> None:
    caves = [tw.make("caves", width=9, height=9, seed=seed) for seed in range(2)]
    assert Samples.of(caves).tileset is caves[0].tileset
    longer = caves[0].tileset.with_tiles(["strange"])
    odd = caves[1].replace(tileset=longer)
    assert Samples.of([odd, caves[0]]).tileset == longer
    assert set(Samples.of([caves[0], "dungeon"]).tileset.names) < {*caves[0].tileset.names, *_tiles("dungeon")}


def _tiles(name: str) -> tuple[str, ...]:
    return Samples.of(name).tileset.names
