"""Large fashion automata on a GPU."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe
from ...core.site import Frame

GENERATIONS_PER_BLOCK = 32
"""Number of generations between two frames that are not watched."""


def advance_on_gpu(
    cells: NDArray[np.uint8],
    scores: NDArray[np.float64],
    offsets: Sequence[tuple[int, int]],
    *,
    generations: int,
    wrap: bool,
    is_watched: bool,
) -> Generator[Frame, None, NDArray[np.uint8]]:
    """Return the map after some generations. The states are those of `kernels.fashion.Automaton`.

    Raises
    ------
    InvalidRecipe
        If no kernel for GPUs has this number of states or these neighbors.
    """
    from ...kernels.gpu.fashion_large import LargeAutomaton
    from ...kernels.gpu.fashion_rules import make_rule

    rule = make_rule(scores, offsets, wrap=wrap)
    if rule is None:
        text = f"a GPU has no kernel for {len(scores)} states with these neighbors; use the device cpu"
        raise InvalidRecipe(text, at="device", rule="conflict")
    automaton = LargeAutomaton(cells, rule)
    block = 1 if is_watched else GENERATIONS_PER_BLOCK
    for done in range(0, generations, block):
        automaton.advance(min(block, generations - done))
        now = min(done + block, generations)
        yield Frame(automaton.cells if is_watched else None, f"generation {now}", now / generations)
    return automaton.cells
