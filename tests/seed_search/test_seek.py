"""Search over seeds: the seeds are those of a plain loop, for any order, chunks, device and number of workers."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from math import isnan
from typing import Any, ClassVar

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.batch import NoKernel, ScanBound, Scanner, ScanResult, bin_width, find_bins
from tilewright.core.recipe import Recipe
from tilewright.core.require import Requirement, read_requirements
from tilewright.seed_search import plan as seek_plan
from tilewright.seed_search import run as seek_run
from tilewright.seed_search.definition import SeekDefinition, SeekParams
from tilewright.seed_search.plan import CHEAP, make_seek_plan, stages_from_names
from tilewright.seed_search.result import FoundSeeds, Rarity
from tilewright.seed_search.scanners import PipelineScanner
from tilewright.seed_search.state import KeptSeeds, SeekState

CAVES = tw.recipe("caves", width=20, height=14)
SEARCHES: dict[str, dict[str, Any]] = read_table(__file__, "searches")
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


def find_plainly(recipe: Recipe, first: int, last: int, search: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a search, made by a loop."""
    requirements = read_requirements(search.get("require", {}))
    names = list(dict.fromkeys([*(one.measure for one in requirements), *search.get("measures", ())]))
    rows = []
    for seed in range(first, last + 1):
        try:
            map = tw.run(recipe, seed=seed)
        except tw.GaveUp:
            continue
        numbers = tw.measure(map, *names)
        if all(one.holds(numbers[one.measure]) for one in requirements):
            rows.append({"seed": seed, **{name: numbers[name] for name in names}})
    extreme = next((one for one in requirements if one.is_extreme), None)
    if extreme is not None:
        sign = -1 if extreme.rule == "most" else 1
        rows.sort(key=lambda row: (sign * row[extreme.measure], row["seed"]))
    return rows[: search["keep"]]


def take_rows(found: FoundSeeds) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "digest"} for row in found.rows()]


