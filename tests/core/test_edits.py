"""Maps edited by hand: found, locked, rebuilt, measured and exported again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.formats.test_tiled_layers import TILED, has_wang_edit, offscreen
from tests.refusals import refused
from tilewright.cli import main

SIZE = ["--width", "40", "--height", "28"]


def edit_tmj(path: Path, change: Any) -> None:
    """Change a TMJ file as an editor does."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def tile_layers(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [layer for layer in document["layers"] if layer["type"] == "tilelayer"]


def paint(document: dict[str, Any], cell: int, name: str) -> None:
    """Paint a tile on the topmost layer, where it hides all others."""
    tile_layers(document)[-1]["data"][cell] = gid_of(document, name)


def gid_of(document: dict[str, Any], name: str) -> int:
    """Return the first gid of a tile."""
    return next(
        int(part["firstgid"] + tile["id"])
        for part in document["tilesets"]
        for tile in part["tiles"]
        if {"name": "name", "type": "string", "value": name} in tile["properties"]
    )


def test_an_edited_level_is_rebuilt_around_its_edits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, again = tmp_path / "level.tmj", tmp_path / "again.tmj"
    made = ["make", "rooms", *SIZE, "--seed", "7", "--shape", "doors", "--shape", "place"]
    assert main([*made, "-o", str(path)]) == 0
    before = tw.load(path)
    start = next(marker for marker in before.markers if marker.name == "start")

    def change(document: dict[str, Any]) -> None:
        for x in range(12, 22):
            paint(document, 9 * 40 + x, "floor")
        objects = next(layer for layer in document["layers"] if layer["name"] == "markers")["objects"]
        point = next(one for one in objects if one["name"] == "start")
        point["x"], point["y"] = 15 * 16 + 3, 9 * 16 + 12
        orc = {"name": "orc", "type": "orc", "x": 18 * 16, "y": 9 * 16, "point": True}
        orc["properties"] = [{"name": "hp", "type": "int", "value": 12}]
        objects.append(orc)

    edit_tmj(path, change)
    edited = tw.load(path)
    assert edited.where("floor")[9, 12:22].all()
    assert tw.Marker("start", 15, 9) in edited.markers
    assert tw.Marker("orc", 18, 9, properties={"hp": 12}) in edited.markers
    assert start not in edited.markers
    assert main(["verify", str(path)]) == 1
    assert "edited after it was made" in capsys.readouterr().out
    assert main(["measure", str(path)]) == 0

    edits = tw.find_edits(path)
    assert np.array_equal(edits.mask[9, 12:22] | (before.cells == edited.cells)[9, 12:22], np.ones(10, dtype=bool))
    assert edits.mask.sum() <= 10
    assert {marker.name for marker in edits.added} == {"start", "orc"}
    assert edits.removed == (start,)

    assert main(["run", str(path), "--keep-edits", "--seed", "8", "-o", str(again), "-o", str(tmp_path / "a.png")]) == 0
    assert "level.tmj: keeps" in capsys.readouterr().err
    rebuilt = tw.load(again)
    assert (rebuilt.cells == edited.cells)[edits.mask].all()
    assert (rebuilt.cells != before.cells).sum() > 50
    assert [one for one in rebuilt.markers if one.name == "start"] == [tw.Marker("start", 15, 9)]
    assert tw.Marker("orc", 18, 9, properties={"hp": 12}) in rebuilt.markers
    assert main(["verify", str(again)]) == 0
    assert rebuilt == edits.rebuild(seed=8)

    # The file can be edited and rebuilt again, which keeps the first edits.
    def change_more(document: dict[str, Any]) -> None:
        paint(document, 0, "floor")

    edit_tmj(again, change_more)
    third = tw.find_edits(again).rebuild(seed=9)
    assert third.where("floor")[0, 0]
    assert (third.cells == edited.cells)[edits.mask].all()
    assert tw.Marker("orc", 18, 9, properties={"hp": 12}) in third.markers
    for name in ("third.json", "third.png", "third.tmx", "third.csv"):
        third.save(tmp_path / name)


