"""libFBCAGen text: maps of fashion-based cellular automata with the automata's parameters, any number in a file.

A map is a line of states, column by column. A line `sMs[scores]g..n..w..l..neighbours[offsets]` contains the parameters
of an automaton (as in the original, `w` is the height of the map and `l` its width). The map before such a line is its
result, and the maps before that are the previous updates. Maps after the last such line have no automaton and need the
option `width`. Lists of scores may contain quoted numbers, and more than needed; the first n x n are used.

With up to ten states, a state is a digit, as in the original. With more states, which the original writes ambiguously,
every state is a number followed by a comma: `0,11,3,`. Digits with more than ten states are refused, because `11` may
be one cell or two.

A map made by `fashion` is written with its automaton (but without a second matrix). Other maps are written with scores
of zero and no updates, an automaton that leaves every map unchanged. A map read from a file has the automaton as its
recipe: without a seed, to generate other maps in its style, or, if the file contains all updates, with the first update
as its start, so that `verify` can regenerate it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, TooLarge, pluralize
from ..core.grid import MAX_CELLS, Grid
from ..core.params import MAX_SIDE, Params, param
from ..core.tilemap import TileMap
from ..core.tilesets import tilesets
from . import LoadedMap, Source, file_format
from ._documents import read_text

DIGITS = 10
"""Maximum number of states that are written as digits."""
MAX_STATES = 255
NEIGHBOURHOOD = ((0, 1), (0, -1), (-1, 0), (1, 0))
PARAMETERS = re.compile(
    r"sMs\[(?P<scores>[^\]]*)\]g(?P<generations>\d{1,9})n(?P<states>\d{1,3})w(?P<width>\d{1,9})l(?P<length>\d{1,9})"
    r"neighbours\[(?P<neighbourhood>[^\]]*)\]",
    re.ASCII,
)
OFFSET = re.compile(r"\(\s*([+-]?\d{1,9})\s*,\s*([+-]?\d{1,9})\s*\)", re.ASCII)

States = NDArray[np.uint8]
"""(row, column) states, as everywhere else in Tilewright."""


@dataclass(frozen=True, slots=True, eq=False)
class FbcaText:
    """One automaton of a file with its maps; without scores, only a map."""

    cells: States | None
    """Result; None if the file contains only the parameters."""
    frames: tuple[States, ...] = ()
    """Previous updates."""
    scores: tuple[float, ...] = ()
    """n x n scores, row by row."""
    generations: int = 0
    states: int = 2
    width: int = 0
    """Rows of the map: the original's width is along y."""
    length: int = 0
    """Columns of the map."""
    neighbourhood: tuple[tuple[int, int], ...] = NEIGHBOURHOOD
    """Offsets (dx, dy); the first one wins ties."""


class FbcaParams(Params):
    width: int | None = param(None, ge=1, le=MAX_SIDE, reading=True)
    """Reading: number of columns of maps without parameters."""


# -- text -----------------------------------------------------------------------------------------------------


def to_text(records: Iterable[FbcaText]) -> str:
    """Return the text of automata, each after its maps."""
    lines = []
    for record in records:
        maps = [*record.frames, *([] if record.cells is None else [record.cells])]
        lines += [_format_map(cells, record.states) for cells in maps] or [""]
        if record.scores:
            scores = ", ".join(str(int(score)) if score == int(score) else repr(score) for score in record.scores)
            lines.append(
                f"sMs[{scores}]g{record.generations}n{record.states}w{record.width}l{record.length}"
                f"neighbours{list(record.neighbourhood)}"
            )
    return "".join(f"{line}\n" for line in lines)


def _format_map(cells: States, states: int) -> str:
    if states > DIGITS:
        return "".join(f"{state}," for state in cells.T.ravel().tolist())
    return (cells.T.astype(np.uint8) + ord("0")).tobytes().decode("ascii")


def parse(text: str, columns: int | None = None) -> list[FbcaText]:
    """Parse the automata of text, and the maps without one, which have this number of columns."""
    records: list[FbcaText] = []
    maps: list[tuple[int, str]] = []
    for number, line in enumerate(map(str.strip, text.split("\n")), 1):
        if line.startswith("sMs"):
            records.append(_parse_record(line, number, maps))
            maps = []
        elif line:
            maps.append((number, line))
    for number, line in maps:
        if columns is None:
            raise InvalidRecipe(
                "a map without a parameter line; give its number of columns as width", at=("line", number)
            )
        states = _parse_states(line, MAX_STATES if "," in line else DIGITS, number)
        if len(states) % columns:
            raise InvalidRecipe(f"{pluralize(len(states), 'cell')} do not fill {columns} columns", at=("line", number))
        rows, highest = len(states) // columns, int(states.max())
        records.append(
            FbcaText(states.reshape(columns, rows).T, states=max(2, highest + 1), width=rows, length=columns)
        )
    return records


