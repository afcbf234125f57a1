"""Emitters of ribs: iso+line, and covariance matrix adaptation (CMA-ME).

They use numpy's random numbers and LAPACK, whose results differ between processors, so an archive that they fill is
reproducible on one machine only. An emitter with a state is restarted after a fixed number of rounds, and a search is
stored between two such periods. A search that was killed and resumed therefore makes the same archive.

Sources: Fontaine et al., "Covariance matrix adaptation for the rapid illumination of behavior space", 2020 (CMA-ME);
Tjanaka et al., "pyribs: a bare-bones Python library for quality diversity optimization", 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import TilewrightError
from ..core.seeds import Rng
from .emitters import NO_PARENT, RIBS_EMITTERS, Proposals, draw_parents, emit_line, redraw, reflect
from .genome import Genome, Units

LINE_ISO_SIGMA, LINE_SIGMA = 0.02, 0.3
CMA_SIGMA = 0.1
"""First standard deviation of the solutions around an elite."""
CMA_BATCH = 16
"""Number of solutions in a generation of one evolution strategy."""
MAX_SEED = 2**31
WORST = -1e12
"""Improvement of a solution that has no place in the archive."""


@dataclass(frozen=True)
class Feedback:
    """How the solutions of an emitter compare with the elites before the round."""

    objectives: NDArray[np.float64]
    statuses: NDArray[np.int64]
    """For each solution 0 (not better), 1 (better than the elite of its cell) or 2 (its cell was empty)."""
    improvements: NDArray[np.float64]
    """Differences from the objectives of the elites; the objectives themselves in empty cells."""


def compare_with_elites(objectives: NDArray[np.float64], elites: NDArray[np.float64], inside: Any) -> Feedback:
    """Return the feedback for solutions.

    Parameters
    ----------
    objectives : ndarray
        Objectives of the solutions.
    elites : ndarray
        Objective of the elite in the cell of each solution, NaN for an empty cell.
    inside : ndarray of bool
        Whether each solution has a place in the archive.
    """
    is_new = inside & np.isnan(elites)
    values = np.where(is_new, objectives, objectives - np.nan_to_num(elites))
    values = np.where(inside, values, WORST)
    statuses = np.where(is_new, 2, np.where(inside & (values > 0), 1, 0))
    return Feedback(np.where(inside, objectives, WORST), statuses, values)


def emit_ribs_line(genome: Genome, parents: Units, count: int, rng: Rng) -> Proposals:
    """Propose solutions of the iso+line emitter of ribs. Its state is the archive alone."""
    from ribs.emitters import IsoLineEmitter

    emitter = IsoLineEmitter(
        _make_pool(parents, rng),
        x0=parents[0],
        iso_sigma=LINE_ISO_SIGMA,
        line_sigma=LINE_SIGMA,
        batch_size=max(1, count),
        seed=rng.child("emitter").below(MAX_SEED),
    )
    units = reflect(np.asarray(emitter.ask())[:count])
    others = parents[draw_parents(parents, count, rng)]
    units = np.where(genome.redrawn, redraw(others, rng), units)
    return Proposals(units, np.full((count, 2), NO_PARENT))


class CmaEmitter:
    """Several evolution strategies of ribs that rank solutions by improvement (CMA-ME).

    Solutions that do not fill a generation are proposed by iso+line.
    """

    def __init__(self, genome: Genome) -> None:
        self.genome = genome
        self._strategies: list[Any] = []
        self._asked: list[Units] = []

    def ask(self, parents: Units, count: int, rng: Rng) -> Proposals:
        """Propose solutions."""
        from ribs.emitters import EvolutionStrategyEmitter

        wanted = count // CMA_BATCH
        while len(self._strategies) < wanted:
            stream = rng.child("strategy", len(self._strategies))
            start = parents[int(draw_parents(parents, 1, stream)[0])]
            self._strategies.append(
                EvolutionStrategyEmitter(
                    _make_pool(parents, stream),
                    x0=start,
                    sigma0=CMA_SIGMA,
                    ranker="2imp",
                    batch_size=CMA_BATCH,
                    seed=stream.below(MAX_SEED),
                )
            )
        self._asked = [np.asarray(one.ask(), dtype=np.float64) for one in self._strategies[:wanted]]
        parts = []
        for strategy, units in zip(self._strategies, self._asked, strict=False):
            start = np.broadcast_to(np.asarray(strategy.x0), units.shape)
            parts.append(np.where(self.genome.redrawn, redraw(start, rng), reflect(units)))
        rest = emit_line(self.genome, parents, count - wanted * CMA_BATCH, rng.child("rest"))
        places = np.concatenate([np.full((wanted * CMA_BATCH, 2), NO_PARENT), rest.parents])
        return Proposals(np.concatenate([*parts, rest.units]), places)

    def tell(self, feedback: Feedback) -> None:
        """Adapt to the results of the solutions that were proposed last."""
        for number, (strategy, units) in enumerate(zip(self._strategies, self._asked, strict=False)):
            own = slice(number * CMA_BATCH, (number + 1) * CMA_BATCH)
            strategy.tell(
                units,
                feedback.objectives[own],
                np.zeros((CMA_BATCH, 1)),
                {"status": feedback.statuses[own], "value": feedback.improvements[own]},
            )


def refuse_without_ribs(names: tuple[str, ...]) -> None:
    """Raise an error with installation instructions if emitters of ribs are used and ribs is missing."""
    used = next((name for name in names if name in RIBS_EMITTERS), None)
    if used is not None and find_spec("ribs") is None:
        raise TilewrightError(f'the emitter {used} needs ribs; install it with: pip install "tilewright[search]"')


def _make_pool(units: Units, rng: Rng) -> Any:
    """Return elites as an archive of ribs, from which its emitters draw."""
    from ribs.archives import GridArchive

    count = len(units)
    pool = GridArchive(
        solution_dim=units.shape[1],
        dims=[count],
        ranges=[(0, count)],
        seed=rng.child("pool").below(MAX_SEED),
        dtype=np.float64,
    )
    pool.add(units, np.zeros(count), np.arange(count)[:, None] + 0.5)
    return pool
