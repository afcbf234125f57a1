"""The search: choices, what is taken back, regions that are opened again, and new beginnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ...core.errors import GaveUp, counted
from ...core.seeds import Rng
from ...core.site import Frame
from ...kernels import claims as claims_kernel
from ...kernels import wave as kernel
from .params import WfcParams
from .pattern_set import unpacked
from .wave import DONE, STUCK, Wave
from .wishes import Wishes, helping, windows_of

FRAMES = 96
"""Parts of a map that are decided between two frames, if every cell were a choice."""
MOST_WORK = 1 << 17
"""Choices between two frames times patterns: a few hundredths of a second."""
FIRST, NEARBY, GROWTH = 6, 20, 8
"""How far a region reaches around a window; troubles so near to each other are one, and make it larger by so much."""
WIDER = 2
"""How much farther than a region cells are opened that are not decided yet, in windows."""
PLANTED = 16
"""A tile of which at least a number is wanted is put down at first, where that is below one in so many cells."""
TRIES_TO_PLANT, TRIES_FOR_EACH = 64, 4


@dataclass
class Search:
    """A wave on its way to a map."""

    p: WfcParams
    wishes: Wishes
    wave: Wave
    rng: Rng
    colors: NDArray[np.uint8]
    """(word, 3)"""
    troubles: Counter[int] = field(default_factory=Counter)
    """How often each cell of the wave was in trouble."""
    causes: Counter[int] = field(default_factory=Counter)
    """How often each claim could not hold; -1 is the windows."""
    repairs: int = 0
    restarts: int = 0
    stuck: str = ""
    """What stood around the last trouble."""

    def run(self) -> Generator[Frame, None, bool]:
        """Whether all cells are decided at the end."""
        for attempt in range(self.p.restarts + 1):
            self.restarts = attempt
            own = self.rng if attempt == 0 else self.rng.child("restart", attempt)
            self.wave.restart()
            self._plant(own.child("plant"))
            done = yield from self._once(own)
            if done:
                return True
        return False

    def _once(self, rng: Rng) -> Generator[Frame, None, bool]:
        """One beginning; regions are opened again until nothing better comes of it."""
        wave, p = self.wave, self.p
        block = max(1, min(MOST_WORK // len(wave.book), wave.extent.cells // FRAMES))
        fewest = wave.extent.cells + 1
        tried: list[int] = []
        """Where regions were opened again since less was left undecided than ever before."""
        while True:
            yield self._frame(len(tried))
            status = wave.collapse(rng, block)
            if status == DONE:
                return True
            if status != STUCK:
                continue
            if wave.undecided < fewest:
                fewest, tried = wave.undecided, []
            self.stuck = self._drawn(int(wave.state[kernel.TROUBLE]))
            opened = False
            while not opened:
                self._blame()
                if len(tried) >= p.repairs:
                    return False
                cell = int(wave.state[kernel.TROUBLE])
                again = np.isin(tried, wave.extent.box(cell, NEARBY)).sum()
                tried.append(cell)
                self.repairs += 1
                opened = wave.reopen(FIRST + p.size + GROWTH * int(again), WIDER * p.size)

    def _blame(self) -> None:
        state = self.wave.state
        self.troubles[int(state[kernel.TROUBLE])] += 1
        self.causes[int(state[kernel.CAUSE])] += 1

    def _plant(self, rng: Rng) -> None:
        """Put tiles down of which some are wanted, where each can be; else few are left to the end, when none fits."""
        wave = self.wave
        for number, claim in enumerate(wave.claims):
            if not 0 < claim.least <= max(1, wave.extent.map_cells // PLANTED):
                continue
            may = np.flatnonzero(wave.status[number] == claims_kernel.MAY)
            places = np.argsort(rng.child("places", number).randoms(len(may)), kind="stable")
            for place in places[: TRIES_TO_PLANT + TRIES_FOR_EACH * claim.least].tolist():
                if wave.tally[number, claims_kernel.MUST - 1] >= claim.least:
                    break
                if wave.status[number, may[place]] == claims_kernel.MAY:
                    wave.plant(int(may[place]), claim.tiles)

    def _frame(self, repairs: int) -> Frame:
        undecided = self.wave.undecided
        note = f"{undecided:,} undecided"
        if repairs:
            note += f", repair {repairs}"
        if self.restarts:
            note += f", start {self.restarts + 1}"
        return Frame(self.wave.tiles, note, 1.0 - undecided / self.wave.extent.cells, colors=self._blended)

    @cached_property
    def _blended(self) -> Callable[[], NDArray[np.uint8]] | None:
        """The colours of a frame; maps with levels are shown in their likeliest tiles."""
        return partial(self.wave.colors, self.colors) if self.wave.extent.axes == 2 else None

    # -- giving up ----------------------------------------------------------------------------------------------

    def explained(self) -> GaveUp:
        """Why no map came of it."""
        p, wave = self.p, self.wave
        worst = [cell for cell, _ in sorted(self.troubles.items(), key=lambda pair: (-pair[1], pair[0]))[:4]]
        cause = max(self.causes, key=lambda number: (self.causes[number], -number)) if self.causes else -1
        what = ", ".join(dict.fromkeys(source.partition(":")[0] for source in self.wishes.sources))
        help = f"{helping(p)}; or ask for less: {what}" if what else helping(p)
        if cause >= 0:
            blame, help = f"{wave.claims[cause].source}: could not be had", f"ask for less: {what}"
        elif self.stuck.strip("?/ "):
            blame = f"none of {windows_of(p)} was left where {self.stuck} came together"
        else:
            blame = f"none of {windows_of(p)} was left"
        more = f"{counted(self.repairs, 'repair')}, {counted(int(wave.state[kernel.TAKEN_BACK]), 'choice')} taken back"
        cells = [wave.extent.place(cell) for cell in worst]
        return GaveUp(f"{blame} ({more}); {help}", cells=cells, tries=self.restarts + 1)

    def _drawn(self, cell: int) -> str:
        """The tiles around a cell, those that are not decided as ?."""
        wave, p, extent = self.wave, self.p, self.wave.extent
        *level, row, column = extent.place(cell)
        rows = np.arange(max(0, row - p.size + 1), min(p.height, row + 2 * p.size - 1))
        columns = np.arange(max(0, column - p.size + 1), min(p.width, column + 2 * p.size - 1))
        places = np.arange(extent.map_cells).reshape(extent.shape)
        cells = places[tuple(level)][rows[:, None], columns]
        owners = extent.owners[cells]
        patterns = unpacked(wave.domains[owners], len(wave.book)).argmax(axis=-1)
        tiles = wave.book.patterns[patterns, extent.offsets[cells]]
        glyphs = np.array([p.tileset[p.tileset.by_name[word]].glyph for word in p.words])
        shown = np.where(wave.numbers[owners, kernel.COUNT] == 1, glyphs[tiles], "?")
        return " / ".join("".join(line) for line in shown.reshape(len(rows), len(columns)).tolist())
