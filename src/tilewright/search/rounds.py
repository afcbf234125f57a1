"""Rounds of a search: proposing, evaluating and adding one batch of solutions after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import GaveUp, InvalidRecipe
from ..core.seeds import Rng
from .archive import Archive, Solutions
from .definition import Definition
from .emitters import EMITTERS, NO_PARENT, Bandit, Proposals, emit_random
from .evaluation import Evaluations
from .genome import Units
from .ribs_emitters import CmaEmitter, compare_with_elites, emit_ribs_line

Floats = NDArray[np.float64]
Evaluate = Callable[[Definition, Units], Evaluations]


@dataclass(frozen=True)
class SolutionBatch:
    """Solutions of a round."""

    units: Units
    parents: NDArray[np.int64]
    """Array (solution, 2) of the numbers of the parents' evaluations; -1 for none."""
    emitters: NDArray[np.int64]
    """Array (solution,) of the emitter of each solution."""


@dataclass
class Search:
    """A search between two rounds: its archive, the bandit and a record of each round.

    The next round depends on nothing else, so a search that was stopped and resumed makes the same archive.
    """

    definition: Definition
    archive: Archive | None = None
    """The archive; None before the first round if that round determines the ranges of the axes."""
    bandit: Bandit = field(init=False)
    records: list[dict[str, Any]] = field(default_factory=list)
    """Record of each finished round."""
    cma: CmaEmitter | None = field(init=False, repr=False, default=None)
    """The emitter with a state, if it is used. It starts over after each period."""

    def __post_init__(self) -> None:
        self.bandit = Bandit(self.definition.emitters)

    @property
    def round(self) -> int:
        """Number of the next round, from 0."""
        return len(self.records)

    @property
    def is_storable(self) -> bool:
        """Whether the next round depends on nothing but the archive and the records."""
        return self.round % self.definition.period == 0

    @property
    def is_finished(self) -> bool:
        return self.round >= self.definition.rounds

    def extend(self, evaluations: int) -> None:
        """Raise the number of evaluations, rounded up to complete periods. A lower number changes nothing."""
        stride = self.definition.batch * self.definition.period
        total = -(-evaluations // stride) * stride
        if total > self.definition.evaluations:
            self.definition = replace(self.definition, evaluations=total)
            if self.archive is not None:
                self.archive.definition = self.definition

    def add(self, batch: SolutionBatch, found: Evaluations) -> dict[str, Any]:
        """Finish the next round with the evaluations of its batch, and return its record."""
        units, parents, emitters = batch.units, batch.parents, batch.emitters
        if self.archive is None:
            self._set_ranges(found)
            self.archive = Archive(self.definition)
        archive, names = self.archive, self.definition.measures
        objectives = self.definition.objective.compute({name: found.measures[:, at] for at, name in enumerate(names)})
        first = self.round * self.definition.batch
        self._tell(archive, objectives, found.measures, emitters)
        status = archive.add(Solutions(first, units, objectives, found.measures, parents, emitters, found.cells))
        archive.evaluations += len(units)
        failures = self._count_failures(found)
        for reason, count in failures.items():
            archive.failures[reason] = archive.failures.get(reason, 0) + count
        sizes = range(len(self.definition.emitters))
        tries = [int(np.count_nonzero(emitters == at)) for at in sizes]
        successes = [int(np.count_nonzero((emitters == at) & (status > 0))) for at in sizes]
        self.bandit.learn(tries, successes)
        record = {
            "round": self.round,
            "evaluations": archive.evaluations,
            "elites": len(archive),
            "coverage": archive.coverage,
            "qd_score": archive.qd_score,
            "best": float(archive.rows.objective[: len(archive)].max()) if len(archive) else None,
            "new": int(np.count_nonzero(status == 2)),
            "improved": int(np.count_nonzero(status == 1)),
            "out_of_range": archive.out_of_range,
            "failures": failures,
            "emitters": dict(zip(self.definition.emitters, tries, strict=True)),
        }
        self.records.append(record)
        self._refuse_hopeless(found)
        return record

    def propose(self) -> SolutionBatch:
        """Return the solutions of the next round."""
        definition, batch = self.definition, self.definition.batch
        if self.is_storable:
            self.cma = None
        rng = definition.root.child("round", self.round)
        if self.archive is None or not len(self.archive):
            proposals = emit_random(definition.genome, np.empty((0, 0)), batch, rng)
            at = definition.emitters.index("random") if "random" in definition.emitters else 0
            return SolutionBatch(proposals.units, proposals.parents, np.full(batch, at))
        rows = self.archive.sorted_rows
        parents = self.archive.rows.units[rows]
        numbers = self.archive.rows.number[rows]
        counts = self.bandit.divide(batch)
        shares = zip(definition.emitters, counts, strict=True)
        parts = [self._emit(name, parents, count, rng.child(name)) for name, count in shares]
        places = np.concatenate([part.parents for part in parts])
        ids = np.where(places == NO_PARENT, NO_PARENT, numbers[np.maximum(places, 0)])
        emitters = np.repeat(np.arange(len(counts)), counts)
        return SolutionBatch(np.concatenate([part.units for part in parts]), ids, emitters)

    def _emit(self, name: str, parents: Units, count: int, rng: Rng) -> Proposals:
        genome = self.definition.genome
        if name != "ribs.cma":
            return EMITTERS.get(name, emit_ribs_line)(genome, parents, count, rng)
        self.cma = self.cma or CmaEmitter(genome)
        return self.cma.ask(parents, count, rng)

    def _tell(self, archive: Archive, objectives: Floats, measures: Floats, emitters: NDArray[np.int64]) -> None:
        """Report the results of a batch to the emitter with a state, before the batch is added to the archive."""
        if self.cma is not None:
            elites, inside = archive.find_objectives(measures)
            inside &= ~np.isnan(objectives)
            own = emitters == self.definition.emitters.index("ribs.cma")
            self.cma.tell(compare_with_elites(objectives[own], elites[own], inside[own]))

    def _set_ranges(self, found: Evaluations) -> None:
        """Set the ranges of axes without one from the first maps."""
        axes = tuple(axis.with_range_of(found.measures[:, at]) for at, axis in enumerate(self.definition.axes))
        self.definition = replace(self.definition, axes=axes)

    def _count_failures(self, found: Evaluations) -> dict[str, int]:
        """Return the number of failed solutions by reason, sorted by reason."""
        failures = Counter[str]()
        missing = np.isnan(found.measures)
        for number in np.flatnonzero(missing.any(axis=1)).tolist():
            unknown = self.definition.measures[int(missing[number].argmax())]
            failures[found.reasons[number] or f"{unknown} does not apply"] += 1
        return dict(sorted(failures.items()))

    def _refuse_hopeless(self, found: Evaluations) -> None:
        """Raise an error if the first round shows that no map can be made, or that a measure never applies."""
        if self.round > 1:
            return
        if all(reason is not None for reason in found.reasons):
            reasons: Mapping[str, int] = self._count_failures(found)
            most = max(reasons, key=lambda reason: reasons[reason])
            raise GaveUp(f"none of the first {len(found.reasons)} maps could be made: {most}")
        for at, name in enumerate(self.definition.measures):
            if np.isnan(found.measures[:, at]).all():
                key = "objective" if at >= len(self.definition.axes) else "measures"
                raise InvalidRecipe(f"{name} applies to none of the first {len(found.reasons)} maps", at=key)
