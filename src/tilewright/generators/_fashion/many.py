"""Fashion automata on a GPU: many maps at once, and large maps."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe
from ...core.many_maps import Job, Launch, ManyMaps, NoKernel
from ...core.site import Frame


class FashionMany(ManyMaps):
    """Kernels for fashion automata."""

    def open_launch(self) -> Launch:
        from ...kernels.gpu import fashion, fashion_rules, groups

        p = self.params
        if isinstance(p.scores, str):
            raise NoKernel("fashion with random scores")
        if p.morph is not None or p.start is not None or p.offset is not None:
            raise NoKernel("fashion with morph, start or offset")
        scores = np.array(p.scores, dtype=np.float64).reshape(p.states, p.states)
        rule = fashion_rules.make_rule(scores, p.offsets, wrap=p.wrap is not False)
        if rule is None:
            raise NoKernel("fashion with this number of states or these neighbors")
        height, width = self.site.shape
        group = groups.choose_group(height)

        def plan(count: int) -> fashion.Launch:
            found = fashion.plan_fashion(rule, group, (height, width), count=count, generations=p.generations)
            if found is None:
                raise NoKernel("fashion maps that are this narrow")
            return found

        def launch(keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
            planned = plan(len(keys))
            planned.kernel[planned.shape](keys, planned.rule, job, tests, out)

        plan(1)
        return launch


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
