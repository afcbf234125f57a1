"""Samples: one or several maps as a parameter."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright import data
from tilewright.core.grid import Grid
from tilewright.core.resolver import Resolver
from tilewright.core.samples import Samples
from tilewright.core.tilesets import tilesets
from tilewright.formats import format_registry
from tilewright.formats._resolver import DigestResolver, FileResolver


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


@pytest.mark.parametrize("given", read_table(__file__, "folders patterns and formats by name"))
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


def test_names_in_a_list_are_not_read_as_rows_of_glyphs(maps: Path) -> None:
    (maps.parent / "others").mkdir()
    (maps.parent / "others" / "d.csv").write_text("1,2\n2,1\n")
    assert len(Samples.of(["maps", "others"], FileResolver())) == 4
    with pytest.raises(tw.UnknownName, match="unknown map 'vilage'; did you mean 'village'"):
        Samples.of(["dungeon", "vilage"], FileResolver())


def test_rows_of_glyphs_are_not_read_as_names() -> None:
    assert Samples.of(["a:b", "b:a"]).labels == (":", "a", "b")
    assert len(Samples.of(["awb", "bwa"])) == 1


@pytest.mark.usefixtures("own_registry")
def test_files_of_a_registered_format_are_not_rows(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.lvl").write_text("#.\n.#\n")
    rows = Samples.of(["a.lvl", "b.lvl"], FileResolver(tmp_path))
    assert len(rows) == 1  # rows of glyphs: there is no such format
    format_registry.add(replace(format_registry.get("txt"), name="levels", extensions=(".lvl",)))
    samples = Samples.of(["a.lvl", "b.lvl"], FileResolver(tmp_path))
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


@pytest.mark.parametrize(("given", "message"), read_table(__file__, "missing files are reported in one line"))
def test_missing_files_are_reported_in_one_line(given: str, message: str, maps: Path) -> None:
    with refused(message):
        Samples.of(given, FileResolver())


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


LEVELS = {
    "first.txt": "------\n--?Q--\nXXXXXX\n",
    "second.txt": "---?--\n-SSS--\nXXXXXX\n",
}
STRAY = {
    "README.txt": "These are the levels\nof my game.\n",
    "license.txt": "all rights reserved\n",  # rows of equal length, so only the name shows that it is not a map
    "about.txt": "A first paragraph.\n\nA second one.\n",
    "meta.json": '{"author": "me"}',
    "scores.csv": "level,stars\nfirst,3\n",
}


@pytest.fixture
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of levels with question marks and other files, in the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "levels"
    folder.mkdir()
    for name, text in {**LEVELS, **STRAY}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("given", ["levels/first.txt", LEVELS["first.txt"], LEVELS["first.txt"].splitlines()])
def test_samples_read_a_question_mark_as_a_tile(given: str | list[str], levels: Path) -> None:
    samples = Samples.of(given, FileResolver())
    assert samples.labels == ("-", "Q", "X", "question mark")
    assert samples.tileset[samples.tileset.id("question mark")].glyph == "?"
    assert Samples.of(samples.to_data()) == samples


@pytest.mark.parametrize("technique", ["patterns", "markov", "wfc"])
def test_maps_in_the_style_of_levels_with_question_marks(technique: str, levels: Path) -> None:
    recipe: dict[str, Any] = {"technique": technique, "params": {"width": 12, "height": 3}, "seed": 4}
    made = tw.run({**recipe, "params": {**recipe["params"], "sample": "levels/first.txt"}})
    assert "?" in str(made)
    model = tw.learn(technique, "levels/first.txt")
    assert tw.run({**recipe, "params": {**recipe["params"], "model": model}}) == made
    made.save("made.txt")
    assert tw.load("made.txt").tileset.by_name["question mark"] is not None
    tw.load("made.txt").save("again.txt")
    assert Path("again.txt").read_text() == Path("made.txt").read_text()
    made.save("made.json")
    assert tw.verify("made.json").outcome == "same"
    assert tw.measure(made, "divergence", like="levels/first.txt")["divergence"] < 12


def test_a_tileset_names_the_question_mark_of_a_sample(levels: Path) -> None:
    names = {"-": "sky", "?": "bonus", "Q": "empty bonus", "X": "ground"}
    tileset = tw.Tileset.of({"tiles": [{"name": name, "glyph": glyph} for glyph, name in names.items()]})
    made = tw.make("markov", sample="levels/first.txt", tileset=tileset, width=12, height=3, seed=4)
    assert {made.tileset.names[tile] for tile in made.cells.ravel().tolist()} <= set(names.values())
    locks = "??????\n??????\n?????X\n"
    locked = tw.make("markov", sample="levels/first.txt", tileset=tileset, width=6, height=3, seed=4, locks=locks)
    assert locked.recipe is not None
    assert locked.recipe.locks is not None
    assert len(locked.recipe.locks) == 1


def test_files_of_a_folder_that_are_no_maps_are_skipped(levels: Path) -> None:
    with pytest.warns(UserWarning, match=r"skipped") as warned:
        samples = Samples.of("levels", FileResolver())
    assert [grid.name for grid in samples] == ["levels/first.txt", "levels/second.txt"]
    messages = sorted(str(one.message) for one in warned)
    assert [message.partition(":")[0] for message in messages] == sorted(f"levels/{name}" for name in STRAY)
    assert "levels/about.txt: skipped, because it contains no map (all levels of a map have the same size)" in messages
    with pytest.warns(UserWarning, match=r"license\.txt: skipped, because of its name"):
        assert len(Samples.of("levels/*s*.txt", FileResolver())) == 2


def test_a_folder_without_maps_is_refused(levels: Path) -> None:
    for name in LEVELS:
        (levels / name).unlink()
    with (
        pytest.warns(UserWarning, match="skipped"),
        pytest.raises(tw.BadFile, match=r"^levels: none of the files contains a map$"),
    ):
        Samples.of("levels", FileResolver())


@pytest.mark.filterwarnings("ignore:.*skipped")
def test_errors_about_samples_of_a_folder_name_the_file(levels: Path) -> None:
    (levels / "tall.txt").write_text("--\n--\n\n--\n--\n")
    with pytest.raises(tw.InvalidRecipe, match=r"levels/first\.txt is flat but levels/tall\.txt has levels"):
        Samples.of("levels", FileResolver())
    (levels / "tall.txt").write_text("--\n--\n")
    with pytest.raises(tw.InvalidRecipe, match=r"sample: levels/tall\.txt of 2x2 cells is smaller than a pattern of 3"):
        tw.make("wfc", sample="levels", pattern_size=3, wrap_sample="none")
    with pytest.raises(tw.InvalidRecipe, match=r"levels/tall\.txt of 2x2 cells is smaller than a pattern of 3"):
        tw.make("patterns", sample="levels", pattern_sizes=(3,))
    with pytest.raises(tw.InvalidRecipe, match=r"levels/tall\.txt of 2x2 cells is smaller than a pattern of 3"):
        tw.measure(tw.make("caves", seed=1), like="levels")
    with pytest.raises(tw.BadFile, match=r"^levels/about\.txt: all levels of a map have the same size$"):
        Samples.of("levels/about.txt", FileResolver())


@pytest.mark.filterwarnings("ignore:.*skipped")
def test_a_map_with_other_tiles_is_not_skipped(levels: Path) -> None:
    with pytest.raises(tw.BadFile, match=r"first\.txt: unknown glyph"):
        Samples.of("levels", FileResolver(map_tileset=tilesets.get("cave")))


def test_all_maps_of_a_file_are_samples(tmp_path: Path) -> None:
    maps = ["0011", "0110", "1100"]
    line = "sMs[0, 0, 0, 0]g0n2w2l2neighbours[(0, 1)]"
    (tmp_path / "three.fbca").write_text("".join(f"{map}\n{line}\n" for map in maps))
    samples = Samples.of("three.fbca", FileResolver(tmp_path))
    assert [grid.name for grid in samples] == [f"three.fbca[{number}]" for number in range(3)]
    assert len({grid.digest for grid in samples}) == 3
    (tmp_path / "one.txt").write_text("#.\n.#\n")
    assert len(Samples.of([tmp_path / "three.fbca", tmp_path / "one.txt"], FileResolver())) == 4


def test_verification_finds_both_readings_of_a_text_by_digest(levels: Path) -> None:
    resolver = DigestResolver(["levels/first.txt"])
    for free_glyph in (True, False):
        grid = Grid.of(LEVELS["first.txt"], free_glyph=free_glyph)
        assert resolver.find_grid(grid.digest) == grid
