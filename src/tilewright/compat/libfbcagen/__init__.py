"""libFBCAGen's functions, over our kernel: programs written for it run after changing only their imports.

    from tilewright.compat import libfbcagen as libFBCAGen
    from tilewright.compat.libfbcagen import FBCAConsts

Maps are columns of cells there, `levelMap[x][y]`; here they become arrays, are worked on, and become cells again.
Folders and file names are joined as text, so that a name may begin with a slash.
Source: libFBCAGen by M. Kreitzer; docs/compat-libfbcagen.md lists what differs.
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
from ...core.errors import BadFile, InvalidRecipe, TooLarge
from ...core.seeds import Rng, read_seed
from ...formats import Source
from ...formats._files import read_file, refuse_unwritable, write_files
from ...formats._text import read_text
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
"""None is the working directory of the moment."""

COLOURS = ["ffffff", "000000", "00ff00", "0000ff", "ff0000", "33ffff", "00ffff", "ff4500", "006600", "990099", "ffff33"]


def initCA(fbca: Fbca | LevelMap, seed: int | str | None = None) -> LevelMap:
    """Fill the automaton with random states; the same seed gives the same map, and the one `tw.make` starts from.

    A list in place of an automaton, as one of the original's examples passes, stands for an automaton of defaults.
    """
    if isinstance(fbca, list):
        fbca = Fbca()
    states = np.empty(_arrays.read_shape(fbca), dtype=np.uint8)
    rng = Rng.of(read_seed(seed)).child("fashion")
    fill_below(rng.level_key(), 0, 0, _arrays.read_state_count(fbca), states)
    fbca.levelMap = to_level_map(states)
    return fbca.levelMap


def copyOver(fbca: Fbca) -> LevelMap:
    """The automaton's map in cells of its own; their scores begin at 0."""
    return to_level_map(read_states(fbca))


def makeFolder(directory: str | PathLike[str]) -> bool:
    """Make a folder, and those it lies in; False where it exists already or cannot be made."""
    try:
        os.makedirs(directory)
    except (OSError, ValueError):
        return False
    return True


def colourConvert(x: int) -> Color:
    """The colour of a state: one of the original's eleven or, for higher states, one unlike all others."""
    state = _arrays.check_integer("x", x, 0, _arrays.MAX_STATES - 1)
    color = COLOURS[state] if state < len(COLOURS) else distinct_color(state).removeprefix("#")
    red, green, blue = bytes.fromhex(color)
    return red, green, blue


def genIm(fbca: Fbca, directory: Folder = None, quantifer: str = "test", gen: int = 0) -> Image.Image:
    """Save the map as `{directory}/{quantifer} {gen}.png`, a pixel per cell, and return the picture."""
    return _save_picture(read_states(fbca), f"{_resolve_folder(directory)}/{quantifer} {gen}.png")


def updateMap(fbca: Fbca) -> LevelMap:
    """The map one update later. The automaton keeps its present map, with the score of every cell filled in."""
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
    """Write the map and the parameters to `{directory}/{fileName}`, or append them unless `newFile`.

    A `fileName` that already begins with the directory is taken as it is, as is any without a directory.
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
    """Update the automaton g times, which leaves it with its final map, and return that.

    saveImages writes a png of every update and saveFinalImage (saveFinalImages is the same) one of the last, either
    of them a gif of all, into the folder `{directory}/{quantifer}/`. saveText appends every map to
    `{quantifer}.txt`, saveFinalText the last one; with either the parameters follow.
    With a seed, or where there is no map yet, it begins with a random one.
    """
    _arrays.read_shape(fbca)  # refuses what is no automaton
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
    """The automata of a text file, each with its map where the file has one.

    `width` is the number of columns of maps that come without parameters.
    """
    name = os.fspath(fileName)
    text = read_text(Source(read_file(name), name))
    try:
        return [_make_automaton(record) for record in parse(text, width)]
    except (InvalidRecipe, TooLarge) as error:
        raise BadFile.from_error(error, name) from None


def behaviourNum(fbca: Fbca) -> int:
    """A number for what the automaton does: those with equal numbers do the same to every map.

    It depends on scores, n and neighbourhood; `generators.fashion.behaviour_id` says how, and what is too large.
    """
    return int(behaviour_id(_arrays.read_scores(fbca), _arrays.read_offsets(fbca)).rpartition("-")[2], 16)


updateFBCA = updateMap
colorConvert = colourConvert


# -- files ---------------------------------------------------------------------------------------------------


def _resolve_folder(directory: Folder) -> str:
    return os.fspath(directory or os.getcwd())


def _render_picture(states: Cells) -> Image.Image:
    """A pixel per cell, whose index is the state; all have one palette, so that an animation keeps its colours."""
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
        _arrays.read_shape(fbca)  # refuses what is too large for objects
        fbca.levelMap = to_level_map(record.cells)
    return fbca


def _make_record(fbca: Fbca, maps: Sequence[Cells], *, parameters: bool = True) -> FbcaText:
    """What a text says about the automaton: its maps, the last one being the result, and its parameters."""
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
