"""Input files of maps, shared by `show`, `convert` and `measure`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..core.errors import BadFile, InvalidRecipe, pluralize
from ..core.params import Params, param
from ..core.samples import Samples, check_sample_count
from ..core.tilemap import TileMap
from ..formats import find_map_files, format_of, format_registry, load_all
from ..formats._resolver import FileResolver
from ._console import info
from ._options import make_options, read_settings
from ._world import is_world, read_window


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


class SampleOptions(Params):
    """Options of files of samples."""

    source: str | None = param(None, flags=("--from",), metavar="FORMAT")
    """Format of the samples. [chosen by the file extension]"""
    tileset: str | None = param(None, metavar="NAME")
    """Tileset of the glyphs or ids in the samples: a name or a .toml file."""


INDEX = click.Option(["--index"], type=int, metavar="K", help="Only map K of a file with several maps, counted from 0.")
OPTIONS = (*make_options(InputOptions), INDEX)
FROM = OPTIONS[0]
SAMPLE_OPTIONS = make_options(SampleOptions)
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


def take_options(values: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for reading maps from the options of a command, and return them."""
    return {str(option.name): values.pop(str(option.name)) for option in OPTIONS}


def read_maps(
    files: Sequence[str],
    *,
    source: str | None = None,
    tileset: str | None = None,
    index: int | None = None,
    folders: Sequence[str] = (),
    reading: Sequence[str] = (),
) -> Iterator[InputMap]:
    """Yield the maps of files, folders and quoted globs, in order.

    A part of a world is written `world.zarr@X,Y,WIDTH,HEIGHT`.

    Parameters
    ----------
    files : sequence of str
        Paths, folders, globs and windows of worlds.
    source : str, optional
        Name of the format; chosen by the file extension by default.
    tileset : str, optional
        Name or path of the tileset.
    index : int, optional
        Index of the only map to read of each file; all maps by default.
    folders : sequence of str, optional
        Folders in which a file may refer to others, besides its own.
    reading : sequence of str, optional
        Options of the format, such as `layer=1`.

    Yields
    ------
    InputMap

    Raises
    ------
    InvalidRecipe
        If a file has no map with this index, or its format has no such option.
    """
    chosen = None if tileset is None else FileResolver().read_tileset(tileset)
    hinted = chosen is not None
    windows = [name for name in files if is_world([name.partition("@")[0]])]
    for name in windows:
        yield InputMap(read_window(name), Path(name.partition("@")[0]).stem, name)
    for path in [str(one) for name in files if name not in windows for one in find_map_files(name, source)]:
        options = read_settings(reading, format_of(path, source).params, "read_option") if reading else {}
        found = load_all(path, format=source, tileset=chosen, folders=folders, **options)
        if not hinted and format_of(path, source).name in WITHOUT_TILES:
            info(format_hint(format_of(path, source).name))
            hinted = True
        if index is not None and not -len(found) <= index < len(found):
            raise InvalidRecipe(f"{path} has {pluralize(len(found), 'map')}, no map {index}", at="index")
        for number in range(len(found)) if index is None else [index]:
            name = path if len(found) == 1 else f"{path}[{number}]"
            yield InputMap(found[number].map, Path(path).stem, name)


def read_samples(names: Sequence[str], source: str | None, tileset: str | None) -> Samples:
    """Return the samples of files, folders, globs and built-in names."""
    resolver = sample_resolver(source, tileset)
    grids = [grid for name in names for grid in resolver.read_samples(name)]
    if not grids:
        raise BadFile("none of the files contains a map", at=", ".join(names))
    check_sample_count(len(grids))
    return Samples.of(grids)


def sample_resolver(source: str | None, tileset: str | None) -> FileResolver:
    """Return the resolver for files of samples, given their format and the name of their tileset."""
    chosen = None if tileset is None else FileResolver().read_tileset(tileset)
    return FileResolver(format=source, map_tileset=chosen)
