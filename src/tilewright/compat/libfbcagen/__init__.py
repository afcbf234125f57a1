"""The functions of libFBCAGen, implemented by Tilewright's kernels. Programs only need to change their imports.

    from tilewright.compat import libfbcagen as libFBCAGen
    from tilewright.compat.libfbcagen import FBCAConsts

Maps are columns of cells, `levelMap[x][y]`, and are converted to arrays for every operation. Folders and file names are
concatenated as strings, so a name may start with a slash.
Source: libFBCAGen by M. Kreitzer; docs/compat-libfbcagen.md lists the differences.
"""

# ruff: noqa: N802, N803, N816 - the names are a contract
from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
from PIL import Image

from ...core.appearance import distinct_color
from ...core.errors import BadFile, InvalidRecipe, TooLarge, errors_within
from ...core.params import check_integer
from ...core.seeds import Rng, read_seed
from ...formats import Source
from ...formats._documents import read_text
from ...formats._files import read_file, refuse_unwritable, write_files
from ...formats.fbca import FbcaText, parse, to_text
from ...generators.fashion import behaviour_id
from ...kernels.random import fill_below
from . import FBCAConsts, _arrays
from ._arrays import Cells, LevelMap, read_states, run_generations, to_level_map
from .FBCAConsts import CACell, Fbca

__all__ = [
    "CACell",
    "FBCAConsts",
    "Fbca",
    "behaviourNum",
    "colorConvert",
    "colourConvert",
    "copyOver",
    "genIm",
    "genText",
    "generateFBCA",
    "initCA",
    "makeFolder",
    "os",
    "readFBCA",
    "updateFBCA",
    "updateMap",
]

Color: TypeAlias = tuple[int, int, int]
Folder: TypeAlias = str | PathLike[str] | None
"""A folder; None is the current working directory."""

COLOURS = ["ffffff", "000000", "00ff00", "0000ff", "ff0000", "33ffff", "00ffff", "ff4500", "006600", "990099", "ffff33"]


def initCA(fbca: Fbca | LevelMap, seed: int | str | None = None) -> LevelMap:
    """Fill the map of an automaton with random states.

    Parameters
    ----------
    fbca
        Automaton to fill. A list, as in an example of the original, is replaced by a default automaton.
    seed
        Seed of the map; random by default. `tw.make` starts from the same map with the same seed.

    Returns
    -------
    list of list of CACell
        The new map, as columns of cells.

    Examples
    --------
    >>> fbca = Fbca(torusLength=4, torusWidth=3)
    >>> level = initCA(fbca, seed=1)
    >>> len(level), len(level[0])
    (4, 3)
    """
    if isinstance(fbca, list):
        fbca = Fbca()
    states = np.empty(_arrays.read_shape(fbca), dtype=np.uint8)
    rng = Rng.of(read_seed(seed)).child("fashion")
    fill_below(rng.level_key(), 0, 0, _arrays.read_state_count(fbca), states)
    fbca.levelMap = to_level_map(states)
    return fbca.levelMap


def copyOver(fbca: Fbca) -> LevelMap:
    """Return a copy of the automaton's map, with scores of 0."""
    return to_level_map(read_states(fbca))


def makeFolder(directory: str | PathLike[str]) -> bool:
    """Create a folder and its parents; return False if it exists or cannot be created."""
    try:
        os.makedirs(directory)
    except (OSError, ValueError):
        return False
    return True


def colourConvert(x: int) -> Color:
    """Return the color of a state: one of the original's eleven or, for higher states, another distinct color."""
    state = check_integer("x", x, 0, _arrays.MAX_STATES - 1)
    color = COLOURS[state] if state < len(COLOURS) else distinct_color(state).removeprefix("#")
    red, green, blue = bytes.fromhex(color)
    return red, green, blue


