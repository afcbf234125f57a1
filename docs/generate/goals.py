"""Pictures of the goals on the first screen of the studio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PIL import ImageDraw
from PIL.Image import Image
from PIL.Image import new as new_image

import tilewright as tw
from tilewright.core.grid import Grid
from tilewright.studio.start.goals import Goal, list_goals

from .pictures import THUMBNAILS

SIZE = (640, 400)
"""Width and height of a picture in pixels."""
CELL = 16
COLORS = 256
DRAWN = "platforms"
"""Sample in the picture of the goal `drawing`."""
PAPER, PAPER_LINE, INK = "#efe9dc", "#d8cfbc", "#a04707"


def iter_thumbnails() -> Iterator[tuple[Path, Callable[[Path], object]]]:
    """Yield the path of each goal's picture, and what draws it."""
    for goal in list_goals():
        yield THUMBNAILS / "goals" / f"{goal.name}.png", partial(_save, goal)


def _save(goal: Goal, path: Path) -> None:
    if isinstance(goal.recipe, str):
        picture = _crop(tw.run(goal.recipe, seed=goal.seed))
    else:
        picture = _draw_empty_map() if goal.opens_picker else _draw_sample_and_map()
    picture.convert("RGB").quantize(COLORS).save(path, optimize=True)


def _crop(map: tw.TileMap) -> Image:
    """Return the middle of a map with its sprites and markers."""
    scale = CELL * max(-(-SIZE[0] // (map.width * CELL)), -(-SIZE[1] // (map.height * CELL)))
    picture = map.image(scale=scale, sprites=True, markers=True)
    left, top = (picture.width - SIZE[0]) // 2 // scale * scale, (picture.height - SIZE[1]) // 2 // scale * scale
    return picture.crop((left, top, left + SIZE[0], top + SIZE[1]))


def _draw_sample_and_map() -> Image:
    """Return a part of a sample on paper, over a map in its style."""
    counts = {"spikes": "<=12", "ladder": ">=12", "coin": ">=12", "earth": "<=360"}
    params = {"sample": "platforms", "sample_edges": ["top", "bottom"], "counts": counts, "width": 56}
    recipe = {"technique": "wfc", "params": {**params, "height": SIZE[1] // CELL + 1}, "seed": 10}
    picture = _crop(tw.run(recipe)).convert("RGB")
    grid = Grid.of(DRAWN)
    assert grid.tileset is not None
    sample = tw.TileMap(grid.to_tile_ids(grid.tileset)[:, 6:30], grid.tileset).image(scale=10, sprites=False)
    margin, left, top = 8, 24, SIZE[1] - sample.height - 24
    frame = (left - margin, top - margin, left + sample.width + margin - 1, top + sample.height + margin - 1)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((*(edge + 4 for edge in frame),), fill="#5b7f92")  # its shadow
    draw.rectangle(frame, fill=PAPER)
    picture.paste(sample.convert("RGB"), (left, top))
    for x in range(left, left + sample.width + 1, 10):
        draw.line((x, top, x, top + sample.height), fill="#9cc3d6")
    for y in range(top, top + sample.height + 1, 10):
        draw.line((left, y, left + sample.width, y), fill="#9cc3d6")
    return picture


def _draw_empty_map() -> Image:
    """Return an empty grid with a plus sign."""
    picture = new_image("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(picture)
    for x in range(0, SIZE[0], 25):
        draw.line((x, 0, x, SIZE[1]), fill=PAPER_LINE)
    for y in range(0, SIZE[1], 25):
        draw.line((0, y, SIZE[0], y), fill=PAPER_LINE)
    middle_x, middle_y = SIZE[0] // 2, SIZE[1] // 2
    draw.rectangle((middle_x - 52, middle_y - 7, middle_x + 51, middle_y + 6), fill=INK)
    draw.rectangle((middle_x - 7, middle_y - 52, middle_x + 6, middle_y + 51), fill=INK)
    return picture
