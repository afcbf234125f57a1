"""Wave function collapse: a map whose every window is one of a sample's, decided cell by cell.

Every cell may hold any window of the sample at first. Again and again the cell about which least is open is decided by
chance, windows as common as in the sample, and all that follows from that is worked out at once: windows of its
neighbours that no longer fit are gone. With a pattern size of 1 cells hold single tiles, which fit where they stand
beside each other in the sample; or rules in a tileset say which do.

Where a cell has nothing left, choices are taken back; if that does not help, the region around the trouble is opened
and decided again, larger each time; then all begins anew. Locked tiles, the tiles at the border, how many cells hold a
tile, regions that must be one and paths are part of the same reckoning, so that what cannot be had is mostly seen
before the first choice.

Limits: whether windows fit together at all cannot be known beforehand; it gives up after so many tries and says where.
Windows that meet everywhere but in a few places make long searches: a larger sample, or views of it, help.

Source: Gumin, "Wave Function Collapse", 2016, after Merrell, "Model synthesis", 2007; Newgas, "DeBroglie", 2019, for
paths and counts.
"""

from __future__ import annotations

from math import prod

from ..core.registry import ByExample, technique
from ..core.seeds import Rng
from ..core.site import Site, Steps
from ._wfc.constraints import Constraints, validate
from ._wfc.params import WfcParams, WfcTrainingParams
from ._wfc.relaxation import drop_conflicting_locks, finish_relaxed
from ._wfc.solver import Solver

UPDATES_PER_CELL = 100
"""Patterns that are removed for each cell, roughly: the cost of a map."""


@technique(
    WfcParams,
    tileset=lambda p: p.tileset,
    tiles=lambda p: p.labels,
    extends_tileset=True,
    dimensions=(2, 3),
    bytes_per_cell=400,
    cost=lambda p: prod(p.shape) * UPDATES_PER_CELL,
    training=lambda p: p.training,
    by_example=ByExample(
        knobs={"pattern_size": (1, 2, 3, 4), "symmetry": (1, 2, 4, 8), "relax": (False, True)},
        shared=("wrap", "wrap_sample"),
        note="has none that the sample lacks",
    ),
    learn=WfcTrainingParams,
    validate=validate,
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
    if done and not p.relax:
        return site.map(wave.to_tiles(), numbers=numbers)
    if not done and not p.relax:
        raise solver.make_error()
    return finish_relaxed(solver, site, numbers)
