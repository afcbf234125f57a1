"""Breeding: new solutions from those that a user has picked by eye."""

from __future__ import annotations

import numpy as np

from ..core.seeds import Rng
from .emitters import Parents, emit_cross, emit_random
from .genes import Units
from .genome import Genome

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
    parents = Parents(picked.reshape(-1, genome.slots))
    emit = emit_cross if len(parents.units) else emit_random
    known = {repr(values) for values in genome.decode(parents.units)}
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