def equal(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> bool:
    """Return whether rows are equal, where NaN equals NaN."""
    return repr(a) == repr(b)


@every_search
def test_the_seeds_are_those_of_a_plain_loop(search: dict[str, Any]) -> None:
    wanted = find_plainly(CAVES, 100, 399, search)
    found = tw.seek(CAVES, seeds=(100, 399), **search)
    assert equal(take_rows(found), wanted)
    stops = "first" in search and len(wanted) > 0
    assert found.tested == (wanted[-1]["seed"] - 99 if stops else 300)
    assert found.passed == 5 or not stops
    assert not stops or found.histograms["regions"].count == found.tested
    assert found.seeds.dtype == np.uint64
    assert list(found.digests) == [row["digest"] for row in found.rows()]


# -- order and chunks ---------------------------------------------------------------------------------------------


def define(recipe: tw.Recipe, **params: Any) -> SeekDefinition:
    return SeekDefinition.of(recipe, SeekParams.validate(params))


def run_in_order(definition: SeekDefinition, chunks: Sequence[tuple[int, int]]) -> SeekState:
    """Return the state after chunks of seeds, each tested with the bound of the ones before."""
    plan = make_seek_plan(definition)
    state, scanner = SeekState(definition, plan), PipelineScanner(definition, plan.stages)
    for first, count in chunks:
        if state.last_interval is None and not state.is_finished:
            state.add(scanner.scan(first, count, state.bound))
    if state.last_interval is not None:
        first, last = state.last_interval
        state.add_last(scanner.scan(first, last - first + 1, None))
    return state


@every_search
def test_the_state_does_not_depend_on_order_and_size_of_chunks(search: dict[str, Any]) -> None:
    definition = define(CAVES, seeds="0..149", **search)
    wanted = run_in_order(definition, [(0, 150)])
    stops = "first" in search and len(wanted.kept.seeds) > 0
    assert wanted.done == [(0, int(wanted.kept.seeds[-1]) if stops else 149)]
    rng = np.random.default_rng(5)
    for size in (7, 13, 40):
        chunks = [(first, min(size, 150 - first)) for first in range(0, 150, size)]
        for _ in range(3):
            rng.shuffle(chunks)
            assert run_in_order(definition, [(int(a), int(b)) for a, b in chunks]).to_text() == wanted.to_text()


@pytest.mark.parametrize("rule", ["most", "least", None])
def test_kept_seeds_are_the_best_pairs_of_value_and_seed(rule: str | None) -> None:
    rng = np.random.default_rng(3)
    seeds = rng.permutation(400).astype(np.uint64) + np.uint64(2**64 - 500)
    values = rng.integers(0, 6, 400).astype(float)
    extreme = None if rule is None else Requirement("regions", rule)
    kept = KeptSeeds(30, ["regions"], extreme)
    for some in np.array_split(np.arange(400), 17):
        kept.add(seeds[some], {"regions": values[some]})
    sign = {"most": -1, "least": 1, None: 0}[rule]
    wanted = sorted(zip((sign * values).tolist(), seeds.tolist(), strict=True))[:30]
    assert kept.seeds.tolist() == [seed for _, seed in wanted]
    assert kept.bound == ScanBound(abs(wanted[-1][0]) if rule else 0.0, wanted[-1][1])


# -- recipes ------------------------------------------------------------------------------------------------------


def test_failures_are_counted_by_reason() -> None:
    recipe = tw.recipe("rooms", width=30, height=20, require={"path_length": ">42"}, tries=2)
    search: dict[str, Any] = {"require": {"path_length": "most"}, "keep": 4}
    found = tw.seek(recipe, seeds="0..59", **search)
    assert equal(take_rows(found), find_plainly(recipe, 0, 59, search))
    failures = sum(found.failures.values())
    assert 0 < failures < 60
    assert found.histograms["path_length"].count == 60 - failures
    assert all(tw.measure(map, "path_length")["path_length"] > 42 for map in found.maps())


def test_a_recipe_with_locks_shapers_and_a_seed() -> None:
    recipe = tw.recipe(
        "caves", width=20, height=14, seed=7, shaping=["connect"], locks=[[3, 3, "wall"], [4, 4, "floor"]]
    )
    found = tw.seek(recipe, seeds="0..39", require={"regions": 1, "floor_share": "most"}, keep=2)
    assert found.passed == 40
    for seed, map in zip(found.seeds.tolist(), found.maps(), strict=True):
        assert map == tw.run(recipe, seed=seed)
        assert map.recipe is not None
        assert map.recipe.seed == str(seed)


def test_the_largest_seeds() -> None:
    found = tw.seek(CAVES, seeds=(2**64 - 5, 2**64 - 1), require={"floor_share": "most"}, keep=5)
    assert sorted(found.seeds.tolist()) == [2**64 - 5 + number for number in range(5)]
    best = max(
        range(2**64 - 5, 2**64), key=lambda seed: tw.measure(tw.run(CAVES, seed=seed), "floor_share")["floor_share"]
    )
    assert int(found.seeds[0]) == best


def test_knobs_and_names_of_recipes() -> None:
    found = tw.seek("city-blocks", knobs={"parks": 3}, seeds="0..1", measures=["floor_share"])
    assert len(found) == 2


# -- kernels ------------------------------------------------------------------------------------------------------


class KernelScanner:
    """A scanner to use in place of kernels. It supports some measures."""

    known = ("floor_share", "regions", "path_length")
    calls: ClassVar[Counter[str]] = Counter()
    device = "cpu"

    def __init__(self, recipe: Recipe, requirements: Sequence[Requirement], measures: Sequence[str]) -> None:
        require = {one.measure: one.to_data() for one in requirements}
        definition = define(recipe, seeds="0..0", require=require, measures=measures)
        self.inner = PipelineScanner(definition, stages_from_names(definition, [list(definition.measures)]))

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        self.calls["scan"] += 1
        return self.inner.scan(first, count, bound)


def open_kernels(recipe: Recipe, requirements: Sequence[Requirement], measures: Sequence[str], device: str) -> Scanner:
    if recipe.technique != "caves" or not set(measures) <= set(KernelScanner.known):
        raise NoKernel("this")
    return KernelScanner(recipe, requirements, measures)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    KernelScanner.calls.clear()
    monkeypatch.setattr(seek_plan, "open_scanner", open_kernels)


@every_search
def test_kernels_find_the_same_seeds(search: dict[str, Any], kernels: None) -> None:
    found = tw.seek(CAVES, seeds="100..399", **search)
    assert equal(take_rows(found), find_plainly(CAVES, 100, 399, search))
    assert KernelScanner.calls["scan"]


class ShuffledCluster:
    """A cluster that runs tasks in this process, in a random order."""

    dashboard = "http://127.0.0.1:1"
    threads = 3

    def run_tasks(self, work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Generator[Any, None, None]:
        rng, submitted = np.random.default_rng(1), iter(tasks)
        running: list[tuple[Any, ...]] = []
        while running := [*running, *islice(submitted, 9 - len(running))]:
            task = pickle.loads(pickle.dumps(running.pop(int(rng.integers(len(running))))))
            yield pickle.loads(pickle.dumps(work(*task)))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.jobs.cluster.connect_workers", lambda *_: nullcontext(ShuffledCluster()))
    monkeypatch.setattr(seek_run, "CHUNK_SECONDS", 0.0)


@every_search
def test_workers_find_the_same_seeds(search: dict[str, Any], cluster: None) -> None:
    alone = tw.seek(CAVES, seeds="100..399", **search)
    assert tw.seek(CAVES, seeds="100..399", workers=3, **search).state.to_text() == alone.state.to_text()


@pytest.mark.parametrize("workers", [0, 3])
@every_search
def test_workers_test_the_later_stages_of_a_gpu(
    workers: int, search: dict[str, Any], kernels: None, cluster: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KernelScanner, "device", "gpu")
    found = tw.seek(CAVES, seeds="100..399", workers=workers, device="gpu", **search)
    assert equal(take_rows(found), find_plainly(CAVES, 100, 399, search))


def test_the_plan_puts_kernels_first(kernels: None) -> None:
    definition = define(
        CAVES,
        seeds="0..9",
        require={"completable": 1, "chokepoints": "<9", "regions": 1},
        measures=["openness", "linearity"],
    )
    plan = make_seek_plan(definition)
    assert [stage.measures for stage in plan.stages] == [
        ("regions",), ("chokepoints",), ("completable",), ("openness",), ("linearity",),
    ]  # fmt: skip
    assert plan.device == "cpu"
    lines = list(plan.format_lines(definition))
    assert lines[1] == "stage 1: kernels on the CPU, 10 seeds"
    assert lines[4] == "stage 2: the pipeline on the CPU, the seeds that pass stage 1"


def test_the_plan_without_kernels() -> None:
    require = {"completable": 1, "chokepoints": "<9", "regions": 1}
    connected = tw.recipe(CAVES, shaping=["connect"])
    definition = define(connected, seeds="0..9", require=require, measures=["openness", "count.wall"])
    plan = make_seek_plan(definition)
    assert [stage.measures for stage in plan.stages] == [
        ("regions", "openness", "count.wall"), ("chokepoints",), ("completable",),
    ]  # fmt: skip
    assert (plan.device, plan.reason) == ("pipeline", "the shaper connect")


def test_costly_measures_are_computed_for_few_seeds() -> None:
    found = tw.seek(CAVES, seeds="0..199", require={"regions": 1}, measures=["chokepoints"], keep=3)
    assert found.histograms["regions"].count == 200
    assert found.histograms["chokepoints"].count == found.passed < 200
    assert [str(one) for one in found.find_scope("chokepoints")] == ["regions == 1"]
    assert found.find_scope("regions") == ()


def test_cheap_measures_exist() -> None:
    assert {one.name for one in tw.list_measures()} >= CHEAP


@pytest.mark.parametrize(
    ("device", "message"),
    [("tpu", "must be 'auto', 'cpu' or 'gpu'"), ("gpu", "there is no NVIDIA driver")],
)
def test_devices_that_cannot_be_used(device: Any, message: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.seek(CAVES, seeds="0..9", require={"regions": 1}, device=device)


def test_values_that_kernels_get_wrong_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(KernelScanner):
        def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
            found = super().scan(first, count, bound)
            return replace(found, values={name: numbers + 1 for name, numbers in found.values.items()})

    monkeypatch.setattr(seek_plan, "open_scanner", lambda recipe, require, names, device: Wrong(recipe, require, names))
    with pytest.raises(tw.TilewrightError, match="seed 0 has floor_share"):
        tw.seek(CAVES, seeds="0..9", measures=["floor_share"])


# -- numbers ------------------------------------------------------------------------------------------------------


def count_values(found: FoundSeeds, name: str) -> dict[float, int]:
    spread = found.histograms[name]
    return dict(zip(spread.values.tolist(), spread.counts.tolist(), strict=True))


def test_histograms_and_rarity_count_all_seeds() -> None:
    require = {"regions": "<3", "floor_share": ">0.55", "path_length": "most"}
    found = tw.seek(CAVES, seeds="0..299", require=require, keep=3)
    maps = [tw.run(CAVES, seed=seed) for seed in range(300)]
    numbers = [tw.measure(map, *require) for map in maps]
    assert count_values(found, "regions") == Counter(one["regions"] for one in numbers)
    floors = [int(np.count_nonzero(map.tileset.passable[map.cells])) for map in maps]
    assert count_values(found, "floor_share") == Counter(floor * 100 // maps[0].cells.size / 100 for floor in floors)
    assert found.rarity["regions < 3"] == Rarity(sum(one["regions"] < 3 for one in numbers), 300)
    assert found.rarity["all"].count == found.passed
    assert list(found.rarity) == ["regions < 3", "floor_share > 0.55", "all"]


def test_measures_that_do_not_apply() -> None:
    found = tw.seek(CAVES, seeds="0..9", measures=["room_count"], keep=2)
    assert isnan(found.values["room_count"][0])
    assert found.histograms["room_count"].missing == 10
    assert found.to_data()["seeds"][0]["room_count"] is None
    assert found.to_csv().splitlines()[1].startswith("0,,")


def test_bins_of_fractions_are_exact() -> None:
    for cells in (100, 4096, 700, 3):
        counts = np.arange(cells + 1)
        assert find_bins("floor_share", counts / cells).tolist() == (100 * counts // cells).tolist()
    assert bin_width("regions") == 1
    assert find_bins("regions", np.array([0.0, 7.0, 2.5])).tolist() == [0, 7, 2]


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [
        *read_table(__file__, "rarity in words"),
        (8, 10**10, "1 in 1.2 billion"),
    ],
)
def test_rarity_in_words(count: int, of: int, text: str) -> None:
    assert str(Rarity(count, of)) == text


def test_progress() -> None:
    seen: list[tw.Progress] = []
    found = tw.seek(CAVES, seeds="0..199", require={"path_length": "most"}, keep=3, on_progress=seen.append)
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert (seen[0].done, seen[-1].done, seen[-1].count) == (0, 200, 200)
    assert seen[-1].values["best"] == found.values["path_length"][0]


# -- mistakes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *read_table(__file__, "mistakes"),
        ({"seeds": range(5, 5)}, "seeds: the range must not be empty"),
        ({"seeds": "0.." + "9" * 5000}, "seeds: must be a range of integers"),
        ({"seeds": (0, 1.5)}, "seeds: must be a range of integers"),
        ({"seeds": (0, True)}, "seeds: must be a number"),
        ({"seeds": (-3, 4)}, "seeds: must be from 0 to 18,446,744,073,709,551,615"),
        ({"seeds": range(0, 9, 2)}, "seeds: must contain every seed"),
        ({"seeds": f"0..{2**64}"}, "seeds: must be from 0 to 18,446,744,073,709,551,615"),
    ],
)
def test_mistakes(change: dict[str, Any], message: str) -> None:
    with refused(message):
        tw.seek(CAVES, **{"seeds": "0..9", "require": {"regions": 1}, **change})


def test_a_reversed_range_has_a_fix() -> None:
    with pytest.raises(tw.InvalidRecipe) as caught:
        tw.seek(CAVES, seeds="9..3", require={"regions": 1})
    assert [fix.value for fix in caught.value.problems[0].fixes] == ["3..9"]
