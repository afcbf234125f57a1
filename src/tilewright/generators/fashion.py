"""Fashion-based cellular automaton: each cell copies the neighbor with the highest score.

The score of a cell is the sum of `scores[own state, neighbor state]` over its neighbors. In each generation, every cell
takes the state of the highest-scoring cell among itself and its neighbors. A random start settles into caverns, mazes,
fields or moving waves. The score matrix determines the style; different seeds give different maps of the same style.
Two matrices can be blended across the map, so that one style changes gradually into another.

Sources: Ashlock, "Evolvable fashion-based cellular automata for generating cavern systems", 2015 (the automaton);
Kreitzer, Ashlock, Pereira, "Automatic generation of diverse cavern maps with morphing cellular automata", 2019.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import cached_property
from math import isqrt, prod, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator, model_validator

from ..core.entries import technique
from ..core.errors import Fix, InvalidRecipe, Problem, TooLarge, UnknownName, pluralize, problem, short_repr
from ..core.grid import FREE, Grid, Offset, StartParams
from ..core.params import param
from ..core.seeds import Rng
from ..core.site import Frame, PaddedWindow, Site, Steps
from ..kernels.fashion import Automaton
from ..kernels.gpu import find_problem
from ..kernels.random import fill_below, fill_in_blocks
from ._fashion.behaviour import BehaviourGrid as BehaviourGrid
from ._fashion.behaviour import behave_alike as behave_alike
from ._fashion.behaviour import behaviour_grid as behaviour_grid
from ._fashion.behaviour import behaviour_id as behaviour_id
from ._fashion.behaviour import normal_form as normal_form
from ._fashion.gallery import PREFIX, find_scores
from ._fashion.many import FashionMany, advance_on_gpu

NEIGHBOURHOODS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "plus": ((0, 1), (0, -1), (-1, 0), (1, 0)),
    "all": ((0, 1), (0, -1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)),
    "diagonal": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "hexagon": ((0, 1), (0, -1), (-1, 0), (1, 0), (1, -1), (-1, 1)),
    "knight": ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)),
}
CAVERN = (
    (0.95, 0.12, 0.41, 0.81, 0.94, 0.75),
    (0.99, 0.7, 0.77, 0.41, 0.24, 0.23),
    (0.27, 0.75, 0.93, 0.52, 0.72, 0.15),
    (0.19, 0.35, 0.31, 0.91, 0.74, 0.99),
    (0.5, 0.82, 0.08, 0.68, 0.26, 0.01),
    (0.87, 0.64, 0.15, 0.95, 0.42, 0.34),
)
MAX_STATES = 64
NUMBERED_TILE = re.compile(r"tile(\d{1,5})", re.ASCII)
"""Regular expression for the names of tiles in files of bare numbers, such as csv."""
MAX_CELLS = 1 << 31
Scores = tuple[float, ...]


class FashionParams(StartParams):
    states: int = param(len(CAVERN), ge=2, le=MAX_STATES, typical=(2, 11), sizes=("scores", "morph"))
    """Number of states; by default, as many as the scores have rows."""
    scores: Scores | Literal["random"] = param(tuple(sum(CAVERN, ())), control="matrix", prefix=PREFIX)
    """Score of a state (row) beside a neighbor's state (column): a list, `random`, or a style, as in `archive:12,3`."""
    neighbourhood: tuple[Offset, ...] | Literal["plus", "all", "diagonal", "hexagon", "knight"] = param(
        "plus", control="offsets", means=NEIGHBOURHOODS
    )
    """Cells that count as neighbors: a name, or a list of dx, dy. On ties, the neighbor listed first wins."""
    generations: int = param(30, ge=0, le=100_000, typical=(0, 100))
    """Number of updates of all cells."""
    wrap: bool | None = param(None)
    """Whether opposite edges wrap around (a torus); by default yes, unless there is an offset."""
    offset: Offset | None = param(None)
    """Position x, y of this window in an endless plane. Windows generated separately join exactly."""
    morph: Scores | Literal["random"] | None = param(None, control="matrix", prefix=PREFIX)
    """Second score matrix, into which the first one changes across the map; in the same forms."""
    blend: Literal["left to right", "top to bottom", "radial"] = param("left to right", hidden_unless=("morph",))
    """Direction in which the fraction of the second matrix grows from 0 to 1."""
    device: Literal["cpu", "gpu"] = param("cpu", transient=True)
    """Device to make the map on. A GPU is faster for large maps; the map does not depend on it."""

    @model_validator(mode="before")
    @classmethod
    def _match_states_and_scores(cls, values: Any) -> Any:
        """Derive the number of states from the scores; if only the states are given, make the scores random."""
        if not isinstance(values, Mapping):
            return values
        values = dict(values)
        for name in ("scores", "morph"):
            if isinstance(values.get(name), np.ndarray):
                values[name] = values[name].tolist()
            if isinstance(values.get(name), (list, tuple)):
                values[name] = _flatten(values[name], name)
            if isinstance(values.get(name), str) and values[name].startswith(PREFIX):
                values[name] = find_scores(values[name], name)
        if "scores" not in values and "states" in values:
            values["scores"] = "random"
        if "states" not in values and isinstance(values.get("scores"), tuple):
            values["states"] = max(2, isqrt(len(values["scores"])))
        return values

    @field_validator("neighbourhood", mode="before")
    @classmethod
    def _read_pairs(cls, value: Any) -> Any:
        """Accept flat offsets, as given on a command line: dx, dy, dx, dy ..."""
        if isinstance(value, (list, tuple)) and value and not any(isinstance(part, (list, tuple)) for part in value):
            if len(value) % 2:
                raise InvalidRecipe(f"offsets are pairs of dx, dy; got {pluralize(len(value), 'number')}")
            return tuple(zip(value[::2], value[1::2], strict=True))
        return value

    def find_problems(self) -> Iterator[Problem]:
        for name, scores in (("scores", self.scores), ("morph", self.morph)):
            if isinstance(scores, tuple) and len(scores) != self.states**2:
                wanted = f"{pluralize(self.states, 'state')} need {self.states}x{self.states} = {self.states**2} scores"
                yield problem(f"{wanted}, got {len(scores)}", at=name)
        if not self.offsets:
            yield problem("must contain at least one neighbor", at="neighbourhood", rule="missing")
        for name, is_given, why in (
            ("wrap", self.wrap, "a window of an endless plane cannot wrap"),
            ("start", self.start is not None, "a window of an endless plane has a random start"),
            ("morph", self.morph is not None, "an endless plane has no edges to blend between"),
        ):
            if self.offset is not None and is_given:
                yield problem(f"{why}; leave {name} or offset out", at=name, remove=[name, "offset"])

    @property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        return NEIGHBOURHOODS[self.neighbourhood] if isinstance(self.neighbourhood, str) else self.neighbourhood

    @cached_property
    def reach(self) -> int:
        """Radius of the area that determines a cell of the final map: two neighborhoods per generation."""
        return 2 * max(max(abs(dx), abs(dy)) for dx, dy in self.offsets) * self.generations


