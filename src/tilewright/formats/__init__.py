"""File formats: one file each, with a way to write and, where it makes sense, to read.

`save` and `load` choose by extension. Files are written to a temporary name and renamed, so that a killed process
leaves the old file or the new one.
"""

from __future__ import annotations

import glob
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName
from ..core.params import Params
from ..core.provenance import recipe_of
from ..core.registry import Entry, Registry
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ._files import list_files, read_file, refuse_unwritable, write_files

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..core.model import Model

SiblingReader = Callable[[str], bytes]
"""Reads a file that stands beside the one being read, by its relative name."""


@dataclass(frozen=True, slots=True)
class LoadedMap:
    """A map in a file, and what the file says about how it was made."""

    map: TileMap
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """The provenance, as `core.provenance` writes it; empty when the file carries none."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be read: its content, and how to get at what it refers to."""

    content: bytes
    name: str = ""
    tileset: Tileset | None = None
    """The tileset to read it with; formats that carry their own do without."""
    read_sibling: SiblingReader | None = None
    """None where no other file may be opened."""


@dataclass(frozen=True, kw_only=True)
class Format(Entry):
    """A file format. Each of `write`, `animate` and `read` may be missing."""

    extensions: tuple[str, ...]
    """Endings that choose it, the first one preferred; a format without any is chosen by name alone."""
    shared_extensions: tuple[str, ...] = ()
    """Endings of other formats that its files may have as well: there it is chosen by name."""
    write: Callable[[TileMap, Any, Path], Mapping[str, bytes]] | None = None
    """(map, options, path) -> contents by file name, the path's own first, then what belongs beside it.

    The path is absolute, or a bare name where the content goes nowhere yet.
    """
    animate: Callable[[Iterable[Frame], Any, Path], Mapping[str, bytes]] | None = None
    """(frames, options, path) -> contents by file name."""
    read: Callable[[Source, Any], list[LoadedMap]] | None = None
    """(file, options) -> the maps in it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)


format_registry: Registry[Format] = Registry("format", "formats", Format)


def _find(name: str) -> Format:
    return format_registry.get(name)


def is_format(name: str) -> bool:
    """Return whether there is a format of this name."""
    return name in format_registry


def is_map_file(name: str) -> bool:
    """Return whether the name of a file has the extension of a format."""
    return _find_by_extension(Path(name).suffix.lower()) is not None


def format_of(path: str | PathLike[str], name: str | None = None) -> Format:
    """The format of a file: by name if given, else by extension."""
    if name:
        return format_registry.get(name)
    ending = Path(path).suffix.lower()
    found = _find_by_extension(ending)
    if found is None:
        known = [known for entry in format_registry for known in entry.extensions]
        raise UnknownName("file extension", ending or Path(path).name, known, "or name a format")
    return found


def _find_by_extension(ending: str) -> Format | None:
    namesake = ending.removeprefix(".")
    if namesake in format_registry and ending in format_registry.get(namesake).extensions:
        return format_registry.get(namesake)  # nearly always: no other format needs to be imported
    return next((entry for entry in format_registry if ending in entry.extensions), None)


def encode(map: TileMap, format: str, **options: Any) -> bytes:
    """The main file's content in a format."""
    entry = format_registry.get(format)
    if entry.write is None:
        raise TilewrightError(f"format {entry.name!r} cannot write a single map")
    contents = entry.write(map, entry.params.validate(options), Path(f"map{entry.extensions[0]}"))
    return next(iter(contents.values()))


def save(map: TileMap, path: str | PathLike[str], *, format: str | None = None, **options: Any) -> list[Path]:
    """Write a map to a file, and what belongs beside it; returns the paths."""
    entry = format_of(path, format)
    if entry.write is None:
        raise TilewrightError(f"format {entry.name!r} is an animation: write it from `watch`, or with make and run")
    params = entry.params.validate(options)
    refuse_unwritable(path)
    return write_files(path, entry.write(map, params, Path(path).absolute()))