def genIm(fbca: Fbca, directory: Folder = None, quantifer: str = "test", gen: int = 0) -> Image.Image:
    """Save the map as a picture with one pixel per cell.

    Parameters
    ----------
    fbca
        Automaton with a map.
    directory
        Folder of the file; the current one by default.
    quantifer, gen
        Parts of the file name, `{directory}/{quantifer} {gen}.png`.

    Returns
    -------
    PIL.Image.Image
        The picture.
    """
    return _save_picture(read_states(fbca), f"{_resolve_folder(directory)}/{quantifer} {gen}.png")


def updateMap(fbca: Fbca) -> LevelMap:
    """Return the map after one update. The automaton keeps its current map, in which all scores are set."""
    before, after = run_generations(fbca, 1)
    matrix = np.array(_arrays.read_scores(fbca)).reshape(fbca.n, fbca.n)
    total = np.zeros(before.shape)
    for dx, dy in _arrays.read_offsets(fbca):
        total += matrix[before, np.roll(before, (-dy, -dx), axis=(0, 1))]
    for column, totals in zip(fbca.levelMap, total.T, strict=False):
        for cell, score in zip(column, totals.tolist(), strict=False):
            cell.score = score
    return to_level_map(after)


def genText(
    fbca: Fbca,
    directory: Folder = None,
    fileName: str = "test.txt",
    newFile: bool = True,
    justMap: bool = False,
    noMap: bool = False,
) -> None:
    """Write the map and the parameters to a text file.

    Parameters
    ----------
    fbca
        Automaton to write.
    directory
        Folder of the file. It is not added if `fileName` already starts with it.
    fileName
        Name of the file.
    newFile
        Whether to replace the file; otherwise the text is appended.
    justMap
        Whether to leave out the parameters.
    noMap
        Whether to leave out the map.
    """
    folder = f"{os.fspath(directory).rstrip('/')}/" if directory else ""
    path = fileName if fileName.startswith(folder) else f"{folder}{fileName}"
    maps = [] if noMap else [read_states(fbca)]
    _save_text(_make_record(fbca, maps, parameters=not justMap), path, append=not newFile)


def generateFBCA(
    fbca: Fbca,
    directory: Folder = None,
    quantifer: str = "test",
    saveImages: bool = False,
    saveFinalImage: bool = False,
    saveText: bool = False,
    saveFinalText: bool = False,
    *,
    saveFinalImages: bool = False,
    seed: int | str | None = None,
) -> LevelMap:
    """Update an automaton g times and return its final map.

    Parameters
    ----------
    fbca
        Automaton to update. If it has no map, it starts with a random one.
    directory
        Folder of the files; the current one by default.
    quantifer
        Name of the files. Pictures are written to the folder `{directory}/{quantifer}/`.
    saveImages
        Whether to write a png of every update, and a gif of all.
    saveFinalImage, saveFinalImages
        Whether to write a png of the last update, and a gif of all.
    saveText
        Whether to append every map and the parameters to `{quantifer}.txt`.
    saveFinalText
        Whether to append the final map and the parameters to `{quantifer}.txt`.
    seed
        Seed of a random map to start with.

    Returns
    -------
    list of list of CACell
        The final map, as columns of cells.

    Examples
    --------
    >>> level = generateFBCA(Fbca(torusLength=4, torusWidth=3, g=2), seed=1)
    >>> len(level), len(level[0])
    (4, 3)
    """
    _arrays.read_shape(fbca)  # Check the automaton before any file is written.
    pictures, texts = saveImages or saveFinalImage or saveFinalImages, saveText or saveFinalText
    folder = f"{_resolve_folder(directory)}/{quantifer}/" if pictures else _resolve_folder(directory)
    path = f"{folder}/{quantifer}"
    if pictures or texts:
        refuse_unwritable(f"{path}.gif")
    if seed is not None or not fbca.levelMap:
        initCA(fbca, seed)
    frames = deque(run_generations(fbca, _arrays.read_update_count(fbca)), maxlen=None if pictures or saveText else 1)
    fbca.levelMap = to_level_map(frames[-1])

    makeFolder(folder)
    if pictures:
        for gen, states in enumerate(frames):
            if saveImages or gen == fbca.g:
                _save_picture(states, f"{path} {gen}.png")
        _save_animation(list(frames), f"{path}.gif")
    if texts:
        maps = list(frames) if saveText else [frames[-1]]
        _save_text(_make_record(fbca, maps), f"{path}.txt", append=True)
    return fbca.levelMap