def draw_scores(p: FashionParams, rng: Rng) -> FashionParams:
    """Return the parameters with random matrices drawn, in steps of 0.001 to keep recipes readable."""

    def draw_matrix(name: str) -> Scores:
        stream = rng.child(name)
        return tuple(stream.below(1001) / 1000 for _ in range(p.states**2))

    changes = {name: draw_matrix(name) for name, own in (("scores", p.scores), ("morph", p.morph)) if own == "random"}
    return p.model_copy(update=changes) if changes else p


def check_device(p: FashionParams, site: Site) -> None:
    """Raise InvalidRecipe if the map is to be made on a GPU and cannot be."""
    reason = find_problem() if p.device == "gpu" else ""
    if p.device == "gpu" and (site.has_locks or p.morph is not None):
        reason = "locks and morph are made on the CPU"
    if reason:
        fix = Fix("set", ("device",), "cpu")
        raise InvalidRecipe(reason, at="device", got=p.device, rule="conflict", fixes=[fix])


@technique(
    FashionParams,
    tileset="fashion",
    tiles=lambda p: [f"state{number}" for number in range(p.states)],
    match_by_position=True,
    reach=lambda p: p.reach,
    offset=lambda p: p.offset,
    cost=lambda p: prod(p.shape) * (1 + p.generations),
    bytes_per_cell=lambda p: 6 if p.morph is None else 36,
    resolve_random=draw_scores,
    validate=check_device,
    search_words=("texture", "island", "terrain", "automaton"),
    main_param="generations",
    vary={"scores": {}, "generations": {"from": 5, "to": 60}},
    many=FashionMany,
)
def fashion(p: FashionParams, site: Site, rng: Rng) -> Steps:
    wrap = p.wrap is not False and site.world is not None
    padded = site.padded_window(p.reach, wrap=wrap)
    cells = yield from _draw_start(p, site, rng, padded, site.world if wrap else None)
    inner = padded.inner
    # If the margin is complete on all four edges, wrapping does not affect the window, and a torus is faster.
    is_ring = wrap or all(margin == p.reach for margin in (*padded.before, *padded.after))
    if p.device == "gpu":
        scores = _as_matrix(p.scores, p.states)
        finished = yield from advance_on_gpu(
            cells, scores, p.offsets, generations=p.generations, wrap=is_ring, is_watched=site.is_watched
        )
        return site.map(finished[inner])
    locked = None
    if site.has_locks:
        locked = np.pad(site.locked, tuple(zip(padded.before, padded.after, strict=True)))
    automaton = Automaton(
        site.apply_locks(cells, inner),
        _as_matrix(p.scores, p.states),
        p.offsets,
        wrap=is_ring,
        locked=locked,
        second=None if p.morph is None else _as_matrix(p.morph, p.states),
        blend=None
        if p.morph is None or site.world is None
        else _compute_shares(p.blend, site.world, padded, wrap=wrap),
    )
    del cells, locked
    cells = automaton.cells[inner]
    yield Frame(cells, "start", 0.0)
    at_once = automaton.generations_per_block
    block = 1 if site.is_watched or not at_once else at_once
    for generation in range(block, p.generations + 1, block):
        if at_once:
            automaton.advance(block)
        else:
            for share in automaton.run_generation():
                yield Frame(cells, f"generation {generation}", (generation - 1 + share) / p.generations)
        yield Frame(cells, f"generation {generation}", generation / p.generations)
    automaton.advance(p.generations % block)
    return site.map(cells)


