from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.formats.maps import read_map, same
from tilewright import formats
from tilewright.core.site import Site
from tilewright.formats._animation import AnimationParams, thin_frames

ANIMATIONS = ["gif", "webp", "apng"]
MAP = tw.make("caves", width=14, height=9, seed=5)
SITE = Site(MAP.shape, MAP.tileset)


def pictures(path: Path) -> list[np.ndarray]:
    with Image.open(path) as animation:
        found = []
        for number in range(getattr(animation, "n_frames", 1)):
            animation.seek(number)
            found.append(np.asarray(animation.convert("RGB")))
        return found


def flat_pixels(frame: tw.Frame, scale: int) -> np.ndarray:
    colors: np.ndarray = frame.tileset.colors[frame.cells]
    return colors.repeat(scale, 0).repeat(scale, 1)


@pytest.mark.parametrize("name", ANIMATIONS)
def test_every_frame_shows_its_cells_exactly(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{name}"
    frames = list(tw.watch("caves", width=14, height=9, seed=5))
    formats.save_animation(iter(frames), path, scale=3, duration=40, hold=500)
    distinct = [
        frame
        for number, frame in enumerate(frames)
        if number == 0 or not np.array_equal(frame.cells, frames[number - 1].cells)
    ]
    shown = pictures(path)
    assert len(shown) == len(distinct) > 3
    assert all(np.array_equal(picture, flat_pixels(frame, 3)) for picture, frame in zip(shown, distinct, strict=True))


@pytest.mark.parametrize("name", ANIMATIONS)
def test_the_last_frame_lasts_longer_and_the_animation_loops(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{name}"
    frames = [tw.Frame(np.full(MAP.shape, number), site=SITE).snapshot() for number in range(3)]
    formats.save_animation(frames, path, duration=40, hold=500, loop=3)
    with Image.open(path) as animation:
        assert animation.info["loop"] == 3
        durations = []
        for number in range(getattr(animation, "n_frames", 1)):
            animation.seek(number)
            animation.load()
            durations.append(animation.info["duration"])
    assert durations == [40, 40, 500]


@pytest.mark.parametrize("name", ANIMATIONS)
def test_reading_gives_the_finished_map(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{name}"
    formats.save_animation(tw.watch("caves", width=14, height=9, seed=5), path)
    assert tw.load(path) == MAP
    assert tw.verify(path).outcome == "same"


@pytest.mark.parametrize("name", ANIMATIONS)
def test_colors_and_lines_of_frames_are_shown(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{name}"
    colors = np.zeros((*MAP.shape, 3), dtype=np.uint8)
    colors[2, 3] = 255, 0, 128
    frames = [
        tw.Frame(MAP.cells, site=SITE).snapshot(),
        tw.Frame(MAP.cells, site=SITE, lines=[((0, 4), (13, 4))]).snapshot(),
        tw.Frame(None, site=SITE, note="nothing to see").snapshot(),
        tw.Frame(None, site=SITE, colors=lambda: colors).snapshot(),
        tw.Frame(MAP.cells, site=SITE, map=MAP),
    ]
    formats.save_animation(frames, path, scale=5)
    plain, lined, colored, last = pictures(path)
    assert (plain != lined).any(axis=(1, 2))[20:25].any()
    assert not (plain != lined).any(axis=(1, 2))[[*range(18), *range(27, 45)]].any()
    assert np.array_equal(colored, colors.repeat(5, 0).repeat(5, 1))
    assert np.array_equal(last, plain)
    assert tw.load(path) == MAP


@pytest.mark.parametrize("name", ANIMATIONS)
def test_frames_of_different_sizes_share_a_canvas(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{name}"
    small = tw.TileMap(MAP.cells[2:5, 1:5], MAP.tileset)
    tall = tw.TileMap(MAP.cells.T, MAP.tileset)
    frames = [
        tw.Frame(map.cells, site=Site(map.shape, map.tileset), map=small if map is small else None)
        for map in (MAP, tall, small)
    ]
    formats.save_animation(frames, path, scale=2)
    assert {picture.shape for picture in pictures(path)} == {(28, 28, 3)}
    assert tw.load(path) == small


def test_thinning_keeps_the_first_and_last_frame_and_few_in_memory() -> None:
    alive = [0, 0]

    class Counted(tw.Frame):
        def __init__(self, number: int) -> None:
            super().__init__(np.full_like(MAP.cells, number % 7), site=SITE, progress=float(number))
            alive[0] += 1
            alive[1] = max(alive)

        def __del__(self) -> None:
            alive[0] -= 1

    def frames(count: int) -> Iterator[tw.Frame]:
        return (Counted(number) for number in range(count))

    for count in (1, 2, 3, 10, 11, 12, 1000, 1001):
        kept = thin_frames(frames(count), AnimationParams(frames=10))
        numbers = [int(frame.progress or 0) for frame in kept if isinstance(frame, tw.Frame)]
        assert len(numbers) == len(kept)
        del kept
        assert (numbers[0], numbers[-1]) == (0, count - 1)
        assert min(count, 5) <= len(numbers) <= 10
        steps = np.diff(numbers[:-1])
        assert len(set(steps.tolist())) <= 1
    assert alive[1] <= 12


def test_nothing_to_show_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tw.TilewrightError, match="at least one frame"):
        formats.save_animation([], tmp_path / "a.gif")
    with pytest.raises(tw.TilewrightError, match="cannot hold an animation; use apng, gif, webp"):
        formats.save_animation([], tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "side"), [("gif", 65_535), ("webp", 16_383)])
def test_sides_beyond_the_format_are_refused(name: str, side: int) -> None:
    map = tw.TileMap(np.zeros((1, side + 1), np.uint8), MAP.tileset)
    with pytest.raises(tw.TooLarge, match="pixels wide and high"):
        formats.encode(map, name, scale=1)


@pytest.mark.parametrize(("name", "kind"), [("gif", "GIF"), ("webp", "WEBP"), ("apng", "PNG")])
def test_other_animations_are_read_by_color(name: str, kind: str) -> None:
    buffer = io.BytesIO()
    first, last = (Image.fromarray(np.array(cells, np.uint8) * 255) for cells in ([[0, 0]], [[0, 1]]))
    more = {"comment": b"made by hand"} if kind == "GIF" else {"lossless": True}
    first.convert("RGB").save(buffer, kind, save_all=True, append_images=[last.convert("RGB")], **more)
    assert read_map(name, buffer.getvalue()).cells.tolist() == [[0, 1]]


def test_consecutive_frames_differ() -> None:
    frames = list(tw.watch("caves", seed=7, width=20, height=12, shaping=["connect", "connect", "connect"]))
    shown = thin_frames(iter(frames), AnimationParams())
    assert shown[-1].map is not None  # type: ignore[union-attr]
    for before, after in pairwise(shown):
        assert not np.array_equal(before.cells, after.cells)


@pytest.mark.parametrize("name", ANIMATIONS)
def test_an_overlay_is_drawn_only_over_the_finished_map(name: str, tmp_path: Path) -> None:
    for path, options in ((tmp_path / f"a.{name}", {}), (tmp_path / f"b.{name}", {"overlay": "distance"})):
        formats.save_animation(tw.watch("caves", width=14, height=9, seed=5), path, scale=3, **options)
        assert same(tw.load(path), MAP)
    plain, tinted = (pictures(tmp_path / f"{stem}.{name}") for stem in "ab")
    assert all(np.array_equal(one, other) for one, other in zip(plain[:-1], tinted[:-1], strict=True))
    assert not np.array_equal(plain[-1], tinted[-1])
