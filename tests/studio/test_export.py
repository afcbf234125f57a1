"""Exported files: formats, descriptions and archives."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageSequence

import tilewright as tw
from tilewright.core.grid import FREE, Grid
from tilewright.core.landmarks import LandmarkEdits
from tilewright.core.yaml import read_data, write_data
from tilewright.formats import format_registry
from tilewright.studio import operations
from tilewright.studio.export.files import FileRequest, build_options, describe_files, format_bytes, group_formats
from tilewright.studio.jobs import CancelToken
from tilewright.studio.operations import zip_files
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

MAP = tw.make("caves", width=20, height=12, seed=7)


def test_every_format_that_can_be_written_is_offered_once() -> None:
    offered = [name for names in group_formats().values() for name in names]
    assert sorted(offered) == format_registry.names()


@pytest.mark.parametrize(("engines", "group"), [((), "Others"), (("My engine",), "Engines")])
def test_a_plugins_format_is_offered_too(engines: tuple[str, ...], group: str) -> None:
    format_registry.add(replace(format_registry.get("txt"), name="mine", extensions=(".mine",), engines=engines))
    try:
        assert "mine" in group_formats()[group]
    finally:
        format_registry.remove("mine")


def test_the_description_of_a_picture() -> None:
    files = operations.write_map(MAP, "png", {"scale": 4}, CancelToken(Settings()), "level")
    size = format_bytes(len(files["level.png"]))
    assert describe_files(files, is_picture=True) == f"level.png, 80×48 pixels, {size}"


def test_the_description_of_an_animation() -> None:
    progress: list[float] = []
    recipe = operations.check_recipe(
        {"technique": "caves", "params": {"width": 20, "height": 12}, "seed": 7}, Settings()
    )
    token = CancelToken(Settings())
    files = operations.export_map(recipe, "gif", {"frames": 3}, token, "level", on_progress=progress.append).files
    assert "level.gif, 640×384 pixels, " in describe_files(files, is_picture=True)
    assert " frames, " in describe_files(files, is_picture=True)
    assert progress == sorted(progress)
    assert progress[-1] == 1


def test_files_contain_the_edits_by_hand() -> None:
    data = {"technique": "caves", "params": {"width": 20, "height": 12}, "seed": 7}
    state = State.from_recipe(data)
    edits = LandmarkEdits.from_data({"markers": [[None, ["boss", 3, 4]]]})
    state = replace(state, landmarks=edits, painted=Grid(("water",), np.where(np.eye(12, 20), 0, FREE)))
    recipe, token = operations.check_recipe(state.effective, Settings()), CancelToken(Settings())
    edited = state.edit(tw.run(data))
    assert [marker.name for marker in edited.markers] == ["boss"]
    assert (np.array(edited.tileset.names)[edited.cells.diagonal()] == "water").all()
    for format in ("json", "gif"):
        export = operations.export_map(recipe, format, {}, token, edit=state.edit)
        assert export.map == edited
    options = {"markers": True, "scale": 16, "frames": 2}
    export = operations.export_map(recipe, "gif", options, token, edit=state.edit)
    with Image.open(io.BytesIO(export.files["map.gif"])) as film:
        last = np.asarray([*ImageSequence.Iterator(film)][-1].convert("RGB")).astype(int)
    expected = np.asarray(edited.image(scale=16).convert("RGB")).astype(int)
    assert np.abs(last - expected).max() < 16  # A gif has at most 256 colors.


def test_a_picture_shows_what_the_canvas_shows() -> None:
    map = tw.make("rooms", width=20, height=12, seed=7).replace(markers=[tw.Marker("start", 3, 4)])
    png, shown = format_registry.get("png"), State()
    for state, expected in (
        (shown, map.image(scale=32)),
        (shown.with_view_settings(sprites=False), map.image(scale=8, sprites=False)),
    ):
        files = operations.write_map(map, "png", build_options(png, state), CancelToken(Settings()), "level")
        with Image.open(io.BytesIO(files["level.png"])) as picture:
            found = np.asarray(picture.convert("RGB")).astype(int)
        assert np.abs(found - np.asarray(expected.convert("RGB"))).max() <= 12, "with the icon of the marker"
        assert (
            np.abs(
                found
                - np.asarray(
                    map.replace(markers=())
                    .image(scale=expected.height // 12, sprites=None if state is shown else False)
                    .convert("RGB")
                )
            ).max()
            > 12
        )


def test_pages_and_archives_have_the_name_of_the_recipe() -> None:
    state = State().open_recipe({"technique": "caves", "seed": 7}, "lake-cave")
    html, png = format_registry.get("html"), format_registry.get("png")
    assert state.title == "lake-cave"
    assert State().title == "caves"
    assert build_options(html, state)["title"] == "lake-cave, seed 7"
    assert build_options(html, state, {"title": "My cave"}) == {"title": "My cave"}
    assert "title" not in build_options(html, State())
    assert "title" not in build_options(png, state)


def test_several_files_are_zipped() -> None:
    files = operations.write_map(MAP, "tmx", {}, CancelToken(Settings()), "level")
    with zipfile.ZipFile(io.BytesIO(zip_files(files))) as archive:
        assert archive.namelist() == [*files] == ["level.tmx", "level-tiles.png"]
        assert archive.read("level.tmx") == files["level.tmx"]
    assert describe_files(files, is_picture=False).startswith("level.tmx and level-tiles.png, ")


def test_a_file_is_made_again_when_its_map_or_its_options_change() -> None:
    one = FileRequest(MAP, "png", {"scale": 4}, "map")
    assert one.is_same_file(FileRequest(MAP, "png", {"scale": 4}, "another name"))
    assert not one.is_same_file(None)
    assert not one.is_same_file(FileRequest(MAP, "png", {"scale": 5}, "map"))
    assert not one.is_same_file(FileRequest(MAP, "gif", {"scale": 4}, "map"))
    # Equal maps may have different recipes.
    assert not one.is_same_file(FileRequest(tw.make("caves", width=20, height=12, seed=7), "png", {"scale": 4}, "map"))


@pytest.mark.parametrize("seed", ["1e5", "089", "+5", "0x1f", "on", "12:30", "~", "007", "- a", 7, -3])
def test_a_recipe_is_read_as_it_was_written(seed: int | str) -> None:
    data = State.from_recipe(
        {"technique": "caves", "seed": seed, "shaping": ["border"], "locks": [[1, 2, "wall"]]}
    ).effective
    assert read_data(write_data(data), "recipe") == data
    assert write_data({"technique": "caves", "seed": 7}) == "technique: caves\nseed: 7\n"