def _draw_start(
    p: FashionParams, site: Site, rng: Rng, padded: PaddedWindow, torus: tuple[int, ...] | None
) -> Generator[Frame, None, NDArray[np.uint8]]:
    """Return the initial states: random by position, with the cells of `start` applied."""
    height, width = padded.shape
    if height * width > MAX_CELLS:
        size = f"{width:,}x{height:,} cells"
        text = f"{p.generations} generations of an endless plane depend on {size}; use fewer generations"
        raise TooLarge(text, at="offset")
    cells = np.empty(padded.shape, dtype=np.uint8)
    for _ in fill_in_blocks(fill_below, rng.level_key(), padded.origin, p.states, cells, torus=torus):
        yield Frame(None, "start", 0.0)
    if p.start is not None:
        given = _read_start(p.start, p.states, site)
        cells[given != FREE] = given[given != FREE]
    return cells


def _read_start(start: Grid, states: int, site: Site) -> NDArray[np.int32]:
    """Return the states of a start map; -1 for undecided cells.

    Characters must be states, because it is not clear which character means which state. Colors and named tiles, as in
    pictures, may be other ones.
    """
    numbers = [NUMBERED_TILE.fullmatch(str(label)) for label in start.labels]
    if all(numbers) and start.labels:  # Tiles of a file that contains only numbers are states.
        start = Grid([int(found[1]) for found in numbers if found], start.cells)
    named = [label for label in start.labels if isinstance(label, str) and len(label) > 1]
    if named and len(named) == len(start.labels) and not any(_is_state(label, site) for label in named):
        return _read_picture(start, named, states, site)
    try:
        return site.read(start, "start")
    except UnknownName as error:
        text = f"{short_repr(error.name)} is not a state; write states as numbers from 0 to {states - 1}"
        raise InvalidRecipe(f"{text}, and ? for random cells", at="start", value=error.name) from None


