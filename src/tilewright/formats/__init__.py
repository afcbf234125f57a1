"""File formats. Each format is a module that writes maps, reads maps, or does both.

`save` and `load` choose the format by extension. Files are written to a temporary name and renamed, so that an
interrupted process leaves either the old or the new file.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..core.entries import Entry, declare
from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName
from ..core.params import Params
from ..core.provenance import recipe_of
from ..core.registry import Registry
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ._files import list_files, read_file, read_file_inside, refuse_missing, refuse_unwritable, write_files
from ._sheet import fit_sheet as fit_sheet
from ._sheet import refuse_own_sheet

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..core.model import Model
    from ..core.network import Network

SiblingReader = Callable[[str], bytes]
"""Function that returns the content of another file, by its path relative to the file that is being read."""


@dataclass(frozen=True, slots=True)
class LoadedMap:
    """A map from a file, and its provenance."""

    map: TileMap
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Provenance as written by `core.provenance`; empty if the file contains none."""


ReadMap: TypeAlias = TileMap | LoadedMap


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: its content, and access to the files that it refers to."""

    content: bytes
    name: str = ""
    tileset: Tileset | None = None
    """Tileset to read the file with. Formats that store a tileset do not need it."""
    read_sibling: SiblingReader | None = None
    """Function that reads files that this file refers to; None if no other file may be opened."""
    folder: str = ""
    """Absolute path of the folder of the file, if it is a file."""


@dataclass(frozen=True, kw_only=True)
class Format(Entry):
    """A file format. The decorator `file_format` declares the function that writes maps as a format."""

    params: type[Params] = field(default=Params, kw_only=False)
    extensions: tuple[str, ...] = ()
    """Extensions that select the format, with the preferred extension first. A format without extensions is selected by
    name."""
    shared_extensions: tuple[str, ...] = ()
    """Extensions of other formats that files of this format may also have. For such files, the format is selected by
    name."""
    animate: Callable[[Iterable[Frame | TileMap], Any, Path], Mapping[str, bytes]] | None = None
    """Function (frames, options, path) that returns contents by file name."""
    read: Callable[[Source, Any], ReadMap | Sequence[ReadMap]] | None = None
    """Function (source, options) that returns the map in the file, or several."""
    media_type: str = ""
    """Media type of the files, such as text/plain, if browsers do not know it from the extension."""
    use: str = "other uses"
    """What the format is used for, as a plural noun such as pictures. Messages group formats by it."""
    engines: tuple[str, ...] = ()
    """Engines and other programs that open the files, such as Godot 4, with the needed plugin in parentheses."""

    def write(self, map: TileMap, options: Params, path: Path) -> Mapping[str, bytes]:
        """Return contents by file name: first the main file, then files in the same folder.

        The path is absolute, or a bare name if the content is not written to a file.
        """
        content = self.body(map, options, path)
        if isinstance(content, Mapping):
            return content
        return {path.name: content.encode() if isinstance(content, str) else content}


def file_format(
    params: type[Params] = Params,
    *,
    extensions: Sequence[str] | None = None,
    read: Callable[[Source, Any], ReadMap | Sequence[ReadMap]] | None = None,
    **fields: Any,
) -> Callable[[Callable[[TileMap, Any, Path], str | bytes | Mapping[str, bytes]]], Format]:
    """Declare a function `(map, options, path)` that returns the content of a file as a format.

    The content is a string, bytes, or a mapping from file names to bytes if a map needs several files.

    Parameters
    ----------
    params : type of Params, optional
        Class of the options.
    extensions : sequence of str, optional
        Extensions that select the format, such as `.png`; by default the name of the function.
    read : callable, optional
        Function `(source, options)` that returns the map in `source.content`, or several. Without the option
        `--tileset`, `source.tileset` is None.
    **fields
        Further fields of `Format`.

    Returns
    -------
    callable
        Decorator that returns the format.

    Raises
    ------
    InvalidRecipe
        If an argument has the wrong type.

    Examples
    --------
    >>> import tilewright as tw
    >>> @tw.register
    ... @tw.file_format()
    ... def rows(map, options, path):
    ...     \"\"\"Tile ids, a line per row.\"\"\"
    ...     return "\\n".join(" ".join(str(tile) for tile in row) for row in map.cells.tolist())
    >>> encode(tw.make("caves", width=3, height=2, walls=0.0, seed=1), "rows")
    b'1 1 1\\n1 1 1'
    >>> format_registry.remove("rows")
    """
    named = extensions is None or isinstance(extensions, list | tuple)
    if not named or not all(isinstance(one, str) and one.startswith(".") for one in extensions or ()):
        raise InvalidRecipe("must be a list of extensions such as .png", at="extensions", got=extensions, rule="type")
    if read is not None and not callable(read):
        raise InvalidRecipe("must be a function", at="read", got=read, rule="type")

    def declare_function(body: Callable[..., Any]) -> Format:
        found = declare(Format)(params, read=read, **fields)(body)
        return replace(found, extensions=(f".{found.name}",) if extensions is None else tuple(extensions))

    return declare_function


class FormatRegistry(Registry[Format]):
    """The registry of formats. An unknown name is answered with the formats of that engine, or with all by use."""

    def add(self, entry: Format) -> None:
        others = (other for other in self if other.name != entry.name)
        taken = {ending: other.name for other in others for ending in other.extensions}
        clash = next((ending for ending in entry.extensions if ending in taken), None)
        if clash is not None:
            raise TilewrightError(f"{clash} is already an extension of {taken[clash]}; use another", at="extensions")
        super().add(entry)

    def _make_unknown(self, name: str) -> UnknownName:
        return UnknownName(self.kind, name, (), advice=_advise(name, lambda entry: entry.name))


format_registry: Registry[Format] = FormatRegistry("format", "formats", Format)
USES = (
    "pictures",
    "animations",
    "game engines",
    "virtual tabletops",
    "web pages",
    "roguelikes",
    "text",
    "arrays",
    "voxel editors",
    "other generators",
    "games",
)
"""Uses of the built-in formats, in the order of messages."""
MIN_ENGINE_LETTERS = 4
"""Minimum number of letters by which an engine is recognized in an unknown name or extension."""


def list_by_use(write: Callable[[Format], str]) -> str:
    """Return all formats grouped by their use; `write` returns the name or extension of a format.

    >>> list_by_use(lambda entry: entry.name).split("; ")[:2]
    ['pictures: png', 'animations: apng, gif, webp']
    """
    groups: dict[str, list[str]] = {use: [] for use in USES}
    for entry in format_registry:
        groups.setdefault(entry.use, []).append(write(entry))
    return "; ".join(f"{use}: {', '.join(sorted(names))}" for use, names in groups.items() if names)


def find_by_engine(name: str) -> dict[str, list[Format]]:
    """Return the formats that an engine or program opens, by its name as the formats write it.

    Only letters and digits count, and the beginning of the name is enough.

    >>> [entry.name for entry in find_by_engine("phaser")["Phaser"]]
    ['tmj']
    """
    wanted = _simplify(name)
    found: dict[str, list[Format]] = {}
    for entry in format_registry:
        for engine in entry.engines:
            if len(wanted) >= MIN_ENGINE_LETTERS and _simplify(engine).startswith(wanted):
                found.setdefault(engine.partition(" (")[0], []).append(entry)
    return found


def _simplify(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _advise(name: str, write: Callable[[Format], str]) -> str:
    """Return which formats to use instead of an unknown one; `write` returns the name or extension of a format."""
    found = find_by_engine(name)
    if found:
        return "; ".join(f"{engine} opens {', '.join(map(write, entries))}" for engine, entries in found.items())
    return list_by_use(write)


def is_format(name: str) -> bool:
    """Return whether a format has this name."""
    return name in format_registry


def is_map_file(name: str) -> bool:
    """Return whether the name of a file has the extension of a format."""
    return _find_by_extension(Path(name).suffix.lower()) is not None


def format_of(path: str | PathLike[str], name: str | None = None) -> Format:
    """Return the format of a file. If no name is given, the extension decides.

    Parameters
    ----------
    path : str or path-like
        Path of the file.
    name : str, optional
        Name of a format, which takes precedence over the extension.

    Returns
    -------
    Format
        The format.

    Raises
    ------
    UnknownName
        If there is no such format, or the extension is unknown.

    Examples
    --------
    >>> format_of("cave.tmx").name, format_of("123.csv", "awbw").name
    ('tmx', 'awbw')
    """
    if name:
        return format_registry.get(name)
    ending = Path(path).suffix.lower()
    found = _find_by_extension(ending)
    if found is None:
        advice = _advise(ending, lambda entry: next(iter(entry.extensions), entry.name))
        raise UnknownName("file extension", ending or Path(path).name, (), "or give a format", advice=advice)
    return found


def _find_by_extension(ending: str) -> Format | None:
    namesake = ending.removeprefix(".")
    if namesake in format_registry and ending in format_registry.get(namesake).extensions:
        return format_registry.get(namesake)  # In the usual case, no other format is imported.
    return next((entry for entry in format_registry if ending in entry.extensions), None)


def find_media_type(name: str) -> str:
    """Return the media type that a format declares for its files, by the name of a file; empty if none does."""
    entry = _find_by_extension(Path(name).suffix.lower())
    return "" if entry is None else entry.media_type


def encode(map: TileMap, format: str, **options: Any) -> bytes:
    """Return the content of a file with a map. Additional files of the format are omitted.

    Parameters
    ----------
    map : TileMap
        Map to encode.
    format : str
        Name of a format.
    **options
        Options of the format.

    Returns
    -------
    bytes
        Content of the main file.

    Raises
    ------
    UnknownName
        If there is no such format.
    InvalidRecipe
        If an option is unknown or invalid.

    Examples
    --------
    >>> encode(TileMap([[0, 1, 0]], Tileset.from_labels([".", "#"])), "csv")
    b'0,1,0\\n'
    """
    entry = format_registry.get(format)
    contents = entry.write(map, entry.params.validate(options), Path(f"map{entry.extensions[0]}"))
    return next(iter(contents.values()))


def save(map: TileMap, path: str | PathLike[str], *, format: str | None = None, **options: Any) -> list[Path]:
    """Write a map to a file. If the format needs additional files, they are written to the same folder.

    Parameters
    ----------
    map : TileMap
        Map to write.
    path : str or path-like
        Path of the file.
    format : str, optional
        Name of a format; by default the extension decides.
    **options
        Options of the format.

    Returns
    -------
    list of Path
        Paths of the written files, `path` first.

    Raises
    ------
    UnknownName
        If there is no such format, or the extension is unknown.
    InvalidRecipe
        If an option is unknown or invalid.
    TilewrightError
        If the format cannot write a single map, or the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> map = TileMap([[0, 1, 0]], Tileset.from_labels([".", "#"]))
    >>> with TemporaryDirectory() as folder:
    ...     [path.name for path in save(map, f"{folder}/row.csv")]
    ['row.csv']
    """
    entry = format_of(path, format)
    params = entry.params.validate(options)
    refuse_unwritable(path)
    contents = entry.write(map, params, Path(path).absolute())
    refuse_own_sheet(map.tileset, path, contents)
    return write_files(path, contents)


def save_animation(
    frames: Iterable[Frame | TileMap], path: str | PathLike[str], /, *, format: str | None = None, **options: Any
) -> list[Path]:
    """Write the frames of `tw.watch`, or the maps of a playthrough, as an animation.

    Parameters
    ----------
    frames : iterable of Frame or TileMap
        Frames, as yielded by `tw.watch`, or maps, as yielded by `Playthrough.draw`.
    path : str or path-like
        Path of the file.
    format : str, optional
        Name of a format; by default the extension decides.
    **options
        Options of the format.

    Returns
    -------
    list of Path
        Paths of the written files.

    Raises
    ------
    UnknownName
        If there is no such format, or the extension is unknown.
    InvalidRecipe
        If an option is unknown or invalid.
    TilewrightError
        If the format cannot store animations, or the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import tilewright as tw
    >>> with TemporaryDirectory() as folder:
    ...     paths = save_animation(tw.watch("caves", width=8, height=8, seed=1), f"{folder}/cave.gif")
    """
    entry = format_of(path, format)
    if entry.animate is None:
        animated = [other.name for other in format_registry if other.animate]
        raise TilewrightError(f"format {entry.name!r} cannot hold an animation; use {', '.join(animated)}")
    params = entry.params.validate(options)
    refuse_unwritable(path)
    return write_files(path, entry.animate(frames, params, Path(path).absolute()))


def load_all(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    tileset: Tileset | None = None,
    recipes: bool = True,
    folders: Iterable[str | PathLike[str]] = (),
    **options: Any,
) -> list[LoadedMap]:
    """Read all maps of a file.

    Parameters
    ----------
    path : str or path-like
        Path of the file.
    format : str, optional
        Name of a format; by default the extension decides.
    tileset : Tileset, optional
        Tileset of the returned maps; tiles are matched by name. Formats without tiles of their own need it.
    recipes : bool, optional
        Whether to restore the recipes of the maps from their provenance.
    folders : iterable of str or path-like, optional
        Folders in which the file may refer to other files, such as tilesets, besides its own folder and those below it.
    **options
        Options of the format.

    Returns
    -------
    list of LoadedMap
        The maps with their provenance, at least one.

    Raises
    ------
    UnknownName
        If there is no such format, or the extension is unknown.
    BadFile
        If the file cannot be read or contains no map.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> map = TileMap([[0, 1, 0]], Tileset.from_labels([".", "#"]))
    >>> with TemporaryDirectory() as folder:
    ...     path = save(map, f"{folder}/row.csv")[0]
    ...     print(load_all(path, tileset=map.tileset)[0].map)
    .#.
    """
    refuse_missing(path)
    entry = format_of(path, format)
    if entry.read is None:
        readable = [other.name for other in format_registry if other.read]
        raise TilewrightError(f"format {entry.name!r} cannot be read; these can: {', '.join(readable)}")
    folder = Path(path).parent
    allowed = [folder, *map(Path, folders)]
    source = Source(
        read_file(path),
        Path(path).name,
        tileset,
        lambda name: read_file_inside(folder / name, allowed),
        str(folder.absolute()),
    )
    found = decode(source, entry, recipes=recipes, **options)
    if not found:
        raise BadFile("contains no map", at=path)
    return found


def find_map_files(path: str | PathLike[str], format: str | None = None) -> list[Path]:
    """Return the map files of a path: the file itself, the files in a folder, or the files that match a glob.

    Parameters
    ----------
    path : str or path-like
        A file, a folder, or a glob such as maps/*.csv.
    format : str, optional
        Name of a format. For a folder, only files with the extensions of the format are returned.

    Returns
    -------
    list of Path
        The files, sorted by name. For a folder, hidden files and files that no format reads are omitted.

    Raises
    ------
    BadFile
        If the folder contains no map, or no file matches the glob.

    Examples
    --------
    >>> find_map_files("cave.json")[0].name
    'cave.json'
    """
    path = Path(path)
    if os.path.isdir(path):
        endings = _list_extensions(format)
        named = [one for one in list_files(path) if one.suffix.lower() in endings and _may_be_map(one)]
        found = sorted(one for one in named if one.is_file())
        if not found:
            raise BadFile(f"folder contains no map ({', '.join(sorted(endings))})", at=path)
        return found
    if not glob.has_magic(str(path)) or os.path.exists(path):
        return [path]
    found = sorted(Path(one) for one in glob.iglob(str(path), recursive=True) if os.path.isfile(one))
    if not found:
        raise BadFile("no file matches", at=path)
    return found


def has_map_files(folder: str | PathLike[str]) -> bool:
    """Return whether a folder contains a file that a format reads."""
    endings = _list_extensions(None)
    return any(one.suffix.lower() in endings and _may_be_map(one) for one in list_files(folder))


def _may_be_map(path: Path) -> bool:
    """Return whether a file in a folder is neither hidden nor written beside a network by `tilewright learn`."""
    return not path.name.startswith(".") and not path.name.endswith((".preview.png", ".checkpoint.npz"))


def _list_extensions(format: str | None) -> set[str]:
    """Return the extensions of the files that a format reads; without a format, those that any format reads."""
    if format is None:
        return {ending for entry in format_registry if entry.read for ending in entry.extensions}
    entry = format_registry.get(format)
    return {*entry.extensions, *entry.shared_extensions}


def decode(source: Source, entry: Format, *, recipes: bool = True, **options: Any) -> list[LoadedMap]:
    """Return all maps in the content of a file.

    Parameters
    ----------
    source : Source
        Content of the file.
    entry : Format
        Format of the file, which must have a reader.
    recipes : bool, optional
        Whether to restore the recipes of the maps from their provenance.
    **options
        Options of the format.

    Returns
    -------
    list of LoadedMap
        The maps with their provenance.

    Raises
    ------
    BadFile
        If the content is not valid.

    Examples
    --------
    >>> str(decode(Source(b"0,1\\n1,1\\n"), format_of("map.csv"))[0].map.cells.tolist())
    '[[0, 1], [1, 1]]'
    """
    assert entry.read is not None
    params = entry.params.validate(options)
    try:
        read = entry.read(source, params)
        maps = read if isinstance(read, Sequence) else [read]
        loaded = (LoadedMap(map) if isinstance(map, TileMap) else map for map in maps)
        found = [_convert_tileset(one, source.tileset) for one in loaded]
    except BadFile:
        raise
    except TilewrightError as error:
        raise BadFile.from_error(error, source.name) from None
    except MemoryError:
        raise BadFile("declares a map that does not fit into memory", at=source.name) from None
    if not recipes:
        return found
    return [
        LoadedMap(
            one.map if one.map.recipe else one.map.replace(recipe=recipe_of(one.map, one.provenance)), one.provenance
        )
        for one in found
    ]


def decode_map(content: bytes, name: str, format: str) -> TileMap:
    """Return the first map in the content of a file that refers to no other file."""
    return decode(Source(content, name), format_registry.get(format))[0].map


def _convert_tileset(found: LoadedMap, tileset: Tileset | None) -> LoadedMap:
    """Return the same map with the given tileset. Tiles are matched by name."""
    map = found.map
    if tileset is None or map.tileset is tileset:
        return found
    used = {number: map.tileset.names[number] for number in np.unique(map.cells).tolist()}
    missing = [name for name in used.values() if name not in tileset.by_name]
    if missing and map.tileset.tiles[: len(tileset)] == tileset.tiles:  # the map adds tiles, such as unknown ids
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


def save_network(network: Network, path: str | PathLike[str]) -> None:
    """Write a network to a file."""
    from ._models import save_network

    save_network(network, path)


def decode_network(content: bytes, name: str) -> Network:
    """Return the network in the content of a file."""
    from ._models import decode_network

    return decode_network(content, name)


def image(map: TileMap, **options: Any) -> Image:
    """Return a map as a Pillow image, drawn with the options of the png format."""
    from .png import PngParams, draw_map

    return draw_map(map, PngParams.validate(options))
