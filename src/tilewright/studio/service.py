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
from ..core.plan import planned
from ..core.recipe import Recipe
from ..core.resolver import Resolver
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..core.yaml import read_data
from ..formats import Source, decode, format_of, shelf
from ..formats._animation import AnimationParams
from ..overlays.kinds import Wanted
from ..overlays.overlay import Overlay
from .desk import Ticket
from .limits import film, most_frames, refuse_large, refuse_large_recipe, refuse_upload, still
from .settings import Settings

Files = Mapping[str, bytes]
"""Contents by file name, the main one first."""
Tell = Callable[[float], None]
"""Gets how far work is, from 0 to 1."""
_READING = Lock()
"""A file that means harm may unpack to a gigabyte before its reader refuses it: never two at once."""


def checked(data: Mapping[str, Any] | Recipe, settings: Settings) -> Recipe:
    """A recipe from plain data, refused if it is wrong or larger than this studio allows."""
    recipe = Recipe.of(data, Resolver())
    refuse_large_recipe(recipe, settings)
    planned(recipe)
    return recipe


def recipe_text(text: str) -> Mapping[str, Any]:
    """Plain data of a recipe: a built-in one by its name, any other as YAML or JSON."""
    if any(mark in text for mark in ":\n{"):
        return read_data(text, "recipe")
    return Resolver().recipe(text)[0]


def frames(recipe: Recipe, ticket: Ticket) -> Iterator[Frame]:
    """The work as it goes: borrowed frames, of which `shown()` is a copy; the last one has the map."""
    for frame in pipeline.frames(recipe):
        ticket.check()
        if frame.site is not None:
            refuse_large(frame.site.shape, ticket.settings)
        yield frame


def made(recipe: Recipe, ticket: Ticket) -> TileMap:
    """The map of a recipe."""
    for frame in frames(recipe, ticket):
        if frame.map is not None:
            return frame.map
    raise TilewrightError("the work ended without a map")


def filmed(recipe: Recipe, ticket: Ticket, most: int, tell: Tell | None = None) -> list[Frame]:
    """The frames of the work, evenly thinned to so many at most; the first and the last, with the map, among them."""
    most = most_frames(most, recipe.shape, ticket.settings)
    kept: list[Frame] = []
    step = 1
    for number, frame in enumerate(frames(recipe, ticket)):
        if tell is not None and frame.done is not None:
            tell(frame.done)
        if frame.map is not None:
            kept = [*kept[: most - 1], frame]
        elif number % step == 0 and (frame.cells is not None or frame.colors is not None):
            kept.append(frame.shown())
            if len(kept) >= most:
                kept, step = kept[::2], 2 * step
    return kept


def measured(
    map: TileMap, ticket: Ticket, names: Iterable[str] = (), *, like: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """Numbers of a map by name; without names, all that apply. `like` holds what `Similarity` takes."""
    similarity = None if like is None else Similarity.checked(like, resolver=Resolver())
    return survey.measured(map, names, similarity, before_each=ticket.check)


@dataclass(frozen=True)
class Export:
    """Files, and the map that they show."""

    files: Files
    map: TileMap


def exported(
    recipe: Recipe,
    format: str,
    options: Mapping[str, Any],
    ticket: Ticket,
    name: str = "map",
    *,
    animate: bool = True,
    tell: Tell | None = None,
) -> Export:
    """The map of a recipe in a format; in one that holds animations, the work on it, unless it is to stand still."""
    entry = shelf.get(format)
    params = entry.params.checked(options)  # before the work: a mistake is told at once
    path = Path(name + "".join(entry.extensions[:1]))
    if entry.animate is None or (entry.write is not None and not animate):
        map = made(recipe, ticket)
        return Export(written(map, format, options, ticket, name), map)
    most = params.frames if isinstance(params, AnimationParams) else ticket.settings.frames
    kept = filmed(recipe, ticket, most, tell)
    if isinstance(params, AnimationParams):
        params = film(params, kept, ticket.settings)
    ticket.check()
    last = kept[-1].map
    assert last is not None
    return Export(entry.animate(kept, params, path), last)


def written(map: TileMap, format: str, options: Mapping[str, Any], ticket: Ticket, name: str = "map") -> Files:
    """A map in a format, and what belongs beside it."""
    entry = shelf.get(format)
    if entry.write is None:
        raise TilewrightError(f"format {entry.name!r} cannot write a single map")
    params = still(entry.params.checked(options), map, ticket.settings)
    ticket.check()
    return entry.write(map, params, Path(name + "".join(entry.extensions[:1])))


def zipped(files: Files) -> bytes:
    """Files in one archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # a fixed date: same map, same bytes
    return buffer.getvalue()


def animated(
    recipe: Recipe,
    format: str,
    options: Mapping[str, Any],
    ticket: Ticket,
    name: str = "map",
    *,
    tell: Tell | None = None,
) -> Files:
    """The work on a map as an animation."""
    if shelf.get(format).animate is None:
        raise TilewrightError(f"format {format!r} holds no animation")
    return exported(recipe, format, options, ticket, name, tell=tell).files


def uploaded(
    content: bytes, name: str, settings: Settings, tileset: Tileset | None = None, format: str | None = None
) -> TileMap:
    """The first map in a file that somebody sent; only the ending of its name is looked at."""
    bare = PurePosixPath(PureWindowsPath(name).name).name[-100:] or "file"
    entry = format_of(bare, format)
    if entry.read is None:
        readable = [other.name for other in shelf if other.read]
        raise BadFile(f"{entry.name} can only be written; readable are {', '.join(readable)}", at=bare)
    refuse_upload(content, bare, entry, settings)
    with _READING:
        found = decode(Source(content, bare, tileset), entry)
    if not found:
        raise BadFile("holds no map", at=bare)
    refuse_large(found[0].map.shape, settings)
    return found[0].map


def given(value: Any, settings: Settings, tileset: Tileset | None = None) -> TileMap:
    """A map that somebody sent as data: what the format json writes, lines of glyphs, rows, or a sample's name."""
    if isinstance(value, Mapping) and "tileset" in value:
        return uploaded(json.dumps(value).encode(), "map.json", settings, tileset)
    grid = Grid.of(value, Resolver())
    refuse_large(grid.shape, settings)
    if (grid.cells == FREE).any():
        raise InvalidRecipe("has free cells (?); every cell of a map that is measured holds a tile", at="map")
    chosen = tileset or grid.tileset
    if chosen is None:
        made_up = Tileset.of_words([str(word) for word in grid.words], "sent")
        # A number sign is a wall by long custom, as in files of text.
        tiles = tuple(tile.model_copy(update={"passable": tile.glyph != "#"}) for tile in made_up)
        chosen = made_up.model_copy(update={"tiles": tiles})
        grid = Grid(chosen.names, grid.cells)
    return TileMap(grid.ids(chosen).astype(chosen.dtype), chosen)


def overlaid(map: TileMap, wanted: str, ticket: Ticket) -> Overlay:
    """What an overlay such as `hot-path,slack=8` draws over a map."""
    ticket.check()
    return Wanted.read(wanted).over(map)
