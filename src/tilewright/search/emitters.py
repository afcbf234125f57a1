"""Emitters: proposals of new solutions, from random numbers and the elites of an archive.

All emitters work on arrays, with additions and multiplications in a fixed order, so that a search gives the same
archive on every machine. A bandit divides each batch among the emitters. `breed` makes solutions from those that a user
has picked by eye.

Sources: Mouret and Clune, "Illuminating search spaces by mapping elites", 2015 (the algorithm); Vassiliades and Mouret,
"Discovering the elite hypervolume by leveraging interspecies correlation", 2018 (iso+line).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, UnknownName
from ..core.seeds import Rng
from .genome import Genome, Units

ISO_SIGMA = 0.01
"""Standard deviation of the noise that iso+line adds to each slot."""
LINE_SIGMA = 0.2
"""Standard deviation of the step that iso+line takes along the line through two elites."""
STEP_SIGMA = 0.15
"""Standard deviation of a mutated slot."""
REDRAW = 0.2
"""Probability that a gene without order is redrawn."""
MIN_SHARE = 0.03
"""Minimum fraction of a batch that each emitter gets."""
GREED = 4
"""Power of the rate of success in an emitter's share. It is computed by products, which are equal on all machines."""
MEMORY = 0.9
"""Factor by which the bandit's counts shrink in each round, so that recent rounds count more."""
NO_PARENT = -1


@dataclass(frozen=True)
class Proposals:
    """Solutions that an emitter proposes."""

    units: Units
    """Genomes, shape (solution, slot)."""
    parents: NDArray[np.int64]
    """Positions of the parents among the elites, shape (solution, 2); -1 for none."""


def draw_parents(parents: Units, count: int, rng: Rng) -> NDArray[np.int64]:
    """Return random positions of elites, given their genomes."""
    return np.minimum((rng.randoms(count) * len(parents)).astype(np.int64), len(parents) - 1)


def emit_random(genome: Genome, parents: Units, count: int, rng: Rng) -> Proposals:
    """Propose uniformly random solutions."""
    units = rng.randoms(count * genome.slots).reshape(count, genome.slots)
    return Proposals(units, np.full((count, 2), NO_PARENT))


def emit_line(genome: Genome, parents: Units, count: int, rng: Rng) -> Proposals:
    """Propose elites plus noise plus a random step along the line to another elite (iso+line).

    Genes without order are copied from the first elite, or redrawn.
    """
    first, second = draw_parents(parents, count, rng), draw_parents(parents, count, rng)
    one, other = parents[first], parents[second]
    noise = _draw_normal(rng, count * genome.slots).reshape(count, genome.slots)
    step = _draw_normal(rng, count)[:, None]
    units = reflect(one + ISO_SIGMA * noise + (LINE_SIGMA * step) * (other - one))
    units = np.where(genome.redrawn, redraw(one, rng), units)
    return Proposals(units, np.stack([first, second], axis=1))


def emit_cross(genome: Genome, parents: Units, count: int, rng: Rng) -> Proposals:
    """Propose uniform crossovers of two elites, of which about one gene is mutated.

    Genes are inherited as a whole, except matrices and vectors, whose slots are inherited one by one.
    """
    first, second = draw_parents(parents, count, rng), draw_parents(parents, count, rng)
    one, other = parents[first], parents[second]
    take_other = rng.randoms(count * genome.slots).reshape(count, genome.slots) < 0.5
    is_mutated = rng.randoms(count * genome.slots).reshape(count, genome.slots) * genome.slots < 1.5
    step = STEP_SIGMA * _draw_normal(rng, count * genome.slots).reshape(count, genome.slots)
    units = np.where(take_other, other, one)
    mutated = np.where(genome.redrawn, rng.randoms(count * genome.slots).reshape(units.shape), reflect(units + step))
    units = np.where(is_mutated, mutated, units)
    return Proposals(units, np.stack([first, second], axis=1))


Emit = Callable[[Genome, Units, int, Rng], Proposals]
"""Function that proposes a number of solutions from the genomes of the elites, shape (elite, slot)."""
RIBS_EMITTERS = ("ribs.line", "ribs.cma")
"""Emitters of ribs, in `ribs_emitters`."""
RESTART_ROUNDS = 16
"""Number of rounds after which emitters with a state start over."""
EMITTERS: Mapping[str, Emit] = {"random": emit_random, "line": emit_line, "cross": emit_cross}


