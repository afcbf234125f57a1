"""Files to read maps from: what `show`, `convert` and `measure` share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from ..core.errors import InvalidRecipe, pluralize
from ..core.tilemap import TileMap
from ..formats import find_map_files, format_of, load_all
from ..formats._resolver import FileResolver
from ._console import info
from ._world import is_world, read_window

OPTIONS = (
    click.Option(["source", "--from"], metavar="FORMAT", help="Read as this format, whatever the ending says."),
    click.Option(["--tileset"], metavar="NAME", help="Read glyphs and ids as this tileset's: a name or a .toml file."),
    click.Option(
        ["--index"], type=int, metavar="K", help="Take only map K of a file that holds several; the first is 0."
    ),
)
WITHOUT_TILES = ("txt", "csv")
"""Formats that say nothing about their tiles."""
NO_TILESET = "no tileset named: tiles are made up, and every tile but # can be walked on; name one with --tileset"


def format_hint(format: str) -> str:
    """What to say about a map whose tiles are made up."""
    return NO_TILESET + ("; AWBW maps are read with --from awbw" if format == "csv" else "")


@dataclass(frozen=True)
class InputMap:
    """A map from a file."""

    map: TileMap
    stem: str
    name: str
    """The file's path, with the map's position where the file holds several."""


def read_maps(
    files: Sequence[str], *, source: str | None = None, tileset: str | None = None, index: int | None = None
) -> Iterator[InputMap]:
    """The maps of the files, one after the other; a folder or a pattern of names stands for all its maps.

    Of a world a window is read, such as world.zarr@30000,20000,200,100.
    """
    chosen = None if tileset is None else FileResolver().read_tileset(tileset)
    hinted = chosen is not None
    windows = [name for name in files if is_world([name.partition("@")[0]])]
    for name in windows:
        yield InputMap(read_window(name), Path(name.partition("@")[0]).stem, name)
    for path in [str(one) for name in files if name not in windows for one in find_map_files(name, source)]:
        found = load_all(path, format=source, tileset=chosen)
        if not hinted and format_of(path, source).name in WITHOUT_TILES:
            info(format_hint(format_of(path, source).name))
            hinted = True
        if index is not None and not -len(found) <= index < len(found):
            raise InvalidRecipe(f"{path} holds {pluralize(len(found), 'map')}, there is no number {index}", at="index")
        for number in range(len(found)) if index is None else [index]:
            name = path if len(found) == 1 else f"{path}[{number}]"
            yield InputMap(found[number].map, Path(path).stem, name)
