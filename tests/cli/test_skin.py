"""`tilewright skin`: tilesets in the user's own art, from the shell."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.cli.conftest import Run
from tests.formats.skin_sheets import FILL, SIDE, draw_sheet
from tilewright.core.skins import LAYOUTS


def has_color(path: str, color: tuple[int, ...] = FILL) -> bool:
    """Return whether a picture contains a color."""
    return bool((np.asarray(Image.open(path).convert("RGB")) == np.array(color[:3])).all(axis=-1).any())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_from_a_sheet_to_a_level(tilewright: Run, layout: str) -> None:
    draw_sheet(layout).save("walls.png")
    done = tilewright.succeed("skin", "walls.png", "--layout", layout, "--tile", "wall", "-o", "mytiles.toml")
    assert "wrote mytiles.toml, mytiles-preview.png" in done.err
    assert f"of {SIDE}x{SIDE} pixels ({layout})" in done.err
    assert "#" in done.out
    assert has_color("mytiles-preview.png")
    tilewright.succeed("make", "bsp", "--tileset", "mytiles.toml", "--seed", "1", "-o", "level.png", "-o", "level.tmx")
    assert has_color("level.png")
    assert tw.load("level.tmx").tileset.name == "mytiles"


def test_several_runs_make_one_tileset(tilewright: Run) -> None:
    draw_sheet("blob47").save("walls.png")
    draw_sheet("single", columns=1).save("floor.png")
    tilewright.succeed("skin", "walls.png", "--layout", "blob47", "--tile", "wall", "-o", "a/mine.toml")
    done = tilewright.succeed(
        "skin", "floor.png", "--tile", "floor", "--under", "wall", "--under=door", "-o", "a/mine.toml"
    )
    assert "added floor" in done.err
    assert "a/mine-sheet.png" in done.err
    skins = tomllib.loads(Path("a/mine.toml").read_text())["skins"]
    assert [skin["tile"] for skin in skins] == ["wall", "floor"]
    assert skins[1]["under"] == ["wall", "door"]
    again = tilewright("skin", "floor.png", "--tile", "floor", "-o", "a/mine.toml", "--no-preview")
    assert "replaced floor" in again.err
    assert "preview" not in again.err


def test_all_options(tilewright: Run) -> None:
    draw_sheet("edge16", margin=2, spacing=1).save("a.png")
    tilewright.succeed(
        *("skin", "a.png", "--layout", "edge16", "--tile", "lava", "--no-passable", "--base", "cave", "--no-outside"),
        *("--with", "wall", "--with", "ore", "--margin", "2", "--spacing", "1", "--tile-size", f"{SIDE}x{SIDE}"),
        *("--first", "0,0", "-o", "hot.toml", "--preview", "pictures/shown.png"),
    )
    assert Path("pictures/shown.png").exists()
    data = tomllib.loads(Path("hot.toml").read_text())
    assert data["extends"] == "cave"
    assert data["tiles"] == [{"name": "lava", "passable": False}]
    assert (data["sheet"]["margin"], data["sheet"]["spacing"]) == (2, 1)
    assert data["skins"] == [
        {"tile": "lava", "with": ["wall", "ore"], "outside": False, "layout": "edge16", "first": 0}
    ]


def test_another_order_and_variants(tilewright: Run) -> None:
    draw_sheet("edge16").save("a.png")
    masks = "85,84,81,80,69,68,65,64,21,20,17,16,5,4,1,n"
    refused = tilewright("skin", "a.png", "--layout", "edge16", "--order", masks, "--tile", "wall", "-o", "a.toml")
    assert refused.err == "tilewright: order: must name every mask of edge16, 1 mask missing: 0\n"
    tilewright.succeed(
        *("skin", "a.png", "--layout", "edge16", "--order", masks[:-1] + "0", "--tile", "wall", "-o", "a.toml"),
        *("--first", "0", "--tile-size", str(SIDE)),
    )
    sprites = tomllib.loads(Path("a.toml").read_text())["skins"][0]["sprites"]
    assert sprites["85"] == [0]
    assert sprites["0"] == [15]
    tilewright.succeed("skin", "a.png", "--tile", "floor", "--first", "3", "--first", "2,0=0.5", "-o", "a.toml")
    assert tomllib.loads(Path("a.toml").read_text())["skins"][1]["sprites"] == {"0": [3, [2, 0.5]]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_template_can_be_used_at_once(tilewright: Run, layout: str) -> None:
    tilewright.succeed("skin", "t.png", "--layout", layout, "--template", "--tile=wall", "--tile-size", "12x12")
    done = tilewright.succeed("skin", "t.png", "--layout", layout, "--tile", "wall", "-o", "a.toml")
    assert f"of 12x12 pixels ({layout})" in done.err


@pytest.mark.parametrize(("layout", "hint"), [("cr31", "7x7"), ("godot3x3", "12x4")])
def test_a_sheet_of_another_layout_is_noticed(tilewright: Run, layout: str, hint: str) -> None:
    draw_sheet(layout).save("a.png")
    done = tilewright("skin", "a.png", "--layout", "blob47", "--tile", "wall", "-o", "a.toml")
    assert f"sheets of {hint} sprites usually have the layout {layout}; look at the preview" in done.err
    right = tilewright("skin", "a.png", "--layout", layout, "--tile", "wall", "-o", "b.toml")
    assert "usually" not in right.err


def test_a_map_never_replaces_the_picture_of_its_sprites(tilewright: Run) -> None:
    draw_sheet("blob47").save("walls.png")
    tilewright.succeed("skin", "walls.png", "--layout", "blob47", "--tile", "wall", "-o", "walls.toml")
    before = Path("walls.png").read_bytes()
    message = "walls.png: is the picture of the sprites of tileset 'walls'; choose another name"
    done = tilewright("make", "bsp", "--tileset", "walls.toml", "--seed", "7", "-o", "level.tmx", "-o", "walls.png")
    assert (done.code, done.err) == (2, f"tilewright: {message}\n")
    assert not Path("level.tmx").exists()
    with pytest.raises(tw.BadFile, match=message):
        tw.make("bsp", tileset="walls.toml", width=20, height=12, seed=7).save("walls.png")
    assert Path("walls.png").read_bytes() == before


@pytest.mark.parametrize("flags", [(), ("--keep-edits",)])
def test_levels_are_made_again_in_the_same_art(flags: tuple[str, ...], tilewright: Run) -> None:
    draw_sheet("blob47").save("walls.png")
    tilewright.succeed("skin", "walls.png", "--layout", "blob47", "--tile", "wall", "-o", "walls.toml")
    small = ("--width", "20", "--height", "12", "--seed", "7")
    tilewright.succeed("make", "bsp", "--tileset", "walls.toml", *small, "-o", "level.tmx")
    tilewright.succeed("run", "level.tmx", "--seed", "8", *flags, "-o", "next.tmx", "-o", "next.png")
    assert has_color("next.png")
    assert 'source="walls.png"' in Path("next.tmx").read_text()
