"""What the studio does, page and API alike: plain functions that run at the desk and pass their ticket.

Nothing here opens a file: words in what people send are built-in names, and uploads are read from memory.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from threading import Lock
from typing import Any

from ..analysis import survey
from ..analysis.similarity import Similarity
from ..core import pipeline
from ..core.errors import BadFile, InvalidRecipe, TilewrightError
from ..core.grid import FREE, Grid
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.resolver import Resolver
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..core.yaml import read_data
from ..formats import Source, decode, format_of, format_registry
from ..formats._animation import AnimationParams
from ..overlays.kinds import OverlayRequest
from ..overlays.overlay import Overlay
from .jobs import CancelToken
from .limits import check_recipe_size, check_size, check_upload, fit_animation, fit_picture, limit_frames
from .settings import Settings

Files = Mapping[str, bytes]
"""Contents by file name, the main one first."""
OnProgress = Callable[[float], None]
"""Gets how far work is, from 0 to 1."""
_READ_LOCK = Lock()
"""A file that means harm may unpack to a gigabyte before its reader refuses it: never two at once."""


def check_recipe(data: Mapping[str, Any] | Recipe, settings: Settings) -> Recipe:
    """A recipe from plain data, refused if it is wrong or larger than this studio allows."""
    recipe = Recipe.of(data, Resolver())
    check_recipe_size(recipe, settings)
    make_plan(recipe)
    return recipe


def read_recipe_data(text: str) -> Mapping[str, Any]:
    """Plain data of a recipe: a built-in one by its name, any other as YAML or JSON."""
    if any(mark in text for mark in ":\n{"):
        return read_data(text, "recipe")
    return Resolver().read_recipe(text)[0]


def frames(recipe: Recipe, token: CancelToken) -> Iterator[Frame]:
    """The work as it goes: borrowed frames, of which `shown()` is a copy; the last one has the map."""
    for frame in pipeline.iter_frames(recipe):
        token.check()
        if frame.site is not None:
            check_size(frame.site.shape, token.settings)
        yield frame


def make_map(recipe: Recipe, token: CancelToken) -> TileMap:
    """The map of a recipe."""
    for frame in frames(recipe, token):
        if frame.map is not None:
            return frame.map
    raise TilewrightError("the work ended without a map")


def record_frames(
    recipe: Recipe, token: CancelToken, max_frames: int, on_progress: OnProgress | None = None
) -> list[Frame]:
    """The frames of the work, evenly thinned to so many at most; the first and the last, with the map, among them."""
    max_frames = limit_frames(max_frames, recipe.shape, token.settings)
    kept: list[Frame] = []
    step = 1
    for number, frame in enumerate(frames(recipe, token)):
        if on_progress is not None and frame.progress is not None:
            on_progress(frame.progress)
        if frame.map is not None:
            kept = [*kept[: max_frames - 1], frame]
        elif number % step == 0 and (frame.cells is not None or frame.colors is not None):
            kept.append(frame.snapshot())
            if len(kept) >= max_frames:
                kept, step = kept[::2], 2 * step
    return kept


def measure_map(
    map: TileMap, token: CancelToken, names: Iterable[str] = (), *, like: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """Numbers of a map by name; without names, all that apply. `like` holds what `Similarity` takes."""
    similarity = None if like is None else Similarity.validate(like, resolver=Resolver())
    return survey.measure_map(map, names, similarity, before_each=token.check)


@dataclass(frozen=True)
class Export:
    """Files, and the map that they show."""

    files: Files
    map: TileMap


def export_map(
    recipe: Recipe,
    format: str,
    options: Mapping[str, Any],
    token: CancelToken,
    name: str = "map",
    *,
    animate: bool = True,
    on_progress: OnProgress | None = None,
) -> Export:
    """The map of a recipe in a format; in one that holds animations, the work on it, unless it is to stand still."""
    entry = format_registry.get(format)
    params = entry.params.validate(options)  # before the work: a mistake is told at once
    path = Path(name + "".join(entry.extensions[:1]))
    if entry.animate is None or (entry.write is not None and not animate):
        map = make_map(recipe, token)
        return Export(write_map(map, format, options, token, name), map)
    most = params.frames if isinstance(params, AnimationParams) else token.settings.frames
    kept = record_frames(recipe, token, most, on_progress)
    if isinstance(params, AnimationParams):
        params = fit_animation(params, kept, token.settings)
    token.check()
    last = kept[-1].map
    assert last is not None
    return Export(entry.animate(kept, params, path), last)


def write_map(map: TileMap, format: str, options: Mapping[str, Any], token: CancelToken, name: str = "map") -> Files:
    """A map in a format, and what belongs beside it."""
    entry = format_registry.get(format)
    if entry.write is None:
        raise TilewrightError(f"format {entry.name!r} cannot write a single map")
    params = fit_picture(entry.params.validate(options), map, token.settings)
    token.check()
    return entry.write(map, params, Path(name + "".join(entry.extensions[:1])))


def zip_files(files: Files) -> bytes:
    """Files in one archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # a fixed date: same map, same bytes
    return buffer.getvalue()


def export_animation(
    recipe: Recipe,
    format: str,
    options: Mapping[str, Any],
    token: CancelToken,
    name: str = "map",
    *,
    on_progress: OnProgress | None = None,
) -> Files:
    """The work on a map as an animation."""
    if format_registry.get(format).animate is None:
        raise TilewrightError(f"format {format!r} holds no animation")
    return export_map(recipe, format, options, token, name, on_progress=on_progress).files


def read_upload(
    content: bytes, name: str, settings: Settings, tileset: Tileset | None = None, format: str | None = None
) -> TileMap:
    """The first map in a file that somebody sent; only the ending of its name is looked at."""
    bare = PurePosixPath(PureWindowsPath(name).name).name[-100:] or "file"
    entry = format_of(bare, format)
    if entry.read is None:
        readable = [other.name for other in format_registry if other.read]
        raise BadFile(f"{entry.name} can only be written; readable are {', '.join(readable)}", at=bare)
    check_upload(content, bare, entry, settings)
    with _READ_LOCK:
        found = decode(Source(content, bare, tileset), entry)
    if not found:
        raise BadFile("holds no map", at=bare)
    check_size(found[0].map.shape, settings)
    return found[0].map


def read_map_data(value: Any, settings: Settings, tileset: Tileset | None = None) -> TileMap:
    """A map that somebody sent as data: what the format json writes, lines of glyphs, rows, or a sample's name."""
    if isinstance(value, Mapping) and "tileset" in value:
        return read_upload(json.dumps(value).encode(), "map.json", settings, tileset)
    grid = Grid.of(value, Resolver())
    check_size(grid.shape, settings)
    if (grid.cells == FREE).any():
        raise InvalidRecipe("has free cells (?); every cell of a map that is measured holds a tile", at="map")
    chosen = tileset or grid.tileset
    if chosen is None:
        made_up = Tileset.from_labels([str(word) for word in grid.labels], "sent")
        # A number sign is a wall by long custom, as in files of text.
        tiles = tuple(tile.model_copy(update={"passable": tile.glyph != "#"}) for tile in made_up)
        chosen = made_up.model_copy(update={"tiles": tiles})
        grid = Grid(chosen.names, grid.cells)
    return TileMap(grid.to_tile_ids(chosen).astype(chosen.dtype), chosen)


def draw_overlay(map: TileMap, text: str, token: CancelToken) -> Overlay:
    """What an overlay such as `hot-path,slack=8` draws over a map."""
    token.check()
    return OverlayRequest.parse(text).compute(map)