def save_animation(
    frames: Iterable[Frame], path: str | PathLike[str], /, *, format: str | None = None, **options: Any
) -> list[Path]:
    """Write the frames of `tw.watch` as an animation; returns the paths."""
    entry = format_of(path, format)
    if entry.animate is None:
        animated = [other.name for other in format_registry if other.animate]
        raise TilewrightError(f"format {entry.name!r} holds no animation; {', '.join(animated)} do")
    params = entry.params.validate(options)
    refuse_unwritable(path)
    return write_files(path, entry.animate(frames, params, Path(path).absolute()))


def load_all(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    tileset: Tileset | None = None,
    recipes: bool = True,
    **options: Any,
) -> list[LoadedMap]:
    """All maps of a file, with what it carries about them; with their recipes, unless told otherwise."""
    entry = format_of(path, format)
    if entry.read is None:
        readable = [other.name for other in format_registry if other.read]
        raise TilewrightError(f"format {entry.name!r} can only be written; readable are {', '.join(readable)}")
    folder = Path(path).parent
    source = Source(read_file(path), Path(path).name, tileset, lambda name: read_file(folder / name))
    found = decode(source, entry, recipes=recipes, **options)
    if not found:
        raise BadFile("holds no map", at=path)
    return found


def find_map_files(path: str | PathLike[str], format: str | None = None) -> list[Path]:
    """The files that a path stands for: itself, all maps of a folder, or those of a pattern such as maps/*.csv.

    They are sorted by name. Of a folder, files whose endings no format reads are left out, or all but those of the
    named format, and so are hidden ones.
    """
    path = Path(path)
    if os.path.isdir(path):
        endings = _list_extensions(format)
        named = [one for one in list_files(path) if one.suffix.lower() in endings and not one.name.startswith(".")]
        found = sorted(one for one in named if one.is_file())
        if not found:
            raise BadFile(f"a folder that holds no map ({', '.join(sorted(endings))})", at=path)
        return found
    if not glob.has_magic(str(path)) or os.path.exists(path):
        return [path]
    found = sorted(Path(one) for one in glob.iglob(str(path), recursive=True) if os.path.isfile(one))
    if not found:
        raise BadFile("no file is called like that", at=path)
    return found


def _list_extensions(format: str | None) -> set[str]:
    """Of the files that a format reads, or that any does."""
    if format is None:
        return {ending for entry in format_registry if entry.read for ending in entry.extensions}
    entry = format_registry.get(format)
    return {*entry.extensions, *entry.shared_extensions}


def decode(source: Source, entry: Format, *, recipes: bool = True, **options: Any) -> list[LoadedMap]:
    """All maps of a file's content; whatever is wrong with it becomes one line."""
    assert entry.read is not None
    params = entry.params.validate(options)
    try:
        found = [_convert_tileset(one, source.tileset) for one in entry.read(source, params)]
    except BadFile:
        raise
    except TilewrightError as error:
        raise BadFile.from_error(error, source.name) from None
    except MemoryError:
        raise BadFile("claims a map that does not fit into memory", at=source.name) from None
    if not recipes:
        return found
    return [
        LoadedMap(
            one.map if one.map.recipe else one.map.replace(recipe=recipe_of(one.map, one.provenance)), one.provenance
        )
        for one in found
    ]


def decode_map(content: bytes, name: str, format: str) -> TileMap:
    """Return the first map in the content of a file, which may refer to no other file."""
    return decode(Source(content, name), format_registry.get(format))[0].map