def readFBCA(fileName: str | PathLike[str], width: int | None = None) -> list[Fbca]:
    """Return the automata of a text file, each with its map if the file has one.

    Parameters
    ----------
    fileName
        File to read.
    width
        Number of columns of maps without parameters.

    Returns
    -------
    list of Fbca
        The automata.

    Raises
    ------
    BadFile
        If the file is invalid.
    """
    name = os.fspath(fileName)
    text = read_text(Source(read_file(name), name))
    with errors_within(name, kind=(InvalidRecipe, TooLarge), into=BadFile):
        return [_make_automaton(record) for record in parse(text, width)]


def behaviourNum(fbca: Fbca) -> int:
    """Return a number for the behavior of an automaton. Automata with equal numbers change every map in the same way.

    The number depends on the scores, n and the neighborhood. `generators.fashion.behaviour_id` describes the method and
    its limits.
    """
    return int(behaviour_id(_arrays.read_scores(fbca), _arrays.read_offsets(fbca)).rpartition("-")[2], 16)


updateFBCA = updateMap
colorConvert = colourConvert


# -- files ---------------------------------------------------------------------------------------------------


def _resolve_folder(directory: Folder) -> str:
    return os.fspath(directory or os.getcwd())


def _render_picture(states: Cells) -> Image.Image:
    """Return a picture whose palette indices are the states.

    All pictures have the same palette, as animations require.
    """
    picture = Image.fromarray(states)
    picture.putpalette(_make_palette())
    return picture


@cache
def _make_palette() -> bytes:
    return bytes(part for state in range(_arrays.MAX_STATES) for part in colourConvert(state))


def _save_picture(states: Cells, path: str) -> Image.Image:
    picture = _render_picture(states).convert("RGB")
    _save(picture, path, "PNG")
    return picture


def _save_animation(frames: Sequence[Cells], path: str) -> None:
    first, *others = map(_render_picture, frames)
    _save(first, path, "GIF", save_all=True, append_images=others, optimize=False, duration=100, loop=0)


def _save(picture: Image.Image, path: str, kind: str, **options: object) -> None:
    content = BytesIO()
    picture.save(content, kind, **options)
    write_files(path, {Path(path).name: content.getvalue()})


def _save_text(record: FbcaText, path: str, *, append: bool) -> None:
    before = read_file(path) if append and os.path.exists(path) else b""
    write_files(path, {Path(path).name: before + to_text([record]).encode()})


def _make_automaton(record: FbcaText) -> Fbca:
    fbca = Fbca(
        scoreMatrix=list(record.scores),
        g=record.generations,
        n=record.states,
        neighbourhood=list(record.neighbourhood),
        torusWidth=record.width,
        torusLength=record.length,
    )
    if record.cells is not None:
        _arrays.read_shape(fbca)  # This raises an error if the map is too large for Python objects.
        fbca.levelMap = to_level_map(record.cells)
    return fbca


def _make_record(fbca: Fbca, maps: Sequence[Cells], *, parameters: bool = True) -> FbcaText:
    """Return the text record of an automaton: its maps, of which the last is the result, and its parameters."""
    height, width = _arrays.read_shape(fbca)
    return FbcaText(
        cells=maps[-1] if maps else None,
        frames=tuple(maps[:-1]),
        scores=tuple(_arrays.read_scores(fbca)) if parameters else (),
        generations=_arrays.read_update_count(fbca),
        states=_arrays.read_state_count(fbca),
        width=height,
        length=width,
        neighbourhood=tuple(_arrays.read_offsets(fbca)),
    )