def _parse_record(line: str, number: int, maps: Sequence[tuple[int, str]]) -> FbcaText:
    """Parse an automaton from its parameter line and the lines of maps before it."""
    found = PARAMETERS.fullmatch(line)
    if found is None:
        form = "sMs[scores]g..n..w..l..neighbours[(dx, dy), ...]"
        raise InvalidRecipe(f"parameters must be written as {form}", at=("line", number), got=line)
    generations, states, width, length = (int(found[name]) for name in ("generations", "states", "width", "length"))
    if not 1 <= states <= MAX_STATES:
        raise InvalidRecipe(f"n, the number of states, must be in 1..{MAX_STATES}, got {states}", at=("line", number))
    if not 1 <= width * length <= MAX_CELLS:
        raise TooLarge(f"a map must have 1 to {MAX_CELLS:,} cells, got {length:,}x{width:,}", at=("line", number))
    shaped = [_parse_states(text, states, place, width * length).reshape(length, width).T for place, text in maps]
    return FbcaText(
        cells=shaped[-1] if shaped else None,
        frames=tuple(shaped[:-1]),
        scores=_parse_scores(found["scores"], states, number),
        generations=generations,
        states=states,
        width=width,
        length=length,
        neighbourhood=_parse_offsets(found["neighbourhood"], number),
    )


def _parse_states(line: str, states: int, number: int, count: int | None = None) -> States:
    """Parse the states of a line, in its order."""
    actual = line.count(",") + (not line.endswith(",")) if "," in line else len(line)
    if states > DIGITS and "," not in line:
        text = f"with n{states} a line of digits is ambiguous; write a comma after each state"
        raise InvalidRecipe(text, at=("line", number))
    if count is not None and actual != count:
        raise InvalidRecipe(f"{pluralize(actual, 'cell')}, its parameters need {count:,}", at=("line", number))
    try:
        numbers = map(int, line.rstrip(",").split(",")) if "," in line else line.encode("ascii").translate(_VALUES)
        cells = np.frombuffer(array("B", numbers), dtype=np.uint8)
    except (ValueError, OverflowError):
        raise InvalidRecipe("neither a map (states) nor parameters (sMs...)", at=("line", number)) from None
    if int(cells.max()) >= states:
        worst = int(cells.max())
        shown = f"state {worst}" if worst < MAX_STATES else "an invalid state"
        raise InvalidRecipe(f"contains {shown}; its automaton has states 0..{states - 1}", at=("line", number))
    return cells


_VALUES = bytes(code - ord("0") if chr(code).isdecimal() and code < 128 else 255 for code in range(256))
"""Value of every digit's byte; 255, which is not a state, for all other bytes."""


def _parse_scores(text: str, states: int, number: int) -> tuple[float, ...]:
    """Parse the first n x n numbers; published lists contain quoted ones, and more than needed."""
    words = [word.strip().strip("'\"") for word in text.split(",", states * states)[: states * states]]
    if len(words) < states * states or not words[-1]:
        found = pluralize(len([word for word in words if word]), "score")
        raise InvalidRecipe(f"n{states} needs {states * states} scores, got {found}", at=("line", number))
    try:
        scores = tuple(float(word) for word in words)
    except ValueError:
        scores = (float("nan"),)
    if not all(map(isfinite, scores)):
        raise InvalidRecipe("scores must be finite numbers", at=("line", number), got=text)
    return scores


def _parse_offsets(text: str, number: int) -> tuple[tuple[int, int], ...]:
    if OFFSET.sub("", text).strip(", "):
        raise InvalidRecipe("`neighbours` must be offsets such as (0, -1)", at=("line", number), got=text)
    return tuple((int(dx), int(dy)) for dx, dy in OFFSET.findall(text))


# -- maps -----------------------------------------------------------------------------------------------------


def _make_record(map: TileMap, highest: int) -> FbcaText:
    """Return a map with its automaton if its tile ids are the states, else with an automaton that changes nothing."""
    states = max(2, highest + 1)
    record = FbcaText(map.cells.astype(np.uint8), (), (0.0,) * states**2, 0, states, map.height, map.width)
    recipe = map.recipe
    if recipe is None or recipe.technique != "fashion" or recipe.tiles:
        return record
    params: Any = recipe.params
    if highest >= params.states or isinstance(params.scores, str):
        return record
    return replace(
        record, scores=params.scores, generations=params.generations, states=params.states, neighbourhood=params.offsets
    )


def read(source: Source, options: FbcaParams) -> list[LoadedMap]:
    """Return the results of all automata in the file, then the maps without one."""
    found = []
    for record in parse(read_text(source), options.width):
        if record.cells is not None:
            missing = [f"state{number}" for number in range(record.states)]
            tileset = source.tileset or tilesets.get("fashion").with_tiles(missing)
            found.append(LoadedMap(TileMap(record.cells, tileset), _make_provenance(record)))
    return found


def _make_provenance(record: FbcaText) -> Mapping[str, Any]:
    """Return the automaton as a recipe, with the start if all updates are known."""
    if not record.scores:
        return {}
    names = ("states", "scores", "neighbourhood", "generations")
    params: dict[str, Any] = {name: getattr(record, name) for name in names}
    if len(record.frames) == record.generations > 0:
        # The start is not plain data, so that it may have more than MAX_INLINE_CELLS cells.
        start = Grid.of(record.frames[0])
        return {"recipe": {"technique": "fashion", "params": {**params, "start": start}, "seed": 0}}
    size = {"width": record.length, "height": record.width}
    return {"recipe": {"technique": "fashion", "params": params | size}}


@file_format(FbcaParams, read=read, media_type="text/plain; charset=utf-8", use="other generators")
def fbca(map: TileMap, options: FbcaParams, path: Path) -> Mapping[str, bytes]:
    if map.cells.ndim != 2:
        raise InvalidRecipe("cannot hold a map with levels", place="fbca")
    highest = int(map.cells.max())
    if highest >= MAX_STATES:
        raise TooLarge(f"must have tile ids below {MAX_STATES}, got {highest}", place="fbca")
    return {path.name: to_text([_make_record(map, highest)]).encode()}
