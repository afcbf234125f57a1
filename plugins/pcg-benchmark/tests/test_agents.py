"""Queues, sequences and agents that must agree with Python's and with those of the PCG Benchmark."""

from __future__ import annotations

import heapq
from difflib import SequenceMatcher
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import tilewright_pcg as pcg
from tilewright_pcg.ddave import find_path
from tilewright_pcg.kernels.agent_queue import TABLE, add_state, pop_node, push_node
from tilewright_pcg.kernels.loderunner import explore_level
from tilewright_pcg.kernels.sequences import compare_sequences, matching_ratio
from tilewright_pcg.kernels.sokoban import solve_sokoban_level
from tilewright_pcg.mdungeons import find_events
from tilewright_pcg.sokoban import solve_level

needs_benchmark = pytest.mark.skipif(find_spec("pcg_benchmark") is None, reason="pcg_benchmark is not installed")


class RankedNode:
    """A node that, like those of the benchmark, compares by its priority only."""

    def __init__(self, number: int, priority: float) -> None:
        self.number, self.priority = number, priority

    def __lt__(self, other: RankedNode) -> bool:
        return self.priority < other.priority


def test_the_queue_takes_equal_nodes_in_the_order_of_heapq() -> None:
    random = np.random.default_rng(1)
    priority = random.integers(0, 5, 400).astype(np.float64)
    heap, size = np.empty(400, dtype=np.int64), 0
    plain: list[RankedNode] = []
    for number in range(400):
        size = push_node.__wrapped__(heap, priority, size, number)
        heapq.heappush(plain, RankedNode(number, priority[number]))
        if random.random() < 0.4:
            assert pop_node.__wrapped__(heap, priority, size) == heapq.heappop(plain).number
            size -= 1
    while size:
        assert pop_node.__wrapped__(heap, priority, size) == heapq.heappop(plain).number
        size -= 1


def test_states_are_added_once() -> None:
    random = np.random.default_rng(2)
    table, known = np.full((TABLE, 2), -1, dtype=np.int64), set()
    with np.errstate(over="ignore"):
        for first, second in random.integers(0, 30, (2000, 2)).tolist():
            assert add_state.__wrapped__(table, first, second) == ((first, second) not in known)
            known.add((first, second))


def test_similarities_are_those_of_difflib() -> None:
    random = np.random.default_rng(3)
    texts = [bytes(random.integers(97, 100, random.integers(0, 30)).astype(np.uint8)) for _ in range(24)]
    arrays = [np.frombuffer(text, dtype=np.uint8).copy() for text in texts]
    stack = np.zeros((len(texts), 30), dtype=np.uint8)
    for row, array in zip(stack, arrays, strict=True):
        row[: array.size] = array
    sizes = np.array([array.size for array in arrays])
    for text, array in zip(texts, arrays, strict=True):
        plain = [SequenceMatcher(None, text, other).ratio() for other in texts]
        assert [matching_ratio(array, other) for other in arrays] == plain
        both = [max(one, SequenceMatcher(None, other, text).ratio()) for one, other in zip(plain, texts, strict=True)]
        found = np.empty(len(texts))
        compare_sequences(array, stack, sizes, np.zeros(len(texts)), found)
        assert found.tolist() == both
        compare_sequences(array, stack, sizes, np.full(len(texts), 0.5), found)
        assert ((found > 0.5) == (np.array(both) > 0.5)).all()


def _read(*rows: str, glyphs: str) -> Any:
    return np.array([[glyphs.index(glyph) for glyph in row] for row in rows])


def test_the_box_puzzle_is_solved() -> None:
    level = np.pad(_read("@$.", glyphs="# @$."), 1).astype(np.uint8)
    moves = np.empty(10, dtype=np.uint8)
    assert solve_sokoban_level(level.reshape(-1), 5, -1.0, moves) == 1
    assert moves[0] == 5
    assert solve_level(_read("@$.", "   ", "   ", glyphs="# @$.")) is None, "the solution is too short"
    stuck = np.pad(_read("@ .", "  $", glyphs="# @$."), 1).astype(np.uint8)
    assert solve_sokoban_level(stuck.reshape(-1), 5, -1.0, moves) == -1


def test_the_platform_level_needs_key_and_jump() -> None:
    path = find_path(_read("    ", " V  ", "@##H", "####", glyphs="# @H$V*"))
    assert path is not None
    assert path[-1].tolist() == [2, 3, 1]
    assert find_path(_read("    ", "    ", "@##H", "##V#", glyphs="# @H$V*")) is None


def test_the_dungeon_path_meets_everything() -> None:
    events = find_events(_read("@g*o$H", glyphs="# @H*$go"))
    assert events is not None
    assert events.tolist() == [6, 4, 7, 5]
    assert find_events(_read("@oooH", glyphs="# @H*$go")) is None, "three ogres cost 6 of 5 health"


def test_ladders_ropes_and_falls_are_explored() -> None:
    cells = np.array([[2, 1, 6, 6, 1], [0, 0, 1, 1, 5], [1, 1, 1, 1, 5], [0, 0, 0, 0, 0]], dtype=np.uint8)
    found = np.zeros_like(cells)
    assert explore_level(cells, 0, 0, found) == 13
    assert found.tolist() == [[1, 1, 3, 3, 1], [0, 0, 4, 4, 2], [1, 1, 1, 1, 2], [0, 0, 0, 0, 0]]


@needs_benchmark
def test_agents_agree_with_the_benchmark() -> None:
    random = np.random.default_rng(4)
    benchmark = import_module("pcg_benchmark").make("ddave-v0")
    for content in pcg.make_contents("ddave", 10, 3):
        path = find_path(np.array(content))
        assert path is not None
        assert [[one["y"], one["x"]] for one in benchmark.info(content)["solution"]] == path[:, :2].tolist()
    play = import_module("pcg_benchmark.probs.loderunner.utils").play_loderunner
    for _ in range(30):
        level = random.choice(7, size=(22, 32), p=[0.3, 0.42, 0, 0.03, 0.03, 0.12, 0.1])
        row, column = (int(number) for number in random.integers(0, 21, 2))
        level[row, column], level[-1] = 2, 0
        explored = np.zeros(level.shape, dtype=np.uint8)
        explore_level(level.astype(np.uint8), row, column, explored)
        assert (play(level) == explored).all()