def test_a_map_without_edits_has_none(tmp_path: Path) -> None:
    cave = tw.make("caves", width=20, height=12, seed=3)
    cave.save(tmp_path / "cave.tmx")
    edits = tw.find_edits(tmp_path / "cave.tmx")
    assert not edits.mask.any()
    assert edits.rebuild() == cave
    assert str(edits) == "0 edited cells and 0 edited markers"


def test_edits_of_rotated_maps_are_locked_where_they_are(tmp_path: Path) -> None:
    path = tmp_path / "cave.tmj"
    cave = tw.make("caves", width=20, height=12, seed=3, shaping=["rotate"])
    cave.save(path)

    def change(document: dict[str, Any]) -> None:
        for cell in (25, 26, 27, 28):
            paint(document, cell, "wall" if cave.where("floor").flat[cell] else "floor")

    edit_tmj(path, change)
    edits = tw.find_edits(path)
    assert edits.mask.sum() == 4
    rebuilt = edits.rebuild(seed=4)
    assert (rebuilt.cells == edits.map.cells)[edits.mask].all()


def test_erased_cells_are_made_again(tmp_path: Path) -> None:
    path = tmp_path / "cave.tmj"
    cave = tw.make("caves", width=20, height=12, seed=3)
    cave.save(path)

    def change(document: dict[str, Any]) -> None:
        for layer in tile_layers(document):
            layer["data"][:40] = [0] * 40

    edit_tmj(path, change)
    assert "empty" in tw.load(path).tileset.names
    edits = tw.find_edits(path)
    assert not edits.mask.any()
    assert edits.rebuild() == cave


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.update(properties=[]), "has no recipe"),
        (
            lambda document: (
                document["tilesets"].append({"firstgid": 90000, "name": "b", "tilecount": 9, "tilewidth": 16})
                or tile_layers(document)[-1]["data"].__setitem__(0, 90005)
            ),
            "has no tile 'b 5'; paint with its tiles",
        ),
        (
            lambda document: (
                document.update(height=6)
                or document["layers"][0].update(height=6, data=document["layers"][0]["data"][: 6 * 20])
            ),
            "the map was resized to 20x6 cells, its recipe makes 20x12",
        ),
    ],
)
def test_what_cannot_be_rebuilt_is_refused_in_one_line(
    change: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cave.tmj"
    tw.make("caves", width=20, height=12, seed=3).save(path)
    edit_tmj(path, change)
    with refused(message, tw.BadFile):
        tw.find_edits(path)
    assert main(["run", str(path), "--keep-edits", "-o", str(tmp_path / "new.tmx")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new.tmx").exists()
    assert main(["run", "open-caves", "--keep-edits"]) == 2
    assert "must be the file of a map" in capsys.readouterr().err


EDIT = Path(__file__).with_name("edit_level.js").read_text()


@pytest.mark.skipif(not has_wang_edit(), reason="Tiled 1.10 or newer is missing (TILEWRIGHT_TILED names it)")
def test_a_level_saved_by_tiled_is_rebuilt(tmp_path: Path) -> None:
    path = tmp_path / "level.tmx"
    cave = tw.make("caves", width=20, height=12, seed=3, walls=0.7)
    cave.save(path)
    script = EDIT.replace("PATH", json.dumps(str(path))).replace("FLOOR", str(cave.tileset.id("floor")))
    (tmp_path / "edit.js").write_text(script)
    command = [TILED, "--evaluate", str(tmp_path / "edit.js")]
    done = subprocess.run(command, capture_output=True, text=True, env=offscreen(), timeout=120)
    assert "saved" in done.stdout + done.stderr
    edits = tw.find_edits(path)
    assert edits.map.where("floor")[4, 3:9].all()
    assert edits.added == (tw.Marker("boss", 5, 4, properties={"hp": 30}),)
    rebuilt = edits.rebuild(seed=4)
    assert (rebuilt.cells == edits.map.cells)[edits.mask].all()
    assert edits.added[0] in rebuilt.markers
    rebuilt.save(path)
    assert tw.verify(path).outcome == "same"
