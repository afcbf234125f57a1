"""Files to take home: every format is offered, and what is told of them is true."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

import tilewright as tw
from tilewright.core.yaml import read_data, write_data
from tilewright.formats import shelf
from tilewright.studio import service
from tilewright.studio.desk import Ticket
from tilewright.studio.page.files import Wanted
from tilewright.studio.page.packing import groups, told_of, written_size
from tilewright.studio.service import zipped
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

MAP = tw.make("caves", width=20, height=12, seed=7)


def test_every_format_that_can_be_written_is_offered_once() -> None:
    offered = [name for names in groups().values() for name in names]
    assert sorted(offered) == [entry.name for entry in shelf if entry.write or entry.animate]


def test_a_plugins_format_is_offered_too() -> None:
    shelf.add(replace(shelf.get("txt"), name="mine"))
    try:
        assert groups()["Others"] == ["mine"]
    finally:
        shelf.remove("mine")


def test_what_is_told_of_a_picture() -> None:
    files = service.written(MAP, "png", {"scale": 4}, Ticket(Settings()), "level")
    size = written_size(len(files["level.png"]))
    assert told_of(files, is_picture=True) == f"level.png, 80×48 pixels, {size}"


def test_what_is_told_of_an_animation() -> None:
    heard: list[float] = []
    recipe = service.checked({"technique": "caves", "params": {"width": 20, "height": 12}, "seed": 7}, Settings())
    files = service.animated(recipe, "gif", {"frames": 3}, Ticket(Settings()), "level", tell=heard.append)
    assert "level.gif, 160×96 pixels, " in told_of(files, is_picture=True)
    assert " frames, " in told_of(files, is_picture=True)
    assert heard == sorted(heard)
    assert heard[-1] == 1


def test_files_that_belong_together_are_zipped() -> None:
    files = service.written(MAP, "tmx", {}, Ticket(Settings()), "level")
    with zipfile.ZipFile(io.BytesIO(zipped(files))) as archive:
        assert archive.namelist() == [*files] == ["level.tmx", "level-tiles.png"]
        assert archive.read("level.tmx") == files["level.tmx"]
    assert told_of(files, is_picture=False).startswith("level.tmx and level-tiles.png, ")


def test_a_file_is_made_again_when_its_map_or_its_options_change() -> None:
    one = Wanted(MAP, "png", {"scale": 4}, "map")
    assert one.is_like(Wanted(MAP, "png", {"scale": 4}, "another name"))
    assert not one.is_like(None)
    assert not one.is_like(Wanted(MAP, "png", {"scale": 5}, "map"))
    assert not one.is_like(Wanted(MAP, "gif", {"scale": 4}, "map"))
    # Equal maps may carry other recipes.
    assert not one.is_like(Wanted(tw.make("caves", width=20, height=12, seed=7), "png", {"scale": 4}, "map"))


@pytest.mark.parametrize("seed", ["1e5", "089", "+5", "0x1f", "on", "12:30", "~", "007", "- a", 7, -3])
def test_a_recipe_is_read_as_it_was_written(seed: int | str) -> None:
    data = State.of({"technique": "caves", "seed": seed, "shaping": ["border"], "locks": [[1, 2, "wall"]]}).effective
    assert read_data(write_data(data), "recipe") == data
    assert write_data({"technique": "caves", "seed": 7}) == "technique: caves\nseed: 7\n"
