"""Input files of maps, shared by `show`, `convert` and `measure`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import BadFile, InvalidRecipe, pluralize
from ..core.params import Params, param
from ..core.samples import Samples, check_sample_count
from ..core.tilemap import TileMap
from ..formats import find_map_files, format_of, format_registry, load_all
from ..formats._resolver import FileResolver
from ._console import info
from ._options import read_settings
from ._outputs import is_world
from ._world import read_window


class InputOptions(Params):
    """Options of input files."""

    source: str | None = param(None, flags=("--from",), metavar="FORMAT")
    """Input format. [chosen by the file extension]"""
    tileset: str | None = param(None, metavar="NAME")
    """Tileset of the glyphs or ids in the file: a name or a .toml file."""
    folders: tuple[str, ...] = param((), flags=("--with",), metavar="FOLDER", repeated=True)
    """Folder in which a Tiled map may refer to tilesets, besides its own."""
    reading: tuple[str, ...] = param((), flags=("--read-option",), metavar="NAME=VALUE", repeated=True)
    """Option for reading the format, such as layer=1, listed by `tilewright explain FORMAT`."""
    index: int | None = param(None, metavar="K")
    """Only map K of a file with several maps, counted from 0."""


class SampleOptions(Params):
    """Options of files of samples."""

    source: str | None = param(None, flags=("--from",), metavar="FORMAT")
    """Format of the samples. [chosen by the file extension]"""
    tileset: str | None = param(None, metavar="NAME")
    """Tileset of the glyphs or ids in the samples: a name or a .toml file."""


WITHOUT_TILES = ("txt", "csv")
"""Formats that store no tileset."""
NO_TILESET = "no tileset given: every tile except # is taken as passable; choose a tileset with --tileset"


def format_hint(format: str) -> str:
    """Return the message for a map whose file stores no tileset."""
    others = (entry.name for entry in format_registry if entry.shared_extensions[:1] == (f".{format}",))
    return NO_TILESET + "".join(f"; {name.upper()} maps are read with --from {name}" for name in others)


@dataclass(frozen=True)
class InputMap:
    """Map read from a file."""

    map: TileMap
    stem: str
    name: str
    """Path of the file, with the index of the map if the file has several."""


def read_maps(files: Sequence[str], options: InputOptions) -> Iterator[InputMap]:
    """Yield the maps of files, folders and quoted globs, in order.

    A part of a world is written `world.zarr@X,Y,WIDTH,HEIGHT`.

    Parameters
    ----------
    files : sequence of str
        Paths, folders, globs and windows of worlds.
    options : InputOptions
        How to read them, and which of the maps.

    Yields
    ------
    InputMap

    Raises
    ------
    InvalidRecipe
        If a file has no map with this index, or its format has no such option.
    """
    source, index, reading = options.source, options.index, options.reading
    tileset = None if options.tileset is None else FileResolver().read_tileset(options.tileset)
    hinted = tileset is not None
    windows = [name for name in files if is_world(name.partition("@")[0])]
    for name in windows:
        yield InputMap(read_window(name), Path(name.partition("@")[0]).stem, name)
    for path in [str(one) for name in files if name not in windows for one in find_map_files(name, source)]:
        settings = read_settings(reading, format_of(path, source).params, "read_option") if reading else {}
        found = load_all(path, format=source, tileset=tileset, folders=options.folders, **settings)
        if not hinted and format_of(path, source).name in WITHOUT_TILES:
            info(format_hint(format_of(path, source).name))
            hinted = True
        if index is not None and not -len(found) <= index < len(found):
            raise InvalidRecipe(f"{path} has {pluralize(len(found), 'map')}, no map {index}", at="index")
        for number in range(len(found)) if index is None else [index]:
            name = path if len(found) == 1 else f"{path}[{number}]"
            yield InputMap(found[number].map, Path(path).stem, name)


def read_samples(names: Sequence[str], options: SampleOptions) -> Samples:
    """Return the samples of files, folders, globs and built-in names."""
    resolver = sample_resolver(options)
    grids = [grid for name in names for grid in resolver.read_samples(name)]
    if not grids:
        raise BadFile("none of the files contains a map", at=", ".join(names))
    check_sample_count(len(grids))
    return Samples.of(grids)


def sample_resolver(options: SampleOptions) -> FileResolver:
    """Return the resolver for files of samples."""
    tileset = None if options.tileset is None else FileResolver().read_tileset(options.tileset)
    return FileResolver(format=options.source, map_tileset=tileset)
