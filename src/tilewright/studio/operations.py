"""Operations shared by the page and the API: functions that run as jobs and check their CancelToken.

No file is opened: names in requests are names of built-in resources, and uploads are read from memory.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from threading import Lock
from typing import Any

from ..analysis import map_warnings, survey
from ..analysis.similarity import Similarity
from ..core import pipeline
from ..core.errors import BadFile, GaveUp, InvalidRecipe, TilewrightError, UnknownName, check_limit
from ..core.glyph_tiles import make_glyph_tileset
from ..core.grid import FREE, Grid
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.registry import measures, techniques
from ..core.resolver import Resolver
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import MAX_TILES, Tileset
from ..core.yaml import read_data
from ..formats import Source, decode, format_of, format_registry
from ..formats._animation import AnimationParams
from .jobs import CancelToken
from .limits import (
    check_recipe_size,
    check_size,
    check_upload,
    find_bare_name,
    fit_animation,
    fit_picture,
    limit_frames,
)
from .own_files import StudioResolver
from .settings import Settings

Files = Mapping[str, bytes]
"""Contents by file name, with the main file first."""
OnProgress = Callable[[float], None]
"""Called with the progress of the work, from 0 to 1."""
SECONDS_PER_STEP = 1e-6
"""Estimated seconds of one step of a technique, such as the update of a cell."""
EXPECTED_TRIES = 5
"""Maximum number of tries that the estimated time of a recipe includes."""
SHAPER_ERRORS = (InvalidRecipe, UnknownName, GaveUp)
"""Errors of a shaper that cannot shape a map."""
_READ_LOCK = Lock()
"""Only one upload is read at a time, because a malicious file may need a gigabyte before its reader refuses it."""


def check_recipe(data: Mapping[str, Any] | Recipe, settings: Settings) -> Recipe:
    """Read a recipe from plain data. Raise an error if the recipe is invalid or larger than the settings allow."""
    recipe = Recipe.of(data, StudioResolver())
    check_recipe_size(recipe, settings)
    make_plan(recipe)
    return recipe


def estimate_seconds(recipe: Recipe) -> float:
    """Return a rough estimate of the time to make the map of a recipe, to compare jobs."""
    own = techniques.get(recipe.technique).cost_of(recipe.params) + prod(recipe.shape) * len(recipe.shaping)
    tries = min(recipe.tries, EXPECTED_TRIES)
    return own * SECONDS_PER_STEP * tries + sum(map(estimate_seconds, recipe.inner))


def read_recipe_data(text: str) -> Mapping[str, Any]:
    """Return a recipe as plain data, given the name of a built-in recipe, YAML or JSON."""
    if any(mark in text for mark in ":\n{"):
        return read_data(text, "recipe")
    return Resolver().read_recipe(text)[0]


def frames(recipe: Recipe, token: CancelToken) -> Iterator[Frame]:
    """Yield the frames of a recipe. The last frame has the map.

    The arrays of a frame may change after the next frame is yielded. `snapshot()` returns a copy.
    """
    for frame in pipeline.iter_frames(recipe):
        token.check()
        if frame.site is not None:
            check_size(frame.site.shape, token.settings)
        yield frame


def make_map(recipe: Recipe, token: CancelToken) -> TileMap:
    """Return the map of a recipe."""
    for frame in frames(recipe, token):
        if frame.map is not None:
            return frame.map
    raise TilewrightError("the technique ended without a map")


def find_failing_shapers(recipe: Recipe, token: CancelToken) -> dict[int, str]:
    """Return the reasons why shapers cannot shape the technique's map, by position.

    A shaper that fails is left out: the next one gets the map without it.
    """
    map = make_map(replace(recipe, shaping=(), require=(), tries=1, attempt=None), token)
    failures: dict[int, str] = {}
    for position, stage in enumerate(recipe.shaping):
        token.check()
        try:
            map = pipeline.shape_map(map, stage)
        except SHAPER_ERRORS as error:
            failures[position] = _describe_failure(error).removeprefix(f"{stage.shaper}: ")
    return failures


def _describe_failure(error: TilewrightError) -> str:
    """Return why a shaper cannot shape a map, without advice for recipes."""
    if isinstance(error, UnknownName):
        return f"the map has no {error.kind} “{error.name}”"
    return error.problems[0].text.partition("; ")[0]


def record_frames(
    recipe: Recipe, token: CancelToken, max_frames: int, on_progress: OnProgress | None = None
) -> list[Frame]:
    """Return the frames of a recipe.

    Parameters
    ----------
    recipe : Recipe
        Recipe to run.
    token : CancelToken
        Token of the job.
    max_frames : int
        Maximum number of frames. If there are more, evenly spaced ones are kept, including the first and the last.
    on_progress : callable, optional
        Called with the progress from 0 to 1.

    Returns
    -------
    list of Frame
        The frames. The last frame has the map.
    """
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
    """Return measures of a map by name.

    Parameters
    ----------
    map : TileMap
        Map to measure.
    token : CancelToken
        Token of the job.
    names : iterable of str, optional
        Names of measures; without names, all that apply.
    like : mapping, optional
        Parameters of `Similarity`, for measures that compare the map with a sample.

    Returns
    -------
    dict of str to float

    Raises
    ------
    InvalidRecipe
        If there is a sample, but none of the named measures compares maps.
    """
    entries = [measures.complete(name) for name in names]
    if like is not None and entries and not any(entry.compares for entry in entries):
        text = "has no effect, because none of the measures compares maps"
        raise InvalidRecipe(text, at="like", rule="conflict", remove=["like"])
    similarity = None if like is None else Similarity.validate(like, resolver=Resolver())
    return survey.measure_map(map, [entry.name for entry in entries], similarity, before_each=token.check)


def find_map_warnings(map: TileMap) -> list[str]:
    """Return the warnings about a map, such as missing markers, or that it is nearly a copy of its sample."""
    return [str(problem) for problem in map_warnings.find_map_warnings(map)]


@dataclass(frozen=True)
class Export:
    """Files and the map that they contain."""

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
    edit: Callable[[TileMap], TileMap] | None = None,
    on_progress: OnProgress | None = None,
) -> Export:
    """Make the map of a recipe and write it in a format.

    Parameters
    ----------
    recipe : Recipe
        Recipe of the map.
    format : str
        Name of the format.
    options : mapping
        Options of the format.
    token : CancelToken
        Token of the job.
    name : str, default "map"
        File name without extension.
    animate : bool, default True
        Whether to write an animation of the generation, if the format can hold one.
    edit : callable, optional
        Function that returns the finished map with the edits by hand.
    on_progress : callable, optional
        Called with the progress from 0 to 1 while frames are recorded.

    Returns
    -------
    Export
    """
    entry = format_registry.get(format)
    params = entry.params.validate(options)  # Options are validated before the map is made.
    path = Path(name + "".join(entry.extensions[:1]))
    if entry.animate is None or not animate:
        map = make_map(recipe, token)
        map = map if edit is None else edit(map)
        return Export(write_map(map, format, options, token, name), map)
    max_frames = params.frames if isinstance(params, AnimationParams) else token.settings.frames
    kept = record_frames(recipe, token, max_frames, on_progress)
    if edit is not None and kept[-1].map is not None:
        map = edit(kept[-1].map)
        kept[-1] = replace(kept[-1], map=map, cells=map.cells)
    if isinstance(params, AnimationParams):
        params = fit_animation(params, kept, token.settings)
    token.check()
    last = kept[-1].map
    assert last is not None
    return Export(entry.animate(kept, params, path), last)


def write_map(map: TileMap, format: str, options: Mapping[str, Any], token: CancelToken, name: str = "map") -> Files:
    """Return the files of a map in a format.

    `options` are options of the format; `name` is the file name without extension.
    """
    entry = format_registry.get(format)
    params = fit_picture(entry.params.validate(options), map, token.settings)
    token.check()
    return entry.write(map, params, Path(name + "".join(entry.extensions[:1])))


def zip_files(files: Files) -> bytes:
    """Return a zip archive of files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # The date is fixed, so that equal maps give equal bytes.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def read_upload(
    content: bytes, name: str, settings: Settings, tileset: Tileset | None = None, format: str | None = None
) -> TileMap:
    """Return the first map in an uploaded file.

    Parameters
    ----------
    content : bytes
        Content of the file.
    name : str
        Name of the file; only its extension is used, and the name in errors.
    settings : Settings
        Limits.
    tileset : Tileset, optional
        Tileset of the map's glyphs or ids.
    format : str, optional
        Name of the format; without it, the extension decides.

    Returns
    -------
    TileMap

    Raises
    ------
    BadFile
        If the file is invalid, contains no map, or its format cannot be read.
    TooLarge
        If the file or its map exceeds the limits.
    """
    bare = find_bare_name(name, "file")
    entry = format_of(bare, format)
    if entry.read is None:
        readable = [other.name for other in format_registry if other.read]
        raise BadFile(f"{entry.name} can only be written; readable are {', '.join(readable)}", at=bare)
    check_upload(content, bare, entry, settings)
    with _READ_LOCK:
        found = decode(Source(content, bare, tileset), entry)
    if not found:
        raise BadFile("contains no map", at=bare)
    check_size(found[0].map.shape, settings)
    return found[0].map


def read_map_data(value: Any, settings: Settings, tileset: Tileset | None = None) -> TileMap:
    """Return the map in JSON data: format json, lines of glyphs, rows of tiles, or the name of a built-in sample."""
    if isinstance(value, Mapping) and "tileset" in value:
        return read_upload(json.dumps(value).encode(), "map.json", settings, tileset)
    grid = Grid.of(value, Resolver(), free_glyph=False)
    check_size(grid.shape, settings)
    if (grid.cells == FREE).any():
        raise InvalidRecipe("must not have free cells", at="map")
    chosen = tileset or grid.tileset
    if chosen is None:
        check_limit("different tiles", len(grid.labels), MAX_TILES, at="map")
        chosen = make_glyph_tileset([str(label) for label in grid.labels], "sent")
        grid = Grid(chosen.names, grid.cells)
    return TileMap(grid.to_tile_ids(chosen).astype(chosen.dtype), chosen)
