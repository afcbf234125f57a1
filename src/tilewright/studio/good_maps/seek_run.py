"""Searches over seeds in the studio: many seeds of a recipe are tested in small jobs of the queue, one at a time.

Other clients and the user's own map do not wait for a search. The size of the jobs depends on the time that maps take;
the seeds that are found do not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

from ...batch import ScanResult
from ...core.provenance import digest
from ...core.recipe import Recipe
from ...core.tilemap import TileMap
from ...seed_search import FoundSeeds
from ...seed_search.definition import MAX_SEED, SeekDefinition, SeekParams
from ...seed_search.plan import make_seek_plan
from ...seed_search.run import Chunks, make_kept_map
from ...seed_search.scanners import open_seek_scanner
from ...seed_search.state import SeekState
from .. import operations
from ..jobs import CancelToken, JobQueue, RateMeter, TooLong
from ..search.runs import JOB_COST, JOB_SECONDS
from ..settings import Settings
from ..state import State

MAX_SEEDS = 1_000_000
"""Maximum number of seeds to test at once."""
OWN_WORDS = ("seed", "tries", "attempt")
"""Keys of a recipe that do not change the map of a given seed's first try."""


def find_seek_key(state: State) -> dict[str, Any]:
    """Return what decides the seeds that are found: the recipe with its requirements and the current locks."""
    return {word: value for word, value in state.with_recipe().effective.items() if word not in OWN_WORDS}


def open_seek(data: Mapping[str, Any], settings: Settings, *, count: int, keep: int) -> SeekState:
    """Return the search for the seeds whose maps meet the requirements of a recipe, before the first seed.

    The recipe's own tries are left out: the map of a seed is that of its first try.
    """
    recipe = operations.check_recipe(data, settings)
    single = replace(recipe, require=(), tries=1, attempt=None)
    params = SeekParams.validate({"seeds": (0, count - 1), "require": recipe.require, "keep": keep})
    return start_seek(SeekDefinition.of(single, params))


def start_seek(definition: SeekDefinition) -> SeekState:
    """Return a search before the first seed. The studio tests few enough seeds for the CPU."""
    return SeekState(definition, make_seek_plan(definition, "cpu"))


class SeekRun:
    """A search over seeds. It can be canceled after each job, and continued.

    Parameters
    ----------
    queue
        Queue of the jobs.
    state
        State of the search.
    client
        Client of the jobs.
    """

    def __init__(self, queue: JobQueue, state: SeekState, *, client: Hashable) -> None:
        self.queue = queue
        self.state = state
        self.client = client
        self._meter = RateMeter()

    @property
    def rate(self) -> float:
        """Seeds per second in the last seconds; 0 if unknown."""
        return self._meter.rate

    @property
    def result(self) -> FoundSeeds:
        """The result so far, without the digests of the maps."""
        return FoundSeeds(self.state, ())

    def extend(self, count: int) -> None:
        """Add seeds to test after the last one."""
        last = min(self.state.definition.last + count, MAX_SEED)
        self.state.definition = replace(self.state.definition, last=last)

    async def test_missing(self, on_progress: Callable[[], None] = lambda: None) -> None:
        """Test the seeds that are not tested yet. `on_progress` is called after each job.

        Raises
        ------
        TooLong
            If one map takes longer than a request may.
        TilewrightError
            If a map is larger than the settings allow.
        """
        chunks = Chunks(self.state, size=1, seconds=JOB_SECONDS)
        self._meter.clear()
        self._meter.add(self.state.tally.tested)
        for first, count in chunks:
            chunks.note_time(count, await self._test(first, count))
            self._meter.add(self.state.tally.tested)
            on_progress()

    async def finish(self) -> FoundSeeds:
        """Test all missing seeds, make the maps of the kept ones again, and return the result."""
        await self.test_missing()
        maps = [await self.make_map(number) for number in range(len(self.state.kept.seeds))]
        return FoundSeeds(self.state, tuple(map(digest, maps)))

    async def make_map(self, number: int) -> TileMap:
        """Make the map of a kept seed."""

        def work(token: CancelToken) -> TileMap:
            return make_kept_map(self.state, number, lambda recipe: operations.make_map(recipe, token))

        return await self.queue.submit_when_free(work, client=self.client, cost=JOB_COST)

    async def _test(self, first: int, count: int) -> float:
        """Test the seeds `first` to `first + count - 1` in a job. Return the time in seconds that it took."""

        def work(token: CancelToken) -> tuple[ScanResult, float]:
            def make_map(recipe: Recipe) -> TileMap:
                return operations.make_map(recipe, token)

            start = time.perf_counter()
            scanner = open_seek_scanner(self.state.definition, self.state.plan, make_map)
            result = scanner.scan(first, count, self.state.bound)
            token.check(steps=0)  # The scanner counts errors as failures, also those of a canceled job.
            return result, time.perf_counter() - start

        try:
            result, seconds = await self.queue.submit_when_free(work, client=self.client, cost=JOB_COST)
        except TooLong:
            if count == 1:
                raise
            half = count // 2
            return await self._test(first, half) + await self._test(first + half, count - half)
        self.state.add(result)
        return seconds
