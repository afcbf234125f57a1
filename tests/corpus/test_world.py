"""Worlds: generated in chunks they equal the map generated at once; killed runs resume; zarr reads them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import tilewright as tw
from tests.cases import read_table
from tests.cli.conftest import Ended, Run
from tests.core.test_chunks import CASES, PARAMS
from tests.jobs.programs import read_files
from tilewright.core import ports
from tilewright.core.recipe import Recipe
from tilewright.core.registry import techniques
from tilewright.corpus import World, make_world, world_layout
from tilewright.corpus import world as world_job
from tilewright.corpus.world import choose_block_size, plan_blocks
from tilewright.corpus.world_layout import WorldLayout


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use one block per chunk, whatever the overhead."""
    set_waste(1e9, monkeypatch)


def set_waste(waste: float, patch: pytest.MonkeyPatch) -> None:
    """Let blocks grow until the overhead is at most `waste`."""
    patch.setattr(world_job, "TARGET_WASTE", waste)
    patch.setattr(world_job, "MAX_WASTE", 1e9)


def read_cells(folder: Path) -> Any:
    """Return the cells as zarr reads them."""
    return zarr.open_group(folder, mode="r")["cells"][...]


# -- equal to the map at once -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("technique", "params"), CASES, ids=str)
def test_world_equals_the_map_generated_at_once(
    technique: str, params: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tw.make(technique, width=77, height=53, seed="w", **params)
    for number, (chunk, waste) in enumerate([(8, 1e9), (16, 1.2), (128, 1.2)]):
        set_waste(waste, monkeypatch)
        folder = tmp_path / f"{number}.zarr"
        world = make_world(technique, folder, width=77, height=53, seed="w", chunk=chunk, workers=0, **params)
        np.testing.assert_array_equal(read_cells(folder), whole.cells)
        assert world.window(0, 0, 77, 53) == tw.TileMap(whole.cells, whole.tileset)


@settings(max_examples=25)
@given(data=st.data())
def test_any_recipe(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    technique = data.draw(st.sampled_from(sorted(PARAMS)))
    size: dict[str, Any] = {"width": data.draw(st.integers(1, 70)), "height": data.draw(st.integers(1, 70))}
    params: dict[str, Any] = data.draw(PARAMS[technique])
    with pytest.MonkeyPatch.context() as patch:
        set_waste(data.draw(st.sampled_from([1.05, 2.0, 1e9])), patch)
        folder = tmp_path_factory.mktemp("any") / "w.zarr"
        chunk = data.draw(st.sampled_from([8, 16, 32, 64]))
        make_world(technique, folder, seed=3, chunk=chunk, workers=0, **size, **params)
    np.testing.assert_array_equal(read_cells(folder), tw.make(technique, seed=3, **size, **params).cells)


def test_on_dask(tmp_path: Path, small_blocks: None) -> None:
    words: dict[str, Any] = {"width": 300, "height": 200, "seed": 4, "chunk": 32, "generations": 4}
    progress: list[tw.Progress] = []
    make_world("fashion", tmp_path / "dask.zarr", workers=2, on_progress=progress.append, **words)
    make_world("fashion", tmp_path / "here.zarr", workers=0, **words)
    assert read_files(tmp_path / "dask.zarr") == read_files(tmp_path / "here.zarr")
    assert progress[-1].done == progress[-1].count == 70
    assert progress[-1].dashboard.startswith("http://127.0.0.1:")


def test_tilesets_of_more_than_256_tiles(tmp_path: Path, small_blocks: None) -> None:
    words = [f"tile{number}" for number in range(300)]
    many = tw.Tileset.from_labels([*words, "floor", "wall"])
    recipe = tw.recipe("caves", width=40, height=30, tileset=many, seed=1)
    world = make_world(recipe, tmp_path / "w.zarr", chunk=16, workers=0)
    assert read_cells(tmp_path / "w.zarr").dtype == np.uint16
    assert world.window(0, 0, 40, 30).cells.dtype == np.uint16
    np.testing.assert_array_equal(read_cells(tmp_path / "w.zarr"), tw.run(recipe).cells)
    assert world.tileset == many


# -- resuming ---------------------------------------------------------------------------------------------------


def test_missing_files_are_regenerated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world_layout, "COARSEST_OVERVIEW", 10)
    words: dict[str, Any] = {"width": 100, "height": 90, "seed": 1, "chunk": 16, "workers": 0}
    folder = tmp_path / "w.zarr"
    make_world("caves", folder, **words)
    before = read_files(folder)
    assert "overview/8/c.1.1.0" in before
    gone = [["cells/c.0.0", "cells/c.3.2", "cells/c.3.4", "overview/2/c.0.0.0"], ["overview/2/c.2.2.0"]]
    for names in [*gone, ["overview/8/c.1.1.0"], ["overview.png"], ["cells/zarr.json", "overview/zarr.json"]]:
        for name in names:
            (folder / name).unlink()
        make_world("caves", folder, **words)
        assert read_files(folder) == before
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    make_world("caves", folder, **words)
    assert times == {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_blocks_cover_only_missing_chunks() -> None:
    recipe = Recipe.of({"technique": "fashion", "params": {"width": 9000, "height": 9000}, "seed": 1})
    layout = WorldLayout.of(recipe)
    assert choose_block_size(layout, recipe) == 2
    blocks = plan_blocks(layout, recipe, [(0, 1), (1, 1), (8, 8), (4, 5), (5, 4)])
    assert [(block.first, block.chunks, len(block.missing)) for block in blocks] == [
        ((0, 1), (2, 1), 2),
        ((4, 4), (2, 2), 2),
        ((8, 8), (1, 1), 1),
    ]


# -- other tools ------------------------------------------------------------------------------------------------


def test_zarr_opens_it_without_warnings(tmp_path: Path) -> None:
    make_world("noise", tmp_path / "w.zarr", width=90, height=60, seed="s", chunk=32, workers=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        group = zarr.open_group(tmp_path / "w.zarr", mode="r")
        assert sorted(name for name, _ in group.members(max_depth=None)) == ["cells", "overview", "overview/2"]
    metadata = group.attrs["tilewright"]
    assert metadata["kind"] == "tilewright world"
    assert metadata["tilewright"] == tw.__version__
    assert metadata["seed"] == "s"
    assert metadata["revisions"] == {"noise": 1}
    assert metadata["recipe"]["params"]["octaves"] == 5
    cells = group["cells"]
    assert cells.metadata.dimension_names == ("y", "x")
    assert cells.attrs["tiles"] == list(World(tmp_path / "w.zarr").tileset.names)
    assert cells.chunks == (32, 32)
    assert group["overview/2"].attrs["cells_per_pixel"] == 2


def test_recipe_regenerates_the_world(tmp_path: Path) -> None:
    world = make_world("fashion", tmp_path / "w.zarr", states=3, width=50, height=40, generations=3, workers=0)
    assert int(world.seed) < 10**9
    assert world.recipe.params.scores != "random"  # type: ignore[attr-defined]
    np.testing.assert_array_equal(tw.run(world.recipe).cells, world.window(0, 0, 50, 40).cells)


@pytest.mark.parametrize("size", [(83, 50), (16, 16), (1, 1), (1, 70), (64, 128)], ids=str)
def test_overviews_are_mean_colors(size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world_layout, "COARSEST_OVERVIEW", 10)
    monkeypatch.setattr(world_layout, "PICTURE_SIDE", 20)
    width, height = size
    world = make_world("noise", tmp_path / "w.zarr", width=width, height=height, seed=1, chunk=16, workers=0)
    colors = world.tileset.colors[world.window(0, 0, width, height).cells].astype(np.float64)
    group = zarr.open_group(tmp_path / "w.zarr", mode="r")
    for number, level in enumerate(world.levels):
        seen = world.overview(level)
        assert seen.shape == (-(-height // level), -(-width // level), 3)
        np.testing.assert_array_equal(group[f"overview/{level}"][...], seen)
        rows, columns = np.arange(0, height, level), np.arange(0, width, level)
        sums = np.add.reduceat(np.add.reduceat(colors, rows, axis=0), columns, axis=1)
        counts = np.minimum(level, height - rows)[:, None] * np.minimum(level, width - columns)
        inner = np.s_[: height // level, : width // level]  # at the edges, means of means have other weights
        off = np.abs(seen - sums / counts[..., None])
        assert (off if number == 0 else off[inner]).max(initial=0) <= 0.5 * (number + 1)
    assert max(seen.shape) <= 10
    picture = Image.open(tmp_path / "w.zarr" / "overview.png")
    assert max(picture.size) <= 20
    assert picture.size == world.image().size
    np.testing.assert_array_equal(np.asarray(picture), np.asarray(world.image()))


@pytest.mark.parametrize(
    ("side", "levels", "picture"),
    [(100, (2,), 2), (4096, (2, 4), 2), (8192, (4, 8), 4), (16384, (4, 8, 16), 8), (65536, (8, 16, 32, 64), 32)],
)
def test_levels(side: int, levels: tuple[int, ...], picture: int) -> None:
    recipe = Recipe.of({"technique": "caves", "params": {"width": side, "height": side // 2}, "seed": 1})
    layout = WorldLayout.of(recipe)
    assert layout.levels == levels
    assert layout.picture_level == picture


def test_windows(tmp_path: Path) -> None:
    world = make_world("caves", tmp_path / "w.zarr", width=100, height=60, seed=1, chunk=16, workers=0)
    whole = tw.make("caves", width=100, height=60, seed=1)
    for x, y, width, height in [(0, 0, 1, 1), (99, 59, 1, 1), (15, 15, 2, 2), (3, 20, 90, 31), (16, 16, 16, 16)]:
        np.testing.assert_array_equal(
            world.window(x, y, width, height).cells, whole.cells[y : y + height, x : x + width]
        )
    assert (world.width, world.height, world.shape, world.chunks) == (100, 60, (60, 100), 28)
    assert repr(world).startswith("<World 100x60 of cave, seed 1, in ")
    for wrong in [(0, 0, 101, 1), (-1, 0, 5, 5), (0, 0, 0, 5), (0, 59, 5, 2), (True, 0, 1, 1), (0.5, 0, 1, 1)]:
        with pytest.raises(tw.InvalidRecipe, match=r"^window: "):
            world.window(*wrong)  # type: ignore[arg-type]
    with pytest.raises(tw.InvalidRecipe, match=r"^level: must be one of 2, got 3$"):
        world.overview(3)


# -- bad input ------------------------------------------------------------------------------------------------


def test_damaged_and_missing_chunks(tmp_path: Path) -> None:
    world = make_world("caves", tmp_path / "w.zarr", width=40, height=40, seed=1, chunk=16, workers=0)
    chunk = tmp_path / "w.zarr" / "cells" / "c.1.1"
    content = chunk.read_bytes()
    for bad in (b"", content[:-4], b"nonsense", content + b"more"):
        chunk.write_bytes(bad)
        with pytest.raises(tw.BadFile, match=r"w\.zarr/cells/c\.1\.1: damaged; delete the file"):
            world.window(0, 0, 40, 40)
    chunk.write_bytes(world_layout.compress_chunk(np.full((16, 16), 200, dtype=np.uint8), 16))
    with pytest.raises(tw.BadFile, match="tile id 200, but there are 7 tiles"):
        world.window(0, 0, 40, 40)
    chunk.unlink()
    with pytest.raises(tw.BadFile, match=r"w\.zarr/cells/c\.1\.1: not generated yet"):
        world.window(0, 0, 40, 40)
    world.window(0, 0, 16, 40)  # the other chunks can be read


@pytest.mark.parametrize(("given", "options", "line"), read_table(__file__, "invalid arguments"))
def test_invalid_arguments_are_refused_before_any_work(
    given: Any, options: dict[str, Any], line: str, tmp_path: Path
) -> None:
    with pytest.raises(tw.TilewrightError, match=line) as caught:
        make_world(given, tmp_path / "w.zarr", **{"workers": 0, **options})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "w.zarr").exists()


def test_blocks_fit_in_memory() -> None:
    """Check that blocks are bounded or refused for any reach; a world of one block has no margin."""
    for technique in ("caves", "fashion", "noise", "voronoi"):
        entry = techniques.get(technique)
        for words in ({}, {"steps": 300}, {"generations": 500}, {"generations": 60, "morph": "random"}, {"relax": 20}):
            params = {"width": 65536, "height": 65536, **words}
            if not set(words) <= set(entry.params.model_fields):
                continue
            recipe = Recipe.of({"technique": technique, "params": params, "seed": 1})
            layout = WorldLayout.of(recipe)
            side = choose_block_size(layout, recipe) * layout.chunk
            reach = entry.reach(recipe.params) if entry.margin_in_memory else 0  # type: ignore[misc]
            assert entry.memory(recipe.params, (side + 2 * reach) ** 2) <= world_job.MAX_MEMORY
    recipe = Recipe.of(
        {"technique": "fashion", "params": {"width": 900, "height": 800, "generations": 99_999}, "seed": 1}
    )
    assert choose_block_size(WorldLayout.of(recipe, 64), recipe) == 15


# -- the command line -----------------------------------------------------------------------------------------


def test_make_and_run(here: Path, tilewright: Run) -> None:
    done = tilewright("make caves --width 40 --height 30 --seed 7 -o w.zarr --workers 0")
    assert done == Ended(0, "", "caves 40x30, seed 7, wrote w.zarr, 1 chunk, and its overview.png\n")
    (here / "recipe.yaml").write_text("technique: caves\nparams: {width: 40, height: 30}\nseed: 7\n")
    tilewright.succeed("run recipe.yaml -o {technique}_{seed}.zarr")
    assert read_files(here / "w.zarr") == read_files(here / "caves_7.zarr")
    np.testing.assert_array_equal(read_cells(here / "w.zarr"), tw.make("caves", width=40, height=30, seed=7).cells)


def test_windows_are_read_where_files_are(here: Path, tilewright: Run) -> None:
    world = make_world("caves", "w.zarr", width=100, height=60, seed=1, chunk=16, workers=0)
    tilewright.succeed("convert w.zarr@30,20,25,12 -o cut.json")
    assert tw.load("cut.json") == world.window(30, 20, 25, 12)
    assert tilewright("show w.zarr@30,20,25,12").out == f"{world.window(30, 20, 25, 12)}\n"
    for name, line in [
        ("w.zarr", "w.zarr: a window of a world must be written w.zarr@X,Y,WIDTH,HEIGHT"),
        ("w.zarr@1,2", "w.zarr: a window of a world must be written w.zarr@X,Y,WIDTH,HEIGHT, got '1,2'"),
        ("w.zarr@1,2,300,4", "window: 300x4 at 1, 2 exceeds the size of 100x60"),
        ("x.zarr@1,2,3,4", "x.zarr: contains no world"),
    ]:
        assert tilewright(f"show {name}") == Ended(2, "", f"tilewright: {line}\n")


def test_map_larger_than_memory_can_be_a_world(tilewright: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports.available_memory, "get", lambda: lambda: 1 << 20)
    command = "make caves --width 4200 --height 4000 --steps 1 -o"
    done = tilewright(f"{command} w.png")
    assert done.code == 2
    assert "needs about" in done.err
    tilewright.succeed(f"{command} w.zarr --workers 0")