def redraw(units: Units, rng: Rng) -> Units:
    """Return units of which some are replaced by new random numbers."""
    is_new = rng.randoms(units.size).reshape(units.shape) < REDRAW
    return np.where(is_new, rng.randoms(units.size).reshape(units.shape), units)


def _draw_normal(rng: Rng, count: int) -> NDArray[np.float64]:
    """Return nearly normal numbers: sums of twelve uniform numbers, which need no logarithm."""
    draws = rng.randoms(12 * count).reshape(12, count)
    total = np.full(count, -6.0)
    for row in draws:
        total += row
    return total


def reflect(units: Units) -> Units:
    """Return numbers reflected at 0 and 1 into the unit interval."""
    folded = np.abs(units - 2.0 * np.floor(units / 2.0 + 0.5))
    return np.minimum(folded, np.nextafter(1.0, 0.0))


def read_emitters(given: Any) -> tuple[str, ...]:
    """Return the names of emitters. Raise InvalidRecipe if a name is unknown."""
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, (list, tuple)) else []
    known = [*EMITTERS, *RIBS_EMITTERS]
    for name in names:
        if name not in known:
            raise UnknownName("emitter", str(name), known).within("emitters")
    if not names or len(set(names)) < len(names):
        raise InvalidRecipe("must be different names of emitters", at="emitters", got=given, rule="type")
    return tuple(names)


Emitters = Annotated[
    tuple[str, ...],
    PlainValidator(read_emitters),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
]
"""Names of emitters."""


@dataclass
class Bandit:
    """Shares of emitters in a batch, in proportion to a power of the fraction of their solutions that became elites.

    Counts decay, so that an emitter that has stopped finding elites loses its share.
    """

    names: Sequence[str]
    tries: list[float] = field(default_factory=list)
    successes: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tries = self.tries or [0.0] * len(self.names)
        self.successes = self.successes or [0.0] * len(self.names)

    def divide(self, count: int) -> list[int]:
        """Return the number of solutions of each emitter in a batch."""
        rates = [(good + 1.0) / (tried + 2.0) for good, tried in zip(self.successes, self.tries, strict=True)]
        weights = [prod([rate] * GREED) for rate in rates]
        total = 0.0
        for weight in weights:
            total += weight
        minimum = int(count * min(MIN_SHARE, 1 / len(self.names)))
        free = count - minimum * len(self.names)
        counts = [minimum + int(free * weight / total) for weight in weights]
        counts[weights.index(max(weights))] += count - sum(counts)
        return counts

    def learn(self, tries: Sequence[int], successes: Sequence[int]) -> None:
        """Add the results of a round."""
        self.tries = [MEMORY * old + new for old, new in zip(self.tries, tries, strict=True)]
        self.successes = [MEMORY * old + new for old, new in zip(self.successes, successes, strict=True)]


# -- breeding -------------------------------------------------------------------------------------------------


MAX_BATCHES = 16
"""Number of batches in which new solutions are looked for, before duplicates are accepted."""


def breed(genome: Genome, picked: Units, count: int, rng: Rng) -> Units:
    """Return solutions that are crossovers and mutations of picked ones.

    No solution decodes to the values of a picked one or of another new one, unless the genes have too few values.

    Parameters
    ----------
    genome : Genome
        The genes.
    picked : ndarray
        Genomes of the picked solutions, shape (solution, slot). Without any, the new solutions are random.
    count : int
        Number of solutions.
    rng : Rng
        Random numbers; the result depends only on the arguments.

    Returns
    -------
    ndarray
        Genomes, shape (count, slot).
    """
    parents = picked.reshape(-1, genome.slots)
    emit = emit_cross if len(parents) else emit_random
    known = {repr(values) for values in genome.decode(parents)}
    kept: list[Units] = []
    duplicates: list[Units] = []
    for number in range(MAX_BATCHES):
        units = emit(genome, parents, count, rng.child("breed", number)).units
        for row, values in zip(units, genome.decode(units), strict=True):
            text = repr(values)
            (duplicates if text in known else kept).append(row)
            known.add(text)
        if len(kept) >= count:
            break
    return np.stack([*kept, *duplicates][:count]) if count else np.empty((0, genome.slots))
