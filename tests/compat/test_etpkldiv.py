"""The class ETPKLDiv: documented names and defaults, behavior, locks, and published results."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import tilewright as tw
from tests.cases import read_cases
from tests.refusals import refused
from tilewright.compat.etpkldiv import ETPKLDiv
from tilewright.core.errors import InvalidRecipe, TilewrightError, UnknownName

SAMPLE = [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
DOCUMENT: dict[str, dict[str, Any]] = {
    "initializePatternDictionary": {"input_samples": ..., "tp_size": ..., "warp": None, "borders": None},
    "initializeGeneration": {"width": ..., "height": ..., "pop_size": 1},
    "step": {"inter_weight": 0.5, "mut_times": 1, "noise": 0},
    "generate": {
        "input_samples": ..., "tp_size": ..., "width": ..., "height": ..., "iterations": 10000, "warp": None,
        "borders": None, "pop_size": 1, "inter_weight": 0.5, "mut_times": 1, "noise": 0,
    },
    "lockTile": {"x": ..., "y": ..., "value": ...},
    "unlockTile": {"x": ..., "y": ...},
    "unlockAll": {},
    "getIteration": {},
    "getFitness": {},
    "getMap": {},
}  # fmt: skip


def start_generation(seed: int = 1, *, optimiser: Any = "evolution", population: int = 1, **learn: Any) -> ETPKLDiv:
    evolving = ETPKLDiv(optimiser, seed)
    evolving.initializePatternDictionary(learn.pop("samples", SAMPLE), 2, **learn)
    evolving.initializeGeneration(9, 7, population)
    return evolving


@pytest.mark.parametrize("name", DOCUMENT)
def test_calls_are_the_documents(name: str) -> None:
    """Also in their order, for positional arguments."""
    parameters = list(inspect.signature(getattr(ETPKLDiv, name)).parameters.values())[1:]
    found = {one.name: ... if one.default is inspect.Parameter.empty else one.default for one in parameters}
    assert list(found.items()) == list(DOCUMENT[name].items())


def test_the_constructor_needs_nothing_and_evolves() -> None:
    found = {name: one.default for name, one in inspect.signature(ETPKLDiv).parameters.items()}
    assert found == {"optimiser": "evolution", "seed": None}
    assert len(ETPKLDiv().generate(SAMPLE, 2, 5, 4, 10)) == 4


@pytest.mark.parametrize("optimiser", ["evolution", "annealing", "genetic"])
@pytest.mark.parametrize("population", [1, 3])
def test_steps_equal_generate(optimiser: Any, population: int) -> None:
    """Steps of annealing follow a schedule of 10,000 steps."""
    steps = 10_000 if optimiser == "annealing" else 300
    generating, stepping = ETPKLDiv(optimiser, "here"), ETPKLDiv(optimiser, "here")
    level = generating.generate(SAMPLE, 2, 9, 7, steps, True, None, population, 0.3, 2, 0.01)
    stepping.initializePatternDictionary(SAMPLE, 2, True)
    stepping.initializeGeneration(9, 7, population)
    for _ in range(steps):
        stepping.step(0.3, 2, 0.01)
    assert stepping.getMap() == level
    assert stepping.getIteration() == generating.getIteration() == steps
    assert stepping.getFitness() == pytest.approx(generating.getFitness(), abs=1e-9)


@pytest.mark.parametrize("optimiser", ["evolution", "annealing", "genetic"])
def test_the_map_equals_that_of_the_technique(optimiser: Any) -> None:
    evolving = ETPKLDiv(optimiser, 7)
    for number in range(2):
        level = evolving.generate(SAMPLE, 2, 9, 7, 200, "x", {"top": True}, 2)
        m = tw.make(
            "patterns", sample=SAMPLE, pattern_sizes=[2], width=9, height=7, iterations=200, wrap_sample="x",
            sample_edges=["top"], population=2, optimiser=optimiser, seed=f"7-{number}",
        )  # fmt: skip
        assert m.cells.tolist() == level
        assert evolving.getFitness() == pytest.approx(-m.numbers["divergence"], abs=1e-9)


def test_seeds() -> None:
    one = [ETPKLDiv(seed=seed).generate(SAMPLE, 2, 9, 7, 50) for seed in (3, "3", 4)]
    assert one[0] == one[1] != one[2]
    again = ETPKLDiv(seed=3)
    assert again.generate(SAMPLE, 2, 9, 7, 50) == one[0]
    assert again.generate(SAMPLE, 2, 9, 7, 50) != one[0], "every call returns another map"


def test_maps_get_better_and_never_worse() -> None:
    evolving = start_generation()
    fitness = [evolving.getFitness()]
    for _ in range(2000):
        evolving.step()
        fitness.append(evolving.getFitness())
    assert fitness == sorted(fitness)
    assert fitness[0] < 5 * fitness[-1] < 0
    assert evolving.getIteration() == 2000


@pytest.mark.parametrize("optimiser", ["annealing", "evolution"])
def test_steps_can_follow_generate(optimiser: Any) -> None:
    evolving = ETPKLDiv(optimiser, 1)
    evolving.generate(SAMPLE, 2, 9, 7, 3000)
    before = evolving.getFitness()
    for _ in range(300):
        evolving.step()
    assert evolving.getIteration() == 3300
    assert evolving.getFitness() >= before - 0.05


def test_fitness_is_the_negated_divergence() -> None:
    """Compare with a plain computation from dictionaries of patterns."""
    evolving = start_generation(warp=True)
    for weight in (0.5, 0.0, 1.0, 0.25):
        evolving.step(weight)
        level = evolving.getMap()
        found, wanted = count_patterns(level, wrap=False), count_patterns(SAMPLE, wrap=True)
        shares = [
            [(counts.get(key, 0) + 1e-6) / ((sum(counts.values()) + 1e-6) * (1 + 1e-6)) for key in {**found, **wanted}]
            for counts in (found, wanted)
        ]
        p, q = map(np.array, shares)
        divergence = weight * (p * np.log(p / q)).sum() + (1 - weight) * (q * np.log(q / p)).sum()
        assert evolving.getFitness() == pytest.approx(-divergence, abs=1e-9)


def count_patterns(level: list[list[int]], *, wrap: bool) -> dict[tuple[int, ...], int]:
    cells = np.array(level)
    if wrap:
        cells = np.pad(cells, ((0, 1), (0, 1)), mode="wrap")
    counts: dict[tuple[int, ...], int] = {}
    for row in range(cells.shape[0] - 1):
        for column in range(cells.shape[1] - 1):
            key = tuple(cells[row : row + 2, column : column + 2].ravel().tolist())
            counts[key] = counts.get(key, 0) + 1
    return counts


def test_values_are_the_callers() -> None:
    names = {0: -5, 1: 10**30, 2: 7}
    renamed = [[names[value] for value in row] for row in SAMPLE]
    level = ETPKLDiv(seed=1).generate(renamed, 2, 9, 7, 500)
    assert {value for row in level for value in row} <= set(names.values())
    assert all(type(value) is int for row in level for value in row)
    assert ETPKLDiv(seed=1).generate(np.array(SAMPLE, np.uint8), 2, 9, 7, 50) == ETPKLDiv(seed=1).generate(
        tuple(map(tuple, SAMPLE)), 2, 9, 7, 50
    )


def test_several_samples() -> None:
    one, other = [[0, 0], [0, 0]], [[5, 5, 5], [5, 5, 5]]
    array = np.array([one, [[5, 5], [5, 5]]])
    for samples in (array, array.tolist(), [np.array(one), np.array(other)], [one, other]):
        level = ETPKLDiv(seed=1).generate(samples, 2, 6, 6, 3000)
        assert {value for row in level for value in row} == {0, 5}


@pytest.mark.parametrize("optimiser", ["evolution", "annealing", "genetic"])
def test_reading_the_map_between_steps_changes_nothing(optimiser: Any) -> None:
    """Steps are executed together if the map is not read."""

    def run_steps(*, read: bool) -> tuple[Any, float]:
        evolving = start_generation(5, optimiser=optimiser, population=3)
        for number in range(60):
            evolving.step(0.3, 2, 0.01)
            if read:
                evolving.getMap()
            if number == 30:
                evolving.lockTile(2, 2, SAMPLE[0][0])
        return evolving.getMap(), evolving.getFitness()

    assert run_steps(read=True) == run_steps(read=False)


def test_parameters_may_change_between_steps() -> None:
    def run_steps() -> ETPKLDiv:
        evolving = start_generation(population=2)
        for weight, times, noise in ((0.5, 1, 0), (0.9, 5, 0.1), (0.1, 2, 0), (0.1, 7, 0.5)):
            for _ in range(20):
                evolving.step(weight, times, noise)
        return evolving

    one, other = run_steps(), run_steps()
    assert one.getMap() == other.getMap()
    assert one.getFitness() == other.getFitness()
    assert one.getIteration() == 80


@pytest.mark.parametrize("forms", [(None, False, "", {}, {"x": False}), (True, "xy", "yx", {"x": True, "y": True})])
def test_forms_of_warp(forms: tuple[Any, ...]) -> None:
    levels = [ETPKLDiv(seed=1).generate(SAMPLE, 2, 9, 7, 100, warp) for warp in forms]
    assert all(level == levels[0] for level in levels)


def test_warp_by_axis() -> None:
    stripes = [[0, 0, 1], [0, 0, 1]]  # only a seam along x has 1 before 0
    level = np.array(ETPKLDiv(seed=1).generate(stripes, 2, 12, 6, 5000, {"x": True, "y": False}))
    assert ((level[:, :-1] == 1) & (level[:, 1:] == 0)).any()
    assert ETPKLDiv(seed=1).generate(stripes, 2, 12, 6, 50, "x") != ETPKLDiv(seed=1).generate(
        stripes, 2, 12, 6, 50, "y"
    )


BORDERED = np.pad(np.full((6, 8), 1), 1, constant_values=0)


def test_borders() -> None:
    level = np.array(ETPKLDiv(seed=1).generate(BORDERED, 2, 10, 9, 20_000, borders=True))
    assert not level[[0, -1]].any()
    assert not level[:, [0, -1]].any()
    assert level[1:-1, 1:-1].all()
    same = ETPKLDiv(seed=1).generate(
        BORDERED, 2, 10, 9, 20_000, borders={"top": True, "bot": True, "left": True, "right": True}
    )
    assert same == level.tolist()


# -- locks ------------------------------------------------------------------------------------------------------


def test_locks_before_and_between_steps_and_unlocking() -> None:
    evolving = ETPKLDiv(seed=1)
    evolving.lockTile(2, 3, 2)
    evolving.initializePatternDictionary(SAMPLE, 2)
    evolving.initializeGeneration(9, 7, 3)
    assert evolving.getMap()[3][2] == 2
    for _ in range(100):
        evolving.step(mut_times=5, noise=1)
        assert evolving.getMap()[3][2] == 2
    evolving.lockTile(0, 6, 1)
    assert evolving.getMap()[6][0] == 1, "locked immediately"
    evolving.unlockTile(2, 3)
    others = set()
    for _ in range(300):
        evolving.step(mut_times=5, noise=5)
        level = evolving.getMap()
        assert level[6][0] == 1
        others.add(level[3][2])
    assert len(others) > 1
    evolving.unlockAll()
    for _ in range(300):
        evolving.step(mut_times=5, noise=5)
        others.add(evolving.getMap()[6][0] + 10)
    assert others & {10, 12}


def test_locks_stay_for_the_next_map() -> None:
    evolving = ETPKLDiv(seed=1)
    evolving.lockTile(8, 6, 2)
    for _ in range(3):
        assert evolving.generate(SAMPLE, 2, 9, 7, 100)[6][8] == 2
    with pytest.raises(InvalidRecipe, match="locked cell x=8 y=6 is outside a map of 8x7; call unlockTile"):
        evolving.generate(SAMPLE, 2, 8, 7, 100)


def test_locks_with_values_that_are_not_in_the_samples_warn() -> None:
    evolving = start_generation()
    with pytest.warns(UserWarning, match="lockTile: the samples have no -40, so no pattern around it can match"):
        evolving.lockTile(4, 3, -40)
    with pytest.warns(UserWarning, match="the samples have no 99"):
        evolving.lockTile(5, 3, 99)
    for _ in range(50):
        evolving.step(mut_times=3, noise=1)
    assert evolving.getMap()[3][4:6] == [-40, 99]
    evolving.unlockTile(4, 3)
    for _ in range(3000):
        evolving.step()
    assert evolving.getMap()[3][4] in (0, 1, 2)
    assert evolving.getMap()[3][5] == 99
    with pytest.warns(UserWarning, match="the samples have no 99"):
        evolving.initializeGeneration(9, 7)


def test_everything_locked() -> None:
    evolving = start_generation()
    for y in range(7):
        for x in range(9):
            evolving.lockTile(x, y, (x + y) % 3)
    evolving.step(mut_times=4, noise=3)
    assert evolving.getMap() == [[(x + y) % 3 for x in range(9)] for y in range(7)]
    assert evolving.getIteration() == 1


# -- mistakes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["step", "getFitness", "getMap", "initializeGeneration"])
def test_calls_that_come_too_early(call: str) -> None:
    evolving = ETPKLDiv()
    arguments = (9, 7) if call == "initializeGeneration" else ()
    words = rf"{call}: there are no patterns yet; call initializePatternDictionary\(input_samples, tp_size\) first"
    with pytest.raises(TilewrightError, match=words):
        getattr(evolving, call)(*arguments)
    if arguments:
        return
    evolving.initializePatternDictionary(SAMPLE, 2)
    with pytest.raises(TilewrightError, match=rf"{call}: there is no map yet; call initializeGeneration\(width, heig"):
        getattr(evolving, call)()
    assert evolving.getIteration() == 0


def test_new_patterns_discard_the_map() -> None:
    evolving = start_generation()
    evolving.step()
    evolving.initializePatternDictionary(SAMPLE, 3)
    assert evolving.getIteration() == 0
    with pytest.raises(TilewrightError, match="call initializeGeneration"):
        evolving.getMap()


@pytest.mark.parametrize(("given", "expected"), read_cases(Path(__file__).with_name("etpkldiv_mistakes.txt")))
def test_mistakes_are_reported_in_one_line(given: list[str], expected: str) -> None:
    arguments = {"input_samples": SAMPLE, "tp_size": 2, "width": 9, "height": 7, **yaml.safe_load("\n".join(given))}
    with refused(expected, exact=True):
        ETPKLDiv(seed=1).generate(**arguments)


def test_mistakes_of_other_calls() -> None:
    with pytest.raises(UnknownName, match="unknown optimiser 'anealing'; did you mean 'annealing'"):
        ETPKLDiv("anealing")  # type: ignore[arg-type]
    evolving = start_generation()
    for x, y, value, words in (
        (9, 0, 1, "x: must be an integer from 0 to 8, got 9"),
        (0, -1, 1, "y: must be an integer from 0 to 6, got -1"),
        (0, 0, "wall", "value: must be an integer, got 'wall'"),
    ):
        with pytest.raises(InvalidRecipe, match=words):
            evolving.lockTile(x, y, value)  # type: ignore[arg-type]
    with pytest.raises(InvalidRecipe, match="x: must be an integer from 0 to 8, got 9"):
        evolving.unlockTile(9, 0)
    evolving.unlockTile(0, 0)  # not locked, which is allowed
    before = evolving.getMap()
    wrongs: list[dict[str, Any]] = [{"inter_weight": -1}, {"mut_times": 1.5}, {"noise": -1}]
    for wrong in wrongs:
        with pytest.raises(InvalidRecipe):
            evolving.step(**wrong)
    assert evolving.getMap() == before
    assert evolving.getIteration() == 0


def test_one_value_only() -> None:
    for optimiser in ("evolution", "annealing", "genetic"):
        evolving = ETPKLDiv(optimiser, 1)
        assert evolving.generate([[4, 4], [4, 4]], 2, 3, 3, 50, pop_size=2) == [[4] * 3] * 3
        assert evolving.getFitness() == pytest.approx(0, abs=1e-9)


def test_valid_calls_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evolving = start_generation()
        evolving.lockTile(0, 0, 2)
        evolving.step()


# -- published results ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size", "warp", "published"),
    [
        ("redblack", 2, True, 0.25),
        ("redblack", 3, True, 1.66),
        ("loderunner", 2, None, 0.197),
        ("loderunner", 3, None, 0.812),
    ],
)
def test_no_worse_than_the_published_implementation(
    reference: Path, name: str, size: int, warp: bool | None, published: float
) -> None:
    """Compare the mean divergence after 10,000 iterations with defaults."""
    lines = (reference / "etpkldiv" / f"{name}.txt").read_text().split()
    sample = [[ord(letter) for letter in line] for line in lines]
    left = []
    for seed in range(24):
        evolving = ETPKLDiv(seed=seed)
        evolving.generate(sample, size, 30, 30, warp=warp)
        left.append(-evolving.getFitness())
    assert np.mean(left) <= published + 2 * np.std(left) / np.sqrt(len(left))  # within the error of the mean
