"""Wave function collapse from an example: every N x N block of the map is a pattern of the sample.

At first, every cell can hold any pattern of the sample. Repeatedly, the cell with the lowest entropy is collapsed to a
random pattern, weighted by its frequency in the sample, and the choice is propagated: patterns of neighbors that no
longer fit are removed. With a pattern size of 1, cells hold single tiles. Two tiles may be neighbors if they are
neighbors somewhere in the sample, or if the rules of a tileset allow it.

After a contradiction, the solver backtracks. If that does not help, it reopens the region around the contradiction and
solves it again, with a larger region each time. Then it restarts. Locks, border tiles, tile counts, connected regions
and paths are constraints of the same search, so most impossible requests are detected before the first choice.

Limits: it cannot be known in advance whether the patterns fit together. The solver gives up after a fixed number of
restarts and reports the cells of the contradictions. Samples with patterns that rarely fit together take long; a larger
sample or a higher symmetry helps.

Source: Gumin, "WaveFunctionCollapse", 2016, after Merrell, "Example-based model synthesis", 2007; Newgas, "DeBroglie",
for paths and counts.
"""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np

from ..analysis.patterns import Tiles
from ..analysis.sample_use import measure_sample_use
from ..core.entries import ByExample, technique
from ..core.seeds import Rng
from ..core.site import Site, Steps
from ..core.tilemap import DeferredNumbers
from ._wfc.constraints import Constraints, validate
from ._wfc.params import WfcParams, WfcTrainingParams
from ._wfc.solver import Solver, drop_conflicting_locks, finish_relaxed

UPDATES_PER_CELL = 100
"""Approximate number of patterns removed per cell, to estimate the cost of a map."""
BYTES_PER_WORD = 24
"""Memory of 64 patterns per cell: those that are left, at the start and now, and those that were removed."""


@technique(
    WfcParams,
    revision=2,
    tileset=lambda p: p.tileset,
    tiles=lambda p: p.labels,
    extends_tileset=True,
    dimensions=(2, 3),
    bytes_per_cell=lambda p: 400 + BYTES_PER_WORD * p.pattern_set.words,
    cost=lambda p: prod(p.shape) * UPDATES_PER_CELL,
    training=lambda p: p.training,
    by_example=ByExample(
        knobs={
            "pattern_size": (1, 2, 3, 4),
            "symmetry": (1, 2, 4, 8),
            "match_counts": (True, False),
            "relax": (False, True),
        },
        defaults={"match_counts": True},
        shared=("wrap", "wrap_sample", "sample_edges"),
        note="contains only patterns of the sample",
    ),
    learn=WfcTrainingParams,
    validate=validate,
    search_words=("example", "style", "drawing", "texture", "circuit", "level", "wave function collapse"),
    main_param="pattern_size",
    vary={},
)
def wfc(p: WfcParams, site: Site, rng: Rng) -> Steps:
    constraints = Constraints.of(p, site)
    wave = constraints.make_wave(rng)
    if wave.contradiction >= 0:
        if not p.relax:
            raise constraints.find_minimal_conflict().make_error()
        constraints = drop_conflicting_locks(constraints)
        wave = constraints.make_wave(rng)
    solver = Solver(p, constraints, wave, rng, site.tileset.colors[site.ids])
    done = wave.contradiction < 0 and (yield from solver.run())
    numbers = {
        "choices": float(wave.state.observed),
        "backtracks": float(wave.state.backtracked),
        "repairs": float(solver.repairs),
        "restarts": float(solver.restarts),
    }
    if solver.coverages:
        numbers["coverage"] = solver.coverages[-1]
    if done and not p.relax:
        tiles = wave.to_tiles()
        deferred = DeferredNumbers(partial(_measure, tiles, p, numbers))
        return site.map(tiles.astype(np.uint16), numbers=deferred)  # Small integers are converted fastest.
    if not done and not p.relax:
        raise solver.make_error()
    return finish_relaxed(solver, site, numbers)


def _measure(tiles: Tiles, p: WfcParams, numbers: dict[str, float]) -> dict[str, float]:
    """Return the numbers of a map: those of the solver, and those that compare the map with the sample."""
    return numbers | measure_sample_use(tiles, p.training)
