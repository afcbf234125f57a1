"""Files of other people at the shell: folders with other files beside the maps, maps with question marks, pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tilewright import data
from tilewright.core.search import list_recipe_words

LEVELS = {"a.txt": "-----\n--?--\n-----\nXXXXX\n", "b.txt": "-----\n-Q?Q-\n-----\nXXXXX\n"}
SMALL = ("--width", "6", "--height", "4", "--seed", "3")


@pytest.fixture(autouse=True)
def levels() -> None:
    """Make a folder of levels with a README."""
    Path("levels").mkdir()
    for name, text in LEVELS.items():
        Path("levels", name).write_text(text)
    Path("levels/README.txt").write_text("Levels of my game.\nHave fun!\n")


@pytest.mark.parametrize("sample", ["levels", "levels/*.txt", "txt:levels"])
def test_every_learner_skips_the_readme(sample: str, tilewright: Run) -> None:
    skipped = "levels/README.txt: skipped, because of its name; give the file itself if it is a map"
    for arguments in (
        ("make", "markov", "--sample", sample, *SMALL, "-o", "made.txt"),
        ("learn", "markov", sample, "-o", "model.json"),
        ("measure", "levels/a.txt", "--like", sample),
    ):
        done = tilewright.succeed(*arguments)
        assert done.err.count(skipped) == 1
        assert done.err.count("README") == 1
    assert len(tw.load_model("model.json").samples) == 2
    assert tw.load_model("model.json").samples.labels == ("-", "Q", "X", "question mark")
    assert set(Path("made.txt").read_text()) <= set("-Q?X\n")


def test_samples_to_compare_with_may_be_a_list(tilewright: Run) -> None:
    both = ("levels/a.txt,levels/b.txt", "txt:levels/a.txt,levels/b.txt", "levels/[ab].txt", '["levels/[ab].txt"]')
    for like in both:
        done = tilewright.succeed(
            "measure", "levels/a.txt", "--like", like, "--measures", "copied_share,divergence", "--json"
        )
        assert '"copied_share": 1.0' in done.out


def test_errors_name_the_file_of_the_folder(tilewright: Run) -> None:
    Path("mixed").mkdir()
    tw.load("levels/a.txt").save("mixed/a.json")
    tw.make("caves", width=9, height=9, seed=1).save("mixed/b.json")
    done = tilewright("make", "markov", "--sample", "mixed")
    assert done.err.endswith("must have one tileset, got text (mixed/a.json) and cave (mixed/b.json)\n")
    assert tilewright("verify", "mixed").err == "tilewright: mixed: is a folder; give a file in it\n"
    Path("levels/c.txt").write_text("--\nXX\n")
    done = tilewright("measure", "levels/a.txt", "--like", "levels")
    assert done.code == 2
    assert "tilewright: like: levels/c.txt of 2x2 cells is smaller than a pattern of 3 cells; see" in done.err
    done = tilewright("make", "patterns", "--sample", "levels/README.txt")
    assert done.err == "tilewright: patterns: sample: levels/README.txt: row 2 has 9 glyphs, the first has 18\n"


def test_question_marks_are_free_in_locks_and_tiles_in_maps(tilewright: Run) -> None:
    tilewright.succeed("convert", "levels/a.txt", "again.txt")
    assert Path("again.txt").read_text() == LEVELS["a.txt"]
    Path("locks.txt").write_text("??????\n??????\n??????\nXXXXX?\n")
    sample = ("--sample", "levels/[ab].txt")
    tilewright.succeed("make", "markov", *sample, *SMALL, "--locks", "locks.txt", "-o", "made.json")
    recipe = tw.load("made.json").recipe
    assert recipe is not None
    assert recipe.locks is not None
    assert len(recipe.locks) == 5
    tilewright.succeed("verify", "made.json")


def test_a_picture_is_a_recipe(tilewright: Run) -> None:
    for name in ("map.png", "map.json", "map.npz", "map.tmx"):
        tw.make("rooms", width=30, height=20, seed=5, shaping=["border"]).save(name)
        done = tilewright.succeed("run", name, "-o", "again.png")
        assert tw.load("again.png") == tw.load(name) == tw.run(name)
        done = tilewright.succeed("run", name, "--seed", "6", "--set", "params.width=24", "-o", "other.png")
        assert tw.load("other.png").width == 24
        assert tw.recipe(name, width=24).params.width == 24  # type: ignore[attr-defined]
    done = tilewright("run", "levels/a.txt")
    expected = "tilewright: levels/a.txt: this file has no recipe, because it was not saved by Tilewright\n"
    assert (done.code, done.err) == (2, expected)


def test_entries_are_listed_by_search_words(tilewright: Run) -> None:
    done = tilewright("list", "--search", "dungeons", "--json")
    found = {kind: [row["name"] for row in rows] for kind, rows in json.loads(done.out).items()}
    assert found["techniques"] == ["bsp", "rooms", "diffusion"]
    assert {"crypt", "locked-dungeon", "treasure-dungeon"} <= set(found["recipes"])
    assert "Search words" not in tilewright("explain", "crypt").out


def test_every_technique_and_recipe_has_search_words() -> None:
    assert all(entry.search_words for entry in tw.list_techniques())
    assert all(list_recipe_words(name) for name in data.list_names("recipes"))


def test_a_list_with_semicolons_is_refused_with_the_right_spelling(tilewright: Run) -> None:
    done = tilewright("make", "rooms", "--shape", "place,markers=goblin;orc")
    message = "the parts of a list are separated by commas; write goblin,orc, got 'goblin;orc'"
    assert (done.code, done.err) == (2, f"tilewright: place: markers: {message}\n")


def test_suggested_tiles_are_of_the_same_kind(tilewright: Run) -> None:
    done = tilewright("make", "noise", "--tileset", "dungeon")
    assert done.err.endswith("such as deep=water,sand=floor,forest=grass,hill=corridor\n")
    tiles = ('name = "hedge"\npassable = false', 'name = "gold"\nkind = "key"', 'name = "grass"')
    Path("meadow.toml").write_text("".join(f"[[tiles]]\n{tile}\n" for tile in tiles))
    done = tilewright("make", "caves", "--tileset", "meadow.toml")
    assert done.err.endswith("such as floor=grass,wall=hedge\n")


def test_every_map_of_a_file_is_verified_in_the_given_format(tilewright: Run) -> None:
    start, end = "0110", "0110"
    line = "sMs[0, 0, 0, 0]g1n2w2l2neighbours[(0, 1)]"  # equal scores change nothing
    Path("updates.txt").write_text(f"{start}\n{end}\n{line}\n{start}\n1111\n{line}\n")
    done = tilewright("verify", "updates.txt", "--from", "fbca")
    assert done.code == 1
    assert done.out.splitlines() == [
        "updates.txt[0]: the same map (fashion, seed 0)",
        "updates.txt[1]: another map, unexpectedly: the recipe does not make this map",
    ]
    assert tilewright("verify", "updates.txt").code == 2
    assert "unknown format 'fcba'" in tilewright("verify", "updates.txt", "--from", "fcba").err


def test_options_for_reading_a_format(tilewright: Run) -> None:
    """The letters of markers are on a layer of their own, which one option leaves out."""
    made = tw.make("bsp", width=30, height=20, seed=7, shaping=["place"])
    made.save("level.xp")
    done = tilewright.succeed("convert", "level.xp", "ground.json", "--read-option", "layer=1", "--tileset", "dungeon")
    assert tw.load("ground.json").cells.tolist() == made.cells.tolist()
    assert tw.load("ground.json").markers == ()
    for command in (("show", "level.xp"), ("measure", "level.xp"), ("convert", "level.xp", "no.json")):
        done = tilewright(*command, "--read-option", "layer=3")
        assert (done.code, done.err) == (2, "tilewright: level.xp: has 2 layers, got layer 3\n")
        done = tilewright(*command, "--read-option", "layers=1")
        assert done.code == 2
        assert "did you mean 'layer'?" in done.err
        assert done.err.count("\n") == 1
    assert not Path("no.json").exists()


def test_outputs_do_not_replace_files_of_each_other(tilewright: Run) -> None:
    """The pictures for Godot and Tiled differ, and have the same name."""
    message = (
        "tilewright: level-tiles.png: level.tmx and level.tscn need different files of this name; "
        "choose another name for one of them\n"
    )
    names = ("-o", "level.tmx", "-o", "level.tscn")
    tw.make("caves", width=9, height=9, seed=1).save("level.json")
    for command in (("make", "caves", *SMALL), ("convert", "level.json")):
        done = tilewright(*command, *names)
        assert (done.code, done.err) == (2, message)
        assert not Path("level.tmx").exists()
        done = tilewright.succeed(*command, "-o", "both/level.tmx", "-o", "both/level.tmj", "-o", "other/level.tscn")