def _convert_tileset(found: LoadedMap, tileset: Tileset | None) -> LoadedMap:
    """The same map in the tileset that was asked for, tile by tile by name."""
    map = found.map
    if tileset is None or map.tileset is tileset:
        return found
    used = {number: map.tileset.names[number] for number in np.unique(map.cells).tolist()}
    missing = [name for name in used.values() if name not in tileset.by_name]
    if missing and map.tileset.tiles[: len(tileset)] == tileset.tiles:  # such as unknown ids, which are kept
        return LoadedMap(map.replace(tileset=tileset.with_tiles(map.tileset.tiles[len(tileset) :])), found.provenance)
    if missing:
        raise UnknownName("tile", missing[0], tileset.names, f"tileset {tileset.name!r}")
    ids = np.zeros(len(map.tileset), dtype=tileset.dtype)
    for number, name in used.items():
        ids[number] = tileset.by_name[name]
    return LoadedMap(map.replace(cells=ids[map.cells], tileset=tileset), found.provenance)


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model to a file, .json or .npz."""
    from ._models import save_model

    save_model(model, path)


def image(map: TileMap, **options: Any) -> Image:
    """A map as a Pillow picture, drawn as the png format would."""
    from .png import PngParams, draw_map

    return draw_map(map, PngParams.validate(options))


def register_format(
    *,
    extensions: Sequence[str] = (),
    params: type[Params] = Params,
    read: Callable[[Source, Any], TileMap | Sequence[TileMap]] | None = None,
) -> Callable[[Callable[[TileMap, Any, Path], str | bytes | Mapping[str, bytes]]], Format]:
    """Declare a format and add it to those of this process: a function `(map, options, path)` that returns its content.

    The content is a string, bytes, or bytes by file name where a map takes several files. `read` is a function
    `(source, options)` that returns the map in `source.content`, or several. Running it again replaces the format.
    Installed packages add theirs through the entry point tilewright.formats.

    >>> import tilewright as tw
    >>> @tw.register_format(extensions=[".rows"])
    ... def rows(map, options, path):
    ...     \"\"\"Tile ids, a line per row.\"\"\"
    ...     return "\\n".join(" ".join(str(tile) for tile in row) for row in map.cells.tolist())
    >>> encode(tw.make("caves", width=3, height=2, walls=0.0, seed=1), "rows")
    b'1 1 1\\n1 1 1'
    >>> format_registry.remove("rows")
    """
    named = isinstance(extensions, list | tuple) and all(isinstance(one, str) for one in extensions)
    if not named or not all(one.startswith(".") for one in extensions):
        raise InvalidRecipe("a list of endings such as .png", at="extensions", got=extensions, rule="type")
    if not isinstance(params, type) or not issubclass(params, Params):
        raise InvalidRecipe("a class of parameters", at="params", got=params, rule="type")
    if read is not None and not callable(read):
        raise InvalidRecipe("a function", at="read", got=read, rule="type")

    def encode_files(body: Callable[..., Any], map: TileMap, options: Any, path: Path) -> Mapping[str, bytes]:
        content = body(map, options, path)
        if isinstance(content, Mapping):
            return content
        return {path.name: content.encode() if isinstance(content, str) else content}

    def read_maps(source: Source, options: Any) -> list[LoadedMap]:
        assert read is not None
        found = read(source, options)
        return [LoadedMap(map) for map in ([found] if isinstance(found, TileMap) else found)]

    def register(body: Callable[[TileMap, Any, Path], str | bytes | Mapping[str, bytes]]) -> Format:
        if not callable(body) or not hasattr(body, "__name__"):
            raise InvalidRecipe("declares a function with a name", got=body, rule="type")
        taken = {
            ending: entry.name
            for entry in format_registry
            for ending in entry.extensions
            if entry.name != body.__name__
        }
        clash = next((ending for ending in extensions if ending in taken), None)
        if clash is not None:
            raise TilewrightError(f"{clash} is already the ending of {taken[clash]}; name another", at="extensions")
        return format_registry.register(
            Format(
                name=body.__name__,
                params=params,
                extensions=tuple(extensions),
                write=partial(encode_files, body),
                read=None if read is None else read_maps,
                doc=inspect.getdoc(body) or "",
            )
        )

    return register


class _Formats(ModuleType):
    """`tw.formats()`, an old name of `tw.list_formats()`, although `tilewright.formats` is also this package."""

    def __call__(self) -> list[Format]:
        warnings.warn("tw.formats() is now tw.list_formats()", DeprecationWarning, stacklevel=2)
        return list(format_registry)


sys.modules[__name__].__class__ = _Formats
