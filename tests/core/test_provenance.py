"""Provenance in files: it is small, contains no folders, and regenerates the map."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.core.provenance import MAX_BYTES, build_provenance, digest, recipe_of, verify


def tileset(tiles: int, name: str = "many") -> tw.Tileset:
    return tw.Tileset.from_labels(["floor", "wall", *(f"{'tile' * 15} {number}" for number in range(tiles))], name)


def test_the_digest_depends_on_names_and_not_on_ids() -> None:
    one, other = tileset(3000), tw.Tileset.from_labels(reversed(tileset(3000).names))
    cells = np.arange(3002).reshape(2, 1501)
    assert digest(tw.TileMap(cells, one)) == digest(tw.TileMap(3001 - cells, other))
    assert digest(tw.TileMap(cells, one)) != digest(tw.TileMap(cells, other))


def test_a_large_tileset_is_stored_as_a_digest_and_read_from_the_file() -> None:
    map = tw.make("caves", width=9, height=5, seed=3, tileset=tileset(9000))
    stored = json.loads(json.dumps(build_provenance(map)))
    assert len(json.dumps(stored)) < MAX_BYTES
    assert stored["recipe"]["tileset"].keys() == {"name", "digest"}
    assert recipe_of(map, stored) == map.recipe
    assert verify(map, stored).outcome == "same"
    assert map.recipe
    elsewhere = map.replace(tileset=map.tileset.with_tiles(["lava"]))
    verdict = verify(elsewhere, stored)
    assert verdict.outcome == "impossible"
    assert "tileset: 'many' is too large to be stored in the recipe" in verdict.message


def test_a_recipe_that_is_too_large_is_left_out() -> None:
    recipe = tw.recipe("fashion", neighbourhood=[(123_456_789, 1)] * 40_000, seed=3)
    map = tw.make("caves", width=9, height=5).replace(recipe=recipe)
    stored = json.loads(json.dumps(build_provenance(map)))
    assert len(json.dumps(stored)) < 1000
    assert recipe_of(map, stored) is None
    assert verify(map, stored).message == "the recipe was too large to store, so the map cannot be regenerated"


@pytest.mark.parametrize("parameter", ["locks", "start"])
def test_a_map_made_from_a_large_one_is_verified_with_its_file(parameter: str, tmp_path: Path) -> None:
    rows = ["01" * 150, "1?" * 150] * 150
    drawing = tmp_path / "drawn.txt"
    drawing.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(rows).encode() + b"\r\n")
    words: dict[str, Any] = {"width": 300, "height": 300} if parameter == "locks" else {}
    map = tw.make("fashion", states=2, generations=1, seed=3, **{parameter: drawing, **words})
    map.save(tmp_path / "a.png")
    assert "drawn" not in json.dumps(build_provenance(map))
    alone = tw.verify(tmp_path / "a.png")
    assert alone.outcome == "impossible"
    assert "give its file too" in alone.message
    assert tw.verify(tmp_path / "a.png", files=[drawing]).outcome == "same"


def test_a_missing_file_is_reported_with_all_other_mistakes(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidRecipe) as caught:
        tw.recipe("fashion", start=tmp_path / "gone.txt", generations=-1, locks=tmp_path / "lost.txt")
    message = str(caught.value)
    assert f"fashion: start: {tmp_path / 'gone.txt'}: cannot be read (No such file or directory)" in message
    assert "generations: must be at least 0" in message
    assert f"locks: {tmp_path / 'lost.txt'}: cannot be read" in message


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "x/" * 3000, "\udcff"])
def test_impossible_file_names_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    for words in (
        {"start": Path(f"{name}.txt")},
        {"locks": f"{name}.png"},
        {"tileset": f"{name}.toml"},
        {"start": name},
    ):
        with refused("", limit=5000):
            tw.recipe("fashion", **words)
    with pytest.raises(tw.TilewrightError):
        tw.run(f"{name}.yaml")


def test_a_tileset_may_name_its_picture_anywhere(tmp_path: Path) -> None:
    picture = tmp_path / "art" / "tiles.png"
    tw.make("caves", width=2, height=2, seed=1).save(picture)
    (tmp_path / "mine.toml").write_text(
        f'sheet.image = "{picture.as_posix()}"\n[[tiles]]\nname = "floor"\nsprite = 0\n[[tiles]]\nname = "wall"\n'
    )
    map = tw.make("caves", width=5, height=4, seed=3, tileset=tmp_path / "mine.toml")
    assert map.tileset.sheet
    assert map.tileset.sheet.picture
    assert str(tmp_path) not in json.dumps(build_provenance(map))
    map.save(tmp_path / "a.json")
    assert tw.verify(tmp_path / "a.json").outcome == "same"
    assert tw.load(tmp_path / "a.json").recipe == map.recipe


def test_a_start_with_levels_is_refused_in_one_line() -> None:
    with pytest.raises(tw.InvalidRecipe, match=r"fashion .*2D"):
        tw.make("fashion", start=[[["0", "1"]], [["1", "0"]]])
    with pytest.raises(tw.InvalidRecipe, match="start: width must be at most 65536, got 70000"):
        tw.recipe("fashion", start=np.zeros((1, 70_000), dtype=int))


def test_windows_at_the_largest_offsets() -> None:
    far = 2**62
    whole = tw.make("caves", width=9, height=5, seed=3, offset=(far - 9, -far))
    part = tw.make("caves", width=4, height=5, seed=3, offset=(far - 4, -far))
    assert np.array_equal(whole.cells[:, 5:], part.cells)
    for technique in ("caves", "fashion"):
        with pytest.raises(tw.InvalidRecipe, match=r"offset.0: must be at most"):
            tw.make(technique, offset=(10**30, 0))
