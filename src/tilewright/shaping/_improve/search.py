"""The search of the shaper improve: moves of kernels, judged by kernels or by measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, isfinite, nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...analysis.survey import Survey, measure_map
from ...core.errors import ANOTHER_SEED, Fix, GaveUp, InvalidRecipe, UnknownName, format_number, pluralize
from ...core.registry import measures
from ...core.require import Requirement
from ...core.seeds import Rng
from ...core.site import Frame, Site, Steps, block_size
from ...core.tilemap import TileMap
from ...kernels import improvement as kernels
from ...kernels.canvas import EditCanvas, load_cells, undo_move
from ...kernels.exact import log
from ...kernels.goals import REGIONS, Goals
from ...kernels.goals import find_distance as find_computed_distance
from .canvas import Patterns, add_margin, build_canvas, choose_tiles, find_free_cells
from .targets import (
    build_goals,
    check_measures,
    check_reachable,
    find_distance,
    find_scale,
    is_computed,
    parse_targets,
    write_value,
)

if TYPE_CHECKING:
    from ..improve import ImproveParams

CHANCES = np.array([0.35, 0.1, 0.25, 0.1, 0.2])
"""Probabilities of flips, swaps, runs, strips and stamps."""
QUANTILES = -log((np.arange(4096) + 0.5) / 4096)
TEMPERATURE = 0.05
"""Mean increase of the distance that annealing accepts at the first move."""
NO_STYLE = 1e9
"""Tolerance that accepts any change of the style."""
REPAIR_WEIGHT = 4.0
"""Number of changed cells that a repair accepts for one pattern of the original map, if `style` is 1."""
MAX_PASSES = 8
"""Maximum number of passes over the map that undo changes and repair patterns."""
MAX_STEPS = 100_000_000
SLOWER = 64
"""Number of moves judged by kernels in the time of one judged by other measures."""


class Improvement:
    """Search for a map that reaches the targets."""

    def __init__(self, map: TileMap, params: ImproveParams, site: Site, rng: Rng) -> None:
        self.map, self.params, self.site = map, params, site
        self.targets = parse_targets(params.targets)
        check_measures(map, self.targets)
        self.tiles, self.kept = self._read_tiles("tiles", params.tiles), self._read_tiles("keep", params.keep)
        self.names = [target.measure for target in self.targets]
        self.is_endless = any(target.is_extreme for target in self.targets)
        """Whether a target has no end, so that all moves are tried."""
        self.values = measure_map(map, self.names)
        """Values of the measures on the original map."""
        scales = [find_scale(one, self.values[one.measure], has_extreme=self.is_endless) for one in self.targets]
        scaled = [*zip(self.targets, scales, strict=True)]
        self.computed = [(target, scale) for target, scale in scaled if is_computed(target)]
        """Targets whose measures kernels compute, each with its scale."""
        self.others = [(one, scale, measures.get(one.measure)) for one, scale in scaled if not is_computed(one)]
        """All other targets, each with its scale and its measure."""
        self.can_stop_measuring = not any(target.is_extreme for target, *_ in self.others)
        """Whether the distances of these targets are at least 0."""
        self.state = kernels.ImprovementState.new()
        self.stream = rng.state
        self.repair_stream = rng.child("repairs").state

    def run(self) -> Steps:
        """Yield frames of the search, and return the improved map. Raise GaveUp if it does not reach the targets."""
        if not self.is_endless and not self._list_missed(self.values):
            return self.map
        check_reachable(self.targets, self.values, self._fixed_tiles)
        if self.canvas.places.size and self.canvas.tiles.size > 1:
            yield from self._improve()
        found = self._read_map()
        values = measure_map(found, self.names)
        if missed := self._list_missed(values):
            raise self._give_up(missed, values)
        return found

    def _improve(self) -> Iterator[Frame]:
        canvas, goals, state = self.canvas, self.goals, self.state
        start = find_computed_distance(canvas, goals)
        state.distance = state.best = start + self._measure_others(start, np.inf)
        if self._limits_regions:
            goals.limits[1] = goals.numbers[REGIONS]
        best = canvas.cells.copy()
        for _ in self._search_with_measures(best) if self.others else self._search(best):
            yield self._make_frame("moves", state.done / self.params.steps)
        if state.best < state.distance:
            load_cells(canvas, best)
            state.distance = state.best
        if self.is_endless or state.distance <= 0:
            for number in range(MAX_PASSES):
                state.cursor = state.turn = state.repairs = 0
                for _ in self._repair_with_measures() if self.others else self._repair():
                    yield self._make_frame(f"repairs, pass {number + 1}", None)
                if not state.repairs:
                    break

    def _read_tiles(self, name: str, labels: Sequence[str]) -> list[int]:
        """Return the tiles of a parameter."""
        try:
            return sorted({self.site.tile(label) for label in labels})
        except UnknownName as error:
            raise InvalidRecipe.from_error(error, name) from None

    # -- settings -------------------------------------------------------------------------------------------------

    @property
    def _fixed_tiles(self) -> list[str]:
        """Names of tiles whose numbers of cells cannot change."""
        names = self.map.tileset.names
        return [
            name for number, name in enumerate(names) if number in self.kept or number not in (self.tiles or [number])
        ]

    @cached_property
    def canvas(self) -> EditCanvas:
        tiles = self.tiles
        if not tiles:
            named = (name.partition(".")[2] for name in self.names if name.startswith("count."))
            counted = [number for name in named if (number := self.map.tileset.find(name)) is not None]
            tiles = choose_tiles(Survey(self.map), counted)
        return build_canvas(self.map, find_free_cells(self.map, self.site, tiles), tiles, self.kept, self.patterns)

    @cached_property
    def patterns(self) -> Patterns:
        return Patterns.of(add_margin(self.map), self.params.symmetry)

    @cached_property
    def goals(self) -> Goals:
        return build_goals(self.map, self.computed, limits_regions=self._limits_regions)

    @property
    def _limits_regions(self) -> bool:
        return self.params.connected and "regions" not in self.names

    @cached_property
    def settings(self) -> kernels.ImprovementSettings:
        p = self.params
        # On a map in which few patterns repeat, the patterns are no style.
        style, repetition = p.style, self.patterns.repetition
        strictness = style * repetition * repetition
        return kernels.ImprovementSettings(
            chances=CHANCES,
            quantiles=QUANTILES,
            tolerance=(1 - style) / strictness if strictness else NO_STYLE,
            temperature=TEMPERATURE if p.method == "anneal" else 0.0,
            weight=REPAIR_WEIGHT * style * repetition,
            symmetry=int(p.symmetry),
            steps=p.steps,
            is_endless=self.is_endless,
        )

    # -- moves judged by kernels ----------------------------------------------------------------------------------

    @property
    def _is_searching(self) -> bool:
        return self.state.done < self.params.steps and (self.is_endless or self.state.distance > 0)

    @cached_property
    def _block(self) -> int:
        """Number of moves between two frames."""
        moves = block_size("improve", 1 << 21) // self.map.cells.size
        return max(1, moves // SLOWER if self.others else moves)

    def _search(self, best: NDArray[np.uint16]) -> Iterator[None]:
        """Try moves, and yield after each block of them. The best map is copied to `best`."""
        while self._is_searching:
            end = min(self.params.steps, self.state.done + self._block)
            kernels.search(self.canvas, self.goals, self.settings, self.state, self.stream, best, end)
            yield

    def _repair(self) -> Iterator[None]:
        """Undo changes and repair patterns in a pass over the map, and yield after each block of repairs."""
        while kernels.polish(self.canvas, self.goals, self.settings, self.state, self.repair_stream, self._block):
            yield

    # -- moves judged by other measures as well -------------------------------------------------------------------

    def _search_with_measures(self, best: NDArray[np.uint16]) -> Iterator[None]:
        state = self.state
        while self._is_searching:
            distance = kernels.propose(self.canvas, self.goals, self.settings, state, self.stream)
            limit = state.distance + kernels.draw_rise(self.settings, state, self.stream)
            distance += self._measure_others(distance, limit)
            if distance <= limit:
                kernels.keep_move(self.canvas, state, distance, best)
            else:
                undo_move(self.canvas)
            if state.done % self._block == 0:
                yield

    def _repair_with_measures(self) -> Iterator[None]:
        state, trials = self.state, 0
        while kernels.propose_repair(self.canvas, self.settings, state, self.repair_stream):
            distance = find_computed_distance(self.canvas, self.goals)
            distance += self._measure_others(distance, state.distance)
            if distance <= state.distance:
                state.distance = distance
                state.repairs += 1
            else:
                undo_move(self.canvas)
            trials += 1
            if trials % self._block == 0:
                yield

    def _measure_others(self, distance: float, limit: float) -> float:
        """Return what the targets in `others` add to a distance. Stop when it is certain to exceed the limit."""
        total = 0.0
        survey = Survey(self._read_map())
        for target, scale, entry in self.others:
            if distance == inf or (self.can_stop_measuring and distance + total > limit):
                break
            number = entry.compute(survey)
            total += find_distance(target, nan if number is None else float(number), scale)
        return total

    # -- results --------------------------------------------------------------------------------------------------

    def _read_map(self) -> TileMap:
        return self.map.replace(cells=self.canvas.cells[1:-1, 1:-1].astype(self.map.cells.dtype))

    def _make_frame(self, note: str, progress: float | None) -> Frame:
        return Frame(self.canvas.cells[1:-1, 1:-1], note, progress, {"changed": float(self.canvas.state.changed)})

    def _list_missed(self, values: Mapping[str, float]) -> list[Requirement]:
        return [target for target in self.targets if not target.holds(values[target.measure])]

    def _give_up(self, missed: Sequence[Requirement], values: Mapping[str, float]) -> GaveUp:
        def describe(target: Requirement) -> str:
            value = values[target.measure]
            reached = f"the nearest value is {format_number(value)}" if isfinite(value) else "it does not apply"
            return f"{target} was not reached, {reached}"

        moves = pluralize(self.state.done, "move")
        weaker = {one: found for one in missed if (found := one.extend_to(values[one.measure]))}
        nearest = [[one.measure, write_value(weaker.get(one, one))] for one in self.targets]
        fixes = [
            Fix("set", ("steps",), min(MAX_STEPS, 4 * self.params.steps)),
            ANOTHER_SEED,
            *([Fix("set", ("targets",), nearest)] if weaker else []),
        ]
        locked = np.argwhere(self.site.locked).tolist()
        text = f"{'; '.join(map(describe, missed))} ({moves}{'; locked cells stay as they are' if locked else ''})"
        return GaveUp(text, cells=locked, fixes=fixes, at="targets", place="")