def _is_state(label: str, site: Site) -> bool:
    return label in site.labels or site.tileset.find(label) is not None


def _read_picture(start: Grid, names: Sequence[str], states: int, site: Site) -> NDArray[np.int32]:
    """Return the states of a picture: those with its colors in the tileset, or else numbers in order of appearance."""
    if len(names) > states:
        text = f"the map has {pluralize(len(names), 'color')} or tiles, but there are {states} states"
        raise InvalidRecipe(f"{text}; set states to at least {len(names)}", at="start", rule="maximum")
    found = {site.tileset[number].color: state for state, number in reversed([*enumerate(site.ids.tolist())])}
    if not all(name in found for name in names):
        used, first = np.unique(start.cells, return_index=True)
        order = [names[number] for number in used[np.argsort(first)].tolist() if number != FREE]
        found = {name: state for state, name in enumerate(order)}
        shown = ", ".join(f"{name} is {state}" for name, state in found.items())
        warnings.warn(
            f"start: states are numbered in order of appearance: {shown}; to choose them, give a tileset with these "
            "colors or a map of states",
            stacklevel=2,
        )
    table = np.array([*(found[name] for name in names), FREE], dtype=np.int32)
    cells: NDArray[np.int32] = table[start.cells]
    return cells


def _as_matrix(scores: Scores | str, states: int) -> NDArray[np.float64]:
    return np.array(scores, dtype=np.float64).reshape(states, states)


def _compute_shares(blend: str, world: tuple[int, ...], padded: PaddedWindow, *, wrap: bool) -> NDArray[np.float64]:
    """Return the fraction of the second matrix in every cell, between 0 and 1.

    Only + - * / and sqrt are used, so that the result is identical on all machines.
    """
    height, width = world
    positions = [np.arange(first, first + side) for first, side in zip(padded.origin, padded.shape, strict=True)]
    if wrap:
        positions = [position % around for position, around in zip(positions, world, strict=True)]
    rows: NDArray[np.float64] = positions[0].astype(np.float64)[:, None]
    columns: NDArray[np.float64] = positions[1].astype(np.float64)[None, :]
    if blend == "left to right":
        return np.broadcast_to(columns / max(1, width - 1), padded.shape)
    if blend == "top to bottom":
        return np.broadcast_to(rows / max(1, height - 1), padded.shape)
    x, y = columns - (width - 1) / 2, rows - (height - 1) / 2
    distance: NDArray[np.float64] = np.sqrt(x * x + y * y)
    right, bottom = (width - 1) / 2, (height - 1) / 2
    distance /= max(1.0, sqrt(right * right + bottom * bottom))  # The corners are farthest from the center.
    return distance


def _flatten(rows: Sequence[Any], name: str) -> tuple[Any, ...]:
    """Flatten a flat or nested list. Raise InvalidRecipe for rows of different lengths."""
    if {*map(type, rows)} <= {float, int} or not any(isinstance(row, (list, tuple)) for row in rows):
        return tuple(rows)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, (list, tuple)) or len(row) != len(rows):
            found = pluralize(len(row), "score") if isinstance(row, (list, tuple)) else short_repr(row)
            text = f"{pluralize(len(rows), 'row')} need {len(rows)} scores each, row {number} has {found}"
            raise InvalidRecipe(text, at=name)
    return tuple(score for row in rows for score in row)
